//! What a bootstrap gives: intervals, angles and stability, made from the replicates.

use rayon::prelude::*;
use serde::Serialize;

use super::draw::Urn;
use super::interval::{Interval, Level, quantile};
use super::replicate::{Reference, Replicate};
use crate::context::Context;
use crate::mat::Mat;
use crate::method::Pca;
use crate::solve::correlation;

/// Angles between the original and its replicates, in radians.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Angle {
    /// The angle that half of the replicates stay below.
    pub median: f64,
    /// The angle that a share `level` of them stays below.
    pub upper: f64,
}

/// How sure the numbers of a PCA are: one entry per component looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bootstrap {
    /// Replicates made.
    pub n_replicates: usize,
    /// Rows drawn from.
    pub n_sampled: usize,
    /// Rows of the data.
    pub n_rows: usize,
    /// Share of the replicates that an interval holds.
    pub level: f64,
    /// How it was done, in a sentence.
    pub sentence: String,
    /// Variance along each component.
    pub eigenvalues: Vec<Interval>,
    /// Share of the total variance.
    pub shares: Vec<Interval>,
    /// Share of this component and those before it.
    pub cumulative_shares: Vec<Interval>,
    /// Entries of the unit components, one for every column.
    pub loadings: Vec<Vec<Interval>>,
    /// Correlations of the columns with the scores; 0 for columns that never change.
    pub correlations: Vec<Vec<Interval>>,
    /// Each component against the one it is matched with in a replicate.
    pub angles: Vec<Angle>,
    /// The span of this component and those before it against that of as many in a replicate: the largest angle between them.
    pub span_angles: Vec<Angle>,
    /// max(0, cos 2θ), where θ is the median angle to the replicate's component of the same rank, matched or not: 1 is one that always
    /// comes back, 0 one that is mostly something else, as where two eigenvalues cannot be told apart.
    pub stability: Vec<f64>,
}

/// Columns whose replicates are looked at together.
const COLUMNS: usize = 64;

/// All that the result is made of.
pub(super) struct Report<'a> {
    pub(super) pca: &'a Pca,
    pub(super) urn: &'a Urn,
    pub(super) reference: &'a Reference,
    pub(super) replicates: &'a [Replicate],
    pub(super) level: Level,
    pub(super) shrink: f64,
    pub(super) unit: f64,
}

