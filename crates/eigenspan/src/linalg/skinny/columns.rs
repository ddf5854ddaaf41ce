//! A few vectors stored side by side, as the kernels read them.

use super::add_times;
use crate::linalg::simd::InstructionSet;
use crate::mat::Mat;
use crate::parallel;

/// Cells of each vector that are transposed together: they stay in the cache.
const SQUARE: usize = 64;

/// Cells of each vector that one thread processes at a time.
const RUN: usize = 4096;

/// A few vectors side by side: cell j of all vectors, then cell j + 1, each padded with zeros to whole registers, or to whole
/// registers and a half.
#[derive(Debug, Clone)]
pub struct Columns {
    len: usize,
    pub(super) n_cols: usize,
    pub(super) width: usize,
    pub(super) cells: Vec<f64>,
}

impl Columns {
    /// Vectors of length `len`, all zero.
    pub fn zeros(len: usize, n_cols: usize) -> Self {
        let width = InstructionSet::best().width(n_cols);
        Columns {
            len,
            n_cols,
            width,
            cells: vec![0.0; len * width],
        }
    }

    /// The columns of a matrix.
    pub fn from_mat(m: &Mat<f64>) -> Self {
        let mut out = Columns::zeros(m.n_rows(), m.n_cols());
        for (to, from) in out.cells.chunks_exact_mut(out.width.max(1)).zip(m.rows()) {
            to[..from.len()].copy_from_slice(from);
        }
        out
    }

    /// The vectors as the columns of a matrix.
    pub fn to_mat(&self) -> Mat<f64> {
        let rows = self.cells.chunks_exact(self.width.max(1));
        let cells = rows.flat_map(|row| &row[..self.n_cols]).copied().collect();
        Mat::from_vec(self.len(), self.n_cols, cells).unwrap_or_default()
    }

    /// Cells `range` of all vectors.
    pub(crate) fn run(&self, range: std::ops::Range<usize>) -> &[f64] {
        &self.cells[range.start * self.width..range.end * self.width]
    }

    /// Calls `work` in parallel with numbered runs of `len` cells of all vectors.
    pub(crate) fn each_run(&mut self, len: usize, work: impl Fn(usize, &mut [f64]) + Sync) {
        parallel::each_chunk(&mut self.cells, len * self.width, work);
    }

    /// The same for work that may fail.
    pub(crate) fn try_each_run<E: Send>(
        &mut self,
        len: usize,
        work: impl Fn(usize, &mut [f64]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let results = parallel::collect_chunks(&mut self.cells, len * self.width, work);
        results.into_iter().collect()
    }

    /// The rows of a matrix as vectors.
    pub fn from_rows(rows: &Mat<f64>) -> Self {
        let mut out = Columns::zeros(rows.n_cols(), rows.n_rows());
        let width = out.width;
        for (j, run) in out.cells.chunks_mut(SQUARE * width.max(1)).enumerate() {
            for (c, row) in rows.rows().enumerate() {
                let from = &row[j * SQUARE..];
                for (to, x) in run.iter_mut().skip(c).step_by(width).zip(from) {
                    *to = *x;
                }
            }
        }
        out
    }

    /// The vectors as the rows of a matrix.
    pub fn to_rows(&self) -> Mat<f64> {
        let (len, width) = (self.len(), self.width);
        let mut out = Mat::zeros(self.n_cols, len);
        if out.as_slice().is_empty() {
            return out;
        }
        for (j, run) in self.cells.chunks(SQUARE * width).enumerate() {
            for (c, row) in out.as_mut_slice().chunks_exact_mut(len).enumerate() {
                let to = row[j * SQUARE..].iter_mut();
                to.zip(run.iter().skip(c).step_by(width))
                    .for_each(|(to, x)| *to = *x);
            }
        }
        out
    }

    /// Selfᵀ·Other: the inner products of all vectors of both.
    pub fn inner(&self, other: &Columns) -> Mat<f64> {
        let run = |own: &[f64], others: &[f64]| {
            let mut out = Columns::zeros(self.n_cols, other.n_cols);
            add_times(
                (own, 1, self.width),
                (self.n_cols, own.len() / self.width.max(1)),
                others,
                &mut out.cells,
                other.width,
            );
            out
        };
        if self.len() <= RUN || self.width == 0 || other.width == 0 {
            return run(&self.cells, &other.cells).to_mat();
        }
        let own: Vec<&[f64]> = self.cells.chunks(RUN * self.width).collect();
        let others: Vec<&[f64]> = other.cells.chunks(RUN * other.width).collect();
        let runs = parallel::collect(own.len().min(others.len()), |i| run(own[i], others[i]));
        let mut total = Columns::zeros(self.n_cols, other.n_cols);
        runs.iter().for_each(|run| total.add(run));
        total.to_mat()
    }

    /// Self·M: linear combinations of the vectors.
    pub fn combined(&self, m: &Mat<f64>) -> Columns {
        let mut out = Columns::zeros(self.len(), m.n_cols());
        let factors = Columns::from_mat(m);
        let width = factors.width;
        if self.width == 0 || width == 0 {
            return out;
        }
        parallel::each_chunk(&mut out.cells, RUN * width, |run, out| {
            let from = run * RUN * self.width;
            let own = &self.cells[from..self.cells.len().min(from + RUN * self.width)];
            let shape = (own.len() / self.width, self.n_cols);
            add_times((own, self.width, 1), shape, &factors.cells, out, width);
        });
        out
    }

    /// The number of vectors.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// The largest magnitude among all cells.
    pub fn largest(&self) -> f64 {
        self.cells.iter().fold(0.0, |most, x| x.abs().max(most))
    }

    /// Whether the vectors have no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The length of a vector.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Numbers in a row of cells: one per vector, and the padding.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds vectors of the same shape.
    pub fn add(&mut self, other: &Columns) {
        let other = other.cells.iter();
        self.cells.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }

    /// Multiplies all cells with a factor.
    pub fn scale(&mut self, factor: f64) {
        self.cells.iter_mut().for_each(|x| *x *= factor);
    }

    /// Divides cell j of all vectors by `by[j]`.
    pub fn divide(&mut self, by: &[f64]) {
        let rows = self.cells.chunks_exact_mut(self.width.max(1)).zip(by);
        rows.for_each(|(row, by)| row.iter_mut().for_each(|x| *x /= by));
    }

    /// Σ factor[j] times cell j, for all vectors, including the padding.
    pub fn weighted_sum(&self, factors: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.width];
        let rows = self.cells.chunks_exact(self.width.max(1)).zip(factors);
        for (row, factor) in rows.filter(|(_, factor)| **factor != 0.0) {
            out.iter_mut().zip(row).for_each(|(o, x)| *o += factor * x);
        }
        out
    }

    /// Adds −factor[j]·sums to cell j of all vectors.
    pub fn subtract_outer(&mut self, factors: &[f64], sums: &[f64]) {
        let rows = self.cells.chunks_exact_mut(self.width.max(1)).zip(factors);
        for (row, factor) in rows.filter(|(_, factor)| **factor != 0.0) {
            row.iter_mut().zip(sums).for_each(|(x, s)| *x -= factor * s);
        }
    }
}
