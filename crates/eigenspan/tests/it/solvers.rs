//! Solvers that iterate or compress, against exact ones: eigenvalues, subspaces, and error bounds that always hold.

use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::{Csr, CsrView, Dense, Passes, Rows, Sink, Source, Sparse};
use eigenspan::{Context, Error, Mat, Note, Pca, PcaOptions};
use proptest::prelude::*;

use crate::support::{fit, mixed, with_solver};

const ITERATIVE: [Solver; 3] = [Solver::Partial, Solver::Lanczos, Solver::Randomized];

fn leading(solver: Solver, k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        ..with_solver(solver)
    }
}

/// Sine of the largest angle between the spans of the rows of two orthonormal matrices.
fn sine(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    // Rows of a minus their projection on b: its largest singular value, bounded by the Frobenius norm.
    let mut squares = 0.0;
    for row in a.rows() {
        let mut rest = row.to_vec();
        for other in b.rows() {
            let along: f64 = row.iter().zip(other).map(|(x, y)| x * y).sum();
            rest.iter_mut()
                .zip(other)
                .for_each(|(r, o)| *r -= along * o);
        }
        squares += rest.iter().map(|x| x * x).sum::<f64>();
    }
    squares.sqrt()
}

fn assert_agrees(exact: &Pca, other: &Pca, what: &str) {
    let first = exact.explained_variance()[0];
    for (a, b) in exact
        .explained_variance()
        .iter()
        .zip(other.explained_variance())
    {
        assert!((a - b).abs() <= 1e-8 * first, "{what}: {a} against {b}");
    }
    assert!(
        (exact.spectrum().total_variance() / other.spectrum().total_variance() - 1.0).abs() < 1e-10,
        "{what}"
    );
}

#[test]
fn iterative_solvers_find_the_leading_components() {
    for (n, d, k) in [
        (400, 60, 5),
        (300, 120, 10),
        (90, 200, 7),
        (2000, 40, 3),
        (50, 50, 12),
    ] {
        let x = mixed(n, d, 11 + n as u64);
        let exact = fit(&leading(Solver::Full, k), &x);
        for solver in ITERATIVE {
            let pca = fit(&leading(solver, k), &x);
            assert_agrees(&exact, &pca, &format!("{solver} {n} × {d}"));
            assert!(
                pca.spectrum().residuals.iter().all(|r| *r <= 1e-9),
                "{solver}"
            );
            if let Some(angle) = pca.spectrum().angle {
                let true_sine = sine(pca.components(), exact.components());
                assert!(
                    true_sine <= angle.sin() + 1e-10,
                    "{solver}: {true_sine:e} above {angle:e}"
                );
            }
        }
    }
}

#[test]
fn a_basis_as_wide_as_the_data_ends_in_the_exact_answer() {
    // More block than columns: the iteration must end with all of them, not with rubbish.
    let x = mixed(200, 8, 3);
    let exact = fit(&with_solver(Solver::Full), &x);
    for solver in ITERATIVE {
        for k in [1, 5, 8] {
            let pca = fit(&leading(solver, k), &x);
            for (a, b) in exact
                .explained_variance()
                .iter()
                .zip(pca.explained_variance())
            {
                assert!(
                    (a - b).abs() <= 1e-10 * exact.explained_variance()[0],
                    "{solver} k = {k}: {a} against {b}"
                );
            }
        }
    }
}

