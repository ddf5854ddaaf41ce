//! A run of rows, and the few things the rest of the crate may ask of it. The only file that matches on storage.

use std::ops::Range;

use super::sparse::CsrView;
use crate::linalg::{
    Columns, Scratch, add_product, add_sparse_gram_times, panel_rows, prefetch_all,
};
use crate::mat::{Mat, MatView, Real};

/// A run of rows as it lies in memory.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Block<'a, T> {
    /// Every cell is there.
    Dense(MatView<'a, T>),
    /// Only the cells that are not zero are there.
    Sparse(CsrView<'a, T>),
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

/// What rows are multiplied with: vectors Q, the center of the rows, and centerᵀ·Q.
pub(crate) struct GramTimes<'a> {
    pub(crate) q: &'a Columns,
    pub(crate) center: &'a [f64],
    pub(crate) offset: &'a [f64],
    /// Whether rows are so near their center that it may be taken from the products instead.
    pub(crate) direct: bool,
}

/// What products of rows sum up to.
pub(crate) struct GramSums {
    pub(crate) z: Columns,
    pub(crate) sums: Vec<f64>,
    scratch: Scratch,
}

impl GramSums {
    /// Nothing yet, for vectors like these.
    pub(crate) fn new(q: &Columns) -> Self {
        GramSums {
            z: Columns::zeros(q.len(), q.n_cols()),
            sums: vec![0.0; q.width()],
            scratch: Scratch::default(),
        }
    }

    /// Rows as they lie in memory: their center is left out of `z`, as it is for sparse rows.
    fn add_direct(&mut self, cells: &[f64], by: &GramTimes<'_>, weights: Option<&[f64]>) {
        let d = by.q.len();
        let step = panel_rows(d);
        for (i, panel) in cells.chunks(step * d).enumerate() {
            let weights = weights.map(|w| &w[i * step..i * step + panel.len() / d]);
            self.scratch.add_gram_times(
                &mut self.z,
                panel,
                by.q,
                weights,
                Some((by.offset, &mut self.sums)),
            );
        }
    }

    pub(crate) fn merge(&mut self, other: &GramSums) {
        self.z.add(&other.z);
        let other = other.sums.iter();
        self.sums.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }
}

/// Weighted sums over the rows of a sparse block.
#[derive(Debug)]
pub(crate) struct SparseSums {
    pub(crate) sum: Vec<f64>,
    pub(crate) squares: Vec<f64>,
}

impl<'a, T> From<MatView<'a, T>> for Block<'a, T> {
    fn from(view: MatView<'a, T>) -> Self {
        Block::Dense(view)
    }
}

