//! Fitting, from a file to a model, its scores and what there is to say about it.

use std::path::{Path, PathBuf};

use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::{Keep, Plan};
use eigenspan::{Context, Error, Note, Pca, PcaOptions};
use eigenspan_io::model::{Fitted, Model, Origin};
use eigenspan_io::{Input, Numbers, Output, ReadOptions, Sealed, Table, open, probe};

use crate::JobError;
use crate::asked::{self, Asked};
use crate::genotypes;
use crate::project;
use crate::summary::{RULE, Summary};
use crate::text::Heading;

/// A PCA to be fitted.
#[derive(Debug, Clone)]
pub struct FitJob {
    /// The data.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// What to fit.
    pub options: PcaOptions,
    /// Which of those were given, and are not to be guessed from the data.
    pub asked: Asked,
    /// Where the model goes.
    pub model: Option<PathBuf>,
    /// Where the scores go.
    pub scores: Option<Output>,
    /// Further columns to carry into the scores file.
    pub keep: Vec<String>,
    /// The command that repeats this job.
    pub command: Option<String>,
}

/// A PCA that has been fitted.
#[derive(Debug)]
pub struct Fit {
    /// The data.
    pub table: Table,
    /// The model.
    pub pca: Pca,
    /// What it says.
    pub summary: Summary,
    /// What a person should know, from reading and from fitting.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// Cells up to which a second look at the data costs next to nothing.
const SMALL: usize = 20_000_000;

/// Runs the job: nothing is written unless everything before it went well.
pub fn fit(ctx: &Context, job: &FitJob) -> Result<Fit, JobError> {
    let (fit, files) = fit_unplaced(ctx, job)?;
    for file in files {
        file.place()?;
    }
    Ok(fit)
}

/// Runs the job, and leaves what it wrote to be placed.
pub(crate) fn fit_unplaced(ctx: &Context, job: &FitJob) -> Result<(Fit, Vec<Sealed>), JobError> {
    refuse_one_name(job)?;
    if job.model.as_deref() == Some(Path::new("-")) {
        return Err(JobError::Usage {
            what: "a model is not written to standard output".to_owned(),
            tip: Some("-m NAME.safetensors".to_owned()),
        });
    }
    let eigenval = job.scores.as_ref().and_then(genotypes::eigenval_of);
    for path in job
        .model
        .iter()
        .chain(job.scores.iter().filter_map(path_of))
        .chain(&eigenval)
    {
        refuse_input(&job.input, path)?;
        probe(path)?;
    }
    if let Some(scores) = &job.scores {
        project::format_for(scores, &job.keep)?;
    }
    let table = open(&job.input, &job.read, ctx)?;
    for column in &job.keep {
        table.column_index(column)?;
    }
    let meant = asked::meant(&table, &job.options, job.asked);
    let options = &meant.options;
    refuse_missing(&table, options)?;
    table.fetch(ctx)?;
    let fitted =
        fit_table(ctx, &table, options).map_err(|error| explain(ctx, options, &table, error))?;
    let (mut pca, kept) = meant.retained(fitted)?;
    add_scaled_count(ctx, &table, &mut pca);
    let summary = summarize(ctx, &table, &pca)?;
    let read = table.notes().iter().chain(&meant.note);
    let notes = read.chain(pca.notes()).chain(&kept).cloned().collect();
    let (outputs, files) = write_outputs(ctx, job, &table, &pca)?;
    let fit = Fit {
        table,
        pca,
        summary,
        notes,
        outputs,
    };
    Ok((fit, files))
}

/// What would run, without reading numbers, and what there is to know about it.
pub fn plan(ctx: &Context, job: &FitJob) -> Result<(Table, Plan, Vec<Note>), JobError> {
    let table = open(&job.input, &job.read, ctx)?;
    let asked::Meant { options, note, .. } = asked::meant(&table, &job.options, job.asked);
    let plan = match table.numbers() {
        Numbers::F32(source) => options.plan(ctx, source),
        Numbers::F64(source) => options.plan(ctx, source),
    };
    match plan {
        Ok(plan) => {
            let notes = table.notes().iter().chain(&note).cloned().collect();
            Ok((table, plan, notes))
        }
        Err(error) => Err(explain(ctx, &options, &table, error)),
    }
}

/// The heading of a table.
pub fn heading(table: &Table) -> Heading {
    Heading {
        name: table.name().to_owned(),
        n_rows: table.n_rows(),
        n_cols: table.columns().len(),
        id: table.id().map(|id| id.name.clone()),
    }
}

/// Results do not replace the data they come from.
pub(crate) fn refuse_input(input: &Input, output: &Path) -> Result<(), JobError> {
    let place = |path: &Path| path.canonicalize().ok();
    let same = |input: &Input| match input {
        Input::Path(input) => place(input).is_some() && place(input) == place(output),
        _ => false,
    };
    // What cannot be found is refused when it is opened, and has no file to replace.
    let files = input.files().unwrap_or_default();
    if output.is_file() && files.iter().any(same) {
        return Err(JobError::Usage {
            what: format!(
                "{} is the input: the result would replace it",
                output.display()
            ),
            tip: Some("give the result another name".to_owned()),
        });
    }
    Ok(())
}

/// One file cannot be both the model and the scores; a device can, for those who want neither.
fn refuse_one_name(job: &FitJob) -> Result<(), JobError> {
    let scores = job.scores.as_ref().and_then(path_of);
    let Some((model, scores)) = job.model.as_ref().zip(scores) else {
        return Ok(());
    };
    let place = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if place(model) != place(scores) || (model.exists() && !model.is_file()) {
        return Ok(());
    }
    Err(JobError::Usage {
        what: format!(
            "{} cannot be both the model and the scores",
            model.display()
        ),
        tip: Some("give -m and -o two names".to_owned()),
    })
}

fn path_of(output: &Output) -> Option<&PathBuf> {
    match output {
        Output::Path(path) => Some(path),
        Output::Stdout => None,
    }
}

fn fit_table(ctx: &Context, table: &Table, options: &PcaOptions) -> Result<Pca, Error> {
    match table.numbers() {
        Numbers::F32(source) => options.fit(ctx, source),
        Numbers::F64(source) => options.fit(ctx, source),
    }
}

/// Missing cells are refused with their line and column, which only the reader knows.
pub(crate) fn refuse_missing(table: &Table, options: &PcaOptions) -> Result<(), JobError> {
    match table.missing() {
        Some(missing) if options.missing == Missing::Error => Err(missing.error().into()),
        _ => Ok(()),
    }
}

/// An error of the core with the best tip the data can give.
pub(crate) fn explain(ctx: &Context, asked: &PcaOptions, table: &Table, error: Error) -> JobError {
    let mut error = JobError::core(table.name(), error);
    if let JobError::Core {
        error: Error::TooFewRows { .. },
        tip,
        ..
    } = &mut error
    {
        let whole = table
            .picture()
            .is_some_and(|picture| picture.patch.is_none());
        *tip = whole.then(|| "--patch 12 makes a row of every 12 × 12 pixels".to_owned());
    }
    if let JobError::Core {
        error: Error::Mismatch { what },
        tip,
        ..
    } = &mut error
    {
        let fills = asked.missing == Missing::Em && what.contains("missing = em");
        *tip = fills.then(|| {
            "-k 1 predicts them from one component; any number below all will do".to_owned()
        });
    }
    if let JobError::Core {
        error: Error::TooManyComponents { .. },
        tip,
        ..
    } = &mut error
    {
        let needed = |scale: Scale| {
            let options = PcaOptions {
                n_components: Keep::Share(RULE),
                scale,
                ..asked.clone()
            };
            fit_table(ctx, table, &options)
                .map(|pca| pca.n_components())
                .ok()
        };
        let small = table.n_rows() * table.columns().len() <= SMALL;
        *tip = match (needed(asked.scale), asked.scale) {
            (Some(here), Scale::None) if small => needed(Scale::Std).map(|scaled| {
                format!("-k 90% keeps as many as 90 % of the variance needs (here {here}; with --scale {scaled})")
            }),
            (Some(here), _) if small => {
                Some(format!("-k 90% keeps as many as 90 % of the variance needs (here {here})"))
            }
            _ => None,
        };
    }
    error
}

/// Completes a note on unlike scales with what scaling would change.
fn add_scaled_count(ctx: &Context, table: &Table, pca: &mut Pca) {
    if table.n_rows() * table.columns().len() > SMALL {
        return;
    }
    let options = PcaOptions {
        n_components: Keep::Share(RULE),
        scale: Scale::Std,
        ..pca.parts().options.clone()
    };
    for note in pca.notes_mut() {
        if let Note::UnlikeScales {
            scaled_components, ..
        } = note
        {
            *scaled_components = fit_table(ctx, table, &options)
                .map(|pca| pca.n_components())
                .ok();
        }
    }
}

fn summarize(ctx: &Context, table: &Table, pca: &Pca) -> Result<Summary, JobError> {
    if table.n_rows() * table.columns().len() > SMALL {
        return Ok(Summary::new(pca, None));
    }
    let scores = project::first_scores(ctx, table, pca)?;
    let names = table.id().map(|id| table.texts(&id.name)).transpose()?;
    Ok(Summary::new(pca, Some((&scores, names.as_deref()))))
}

/// Writes model and scores, yet to be placed: both or none. Gives their names.
fn write_outputs(
    ctx: &Context,
    job: &FitJob,
    table: &Table,
    pca: &Pca,
) -> Result<(Vec<String>, Vec<Sealed>), JobError> {
    let (mut outputs, mut files) = (Vec::new(), Vec::new());
    if let Some(path) = &job.model {
        files.push(seal(pca, table, job, path)?);
        outputs.push(path.display().to_string());
    }
    if let Some((scores, values)) = eigen_outputs(job) {
        files.extend(genotypes::write_eigen(ctx, table, pca, scores, &values)?);
        outputs.extend([scores.name(), values.display().to_string()]);
    } else if let Some(scores) = &job.scores {
        match project::write_scores(ctx, table, None, pca, &job.keep, scores) {
            // The reader of the scores left early; the model was asked for all the same.
            Err(error) if error.is_broken_pipe() => {}
            sealed => files.push(sealed?),
        }
        outputs.push(scores.name());
    }
    Ok((outputs, files))
}

/// Where eigenvectors and eigenvalues go, if they are asked for as PLINK writes them.
fn eigen_outputs(job: &FitJob) -> Option<(&Output, PathBuf)> {
    let scores = job.scores.as_ref()?;
    genotypes::eigenval_of(scores).map(|values| (scores, values))
}

/// Writes the model with the story of how it came to be; it is yet to be placed.
fn seal(pca: &Pca, table: &Table, job: &FitJob, path: &Path) -> Result<Sealed, JobError> {
    let origin = Origin {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: job.command.clone(),
        data: Some(job.input.name()),
    };
    let model = Model {
        fitted: Fitted::Pca(Box::new(pca.clone())),
        origin,
        picture: table.picture(),
    };
    Ok(model.seal(path)?)
}
