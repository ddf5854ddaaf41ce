//! What goes wrong, with the engine's words, as the exception a Python program expects; and notes that are worth a warning.

use std::io;

use eigenspan::{Error, Hint, Note};
use eigenspan_io::model::{LoadError, ModelErrorOrIo, SaveError};
use eigenspan_io::{ReadError, WriteError};
use eigenspan_report::JobError;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError,
    PyValueError,
};
use pyo3::prelude::*;

/// An error of the engine.
pub(crate) fn raised(error: Error) -> PyErr {
    let text = match error.hint() {
        Some(hint) => format!("{error} ({})", spelled(&hint)),
        None => error.to_string(),
    };
    match error {
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        Error::Source(inner) => match inner.downcast::<ReadError>() {
            Ok(read) => unread(*read),
            Err(_) => PyValueError::new_err(text),
        },
        _ => PyValueError::new_err(text),
    }
}

/// An option that would help, as it is typed in Python.
fn spelled(hint: &Hint) -> String {
    let (option, value) = match (hint.option, hint.value.as_str()) {
        ("n_components", "90%") => ("n_components", "0.9".to_owned()),
        ("tolerance", value) => ("tol", value.to_owned()),
        ("seed", value) => ("random_state", value.to_owned()),
        (option, value) if value.parse::<f64>().is_ok() => (option, value.to_owned()),
        (option, value) => (option, format!("{value:?}")),
    };
    format!("{option}={value} {}", hint.does)
}

/// What a person should know, and whether it is worth a warning: not what only says that a wish was followed.
pub(crate) fn told(note: &Note) -> (String, bool) {
    let text = match (note, note.hint()) {
        // What to type on a command line is of no use here.
        (Note::Reading { text }, _) => match text.rsplit_once(" (") {
            Some((said, advice)) if advice.contains("--") => said.to_owned(),
            _ => text.clone(),
        },
        (_, Some(hint)) => format!("{note} ({})", spelled(&hint)),
        (_, None) => note.to_string(),
    };
    let followed = matches!(
        note,
        Note::ConstantColumns { .. }
            | Note::DroppedRows { .. }
            | Note::FilledCells { .. }
            | Note::ImputedCells { .. }
            | Note::FilledVariances
            | Note::Chosen { .. }
    );
    (text, !followed)
}

/// A file that could not be read.
pub(crate) fn unread(error: ReadError) -> PyErr {
    let text = match error.detail() {
        Some(detail) => format!("{error}\n{detail}"),
        None => error.to_string(),
    };
    match error {
        ReadError::Core(error) => raised(error),
        ReadError::NotFound { .. } | ReadError::NoMatch { .. } => {
            PyFileNotFoundError::new_err(text)
        }
        ReadError::Io { source, .. } => refused(source.kind(), text),
        ReadError::Folder { .. } | ReadError::EmptyFolder { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

fn refused(kind: io::ErrorKind, text: String) -> PyErr {
    match kind {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        io::ErrorKind::PermissionDenied => PyPermissionError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}

/// A file that could not be written.
pub(crate) fn unwritten(error: &WriteError) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// A model that could not be read.
pub(crate) fn unloaded(error: LoadError) -> PyErr {
    let text = error.to_string();
    match error.error {
        ModelErrorOrIo::Io(error) => refused(error.kind(), text),
        ModelErrorOrIo::Model(_) => PyValueError::new_err(text),
    }
}

/// A model that could not be written.
pub(crate) fn unsaved(error: SaveError) -> PyErr {
    match error {
        SaveError::Model(error) => PyValueError::new_err(error.to_string()),
        SaveError::Write(error) => unwritten(&error),
    }
}

/// A job that could not be done.
pub(crate) fn undone(error: JobError) -> PyErr {
    match error {
        JobError::Read(error) => unread(error),
        JobError::Write(error) => unwritten(&error),
        JobError::Load(error) => unloaded(error),
        JobError::Save(error) => unsaved(error),
        JobError::Core { error, .. } => raised(error),
        JobError::Exists { file } => {
            PyFileExistsError::new_err(format!("{file} is there already (force=True replaces it)"))
        }
        error => match error.detail() {
            Some(detail) => PyValueError::new_err(format!("{error}\n{detail}")),
            None => PyValueError::new_err(error.to_string()),
        },
    }
}
