//! A fitted PCA: what it found, and what it does with rows.

use std::path::PathBuf;

use eigenspan::choose::{ChooseOptions, Consensus, Scree, choose, minka};
use eigenspan::interpret::{Columns, column_variances};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::Keep;
use eigenspan::source::Source;
use eigenspan::{Context, Error, Mat, MatView, Note, Pca, PcaOptions, Real};
use eigenspan_io::model::{Fitted, Model as ModelFile, Origin};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::array::{Borrowed, Element, IntoArray};
use crate::error::{Told, all_told, raised, unloaded, unsaved};
use crate::estimator::{About, about_of};
use crate::kernel_model::KernelModel;
use crate::rows::{Rows, on_source};
use crate::run::{Means, UNKNOWN, run};

/// A fitted PCA.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct Model(Pca);

/// Scores in the element type of the rows.
pub(crate) enum Scores {
    F32(Mat<f32>),
    F64(Mat<f64>),
}

impl IntoArray for Scores {
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Scores::F32(scores) => scores.into_array(py),
            Scores::F64(scores) => scores.into_array(py),
        }
    }
}

/// Runs `take` on scores of 32-bit or 64-bit floats, as 64-bit floats.
pub(crate) fn on_wide<R>(
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
pub(crate) fn like(scores: &Borrowed, rows: Mat<f64>) -> Scores {
    if scores.kind != f32::KIND {
        return Scores::F64(rows);
    }
    let narrow = |i, j| rows[(i, j)] as f32;
    Scores::F32(Mat::from_fn(rows.n_rows(), rows.n_cols(), narrow))
}

pub(crate) type Array<'py> = PyResult<Bound<'py, PyAny>>;

/// The model file of what was fitted.
pub(crate) fn file_of(fitted: Fitted, origin: Origin) -> ModelFile {
    ModelFile {
        fitted,
        origin: Origin {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..origin
        },
        picture: None,
    }
}

/// The bytes of a model file.
pub(crate) fn bytes_of<'py>(py: Python<'py>, file: &ModelFile) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = file.to_bytes();
    let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// What the bytes of a model file hold.
pub(crate) fn of_bytes(bytes: &[u8]) -> PyResult<Fitted> {
    let file = ModelFile::from_bytes(bytes);
    let file = file.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(file.fitted)
}

/// Reads a model file, of whatever method; with it comes what the file says about the estimator.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<(Py<PyAny>, Bound<'_, PyDict>)> {
    let file = py.detach(|| ModelFile::load(&path)).map_err(unloaded)?;
    let about = about_of(py, file.origin)?;
    let model = match file.fitted {
        Fitted::Pca(pca) => Py::new(py, Model(*pca))?.into_any(),
        Fitted::KernelPca(kpca) => Py::new(py, KernelModel::of(*kpca))?.into_any(),
        _ => {
            return Err(PyValueError::new_err(
                "a model of a method that this version does not know",
            ));
        }
    };
    Ok((model, about))
}

/// Options from their JSON.
pub(crate) fn options_of<O: DeserializeOwned>(json: &str) -> PyResult<O> {
    serde_json::from_str(json).map_err(|error| {
        // Where in the JSON it stands is of no use to who wrote Python.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        PyValueError::new_err(text.to_owned())
    })
}

impl Model {
    pub(crate) fn of(pca: Pca) -> Self {
        Model(pca)
    }

    pub(crate) fn pca(&self) -> &Pca {
        &self.0
    }

    fn file(&self, origin: Origin) -> ModelFile {
        file_of(Fitted::Pca(Box::new(self.0.clone())), origin)
    }

    fn columns(&self, variances: Option<&[f64]>) -> PyResult<Columns> {
        Columns::of(&self.0, variances).map_err(raised)
    }
}

/// A share of the variance is exceeded, as in scikit-learn: where it is met to rounding, one component more is kept.
fn more_than_share<T: Real>(
    ctx: &Context,
    options: &PcaOptions,
    source: &dyn Source<T>,
    pca: Pca,
) -> Result<Pca, Error> {
    let k = pca.n_components();
    let met = match options.n_components {
        Keep::Share(share) => share < 1.0 && pca.spectrum().total_share() <= share + 1e-12,
        _ => false,
    };
    if !met || k >= pca.n_cols().min(pca.parts().n_rows) {
        return Ok(pca);
    }
    let one_more = PcaOptions {
        n_components: Keep::Count(k + 1),
        ..options.clone()
    };
    one_more.fit(ctx, source)
}

