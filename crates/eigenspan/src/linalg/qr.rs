//! The triangular factor of a tall matrix, by Householder reflections in blocks.

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};

use super::backend;
use crate::mat::Mat;

/// R with RᵀR = AᵀA: min(m, n) × n, upper triangular.
pub fn triangular_factor(a: &Mat<f64>) -> Mat<f64> {
    let (m, n) = (a.n_rows(), a.n_cols());
    let size = m.min(n);
    if size == 0 {
        return Mat::zeros(0, n);
    }
    let mut factors = backend(&a.view()).to_owned();
    let block = recommended_block_size::<f64>(m, n);
    let mut coefficients = faer::Mat::<f64>::zeros(block, size);
    let par = Par::Seq;
    let mut memory = MemBuffer::new(qr_in_place_scratch::<f64>(
        m,
        n,
        block,
        par,
        Default::default(),
    ));
    qr_in_place(
        factors.as_mut(),
        coefficients.as_mut(),
        par,
        MemStack::new(&mut memory),
        Default::default(),
    );
    Mat::from_fn(size, n, |i, j| if j >= i { factors[(i, j)] } else { 0.0 })
}