impl<T: Real> Block<'_, T> {
    /// Rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Block::Dense(view) => view.n_rows(),
            Block::Sparse(view) => view.n_rows(),
        }
    }

    /// Columns.
    pub fn n_cols(&self) -> usize {
        match self {
            Block::Dense(view) => view.n_cols(),
            Block::Sparse(view) => view.n_cols,
        }
    }

    /// Rows `start..end`.
    pub fn slice_rows(&self, start: usize, end: usize) -> Self {
        match self {
            Block::Dense(view) => Block::Dense(view.slice_rows(start, end)),
            Block::Sparse(view) => Block::Sparse(view.slice_rows(start, end)),
        }
    }

    /// The rows as they lie in memory, where the cells of each are neighbors.
    pub(crate) fn rows_in_place(&self) -> Option<MatView<'_, T>> {
        match self {
            Block::Dense(view) => (view.n_rows() > 0 && view.row(0).is_some()).then_some(*view),
            Block::Sparse(_) => None,
        }
    }

    /// One row, written out in f64.
    pub fn row_to_f64(&self, i: usize, out: &mut [f64]) {
        self.slice_rows(i, i + 1).copy_to_f64(out);
    }

    /// The cells in f64, row after row.
    pub fn copy_to_f64(&self, out: &mut [f64]) {
        self.copy_map(out, |x, _| x);
    }

    /// The cells minus `shift`, in f64, row after row.
    pub fn copy_shifted(&self, shift: &[f64], out: &mut [f64]) {
        self.copy_map(out, |x, j| x - shift[j]);
    }

    /// (x − center) ÷ scale for every cell, in f64, row after row.
    pub fn copy_prepared(&self, center: &[f64], scale: Option<&[f64]>, out: &mut [f64]) {
        match scale {
            None => self.copy_map(out, |x, j| x - center[j]),
            Some(scale) => self.copy_map(out, |x, j| (x - center[j]) / scale[j]),
        }
    }

    /// (x − center) ÷ scale, times the root of the row's weight, for a few neighboring columns, row after row.
    ///
    /// The next rows are asked for ahead: in wide rows each lies pages away from the one before it.
    pub(crate) fn copy_prepared_columns(
        &self,
        columns: Range<usize>,
        (center, scale): (&[f64], Option<&[f64]>),
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) {
        const AHEAD: usize = 12;
        let (center, scale) = (&center[columns.clone()], scale.map(|s| &s[columns.clone()]));
        let slice = |i: usize| match self {
            Block::Dense(view) if i < view.n_rows() => view.row(i).map(|row| &row[columns.clone()]),
            _ => None,
        };
        for (i, out) in out.chunks_exact_mut(columns.len().max(1)).enumerate() {
            if let Some(ahead) = slice(i + AHEAD) {
                prefetch_all(ahead);
            }
            match slice(i) {
                Some(row) => {
                    for ((out, x), m) in out.iter_mut().zip(row).zip(center) {
                        *out = x.to_f64() - m;
                    }
                }
                None => {
                    for ((out, j), m) in out.iter_mut().zip(columns.clone()).zip(center) {
                        *out = self.at(i, j) - m;
                    }
                }
            }
            if let Some(scale) = scale {
                out.iter_mut().zip(scale).for_each(|(x, s)| *x /= s);
            }
            if let Some(weights) = weights {
                let root = weights[i].sqrt();
                out.iter_mut().for_each(|x| *x *= root);
            }
        }
    }

    /// One cell.
    fn at(&self, i: usize, j: usize) -> f64 {
        match self {
            Block::Dense(view) => view.at(i, j).to_f64(),
            Block::Sparse(view) => {
                let (columns, values) = view.row(i);
                let place = columns.binary_search(&(j as u32));
                place.map_or(0.0, |place| values[place].to_f64())
            }
        }
    }

    /// The cells in their own type, row after row.
    pub fn to_mat(&self) -> Mat<T> {
        match self {
            Block::Dense(view) => view.to_mat(),
            Block::Sparse(view) => {
                let mut out = Mat::zeros(view.n_rows(), view.n_cols);
                for i in 0..view.n_rows() {
                    let (columns, values) = view.row(i);
                    let row = out.row_mut(i);
                    columns
                        .iter()
                        .zip(values)
                        .for_each(|(&j, &x)| row[j as usize] = x);
                }
                out
            }
        }
    }

    /// Hands some rows, in the order given, to `take` as a block of their own; a sparse block stays sparse.
    pub fn with_rows<R>(&self, rows: &[usize], take: impl FnOnce(Block<'_, T>) -> R) -> R {
        match self {
            Block::Dense(view) => {
                let picked = Mat::from_fn(rows.len(), view.n_cols(), |i, j| view.at(rows[i], j));
                take(Block::Dense(picked.view()))
            }
            Block::Sparse(view) => {
                let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
                for &row in rows {
                    let (columns, cells) = view.row(row);
                    indices.extend_from_slice(columns);
                    values.extend_from_slice(cells);
                    indptr.push(values.len());
                }
                take(Block::Sparse(CsrView {
                    n_cols: view.n_cols,
                    indptr: &indptr,
                    indices: &indices,
                    values: &values,
                }))
            }
        }
    }

    /// Hands the same cells to `take` in f64; a sparse block stays sparse.
    pub fn with_f64<R>(&self, take: impl FnOnce(Block<'_, f64>) -> R) -> R {
        match self {
            Block::Dense(view) => {
                let mut wide = Mat::zeros(view.n_rows(), view.n_cols());
                self.copy_to_f64(wide.as_mut_slice());
                take(Block::Dense(wide.view()))
            }
            Block::Sparse(view) => {
                // A slice of rows shares the cells of the whole; only its own are turned.
                let start = view.indptr.first().copied().unwrap_or_default();
                let end = view.indptr.last().copied().unwrap_or_default();
                let indptr: Vec<usize> = view.indptr.iter().map(|at| at - start).collect();
                let values: Vec<f64> = view.values[start..end].iter().map(|x| x.to_f64()).collect();
                take(Block::Sparse(CsrView {
                    n_cols: view.n_cols,
                    indptr: &indptr,
                    indices: &view.indices[start..end],
                    values: &values,
                }))
            }
        }
    }

    /// P·B for the prepared rows P = (X − 1·centerᵀ)·diag(scale)⁻¹. A sparse block is never written out.
    pub fn prepared_times(&self, center: &[f64], scale: Option<&[f64]>, b: &Mat<f64>) -> Mat<f64> {
        match self {
            Block::Dense(_) => {
                let mut panel = Mat::zeros(self.n_rows(), self.n_cols());
                self.copy_prepared(center, scale, panel.as_mut_slice());
                let mut out = Mat::zeros(self.n_rows(), b.n_cols());
                add_product(&mut out, panel.view(), b.view());
                out
            }
            Block::Sparse(view) => {
                // P·B = X·(diag(scale)⁻¹B) − 1·(centerᵀ diag(scale)⁻¹B).
                let scaled = scale.map(|scale| divided(b, scale));
                let b = scaled.as_ref().unwrap_or(b);
                let offset = combination(center, b);
                let mut out = Mat::zeros(view.n_rows(), b.n_cols());
                for i in 0..view.n_rows() {
                    sparse_row_times(view, i, b, &offset, out.row_mut(i));
                }
                out
            }
        }
    }

    /// For a sparse block, ‖p‖² of its prepared rows p = (x − center) ÷ scale: that of a row of zeros, and what the other cells
    /// change about it. A dense one is written out instead.
    pub(crate) fn sparse_squares(&self, center: &[f64], scale: Option<&[f64]>) -> Option<Vec<f64>> {
        let Block::Sparse(view) = self else {
            return None;
        };
        let square = |x: f64, j: usize| ((x - center[j]) / scale.map_or(1.0, |s| s[j])).powi(2);
        let zeros: f64 = (0..view.n_cols).map(|j| square(0.0, j)).sum();
        let of_row = |i: usize| {
            let (columns, values) = view.row(i);
            let cells = columns.iter().zip(values);
            let change = cells.map(|(&j, x)| {
                let j = j as usize;
                square(x.to_f64(), j) - square(0.0, j)
            });
            // Rounding is no square; NaN stays what it is.
            match zeros + change.sum::<f64>() {
                below if below < 0.0 => 0.0,
                square => square,
            }
        };
        Some((0..view.n_rows()).map(of_row).collect())
    }

    /// For a sparse block, its weighted sums; a dense one is summed about a shift instead.
    pub(crate) fn sparse_sums(&self, weights: Option<&[f64]>) -> Option<SparseSums> {
        let Block::Sparse(view) = self else {
            return None;
        };
        let mut sums = SparseSums {
            sum: vec![0.0; view.n_cols],
            squares: vec![0.0; view.n_cols],
        };
        for i in 0..view.n_rows() {
            let weight = weights.map_or(1.0, |w| w[i]);
            if weight == 0.0 {
                continue;
            }
            let (columns, values) = view.row(i);
            for (&j, x) in columns.iter().zip(values) {
                let (j, x) = (j as usize, x.to_f64());
                sums.sum[j] += weight * x;
                sums.squares[j] += weight * x * x;
            }
        }
        Some(sums)
    }

    /// For a sparse block, adds Σ w·x·xᵀ (about zero) to the lower triangle of `c`; false for a dense one.
    pub(crate) fn add_sparse_gram(&self, weights: Option<&[f64]>, c: &mut Mat<f64>) -> bool {
        let Block::Sparse(view) = self else {
            return false;
        };
        for i in 0..view.n_rows() {
            let weight = weights.map_or(1.0, |w| w[i]);
            if weight == 0.0 {
                continue;
            }
            let (columns, values) = view.row(i);
            for (a, x) in columns
                .iter()
                .zip(values)
                .enumerate()
                .map(|(a, (_, x))| (a, weight * x.to_f64()))
            {
                let row = c.row_mut(columns[a] as usize);
                // Columns rise within a row, so these lie in the lower triangle.
                for (&j, y) in columns[..=a].iter().zip(values) {
                    row[j as usize] += x * y.to_f64();
                }
            }
        }
        true
    }

    /// Adds PᵀW(P·Q) to `z`, for prepared rows P = (X − 1·centerᵀ) and row weights W.
    ///
    /// A sparse block leaves −center·(1ᵀWPQ) out of `z` and adds 1ᵀWPQ to `sums` instead; `offset` is centerᵀ·Q.
    pub(crate) fn add_gram_times(
        &self,
        by: &GramTimes<'_>,
        weights: Option<&[f64]>,
        to: &mut GramSums,
    ) {
        match self {
            Block::Dense(view) => {
                let in_place = view.contiguous().and_then(T::as_f64s);
                if let Some(cells) = in_place.filter(|_| by.direct) {
                    to.add_direct(cells, by, weights);
                    return;
                }
                let step = panel_rows(view.n_cols());
                for start in (0..view.n_rows()).step_by(step) {
                    let end = (start + step).min(view.n_rows());
                    to.scratch.panel.resize((end - start) * view.n_cols(), 0.0);
                    let rows = view.slice_rows(start, end);
                    copy_dense(&rows, &mut to.scratch.panel, |x, j| x - by.center[j]);
                    let weights = weights.map(|w| &w[start..end]);
                    to.scratch.add_own_gram_times(&mut to.z, by.q, weights);
                }
            }
            Block::Sparse(view) => {
                let rows = (0..view.n_rows()).map(|i| {
                    let (columns, values) = view.row(i);
                    (columns, values, weights.map_or(1.0, |w| w[i]))
                });
                assert_eq!(view.n_cols, by.q.len());
                // SAFETY: a `CsrView` has no column outside the matrix; that is checked where it is made.
                unsafe {
                    add_sparse_gram_times(&mut to.z, rows, by.q, by.offset, &mut to.sums);
                }
            }
        }
    }

    /// Writes f(cell, column) row after row.
    fn copy_map(&self, out: &mut [f64], f: impl Fn(f64, usize) -> f64) {
        match self {
            Block::Dense(view) => copy_dense(view, out, f),
            Block::Sparse(view) => {
                for (i, out) in out.chunks_exact_mut(view.n_cols.max(1)).enumerate() {
                    out.iter_mut()
                        .enumerate()
                        .for_each(|(j, out)| *out = f(0.0, j));
                    let (columns, values) = view.row(i);
                    for (&j, x) in columns.iter().zip(values) {
                        out[j as usize] = f(x.to_f64(), j as usize);
                    }
                }
            }
        }
    }
}

/// y += x·B − offset for row i.
fn sparse_row_times<T: Real>(
    view: &CsrView<'_, T>,
    i: usize,
    b: &Mat<f64>,
    offset: &[f64],
    y: &mut [f64],
) {
    let (columns, values) = view.row(i);
    for (&j, x) in columns.iter().zip(values) {
        let x = x.to_f64();
        y.iter_mut()
            .zip(b.row(j as usize))
            .for_each(|(y, b)| *y += x * b);
    }
    y.iter_mut().zip(offset).for_each(|(y, o)| *y -= o);
}

/// The rows of B divided by `scale`.
fn divided(b: &Mat<f64>, scale: &[f64]) -> Mat<f64> {
    Mat::from_fn(b.n_rows(), b.n_cols(), |i, j| b[(i, j)] / scale[i])
}

/// centerᵀ·B.
pub(crate) fn combination(center: &[f64], b: &Mat<f64>) -> Vec<f64> {
    let mut out = vec![0.0; b.n_cols()];
    for (c, row) in center.iter().zip(b.rows()).filter(|(c, _)| **c != 0.0) {
        out.iter_mut().zip(row).for_each(|(o, b)| *o += c * b);
    }
    out
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
