//! The map of a model that was just fitted, measured against the rows it was fitted to, and how far a map tears each of them from its
//! neighbors.
//!
//! All rows are judged up to 10,000, and a sample of 5,000 of more; all pairs up to 500,000, and as many random ones of more. So the cost
//! is at most that of 4·10⁴ n d operations, whatever the number of rows.

use super::classes::of_neighbors;
use super::neighborhoods::Pair;
use super::{Association, MapOptions, PairOptions, Table};
use crate::context::Context;
use crate::error::Error;
use crate::graph::{Metric, MetricRows};
use crate::mat::Mat;
use crate::method::{Fitted, MapMeasures, MapOf};
use crate::on_numbers;
use crate::prepare::{Missing, read_all};
use crate::source::{Dense, Numbers, Passes};

/// Neighbors of each row, where there are enough rows.
const NEIGHBORS: usize = 10;
/// Tables up to this length are judged by all rows, longer ones by a sample of this many.
const ALL: usize = 10_000;
const SAMPLE: usize = 5_000;
/// Pairs that are compared.
const PAIRS: usize = 500_000;

/// Measures the map of a model that was just fitted to these rows, and keeps the numbers in the model; does nothing where the method
/// makes no map of its rows.
///
/// `labels` are the classes of the rows. Nothing is kept where the numbers do not exist (fewer than 3 rows, rows that have no direction),
/// would take more memory than is allowed, or where rows can be read only once.
pub fn measure_map(
    ctx: &Context,
    fitted: &mut dyn Fitted,
    rows: Numbers<'_>,
    labels: Option<&[String]>,
) -> Result<(), Error> {
    let once = on_numbers!(rows, source => source.passes()) == Passes::Once;
    if fitted.map_measures_mut().is_none() || once || rows.n_rows().is_none() {
        return Ok(());
    }
    let map = fitted.embedded(ctx, rows)?;
    let found = measures_of(ctx, fitted, rows, &map, labels)?;
    if let Some(kept) = fitted.map_measures_mut() {
        *kept = found;
    }
    Ok(())
}

/// How good a map of these rows is, one row of coordinates for each; NaN for rows that it leaves out. Distances in the table are those that
/// the model's own coordinates are to keep. Nothing where the numbers do not exist, as for [`measure_map`].
pub fn measures_of(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    map: &Mat<f64>,
    labels: Option<&[String]>,
) -> Result<Option<MapMeasures>, Error> {
    match measured(ctx, fitted, rows, map, labels) {
        Err(Error::Memory { .. } | Error::NotFinite { .. } | Error::Neighbors(_)) => Ok(None),
        found => found,
    }
}

fn measured(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    map: &Mat<f64>,
    labels: Option<&[String]>,
) -> Result<Option<MapMeasures>, Error> {
    ctx.begin("how good the map is", None);
    let Some((pair, placed)) = compared(ctx, fitted, rows, map, Some(ALL))? else {
        return Ok(None);
    };
    let n = placed.len();
    let (found, near) = pair.judge(ctx)?;
    let distances = PairOptions {
        n_pairs: PAIRS,
        ..PairOptions::default()
    }
    .between(ctx, pair.table(), pair.map())?;
    let normalized_stress = distances.normalized_stress(true).ok();
    if normalized_stress.is_none() {
        // All rows are equal: none is nearer than another.
        return Ok(None);
    }
    let labels = labels.filter(|labels| labels.len() == map.n_rows());
    let labels = labels
        .map(|labels| -> Vec<String> { placed.iter().map(|&row| labels[row].clone()).collect() });
    let k = neighbors_of(n);
    Ok(Some(MapMeasures {
        n_neighbors: k,
        n_rows: n,
        trustworthiness: found.trustworthiness.estimate,
        continuity: found.continuity.estimate,
        recall: found.recall.estimate,
        shepard_correlation: distances.shepard_correlation(Association::Spearman).ok(),
        normalized_stress,
        label_accuracy: labels
            .and_then(|labels| of_neighbors(&labels, &near, pair.some(), k))
            .map(|right| super::MapEstimate::from_sample(&right, n)),
    }))
}

