//! The text of every error and note that kernel PCA can end in.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use eigenspan::kernel::{Base, Gamma, Kernel};
use eigenspan::method::{KernelPcaOptions, PreImage, PreImageOptions};
use eigenspan::prepare::Scale;
use eigenspan::solve::{Approximate, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat, Note};

use super::{asked, fitted, projected, waves};
use crate::support::assert_said;

#[track_caller]
fn refused(options: &KernelPcaOptions, x: &Mat<f64>) -> Error {
    options
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect_err("a refusal")
}

#[test]
fn parameters_from_rust_are_refused_as_those_from_text() {
    let error = Kernel::base(Base::Rbf {
        gamma: Gamma::Value(f64::NAN),
    })
    .expect_err("NaN");
    let text =
        "gamma = NaN does not fit: rbf takes a number above 0, auto (1 ÷ columns), scale or median";
    assert_said(&error, text, None);
    let error = Kernel::base(Base::Chi2 {
        gamma: Gamma::Sigma(1.0),
    })
    .expect_err("sigma");
    let text = "sigma = 1 does not fit: chi2 takes no width; its factor is gamma, and only rbf takes sigma";
    assert_said(&error, text, None);
    let error = Kernel::default()
        .times(-1.0)
        .expect_err("a negative multiple");
    assert_said(
        &error,
        "factor = -1 does not fit: a multiple takes a number above 0",
        None,
    );
    let options = KernelPcaOptions {
        gamma: Some(Gamma::Median),
        ..asked("poly", 1)
    };
    let text = "gamma = median does not fit: poly takes a number above 0, auto (1 ÷ columns) or scale: the kernel is not a function of distances";
    assert_said(&refused(&options, &waves(5, 2, 1)), text, None);
}

#[test]
fn rows_that_a_kernel_is_not_defined_for_are_named() {
    let mut x = waves(6, 3, 1);
    x[(3, 1)] = -0.5;
    let text = "row 4: column 2 is -0.5, but chi2 compares counts and shares, which are at least 0";
    let hint = Some("kernel = rbf: compares rows of any sign");
    assert_said(&refused(&asked("linear*chi2", 1), &x), text, hint);
    // New rows count from where they stand.
    let model = fitted(&asked("chi2", 1), &waves(6, 3, 1));
    let error = model
        .transform(&Context::new(), &Dense::new(x.view()))
        .expect_err("a refusal");
    assert_said(&error, text, hint);
    let below = refused(
        &asked("normalize(tanh(gamma=1, coef0=-3))", 1),
        &waves(6, 1, 1),
    );
    let said = below.to_string();
    assert!(
        said.starts_with("row ")
            && said
                .ends_with("is negative for tanh(gamma=1, coef0=-3), so it cannot be normalized"),
        "{said}"
    );
    let own = KernelPcaOptions {
        kernel: Kernel::default().weighted("log", |row| row[0].ln()),
        ..Default::default()
    };
    x[(2, 0)] = 0.0;
    assert_said(
        &refused(&own, &x),
        "row 3: log gives -inf, which is not a finite number",
        None,
    );
}

#[test]
fn a_precomputed_matrix_is_square_and_symmetric_and_alone() {
    let options = asked("precomputed", 1);
    let text = "a precomputed kernel matrix has as many rows as columns, but 5 × 3 were given";
    assert_said(&refused(&options, &waves(5, 3, 1)), text, None);
    let mut k = Mat::from_fn(4, 4, |i, j| if i == j { 2.0 } else { 1.0 });
    k[(1, 3)] = 1.25;
    k[(2, 0)] = 1.125;
    let text = "a precomputed kernel matrix is symmetric, but row 4, column 2 differs from row 2, column 4 by 2.5e-1, more than elsewhere";
    assert_said(&refused(&options, &k), text, None);
    let text = "kernel = precomputed + linear does not fit: precomputed takes no other kernel beside it, because its rows are rows of the kernel matrix";
    assert_said(&refused(&asked("precomputed + linear", 1), &k), text, None);
}

#[test]
fn what_no_rows_can_satisfy_is_refused_before_they_are_read() {
    let x = waves(8, 2, 1);
    let with = |n_components| KernelPcaOptions {
        n_components,
        ..Default::default()
    };
    let said = refused(&with(Keep::Count(9)), &x).to_string();
    assert_eq!(said, "9 components asked for, but 8 rows allow at most 8");
    let options = KernelPcaOptions {
        solver: Solver::Qr,
        ..asked("rbf", 1)
    };
    let said = refused(&options, &x).to_string();
    assert_eq!(
        said,
        "solver = `qr` is not known; it takes auto, full, lanczos or randomized where a kernel matrix is decomposed"
    );
    let said = refused(&asked("rbf", 1), &waves(1, 2, 1)).to_string();
    assert_eq!(said, "1 row is too few: a variance needs at least 2 rows");
    let weights = [1.0; 8];
    let weighted = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let error = asked("rbf", 1)
        .fit(&Context::new(), &weighted)
        .expect_err("weights");
    assert_eq!(
        error.to_string(),
        "row weights must be finite, at least 0 and not all 0: kernel PCA takes none; every row counts once"
    );
}

