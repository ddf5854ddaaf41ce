//! Nyström's and Fourier's features approximate the kernel within their stated errors.

use eigenspan::kernel::{
    FeatureMap, Featured, Fourier, Kernel, Landmarks, Nystrom, NystromOptions, ResolvedKernel,
};
use eigenspan::linalg::times_transposed;
use eigenspan::method::KernelPcaOptions;
use eigenspan::rng::Rng;
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use super::{asked, fitted, projected, waves};
use crate::support::{assert_close, distance};

fn map(kernel: &str, m: usize, landmarks: Landmarks, seed: u64, x: &Mat<f64>) -> Nystrom {
    let options = NystromOptions {
        n_landmarks: m,
        landmarks,
        seed,
    };
    let kernel: Kernel = kernel.parse().expect("a kernel");
    options
        .fit(&Context::new(), &kernel, &Dense::new(x.view()))
        .expect("landmarks")
}

fn keeping(k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        ..Default::default()
    }
}

#[test]
fn nystrom_with_all_rows_as_landmarks_is_the_exact_fit() {
    let (x, new) = (waves(80, 3, 1), waves(7, 3, 200));
    let ctx = Context::new();
    for kernel in ["rbf(gamma=1)", "poly(degree=2)", "laplacian + 0.2*linear"] {
        for landmarks in [Landmarks::Uniform, Landmarks::KMeans, Landmarks::Leverage] {
            let exact = fitted(&asked(kernel, 4), &x);
            let map = map(kernel, 80, landmarks, 1, &x);
            let rows = Dense::new(x.view());
            let features = Featured::new(&rows, &map).expect("features");
            let pca = keeping(4).fit(&ctx, &features).expect("a fit");
            assert_close(&pca.explained_variance(), &exact.explained_variance(), 1e-8);
            let new_rows = Dense::new(new.view());
            let new_features = Featured::new(&new_rows, &map).expect("features");
            let near = pca.transform(&ctx, &new_features).expect("scores");
            let far = projected(&exact, &new);
            for j in 0..4 {
                let turned: Vec<f64> = far.col(j).iter().map(|x| -x).collect();
                let off = distance(&near.col(j), &far.col(j)).min(distance(&near.col(j), &turned));
                let size = exact.spectrum().singular_values[0];
                assert!(off < 1e-6 * size, "{kernel}, {landmarks:?}: {off:e}");
            }
        }
    }
}

#[test]
fn what_the_landmarks_lost_bounds_the_error_of_every_eigenvalue() {
    let ctx = Context::new();
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (n, d) = (40 + rng.below(40), 1 + rng.below(5));
        let x = Mat::from_fn(n, d, |_, _| rng.normal());
        let kernel = [
            "rbf(gamma=0.5)",
            "laplacian",
            "poly(degree=2)",
            "rbf + linear",
        ][rng.below(4)];
        let landmarks = [Landmarks::Uniform, Landmarks::KMeans][rng.below(2)];
        let map = map(kernel, 12, landmarks, seed, &x);
        let rows = Dense::new(x.view());
        let lost = map.lost(&ctx, &rows).expect("a trace");
        let features = Featured::new(&rows, &map).expect("features");
        let near = PcaOptions::default().fit(&ctx, &features).expect("a fit");
        let all = KernelPcaOptions {
            kernel: kernel.parse().expect("a kernel"),
            ..Default::default()
        };
        let exact = fitted(&all, &x).eigenvalues();
        let size = exact[0];
        for (i, s) in near.spectrum().singular_values.iter().enumerate() {
            let gap = exact.get(i).copied().unwrap_or(0.0) - s * s;
            let inside = gap > -1e-9 * size && gap <= lost + 1e-9 * size;
            assert!(inside, "{seed}, {kernel}: {gap} against {lost}");
        }
        // And it is no idle bound: the trace that is missing is what was said.
        let missing: f64 = exact.iter().sum::<f64>()
            - near
                .spectrum()
                .singular_values
                .iter()
                .map(|s| s * s)
                .sum::<f64>();
        assert!(missing <= lost + 1e-9 * size, "{missing} against {lost}");
    }
}

#[test]
fn landmarks_far_apart_lose_less_than_uniform_ones_of_uneven_clouds() {
    // 970 rows in one heap and 30 on their own, far away from it and from each other.
    let mut rng = Rng::new(2);
    let x = Mat::from_fn(1000, 2, |i, _| match i < 970 {
        true => 0.1 * rng.normal(),
        false => 20.0 * rng.normal(),
    });
    let ctx = Context::new();
    let lost = |landmarks| {
        let map = map("rbf(gamma=1)", 60, landmarks, 3, &x);
        map.lost(&ctx, &Dense::new(x.view())).expect("a trace")
    };
    let (even, apart) = (lost(Landmarks::Uniform), lost(Landmarks::KMeans));
    assert!(apart < 0.75 * even, "{apart} and {even}");
}

