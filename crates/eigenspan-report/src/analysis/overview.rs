//! What there is to say about a model of any method, as data: by the capabilities that it has, with the rows that are at hand.
//!
//! A model alone has its spectrum, its directions in the columns and, where it holds them, its training rows. New rows have coordinates.
//! Rows just fitted can be fitted again: halves of them, and all but those held out. What takes too long on many rows looks at a seeded
//! sample, and says so.

use std::collections::{BTreeMap, BTreeSet};

use eigenspan::evaluate::{Halves, HalvesOptions, HeldOut, HeldOutOptions};
use eigenspan::interpret::Columns;
use eigenspan::method::{Fitted, Method, MethodOptions, Training};
use eigenspan::solve::Keep;
use eigenspan::source::{Numbers, RowSet};
use eigenspan::{Context, Error, KernelPca, Mat, Note, Pca, PcaOptions};
use eigenspan_io::ReadOptions;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Color, MAX_AXES, MAX_ROWS, Values, beside, told};
use crate::JobError;
use crate::describe::{self, Description};
use crate::subject::OpenRows;

/// What there is to say.
#[derive(Debug, Default)]
pub struct Overview {
    /// The columns of the rows at hand, one by one.
    pub description: Option<Description>,
    /// How those rows were read.
    pub read: ReadOptions,
    /// The rows at hand and where they lie.
    pub rows: Option<PlacedRows>,
    /// Columns against components, where components are directions in columns whose variances are known.
    pub columns: Option<Columns>,
    /// How alike models of halves of the rows are to this one.
    pub halves: Option<Halves>,
    /// What the components keep of rows that were not fitted.
    pub held_out: Option<HeldOut>,
    /// Why there are no halves and no rows held out, where rows were fitted just now.
    pub not_refitted: Option<&'static str>,
    /// What PCA makes of the same rows, beside a method that is not linear.
    pub linear: Option<Linear>,
    /// Seed of samples and draws.
    pub seed: u64,
    /// What could not be said, and why.
    pub notes: Vec<Note>,
}

/// Rows by their coordinates.
#[derive(Debug)]
pub struct PlacedRows {
    /// Which rows they are.
    pub which: WhichRows,
    /// Rows there are.
    pub n_rows: usize,
    /// Numbers of those shown, from 0.
    pub shown: Vec<usize>,
    /// Coordinates of those shown on the first components; NaN where a row has none.
    pub scores: Mat<f64>,
    /// Their names.
    pub names: Option<Vec<String>>,
    /// Columns by which they can be colored.
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
    /// Those that were fitted just now.
    Fitted,
    /// Training rows that the model file holds.
    InModel,
    /// Rows that were brought to a model.
    New,
}

/// A PCA of the same rows with as many components, or as many as there are columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Linear {
    /// Its components.
    pub n_components: usize,
    /// The share of the columns' variance that they keep.
    pub share: f64,
    /// What such a PCA keeps of rows that were not fitted.
    pub held_out: Option<HeldOut>,
}

/// Numeric columns that color, at most.
const MOST_COLORING: usize = 12;

impl Overview {
    /// Of the rows of a table that were fitted just now, with their coordinates.
    pub fn of_fit(
        ctx: &Context,
        (method, fitted): (&dyn Method, &dyn Fitted),
        (rows, scores): (&OpenRows, &Mat<f64>),
    ) -> Result<Self, JobError> {
        let seed = method.seed();
        let description = describe::of_rows(ctx, rows)?;
        let placed = placed(ctx, rows, &description, scores, (WhichRows::Fitted, seed))?;
        let mut overview = Overview {
            rows: Some(placed),
            description: Some(description),
            read: rows.read.clone(),
            columns: columns(fitted),
            seed,
            ..Overview::default()
        };
        let refitted = overview.refit(ctx, method, fitted, rows.numbers(ctx));
        refitted.map_err(|error| rows.named(error))?;
        Ok(overview)
    }

