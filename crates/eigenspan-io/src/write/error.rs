//! Why a file could not be written.

use std::io;

use eigenspan::note::{Advice, Clause};

use crate::error::{io_words, quoted_word};

/// Why a file could not be written. Nothing is left behind, and a file that was there before is untouched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The folder does not exist.
    #[error("cannot write {file}: there is no folder {folder}")]
    NoFolder {
        /// The file as given.
        file: String,
        /// The folder it would be in.
        folder: String,
    },
    /// A part of the path is not a folder.
    #[error("cannot write {file}: {folder} is not a folder")]
    NotAFolder {
        /// The file as given.
        file: String,
        /// The part that is not a folder.
        folder: String,
    },
    /// The path is a folder.
    #[error("cannot write {file}: it is a folder")]
    IsFolder {
        /// The folder as given.
        file: String,
    },
    /// A folder to be filled already holds files.
    #[error("cannot write {file}: the folder is not empty")]
    FolderInUse {
        /// The folder as given.
        file: String,
    },
    /// The file, or its folder, is read-only.
    #[error("cannot write {file}: {what} is read-only")]
    ReadOnly {
        /// The file as given.
        file: String,
        /// What is read-only.
        what: String,
    },
    /// The name ends like that of another format.
    #[error(
        "cannot write {file}: .{extension} is not a format that is written; .csv, .tsv, .npy, .parquet, .arrow and .feather are"
    )]
    UnknownFormat {
        /// The file as given.
        file: String,
        /// The end of its name.
        extension: String,
    },
    /// A model under a name that ends like another format.
    #[error("cannot write {file}: a model is written as safetensors, not as .{extension}")]
    OtherFormat {
        /// The file as given.
        file: String,
        /// The end of its name.
        extension: String,
        /// A name with the right ending.
        better: String,
    },
    /// A sparse matrix under a name that ends like another format.
    #[error("cannot write {file}: a graph is written as .npz (SciPy's) or .mtx (Matrix Market)")]
    NotSparse {
        /// The file as given.
        file: String,
    },
    /// Rows with other columns than announced.
    #[error("cannot write {file}: the rows do not have the columns that were announced")]
    Layout {
        /// The file as given.
        file: String,
    },
    /// The encoder of the format refused.
    #[error("cannot write {file}: {what}")]
    Encoding {
        /// The file as given.
        file: String,
        /// What the encoder said.
        what: String,
    },
    /// The operating system refused, for example because the disk is full.
    #[error("cannot write {file}: {}", io_words(.source))]
    Io {
        /// The file as given.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl WriteError {
    pub(super) fn encoding(file: &str, what: impl ToString) -> Self {
        WriteError::Encoding {
            file: file.to_owned(),
            what: what.to_string(),
        }
    }

    pub(crate) fn io(file: &str, source: io::Error) -> Self {
        WriteError::Io {
            file: file.to_owned(),
            source,
        }
    }

    /// Whether the reader of a pipe has closed it, which is not a fault (`… | head`).
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, WriteError::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to do about it.
    pub fn advice(&self) -> Advice {
        match self {
            WriteError::NoFolder { folder, .. } => {
                Clause::typed(format!("mkdir -p {}", quoted_word(folder)))
                    .then(" makes it")
                    .into()
            }
            WriteError::OtherFormat { better, .. } => {
                Clause::typed(format!("-m {}", quoted_word(better))).into()
            }
            WriteError::FolderInUse { .. } => "give the name of a new folder".into(),
            WriteError::IsFolder { .. } => "give the name of a file in it".into(),
            _ => Advice::default(),
        }
    }
}
