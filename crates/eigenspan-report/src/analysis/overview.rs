//! The overview of a fitted model of any method as data: which parts it has depends on the model's capabilities and on the available rows.
//!
//! A model alone has a spectrum, perhaps directions in column space, and perhaps its training rows. New rows have coordinates. Rows that
//! were just fitted can be fitted again: halves of them, and all but some held-out rows. On many rows, expensive parts use a seeded
//! sample, and a note says so.

use std::collections::{BTreeMap, BTreeSet};

use eigenspan::evaluate::{Halves, HalvesOptions, HeldOut, HeldOutOptions, measures_of};
use eigenspan::interpret::Columns;
use eigenspan::method::{Fitted, MapMeasures, Method, Training};
use eigenspan::solve::Keep;
use eigenspan::source::{Numbers, RowSet};
use eigenspan::{Context, Error, Mat, Note, PcaOptions};
use eigenspan_io::ReadOptions;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Color, MAX_AXES, MAX_ROWS, Values, beside, ok_or_note};
use crate::describe::{self, Description};
use crate::subject::{OpenRows, is_small};
use crate::{JobError, fit, pca};

/// The results of an overview.
#[derive(Debug, Default)]
pub struct Overview {
    /// A description of each column of the available rows.
    pub description: Option<Description>,
    /// Notes on how those rows were read.
    pub read: ReadOptions,
    /// The available rows and their coordinates.
    pub rows: Option<PlacedRows>,
    /// Loadings and correlations of the columns, for methods whose components are directions in columns with known variances.
    pub columns: Option<Columns>,
    /// How similar models of halves of the rows are to this model.
    pub halves: Option<Halves>,
    /// The share of held-out rows that the components keep.
    pub held_out: Option<HeldOut>,
    /// Why the models of halves and the held-out rows are missing, although the rows were just fitted.
    pub not_refitted: Option<&'static str>,
    /// How good the map of the first two components is.
    pub map: Option<MapMeasures>,
    /// A PCA of the same rows, to compare with a nonlinear method.
    pub linear: Option<Linear>,
    /// Seed of samples and splits.
    pub seed: u64,
    /// What could not be computed, and why.
    pub notes: Vec<Note>,
}

/// Rows with their coordinates.
#[derive(Debug)]
pub struct PlacedRows {
    /// Which rows these are.
    pub which: WhichRows,
    /// The number of rows before sampling.
    pub n_rows: usize,
    /// Numbers of the rows shown, from 0.
    pub shown: Vec<usize>,
    /// Coordinates of the rows shown on the first components; NaN if a row has no coordinates.
    pub scores: Mat<f64>,
    /// Names of the rows shown.
    pub names: Option<Vec<String>>,
    /// Columns by which the rows can be colored.
    pub colors: Vec<Color>,
}

impl PlacedRows {
    /// For every component shown the share of its variance that lies between the classes that color the map (η²); none without classes.
    fn between_classes(&self) -> Option<Vec<f64>> {
        let codes = self.colors.iter().find_map(|color| match &color.values {
            Values::Levels { codes, .. } => Some(codes),
            Values::Numbers(_) => None,
        })?;
        let share = |c: usize| {
            let known = self.scores.col(c).into_iter().zip(codes);
            let known: Vec<(f64, Option<usize>)> = known
                .map(|(x, code)| (x, *code))
                .filter(|(x, _)| x.is_finite())
                .collect();
            let mean_of = |class: Option<Option<usize>>| {
                let all = known
                    .iter()
                    .filter(|(_, code)| class.is_none_or(|c| c == *code));
                let (n, sum) = all.fold((0.0, 0.0), |(n, sum), (x, _)| (n + 1.0, sum + x));
                sum / f64::max(n, 1.0)
            };
            let mean = mean_of(None);
            let classes: BTreeSet<Option<usize>> = known.iter().map(|(_, code)| *code).collect();
            let means: BTreeMap<Option<usize>, f64> = classes
                .into_iter()
                .map(|class| (class, mean_of(Some(class))))
                .collect();
            let square = |x: f64| (x - mean) * (x - mean);
            let total: f64 = known.iter().map(|(x, _)| square(*x)).sum();
            let between: f64 = known.iter().map(|(_, code)| square(means[code])).sum();
            if total > 0.0 { between / total } else { 0.0 }
        };
        Some((0..self.scores.n_cols()).map(share).collect())
    }
}

/// Which rows a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhichRows {
    /// Rows that were just fitted.
    Fitted,
    /// Training rows that are stored in the model file.
    InModel,
    /// New rows, given together with a model.
    New,
}

