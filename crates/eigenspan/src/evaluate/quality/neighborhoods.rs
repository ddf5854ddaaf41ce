//! Trustworthiness, continuity and recall of neighborhoods.
//!
//! Trustworthiness counts rows that are near in the map without being near in the table (Venna & Kaski 2001,
//! doi:10.1007/3-540-44668-0_68):
//!
//! T = 1 − 2/(nk(2n − 3k − 1)) · Σᵢ Σ_{j near i in the map} max(0, r(i, j) − k)
//!
//! with r(i, j) the rank of j among the rows by their distance from i in the table, from 1. Continuity is the same with table and
//! map exchanged: it counts rows that were torn apart. Recall is the share of the k nearest rows in the table that are among the k
//! nearest in the map. Rows of equal distance are ranked by their numbers. Cost 2n²d for all rows, 2mnd for a sample of m.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MapEstimate, Table, check_lengths};
use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::graph::{Metric, MetricRows};
use crate::source::{Numbers, RowSet};

/// How to judge a map by its neighborhoods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MapOptions {
    /// Neighbors of each row.
    pub n_neighbors: usize,
    /// The metric of the table; that of the map is Euclidean.
    pub metric: Metric,
    /// Rows to judge: a random sample of this many; all where there are no more. Without a number, all up to 20,000 rows, and
    /// a sample of 5,000 of more.
    pub n_rows: Option<usize>,
    /// Seed of the sample.
    pub seed: u64,
}

impl Default for MapOptions {
    fn default() -> Self {
        MapOptions {
            n_neighbors: 10,
            metric: Metric::Euclidean,
            n_rows: None,
            seed: 0,
        }
    }
}

/// Tables up to this length are judged by all rows, longer ones by a sample of this many.
const ALL: usize = 20_000;
const SAMPLE: usize = 5_000;

/// A measure, with the values of single rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The measure.
    pub estimate: MapEstimate,
    /// The value of every judged row; their mean is the measure.
    pub of_rows: Vec<f64>,
    /// The numbers of the judged rows; none where they are all rows.
    pub rows: Option<Vec<usize>>,
}

/// All measures of neighborhoods.
#[derive(Debug, Clone, PartialEq)]
pub struct MapQuality {
    /// Rows near in the map are near in the table.
    pub trustworthiness: Judged,
    /// Rows near in the table are near in the map.
    pub continuity: Judged,
    /// The share of neighbors in the table that are neighbors in the map.
    pub recall: Judged,
}

/// A table and its map, and the rows to judge.
pub(super) struct Pair {
    table: Table,
    map: Table,
    /// The judged rows, where they are not all rows.
    some: Option<Vec<usize>>,
    k: usize,
}

impl MapOptions {
    /// How far neighbors in the map are neighbors in the table.
    pub fn trustworthiness(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
    ) -> Result<Judged, Error> {
        let pair = self.pair(ctx, table, map)?;
        let near = pair.near_in_map(ctx)?;
        Ok(pair.judged(pair.kept(ctx, &near, true)?))
    }

    /// How far neighbors in the table are neighbors in the map.
    pub fn continuity(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
    ) -> Result<Judged, Error> {
        let pair = self.pair(ctx, table, map)?;
        let near = pair.near_in_table(ctx)?;
        Ok(pair.judged(pair.kept(ctx, &near, false)?))
    }

    /// The share of neighbors in the table that are neighbors in the map.
    pub fn recall(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
    ) -> Result<Judged, Error> {
        let pair = self.read(ctx, table, map)?;
        let n = pair.table.n_rows();
        if pair.k == 0 || pair.k > n - 1 {
            return Err(Error::Neighbors(NeighborFault::Count {
                asked: pair.k,
                n_rows: n,
                most: n - 1,
                own: true,
            }));
        }
        let (table, map) = (pair.near_in_table(ctx)?, pair.near_in_map(ctx)?);
        Ok(pair.judged(pair.shared(&table, &map)))
    }

    /// All three, which share their neighbors.
    pub fn judge(
        &self,
        ctx: &Context,
        table: Numbers<'_>,
        map: Numbers<'_>,
    ) -> Result<MapQuality, Error> {
        self.pair(ctx, table, map)?
            .judge(ctx)
            .map(|(found, _)| found)
    }

    /// Reads both; refuses a number of neighbors for which ranks say nothing.
    fn pair(&self, ctx: &Context, table: Numbers<'_>, map: Numbers<'_>) -> Result<Pair, Error> {
        let pair = self.read(ctx, table, map)?;
        pair.check()?;
        Ok(pair)
    }

