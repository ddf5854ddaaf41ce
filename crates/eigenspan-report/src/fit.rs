//! Fitting: a method and the rows of a subject become a model and a summary.

use std::sync::Arc;

use eigenspan::method::{Fitted, Method, Training};
use eigenspan::note::{Advice, Clause, Setting};
use eigenspan::prepare::Missing;
use eigenspan::solve::Plan;
use eigenspan::{Context, Error, Note, Pca};
use eigenspan_io::{MissingCells, Picture, ReadError, Table};

use crate::subject::{self, ExistingModel, Fitting, OpenRows, Rows, Subject};
use crate::summary::{Summary, ToldApart};
use crate::{JobError, pca};

/// The result of a fit.
#[derive(Debug)]
pub struct Fit<M: Fitted + ?Sized = dyn Fitted> {
    /// The data.
    pub rows: OpenRows,
    /// The model.
    pub fitted: Box<M>,
    /// The summary of the model.
    pub summary: Summary,
    /// Notes from reading and from fitting.
    pub notes: Vec<Note>,
}

impl Fit {
    /// The result of a fit whose model is a PCA: the report and most figures need one.
    pub(crate) fn into_pca(self) -> Result<Fit<Pca>, JobError> {
        let method = self.fitted.short_name();
        match self.fitted.into_downcast::<Pca>() {
            Ok(fitted) => Ok(Fit {
                rows: self.rows,
                fitted,
                summary: self.summary,
                notes: self.notes,
            }),
            Err(_) => Err(JobError::Usage {
                what: format!("this report needs a PCA, but the model is {method}"),
                advice: Advice::default(),
            }),
        }
    }
}

/// Fits the rows of a subject.
pub fn fit(ctx: &Context, subject: &Subject) -> Result<Fit, JobError> {
    let (rows, fitting) = subject.rows_to_fit()?;
    fit_rows(ctx, rows.open(ctx)?, fitting)
}

/// Fits open rows.
pub(crate) fn fit_rows(ctx: &Context, rows: OpenRows, fitting: &Fitting) -> Result<Fit, JobError> {
    let table = &*rows.table;
    let mut resolved = pca::resolve(table, &*fitting.method, fitting.explicit);
    let refuses = resolved.method.missing() == Missing::Error;
    let may_drop = fitting.first_look && !fitting.explicit.missing && refuses;
    if may_drop && table.missing().is_some() {
        resolved.drop_incomplete_rows();
    }
    refuse_missing(table, resolved.method.missing())?;
    table.fetch(ctx)?;
    let mut fitted = fit_open(ctx, &rows, &*resolved.method)?;
    // The cells of an array are not checked before they are used.
    if matches!(&fitted, Err(Error::NotFinite { nan, infinite: 0, .. }) if may_drop && *nan > 0) {
        resolved.drop_incomplete_rows();
        fitted = fit_open(ctx, &rows, &*resolved.method)?;
    }
    let dropped = may_drop && resolved.method.missing() == Missing::Drop;
    let fitted = fitted.map_err(|error| match (&error, table.missing()) {
        // Without the rows that have missing cells, too few rows are left: the error is about the missing cells.
        (Error::TooFewRows { .. }, Some(missing)) if dropped => missing_error(table, missing),
        _ => explain(ctx, &*resolved.method, &rows, error),
    })?;
    let (mut fitted, notes) = resolved.finish(ctx, &rows, fitted, dropped)?;
    measure_map(ctx, &rows, &mut *fitted)?;
    let summary = summarize(ctx, &rows, &*fitted)?;
    Ok(Fit {
        rows,
        fitted,
        summary,
        notes,
    })
}

/// Measures how good the map is and keeps the numbers in the model, for methods that make a map of their rows.
fn measure_map(ctx: &Context, rows: &OpenRows, fitted: &mut dyn Fitted) -> Result<(), JobError> {
    if fitted.map_measures_mut().is_none() {
        return Ok(());
    }
    let labels = all_labels(rows)?;
    let numbers = rows.numbers(ctx);
    let measured = eigenspan::evaluate::measure_map(ctx, fitted, numbers, labels.as_deref());
    measured.map_err(|error| rows.named(error))
}