#[test]
fn bad_cells_are_counted_in_training_and_in_new_rows() {
    let mut x = waves(9, 2, 1);
    let model = fitted(&asked("rbf", 2), &x);
    x[(4, 1)] = f64::NAN;
    let text = "1 cell is not a finite number (1 NaN, 0 infinite); the first is row 5, column 2";
    assert_eq!(refused(&asked("rbf", 2), &x).to_string(), text);
    let error = model
        .transform(&Context::new(), &Dense::new(x.view()))
        .expect_err("NaN");
    assert_eq!(error.to_string(), text);
    let error = model
        .transform(&Context::new(), &Dense::new(waves(3, 4, 1).view()))
        .expect_err("another width");
    assert_eq!(error.to_string(), "4 columns given, but 2 expected");
}

#[test]
fn what_exceeds_the_memory_is_refused_with_what_would_help() {
    let x = waves(2000, 2, 1);
    let ctx = Context::new().with_memory(50_000_000);
    let exact = |n_components| KernelPcaOptions {
        n_components,
        approximate: Approximate::None,
        ..Default::default()
    };
    let error = exact(Keep::All)
        .fit(&ctx, &Dense::new(x.view()))
        .expect_err("too large");
    assert_eq!(
        error.to_string(),
        "decomposing the 2,000 × 2,000 kernel matrix (what would fit: up to 152 components, or approximate = `nystrom` with up to 635 landmarks) needs 151 MB, but only 50 MB may be used"
    );
    // What is said to fit does.
    let most = exact(Keep::Count(152)).plan(&ctx, &Dense::new(x.view()));
    assert!(most.is_ok_and(|plan| plan.bytes <= 50_000_000));
    let landmarks = |m| KernelPcaOptions {
        approximate: Approximate::Nystrom,
        n_landmarks: Some(m),
        ..Default::default()
    };
    assert!(landmarks(635).plan(&ctx, &Dense::new(x.view())).is_ok());
    let error = landmarks(636)
        .plan(&ctx, &Dense::new(x.view()))
        .expect_err("one more");
    let said = error.to_string();
    assert!(
        said.starts_with("636 landmarks (what would fit: up to 635) needs "),
        "{said}"
    );
    let plan = asked("rbf", 2)
        .plan(&ctx, &Dense::new(x.view()))
        .expect("a plan");
    assert_eq!(
        (plan.solver, plan.bytes < 50_000_000),
        (Solver::Lanczos, true)
    );
    // All eigenpairs would show every negative one; where they do not fit, the leading ones have to do.
    let plan = asked("tanh", 2).plan(&ctx, &Dense::new(x.view()));
    assert_eq!(plan.expect("a plan").solver, Solver::Lanczos);
    let lean = Context::new().with_memory(20_000_000);
    let plan = asked("rbf", 2)
        .plan(&lean, &Dense::new(x.view()))
        .expect("a plan");
    assert_eq!(
        plan.reason,
        "half of the 2,000 × 2,000 kernel matrix would need 18 MB: it is stored in f32, and residuals are measured in f64"
    );
}

