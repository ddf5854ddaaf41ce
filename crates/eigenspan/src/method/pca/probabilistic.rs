//! Probabilistic PCA: a normal distribution of rows, made of the components and equal noise in all directions.
//!
//! A prepared row is z = V (Λ − σ²I)^½ x + ε with x ~ N(0, I) and ε ~ N(0, σ²I), so that its covariance is
//! C = V (Λ − σ²I) Vᵀ + σ²I, where σ² is the mean variance of the directions that were left out (Tipping & Bishop 1999,
//! doi:10.1111/1467-9868.00196). In the units of the data the covariance is S C S with S = diag(scale), and the density of a
//! prepared row is divided by |S|. Without centering the distribution lies around zero.
//!
//! V is orthonormal, so nothing needs d × d: ln|C| = Σ ln λᵢ + (d − k) ln σ² and zᵀC⁻¹z = Σ tᵢ²/λᵢ + ‖z − Vt‖²/σ² with the
//! scores t = Vᵀz. Cost n·d·k.

use std::f64::consts::TAU;
use std::sync::Mutex;

use super::Pca;
use super::conditional::Conditional;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, mirror_lower, product, times_transposed};
use crate::mat::{Mat, Real};
use crate::prepare::{Missing, find_not_finite};
use crate::rng::Rng;
use crate::source::{Block, Source, fold, for_each_block};

/// The number of rows that are processed at a time.
const PANEL: usize = 256;