#[test]
fn low_rank_data_do_not_confuse_the_iteration() {
    let mut rng = Rng::new(5);
    let (left, right) = (
        Mat::from_fn(300, 3, |_, _| rng.normal()),
        Mat::from_fn(3, 40, |_, _| rng.normal()),
    );
    let x = Mat::from_fn(300, 40, |i, j| {
        (0..3).map(|l| left[(i, l)] * right[(l, j)]).sum::<f64>()
    });
    for solver in ITERATIVE {
        let pca = fit(&leading(solver, 6), &x);
        assert_eq!(pca.spectrum().rank, 3, "{solver}");
        assert!(
            pca.notes()
                .iter()
                .any(|n| matches!(n, Note::BelowResolution { first: 4, .. })),
            "{solver}"
        );
        assert!(
            (pca.spectrum().total_share() - 1.0).abs() < 1e-9,
            "{solver}"
        );
        let whitened = PcaOptions {
            whiten: true,
            ..leading(solver, 6)
        };
        let scores = fit(&whitened, &x)
            .transform(&Context::new(), &Dense::new(x.view()))
            .expect("scores");
        assert!(
            (0..300).all(|i| scores.row(i)[3..].iter().all(|s| *s == 0.0)),
            "{solver}: noise was whitened"
        );
    }
}

#[test]
fn a_share_is_reached_without_the_whole_spectrum() {
    let x = mixed(500, 80, 9);
    let exact = fit(
        &PcaOptions {
            n_components: Keep::Share(0.9),
            ..with_solver(Solver::Full)
        },
        &x,
    );
    for solver in ITERATIVE {
        let pca = fit(
            &PcaOptions {
                n_components: Keep::Share(0.9),
                ..with_solver(solver)
            },
            &x,
        );
        assert_eq!(pca.n_components(), exact.n_components(), "{solver}");
    }
}

/// A sparse matrix in three vectors, and the same written out.
fn sparse(n: usize, d: usize, seed: u64) -> (Vec<usize>, Vec<u32>, Vec<f64>, Mat<f64>) {
    let mut rng = Rng::new(seed);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut dense = Mat::zeros(n, d);
    for i in 0..n {
        for j in 0..d {
            if rng.uniform() < 0.1 {
                let x = rng.normal() * 2.0 + 1.0 + (j % 5) as f64 * f64::from(i % 3 == 0);
                indices.push(j as u32);
                values.push(x);
                dense[(i, j)] = x;
            }
        }
        indptr.push(values.len());
    }
    (indptr, indices, values, dense)
}

#[test]
fn sparse_and_dense_give_the_same_components() {
    let (indptr, indices, values, dense) = sparse(300, 40, 7);
    let view = CsrView::new(40, &indptr, &indices, &values).expect("a sparse matrix");
    let source = Sparse::new(view);
    for solver in Solver::ALL.into_iter().filter(|s| *s != Solver::Sketch) {
        for scale in [
            eigenspan::prepare::Scale::None,
            eigenspan::prepare::Scale::Std,
        ] {
            for center in [true, false] {
                let options = PcaOptions {
                    scale,
                    center,
                    ..leading(solver, 4)
                };
                let exact = fit(
                    &PcaOptions {
                        solver: Solver::Full,
                        ..options.clone()
                    },
                    &dense,
                );
                let pca = options.fit(&Context::new(), &source).expect("a fit");
                assert_agrees(&exact, &pca, &format!("{solver} {scale:?} center {center}"));
                let ctx = Context::new();
                let scores = pca.transform(&ctx, &source).expect("scores");
                let same = pca
                    .transform(&ctx, &Dense::new(dense.view()))
                    .expect("scores");
                for (a, b) in scores.as_slice().iter().zip(same.as_slice()) {
                    assert!((a - b).abs() < 1e-9, "{solver}: {a} against {b}");
                }
            }
        }
    }
}

#[test]
fn sparse_columns_become_sparse_rows() {
    let (indptr, indices, values, dense) = sparse(30, 50, 8);
    // The rows of the matrix are the columns of its transpose.
    let columns = CsrView::new(50, &indptr, &indices, &values).expect("a sparse matrix");
    let transposed = Csr::from_columns(50, columns).expect("rows");
    let pca = PcaOptions::default()
        .fit(&Context::new(), &Sparse::new(transposed.view()))
        .expect("a fit");
    let exact = fit(&PcaOptions::default(), &dense.transposed());
    assert_agrees(&exact, &pca, "transposed");
}

