//! What rounding may hide from a residual: bounds that are added to it, so that what is claimed holds for the data.
//!
//! A residual measured on a rounded scatter S̃ = S + E, or with rounded products, is right for S̃. For S it may be larger by ‖Ev‖.
//! With D the roots of S's diagonal (the lengths of the prepared columns) and u the unit of rounding, Eᵢⱼ has
//! - a part that grows with the sum itself, cᵤ·|Sᵢⱼ|: additions that all round the same way, as they do where rows repeat
//!   ([`Accuracy`]);
//! - a part of a few u·DᵢDⱼ: cells that were rounded when they were centered, and sums that wander on their way.
//!
//! So ‖Ev‖ ≤ cᵤ·‖|S||v|‖ + 8u·‖D‖·‖Dv‖, and for products with the rows themselves ≤ cᵤ·σ² + 8u·‖D‖·(‖Dv‖ + σ). That the second
//! part adds up like random numbers, and not like numbers of one sign, is assumed: a bound without that would be d times as wide.

use crate::linalg::{absolute_image_norms, norm};
use crate::mat::Mat;
use crate::parallel;
use crate::summary::Accuracy;

/// The unit of rounding.
const UNIT: f64 = 0.5 * f64::EPSILON;
/// Roundings that a cell goes through on its way.
const FEW: f64 = 8.0;

/// ‖Ev‖, at most, for each row v of `vectors`, where E is the rounding of a scatter.
pub(super) fn of_scatter(accuracy: Accuracy, scatter: &Mat<f64>, vectors: &Mat<f64>) -> Vec<f64> {
    let d = scatter.n_rows();
    let spread: Vec<f64> = (0..d).map(|j| scatter[(j, j)].max(0.0).sqrt()).collect();
    let reach = absolute_image_norms(vectors, scatter);
    // The product that the residual was measured with is a sum of d terms, too.
    let sums = accuracy.of_sums() + UNIT * (FEW + (d as f64).sqrt());
    let cells = (FEW * UNIT + accuracy.blur) * norm(&spread);
    parallel::collect(reach.len(), |i| {
        sums * reach[i] + cells * stretched(&spread, vectors.row(i))
    })
}

/// ‖Ev‖, at most, for right singular vectors (rows) of a matrix, where E is the rounding of products with that matrix. `spread`
/// are the lengths of its columns.
pub(super) fn of_products(
    accuracy: Accuracy,
    spread: &[f64],
    singular_values: &[f64],
    vectors: &Mat<f64>,
) -> Vec<f64> {
    let sums = accuracy.of_sums() + FEW * UNIT;
    let cells = (FEW * UNIT + accuracy.blur) * norm(spread);
    parallel::collect(singular_values.len(), |i| {
        let sigma = singular_values[i];
        sums * sigma * sigma + cells * (stretched(spread, vectors.row(i)) + sigma)
    })
}

/// ‖Dv‖, piece by piece: fresh memory for long vectors took longer than the sums.
fn stretched(spread: &[f64], v: &[f64]) -> f64 {
    const PIECE: usize = 512;
    let mut products = [0.0; PIECE];
    let pieces = spread.chunks(PIECE).zip(v.chunks(PIECE));
    let lengths: Vec<f64> = pieces
        .map(|(spread, v)| {
            let products = &mut products[..v.len()];
            let cells = products.iter_mut().zip(spread.iter().zip(v));
            cells.for_each(|(product, (s, v))| *product = s * v);
            norm(products)
        })
        .collect();
    norm(&lengths)
}
