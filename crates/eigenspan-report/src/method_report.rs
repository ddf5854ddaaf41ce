//! The report on a model of any method: one fitted to data just now, or one from a file, alone or with rows. A page is written, or
//! nothing.

use std::path::{Path, PathBuf};

use eigenspan::method::{Fitted, PreImageOptions};
use eigenspan::{Context, Mat, Note};
use eigenspan_io::model::{Model, Origin};
use eigenspan_io::{Input, Output, ReadOptions, Sealed, Table, write_sealed};
use serde_json::{Value, json};

use crate::JobError;
use crate::analysis::Overview;
use crate::heading::Heading;
use crate::job::{self, FitJob};
use crate::page::{self, Page};
use crate::project::{ProjectJob, note_ignored, note_missing, open_for, table_scores};
use crate::report::refuse_page;
use crate::story::overview::{self, OverviewStory};
use crate::summary::Summary;

/// A report to be written.
#[derive(Debug, Clone)]
pub struct MethodReportJob {
    /// What it is about.
    pub subject: ReportSubject,
    /// Where the page goes.
    pub page: PathBuf,
    /// Whether a page that is not an earlier report of the same subject is replaced.
    pub force: bool,
    /// Whether the page is replaced whatever it is, because its name was typed.
    pub replace_page: bool,
    /// The command that repeats the report, on the page.
    pub command: Option<String>,
}

/// What a report is about.
#[derive(Debug, Clone)]
pub enum ReportSubject {
    /// Data, and the method to fit to it; its scores are not asked for here.
    Data(FitJob),
    /// A model from its file.
    Model {
        /// The file.
        path: PathBuf,
        /// Rows whose scores are shown, and how to read them.
        rows: Option<(Input, ReadOptions)>,
    },
}

/// A report that has been written.
#[derive(Debug)]
pub struct MethodReport {
    /// The model.
    pub fitted: Box<dyn Fitted>,
    /// What it says.
    pub summary: Summary,
    /// What there is to say beyond that.
    pub overview: Overview,
    /// The rows at hand.
    pub table: Option<Table>,
    /// What was said: every sentence is made once, for the page, and the terminal repeats it.
    pub page: Page,
    /// What a person should know.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
    /// The model file, where it was opened, and how it came to be.
    model: Option<(String, Origin)>,
}

impl MethodReport {
    /// What stands above the report in a terminal.
    pub fn heading(&self) -> Heading {
        let common = self.fitted.common();
        match (&self.model, &self.table) {
            (None, Some(table)) => Heading::from_table(table),
            (model, _) => Heading {
                name: model
                    .as_ref()
                    .map(|(name, _)| name.clone())
                    .unwrap_or_default(),
                n_rows: common.n_rows,
                n_cols: common.n_cols,
                id: None,
            },
        }
    }

    /// The map of the first two components for a terminal of this width, where there are rows to show.
    pub fn small_map(&self, width: usize) -> Option<String> {
        overview::small_map(&self.story(None), width)
    }

    /// The report as one object: the model, and what there is to say about it.
    pub fn json(&self, seconds: f64) -> Value {
        let mut object = crate::json::fit(&*self.fitted, &self.notes, seconds, &self.outputs);
        object["overview"] = self.overview.json(&*self.fitted);
        if let Some((_, origin)) = &self.model {
            object["origin"] = json!(origin);
        }
        object
    }

    fn story<'a>(&'a self, command: Option<&'a str>) -> OverviewStory<'a> {
        OverviewStory {
            fitted: &*self.fitted,
            summary: &self.summary,
            overview: &self.overview,
            table: self.table.as_ref(),
            model: self
                .model
                .as_ref()
                .map(|(name, origin)| (name.as_str(), origin)),
            notes: &self.notes,
            command,
        }
    }
}

