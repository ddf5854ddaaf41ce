//! Graphs of rows with a weight for every edge: of nearest neighbors, or given as a matrix; their degrees, and D^−½ W D^−½.

use crate::context::Context;
use crate::error::{Error, GraphFault};
use crate::graph::{Components, EdgeValues, FittedRows, Graph, GraphOf, Neighbors, Pieces};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::parallel;
use crate::prepare::{find_not_finite, read_all};
use crate::solve::{Bounded, SparseSymmetric};
use crate::source::Source;

/// A matrix of affinities, where most pairs of rows have none or all have one.
pub(in crate::method) enum Affinities {
    Sparse(SparseSymmetric),
    Dense(Mat<f64>),
}

/// Larger affinities have sums that leave the range of f64, with other numbers of the same size.
const LARGEST: f64 = 1e140;
/// Pieces of a graph whose sizes an error names.
const SHOWN: usize = 5;
/// A matrix with at most this share of cells that are not zero is multiplied faster as a sparse one.
const SPARSE: f64 = 0.1;

impl Affinities {
    /// ½(A + Aᵀ), where A has a 1 from every row to each of its neighbors: 1 between rows that are neighbors of each other, ½ where one
    /// of two is a neighbor of the other. Links that were added between pieces weigh ½.
    pub(in crate::method) fn of_neighbors(directed: &Graph, symmetric: &Graph) -> Self {
        let mut out = SparseSymmetric {
            starts: symmetric.starts.clone(),
            columns: symmetric.columns.clone(),
            values: vec![0.5; symmetric.columns.len()],
        };
        let values = &mut out.values;
        let is_edge = |i: usize, j: u32| directed.row(i).0.binary_search(&j).is_ok();
        for i in 0..symmetric.n_rows() {
            for (at, &j) in (symmetric.starts[i]..).zip(symmetric.row(i).0) {
                if is_edge(i, j) && is_edge(j as usize, i as u32) {
                    values[at] = 1.0;
                }
            }
        }
        Affinities::Sparse(out)
    }

    /// A table that is the matrix of affinities; an error that names the first cell that cannot be one.
    pub(in crate::method) fn given<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Self, Error> {
        let fault = |fault| Err(Error::Graph(fault));
        let (mut table, _) = ctx.install(|| read_all(ctx, source))?;
        let (n, cols) = (table.n_rows(), table.n_cols());
        if n != cols {
            return fault(GraphFault::NotSquare { rows: n, cols });
        }
        if table.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        let largest = table.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest > LARGEST {
            return Err(Error::Overflow);
        }
        // Two cells for one pair may differ by this share of the largest affinity: rounding.
        let unsure = if T::BYTES == 4 { 1e-6 } else { 1e-9 } * largest;
        for row in 0..n {
            for col in row..n {
                let (above, below) = (table[(row, col)], table[(col, row)]);
                if (above - below).abs() > unsure {
                    return fault(GraphFault::NotSymmetric {
                        row,
                        col,
                        above,
                        below,
                    });
                }
                if above < 0.0 || below < 0.0 {
                    let value = above.min(below);
                    return fault(GraphFault::Negative { row, col, value });
                }
                let mean = 0.5 * (above + below);
                (table[(row, col)], table[(col, row)]) = (mean, mean);
            }
        }
        let filled = table.as_slice().iter().filter(|x| **x != 0.0).count();
        Ok(match filled as f64 <= SPARSE * (n as f64).powi(2) {
            true => Affinities::Sparse(sparse_of(&table)),
            false => Affinities::Dense(table),
        })
    }

    /// Sets the affinity of every row to itself to zero.
    pub(in crate::method) fn without_own(mut self) -> Self {
        match &mut self {
            Affinities::Dense(matrix) => {
                (0..matrix.n_rows()).for_each(|i| matrix[(i, i)] = 0.0);
            }
            Affinities::Sparse(matrix) => {
                for i in 0..matrix.dim() {
                    for at in matrix.starts[i]..matrix.starts[i + 1] {
                        if matrix.columns[at] as usize == i {
                            matrix.values[at] = 0.0;
                        }
                    }
                }
            }
        }
        self
    }

