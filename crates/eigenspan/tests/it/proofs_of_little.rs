//! Small, exact or hidden components are proven, named in a note, or found by another solver; they are never called zero.

use eigenspan::linalg::{orthonormalize_rows, product};
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Note, PcaOptions};

use crate::proofs::leading;
use crate::support::fit;

#[test]
fn tables_of_few_exact_directions_are_decomposed() {
    // Cells that repeat exactly leave rounding that repeats exactly, which no rotation makes orthogonal.
    for (n, d) in [
        (30, 40),
        (40, 60),
        (60, 40),
        (41, 140),
        (100, 100),
        (120, 33),
    ] {
        let tables: [(&str, Mat<f64>); 5] = [
            (
                "two kinds of rows",
                Mat::from_fn(n, d, |i, _| f64::from(i % 2 == 0)),
            ),
            (
                "signs",
                Mat::from_fn(
                    n,
                    d,
                    |i, j| if (i / 3 + j / 5) % 2 == 0 { 1.0 } else { -1.0 },
                ),
            ),
            (
                "groups twice",
                Mat::from_fn(n, d, |i, j| f64::from(i % 7 == j % 7)),
            ),
            (
                "equal columns",
                Mat::from_fn(n, d, |i, _| 1.0 + (i % 5) as f64 / 3.0),
            ),
            (
                "blocks",
                Mat::from_fn(n, d, |i, j| f64::from((i * 3 / n) == (j * 3 / d))),
            ),
        ];
        for (name, x) in tables {
            for center in [true, false] {
                for solver in [Solver::Auto, Solver::Full, Solver::Qr, Solver::Dual] {
                    let options = PcaOptions {
                        center,
                        ..leading(solver, 2)
                    };
                    let pca = fit(&options, &x);
                    let spectrum = pca.spectrum();
                    let case = format!("{name}, {n} × {d}, {solver}, centered {center}");
                    assert!(spectrum.total_share() <= 1.0 + 1e-12, "{case}");
                    for i in 0..spectrum.rank {
                        assert!(
                            spectrum.residuals[i] < 1e-10,
                            "{case}: {:?}",
                            spectrum.residuals
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_squaring_cannot_see_is_never_called_nothing() {
    // Five columns turned into each other, one of them far larger: all of them vary.
    let mut rng = Rng::new(14);
    let mut turn = Mat::from_fn(5, 5, |_, _| rng.normal());
    orthonormalize_rows(&mut turn);
    for (n, factor) in [
        (3000, 1e6),
        (3000, 1e7),
        (3000, 3e7),
        (3000, 1e8),
        (900, 1e9),
    ] {
        let z = Mat::from_fn(n, 5, |_, j| {
            rng.normal() * if j == 0 { factor } else { 1.0 }
        });
        let x = product(z.view(), turn.view());
        // What `dual` decomposes has as many rows as the table, so it gets fewer of them: it takes n³.
        let first = Mat::from_fn(n.min(900), 5, |i, j| x[(i, j)]);
        for keep in [Keep::Count(3), Keep::All] {
            for solver in Solver::ALL {
                let options = PcaOptions {
                    n_components: keep,
                    ..leading(solver, 3)
                };
                if solver == Solver::Sketch && keep == Keep::All {
                    continue;
                }
                let x = if solver == Solver::Dual { &first } else { &x };
                let pca = fit(&options, x);
                let notes = pca.notes();
                let n = x.n_rows();
                let case = format!("{solver}, {keep:?}, {n} rows, {factor:e}: {notes:?}");
                let nothing = |note: &Note| matches!(note, Note::RankBelowK { .. });
                assert!(!notes.iter().any(nothing), "{case}");
                let right = (1..pca.n_components())
                    .all(|i| (pca.explained_variance()[i] - 1.0).abs() < 0.2);
                let said = |note: &Note| {
                    matches!(
                        note,
                        Note::BelowResolution { .. }
                            | Note::NotResolved { .. }
                            | Note::NotConverged { .. }
                            | Note::NotProven { .. }
                            | Note::Sketched { .. }
                    )
                };
                assert!(
                    right || notes.iter().any(said),
                    "{case}: {:?}",
                    pca.explained_variance()
                );
                if solver == Solver::Auto && keep == Keep::Count(3) {
                    assert!(right, "{case}");
                }
            }
        }
    }
}

#[test]
fn a_few_huge_rows_of_single_precision_do_not_hide_the_rest() {
    let (n, d) = (160_000, 64);
    let mut rng = Rng::new(5);
    let x: Mat<f32> = Mat::from_fn(n, d, |i, j| {
        let size = match i {
            7 => 1e5,
            77_777 => -3e4,
            _ => 1.0,
        };
        (rng.normal() * (2.0 - j as f64 / d as f64) * size) as f32
    });
    let rows = Dense::new(x.view());
    let exact = leading(Solver::Qr, 4)
        .fit(&Context::new(), &rows)
        .expect("a fit");
    for solver in [Solver::Auto, Solver::Covariance] {
        let pca = leading(solver, 4)
            .fit(&Context::new(), &rows)
            .expect("a fit");
        let off =
            |i: usize| (pca.explained_variance()[i] / exact.explained_variance()[i] - 1.0).abs();
        let worst = (0..4).map(off).fold(0.0, f64::max);
        let said = |note: &Note| matches!(note, Note::NotResolved { .. });
        assert!(
            worst < 1e-4 || pca.notes().iter().any(said),
            "{solver}: {worst:e}"
        );
        if solver == Solver::Auto {
            assert!(worst < 1e-4, "{worst:e}: {:?}", pca.notes());
        }
    }
}

#[test]
fn weights_are_summed_to_rounding() {
    let mut rng = Rng::new(3);
    let n = 60_000;
    let x = Mat::from_fn(n, 3, |_, j| rng.normal() * (3 - j) as f64);
    let weights = vec![0.1; n];
    let rows = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    for solver in [Solver::Full, Solver::Covariance, Solver::Qr] {
        let pca = leading(solver, 2)
            .fit(&Context::new(), &rows)
            .expect("a fit");
        let weight = pca.parts().weight;
        let claimed = pca.spectrum().residuals.iter().copied().fold(0.0, f64::max);
        let error = (weight / (0.1 * n as f64) - 1.0).abs();
        assert!(
            error <= claimed.max(1e-15),
            "{solver}: {error:e} above {claimed:e}"
        );
    }
}

#[test]
fn small_numbers_and_flat_spectra_are_not_misjudged() {
    let mut rng = Rng::new(16);
    let x = Mat::from_fn(60, 8, |_, _| rng.normal());
    let exact = fit(&leading(Solver::Full, 3), &x);
    for exponent in [-60, -80, -100, -140] {
        let factor = 10f64.powi(exponent);
        let tiny = Mat::from_fn(60, 8, |i, j| factor * x[(i, j)]);
        let pca = fit(&leading(Solver::Power, 3), &tiny);
        for i in 0..3 {
            let is = pca.spectrum().singular_values[i] / factor;
            let wanted = exact.spectrum().singular_values[i];
            assert!(
                (is / wanted - 1.0).abs() < 1e-6,
                "1e{exponent}: {is} for {wanted}"
            );
        }
    }
    // Singular values fall, also where nothing but rounding is left.
    let low = product(
        Mat::from_fn(60, 2, |_, _| rng.normal()).view(),
        Mat::from_fn(2, 9, |_, _| rng.normal()).view(),
    );
    for solver in Solver::ALL.into_iter().filter(|s| *s != Solver::Sketch) {
        let options = PcaOptions {
            n_components: Keep::All,
            ..leading(solver, 9)
        };
        let pca = fit(&options, &low);
        let values = &pca.spectrum().singular_values;
        assert!(
            values.windows(2).all(|w| w[0] >= w[1]),
            "{solver}: {values:?}"
        );
    }
    // A sketch sees no more than there is.
    let flat = Mat::from_fn(1500, 600, |_, _| rng.normal());
    let pca = fit(&leading(Solver::Sketch, 5), &flat);
    assert!(pca.spectrum().total_share() <= 1.0 + 1e-12);
}
