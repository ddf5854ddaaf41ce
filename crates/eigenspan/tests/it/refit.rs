//! Models of some of the rows: what components keep of rows held out, and how alike halves are, against dense algebra written here.

use eigenspan::evaluate::{Halves, HalvesOptions, HeldOut, HeldOutOptions};
use eigenspan::method::{Fitted, KernelPcaOptions, Method, Training};
use eigenspan::rng::Rng;
use eigenspan::solve::{Approximate, Keep};
use eigenspan::source::{Dense, Numbers, RowSet};
use eigenspan::{Context, Mat, PcaOptions};

/// Rows of three waves, which any language can write down.
fn waves(n: usize) -> Mat<f64> {
    Mat::from_fn(n, 3, |i, j| {
        1.5 + (1.7 * i as f64 * (j + 2) as f64).sin() + 0.25 * j as f64
    })
}

fn kernel_pca(kernel: &str, k: usize) -> KernelPcaOptions {
    KernelPcaOptions {
        n_components: Keep::Count(k),
        kernel: kernel.parse().expect("a kernel"),
        ..Default::default()
    }
}

fn pca(k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        ..Default::default()
    }
}

fn held_out(ctx: &Context, method: &dyn Method, x: &Mat<f64>, k: usize) -> Option<HeldOut> {
    let source = Dense::new(x.view());
    let options = HeldOutOptions::default();
    options
        .run(ctx, method, &Training::new(Numbers::F64(&source)), k)
        .expect("held out")
}

fn fitted(ctx: &Context, method: &dyn Method, x: &Mat<f64>) -> Box<dyn Fitted> {
    let source = Dense::new(x.view());
    let training = Training::new(Numbers::F64(&source));
    method.fit(ctx, &training).expect("a fit")
}

fn halves(ctx: &Context, method: &dyn Method, x: &Mat<f64>) -> Option<Halves> {
    let source = Dense::new(x.view());
    let whole = fitted(ctx, method, x);
    let options = HalvesOptions::default();
    options
        .run(ctx, method, &*whole, &Training::new(Numbers::F64(&source)))
        .expect("halves")
}

fn listed(rows: &RowSet) -> Vec<usize> {
    (0..rows.len()).filter_map(|i| rows.get(i)).collect()
}

fn some(x: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), x.n_cols(), |i, j| x[(rows[i], j)])
}

/// Eigenpairs of a symmetric matrix, largest first, by Jacobi's rotations.
fn jacobi(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut v: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| f64::from(i == j)).collect())
        .collect();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = theta.sin_cos();
                for row in a.iter_mut().chain(v.iter_mut()) {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                let (upper, lower) = a.split_at_mut(q);
                for (x, y) in upper[p].iter_mut().zip(&mut lower[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let vector = |&j: &usize| v.iter().map(|row| row[j]).collect();
    (
        order.iter().map(|&j| a[j][j]).collect(),
        order.iter().map(vector).collect(),
    )
}

/// Shares kept of rows by kernel PCA of others, from the textbook's formulas: α = u/√λ, scores of centered kernels, and
/// ‖Φ(x) − mean‖² = k(x, x) − 2·mean of k(x, ·) + mean of K.
fn dense_shares(
    k: &dyn Fn(&[f64], &[f64]) -> f64,
    train: &Mat<f64>,
    new: &Mat<f64>,
    n_components: usize,
) -> Vec<f64> {
    let n = train.n_rows();
    let gram: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| k(train.row(i), train.row(j))).collect())
        .collect();
    let means: Vec<f64> = gram
        .iter()
        .map(|row| row.iter().sum::<f64>() / n as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let centered = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| gram[i][j] - means[i] - means[j] + mean)
                .collect()
        })
        .collect();
    let (values, vectors) = jacobi(centered);
    let mut kept = vec![0.0; n_components];
    let mut total = 0.0;
    for x in new.rows() {
        let with: Vec<f64> = train.rows().map(|t| k(x, t)).collect();
        let own = with.iter().sum::<f64>() / n as f64;
        total += k(x, x) - 2.0 * own + mean;
        for (c, kept) in kept.iter_mut().enumerate() {
            let score: f64 = (0..n)
                .map(|i| vectors[c][i] / values[c].sqrt() * (with[i] - own - means[i] + mean))
                .sum();
            *kept += score * score;
        }
    }
    let mut sum = 0.0;
    kept.iter()
        .map(|kept| {
            sum += kept;
            sum / total
        })
        .collect()
}

