//! Pre-images from distances (Kwok & Tsang 2004, IEEE Trans. Neural Networks 15, 1517–1525, doi:10.1109/TNN.2004.837781).
//!
//! The distance of P to a training row in feature space says how far a pre-image lies from that row, where the kernel is a
//! function of distances. A row with about those distances to the nearest training rows is found by least squares, in the
//! affine span of those rows, without iteration.

use super::fixed_point::largest;
use super::{PreImages, RunResult, Targets};
use crate::error::Error;
use crate::kernel::{Base, Kernel};
use crate::linalg::{symmetric_eigen, times_transposed};
use crate::mat::Mat;

/// The squared distance of two rows from their squared distance in feature space.
pub(super) fn known(kernel: &Kernel) -> Option<impl Fn(f64) -> f64> {
    /// A kernel value this near to 0 says no more than "far".
    const FAR: f64 = 1e-12;
    let base = kernel.as_base()?;
    let gamma = base.gamma_value();
    if !matches!(
        base,
        Base::Linear | Base::Rbf { .. } | Base::RationalQuadratic { .. }
    ) && !matches!(base, Base::Matern { nu, .. } if nu == 0.5)
    {
        return None;
    }
    Some(move |square: f64| {
        // Where k(x, x) = 1 throughout, ‖Φ(x) − Φ(z)‖² = 2 − 2k(x, z).
        let ln_k = (-0.5 * square).clamp(FAR - 1.0, 0.0).ln_1p();
        match base {
            Base::Rbf { .. } => -ln_k / gamma,
            Base::RationalQuadratic { alpha, length } => {
                2.0 * alpha * length * length * (-ln_k / alpha).exp_m1()
            }
            Base::Matern { length, .. } => (length * ln_k).powi(2),
            _ => square,
        }
    })
}

impl PreImages<'_> {
    pub(super) fn by_distances(&self, targets: &Targets) -> Result<RunResult, Error> {
        let model = self.model;
        let training = self.points.rows();
        let own = model.kernel().diagonal(self.points);
        let Some(distance) = known(model.kernel().kernel()) else {
            return Err(Error::Overflow);
        };
        let b = targets.scores.n_rows();
        let mut rows = Mat::zeros(b, model.n_cols());
        for i in 0..b {
            // 1. Squared distances of P to the training rows in feature space, and the nearest of them.
            let products = targets.products.row(i).iter().zip(&own);
            let nearness: Vec<f64> = products
                .map(|(along, own)| 2.0 * along - own - targets.squares[i])
                .collect();
            let near = largest(&nearness, self.options.n_neighbors);
            // 2. The same in the space of the rows.
            let squares: Vec<f64> = near
                .iter()
                .map(|&j| distance((-nearness[j]).max(0.0)))
                .collect();
            let neighbors =
                Mat::from_fn(near.len(), training.n_cols(), |r, j| training[(near[r], j)]);
            rows.row_mut(i)
                .copy_from_slice(&placed(neighbors, &squares)?);
        }
        Ok(RunResult {
            rows,
            not_converged: None,
        })
    }
}

/// The row with about these squared distances to some others, in their affine span.
///
/// With N the neighbors relative to their mean and ‖nᵢ‖² their squared lengths, a row z in the same origin has
/// dᵢ² = ‖z‖² − 2nᵢᵀz + ‖nᵢ‖²; subtracting means leaves N·z = ½C(‖n‖² − d²), and the shortest solution is taken.
fn placed(mut neighbors: Mat<f64>, squares: &[f64]) -> Result<Vec<f64>, Error> {
    /// Directions of the span below this share of the largest are left out.
    const FLAT: f64 = 1e-12;
    let (q, d) = (neighbors.n_rows(), neighbors.n_cols());
    let mut mean = vec![0.0; d];
    for row in neighbors.rows() {
        mean.iter_mut()
            .zip(row)
            .for_each(|(m, x)| *m += x / q as f64);
    }
    for i in 0..q {
        let row = neighbors.row_mut(i).iter_mut();
        row.zip(&mean).for_each(|(x, m)| *x -= m);
    }
    let gram = times_transposed(neighbors.view(), neighbors.view());
    let mut wanted: Vec<f64> = (0..q).map(|i| 0.5 * (gram[(i, i)] - squares[i])).collect();
    let middle = wanted.iter().sum::<f64>() / q.max(1) as f64;
    wanted.iter_mut().for_each(|x| *x -= middle);
    // z = Nᵀ(NNᵀ)⁺·wanted.
    let (values, vectors) = symmetric_eigen(&gram)?;
    let largest = values.first().copied().unwrap_or(0.0);
    let mut combination = vec![0.0; q];
    for (value, vector) in values.iter().zip(vectors.rows()) {
        if *value > FLAT * largest && *value > 0.0 {
            let along = vector.iter().zip(&wanted).map(|(v, w)| v * w).sum::<f64>() / value;
            combination
                .iter_mut()
                .zip(vector)
                .for_each(|(c, v)| *c += along * v);
        }
    }
    for (factor, row) in combination.iter().zip(neighbors.rows()) {
        mean.iter_mut().zip(row).for_each(|(m, x)| *m += factor * x);
    }
    Ok(mean)
}
