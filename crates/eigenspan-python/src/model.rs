//! A fitted model of any method: its results, and its operations on rows and scores.

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::evaluate::measure_map;
use eigenspan::method::contract::{Scores, Value};
use eigenspan::method::{Fitted, Method, Rebuilds, Training, registry};
use eigenspan::prepare::Missing;
use eigenspan::{Context, Error, Mat, MatView, Note};
use eigenspan_io::model::{Model as ModelFile, Origin, SaveError, seal, to_bytes};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::json;

use crate::array::{Borrowed, Element, IntoArray};
use crate::error::{PythonNote, notes_as_python, raised, unloaded, unsaved};
use crate::estimator::{About, description_of};
use crate::kernel::{Fault, Kernel, kernel_of, unless_raised};
use crate::method::{method_from_json, options_from_json};
use crate::rows::Rows;
use crate::run::{Means, UNKNOWN, run};

/// A fitted model.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) fitted: Arc<dyn Fitted>,
    /// Exceptions of the Python functions in its kernel.
    pub(crate) faults: Vec<Fault>,
}

pub(crate) type Array<'py> = PyResult<Bound<'py, PyAny>>;

/// Rows found from scores, the distance that each kept, and notes for Python.
type RowsFromScores<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<PythonNote>);

impl IntoArray for Scores {
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Scores::F32(scores) => scores.into_array(py),
            Scores::F64(scores) => scores.into_array(py),
        }
    }
}

/// Calls `take` with scores of 32-bit or 64-bit floats, as 64-bit floats.
fn on_wide<R>(
    scores: &Borrowed,
    take: impl FnOnce(MatView<'_, f64>) -> Result<R, Error>,
) -> Result<R, Error> {
    if scores.kind != f32::KIND {
        return take(scores.matrix::<f64>()?);
    }
    let narrow = scores.matrix::<f32>()?;
    let wide = |i, j| f64::from(narrow.at(i, j));
    take(Mat::from_fn(narrow.n_rows(), narrow.n_cols(), wide).view())
}

/// Rows in the element type of the scores they were found from.
fn like(scores: &Borrowed, rows: Mat<f64>) -> Scores {
    if scores.kind != f32::KIND {
        return Scores::F64(rows);
    }
    let narrow = |i, j| rows[(i, j)] as f32;
    Scores::F32(Mat::from_fn(rows.n_rows(), rows.n_cols(), narrow))
}

/// The origin of a model that is described without a file.
pub(crate) fn current_origin() -> Origin {
    with_version(Origin::default())
}

/// The origin of a model, with the version that writes it.
fn with_version(origin: Origin) -> Origin {
    Origin {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..origin
    }
}

/// Reads a model file of any method; also returns the description of the estimator in the file.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<(Model, Bound<'_, PyDict>)> {
    let file = py.detach(|| ModelFile::load(&path)).map_err(unloaded)?;
    Ok((Model::new(file.fitted), description_of(py, file.origin)?))
}

impl Model {
    pub(crate) fn new(fitted: Box<dyn Fitted>) -> Self {
        Model {
            fitted: Arc::from(fitted),
            faults: Vec::new(),
        }
    }

    /// Refuses to save a model whose kernel contains a Python function.
    fn check_written(&self) -> PyResult<()> {
        match self.faults.is_empty() {
            true => Ok(()),
            false => kernel_of(self)?.check_written(),
        }
    }

    /// The number of operations; unknown if the kernel contains Python functions, whose cost is unknown.
    fn operations(&self, known: u64) -> u64 {
        match self.faults.is_empty() {
            true => known,
            false => UNKNOWN,
        }
    }

    /// Notes about the model for Python.
    fn notes_as_python(&self, notes: &[Note]) -> Vec<PythonNote> {
        notes_as_python(notes, self.fitted.common().columns.is_some())
    }
}

/// A method by its name and the JSON of its options, with another kernel if one is given.
pub(crate) fn method_with_kernel(
    name: &str,
    options: &str,
    kernel: Option<&Kernel>,
) -> PyResult<Box<dyn Method>> {
    let method = method_from_json(name, options)?;
    match kernel {
        Some(kernel) => kernel.put_into(&*method),
        None => Ok(method),
    }
}

