//! Eigenpairs of a symmetric matrix, all or the leading ones, and its inverse by them.

use std::num::NonZeroUsize;

use faer::diag::{Diag, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, EvdError, self_adjoint_evd, self_adjoint_evd_scratch,
    tridiagonal_self_adjoint_evd,
};
use faer::{Mat as BackendMat, Par};

use super::tridiagonal::{Tridiagonal, largest_values, vectors};
use super::{backend, mirror_lower, product};
use crate::error::Error;
use crate::mat::Mat;
use crate::parallel;

/// Sizes below this are left to the backend as a whole.
const SMALL: usize = 128;
/// Where more than one in so many eigenpairs is wanted, all of the tridiagonal matrix are found.
const FEW: usize = 8;

/// Eigenvalues alone, largest first: several times cheaper than with their vectors. Reads the lower triangle only.
pub fn symmetric_eigenvalues(a: &Mat<f64>) -> Result<Vec<f64>, Error> {
    match a.n_rows() {
        0 => return Ok(Vec::new()),
        d if d < SMALL => return by_backend(a, None),
        _ => {}
    }
    let t = Tridiagonal::of(a);
    let values = of_tridiagonal(&t, None)?;
    Ok(values.iter().map(|x| x * t.unit).collect())
}

/// Eigenvalues, largest first, and the eigenvectors as rows in the same order. Reads the lower triangle only.
pub fn symmetric_eigen(a: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    match a.n_rows() {
        0 => Ok((Vec::new(), Mat::zeros(0, 0))),
        d => leading_eigen(a, d),
    }
}

/// The k largest eigenvalues, largest first, and their eigenvectors as rows. Reads the lower triangle only.
///
/// What this costs does not depend on the spectrum: 4/3·d³ for a tridiagonal matrix, and 4·d²·k to turn its vectors back.
pub fn leading_eigen(a: &Mat<f64>, k: usize) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let d = a.n_rows();
    let k = k.min(d);
    if d < SMALL {
        let mut all = BackendMat::zeros(d, d);
        let mut values = by_backend(a, Some(&mut all))?;
        values.truncate(k);
        return Ok((values, leading_rows(&all, k)));
    }
    let t = Tridiagonal::of(a);
    let few = (FEW * k <= d).then(|| {
        let values = largest_values(&t, k);
        let vectors = vectors(&t, &values)?;
        Some((values, vectors))
    });
    let (values, mut vectors) = match few.flatten() {
        Some(pairs) => pairs,
        None => {
            let mut all = BackendMat::<f64>::zeros(d, d);
            let mut values = of_tridiagonal(&t, Some(&mut all))?;
            values.truncate(k);
            (values, leading_rows(&all, k))
        }
    };
    t.turn_back(&mut vectors);
    Ok((values.iter().map(|x| x * t.unit).collect(), vectors))
}

/// All eigenvalues of a tridiagonal matrix, largest first, in its units; and its eigenvectors as the backend has them.
fn of_tridiagonal(
    t: &Tridiagonal,
    vectors: Option<&mut BackendMat<f64>>,
) -> Result<Vec<f64>, Error> {
    let d = t.diagonal.len();
    let mut values = Diag::<f64>::zeros(d);
    let parts = if d < LARGE { ONE_PART } else { FOUR_PARTS };
    let mut memory = room(d, vectors.is_some(), parts);
    let beside = [&t.beside[..], &[0.0]].concat();
    tridiagonal_self_adjoint_evd(
        DiagRef::from_slice(&t.diagonal),
        DiagRef::from_slice(&beside),
        values.as_mut(),
        vectors.map(BackendMat::as_mut),
        parts,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(no_convergence)?;
    Ok(values.column_vector().iter().rev().copied().collect())
}

/// Into how many parts the backend cuts its work. The number is fixed, so that the bits do not depend on how many threads there
/// are to take the parts.
const ONE_PART: Par = Par::Seq;
const FOUR_PARTS: Par = match NonZeroUsize::new(4) {
    Some(parts) => Par::Rayon(parts),
    None => Par::Seq,
};
/// Tridiagonal matrices from this size on are worth being cut.
const LARGE: usize = 512;

/// All eigenvalues by the backend alone, largest first, and the eigenvectors as it has them.
fn by_backend(a: &Mat<f64>, vectors: Option<&mut BackendMat<f64>>) -> Result<Vec<f64>, Error> {
    let d = a.n_rows();
    let mut values = Diag::<f64>::zeros(d);
    let mut memory = room(d, vectors.is_some(), ONE_PART);
    self_adjoint_evd(
        backend(&a.view()),
        values.as_mut(),
        vectors.map(BackendMat::as_mut),
        ONE_PART,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(no_convergence)?;
    Ok(values.column_vector().iter().rev().copied().collect())
}

/// Vectors of the k largest eigenvalues as rows: the backend sorts smallest first, and keeps vectors as columns.
fn leading_rows(all: &BackendMat<f64>, k: usize) -> Mat<f64> {
    let d = all.nrows();
    let mut rows = Mat::zeros(k, d);
    parallel::each_chunk(rows.as_mut_slice(), d, |i, row| {
        row.copy_from_slice(all.col_as_slice(d - 1 - i));
    });
    rows
}

/// What the backend needs beside the result.
fn room(d: usize, vectors: bool, parts: Par) -> MemBuffer {
    let vectors = match vectors {
        true => ComputeEigenvectors::Yes,
        false => ComputeEigenvectors::No,
    };
    let needed = self_adjoint_evd_scratch::<f64>(d, vectors, parts, Default::default());
    MemBuffer::new(needed)
}

fn no_convergence(_: EvdError) -> Error {
    Error::NoConvergence {
        what: "eigenvalue decomposition",
    }
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
