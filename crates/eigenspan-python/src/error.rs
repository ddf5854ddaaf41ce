//! Turns the engine's errors, with its words, into the exceptions that a Python program expects; and its notes into warnings.

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

/// The names of rows and columns. Without names they are counted from 0, as in Python.
pub(crate) trait Labels {
    /// The name of a row, as Python writes it, if it has one.
    fn row(&self, row: usize) -> Option<String>;
    /// The name of a column, if it has one.
    fn column(&self, col: usize) -> Option<String>;
    /// The hint about an option that would help; `None` if the caller does not take that option.
    fn hint(&self, advice: Advice) -> Option<String> {
        Some(format!("{} {}", advice.spelled, advice.does))
    }
}

/// Rows and columns without names.
pub(crate) struct Counted;

impl Labels for Counted {
    fn row(&self, _: usize) -> Option<String> {
        None
    }
    fn column(&self, _: usize) -> Option<String> {
        None
    }
}

/// The exception for an error of the engine.
pub(crate) fn raised(error: Error) -> PyErr {
    raised_in(error, &Counted)
}

/// The exception for an error of the engine about rows that may have names.
pub(crate) fn raised_in(error: Error, labels: &dyn Labels) -> PyErr {
    let said = placed(&error, labels);
    let hint = error.hint().and_then(|hint| labels.hint(advice(hint)));
    let text = match hint {
        Some(hint) => format!("{said} ({hint})"),
        None => said,
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

/// The text of an error, with rows and columns named as in Python.
fn placed(error: &Error, labels: &dyn Labels) -> String {
    let text = error.to_string();
    let row = |i: usize| match labels.row(i) {
        Some(name) => format!("row {name}"),
        None => format!("row {i}"),
    };
    match error {
        Error::NotFinite {
            row: i, col, name, ..
        } => {
            let head = text.split("; the first is ").next().unwrap_or_default();
            let name = name.clone().or_else(|| labels.column(*col));
            let all_named = name.is_some() && labels.row(*i).is_some();
            let column = name.map_or(format!("column {col}"), |name| format!("column {name:?}"));
            let from = if all_named { "" } else { ", counted from 0" };
            format!("{head}; the first is {}, {column}{from}", row(*i))
        }
        Error::NotGenotypes { col, .. } => {
            let tail = text.split_once(" has mean").map_or("", |(_, tail)| tail);
            match labels.column(*col) {
                Some(name) => format!("column {name:?} has mean{tail}"),
                None => format!("column {col}, counted from 0, has mean{tail}"),
            }
        }
        Error::NoValue { col, name } => {
            let name = name.clone().or_else(|| labels.column(*col));
            let tail = text.split_once(" has no ").map_or("", |(_, tail)| tail);
            match name {
                Some(name) => format!("column {name:?} has no {tail}"),
                None => format!("column {col}, counted from 0, has no {tail}"),
            }
        }
        Error::KernelUndefined { row: i, col, what } => {
            let (row_name, name) = (labels.row(*i), col.and_then(|col| labels.column(col)));
            let counted = row_name.is_none() || (col.is_some() && name.is_none());
            let from = if counted { ", counted from 0" } else { "" };
            let column = match (col, name) {
                (Some(_), Some(name)) => format!("column {name:?} "),
                (Some(col), None) => format!("column {col} "),
                (None, _) => String::new(),
            };
            format!("{}{from}: {column}{what}", row(*i))
        }
        Error::NotSymmetric {
            row,
            col,
            difference,
        } => format!(
            "a precomputed kernel matrix is symmetric, but [{row}, {col}] differs from [{col}, {row}] by {difference:e}, more than elsewhere"
        ),
        _ => text,
    }
}

/// An option that would help, in Python's words: its name, its value as text, both as they are typed, and what that does.
#[derive(Debug, Clone, IntoPyObject)]
pub(crate) struct Advice {
    option: String,
    value: String,
    spelled: String,
    does: String,
}

fn advice(hint: Hint) -> Advice {
    let (option, value) = match (hint.option, hint.value) {
        ("n_components", value) if value == "90%" => ("n_components", "0.9".to_owned()),
        ("tolerance", value) => ("tol", value),
        ("seed", value) => ("random_state", value),
        (option, value) => (option, value),
    };
    let spelled = match value.parse::<f64>() {
        Ok(_) => format!("{option}={value}"),
        Err(_) => format!("{option}={value:?}"),
    };
    Advice {
        option: option.to_owned(),
        value,
        spelled,
        does: hint.does,
    }
}

/// A note for Python: its text, the option that would help, whether it is worth a warning (a note that only confirms an
/// option is not), and its kind.
pub(crate) type PythonNote = (String, Option<Advice>, bool, String);

/// A note for Python. Components, and columns without names, are counted from 0.
pub(crate) fn note_as_python(note: &Note, named: bool) -> PythonNote {
    let note = &counted_from_zero(note.clone(), named);
    let text = match note {
        Note::Reading { text } => without_flags(text),
        _ => note.to_string(),
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
    let kind = serde_json::json!(note)["kind"].as_str().map(str::to_owned);
    let hint = note.hint().map(advice);
    (text, hint, !followed, kind.unwrap_or_default())
}

/// A sentence without advice for the command line, which is of no use here: advice in parentheses or after a semicolon.
pub(crate) fn without_flags(text: &str) -> String {
    for before in [" (", "; "] {
        if let Some((said, advice)) = text.rsplit_once(before)
            && (advice.contains("--") || advice.starts_with("-k "))
        {
            return said.to_owned();
        }
    }
    text.to_owned()
}

/// The notes of a model for Python.
pub(crate) fn notes_as_python(notes: &[Note], named: bool) -> Vec<PythonNote> {
    notes
        .iter()
        .map(|note| note_as_python(note, named))
        .collect()
}

/// Counts components, and columns without names, from 0; the engine counts from 1.
fn counted_from_zero(mut note: Note, named: bool) -> Note {
    let label = |name: &mut String| {
        if let Some(before) = name.parse().ok().and_then(|j: usize| j.checked_sub(1)) {
            *name = format!("column {before}");
        }
    };
    let before = |component: &mut usize| *component = component.saturating_sub(1);
    match &mut note {
        Note::BelowResolution { first, .. } => before(first),
        Note::NotResolved { components, .. } | Note::NotProven { components, .. } => {
            components.iter_mut().for_each(before);
        }
        Note::ConstantColumns { columns, .. } if !named => columns.iter_mut().for_each(label),
        Note::UnlikeScales {
            largest,
            smallest,
            columns,
            ..
        } if !named => {
            let others = columns.iter_mut();
            others.chain([largest, smallest]).for_each(label);
        }
        _ => {}
    }
    note
}

/// The exception for a file that could not be read.
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

/// The exception for a file that could not be written.
pub(crate) fn unwritten(error: &WriteError) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// The exception for a model that could not be read.
pub(crate) fn unloaded(error: LoadError) -> PyErr {
    let text = error.to_string();
    match error.error {
        ModelErrorOrIo::Io(error) => refused(error.kind(), text),
        ModelErrorOrIo::Model(_) => PyValueError::new_err(text),
    }
}

/// The exception for a model that could not be written.
pub(crate) fn unsaved(error: SaveError) -> PyErr {
    match error {
        SaveError::Model(error) => PyValueError::new_err(error.to_string()),
        SaveError::Write(error) => unwritten(&error),
    }
}

/// The exception for a job that failed.
pub(crate) fn undone(error: JobError) -> PyErr {
    match error {
        JobError::Read(error) => unread(error),
        JobError::Write(error) => unwritten(&error),
        JobError::Load(error) => unloaded(error),
        JobError::Save(error) => unsaved(error),
        JobError::Core { error, .. } => raised(error),
        JobError::Exists { file, .. } => {
            PyFileExistsError::new_err(format!("{file} is there already (force=True replaces it)"))
        }
        error => match error.detail() {
            Some(detail) => PyValueError::new_err(format!("{error}\n{detail}")),
            None => PyValueError::new_err(error.to_string()),
        },
    }
}
