//! Some rows of another source, in its order: a range of them, or a random sample.

use std::collections::HashSet;
use std::ops::Range;

use serde::Serialize;

use super::{Numbers, Passes, Rows, Sink, Source};
use crate::error::Error;
use crate::mat::Real;
use crate::rng::Rng;

/// Numbers of rows, rising, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowSet {
    /// Neighboring rows.
    Range(Range<usize>),
    /// Any rows, in rising order.
    Listed(Vec<usize>),
}

impl RowSet {
    /// `count` of `n_rows` rows, every such set equally likely; all of them where `count` is at least `n_rows`. The same seed
    /// gives the same rows (Floyd's algorithm, doi:10.1145/30401.315746).
    pub fn sample(n_rows: usize, count: usize, seed: u64) -> Self {
        if count >= n_rows {
            return RowSet::Range(0..n_rows);
        }
        let mut rng = Rng::new(seed);
        let mut taken = HashSet::with_capacity(count);
        for last in n_rows - count..n_rows {
            let row = rng.below(last + 1);
            if !taken.insert(row) {
                taken.insert(last);
            }
        }
        let mut rows: Vec<usize> = taken.into_iter().collect();
        rows.sort_unstable();
        RowSet::Listed(rows)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            RowSet::Range(range) => range.len(),
            RowSet::Listed(rows) => rows.len(),
        }
    }

    /// Whether no row is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the i-th of them; None beyond the last.
    pub fn get(&self, i: usize) -> Option<usize> {
        match self {
            RowSet::Range(range) => (i < range.len()).then(|| range.start + i),
            RowSet::Listed(rows) => rows.get(i).copied(),
        }
    }

    /// How many of them come before `row`.
    pub fn before(&self, row: usize) -> usize {
        match self {
            RowSet::Range(range) => {
                row.clamp(range.start, range.end.max(range.start)) - range.start
            }
            RowSet::Listed(rows) => rows.partition_point(|chosen| *chosen < row),
        }
    }

    /// Those among `start..end`, counted from `start`.
    pub fn within(&self, start: usize, end: usize) -> Vec<usize> {
        match self {
            RowSet::Range(range) => (range.start.max(start)
                ..range.end.min(end).max(range.start.max(start)))
                .map(|row| row - start)
                .collect(),
            RowSet::Listed(rows) => rows[self.before(start)..self.before(end.max(start))]
                .iter()
                .map(|row| row - start)
                .collect(),
        }
    }
}

/// Some rows of a source, renumbered from 0.
pub struct Subset<'a, T> {
    source: &'a dyn Source<T>,
    rows: &'a RowSet,
}

impl<'a, T: Real> Subset<'a, T> {
    /// Those of `rows` that the source has.
    pub fn new(source: &'a dyn Source<T>, rows: &'a RowSet) -> Self {
        Subset { source, rows }
    }
}

impl<'a> From<&'a Subset<'_, f32>> for Numbers<'a> {
    fn from(rows: &'a Subset<'_, f32>) -> Self {
        Numbers::F32(rows)
    }
}

impl<'a> From<&'a Subset<'_, f64>> for Numbers<'a> {
    fn from(rows: &'a Subset<'_, f64>) -> Self {
        Numbers::F64(rows)
    }
}

impl<T: Real> Source<T> for Subset<'_, T> {
    fn n_cols(&self) -> usize {
        self.source.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        self.source.read_part(part, &mut |rows| {
            let count = rows.block.n_rows();
            let chosen = self.rows.within(rows.first, rows.first + count);
            let (Some(&start), Some(&last)) = (chosen.first(), chosen.last()) else {
                return Ok(());
            };
            let first = self.rows.before(rows.first);
            if last - start + 1 == chosen.len() {
                return sink(Rows {
                    first,
                    block: rows.block.slice_rows(start, last + 1),
                    weights: rows.weights.map(|w| &w[start..=last]),
                });
            }
            let weights: Option<Vec<f64>> = rows
                .weights
                .map(|w| chosen.iter().map(|&row| w[row]).collect());
            rows.block.with_rows(&chosen, |block| {
                sink(Rows {
                    first,
                    block,
                    weights: weights.as_deref(),
                })
            })
        })
    }

    fn n_parts(&self) -> usize {
        self.source.n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        let rows = self.source.n_rows()?;
        Some(self.rows.before(rows))
    }

    /// An estimate of the cells that are not zero: the source's average per row times the number of rows.
    fn nnz(&self) -> Option<u64> {
        let (nnz, all, some) = (self.source.nnz()?, self.source.n_rows()?, self.n_rows()?);
        Some((nnz as f64 * (some as f64 / all.max(1) as f64)).round() as u64)
    }

    fn passes(&self) -> Passes {
        self.source.passes()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.source.col_names()
    }

    fn is_weighted(&self) -> bool {
        self.source.is_weighted()
    }
}