#[test]
fn shares_of_fitted_and_new_rows_are_those_of_dense_algebra() {
    let x = waves(60);
    let square =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum() };
    let inner = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    type Compared<'a> = (&'a str, &'a dyn Fn(&[f64], &[f64]) -> f64, usize);
    let kernels: [Compared; 4] = [
        ("rbf(gamma=0.3)", &|a, b| (-0.3 * square(a, b)).exp(), 6),
        ("rbf(gamma=1e-6)", &|a, b| (-1e-6 * square(a, b)).exp(), 2),
        (
            "poly(degree=2, gamma=1, coef0=1)",
            &|a, b| (inner(a, b) + 1.0).powi(2),
            5,
        ),
        ("linear", &inner, 2),
    ];
    for (kernel, k, n_components) in kernels {
        let found = held_out(
            &Context::new(),
            &kernel_pca(kernel, n_components),
            &x,
            n_components,
        )
        .expect("rows are held out");
        assert_eq!((found.n_fitted, found.n_new), (48, 12), "{kernel}");
        let (train, new) = (
            some(&x, &listed(&found.fitted_rows)),
            some(&x, &listed(&found.new_rows)),
        );
        // Where k is nearly 1 for all rows, the textbook's formula itself has lost digits.
        let close = if kernel.contains("1e-6") { 1e-4 } else { 1e-9 };
        for (said, rows) in [(&found.fitted, &train), (&found.new, &new)] {
            let want = dense_shares(k, &train, rows, n_components);
            for (a, b) in said.iter().zip(&want) {
                assert!((a - b).abs() < close, "{kernel}: {said:?} {want:?}");
            }
        }
    }
}

#[test]
fn a_linear_kernel_keeps_of_new_rows_what_pca_keeps() {
    let (x, ctx) = (waves(50), Context::new());
    let linear = held_out(&ctx, &kernel_pca("linear", 2), &x, 2).expect("shares");
    let plain = held_out(&ctx, &pca(2), &x, 2).expect("shares");
    assert_eq!(linear.new_rows, plain.new_rows);
    for (a, b) in linear
        .new
        .iter()
        .zip(&plain.new)
        .chain(linear.fitted.iter().zip(&plain.fitted))
    {
        assert!((a - b).abs() < 1e-10, "{linear:?} {plain:?}");
    }
}

#[test]
fn a_kernel_far_too_narrow_keeps_all_of_the_fitted_rows_and_nothing_of_others() {
    let (x, ctx) = (waves(80), Context::new());
    let narrow = held_out(&ctx, &kernel_pca("rbf(gamma=1e6)", 63), &x, 63).expect("shares");
    assert!(narrow.fitted[62] > 0.99, "{narrow:?}");
    assert!(narrow.new[62] < 0.02, "{narrow:?}");
    let fit = held_out(&ctx, &kernel_pca("rbf(gamma=0.3)", 20), &x, 20).expect("shares");
    assert!(fit.new[19] > 0.9 * fit.fitted[19], "{fit:?}");
}

#[test]
fn landmarks_and_frequencies_keep_shares_between_nothing_and_all() {
    let (x, ctx) = (waves(120), Context::new());
    for (approximate, n_landmarks) in [(Approximate::Nystrom, 40), (Approximate::Fourier, 200)] {
        let options = KernelPcaOptions {
            approximate,
            n_landmarks: Some(n_landmarks),
            ..kernel_pca("rbf(gamma=0.3)", 5)
        };
        let exact = held_out(&ctx, &kernel_pca("rbf(gamma=0.3)", 5), &x, 5).expect("shares");
        let found = held_out(&ctx, &options, &x, 5).expect("shares");
        for (shares, exact) in [(&found.fitted, &exact.fitted), (&found.new, &exact.new)] {
            assert!(shares.iter().all(|s| (0.0..=1.0).contains(s)), "{found:?}");
            assert!((shares[4] - exact[4]).abs() < 0.1, "{shares:?} {exact:?}");
        }
    }
}

