//! The share of true neighbors that an approximate search found, measured on a sample of the rows.

use serde::Serialize;

use super::exact::{Nearest, Own, nearest};
use super::rows::MetricRows;
use crate::context::Context;
use crate::error::Error;
use crate::source::RowSet;

/// How many of the true neighbors were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recall {
    /// The share of neighbors, in the sampled rows, that are as near as the true ones.
    pub share: f64,
    /// Between these lies the share for all rows, with a confidence of 95 %.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Rows in the sample, whose neighbors were also found exactly.
    pub n_sampled: usize,
}

/// Rows in the sample.
const SAMPLE: usize = 600;

impl Recall {
    /// Wilson's interval (1927, doi:10.1080/01621459.1927.10502953) with one trial for every row. Recall of a row lies between 0 and 1,
    /// so its variance is at most that of a trial with the same mean: the interval is wide enough however neighbors of a
    /// row depend on each other.
    fn new(share: f64, n_sampled: usize) -> Self {
        const Z: f64 = 1.959_963_984_540_054;
        let n = n_sampled as f64;
        let center = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half =
            Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        Recall {
            share,
            low: (center - half).max(0.0),
            high: (center + half).min(1.0),
            n_sampled,
        }
    }
}

/// The exact neighbors of a sample of the rows.
pub(super) struct Truth {
    places: Vec<usize>,
    k: usize,
    found: Nearest,
}

impl Truth {
    /// Of the sample of this number: samples of different numbers are drawn independently of each other.
    pub(super) fn new(
        ctx: &Context,
        rows: &MetricRows,
        k: usize,
        (seed, number): (u64, usize),
    ) -> Result<Self, Error> {
        let sample = RowSet::sample(
            rows.n_rows(),
            SAMPLE,
            crate::rng::stream(seed, 7_777 + number),
        );
        let places: Vec<usize> = (0..sample.len()).filter_map(|i| sample.get(i)).collect();
        let some = rows.some(&places);
        let found = nearest(ctx, &some, rows, k, Own::Listed(&places))?;
        Ok(Truth { places, k, found })
    }

    /// Whether the sample has all rows, so that another says nothing more.
    pub(super) fn is_of_all(&self, rows: &MetricRows) -> bool {
        self.places.len() == rows.n_rows()
    }

    /// The recall of neighbors given by their relations, k per row.
    pub(super) fn recall(&self, relations: &dyn Fn(usize) -> Vec<f64>) -> Recall {
        let k = self.k;
        let hits: usize = (0..self.places.len())
            .map(|i| {
                let farthest = self.found.relations[(i + 1) * k - 1];
                let found = relations(self.places[i]);
                found.iter().filter(|r| **r <= farthest).count().min(k)
            })
            .sum();
        Recall::new(
            hits as f64 / (k * self.places.len()) as f64,
            self.places.len(),
        )
    }
}