impl Pca {
    /// Variance of the noise around the components, in prepared units: the mean variance of the directions left out.
    ///
    /// As in scikit-learn this is the variance left out ÷ (min(n, d) − k), where n counts rows by their weights, and 0 where
    /// nothing is left out. The variance left out is the sum over the directions left out where the solver found them all, else
    /// total variance − Σ λᵢ; it is 0 where it is no larger than rounding.
    ///
    /// ```
    /// use eigenspan::solve::Keep;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, MatView, PcaOptions};
    ///
    /// let cells = [3.0, 3.0, 4.0, 7.0, 5.0, 8.0];
    /// let rows = Dense::new(MatView::from_rows(&cells, 3, 2)?);
    /// let options = PcaOptions { n_components: Keep::Count(1), ..Default::default() };
    /// let pca = options.fit(&Context::new(), &rows)?;
    /// // The eigenvalues of [[1, 2.5], [2.5, 7]] sum to 8, and one of the two was kept.
    /// assert!((pca.noise_variance() - (8.0 - pca.explained_variance()[0])).abs() < 1e-12);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn noise_variance(&self) -> f64 {
        let spectrum = self.spectrum();
        let (k, d) = (self.n_components(), self.n_cols());
        let directions = self.n_directions().saturating_sub(k);
        if directions == 0 || spectrum.rank < k {
            return 0.0;
        }
        let left_out = spectrum.left_out_variance().unwrap_or_else(|| {
            let total = spectrum.total_variance();
            let rest = total - self.explained_variance().iter().sum::<f64>();
            // The trace and every eigenvalue are rounded, each by a few units of the total.
            match rest > 8.0 * d as f64 * f64::EPSILON * total {
                true => rest,
                false => 0.0,
            }
        });
        left_out / directions as f64
    }

    /// min(n, d), the number of directions that the variance is spread over, where n counts rows by their weights: a weight of
    /// 2 is the row twice, 0 is no row.
    ///
    /// Weights may sum to less than the number of rows: then n is at least one more than the number of directions that vary
    /// or, where the solver did not find them all, the number of rows.
    pub fn n_directions(&self) -> usize {
        let (n_rows, spectrum) = (self.parts().n_rows, self.spectrum());
        let counted = self.parts().weight.floor() as usize;
        let least = match spectrum.left_out {
            _ if counted >= n_rows => counted,
            Some(left_out) => spectrum.rank + left_out.rank + 1,
            None => n_rows,
        };
        counted.max(least.min(n_rows)).min(self.n_cols())
    }

    /// Covariance of the model (d × d), in the units of the data: the components' own, plus noise in all directions.
    pub fn covariance(&self) -> Mat<f64> {
        let noise = self.noise_variance();
        let mut covariance = self.spread_along(|variance| (variance - noise).max(0.0));
        for j in 0..covariance.n_rows() {
            covariance[(j, j)] += noise;
        }
        if let Some(scale) = &self.parts().preparation.scale {
            scale_both_sides(&mut covariance, |j| scale[j]);
        }
        covariance
    }

    /// Inverse of the covariance of the model (d × d), by the matrix inversion lemma: C⁻¹ = (I − V (I − σ²Λ⁻¹) Vᵀ) ÷ σ².
    ///
    /// Refused where the covariance has no inverse: no noise, and directions without variance.
    pub fn precision(&self) -> Result<Mat<f64>, Error> {
        let noise = self.density()?.noise;
        let mut precision = if noise > 0.0 {
            let mut lemma = self.spread_along(|variance| (noise / variance - 1.0).min(0.0));
            for j in 0..lemma.n_rows() {
                lemma[(j, j)] += 1.0;
            }
            lemma.as_mut_slice().iter_mut().for_each(|x| *x /= noise);
            lemma
        } else {
            self.spread_along(f64::recip)
        };
        if let Some(scale) = &self.parts().preparation.scale {
            scale_both_sides(&mut precision, |j| scale[j].recip());
        }
        Ok(precision)
    }

    /// Log-likelihood of every row under the model, in the units of the data.
    ///
    /// With `missing = mean`, missing cells count as their column's mean; with `em`, a row counts by its observed cells alone;
    /// with `drop`, rows with missing cells have NaN.
    pub fn score_samples<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Vec<f64>, Error> {
        self.check_width(source.n_cols())?;
        let density = self.density()?;
        let all = Mutex::new(vec![0.0; source.n_rows().unwrap_or(0)]);
        ctx.begin("scoring", source.n_rows().map(|n| n as u64));
        for_each_block(ctx, source, |rows| {
            let logs = density.logs(&rows.block)?;
            let mut all = all
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let end = rows.first + logs.len();
            if all.len() < end {
                all.resize(end, 0.0);
            }
            all[rows.first..end].copy_from_slice(&logs);
            Ok(())
        })?;
        let all = all
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let left_out = |log: &f64| log.is_nan() && self.parts().options.missing == Missing::Drop;
        if all.iter().any(|log| !log.is_finite() && !left_out(log)) {
            return Err(find_not_finite(ctx, source));
        }
        Ok(all)
    }

    /// Mean log-likelihood of the rows under the model, each with its weight; rows that the fit would leave out do not count.
    pub fn score<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<f64, Error> {
        self.check_width(source.n_cols())?;
        let density = self.density()?;
        let drop = self.parts().options.missing == Missing::Drop;
        ctx.begin("scoring", source.n_rows().map(|n| n as u64));
        let (sum, weight) = fold(
            ctx,
            source,
            16,
            || (0.0, 0.0),
            |(sum, weight), rows| {
                for (i, log) in density.logs(&rows.block)?.into_iter().enumerate() {
                    let w = rows.weights.map_or(1.0, |weights| weights[i]);
                    if w != 0.0 && !(drop && log.is_nan()) {
                        *sum += w * log;
                        *weight += w;
                    }
                }
                Ok(())
            },
            |a, b| *a = (a.0 + b.0, a.1 + b.1),
        )?;
        if weight == 0.0 {
            return Err(Error::NotDetermined {
                what: "a mean log-likelihood needs at least one row that counts",
            });
        }
        if !sum.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        Ok(sum / weight)
    }

    /// Rows drawn from the model (n × d), in the units of the data. The same seed gives the same first rows, however many are
    /// drawn.
    pub fn sample(&self, n: usize, seed: u64) -> Mat<f64> {
        let (k, d) = (self.n_components(), self.n_cols());
        let noise = self.noise_variance();
        let spread: Vec<f64> = self
            .explained_variance()
            .iter()
            .map(|variance| (variance - noise).max(0.0).sqrt())
            .collect();
        let mut rng = Rng::new(seed);
        let (mut along, mut around) = (Mat::zeros(n, k), Mat::zeros(n, d));
        for i in 0..n {
            let along = along.row_mut(i).iter_mut();
            along.zip(&spread).for_each(|(t, s)| *t = s * rng.normal());
            let around = around.row_mut(i).iter_mut();
            around.for_each(|e| *e = noise.sqrt() * rng.normal());
        }
        let mut rows = product(along.view(), self.components().view());
        rows.as_mut_slice()
            .iter_mut()
            .zip(around.as_slice())
            .for_each(|(z, e)| *z += e);
        self.parts().preparation.undo(&mut rows);
        rows
    }

    /// V diag(f(λ)) Vᵀ.
    fn spread_along(&self, f: impl Fn(f64) -> f64) -> Mat<f64> {
        let v = self.components();
        let factors: Vec<f64> = self.explained_variance().into_iter().map(f).collect();
        let scaled = Mat::from_fn(v.n_rows(), v.n_cols(), |i, j| factors[i] * v[(i, j)]);
        let mut out = product(scaled.view().transposed(), v.view());
        mirror_lower(&mut out);
        out
    }

    /// The density of rows; refused where the covariance is singular.
    pub(super) fn density(&self) -> Result<Density<'_>, Error> {
        let (rank, k, d) = (self.spectrum().rank, self.n_components(), self.n_cols());
        let noise = self.noise_variance();
        if noise == 0.0 && (k < d || rank < k) {
            return Err(Error::SingularCovariance { rank, n_cols: d });
        }
        // Rounding may put the last eigenvalue a little below the mean of those after it.
        let variances = self.explained_variance();
        Ok(Density {
            pca: self,
            variances: variances.into_iter().map(|v| v.max(noise)).collect(),
            noise,
        })
    }
}