#[test]
fn similarity_is_the_mean_canonical_correlation_of_scores() {
    let (x, ctx) = (waves(60), Context::new());
    let options = kernel_pca("rbf(gamma=0.3)", 2);
    let found = halves(&ctx, &options, &x).expect("halves");
    assert_eq!(
        (found.n_draws, found.n_fitted, found.n_components),
        (20, 30, 2)
    );
    let source = Dense::new(x.view());
    let whole = options.fit(&ctx, &source).expect("a fit");
    let whole = whole.transform(&ctx, &source).expect("scores");
    for (half, said) in found.halves.iter().zip(&found.similarities) {
        let rows = some(&x, &listed(half));
        let model = options.fit(&ctx, &Dense::new(rows.view())).expect("a fit");
        let other = model.transform(&ctx, &source).expect("scores");
        // With M = A⁻¹BC⁻¹Bᵀ of the 2 × 2 products of centered scores, σ₁² and σ₂² are its eigenvalues, and
        // σ₁ + σ₂ = √(trace M + 2 √det M).
        let (a, b, c) = (
            products(&whole, &whole),
            products(&whole, &other),
            products(&other, &other),
        );
        let m = times(times(inverse(a), b), times(inverse(c), transposed(b)));
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        let want = 0.5 * (m[0][0] + m[1][1] + 2.0 * det.sqrt()).sqrt();
        assert!((said - want).abs() < 1e-9, "{said} {want}");
    }
    assert!(found.similarity.low <= found.similarity.median);
    assert!(found.similarity.median <= found.similarity.high);
}

type Two = [[f64; 2]; 2];

/// Inner products of the centered columns.
fn products(a: &Mat<f64>, b: &Mat<f64>) -> Two {
    let centered = |m: &Mat<f64>, j: usize| {
        let column = m.col(j);
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        column.iter().map(|x| x - mean).collect::<Vec<_>>()
    };
    let one = |i: usize, j: usize| -> f64 {
        centered(a, i)
            .iter()
            .zip(centered(b, j))
            .map(|(x, y)| x * y)
            .sum()
    };
    [[one(0, 0), one(0, 1)], [one(1, 0), one(1, 1)]]
}

fn times(a: Two, b: Two) -> Two {
    let one = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j];
    [[one(0, 0), one(0, 1)], [one(1, 0), one(1, 1)]]
}

fn transposed(a: Two) -> Two {
    [[a[0][0], a[1][0]], [a[0][1], a[1][1]]]
}

fn inverse(a: Two) -> Two {
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    [
        [a[1][1] / det, -a[0][1] / det],
        [-a[1][0] / det, a[0][0] / det],
    ]
}

#[test]
fn components_of_noise_are_less_alike_than_components_of_structure() {
    let ctx = Context::new();
    let line = Mat::from_fn(60, 3, |i, j| {
        (i * (j + 1)) as f64 + 0.01 * ((i * 7 + j) as f64).sin()
    });
    let one = halves(&ctx, &pca(1), &line).expect("halves");
    assert!(one.similarity.low > 0.999, "{one:?}");
    // No direction of noise has more variance than another.
    let mut rng = Rng::new(3);
    let noise = Mat::from_fn(60, 8, |_, _| rng.normal());
    let none = halves(&ctx, &pca(1), &noise).expect("halves");
    assert!(none.similarity.median < 0.99, "{none:?}");
    assert!(none.similarity.low < 0.9, "{none:?}");
}

#[test]
fn what_cannot_be_refitted_is_not() {
    let ctx = Context::new();
    let few = waves(9);
    assert!(halves(&ctx, &pca(2), &few).is_none());
    assert!(held_out(&ctx, &pca(2), &few, 2).is_none());
    let x = waves(20);
    let gram = Mat::from_fn(20, 20, |i, j| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum()
    });
    assert!(halves(&ctx, &kernel_pca("precomputed", 2), &gram).is_none());
    assert!(held_out(&ctx, &kernel_pca("precomputed", 2), &gram, 2).is_none());
    // A kernel that is not positive semi-definite has no squared distances.
    assert!(held_out(&ctx, &kernel_pca("tanh(gamma=0.1)", 2), &x, 2).is_none());
    // Rows that are all the same have none to keep.
    let same = Mat::from_fn(20, 3, |_, j| j as f64);
    assert!(held_out(&ctx, &pca(1), &same, 1).is_none());
    assert!(halves(&ctx, &pca(1), &same).is_none());
}

#[test]
fn refits_give_the_same_bits_for_any_number_of_threads() {
    let x = waves(90);
    let options = kernel_pca("rbf(gamma=median)", 4);
    let run = |threads: usize| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        (halves(&ctx, &options, &x), held_out(&ctx, &options, &x, 4))
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one, two);
    assert!(one.0.is_some() && one.1.is_some());
}
