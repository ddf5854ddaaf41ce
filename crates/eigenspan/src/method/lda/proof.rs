//! How well discriminants solve S_b v = λ S_w v: ‖S_b v − λ S_w v‖ ÷ ‖λ S_w v‖, measured with columns divided by their deviation within
//! classes, so that it does not depend on units, plus a bound on the rounding of the covariances and of the products.
//!
//! Where S_w is singular, the equation holds in the span of the rows' deviations within classes, and is measured there.

use super::solve::{Discriminants, Whitening};
use crate::linalg::{absolute_image_norms, norm, times_transposed};
use crate::mat::Mat;
use crate::summary::Accuracy;

/// The unit of rounding, and the number of roundings per cell.
const UNIT: f64 = 0.5 * f64::EPSILON;
const FEW: f64 = 8.0;

/// Products of the directions (k × d) with both covariances, in the units of the data.
#[derive(Debug)]
pub(super) struct Images {
    pub(super) within: Mat<f64>,
    pub(super) between: Mat<f64>,
}

/// The residual of the first k discriminants. `means` are those of the classes minus their center.
pub(super) fn residuals(
    found: &Discriminants,
    images: &Images,
    whitening: &Whitening,
    (means, priors): (&Mat<f64>, &[f64]),
    accuracy: Accuracy,
) -> Vec<f64> {
    let (k, d) = (images.within.n_rows(), whitening.scale.len());
    let scale = &whitening.scale;
    let in_span = |image: &Mat<f64>| {
        let scaled = Mat::from_fn(k, d, |i, j| image[(i, j)] / scale[j]);
        times_transposed(scaled.view(), whitening.basis.view())
    };
    let (within, between) = (in_span(&images.within), in_span(&images.between));
    let directions = Mat::from_fn(k, d, |i, j| found.directions[(i, j)] * scale[j]);
    let sums = accuracy.of_sums() + UNIT * (FEW + (d as f64).sqrt());
    let reach = match &whitening.scaled {
        Some(scaled) => absolute_image_norms(&directions, scaled),
        // Columns of deviation 1 have lengths that make |S_w| at most d times as large.
        None => directions.rows().map(|v| norm(v) * d as f64).collect(),
    };
    let residual = |i: usize| {
        let ratio = found.ratios[i];
        let pairs = between.row(i).iter().zip(within.row(i));
        let apart: Vec<f64> = pairs.map(|(b, w)| b - ratio * w).collect();
        let rounding =
            sums * (ratio * reach[i] + reach_of_means(means, priors, scale, directions.row(i)));
        let size = ratio * norm(within.row(i));
        match size > 0.0 {
            true => (norm(&apart) + rounding) / size,
            false => 0.0,
        }
    };
    (0..k).map(residual).collect()
}

/// ‖Σ π_c |m_c|·|m_cᵀ||v|‖, columns scaled.
fn reach_of_means(means: &Mat<f64>, priors: &[f64], scale: &[f64], v: &[f64]) -> f64 {
    let mut image = vec![0.0; v.len()];
    for (mean, prior) in means.rows().zip(priors) {
        let cells = mean.iter().zip(scale).zip(v);
        let along: f64 = cells.map(|((m, s), v)| (m / s * v).abs()).sum();
        let cells = image.iter_mut().zip(mean).zip(scale);
        cells.for_each(|((sum, m), s)| *sum += prior * along * (m / s).abs());
    }
    norm(&image)
}
