//! Gaussian naive Bayes: log π + Σⱼ log N(xⱼ; μⱼ, σⱼ²) for each class, where columns count as independent within a class.
//!
//! Variances have divisor n, and 1e-9 of the largest variance of a column is added to all, as scikit-learn does. Cost n·d,
//! and classes × d per row.

use std::f64::consts::TAU;

use super::{Learnt, Training, likeliest, shares};
use crate::error::Error;
use crate::mat::Mat;

/// The share of the largest variance that is added to every variance.
const SMOOTHING: f64 = 1e-9;

pub(super) struct NaiveBayes {
    counts: Vec<usize>,
    means: Mat<f64>,
    variances: Mat<f64>,
    /// log π − ½ Σ log 2πσ².
    constants: Vec<f64>,
}

impl NaiveBayes {
    pub(super) fn new(training: Training<'_>) -> Result<Self, Error> {
        let counts = training.counts()?;
        let means = training.means(&counts);
        let (d, n) = (training.rows.n_cols(), training.rows.n_rows() as f64);
        let mut variances: Mat<f64> = Mat::zeros(counts.len(), d);
        for (row, &class) in training.rows.rows().zip(training.classes) {
            let mean = means.row(class);
            let cells = variances.row_mut(class).iter_mut();
            for ((v, x), m) in cells.zip(row).zip(mean) {
                *v += (x - m) * (x - m) / counts[class] as f64;
            }
        }
        let spread = |j: usize| {
            let column = training.rows.col(j);
            let mean = column.iter().sum::<f64>() / n;
            column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n
        };
        let added = SMOOTHING * (0..d).map(spread).fold(0.0, f64::max);
        variances
            .as_mut_slice()
            .iter_mut()
            .for_each(|v| *v += added);
        let constant = |class: usize| {
            let row: &[f64] = variances.row(class);
            let squares = row.iter().filter(|v| **v > 0.0);
            let logs: f64 = squares.map(|v: &f64| (TAU * v).ln()).sum();
            (counts[class] as f64 / n).ln() - 0.5 * logs
        };
        let constants = (0..counts.len()).map(constant).collect();
        Ok(NaiveBayes {
            counts,
            means,
            variances,
            constants,
        })
    }
}

impl NaiveBayes {
    /// log π + Σⱼ log N(xⱼ; μⱼ, σⱼ²).
    fn log_weight(&self, row: &[f64], class: usize) -> f64 {
        let (means, variances) = (self.means.row(class), self.variances.row(class));
        let cells = row.iter().zip(means).zip(variances);
        // A column without variance is ignored.
        let cells = cells.filter(|(_, v)| **v > 0.0);
        let squares: f64 = cells.map(|((x, m), v)| (x - m) * (x - m) / v).sum();
        self.constants[class] - 0.5 * squares
    }
}

impl Learnt for NaiveBayes {
    fn class(&self, row: &[f64]) -> usize {
        likeliest(&self.counts, |class| self.log_weight(row, class))
    }

    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        shares(&self.counts, |class| self.log_weight(row, class))
    }
}
