//! Kernels as values in Python: parsed from text, added, multiplied, normalized, and weighted by Python functions.

use std::sync::{Arc, Mutex, PoisonError};

use eigenspan::kernel::{Kernel as Expression, ResolvedKernel};
use eigenspan::method::{KernelPca, KernelPcaOptions, Method};
use eigenspan::{Context, Mat};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::array::{Borrowed, IntoArray};
use crate::error::raised;
use crate::model::Model;
use crate::run::{Means, UNKNOWN, run};

/// The exception that a Python function raised while the engine called it.
pub(crate) type Fault = Arc<Mutex<Option<PyErr>>>;

/// A kernel whose parameters are numbers or are still to be estimated from rows.
#[pyclass(frozen, from_py_object, module = "eigenspan._core")]
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub(crate) expression: Expression,
    /// One for each Python function in the kernel.
    pub(crate) faults: Vec<Fault>,
}

/// A factor: a kernel or a number.
#[derive(FromPyObject)]
enum Factor {
    Number(f64),
    Kernel(Kernel),
}

/// The first exception that a Python function raised, if any, instead of the engine's result.
pub(crate) fn unless_raised<R>(faults: &[Fault], result: PyResult<R>) -> PyResult<R> {
    let taken = |fault: &Fault| fault.lock().unwrap_or_else(PoisonError::into_inner).take();
    match faults.iter().find_map(taken) {
        Some(error) => Err(error),
        None => result,
    }
}

/// The kernel of a model, with numbers as parameters; an error if the model has none.
#[pyfunction]
pub(crate) fn kernel_of(model: &Model) -> PyResult<Kernel> {
    let kpca = model.fitted.downcast::<KernelPca>().ok_or_else(|| {
        let method = model.fitted.short_name();
        PyValueError::new_err(format!("a model of {method} has no kernel"))
    })?;
    Ok(Kernel {
        expression: kpca.kernel().kernel().clone(),
        faults: model.faults.clone(),
    })
}

impl Kernel {
    /// A method with this kernel instead of the one in its options.
    pub(crate) fn put_into(&self, method: &dyn Method) -> PyResult<Box<dyn Method>> {
        let Some(options) = method.as_any().downcast_ref::<KernelPcaOptions>() else {
            let text = format!("the method `{}` takes no kernel", method.name());
            return Err(PyValueError::new_err(text));
        };
        Ok(Box::new(KernelPcaOptions {
            kernel: self.expression.clone(),
            ..options.clone()
        }))
    }

    fn with_expression(&self, expression: Expression) -> Self {
        Kernel {
            expression,
            faults: self.faults.clone(),
        }
    }

    /// Refuses to save a kernel that contains a Python function.
    pub(crate) fn check_written(&self) -> PyResult<()> {
        if self.faults.is_empty() {
            return Ok(());
        }
        let text = format!(
            "the kernel {} weighs rows by a function of Python: neither model files nor pickle can hold it, and figures are \
             drawn from model files (copy.copy and copy.deepcopy keep it)",
            self.expression
        );
        Err(PyValueError::new_err(text))
    }

    fn combined(&self, other: &Kernel, expression: Expression) -> Self {
        let faults = self.faults.iter().chain(&other.faults).cloned().collect();
        Kernel { expression, faults }
    }
}

