//! Promax: varimax loadings B, rotated obliquely towards B·|B|^(κ−1), in which small loadings have nearly vanished
//! (Hendrickson & White 1964, British Journal of Statistical Psychology 17:65–70).
//!
//! U = (BᵀB)⁻¹Bᵀ(B·|B|^(κ−1)), its columns scaled so that the components have variance 1: diag((UᵀU)⁻¹) = 1. The pattern is B U.

use super::inverse_of;
use crate::error::Error;
use crate::linalg::{product, symmetric_inverse};
use crate::mat::Mat;

/// T of promax from loadings A and the varimax rotation of them.
pub(super) fn from_varimax(
    a: &Mat<f64>,
    varimax: &Mat<f64>,
    kappa: f64,
) -> Result<Mat<f64>, Error> {
    let (d, k) = (a.n_rows(), a.n_cols());
    let singular = || Error::NotDetermined {
        what: "some components consist of the same columns in the same way, so that promax cannot separate them: rotate \
               fewer, or by varimax",
    };
    let b = product(a.view(), varimax.view());
    // Relative to the largest entry, so that powers stay in range.
    let unit = b.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let target = Mat::from_fn(d, k, |j, c| {
        let x = b[(j, c)] / unit;
        x * x.abs().powf(kappa - 1.0)
    });
    // 1. U by least squares.
    let gram = product(b.view().transposed(), b.view());
    let inverse = symmetric_inverse(&gram)?.ok_or_else(singular)?;
    let right = product(b.view().transposed(), target.view());
    let u = product(inverse.view(), right.view());
    // 2. T⁻ᵀ = V U D, where D makes diag(TᵀT) = diag((D UᵀU D)⁻¹) = 1.
    let rows = inverse_of(&u)?.ok_or_else(singular)?;
    let lengths: Vec<f64> = rows
        .rows()
        .map(|row| row.iter().map(|x| x * x).sum::<f64>().sqrt())
        .collect();
    // 3. T = (V U D)⁻ᵀ = V U⁻ᵀ D⁻¹.
    let turned = product(varimax.view(), rows.view().transposed());
    Ok(Mat::from_fn(k, k, |i, c| turned[(i, c)] / lengths[c]))
}
