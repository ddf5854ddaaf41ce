//! What can be wrong with a Matrix Market file, line by line, and with a folder of 10x Genomics.

use eigenspan::error::{counted, grouped};

use super::shown;

/// What is wrong with a line of a Matrix Market file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MtxFault {
    /// The first line is not the banner.
    #[error("not a Matrix Market file: the banner `%%MatrixMarket matrix …` is missing")]
    Banner,
    /// A word of the banner that is not known, or not read.
    #[error("{} in the banner is not read; {allowed} are", shown(.word))]
    Word {
        /// The word.
        word: String,
        /// The words that are read.
        allowed: &'static str,
    },
    /// The sizes are missing.
    #[error("the line of sizes (rows, columns{}) is missing or damaged", if *.entries { ", entries" } else { "" })]
    Sizes {
        /// Whether the line includes the number of entries.
        entries: bool,
    },
    /// No rows or no columns.
    #[error("the matrix is empty: {rows} × {cols}")]
    Empty {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
    },
    /// A symmetric matrix that is not square.
    #[error("a symmetric matrix is square, but this one is {rows} × {cols}")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
    },
    /// A line that is not an entry.
    #[error("{} expected, found {}", .expected, shown(.line))]
    Entry {
        /// What an entry looks like.
        expected: &'static str,
        /// The line.
        line: String,
    },
    /// An index outside the matrix.
    #[error("{side} index {index} is out of range: there are {} (indices are 1-based)", counted(*.limit, side))]
    Index {
        /// `row` or `column`.
        side: &'static str,
        /// The index.
        index: String,
        /// Rows or columns of the matrix.
        limit: usize,
    },
    /// A value that is not a number of the kind that the banner promises.
    #[error("{} is not {}", shown(.token), .expected)]
    Number {
        /// The value.
        token: String,
        /// `a number` or `an integer`.
        expected: &'static str,
    },
    /// `inf`, or a number beyond the range of f64.
    #[error("{} is not finite", shown(.token))]
    Infinite {
        /// The value.
        token: String,
    },
    /// An entry on the diagonal of a skew-symmetric matrix.
    #[error("a skew-symmetric matrix has no entries on its diagonal")]
    Diagonal,
    /// More entries than promised.
    #[error("more entries than the {} that the line of sizes promises", grouped(*.promised))]
    More {
        /// Entries promised.
        promised: u64,
    },
    /// Fewer entries than promised.
    #[error("the file ends after {} of {} entries: truncated?", grouped(*.found), grouped(*.promised))]
    Fewer {
        /// Entries found.
        found: u64,
        /// Entries promised.
        promised: u64,
    },
}

/// What is wrong with a folder of 10x Genomics.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TenxFault {
    /// A file that belongs to it is missing.
    #[error("there is a matrix.mtx, but no {missing} beside it")]
    NotWhole {
        /// The file.
        missing: &'static str,
    },
    /// A file that names more or fewer rows or columns than the matrix has.
    #[error("{} in {beside}, but the matrix has {}", counted(*.found, "line"), grouped(*.expected as u64))]
    Lines {
        /// The file that names them.
        beside: String,
        /// Lines of it.
        found: usize,
        /// Genes or cells of the matrix.
        expected: usize,
    },
    /// A dense matrix.
    #[error("its matrix.mtx is dense (array), but a sparse one (coordinate) is needed")]
    Dense,
}
