//! Kernel PCA by landmarks and by random frequencies, through the options that also ask for the exact fit.

use eigenspan::kernel::Landmarks;
use eigenspan::method::{
    Basis, KernelPca, KernelPcaOptions, KernelPcaParts, PreImageOptions, SpectrumError,
};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::rng::Rng;
use eigenspan::solve::{Approximate, Keep, Solver, Strategy};
use eigenspan::source::{Dense, Sink, Source};
use eigenspan::{Context, Error, Mat, Note};

use super::{asked, fitted, own_scores, projected, waves};
use crate::support::{assert_close, distance};

fn by(approximate: Approximate, m: usize, kernel: &str, k: usize) -> KernelPcaOptions {
    KernelPcaOptions {
        approximate,
        n_landmarks: Some(m),
        ..asked(kernel, k)
    }
}

fn cloud(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, d, |i, j| {
        rng.normal() * 0.7f64.powi(j as i32) + (i % 3) as f64
    })
}

#[test]
fn all_rows_as_landmarks_are_the_exact_fit() {
    let (x, new) = (waves(80, 3, 1), waves(7, 3, 200));
    for kernel in ["rbf(gamma=1)", "poly(degree=2)", "laplacian + 0.2*linear"] {
        for landmarks in [Landmarks::Uniform, Landmarks::KMeans, Landmarks::Leverage] {
            let exact = fitted(&asked(kernel, 4), &x);
            let options = KernelPcaOptions {
                landmarks,
                ..by(Approximate::Nystrom, 80, kernel, 4)
            };
            let near = fitted(&options, &x);
            assert_eq!(near.parts().strategy, Strategy::Nystrom { landmarks: 80 });
            assert_close(&near.eigenvalues(), &exact.eigenvalues(), 1e-8);
            let (a, b) = (near.spectrum().norm, exact.spectrum().norm);
            assert!((a / b - 1.0).abs() < 1e-8, "{kernel}: {a} and {b}");
            // Components point the same way, too.
            let off = distance(
                projected(&near, &new).as_slice(),
                projected(&exact, &new).as_slice(),
            );
            let size = exact.spectrum().singular_values[0];
            assert!(off < 1e-6 * size, "{kernel}, {landmarks:?}: {off:e}");
        }
    }
}

#[test]
fn the_estimate_bounds_the_error_on_twenty_problems() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (n, d) = (40 + rng.below(60), 1 + rng.below(5));
        let x = Mat::from_fn(n, d, |_, _| rng.normal());
        let kernel = [
            "rbf(gamma=0.5)",
            "laplacian",
            "poly(degree=2)",
            "matern(nu=1.5, length=2) + linear",
        ][rng.below(4)];
        let k = 5;
        let exact = fitted(&asked(kernel, k), &x);
        let options = KernelPcaOptions {
            landmarks: [Landmarks::Uniform, Landmarks::KMeans, Landmarks::Leverage][rng.below(3)],
            seed,
            ..by(Approximate::Nystrom, 12, kernel, k)
        };
        let near = fitted(&options, &x);
        let (found, errors) = (
            near.eigenvalues(),
            near.eigenvalue_errors().expect("errors"),
        );
        let size = exact.eigenvalues()[0];
        for (i, value) in exact.eigenvalues().iter().enumerate() {
            let gap = value - found[i];
            let inside = gap > -1e-9 * size && gap <= errors[i] + 1e-9 * size;
            assert!(inside, "{seed}, {kernel}: {gap} against {}", errors[i]);
        }
        // No idle bound: it is less than all there is, and shares count in what is missing of the trace.
        assert!(
            errors[0] < exact.spectrum().norm.powi(2),
            "{seed}, {kernel}"
        );
        let (own, all) = (near.spectrum().norm, exact.spectrum().norm);
        assert!(
            own >= all * (1.0 - 1e-9),
            "{seed}, {kernel}: {own} and {all}"
        );
        for (a, b) in near
            .explained_variance_ratio()
            .iter()
            .zip(exact.explained_variance_ratio())
        {
            assert!(*a <= b + 1e-9, "{seed}, {kernel}: {a} and {b}");
        }
    }
}

