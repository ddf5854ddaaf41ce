//! The result of a bootstrap: intervals, angles and stability, computed from the replicates.

use serde::Serialize;

use super::apart::{Ends, Known, Place};
use super::draw::Urn;
use super::interval::{Interval, Level, Ruler, deviation, quantile};
use super::replicate::{Reference, Replicate};
use super::standing::{Standing, notes};
use crate::context::Context;
use crate::mat::Mat;
use crate::method::Pca;
use crate::parallel;
use crate::solve::correlation;

/// Angles between the original and its replicates, in radians.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Angle {
    /// The angle that half of the replicates stay below.
    pub median: f64,
    /// The angle that a share `level` of them stays below.
    pub upper: f64,
}

/// The uncertainty of the numbers of a PCA: one entry for each of the leading components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bootstrap {
    /// Replicates made.
    pub n_replicates: usize,
    /// Rows drawn from.
    pub n_sampled: usize,
    /// Rows of the data.
    pub n_rows: usize,
    /// Probability with which an interval contains the true value, that of the population of rows.
    pub level: f64,
    /// How it was done, in a sentence.
    pub sentence: String,
    /// Sentences about components that cannot be told apart and intervals that are missing for that reason; empty where all
    /// can be told apart.
    pub notes: Vec<String>,
    /// Whether a component can be told apart from its neighbors.
    pub standings: Vec<Standing>,
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
    /// Angles between each component and its match in a replicate.
    pub angles: Vec<Angle>,
    /// The largest angle between the span of this component and those before it, and the span of as many components of a
    /// replicate.
    pub span_angles: Vec<Angle>,
    /// max(0, cos 2θ), where θ is the median angle to the replicate's component of the same rank, matched or not: 1 means that
    /// the component always comes back, 0 that it is mostly another one, as where two eigenvalues cannot be told apart.
    pub stability: Vec<f64>,
}

/// The number of columns whose replicates are processed at a time.
const COLUMNS: usize = 64;
/// The largest factor by which deviations of replicates are widened.
const WIDEST: f64 = 3.0;

/// Everything that the result is computed from.
pub(super) struct Report<'a> {
    pub(super) pca: &'a Pca,
    pub(super) urn: &'a Urn,
    pub(super) reference: &'a Reference,
    pub(super) replicates: &'a [Replicate],
    pub(super) level: Level,
    pub(super) shrink: f64,
    pub(super) unit: f64,
    /// Leading pairs of a replicate, at most.
    pub(super) n_pairs: usize,
}