/// The plan of a fit, without running it. Numbers are read only if the table is so small that a fit would keep it in memory.
pub fn plan(ctx: &Context, subject: &Subject) -> Result<(OpenRows, Plan, Vec<Note>), JobError> {
    let (rows, fitting) = subject.rows_to_fit()?;
    let rows = rows.open(ctx)?;
    let resolved = pca::resolve(&rows.table, &*fitting.method, fitting.explicit);
    match resolved.method.plan(ctx, rows.numbers(ctx)) {
        Ok(plan) => {
            let notes = rows.table.notes().iter().chain(&resolved.note).cloned();
            let notes = notes.collect();
            Ok((rows, plan, notes))
        }
        Err(error) => Err(explain(ctx, &*resolved.method, &rows, error)),
    }
}

/// Fits open rows without filling in options. The outer error is an error in reading labels.
pub(crate) fn fit_open(
    ctx: &Context,
    rows: &OpenRows,
    method: &dyn Method,
) -> Result<Result<Box<dyn Fitted>, Error>, JobError> {
    let labels = labels(rows, method)?;
    let training = Training {
        rows: rows.numbers(ctx),
        labels: labels.as_deref(),
    };
    Ok(method.fit(ctx, &training))
}

/// The class of every row, if the method learns from classes and the table has them.
pub(crate) fn labels(
    rows: &OpenRows,
    method: &dyn Method,
) -> Result<Option<Vec<String>>, JobError> {
    let table = &rows.table;
    let label = table.label().filter(|_| method.learns_from_labels());
    label.map(|label| labels_in(table, label)).transpose()
}

/// The class of every row, if the table has them, whether the method learns from classes or not.
pub(crate) fn all_labels(rows: &OpenRows) -> Result<Option<Vec<String>>, JobError> {
    let table = &rows.table;
    let label = table.label();
    label.map(|label| labels_in(table, label)).transpose()
}

/// The classes of a column; empty for a row whose class is missing.
fn labels_in(table: &Table, label: &str) -> Result<Vec<String>, JobError> {
    /// Words that tables have where nothing is known. `none` may be the name of a class.
    const MISSING: [&str; 8] = ["NA", "NaN", "nan", "NAN", "null", "NULL", "Null", "?"];
    let mut labels = table.texts(label)?;
    let missing = labels.iter_mut();
    let missing = missing.filter(|label| MISSING.contains(&label.trim()));
    missing.for_each(String::clear);
    Ok(labels)
}

/// A model together with rows: the rows it was just fitted to, or new rows.
#[derive(Debug)]
pub(crate) struct Modeled {
    pub(crate) fitted: Arc<dyn Fitted>,
    /// The names under which its columns are shown.
    pub(crate) columns: Vec<String>,
    /// The shape of the pictures, if the rows are pictures or patches of pictures.
    pub(crate) picture: Option<Picture>,
    pub(crate) rows: Option<OpenRows>,
    /// Whether the model was just fitted to these rows.
    pub(crate) is_new: bool,
    /// Notes from reading and from fitting.
    pub(crate) notes: Vec<Note>,
}

impl Modeled {
    /// From a fit that has just run.
    pub(crate) fn from_fit(fit: Fit) -> Self {
        Modeled {
            picture: fit.rows.table.picture(),
            columns: fit.fitted.column_names(),
            fitted: Arc::from(fit.fitted),
            rows: Some(fit.rows),
            is_new: true,
            notes: fit.notes,
        }
    }

    /// From an existing model, alone or with new rows.
    pub(crate) fn from_existing(
        ctx: &Context,
        model: ExistingModel,
        rows: Option<&Rows>,
    ) -> Result<Self, JobError> {
        let rows = rows.map(|rows| model.open(ctx, rows)).transpose()?;
        Ok(Modeled {
            columns: model.column_names(),
            notes: match &rows {
                Some(rows) => rows.table.notes().to_vec(),
                None => model.fitted.common().notes.to_vec(),
            },
            fitted: model.fitted,
            picture: model.picture,
            rows,
            is_new: false,
        })
    }
}

/// Refuses missing cells with their line and column, which only the reader knows.
pub(crate) fn refuse_missing(table: &Table, how: Missing) -> Result<(), JobError> {
    match table.missing() {
        Some(missing) if how == Missing::Error => Err(missing_error(table, missing)),
        _ => Ok(()),
    }
}

