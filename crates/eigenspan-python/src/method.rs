//! Methods by name: the engine's one list of them. A method that is in that list needs no line here.

use eigenspan::method::registry::{self, Entry};
use eigenspan::method::{Method, PreImageOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;

/// What asks for the options of the way back from scores, which no method has alone.
const PRE_IMAGE: &str = "pre-image";

/// A method with the options in a JSON.
pub(crate) fn method_from_json(name: &str, options: &str) -> PyResult<Box<dyn Method>> {
    let Some(entry) = registry::find(name) else {
        let text = format!("no method `{name}`; there are {}", listed(&names()));
        return Err(PyValueError::new_err(text));
    };
    entry.from_json(options).map_err(|error| unread(&error))
}

/// Options from their JSON.
pub(crate) fn options_of<O: DeserializeOwned>(json: &str) -> PyResult<O> {
    serde_json::from_str(json).map_err(|error| unread(&error))
}

/// Options that cannot be read. Where in the JSON they go wrong is of no use to who wrote Python.
fn unread(error: &serde_json::Error) -> PyErr {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    PyValueError::new_err(text.to_owned())
}

/// Every method: its name, and what it is in words.
#[pyfunction]
pub(crate) fn methods() -> Vec<(&'static str, &'static str)> {
    let all = registry::all().into_iter();
    all.map(|entry| (entry.name, entry.title)).collect()
}

/// The JSON schema of a method's options, with their defaults: Python's signatures and docstrings are written from them.
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

/// Makes the toy method of the engine's tests known, as a program would its own.
#[cfg(feature = "as-tested")]
#[pyfunction]
pub(crate) fn register_toy() {
    registry::add(Entry::for_options::<crate::toy::ToyOptions>());
}
