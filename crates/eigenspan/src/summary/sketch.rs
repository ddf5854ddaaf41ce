//! Random sketches of the rows in one reading: enough to reconstruct their leading components, and to estimate the error.
//!
//! For A (n × d) with random Υ, Ω, Φ, Ψ, Θ: X = ΥA, Y = AΩᵀ, Z = ΦAΨᵀ, E = ΘA (Tropp, Yurtsever, Udell & Cevher 2019,
//! doi:10.1137/18M1201068). The random numbers for a row of A are drawn from the row's number, so rows may come in any order,
//! and shards can be merged. Rows are relative to one of them, and centered at the end: all four sketches are linear. Cost
//! n·d·(2t + s + q).

use super::{Moments, Summary};
use crate::error::Error;
use crate::linalg::{add_product, product};
use crate::mat::{Mat, Real};
use crate::rng::Rng;
use crate::source::Rows;

/// Rows of E: the error estimate has a relative standard deviation of about √(2/q).
pub(crate) const ERROR_ROWS: usize = 16;

/// The random matrices that all rows share, and the sizes of the sketches.
#[derive(Debug)]
pub struct Sketcher {
    /// Rows of X and columns of Y.
    pub(crate) t: usize,
    /// Rows and columns of Z.
    pub(crate) s: usize,
    seed: u64,
    /// Ωᵀ and Ψᵀ side by side: d × (t + s).
    pub(crate) right: Mat<f64>,
}

impl Sketcher {
    /// For `k` components of rows of width d, with the sizes that the paper recommends.
    pub fn new(k: usize, n_cols: usize, seed: u64) -> Self {
        let t = (4 * k + 1).min(n_cols);
        let s = 2 * t + 1;
        let mut rng = Rng::new(seed);
        let right = Mat::from_fn(n_cols, t + s, |_, _| rng.normal());
        Sketcher { t, s, seed, right }
    }

    /// The random numbers of one row: those of Υ, Φ and Θ, one after the other.
    pub(crate) fn left(&self, row: usize) -> Vec<f64> {
        let mut rng = Rng::new(self.seed ^ (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (0..self.t + self.s + ERROR_ROWS)
            .map(|_| rng.normal())
            .collect()
    }
}

/// Neighboring rows of Y.
#[derive(Debug)]
pub(crate) struct RangeRows {
    /// The number of the first.
    pub(crate) first: usize,
    /// Square roots of their weights.
    pub(crate) roots: Vec<f64>,
    pub(crate) images: Mat<f64>,
}

/// The sketches of the rows seen so far, relative to a row near them.
#[derive(Debug)]
pub struct Sketch<'a> {
    pub(crate) sketcher: &'a Sketcher,
    pub(crate) moments: Moments,
    /// X above E: (t + q) × d.
    pub(crate) below: Mat<f64>,
    /// Z: s × s.
    pub(crate) core: Mat<f64>,
    /// Rows of Y.
    pub(crate) range: Vec<RangeRows>,
    /// Υ1, Φ1 and Θ1, which are needed for centering.
    pub(crate) ones: Vec<f64>,
}

impl<'a> Sketch<'a> {
    /// Sketches of no rows.
    pub fn new(sketcher: &'a Sketcher) -> Self {
        let d = sketcher.right.n_rows();
        Sketch {
            sketcher,
            moments: Moments::new(d),
            below: Mat::zeros(sketcher.t + ERROR_ROWS, d),
            core: Mat::zeros(sketcher.s, sketcher.s),
            range: Vec::new(),
            ones: vec![0.0; sketcher.t + sketcher.s + ERROR_ROWS],
        }
    }