#[test]
fn random_frequencies_come_as_near_as_their_standard_errors_say() {
    let x = cloud(150, 3, 4);
    for kernel in [
        "rbf(gamma=0.3)",
        "laplacian(gamma=0.2)",
        "matern(nu=2.5, length=2)",
    ] {
        let exact = fitted(&asked(kernel, 3), &x).eigenvalues();
        let (mut inside, mut all) = (0, 0);
        for seed in 0..20 {
            let options = KernelPcaOptions {
                seed,
                ..by(Approximate::Fourier, 600, kernel, 3)
            };
            let near = fitted(&options, &x);
            assert_eq!(near.parts().strategy, Strategy::Fourier { features: 600 });
            let errors = near.eigenvalue_errors().expect("errors");
            for i in 0..3 {
                let off = (near.eigenvalues()[i] - exact[i]).abs();
                inside += usize::from(off <= errors[i]);
                all += 1;
                // Neither so wide that anything would lie within.
                assert!(
                    errors[i] < 0.75 * exact[i],
                    "{kernel}: {} of {}",
                    errors[i],
                    exact[i]
                );
            }
        }
        assert!(10 * inside >= 9 * all, "{kernel}: {inside} of {all}");
    }
}

#[test]
fn features_in_any_blocks_and_threads_give_the_same_model() {
    let (x, new) = (cloud(3000, 4, 1), cloud(50, 4, 2));
    for approximate in [Approximate::Nystrom, Approximate::Fourier] {
        let mut first: Option<(Vec<f64>, Mat<f64>)> = None;
        for threads in [1, 4] {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let model = by(approximate, 40, "rbf(gamma=0.2)", 3)
                .fit(&ctx, &Dense::new(x.view()))
                .expect("a fit");
            let scores = model
                .transform(&ctx, &Dense::new(new.view()))
                .expect("scores");
            let found = (model.eigenvalues(), scores);
            assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
        }
    }
}

#[test]
fn scores_by_landmarks_are_those_of_the_rows() {
    // The sum of squares of a component's scores is its eigenvalue, and their mean is zero.
    let x = cloud(700, 3, 3);
    for approximate in [Approximate::Nystrom, Approximate::Fourier] {
        let model = fitted(&by(approximate, 60, "rbf(gamma=0.4)", 4), &x);
        assert!(model.scores().is_none());
        let scores = projected(&model, &x);
        for (j, value) in model.eigenvalues().iter().enumerate() {
            let column = scores.col(j);
            let square: f64 = column.iter().map(|x| x * x).sum();
            assert!((square / value - 1.0).abs() < 1e-8, "{approximate:?}, {j}");
            let mean = column.iter().sum::<f64>() / 700.0;
            assert!(mean.abs() < 1e-9, "{approximate:?}, {j}: {mean}");
        }
    }
}

#[test]
fn a_model_holds_only_what_projections_need() {
    let (x, new) = (cloud(300, 3, 5), cloud(20, 3, 6));
    for options in [
        asked("rbf(gamma=0.4)", 3),
        by(Approximate::Nystrom, 30, "rbf(gamma=0.4)", 3),
        by(Approximate::Fourier, 30, "rbf(gamma=0.4)", 3),
    ] {
        let model = fitted(&options, &x);
        let parts = model.parts();
        let size = match &parts.basis {
            Basis::Rows(points) => points.len(),
            Basis::Frequencies(map) => map.frequencies().n_rows(),
            Basis::Given(_) => 0,
        };
        let exact = matches!(parts.strategy, Strategy::Exact { .. });
        assert!(exact || size <= 30, "{size}");
        assert_eq!(parts.spectrum.vectors.as_slice().len(), 0);
        let bare = KernelPca::from_parts(KernelPcaParts {
            scores: None,
            ..parts.clone()
        })
        .expect("a model");
        assert_eq!(projected(&bare, &new), projected(&model, &new));
        let torn = KernelPcaParts {
            offset: vec![0.0],
            ..parts.clone()
        };
        assert!(KernelPca::from_parts(torn).is_err());
    }
}

#[test]
fn the_way_back_from_landmarks_leads_near_the_rows() {
    // Rows on a circle; with landmarks all along it, rows come back from their scores.
    let circle = |n: usize| {
        Mat::from_fn(n, 2, |i, j| {
            let angle = i as f64 * std::f64::consts::TAU / n as f64;
            if j == 0 { angle.cos() } else { angle.sin() }
        })
    };
    let x = circle(400);
    let model = fitted(&by(Approximate::Nystrom, 60, "rbf(gamma=1)", 14), &x);
    let ctx = Context::new();
    let scores = projected(&model, &x);
    let back = model
        .pre_images(&ctx, PreImageOptions::default())
        .expect("a way back");
    let found = back.inverse(&ctx, scores.view(), None).expect("rows");
    let off = distance(found.rows.as_slice(), x.as_slice());
    assert!(off < 0.02, "{off}");
    assert!(found.residuals.iter().all(|r| *r < 0.02));
    let error = fitted(&by(Approximate::Fourier, 60, "rbf(gamma=1)", 8), &x)
        .pre_images(&ctx, PreImageOptions::default())
        .map(|_| ())
        .expect_err("no rows to compare with");
    assert!(
        error.to_string().contains("not by random Fourier features"),
        "{error}"
    );
}

