//! A fitted kernel PCA: what it found, and what it does with rows and scores.

use std::path::PathBuf;

use eigenspan::kernel::Gamma;
use eigenspan::method::{Basis, KernelPca, KernelPcaOptions, PreImageOptions};
use eigenspan::prepare::Missing;
use eigenspan::{Context, Note};
use eigenspan_io::model::{Fitted, Model as ModelFile, Origin};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::array::{Borrowed, IntoArray};
use crate::error::{Told, all_told, raised, unsaved};
use crate::estimator::About;
use crate::kernel::{Fault, Kernel, unless_raised};
use crate::model::{Array, Scores, bytes_of, file_of, like, of_bytes, on_wide, options_of};
use crate::rows::{Rows, on_source};
use crate::run::{Means, UNKNOWN, run};

/// A fitted kernel PCA.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct KernelModel {
    kpca: KernelPca,
    /// Of functions of one's own in its kernel.
    faults: Vec<Fault>,
}

/// Rows found from scores, how far each came, and notes with whether each is worth a warning.
type Found<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<Told>);

/// Options from their JSON, with a kernel that may have functions of its own.
fn asked(options: &str, kernel: &Kernel) -> PyResult<KernelPcaOptions> {
    let options: KernelPcaOptions = options_of(options)?;
    Ok(KernelPcaOptions {
        kernel: kernel.expression.clone(),
        ..options
    })
}

impl KernelModel {
    pub(crate) fn of(kpca: KernelPca) -> Self {
        KernelModel {
            kpca,
            faults: Vec::new(),
        }
    }

    fn file(&self, origin: Origin) -> ModelFile {
        file_of(Fitted::KernelPca(Box::new(self.kpca.clone())), origin)
    }

    /// Refuses to be written where its kernel has a function of Python.
    fn check_written(&self) -> PyResult<()> {
        self.kernel().check_written()
    }

    fn is_named(&self) -> bool {
        self.kpca.parts().columns.is_some()
    }
}