    /// Turns these sketches into those of the rows minus `by`: A − 1·byᵀ has X − (Υ1)byᵀ, Y − 1(Ω·by)ᵀ, Z − (Φ1)(Ψ·by)ᵀ, E −
    /// (Θ1)byᵀ.
    fn subtract(&mut self, by: &[f64]) {
        let (t, s) = (self.sketcher.t, self.sketcher.s);
        let row = Mat::from_fn(1, by.len(), |_, j| by[j]);
        let image = product(row.view(), self.sketcher.right.view());
        for i in 0..self.below.n_rows() {
            let one = self.ones[if i < t { i } else { i + s }];
            let row = self.below.row_mut(i).iter_mut();
            row.zip(by).for_each(|(x, by)| *x -= one * by);
        }
        for i in 0..s {
            let one = self.ones[t + i];
            let row = self.core.row_mut(i).iter_mut();
            row.zip(&image.row(0)[t..])
                .for_each(|(z, by)| *z -= one * by);
        }
        for rows in &mut self.range {
            for (i, root) in rows.roots.iter().enumerate() {
                let row = rows.images.row_mut(i).iter_mut();
                row.zip(image.row(0)).for_each(|(y, by)| *y -= root * by);
            }
        }
    }

    /// The sketches of the rows relative to their mean, or to zero.
    pub(crate) fn centered(mut self, center: bool) -> Self {
        let shift = self.moments.shift().to_vec();
        let by: Vec<f64> = match center {
            true => self.moments.mean_beyond(&shift),
            false => shift.iter().map(|s| -s).collect(),
        };
        self.subtract(&by);
        self
    }
}

/// Rows that are sketched together.
const CHUNK: usize = 256;

impl<T: Real> Summary<T> for Sketch<'_> {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        self.moments.add(rows)?;
        let (t, s) = (self.sketcher.t, self.sketcher.s);
        let (n, d) = (rows.block.n_rows(), self.sketcher.right.n_rows());
        let shift = match self.moments.shift() {
            [] => vec![0.0; d],
            shift => shift.to_vec(),
        };
        for start in (0..n).step_by(CHUNK) {
            let end = (start + CHUNK).min(n);
            let mut chunk = Mat::zeros(end - start, d);
            rows.block
                .slice_rows(start, end)
                .copy_shifted(&shift, chunk.as_mut_slice());
            let left: Vec<Vec<f64>> = (start..end)
                .map(|i| self.sketcher.left(rows.first + i))
                .collect();
            let roots: Vec<f64> = (start..end)
                .map(|i| rows.weights.map_or(1.0, |w| w[i].sqrt()))
                .collect();
            for (i, (left, &root)) in left.iter().zip(&roots).enumerate() {
                chunk
                    .row_mut(i)
                    .iter_mut()
                    .for_each(|x| *x = if root > 0.0 { *x * root } else { 0.0 });
                self.ones
                    .iter_mut()
                    .zip(left)
                    .for_each(|(o, x)| *o += root * x);
            }
            // Y and A·Ψᵀ in one product, then X, E and Z.
            let images = product(chunk.view(), self.sketcher.right.view());
            let outer = Mat::from_fn(t + ERROR_ROWS, left.len(), |i, j| {
                left[j][if i < t { i } else { i + s }]
            });
            add_product(&mut self.below, outer.view(), chunk.view());
            let phi = Mat::from_fn(s, left.len(), |i, j| left[j][t + i]);
            let psi = Mat::from_fn(left.len(), s, |i, j| images[(i, t + j)]);
            add_product(&mut self.core, phi.view(), psi.view());
            self.range.push(RangeRows {
                first: rows.first + start,
                roots,
                images: Mat::from_fn(left.len(), t, |i, j| images[(i, j)]),
            });
        }
        Ok(())
    }

    fn merge(&mut self, mut other: Self) {
        // Makes both relative to the same row. Sketches of rows without weight are zero, relative to any row.
        let (ours, theirs) = (self.moments.shift(), other.moments.shift());
        if !ours.is_empty() && !theirs.is_empty() {
            let by: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
            other.subtract(&by);
        }
        Summary::<T>::merge(&mut self.moments, other.moments);
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(self.below.as_mut_slice(), other.below.as_slice());
        add(self.core.as_mut_slice(), other.core.as_slice());
        add(&mut self.ones, &other.ones);
        self.range.extend(other.range);
    }

    fn bytes(&self) -> usize {
        8 * (self.below.as_slice().len() + self.core.as_slice().len() + CHUNK * self.below.n_cols())
    }
}
