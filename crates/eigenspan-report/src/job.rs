//! Fitting, from a file to a model, its scores and what there is to say about it, whatever the method.

use std::path::PathBuf;

use eigenspan::method::{Fitted, Method, Training};
use eigenspan::prepare::Missing;
use eigenspan::solve::Plan;
use eigenspan::{Context, Error, Note, Pca};
use eigenspan_io::{Input, MissingCells, Output, ReadError, ReadOptions, Sealed, Table, open};

use crate::explicit::Explicit;
use crate::pca;
use crate::results::Results;
use crate::summary::Summary;
use crate::{JobError, genotypes, project};

/// A method to be fitted to data.
#[derive(Debug, Clone)]
pub struct FitJob {
    /// The data.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// What to fit.
    pub method: Box<dyn Method>,
    /// Which options of a PCA were given, and are not to be guessed from the data.
    pub explicit: Explicit,
    /// Whether this is a first look, which leaves rows with missing cells out where nothing was said about them.
    pub first_look: bool,
    /// Where the model goes.
    pub model: Option<PathBuf>,
    /// Where the scores go.
    pub scores: Option<Output>,
    /// Further columns to carry into the scores file.
    pub keep: Vec<String>,
    /// The command that repeats this job.
    pub command: Option<String>,
}

impl FitJob {
    /// A fit of which nothing is written.
    pub fn new(
        input: Input,
        read: ReadOptions,
        method: Box<dyn Method>,
        explicit: Explicit,
    ) -> Self {
        FitJob {
            input,
            read,
            method,
            explicit,
            first_look: false,
            model: None,
            scores: None,
            keep: Vec::new(),
            command: None,
        }
    }

    fn results(&self) -> Results<'_> {
        Results {
            input: &self.input,
            model: self.model.as_deref(),
            scores: self.scores.as_ref(),
            keep: &self.keep,
            command: self.command.as_deref(),
        }
    }
}

/// What has been fitted.
#[derive(Debug)]
pub struct Fit<M: Fitted + ?Sized = dyn Fitted> {
    /// The data.
    pub table: Table,
    /// The model.
    pub fitted: Box<M>,
    /// What it says.
    pub summary: Summary,
    /// What a person should know, from reading and from fitting.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

impl Fit {
    /// The same, known to be a PCA: what the report and most figures are about.
    pub(crate) fn into_pca(self) -> Result<Fit<Pca>, JobError> {
        let method = self.fitted.short_name();
        match self.fitted.into_downcast::<Pca>() {
            Some(fitted) => Ok(Fit {
                table: self.table,
                fitted,
                summary: self.summary,
                notes: self.notes,
                outputs: self.outputs,
            }),
            None => Err(JobError::Usage {
                what: format!("this is made of a PCA, and not of {method}"),
                tip: None,
            }),
        }
    }
}

/// Cells up to which a second look at the data costs next to nothing.
const SMALL: usize = 20_000_000;

pub(crate) fn is_small(table: &Table) -> bool {
    table.n_rows() * table.columns().len() <= SMALL
}

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
    job.results().check()?;
    refuse_eigenvec(job)?;
    let table = open(&job.input, &job.read, ctx)?;
    for column in &job.keep {
        table.column_index(column)?;
    }
    let mut resolved = pca::resolve(&table, &*job.method, job.explicit);
    let may_drop =
        job.first_look && !job.explicit.missing && resolved.method.missing() == Missing::Error;
    if may_drop && table.missing().is_some() {
        resolved.drop_incomplete_rows();
    }
    refuse_missing(&table, resolved.method.missing())?;
    table.fetch(ctx)?;
    let mut fitted = fit_table(ctx, &table, &*resolved.method)?;
    // The cells of an array are not looked at before they are used.
    if matches!(&fitted, Err(Error::NotFinite { nan, infinite: 0, .. }) if may_drop && *nan > 0) {
        resolved.drop_incomplete_rows();
        fitted = fit_table(ctx, &table, &*resolved.method)?;
    }
    let dropped = may_drop && resolved.method.missing() == Missing::Drop;
    let fitted = fitted.map_err(|error| match (&error, table.missing()) {
        // Without the rows that have missing cells, too few are left: the cells are the fault.
        (Error::TooFewRows { .. }, Some(missing)) if dropped => missing_error(&table, missing),
        _ => explain(ctx, &*resolved.method, &table, error),
    })?;
    let (fitted, notes) = match fitted.downcast::<Pca>() {
        Some(pca) => {
            let (pca, notes) = resolved.finish(ctx, &table, pca.clone(), dropped)?;
            let fitted: Box<dyn Fitted> = Box::new(pca);
            (fitted, notes)
        }
        None => {
            let read = table.notes().iter();
            let notes = read.chain(fitted.common().notes).cloned().collect();
            (fitted, notes)
        }
    };
    let summary = summarize(ctx, &table, &*fitted)?;
    let (outputs, files) = job.results().write(ctx, &table, &*fitted)?;
    let fit = Fit {
        table,
        fitted,
        summary,
        notes,
        outputs,
    };
    Ok((fit, files))
}

