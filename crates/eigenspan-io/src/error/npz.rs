//! What can be wrong with an NPZ file.

use eigenspan::error::{bytes_words, grouped};
use eigenspan::note::{Advice, Clause};

use super::NpyFault;

/// What is wrong with an NPZ file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NpzFault {
    /// The directory at the end of the file is missing.
    #[error("not a whole zip archive (truncated?): {what}")]
    NotZip {
        /// What is missing.
        what: String,
    },
    /// The directory cannot be read.
    #[error("the directory of the zip archive is damaged: {what}")]
    Directory {
        /// What was found.
        what: String,
    },
    /// No member is an array.
    #[error("the archive holds no arrays")]
    NoArrays,
    /// More than one array, and the options name none.
    #[error("the archive holds {} arrays, and one has to be chosen", .members.len())]
    Several {
        /// Their names, shapes and types.
        members: Vec<String>,
    },
    /// A member that does not exist.
    #[error("no array {member:?} in the archive")]
    NoMember {
        /// The array that was requested.
        member: String,
        /// The arrays that the archive holds.
        members: Vec<String>,
    },
    /// Two members of one name.
    #[error("duplicate: two arrays are named {member:?}")]
    Twice {
        /// The name.
        member: String,
    },
    /// A way of packing that is not known.
    #[error(
        "array {member:?} is compressed with method {method}, which is not known; 0 (stored) and 8 (deflate) are"
    )]
    Method {
        /// The array.
        member: String,
        /// The method's number.
        method: u16,
    },
    /// A member behind a password.
    #[error("array {member:?} is encrypted")]
    Encrypted {
        /// The array.
        member: String,
    },
    /// A member that cannot be unpacked.
    #[error("array {member:?} is corrupt: {what}")]
    Damaged {
        /// The array.
        member: String,
        /// What the unpacking said.
        what: String,
    },
    /// A member with a wrong checksum.
    #[error("array {member:?} is corrupt: its checksum (CRC) is not the one in the zip archive")]
    Checksum {
        /// The array.
        member: String,
    },
    /// A member whose size differs from the one in the directory.
    #[error("array {member:?} is corrupt: its size is {}, but the zip archive says {}", grouped(*.found), grouped(*.promised))]
    Size {
        /// The array.
        member: String,
        /// Bytes found.
        found: u64,
        /// Bytes promised.
        promised: u64,
    },
    /// A member that unpacks to far too much.
    #[error(
        "array {member:?} unpacks to more than {times} times its size of {}: a zip bomb, or almost nothing but zeros (too large a ratio)",
        bytes_words(*.packed)
    )]
    Bomb {
        /// The array.
        member: String,
        /// The ratio that is too much.
        times: u64,
        /// Its packed size.
        packed: u64,
    },
    /// A member that is not a table of numbers.
    #[error("array {member:?}: {fault}")]
    Npy {
        /// The array.
        member: String,
        /// What is wrong.
        fault: NpyFault,
    },
    /// A sparse matrix whose members do not belong together.
    #[error("not a sparse matrix: {what}")]
    Sparse {
        /// What does not fit.
        what: String,
    },
    /// A sparse matrix in a format that is not read.
    #[error("a sparse matrix in the format {format:?}, which is not read; csr, csc and coo are")]
    SparseFormat {
        /// The format.
        format: String,
    },
}

impl NpzFault {
    /// What the archive holds instead.
    pub(crate) fn detail(&self) -> Option<String> {
        match self {
            NpzFault::Several { members } | NpzFault::NoMember { members, .. } => {
                Some(format!("arrays: {}", members.join(", ")))
            }
            _ => None,
        }
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Advice {
        match self {
            NpzFault::Several { members } => {
                let first = members.first().and_then(|m| m.split_whitespace().next());
                Clause::set("member", first.unwrap_or("NAME"))
                    .then(" reads that one")
                    .into()
            }
            NpzFault::Npy { fault, .. } => fault.advice(),
            NpzFault::NotZip { .. }
            | NpzFault::Directory { .. }
            | NpzFault::Damaged { .. }
            | NpzFault::Checksum { .. }
            | NpzFault::Size { .. } => "the file is damaged: write or copy it again".into(),
            NpzFault::Method { .. } | NpzFault::Encrypted { .. } => {
                "numpy.savez or numpy.savez_compressed writes it so that it can be read".into()
            }
            NpzFault::Bomb { .. } => {
                "if it is meant so, numpy.savez writes it without packing".into()
            }
            NpzFault::SparseFormat { .. } => {
                "scipy.sparse.save_npz(file, x.tocsr()) writes one that is".into()
            }
            NpzFault::Sparse { .. } => {
                "scipy.sparse.save_npz(file, x.tocsr()) writes it anew".into()
            }
            _ => Advice::default(),
        }
    }
}
