//! Methods by name, from the engine's only list. A method in that list needs no line here.

use eigenspan::method::registry::{self, Entry};
use eigenspan::method::{Method, PreImageOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;

/// The name for the options of pre-images, which belong to no single method.
const PRE_IMAGE: &str = "pre-image";

/// A method with options from JSON.
pub(crate) fn method_from_json(name: &str, options: &str) -> PyResult<Box<dyn Method>> {
    let Some(entry) = registry::find(name) else {
        let text = format!("no method `{name}`; there are {}", listed(&names()));
        return Err(PyValueError::new_err(text));
    };
    entry.from_json(options).map_err(|error| unread(&error))
}

/// Parses options from JSON.
pub(crate) fn options_from_json<O: DeserializeOwned>(json: &str) -> PyResult<O> {
    serde_json::from_str(json).map_err(|error| unread(&error))
}

/// The error for options that cannot be parsed. The position in the JSON is of no use to a Python programmer.
fn unread(error: &serde_json::Error) -> PyErr {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    PyValueError::new_err(text.strip_suffix(&position).unwrap_or(&text).to_owned())
}

/// Every method: its name, and a description.
#[pyfunction]
pub(crate) fn methods() -> Vec<(&'static str, &'static str)> {
    let all = registry::all().into_iter();
    all.map(|entry| (entry.name, entry.title)).collect()
}

/// The JSON schema of a method's options, with their defaults: Python's signatures and docstrings are generated from it.
#[pyfunction]
pub(crate) fn schema(method: &str) -> PyResult<String> {
    if method == PRE_IMAGE {
        let schema = schemars::schema_for!(PreImageOptions);
        let defaults = PreImageOptions::default();
        return Ok(json!({ "schema": schema, "defaults": defaults }).to_string());
    }
    let known = registry::find(method).map(Entry::schema);
    let schema = known.ok_or_else(|| {
        let mut names = names();
        names.push(PRE_IMAGE);
        let text = format!(
            "no options of `{method}`; there are those of {}",
            listed(&names)
        );
        PyValueError::new_err(text)
    })?;
    Ok(schema.to_string())
}

fn names() -> Vec<&'static str> {
    let all = registry::all().into_iter();
    all.map(|entry| entry.name).collect()
}

/// Names in a sentence: `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        _ => names.join(", "),
    }
}
