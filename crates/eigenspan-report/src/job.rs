//! Jobs: a subject becomes values, and the values become files. No file is written until everything before has succeeded.

use eigenspan::method::PreImageOptions;
use eigenspan::{Context, Note};
use eigenspan_io::{Input, Output, probe};

use crate::JobError;
use crate::analysis::AnalysisOptions;
use crate::figure::Figure;
use crate::fit::{self, Fit};
use crate::front::Front;
use crate::method_report::{self, MethodReport};
use crate::plot::{self, FigureOptions};
use crate::project::denoise::{self, Denoised};
use crate::project::{self, Projected};
use crate::report::{self, Report};
use crate::results::{Files, FitFiles, PageFiles, RowsFile, refuse_inputs};
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

/// A request to compute the scores of new rows, or to rebuild rows from scores.
#[derive(Debug, Clone)]
pub struct ProjectJob {
    /// The rows or scores, and the model.
    pub subject: Subject,
    /// How rows are rebuilt from scores, for methods with pre-images.
    pub pre_image: PreImageOptions,
    /// Where the result goes.
    pub file: RowsFile,
}

/// A request to denoise rows.
#[derive(Debug, Clone)]
pub struct DenoiseJob {
    /// The clean rows and the method to fit to them, or a model that was fitted to clean rows.
    pub clean: Subject,
    /// The noisy rows.
    pub noisy: Rows,
    /// How rows are rebuilt from scores, for methods with pre-images.
    pub pre_image: PreImageOptions,
    /// Where the result goes.
    pub file: RowsFile,
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
    let fit = checked_fit(ctx, &job.subject, &job.files)?;
    let mut files = Files::default();
    let data = (&*job.subject.name(), &*fit.rows.table);
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
    let data = job.subject.name();
    job.page.check(&inputs, &data, job.files.model.as_deref())?;
    let fit = checked_fit(ctx, &job.subject, &job.files)?;
    let fitting = job.subject.fitting();
    let report = report::report_on_fit(ctx, fit, fitting, &job.analysis, &job.front)?;
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
    let report = match job.subject.fitting() {
        Some(fitting) => {
            let fit = checked_fit(ctx, &job.subject, &job.files)?;
            method_report::report_on_fit(ctx, fit, fitting, &job.front)?
        }
        None => method_report::report(ctx, &job.subject, &job.front)?,
    };
    let mut files = Files::default();
    job.page.write_page(&report.html(), &mut files)?;
    if let (Some(_), Some(rows)) = (model, &report.rows) {
        let data = (&*job.subject.name(), &*rows.table);
        job.files.write(ctx, data, &*report.fitted, &mut files)?;
    }
    Ok(Written {
        outputs: files.place()?,
        value: report,
    })
}

/// Computes the scores of new rows and writes them.
pub fn transform(ctx: &Context, job: &ProjectJob) -> Result<Written<Projected>, JobError> {
    job.file.refuse_inputs(&job.subject.files())?;
    let mut writer = job.file.table();
    let value = project::transform(ctx, &job.subject, &job.file.keep, &mut writer)?;
    Ok(Written {
        value,
        outputs: writer.place()?,
    })
}

/// Rebuilds rows from scores and writes them.
pub fn inverse(ctx: &Context, job: &ProjectJob) -> Result<Written<Projected>, JobError> {
    job.file.refuse_inputs(&job.subject.files())?;
    let mut writer = job.file.table_or_pictures();
    let value = project::inverse(ctx, &job.subject, job.pre_image, &mut writer)?;
    Ok(Written {
        value,
        outputs: writer.place()?,
    })
}

/// Denoises rows and writes them.
pub fn denoise(ctx: &Context, job: &DenoiseJob) -> Result<Written<Denoised>, JobError> {
    let noisy = job.noisy.input().cloned();
    let inputs: Vec<Input> = noisy.into_iter().chain(job.clean.files()).collect();
    job.file.refuse_inputs(&inputs)?;
    job.file.check()?;
    let mut writer = job.file.table_or_pictures();
    let value = denoise::denoise(ctx, &job.clean, &job.noisy, job.pre_image, &mut writer)?;
    Ok(Written {
        value,
        outputs: writer.place()?,
    })
}

/// Fits a subject after checking that every output can be written; the rows are opened once.
fn checked_fit(ctx: &Context, subject: &Subject, files: &FitFiles) -> Result<Fit, JobError> {
    files.check(&subject.files())?;
    let (rows, fitting) = subject.rows_to_fit()?;
    files.check_method(&*fitting.method)?;
    let rows = rows.open(ctx)?;
    files.check_columns(&rows.table)?;
    fit::fit_rows(ctx, rows, fitting)
}
