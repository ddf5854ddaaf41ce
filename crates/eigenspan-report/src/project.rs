//! A fitted model and new rows: computes scores, or rebuilds rows from scores, part by part and in order.

mod back;
mod columns;
pub mod denoise;

use std::path::Path;

use eigenspan::method::PreImageOptions;
use eigenspan::note::{Advice, Clause, Setting};
use eigenspan::{Context, Error, Mat, Note};
use eigenspan_io::model::Model;
use eigenspan_io::{Format, Formatted, Input, Layout, Output, TableWriter};

pub use back::Residuals;
pub(crate) use back::RowRebuilder;

use crate::results::picture::{self, Place};
use crate::results::{Files, Part, carried, format_for, refuse_inputs, write_parts, write_scores};
use crate::subject::{OpenRows, Rows, cells_of, note_missing, open_for};
use crate::{JobError, genotypes};
use columns::{note_ignored, scores_columns};

/// A request to compute the scores of new rows, or to rebuild rows from scores.
#[derive(Debug, Clone)]
pub struct ProjectJob<'a> {
    /// The model file.
    pub model: &'a Path,
    /// The rows or scores.
    pub rows: Rows,
    /// Further columns to copy into the result.
    pub keep: Vec<String>,
    /// Where the result goes.
    pub output: Output,
    /// Width and height of the picture whose patches these are, if it differs from the model's.
    pub size: Option<(usize, usize)>,
    /// How rows are rebuilt from scores (pre-images), for a kernel PCA.
    pub pre_image: PreImageOptions,
}

/// The result of the job.
#[derive(Debug)]
pub struct Projected {
    /// The number of rows written.
    pub n_rows: usize,
    /// The number of numeric columns written.
    pub n_cols: usize,
    /// How far rebuilt rows are from the points that their scores describe, if the inverse is not exact.
    pub residuals: Option<Residuals>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// Computes the scores of new rows.
pub fn transform(ctx: &Context, job: &ProjectJob<'_>) -> Result<Projected, JobError> {
    let model = load_for(job)?;
    let fitted = &*model.fitted;
    let named = |error| JobError::core(&job.model.display().to_string(), error);
    fitted.must_project().map_err(named)?;
    format_for(&job.output, &job.keep)?;
    genotypes::refuse_eigenvec(&job.output)?;
    let name = job.model.display().to_string();
    let OpenRows { table, pick, .. } = open_for(ctx, fitted, model.picture, &job.rows, &name)?;
    let mut notes = table.notes().to_vec();
    notes.extend(note_ignored(&table, fitted, &job.keep));
    notes.extend(note_missing(&table, pick.as_deref(), fitted)?);
    let mut files = Files::default();
    let scores = write_scores(ctx, &table, pick, fitted, &job.keep, &job.output)?;
    files.add(job.output.name(), Some(scores));
    files.place()?;
    Ok(Projected {
        n_rows: table.n_rows(),
        n_cols: fitted.common().n_components,
        residuals: None,
        notes,
    })
}

/// Rebuilds rows from scores.
pub fn inverse(ctx: &Context, job: &ProjectJob<'_>) -> Result<Projected, JobError> {
    let model = load_for(job)?;
    let (fitted, picture) = (&*model.fitted, model.picture);
    let place = Place::from_output(&job.output).filter(|place| place.wants_pictures(picture));
    let shape = place
        .as_ref()
        .map(|place| picture::shape(job.model, picture, job.size, place))
        .transpose()?;
    let format = match place {
        Some(_) => Format::Image,
        None => format_for(&job.output, &job.keep)?,
    };
    genotypes::refuse_eigenvec(&job.output)?;
    let table = job.rows.open(ctx)?.table;
    let pick = scores_columns(&table, fitted, job)?;
    if let Some(missing) = table.missing() {
        return Err(missing.error().into());
    }
    let model_name = job.model.display().to_string();
    let back =
        RowRebuilder::new(ctx, fitted, job.pre_image).map_err(|e| no_way_back(&model_name, e))?;
    ctx.begin("rebuilding", Some(table.n_rows() as u64));
    let rows = |part: usize| -> Result<Mat<f64>, JobError> {
        let scores = cells_of(&table, Some(&pick), part)?;
        let rows = back.rows(part, scores.view(), None);
        ctx.advance(scores.n_rows() as u64);
        rows.map_err(|e| JobError::core(table.name(), e))
    };
    let mut notes = table.notes().to_vec();
    if let Some((place, shape)) = place.zip(shape) {
        notes.extend(picture::rebuild(ctx, &table, shape, &place, &rows)?);
    } else {
        let carried = carried(&table, &job.keep)?;
        let layout = Layout {
            texts: carried.names.clone(),
            numbers: fitted.column_names(),
            ..Layout::default()
        };
        let mut writer = TableWriter::create::<f64>(&job.output, format, layout)?;
        let rebuild = |part: Part<'_>| -> Result<Formatted, JobError> {
            Ok(part.writer.format(&part.texts, rows(part.index)?.view())?)
        };
        write_parts(ctx, &table, &carried, &mut writer, rebuild)?;
        let mut files = Files::default();
        files.add(job.output.name(), Some(writer.seal()?));
        files.place()?;
    }
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

/// Loads the model of a job and refuses an output that would replace its data or its model.
fn load_for(job: &ProjectJob<'_>) -> Result<Model, JobError> {
    if let Output::Path(path) = &job.output {
        let model = Input::new(job.model);
        let rows = job.rows.input().cloned();
        let inputs: Vec<Input> = rows.into_iter().chain([model]).collect();
        refuse_inputs(&inputs, path)?;
    }
    Ok(Model::load(job.model)?)
}