    /// Of a model from a file, and of the rows of a table that were brought to it, with their coordinates.
    pub fn of_model(
        ctx: &Context,
        fitted: &dyn Fitted,
        rows: Option<(&OpenRows, &Mat<f64>)>,
    ) -> Result<Self, JobError> {
        let read = rows.map(|(rows, _)| rows.read.clone());
        let read = read.unwrap_or_default();
        let seed = read.seed;
        let mut overview = Overview {
            columns: columns(fitted),
            read,
            seed,
            ..Overview::default()
        };
        if let Some((rows, scores)) = rows {
            let description = describe::of_rows(ctx, rows)?;
            let placed = placed(ctx, rows, &description, scores, (WhichRows::New, seed))?;
            (overview.rows, overview.description) = (Some(placed), Some(description));
            return Ok(overview);
        }
        let scores = fitted.training_scores(ctx);
        let scores = told(scores, "scores of the training rows", &mut overview.notes);
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

    /// Fits halves, all but some rows, and PCA beside a method that is not linear.
    fn refit(
        &mut self,
        ctx: &Context,
        method: &dyn Method,
        fitted: &dyn Fitted,
        rows: Numbers<'_>,
    ) -> Result<(), Error> {
        let varies = fitted.spectrum().is_none_or(|s| s.total_variance() > 0.0);
        let few = rows.n_rows().is_none_or(|n| n < FEW_ROWS);
        self.not_refitted = match (method.fits_some_rows(), few) {
            _ if !varies => return Ok(()),
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
        let halves = halves.run(ctx, method, fitted, rows);
        self.halves = told(halves, "models of halves of the rows", &mut self.notes)?.flatten();
        let k = fitted.common().n_components;
        let options = HeldOutOptions {
            seed,
            ..Default::default()
        };
        let held_out = options.run(ctx, method, rows, k);
        self.held_out = told(held_out, "what new rows keep", &mut self.notes)?.flatten();
        let linear = linear(ctx, fitted, rows, &options);
        self.linear = told(linear, "a PCA of the same rows", &mut self.notes)?.flatten();
        Ok(())
    }

    /// Everything as one object; the fit itself stands beside it. Rows are counted from 1.
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

/// Rows below which no model of some of them is fitted.
const FEW_ROWS: usize = 10;

/// Columns against components; known where components are directions in columns whose variances the model knows.
fn columns(fitted: &dyn Fitted) -> Option<Columns> {
    let pca = fitted.downcast::<Pca>()?;
    Columns::leading(pca, pca.n_components().min(MAX_AXES), None).ok()
}

/// What PCA makes of the rows that a kernel PCA was fitted to, scaled alike.
fn linear(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    held_out: &HeldOutOptions,
) -> Result<Option<Linear>, Error> {
    let Some(kernel) = fitted.downcast::<KernelPca>() else {
        return Ok(None);
    };
    let asked = &kernel.parts().options;
    if !MethodOptions::fits_some_rows(asked) {
        return Ok(None);
    }
    let possible = rows.n_cols().min(kernel.n_rows() - 1);
    let k = kernel.n_components().min(possible);
    let options = PcaOptions {
        n_components: Keep::Count(k),
        scale: asked.scale,
        missing: asked.missing,
        ..Default::default()
    };
    let pca = Method::fit(&options, &ctx.without_progress(), &Training::new(rows))?;
    let share = pca.spectrum().map(|spectrum| spectrum.total_share());
    let held_out = held_out.run(ctx, &options, rows, k)?;
    Ok(share.map(|share| Linear {
        n_components: k,
        share,
        held_out,
    }))
}

/// Rows that a page shows.
fn shown(n_rows: usize, seed: u64) -> Vec<usize> {
    let some = RowSet::sample(n_rows, MAX_ROWS, seed);
    (0..some.len()).filter_map(|i| some.get(i)).collect()
}

/// Coordinates of some rows on the first components.
fn at(scores: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    let k = scores.n_cols().min(MAX_AXES);
    Mat::from_fn(rows.len(), k, |i, j| scores[(rows[i], j)])
}

/// The rows of a table, with their names and what colors them.
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
