//! `tune`: parameters of kernel PCA by cross-validation, for a table. Runs the search, and makes its table and its figure.

mod picture;
mod results;
mod text;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use eigenspan::error::TuningFault;
use eigenspan::evaluate::{Cell, TuneOptions, Tuner, Tuning};
use eigenspan::note::{Clause, Setting};
use eigenspan::solve::Keep;
use eigenspan::{Context, Error, KernelPcaOptions, Note};
use eigenspan_io::{Input, Numbers, Output, Table, probe};
use serde_json::{Value, json};

pub use text::text;

use self::results::Results;
use crate::JobError;
use crate::figure::Figure;
use crate::fit;
use crate::plot::Paper;
use crate::results::{Files, FitFiles, refuse_inputs};
use crate::subject::{OpenRows, Rows};

/// A request to search for parameters.
#[derive(Debug, Clone)]
pub struct TuneJob {
    /// The data.
    pub rows: Rows,
    /// Which values to try, and how to compare them.
    pub options: TuneOptions,
    /// A file that keeps the result of every fit; results that it already has are not computed again.
    pub results: Option<PathBuf>,
    /// The form and size of the figure.
    pub paper: Paper,
    /// The file for the figure; `None` draws in the terminal.
    pub figure: Option<Output>,
    /// The file for a model with the best parameters, fitted to all rows.
    pub model: Option<PathBuf>,
    /// The command that repeats this job.
    pub command: Option<String>,
}

