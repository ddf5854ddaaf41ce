//! Matrix products, in tiles of fixed size shared among the threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::{add_gram, backend};
use crate::mat::{Mat, MatView};

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
        out.as_mut_slice()
            .par_chunks_mut(TILE * n)
            .enumerate()
            .for_each(|(i, out)| tile(i * TILE, out));
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
    let tiles = all.par_col_chunks_mut(TILE);
    tiles
        .zip(backend(&b).par_col_chunks(TILE))
        .for_each(|(out, b)| matmul(out, Accum::Replace, backend(&a), b, 1.0, Par::Seq));
    out
}

/// A·Bᵀ.
pub fn times_transposed(a: MatView<'_, f64>, b: MatView<'_, f64>) -> Mat<f64> {
    product(a, b.transposed())
}

/// The length of each row of |A|·|B|, or a little more: the product is taken in f32, and its rounding is added.
pub(crate) fn absolute_product_norms(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    let (m, n, inner) = (a.n_rows(), b.n_cols(), b.n_rows());
    debug_assert_eq!(a.n_cols(), inner);
    let largest = |x: &Mat<f64>| x.as_slice().iter().fold(0.0f64, |l, x| l.max(x.abs()));
    let (unit_a, unit_b) = (largest(a), largest(b));
    if unit_a == 0.0 || unit_b == 0.0 {
        return vec![0.0; m];
    }
    let scaled = |x: &Mat<f64>, unit: f64| -> Vec<f32> {
        let cells = x.as_slice().par_iter();
        cells.map(|x| (x.abs() / unit) as f32).collect()
    };
    let (a, b) = (scaled(a, unit_a), scaled(b, unit_b));
    // Cells are rounded once each, and sums of terms that are not negative once for each term; what falls below the range of
    // f32 is left out of a sum, of which there are n in a row.
    let rounding = 1.0 + (inner + 8) as f64 * f64::from(f32::EPSILON);
    let faded = 4.0 * f64::from(f32::MIN_POSITIVE) * inner as f64 * (n as f64).sqrt();
    let norms = a.par_chunks(TILE * inner).flat_map_iter(|a| {
        let rows = a.len() / inner;
        let mut out = vec![0.0f32; rows * n];
        matmul(
            MatMut::from_row_major_slice_mut(&mut out, rows, n),
            Accum::Replace,
            MatRef::from_row_major_slice(a, rows, inner),
            MatRef::from_row_major_slice(&b, inner, n),
            1.0,
            Par::Seq,
        );
        let length = |row: &[f32]| {
            row.iter()
                .map(|x| f64::from(*x).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let bound = |row| (length(row) * rounding + faded) * unit_a * unit_b;
        out.chunks(n).map(bound).collect::<Vec<f64>>()
    });
    norms.collect()
}

/// C += A·B, by this thread alone.
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

/// A·B, written row after row to `out` by this thread alone.
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

/// Columns that are multiplied together, and runs of them that may be multiplied at the same time.
const STRIPE: usize = 256;
const RUNS: usize = 8;

/// The lower triangle of X·Xᵀ, which is half the work of the whole.
pub fn gram_of_rows(x: &Mat<f64>) -> Mat<f64> {
    let (n, d) = (x.n_rows(), x.n_cols());
    let run_of = |run: usize| {
        let mut gram = Mat::zeros(n, n);
        let (start, end) = (run * d / RUNS, (run + 1) * d / RUNS);
        let mut stripe = Mat::zeros(STRIPE.min(end - start), n);
        for from in (start..end).step_by(STRIPE) {
            let count = STRIPE.min(end - from);
            // Copied so that the cells of one column are neighbors, a square of cells at a time.
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
    let runs: Vec<Mat<f64>> = (0..RUNS).into_par_iter().map(run_of).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::norm;
    use crate::rng::Rng;

    #[test]
    fn lengths_of_absolute_products_are_never_too_short() {
        let mut rng = Rng::new(3);
        for (m, inner, n) in [(1, 1, 1), (3, 40, 7), (300, 90, 90), (5, 700, 700)] {
            for power in [0, 20, 45, 200] {
                // Columns from 1 down to 10^-power, which f32 cannot hold.
                let fade = |j: usize| 10f64.powi(-((j * power / inner) as i32));
                let a = Mat::from_fn(m, inner, |_, _| rng.normal());
                let b = Mat::from_fn(inner, n, |i, j| rng.normal() * fade(i) * fade(j));
                let absolute =
                    |x: &Mat<f64>| Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x[(i, j)].abs());
                let exact = product(absolute(&a).view(), absolute(&b).view());
                let bounds = absolute_product_norms(&a, &b);
                assert_eq!(bounds.len(), m);
                for (row, bound) in exact.rows().zip(bounds) {
                    let exact = norm(row);
                    assert!(bound >= exact * (1.0 - 1e-12), "{bound} for {exact}");
                    assert!(bound <= exact * 1.001 + 1e-30, "{bound} for {exact}");
                }
            }
        }
    }

    #[test]
    fn a_product_with_nothing_has_no_length() {
        let bounds = absolute_product_norms(&Mat::zeros(2, 3), &Mat::zeros(3, 4));
        assert_eq!(bounds, [0.0, 0.0]);
    }
}
