//! Rows with missing cells, with the components as the only model: their likelihood, and the prediction of missing cells in
//! models without an [`Imputer`](super::Imputer).
//!
//! With W = V (Λ − σ²I)^½ and o, m the observed and the missing columns of a prepared row z, probabilistic PCA (Tipping &
//! Bishop 1999, doi:10.1111/1467-9868.00196) expects z_m = W_m x with x = (W_oᵀW_o + σ²I)⁻¹ W_oᵀ z_o. Scores are computed from
//! the completed row: a complete row has its plain scores, a row of the training table the scores of its filled cells, and a
//! row without any value lies at the mean, with scores 0.
//!
//! Cost: one k × k decomposition for each set of missing columns, then d·k a row.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::Pca;
use crate::error::Error;
use crate::linalg::{dot, product, symmetric_eigen, times_transposed};
use crate::mat::Mat;

/// The expected values of a row's missing cells under a model, given its observed cells.
pub(super) struct Conditional<'a> {
    pca: &'a Pca,
    /// (λ − σ²)^½ along each component.
    reach: Vec<f64>,
    noise: f64,
    /// Matrices that rows with the same missing columns share.
    patterns: BTreeMap<Vec<usize>, Pattern>,
}

/// The matrices that depend only on which columns are missing.
struct Pattern {
    /// (W_oᵀW_o + σ²I)⁻¹, k × k.
    inverse: Mat<f64>,
    /// Log-density of the observed cells at their mean, in the units of the data.
    log_peak: f64,
}

impl<'a> Conditional<'a> {
    pub(super) fn new(pca: &'a Pca) -> Self {
        let noise = pca.noise_variance();
        let variances = pca.explained_variance().into_iter();
        Conditional {
            pca,
            reach: variances.map(|v| (v - noise).max(0.0).sqrt()).collect(),
            noise,
            patterns: BTreeMap::new(),
        }
    }

    /// Fills the missing cells of a prepared row: z_m = W_m x.
    pub(super) fn fill(&mut self, row: &mut [f64]) -> Result<(), Error> {
        let missing = missing_in(row);
        if missing.is_empty() {
            return Ok(());
        }
        let x = self.latent(row, &missing)?;
        for j in missing {
            row[j] = self.expected(&x, j);
        }
        Ok(())
    }

    /// Log-density of the observed cells of a prepared row: with x as above, z_oᵀC_oo⁻¹z_o = ‖x‖² + ‖z_o − W_o x‖²/σ².
    pub(super) fn log_density(&mut self, row: &[f64]) -> Result<f64, Error> {
        let missing = missing_in(row);
        let x = self.latent(row, &missing)?;
        let mut distance = dot(&x, &x);
        if self.noise > 0.0 {
            let seen = row.iter().enumerate().filter(|(_, z)| !z.is_nan());
            let squares = seen.map(|(j, z)| (z - self.expected(&x, j)).powi(2));
            distance += squares.sum::<f64>() / self.noise;
        }
        Ok(self.pattern(&missing)?.log_peak - 0.5 * distance)
    }

    /// x = (W_oᵀW_o + σ²I)⁻¹ W_oᵀ z_o.
    fn latent(&mut self, row: &[f64], missing: &[usize]) -> Result<Vec<f64>, Error> {
        let seen: Vec<f64> = row
            .iter()
            .map(|z| if z.is_nan() { 0.0 } else { *z })
            .collect();
        let components = self.pca.components().rows().zip(&self.reach);
        let projected: Vec<f64> = components.map(|(v, reach)| reach * dot(v, &seen)).collect();
        let inverse = &self.pattern(missing)?.inverse;
        Ok(inverse.rows().map(|row| dot(row, &projected)).collect())
    }

    /// (W x)ⱼ.
    fn expected(&self, x: &[f64], j: usize) -> f64 {
        let v = self.pca.components();
        let terms = (0..x.len()).map(|l| v[(l, j)] * self.reach[l] * x[l]);
        terms.sum()
    }

    fn pattern(&mut self, missing: &[usize]) -> Result<&Pattern, Error> {
        if !self.patterns.contains_key(missing) {
            let pattern = self.solve(missing)?;
            self.patterns.insert(missing.to_vec(), pattern);
        }
        Ok(&self.patterns[missing])
    }

    fn solve(&self, missing: &[usize]) -> Result<Pattern, Error> {
        let (v, k, d) = (self.pca.components(), self.reach.len(), self.pca.n_cols());
        let seen: Vec<usize> = (0..d)
            .filter(|j| missing.binary_search(j).is_err())
            .collect();
        // 1. M = W_oᵀW_o + σ²I, k × k.
        let w = Mat::from_fn(k, seen.len(), |l, j| self.reach[l] * v[(l, seen[j])]);
        let mut m = times_transposed(w.view(), w.view());
        (0..k).for_each(|l| m[(l, l)] += self.noise);
        // 2. Its inverse; without noise, directions that the observed cells do not determine stay at the mean.
        let (values, vectors) = symmetric_eigen(&m)?;
        let values: Vec<f64> = values.iter().map(|value| value.max(self.noise)).collect();
        let floor = k as f64 * f64::EPSILON * values.first().copied().unwrap_or(0.0);
        let inverses = values.iter().map(|value| match *value > floor {
            true => value.recip(),
            false => 0.0,
        });
        let inverses: Vec<f64> = inverses.collect();
        let scaled = Mat::from_fn(k, k, |i, j| inverses[i] * vectors[(i, j)]);
        let inverse = product(vectors.view().transposed(), scaled.view());
        // 3. ln|C_oo| = (o − k) ln σ² + ln|M|; for o < k, that many eigenvalues of M are σ² itself.
        let n_seen = seen.len();
        let mut log_det: f64 = values.iter().take(n_seen).map(|value| value.ln()).sum();
        if n_seen > k {
            log_det += (n_seen - k) as f64 * self.noise.ln();
        }
        let scale = self.pca.parts().preparation.scale.as_ref();
        let log_scale: f64 = scale.map_or(0.0, |s| seen.iter().map(|&j| s[j].ln()).sum());
        let log_peak = -0.5 * (n_seen as f64 * TAU.ln() + log_det) - log_scale;
        Ok(Pattern { inverse, log_peak })
    }
}

/// The columns in which a row has no value.
pub(super) fn missing_in(row: &[f64]) -> Vec<usize> {
    (0..row.len()).filter(|&j| row[j].is_nan()).collect()
}
