//! Eigenpairs of a symmetric matrix, all or the leading ones, and the inverse computed from them.

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

/// Matrices smaller than this are left to the backend entirely.
const SMALL: usize = 128;
/// If more than one in so many eigenpairs is wanted, all eigenpairs of the tridiagonal matrix are computed.
const FEW: usize = 8;

/// Eigenvalues alone, largest first: several times cheaper than with their vectors. Reads the lower triangle only.
pub fn symmetric_eigenvalues(a: &Mat<f64>) -> Result<Vec<f64>, Error> {
    match a.n_rows() {
        0 => return Ok(Vec::new()),
        d if d < SMALL => return by_backend(a, None),
        _ => {}
    }
    let t = Tridiagonal::from_symmetric(a);
    let values = tridiagonal_eigen(&t, None)?;
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
/// The cost does not depend on the spectrum: 4/3·d³ for the reduction to a tridiagonal matrix, and 4·d²·k to transform its
/// vectors back.
pub fn leading_eigen(a: &Mat<f64>, k: usize) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let d = a.n_rows();
    let k = k.min(d);
    if d < SMALL {
        let mut all = BackendMat::zeros(d, d);
        let mut values = by_backend(a, Some(&mut all))?;
        values.truncate(k);
        return Ok((values, leading_rows(&all, k)));
    }
    let t = Tridiagonal::from_symmetric(a);
    let few = (FEW * k <= d).then(|| {
        let values = largest_values(&t, k);
        let vectors = vectors(&t, &values)?;
        Some((values, vectors))
    });
    let (values, mut vectors) = match few.flatten() {
        Some(pairs) => pairs,
        None => {
            let mut all = BackendMat::<f64>::zeros(d, d);
            let mut values = tridiagonal_eigen(&t, Some(&mut all))?;
            values.truncate(k);
            (values, leading_rows(&all, k))
        }
    };
    t.turn_back(&mut vectors);
    Ok((values.iter().map(|x| x * t.unit).collect(), vectors))
}

/// All eigenvalues of a tridiagonal matrix, largest first, in its units; and its eigenvectors in the backend's layout.
fn tridiagonal_eigen(
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

/// The number of parts into which the backend cuts its work. It is fixed, so that the bits do not depend on the number of
/// threads.
const ONE_PART: Par = Par::Seq;
const FOUR_PARTS: Par = match NonZeroUsize::new(4) {
    Some(parts) => Par::Rayon(parts),
    None => Par::Seq,
};
/// Tridiagonal matrices of at least this size are cut into parts.
const LARGE: usize = 512;

/// All eigenvalues by the backend alone, largest first, and the eigenvectors in its layout.
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

/// Vectors of the k largest eigenvalues as rows: the backend sorts by rising eigenvalue, and stores vectors as columns.
fn leading_rows(all: &BackendMat<f64>, k: usize) -> Mat<f64> {
    let d = all.nrows();
    let mut rows = Mat::zeros(k, d);
    parallel::each_chunk(rows.as_mut_slice(), d, |i, row| {
        row.copy_from_slice(all.col_as_slice(d - 1 - i));
    });
    rows
}

/// The backend's workspace.
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

/// Inverse of a symmetric positive definite matrix; reads its lower triangle. `None` if it is singular, up to rounding.
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
