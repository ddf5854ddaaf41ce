//! Varimax, promax and oblimin: numbers of R and SPSS, and laws.

use eigenspan::interpret::{Columns, RotateOptions, Rotated, Rotation, RowOptions, row_facts};
use eigenspan::linalg::{orthonormalize_rows, product, times_transposed};
use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use super::{decathlon, like_factominer};
use crate::support::{assert_close, distance, fit, mixed};

const PROMAX: Rotation = Rotation::Promax { kappa: 4.0 };
const OBLIMIN: Rotation = Rotation::Oblimin { gamma: 0.0 };

fn matrix(n_cols: usize, cells: &[f64]) -> Mat<f64> {
    Mat::from_vec(cells.len() / n_cols, n_cols, cells.to_vec()).expect("a matrix")
}

/// Two factors of R's `ability.cov` (factanal), as the tests of the R package GPArotation have them by `tandemI`: any rotation of
/// the same factors is as good a start, and this one is far from all that are tested.
fn ability() -> Mat<f64> {
    matrix(
        2,
        &[
            0.6154244807800,
            0.4074649925368,
            0.3008943063489,
            0.5658002819055,
            0.4064552334673,
            0.7852483408306,
            0.2177851790750,
            0.4279590047675,
            0.9719771294651,
            -0.0530960591068,
            0.8158003764502,
            0.0295946184148,
        ],
    )
}

fn rotate(rotation: Rotation, kaiser: bool, loadings: &Mat<f64>) -> Rotated {
    let options = RotateOptions {
        rotation,
        kaiser,
        ..Default::default()
    };
    options.rotate(loadings).expect("a rotation")
}

/// The largest difference of tables whose columns may come in another order and with other signs.
fn apart(got: &Mat<f64>, want: &Mat<f64>) -> f64 {
    let columns = (0..want.n_cols()).map(|c| {
        let want = want.col(c);
        let best = (0..got.n_cols()).map(|b| {
            let got = got.col(b);
            let turned: Vec<f64> = got.iter().map(|x| -x).collect();
            distance(&got, &want).min(distance(&turned, &want))
        });
        best.fold(f64::INFINITY, f64::min)
    });
    columns.fold(0.0, f64::max)
}

/// `Varimax(L, eps=1e-8)` in the tests of GPArotation.
#[test]
fn varimax_is_that_of_r() {
    let want = [
        0.5158665239628,
        0.5278794759610,
        0.1750546342789,
        0.6164602319817,
        0.2320577484795,
        0.8532115886231,
        0.1228224683980,
        0.4642132432869,
        0.9613763764180,
        0.1526898639770,
        0.7912928008698,
        0.2006534299410,
    ];
    let got = rotate(Rotation::Varimax, false, &ability());
    assert!(apart(&got.pattern, &matrix(2, &want)) < 1e-7);
}

/// `oblimin(L, eps=1e-8)` in the tests of GPArotation.
#[test]
fn oblimin_is_that_of_r() {
    let want = [
        0.3863615904741,
        0.4745127741496,
        -0.0110059418769,
        0.6458720769634,
        -0.0262926272351,
        0.8961141105685,
        -0.0180200526811,
        0.4882928281695,
        0.9900944939102,
        -0.0370718282544,
        0.7905657274265,
        0.0526109550055,
    ];
    let got = rotate(OBLIMIN, false, &ability());
    assert!(apart(&got.pattern, &matrix(2, &want)) < 1e-6);
    assert!(got.notes.is_empty());
}

/// By numpy from the definitions (varimax by 5000 steps of the singular value decomposition, `numpy.linalg.lstsq` for the
/// target), which prints what `factanal(factors = 2, covmat = ability.cov, rotation = "promax")` does to its three digits.
#[test]
fn promax_is_that_of_the_definition() {
    let want = [
        0.3645353404,
        0.4700732581,
        -0.0574968517,
        0.6710822190,
        -0.0911409090,
        0.9317335030,
        -0.0534713441,
        0.5079168281,
        1.0236923686,
        -0.0961160982,
        0.8115188390,
        0.0085929844,
    ];
    let got = rotate(PROMAX, true, &ability());
    assert!(apart(&got.pattern, &matrix(2, &want)) < 1e-8);
    assert!((got.phi[(0, 1)] - 0.5570786839).abs() < 1e-8);
    let plain = rotate(PROMAX, false, &ability());
    assert!((plain.phi[(0, 1)] - 0.5580150683).abs() < 1e-8);
}

