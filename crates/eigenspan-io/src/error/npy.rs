//! What can be wrong with an NPY file.

use eigenspan::error::{bytes_words, grouped};
use eigenspan::note::Advice;

/// What is wrong with an NPY file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyFault {
    /// The first bytes are not those of an NPY file.
    #[error("not an NPY file: the magic word \\x93NUMPY is missing")]
    Magic,
    /// A version that is not known.
    #[error("NPY version {major}.{minor} is not known; versions 1.0, 2.0 and 3.0 are")]
    Version {
        /// First number.
        major: u8,
        /// Second number.
        minor: u8,
    },
    /// The file ends inside its header.
    #[error("truncated: the file ends inside its header")]
    HeaderCut,
    /// The header is not a dictionary with the three keys.
    #[error("the header cannot be parsed: {what}")]
    Header {
        /// What was found or missed.
        what: String,
    },
    /// A type that holds no real numbers.
    #[error("dtype {descr} {what}")]
    Type {
        /// The type as it stands in the header.
        descr: String,
        /// Why it cannot be read.
        what: &'static str,
    },
    /// Not one or two dimensions.
    #[error("the array has shape {shape}, but a table has 2 dimensions")]
    Dimensions {
        /// The shape.
        shape: String,
    },
    /// No rows or no columns.
    #[error("the array is empty: shape {rows} × {cols}, so it has no {}", if *.rows == 0 { "rows" } else { "columns" })]
    Empty {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
    },
    /// A shape whose size overflows.
    #[error("the shape {shape} is too large: its size overflows")]
    Overflow {
        /// The shape.
        shape: String,
    },
    /// Fewer bytes than the shape needs.
    #[error(
        "truncated: the data take {} bytes, but {} are expected ({})",
        grouped(*.found), grouped(*.expected), bytes_words(*.expected)
    )]
    Truncated {
        /// Bytes that are there.
        found: u64,
        /// Bytes that the shape needs.
        expected: u64,
    },
    /// More bytes than the shape needs.
    #[error("{} trailing bytes behind the array: {} are expected", grouped(*.extra), grouped(*.expected))]
    Trailing {
        /// Bytes too many.
        extra: u64,
        /// Bytes that the shape needs.
        expected: u64,
    },
}

impl NpyFault {
    /// What to do about it.
    pub(crate) fn advice(&self) -> Advice {
        match self {
            NpyFault::Type { .. } => "numpy.save(file, x.astype(float)) writes numbers".into(),
            NpyFault::Dimensions { .. } => {
                "numpy.save(file, x.reshape(len(x), -1)) writes one row per sample".into()
            }
            NpyFault::Truncated { .. } | NpyFault::HeaderCut | NpyFault::Trailing { .. } => {
                "the file is damaged: write or copy it again".into()
            }
            _ => Advice::default(),
        }
    }
}
