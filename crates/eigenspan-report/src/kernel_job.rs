//! Fitting a kernel PCA, from a file to a model, its scores and what there is to say about it.

use std::path::PathBuf;

use eigenspan::solve::Plan;
use eigenspan::{Context, Error, KernelPca, KernelPcaOptions, Note};
use eigenspan_io::{Input, Numbers, Output, ReadOptions, Table, open};

use crate::job::refuse_missing;
use crate::results::Results;
use crate::summary::Summary;
use crate::{JobError, genotypes};

/// A kernel PCA to be fitted.
#[derive(Debug, Clone)]
pub struct KernelFitJob {
    /// The data; the kernel matrix where the kernel is `precomputed`.
    pub input: Input,
    /// How to read it.
    pub read: ReadOptions,
    /// What to fit.
    pub options: KernelPcaOptions,
    /// Where the model goes.
    pub model: Option<PathBuf>,
    /// Where the scores go.
    pub scores: Option<Output>,
    /// Further columns to carry into the scores file.
    pub keep: Vec<String>,
    /// The command that repeats this job.
    pub command: Option<String>,
}

impl KernelFitJob {
    /// A fit of which nothing is written.
    pub fn new(input: Input, read: ReadOptions, options: KernelPcaOptions) -> Self {
        KernelFitJob {
            input,
            read,
            options,
            model: None,
            scores: None,
            keep: Vec::new(),
            command: None,
        }
    }
}

/// A kernel PCA that has been fitted.
#[derive(Debug)]
pub struct KernelFit {
    /// The data.
    pub table: Table,
    /// The model.
    pub kpca: KernelPca,
    /// What it says.
    pub summary: Summary,
    /// What a person should know, from reading and from fitting.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// Runs the job: nothing is written unless everything before it went well.
pub fn fit(ctx: &Context, job: &KernelFitJob) -> Result<KernelFit, JobError> {
    let results = Results {
        input: &job.input,
        model: job.model.as_deref(),
        scores: job.scores.as_ref(),
        keep: &job.keep,
        command: job.command.as_deref(),
    };
    results.check()?;
    refuse_eigenvec(job)?;
    let table = open(&job.input, &job.read, ctx)?;
    for column in &job.keep {
        table.column_index(column)?;
    }
    let kpca = fit_table(ctx, &table, &job.options)?;
    let names = table.id().map(|id| table.texts(&id.name)).transpose()?;
    let first = kpca.scores().map(|scores| scores.col(0));
    let summary = Summary::new(
        &kpca,
        first
            .as_ref()
            .map(|first| (first.as_slice(), names.as_deref())),
    );
    let notes = table.notes().iter().chain(kpca.notes()).cloned().collect();
    let (outputs, files) = results.write(ctx, &table, (&kpca).into())?;
    for file in files {
        file.place()?;
    }
    Ok(KernelFit {
        table,
        kpca,
        summary,
        notes,
        outputs,
    })
}

/// What would run, and what there is to know about it; numbers are read only of tables so small that a fit holds them.
pub fn plan(ctx: &Context, job: &KernelFitJob) -> Result<(Table, Plan, Vec<Note>), JobError> {
    let table = open(&job.input, &job.read, ctx)?;
    let held = table.held(ctx);
    let plan = match held.numbers(&table) {
        Numbers::F32(source) => job.options.plan(ctx, source),
        Numbers::F64(source) => job.options.plan(ctx, source),
    };
    let plan = plan.map_err(|error| JobError::core(table.name(), error))?;
    let notes = table.notes().to_vec();
    Ok((table, plan, notes))
}

/// Fits an open table.
pub(crate) fn fit_table(
    ctx: &Context,
    table: &Table,
    options: &KernelPcaOptions,
) -> Result<KernelPca, JobError> {
    refuse_missing(table, options.missing)?;
    table.fetch(ctx)?;
    let held = table.held(ctx);
    let fitted = match held.numbers(table) {
        Numbers::F32(source) => options.fit(ctx, source),
        Numbers::F64(source) => options.fit(ctx, source),
    };
    fitted.map_err(|error| explain(table, options, error))
}

/// Eigenvectors as PLINK writes them are those of a PCA.
fn refuse_eigenvec(job: &KernelFitJob) -> Result<(), JobError> {
    match &job.scores {
        Some(scores) if genotypes::eigenval_of(scores).is_some() => Err(JobError::Usage {
            what: format!(
                "{} would hold eigenvectors of genotypes, which a kernel PCA does not have",
                scores.name()
            ),
            tip: Some("a name that ends in .tsv or .csv holds its scores".to_owned()),
        }),
        _ => Ok(()),
    }
}

/// An error of the core with the best tip the data can give.
fn explain(table: &Table, options: &KernelPcaOptions, error: Error) -> JobError {
    let tip = match &error {
        Error::NotSquare { .. } | Error::NotSymmetric { .. } => Some(
            "--id-column and --exclude name columns that are no part of the kernel matrix; without --kernel precomputed, rows are compared"
                .to_owned(),
        ),
        Error::KernelUndefined { .. } if options.kernel.to_string().contains("chi2") => {
            Some("--kernel rbf compares rows of any sign".to_owned())
        }
        _ => None,
    };
    match JobError::core(table.name(), error) {
        JobError::Core { name, error, .. } if tip.is_some() => JobError::Core { name, error, tip },
        error => error,
    }
}