/// Fits, and keeps as many components as Minka's evidence says, where that is asked for.
fn fit<T: Real>(
    ctx: &Context,
    options: &PcaOptions,
    mle: bool,
    source: &dyn Source<T>,
) -> Result<Pca, Error> {
    let pca = options.fit(ctx, source)?;
    if !mle {
        return more_than_share(ctx, options, source, pca);
    }
    // Without any noise the evidence has no bound, and scikit-learn keeps every direction that varies.
    let rank = pca.spectrum().rank;
    if (1..pca.n_cols()).contains(&rank) {
        return Ok(pca.truncated(rank));
    }
    let scaled = options.scale == Scale::Std;
    let scree = Scree::of(pca.spectrum(), pca.parts().n_rows, scaled)?;
    let advice = minka(&scree);
    match advice.k {
        Some(k) if k > 0 => Ok(pca.truncated(k)),
        _ => Err(Error::Unsupported {
            what: format!("n_components = mle: {}", advice.sentence),
        }),
    }
}

#[pymethods]
impl Model {
    /// Fits a PCA; `mle` keeps as many components as Minka's evidence says.
    #[staticmethod]
    fn fit(py: Python<'_>, options: &str, mle: bool, rows: &Rows, means: Means) -> PyResult<Self> {
        let options: PcaOptions = options_of(options)?;
        if options.missing == Missing::Error {
            rows.refuse_missing()?;
        }
        // Rules for the number of components and missing cells take many fits.
        let is_one_fit = options.n_components != Keep::Auto && options.missing != Missing::Em;
        let operations = match is_one_fit {
            true => rows.decomposition(),
            false => UNKNOWN,
        };
        let pca = run(
            py,
            means,
            operations,
            |ctx| on_source!(rows, source => fit(ctx, &options, mle, source)),
        )?;
        pca.map(Model).map_err(|error| rows.raised(py, error))
    }

