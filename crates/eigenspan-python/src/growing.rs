//! A PCA that grows batch by batch, kept between calls of `partial_fit`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use eigenspan::method::GrowingPca;
use eigenspan::summary::Scatter;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::array::{Borrowed, IntoArray};
use crate::error::raised;
use crate::method::options_from_json;
use crate::model::Model;
use crate::rows::{Rows, on_source};
use crate::run::{Means, run};

/// The summary of the rows seen so far.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct Growing(Mutex<Option<GrowingPca>>);

/// Options as JSON, columns, numbers, names: everything needed for a copy.
type Parts<'py> = (String, usize, Bound<'py, PyAny>, Option<Vec<String>>);

impl Growing {
    fn from_pca(growing: GrowingPca) -> Self {
        Growing(Mutex::new(Some(growing)))
    }

    fn slot(&self) -> MutexGuard<'_, Option<GrowingPca>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function with the PCA. Keep Python's lock meanwhile: a thread that takes it may wait for this
    /// one.
    fn with_pca<R>(&self, work: impl FnOnce(&mut GrowingPca) -> R) -> PyResult<R> {
        self.slot().as_mut().map(work).ok_or_else(busy)
    }
}

fn busy() -> PyErr {
    PyRuntimeError::new_err("another thread is adding rows to this model")
}

#[pymethods]
impl Growing {
    /// A PCA of no rows; or, from its numbers, the state of another one.
    #[new]
    #[pyo3(signature = (options, n_cols, numbers = None, names = None))]
    fn new(
        options: &str,
        n_cols: usize,
        numbers: Option<&Bound<'_, PyAny>>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let options = options_from_json(options)?;
        let Some(numbers) = numbers else {
            return Ok(Growing::from_pca(GrowingPca::new(options, n_cols)));
        };
        let numbers = Borrowed::from_python(numbers)?;
        let numbers = numbers.list::<f64>().map_err(raised)?;
        let scatter = Scatter::from_numbers(n_cols, numbers).map_err(raised)?;
        let growing = GrowingPca::from_scatter(options, scatter, names);
        Ok(Growing::from_pca(growing.map_err(raised)?))
    }

    /// The state after the rows of a fitted model that keeps all components.
    #[staticmethod]
    fn from_model(model: &Model) -> PyResult<Self> {
        let growing = GrowingPca::from_model(model.pca()?).map_err(raised)?;
        Ok(Growing::from_pca(growing))
    }

    /// Adds rows. After an error nothing has changed.
    fn add(&self, py: Python<'_>, rows: &Rows, means: Means) -> PyResult<()> {
        let mut growing = self.slot().take().ok_or_else(busy)?;
        // A callback may stop the work after its last step, when the rows have already been added.
        let before = means.is_watched().then(|| growing.clone());
        let added = run(py, means, rows.decomposition(), |ctx| {
            on_source!(rows, source => {
                ctx.begin("adding rows", source.n_rows().map(|n| n as u64));
                growing.add(ctx, source)
            })
        });
        *self.slot() = Some(match before {
            Some(before) if added.is_err() => before,
            _ => growing,
        });
        added?.map_err(|error| rows.raised(py, error))
    }

    /// Adds the rows that another one has seen.
    fn merge(&self, other: &Growing) -> PyResult<()> {
        let other = other.with_pca(|other| other.clone())?;
        self.with_pca(|growing| growing.merge(other))?
            .map_err(raised)
    }

    /// The PCA of all rows seen so far, with these options.
    fn fit(&self, py: Python<'_>, options: &str, means: Means) -> PyResult<Model> {
        let options = options_from_json(options)?;
        let growing = self.with_pca(|growing| {
            let names = growing.names().map(<[String]>::to_vec);
            GrowingPca::from_scatter(options, growing.scatter().clone(), names)
        })?;
        let growing = growing.map_err(raised)?;
        let operations = (growing.scatter().mean().len() as u64).saturating_pow(3);
        let pca = run(py, means, operations, |ctx| growing.fit(ctx))?;
        Ok(Model::new(Box::new(pca.map_err(raised)?)))
    }

    /// Rows seen so far.
    #[getter]
    fn n_rows(&self) -> PyResult<usize> {
        self.with_pca(|growing| growing.n_rows())
    }

    /// Variance of every column, with divisor n.
    #[getter]
    fn variances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let variances = self.with_pca(|growing| {
            let scatter = growing.scatter();
            let variance = |j| scatter.diagonal(j) / scatter.weight();
            (0..scatter.mean().len())
                .map(variance)
                .collect::<Vec<f64>>()
        })?;
        variances.into_array(py)
    }

    /// Rows that are added to the copy are not added to the original.
    fn __copy__(&self) -> PyResult<Self> {
        self.with_pca(|growing| Growing::from_pca(growing.clone()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let (options, n_cols, numbers, names) = self.with_pca(|growing| {
            let scatter = growing.scatter();
            let options = serde_json::json!(growing.options()).to_string();
            let names = growing.names().map(<[String]>::to_vec);
            (options, scatter.mean().len(), scatter.to_numbers(), names)
        })?;
        let make = py.get_type::<Growing>().into_any();
        Ok((make, (options, n_cols, numbers.into_array(py)?, names)))
    }

    /// The whole state as a list of numbers, to be stored in a file.
    #[getter]
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = self.with_pca(|growing| growing.scatter().to_numbers())?;
        numbers.into_array(py)
    }
}