/// A PCA of the same rows with the same number of components, or with as many as there are columns if those are fewer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Linear {
    /// The number of its components.
    pub n_components: usize,
    /// The share of the columns' variance that its components keep.
    pub share: f64,
    /// The share of held-out rows that such a PCA keeps.
    pub held_out: Option<HeldOut>,
}

/// At most this many numeric columns color the points.
const MOST_COLORING: usize = 12;

impl Overview {
    /// The overview of a model that was just fitted to the rows of a table, with the rows' coordinates.
    pub fn from_fit(
        ctx: &Context,
        (method, fitted): (&dyn Method, &dyn Fitted),
        (rows, scores): (&OpenRows, &Mat<f64>),
    ) -> Result<Self, JobError> {
        let seed = method.seed();
        let description = describe::describe_rows(ctx, rows)?;
        let placed = placed(ctx, rows, &description, scores, (WhichRows::Fitted, seed))?;
        let mut overview = Overview {
            rows: Some(placed),
            description: Some(description),
            read: rows.read.clone(),
            columns: pca::columns_of(fitted, MAX_AXES),
            map: map_of(ctx, fitted, rows, scores)?,
            seed,
            ..Overview::default()
        };
        let labels = fit::labels(rows, method)?;
        let training = Training {
            rows: rows.numbers(ctx),
            labels: labels.as_deref(),
        };
        let refitted = overview.refit(ctx, method, fitted, &training);
        refitted.map_err(|error| rows.named(error))?;
        Ok(overview)
    }

    /// The overview of a model from a file, alone or with new rows and their coordinates.
    pub fn from_model(
        ctx: &Context,
        fitted: &dyn Fitted,
        rows: Option<(&OpenRows, &Mat<f64>)>,
    ) -> Result<Self, JobError> {
        let read = rows.map(|(rows, _)| rows.read.clone());
        let read = read.unwrap_or_default();
        let seed = read.seed;
        let mut overview = Overview {
            columns: pca::columns_of(fitted, MAX_AXES),
            map: own_map(fitted),
            read,
            seed,
            ..Overview::default()
        };
        if let Some((rows, scores)) = rows {
            let description = describe::describe_rows(ctx, rows)?;
            let placed = placed(ctx, rows, &description, scores, (WhichRows::New, seed))?;
            (overview.rows, overview.description) = (Some(placed), Some(description));
            return Ok(overview);
        }
        let scores = fitted.training_scores(ctx);
        let scores = ok_or_note(scores, "scores of the training rows", &mut overview.notes);
        let scores = scores.map_err(|error| JobError::core(fitted.short_name(), error))?;
        overview.rows = scores.flatten().map(|scores| {
            let shown = shown(scores.n_rows(), seed);
            PlacedRows {
                which: WhichRows::InModel,
                n_rows: scores.n_rows(),
                scores: at(&scores, &shown),
                shown,
                names: None,
                colors: Vec::new(),
            }
        });
        Ok(overview)
    }

    /// Fits models of halves of the rows, models without held-out rows and, for a nonlinear method, a PCA.
    fn refit(
        &mut self,
        ctx: &Context,
        method: &dyn Method,
        fitted: &dyn Fitted,
        training: &Training<'_>,
    ) -> Result<(), Error> {
        let varies = fitted.spectrum().is_none_or(|s| s.total_variance() > 0.0);
        let few = training.rows.n_rows().is_none_or(|n| n < FEW_ROWS);
        self.not_refitted = match (method.fits_some_rows(), few) {
            _ if !varies => return Ok(()),
            _ if fitted.projection().is_none() => {
                Some("the method has coordinates only for the rows that it was fitted to")
            }
            (false, _) => Some(
                "a kernel matrix has a column for each of its rows, so that some of the rows cannot be fitted without the others",
            ),
            (true, true) => Some("there are fewer than 10 rows"),
            (true, false) => None,
        };
        let seed = self.seed;
        let halves = HalvesOptions {
            seed,
            ..Default::default()
        };
        let halves = halves.run(ctx, method, fitted, training);
        self.halves =
            ok_or_note(halves, "models of halves of the rows", &mut self.notes)?.flatten();
        let k = fitted.common().n_components;
        let options = HeldOutOptions {
            seed,
            ..Default::default()
        };
        let held_out = options.run(ctx, method, training, k);
        self.held_out = ok_or_note(held_out, "what new rows keep", &mut self.notes)?.flatten();
        let linear = linear(ctx, (method, fitted), training.rows, &options);
        self.linear = ok_or_note(linear, "a PCA of the same rows", &mut self.notes)?.flatten();
        Ok(())
    }