#[test]
fn scaled_rows_are_those_that_were_scaled_by_hand() {
    let x = Mat::from_fn(60, 3, |i, j| waves(60, 3, 1)[(i, j)] * 10f64.powi(j as i32));
    let (n, d) = (60, 3);
    let mean: Vec<f64> = (0..d)
        .map(|j| x.col(j).iter().sum::<f64>() / n as f64)
        .collect();
    let deviation: Vec<f64> = (0..d)
        .map(|j| {
            let squares: f64 = x.col(j).iter().map(|v| (v - mean[j]).powi(2)).sum();
            (squares / (n - 1) as f64).sqrt()
        })
        .collect();
    let by_hand = Mat::from_fn(n, d, |i, j| (x[(i, j)] - mean[j]) / deviation[j]);
    for kernel in ["rbf(gamma=0.3)", "poly(degree=2)"] {
        let options = KernelPcaOptions {
            scale: Scale::Std,
            ..asked(kernel, 3)
        };
        let (scaled, plain) = (fitted(&options, &x), fitted(&asked(kernel, 3), &by_hand));
        assert_close(&scaled.eigenvalues(), &plain.eigenvalues(), 1e-10);
        let off = distance(
            projected(&scaled, &x).as_slice(),
            own_scores(&plain).as_slice(),
        );
        assert!(off < 1e-9, "{kernel}: {off:e}");
    }
    // The way back ends in the units of the data.
    let options = KernelPcaOptions {
        scale: Scale::Std,
        n_components: Keep::All,
        ..asked("rbf(gamma=1)", 1)
    };
    let model = fitted(&options, &x);
    let ctx = Context::new();
    let back = model
        .pre_images(&ctx, PreImageOptions::default())
        .expect("a way back");
    let rows = back
        .inverse(&ctx, own_scores(&model).view(), None)
        .expect("rows")
        .rows;
    assert!(distance(rows.as_slice(), x.as_slice()) < 1e-4);
}

#[test]
fn missing_cells_are_dropped_or_filled_and_noted() {
    let full = waves(30, 3, 1);
    let mut x = full.clone();
    x[(4, 1)] = f64::NAN;
    let with = |missing| KernelPcaOptions {
        missing,
        ..asked("rbf(gamma=0.5)", 2)
    };
    let ctx = Context::new();
    let dropped = fitted(&with(Missing::Drop), &x);
    assert_eq!(dropped.notes(), [Note::DroppedRows { rows: 1 }]);
    let rest = Mat::from_fn(29, 3, |i, j| full[(i + usize::from(i >= 4), j)]);
    assert_eq!(
        dropped.eigenvalues(),
        fitted(&with(Missing::Error), &rest).eigenvalues()
    );
    let filled = fitted(&with(Missing::Mean), &x);
    assert_eq!(filled.notes(), [Note::FilledCells { cells: 1 }]);
    // New rows are filled with the same numbers.
    let mean = rest.col(1).iter().sum::<f64>() / 29.0;
    let mut by_hand = x.clone();
    by_hand[(4, 1)] = mean;
    let off = distance(
        projected(&filled, &x).as_slice(),
        projected(&filled, &by_hand).as_slice(),
    );
    assert!(off < 1e-12, "{off:e}");
    let error = with(Missing::Em)
        .fit(&ctx, &Dense::new(x.view()))
        .expect_err("em");
    assert_eq!(
        error.to_string(),
        "missing = `em` is not known; it takes error, drop or mean: kernel PCA does not predict cells"
    );
}

