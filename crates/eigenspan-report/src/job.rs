//! Jobs: a subject becomes values, and the values become files. No file is written until everything before has succeeded.

use eigenspan::{Context, Note};
use eigenspan_io::{Input, Output, probe};

use crate::JobError;
use crate::analysis::AnalysisOptions;
use crate::figure::Figure;
use crate::fit::{self, Fit};
use crate::front::Front;
use crate::method_report::{self, MethodReport};
use crate::plot::{self, FigureOptions};
use crate::report::{self, Report};
use crate::results::{Files, FitFiles, PageFiles, refuse_inputs};
use crate::subject::{Rows, Subject};

/// A request to fit a method and write its results.
#[derive(Debug, Clone)]
pub struct FitJob {
    /// The data and the method.
    pub subject: Subject,
    /// Where the model and the scores go.
    pub files: FitFiles,
}

/// A request to draw a figure.
#[derive(Debug, Clone)]
pub struct PlotJob {
    /// The data, the model, or both.
    pub subject: Subject,
    /// Which figure, and how to draw it.
    pub options: FigureOptions,
    /// The output file; `None` draws in the terminal.
    pub output: Option<Output>,
}

/// A request to write a report.
#[derive(Debug, Clone)]
pub struct ReportJob {
    /// The data and the PCA.
    pub subject: Subject,
    /// Options of the analysis.
    pub analysis: AnalysisOptions,
    /// Where the model goes.
    pub files: FitFiles,
    /// Where the page and the tables go.
    pub page: PageFiles,
    /// Who the page is made for.
    pub front: Front,
}

/// A request to write a report on a model of any method.
#[derive(Debug, Clone)]
pub struct MethodReportJob {
    /// The data and the method, or an existing model and optional new rows.
    pub subject: Subject,
    /// Where the model goes, if it is fitted here.
    pub files: FitFiles,
    /// Where the page goes; such a report has no tables.
    pub page: PageFiles,
    /// Who the page is made for.
    pub front: Front,
}

/// A result and the names of the files that were written.
#[derive(Debug)]
pub struct Written<T> {
    /// The result.
    pub value: T,
    /// Names of the files.
    pub outputs: Vec<String>,
}

/// A figure that was drawn and written.
#[derive(Debug)]
pub struct Plotted {
    /// The figure.
    pub figure: Figure,
    /// What goes to standard output: the drawing for the terminal, or SVG if the output is `-`.
    pub text: Option<String>,
    /// The name of the file that was written.
    pub outputs: Vec<String>,
    /// Notes for the user.
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
    job.options.check()?;
    if let Some(Output::Path(path)) = &job.output {
        refuse_inputs(&job.subject.files(), path)?;
        probe(path)?;
    }
    let drawn = plot::draw(ctx, &job.subject, &job.options)?;
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
    let report = report::report(ctx, &subject, &job.analysis, &job.front)?;
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

/// Makes a report on a model of any method and writes its page and, if the model was fitted here, the model.
pub fn method_report(
    ctx: &Context,
    job: &MethodReportJob,
) -> Result<Written<MethodReport>, JobError> {
    let inputs: Vec<Input> = job.subject.files();
    let title = method_report::title(&job.subject);
    let model = job.files.model.as_deref();
    job.page.check(&inputs, &title, model)?;
    let subject = match job.subject.fitting() {
        Some(_) => checked(ctx, &job.subject, &job.files)?,
        None => job.subject.clone(),
    };
    let report = method_report::report(ctx, &subject, &job.front)?;
    let mut files = Files::default();
    job.page.write_page(&report.html(), &mut files)?;
    if let (Some(_), Some(rows)) = (model, &report.rows) {
        let data = (&*data_name(&job.subject), &*rows.table);
        job.files.write(ctx, data, &*report.fitted, &mut files)?;
    }
    Ok(Written {
        outputs: files.place()?,
        value: report,
    })
}

/// Opens the rows of a subject after checking that every output can be written.
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

/// The name of a subject's data.
fn data_name(subject: &Subject) -> String {
    subject.rows.as_ref().map(Rows::name).unwrap_or_default()
}
