//! What only a PCA has: scikit-learn's rules for the number of components, the probabilistic model, and tables of columns.

use eigenspan::choose::{ChooseOptions, Consensus, Scree, choose, minka};
use eigenspan::error::unknown_variances_words;
use eigenspan::interpret::{Columns, column_variances};
use eigenspan::method::{Like, MethodOptions};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::Keep;
use eigenspan::source::Source;
use eigenspan::{Context, Error, Note, Pca, PcaOptions, Real};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::array::IntoArray;
use crate::error::raised;
use crate::method::options_from_json;
use crate::model::{Array, Model};
use crate::rows::{Rows, on_source};
use crate::run::{Means, run};

impl Model {
    /// The PCA in a model; an error if the model is of another method.
    pub(crate) fn pca(&self) -> PyResult<&Pca> {
        self.fitted.downcast::<Pca>().ok_or_else(|| {
            let other = self.fitted.short_name();
            PyValueError::new_err(format!(
                "only a model of {} has this, not one of {other}",
                PcaOptions::HEADING
            ))
        })
    }
}

/// Keeps a component more if a share of the variance is only just reached: scikit-learn requires that the share is exceeded.
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

/// Which rule decides how many of the fitted components are kept.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// The rule in the options; a share must be exceeded, as in scikit-learn.
    Options,
    /// Minka's evidence.
    Mle,
    /// The default of another program.
    Like(Like),
}

/// Fits, and keeps as many components as the rule decides.
fn fit<T: Real>(
    ctx: &Context,
    options: &PcaOptions,
    rule: Rule,
    source: &dyn Source<T>,
) -> Result<Pca, Error> {
    if let Rule::Like(like) = rule {
        let n_rows = source.n_rows().unwrap_or(usize::MAX);
        let options = PcaOptions {
            n_components: like.retain().before(n_rows, source.n_cols()),
            ..options.clone()
        };
        let pca = options.fit(ctx, source)?;
        let k = like.retain().after(&pca)?;
        return Ok(pca.truncated(k));
    }
    let pca = options.fit(ctx, source)?;
    if let Rule::Options = rule {
        return more_than_share(ctx, options, source, pca);
    }
    // Without noise the evidence is unbounded, and scikit-learn keeps every direction that varies.
    let rank = pca.spectrum().rank;
    if (1..pca.n_cols()).contains(&rank) {
        return Ok(pca.truncated(rank));
    }
    let scaled = options.scale == Scale::Std;
    let scree = Scree::from_spectrum(pca.spectrum(), pca.parts().n_rows, scaled)?;
    let advice = minka(&scree);
    match advice.k {
        Some(k) if k > 0 => Ok(pca.truncated(k)),
        _ => Err(Error::Unsupported {
            what: format!("n_components = mle: {}", advice.sentence),
        }),
    }
}

/// A program by the name that `like` takes.
pub(crate) fn program_named(name: &str) -> PyResult<Like> {
    options_from_json(&json!(name).to_string())
}

/// The options of a PCA by the conventions of another program, as JSON.
#[pyfunction]
pub(crate) fn pca_preset(like: &str) -> PyResult<String> {
    Ok(json!(program_named(like)?.options()).to_string())
}

/// The number of components that another program asks a fit for, as the option's JSON; how many of those it keeps may depend
/// on their eigenvalues.
#[pyfunction]
pub(crate) fn pca_preset_count(
    like: &str,
    n_rows: Option<usize>,
    n_cols: usize,
) -> PyResult<String> {
    let n_rows = n_rows.unwrap_or(usize::MAX);
    let keep = program_named(like)?.retain().before(n_rows, n_cols);
    Ok(json!(keep).to_string())
}

/// Fits a PCA that keeps as many components as scikit-learn's would; with `mle` as many as Minka's evidence decides, with
/// `like` as many as that program keeps by default.
#[pyfunction]
#[pyo3(signature = (options, mle, rows, means, like = None))]
pub(crate) fn pca_fit(
    py: Python<'_>,
    options: &str,
    mle: bool,
    rows: &Rows,
    means: Means,
    like: Option<&str>,
) -> PyResult<Model> {
    let options: PcaOptions = options_from_json(options)?;
    let rule = match like.map(program_named).transpose()? {
        Some(like) => Rule::Like(like),
        None if mle => Rule::Mle,
        None => Rule::Options,
    };
    if options.missing == Missing::Error {
        rows.refuse_missing(py)?;
    }
    let pca = run(
        py,
        means,
        rows.fit_operations(&options),
        |ctx| on_source!(rows, source => fit(ctx, &options, rule, source)),
    )?;
    let pca = pca.map_err(|error| rows.raised(py, error))?;
    Ok(Model::new(Box::new(pca)))
}