#[test]
fn sparse_matrices_that_are_none_are_refused() {
    let values = [1.0, 2.0, 3.0];
    let refused = |indptr: &[usize], indices: &[u32]| {
        CsrView::new(4, indptr, indices, &values)
            .expect_err("a refusal")
            .to_string()
    };
    assert_eq!(
        refused(&[0, 2, 3], &[0, 4, 1]),
        "not a sparse matrix: row 1 has column 5, but there are 4 columns"
    );
    // As a negative 32-bit column reads.
    assert_eq!(
        refused(&[0, 2, 3], &[0, u32::MAX, 1]),
        "not a sparse matrix: row 1 has column 4294967296, but there are 4 columns"
    );
    assert_eq!(
        refused(&[0, 2, 3], &[2, 1, 1]),
        "not a sparse matrix: the columns of row 1 are not in rising order, or repeat"
    );
    assert_eq!(
        refused(&[0, 3, 2, 3], &[0, 1, 2]),
        "not a sparse matrix: row pointers fall at row 2"
    );
    assert!(
        refused(&[0, 2], &[0, 1, 2])
            .contains("row pointers must run from 0 to the number of values (3)")
    );
}

/// Rows that can be read only once.
struct Pipe<'a>(&'a Mat<f64>, std::sync::atomic::AtomicBool);

impl Source<f64> for Pipe<'_> {
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }
    fn passes(&self) -> Passes {
        Passes::Once
    }
    fn read_part(&self, _: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        assert!(
            !self.1.swap(true, std::sync::atomic::Ordering::Relaxed),
            "read twice"
        );
        for start in (0..self.0.n_rows()).step_by(100) {
            let rows = self
                .0
                .view()
                .slice_rows(start, (start + 100).min(self.0.n_rows()));
            sink(Rows {
                first: start,
                block: rows.into(),
                weights: None,
            })?;
        }
        Ok(())
    }
}

fn pipe(x: &Mat<f64>) -> Pipe<'_> {
    Pipe(x, std::sync::atomic::AtomicBool::new(false))
}

#[test]
fn one_reading_is_enough_for_solvers_that_say_so() {
    let x = mixed(500, 30, 21);
    let exact = fit(&leading(Solver::Full, 4), &x);
    for solver in [
        Solver::Auto,
        Solver::Covariance,
        Solver::Partial,
        Solver::Qr,
        Solver::Full,
        Solver::Dual,
    ] {
        let pca = leading(solver, 4)
            .fit(&Context::new(), &pipe(&x))
            .expect("a fit");
        assert_agrees(&exact, &pca, solver.name());
    }
    for solver in [Solver::Lanczos, Solver::Randomized] {
        let error = leading(solver, 4)
            .fit(&Context::new(), &pipe(&x))
            .expect_err("two readings");
        assert!(matches!(error, Error::ReadOnce { .. }), "{error}");
    }
}

#[test]
fn sketches_of_rows_read_once_find_the_leading_components() {
    let x = mixed(600, 300, 22);
    let exact = fit(&leading(Solver::Full, 5), &x);
    let pca = leading(Solver::Sketch, 5)
        .fit(&Context::new(), &pipe(&x))
        .expect("a fit");
    let Some(Note::Sketched { error }) = pca.notes().first() else {
        panic!("{:?}", pca.notes())
    };
    assert!((1e-4..0.5).contains(error), "{error}");
    let first = exact.spectrum().singular_values[0];
    for (a, b) in exact
        .spectrum()
        .singular_values
        .iter()
        .zip(&pca.spectrum().singular_values)
    {
        assert!(
            (a - b).abs() <= 2.0 * error * first,
            "{a} against {b}, estimate {error}"
        );
    }
    assert!(
        (exact.spectrum().total_variance() / pca.spectrum().total_variance() - 1.0).abs() < 1e-10
    );
    // Data of low rank come out exactly, and the estimate says so.
    let low = Mat::from_fn(400, 200, |i, j| {
        (i % 7) as f64 * (j % 5) as f64 + (i % 3) as f64 * (j % 11) as f64 + 50.0
    });
    let exact = fit(&leading(Solver::Full, 2), &low);
    let pca = leading(Solver::Sketch, 2)
        .fit(&Context::new(), &pipe(&low))
        .expect("a fit");
    for (a, b) in exact
        .explained_variance()
        .iter()
        .zip(pca.explained_variance())
    {
        assert!((a / b - 1.0).abs() < 1e-9, "{a} against {b}");
    }
    let Some(Note::Sketched { error }) = pca.notes().first() else {
        panic!("{:?}", pca.notes())
    };
    assert!(*error < 1e-9, "{error}");
}

