//! The leading components of features of landmarks by products, beside those of their scatter and those of the kernel matrix.

use eigenspan::kernel::Landmarks;
use eigenspan::method::{KernelPcaOptions, SpectrumError};
use eigenspan::rng::Rng;
use eigenspan::solve::{Approximate, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};

use super::{asked, fitted, projected};

const K: usize = 4;

fn by(solver: Solver, kernel: &str, m: usize) -> KernelPcaOptions {
    KernelPcaOptions {
        approximate: Approximate::Nystrom,
        n_landmarks: Some(m),
        solver,
        ..asked(kernel, K)
    }
}

/// Tables whose spectra fall fast or slowly, with rows that repeat, and with groups.
fn tables(n: usize) -> Vec<(&'static str, Mat<f64>, &'static str)> {
    let mut rng = Rng::new(4);
    let falling = Mat::from_fn(n, 5, |_, j| rng.normal() * 0.6f64.powi(j as i32));
    let flat = Mat::from_fn(n, 8, |_, _| rng.normal());
    let repeated = Mat::from_fn(n, 5, |i, j| falling[(i % (n / 3), j)]);
    let middles = Mat::from_fn(6, 4, |_, _| 4.0 * rng.normal());
    let groups = Mat::from_fn(n, 4, |i, j| middles[(i % 6, j)] + rng.normal());
    vec![
        ("falling", falling, "rbf(gamma=0.5)"),
        ("flat", flat, "rbf(gamma=0.1)"),
        ("repeated", repeated, "laplacian(gamma=0.3)"),
        ("groups", groups, "rbf(gamma=0.1)"),
    ]
}

#[test]
fn products_find_what_the_scatter_of_the_features_has() {
    for (name, x, kernel) in tables(3000) {
        let near = fitted(&by(Solver::Randomized, kernel, 200), &x);
        let whole = fitted(&by(Solver::Covariance, kernel, 200), &x);
        assert_eq!(near.parts().plan.solver, Solver::Randomized, "{name}");
        let first = whole.eigenvalues()[0];
        for (i, value) in whole.eigenvalues().iter().enumerate() {
            let off = value - near.eigenvalues()[i];
            let residual = near.spectrum().residuals[i] * near.eigenvalues()[i];
            assert!(
                off > -1e-9 * first && off <= residual + 1e-9 * first,
                "{name}, PC{}: {off:e} with residual {residual:e}",
                i + 1
            );
        }
        let (a, b) = (near.spectrum().norm, whole.spectrum().norm);
        assert!((a / b - 1.0).abs() < 1e-9, "{name}: {a} and {b}");
        // Neither bound is many times the other.
        let (a, b) = (
            near.eigenvalue_errors().expect("errors")[0],
            whole.eigenvalue_errors().expect("errors")[0],
        );
        assert!(a < 3.0 * b && b < 3.0 * a, "{name}: {a} and {b}");
    }
}

#[test]
fn exact_eigenvalues_lie_within_the_bound_of_products() {
    for (name, x, kernel) in tables(900) {
        let exact = fitted(&asked(kernel, K), &x).eigenvalues();
        for seed in 0..4 {
            let options = KernelPcaOptions {
                seed,
                landmarks: [Landmarks::Uniform, Landmarks::KMeans][seed as usize % 2],
                ..by(Solver::Randomized, kernel, 150)
            };
            let model = fitted(&options, &x);
            let Some(SpectrumError::Bound {
                norm: Some(norm),
                above: Some(above),
                lost,
                chance,
                ..
            }) = model.parts().error
            else {
                panic!("{:?}", model.parts().error);
            };
            assert_eq!(chance, Some(0.001), "{name}");
            let rounding = 1e-11 * exact[0];
            for (found, exact) in model.eigenvalues().iter().zip(&exact) {
                assert!(
                    *exact <= found + norm + rounding && *exact >= found - above - rounding,
                    "{name}, {seed}: {found} for {exact}, within {norm:e} and {above:e}"
                );
            }
            // The trace that landmarks miss, counted row by row.
            let whole = KernelPcaOptions {
                solver: Solver::Covariance,
                ..options
            };
            let Some(SpectrumError::Bound { lost: counted, .. }) = fitted(&whole, &x).parts().error
            else {
                panic!("no bound");
            };
            assert!(
                lost >= counted * (1.0 - 1e-9) && lost < 2.0 * counted,
                "{name}, {seed}: {lost} for {counted}"
            );
        }
    }
}

#[test]
fn a_tolerance_that_is_asked_for_is_reached() {
    for (name, x, kernel) in tables(3000) {
        let options = KernelPcaOptions {
            tolerance: Some(1e-7),
            ..by(Solver::Randomized, kernel, 200)
        };
        let residuals = fitted(&options, &x).spectrum().residuals.clone();
        assert!(
            residuals.iter().all(|r| *r <= 1e-7),
            "{name}: {residuals:?}"
        );
    }
}

#[test]
fn products_have_the_same_bits_for_any_number_of_threads() {
    let (_, x, kernel) = tables(3000).swap_remove(0);
    let new = Mat::from_fn(20, 5, |i, j| x[(7 * i, j)] + 0.1);
    let mut first = None;
    for threads in [1, 2, 8] {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let model = by(Solver::Randomized, kernel, 200)
            .fit(&ctx, &Dense::new(x.view()))
            .expect("a fit");
        let found = (
            model.eigenvalues(),
            model.parts().error.clone(),
            model.spectrum().residuals.clone(),
            projected(&model, &new),
        );
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
    }
}