/// The normal density of rows under a model.
pub(super) struct Density<'a> {
    pca: &'a Pca,
    /// Variance along each component.
    variances: Vec<f64>,
    /// Variance in all other directions.
    noise: f64,
}

impl Density<'_> {
    /// Log-density of every row of a block; NaN for rows with missing cells that the option `missing` does not cover, and −∞
    /// for rows with infinite cells.
    fn logs<T: Real>(&self, block: &Block<'_, T>) -> Result<Vec<f64>, Error> {
        let v = self.pca.components().view();
        let constant = self.log_peak();
        let em = self.pca.parts().options.missing == Missing::Em;
        let mut given = em.then(|| Conditional::new(self.pca));
        let mut out = Vec::with_capacity(block.n_rows());
        for start in (0..block.n_rows()).step_by(PANEL) {
            let panel = block.slice_rows(start, (start + PANEL).min(block.n_rows()));
            let prepared = self.pca.prepare_seen(&panel);
            let scores = times_transposed(prepared.view(), v);
            let rebuilt = product(scores.view(), v);
            for (i, z) in prepared.rows().enumerate() {
                let incomplete = z.iter().any(|z| z.is_nan());
                let log = match given.as_mut().filter(|_| incomplete) {
                    Some(given) => given.log_density(z)?,
                    None => constant - 0.5 * self.distance(z, scores.row(i), rebuilt.row(i)),
                };
                let infinite = log.is_nan() && !incomplete;
                out.push(if infinite { f64::NEG_INFINITY } else { log });
            }
        }
        Ok(out)
    }

    /// Log-density at the mean: −½ (d ln 2π + ln|C|) − ln|S|.
    fn log_peak(&self) -> f64 {
        let d = self.pca.n_cols();
        let others = d - self.variances.len();
        let mut log_det: f64 = self.variances.iter().map(|v| v.ln()).sum();
        if others > 0 {
            log_det += others as f64 * self.noise.ln();
        }
        let scale = self.pca.parts().preparation.scale.iter().flatten();
        -0.5 * (d as f64 * TAU.ln() + log_det) - scale.map(|s| s.ln()).sum::<f64>()
    }

    /// zᵀC⁻¹z from the scores t of z and its reconstruction Vt.
    fn distance(&self, z: &[f64], scores: &[f64], rebuilt: &[f64]) -> f64 {
        let inside = scores.iter().zip(&self.variances).map(|(t, v)| t * t / v);
        let inside: f64 = inside.sum();
        if self.noise == 0.0 {
            return inside;
        }
        let rest: Vec<f64> = z.iter().zip(rebuilt).map(|(z, y)| z - y).collect();
        inside + dot(&rest, &rest) / self.noise
    }
}

/// Multiplies entry (i, j) by f(i)·f(j).
fn scale_both_sides(matrix: &mut Mat<f64>, f: impl Fn(usize) -> f64) {
    for i in 0..matrix.n_rows() {
        let left = f(i);
        for (j, x) in matrix.row_mut(i).iter_mut().enumerate() {
            *x *= left * f(j);
        }
    }
}
