//! Turns the engine's errors, with its words, into the exceptions that a Python program expects; and its notes into warnings.

use std::io;

use eigenspan::error::{NO_VALUE, not_finite_words, not_genotypes_words};
use eigenspan::note::Advice;
use eigenspan::{Error, Note};
use eigenspan_io::model::{LoadError, ModelErrorOrIo, SaveError};
use eigenspan_io::{ReadError, WriteError};
use eigenspan_report::JobError;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError,
    PyValueError,
};
use pyo3::prelude::*;

use crate::advice::{PythonAdvice, in_python};

/// The names of rows and columns. Without names they are counted from 0, as in Python.
pub(crate) trait Labels {
    /// The name of a row, as Python writes it, if it has one.
    fn row(&self, row: usize) -> Option<String>;
    /// The name of a column, if it has one.
    fn column(&self, col: usize) -> Option<String>;
    /// A Python function that spells a setting for the caller; `None` if the caller takes every option.
    fn hints(&self) -> Option<&Py<PyAny>> {
        None
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
    let advice = error.hint().map(Advice::from).unwrap_or_default();
    raised_with(error, &advice, labels)
}

/// The exception for an error of the engine with this advice.
fn raised_with(error: Error, advice: &Advice, labels: &dyn Labels) -> PyErr {
    let text = with_advice(placed(&error, labels), None, advice, labels);
    match error {
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        Error::Source(inner) => match inner.downcast::<ReadError>() {
            Ok(read) => unread(*read, labels),
            Err(_) => PyValueError::new_err(text),
        },
        _ => PyValueError::new_err(text),
    }
}

/// The text of an error, with rows and columns named as in Python.
fn placed(error: &Error, labels: &dyn Labels) -> String {
    let row = |i: usize| match labels.row(i) {
        Some(name) => format!("row {name}"),
        None => format!("row {i}"),
    };
    match error {
        Error::NotFinite {
            row: i,
            col,
            name,
            nan,
            infinite,
        } => {
            let head = not_finite_words(*nan, *infinite);
            let name = name.clone().or_else(|| labels.column(*col));
            let all_named = name.is_some() && labels.row(*i).is_some();
            let column = name.map_or(format!("column {col}"), |name| format!("column {name:?}"));
            let from = if all_named { "" } else { ", counted from 0" };
            format!("{head}; the first is {}, {column}{from}", row(*i))
        }
        Error::NotGenotypes { col, mean } => {
            let what = not_genotypes_words(*mean);
            match labels.column(*col) {
                Some(name) => format!("column {name:?} {what}"),
                None => format!("column {col}, counted from 0, {what}"),
            }
        }
        Error::NoValue { col, name } => {
            let name = name.clone().or_else(|| labels.column(*col));
            match name {
                Some(name) => format!("column {name:?} {NO_VALUE}"),
                None => format!("column {col}, counted from 0, {NO_VALUE}"),
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
        _ => error.to_string(),
    }
}

/// An error with what to do about it: in parentheses, or on a line of its own below details.
fn with_advice(
    text: String,
    detail: Option<String>,
    advice: &Advice,
    labels: &dyn Labels,
) -> String {
    let advice = Python::attach(|py| said(py, advice, labels.hints()).ok().flatten());
    match (detail, advice) {
        (Some(detail), Some(advice)) => format!("{text}\n{detail}\n{advice}"),
        (Some(detail), None) => format!("{text}\n{detail}"),
        (None, Some(advice)) => format!("{text} ({advice})"),
        (None, None) => text,
    }
}

/// Advice as text, by the Python module that knows which parameters there are.
fn said(py: Python<'_>, advice: &Advice, hints: Option<&Py<PyAny>>) -> PyResult<Option<String>> {
    if advice.is_empty() {
        return Ok(None);
    }
    let module = py.import("eigenspan._hints")?;
    let hints = match hints {
        Some(hints) => hints.bind(py).clone(),
        None => module.getattr("any_hint")?,
    };
    let said = module.call_method1("said", (in_python(advice), hints))?;
    said.extract()
}

/// A note for Python: its text, what to do about it, whether it is worth a warning (a note that only confirms an option is
/// not), and its kind.
pub(crate) type PythonNote = (String, PythonAdvice, bool, String);

/// A note for Python. Components, and columns without names, are counted from 0.
pub(crate) fn note_as_python(note: &Note, named: bool) -> PythonNote {
    let note = &counted_from_zero(note.clone(), named);
    let followed = matches!(
        note,
        Note::ConstantColumns { .. }
            | Note::DroppedRows { .. }
            | Note::FilledCells { .. }
            | Note::ImputedCells { .. }
            | Note::FilledVariances
            | Note::Chosen { .. }
    );
    let advice = match note {
        Note::Reading { advice, .. } => in_python(advice),
        _ => in_python(&note.hint().map(Advice::from).unwrap_or_default()),
    };
    let kind = serde_json::json!(note)["kind"].as_str().map(str::to_owned);
    (
        note.to_string(),
        advice,
        !followed,
        kind.unwrap_or_default(),
    )
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
pub(crate) fn unread(error: ReadError, labels: &dyn Labels) -> PyErr {
    let text = with_advice(error.to_string(), error.detail(), &error.advice(), labels);
    match error {
        ReadError::Core(error) => raised_in(error, labels),
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
    PyOSError::new_err(with_advice(
        error.to_string(),
        None,
        &error.advice(),
        &Counted,
    ))
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
    let advice = error.advice();
    let text = |error: &JobError| with_advice(error.to_string(), error.detail(), &advice, &Counted);
    match error {
        JobError::Read(error) => unread(error, &Counted),
        JobError::Write(error) => unwritten(&error),
        JobError::Load(error) => unloaded(error),
        JobError::Save(error) => unsaved(error),
        JobError::Core { error, .. } => raised_with(error, &advice, &Counted),
        JobError::Exists { .. } => PyFileExistsError::new_err(text(&error)),
        error => PyValueError::new_err(text(&error)),
    }
}