    /// What a fit would run, as JSON.
    #[staticmethod]
    fn plan_for(py: Python<'_>, options: &str, rows: &Rows, means: Means) -> PyResult<String> {
        let options: PcaOptions = options_of(options)?;
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
            Fitted::Pca(pca) => Ok(Model(*pca)),
            _ => Err(PyValueError::new_err("not a model of a PCA")),
        }
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, &self.file(Origin::default()))
    }

    /// Writes the model file, with what the estimator says about itself. `names` stand for those of its columns.
    #[pyo3(signature = (path, about, names = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        about: About<'_>,
        names: Option<Vec<String>>,
    ) -> PyResult<()> {
        let mut file = self.file(about.origin()?);
        if let (Some(names), Fitted::Pca(pca)) = (names, &mut file.fitted) {
            let mut parts = pca.parts().clone();
            parts.columns = Some(names);
            **pca = Pca::from_parts(parts).map_err(raised)?;
        }
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
        let make = py.get_type::<Model>().into_any();
        Ok((make, (self.to_bytes(py)?,)))
    }

    /// Scores of rows, in their element type.
    fn transform<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let scores = run(
            py,
            means,
            rows.operations(self.0.n_components()),
            |ctx| match rows.is_single() {
                true => rows.with_f32(|source| self.0.transform(ctx, source).map(Scores::F32)),
                false => rows.with_f64(|source| self.0.transform(ctx, source).map(Scores::F64)),
            },
        )?;
        let scores = scores.map_err(|error| rows.raised(py, error));
        scores?.into_array(py)
    }

    /// Rows rebuilt from scores, in the element type of the scores.
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        scores: &Bound<'py, PyAny>,
        means: Means,
    ) -> Array<'py> {
        let scores = Borrowed::of(scores)?;
        let pairs = scores.shape.iter().map(|n| *n as u64);
        let operations = pairs.fold(self.0.n_cols() as u64, u64::saturating_mul);
        let rebuilt = run(py, means, operations, |_| {
            on_wide(&scores, |scores| self.0.inverse(scores))
        })?;
        like(&scores, rebuilt.map_err(raised)?).into_array(py)
    }

    /// Log-likelihood of every row.
    fn score_samples<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let logs = run(
            py,
            means,
            rows.operations(self.0.n_components()),
            |ctx| on_source!(rows, source => self.0.score_samples(ctx, source)),
        )?;
        let logs = logs.map_err(|error| rows.raised(py, error));
        logs?.into_array(py)
    }

    /// Mean log-likelihood of rows.
    fn score(&self, py: Python<'_>, rows: &Rows, means: Means) -> PyResult<f64> {
        let score = run(
            py,
            means,
            rows.operations(self.0.n_components()),
            |ctx| on_source!(rows, source => self.0.score(ctx, source)),
        )?;
        score.map_err(|error| rows.raised(py, error))
    }

    /// Covariance of the model.
    fn covariance<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.covariance().into_array(py)
    }

    /// Its inverse.
    fn precision<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.precision().map_err(raised)?.into_array(py)
    }

    /// Rows drawn from the model.
    fn sample<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> Array<'py> {
        py.detach(|| self.0.sample(n, seed)).into_array(py)
    }

    /// Components × columns.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.components().clone().into_array(py)
    }

    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.mean().to_vec().into_array(py)
    }

    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let scale = self.0.parts().preparation.scale.clone();
        scale.map(|scale| scale.into_array(py)).transpose()
    }

    #[getter]
    fn explained_variance<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.explained_variance().into_array(py)
    }

    #[getter]
    fn explained_variance_ratio<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.explained_variance_ratio().into_array(py)
    }

    #[getter]
    fn singular_values<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.spectrum().singular_values.clone().into_array(py)
    }

    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.0.spectrum().residuals.clone().into_array(py)
    }

    #[getter]
    fn noise_variance(&self) -> f64 {
        self.0.noise_variance()
    }

    /// Directions that the variance is spread over, kept or not.
    #[getter]
    fn n_directions(&self) -> usize {
        self.0.n_directions()
    }

    #[getter]
    fn total_variance(&self) -> f64 {
        self.0.spectrum().total_variance()
    }

    #[getter]
    fn n_components(&self) -> usize {
        self.0.n_components()
    }

    #[getter]
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.0.parts().n_rows
    }

    /// Names of the columns, where they have names.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.0.parts().columns.clone()
    }

    /// Notes, each with whether it is worth a warning.
    #[getter]
    fn notes(&self) -> Vec<Told> {
        all_told(self.0.notes(), self.0.parts().columns.is_some())
    }

    /// What was asked for, as JSON.
    #[getter]
    fn options(&self) -> String {
        json!(self.0.parts().options).to_string()
    }

    /// How it was computed, as JSON.
    #[getter]
    fn plan(&self) -> String {
        json!(self.0.parts().plan).to_string()
    }

    /// What the rules for the number of components say that need eigenvalues alone, as JSON. Where `auto` asked all rules before
    /// the fit, their answer stands.
    fn choices(&self) -> PyResult<String> {
        let parts = self.0.parts();
        let scaled = parts.options.scale == Scale::Std;
        let scree = Scree::of(&parts.spectrum, parts.n_rows, scaled).map_err(raised)?;
        let rules = ChooseOptions {
            seed: parts.options.seed,
            ..ChooseOptions::default()
        };
        let mut choices = choose(&scree, &rules).map_err(raised)?;
        let settled = parts.notes.iter().find_map(|note| match note {
            Note::Chosen { advised, why, .. } => Some((*advised, why.clone())),
            _ => None,
        });
        if let Some((advised, why)) = settled {
            choices.consensus = Consensus::settled(advised, why);
        }
        Ok(json!(choices).to_string())
    }

    /// A table of columns × components: loadings, correlations, cos2 or contributions. Rows are needed where the model does
    /// not know the variance of every column.
    fn column_table<'py>(
        &self,
        py: Python<'py>,
        which: &str,
        rows: Option<&Rows>,
        means: Means,
    ) -> Array<'py> {
        let variances = match rows {
            None => None,
            Some(rows) => Some(
                run(
                    py,
                    means,
                    rows.operations(1),
                    |ctx| on_source!(rows, source => column_variances(ctx, &self.0, source)),
                )?
                .map_err(|error| rows.raised(py, error))?,
            ),
        };
        // Loadings need no variances; any will do.
        let any = vec![1.0; self.0.n_cols()];
        let columns = match which {
            "loadings" => self.columns(Some(&any))?,
            _ => self.columns(variances.as_deref())?,
        };
        match which {
            "loadings" => columns.loadings,
            "correlations" => columns.correlations,
            "cos2" => columns.cos2,
            "contributions" => columns.contributions,
            other => {
                let text = format!("no table `{other}` of columns");
                return Err(PyValueError::new_err(text));
            }
        }
        .into_array(py)
    }
}