#[test]
fn what_landmarks_and_features_cannot_do_is_refused() {
    let x = waves(40, 2, 1);
    let said = |options: &KernelPcaOptions| refused(options, &x).to_string();
    let by = |approximate, m, kernel: &str| KernelPcaOptions {
        approximate,
        n_landmarks: Some(m),
        ..asked(kernel, 5)
    };
    assert_eq!(
        said(&by(Approximate::Nystrom, 4, "rbf")),
        "5 components were asked for, but 4 landmarks have no more than 4"
    );
    assert_eq!(
        said(&by(Approximate::Auto, 9, "tanh")),
        "kernel = tanh(coef0=1) does not fit: nystrom takes kernels that are positive semi-definite by construction"
    );
    assert_eq!(
        said(&by(Approximate::Fourier, 10, "rbf + linear")),
        "kernel = rbf + linear does not fit: fourier takes rbf, laplacian or matern alone"
    );
    assert_eq!(
        said(&by(Approximate::None, 10, "rbf")),
        "a number of landmarks is given, but approximate = `none` uses all rows"
    );
    assert_eq!(
        said(&by(Approximate::Nystrom, 0, "rbf")),
        "n_landmarks = `0` is not known; it takes a whole number from 1 on"
    );
    let options = KernelPcaOptions {
        solver: Solver::Lanczos,
        ..by(Approximate::Nystrom, 10, "rbf")
    };
    assert_eq!(
        said(&options),
        "solver = `lanczos` is not known; it takes auto, covariance or randomized where features are decomposed"
    );
    for (kernel, why) in [
        (
            "chi2",
            "the kernel chi2 compares counts and shares, which cannot be scaled",
        ),
        (
            "precomputed",
            "the kernel precomputed compares rows of a kernel matrix, which cannot be scaled",
        ),
    ] {
        let options = KernelPcaOptions {
            scale: Scale::Std,
            ..asked(kernel, 1)
        };
        assert_eq!(said(&options), why);
    }
    // A bad cell is found by landmarks, too.
    let mut bad = waves(40, 2, 1);
    bad[(17, 1)] = f64::NAN;
    let error = refused(&by(Approximate::Nystrom, 10, "rbf"), &bad);
    assert_said(
        &error,
        "1 cell is not a finite number (1 NaN, 0 infinite); the first is row 18, column 2",
        Some("missing = mean: fills them with their column's mean; `drop` leaves those rows out"),
    );
}

#[test]
fn a_fit_stops_when_it_is_told_to() {
    let ctx = Context::new().with_stop(Arc::new(AtomicBool::new(true)));
    let x = waves(50, 2, 1);
    let error = asked("rbf", 1)
        .fit(&ctx, &Dense::new(x.view()))
        .expect_err("stopped");
    assert_eq!(error.to_string(), "interrupted");
}

#[test]
fn fewer_directions_than_components_are_noted_and_have_no_scores() {
    let x = waves(20, 2, 1);
    let model = fitted(&asked("linear", 4), &x);
    assert_eq!(model.notes(), [Note::RankBelowK { rank: 2, k: 4 }]);
    let scores = projected(&model, &x);
    assert!(scores.rows().all(|row| row[2] == 0.0 && row[3] == 0.0));
    // Rows that are all alike have nothing to show, and say so.
    let same = Mat::from_fn(5, 2, |_, j| j as f64);
    let model = fitted(&asked("rbf", 1), &same);
    assert_eq!(model.notes(), [Note::RankBelowK { rank: 0, k: 1 }]);
    let text =
        "gamma = median does not fit: rbf takes a number above 0, because all rows are equal";
    assert_said(&refused(&asked("rbf(gamma=median)", 1), &same), text, None);
}

#[test]
fn a_way_back_that_a_kernel_does_not_have_is_refused() {
    let x = waves(12, 3, 1);
    let ctx = Context::new();
    let ask = |kernel: &str, method| {
        let model = fitted(&asked(kernel, 2), &x);
        let options = PreImageOptions {
            method,
            ..Default::default()
        };
        model
            .pre_images(&ctx, options)
            .map(|_| ())
            .expect_err(kernel)
    };
    let auto = Some("pre_image = auto: takes a way that the kernel has, if there is one");
    assert_said(
        &ask("linear", PreImage::FixedPoint),
        "pre-image `fixed-point` does not work for the kernel linear; it takes rbf alone",
        auto,
    );
    assert_said(
        &ask("poly(gamma=1)", PreImage::Distances),
        "pre-image `distances` does not work for the kernel poly(degree=3, gamma=1, coef0=1); it takes rbf, rational_quadratic, matern(nu=0.5) or linear, alone",
        auto,
    );
    assert_said(
        &ask("chi2(gamma=1)", PreImage::Auto),
        "pre-image `ridge` does not work for the kernel chi2(gamma=1); it takes kernels of rows of any width: not precomputed, chi2 or functions of your own",
        None,
    );
    let model = fitted(&asked("rbf", 2), &x);
    for (options, text) in [
        (
            PreImageOptions {
                method: PreImage::Ridge,
                alpha: 0.0,
                ..Default::default()
            },
            "alpha = `0` is not known; it takes a number above 0",
        ),
        (
            PreImageOptions {
                method: PreImage::Distances,
                n_neighbors: 1,
                ..Default::default()
            },
            "n_neighbors = `1` is not known; it takes a whole number from 2 on",
        ),
    ] {
        let error = model.pre_images(&ctx, options).map(|_| ()).expect_err(text);
        assert_eq!(error.to_string(), text);
    }
    let back = model
        .pre_images(&ctx, PreImageOptions::default())
        .expect("a way back");
    let error = back
        .inverse(&ctx, waves(2, 3, 1).view(), None)
        .expect_err("three scores");
    assert_eq!(error.to_string(), "3 columns given, but 2 expected");
}