/// Refuses missing cells for a work that has no way to fill them; `work` names it.
pub(crate) fn refuse_any_missing(table: &Table, work: &str) -> Result<(), JobError> {
    match table.missing() {
        None => Ok(()),
        Some(missing) => Err(JobError::Usage {
            what: missing.error().to_string(),
            advice: [
                Clause::say(format!("{work} takes no missing cells")),
                Clause::name("exclude").then(" leaves columns out"),
            ]
            .into(),
        }),
    }
}

/// The error for missing cells; it includes the number of complete rows if counting them is cheap.
fn missing_error(table: &Table, missing: &MissingCells) -> JobError {
    let mut error = missing.error();
    let counted = subject::is_small(table).then(|| subject::count_missing(table, None));
    if let (ReadError::Missing { complete, .. }, Some(Ok((_, rows)))) = (&mut error, counted) {
        *complete = Some(table.n_rows().saturating_sub(rows));
    }
    error.into()
}

/// An error of the core with the best tip that the data allows.
pub(crate) fn explain(
    ctx: &Context,
    method: &dyn Method,
    rows: &OpenRows,
    error: Error,
) -> JobError {
    let table = &rows.table;
    let better: Option<Advice> = match &error {
        Error::TooFewRows { .. } => {
            let is_whole = |picture: &eigenspan_io::Picture| picture.patch.is_none();
            let whole = table.picture().filter(is_whole);
            whole.map(|_| {
                Clause::set("patch", "12")
                    .then(" makes a row of every 12 × 12 pixels")
                    .into()
            })
        }
        Error::TooManyComponents { .. } => {
            pca::enough_components(ctx, method, rows).map(Advice::from)
        }
        Error::Distances(_) => Some(
            [
                Clause::name("id_column")
                    .then(" and ")
                    .and(Setting::named("exclude"))
                    .then(" name columns that are no part of the distance matrix"),
                Clause::say("without ")
                    .and(Setting::new("distances", "precomputed"))
                    .then(", the distances of the rows are computed"),
            ]
            .into(),
        ),
        Error::NotSquare { .. } | Error::NotSymmetric { .. } => Some(
            [
                Clause::name("id_column")
                    .then(" and ")
                    .and(Setting::named("exclude"))
                    .then(" name columns that are no part of the kernel matrix"),
                Clause::say("without ")
                    .and(Setting::new("kernel", "precomputed"))
                    .then(", rows are compared"),
            ]
            .into(),
        ),
        _ => None,
    };
    let error = JobError::core(table.name(), error);
    match better {
        Some(advice) => error.advised(advice),
        None => error,
    }
}

/// The summary of a model. The row that stands apart is included if the scores of all rows are in memory or cheap to compute.
fn summarize(ctx: &Context, rows: &OpenRows, fitted: &dyn Fitted) -> Result<Summary, JobError> {
    let table = &rows.table;
    let told_apart = told_apart(ctx, rows, fitted)?;
    let Some(first) = rows.first_scores(ctx, fitted)? else {
        return Ok(Summary {
            told_apart,
            ..Summary::new(fitted, None)
        });
    };
    let names = table.id().map(|id| table.texts(&id.name)).transpose()?;
    Ok(Summary {
        told_apart,
        ..Summary::new(fitted, Some((&first, names.as_deref())))
    })
}

/// How many rows get their own class, if the method predicts classes, the rows have some, and reading them again is cheap.
fn told_apart(
    ctx: &Context,
    rows: &OpenRows,
    fitted: &dyn Fitted,
) -> Result<Option<ToldApart>, JobError> {
    let label = rows.table.label();
    let (Some(by), Some(label)) = (fitted.predictor(), label) else {
        return Ok(None);
    };
    // Predicting the rows of a large file takes another reading.
    if !subject::is_small(&rows.table) {
        return Ok(None);
    }
    let labels = labels_in(&rows.table, label)?;
    let predicted = by.predict(ctx, rows.numbers(ctx));
    let predicted = predicted.map_err(|error| JobError::core(rows.table.name(), error))?;
    let pairs = predicted.iter().zip(&labels);
    let known = pairs.filter_map(|(class, label)| Some(((*class)?, label.trim())));
    let known = known.filter(|(_, label)| !label.is_empty());
    let right: Vec<bool> = known
        .map(|(class, label)| by.classes()[class] == label)
        .collect();
    Ok(Some(ToldApart {
        right: right.iter().filter(|right| **right).count(),
        rows: right.len(),
    }))
}
