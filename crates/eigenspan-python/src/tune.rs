//! Searches parameters of kernel PCA by cross-validation, on rows of Python.

use eigenspan::Error;
use eigenspan::evaluate::{Cell, TuneOptions, Tuner, Tuning};
use eigenspan_report::tune::refuse_missing;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::error::{PythonNote, notes_as_python, undone};
use crate::method::options_from_json;
use crate::rows::{Rows, on_source};
use crate::run::{Means, UNKNOWN, run};

/// Runs a search; returns its results as JSON, and notes. `options` is the JSON of the search's options, `labels` has one
/// label per row.
#[pyfunction]
pub(crate) fn tune(
    py: Python<'_>,
    options: &str,
    rows: &Rows,
    labels: Option<Vec<String>>,
    means: Means,
) -> PyResult<(String, Vec<PythonNote>)> {
    let options: TuneOptions = options_from_json(options)?;
    if let Some(table) = rows.table() {
        refuse_missing(table).map_err(undone)?;
    }
    let labels = labels.as_deref();
    let found = run(py, means, UNKNOWN, |ctx| {
        let tuner = on_source!(rows, source => options.begin(ctx, source, labels))?;
        let tuning = tuner.run(ctx, &[], &|_| Ok(()))?;
        let object = as_json(&tuner, &tuning)?;
        Ok((object, tuning.notes))
    })?;
    let (object, notes) = found.map_err(|error| rows.raised(py, error))?;
    Ok((object.to_string(), notes_as_python(&notes, true)))
}

/// The results, with the values of every candidate.
fn as_json(tuner: &Tuner, tuning: &Tuning) -> Result<Value, Error> {
    let cells = tuning.cells.iter().map(|cell| cell_json(tuning, cell));
    Ok(json!({
        "criterion": tuning.criterion,
        "more_is_better": tuning.criterion.more_is_better(),
        "options": tuner.resolved_options(),
        "cells": cells.collect::<Result<Vec<Value>, Error>>()?,
        "best": tuning.best,
        "simplest": tuning.simplest,
        "edges": tuning.edges(),
        "n_fits": tuner.n_fits(),
        "n_parts": tuner.n_parts(),
    }))
}

fn cell_json(tuning: &Tuning, cell: &Cell) -> Result<Value, Error> {
    let axes = tuning.grid.axes().iter();
    let values = axes.zip(tuning.grid.places(cell.kernel));
    let values = values.map(|(axis, place)| (axis.name.clone(), json!(axis.values[place])));
    Ok(json!({
        "kernel": tuning.grid.kernel(cell.kernel)?.to_string(),
        "parameters": Value::Object(values.collect::<Map<String, Value>>()),
        "n_components": cell.n_components,
        "mean": cell.mean,
        "standard_error": cell.error,
        "values": cell.values,
    }))
}
