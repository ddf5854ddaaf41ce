//! What holds for every kernel and every kernel PCA.

use eigenspan::kernel::{Base, Gamma, Gram, Kernel, ResolvedKernel, Verdict};
use eigenspan::linalg::{product, symmetric_eigenvalues};
use eigenspan::method::KernelPcaOptions;
use eigenspan::prepare::Missing;
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::{Context, Mat, PcaOptions};

use super::{asked, fitted, iris, own_scores, projected, waves};
use crate::support::{assert_close, distance, fit, scores};

/// Kernels that are positive semi-definite by how they are made.
const SOUND: [&str; 16] = [
    "linear",
    "poly(degree=3, gamma=0.5, coef0=1)",
    "rbf(gamma=2)",
    "rbf(gamma=median)",
    "laplacian(gamma=median)",
    "cosine",
    "matern(nu=0.5, length=1)",
    "matern(nu=3.5, length=2)",
    "rational_quadratic(alpha=2, length=0.5)",
    "chi2",
    "3*rbf + linear",
    "rbf*poly",
    "exp(0.1*linear)",
    "normalize(poly)",
    "normalize(exp(0.1*linear) + chi2(gamma=median))*2",
    "0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*normalize(linear)",
];

/// The kernel matrix of rows, written out.
fn matrix(kernel: &Kernel, x: &Mat<f64>) -> Mat<f64> {
    let settled = ResolvedKernel::new(kernel, x).expect("a kernel");
    let points = settled.points(x.clone(), 0).expect("points");
    match Gram::stored(&Context::new(), &settled, &points).expect("a matrix") {
        Gram::Stored(matrix) => matrix,
        _ => panic!("not written out"),
    }
}

fn uniform(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, d, |_, _| 2.0 * rng.uniform())
}

#[test]
fn what_is_sound_by_construction_has_no_negative_eigenvalue() {
    for seed in 0..5 {
        let x = uniform(40, 3, seed);
        for text in SOUND {
            let kernel: Kernel = text.parse().expect("a kernel");
            assert_eq!(kernel.verdict(), Verdict::Always, "{text}");
            let values = symmetric_eigenvalues(&matrix(&kernel, &x)).expect("eigenvalues");
            assert!(values[39] > -1e-13 * values[0], "{text}: {}", values[39]);
        }
    }
}

#[test]
fn verdicts_follow_the_algebra() {
    for (text, verdict) in [
        ("tanh", Verdict::Not),
        ("sigmoid + rbf", Verdict::Not),
        ("rbf*tanh", Verdict::Not),
        ("exp(tanh)", Verdict::Not),
        ("precomputed", Verdict::Not),
        ("poly(degree=2, coef0=-1)", Verdict::Not),
        // A constant below zero falls out when it is centered, and becomes a factor above zero in exp.
        ("poly(degree=1, coef0=-1)", Verdict::Conditionally),
        ("2*poly(degree=1, coef0=-1) + rbf", Verdict::Conditionally),
        ("exp(poly(degree=1, coef0=-1))", Verdict::Always),
        ("normalize(poly(degree=1, coef0=-1))", Verdict::Not),
        ("poly(degree=1, coef0=-1)*rbf", Verdict::Not),
    ] {
        let kernel: Kernel = text.parse().expect("a kernel");
        assert_eq!(kernel.verdict(), verdict, "{text}");
    }
    // The verdict "not" is no empty warning: these have a negative eigenvalue on some rows.
    let x = uniform(30, 2, 9);
    for text in [
        "tanh(gamma=2, coef0=-4)",
        "poly(degree=2, gamma=1, coef0=-2)",
    ] {
        let kernel: Kernel = text.parse().expect("a kernel");
        let values = symmetric_eigenvalues(&matrix(&kernel, &x)).expect("eigenvalues");
        assert!(values[29] < -1e-3 * values[0], "{text}: {}", values[29]);
    }
}

