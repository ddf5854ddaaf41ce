//! Matrix products, in tiles of fixed size shared among the threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

use super::{add_gram, backend};
use crate::mat::{Mat, MatView};
use crate::parallel;

/// Rows of the result that one thread computes at a time.
const TILE: usize = 256;

/// A·B.
pub fn product(a: MatView<'_, f64>, b: MatView<'_, f64>) -> Mat<f64> {
    debug_assert_eq!(a.n_cols(), b.n_rows());
    let (m, n) = (a.n_rows(), b.n_cols());
    if m < TILE && n > TILE {
        return wide_product(a, b);
    }
    if m < TILE && n > m {
        // Few rows and many columns: tiles are cut from the columns instead, as rows of (A·B)ᵀ = Bᵀ·Aᵀ.
        return product(b.transposed(), a.transposed()).transposed();
    }
    let mut out = Mat::zeros(m, n);
    if m == 0 || n == 0 {
        return out;
    }
    let tile = |start: usize, out: &mut [f64]| {
        let rows = out.len() / n;
        matmul(
            MatMut::from_row_major_slice_mut(out, rows, n),
            Accum::Replace,
            backend(&a.slice_rows(start, start + rows)),
            backend(&b),
            1.0,
            Par::Seq,
        );
    };
    if m <= TILE {
        tile(0, out.as_mut_slice());
    } else {
        parallel::each_chunk(out.as_mut_slice(), TILE * n, |i, out| tile(i * TILE, out));
    }
    out
}

/// A·B of few rows and many columns: tiles are cut from the columns.
fn wide_product(a: MatView<'_, f64>, b: MatView<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.n_rows(), b.n_cols());
    if a.n_rows() == 0 || a.n_cols() == 0 {
        return out;
    }
    let all = MatMut::from_row_major_slice_mut(out.as_mut_slice(), a.n_rows(), b.n_cols());
    let (mut rest, b) = (Some(all), backend(&b));
    let tiles = (0..b.ncols()).step_by(TILE).filter_map(|from| {
        let (tile, others) = rest.take()?.split_at_col_mut(TILE.min(b.ncols() - from));
        rest = Some(others);
        let b = b.subcols(from, tile.ncols());
        Some((tile, b))
    });
    parallel::collect_of(tiles, |(out, b)| {
        matmul(out, Accum::Replace, backend(&a), b, 1.0, Par::Seq);
    });
    out
}

/// A·Bᵀ.
pub fn times_transposed(a: MatView<'_, f64>, b: MatView<'_, f64>) -> Mat<f64> {
    product(a, b.transposed())
}

/// C += A·B, on this thread alone.
pub fn add_product(c: &mut Mat<f64>, a: MatView<'_, f64>, b: MatView<'_, f64>) {
    let (m, n) = (c.n_rows(), c.n_cols());
    debug_assert!(a.n_rows() == m && b.n_cols() == n && a.n_cols() == b.n_rows());
    if m == 0 || n == 0 {
        return;
    }
    matmul(
        MatMut::from_row_major_slice_mut(c.as_mut_slice(), m, n),
        Accum::Add,
        backend(&a),
        backend(&b),
        1.0,
        Par::Seq,
    );
}

/// A·B, written row after row to `out`, on this thread alone.
pub(crate) fn write_product(out: &mut [f64], a: MatView<'_, f64>, b: MatView<'_, f64>) {
    let (m, n) = (a.n_rows(), b.n_cols());
    debug_assert!(out.len() == m * n && a.n_cols() == b.n_rows());
    if m == 0 || n == 0 {
        return;
    }
    matmul(
        MatMut::from_row_major_slice_mut(out, m, n),
        Accum::Replace,
        backend(&a),
        backend(&b),
        1.0,
        Par::Seq,
    );
}

/// Columns that are multiplied together, and runs of columns that may be multiplied in parallel.
const STRIPE: usize = 256;
const RUNS: usize = 8;

/// The lower triangle of X·Xᵀ, which takes half the work of the whole product.
pub fn gram_of_rows(x: &Mat<f64>) -> Mat<f64> {
    let (n, d) = (x.n_rows(), x.n_cols());
    let run_of = |run: usize| {
        let mut gram = Mat::zeros(n, n);
        let (start, end) = (run * d / RUNS, (run + 1) * d / RUNS);
        let mut stripe = Mat::zeros(STRIPE.min(end - start), n);
        for from in (start..end).step_by(STRIPE) {
            let count = STRIPE.min(end - from);
            // Copied in squares of cells, so that the cells of one column become adjacent.
            const SQUARE: usize = 32;
            for rows in (0..n).step_by(SQUARE) {
                for cols in (0..count).step_by(SQUARE) {
                    for i in rows..(rows + SQUARE).min(n) {
                        let row = &x.row(i)[from..from + count];
                        for j in cols..(cols + SQUARE).min(count) {
                            stripe[(j, i)] = row[j];
                        }
                    }
                }
            }
            add_gram(&mut gram, stripe.view().slice_rows(0, count));
        }
        gram
    };
    let runs: Vec<Mat<f64>> = parallel::collect(RUNS, run_of);
    let mut runs = runs.into_iter();
    let mut total = runs.next().unwrap_or_default();
    for run in runs {
        total
            .as_mut_slice()
            .iter_mut()
            .zip(run.as_slice())
            .for_each(|(a, b)| *a += b);
    }
    total
}

/// Some columns of a matrix, which one thread writes while other threads write other columns.
pub(crate) struct ColumnsMut<'a>(MatMut<'a, f64>);

impl<'a> ColumnsMut<'a> {
    /// Cuts a matrix before each of the columns `cuts`, which are in rising order.
    pub(crate) fn cut(matrix: &'a mut Mat<f64>, cuts: &[usize]) -> Vec<Self> {
        let (m, n) = (matrix.n_rows(), matrix.n_cols());
        let mut rest = MatMut::from_row_major_slice_mut(matrix.as_mut_slice(), m, n);
        let mut parts = Vec::with_capacity(cuts.len() + 1);
        let mut done = 0;
        for &cut in cuts {
            let (part, after) = rest.split_at_col_mut(cut - done);
            parts.push(ColumnsMut(part));
            (rest, done) = (after, cut);
        }
        parts.push(ColumnsMut(rest));
        parts
    }

    /// Writes A·B to the columns from `from` on, on this thread alone.
    pub(crate) fn write_product(&mut self, from: usize, a: MatView<'_, f64>, b: MatView<'_, f64>) {
        let out = self.0.as_mut().subcols_mut(from, b.n_cols());
        matmul(out, Accum::Replace, backend(&a), backend(&b), 1.0, Par::Seq);
    }
}
