//! What is wrong with a Parquet or Arrow file.

use eigenspan::error::{bytes_words, counted};
use eigenspan::note::{Advice, Clause, Setting};

use super::ReadError;

/// What is wrong with a Parquet or Arrow file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnarFault {
    /// Bytes that contradict the format.
    #[error("the file is damaged or cut off: {what}")]
    Damaged {
        /// What was found or missed.
        what: String,
    },
    /// A file that needs a key.
    #[error("the file is encrypted, and encrypted files are not read")]
    Encrypted,
    /// A way of packing that is not read.
    #[error("its columns are packed with {codec}, which is not read")]
    Codec {
        /// The way of packing.
        codec: String,
    },
    /// A variant of the format that is not read.
    #[error("{what} are not read")]
    Variant {
        /// Which files, in the plural.
        what: &'static str,
    },
    /// No columns.
    #[error("the table is empty: it has no columns")]
    NoColumns,
    /// A page or a batch that unpacks to too many bytes.
    #[error("a column unpacks to more than {} at once", bytes_words(*.limit as u64))]
    TooLarge {
        /// Bytes allowed.
        limit: usize,
    },
    /// Batches too large for the memory budget.
    #[error(
        "its batches, once unpacked, take {} on all threads, but only {} may be used",
        bytes_words(*.needed), bytes_words(*.budget)
    )]
    Batches {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// A column that cannot be written as text.
    #[error("column {column:?} holds {holds}, which cannot be carried along as text")]
    Composite {
        /// The column.
        column: String,
        /// What it holds.
        holds: &'static str,
    },
    /// A list whose length differs from that of the lists before it.
    #[error(
        "row {row}, column {column:?}: the list has {}, but the rows before have {expected}",
        counted(*.found, "element")
    )]
    Ragged {
        /// Row, from 1.
        row: usize,
        /// The column.
        column: String,
        /// Elements of the first row.
        expected: usize,
        /// Elements of this one.
        found: usize,
    },
}

impl ColumnarFault {
    pub(crate) fn damaged(what: impl ToString) -> Self {
        ColumnarFault::Damaged {
            what: what.to_string(),
        }
    }

    /// This fault as an error about a file.
    pub(crate) fn in_file(self, file: &str) -> ReadError {
        ReadError::Columnar {
            file: file.to_owned(),
            fault: self,
        }
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Advice {
        match self {
            ColumnarFault::Damaged { .. } => "write or copy it again".into(),
            ColumnarFault::Encrypted => "write it without encryption".into(),
            ColumnarFault::Codec { .. } => {
                "write it with snappy, zstd, gzip or lz4, or without compression".into()
            }
            ColumnarFault::Variant { .. } => {
                "pyarrow.feather.write_feather(table, file) writes the version that is read".into()
            }
            ColumnarFault::NoColumns | ColumnarFault::Composite { .. } => Advice::default(),
            ColumnarFault::TooLarge { .. } | ColumnarFault::Batches { .. } => Clause::say("raise ")
                .and(Setting::named("memory"))
                .then(", or write it in smaller pages or batches")
                .into(),
            ColumnarFault::Ragged { column, .. } => [
                Clause::say("vectors need one length"),
                Clause::list("exclude", [column]).then(" leaves the column out"),
            ]
            .into(),
        }
    }
}