#[test]
fn the_algebra_is_that_of_the_matrices_cell_by_cell() {
    let x = waves(300, 4, 1);
    let of = |text: &str| matrix(&text.parse().expect("a kernel"), &x);
    let (a, b) = (of("rbf(gamma=0.3)"), of("linear"));
    let cell = |text: &str, join: &dyn Fn(f64, f64) -> f64| {
        let got = of(text);
        let want: Vec<f64> = a
            .as_slice()
            .iter()
            .zip(b.as_slice())
            .map(|(a, b)| join(*a, *b))
            .collect();
        let size = want.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(distance(got.as_slice(), &want) < 1e-14 * size, "{text}");
    };
    cell("rbf(gamma=0.3) + linear", &|a, b| a + b);
    cell("rbf(gamma=0.3)*linear", &|a, b| a * b);
    cell("0.25*linear*rbf(gamma=0.3)*2", &|a, b| 0.5 * a * b);
    cell("exp(rbf(gamma=0.3))", &|a, _| a.exp());
    cell("exp(0.05*(linear + rbf(gamma=0.3)))", &|a, b| {
        (0.05 * (a + b)).exp()
    });
    // normalize(linear) is the cosine.
    let cosine = of("cosine");
    let off = distance(of("normalize(linear)").as_slice(), cosine.as_slice());
    assert!(off < 1e-15 && (0..300).all(|i| (cosine[(i, i)] - 1.0).abs() < 1e-15));
    // g(x)·k·g(x').
    let g = |row: &[f64]| row[0] - 2.0 * row[1];
    let linear = Kernel::base(Base::Linear).expect("a kernel");
    let weighted = matrix(&linear.weighted("g", g), &x);
    let want = Mat::from_fn(300, 300, |i, j| g(x.row(i)) * b[(i, j)] * g(x.row(j)));
    assert!(distance(weighted.as_slice(), want.as_slice()) < 1e-12);
}

#[test]
fn a_kernel_matrix_is_symmetric_to_the_bit_and_counts_a_point_as_itself() {
    let x = waves(600, 5, 3);
    for text in SOUND {
        let k = matrix(&text.parse().expect("a kernel"), &x);
        let symmetric = (0..600).all(|i| (0..i).all(|j| k[(i, j)] == k[(j, i)]));
        assert!(symmetric, "{text}");
    }
    let k = matrix(&"rbf(gamma=5)".parse().expect("a kernel"), &x);
    assert!((0..600).all(|i| k[(i, i)] == 1.0));
}

#[test]
fn a_gaussian_does_not_mind_where_the_origin_lies() {
    let x = waves(50, 3, 1);
    // 2²⁰ is taken in without rounding: what is lost would be lost in the kernel.
    let far = Mat::from_fn(50, 3, |i, j| {
        let near = (x[(i, j)] * 1048576.0).round() / 1048576.0;
        near + 1048576.0
    });
    let near = Mat::from_fn(50, 3, |i, j| far[(i, j)] - 1048576.0);
    for text in [
        "rbf(gamma=0.5)",
        "rational_quadratic",
        "matern",
        "laplacian",
    ] {
        let kernel: Kernel = text.parse().expect("a kernel");
        let off = distance(
            matrix(&kernel, &near).as_slice(),
            matrix(&kernel, &far).as_slice(),
        );
        assert!(off < 1e-9, "{text}: {off:e}");
    }
}

