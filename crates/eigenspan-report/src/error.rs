//! What stopped a job, ready to be shown: a line that says what, lines that say how much, and one tip.

use eigenspan::Error;
use eigenspan_io::model::{LoadError, SaveError};
use eigenspan_io::{ReadError, WriteError};

/// Why a job could not be done.
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
    /// The mathematics refused the data.
    #[error("{name}: {error}")]
    Core {
        /// Name of the data.
        name: Box<str>,
        /// What was refused.
        error: Error,
        /// A better tip than the general one, where the data offered one.
        tip: Option<String>,
    },
    /// New data whose columns are not the model's.
    #[error("{data} does not fit the model {model}")]
    Columns {
        /// Name of the data.
        data: Box<str>,
        /// Name of the model file.
        model: Box<str>,
        /// Columns the model needs and the data lacks.
        missing: Vec<String>,
        /// Columns the model needs that hold no number in the data.
        without_numbers: Vec<String>,
        /// Columns of the data that the model does not know.
        unknown: Vec<String>,
    },
    /// A file that is there already and is not ours to replace.
    #[error("{file} is there already")]
    Exists {
        /// The file.
        file: String,
        /// The option that writes it elsewhere.
        elsewhere: &'static str,
    },
    /// The user asked to stop, and what was done so far is kept.
    #[error("interrupted")]
    Interrupted {
        /// What is kept, and how to go on.
        kept: String,
    },
    /// Anything else about how the command was used.
    #[error("{what}")]
    Usage {
        /// What was wrong.
        what: String,
        /// What to do.
        tip: Option<String>,
    },
}

impl JobError {
    /// An error of the core about the data of this name.
    pub fn core(name: &str, error: Error) -> Self {
        match error {
            // A reader's error has travelled through the core; it knows its file and its place.
            Error::Source(inner) => match inner.downcast::<ReadError>() {
                Ok(read) => JobError::Read(*read),
                Err(other) => JobError::Core {
                    name: name.into(),
                    error: Error::Source(other),
                    tip: None,
                },
            },
            error => JobError::Core {
                name: name.into(),
                error,
                tip: None,
            },
        }
    }

    /// Whether the user asked to stop.
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

    /// What an interrupted job leaves behind, where it is something.
    pub fn kept(&self) -> Option<&str> {
        match self {
            JobError::Interrupted { kept } => Some(kept),
            _ => None,
        }
    }

    /// Whether the reader of standard output went away, which is no fault.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, JobError::Write(error) if error.is_broken_pipe())
    }

    /// How much is like this, or what there is instead.
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

    /// What to do.
    pub fn tip(&self) -> Option<String> {
        match self {
            JobError::Read(error) => error.tip(),
            JobError::Write(error) | JobError::Save(SaveError::Write(error)) => error.tip(),
            JobError::Core { tip: Some(tip), .. } => Some(tip.clone()),
            JobError::Core { error, .. } => error
                .hint()
                .map(|hint| format!("{} {}", crate::flag(&hint), hint.does)),
            JobError::Exists { elsewhere, .. } => {
                Some(format!("--force replaces it; {elsewhere} writes elsewhere"))
            }
            JobError::Usage { tip, .. } => tip.clone(),
            _ => None,
        }
    }
}
