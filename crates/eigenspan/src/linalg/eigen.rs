//! All eigenpairs of a symmetric matrix, and its inverse by them.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat as BackendMat, Par};

use super::{backend, mirror_lower, product};
use crate::error::Error;
use crate::mat::Mat;

/// Eigenvalues alone, largest first: several times cheaper than with their vectors. Reads the lower triangle only.
pub fn symmetric_eigenvalues(a: &Mat<f64>) -> Result<Vec<f64>, Error> {
    let d = a.n_rows();
    if d == 0 {
        return Ok(Vec::new());
    }
    let mut values = Diag::<f64>::zeros(d);
    let par = Par::Seq;
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(
        d,
        ComputeEigenvectors::No,
        par,
        Default::default(),
    ));
    self_adjoint_evd(
        backend(&a.view()),
        values.as_mut(),
        None,
        par,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| Error::NoConvergence {
        what: "eigenvalue decomposition",
    })?;
    Ok(values.column_vector().iter().rev().copied().collect())
}

/// Eigenvalues, largest first, and the eigenvectors as rows in the same order. Reads the lower triangle only.
pub fn symmetric_eigen(a: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let d = a.n_rows();
    if d == 0 {
        return Ok((Vec::new(), Mat::zeros(0, 0)));
    }
    let mut vectors = BackendMat::<f64>::zeros(d, d);
    let mut values = Diag::<f64>::zeros(d);
    // One thread: the backend's parallel version gives other bits for other numbers of threads.
    let par = Par::Seq;
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(
        d,
        ComputeEigenvectors::Yes,
        par,
        Default::default(),
    ));
    self_adjoint_evd(
        backend(&a.view()),
        values.as_mut(),
        Some(vectors.as_mut()),
        par,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| Error::NoConvergence {
        what: "eigenvalue decomposition",
    })?;
    let values = values.column_vector().iter().rev().copied().collect();
    // The backend sorts smallest first and keeps vectors as columns.
    let vectors = Mat::from_fn(d, d, |i, j| vectors[(j, d - 1 - i)]);
    Ok((values, vectors))
}

/// Inverse of a symmetric positive definite matrix, of which the lower triangle is read; None if it is singular, to
/// rounding.
pub fn symmetric_inverse(a: &Mat<f64>) -> Result<Option<Mat<f64>>, Error> {
    let (values, vectors) = symmetric_eigen(a)?;
    let d = values.len();
    let floor = d as f64 * f64::EPSILON * values.first().copied().unwrap_or(0.0);
    if values.iter().any(|value| value.is_nan() || *value <= floor) {
        return Ok(None);
    }
    let scaled = Mat::from_fn(d, d, |i, j| vectors[(i, j)] / values[i]);
    let mut inverse = product(vectors.view().transposed(), scaled.view());
    mirror_lower(&mut inverse);
    Ok(Some(inverse))
}
