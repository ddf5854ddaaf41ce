//! Modified LLE: as many weight vectors for each row as its neighborhood has directions that carry little of its variance (Zhang & Wang 2007,
//! "MLLE: modified locally linear embedding using multiple weights", NIPS 19).

use super::LleOptions;
use super::blocks::{Block, with_own};
use super::weights::differences;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{gram_of_rows, mirror_lower, norm, symmetric_eigen};
use crate::mat::Mat;
use crate::parallel;

/// What is added to the eigenvalues of a neighborhood where weights are solved for, as a share of their sum.
const SHARE: f64 = 1e-3;

/// The eigenpairs of all neighborhoods, and what they have in common.
pub(super) struct Modified {
    neighborhoods: Vec<Neighborhood>,
    /// The median over all rows of the variance beyond the leading directions, divided by that along them.
    eta: f64,
    tolerance: f64,
}

struct Neighborhood {
    /// Eigenvalues of the Gram matrix of the differences, largest first; as many as can be above zero.
    values: Vec<f64>,
    /// Its eigenvectors as rows, all k.
    vectors: Mat<f64>,
}

impl Modified {
    pub(super) fn new(
        ctx: &Context,
        options: &LleOptions,
        rows: &Mat<f64>,
        neighbors: &[Vec<u32>],
    ) -> Result<Self, Error> {
        let neighborhoods = parallel::try_collect(neighbors.len(), |i| {
            ctx.check()?;
            let away = differences(rows, &neighbors[i], rows.row(i));
            let (mut values, vectors) = symmetric_eigen(&gram_of_rows(&away))?;
            values.truncate(rows.n_cols());
            values.iter_mut().for_each(|x| *x = x.max(0.0));
            Ok::<_, Error>(Neighborhood { values, vectors })
        })?;
        let m = options.n_components;
        let beyond = |of: &Neighborhood| {
            let (first, rest) = of.values.split_at(m.min(of.values.len()));
            rest.iter().sum::<f64>() / first.iter().sum::<f64>()
        };
        let mut shares: Vec<f64> = neighborhoods.iter().map(beyond).collect();
        shares.retain(|x| x.is_finite());
        Ok(Modified {
            neighborhoods,
            eta: median(&mut shares),
            tolerance: options.modified_tolerance,
        })
    }

    /// Σ over the weight vectors w_l of row i of (e_i − w_l)(e_i − w_l)ᵀ.
    pub(super) fn block(&self, i: usize, neighbors: &[u32]) -> Block {
        let of = &self.neighborhoods[i];
        let k = neighbors.len();
        let s = self.n_weights(of, k);
        // 1. V: the last s eigenvectors. α = ‖Vᵀ1‖ ÷ √s, and the reflection I − 2hhᵀ that takes Vᵀ1 to α·1.
        let sums: Vec<f64> = (k - s..k)
            .map(|l| of.vectors.row(l).iter().sum::<f64>())
            .collect();
        let alpha = norm(&sums) / (s as f64).sqrt();
        let mut h: Vec<f64> = sums.iter().map(|sum| alpha - sum).collect();
        let length = norm(&h);
        match length < self.tolerance {
            true => h.fill(0.0),
            false => h.iter_mut().for_each(|x| *x /= length),
        }
        // 2. W = V(I − 2hhᵀ) + (1 − α)·w·1ᵀ, whose columns each sum to 1.
        let w = of.regular_weights(k);
        let along: Vec<f64> = (0..k)
            .map(|j| (0..s).map(|l| of.vectors[(k - s + l, j)] * h[l]).sum())
            .collect();
        let weights = Mat::from_fn(k, s, |j, l| {
            of.vectors[(k - s + l, j)] - 2.0 * along[j] * h[l] + (1.0 - alpha) * w[j]
        });
        // 3. The block: s, −W·1 and W·Wᵀ.
        let sum = |j: usize| weights.row(j).iter().sum::<f64>();
        let mut inner = gram_of_rows(&weights);
        mirror_lower(&mut inner);
        let cells = Mat::from_fn(k + 1, k + 1, |a, b| match (a, b) {
            (0, 0) => s as f64,
            (0, j) | (j, 0) => -sum(j - 1),
            (a, b) => inner[(a - 1, b - 1)],
        });
        Block {
            places: with_own(i, neighbors),
            cells,
        }
    }

    /// How many of the last eigenvectors carry a share of the variance below η.
    fn n_weights(&self, of: &Neighborhood, k: usize) -> usize {
        let total: f64 = of.values.iter().sum();
        let mut first = 0.0;
        let mut count = k - of.values.len();
        for value in &of.values[..of.values.len().saturating_sub(1)] {
            first += value;
            count += usize::from(total / first - 1.0 < self.eta);
        }
        count.clamp(1, k)
    }
}

impl Neighborhood {
    /// The weights that sum to 1, with the eigenvalues lifted.
    fn regular_weights(&self, k: usize) -> Vec<f64> {
        let trace: f64 = self.values.iter().sum();
        let added = if trace > 0.0 { SHARE * trace } else { SHARE };
        let mut w = vec![0.0; k];
        for (l, vector) in self.vectors.rows().enumerate() {
            let value = self.values.get(l).copied().unwrap_or(0.0);
            let factor = vector.iter().sum::<f64>() / (value + added);
            w.iter_mut().zip(vector).for_each(|(w, x)| *w += factor * x);
        }
        let sum: f64 = w.iter().sum();
        w.iter_mut().for_each(|x| *x /= sum);
        w
    }
}

/// The number in the middle, or the mean of the two in the middle; 0 of no numbers.
fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let n = numbers.len();
    match n {
        0 => 0.0,
        n if n % 2 == 1 => numbers[n / 2],
        n => 0.5 * (numbers[n / 2 - 1] + numbers[n / 2]),
    }
}
