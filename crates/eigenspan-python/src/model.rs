//! A fitted PCA: what it found, and what it does with rows.

use std::path::PathBuf;

use eigenspan::choose::{ChooseOptions, Scree, choose, minka};
use eigenspan::interpret::{Columns, column_variances};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::source::Source;
use eigenspan::{Context, Error, Mat, Pca, PcaOptions, Real};
use eigenspan_io::model::{Fitted, Model as ModelFile, Origin};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::array::{Borrowed, Element, IntoArray};
use crate::error::{raised, told, unloaded, unsaved};
use crate::rows::{Rows, on_source};
use crate::run::{Means, run};

/// A fitted PCA.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct Model(Pca);

/// Scores in the element type of the rows.
enum Scores {
    F32(Mat<f32>),
    F64(Mat<f64>),
}

type Array<'py> = PyResult<Bound<'py, PyAny>>;

/// Options from their JSON.
pub(crate) fn options_of(json: &str) -> PyResult<PcaOptions> {
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

    /// The model file.
    pub(crate) fn file(&self) -> ModelFile {
        ModelFile {
            fitted: Fitted::Pca(Box::new(self.0.clone())),
            origin: Origin {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..Origin::default()
            },
            picture: None,
        }
    }

    fn from_file(file: ModelFile) -> PyResult<Self> {
        match file.fitted {
            Fitted::Pca(pca) => Ok(Model(*pca)),
            _ => Err(PyValueError::new_err("not a model of a PCA")),
        }
    }

    fn columns(&self, variances: Option<&[f64]>) -> PyResult<Columns> {
        Columns::of(&self.0, variances).map_err(raised)
    }
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
        return Ok(pca);
    }
    let scaled = options.scale == Scale::Std;
    let scree = Scree::of(pca.spectrum(), pca.parts().n_rows, scaled)?;
    let advice = minka(&scree);
    match advice.k {
        Some(k) if k > 0 => Ok(pca.truncated(k)),
        _ => Err(Error::Mismatch {
            what: format!("n_components = mle: {}", advice.sentence),
        }),
    }
}

#[pymethods]
impl Model {
    /// Fits a PCA; `mle` keeps as many components as Minka's evidence says.
    #[staticmethod]
    fn fit(py: Python<'_>, options: &str, mle: bool, rows: &Rows, means: Means) -> PyResult<Self> {
        let options = options_of(options)?;
        if options.missing == Missing::Error {
            rows.refuse_missing()?;
        }
        let pca = run(
            py,
            means,
            rows.is_small(),
            |ctx| on_source!(rows, source => fit(ctx, &options, mle, source)),
        )?;
        pca.map(Model).map_err(raised)
    }

    /// What a fit would run, as JSON.
    #[staticmethod]
    fn plan_for(py: Python<'_>, options: &str, rows: &Rows, means: Means) -> PyResult<String> {
        let options = options_of(options)?;
        let plan = run(
            py,
            means,
            true,
            |ctx| on_source!(rows, source => options.plan(ctx, source)),
        )?;
        Ok(json!(plan.map_err(raised)?).to_string())
    }

    /// A model from the bytes of its file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let file = ModelFile::from_bytes(bytes);
        Model::from_file(file.map_err(|error| PyValueError::new_err(error.to_string()))?)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.file().to_bytes();
        let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Model::from_file(py.detach(|| ModelFile::load(&path)).map_err(unloaded)?)
    }

    /// Writes the model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.file().save(&path)).map_err(unsaved)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = py.get_type::<Model>().getattr("from_bytes")?;
        Ok((make, (self.to_bytes(py)?,)))
    }

    /// Scores of rows, in their element type.
    fn transform<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let scores = run(py, means, rows.is_small(), |ctx| match rows.is_single() {
            true => rows.with_f32(|source| self.0.transform(ctx, source).map(Scores::F32)),
            false => rows.with_f64(|source| self.0.transform(ctx, source).map(Scores::F64)),
        })?;
        match scores.map_err(raised)? {
            Scores::F32(scores) => scores.into_array(py),
            Scores::F64(scores) => scores.into_array(py),
        }
    }

    /// Rows rebuilt from scores, in the element type of the scores.
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        scores: &Bound<'py, PyAny>,
        means: Means,
    ) -> Array<'py> {
        let scores = Borrowed::of(scores)?;
        let single = scores.kind == f32::KIND;
        let rebuilt = run(py, means, false, |_| match single {
            true => {
                let scores = scores.matrix::<f32>()?;
                let wide = |i, j| f64::from(scores.at(i, j));
                let wide = Mat::from_fn(scores.n_rows(), scores.n_cols(), wide);
                self.0.inverse(wide.view())
            }
            false => self.0.inverse(scores.matrix::<f64>()?),
        })?;
        let rebuilt = rebuilt.map_err(raised)?;
        match single {
            true => Mat::from_fn(rebuilt.n_rows(), rebuilt.n_cols(), |i, j| {
                rebuilt[(i, j)] as f32
            })
            .into_array(py),
            false => rebuilt.into_array(py),
        }
    }

    /// Log-likelihood of every row.
    fn score_samples<'py>(&self, py: Python<'py>, rows: &Rows, means: Means) -> Array<'py> {
        let logs = run(
            py,
            means,
            rows.is_small(),
            |ctx| on_source!(rows, source => self.0.score_samples(ctx, source)),
        )?;
        logs.map_err(raised)?.into_array(py)
    }

    /// Mean log-likelihood of rows.
    fn score(&self, py: Python<'_>, rows: &Rows, means: Means) -> PyResult<f64> {
        let score = run(
            py,
            means,
            rows.is_small(),
            |ctx| on_source!(rows, source => self.0.score(ctx, source)),
        )?;
        score.map_err(raised)
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
    fn notes(&self) -> Vec<(String, bool)> {
        self.0.notes().iter().map(told).collect()
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

    /// What the rules for the number of components say that need eigenvalues alone, as JSON.
    fn choices(&self) -> PyResult<String> {
        let parts = self.0.parts();
        let scaled = parts.options.scale == Scale::Std;
        let scree = Scree::of(&parts.spectrum, parts.n_rows, scaled).map_err(raised)?;
        let choices = choose(&scree, &ChooseOptions::default()).map_err(raised)?;
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
                    rows.is_small(),
                    |ctx| on_source!(rows, source => column_variances(ctx, &self.0, source)),
                )?
                .map_err(raised)?,
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
