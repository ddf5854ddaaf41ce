//! The triangular factor R of the centered rows in one reading: XᵀX = RᵀR, computed without squares.
//!
//! A chunk of rows, centered about its own mean, is stacked under the current R, and both are factored again (tall-skinny QR:
//! Demmel, Grigori, Hoemmen & Langou 2012, doi:10.1137/080731992). The distance between the means enters as one more row, as
//! in [`super::Scatter`]. Small singular values keep full accuracy. Cost about 2·n·d²·(1 + d/chunk).

use super::accuracy::Accuracy;
use super::seen::{Merge, RowsSeen};
use super::{Summary, check_rows};
use crate::error::Error;
use crate::linalg::triangular_factor;
use crate::mat::{Mat, Real};
use crate::source::Rows;

/// Count, weight, mean and triangular factor of the rows seen so far.
#[derive(Debug, Clone)]
pub struct Triangle {
    seen: RowsSeen,
    /// R, at most d × d; empty before the first row.
    factor: Mat<f64>,
    /// The number of factorizations, one after the other.
    depth: f64,
}

impl Triangle {
    /// A summary of no rows.
    pub fn new(n_cols: usize) -> Self {
        Triangle {
            seen: RowsSeen::new(n_cols),
            factor: Mat::zeros(0, n_cols),
            depth: 0.0,
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

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.seen
            .mean
            .iter()
            .chain(self.factor.as_slice())
            .all(|x| x.is_finite())
    }

    /// How far RᵀR may be from the scatter of the rows: every factorization has an error of a few roundings of each column's
    /// length.
    pub(crate) fn accuracy(&self) -> Accuracy {
        Accuracy {
            depth: self.depth,
            blur: 8.0 * f64::EPSILON * self.depth.sqrt(),
        }
    }

    /// A matrix with the same Gram matrix as the rows, centered about their mean or about zero.
    pub fn into_factor(self, center: bool) -> Mat<f64> {
        if center {
            return self.factor;
        }
        let root = self.seen.weight.sqrt();
        let offset: Vec<f64> = self.mean().iter().map(|m| m * root).collect();
        stack(&[self.factor.as_slice(), &offset], offset.len())
    }

    fn chunk_rows(&self) -> usize {
        (4 * self.seen.mean.len()).max(256)
    }

    fn add_chunk<T: Real>(&mut self, rows: &Rows<'_, T>, start: usize, end: usize) {
        let (d, count) = (self.seen.mean.len(), end - start);
        let mut chunk = vec![0.0; count * d];
        rows.block
            .slice_rows(start, end)
            .copy_shifted(&self.seen.shift, &mut chunk);
        let weights = rows.weights.map(|w| &w[start..end]);
        let weight = weights.map_or(count as f64, |w| w.iter().sum());
        if weight == 0.0 {
            return;
        }
        // The mean, and then the mean of the remainder: its rounding error must not show beside the smallest singular value.
        let mut mean = vec![0.0; d];
        for _ in 0..2 {
            let step = chunk_mean(&chunk, weights, weight, d);
            for row in chunk.chunks_exact_mut(d) {
                row.iter_mut().zip(&step).for_each(|(x, m)| *x -= m);
            }
            mean.iter_mut().zip(&step).for_each(|(m, s)| *m += s);
        }
        if let Some(weights) = weights {
            for (row, w) in chunk.chunks_exact_mut(d).zip(weights) {
                let root = w.sqrt();
                row.iter_mut()
                    .for_each(|x| *x = if root > 0.0 { *x * root } else { 0.0 });
            }
        }
        self.join(&chunk, &mean, weight);
    }

    /// Adds centered rows (or their factor) that have another mean.
    fn join(&mut self, rows: &[f64], mean: &[f64], weight: f64) {
        let d = self.seen.mean.len();
        let total = self.seen.weight + weight;
        let root = (self.seen.weight / total * weight).sqrt();
        let mut distance = vec![0.0; d];
        for j in 0..d {
            let delta = mean[j] - self.seen.mean[j];
            self.seen.mean[j] += delta * (weight / total);
            distance[j] = delta * root;
        }
        self.seen.weight = total;
        self.depth += 1.0;
        self.factor = triangular_factor(&stack(&[self.factor.as_slice(), rows, &distance], d));
    }
}

impl<T: Real> Summary<T> for Triangle {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        let (n, d) = (rows.block.n_rows(), self.seen.mean.len());
        check_rows(rows, d)?;
        if n == 0 || d == 0 {
            return Ok(());
        }
        if !self.seen.has_shift(rows) {
            self.seen.n_rows += n;
            return Ok(());
        }
        let step = self.chunk_rows();
        for start in (0..n).step_by(step) {
            self.add_chunk(rows, start, (start + step).min(n));
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
                self.depth = self.depth.max(other.depth);
                self.join(other.factor.as_slice(), &mean, other.seen.weight);
            }
        }
    }

    fn bytes(&self) -> usize {
        8 * self.seen.mean.len() * (2 * self.seen.mean.len() + 2 * self.chunk_rows())
    }
}

/// Stacks groups of rows of width d, one under the other.
fn stack(groups: &[&[f64]], d: usize) -> Mat<f64> {
    let cells = groups.concat();
    let n_rows = cells.len() / d.max(1);
    Mat::from_vec(n_rows, d, cells).unwrap_or_default()
}

fn chunk_mean(chunk: &[f64], weights: Option<&[f64]>, weight: f64, d: usize) -> Vec<f64> {
    let mut mean = vec![0.0; d];
    for (i, row) in chunk.chunks_exact(d).enumerate() {
        let w = weights.map_or(1.0, |w| w[i]);
        if w > 0.0 {
            mean.iter_mut().zip(row).for_each(|(m, x)| *m += w * x);
        }
    }
    mean.iter_mut().for_each(|m| *m /= weight);
    mean
}