#[pymethods]
impl Model {
    /// Fits a method by name. A kernel, which may contain Python functions, replaces that of the options; labels are the
    /// class of every row, for methods that learn from classes.
    #[staticmethod]
    #[pyo3(signature = (method, options, rows, means, kernel = None, labels = None))]
    fn fit(
        py: Python<'_>,
        method: &str,
        options: &str,
        rows: &Rows,
        means: Means,
        kernel: Option<&Kernel>,
        labels: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let method = method_with_kernel(method, options, kernel)?;
        if method.missing() == Missing::Error {
            rows.refuse_missing(py)?;
        }
        let faults = kernel.map_or_else(Vec::new, |kernel| kernel.faults.clone());
        let operations = match faults.is_empty() {
            true => rows.fit_operations(&*method),
            // The cost of Python functions is unknown.
            false => UNKNOWN,
        };
        let labels = labels.as_deref();
        let fitted = run(py, means, operations, |ctx| {
            rows.with_numbers(|rows| {
                let mut fitted = method.fit(ctx, &Training { rows, labels })?;
                measure_map(ctx, &mut *fitted, rows, labels)?;
                Ok(fitted)
            })
        })?;
        let fitted = fitted.map_err(|error| rows.raised(py, error));
        let fitted = unless_raised(&faults, fitted)?;
        Ok(Model {
            fitted: Arc::from(fitted),
            faults,
        })
    }

    /// The plan of a fit, as JSON.
    #[staticmethod]
    #[pyo3(signature = (method, options, rows, means, kernel = None))]
    fn plan_for(
        py: Python<'_>,
        method: &str,
        options: &str,
        rows: &Rows,
        means: Means,
        kernel: Option<&Kernel>,
    ) -> PyResult<String> {
        let method = method_with_kernel(method, options, kernel)?;
        let plan = run(py, means, rows.operations(1), |ctx| {
            rows.with_numbers(|rows| method.plan(ctx, rows))
        })?;
        Ok(json!(plan.map_err(|error| rows.raised(py, error))?).to_string())
    }

