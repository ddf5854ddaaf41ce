//! The basis values b(x) of a row x, whose linear combinations are the scores; and the errors of the eigenvalues.

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::Error;
use crate::kernel::{FeatureMap, Fourier, Points, ResolvedKernel, product_by_tiles};
use crate::linalg::product;
use crate::mat::Mat;

/// The basis with which rows are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// Rows, by the kernel: all training rows, or landmarks.
    Rows(Points),
    /// No basis: a row of a precomputed kernel matrix already holds its kernel values, in this many columns.
    Given(usize),
    /// Random frequencies.
    Frequencies(Fourier),
}

impl Basis {
    /// The number of basis values of a row.
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

    /// b(x)·W for prepared rows x; `first` is the number of the first row.
    pub(super) fn times(
        &self,
        ctx: &Context,
        kernel: &ResolvedKernel,
        rows: Mat<f64>,
        first: usize,
        weights: &Mat<f64>,
    ) -> Result<Mat<f64>, Error> {
        /// The number of rows whose features are computed at a time.
        const RUN: usize = 1024;
        match self {
            Basis::Rows(points) => {
                let new = kernel.points(rows, first)?;
                product_by_tiles(ctx, kernel, (points, points.len()), &new, weights)
            }
            Basis::Given(_) => {
                let new = kernel.points(rows, first)?;
                // Weights sum to zero, so what all kernels of a row have in common can be subtracted first, before it costs
                // digits.
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

/// The error of the computed eigenvalues relative to those of the kernel matrix that the features approximate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SpectrumError {
    /// The error of landmarks: an eigenvalue of K̄ lies below the computed one only by rounding, and above it by at most the norm.
    Bound {
        /// The trace of K − K̂, which bounds its norm; where components were found by products, an upper bound on the trace
        /// with the same chance of failure.
        lost: f64,
        /// A bound on ‖C(K − K̂)C‖ and, where components were found by products, on what the products left; None in files that
        /// were written before this bound existed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        norm: Option<f64>,
        /// How far rounding may lift eigenvalues above the exact ones; None in files that were written before this bound
        /// existed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<f64>,
        /// The number of rows drawn to find the bound; None where all rows were used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn: Option<usize>,
        /// The probability that the bound fails because of the draw; None where it always holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chance: Option<f64>,
    },
    /// The error of a random draw of frequencies.
    Estimate {
        /// The standard error of each eigenvalue, to first order.
        standard_errors: Vec<f64>,
        /// The root mean square difference between the eigenvalues of half of the frequencies and of all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of_halves: Vec<f64>,
    },
}

impl SpectrumError {
    /// How far each of the first `count` eigenvalues may lie from the exact one.
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