/// The result of a search.
#[derive(Debug)]
pub struct Tuned {
    /// The data.
    pub rows: OpenRows,
    /// The options of the search, with every default resolved.
    pub options: TuneOptions,
    /// The results of the search.
    pub tuning: Tuning,
    /// The number of fits, and how many of them came from the results file.
    pub n_fits: (usize, usize),
    /// The number of folds, or of tables with permuted columns.
    pub n_parts: usize,
    /// The figure.
    pub figure: Figure,
    /// The figure for the terminal, or SVG if the output is `-`.
    pub drawn: Option<String>,
    /// Notes from reading and from the search.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// Runs the search.
pub fn tune(ctx: &Context, job: &TuneJob) -> Result<Tuned, JobError> {
    job.paper.check()?;
    let figure = match &job.figure {
        Some(Output::Path(path)) => Some(path),
        _ => None,
    };
    let places = FitFiles {
        model: job.model.clone(),
        command: job.command.clone(),
        ..FitFiles::default()
    };
    let inputs: Vec<Input> = job.rows.input().cloned().into_iter().collect();
    places.check(&inputs)?;
    for path in figure.into_iter().chain(&job.results) {
        refuse_inputs(&inputs, path)?;
        probe(path)?;
    }
    let rows = job.rows.open(ctx)?;
    let table = &*rows.table;
    refuse_missing(table)?;
    let tuner = begin(ctx, job, &rows)?;
    let (tuning, known) = run(ctx, job, table, &tuner)?;
    let (figure, drawing) = job.paper.draw(&picture::search(&tuning, &tuner))?;
    let mut notes: Vec<Note> = table.notes().iter().chain(&tuning.notes).cloned().collect();
    let mut files = Files::default();
    if job.model.is_some() {
        let options = best_options(&tuner, &tuning).map_err(|e| JobError::core(table.name(), e))?;
        table.fetch(ctx)?;
        let model = fit::fit_open(ctx, &rows, &options)?
            .map_err(|error| fit::explain(ctx, &options, &rows, error))?;
        let fitted = model.common().notes.iter();
        notes.extend(fitted.filter(|note| !tuning.notes.contains(note)).cloned());
        places.write(ctx, (&job.rows.name(), table), &*model, &mut files)?;
    }
    let drawn = files.add_drawing(drawing, job.figure.as_ref())?;
    let mut outputs = files.place()?;
    outputs.extend(job.results.iter().map(|path| path.display().to_string()));
    Ok(Tuned {
        notes,
        options: tuner.resolved_options(),
        n_fits: (tuner.n_fits(), known),
        n_parts: tuner.n_parts(),
        rows,
        tuning,
        figure,
        drawn,
        outputs,
    })
}

/// Refuses missing cells, which a search does not fill.
pub fn refuse_missing(table: &Table) -> Result<(), JobError> {
    crate::fit::refuse_any_missing(table, "a search")
}

/// The method with the best parameters, to be fitted to all rows.
fn best_options(tuner: &Tuner, tuning: &Tuning) -> Result<KernelPcaOptions, Error> {
    let options = tuner.resolved_options();
    Ok(KernelPcaOptions {
        n_components: Keep::Count(tuning.best().n_components),
        kernel: tuning.best_kernel()?,
        scale: options.scale,
        ..Default::default()
    })
}

fn begin(ctx: &Context, job: &TuneJob, rows: &OpenRows) -> Result<Tuner, JobError> {
    let table = &*rows.table;
    let labels = table.label().map(|label| table.texts(label)).transpose()?;
    let labels = labels.as_deref();
    let tuner = match rows.numbers(ctx) {
        Numbers::F32(source) => job.options.begin(ctx, source, labels),
        Numbers::F64(source) => job.options.begin(ctx, source, labels),
    };
    tuner.map_err(|error| explain(table, error))
}

/// An error of the core with a tip for this command.
fn explain(table: &Table, error: Error) -> JobError {
    let clause = match &error {
        Error::UnknownValue {
            option: "criterion",
            ..
        } => Clause::name("label_column").then(" names the column of labels"),
        Error::Tuning(TuningFault::UnlabeledRow { .. }) => {
            Clause::name("rows").then(" takes some rows alone")
        }
        Error::Tuning(TuningFault::TooFewRowsToLearnFrom { .. }) => {
            Clause::say("fewer components, or more folds with ").and(Setting::named("n_folds"))
        }
        _ => return JobError::core(table.name(), error),
    };
    JobError::core(table.name(), error).advised(clause)
}

/// Runs the fits whose results are not known yet; returns all results, and how many were known.
fn run(
    ctx: &Context,
    job: &TuneJob,
    table: &Table,
    tuner: &Tuner,
) -> Result<(Tuning, usize), JobError> {
    let Some(path) = &job.results else {
        let tuning = tuner.run(ctx, &[], &|_| Ok(()));
        return Ok((tuning.map_err(|e| JobError::core(table.name(), e))?, 0));
    };
    let (results, known) = Results::open(path, tuner)?;
    let done = AtomicUsize::new(known.len());
    let tuning = tuner.run(ctx, &known, &|outcome| {
        results.add(outcome)?;
        done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let tuning = tuning.map_err(|error| match error {
        Error::Cancelled => JobError::Interrupted {
            kept: format!(
                "{} of {} fits are kept in {}; the same command goes on from there",
                done.load(Ordering::Relaxed),
                tuner.n_fits(),
                path.display()
            ),
        },
        error => results::into_io_error(table.name(), error),
    })?;
    Ok((tuning, known.len()))
}

/// The result as JSON.
pub fn json(tuned: &Tuned) -> Value {
    let tuning = &tuned.tuning;
    let kernel = |number: usize| tuning.grid.kernel(number).map(|k| k.to_string()).ok();
    let cell = |cell: &Cell| {
        json!({
            "kernel": kernel(cell.kernel),
            "parameters": parameters(tuning, cell),
            "n_components": cell.n_components,
            "mean": cell.mean,
            "standard_error": cell.error,
            "values": cell.values,
        })
    };
    json!({
        "method": "kpca",
        "data": tuned.rows.table.name(),
        "n_rows": tuned.rows.table.n_rows(),
        "n_cols": tuned.rows.table.columns().len(),
        "criterion": tuning.criterion,
        "options": tuned.options,
        "results": tuning.cells.iter().map(cell).collect::<Vec<_>>(),
        "best": cell(tuning.best()),
        "simplest": cell(tuning.simplest()),
        "edges": tuning.edges(),
        "outputs": tuned.outputs,
        "notes": tuned.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// The values of the parameters that vary, by name.
fn parameters(tuning: &Tuning, cell: &Cell) -> Value {
    let axes = tuning.grid.axes().iter();
    let values = axes.zip(tuning.grid.places(cell.kernel));
    let values = values.map(|(axis, place)| (axis.name.clone(), json!(axis.values[place])));
    Value::Object(values.collect())
}
