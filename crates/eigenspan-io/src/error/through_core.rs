//! Errors of readers on their way through the core and back.

use eigenspan::Error;

use super::ReadError;

/// A reader's error on its way through the core.
pub(crate) fn into_core(error: ReadError) -> Error {
    match error {
        ReadError::Core(error) => error,
        other => Error::Source(Box::new(other)),
    }
}

/// An error of the core, as the reader's error that it was on its way through the core.
pub(crate) fn from_core(error: Error) -> ReadError {
    match error {
        Error::Source(inner) => match inner.downcast::<ReadError>() {
            Ok(error) => *error,
            Err(inner) => ReadError::Core(Error::Source(inner)),
        },
        error => ReadError::Core(error),
    }
}
