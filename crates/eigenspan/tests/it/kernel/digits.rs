//! Digits that centering would cancel: rows far from zero, kernels so wide that all their values are nearly 1, and what sums
//! and products make of them. Each case of `digits.txt` has its answers in 80-digit decimals (eigenvalues of the centered
//! kernel matrix by Jacobi's method, and the scores of new rows), those named `kpca_…` in 110 digits.

use eigenspan::kernel::{Gram, ResolvedKernel};
use eigenspan::method::{KernelPca, KernelPcaOptions, PreImage, PreImageOptions};
use eigenspan::solve::{Approximate, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};

use super::{asked, fitted, own_scores, projected};
use crate::support::distance;

const CASES: &str = include_str!("digits.txt");

/// Rows, and what is known about them.
struct Case {
    name: &'static str,
    kernel: &'static str,
    rows: Vec<Vec<f64>>,
    new: Vec<Vec<f64>>,
    eigenvalues: Vec<f64>,
    scores: Vec<Vec<f64>>,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in CASES.lines() {
        let (word, rest) = line.split_once(' ').expect("a word and what it says");
        if word == "case" {
            cases.push(Case {
                name: rest,
                kernel: "",
                rows: Vec::new(),
                new: Vec::new(),
                eigenvalues: Vec::new(),
                scores: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().expect("a case");
        let numbers = || -> Vec<f64> {
            let parts = rest.split(' ');
            parts.map(|x| x.parse().expect("a number")).collect()
        };
        match word {
            "kernel" => case.kernel = rest,
            "row" => case.rows.push(numbers()),
            "new" => case.new.push(numbers()),
            "eigenvalues" => case.eigenvalues = numbers(),
            "scores" => case.scores.push(numbers()),
            _ => panic!("{line}"),
        }
    }
    cases
}

fn mat(rows: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// Off by at most 1e-12: eigenvalues of the first of them, scores of the largest of a component.
#[track_caller]
fn assert_digits(case: &Case, model: &KernelPca, how: &str) {
    let first = case.eigenvalues[0];
    for (i, want) in case.eigenvalues.iter().enumerate() {
        let off = (model.eigenvalues()[i] - want).abs() / first;
        assert!(
            off < 1e-12,
            "{}, {how}: λ{} is off by {off:e}",
            case.name,
            i + 1
        );
    }
    let scores = projected(model, &mat(&case.new));
    for j in 0..case.eigenvalues.len() {
        let want: Vec<f64> = case.scores.iter().map(|row| row[j]).collect();
        let size = want.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let size = size.max(first.sqrt());
        // Components point either way.
        let off = |sign: f64| {
            let both = want.iter().zip(scores.col(j));
            both.fold(0.0f64, |m, (want, got)| m.max((sign * got - want).abs()))
        };
        // A component turns by what is lost of λ₁ beside its own λ and its distance to the next.
        let share = case.eigenvalues[j] / first;
        let off = off(1.0).min(off(-1.0)) / size * share.min(1.0);
        assert!(
            off < 1e-12,
            "{}, {how}: PC{} is off by {off:e}",
            case.name,
            j + 1
        );
    }
}

#[test]
fn what_centering_would_cancel_is_kept() {
    for case in cases() {
        let model = fitted(
            &asked(case.kernel, case.eigenvalues.len()),
            &mat(&case.rows),
        );
        assert_digits(&case, &model, "exact");
        // Its own rows as new ones.
        let again = projected(&model, &mat(&case.rows));
        let size = case.eigenvalues[0].sqrt();
        let off = distance(again.as_slice(), own_scores(&model).as_slice()) / size;
        assert!(off < 1e-10, "{}: {off:e}", case.name);
    }
}

#[test]
fn products_with_the_kernel_matrix_keep_those_digits_too() {
    for case in cases() {
        let options = KernelPcaOptions {
            solver: Solver::Lanczos,
            tolerance: Some(1e-14),
            ..asked(case.kernel, case.eigenvalues.len())
        };
        assert_digits(&case, &fitted(&options, &mat(&case.rows)), "lanczos");
        let little = Context::new().with_memory(4000);
        let options = KernelPcaOptions {
            approximate: Approximate::None,
            ..options
        };
        if let Ok(model) = options.fit(&little, &Dense::new(mat(&case.rows).view())) {
            assert_digits(&case, &model, "anew");
        }
    }
}

#[test]
fn all_rows_as_landmarks_keep_those_digits_too() {
    for case in cases() {
        if case.kernel.starts_with("tanh") {
            continue;
        }
        let options = KernelPcaOptions {
            approximate: Approximate::Nystrom,
            n_landmarks: Some(case.rows.len()),
            ..asked(case.kernel, case.eigenvalues.len())
        };
        // Features are roots of what landmarks share, so that squares of rounding remain.
        let model = fitted(&options, &mat(&case.rows));
        for (got, want) in model.eigenvalues().iter().zip(&case.eigenvalues) {
            let off = (got - want).abs() / case.eigenvalues[0];
            assert!(off < 1e-11, "{}: off by {off:e}", case.name);
        }
    }
}

#[test]
fn a_kernel_that_loses_nothing_stays_as_it_is() {
    let x = super::waves(60, 3, 1);
    for kernel in [
        "rbf(gamma=0.3)",
        "linear",
        "poly(degree=3)",
        "laplacian",
        "cosine",
    ] {
        let model = fitted(&asked(kernel, 3), &x);
        assert!(!model.kernel().is_relative(), "{kernel}");
    }
    let far = Mat::from_fn(60, 3, |i, j| 1e5 + x[(i, j)]);
    for kernel in ["linear", "poly(degree=3)", "cosine", "rbf(gamma=1e-6)"] {
        let model = fitted(&asked(kernel, 3), &far);
        assert!(model.kernel().is_relative(), "{kernel}");
    }
}

#[test]
fn a_relative_kernel_is_the_kernel_less_three_of_its_values() {
    let x = super::waves(20, 3, 1);
    let ctx = Context::new();
    let origin = Mat::from_fn(1, 3, |_, j| 1.3 + 0.2 * j as f64);
    for kernel in [
        "linear",
        "poly(degree=3, gamma=0.5, coef0=1)",
        "poly(degree=1, gamma=2, coef0=-1)",
        "rbf(gamma=0.7)",
        "rbf(gamma=90)",
        "laplacian(gamma=0.4)",
        "tanh(gamma=0.1, coef0=0.3)",
        "cosine",
        "matern(nu=0.5, length=2)",
        "matern(nu=1.5, length=2)",
        "matern(nu=10.5, length=2)",
        "matern(nu=inf, length=2)",
        "rational_quadratic(alpha=0.7, length=2)",
        "chi2(gamma=0.5)",
        "0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1)*normalize(linear)",
        "exp(0.2*linear)*laplacian(gamma=0.1)*rbf(gamma=0.2)",
        "normalize(exp(0.1*linear) + 2*cosine)",
    ] {
        let kernel = kernel.parse().expect("a kernel");
        let plain = ResolvedKernel::new(&kernel, &x).expect("settled");
        let relative = plain
            .clone()
            .relative_to(origin.row(0).to_vec())
            .expect("relative");
        let points = relative.points(x.clone(), 0).expect("points");
        let at = relative.points(origin.clone(), 0).expect("a point");
        let plain = relative.plain();
        let (k, a) = (plain.between(&points, &points), plain.between(&points, &at));
        let c = plain.between(&at, &at)[(0, 0)];
        let size = k.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let want = |i: usize, j: usize| k[(i, j)] - a[(i, 0)] - a[(j, 0)] + c;
        let got = relative.between(&points, &points);
        let own = relative.diagonal(&points);
        for (i, own) in own.iter().enumerate() {
            let off = (own - want(i, i)).abs();
            assert!(off < 1e-13 * size, "{kernel}, {i}: {off:e}");
            for j in 0..20 {
                let off = (got[(i, j)] - want(i, j)).abs();
                assert!(off < 1e-13 * size, "{kernel}, {i} and {j}: {off:e}");
            }
        }
        let Gram::Stored(stored) = Gram::stored(&ctx, &relative, &points).expect("a matrix") else {
            panic!("written out");
        };
        assert!(
            distance(stored.as_slice(), got.as_slice()) < 1e-13 * size,
            "{kernel}"
        );
    }
}

#[test]
fn a_weight_of_rows_is_taken_relative_as_well() {
    let x = super::waves(15, 2, 1);
    let linear: eigenspan::kernel::Kernel = "linear + rbf(gamma=0.1)".parse().expect("a kernel");
    let kernel = linear.weighted("g", |row| 1.0 + row[0] * row[0]);
    let plain = ResolvedKernel::new(&kernel, &x).expect("settled");
    let origin = vec![1.4, 1.7];
    let relative = plain.clone().relative_to(origin.clone()).expect("relative");
    let points = relative.points(x.clone(), 0).expect("points");
    let at = relative
        .points(Mat::from_fn(1, 2, |_, j| origin[j]), 0)
        .expect("a point");
    let plain = relative.plain();
    let (k, a) = (plain.between(&points, &points), plain.between(&points, &at));
    let c = plain.between(&at, &at)[(0, 0)];
    let got = relative.between(&points, &points);
    for i in 0..15 {
        for j in 0..15 {
            let want = k[(i, j)] - a[(i, 0)] - a[(j, 0)] + c;
            assert!((got[(i, j)] - want).abs() < 1e-12, "{i}, {j}");
        }
    }
}

/// The way back from scores of a kernel that is relative to an origin ends where it does of the kernel itself.
#[test]
fn the_way_back_is_the_same_for_a_relative_kernel() {
    let x = super::waves(40, 2, 1);
    let ctx = Context::new();
    let far = Mat::from_fn(40, 2, |i, j| x[(i, j)] + 1e4);
    for approximate in [Approximate::None, Approximate::Nystrom] {
        for method in [PreImage::FixedPoint, PreImage::Distances, PreImage::Ridge] {
            let options = KernelPcaOptions {
                n_components: Keep::Count(2),
                approximate,
                n_landmarks: (approximate == Approximate::Nystrom).then_some(30),
                ..asked("rbf(gamma=1e-4)", 2)
            };
            let model = fitted(&options, &far);
            assert!(model.kernel().is_relative());
            let scores = projected(&model, &far);
            let asked = PreImageOptions {
                method,
                alpha: 1e-9,
                ..Default::default()
            };
            let back = model.pre_images(&ctx, asked).expect("a way back");
            let found = back.inverse(&ctx, scores.view(), None).expect("rows");
            let off = distance(found.rows.as_slice(), far.as_slice());
            assert!(off < 0.05, "{approximate:?}, {method:?}: {off:e}");
            assert!(found.residuals.iter().all(|r| *r < 1e-3), "{method:?}");
        }
    }
}
