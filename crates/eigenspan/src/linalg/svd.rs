//! Singular values and right singular vectors by bidiagonalization: errors are small relative to σ₁.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat as BackendMat, Par};

use super::backend;
use crate::error::Error;
use crate::mat::{Mat, MatView};

/// Singular values of A, largest first, and the right singular vectors as rows: min(m, n) of each.
pub fn right_svd(a: MatView<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let (m, n) = (a.n_rows(), a.n_cols());
    let size = m.min(n);
    let mut v = BackendMat::<f64>::zeros(n, size);
    let mut s = Diag::<f64>::zeros(size);
    let par = Par::Seq;
    let mut memory = MemBuffer::new(svd_scratch::<f64>(
        m,
        n,
        ComputeSvdVectors::No,
        ComputeSvdVectors::Thin,
        par,
        Default::default(),
    ));
    svd(
        backend(&a),
        s.as_mut(),
        None,
        Some(v.as_mut()),
        par,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| Error::NoConvergence {
        what: "singular value decomposition",
    })?;
    let values = s.column_vector().iter().copied().collect();
    Ok((values, Mat::from_fn(size, n, |i, j| v[(j, i)])))
}
