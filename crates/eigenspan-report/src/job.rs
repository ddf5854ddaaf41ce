//! Jobs: a subject becomes values, and these become files. Nothing is written unless everything before went well.

use eigenspan::{Context, Note};
use eigenspan_io::{Input, Output, probe};

use crate::JobError;
use crate::analysis::AnalysisOptions;
use crate::figure::Figure;
use crate::fit::{self, Fit};
use crate::plot::{self, Look};
use crate::report::{self, Report};
use crate::results::{Files, FitFiles, PageFiles, refuse_inputs};
use crate::subject::{Rows, Subject};

/// A method to be fitted, and where its results go.
#[derive(Debug, Clone)]
pub struct FitJob {
    /// The data and the method.
    pub subject: Subject,
    /// Where model and scores go.
    pub files: FitFiles,
}

/// A figure to be drawn.
#[derive(Debug, Clone)]
pub struct PlotJob {
    /// The data, the model, or both.
    pub subject: Subject,
    /// What the figure is to look like.
    pub look: Look,
    /// Where it goes; none for the terminal.
    pub output: Option<Output>,
}

/// A report to be written.
#[derive(Debug, Clone)]
pub struct ReportJob {
    /// The data and the PCA.
    pub subject: Subject,
    /// What is looked at.
    pub analysis: AnalysisOptions,
    /// Where the model goes.
    pub files: FitFiles,
    /// Where the page and the tables go.
    pub page: PageFiles,
    /// The command that repeats the report, on the page.
    pub command: Option<String>,
}

/// A value and the names of the files that were written about it.
#[derive(Debug)]
pub struct Written<T> {
    /// The value.
    pub value: T,
    /// Files written.
    pub outputs: Vec<String>,
}

/// A figure that was drawn and written.
#[derive(Debug)]
pub struct Plotted {
    /// The figure.
    pub figure: Figure,
    /// What goes to standard output: the drawing for the terminal, or SVG where that was asked for.
    pub text: Option<String>,
    /// The file written.
    pub outputs: Vec<String>,
    /// What a person should know.
    pub notes: Vec<Note>,
}

/// Fits a subject and writes its model and its scores.
pub fn fit(ctx: &Context, job: &FitJob) -> Result<Written<Fit>, JobError> {
    let subject = checked(ctx, &job.subject, &job.files)?;
    let fit = fit::fit(ctx, &subject)?;
    let mut files = Files::default();
    let data = (&*data_name(&job.subject), &*fit.rows.table);
    job.files.write(ctx, data, &*fit.fitted, &mut files)?;
    Ok(Written {
        outputs: files.place()?,
        value: fit,
    })
}

/// Draws a figure and writes it.
pub fn plot(ctx: &Context, job: &PlotJob) -> Result<Plotted, JobError> {
    job.look.check()?;
    if let Some(Output::Path(path)) = &job.output {
        refuse_inputs(&job.subject.files(), path)?;
        probe(path)?;
    }
    let drawn = plot::draw(ctx, &job.subject, &job.look)?;
    let mut files = Files::default();
    let text = files.add_drawing(drawn.drawing, job.output.as_ref())?;
    Ok(Plotted {
        figure: drawn.figure,
        text,
        outputs: files.place()?,
        notes: drawn.notes,
    })
}

/// Makes a report and writes its page, its tables and its model.
pub fn report(ctx: &Context, job: &ReportJob) -> Result<Written<Report>, JobError> {
    let inputs: Vec<Input> = job.subject.files();
    let data = data_name(&job.subject);
    job.page.check(&inputs, &data, job.files.model.as_deref())?;
    let subject = checked(ctx, &job.subject, &job.files)?;
    let report = report::report(ctx, &subject, &job.analysis, job.command.as_deref())?;
    let mut files = Files::default();
    job.page.write(&report, &inputs, &mut files)?;
    let fit = &report.fit;
    let data = (&*data, &*fit.rows.table);
    job.files.write(ctx, data, &*fit.fitted, &mut files)?;
    Ok(Written {
        outputs: files.place()?,
        value: report,
    })
}

/// The subject with its rows open, once all that is to be written has a place.
fn checked(ctx: &Context, subject: &Subject, files: &FitFiles) -> Result<Subject, JobError> {
    files.check(&subject.files())?;
    let (rows, fitting) = subject.rows_to_fit()?;
    files.check_method(&*fitting.method)?;
    let rows = rows.open(ctx)?;
    files.check_columns(&rows.table)?;
    Ok(Subject {
        rows: Some(Rows::from(&rows)),
        ..subject.clone()
    })
}

/// What the data of a subject is called.
fn data_name(subject: &Subject) -> String {
    subject.rows.as_ref().map(Rows::name).unwrap_or_default()
}
