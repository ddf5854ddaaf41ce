//! Descriptions of tables and models, as JSON and as lines of text; and the cells of a table as an array.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use eigenspan::source::{Source, for_each_block};
use eigenspan::{Context, Error, Mat, Real};
use eigenspan_io::model::Model as ModelFile;
use eigenspan_report::subject::{ModelFrom, Subject};
use eigenspan_report::{describe, json as as_json, text};
use pyo3::prelude::*;
use serde_json::json;

use crate::advice::{PythonAdvice, in_python};
use crate::error::{notes_as_python, undone};
use crate::look::Data;
use crate::model::Model;
use crate::run::{Means, UNKNOWN, run};

/// A warning or a note in a description: its text, and what to do about it.
type Remark = (String, PythonAdvice);

/// Describes the columns of a table, as JSON and as lines of text, with warnings and notes beside them.
#[pyfunction]
pub(crate) fn describe_rows(
    py: Python<'_>,
    data: Data,
    means: Means,
) -> PyResult<(String, String, Vec<Remark>, Vec<Remark>)> {
    let rows = data.into_rows()?;
    let described = run(py, means, UNKNOWN, |ctx| {
        describe::describe(ctx, &rows).map(|(_, description)| description)
    })?;
    let description = described.map_err(undone)?;
    let warnings = description.warnings.iter();
    let warnings = warnings.map(|warning| (warning.text.clone(), in_python(&warning.advice)));
    let notes = notes_as_python(&description.notes, true).into_iter();
    let notes = notes.map(|(text, advice, _, _)| (text, advice));
    let lines = describe::text(&description, "to_dict()");
    let object = json!(description).to_string();
    Ok((object, lines, warnings.collect(), notes.collect()))
}

/// Describes a model, as JSON and as lines of text; `name` stands in the heading. Columns without names are counted from 0,
/// as everywhere in Python.
#[pyfunction]
pub(crate) fn describe_model(model: &Model, name: String) -> PyResult<(String, String)> {
    let common = model.fitted.common();
    let counted = || (0..common.n_cols).map(|j| j.to_string()).collect();
    let subject = Subject {
        rows: None,
        model: ModelFrom::Memory {
            name,
            fitted: Arc::clone(&model.fitted),
            columns: common.columns.is_none().then(counted),
            picture: None,
        },
    };
    let described = describe::model(&subject).map_err(undone)?;
    let object = as_json::describe(&described);
    Ok((object.to_string(), text::describe(&described)))
}

/// Whether a file is a model and not a table, by its content.
#[pyfunction]
pub(crate) fn is_model(path: PathBuf) -> bool {
    ModelFile::is_model_file(&path)
}

/// All cells of a source, in the order of its rows.
pub(crate) fn collected<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Result<Mat<f64>, Error> {
    let d = source.n_cols();
    let parts: Mutex<BTreeMap<usize, Vec<f64>>> = Mutex::default();
    for_each_block(ctx, source, |rows| {
        let mut cells = vec![0.0; rows.block.n_rows() * d];
        rows.block.copy_to_f64(&mut cells);
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.insert(rows.first, cells);
        Ok(())
    })?;
    let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let cells: Vec<f64> = parts.into_values().flatten().collect();
    Mat::from_vec(cells.len() / d.max(1), d, cells)
}
