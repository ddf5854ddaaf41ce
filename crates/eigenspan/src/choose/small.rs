//! Decompositions of a matrix in memory, by its shorter side, and random orders.

use crate::error::{Error, counted};
use crate::linalg::{gram_of_rows, product, right_svd, symmetric_eigen, symmetric_eigenvalues};
use crate::mat::Mat;
use crate::rng::Rng;

/// Squares of the singular values, largest first: min(n, d) of them. Takes the matrix with its shorter side as rows.
pub(super) fn squares_of_flat(flat: &Mat<f64>) -> Result<Vec<f64>, Error> {
    let values = symmetric_eigenvalues(&gram_of_rows(flat))?;
    Ok(values.iter().map(|x| x.max(0.0)).collect())
}

/// The number of rows from which the right vectors of wide matrices are computed from the left ones. Squaring loses only what
/// is below 1e-12 of the first square, which no rule uses, and takes a fifth of the time.
const LARGE: usize = 64;

fn lengths(squares: &[f64]) -> impl Iterator<Item = f64> + '_ {
    squares.iter().map(|x| x.max(0.0).sqrt())
}

/// Squares of the singular values, and the right singular vectors as rows: min(n, d) of each.
pub(super) fn right_pairs(matrix: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    if matrix.n_cols() <= matrix.n_rows() {
        let (values, vectors) = symmetric_eigen(&gram_of_rows(&matrix.transposed()))?;
        return Ok((values.iter().map(|x| x.max(0.0)).collect(), vectors));
    }
    if matrix.n_rows() > LARGE {
        let (values, left) = symmetric_eigen(&gram_of_rows(matrix))?;
        let mut vectors = product(left.view(), matrix.view());
        for (i, length) in lengths(&values).enumerate() {
            let row = vectors.row_mut(i).iter_mut();
            row.for_each(|x| *x = if length > 0.0 { *x / length } else { 0.0 });
        }
        return Ok((values.iter().map(|x| x.max(0.0)).collect(), vectors));
    }
    let (values, vectors) = right_svd(matrix.view())?;
    Ok((values.iter().map(|s| s * s).collect(), vectors))
}

/// The numbers below `count` in random order.
pub(super) fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut order);
    order
}

/// The cells where some rows and some columns meet.
pub(super) fn cut(matrix: &Mat<f64>, rows: &[usize], cols: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), cols.len(), |i, j| matrix[(rows[i], cols[j])])
}

/// Whether every cell is zero.
pub(super) fn is_zero(matrix: &Mat<f64>) -> bool {
    matrix.as_slice().iter().all(|x| *x == 0.0)
}

/// Why there are too few rows to say anything about noise, or too few columns to be related.
pub(super) fn too_few(n: usize, d: usize, to_do: &str) -> Option<String> {
    const ROWS: usize = 5;
    const COLS: usize = 2;
    match (n < ROWS, d < COLS) {
        (true, _) => Some(format!(
            "{} are too few {to_do}; it takes {ROWS}",
            counted(n, "row")
        )),
        (_, true) => Some(format!("one column is too few {to_do}; it takes {COLS}")),
        _ => None,
    }
}