#[test]
fn sketch_estimates_are_near_the_true_error() {
    // E‖ΘR‖²/q = ‖R‖²: over twenty problems the ratio stays within what 16 Gaussian rows allow.
    for seed in 0..20 {
        let x = mixed(150, 80, 100 + seed);
        let exact = fit(&with_solver(Solver::Full), &x).spectrum().clone();
        let options = PcaOptions {
            seed,
            ..leading(Solver::Sketch, 4)
        };
        let pca = options
            .fit(&Context::new(), &Dense::new(x.view()))
            .expect("a fit");
        let Some(Note::Sketched { error }) = pca.notes().first() else {
            panic!("{:?}", pca.notes())
        };
        // No approximation of the sketch's rank t = 17 misses less than the tail beyond it, and the paper bounds the mean
        // square of what the sketch misses by (s − 1)/(s − t − 1) · min over ρ of (t + ρ − 1)/(t − ρ − 1) · τ²(ρ + 1).
        let tail = |r: usize| {
            exact.singular_values[r..]
                .iter()
                .map(|s| s * s)
                .sum::<f64>()
        };
        let (t, s) = (17.0, 35.0);
        let bound = (1..16)
            .map(|r| (t + r as f64 - 1.0) / (t - r as f64 - 1.0) * tail(r))
            .fold(f64::INFINITY, f64::min)
            * (s - 1.0)
            / (s - t - 1.0);
        let estimate = error * pca.spectrum().singular_values[0];
        assert!(
            estimate > 0.7 * tail(17).sqrt(),
            "seed {seed}: {estimate} below {}",
            tail(17).sqrt()
        );
        assert!(
            estimate < 2.0 * bound.sqrt(),
            "seed {seed}: {estimate} far above {}",
            bound.sqrt()
        );
    }
}

#[test]
fn what_products_in_f32_blur_is_noted() {
    // Over ten million cells of f32; the third column's variance is 1e-8 of the first's: fine for f64 products, not for f32,
    // which are taken for at most a sixteenth of the components.
    let mut rng = Rng::new(13);
    let x = Mat::from_fn(210_000, 48, |_, j| {
        let deviation = [1.0, 0.8, 1e-4].get(j).copied().unwrap_or(1e-6);
        (deviation * rng.normal()) as f32
    });
    let blurred = |x: &Mat<f32>| {
        let pca = leading(Solver::Covariance, 3)
            .fit(&Context::new(), &Dense::new(x.view()))
            .expect("a fit");
        let is_blurred = |note: &Note| matches!(note, Note::BelowResolution { first: 3, .. });
        pca.notes().iter().any(is_blurred)
    };
    assert!(blurred(&x));
    let few = Mat::from_fn(2000, 48, |i, j| x[(i, j)]);
    assert!(!blurred(&few));
}