#[pymethods]
impl KernelModel {
    /// Fits a kernel PCA.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        options: &str,
        kernel: &Kernel,
        rows: &Rows,
        means: Means,
    ) -> PyResult<Self> {
        let options = asked(options, kernel)?;
        if options.missing == Missing::Error {
            rows.refuse_missing()?;
        }
        let operations = match kernel.faults.is_empty() {
            true => rows.kernel_decomposition(),
            // Functions of Python take as long as they like.
            false => UNKNOWN,
        };
        let kpca = run(
            py,
            means,
            operations,
            |ctx| on_source!(rows, source => options.fit(ctx, source)),
        )?;
        let kpca = kpca.map_err(|error| rows.raised(py, error));
        let kpca = unless_raised(&kernel.faults, kpca)?;
        Ok(KernelModel {
            kpca,
            faults: kernel.faults.clone(),
        })
    }

    /// What a fit would run, as JSON.
    #[staticmethod]
    fn plan_for(
        py: Python<'_>,
        options: &str,
        kernel: &Kernel,
        rows: &Rows,
        means: Means,
    ) -> PyResult<String> {
        let options = asked(options, kernel)?;
        let plan = run(
            py,
            means,
            rows.operations(1),
            |ctx| on_source!(rows, source => options.plan(ctx, source)),
        )?;
        Ok(json!(plan.map_err(|error| rows.raised(py, error))?).to_string())
    }

    /// A model from the bytes of its file.
    #[new]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        match of_bytes(bytes)? {
            Fitted::KernelPca(kpca) => Ok(KernelModel::of(*kpca)),
            _ => Err(PyValueError::new_err("not a model of a kernel PCA")),
        }
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_written()?;
        bytes_of(py, &self.file(Origin::default()))
    }

    /// Writes the model file, with what the estimator says about itself.
    fn save(&self, py: Python<'_>, path: PathBuf, about: About<'_>) -> PyResult<()> {
        self.check_written()?;
        let file = self.file(about.origin()?);
        py.detach(|| file.save(&path)).map_err(unsaved)
    }

    /// Never changed, so a copy is the same.
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
        let make = py.get_type::<KernelModel>().into_any();
        Ok((make, (self.to_bytes(py)?,)))
    }

    /// Scores of rows, in their element type.
    fn transform<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let operations = match self.faults.is_empty() {
            true => rows.operations(self.kpca.parts().basis.len()),
            false => UNKNOWN,
        };
        let scores = run(py, means, operations, |ctx| match rows.is_single() {
            true => rows.with_f32(|source| self.kpca.transform(ctx, source).map(Scores::F32)),
            false => rows.with_f64(|source| self.kpca.transform(ctx, source).map(Scores::F64)),
        })?;
        let scores = scores.map_err(|error| rows.raised(py, error));
        unless_raised(&self.faults, scores)?.into_array(py)
    }

    /// Rows found from scores, in the element type of the scores, and how far in feature space each stayed from the point
    /// that its scores name.
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        scores: &Bound<'py, PyAny>,
        options: &str,
        means: Means,
    ) -> PyResult<Found<'py>> {
        let options: PreImageOptions = options_of(options)?;
        let scores = Borrowed::of(scores)?;
        let found = run(py, means, UNKNOWN, |ctx: &Context| {
            on_wide(&scores, |scores| {
                let back = self.kpca.pre_images(ctx, options)?;
                back.inverse(ctx, scores, None)
            })
        })?;
        let found = unless_raised(&self.faults, found.map_err(raised))?;
        let notes = all_told(&found.notes, self.is_named());
        let rows = like(&scores, found.rows).into_array(py)?;
        Ok((rows, found.residuals.into_array(py)?, notes))
    }

    /// Eigenvalues of the centered kernel matrix, after negative ones were dealt with.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.kpca.eigenvalues().into_array(py)
    }

    /// The same before: negative ones as they are, and 0 where there is none to tell from rounding.
    #[getter]
    fn raw_eigenvalues<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.kpca.parts().eigenvalues.clone().into_array(py)
    }

    /// The smallest of all eigenvalues, where it is negative and was met.
    #[getter]
    fn smallest_eigenvalue(&self) -> Option<f64> {
        self.kpca.notes().iter().find_map(|note| match note {
            Note::NegativeEigenvalues { smallest, .. } => Some(*smallest),
            _ => None,
        })
    }

    /// How far each may lie from the exact one, where features stand for the kernel matrix.
    #[getter]
    fn eigenvalue_errors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let errors = self.kpca.eigenvalue_errors();
        errors.map(|errors| errors.into_array(py)).transpose()
    }

    /// Components as combinations of what rows are compared with, m × k.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.kpca.weights().clone().into_array(py)
    }

    /// The rows that new ones are compared with, as they are compared, where there are such.
    #[getter]
    fn basis<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.kpca.parts().basis {
            Basis::Rows(points) => Ok(Some(points.rows().clone().into_array(py)?)),
            _ => Ok(None),
        }
    }

    #[getter]
    fn explained_variance<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.kpca.explained_variance().into_array(py)
    }

    #[getter]
    fn explained_variance_ratio<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.kpca.explained_variance_ratio().into_array(py)
    }

    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.kpca.spectrum().residuals.clone().into_array(py)
    }

    #[getter]
    fn total_variance(&self) -> f64 {
        self.kpca.spectrum().total_variance()
    }

    #[getter]
    fn n_components(&self) -> usize {
        self.kpca.n_components()
    }

    #[getter]
    fn n_cols(&self) -> usize {
        self.kpca.n_cols()
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.kpca.n_rows()
    }

    /// The kernel, its parameters numbers.
    #[getter]
    fn kernel(&self) -> Kernel {
        Kernel {
            expression: self.kpca.kernel().kernel().clone(),
            faults: self.faults.clone(),
        }
    }

    /// γ of the kernel, where it is a base kernel that has one.
    #[getter]
    fn gamma(&self) -> Option<f64> {
        match self.kpca.kernel().kernel().as_base()?.gamma()? {
            Gamma::Value(gamma) => Some(gamma),
            Gamma::Sigma(sigma) => Some(0.5 / (sigma * sigma)),
            _ => None,
        }
    }

    /// Names of the columns, where they have names.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.kpca.parts().columns.clone()
    }

    /// Notes, each with whether it is worth a warning.
    #[getter]
    fn notes(&self) -> Vec<Told> {
        all_told(self.kpca.notes(), self.is_named())
    }

    /// What was asked for, as JSON.
    #[getter]
    fn options(&self) -> PyResult<String> {
        let options = serde_json::to_string(&self.kpca.parts().options);
        options.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// How it was computed, as JSON.
    #[getter]
    fn plan(&self) -> String {
        json!(self.kpca.parts().plan).to_string()
    }
}
