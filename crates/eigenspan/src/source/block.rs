//! A run of rows, and the few operations that the rest of the crate may use on it. The only file that matches on storage.

use std::ops::Range;

use super::shifted::{ShiftedRows, Shifts, SparseSums};
use super::sparse::CsrView;
use super::sparse_products::{add_gram, for_each_shifted, prepared_squares, prepared_times};
use crate::linalg::{
    BandedRows, Columns, Loops, Scratch, add_product, add_sparse_gram_times, panel_rows,
    prefetch_all, with_wide_registers,
};
use crate::mat::{Mat, MatView, Real};

/// A run of rows as it is stored in memory.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Block<'a, T> {
    /// All cells, also zeros.
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

/// The factors of a product with rows: vectors Q, the center of the rows, and centerᵀ·Q.
pub(crate) struct GramTimes<'a> {
    pub(crate) q: &'a Columns,
    pub(crate) center: &'a [f64],
    pub(crate) offset: &'a [f64],
    /// Columns of sparse rows from which the center is subtracted cell by cell, and centerᵀ·Q of all others.
    pub(crate) shifts: &'a Shifts,
    pub(crate) sparse_offset: &'a [f64],
    /// Whether rows lie so near zero, compared with their spread, that the center may be subtracted from the products instead.
    pub(crate) direct: bool,
}

/// The sums of products of rows.
pub(crate) struct GramSums {
    pub(crate) z: Columns,
    /// 1ᵀWPQ of dense rows, and of sparse rows whose center has not been subtracted in `z`.
    pub(crate) sums: Vec<f64>,
    pub(crate) sparse_sums: Vec<f64>,
    scratch: Scratch,
    shifted: ShiftedRows,
}

impl GramSums {
    /// Empty sums for vectors of this shape.
    pub(crate) fn new(q: &Columns) -> Self {
        GramSums {
            z: Columns::zeros(q.len(), q.n_cols()),
            sums: vec![0.0; q.width()],
            sparse_sums: vec![0.0; q.width()],
            scratch: Scratch::default(),
            shifted: ShiftedRows::default(),
        }
    }

    /// Adds contiguous rows without a copy: the term of their center is left out of `z`, as for sparse rows.
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

    /// The same for rows in bands, whose columns are never shifted.
    pub(crate) fn add_banded(&mut self, rows: &BandedRows, by: &GramTimes<'_>) {
        rows.add_gram_times(&mut self.z, by.q, by.sparse_offset, &mut self.sparse_sums);
    }

    /// Sparse rows: their center is left out of `z`, but for columns that were shifted.
    fn add_sparse<T: Real>(
        &mut self,
        view: &CsrView<'_, T>,
        by: &GramTimes<'_>,
        weights: Option<&[f64]>,
    ) {
        let rows = weighted_rows(view, weights);
        assert_eq!(view.n_cols, by.q.len());
        // SAFETY: a `CsrView` has no column outside the matrix; that is checked where it is made.
        unsafe {
            let (z, sums) = (&mut self.z, &mut self.sparse_sums);
            add_sparse_gram_times(z, rows, by.q, by.sparse_offset, sums);
        }
    }

    pub(crate) fn merge(&mut self, other: &GramSums) {
        self.z.add(&other.z);
        let add = |to: &mut [f64], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        };
        add(&mut self.sums, &other.sums);
        add(&mut self.sparse_sums, &other.sparse_sums);
    }
}

