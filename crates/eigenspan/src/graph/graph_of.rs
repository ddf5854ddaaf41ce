//! Graphs of neighbors as sparse matrices: directed as found, symmetric, or mutual.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::components::Components;
use super::neighbors::Neighbors;

/// Which pairs of rows a graph has an edge for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum GraphOf {
    /// From every row to its neighbors; not symmetric
    #[default]
    Knn,
    /// Between two rows of which at least one is a neighbor of the other: the union of both directions
    #[cfg_attr(feature = "clap", value(alias = "union"))]
    #[serde(alias = "union")]
    Symmetric,
    /// Between two rows that are neighbors of each other
    Mutual,
}

/// What an edge holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum EdgeValues {
    /// The distance; edges between equal rows hold 0
    #[default]
    Distance,
    /// 1
    Connectivity,
}

/// A graph of rows as compressed sparse rows, columns rising within each.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Where the edges of each row begin, and the end.
    pub starts: Vec<usize>,
    /// The rows that edges lead to.
    pub columns: Vec<u32>,
    /// What each edge holds.
    pub values: Vec<f64>,
    /// Rows that edges may lead to.
    pub n_cols: usize,
}

impl Neighbors {
    /// Their graph. Neighbors of new rows make a directed graph whatever is asked for.
    pub fn graph(&self, of: GraphOf, values: EdgeValues) -> Graph {
        let n = self.n_rows();
        let directed = self.directed();
        let mut graph = match of {
            _ if n != self.n_among() => directed,
            GraphOf::Knn => directed,
            GraphOf::Symmetric => directed.joined(&directed.transposed(), false),
            GraphOf::Mutual => directed.joined(&directed.transposed(), true),
        };
        if values == EdgeValues::Connectivity {
            graph.values.fill(1.0);
        }
        graph
    }

    fn directed(&self) -> Graph {
        let (n, k) = (self.n_rows(), self.n_neighbors());
        let mut graph = Graph {
            starts: (0..=n).map(|i| i * k).collect(),
            columns: Vec::with_capacity(n * k),
            values: Vec::with_capacity(n * k),
            n_cols: self.n_among(),
        };
        let mut edges: Vec<(u32, f64)> = Vec::with_capacity(k);
        for i in 0..n {
            let (rows, distances) = self.row(i);
            edges.clear();
            edges.extend(rows.iter().copied().zip(distances.iter().copied()));
            edges.sort_unstable_by_key(|(row, _)| *row);
            graph.columns.extend(edges.iter().map(|(row, _)| *row));
            graph.values.extend(edges.iter().map(|(_, x)| *x));
        }
        graph
    }
}

impl Graph {
    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Edges, each direction counted.
    pub fn n_edges(&self) -> usize {
        self.columns.len()
    }

    /// The rows that a row's edges lead to, rising, and what the edges hold.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let at = self.starts[i]..self.starts[i + 1];
        (&self.columns[at.clone()], &self.values[at])
    }

    /// Rows that hang together; of a directed graph, whichever way edges point.
    pub fn components(&self) -> Components {
        let edges = (0..self.n_rows()).flat_map(|i| {
            let (columns, _) = self.row(i);
            columns.iter().map(move |&j| (i as u32, j))
        });
        Components::from_edges(self.n_rows().max(self.n_cols), edges)
    }

    fn transposed(&self) -> Graph {
        let mut starts = vec![0usize; self.n_cols + 1];
        self.columns
            .iter()
            .for_each(|&j| starts[j as usize + 1] += 1);
        for j in 0..self.n_cols {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut columns = vec![0u32; self.columns.len()];
        let mut values = vec![0.0; self.values.len()];
        for i in 0..self.n_rows() {
            let (to, cells) = self.row(i);
            for (&j, &x) in to.iter().zip(cells) {
                let at = &mut next[j as usize];
                (columns[*at], values[*at]) = (i as u32, x);
                *at += 1;
            }
        }
        Graph {
            starts,
            columns,
            values,
            n_cols: self.n_rows(),
        }
    }

    /// The edges that both graphs have, or that either has. Distances of an edge are the same in both.
    fn joined(&self, other: &Graph, both: bool) -> Graph {
        let mut out = Graph {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            n_cols: self.n_cols,
        };
        for row in 0..self.n_rows() {
            let ((a, x), (b, y)) = (self.row(row), other.row(row));
            let (mut i, mut j) = (0, 0);
            while i < a.len() || j < b.len() {
                let left = a.get(i).copied().unwrap_or(u32::MAX);
                let right = b.get(j).copied().unwrap_or(u32::MAX);
                let column = left.min(right);
                if !both || left == right {
                    out.columns.push(column);
                    out.values.push(if left == column { x[i] } else { y[j] });
                }
                i += usize::from(left == column);
                j += usize::from(right == column);
            }
            out.starts.push(out.columns.len());
        }
        out
    }
}