    fn read(&self, ctx: &Context, table: Numbers<'_>, map: Numbers<'_>) -> Result<Pair, Error> {
        let table = MetricRows::read(ctx, table, self.metric, None)?;
        let map = MetricRows::read(ctx, map, Metric::Euclidean, None)?;
        self.between(Table::Rows(table), Table::Rows(map))
    }

    /// A table and its map, and a sample of their rows if there are too many.
    pub(super) fn between(&self, table: Table, map: Table) -> Result<Pair, Error> {
        check_lengths(&table, &map)?;
        let n = table.n_rows();
        let count = match self.n_rows {
            Some(count) => count.max(2),
            None if n <= ALL => n,
            None => SAMPLE,
        };
        let some = (count < n).then(|| {
            let set = RowSet::sample(n, count, self.seed);
            (0..count).filter_map(|i| set.get(i)).collect()
        });
        Ok(Pair {
            table,
            map,
            some,
            k: self.n_neighbors,
        })
    }
}

impl Pair {
    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn map(&self) -> &Table {
        &self.map
    }

    /// The numbers of the judged rows; none where they are all rows.
    pub(super) fn some(&self) -> Option<&[usize]> {
        self.some.as_deref()
    }

    /// Refuses a number of neighbors for which ranks say nothing.
    pub(super) fn check(&self) -> Result<(), Error> {
        let (n, k) = (self.table.n_rows(), self.k);
        if n < 3 {
            return Err(Error::Neighbors(NeighborFault::TooFewRows {
                n_rows: n,
                needed: 3,
            }));
        }
        if k == 0 || 2 * k >= n {
            return Err(Error::Neighbors(NeighborFault::RankCount {
                asked: k,
                n_rows: n,
                most: (n - 1) / 2,
            }));
        }
        Ok(())
    }

    fn near_in_table(&self, ctx: &Context) -> Result<Vec<u32>, Error> {
        self.table.nearest(ctx, self.some(), self.k)
    }

    fn near_in_map(&self, ctx: &Context) -> Result<Vec<u32>, Error> {
        self.map.nearest(ctx, self.some(), self.k)
    }

    /// All three, and the neighbors of every judged row in the map.
    pub(super) fn judge(&self, ctx: &Context) -> Result<(MapQuality, Vec<u32>), Error> {
        let (table, map) = (self.near_in_table(ctx)?, self.near_in_map(ctx)?);
        let found = MapQuality {
            trustworthiness: self.judged(self.kept(ctx, &map, true)?),
            continuity: self.judged(self.kept(ctx, &table, false)?),
            recall: self.judged(self.shared(&table, &map)),
        };
        Ok((found, map))
    }

    /// The continuity of every judged row.
    pub(super) fn continuity_of_rows(&self, ctx: &Context) -> Result<Vec<f64>, Error> {
        let near = self.near_in_table(ctx)?;
        self.kept(ctx, &near, false)
    }

    /// 1 − 2/(k(2n − 3k − 1))·Σ max(0, r − k) for every judged row, with r the rank of its neighbors on the other side: in the table, or
    /// in the map.
    fn kept(&self, ctx: &Context, near: &[u32], in_table: bool) -> Result<Vec<f64>, Error> {
        let side = if in_table { &self.table } else { &self.map };
        let k = self.k;
        let ranks = side.ranks(ctx, self.some(), near, k)?;
        let n = self.table.n_rows() as f64;
        let share = 2.0 / (k as f64 * (2.0 * n - 3.0 * k as f64 - 1.0));
        let value = |ranks: &[u32]| {
            let beyond = ranks.iter().map(|r| (*r as usize).saturating_sub(k) as f64);
            1.0 - share * beyond.sum::<f64>()
        };
        Ok(ranks.chunks_exact(k).map(value).collect())
    }

    /// The share of common neighbors of every judged row.
    fn shared(&self, table: &[u32], map: &[u32]) -> Vec<f64> {
        let k = self.k;
        let lists = table.chunks_exact(k).zip(map.chunks_exact(k));
        let share = |(table, map): (&[u32], &[u32])| {
            let common = table.iter().filter(|row| map.contains(row));
            common.count() as f64 / k as f64
        };
        lists.map(share).collect()
    }

    fn judged(&self, of_rows: Vec<f64>) -> Judged {
        let mut estimate = MapEstimate::from_sample(&of_rows, self.table.n_rows());
        // A mean of equal shares may round above 1.
        estimate.value = estimate.value.min(1.0);
        if estimate.exact {
            (estimate.low, estimate.high) = (estimate.value, estimate.value);
        }
        Judged {
            estimate,
            of_rows,
            rows: self.some.clone(),
        }
    }
}
