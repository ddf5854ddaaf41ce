//! The smallest eigenpairs of a positive semi-definite matrix M that vanishes on the constant, orthogonal to the constant.
//!
//! They are the leading pairs of −M − (c/n)·11ᵀ, which moves the eigenvalue of the constant from 0 to −c and leaves all others where they
//! are: a constant that mixes with other eigenvectors of eigenvalues near 0 is thereby ruled out. The matrix is made tridiagonal, so that the
//! cost, 4/3·n³ operations, does not depend on the spectrum, and no eigenvalue is missed. Eigenvalues are Rayleigh quotients with M, and
//! residuals ‖Mv − λv‖ hold for M as it is stored.

use super::{Sign, SymmetricPairs};
use crate::error::Error;
use crate::linalg::{Columns, dot, leading_eigen, norm, times};
use crate::mat::Mat;
use crate::parallel;

/// The k smallest pairs orthogonal to the constant, smallest first. `size` is of the size of the largest eigenvalue.
pub(crate) fn smallest_pairs(m: Mat<f64>, k: usize, size: f64) -> Result<SymmetricPairs, Error> {
    let n = m.n_rows();
    let mut negative = m.clone();
    let constant = size / n as f64;
    parallel::each_chunk(negative.as_mut_slice(), n, |_, row| {
        row.iter_mut().for_each(|x| *x = -*x - constant);
    });
    let (_, mut vectors) = leading_eigen(&negative, k)?;
    drop(negative);
    Sign::Largest.apply_to(&mut vectors);
    let q = Columns::from_rows(&vectors);
    let images = times(&m, &q).to_rows();
    // Cells that are zero round nothing.
    let cells = m
        .rows()
        .map(|row| row.iter().filter(|x| **x != 0.0).count());
    let rounding = (cells.max().unwrap_or(0) + 4) as f64 * f64::EPSILON * norm(m.as_slice());
    let (mut values, mut residuals) = (Vec::new(), Vec::new());
    for i in 0..k {
        let (v, image) = (vectors.row(i), images.row(i));
        let value = dot(v, image).max(0.0);
        let off: Vec<f64> = image.iter().zip(v).map(|(y, x)| y - value * x).collect();
        values.push(value);
        residuals.push(norm(&off) + rounding);
    }
    Ok(SymmetricPairs {
        values,
        vectors,
        residuals,
        rounds: 0,
        converged: true,
    })
}