#[test]
fn qr_keeps_what_squaring_loses() {
    // Singular values 1 … 1e-10 of a tall matrix: the covariance sees nothing below 1e-8.
    let mut rng = Rng::new(12);
    let n = 4000;
    let x = Mat::from_fn(n, 6, |_, j| rng.normal() * 10f64.powi(-2 * j as i32));
    let exact = fit(&with_solver(Solver::Full), &x)
        .spectrum()
        .singular_values
        .clone();
    let qr = fit(&with_solver(Solver::Qr), &x)
        .spectrum()
        .singular_values
        .clone();
    for (a, b) in exact.iter().zip(&qr) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a:e} against {b:e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_certificate_is_never_broken(
        n in 20usize..120, d in 20usize..60, k in 1usize..6, seed in any::<u64>(), exponent in 2i32..9
    ) {
        let x = mixed(n, d, seed);
        let exact = fit(&leading(Solver::Full, k), &x);
        let tolerance = 10f64.powi(-exponent);
        for solver in ITERATIVE {
            let pca = fit(&PcaOptions { tolerance: Some(tolerance), ..leading(solver, k) }, &x);
            let spectrum = pca.spectrum();
            prop_assert!(spectrum.residuals.iter().all(|r| *r <= tolerance * 1.01));
            // Every eigenvalue lies within its residual of a true one, the leading ones of the leading ones.
            let first = exact.explained_variance()[0];
            if let Some(angle) = spectrum.angle {
                prop_assert!(sine(pca.components(), exact.components()) <= angle.sin() + 1e-9);
                for (a, b) in exact.explained_variance().iter().zip(pca.explained_variance()) {
                    prop_assert!((a - b).abs() <= (k as f64).sqrt() * tolerance * first * 1.01 + 1e-12 * first);
                }
            }
        }
    }
}

#[test]
fn iterative_solvers_give_the_same_bits_on_any_number_of_threads() {
    let x = mixed(6000, 40, 31);
    let (indptr, indices, values, _) = sparse(3000, 60, 32);
    let view = CsrView::new(60, &indptr, &indices, &values).expect("a sparse matrix");
    for solver in [
        Solver::Partial,
        Solver::Lanczos,
        Solver::Randomized,
        Solver::Sketch,
        Solver::Qr,
    ] {
        let bits = |threads: usize| {
            let ctx = Context::new().with_threads(threads).expect("threads");
            let dense = leading(solver, 4)
                .fit(&ctx, &Dense::new(x.view()))
                .expect("a fit");
            let sparse = leading(solver, 4)
                .fit(&ctx, &Sparse::new(view))
                .expect("a fit");
            [dense, sparse].map(|pca| {
                let spectrum = pca.spectrum();
                let numbers = spectrum
                    .vectors
                    .as_slice()
                    .iter()
                    .chain(&spectrum.singular_values);
                numbers.map(|x| x.to_bits()).collect::<Vec<u64>>()
            })
        };
        let one = bits(1);
        assert!(one == bits(2) && one == bits(8), "{solver}");
    }
}

/// So many columns and cells that products with the rows are taken in bands of columns.
#[test]
fn many_sparse_columns_give_the_same_bits_on_any_number_of_threads() {
    let (n, d) = (2500, 4200);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for j in (i % 97..d).step_by(140) {
            indices.push(j as u32);
            values.push(if i % 2 == j % 2 { 5.0 } else { 0.1 });
        }
        indptr.push(indices.len());
    }
    let view = CsrView::new(d, &indptr, &indices, &values).expect("a sparse matrix");
    let bits = |threads: usize| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let options = PcaOptions {
            tolerance: Some(1e-4),
            ..leading(Solver::Lanczos, 1)
        };
        let pca = options.fit(&ctx, &Sparse::new(view)).expect("a fit");
        assert!(pca.spectrum().residuals[0] <= 1e-4);
        let numbers = pca.spectrum().vectors.as_slice().iter();
        numbers.map(|x| x.to_bits()).collect::<Vec<u64>>()
    };
    let one = bits(1);
    assert!(one == bits(2) && one == bits(8));
}
