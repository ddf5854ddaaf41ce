//! How good a map is: how many neighborhoods of the table it keeps, and how well its distances follow those of the table.
//!
//! Each measure is exact for tables of moderate size. For more rows it is the mean over a random sample of the rows, or a ratio over a
//! random sample of pairs, with an interval in which the value for all rows lies with a confidence of 95 %.

mod classes;
mod given;
mod neighborhoods;
mod of_model;
mod pairs;

pub use classes::label_accuracy;
pub use neighborhoods::{Judged, MapOptions, MapQuality};
pub use of_model::{measure_map, measures_of, torn};
pub use pairs::{Association, PairOptions};

use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::graph::{MetricRows, Own, Targets, nearest, ranks};
use crate::mat::Mat;
pub use crate::method::MapEstimate;

impl MapEstimate {
    fn of_all(value: f64, n_used: usize) -> Self {
        MapEstimate {
            value,
            low: value,
            high: value,
            n_used,
            exact: true,
        }
    }

    fn between(value: f64, half: f64, (least, most): (f64, f64), n_used: usize) -> Self {
        MapEstimate {
            value,
            low: (value - half).max(least),
            high: (value + half).min(most),
            n_used,
            exact: false,
        }
    }

    /// The mean of values of m of n rows, drawn without replacement, each at most 1.
    ///
    /// Beside 1.96 standard errors, 3/m are added: rows of a sort that a sample of m does not have make up less than that share, with
    /// 95 % confidence, so that equal values in a sample do not pass for certainty.
    fn from_sample(values: &[f64], n: usize) -> Self {
        let m = values.len();
        let count = m as f64;
        let mean = crate::linalg::sum(values) / count;
        if m == n {
            return MapEstimate::of_all(mean, m);
        }
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let left = (n - m) as f64 / (n as f64 - 1.0).max(1.0);
        let error = (squares / (count - 1.0).max(1.0) / count * left).sqrt();
        MapEstimate::between(
            mean,
            1.96 * error + 3.0 / count,
            (f64::NEG_INFINITY, 1.0),
            m,
        )
    }
}

/// What a map is compared with.
enum Table {
    /// Rows.
    Rows(MetricRows),
    /// A matrix of distances.
    Given(Mat<f64>),
}

impl Table {
    fn n_rows(&self) -> usize {
        match self {
            Table::Rows(rows) => rows.n_rows(),
            Table::Given(distances) => distances.n_rows(),
        }
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        match self {
            Table::Rows(rows) => rows.distance(rows.relation(i, rows, j)),
            Table::Given(distances) => distances[(i, j)],
        }
    }

    /// The k nearest of some rows, or of all.
    fn nearest(&self, ctx: &Context, some: Option<&[usize]>, k: usize) -> Result<Vec<u32>, Error> {
        match self {
            Table::Given(distances) => given::nearest(ctx, distances, some, k),
            Table::Rows(rows) => Ok(match some {
                None => nearest(ctx, rows, rows, k, Own::Same)?,
                Some(places) => nearest(ctx, &rows.some(places), rows, k, Own::Listed(places))?,
            }
            .indices),
        }
    }

    /// The ranks of `near`, k for each of some rows, or of all.
    fn ranks(
        &self,
        ctx: &Context,
        some: Option<&[usize]>,
        near: &[u32],
        k: usize,
    ) -> Result<Vec<u32>, Error> {
        let targets = Targets { rows: near, k };
        match (self, some) {
            (Table::Given(distances), _) => given::ranks(ctx, distances, some, near, k),
            (Table::Rows(rows), None) => ranks(ctx, rows, rows, Own::Same, &targets),
            (Table::Rows(rows), Some(places)) => {
                ranks(ctx, &rows.some(places), rows, Own::Listed(places), &targets)
            }
        }
    }
}

/// Refuses a map of other rows.
fn check_lengths(table: &Table, map: &Table) -> Result<(), Error> {
    match (map.n_rows(), table.n_rows()) {
        (map_rows, n_rows) if map_rows != n_rows => {
            Err(Error::Neighbors(NeighborFault::OtherMap {
                map_rows,
                n_rows,
            }))
        }
        _ => Ok(()),
    }
}
