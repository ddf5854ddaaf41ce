//! Shepard correlation and normalized stress: how distances in the map follow those in the table, over pairs of rows.
//!
//! With δ the distances in the table and d those in the map, the Shepard correlation is their rank correlation, and the
//! normalized stress √(Σ(δ − αd)²/Σδ²) (Kruskal 1964, doi:10.1007/BF02289565). A map has no unit of its own, so α is the factor
//! Σδd/Σd² for which the stress is least (Smelser, Miller & Kobourov 2024, doi:10.1109/BELIV64461.2024.00010), or 1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MapEstimate, Table, check_lengths};
use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::graph::{Metric, MetricRows};
use crate::linalg::{dot, sum};
use crate::parallel;
use crate::rng::{Rng, stream};
use crate::source::Numbers;

/// How two lists of distances are correlated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Association {
    /// The correlation of their ranks; equal distances share their mean rank.
    #[default]
    Spearman,
    /// The correlation of the distances themselves.
    Pearson,
}

/// How to judge a map by distances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PairOptions {
    /// The metric of the table; that of the map is Euclidean.
    pub metric: Metric,
    /// Pairs of rows to compare: all where there are no more, else this many random ones.
    pub n_pairs: usize,
    /// Seed of the sample.
    pub seed: u64,
}

impl Default for PairOptions {
    fn default() -> Self {
        PairOptions {
            metric: Metric::Euclidean,
            n_pairs: 2_000_000,
            seed: 0,
        }
    }
}

/// Distances of the same pairs.
pub(super) struct Distances {
    table: Vec<f64>,
    map: Vec<f64>,
    exact: bool,
}

/// Parts of a sample by which its error is measured, and Student's quantile for as many.
const PARTS: usize = 20;
const STUDENT: f64 = 2.093;

impl PairOptions {
    /// The correlation of distances in the map with those in the table.
    pub fn shepard_correlation(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
        association: Association,
    ) -> Result<MapEstimate, Error> {
        self.read(ctx, table, map)?.shepard_correlation(association)
    }

    /// √(Σ(δ − αd)²/Σδ²), with the best α or, without `scale`, α = 1.
    pub fn normalized_stress(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
        scale: bool,
    ) -> Result<MapEstimate, Error> {
        self.read(ctx, table, map)?.normalized_stress(scale)
    }

    fn read(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
    ) -> Result<Distances, Error> {
        let table = MetricRows::read(ctx, table, self.metric, None)?;
        let map = MetricRows::read(ctx, map, Metric::Euclidean, None)?;
        self.between(ctx, &Table::Rows(table), &Table::Rows(map))
    }

    /// The distances of all pairs, or of a sample of them.
    pub(super) fn between(
        &self,
        ctx: &Context,
        table: &Table,
        map: &Table,
    ) -> Result<Distances, Error> {
        check_lengths(table, map)?;
        let n = table.n_rows();
        if n < 3 {
            return Err(Error::Neighbors(NeighborFault::TooFewRows {
                n_rows: n,
                needed: 3,
            }));
        }
        let exact = (n as f64) * (n as f64 - 1.0) / 2.0 <= self.n_pairs as f64;
        let both = |i: usize, j: usize| (table.distance(i, j), map.distance(i, j));
        let work = |part: usize| -> Result<Vec<(f64, f64)>, Error> {
            ctx.check()?;
            if exact {
                return Ok((0..part).map(|j| both(part, j)).collect());
            }
            let mut rng = Rng::new(stream(self.seed, part));
            let pairs = (0..self.n_pairs.max(PARTS * PARTS) / PARTS).map(|_| {
                let i = rng.below(n);
                let j = rng.below(n - 1);
                both(i, if j < i { j } else { j + 1 })
            });
            Ok(pairs.collect())
        };
        let n_parts = if exact { n } else { PARTS };
        let parts = ctx.install_here(|| parallel::try_collect(n_parts, work))?;
        let (table, map) = parts.into_iter().flatten().unzip();
        Ok(Distances { table, map, exact })
    }
}

impl Distances {
    /// The correlation of distances in the map with those in the table.
    pub(super) fn shepard_correlation(
        &self,
        association: Association,
    ) -> Result<MapEstimate, Error> {
        let what = "a correlation";
        for (which, list) in [
            ("rows of the table", &self.table),
            ("rows of the map", &self.map),
        ] {
            if list.iter().all(|x| *x == list[0]) {
                let zero = list[0] == 0.0;
                return Err(Error::Neighbors(NeighborFault::NoSpread {
                    which,
                    what,
                    zero,
                }));
            }
        }
        Ok(self.estimate((-1.0, 1.0), &|table, map| match association {
            Association::Pearson => pearson(table, map),
            Association::Spearman => pearson(&mean_ranks(table), &mean_ranks(map)),
        }))
    }

    /// √(Σ(δ − αd)²/Σδ²), with the best α or, without `scale`, α = 1.
    pub(super) fn normalized_stress(&self, scale: bool) -> Result<MapEstimate, Error> {
        if self.table.iter().all(|x| *x == 0.0) {
            return Err(Error::Neighbors(NeighborFault::NoSpread {
                which: "rows of the table",
                what: "the stress",
                zero: true,
            }));
        }
        Ok(self.estimate((0.0, f64::INFINITY), &|table, map| {
            let (all, own) = (dot(table, table), dot(map, map));
            if all == 0.0 {
                return 0.0;
            }
            let alpha = match scale {
                true if own > 0.0 => dot(table, map) / own,
                true => 0.0,
                false => 1.0,
            };
            let errors: Vec<f64> = table.iter().zip(map).map(|(x, y)| x - alpha * y).collect();
            (dot(&errors, &errors) / all).sqrt()
        }))
    }

    /// A number of all pairs; of a sample, with the error that the numbers of its parts show.
    fn estimate(
        &self,
        range: (f64, f64),
        number: &(dyn Fn(&[f64], &[f64]) -> f64 + Sync),
    ) -> MapEstimate {
        let value = number(&self.table, &self.map);
        let n = self.table.len();
        if self.exact {
            return MapEstimate::of_all(value, n);
        }
        let size = n / PARTS;
        let parts: Vec<f64> = parallel::collect(PARTS, |part| {
            let at = part * size..(part + 1) * size;
            number(&self.table[at.clone()], &self.map[at])
        });
        let mean = sum(&parts) / PARTS as f64;
        let squares: f64 = parts.iter().map(|x| (x - mean) * (x - mean)).sum();
        let error = (squares / (PARTS * (PARTS - 1)) as f64).sqrt();
        MapEstimate::between(value, STUDENT * error, range, n)
    }
}

/// The correlation; 0 where one list is constant.
fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let centered = |x: &[f64]| -> Vec<f64> {
        let mean = sum(x) / x.len() as f64;
        x.iter().map(|x| x - mean).collect()
    };
    let (a, b) = (centered(a), centered(b));
    let size = dot(&a, &a).sqrt() * dot(&b, &b).sqrt();
    match size > 0.0 {
        true => (dot(&a, &b) / size).clamp(-1.0, 1.0),
        false => 0.0,
    }
}

/// The rank of every number; equal ones share the mean of their ranks.
fn mean_ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<(f64, u32)> = numbers.iter().copied().zip(0u32..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    while start < order.len() {
        let equal = order[start..].iter().take_while(|x| x.0 == order[start].0);
        let end = start + equal.count().max(1);
        let rank = (start + end - 1) as f64 / 2.0;
        order[start..end]
            .iter()
            .for_each(|(_, i)| ranks[*i as usize] = rank);
        start = end;
    }
    ranks
}