/// Log-likelihood of every row.
#[pyfunction]
pub(crate) fn pca_score_samples<'py>(
    py: Python<'py>,
    model: &Model,
    rows: &Rows,
    means: Means,
) -> Array<'py> {
    let pca = model.pca()?;
    let logs = run(
        py,
        means,
        rows.operations(pca.n_components()),
        |ctx| on_source!(rows, source => pca.score_samples(ctx, source)),
    )?;
    let logs = logs.map_err(|error| rows.raised(py, error));
    logs?.into_array(py)
}

/// Mean log-likelihood of rows.
#[pyfunction]
pub(crate) fn pca_score(py: Python<'_>, model: &Model, rows: &Rows, means: Means) -> PyResult<f64> {
    let pca = model.pca()?;
    let score = run(
        py,
        means,
        rows.operations(pca.n_components()),
        |ctx| on_source!(rows, source => pca.score(ctx, source)),
    )?;
    score.map_err(|error| rows.raised(py, error))
}

/// Covariance of the model.
#[pyfunction]
pub(crate) fn pca_covariance<'py>(py: Python<'py>, model: &Model) -> Array<'py> {
    model.pca()?.covariance().into_array(py)
}

/// The inverse of the covariance of the model.
#[pyfunction]
pub(crate) fn pca_precision<'py>(py: Python<'py>, model: &Model) -> Array<'py> {
    let precision = model.pca()?.precision();
    precision.map_err(raised)?.into_array(py)
}

/// Rows drawn from the model.
#[pyfunction]
pub(crate) fn pca_sample<'py>(py: Python<'py>, model: &Model, n: usize, seed: u64) -> Array<'py> {
    let pca = model.pca()?;
    py.detach(|| pca.sample(n, seed)).into_array(py)
}

/// The answers of those rules for the number of components that need only eigenvalues, as JSON. If `auto` asked all rules
/// before the fit, their answer is given.
#[pyfunction]
pub(crate) fn pca_choices(model: &Model) -> PyResult<String> {
    let parts = model.pca()?.parts();
    let scaled = parts.options.scale == Scale::Std;
    let scree = Scree::from_spectrum(&parts.spectrum, parts.n_rows, scaled).map_err(raised)?;
    let rules = ChooseOptions {
        seed: parts.options.seed,
        ..ChooseOptions::default()
    };
    let mut choices = choose(&scree, &rules).map_err(raised)?;
    let answer = parts.notes.iter().find_map(|note| match note {
        Note::Chosen { advised, why, .. } => Some((*advised, why.clone())),
        _ => None,
    });
    if let Some((advised, why)) = answer {
        choices.consensus = Consensus::from_answer(advised, why);
    }
    Ok(json!(choices).to_string())
}

/// A table of columns × components: loadings, correlations, cos2 or contributions. Rows are needed if the model does not know
/// the variance of every column.
#[pyfunction]
pub(crate) fn pca_column_table<'py>(
    py: Python<'py>,
    model: &Model,
    which: &str,
    rows: Option<&Rows>,
    means: Means,
) -> Array<'py> {
    let pca = model.pca()?;
    let variances = match rows {
        None => None,
        Some(rows) => Some(
            run(
                py,
                means,
                rows.operations(1),
                |ctx| on_source!(rows, source => column_variances(ctx, pca, source)),
            )?
            .map_err(|error| rows.raised(py, error))?,
        ),
    };
    // Loadings do not use the variances, so any values will do.
    let any = vec![1.0; pca.n_cols()];
    let variances = match which {
        "loadings" => Some(&any[..]),
        _ => variances.as_deref(),
    };
    let columns = Columns::from_pca(pca, variances).map_err(|error| match error {
        Error::UnknownVariances { kept, possible } => PyValueError::new_err(format!(
            "{}: column_table('{which}', X) takes them from the rows",
            unknown_variances_words(kept, possible)
        )),
        other => raised(other),
    })?;
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
