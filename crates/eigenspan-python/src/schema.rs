//! The options of every method as JSON schemas: Python's signatures and docstrings are written from them.

use eigenspan::PcaOptions;
use eigenspan::method::{KernelPcaOptions, PreImageOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// The JSON schema of a method's options, with their defaults.
#[pyfunction]
pub(crate) fn schema(method: &str) -> PyResult<String> {
    let (schema, defaults) = match method {
        "pca" => (
            schemars::schema_for!(PcaOptions),
            json!(PcaOptions::default()),
        ),
        "kpca" => (
            schemars::schema_for!(KernelPcaOptions),
            json!(KernelPcaOptions::default()),
        ),
        "pre-image" => (
            schemars::schema_for!(PreImageOptions),
            json!(PreImageOptions::default()),
        ),
        other => {
            let text =
                format!("no options of `{other}`; there are those of pca, kpca and pre-image");
            return Err(PyValueError::new_err(text));
        }
    };
    Ok(json!({ "schema": schema, "defaults": defaults }).to_string())
}