#[test]
fn landmarks_by_leverage_lose_less_than_uniform_ones_of_unbalanced_groups() {
    // 4,900 rows in one group and five groups of 20, far away from it and from each other.
    let mut rng = Rng::new(9);
    let x = Mat::from_fn(5000, 3, |i, j| match i < 4900 {
        true => 0.2 * rng.normal(),
        false => {
            let group = (i - 4900) / 20;
            10.0 * (1.0 + group as f64) * f64::from(j == group % 3) + 0.3 * rng.normal()
        }
    });
    let ctx = Context::new();
    for seed in 0..3 {
        let lost = |landmarks| {
            let map = map("rbf(gamma=0.5)", 50, landmarks, seed, &x);
            map.lost(&ctx, &Dense::new(x.view())).expect("a trace")
        };
        let (even, likely) = (lost(Landmarks::Uniform), lost(Landmarks::Leverage));
        assert!(likely < 0.6 * even, "{seed}: {likely} and {even}");
    }
}

#[test]
fn features_and_landmarks_are_the_same_on_any_number_of_threads() {
    let x = waves(3000, 4, 1);
    let kernel: Kernel = "rbf".parse().expect("a kernel");
    let rows = Dense::new(x.view());
    for landmarks in [Landmarks::Uniform, Landmarks::KMeans, Landmarks::Leverage] {
        let scores = [1, 4].map(|threads| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let options = NystromOptions {
                n_landmarks: 30,
                landmarks,
                seed: 5,
            };
            let map = options.fit(&ctx, &kernel, &rows).expect("landmarks");
            let features = Featured::new(&rows, &map).expect("features");
            let pca = keeping(3).fit(&ctx, &features).expect("a fit");
            pca.transform(&ctx, &features).expect("scores")
        });
        assert_eq!(scores[0], scores[1], "{landmarks:?}");
    }
}

#[test]
fn fourier_features_come_near_the_kernel_as_their_number_grows() {
    let x = waves(40, 3, 1);
    for text in [
        "rbf(gamma=0.4)",
        "rbf(sigma=2)",
        "laplacian(gamma=0.3)",
        "matern(nu=0.5, length=1.5)",
        "matern(nu=2.5, length=2)",
        "matern(nu=inf, length=1)",
    ] {
        let kernel: Kernel = text.parse().expect("a kernel");
        let settled = ResolvedKernel::new(&kernel, &x).expect("settled");
        let points = settled.points(x.clone(), 0).expect("points");
        let exact = settled.between(&points, &points);
        // The deviation of a mean of m cosines is at most 1/√(2m), twice that at most once in twenty.
        for m in [200, 20_000] {
            let map = Fourier::new(&settled, m, 3).expect("features");
            let features = map.features(x.clone(), 0).expect("features");
            assert_eq!(features.n_cols(), 2 * m);
            let near = times_transposed(features.view(), features.view());
            let cells = near.as_slice().iter().zip(exact.as_slice());
            let square: f64 = cells.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / 1600.0;
            assert!(
                square.sqrt() < 1.5 / (2.0 * m as f64).sqrt(),
                "{text}, {m}: {square}"
            );
            assert!((near[(3, 3)] - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn what_they_cannot_do_is_refused() {
    let x = waves(9, 2, 1);
    let ctx = Context::new();
    let rows = Dense::new(x.view());
    let said = |options: NystromOptions, kernel: &str| {
        let kernel: Kernel = kernel.parse().expect("a kernel");
        options
            .fit(&ctx, &kernel, &rows)
            .expect_err("a refusal")
            .to_string()
    };
    assert_eq!(
        said(NystromOptions::default(), "tanh"),
        "kernel = tanh(coef0=1) does not fit: nystrom takes kernels that are positive semi-definite by construction"
    );
    let none = NystromOptions {
        n_landmarks: 0,
        ..Default::default()
    };
    assert_eq!(
        said(none, "rbf"),
        "n_landmarks = `0` is not known; it takes a whole number from 1 on"
    );
    let settled = ResolvedKernel::new(&"linear".parse().expect("a kernel"), &x).expect("settled");
    let error = Fourier::new(&settled, 5, 0).expect_err("a refusal");
    assert_eq!(
        error.to_string(),
        "kernel = linear does not fit: fourier takes rbf, laplacian or matern alone"
    );
}