/// Columns, values and weight of every row whose weight is not zero; the cells of other rows are ignored.
fn weighted_rows<'a, T: Real>(
    view: &'a CsrView<'_, T>,
    weights: Option<&'a [f64]>,
) -> impl Iterator<Item = (&'a [u32], &'a [T], f64)> {
    let row = move |i: usize| {
        let (columns, values) = view.row(i);
        (columns, values, weights.map_or(1.0, |w| w[i]))
    };
    let rows = (0..view.n_rows()).map(row);
    rows.filter(|(_, _, weight)| *weight != 0.0)
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

    /// Sparse rows, copied into bands of columns.
    pub(crate) fn banded(&self, weights: Option<&[f64]>) -> Option<BandedRows> {
        match self {
            Block::Dense(_) => None,
            Block::Sparse(view) => {
                let rows = weighted_rows(view, weights);
                Some(BandedRows::new(view.n_cols, rows))
            }
        }
    }

    /// Dense rows where they lie, of any strides.
    pub(crate) fn dense(&self) -> Option<MatView<'_, T>> {
        match self {
            Block::Dense(view) => Some(*view),
            Block::Sparse(_) => None,
        }
    }

    /// Sparse rows where they lie.
    pub(crate) fn sparse(&self) -> Option<CsrView<'_, T>> {
        match self {
            Block::Dense(_) => None,
            Block::Sparse(view) => Some(*view),
        }
    }

    /// The rows without a copy, if the cells of each row are contiguous.
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
    /// The next rows are prefetched: in a wide table each row lies pages away from the one before it.
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
                Some(row) => with_wide_registers(Subtract { row, center, out }),
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
                // A slice of rows shares the cells of the whole matrix; only its own cells are converted.
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
            Block::Sparse(view) => prepared_times(view, center, scale, b),
        }
    }

    /// X·B for the rows as they are and a map B (d × k) of which most cells are zero, as compressed rows: each cell of a row meets only
    /// the cells of B in its line. A row with a cell that is not finite gives NaN.
    pub(crate) fn times_sparse(&self, map: &CsrView<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.n_rows(), map.n_cols);
        let add = |out: &mut [f64], j: usize, x: f64| {
            if !x.is_finite() {
                out.fill(f64::NAN);
            } else if x != 0.0 {
                let (places, weights) = map.row(j);
                for (&c, weight) in places.iter().zip(weights) {
                    out[c as usize] += weight * x;
                }
            }
        };
        match self {
            Block::Dense(view) => {
                for i in 0..view.n_rows() {
                    let out = out.row_mut(i);
                    (0..view.n_cols()).for_each(|j| add(out, j, view.at(i, j).to_f64()));
                }
            }
            Block::Sparse(view) => {
                for i in 0..view.n_rows() {
                    let ((columns, values), out) = (view.row(i), out.row_mut(i));
                    let cells = columns.iter().zip(values);
                    cells.for_each(|(&j, x)| add(out, j as usize, x.to_f64()));
                }
            }
        }
        out
    }

    /// Whether every cell is finite.
    pub(crate) fn is_finite(&self) -> bool {
        let finite = |x: &T| x.to_f64().is_finite();
        match self {
            Block::Dense(view) => (0..view.n_rows()).all(|i| match view.row(i) {
                Some(row) => row.iter().all(finite),
                None => (0..view.n_cols()).all(|j| finite(&view.at(i, j))),
            }),
            Block::Sparse(view) => (0..view.n_rows()).all(|i| view.row(i).1.iter().all(finite)),
        }
    }

    /// For a sparse block, ‖p‖² of its prepared rows p = (x − center) ÷ scale: the norm of a row of zeros, corrected by the
    /// cells that are not zero. A dense block is written out instead.
    pub(crate) fn sparse_squares(&self, center: &[f64], scale: Option<&[f64]>) -> Option<Vec<f64>> {
        match self {
            Block::Dense(_) => None,
            Block::Sparse(view) => Some(prepared_squares(view, center, scale)),
        }
    }

    /// For a sparse block, its weighted sums; a dense block is summed about a shift instead.
    pub(crate) fn sparse_sums(&self, weights: Option<&[f64]>) -> Option<SparseSums> {
        match self {
            Block::Dense(_) => None,
            Block::Sparse(view) => Some(SparseSums::new(view, weights)),
        }
    }

    /// For a sparse block, adds Σ w·x·xᵀ (about zero, with columns shifted) to the lower triangle of `c`.
    pub(crate) fn add_sparse_gram(
        &self,
        weights: Option<&[f64]>,
        shifts: &Shifts,
        c: &mut Mat<f64>,
    ) {
        if let Block::Sparse(view) = self {
            add_gram(view, weights, shifts, c);
        }
    }

    /// Adds PᵀW(P·Q) to `z`, for prepared rows P = (X − 1·centerᵀ) and row weights W.
    ///
    /// Rows that are not centered cell by cell leave −center·(1ᵀWPQ) out of `z` and add 1ᵀWPQ to the sums instead.
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
            Block::Sparse(view) if by.shifts.is_empty() => to.add_sparse(view, by, weights),
            Block::Sparse(view) => {
                let mut shifted = std::mem::take(&mut to.shifted);
                for_each_shifted(view, by.shifts, &mut shifted, |start, rows| {
                    let weights = weights.map(|w| &w[start..start + rows.n_rows()]);
                    to.add_sparse(&rows, by, weights);
                });
                to.shifted = shifted;
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

/// out = row − center, in f64.
struct Subtract<'a, T> {
    row: &'a [T],
    center: &'a [f64],
    out: &'a mut [f64],
}

impl<T: Real> Loops for Subtract<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for ((out, x), m) in self.out.iter_mut().zip(self.row).zip(self.center) {
            *out = x.to_f64() - m;
        }
    }
}
