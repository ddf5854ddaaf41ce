//! What can go wrong with neighbors of rows, and with maps that are judged by them.

use super::words::{counted, plural, sizes_words};

/// Why neighbors of rows, or the quality of a map, were refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NeighborFault {
    /// No neighbors asked for, or more than there are other rows.
    #[error(
        "n_neighbors = {asked} does not fit: {} {} {}",
        counted(*.n_rows, "row"),
        if *.n_rows == 1 { "has" } else { "have" },
        possible_words(*.most, *.own)
    )]
    Count {
        /// Neighbors asked for.
        asked: usize,
        /// Rows among which they are looked for.
        n_rows: usize,
        /// The most that are possible.
        most: usize,
        /// Whether a row is left out of its own neighbors.
        own: bool,
    },
    /// No rows at all.
    #[error("there are no rows, so no row has neighbors")]
    NoRows,
    /// A row without a direction, for a metric that compares directions.
    #[error("row {} is {}, so it has no {metric} distance to other rows", .row + 1, if *.constant { "constant" } else { "all zeros" })]
    NoDirection {
        /// The row, from 0.
        row: usize,
        /// Name of the metric.
        metric: &'static str,
        /// Whether all its cells are equal (correlation) or zero (cosine).
        constant: bool,
    },
    /// A neighbor graph in several pieces, where that is refused.
    #[error(
        "the graph of {} is in {} {}, but pieces = `refuse` takes only one piece",
        counted(*.n_neighbors, "neighbor"),
        counted(*.pieces, "piece"),
        sizes_words(*.pieces, .sizes)
    )]
    Pieces {
        /// How many pieces.
        pieces: usize,
        /// The rows of the largest of them, the largest first.
        sizes: Vec<usize>,
        /// Neighbors of each row.
        n_neighbors: usize,
    },
    /// A map with other rows than the table it is a map of.
    #[error("the map has {}, but the table has {n_rows}", counted(*.map_rows, "row"))]
    OtherMap {
        /// Rows of the map.
        map_rows: usize,
        /// Rows of the table.
        n_rows: usize,
    },
    /// Too many neighbors for ranks to be judged by them.
    #[error(
        "n_neighbors = {asked} does not fit: ranks of {n_rows} {} are judged by 1 to {most} neighbors, fewer than half of the rows",
        plural(*.n_rows, "row")
    )]
    RankCount {
        /// Neighbors asked for.
        asked: usize,
        /// Rows.
        n_rows: usize,
        /// The most that are possible.
        most: usize,
    },
    /// Too few rows for any pair, or for ranks.
    #[error("{} cannot be judged as a map: at least {needed} rows are needed", counted(*.n_rows, "row"))]
    TooFewRows {
        /// Rows.
        n_rows: usize,
        /// Rows needed.
        needed: usize,
    },
    /// All distances are zero, or equal, so that a ratio or a correlation has no value.
    #[error("all distances between {which} are {}, so {what} has no value", if *.zero { "zero" } else { "equal" })]
    NoSpread {
        /// Which rows: those of the table or of the map.
        which: &'static str,
        /// What was asked for.
        what: &'static str,
        /// Whether they are zero, or only equal.
        zero: bool,
    },
    /// Labels of other rows than those of the map.
    #[error("{} given for {}, but every row needs one", counted(*.labels, "label"), counted(*.n_rows, "row"))]
    LabelCount {
        /// Labels given.
        labels: usize,
        /// Rows.
        n_rows: usize,
    },
}

fn possible_words(most: usize, own: bool) -> String {
    match (most, own) {
        (0, true) => "no other row to be a neighbor".to_owned(),
        (1, true) => "1 neighbor each".to_owned(),
        (most, true) => format!("1 to {most} neighbors each, all other rows"),
        (most, false) => format!("1 to {most} neighbors to offer"),
    }
}
