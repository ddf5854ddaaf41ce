//! Linear systems with a symmetric positive definite matrix, by its Cholesky factor: n³/3 operations.

use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::solve::solve_in_place;

use super::backend;
use crate::mat::{Mat, MatView};

/// Solves A·Z = B for Z; reads the lower triangle of A. `None` if A is not positive definite, up to rounding.
pub fn solve_positive(a: &Mat<f64>, b: MatView<'_, f64>) -> Option<Mat<f64>> {
    let n = a.n_rows();
    debug_assert!(a.n_cols() == n && b.n_rows() == n);
    if n == 0 {
        return Some(b.to_mat());
    }
    let mut factor = backend(&a.view()).to_owned();
    // One thread: the backend's parallel version gives different bits for different numbers of threads.
    let par = Par::Seq;
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(
        factor.as_mut(),
        Default::default(),
        par,
        stack,
        Default::default(),
    )
    .ok()?;
    let mut solution = backend(&b).to_owned();
    solve_in_place(factor.as_ref(), solution.as_mut(), par, stack);
    let solution = Mat::from_fn(n, b.n_cols(), |i, j| solution[(i, j)]);
    let finite = solution.as_slice().iter().all(|x| x.is_finite());
    finite.then_some(solution)
}
