//! Mean and spread of every column in one reading, which a solver needs before it multiplies. Cost n·d.

use super::seen::{Merge, RowsSeen};
use super::{Summary, check_rows, vanishes};
use crate::error::Error;
use crate::linalg::{Loops, with_wide_registers};
use crate::mat::Real;
use crate::source::{Rows, SparseSums};

/// Rows whose mean and squares are computed together.
const CHUNK: usize = 256;
/// Cells of these rows that are read together: a quarter of a core's own cache.
const BAND: usize = 1 << 15;

/// Count, weight, and each column's mean and sum of squared deviations.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    seen: RowsSeen,
    squares: Vec<f64>,
    panel: Vec<f64>,
}

impl Moments {
    /// A summary of no rows.
    pub fn new(n_cols: usize) -> Self {
        Moments {
            seen: RowsSeen::new(n_cols),
            squares: vec![0.0; n_cols],
            panel: Vec::new(),
        }
    }

    /// Rows seen.
    pub fn n_rows(&self) -> usize {
        self.seen.n_rows
    }

    /// Sum of their weights.
    pub fn weight(&self) -> f64 {
        self.seen.weight
    }

    /// Weighted mean of every column.
    pub fn mean(&self) -> Vec<f64> {
        self.seen.absolute_mean()
    }

    /// Sum of squared deviations of every column: its variance times the divisor.
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The mean minus `center`; if `center` is the rounded mean, this is its rounding error.
    pub fn mean_beyond(&self, center: &[f64]) -> Vec<f64> {
        match &self.seen.shift[..] {
            [] => vec![0.0; center.len()],
            shift => (0..center.len())
                .map(|j| (shift[j] - center[j]) + self.seen.mean[j])
                .collect(),
        }
    }

    /// The row to which sums are relative; empty before the first row that has a weight.
    pub(super) fn shift(&self) -> &[f64] {
        &self.seen.shift
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.seen
            .mean
            .iter()
            .chain(&self.squares)
            .all(|x| x.is_finite())
    }

    /// Whether a column varies, but so little that its squares underflow.
    pub fn is_underflowed(&self) -> bool {
        (0..self.seen.mean.len()).any(|j| vanishes(self.squares[j], self.seen.mean[j]))
    }

    fn add_chunk<T: Real>(&mut self, rows: &Rows<'_, T>, start: usize, end: usize) {
        let (d, count) = (self.seen.mean.len(), end - start);
        let block = rows.block.slice_rows(start, end);
        let weights = rows.weights.map(|weights| &weights[start..end]);
        let weight = weights.map_or(count as f64, |weights| weights.iter().sum());
        if weight == 0.0 {
            return;
        }
        // A few columns at a time, so that their cells are still in the cache when their mean is known. Only rows that are contiguous
        // can be read so.
        let band = match block.rows_in_place() {
            Some(_) => (BAND / count).min(d),
            None => d,
        };
        let mut mean = vec![0.0; d];
        for from in (0..d).step_by(band) {
            let columns = from..(from + band).min(d);
            self.panel.resize(count * columns.len(), 0.0);
            match columns.len() == d {
                true => block.copy_shifted(&self.seen.shift, &mut self.panel),
                false => {
                    let shift = (&self.seen.shift[..], None);
                    block.copy_prepared_columns(columns.clone(), shift, None, &mut self.panel);
                }
            }
            let squares = &mut self.squares[columns.clone()];
            with_wide_registers(AddColumns {
                panel: &self.panel,
                weights,
                weight,
                mean: &mut mean[columns],
                squares,
            });
        }
        self.join(&mean, weight);
    }

    /// Adds a sparse block, summed about zero, where most of its cells are, or about a typical value in columns that most
    /// rows have.
    fn add_sparse(&mut self, sums: &SparseSums) {
        if sums.weight == 0.0 {
            return;
        }
        if self.seen.shift.is_empty() {
            self.seen.shift.clone_from(&sums.shift);
        }
        for (s, squares) in self.squares.iter_mut().zip(&sums.squares) {
            *s += squares;
        }
        let mean: Vec<f64> = (0..self.seen.mean.len())
            .map(|j| (sums.shift[j] - self.seen.shift[j]) + sums.mean[j])
            .collect();
        self.join(&mean, sums.weight);
    }

    /// Combines the means of two groups; the distance between them adds to the squares.
    fn join(&mut self, mean: &[f64], weight: f64) {
        let total = self.seen.weight + weight;
        let factor = self.seen.weight / total * weight;
        for ((m, s), other) in self.seen.mean.iter_mut().zip(&mut self.squares).zip(mean) {
            let delta = other - *m;
            *m += delta * (weight / total);
            *s += delta * delta * factor;
        }
        self.seen.weight = total;
    }
}

/// Computes the weighted mean of each column of a panel, and adds its squared deviations from it.
struct AddColumns<'a> {
    panel: &'a [f64],
    weights: Option<&'a [f64]>,
    /// The sum of the weights.
    weight: f64,
    mean: &'a mut [f64],
    squares: &'a mut [f64],
}

impl Loops for AddColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let width = self.mean.len();
        let weight_of = |i: usize| self.weights.map_or(1.0, |weights| weights[i]);
        for (i, row) in self.panel.chunks_exact(width).enumerate() {
            let w = weight_of(i);
            if w > 0.0 {
                self.mean.iter_mut().zip(row).for_each(|(m, x)| *m += w * x);
            }
        }
        self.mean.iter_mut().for_each(|m| *m /= self.weight);
        for (i, row) in self.panel.chunks_exact(width).enumerate() {
            let w = weight_of(i);
            if w > 0.0 {
                for ((s, x), m) in self.squares.iter_mut().zip(row).zip(&*self.mean) {
                    *s += w * (x - m) * (x - m);
                }
            }
        }
    }
}

impl<T: Real> Summary<T> for Moments {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        let (n, d) = (rows.block.n_rows(), self.seen.mean.len());
        check_rows(rows, d)?;
        if n == 0 || d == 0 {
            return Ok(());
        }
        if let Some(sums) = rows.block.sparse_sums(rows.weights) {
            self.add_sparse(&sums);
            self.seen.n_rows += n;
            return Ok(());
        }
        if !self.seen.has_shift(rows) {
            self.seen.n_rows += n;
            return Ok(());
        }
        for start in (0..n).step_by(CHUNK) {
            self.add_chunk(rows, start, (start + CHUNK).min(n));
        }
        self.seen.n_rows += n;
        Ok(())
    }

    fn merge(&mut self, other: Self) {
        match self.seen.merge(&other.seen) {
            Merge::Nothing => {}
            Merge::Replace => {
                let n_rows = self.seen.n_rows;
                *self = other;
                self.seen.n_rows = n_rows;
            }
            Merge::Join(mean) => {
                let squares = self.squares.iter_mut().zip(&other.squares);
                squares.for_each(|(a, b)| *a += b);
                self.join(&mean, other.seen.weight);
            }
        }
    }

    fn bytes(&self) -> usize {
        8 * self.seen.mean.len() * (4 + CHUNK)
    }
}