    /// The sum of every row.
    pub(in crate::method) fn degrees(&self) -> Vec<f64> {
        match self {
            Affinities::Dense(matrix) => {
                parallel::collect(matrix.n_rows(), |i| crate::linalg::sum(matrix.row(i)))
            }
            Affinities::Sparse(matrix) => (0..matrix.dim())
                .map(|i| crate::linalg::sum(matrix.row(i).1))
                .collect(),
        }
    }

    /// Refuses a graph in pieces.
    pub(in crate::method) fn check_connected(&self) -> Result<(), Error> {
        let sizes = match self {
            Affinities::Dense(matrix) => {
                let n = matrix.n_rows();
                let pairs = (0..n).flat_map(|i| {
                    let row = matrix.row(i)[..i].iter().enumerate();
                    let linked = row.filter(|(_, x)| **x > 0.0);
                    linked.map(move |(j, _)| (i as u32, j as u32))
                });
                Components::from_edges(n, pairs).sizes
            }
            Affinities::Sparse(matrix) => {
                let pairs = (0..matrix.dim()).flat_map(|i| {
                    let (columns, values) = matrix.row(i);
                    let linked = columns.iter().zip(values).filter(|(_, x)| **x > 0.0);
                    linked.map(move |(j, _)| (i as u32, *j))
                });
                Components::from_edges(matrix.dim(), pairs).sizes
            }
        };
        match sizes.len() {
            1 => Ok(()),
            pieces => Err(Error::Graph(GraphFault::InPieces {
                pieces,
                sizes: sizes.into_iter().take(SHOWN).collect(),
            })),
        }
    }

    /// D^−½ W D^−½ for these roots of the degrees.
    pub(in crate::method) fn normalized(mut self, roots: &[f64]) -> Self {
        match &mut self {
            Affinities::Dense(matrix) => {
                let n = matrix.n_cols();
                parallel::each_chunk(matrix.as_mut_slice(), n, |i, row| {
                    let cells = row.iter_mut().zip(roots);
                    cells.for_each(|(x, root)| *x /= roots[i] * root);
                });
            }
            Affinities::Sparse(matrix) => {
                for i in 0..matrix.dim() {
                    for at in matrix.starts[i]..matrix.starts[i + 1] {
                        let j = matrix.columns[at] as usize;
                        matrix.values[at] /= roots[i] * roots[j];
                    }
                }
            }
        }
        self
    }

    /// The matrix, as the solver takes it.
    pub(in crate::method) fn as_bounded(&self) -> &dyn Bounded {
        match self {
            Affinities::Dense(matrix) => matrix,
            Affinities::Sparse(matrix) => matrix,
        }
    }

    /// Pairs of different rows with an affinity.
    pub(in crate::method) fn n_pairs(&self) -> usize {
        let cells = match self {
            Affinities::Dense(matrix) => matrix.as_slice(),
            Affinities::Sparse(matrix) => &matrix.values,
        };
        cells.iter().filter(|x| **x > 0.0).count() / 2
    }
}

fn sparse_of(table: &Mat<f64>) -> SparseSymmetric {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in table.rows() {
        for (j, x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
            columns.push(j);
            values.push(*x);
        }
        starts.push(columns.len());
    }
    SparseSymmetric {
        starts,
        columns,
        values,
    }
}

/// The neighbors of rows as edges in their own direction, and as edges in both directions whose graph is in one piece; a note says what
/// was added to make it so.
pub(in crate::method) fn connected(
    ctx: &Context,
    rows: &FittedRows,
    neighbors: &Neighbors,
    pieces: Pieces,
) -> Result<(Graph, Graph, Option<Note>), Error> {
    let directed = neighbors.graph(GraphOf::Knn, EdgeValues::Distance);
    let mut both = neighbors.graph(GraphOf::Symmetric, EdgeValues::Distance);
    let note = both.join_pieces(ctx, rows, EdgeValues::Distance, pieces)?;
    Ok((directed, both, note))
}