    /// The overview as one JSON object; the fit is a separate object beside it. Rows are counted from 1.
    pub fn json(&self, fitted: &dyn Fitted) -> Value {
        let rows = self.rows.as_ref().map(|rows| {
            json!({
                "which": rows.which,
                "n_rows": rows.n_rows,
                "row": rows.shown.iter().map(|i| i + 1).collect::<Vec<_>>(),
                "name": rows.names,
                "scores": (0..rows.scores.n_cols()).map(|c| rows.scores.col(c)).collect::<Vec<_>>(),
                "between_classes": rows.between_classes(),
            })
        });
        let plan = fitted.common().plan;
        let spectrum = fitted.spectrum();
        json!({
            "rows_shown": rows,
            "count_for_90_percent": spectrum.and_then(|s| s.count_for_share(crate::summary::RULE)),
            "halves": self.halves,
            "held_out": self.held_out,
            "not_refitted": self.not_refitted,
            "map": self.map,
            "pca": self.linear,
            "correlations": self.columns.as_ref().map(|columns| {
                let correlations = &columns.correlations;
                (0..correlations.n_cols()).map(|c| correlations.col(c)).collect::<Vec<_>>()
            }),
            "columns": self.description.as_ref().map(|d| &d.columns),
            "warnings": self.description.as_ref().map(|d| &d.warnings),
            "options": fitted.options().unwrap_or_default(),
            "cost": { "passes": plan.passes, "bytes": plan.bytes, "flops": plan.flops },
            "seed": self.seed,
            "notes": self.notes,
        })
    }
}

/// What a model knows of its map, where that is the map that is drawn.
fn own_map(fitted: &dyn Fitted) -> Option<MapMeasures> {
    let measures = fitted.map_measures().cloned();
    measures.filter(|_| fitted.common().n_components <= 2)
}

/// How good the map of the first two components is: measured here where the model does not know it and reading the rows again is cheap.
fn map_of(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: &OpenRows,
    scores: &Mat<f64>,
) -> Result<Option<MapMeasures>, JobError> {
    let known = own_map(fitted);
    // Other coordinates, such as probabilities, make no map.
    let is_map = fitted.embedding().is_some() || fitted.directions().is_some();
    if known.is_some() || !is_map || !is_small(&rows.table) {
        return Ok(known);
    }
    let k = scores.n_cols().min(2);
    let plane = Mat::from_fn(scores.n_rows(), k, |i, j| scores[(i, j)]);
    let labels = fit::all_labels(rows)?;
    let measured = measures_of(ctx, fitted, rows.numbers(ctx), &plane, labels.as_deref());
    measured.map_err(|error| rows.named(error))
}

/// With fewer rows than this, no model is fitted to a part of them.
const FEW_ROWS: usize = 10;

/// A PCA of the rows that a method was fitted to, if the method is to be compared with one.
fn linear(
    ctx: &Context,
    (method, fitted): (&dyn Method, &dyn Fitted),
    rows: Numbers<'_>,
    held_out: &HeldOutOptions,
) -> Result<Option<Linear>, Error> {
    let Some(options) = method.pca_to_compare() else {
        return Ok(None);
    };
    let common = fitted.common();
    let possible = rows.n_cols().min(common.n_rows - 1);
    let k = common.n_components.min(possible);
    let options = PcaOptions {
        n_components: Keep::Count(k),
        ..options
    };
    let training = Training::new(rows);
    let pca = Method::fit(&options, &ctx.without_progress(), &training)?;
    let share = pca.spectrum().map(|spectrum| spectrum.total_share());
    let held_out = held_out.run(ctx, &options, &training, k)?;
    Ok(share.map(|share| Linear {
        n_components: k,
        share,
        held_out,
    }))
}

/// The rows that a page shows.
fn shown(n_rows: usize, seed: u64) -> Vec<usize> {
    let some = RowSet::sample(n_rows, MAX_ROWS, seed);
    (0..some.len()).filter_map(|i| some.get(i)).collect()
}

/// Coordinates of the given rows on the first components.
fn at(scores: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    let k = scores.n_cols().min(MAX_AXES);
    Mat::from_fn(rows.len(), k, |i, j| scores[(rows[i], j)])
}

/// The rows of a table, with their names and the columns that color them.
fn placed(
    ctx: &Context,
    rows: &OpenRows,
    description: &Description,
    scores: &Mat<f64>,
    (which, seed): (WhichRows, u64),
) -> Result<PlacedRows, JobError> {
    let table = &*rows.table;
    let shown = shown(scores.n_rows(), seed);
    let id = table.id().map(|id| id.name.as_str());
    let names = id
        .map(|id| beside::texts_at(table, id, &shown))
        .transpose()?;
    let first: Vec<usize> = (0..table.columns().len().min(MOST_COLORING)).collect();
    Ok(PlacedRows {
        which,
        n_rows: scores.n_rows(),
        names,
        colors: beside::colors(ctx, rows, description, &first, &shown)?,
        scores: at(scores, &shown),
        shown,
    })
}
