//! A fitted model and new rows: computes scores, or rebuilds rows from scores, part by part and in order. A [`RowSink`] takes the
//! rows: memory ([`RowsInMemory`]) or files ([`crate::results::RowsFile`]).

mod back;
mod columns;
pub mod denoise;
mod sink;

use eigenspan::method::PreImageOptions;
use eigenspan::note::{Advice, Clause, Setting};
use eigenspan::{Context, Error, Mat, Note};

pub use back::Residuals;
pub(crate) use back::RowRebuilder;
pub use sink::{ComputedRows, Predicted, RowSink, RowsInMemory};

use crate::JobError;
use crate::subject::{OpenRows, Subject, cells_of, note_missing, scores_of_part};
use columns::{note_ignored, scores_columns};

/// What is known when all rows were computed.
#[derive(Debug)]
pub struct Projected {
    /// The number of rows.
    pub n_rows: usize,
    /// The number of numeric columns.
    pub n_cols: usize,
    /// How far rebuilt rows are from the points that their scores describe, if the inverse is not exact.
    pub residuals: Option<Residuals>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// Computes the scores of a subject's rows under its model; the columns named in `keep` count as used.
pub fn transform(
    ctx: &Context,
    subject: &Subject,
    keep: &[String],
    sink: &mut dyn RowSink,
) -> Result<Projected, JobError> {
    let (model, rows) = subject.model_and_rows()?;
    let fitted = &*model.fitted;
    let named = |error| JobError::core(&model.name, error);
    fitted.must_project().map_err(named)?;
    sink.begin(&model.name, None)?;
    let OpenRows { table, pick, .. } = model.open(ctx, rows)?;
    let pick = pick.as_deref();
    let mut notes = table.notes().to_vec();
    notes.extend(note_ignored(&table, fitted, keep));
    notes.extend(note_missing(&table, pick, fitted)?);
    ctx.begin("projecting", Some(table.n_rows() as u64));
    let part = |part| scores_of_part(ctx, &table, pick, fitted, part);
    let scores = ComputedRows::scores(ctx, (&table, pick), fitted, &part)?;
    notes.extend(sink.take(ctx, &scores)?);
    Ok(Projected {
        n_rows: table.n_rows(),
        n_cols: fitted.common().n_components,
        residuals: None,
        notes,
    })
}

/// Rebuilds rows from scores, which are the rows of the subject.
pub fn inverse(
    ctx: &Context,
    subject: &Subject,
    pre_image: PreImageOptions,
    sink: &mut dyn RowSink,
) -> Result<Projected, JobError> {
    let (model, rows) = subject.model_and_rows()?;
    let fitted = &*model.fitted;
    sink.begin(&model.name, model.picture)?;
    let table = rows.open(ctx)?.table;
    let pick = scores_columns(&table, fitted, &model.name)?;
    if let Some(missing) = table.missing() {
        return Err(missing.error().into());
    }
    let back =
        RowRebuilder::new(ctx, fitted, pre_image).map_err(|e| no_way_back(&model.name, e))?;
    ctx.begin("rebuilding", Some(table.n_rows() as u64));
    let part = |part: usize| -> Result<Mat<f64>, JobError> {
        let scores = cells_of(&table, Some(&pick), part)?;
        let rows = back.rows(part, scores.view(), None);
        ctx.advance(scores.n_rows() as u64);
        rows.map_err(|e| JobError::core(table.name(), e))
    };
    let mut notes = table.notes().to_vec();
    let rebuilt = ComputedRows {
        is_single: false,
        ..ComputedRows::new(&table, model.column_names(), &part)
    };
    notes.extend(sink.take(ctx, &rebuilt)?);
    let (residuals, found) = back.finish();
    notes.extend(found);
    Ok(Projected {
        n_rows: table.n_rows(),
        n_cols: fitted.common().n_cols,
        residuals,
        notes,
    })
}

/// The error for a model without an inverse, with what to do about it.
pub(crate) fn no_way_back(name: &str, error: Error) -> JobError {
    let advice: Advice = match &error {
        Error::NoPreImage { kernel, .. } if kernel == "precomputed" => [
            Clause::say("a precomputed kernel knows no rows, so there are none to go back to"),
            Clause::say("fit the rows themselves with ").and(Setting::named("kernel")),
        ]
        .into(),
        Error::NoPreImages { .. } => Clause::say("leave out ")
            .and(Setting::named("pre_image"))
            .then(" and what belongs to it")
            .into(),
        _ => return JobError::core(name, error),
    };
    JobError::core(name, error).advised(advice)
}
