//! Passes errors of readers through the core: wraps them as core errors, and unwraps them again.

use eigenspan::Error;

use super::ReadError;

/// Wraps a reader's error, so that it can pass through the core.
pub(crate) fn into_core(error: ReadError) -> Error {
    match error {
        ReadError::Core(error) => error,
        other => Error::Source(Box::new(other)),
    }
}

/// Turns an error of the core back into the reader's error that it carries.
pub(crate) fn from_core(error: Error) -> ReadError {
    match error {
        Error::Source(inner) => match inner.downcast::<ReadError>() {
            Ok(error) => *error,
            Err(inner) => ReadError::Core(Error::Source(inner)),
        },
        error => ReadError::Core(error),
    }
}
