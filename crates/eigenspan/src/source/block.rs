//! A run of rows, and the few things the rest of the crate may ask of it. The only file that matches on storage.

use crate::mat::{Mat, MatView, Real};

/// A run of rows as it lies in memory.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Block<'a, T> {
    /// Every cell is there.
    Dense(MatView<'a, T>),
}

/// A block with its place in the table and the weights of its rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T> {
    /// Number of the first row within the whole table, from 0.
    pub first: usize,
    /// The cells.
    pub block: Block<'a, T>,
    /// One weight per row; without them every row weighs 1.
    pub weights: Option<&'a [f64]>,
}

impl<T: Real> Block<'_, T> {
    /// Rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Block::Dense(view) => view.n_rows(),
        }
    }

    /// Columns.
    pub fn n_cols(&self) -> usize {
        match self {
            Block::Dense(view) => view.n_cols(),
        }
    }

    /// Rows `start..end`.
    pub fn slice_rows(&self, start: usize, end: usize) -> Self {
        match self {
            Block::Dense(view) => Block::Dense(view.slice_rows(start, end)),
        }
    }

    /// The rows as they lie in memory, where the cells of each are neighbors.
    pub(crate) fn rows_in_place(&self) -> Option<MatView<'_, T>> {
        match self {
            Block::Dense(view) => (view.n_rows() > 0 && view.row(0).is_some()).then_some(*view),
        }
    }

    /// One row, written out in f64.
    pub fn row_to_f64(&self, i: usize, out: &mut [f64]) {
        self.slice_rows(i, i + 1).copy_to_f64(out);
    }

    /// The cells in f64, row after row.
    pub fn copy_to_f64(&self, out: &mut [f64]) {
        match self {
            Block::Dense(view) => copy_dense(view, out, |x, _| x),
        }
    }

    /// The cells minus `shift`, in f64, row after row.
    pub fn copy_shifted(&self, shift: &[f64], out: &mut [f64]) {
        match self {
            Block::Dense(view) => copy_dense(view, out, |x, j| x - shift[j]),
        }
    }

    /// (x − center) ÷ scale for every cell, in f64, row after row.
    pub fn copy_prepared(&self, center: &[f64], scale: Option<&[f64]>, out: &mut [f64]) {
        match (self, scale) {
            (Block::Dense(view), None) => copy_dense(view, out, |x, j| x - center[j]),
            (Block::Dense(view), Some(scale)) => {
                copy_dense(view, out, |x, j| (x - center[j]) / scale[j]);
            }
        }
    }

    /// The cells in their own type, row after row.
    pub fn to_mat(&self) -> Mat<T> {
        match self {
            Block::Dense(view) => view.to_mat(),
        }
    }
}

/// Writes f(cell, column) row after row, walking memory in its own order.
fn copy_dense<T: Real>(view: &MatView<'_, T>, out: &mut [f64], f: impl Fn(f64, usize) -> f64) {
    let (n, d) = (view.n_rows(), view.n_cols());
    debug_assert_eq!(out.len(), n * d);
    if view.is_column_major() {
        // Columns lie contiguous: read them in runs short enough that the rows being written stay in cache.
        const RUN: usize = 16;
        for start in (0..n).step_by(RUN) {
            let end = (start + RUN).min(n);
            for j in 0..d {
                for i in start..end {
                    out[i * d + j] = f(view.at(i, j).to_f64(), j);
                }
            }
        }
        return;
    }
    for (i, out) in out.chunks_exact_mut(d.max(1)).enumerate() {
        match view.row(i) {
            Some(row) => {
                for (j, (out, x)) in out.iter_mut().zip(row).enumerate() {
                    *out = f(x.to_f64(), j);
                }
            }
            None => {
                for (j, out) in out.iter_mut().enumerate() {
                    *out = f(view.at(i, j).to_f64(), j);
                }
            }
        }
    }
}

impl<'a, T> From<MatView<'a, T>> for Block<'a, T> {
    fn from(view: MatView<'a, T>) -> Self {
        Block::Dense(view)
    }
}
