//! Graphs that give no map: tables that are no affinities, and graphs in pieces.

use super::words::{counted, sizes_words};

/// Why a graph of rows, or a map made of it, was refused. Rows and columns count from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphFault {
    /// As many columns as rows are needed.
    #[error("a matrix of affinities has as many rows as columns, but {rows} × {cols} were given")]
    NotSquare {
        /// Rows given.
        rows: usize,
        /// Columns given.
        cols: usize,
    },
    /// Two cells for the same pair that differ.
    #[error(
        "a matrix of affinities is symmetric, but row {}, column {} is {above} and row {}, column {} is {below}",
        .row + 1, .col + 1, .col + 1, .row + 1
    )]
    NotSymmetric {
        /// Row of the first such cell.
        row: usize,
        /// Its column.
        col: usize,
        /// What the cell holds.
        above: f64,
        /// What its counterpart holds.
        below: f64,
    },
    /// An affinity below zero.
    #[error("an affinity is at least 0, but row {}, column {} is {value}", .row + 1, .col + 1)]
    Negative {
        /// Row of the first such cell.
        row: usize,
        /// Its column.
        col: usize,
        /// What the cell holds.
        value: f64,
    },
    /// A graph whose pieces have no affinity to each other, so that nothing says where one lies beside another.
    #[error(
        "the graph is in {} {} without an affinity between them, so that their places beside each other are not determined",
        counted(*.pieces, "piece"), sizes_words(*.pieces, .sizes)
    )]
    InPieces {
        /// How many pieces there are.
        pieces: usize,
        /// Rows of the largest of them, the largest first.
        sizes: Vec<usize>,
    },
    /// More coordinates than eigenvectors that are not constant.
    #[error("{asked} coordinates asked for, but {} allow at most {}: as many eigenvectors as rows, of which one is constant", counted(*.n_rows, "row"), .n_rows - 1)]
    Dimensions {
        /// Coordinates asked for.
        asked: usize,
        /// Rows.
        n_rows: usize,
    },
    /// Too few neighbors for what is fitted to each neighborhood.
    #[error(
        "n_neighbors = {given} is too few: {variant} of {n_components} coordinates needs at least {needed} neighbors"
    )]
    TooFewNeighbors {
        /// Neighbors asked for.
        given: usize,
        /// The variant that needs more.
        variant: &'static str,
        /// Coordinates asked for.
        n_components: usize,
        /// The fewest that are enough.
        needed: usize,
    },
    /// More coordinates than the rows have columns.
    #[error("{asked} coordinates asked for, but neighborhoods of rows with {} have at most {n_cols} directions", counted(*.n_cols, "column"))]
    MoreThanColumns {
        /// Coordinates asked for.
        asked: usize,
        /// Columns of the rows.
        n_cols: usize,
    },
    /// A new row whose kernel with every row of the fit is zero.
    #[error(
        "a row is so far from every row of the fit that its kernel with all of them is 0, so that it has no place"
    )]
    FarAway,
}