    /// A model from the bytes of its file.
    #[new]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let file = ModelFile::from_bytes(bytes);
        let file = file.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Model::new(file.fitted))
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_written()?;
        let bytes = to_bytes(&*self.fitted, &current_origin(), None);
        let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the model file, with the description of the estimator. `names` replace the names of its columns.
    #[pyo3(signature = (path, about, names = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        about: About<'_>,
        names: Option<Vec<String>>,
    ) -> PyResult<()> {
        self.check_written()?;
        let origin = with_version(about.origin()?);
        let renamed = names.map(|names| self.fitted.renamed(names)).transpose();
        let renamed = renamed.map_err(raised)?;
        let fitted = renamed.as_deref().unwrap_or(&*self.fitted);
        let written = py.detach(|| {
            let sealed = seal(fitted, &origin, None, &path)?;
            sealed.place().map_err(SaveError::from)
        });
        written.map_err(unsaved)
    }

    /// A model is immutable, so a copy is the same object.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = py.get_type::<Model>().into_any();
        Ok((make, (self.to_bytes(py)?,)))
    }

    /// Scores of rows, in their element type.
    fn transform<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let known = rows.operations(self.fitted.operations_per_cell());
        let scores = run(py, means, self.operations(known), |ctx| {
            rows.with_numbers(|rows| self.fitted.transform(ctx, rows))
        })?;
        let scores = scores.map_err(|error| rows.raised(py, error));
        unless_raised(&self.faults, scores)?.into_array(py)
    }

    /// The coordinates of the rows that it was fitted to, NaN for rows that the fit left out.
    fn embedded<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let scores = run(py, means, rows.operations(1), |ctx| {
            rows.with_numbers(|rows| self.fitted.embedded(ctx, rows))
        })?;
        scores
            .map_err(|error| rows.raised(py, error))?
            .into_array(py)
    }

    /// The number of the most probable class of every row, -1 for a row without one; an error for a method that predicts none.
    fn predict(&self, py: Python<'_>, rows: &Rows, means: Means) -> PyResult<Vec<i64>> {
        let known = rows.operations(self.fitted.operations_per_cell());
        let predicted = run(py, means, self.operations(known), |ctx| {
            let by = self.fitted.must_predict()?;
            rows.with_numbers(|rows| by.predict(ctx, rows))
        })?;
        let predicted = predicted.map_err(|error| rows.raised(py, error));
        let number = |class: Option<usize>| class.map_or(-1, |class| class as i64);
        let predicted = unless_raised(&self.faults, predicted)?.into_iter();
        Ok(predicted.map(number).collect())
    }

    /// The probability of every class for every row (n × classes).
    fn predict_proba<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let known = rows.operations(self.fitted.operations_per_cell());
        let found = run(py, means, self.operations(known), |ctx| {
            let by = self.fitted.must_predict()?;
            rows.with_numbers(|rows| by.probabilities(ctx, rows))
        })?;
        let found = found.map_err(|error| rows.raised(py, error));
        unless_raised(&self.faults, found)?.into_array(py)
    }

    /// The numbers by which classes are told apart, for every row (n × classes): logarithms of their probabilities, up to a term that the
    /// classes of a row share.
    fn decisions<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let known = rows.operations(self.fitted.operations_per_cell());
        let found = run(py, means, self.operations(known), |ctx| {
            let by = self.fitted.must_predict()?;
            rows.with_numbers(|rows| by.decisions(ctx, rows))
        })?;
        let found = found.map_err(|error| rows.raised(py, error));
        unless_raised(&self.faults, found)?.into_array(py)
    }

    /// The classes that it predicts, in the order of their numbers.
    #[getter]
    fn classes(&self) -> PyResult<Vec<String>> {
        let by = self.fitted.must_predict().map_err(raised)?;
        Ok(by.classes().to_vec())
    }

    /// Rows found from scores, in the element type of the scores; if rows are searched for, the distance in feature space
    /// that each kept from its target; and notes. A search begins at the rows of `near`, 64-bit floats, if they are given.
    #[pyo3(signature = (scores, options, means, near = None))]
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        scores: &Bound<'py, PyAny>,
        options: &str,
        means: Means,
        near: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<RowsFromScores<'py>> {
        let options = options_from_json(options)?;
        let scores = Borrowed::from_python(scores)?;
        let near = near.map(Borrowed::from_python).transpose()?;
        let is_search = registry::find(self.fitted.method())
            .is_none_or(|entry| entry.rebuilds == Rebuilds::BySearch);
        let pairs = scores.shape.iter().map(|n| *n as u64);
        let operations = match is_search {
            true => UNKNOWN,
            false => pairs.fold(self.fitted.common().n_cols as u64, u64::saturating_mul),
        };
        let found = run(py, means, operations, |ctx: &Context| {
            on_wide(&scores, |scores| {
                let back = self.fitted.way_back(ctx, options)?;
                let near = near.as_ref().map(Borrowed::matrix::<f64>).transpose()?;
                back.rows(ctx, scores, near)
            })
        })?;
        let found = unless_raised(&self.faults, found.map_err(raised))?;
        let notes = self.notes_as_python(&found.notes);
        let rows = like(&scores, found.rows).into_array(py)?;
        Ok((rows, found.residuals.into_array(py)?, notes))
    }

    /// The name of the method in the engine's list.
    #[getter]
    fn method(&self) -> &'static str {
        self.fitted.method()
    }

    /// Whether it can transform rows that it was not fitted to.
    #[getter]
    fn takes_new_rows(&self) -> bool {
        self.fitted.projection().is_some()
    }

    /// Names of the columns, if they have names.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.fitted.common().columns.map(<[String]>::to_vec)
    }

    /// The names of the components.
    #[getter]
    fn axis_names(&self) -> Vec<String> {
        self.fitted.axis_names()
    }

    /// Notes for Python.
    #[getter]
    fn notes(&self) -> Vec<PythonNote> {
        self.notes_as_python(self.fitted.common().notes)
    }

    /// The options, as JSON.
    #[getter]
    fn options(&self) -> PyResult<String> {
        self.check_written()?;
        let options = self.fitted.options().map_err(raised)?;
        Ok(options.to_string())
    }

    /// The plan of the fit, as JSON.
    #[getter]
    fn plan(&self) -> String {
        json!(self.fitted.common().plan).to_string()
    }

    /// How good the map of the rows is, as JSON, for methods that make one; `None` where it was not measured.
    #[getter]
    fn quality(&self) -> Option<String> {
        let measures = self.fitted.map_measures()?;
        Some(json!(measures).to_string())
    }

    /// A value of the model by the engine's name for it: values of all models, and values that only its method has.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> Array<'py> {
        match self.fitted.named(name) {
            Some(Value::Nothing) => Ok(py.None().into_bound(py)),
            Some(Value::Count(count)) => count.into_bound_py_any(py),
            Some(Value::Number(number)) => number.into_bound_py_any(py),
            Some(Value::Text(text)) => text.into_bound_py_any(py),
            Some(Value::List(list)) => list.into_array(py),
            Some(Value::Matrix(matrix)) => matrix.into_array(py),
            None => Err(PyAttributeError::new_err(format!(
                "'eigenspan._core.Model' object has no attribute '{name}'"
            ))),
        }
    }
}
