//! How to interpret a PCA and how certain it is: its rows, supplementary columns, rotations, sampling adequacy, the
//! bootstrap, and all rules for the number of components.

use eigenspan::choose::ChooseOptions;
use eigenspan::evaluate::BootstrapOptions;
use eigenspan::interpret::{
    CategoryColumn, Columns, Limits, NumericColumn, RotateOptions, Rotation, RowOptions,
    Supplementary, adequacy, correlation, residual_rows, row_facts, supplementary,
};
use eigenspan::{Error, PcaOptions};
use eigenspan_report::choose::rule_json;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::array::IntoArray;
use crate::error::{PythonNote, notes_as_python, raised};
use crate::method::options_from_json;
use crate::model::{Array, Model};
use crate::rows::{Rows, on_source};
use crate::run::{Means, UNKNOWN, run};

/// The answers of all rules for the number of components, as JSON, and notes. `rules` is the JSON of their options.
#[pyfunction]
pub(crate) fn pca_choose(
    py: Python<'_>,
    options: &str,
    rules: &str,
    rows: &Rows,
    means: Means,
) -> PyResult<(String, Vec<PythonNote>)> {
    let options: PcaOptions = options_from_json(options)?;
    let rules: ChooseOptions = options_from_json(rules)?;
    let chosen = run(
        py,
        means,
        UNKNOWN,
        |ctx| on_source!(rows, source => options.choose(ctx, source, &rules)),
    )?;
    let chosen = chosen.map_err(|error| rows.raised(py, error))?;
    let each = chosen.choices.advices.iter().map(rule_json);
    let object = json!({
        "rules": each.collect::<Vec<_>>(),
        "consensus": chosen.choices.consensus,
        "eigenvalues": chosen.scree.values(),
        "total_variance": chosen.scree.total(),
    });
    Ok((object.to_string(), notes_as_python(&chosen.notes, true)))
}

/// The rows as the model describes them: arrays by name, and the limits of T² and Q as JSON.
#[pyfunction]
pub(crate) fn pca_row_facts<'py>(
    py: Python<'py>,
    model: &Model,
    rows: &Rows,
    n_components: Option<usize>,
    level: f64,
    means: Means,
) -> PyResult<(Bound<'py, PyDict>, String)> {
    let pca = model.pca()?;
    let row_options = RowOptions {
        n_components,
        n_scores: None,
    };
    let facts = run(py, means, rows.operations(pca.n_components()), |ctx| {
        let facts = on_source!(rows, source => row_facts(ctx, pca, source, None, &row_options))?;
        let limits = Limits::from_pca(pca, facts.n_components, level, Some(&facts))?;
        Ok((facts, limits))
    })?;
    let (facts, limits) = facts.map_err(|error| rows.raised(py, error))?;
    let arrays = PyDict::new(py);
    arrays.set_item("cos2", facts.cos2().into_array(py)?)?;
    arrays.set_item("contributions", facts.contributions(pca).into_array(py)?)?;
    arrays.set_item("scores", facts.scores.into_array(py)?)?;
    arrays.set_item("squared_distances", facts.squared_distances.into_array(py)?)?;
    arrays.set_item("t2", facts.t2.into_array(py)?)?;
    arrays.set_item("q", facts.q.into_array(py)?)?;
    Ok((arrays, json!(limits).to_string()))
}

/// The residuals of the rows after the first components, in the units of the data.
#[pyfunction]
pub(crate) fn pca_residual_rows<'py>(
    py: Python<'py>,
    model: &Model,
    rows: &Rows,
    n_components: usize,
    means: Means,
) -> Array<'py> {
    let pca = model.pca()?;
    let left = run(
        py,
        means,
        rows.operations(pca.n_components()),
        |ctx| on_source!(rows, source => residual_rows(ctx, pca, source, None, n_components)),
    )?;
    let left = left.map_err(|error| rows.raised(py, error));
    left?.into_array(py)
}

/// Supplementary columns compared with the components, as JSON: numbers, NaN where a number is missing, and groups.
#[pyfunction]
pub(crate) fn pca_supplementary(
    py: Python<'_>,
    model: &Model,
    rows: &Rows,
    numbers: Vec<(String, Vec<f64>)>,
    groups: Vec<(String, Vec<Option<String>>)>,
    means: Means,
) -> PyResult<String> {
    let pca = model.pca()?;
    let numeric = numbers.into_iter();
    let categories = groups.iter().map(|(name, labels)| {
        CategoryColumn::new(name.clone(), labels.iter().map(Option::as_deref))
    });
    let beside = Supplementary {
        numeric: numeric
            .map(|(name, values)| NumericColumn { name, values })
            .collect(),
        categories: categories.collect(),
    };
    let facts = run(
        py,
        means,
        UNKNOWN,
        |ctx| on_source!(rows, source => supplementary(ctx, pca, source, &beside)),
    )?;
    let facts = facts.map_err(|error| rows.raised(py, error))?;
    Ok(json!(facts).to_string())
}

/// KMO and Bartlett's test for the columns, as JSON, with the columns that vary.
#[pyfunction]
pub(crate) fn pca_adequacy(
    py: Python<'_>,
    model: &Model,
    rows: &Rows,
    means: Means,
) -> PyResult<String> {
    let pca = model.pca()?;
    let found = run(py, means, UNKNOWN, |ctx| {
        let found = on_source!(rows, source => correlation(ctx, pca, source))?;
        Ok((adequacy(&found)?, found.columns))
    })?;
    let (adequacy, columns) = found.map_err(|error: Error| rows.raised(py, error))?;
    Ok(json!({ "adequacy": adequacy, "columns": columns }).to_string())
}

/// The bootstrap of a PCA, as JSON. `options` is the JSON of the bootstrap's options.
#[pyfunction]
pub(crate) fn pca_bootstrap(
    py: Python<'_>,
    model: &Model,
    options: &str,
    rows: &Rows,
    means: Means,
) -> PyResult<String> {
    let pca = model.pca()?;
    let options: BootstrapOptions = options_from_json(options)?;
    let sure = run(
        py,
        means,
        UNKNOWN,
        |ctx| on_source!(rows, source => options.run(ctx, pca, source)),
    )?;
    let sure = sure.map_err(|error| rows.raised(py, error))?;
    Ok(json!(sure).to_string())
}

/// The first components, rotated: the result as JSON, and notes. `parameter` is promax's power or oblimin's gamma.
#[pyfunction]
pub(crate) fn pca_rotate(
    py: Python<'_>,
    model: &Model,
    rotation: &str,
    parameter: Option<f64>,
    n_components: usize,
    kaiser: bool,
) -> PyResult<(String, Vec<PythonNote>)> {
    let pca = model.pca()?;
    let rotation = match (rotation.parse().map_err(raised)?, parameter) {
        (Rotation::Promax { .. }, Some(kappa)) => Rotation::Promax { kappa },
        (Rotation::Oblimin { .. }, Some(gamma)) => Rotation::Oblimin { gamma },
        (rotation, _) => rotation,
    };
    let options = RotateOptions {
        rotation,
        kaiser,
        ..RotateOptions::default()
    };
    // Loadings do not use the variances, so any values will do.
    let any = vec![1.0; pca.n_cols()];
    let rotated = py.detach(|| {
        let columns = Columns::leading(pca, n_components, Some(&any))?;
        options.rotate(&columns.loadings)
    });
    let rotated = rotated.map_err(raised)?;
    let notes = notes_as_python(&rotated.notes, true);
    Ok((json!(rotated).to_string(), notes))
}