#[test]
fn gamma_is_found_from_the_rows_where_it_is_asked_so() {
    // Squared distances of 0, 3, 4 in one column: 9, 16, 1. Their median is 9, those of the taxicab 3.
    let x = Mat::from_fn(3, 1, |i, _| [0.0, 3.0, 4.0][i]);
    let gamma = |text: &str| {
        let kernel: Kernel = text.parse().expect("a kernel");
        ResolvedKernel::new(&kernel, &x)
            .expect("settled")
            .kernel()
            .to_string()
    };
    assert_eq!(
        gamma("rbf(gamma=median)"),
        format!("rbf(gamma={})", 0.5 / 9.0)
    );
    assert_eq!(
        gamma("laplacian(gamma=median)"),
        format!("laplacian(gamma={})", 1.0 / 3.0)
    );
    // Variance of 0, 3, 4 with divisor 3: 26/9.
    let scale: Kernel = gamma("rbf(gamma=scale)").parse().expect("a kernel");
    let Some(Base::Rbf {
        gamma: Gamma::Value(found),
    }) = scale.as_base()
    else {
        panic!("{scale}");
    };
    assert!((found - 9.0 / 26.0).abs() < 1e-15);
    assert_eq!(gamma("rbf"), "rbf(gamma=1)");
    assert_eq!(gamma("chi2 + rbf(sigma=2)"), "chi2(gamma=1) + rbf(sigma=2)");
    let options = KernelPcaOptions {
        gamma: Some(Gamma::Value(0.5)),
        ..asked("rbf + rbf(gamma=3)", 1)
    };
    let model = fitted(&options, &x);
    assert_eq!(
        model.kernel().kernel().to_string(),
        "rbf(gamma=0.5) + rbf(gamma=3)"
    );
}

#[test]
fn the_linear_kernel_gives_pca() {
    let x = iris();
    let pca = fit(&PcaOptions::default(), &x);
    let model = fitted(&asked("linear", 4), &x);
    assert_close(
        &model.explained_variance(),
        &pca.explained_variance(),
        1e-10,
    );
    let shares = pca.explained_variance_ratio();
    assert_close(&model.explained_variance_ratio(), &shares, 1e-10);
    let (own, theirs) = (own_scores(&model), scores(&pca, &x));
    for j in 0..4 {
        let (a, b) = (own.col(j), theirs.col(j));
        let turned: Vec<f64> = b.iter().map(|x| -x).collect();
        assert!(
            distance(&a, &b).min(distance(&a, &turned)) < 1e-10,
            "component {j}"
        );
    }
}

/// (xᵀx' + 1)² in two columns is the inner product of (1, √2a, √2b, a², √2ab, b²).
#[test]
fn a_polynomial_kernel_gives_pca_of_its_features() {
    let x = waves(30, 2, 5);
    let root = std::f64::consts::SQRT_2;
    let features = Mat::from_fn(30, 6, |i, j| {
        let (a, b) = (x[(i, 0)], x[(i, 1)]);
        [1.0, root * a, root * b, a * a, root * a * b, b * b][j]
    });
    let pca = fit(&PcaOptions::default(), &features);
    let model = fitted(&asked("poly(degree=2, gamma=1, coef0=1)", 5), &x);
    let variances = &pca.explained_variance()[..5];
    assert_close(&model.explained_variance(), variances, 1e-9);
}

#[test]
fn components_have_length_one_and_scores_have_mean_zero_in_feature_space() {
    let x = waves(60, 4, 2);
    for text in SOUND {
        let model = fitted(&asked(text, 3), &x);
        let k = matrix(&text.parse().expect("a kernel"), &x);
        let alpha = model.weights();
        // αᵀK̄α = αᵀKα, because α sums to zero.
        let gram = product(
            alpha.view().transposed(),
            product(k.view(), alpha.view()).view(),
        );
        let off = (0..3)
            .flat_map(|i| (0..3).map(move |j| (i, j)))
            .map(|(i, j)| (gram[(i, j)] - f64::from(i == j)).abs())
            .fold(0.0, f64::max);
        assert!(off < 1e-9, "{text}: {off:e}");
        for j in 0..3 {
            let sum: f64 = own_scores(&model).col(j).iter().sum();
            assert!(sum.abs() < 1e-9 * k[(0, 0)].max(1.0), "{text}: {sum:e}");
        }
    }
}

