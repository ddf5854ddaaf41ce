//! What can be wrong with the content of a model file.

/// Why bytes are not a model this program can use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file is not one of our model files.
    #[error("not a model of eigenspan: {why}")]
    NotAModel {
        /// What the file is instead, or what it lacks.
        why: String,
    },
    /// The file holds a method that this version does not know.
    #[error("a model of method `{found}`, which this version does not know (it knows: {known})")]
    OtherMethod {
        /// The method named in the file.
        found: String,
        /// The methods that can be read.
        known: String,
    },
    /// A newer version wrote the file.
    #[error(
        "model format {found} is newer than this version reads ({known}); a newer eigenspan can read it"
    )]
    NewerVersion {
        /// Version in the file.
        found: u64,
        /// Newest version known here.
        known: u32,
    },
    /// The file is one of ours, but its parts do not fit together.
    #[error("damaged model: {why}")]
    Damaged {
        /// What does not fit.
        why: String,
    },
}

impl ModelError {
    pub(crate) fn damaged(why: impl std::fmt::Display) -> Self {
        ModelError::Damaged {
            why: why.to_string(),
        }
    }
}
