//! The report: a table is fitted and looked at from every side; a page, a model and tables are written, all or none.

use std::path::PathBuf;

use eigenspan::Context;
use eigenspan_io::{Sealed, probe, write_sealed};

use crate::JobError;
use crate::analysis::{self, Analysis, AnalysisOptions};
use crate::job::{self, Fit, FitJob, refuse_input};
use crate::page;
use crate::story::{self, Story};

/// A report to be written.
#[derive(Debug, Clone)]
pub struct ReportJob {
    /// The data and the PCA; its scores are not asked for here.
    pub fit: FitJob,
    /// What is looked at.
    pub analysis: AnalysisOptions,
    /// Where the page goes.
    pub page: PathBuf,
    /// The folder that tables for other programs go to.
    pub tables: Option<PathBuf>,
}

/// A report that has been written.
#[derive(Debug)]
pub struct Report {
    /// The data and its PCA.
    pub fit: Fit,
    /// What there is to say about them.
    pub analysis: Analysis,
}

/// Runs the job: nothing is written unless everything before it went well.
pub fn report(ctx: &Context, job: &ReportJob) -> Result<Report, JobError> {
    refuse_input(&job.fit.input, &job.page)?;
    probe(&job.page)?;
    if let Some(folder) = &job.tables {
        refuse_input(&job.fit.input, folder)?;
    }
    // The model waits until the page is there too.
    let (mut fit, model) = job::fit_unplaced(ctx, &job.fit)?;
    let given = job.fit.asked.n_components;
    let analysis = analysis::analyze(ctx, &fit, &job.fit.read, given, &job.analysis)?;
    let story = Story {
        fit: &fit,
        analysis: &analysis,
        command: job.fit.command.as_deref(),
        seed: job.analysis.choose.seed,
    };
    let page = page::html(&story::page(&story));
    let mut files: Vec<Sealed> = vec![write_sealed(&job.page, |out| {
        out.write_all(page.as_bytes())
    })?];
    let mut outputs = vec![job.page.display().to_string()];
    if let Some(folder) = &job.tables {
        std::fs::create_dir_all(folder).map_err(|e| JobError::Usage {
            what: format!("cannot make the folder {}: {e}", folder.display()),
            tip: None,
        })?;
        files.extend(analysis::tables(&fit.pca, &analysis, folder)?);
        outputs.push(folder.display().to_string());
    }
    for file in model.into_iter().chain(files) {
        file.place()?;
    }
    outputs.append(&mut fit.outputs);
    fit.outputs = outputs;
    Ok(Report { fit, analysis })
}