#[pymethods]
impl Kernel {
    /// Reads a kernel.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let expression = text.parse().map_err(raised)?;
        Ok(Kernel {
            expression,
            faults: Vec::new(),
        })
    }

    fn __str__(&self) -> String {
        self.expression.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Kernel('{}')", self.expression)
    }

    fn __eq__(&self, other: &Kernel) -> bool {
        self.expression == other.expression
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.expression.to_string().hash(&mut hasher);
        hasher.finish()
    }

    /// k + k'.
    fn __add__(&self, other: &Kernel) -> Self {
        let sum = self.expression.clone() + other.expression.clone();
        self.combined(other, sum)
    }

    /// k·k', or a positive multiple.
    fn __mul__(&self, factor: Factor) -> PyResult<Self> {
        let own = self.expression.clone();
        match factor {
            Factor::Number(number) => Ok(self.with_expression(own.times(number).map_err(raised)?)),
            Factor::Kernel(other) => Ok(self.combined(&other, own * other.expression.clone())),
        }
    }

    fn __rmul__(&self, number: f64) -> PyResult<Self> {
        self.__mul__(Factor::Number(number))
    }

    /// exp(k(x, x')).
    fn exp(&self) -> Self {
        self.with_expression(self.expression.clone().exp())
    }

    /// k(x, x') ÷ √(k(x, x)·k(x', x')).
    fn normalize(&self) -> Self {
        self.with_expression(self.expression.clone().normalized())
    }

    /// g(x)·k(x, x')·g(x') for a function g that returns a number for a row. A model with it can be neither saved nor
    /// pickled.
    #[pyo3(signature = (function, name = None))]
    fn weighted(
        &self,
        py: Python<'_>,
        function: Py<PyAny>,
        name: Option<String>,
    ) -> PyResult<Self> {
        if !function.bind(py).is_callable() {
            let kind = function.bind(py).get_type();
            let text = format!("a function of a row is needed, not {}", kind.name()?);
            return Err(PyTypeError::new_err(text));
        }
        let named = function.getattr(py, "__name__");
        let named = named.and_then(|name| name.extract(py));
        let name = name
            .or(named.ok())
            .unwrap_or_else(|| "a function".to_owned());
        let fault = Fault::default();
        let first_fault = Arc::clone(&fault);
        let weigh = move |row: &[f64]| {
            let value = Python::attach(|py| {
                let row = row.to_vec().into_array(py)?;
                function.call1(py, (row,))?.extract::<f64>(py)
            });
            value.unwrap_or_else(|error| {
                // The first exception is raised again when the engine is done.
                first_fault
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
                f64::NAN
            })
        };
        let mut weighted = self.with_expression(self.expression.clone().weighted(name, weigh));
        weighted.faults.push(fault);
        Ok(weighted)
    }

    /// Whether it is positive semi-definite, in words.
    #[getter]
    fn verdict(&self) -> String {
        self.expression.verdict().to_string()
    }

    /// Whether rows for this kernel are rows of a precomputed kernel matrix.
    #[getter]
    fn is_precomputed(&self) -> bool {
        self.expression.is_precomputed()
    }

    /// The kernels of all rows of x with all rows of y; parameters are estimated from x.
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        means: Means,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (x, y) = (
            Borrowed::from_python(x)?,
            y.map(Borrowed::from_python).transpose()?,
        );
        let pairs = x.shape.iter().chain(y.as_ref().unwrap_or(&x).shape.first());
        let operations = match self.faults.is_empty() {
            true => pairs.fold(1, |product: u64, n| product.saturating_mul(*n as u64)),
            // The cost of Python functions is unknown.
            false => UNKNOWN,
        };
        let matrix = run(py, means, operations, |ctx: &Context| {
            let rows: Mat<f64> = x.matrix::<f64>()?.to_mat();
            let kernel = ResolvedKernel::new(&self.expression, &rows)?;
            let own = kernel.points(rows, 0)?;
            match &y {
                None => Ok(kernel.between(&own, &own)),
                Some(y) => {
                    let others = kernel.points(y.matrix::<f64>()?.to_mat(), 0)?;
                    ctx.check()?;
                    Ok(kernel.between(&own, &others))
                }
            }
        })?;
        unless_raised(&self.faults, matrix.map_err(raised))?.into_array(py)
    }

    /// A kernel is immutable, so a copy is the same object.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        self.check_written()?;
        Ok((py.get_type::<Kernel>().into_any(), (self.__str__(),)))
    }
}
