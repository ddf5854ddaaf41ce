//! A PCA that grows batch by batch, kept between calls of `partial_fit`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use eigenspan::method::GrowingPca;
use eigenspan::summary::Scatter;
use pyo3::prelude::*;

use crate::array::IntoArray;
use crate::error::raised;
use crate::model::{Model, options_of};
use crate::rows::{Rows, on_source};
use crate::run::{Means, run};

/// Rows seen so far.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct Growing(Mutex<GrowingPca>);

/// Options as JSON, columns, numbers, names: what a copy is made of.
type Parts<'py> = (String, usize, Bound<'py, PyAny>, Option<Vec<String>>);

impl Growing {
    fn held(&self) -> MutexGuard<'_, GrowingPca> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Growing {
    /// No rows yet.
    #[new]
    fn new(options: &str, n_cols: usize) -> PyResult<Self> {
        let growing = GrowingPca::new(options_of(options)?, n_cols);
        Ok(Growing(Mutex::new(growing)))
    }

    /// The rows of a fitted model that keeps all components.
    #[staticmethod]
    fn of(model: &Model) -> PyResult<Self> {
        let growing = GrowingPca::from_model(model.pca()).map_err(raised)?;
        Ok(Growing(Mutex::new(growing)))
    }

    /// Takes in more rows.
    fn add(&self, py: Python<'_>, rows: &Rows, means: Means) -> PyResult<()> {
        let mut grown = self.held().clone();
        let grown = run(py, means, rows.is_small(), |ctx| {
            on_source!(rows, source => grown.add(ctx, source)).map(|()| grown)
        })?;
        *self.held() = grown.map_err(raised)?;
        Ok(())
    }

    /// Takes in what another has seen.
    fn merge(&self, other: &Growing) -> PyResult<()> {
        let other = other.held().clone();
        self.held().merge(other).map_err(raised)
    }

    /// The PCA of all rows seen so far, by these options.
    fn fit(&self, py: Python<'_>, options: &str, means: Means) -> PyResult<Model> {
        let (options, held) = (options_of(options)?, self.held().clone());
        let names = held.names().map(<[String]>::to_vec);
        let growing =
            GrowingPca::from_scatter(options, held.scatter().clone(), names).map_err(raised)?;
        let pca = run(py, means, false, |ctx| growing.fit(ctx))?;
        Ok(Model::of(pca.map_err(raised)?))
    }

    /// Rows seen so far.
    #[getter]
    fn n_rows(&self) -> usize {
        self.held().n_rows()
    }

    /// Variance of every column, with divisor n.
    #[getter]
    fn variances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held();
        let scatter = held.scatter();
        let variance = |j| scatter.diagonal(j) / scatter.weight();
        let variances: Vec<f64> = (0..scatter.mean().len()).map(variance).collect();
        drop(held);
        variances.into_array(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let held = self.held();
        let (options, scatter) = (held.options(), held.scatter());
        let options = serde_json::to_string(options)
            .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
        let (n_cols, numbers) = (scatter.mean().len(), scatter.to_numbers());
        let names = held.names().map(<[String]>::to_vec);
        drop(held);
        let make = py.get_type::<Growing>().getattr("from_parts")?;
        Ok((make, (options, n_cols, numbers.into_array(py)?, names)))
    }

    /// What `__reduce__` took apart.
    #[staticmethod]
    fn from_parts(
        options: &str,
        n_cols: usize,
        numbers: &Bound<'_, PyAny>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let numbers = crate::array::Borrowed::of(numbers)?;
        let numbers = numbers.list::<f64>().map_err(raised)?;
        let scatter = Scatter::from_numbers(n_cols, numbers).map_err(raised)?;
        let growing = GrowingPca::from_scatter(options_of(options)?, scatter, names);
        Ok(Growing(Mutex::new(growing.map_err(raised)?)))
    }
}
