//! All rows in memory, prepared as accurately as f64 allows: for the solvers that need the matrix itself.
//!
//! Values are taken relative to the first row, their mean is summed with compensation and taken out, and so is the mean
//! that rounding left behind: a column of mean 1e8 and deviation 1 keeps all its digits.

use std::sync::Mutex;

use super::{Preparation, Scale, find_not_finite};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{norm, power_of_two_near};
use crate::mat::{Mat, Real};
use crate::source::{Passes, Source, for_each_block};
use crate::summary::check_weights;

/// The prepared matrix √W (X − 1mᵀ) S⁻¹, divided by a power of two so that no square overflows.
#[derive(Debug)]
pub struct Gathered {
    /// The matrix, every entry at most about 1.
    pub matrix: Mat<f64>,
    /// The power of two it was divided by: singular values are to be multiplied with it.
    pub unit: f64,
    /// What was subtracted and divided by.
    pub preparation: Preparation,
    /// Rows.
    pub n_rows: usize,
    /// Sum of the row weights.
    pub weight: f64,
    /// Root of each column's scatter before scaling, in the units of the data.
    pub spread: Vec<f64>,
}

/// Reads all rows and prepares them. `divisor` turns the sum of weights into what a variance is divided by.
pub fn gather<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    center: bool,
    scale: Scale,
    divisor: impl Fn(f64) -> f64,
) -> Result<Gathered, Error> {
    let (mut matrix, weights) = read_all(ctx, source)?;
    let (n, d) = (matrix.n_rows(), matrix.n_cols());
    // A row without weight may hold anything.
    let counts = |i: usize| weights.as_ref().is_none_or(|w| w[i] > 0.0);
    let first = (0..n).find(|&i| counts(i)).unwrap_or(0);
    for i in (0..n).filter(|&i| !counts(i)) {
        matrix.row_mut(i).fill(0.0);
    }
    if matrix.as_slice().iter().any(|x| !x.is_finite()) {
        return Err(find_not_finite(ctx, source));
    }
    let weight = weights.as_ref().map_or(n as f64, |w| w.iter().sum());
    if weight <= 0.0 && n > 0 {
        return Err(Error::BadWeights {
            what: "they sum to 0".to_owned(),
        });
    }
    // 1. Center: relative to the first row, then its mean, then what rounding left of the mean.
    let mut means = vec![0.0; d];
    if center && n > 0 {
        let shift = matrix.row(first).to_vec();
        subtract(&mut matrix, &shift);
        let mean = weighted_mean(&matrix, weights.as_deref(), weight);
        subtract(&mut matrix, &mean);
        let rest = weighted_mean(&matrix, weights.as_deref(), weight);
        subtract(&mut matrix, &rest);
        for j in 0..d {
            means[j] = shift[j] + (mean[j] + rest[j]);
        }
        if matrix.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
    }
    // 2. Weights as their roots, so that the scatter is the matrix' own Gram matrix.
    if let Some(weights) = &weights {
        for (i, w) in weights.iter().enumerate() {
            let root = w.sqrt();
            matrix.row_mut(i).iter_mut().for_each(|x| *x *= root);
        }
    }
    // 3. Scale by the deviation, leaving constant columns alone.
    let spread: Vec<f64> = (0..d).map(|j| norm(&matrix.col(j))).collect();
    let scales = (scale == Scale::Std).then(|| {
        let root = divisor(weight).max(0.0).sqrt();
        spread
            .iter()
            .map(|s| if *s > 0.0 { s / root } else { 1.0 })
            .collect::<Vec<f64>>()
    });
    if let Some(scales) = &scales {
        for i in 0..n {
            matrix
                .row_mut(i)
                .iter_mut()
                .zip(scales)
                .for_each(|(x, s)| *x /= s);
        }
    }
    // 4. A power of two brings the largest entry near 1 without rounding.
    let largest = matrix.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let unit = if largest > 0.0 {
        power_of_two_near(largest)
    } else {
        1.0
    };
    if unit != 1.0 {
        matrix.as_mut_slice().iter_mut().for_each(|x| *x /= unit);
    }
    let preparation = Preparation {
        center: means,
        scale: scales,
    };
    Ok(Gathered {
        matrix,
        unit,
        preparation,
        n_rows: n,
        weight,
        spread,
    })
}

/// All rows in f64 and their weights, each block written to its own place.
pub(crate) fn read_all<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
) -> Result<(Mat<f64>, Option<Vec<f64>>), Error> {
    let d = source.n_cols();
    let weighted = source.is_weighted();
    let all = Mutex::new((Vec::<f64>::new(), Vec::<f64>::new()));
    if let (Some(n), Passes::Many) = (source.n_rows(), source.passes()) {
        let mut all = all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        all.0.resize(n * d, 0.0);
        all.1.resize(if weighted { n } else { 0 }, 0.0);
    }
    for_each_block(ctx, source, |rows| {
        check_weights(rows)?;
        if rows.block.n_cols() != d {
            return Err(Error::WrongWidth {
                given: rows.block.n_cols(),
                expected: d,
            });
        }
        let count = rows.block.n_rows();
        let mut block = vec![0.0; count * d];
        rows.block.copy_to_f64(&mut block);
        let mut all = all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (from, to) = (rows.first * d, (rows.first + count) * d);
        if all.0.len() < to {
            all.0.resize(to, 0.0);
        }
        all.0[from..to].copy_from_slice(&block);
        if let Some(weights) = rows.weights {
            if all.1.len() < rows.first + count {
                all.1.resize(rows.first + count, 0.0);
            }
            all.1[rows.first..rows.first + count].copy_from_slice(weights);
        }
        Ok(())
    })?;
    let (cells, weights) = all
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let n = cells.len().checked_div(d).unwrap_or(0);
    Ok((Mat::from_vec(n, d, cells)?, weighted.then_some(weights)))
}

fn subtract(matrix: &mut Mat<f64>, v: &[f64]) {
    for i in 0..matrix.n_rows() {
        matrix
            .row_mut(i)
            .iter_mut()
            .zip(v)
            .for_each(|(x, v)| *x -= v);
    }
}

/// Column means with compensated sums (Neumaier): as good as exact where they are needed most.
fn weighted_mean(matrix: &Mat<f64>, weights: Option<&[f64]>, weight: f64) -> Vec<f64> {
    let d = matrix.n_cols();
    let (mut sum, mut lost) = (vec![0.0f64; d], vec![0.0f64; d]);
    for (i, row) in matrix.rows().enumerate() {
        let w = weights.map_or(1.0, |w| w[i]);
        for j in 0..d {
            let x = w * row[j];
            let next = sum[j] + x;
            lost[j] += if sum[j].abs() >= x.abs() {
                (sum[j] - next) + x
            } else {
                (x - next) + sum[j]
            };
            sum[j] = next;
        }
    }
    (0..d).map(|j| (sum[j] + lost[j]) / weight).collect()
}
