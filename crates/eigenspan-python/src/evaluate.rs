//! Compares accuracies of classifiers after reductions, on rows of Python.

use eigenspan::evaluate::AccuracyOptions;
use eigenspan_report::accuracy::{accuracy_json, refuse_missing_cells};
use pyo3::prelude::*;

use crate::error::{PythonNote, notes_as_python, undone};
use crate::method::options_from_json;
use crate::rows::{Rows, on_source};
use crate::run::{Means, UNKNOWN, run};

/// Runs a comparison; returns its results as JSON, and notes. `options` is the JSON of its options, `labels` has one label per row.
#[pyfunction]
pub(crate) fn evaluate(
    py: Python<'_>,
    options: &str,
    rows: &Rows,
    labels: Option<Vec<String>>,
    means: Means,
) -> PyResult<(String, Vec<PythonNote>)> {
    let options: AccuracyOptions = options_from_json(options)?;
    if let Some(table) = rows.table() {
        refuse_missing_cells(table).map_err(undone)?;
    }
    let labels = labels.as_deref();
    let found = run(py, means, UNKNOWN, |ctx| {
        let study = on_source!(rows, source => options.begin(ctx, source, labels))?;
        let accuracy = study.run(ctx)?;
        Ok((accuracy_json(&accuracy), accuracy.notes))
    })?;
    let (object, notes) = found.map_err(|error| rows.raised(py, error))?;
    Ok((object.to_string(), notes_as_python(&notes, true)))
}
