//! Neighbors that were found: which rows, how far, and how surely.

use super::Metric;
use super::exact::Nearest;
use super::recall::Recall;
use super::rows::MetricRows;

/// How neighbors were found.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchMethod {
    /// All rows were compared.
    Exact,
    /// By NN-descent, with this recall.
    Approximate(Recall),
}

/// The nearest rows of every row, by rising distance; among equally near rows those of smaller number come first.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    n_neighbors: usize,
    n_among: usize,
    metric: Metric,
    indices: Vec<u32>,
    distances: Vec<f64>,
    method: SearchMethod,
}

impl Neighbors {
    pub(super) fn new(
        rows: &MetricRows,
        n_among: usize,
        n_neighbors: usize,
        found: Nearest,
        method: SearchMethod,
    ) -> Self {
        let mut distances = found.relations;
        distances.iter_mut().for_each(|x| *x = rows.distance(*x));
        Neighbors {
            n_neighbors,
            n_among,
            metric: rows.metric,
            indices: found.indices,
            distances,
            method,
        }
    }

    /// Rows that have neighbors.
    pub fn n_rows(&self) -> usize {
        self.indices.len() / self.n_neighbors
    }

    /// Rows that may be neighbors.
    pub fn n_among(&self) -> usize {
        self.n_among
    }

    /// Neighbors of each row.
    pub fn n_neighbors(&self) -> usize {
        self.n_neighbors
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How they were found.
    pub fn method(&self) -> &SearchMethod {
        &self.method
    }

    /// The measured recall; none where the neighbors are exact.
    pub fn recall(&self) -> Option<&Recall> {
        match &self.method {
            SearchMethod::Exact => None,
            SearchMethod::Approximate(recall) => Some(recall),
        }
    }

    /// Neighbors of all rows, `n_neighbors` each, row after row.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Their distances.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// Neighbors and distances of one row.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let at = i * self.n_neighbors..(i + 1) * self.n_neighbors;
        (&self.indices[at.clone()], &self.distances[at])
    }

    /// The neighbors and the distances.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.indices, self.distances)
    }
}
