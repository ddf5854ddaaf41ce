//! Neighbors of rows of Python, and how good maps of them are.

use eigenspan::evaluate::{Association, MapOptions, PairOptions};
use eigenspan::graph::{FittedRows, NeighborOptions, Neighbors};
use eigenspan::{Error, Mat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::array::IntoArray;
use crate::method::options_from_json;
use crate::rows::Rows;
use crate::run::{Means, UNKNOWN, run};

/// Rows among which neighbors are looked for.
#[pyclass(frozen, module = "eigenspan._core")]
pub(crate) struct NeighborSearch(FittedRows);

/// Arrays of Python: neighbors and distances.
type Arrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The neighbors, as floats, which hold every number of a row, and the distances.
fn arrays(py: Python<'_>, found: Neighbors) -> PyResult<Arrays<'_>> {
    let (n, k) = (found.n_rows(), found.n_neighbors());
    let (indices, distances) = found.into_parts();
    let indices: Vec<f64> = indices.into_iter().map(f64::from).collect();
    let table = |cells| Mat::from_vec(n, k, cells).map_err(crate::error::raised);
    Ok((
        table(indices)?.into_array(py)?,
        table(distances)?.into_array(py)?,
    ))
}

#[pymethods]
impl NeighborSearch {
    /// Reads rows; `options` is the JSON of the options.
    #[staticmethod]
    fn fit(py: Python<'_>, options: &str, rows: &Rows, means: Means) -> PyResult<Self> {
        let options: NeighborOptions = options_from_json(options)?;
        let ready = run(py, means, UNKNOWN, |ctx| {
            rows.with_numbers(|numbers| options.prepare(ctx, numbers))
        })?;
        Ok(NeighborSearch(
            ready.map_err(|error| rows.raised(py, error))?,
        ))
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }

    /// The k nearest other rows of every row, their distances, and the recall as JSON where the search was approximate; `rows` are
    /// the rows of the fit, for errors.
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        k: usize,
        rows: &Rows,
        means: Means,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Option<String>)> {
        let found = run(py, means, UNKNOWN, |ctx| self.0.neighbors_with(ctx, k))?;
        let found = found.map_err(|error| rows.raised(py, error))?;
        let recall = found.recall().map(|recall| json!(recall).to_string());
        let (indices, distances) = arrays(py, found)?;
        Ok((indices, distances, recall))
    }

    /// The k nearest rows of new rows, and their distances.
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        k: usize,
        means: Means,
    ) -> PyResult<Arrays<'py>> {
        let found = run(py, means, UNKNOWN, |ctx| {
            rows.with_numbers(|numbers| self.0.nearest_to(ctx, numbers, k))
        })?;
        arrays(py, found.map_err(|error| rows.raised(py, error))?)
    }
}

fn no_measure(name: &str) -> PyErr {
    PyValueError::new_err(format!("no measure of a map is called `{name}`"))
}

/// Trustworthiness, continuity or recall of a map: the estimate as JSON, the values of single rows, and which rows those are, if not
/// all.
#[pyfunction]
pub(crate) fn map_quality<'py>(
    py: Python<'py>,
    measure: &str,
    options: &str,
    rows: &Rows,
    map: &Rows,
    means: Means,
) -> PyResult<(String, Bound<'py, PyAny>, Option<Vec<usize>>)> {
    let options: MapOptions = options_from_json(options)?;
    let judge = match measure {
        "trustworthiness" => MapOptions::trustworthiness,
        "continuity" => MapOptions::continuity,
        "recall" => MapOptions::recall,
        other => return Err(no_measure(other)),
    };
    let judged = run(py, means, UNKNOWN, |ctx| {
        rows.with_numbers(|table| map.with_numbers(|map| judge(&options, ctx, table, map)))
    })?;
    let judged = judged.map_err(|error| rows.raised(py, error))?;
    let estimate = json!(judged.estimate).to_string();
    Ok((estimate, judged.of_rows.into_array(py)?, judged.rows))
}

/// A Shepard correlation (`spearman`, `pearson`) or a stress (`stress`, `scaled-stress`), as JSON.
#[pyfunction]
pub(crate) fn map_pairs(
    py: Python<'_>,
    measure: &str,
    options: &str,
    rows: &Rows,
    map: &Rows,
    means: Means,
) -> PyResult<String> {
    let options: PairOptions = options_from_json(options)?;
    if !["spearman", "pearson", "stress", "scaled-stress"].contains(&measure) {
        return Err(no_measure(measure));
    }
    let estimate = run(py, means, UNKNOWN, |ctx| {
        rows.with_numbers(|table| {
            map.with_numbers(|map| match measure {
                "pearson" => options.shepard_correlation(ctx, table, map, Association::Pearson),
                "spearman" => options.shepard_correlation(ctx, table, map, Association::Spearman),
                measure => options.normalized_stress(ctx, table, map, measure == "scaled-stress"),
            })
        })
    })?;
    let estimate = estimate.map_err(|error: Error| rows.raised(py, error))?;
    Ok(json!(estimate).to_string())
}
