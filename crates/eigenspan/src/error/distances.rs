//! Tables that are no distance matrix: what is wrong, and in which cell.

/// Why a table was refused as a distance matrix. Rows and columns count from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceFault {
    /// As many columns as rows are needed.
    #[error("a distance matrix has as many rows as columns, but {rows} × {cols} were given")]
    NotSquare {
        /// Rows given.
        rows: usize,
        /// Columns given.
        cols: usize,
    },
    /// Two cells for the same pair that differ.
    #[error(
        "a distance matrix is symmetric, but row {}, column {} is {above} and row {}, column {} is {below}",
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
    /// A distance below zero.
    #[error("a distance is at least 0, but row {}, column {} is {value}", .row + 1, .col + 1)]
    Negative {
        /// Row of the first such cell.
        row: usize,
        /// Its column.
        col: usize,
        /// What the cell holds.
        value: f64,
    },
    /// A row at a distance from itself.
    #[error("the distance of a row from itself is 0, but row {}, column {} is {value}", .row + 1, .row + 1)]
    Diagonal {
        /// The first such row.
        row: usize,
        /// What the cell holds.
        value: f64,
    },
}
