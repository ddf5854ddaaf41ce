//! What a kernel PCA compares a row with: b(x), of which its scores are combinations; and how sure its eigenvalues are.

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::Error;
use crate::kernel::{FeatureMap, Fourier, Points, Settled, product_by_tiles};
use crate::linalg::product;
use crate::mat::Mat;

/// What rows are compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// Rows, by the kernel: all training rows, or landmarks.
    Rows(Points),
    /// Nothing: rows of a precomputed kernel matrix are compared already. So many columns.
    Given(usize),
    /// Random frequencies.
    Frequencies(Fourier),
}

impl Basis {
    /// Numbers that a row becomes.
    pub fn len(&self) -> usize {
        match self {
            Basis::Rows(points) => points.len(),
            Basis::Given(columns) => *columns,
            Basis::Frequencies(map) => map.n_features(),
        }
    }

    /// Whether the basis has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// b(x)·W for prepared rows x, of which the first is number `first`.
    pub(super) fn times(
        &self,
        ctx: &Context,
        kernel: &Settled,
        rows: Mat<f64>,
        first: usize,
        weights: &Mat<f64>,
    ) -> Result<Mat<f64>, Error> {
        /// Rows whose features are written out together.
        const RUN: usize = 1024;
        match self {
            Basis::Rows(points) => {
                let new = kernel.points(rows, first)?;
                product_by_tiles(ctx, kernel, (points, points.len()), &new, weights)
            }
            Basis::Given(_) => {
                let new = kernel.points(rows, first)?;
                // Weights sum to zero: what all kernels of a row have in common leaves before it takes digits with it.
                let cells = new.rows();
                let less = Mat::from_fn(cells.n_rows(), cells.n_cols(), |i, j| {
                    cells[(i, j)] - cells[(i, 0)]
                });
                Ok(product(less.view(), weights.view()))
            }
            Basis::Frequencies(map) => {
                let mut cells = Vec::with_capacity(rows.n_rows() * weights.n_cols());
                for start in (0..rows.n_rows()).step_by(RUN) {
                    ctx.check()?;
                    let end = (start + RUN).min(rows.n_rows());
                    let run = rows.view().slice_rows(start, end).to_mat();
                    let features = map.features(run, first + start)?;
                    cells.extend(product(features.view(), weights.view()).into_vec());
                }
                Mat::from_vec(rows.n_rows(), weights.n_cols(), cells)
            }
        }
    }
}

/// How far the eigenvalues found may lie from those of the kernel matrix that features stand for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SpectrumError {
    /// What landmarks miss: no eigenvalue of K̄ lies below that found but by rounding, none farther above it than the norm.
    Bound {
        /// The trace of K − K̂, which no norm exceeds; where components were found by products, a bound on it, which holds
        /// but for the same chance.
        lost: f64,
        /// A bound on ‖C(K − K̂)C‖ and, where components were found by products, on what those left; none in files that were written before it was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        norm: Option<f64>,
        /// How far rounding may carry eigenvalues above the exact ones; none in files that were written before it was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<f64>,
        /// Rows drawn to find it; none where all rows were looked at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn: Option<usize>,
        /// The probability that the bound fails because of those drawn; none where it always holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chance: Option<f64>,
    },
    /// What a random draw of frequencies may be off by.
    Estimate {
        /// One for each eigenvalue, to first order.
        standard_errors: Vec<f64>,
        /// How far eigenvalues of half of the frequencies lie from these, root mean square.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of_halves: Vec<f64>,
    },
}

impl SpectrumError {
    /// How far each of so many eigenvalues may lie from the exact one.
    pub fn of_eigenvalues(&self, count: usize) -> Vec<f64> {
        match self {
            SpectrumError::Bound { lost, norm, .. } => vec![norm.unwrap_or(*lost); count],
            SpectrumError::Estimate {
                standard_errors,
                of_halves,
            } => {
                let halves = of_halves.iter().copied().chain(std::iter::repeat(0.0));
                let both = standard_errors.iter().zip(halves);
                both.map(|(e, half)| 2.0 * (e + half)).take(count).collect()
            }
        }
    }
}