#[test]
fn projecting_the_training_rows_gives_their_scores() {
    let x = waves(700, 4, 2);
    for text in SOUND {
        let model = fitted(&asked(text, 3), &x);
        let size = own_scores(&model)
            .as_slice()
            .iter()
            .fold(1.0f64, |m, x| m.max(x.abs()));
        let off = distance(
            projected(&model, &x).as_slice(),
            own_scores(&model).as_slice(),
        );
        assert!(off < 1e-10 * size, "{text}: {off:e}");
    }
}

#[test]
fn the_whole_spectrum_sums_to_the_trace() {
    let x = waves(40, 3, 2);
    let options = KernelPcaOptions {
        kernel: "rbf(gamma=4)".parse().expect("a kernel"),
        ..Default::default()
    };
    let model = fitted(&options, &x);
    let sum: f64 = model.explained_variance_ratio().iter().sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    // 40 rows, one direction of which centering takes out.
    assert_eq!(model.n_components(), 39);
    let residuals = model.spectrum().residuals_of_first();
    assert!(residuals.iter().all(|r| *r < 1e-12), "{residuals:?}");
}

/// Whether a threshold on some component parts the first half of the rows from the second.
fn parted(scores: &Mat<f64>) -> bool {
    let half = scores.n_rows() / 2;
    (0..scores.n_cols()).any(|j| {
        let col = scores.col(j);
        let range = |part: &[f64]| {
            let low = part.iter().copied().fold(f64::INFINITY, f64::min);
            (low, part.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let (a, b) = (range(&col[..half]), range(&col[half..]));
        a.1 < b.0 || b.1 < a.0
    })
}

#[test]
fn concentric_circles_are_parted_by_a_kernel_and_not_by_pca() {
    let mut rng = Rng::new(4);
    let circles = Mat::from_fn(200, 2, |i, j| {
        let angle = i as f64 * std::f64::consts::TAU / 100.0;
        let radius = if i < 100 { 1.0 } else { 3.0 };
        radius * if j == 0 { angle.cos() } else { angle.sin() } + 0.1 * rng.normal()
    });
    let straight = fit(&PcaOptions::default(), &circles);
    assert!(!parted(&scores(&straight, &circles)));
    for kernel in ["poly(degree=2, gamma=1, coef0=1)", "rbf(gamma=0.2)"] {
        let model = fitted(&asked(kernel, 5), &circles);
        assert!(parted(own_scores(&model)), "{kernel}");
    }
}

#[test]
fn rows_that_a_fit_would_leave_out_have_no_scores() {
    let full = Mat::from_fn(30, 3, |i, j| waves(30, 3, 1)[(i, j)].abs());
    let mut x = full.clone();
    x[(4, 1)] = f64::NAN;
    for kernel in ["linear", "rbf(gamma=0.5)", "cosine", "chi2", "laplacian"] {
        let options = KernelPcaOptions {
            missing: Missing::Drop,
            ..asked(kernel, 2)
        };
        let model = fitted(&options, &x);
        let (got, want) = (projected(&model, &x), projected(&model, &full));
        for i in 0..30 {
            match i {
                4 => assert!(got.row(i).iter().all(|t| t.is_nan()), "{kernel}"),
                _ => assert_eq!(got.row(i), want.row(i), "{kernel}"),
            }
        }
    }
}

#[test]
fn rows_that_are_all_the_same_have_no_variance_in_any_feature_space() {
    let x = Mat::from_fn(20, 3, |_, j| [1.0, 0.1, 7.3][j]);
    for kernel in ["linear", "rbf", "poly", "cosine", "laplacian", "tanh"] {
        for keep in [Keep::All, Keep::Count(3)] {
            let options = KernelPcaOptions {
                n_components: keep,
                ..asked(kernel, 1)
            };
            let model = fitted(&options, &x);
            assert!(model.eigenvalues().iter().all(|x| *x == 0.0), "{kernel}");
            assert_eq!((model.spectrum().rank, model.spectrum().norm), (0, 0.0));
            let scores = projected(&model, &x);
            assert!(scores.as_slice().iter().all(|x| *x == 0.0), "{kernel}");
        }
    }
}
