//! The symmetric product C += PᵀP, where n·d² of a covariance goes.
//!
//! Only the lower triangle (row ≥ column) is computed; [`mirror_lower`] fills in the rest at the end.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, Par};

use super::backend;
use crate::mat::{Mat, MatView};

/// Adds PᵀP to the lower triangle of `c`, where P has its rows one after the other in `panel`.
pub fn add_gram(c: &mut Mat<f64>, panel: MatView<'_, f64>) {
    let d = c.n_rows();
    debug_assert_eq!(panel.n_cols(), d);
    if d == 0 || panel.n_rows() == 0 {
        return;
    }
    matmul(
        MatMut::from_row_major_slice_mut(c.as_mut_slice(), d, d),
        BlockStructure::TriangularLower,
        Accum::Add,
        backend(&panel.transposed()),
        BlockStructure::Rectangular,
        backend(&panel),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Copies the lower triangle onto the upper one.
pub fn mirror_lower(c: &mut Mat<f64>) {
    for i in 0..c.n_rows() {
        for j in 0..i {
            c[(j, i)] = c[(i, j)];
        }
    }
}