/// SPSS's example of a direct oblimin with Kaiser's normalization, as GPArotation's tests quote it: pattern and structure.
#[test]
fn oblimin_with_kaiser_is_that_of_spss() {
    let loadings = [
        0.758, 0.413, 1.164e-3, 0.693, 0.489, -0.199, 0.362, 0.656, -0.204, 0.826, 6.589e-2, 0.235,
        0.540, -0.510, 0.441, 0.654, -0.335, 0.507, -0.349, 0.539, 0.669, -0.580, 0.450, 0.551,
    ];
    let pattern = [
        0.241, 0.787, -1.36e-2, 1.783e-2, 0.848, -0.119, -0.240, 0.779, 6.824e-2, 0.608, 0.507,
        -2.52e-2, 0.858, -0.163, -7.26e-2, 0.896, 3.050e-2, 3.954e-2, 9.405e-2, 7.397e-2, 0.949,
        -8.61e-2, -0.113, 0.875,
    ];
    let structure = [
        0.379, 0.829, -0.146, 0.191, 0.862, -0.203, -0.123, 0.731, 0.051, 0.701, 0.613, -0.218,
        0.847, -0.010, -0.261, 0.891, 0.180, -0.176, -0.118, 0.000, 0.919, -0.313, -0.211, 0.906,
    ];
    let got = rotate(OBLIMIN, true, &matrix(3, &loadings));
    assert!(apart(&got.pattern, &matrix(3, &pattern)) < 3e-3);
    assert!(apart(&got.structure, &matrix(3, &structure)) < 4e-3);
}

/// The first three components of the decathlon, by numpy as above.
#[test]
fn varimax_of_the_decathlon_is_that_of_the_definition() {
    let got = rotate(Rotation::Varimax, true, &decathlon_loadings(3));
    let want = [2.7625826256, 2.2297721675, 1.4215984502];
    assert_close(&got.variances, &want, 1e-9);
    let first = [
        0.7643642541,
        0.8251779850,
        0.1744539375,
        0.2387421445,
        0.8559352750,
        0.7516745789,
        0.1216202107,
        0.2358516135,
        0.0021963580,
        0.2047365797,
    ];
    let sizes: Vec<f64> = got.pattern.col(0).iter().map(|x| x.abs()).collect();
    assert!(distance(&sizes, &first) < 1e-8);
}

fn decathlon_loadings(k: usize) -> Mat<f64> {
    let columns = Columns::from_pca(&like_factominer(&decathlon()), None).expect("columns");
    Mat::from_fn(10, k, |j, c| columns.loadings[(j, c)])
}

#[test]
fn what_components_explain_together_stays_the_same() {
    let loadings = decathlon_loadings(4);
    let before = times_transposed(loadings.view(), loadings.view());
    for rotation in [
        Rotation::Varimax,
        PROMAX,
        OBLIMIN,
        Rotation::Oblimin { gamma: -2.0 },
    ] {
        for kaiser in [false, true] {
            let got = rotate(rotation, kaiser, &loadings);
            assert!(got.notes.is_empty(), "{rotation:?}: {:?}", got.notes);
            // P Φ Pᵀ = A Aᵀ, Φ = TᵀT with unit diagonal, structure = P Φ.
            let after = times_transposed(got.structure.view(), got.pattern.view());
            assert!(distance(after.as_slice(), before.as_slice()) < 1e-12);
            let phi = product(got.rotation.view().transposed(), got.rotation.view());
            assert!(distance(phi.as_slice(), got.phi.as_slice()) < 1e-13);
            let total: f64 = (0..10).map(|j| before[(j, j)]).sum();
            assert!((got.variances.iter().sum::<f64>() - total).abs() < 1e-12);
            assert!(got.variances.windows(2).all(|pair| pair[0] >= pair[1]));
            // A = P Tᵀ.
            let back = times_transposed(got.pattern.view(), got.rotation.view());
            assert!(distance(back.as_slice(), loadings.as_slice()) < 1e-12);
            if rotation == Rotation::Varimax {
                let identity = Mat::from_fn(4, 4, |i, j| f64::from(i == j));
                assert!(distance(got.phi.as_slice(), identity.as_slice()) < 1e-14);
            }
        }
    }
}