impl Report<'_> {
    pub(super) fn write(&self, ctx: &Context, sentence: String, n_sampled: usize) -> Bootstrap {
        let k = self.reference.vectors.n_rows();
        let values = self.values();
        let least = match self.urn.is_scaled() {
            true => 0.0,
            false => (2.0 / self.freedom()).sqrt(),
        };
        let variance = |j: usize| self.replicates.iter().map(move |r| at(&r.variances, j));
        let spread =
            |j: usize| (self.widest() * self.shrink * Ruler::Log.deviation(variance(j))).max(least);
        let deviations: Vec<f64> = (0..values.len().min(self.n_pairs)).map(spread).collect();
        let known = Known {
            values: &values,
            deviations: &deviations,
            hidden: self.hidden(values.len()),
            freedom: self.freedom(),
        };
        let places = known.places();
        let ends = Ends {
            places: &places,
            values: &values,
            scaled: self.urn.is_scaled(),
            reach: self.level.z * self.widest() * self.shrink,
            least: self.level.z * least,
        };
        let standings: Vec<Standing> = places.iter().take(k).map(Standing::from_place).collect();
        let (loadings, correlations) = ctx.install(|| self.columns(k, &places, &ends));
        let angles = |of: &dyn Fn(&Replicate, usize) -> f64| -> Vec<Angle> {
            (0..k).map(|i| self.angle(|r| of(r, i))).collect()
        };
        let stable = |same: &Angle| (2.0 * same.median).cos().max(0.0);
        let [eigenvalues, shares, cumulative_shares] = self.variances(k, &ends);
        Bootstrap {
            n_replicates: self.replicates.len(),
            n_sampled,
            n_rows: self.pca.parts().n_rows,
            level: self.level.share(),
            sentence,
            notes: notes(&standings, &self.pca.component_names()),
            standings,
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

    /// Eigenvalues, shares and cumulative shares with their intervals.
    fn variances(&self, k: usize, ends: &Ends<'_>) -> [Vec<Interval>; 3] {
        let (spectrum, base) = (self.pca.spectrum(), &self.reference.base);
        let (square, total) = (self.unit * self.unit, spectrum.total_variance());
        let sum = |values: &[f64], i: usize| values.iter().take(i + 1).sum::<f64>();
        let part = |x: f64, whole: f64| if whole > 0.0 { x / whole } else { 0.0 };
        let model: Vec<f64> = (0..k).map(|i| spectrum.share(i)).collect();
        let less: Vec<f64> = (0..k).map(|i| part(ends.corrected(i), total)).collect();
        let every = |of: &dyn Fn(usize) -> Interval| (0..k).map(of).collect::<Vec<_>>();
        let eigenvalues = every(&|i| {
            let replicate = |r: &Replicate| square * at(&r.variances, i);
            let center = square * at(&base.variances, i);
            let draws = self.draws(spectrum.variance(i), center, replicate, [0.0, f64::MAX]);
            let interval = ends.interval(i, self.replicates, None);
            draws.interval(ends.corrected(i), interval)
        });
        let shares = every(&|i| {
            let replicate = |r: &Replicate| part(at(&r.variances, i), r.total);
            let center = part(at(&base.variances, i), base.total);
            let draws = self.draws(model[i], center, replicate, [0.0, 1.0]);
            let interval = ends.interval(i, self.replicates, Some(total));
            draws.interval(less[i].min(1.0), interval)
        });
        let cumulative = every(&|i| {
            let replicate = |r: &Replicate| part(sum(&r.variances, i), r.total);
            let center = part(sum(&base.variances, i), base.total);
            let draws = self.draws(sum(&model, i), center, replicate, [0.0, 1.0]);
            let interval = ends.cumulative(i, self.replicates, total);
            draws.interval(sum(&less, i).min(1.0), interval)
        });
        [eigenvalues, shares, cumulative]
    }

    /// The number of rows, minus one if they were centered.
    fn freedom(&self) -> f64 {
        let weight = self.pca.parts().weight;
        (weight - f64::from(u8::from(self.urn.is_centered()))).max(1.0)
    }

    /// n/(n − 2).
    fn widest(&self) -> f64 {
        let n = self.pca.parts().weight;
        match n > 3.0 {
            true => n / (n - 2.0),
            false => WIDEST,
        }
    }

    /// All nonzero eigenvalues: those of the model, then those of the sample, then the rest of the total in equal parts.
    fn values(&self) -> Vec<f64> {
        let (spectrum, base) = (self.pca.spectrum(), &self.reference.base);
        let total = spectrum.total_variance();
        let mut values: Vec<f64> = (0..spectrum.rank).map(|i| spectrum.variance(i)).collect();
        let left = |values: &[f64]| (total - values.iter().sum::<f64>()).max(0.0);
        let rest = base.variances.get(values.len()..).unwrap_or_default();
        let others = base.total - base.variances.iter().take(values.len()).sum::<f64>();
        if !rest.is_empty() && others > 0.0 {
            // In the model's units; the total of a sample differs a little from that of all rows.
            let factor = left(&values) / others;
            let last = values.last().copied().unwrap_or(f64::MAX);
            values.extend(rest.iter().map(|x| (factor * x).min(last)));
        }
        let possible = self.pca.n_cols().min(self.freedom() as usize);
        let missing = left(&values);
        if missing > 1e-9 * total && values.len() < possible {
            let count = possible - values.len();
            let last = values.last().copied().unwrap_or(f64::MAX);
            values.extend(vec![(missing / count as f64).min(last); count]);
        }
        values.retain(|x| *x > 0.0);
        values
    }

    /// The number of directions that too few rows hide.
    fn hidden(&self, shown: usize) -> usize {
        let base = &self.reference.base;
        let means = usize::from(self.urn.is_centered());
        match base.variances.len() + means >= self.urn.n_held() {
            true => self.pca.n_cols().saturating_sub(shown),
            false => 0,
        }
    }

    /// The estimate of a number from its replicates and from the whole sample.
    fn draws(
        &self,
        estimate: f64,
        center: f64,
        replicate: impl Fn(&Replicate) -> f64,
        possible: [f64; 2],
    ) -> Draws {
        let moved = |r: &Replicate| {
            let x = estimate + self.shrink * (replicate(r) - center);
            x.clamp(possible[0], possible[1])
        };
        let values = self.replicates.iter().map(moved).collect();
        Draws::new(estimate, values, &self.level, possible)
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
    fn columns(
        &self,
        k: usize,
        places: &[Place],
        ends: &Ends<'_>,
    ) -> (Vec<Vec<Interval>>, Vec<Vec<Interval>>) {
        let d = self.pca.n_cols();
        let parts = parallel::collect(d.div_ceil(COLUMNS), |run| {
            let from = run * COLUMNS;
            self.some_columns(k, (from, (from + COLUMNS).min(d)), places, ends)
        });
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
    fn some_columns(
        &self,
        k: usize,
        (from, to): (usize, usize),
        places: &[Place],
        ends: &Ends<'_>,
    ) -> Vec<Vec<[Interval; 2]>> {
        let columns = self.urn.columns(from, to);
        let reference = columns.entries(&self.reference.vectors);
        let replicates: Vec<Mat<f64>> = self
            .replicates
            .iter()
            .map(|r| columns.entries(&r.vectors))
            .collect();
        let (spectrum, model) = (self.pca.spectrum(), self.pca.components());
        let bounded = |x: f64| x.clamp(-1.0, 1.0);
        let pair = |i: usize, j: usize| {
            let own = self.reference.base.deviations[j];
            let drawn = |of: &dyn Fn(f64, &Replicate) -> f64, estimate: f64, center: f64| {
                let all = self.replicates.iter().zip(&replicates);
                let moved = |(r, v): (&Replicate, &Mat<f64>)| {
                    let x = of(v[(i, j - from)], r);
                    bounded(estimate + self.shrink * (x - center))
                };
                let values = all.map(moved).collect();
                Draws::new(estimate, values, &self.level, [-1.0, 1.0])
            };
            let place = &places[i];
            let reach = place.widening.map(|w| w * self.level.z * self.widest());
            let (v, base) = (model[(i, j)], reference[(i, j - from)]);
            let turned = bounded(v / place.cosine);
            let loading = drawn(&|v, _| v, v, base);
            let interval = reach.map(|reach| {
                let half = reach * loading.deviation;
                [bounded(turned - half), bounded(turned + half)]
            });
            let size = |variance: f64| variance.sqrt() / self.unit;
            let estimate = correlation(v, size(spectrum.variance(i)), own);
            let center = correlation(base, self.reference.sizes[i], own);
            let less = bounded(correlation(turned, size(ends.corrected(i)), own));
            let of = |v, r: &Replicate| correlation(v, r.sizes[i], r.deviations[j]);
            let with = drawn(&of, estimate, center);
            let around = reach.map(|reach| {
                let half = reach * Ruler::Fisher.deviation(with.values.iter().copied());
                [-half, half].map(|by| Ruler::Fisher.away(less, by))
            });
            [
                loading.interval(turned, interval),
                with.interval(less, around),
            ]
        };
        (0..k)
            .map(|i| (from..to).map(|j| pair(i, j)).collect())
            .collect()
    }
}

fn at(values: &[f64], i: usize) -> f64 {
    values.get(i).copied().unwrap_or(0.0)
}

/// Replicates of a number.
struct Draws {
    estimate: f64,
    deviation: f64,
    middle: [f64; 2],
    /// In rising order.
    values: Vec<f64>,
}

impl Draws {
    fn new(estimate: f64, mut values: Vec<f64>, level: &Level, possible: [f64; 2]) -> Self {
        let middle = level.middle(&mut values, possible);
        Draws {
            estimate,
            deviation: deviation(&values),
            middle,
            values,
        }
    }

    fn interval(&self, corrected: f64, interval: Option<[f64; 2]>) -> Interval {
        Interval {
            estimate: self.estimate,
            corrected,
            deviation: self.deviation,
            draws: self.middle,
            interval,
        }
    }
}
