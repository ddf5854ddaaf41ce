//! Linear discriminant analysis: log π − ½ (x − μ)ᵀΣ⁻¹(x − μ) for each class, with one covariance Σ within all classes
//! (Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, §4.3, doi:10.1007/978-0-387-84858-7).
//!
//! Σ has divisor n, columns are divided by their spread within classes, and directions with a singular value below 1e-4 count as
//! zero, as in scikit-learn's solver `svd`. Cost n·d² + d³, and classes × d per row.

use super::{Learnt, Training, likeliest, shares};
use crate::error::Error;
use crate::linalg::{dot, gram_of_rows, symmetric_eigen, times_transposed};
use crate::mat::Mat;

/// Singular values below this count as zero.
const VANISHED: f64 = 1e-4;

pub(super) struct Discriminant {
    counts: Vec<usize>,
    /// W, rank × d: Wx has the identity as its covariance within classes.
    whitening: Mat<f64>,
    /// Means of the classes, whitened.
    means: Mat<f64>,
    log_priors: Vec<f64>,
}

impl Discriminant {
    pub(super) fn new(training: Training<'_>) -> Result<Self, Error> {
        let counts = training.counts()?;
        let (n, d) = (training.rows.n_rows(), training.rows.n_cols());
        let present = counts.iter().filter(|count| **count > 0).count();
        if n <= present {
            return Err(Error::TooFewRows {
                rows: n,
                needed: present + 1,
            });
        }
        // 1. Rows minus the means of their classes, columns divided by their spread.
        let means = training.means(&counts);
        let within = Mat::from_fn(d, n, |j, i| {
            training.rows[(i, j)] - means[(training.classes[i], j)]
        });
        let spread = |row: &[f64]| {
            let mean = row.iter().sum::<f64>() / n as f64;
            let square = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
            let spread = (square / n as f64).sqrt();
            if spread > 0.0 { spread } else { 1.0 }
        };
        let spreads: Vec<f64> = within.rows().map(spread).collect();
        let scaled = Mat::from_fn(d, n, |j, i| within[(j, i)] / spreads[j]);
        // 2. Their covariance, with divisor n, and its eigenpairs.
        let mut covariance = gram_of_rows(&scaled);
        let cells = covariance.as_mut_slice().iter_mut();
        cells.for_each(|x| *x /= n as f64);
        let (squares, vectors) = symmetric_eigen(&covariance)?;
        let rank = squares.iter().take_while(|x| x.max(0.0).sqrt() > VANISHED);
        let rank = rank.count();
        // 3. W: columns divided by their spread, rotated, and divided by the singular values.
        let whitening = Mat::from_fn(rank, d, |r, j| {
            vectors[(r, j)] / (spreads[j] * squares[r].sqrt())
        });
        let log = |count: &usize| (*count as f64 / n as f64).ln();
        Ok(Discriminant {
            means: times_transposed(means.view(), whitening.view()),
            log_priors: counts.iter().map(log).collect(),
            whitening,
            counts,
        })
    }
}

impl Discriminant {
    /// The row, whitened.
    fn whitened(&self, row: &[f64]) -> Vec<f64> {
        self.whitening.rows().map(|w| dot(w, row)).collect()
    }

    /// log π − ½‖Wx − Wμ‖².
    fn log_weight(&self, at: &[f64], class: usize) -> f64 {
        let cells = at.iter().zip(self.means.row(class));
        let square: f64 = cells.map(|(x, m)| (x - m) * (x - m)).sum();
        self.log_priors[class] - 0.5 * square
    }
}

impl Learnt for Discriminant {
    fn class(&self, row: &[f64]) -> usize {
        let at = self.whitened(row);
        likeliest(&self.counts, |class| self.log_weight(&at, class))
    }

    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let at = self.whitened(row);
        shares(&self.counts, |class| self.log_weight(&at, class))
    }
}