/// What would run, and what there is to know about it; numbers are read only of tables so small that a fit holds them.
pub fn plan(ctx: &Context, job: &FitJob) -> Result<(Table, Plan, Vec<Note>), JobError> {
    let table = open(&job.input, &job.read, ctx)?;
    let resolved = pca::resolve(&table, &*job.method, job.explicit);
    let in_memory = table.in_memory(ctx);
    match resolved.method.plan(ctx, in_memory.numbers(&table)) {
        Ok(plan) => {
            let notes = table.notes().iter().chain(&resolved.note).cloned();
            let notes = notes.collect();
            Ok((table, plan, notes))
        }
        Err(error) => Err(explain(ctx, &*resolved.method, &table, error)),
    }
}

/// Fits an open table. The outer error is one of reading labels.
pub(crate) fn fit_table(
    ctx: &Context,
    table: &Table,
    method: &dyn Method,
) -> Result<Result<Box<dyn Fitted>, Error>, JobError> {
    let labels = match method.learns_from_labels() {
        true => table.label().map(|label| table.texts(label)).transpose()?,
        false => None,
    };
    let in_memory = table.in_memory(ctx);
    let training = Training {
        rows: in_memory.numbers(table),
        labels: labels.as_deref(),
    };
    Ok(method.fit(ctx, &training))
}

/// Eigenvectors as PLINK writes them are those of a PCA.
fn refuse_eigenvec(job: &FitJob) -> Result<(), JobError> {
    match &job.scores {
        Some(scores) if genotypes::eigenval_of(scores).is_some() && !pca::is_pca(&*job.method) => {
            Err(JobError::Usage {
                what: format!(
                    "{} would hold eigenvectors of genotypes, which only a PCA has",
                    scores.name()
                ),
                tip: Some("a name that ends in .tsv or .csv holds its scores".to_owned()),
            })
        }
        _ => Ok(()),
    }
}

/// Missing cells are refused with their line and column, which only the reader knows.
pub(crate) fn refuse_missing(table: &Table, how: Missing) -> Result<(), JobError> {
    match table.missing() {
        Some(missing) if how == Missing::Error => Err(missing_error(table, missing)),
        _ => Ok(()),
    }
}

/// The refusal of missing cells, which knows how many rows have none where counting them costs little.
fn missing_error(table: &Table, missing: &MissingCells) -> JobError {
    let mut error = missing.error();
    let counted = is_small(table).then(|| project::count_missing(table, None));
    if let (ReadError::Missing { complete, .. }, Some(Ok((_, rows)))) = (&mut error, counted) {
        *complete = Some(table.n_rows().saturating_sub(rows));
    }
    error.into()
}

/// An error of the core with the best tip the data can give.
pub(crate) fn explain(ctx: &Context, method: &dyn Method, table: &Table, error: Error) -> JobError {
    let tip = match &error {
        Error::TooFewRows { .. } => {
            let is_whole = |picture: &eigenspan_io::Picture| picture.patch.is_none();
            table
                .picture()
                .filter(is_whole)
                .map(|_| "--patch 12 makes a row of every 12 × 12 pixels".to_owned())
        }
        Error::TooManyComponents { .. } => pca::enough_components(ctx, method, table),
        Error::NotSquare { .. } | Error::NotSymmetric { .. } => Some(
            "--id-column and --exclude name columns that are no part of the kernel matrix; without --kernel precomputed, rows are compared"
                .to_owned(),
        ),
        Error::KernelUndefined { col: Some(_), .. } => {
            Some("--kernel rbf compares rows of any sign".to_owned())
        }
        _ => None,
    };
    match JobError::core(table.name(), error) {
        JobError::Core { name, error, .. } if tip.is_some() => JobError::Core { name, error, tip },
        error => error,
    }
}

/// The facts of a model. Which row stands apart is told where the scores of all rows are at hand or cost next to nothing.
fn summarize(ctx: &Context, table: &Table, fitted: &dyn Fitted) -> Result<Summary, JobError> {
    let first = match (fitted.embedding(), fitted.downcast::<Pca>()) {
        (Some(scores), _) => Some(scores.col(0)),
        (None, Some(pca)) if is_small(table) => Some(project::first_scores(ctx, table, pca)?),
        _ => None,
    };
    let Some(first) = first else {
        return Ok(Summary::new(fitted, None));
    };
    let names = table.id().map(|id| table.texts(&id.name)).transpose()?;
    Ok(Summary::new(fitted, Some((&first, names.as_deref()))))
}
