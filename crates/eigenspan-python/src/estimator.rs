//! The description of an estimator in a model file, from which loading restores the estimator.

use std::collections::HashMap;

use eigenspan_io::model::{Element, Estimator, Origin};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Borrowed, IntoArray};
use crate::error::raised;

/// The description of an estimator, as Python gives it.
#[derive(Debug, FromPyObject)]
pub(crate) struct About<'py> {
    /// Its class.
    #[pyo3(item)]
    class: String,
    /// Whether it was fitted to 32-bit floats.
    #[pyo3(item)]
    single: bool,
    /// Its parameters, as JSON.
    #[pyo3(item)]
    parameters: String,
    /// Arrays of 64-bit floats that only its class has.
    #[pyo3(item)]
    lists: HashMap<String, Bound<'py, PyAny>>,
}

impl About<'_> {
    /// The description as a model file stores it.
    pub(crate) fn origin(&self) -> PyResult<Origin> {
        let parameters = serde_json::from_str(&self.parameters)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let list = |(name, list): (&String, &Bound<'_, PyAny>)| {
            let list = Borrowed::from_python(list)?;
            let numbers = list.list::<f64>().map_err(raised)?.to_vec();
            Ok((name.clone(), numbers))
        };
        let lists = self.lists.iter().map(list).collect::<PyResult<_>>()?;
        let element = if self.single {
            Element::F32
        } else {
            Element::F64
        };
        Ok(Origin {
            element: Some(element),
            estimator: Some(Estimator {
                class: self.class.clone(),
                parameters,
                lists,
            }),
            ..Origin::default()
        })
    }
}

/// The description of the estimator in a model file; if the model belongs to none, only the element type, if it is known.
pub(crate) fn description_of(py: Python<'_>, origin: Origin) -> PyResult<Bound<'_, PyDict>> {
    let about = PyDict::new(py);
    about.set_item("single", origin.element == Some(Element::F32))?;
    if let Some(estimator) = origin.estimator {
        let lists = PyDict::new(py);
        for (name, list) in estimator.lists {
            lists.set_item(name, list.into_array(py)?)?;
        }
        let parameters = serde_json::Value::Object(estimator.parameters).to_string();
        about.set_item("class", estimator.class)?;
        about.set_item("parameters", parameters)?;
        about.set_item("lists", lists)?;
    }
    Ok(about)
}