/// How far a map (one row of coordinates for each row) tears each row from its nearest neighbors in the table: 1 − continuity of the row,
/// 0 where all of them are near in the map, 1 where all of them are as far as can be. NaN for rows without coordinates.
///
/// Distances in the table are those that the model's own coordinates are to keep; `None` where these are not known, and where fewer than
/// 3 rows have coordinates.
pub fn torn(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    map: &Mat<f64>,
) -> Result<Option<Vec<f64>>, Error> {
    let Some((pair, placed)) = compared(ctx, fitted, rows, map, None)? else {
        return Ok(None);
    };
    let mut of_rows = vec![f64::NAN; map.n_rows()];
    for (row, kept) in placed.into_iter().zip(pair.continuity_of_rows(ctx)?) {
        of_rows[row] = (1.0 - kept).max(0.0);
    }
    Ok(Some(of_rows))
}

/// The neighbors that so many rows are judged by.
fn neighbors_of(n_rows: usize) -> usize {
    NEIGHBORS.min(n_rows.saturating_sub(1) / 2)
}

/// The rows that have coordinates beside their map, and the numbers of these rows.
fn compared(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    map: &Mat<f64>,
    all: Option<usize>,
) -> Result<Option<(Pair, Vec<usize>)>, Error> {
    let placed: Vec<usize> = (0..map.n_rows())
        .filter(|&i| map.row(i).iter().all(|x| x.is_finite()))
        .collect();
    let n = placed.len();
    if n < 3 || rows.n_rows().is_some_and(|count| count != map.n_rows()) {
        return Ok(None);
    }
    let table = match fitted.map_of() {
        MapOf::Unknown => return Ok(None),
        MapOf::Distances if n < map.n_rows() => return Ok(None),
        MapOf::Distances => Table::Given(distances(ctx, rows)?),
        MapOf::Rows(metric) => Table::Rows(table(ctx, fitted, rows, (metric, &placed))?),
    };
    let map = Mat::from_fn(n, map.n_cols(), |i, j| map[(placed[i], j)]);
    let map = Dense::new(map.view());
    let map = MetricRows::read(ctx, Numbers::F64(&map), Metric::Euclidean, None)?;
    let sample = all.filter(|all| n > *all).map(|_| SAMPLE);
    let options = MapOptions {
        n_neighbors: neighbors_of(n),
        n_rows: Some(sample.unwrap_or(n)),
        ..MapOptions::default()
    };
    let pair = options.between(table, Table::Rows(map))?;
    pair.check()?;
    Ok(Some((pair, placed)))
}

/// The rows that have coordinates, prepared as the model prepares them.
fn table(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    (metric, placed): (Metric, &[usize]),
) -> Result<MetricRows, Error> {
    let common = fitted.common();
    let scale = common.preparation.and_then(|p| p.scale.as_deref());
    let is_whole = rows.n_rows() == Some(placed.len());
    let fills = common.missing == Missing::Mean;
    if is_whole && scale.is_none() && !fills {
        return MetricRows::read(ctx, rows, metric, None);
    }
    let (n, d) = (rows.n_rows().unwrap_or(placed.len()), rows.n_cols());
    let needed = 28 * (n as u64).saturating_mul(d as u64);
    if !ctx.affords(needed) {
        return Err(Error::Memory {
            what: "the rows beside their map".to_owned(),
            needed,
            allowed: ctx.allowed(),
        });
    }
    let (all, _) = on_numbers!(rows, source => read_all(ctx, source))?;
    let center = common.preparation.map(|p| p.center.as_slice());
    let cell = |i: usize, j: usize| {
        let x = match (all[(placed[i], j)], center) {
            (x, Some(center)) if fills && x.is_nan() => center[j],
            (x, _) => x,
        };
        scale.map_or(x, |scale| x / scale[j])
    };
    let some = Mat::from_fn(placed.len(), all.n_cols(), cell);
    let some = Dense::new(some.view());
    MetricRows::read(ctx, Numbers::F64(&some), metric, None)
}

/// A matrix of distances, made symmetric as a fit does it.
fn distances(ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error> {
    let (given, _) = on_numbers!(rows, source => read_all(ctx, source))?;
    let mean = |i: usize, j: usize| match i == j {
        true => 0.0,
        false => 0.5 * (given[(i, j)] + given[(j, i)]),
    };
    Ok(Mat::from_fn(given.n_rows(), given.n_rows(), mean))
}
