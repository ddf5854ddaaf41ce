//! Bounds on the rounding error of a residual. They are added to it, so that the printed residual is an upper bound.
//!
//! A residual measured on a rounded scatter S̃ = S + E, or with rounded products, is correct for S̃. For S it may be larger by ‖Ev‖.
//! With D the roots of S's diagonal (the lengths of the prepared columns) and u the unit of rounding, Eᵢⱼ has
//! - a part proportional to the sum itself, cᵤ·|Sᵢⱼ|: additions that all round in the same direction, as with repeated rows
//!   ([`Accuracy`]);
//! - a part of a few u·DᵢDⱼ: cells that were rounded by centering, and partial sums larger than the final sum.
//!
//! So ‖Ev‖ ≤ cᵤ·‖|S||v|‖ + 8u·‖D‖·‖Dv‖, and for products with the rows themselves ≤ cᵤ·σ² + 8u·‖D‖·(‖Dv‖ + σ). The second part
//! is assumed to add up like random numbers, not like numbers of one sign: without this assumption the bound would be d times as wide.

use crate::linalg::{absolute_image_norms, norm};
use crate::mat::Mat;
use crate::parallel;
use crate::summary::Accuracy;

/// The unit of rounding.
const UNIT: f64 = 0.5 * f64::EPSILON;
/// Number of roundings per cell.
const FEW: f64 = 8.0;

/// Upper bounds on ‖Ev‖ for each row v of `vectors`, where E is the rounding error of a scatter.
pub(super) fn of_scatter(accuracy: Accuracy, scatter: &Mat<f64>, vectors: &Mat<f64>) -> Vec<f64> {
    let d = scatter.n_rows();
    let spread: Vec<f64> = (0..d).map(|j| scatter[(j, j)].max(0.0).sqrt()).collect();
    let reach = absolute_image_norms(vectors, scatter);
    // The product by which the residual was measured is itself a sum of d terms.
    let sums = accuracy.of_sums() + UNIT * (FEW + (d as f64).sqrt());
    let cells = (FEW * UNIT + accuracy.blur) * norm(&spread);
    parallel::collect(reach.len(), |i| {
        sums * reach[i] + cells * stretched(&spread, vectors.row(i))
    })
}

/// Upper bounds on ‖Ev‖ for right singular vectors (rows) of a matrix, where E is the rounding error of products with that
/// matrix. `spread` has the lengths of its columns.
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

/// ‖Dv‖, piece by piece: allocating memory for long vectors took longer than the sums.
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
