//! Why a job failed, ready to be shown: one line with the error, lines with details, and one tip.

use eigenspan::Error;
use eigenspan::note::{Advice, Clause};
use eigenspan_io::model::{LoadError, SaveError};
use eigenspan_io::{ReadError, WriteError};

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The data could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A result could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A model could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A model could not be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The core refused the data.
    #[error("{name}: {error}")]
    Core {
        /// The name of the data.
        name: Box<str>,
        /// The error of the core.
        error: Error,
        /// Advice that fits the data better than the general one, if there is any.
        advice: Advice,
    },
    /// New data does not have the model's columns.
    #[error("{data} does not fit the model {model}")]
    Columns {
        /// The name of the data.
        data: Box<str>,
        /// The name of the model file.
        model: Box<str>,
        /// Columns that the model needs and the data lacks.
        missing: Vec<String>,
        /// Columns that the model needs and that hold no numbers in the data.
        without_numbers: Vec<String>,
        /// Columns of the data that the model does not know.
        unknown: Vec<String>,
    },
    /// A file already exists, and the job may not replace it.
    #[error("{file} is there already")]
    Exists {
        /// The file.
        file: String,
        /// What names another file, as the beginning of a sentence.
        elsewhere: Clause,
    },
    /// The user stopped the job; results so far are kept.
    #[error("interrupted")]
    Interrupted {
        /// What was kept, and how to continue.
        kept: String,
    },
    /// The command was used wrongly.
    #[error("{what}")]
    Usage {
        /// What was wrong.
        what: String,
        /// What to do.
        advice: Advice,
    },
}

impl JobError {
    /// An error of the core about the data with this name.
    pub fn core(name: &str, error: Error) -> Self {
        match error {
            // A reader's error passed through the core; it names its file and place itself.
            Error::Source(inner) => match inner.downcast::<ReadError>() {
                Ok(read) => JobError::Read(*read),
                Err(other) => JobError::Core {
                    name: name.into(),
                    error: Error::Source(other),
                    advice: Advice::default(),
                },
            },
            error => JobError::Core {
                name: name.into(),
                error,
                advice: Advice::default(),
            },
        }
    }

    /// Whether the user stopped the job.
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            JobError::Core {
                error: Error::Cancelled,
                ..
            } | JobError::Read(ReadError::Core(Error::Cancelled))
                | JobError::Interrupted { .. }
        )
    }

    /// What an interrupted job leaves behind, if anything.
    pub fn kept(&self) -> Option<&str> {
        match self {
            JobError::Interrupted { kept } => Some(kept),
            _ => None,
        }
    }

    /// Whether the error is that the reader of standard output closed it, which is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, JobError::Write(error) if error.is_broken_pipe())
    }

    /// Details: how many cells or columns are affected, or what exists instead.
    pub fn detail(&self) -> Option<String> {
        match self {
            JobError::Read(error) => error.detail(),
            JobError::Columns {
                missing,
                without_numbers,
                unknown,
                ..
            } => {
                let mut parts = Vec::new();
                if !missing.is_empty() {
                    parts.push(format!("missing: {}", eigenspan::note::listed(missing)));
                }
                if !without_numbers.is_empty() {
                    parts.push(format!(
                        "without a number: {}",
                        eigenspan::note::listed(without_numbers)
                    ));
                }
                if !unknown.is_empty() {
                    parts.push(format!(
                        "not known to the model: {}",
                        eigenspan::note::listed(unknown)
                    ));
                }
                Some(parts.join("          "))
            }
            _ => None,
        }
    }

    /// What the user can do about it.
    pub fn advice(&self) -> Advice {
        match self {
            JobError::Read(error) => error.advice(),
            JobError::Write(error) | JobError::Save(SaveError::Write(error)) => error.advice(),
            JobError::Core { error, advice, .. } if advice.is_empty() => {
                error.hint().map(Advice::from).unwrap_or_default()
            }
            JobError::Exists { elsewhere, .. } => [
                Clause::set("force", "true").then(" replaces it"),
                elsewhere.clone().then(" writes elsewhere"),
            ]
            .into(),
            JobError::Core { advice, .. } | JobError::Usage { advice, .. } => advice.clone(),
            _ => Advice::default(),
        }
    }

    /// The error with advice that fits the data better than the general one, if it is one of the core.
    pub(crate) fn advised(self, advice: impl Into<Advice>) -> Self {
        match self {
            JobError::Core { name, error, .. } => JobError::Core {
                name,
                error,
                advice: advice.into(),
            },
            error => error,
        }
    }
}
