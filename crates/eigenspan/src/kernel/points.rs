//! Rows prepared for a kernel: unchanged, and relative to the mean of the training rows where the kernel needs distances or is
//! itself taken relative to that mean.
//!
//! ‖x − y‖² = ‖x‖² + ‖y‖² − 2xᵀy loses its digits where rows lie far from the origin and near each other. Distances do not
//! change with the origin, so the mean of the training rows is made the origin first.

use super::pairs::Among;
use crate::error::Error;
use crate::linalg::dot;
use crate::mat::{Mat, Real};

/// Rows prepared for tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    pub(super) rows: Mat<f64>,
    pub(super) shifted: Option<Shifted>,
    /// These rows' places among rows whose pairs are stored.
    pub(super) among: Option<Among>,
}

/// Rows relative to an origin, and their squared lengths.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shifted {
    pub(super) origin: Vec<f64>,
    pub(super) rows: Mat<f64>,
    pub(super) squares: Vec<f64>,
}

impl Points {
    /// Rows relative to this origin, where there is one.
    pub(super) fn new(rows: Mat<f64>, origin: Option<&[f64]>) -> Self {
        let shifted = origin.map(|origin| {
            let (n, d) = (rows.n_rows(), rows.n_cols());
            let shifted = Mat::from_fn(n, d, |i, j| rows[(i, j)] - origin[j]);
            let squares = shifted.rows().map(|row| dot(row, row)).collect();
            Shifted {
                origin: origin.to_vec(),
                rows: shifted,
                squares,
            }
        });
        Points {
            rows,
            shifted,
            among: None,
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.rows.n_rows()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows as given.
    pub fn rows(&self) -> &Mat<f64> {
        &self.rows
    }

    /// Refuses cells below zero.
    pub(super) fn check_counts(&self, first: usize) -> Result<(), Error> {
        for (i, row) in self.rows.rows().enumerate() {
            if let Some((j, x)) = row.iter().enumerate().find(|(_, x)| **x < 0.0) {
                return Err(Error::KernelUndefined {
                    row: first + i,
                    col: Some(j),
                    what: format!(
                        "is {x}, but chi2 compares counts and shares, which are at least 0"
                    ),
                });
            }
        }
        Ok(())
    }
}

/// Differences below this share of the largest entry of a kernel matrix are rounding.
pub(super) fn rounding_of<T: Real>() -> f64 {
    match T::BYTES {
        4 => 16.0 * f64::from(f32::EPSILON),
        _ => 1e-8,
    }
}

/// Refuses a kernel matrix that is not square or not symmetric, to this share of its largest entry.
pub(super) fn check_precomputed(matrix: &Mat<f64>, rounding: f64) -> Result<(), Error> {
    let (rows, cols) = (matrix.n_rows(), matrix.n_cols());
    if rows != cols {
        return Err(Error::NotSquare { rows, cols });
    }
    let largest = matrix.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut worst = (0.0, 0, 0);
    for i in 0..rows {
        for j in 0..i {
            let difference = (matrix[(i, j)] - matrix[(j, i)]).abs();
            if difference > worst.0 {
                worst = (difference, i, j);
            }
        }
    }
    let (difference, row, col) = worst;
    match difference > rounding * largest {
        true => Err(Error::NotSymmetric {
            row,
            col,
            difference,
        }),
        false => Ok(()),
    }
}