/// Sum over components of the variance of squared loadings.
fn varimax_criterion(pattern: &Mat<f64>) -> f64 {
    let d = pattern.n_rows() as f64;
    let of = |c: usize| {
        let squares: Vec<f64> = pattern.col(c).iter().map(|x| x * x).collect();
        let mean = squares.iter().sum::<f64>() / d;
        squares.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    (0..pattern.n_cols()).map(of).sum()
}

/// Overlap of squared loadings.
fn quartimin_criterion(pattern: &Mat<f64>) -> f64 {
    let of = |row: &[f64]| {
        let squares: f64 = row.iter().map(|x| x * x).sum();
        let fourth: f64 = row.iter().map(|x| x.powi(4)).sum();
        (squares * squares - fourth) / 4.0
    };
    pattern.rows().map(of).sum()
}

#[test]
fn no_random_rotation_is_simpler() {
    let loadings = decathlon_loadings(3);
    let varimax = varimax_criterion(&rotate(Rotation::Varimax, false, &loadings).pattern);
    let oblimin = quartimin_criterion(&rotate(OBLIMIN, false, &loadings).pattern);
    let mut rng = Rng::new(1);
    for _ in 0..1000 {
        let mut turn = Mat::from_fn(3, 3, |_, _| rng.normal());
        orthonormalize_rows(&mut turn);
        let turned = product(loadings.view(), turn.view());
        assert!(varimax_criterion(&turned) <= varimax * (1.0 + 1e-12));
        assert!(quartimin_criterion(&turned) >= oblimin);
    }
    assert!(varimax > varimax_criterion(&loadings));
}

#[test]
fn the_start_does_not_matter() {
    let loadings = decathlon_loadings(3);
    let mut rng = Rng::new(2);
    for rotation in [Rotation::Varimax, PROMAX, OBLIMIN] {
        let want = rotate(rotation, true, &loadings);
        for _ in 0..5 {
            let mut turn = Mat::from_fn(3, 3, |_, _| rng.normal());
            orthonormalize_rows(&mut turn);
            let turned = product(loadings.view(), turn.view());
            let got = rotate(rotation, true, &turned);
            assert!(distance(got.pattern.as_slice(), want.pattern.as_slice()) < 1e-6);
        }
    }
}

#[test]
fn units_of_the_data_do_not_matter() {
    let loadings = decathlon_loadings(3);
    for rotation in [Rotation::Varimax, PROMAX, OBLIMIN] {
        let want = rotate(rotation, false, &loadings).phi;
        for unit in [1e-60, 1e60] {
            let scaled = Mat::from_fn(10, 3, |j, c| unit * loadings[(j, c)]);
            let got = rotate(rotation, false, &scaled).phi;
            assert!(
                distance(got.as_slice(), want.as_slice()) < 1e-7,
                "{rotation:?}"
            );
        }
    }
}

#[test]
fn rotated_scores_rebuild_the_rows_and_have_the_correlations_they_say() {
    let x = mixed(80, 6, 3);
    let pca = fit(&PcaOptions::default(), &x);
    let columns = Columns::from_pca(&pca, None).expect("columns");
    let loadings = Mat::from_fn(6, 3, |j, c| columns.loadings[(j, c)]);
    let options = RowOptions {
        n_components: Some(3),
        n_scores: None,
    };
    let rows = Dense::new(x.view());
    let facts = row_facts(&Context::new(), &pca, &rows, None, &options).expect("facts");
    let got = rotate(OBLIMIN, true, &loadings);
    let scores = got.scores(&pca, facts.scores.view()).expect("scores");
    let gram = product(scores.view().transposed(), scores.view());
    let covariance: Vec<f64> = gram.as_slice().iter().map(|x| x / 79.0).collect();
    assert!(distance(&covariance, got.phi.as_slice()) < 1e-12);
    // F Pᵀ = T_k V_kᵀ: the same three-dimensional picture of the rows.
    let rebuilt = times_transposed(scores.view(), got.pattern.view());
    let v = Mat::from_fn(6, 3, |j, c| columns.components[(j, c)]);
    let want = times_transposed(facts.scores.view(), v.view());
    assert!(distance(rebuilt.as_slice(), want.as_slice()) < 1e-11);
    let narrow = Mat::zeros(2, 2);
    assert!(got.scores(&pca, narrow.view()).is_err());
}

#[test]
fn one_component_stays_and_none_is_refused() {
    let one = matrix(1, &[0.1, -0.9, 0.3]);
    for rotation in [Rotation::Varimax, PROMAX, OBLIMIN] {
        let got = rotate(rotation, true, &one);
        assert_eq!(got.pattern.as_slice(), [-0.1, 0.9, -0.3]);
        assert_eq!(got.rotation.as_slice(), [-1.0]);
    }
    let options = RotateOptions::default();
    let silent = matrix(2, &[0.1, 0.0, -0.9, 0.0, 0.3, 0.0]);
    let said = |loadings: &Mat<f64>, options: &RotateOptions| {
        let error = options.rotate(loadings).expect_err("refused");
        error.to_string()
    };
    assert_eq!(
        said(&silent, &options),
        "component 2 has no variance and cannot be rotated: leave it out"
    );
    let with = |rotation| RotateOptions {
        rotation,
        ..Default::default()
    };
    assert_eq!(
        said(&one, &with(Rotation::Promax { kappa: 1.0 })),
        "kappa = `1` is not known; it takes a number above 1, such as 4"
    );
    assert_eq!(
        said(&one, &with(Rotation::Oblimin { gamma: 1.0 })),
        "gamma = `1` is not known; it takes a number of at most 0.8, such as 0"
    );
    assert_eq!(
        said(&matrix(1, &[f64::NAN]), &options),
        "some loadings are not finite"
    );
}

#[test]
fn a_column_without_loadings_takes_no_part() {
    let mut loadings = decathlon_loadings(3);
    let want = rotate(Rotation::Varimax, true, &loadings).pattern;
    let cells = std::mem::take(&mut loadings).into_vec();
    let padded = matrix(3, &[&cells[..], &[0.0; 3]].concat());
    for rotation in [Rotation::Varimax, PROMAX, OBLIMIN] {
        let got = rotate(rotation, true, &padded).pattern;
        assert!(got.as_slice().iter().all(|x| x.is_finite()));
        assert_eq!(got.row(10), [0.0; 3]);
        if rotation == Rotation::Varimax {
            // One more row of zeros changes the mean that squares are held against, and little else.
            assert!(distance(&got.as_slice()[..30], want.as_slice()) < 0.2);
        }
    }
}

#[test]
fn a_rotation_that_is_cut_short_says_so() {
    let options = RotateOptions {
        rotation: OBLIMIN,
        kaiser: true,
        max_iterations: 1,
    };
    let got = options.rotate(&decathlon_loadings(4)).expect("a rotation");
    let note = got.notes.first().expect("a note");
    let text = note.to_string();
    assert!(
        text.starts_with("oblimin stopped after 1 iterations with residual "),
        "{text}"
    );
    assert!(note.hint().is_none());
    // What it is left with is still a rotation.
    let back = times_transposed(got.pattern.view(), got.rotation.view());
    assert!(distance(back.as_slice(), decathlon_loadings(4).as_slice()) < 1e-12);
}