impl Report<'_> {
    pub(super) fn write(&self, ctx: &Context, sentence: String, n_sampled: usize) -> Bootstrap {
        let k = self.reference.vectors.n_rows();
        let (spectrum, base) = (self.pca.spectrum(), &self.reference.base);
        let square = self.unit * self.unit;
        let at = |values: &[f64], i: usize| values.get(i).copied().unwrap_or(0.0);
        let sum = |values: &[f64], i: usize| values.iter().take(i + 1).sum::<f64>();
        let model: Vec<f64> = (0..k).map(|i| spectrum.share(i)).collect();
        let every = |of: &dyn Fn(usize) -> Interval| (0..k).map(of).collect::<Vec<_>>();
        let eigenvalues = every(&|i| {
            let replicate = |r: &Replicate| square * at(&r.variances, i);
            let center = square * at(&base.variances, i);
            self.interval(spectrum.variance(i), center, replicate, [0.0, f64::MAX])
        });
        let shares = every(&|i| {
            let replicate = |r: &Replicate| at(&r.shares, i);
            self.interval(model[i], at(&base.shares, i), replicate, [0.0, 1.0])
        });
        let cumulative_shares = every(&|i| {
            let replicate = |r: &Replicate| sum(&r.shares, i);
            self.interval(sum(&model, i), sum(&base.shares, i), replicate, [0.0, 1.0])
        });
        let (loadings, correlations) = ctx.install(|| self.columns(k));
        let angles = |of: &dyn Fn(&Replicate, usize) -> f64| -> Vec<Angle> {
            (0..k).map(|i| self.angle(|r| of(r, i))).collect()
        };
        let stable = |same: &Angle| (2.0 * same.median).cos().max(0.0);
        Bootstrap {
            n_replicates: self.replicates.len(),
            n_sampled,
            n_rows: self.pca.parts().n_rows,
            level: self.level.share(),
            sentence,
            eigenvalues,
            shares,
            cumulative_shares,
            loadings,
            correlations,
            angles: angles(&|r, i| r.angles[i]),
            span_angles: angles(&|r, i| r.spans[i]),
            stability: angles(&|r, i| r.same_rank[i]).iter().map(stable).collect(),
        }
    }

    /// The interval of a number, from its replicates and what the rows drawn from give for it.
    fn interval(
        &self,
        estimate: f64,
        center: f64,
        replicate: impl Fn(&Replicate) -> f64,
        possible: [f64; 2],
    ) -> Interval {
        let moved = |r: &Replicate| {
            let x = estimate + self.shrink * (replicate(r) - center);
            x.clamp(possible[0], possible[1])
        };
        let mut values = self.replicates.iter().map(moved).collect();
        Interval::of(estimate, &mut values, &self.level, possible)
    }

    fn angle(&self, of: impl Fn(&Replicate) -> f64) -> Angle {
        let mut angles: Vec<f64> = self.replicates.iter().map(of).collect();
        angles.sort_unstable_by(f64::total_cmp);
        Angle {
            median: self.shrink * quantile(&angles, 0.5),
            upper: self.shrink * quantile(&angles, self.level.share()),
        }
    }

    /// Intervals of all loadings and correlations, a run of columns at a time.
    fn columns(&self, k: usize) -> (Vec<Vec<Interval>>, Vec<Vec<Interval>>) {
        let d = self.pca.n_cols();
        let runs: Vec<usize> = (0..d).step_by(COLUMNS).collect();
        let parts: Vec<Vec<Vec<[Interval; 2]>>> = runs
            .into_par_iter()
            .map(|from| self.some_columns(k, from, (from + COLUMNS).min(d)))
            .collect();
        let list = |which: usize| {
            let of = |i: usize| {
                let cells = parts.iter().flat_map(|part| &part[i]);
                cells.map(|pair| pair[which]).collect()
            };
            (0..k).map(of).collect()
        };
        (list(0), list(1))
    }

    /// Loading and correlation of some columns, component by component.
    fn some_columns(&self, k: usize, from: usize, to: usize) -> Vec<Vec<[Interval; 2]>> {
        let columns = self.urn.columns(from, to);
        let reference = columns.of(&self.reference.vectors);
        let replicates: Vec<Mat<f64>> = self
            .replicates
            .iter()
            .map(|r| columns.of(&r.vectors))
            .collect();
        let (spectrum, model) = (self.pca.spectrum(), self.pca.components());
        let bounded = |x: f64| x.clamp(-1.0, 1.0);
        let pair = |i: usize, j: usize| {
            let own = self.reference.base.deviations[j];
            let loading = |of: &dyn Fn(f64, &Replicate) -> f64, estimate: f64, center: f64| {
                let all = self.replicates.iter().zip(&replicates);
                let moved = |(r, v): (&Replicate, &Mat<f64>)| {
                    let x = of(v[(i, j - from)], r);
                    bounded(estimate + self.shrink * (x - center))
                };
                let mut values = all.map(moved).collect();
                Interval::of(estimate, &mut values, &self.level, [-1.0, 1.0])
            };
            let (v, base) = (model[(i, j)], reference[(i, j - from)]);
            let estimate = correlation(v, spectrum.variance(i).sqrt() / self.unit, own);
            let center = correlation(base, self.reference.sizes[i], own);
            [
                loading(&|v, _| v, v, base),
                loading(
                    &|v, r| correlation(v, r.sizes[i], r.deviations[j]),
                    estimate,
                    center,
                ),
            ]
        };
        (0..k)
            .map(|i| (from..to).map(|j| pair(i, j)).collect())
            .collect()
    }
}
