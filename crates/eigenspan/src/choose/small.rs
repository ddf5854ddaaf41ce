//! Decompositions of a matrix in memory, by its shorter side, and random orders.

use crate::error::Error;
use crate::linalg::{gram_of_rows, right_svd, symmetric_eigen};
use crate::mat::Mat;
use crate::rng::Rng;

/// Squares of the singular values, largest first: min(n, d) of them. Takes the matrix with its shorter side as rows.
pub(super) fn squares_of_flat(flat: &Mat<f64>) -> Result<Vec<f64>, Error> {
    let (values, _) = symmetric_eigen(&gram_of_rows(flat))?;
    Ok(values.iter().map(|x| x.max(0.0)).collect())
}

/// Squares of the singular values, and the right singular vectors as rows: min(n, d) of each.
pub(super) fn right_pairs(matrix: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    if matrix.n_cols() <= matrix.n_rows() {
        let (values, vectors) = symmetric_eigen(&gram_of_rows(&matrix.transposed()))?;
        return Ok((values.iter().map(|x| x.max(0.0)).collect(), vectors));
    }
    let (values, vectors) = right_svd(matrix.view())?;
    Ok((values.iter().map(|s| s * s).collect(), vectors))
}

/// The numbers below `count` in random order (Fisher & Yates).
pub(super) fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(&mut order, rng);
    order
}

/// Brings items into random order.
pub(super) fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
}

/// The seed of one of many streams: far apart for neighbors.
pub(super) fn stream(seed: u64, number: usize) -> u64 {
    seed.wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .rotate_left(17)
}

/// The cells where some rows and some columns meet.
pub(super) fn cut(matrix: &Mat<f64>, rows: &[usize], cols: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), cols.len(), |i, j| matrix[(rows[i], cols[j])])
}

/// Whether every cell is zero.
pub(super) fn is_zero(matrix: &Mat<f64>) -> bool {
    matrix.as_slice().iter().all(|x| *x == 0.0)
}