/// Runs the job: nothing is written unless everything before it went well.
pub fn report(ctx: &Context, job: &MethodReportJob) -> Result<MethodReport, JobError> {
    refuse_places(job)?;
    let (mut report, files) = match &job.subject {
        ReportSubject::Data(fit) => of_data(ctx, fit)?,
        ReportSubject::Model { path, rows } => (of_model(ctx, path, rows.as_ref())?, Vec::new()),
    };
    report.page = overview::page(&report.story(job.command.as_deref()));
    let html = page::html(&report.page);
    let page = write_sealed(&job.page, |out| out.write_all(html.as_bytes()))?;
    for file in files.into_iter().chain([page]) {
        file.place()?;
    }
    report.outputs.insert(0, job.page.display().to_string());
    Ok(report)
}

fn refuse_places(job: &MethodReportJob) -> Result<(), JobError> {
    let replace = job.force || job.replace_page;
    match &job.subject {
        ReportSubject::Data(fit) => {
            let title = fit.input.name();
            refuse_page(
                &job.page,
                &[&fit.input],
                fit.model.as_deref(),
                (&title, replace),
            )
        }
        ReportSubject::Model { path, rows } => {
            let model = Input::new(path);
            let mut inputs = vec![&model];
            inputs.extend(rows.iter().map(|(input, _)| input));
            let title = match rows {
                Some((input, _)) => {
                    overview::title_of_both(&input.name(), &path.display().to_string())
                }
                None => path.display().to_string(),
            };
            refuse_page(&job.page, &inputs, None, (&title, replace))
        }
    }
}

/// Fits the method and looks at what came of it.
fn of_data(ctx: &Context, job: &FitJob) -> Result<(MethodReport, Vec<Sealed>), JobError> {
    let (fit, files) = job::fit_unplaced(ctx, job)?;
    let (table, fitted) = (&fit.table, &*fit.fitted);
    // Rows that were left out have no coordinates among those that the fit kept.
    let kept = fitted.embedding().filter(|m| m.n_rows() == table.n_rows());
    let scores = match kept {
        Some(scores) => scores.clone(),
        None => table_scores(ctx, table, None, fitted)?,
    };
    let rows = (table, &scores);
    let overview = Overview::of_fit(ctx, (&*job.method, fitted), rows, &job.read)?;
    let report = MethodReport {
        fitted: fit.fitted,
        summary: fit.summary,
        overview,
        table: Some(fit.table),
        page: Page::default(),
        notes: fit.notes,
        outputs: fit.outputs,
        model: None,
    };
    Ok((report, files))
}

/// Opens a model and, where there are some, rows for it.
fn of_model(
    ctx: &Context,
    path: &Path,
    rows: Option<&(Input, ReadOptions)>,
) -> Result<MethodReport, JobError> {
    let Model {
        fitted,
        origin,
        picture,
    } = Model::load(path)?;
    let mut notes = fitted.common().notes.to_vec();
    let mut opened: Option<(Table, Mat<f64>)> = None;
    if let Some((input, read)) = rows {
        let project = ProjectJob {
            model: path,
            input: input.clone(),
            read: read.clone(),
            keep: Vec::new(),
            output: Output::Stdout,
            size: None,
            pre_image: PreImageOptions::default(),
        };
        let (table, pick) = open_for(ctx, &*fitted, picture, &project)?;
        notes.extend(table.notes().iter().cloned());
        notes.extend(note_ignored(&table, &*fitted, &[]));
        notes.extend(note_missing(&table, pick.as_deref(), &*fitted)?);
        let scores = table_scores(ctx, &table, pick.as_deref(), &*fitted)?;
        opened = Some((table, scores));
    }
    let read = rows.map(|(_, read)| read.clone()).unwrap_or_default();
    let both = opened.as_ref().map(|(table, scores)| (table, scores));
    let overview = Overview::of_model(ctx, &*fitted, both, &read)?;
    let summary = Summary::new(&*fitted, None);
    Ok(MethodReport {
        fitted,
        summary,
        overview,
        table: opened.map(|(table, _)| table),
        page: Page::default(),
        notes,
        outputs: Vec::new(),
        model: Some((path.display().to_string(), origin)),
    })
}