#[test]
fn what_stands_for_the_kernel_matrix_is_noted() {
    let x = cloud(500, 2, 8);
    let model = fitted(&by(Approximate::Nystrom, 40, "rbf(gamma=1)", 2), &x);
    let Some(SpectrumError::Bound {
        lost,
        norm: Some(norm),
        drawn,
        chance,
        above: Some(above),
    }) = model.parts().error
    else {
        panic!("{:?}", model.parts().error);
    };
    assert_eq!((drawn, chance), (Some(256), Some(0.001)));
    assert!(norm < lost, "{norm} and {lost}");
    let [
        Note::Approximated {
            how,
            size,
            error,
            above: Some(said),
            probed,
        },
    ] = model.notes()
    else {
        panic!("{:?}", model.notes());
    };
    assert_eq!((how.as_str(), *size, *probed), ("nystrom", 40, Some(256)));
    assert!((error - norm / model.eigenvalues()[0]).abs() < 1e-12);
    assert!(*said < 1e-8 && *said == above / model.eigenvalues()[0]);
    let text = model.notes()[0].to_string();
    assert!(
        text.starts_with(
            "approximated by 40 landmarks: eigenvalues lie below the exact ones by at most "
        ) && text.ends_with(
            " of it, by rounding (from 256 rows drawn to check; such a bound holds in 999 of 1,000 draws)"
        ),
        "{text}"
    );
    // Where all rows are looked at there is no chance in it.
    let few = fitted(
        &by(Approximate::Nystrom, 40, "rbf(gamma=1)", 2),
        &cloud(200, 2, 8),
    );
    assert!(few.notes()[0].to_string().ends_with(" of it, by rounding"));
    // Files that were written before know the trace alone.
    let old: SpectrumError =
        serde_json::from_str(r#"{"kind":"bound","lost":2.5}"#).expect("an error");
    assert_eq!(old.of_eigenvalues(2), [2.5, 2.5]);
    let old: SpectrumError =
        serde_json::from_str(r#"{"kind":"estimate","standard_errors":[1.0,0.5]}"#).expect("errors");
    assert_eq!(old.of_eigenvalues(2), [2.0, 1.0]);
}

#[test]
fn the_bound_of_landmarks_is_not_many_times_too_wide() {
    let (n, k) = (700, 10);
    for (d, kernel, m) in [
        (5, "rbf(gamma=0.1)", 60),
        (3, "rbf(gamma=1)", 60),
        (4, "laplacian(gamma=0.2)", 80),
        (3, "matern(nu=1.5, length=1)", 60),
        (6, "poly(degree=3, gamma=0.2)", 50),
    ] {
        let x = cloud(n, d, 3);
        let exact = fitted(&asked(kernel, k), &x).eigenvalues();
        for seed in 0..4 {
            let options = KernelPcaOptions {
                seed,
                landmarks: [Landmarks::Uniform, Landmarks::KMeans][seed as usize % 2],
                ..by(Approximate::Nystrom, m, kernel, k)
            };
            let near = fitted(&options, &x);
            let Some(SpectrumError::Bound { lost, .. }) = near.parts().error else {
                panic!("{:?}", near.parts().error);
            };
            let bound = near.eigenvalue_errors().expect("errors")[0];
            let gaps = exact.iter().zip(near.eigenvalues()).map(|(a, b)| a - b);
            let worst = gaps.fold(0.0f64, f64::max);
            assert!(worst <= bound, "{kernel}, {seed}: {worst} and {bound}");
            assert!(
                bound < 40.0 * worst,
                "{kernel}, {seed}: {worst} and {bound}"
            );
            assert!(bound < 0.5 * lost, "{kernel}, {seed}: {bound} of {lost}");
        }
    }
}

/// How often the exact eigenvalues lie within what random frequencies say of themselves, for ten components each.
#[test]
fn the_exact_eigenvalues_lie_within_the_errors_of_random_frequencies() {
    const DRAWS: u64 = 20;
    for (n, d, kernel, features) in [
        (120, 3, "rbf(gamma=2)", 200),
        (120, 8, "rbf(gamma=2)", 200),
        (120, 3, "rbf(gamma=0.2)", 200),
        (120, 10, "rbf(gamma=0.1)", 300),
        (120, 4, "laplacian(gamma=0.5)", 200),
        (120, 3, "matern(nu=1.5, length=1)", 200),
    ] {
        let x = cloud(n, d, 5);
        let exact = fitted(&asked(kernel, 10), &x).eigenvalues();
        let mut inside = [0; 10];
        for seed in 0..DRAWS {
            let options = KernelPcaOptions {
                seed,
                ..by(Approximate::Fourier, features, kernel, 10)
            };
            let near = fitted(&options, &x);
            let errors = near.eigenvalue_errors().expect("errors");
            for (i, inside) in inside.iter_mut().enumerate() {
                let off = (near.eigenvalues()[i] - exact[i]).abs();
                *inside += usize::from(off <= errors[i]);
            }
        }
        for (i, inside) in inside.iter().enumerate() {
            let share = *inside as f64 / DRAWS as f64;
            assert!(share >= 0.9, "{kernel}, d = {d}, PC{}: {share}", i + 1);
        }
    }
}

/// Rows that are only said to be there: what a plan may look at.
struct Promised(usize, usize);

impl Source<f64> for Promised {
    fn n_cols(&self) -> usize {
        self.1
    }
    fn n_rows(&self) -> Option<usize> {
        Some(self.0)
    }
    fn read_part(&self, _: usize, _: &mut Sink<'_, f64>) -> Result<(), Error> {
        panic!("a plan reads no rows")
    }
}

#[test]
fn a_plan_without_iterations_counts_the_pairs_that_are_found() {
    let plan = |kernel: &str, keep: Keep, n: usize| {
        let options = KernelPcaOptions {
            n_components: keep,
            solver: Solver::Full,
            ..asked(kernel, 1)
        };
        options.plan(&Context::new(), &Promised(n, 50))
    };
    let flops = |kernel: &str, keep, n| plan(kernel, keep, n).expect("a plan").flops;
    let cube = 2000f64.powi(3);
    // A tridiagonal matrix takes 4/3·n³.
    let few = flops("rbf", Keep::Count(10), 2000);
    assert!((4.0 / 3.0 * cube..2.0 * cube).contains(&few), "{few}");
    // More pairs take more, and never more than all.
    let many = flops("rbf", Keep::Count(1000), 2000);
    let all = flops("rbf", Keep::All, 2000);
    assert!(many > 2.0 * few && many <= all && all >= 9.0 * cube);
    // All where some eigenvalues may be negative, and where the matrix is small.
    assert!(flops("tanh", Keep::Count(10), 2000) >= 9.0 * cube);
    assert!(flops("rbf", Keep::Count(2), 100) >= 9e6);
    let bytes = |keep| plan("rbf", keep, 2000).expect("a plan").bytes;
    assert!(bytes(Keep::Count(10)) as f64 >= 4.0 * 8.0 * 2000f64.powi(2));
}

#[test]
fn a_plan_takes_landmarks_where_the_exact_fit_would_not_do_and_says_why() {
    let two_gb = Context::new().with_memory(2_000_000_000);
    let plan = |n, k| {
        asked("rbf", k)
            .plan(&two_gb, &Promised(n, 50))
            .expect("a plan")
    };
    // Stored, computed anew, by landmarks.
    let said = plan(5000, 10).reason;
    assert_eq!(
        said,
        "leading eigenpairs of the 5,000 × 5,000 kernel matrix by products with it"
    );
    let anew = plan(50_000, 10);
    assert_eq!(
        anew.reason,
        "half of the 50,000 × 50,000 kernel matrix would need 5.0 GB even in f32: its tiles are computed again for every product"
    );
    assert!(anew.bytes < 2_000_000_000);
    let many = plan(1_000_000, 10);
    assert!(
        many.reason
            .starts_with("2,000 landmarks stand for 1,000,000 rows: the exact fit would "),
        "{}",
        many.reason
    );
    // One to draw, and three forecast for products.
    assert_eq!(many.passes, 4);
    assert!(many.bytes < 1_000_000_000, "{}", many.bytes);
    // One more reading for leverage scores, one for scales.
    let options = KernelPcaOptions {
        landmarks: Landmarks::Leverage,
        scale: Scale::Std,
        ..asked("rbf", 10)
    };
    assert_eq!(
        options
            .plan(&two_gb, &Promised(1_000_000, 50))
            .expect("a plan")
            .passes,
        6
    );
    // Fewer landmarks where there is little memory, and none for a kernel that may have negative eigenvalues.
    let small = Context::new().with_memory(50_000_000);
    let lean = asked("rbf", 10)
        .plan(&small, &Promised(1_000_000, 50))
        .expect("a plan");
    assert!(
        lean.bytes <= 50_000_000 && lean.reason.contains("landmarks stand for"),
        "{lean:?}"
    );
    let error = asked("tanh", 10)
        .plan(&small, &Promised(1_000_000, 50))
        .expect_err("too many");
    assert!(!error.to_string().contains("nystrom"), "{error}");
}
