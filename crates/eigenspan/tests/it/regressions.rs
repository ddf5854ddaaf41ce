//! Past bugs. A test is named after the claim that now holds, and its comment says what went wrong.
//!
//! A bug that belongs to a claim of another file has its test there; the others are here.

use eigenspan::method::KernelPcaOptions;
use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use crate::support::{distance, fit, mixed, with_solver};

/// Squares of residuals fell below the smallest number, so that `power` took its random start for a component.
#[test]
fn power_finds_the_components_of_tiny_numbers() {
    let plain = mixed(60, 4, 3);
    let tiny = Mat::from_fn(60, 4, |i, j| plain[(i, j)] * 1e-100);
    let want = fit(&with_solver(Solver::Full), &plain);
    let got = fit(&with_solver(Solver::Power), &tiny);
    for (got, want) in got.components().rows().zip(want.components().rows()) {
        assert!(distance(got, want) < 1e-9, "{got:?} is not {want:?}");
    }
    let shares = [&got, &want].map(|pca| pca.explained_variance_ratio());
    assert!(distance(&shares[0], &shares[1]) < 1e-12, "{shares:?}");
}

/// Where all directions vary alike, `sketch` found more variance than there is: the first share of seed 1 was 1.8.
#[test]
fn a_sketch_never_explains_more_variance_than_there_is() {
    for seed in 1..6 {
        let mut rng = Rng::new(seed);
        let x = Mat::from_fn(60, 400, |_, _| rng.normal());
        let options = PcaOptions {
            n_components: Keep::Count(1),
            ..with_solver(Solver::Sketch)
        };
        let sum: f64 = fit(&options, &x).explained_variance_ratio().iter().sum();
        assert!(sum <= 1.0 + 1e-12, "seed {seed}: {sum}");
    }
}

/// The note said "the last 1 of 3 components mean nothing".
#[test]
fn one_component_that_does_not_vary_means_nothing() {
    let mut rng = Rng::new(8);
    let two = Mat::from_fn(20, 2, |_, _| rng.normal());
    // The third column is the sum of the others.
    let x = Mat::from_fn(20, 3, |i, j| match j {
        2 => two[(i, 0)] + two[(i, 1)],
        _ => two[(i, j)],
    });
    let options = PcaOptions {
        n_components: Keep::Count(3),
        ..with_solver(Solver::Full)
    };
    let notes: Vec<String> = fit(&options, &x)
        .notes()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        notes,
        ["only 2 directions vary by more than rounding, so the last of 3 components means nothing"]
    );
}

/// Most pairs of rows are the same point here, so that the median distance is 0; γ could not be found, and the fit was refused.
#[test]
fn gamma_of_mostly_equal_rows_is_that_of_the_distances_above_zero() {
    // 36 rows at 0 and 4 at 2: two rows that differ lie 2 apart, where the kernel is e^(−1/2) with γ = 1/8.
    let x = Mat::from_fn(40, 1, |i, _| if i % 10 == 0 { 2.0 } else { 0.0 });
    let values = ["rbf(gamma=median)", "rbf(gamma=0.125)"].map(|kernel| {
        let options = KernelPcaOptions {
            n_components: Keep::Count(1),
            kernel: kernel.parse().expect("a kernel"),
            ..Default::default()
        };
        let model = options.fit(&Context::new(), &Dense::new(x.view()));
        model.expect("a fit").eigenvalues()
    });
    assert!(distance(&values[0], &values[1]) < 1e-12, "{values:?}");
}
