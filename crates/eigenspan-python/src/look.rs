//! Figures and reports as the command line makes them, of rows that are read in place: files, open tables, arrays and sparse
//! matrices.

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::Error;
use eigenspan::choose::ChooseOptions;
use eigenspan_io::{ArrayView, Input, MemoryRows, MemoryTable, Output};
use eigenspan_report::analysis::AnalysisOptions;
use eigenspan_report::job::{self, MethodReportJob, PlotJob, ReportJob};
use eigenspan_report::method_report as method_reports;
use eigenspan_report::plot as figures;
use eigenspan_report::plot::{Drawing, FigureKind, Medium, Paper};
use eigenspan_report::report as reports;
use eigenspan_report::results::{FitFiles, PageFiles};
use eigenspan_report::subject::{self, Fitting, ModelFrom, Subject};
use eigenspan_report::{Explicit, Front};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::advice;
use crate::error::{Counted, PythonNote, notes_as_python, raised, undone, unread};
use crate::kernel::{Fault, Kernel, unless_raised};
use crate::method::method_from_json;
use crate::model::{Model, method_with_kernel};
use crate::pca::program_named;
use crate::rows::Rows;
use crate::run::{Means, UNKNOWN, run};

/// Pages name settings as Python types them.
const PAGE: Front = Front::Program {
    spell: advice::on_page,
};

/// The name on a page for rows that come from no file.
const IN_MEMORY: &str = "data in memory";

/// The name on a page for a model that comes from no file.
const MODEL_IN_MEMORY: &str = "model in memory";

/// The rows to draw or report on.
#[derive(Debug, FromPyObject)]
pub(crate) enum Data {
    /// Files, with the JSON of the options for reading them.
    Files {
        #[pyo3(item)]
        paths: Vec<PathBuf>,
        #[pyo3(item)]
        read: String,
    },
    /// An open table, an array or a sparse matrix; for arrays and matrices also the names of columns, and a text for every
    /// row that determines its color.
    Rows {
        #[pyo3(item)]
        rows: Py<Rows>,
        #[pyo3(item)]
        columns: Vec<String>,
        #[pyo3(item)]
        color: Option<(String, Vec<String>)>,
    },
}

/// What a figure looks like.
#[derive(Debug, FromPyObject)]
pub(crate) struct Style {
    #[pyo3(item)]
    figure: String,
    #[pyo3(item)]
    x: Option<String>,
    #[pyo3(item)]
    y: Option<String>,
    #[pyo3(item)]
    color: Option<String>,
    #[pyo3(item)]
    width: Option<u32>,
    #[pyo3(item)]
    height: Option<u32>,
    #[pyo3(item)]
    dark: bool,
    #[pyo3(item)]
    title: Option<String>,
}

/// An array of Python as rows of a table, without a copy.
#[derive(Debug)]
struct InPython(Py<Rows>);

impl MemoryRows for InPython {
    fn view(&self) -> Result<ArrayView<'_>, Error> {
        self.0.get().view()
    }
}

impl Data {
    /// These rows as the engine takes them.
    pub(crate) fn into_rows(self) -> PyResult<subject::Rows> {
        match self {
            Data::Files { paths, read } => {
                let read = serde_json::from_str(&read)
                    .map_err(|error| PyValueError::new_err(error.to_string()))?;
                Ok(subject::Rows::file(Input::from_paths(paths), read))
            }
            Data::Rows {
                rows,
                columns,
                color,
            } => {
                if let Some(table) = rows.get().shared_table() {
                    let read = rows.get().read_options();
                    return Ok(subject::Rows::Table { table, read });
                }
                let weights = rows.get().weights().map_err(raised)?;
                let mut table = MemoryTable::new(IN_MEMORY, Arc::new(InPython(rows)));
                table.columns = Some(columns);
                table.weights = weights;
                table.label = color.as_ref().map(|(name, _)| name.clone());
                table.texts = color.into_iter().collect();
                let table = table
                    .into_table()
                    .map_err(|error| unread(error, &Counted))?;
                Ok(subject::Rows::table(Arc::new(table)))
            }
        }
    }
}

impl Style {
    /// This style as the engine takes it.
    fn into_engine(self, medium: Medium) -> PyResult<figures::FigureOptions> {
        let kind = FigureKind::named(&self.figure).ok_or_else(|| {
            let names: Vec<&str> = FigureKind::ALL.iter().map(|(_, name, _)| *name).collect();
            let (given, names) = (&self.figure, names.join(", "));
            PyValueError::new_err(format!("no figure `{given}`; there are {names}"))
        })?;
        let paper = Paper {
            width: self.width,
            height: self.height,
            dark: self.dark,
            ..Paper::new(medium)
        };
        Ok(figures::FigureOptions {
            axes: [self.x, self.y],
            color: self.color,
            title: self.title,
            ..figures::FigureOptions::new(kind, paper)
        })
    }
}

/// Draws a figure of a model, whose columns have these names, and of rows if the figure shows rows: to a file, or as SVG.
/// Returns its title, the SVG, and its numbers as CSV.
#[pyfunction]
pub(crate) fn plot(
    py: Python<'_>,
    model: &Model,
    names: Option<Vec<String>>,
    data: Option<Data>,
    look: Style,
    output: Option<PathBuf>,
    means: Means,
) -> PyResult<(String, Option<String>, String)> {
    let subject = subject_of(model, "the model", names, data)?;
    let output = output.map(Output::Path);
    let medium = match &output {
        Some(output) => Medium::for_output(Some(output), 100).map_err(undone)?,
        None => Medium::Svg,
    };
    let look = look.into_engine(medium)?;
    let drawn = run(py, means, UNKNOWN, |ctx| match output {
        Some(_) => {
            let job = PlotJob {
                subject,
                options: look,
                output,
            };
            job::plot(ctx, &job).map(|plotted| (plotted.figure, None))
        }
        None => figures::draw(ctx, &subject, &look).map(|drawn| match drawn.drawing {
            Drawing::Svg(svg) => (drawn.figure, Some(svg)),
            _ => (drawn.figure, None),
        }),
    })?;
    let (figure, svg) = unless_raised(&model.faults, drawn.map_err(undone))?;
    Ok((figure.title, svg, figure.csv))
}

/// Which rule decides how many components a report keeps.
#[derive(Debug, FromPyObject)]
pub(crate) struct Kept {
    /// Whether the number is given: then the page does not advise another.
    #[pyo3(item)]
    given: bool,
    /// The program whose default it is.
    #[pyo3(item)]
    like: Option<String>,
}

/// A model in memory, whose columns have these names, alone or with rows.
fn subject_of(
    model: &Model,
    name: &str,
    columns: Option<Vec<String>>,
    data: Option<Data>,
) -> PyResult<Subject> {
    Ok(Subject {
        rows: data.map(Data::into_rows).transpose()?,
        model: ModelFrom::Memory {
            name: name.to_owned(),
            fitted: Arc::clone(&model.fitted),
            columns,
            picture: None,
        },
    })
}

/// Fits a method to rows and makes the page about it, in a file if one is named; returns the page, and notes for Python.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub(crate) fn report(
    py: Python<'_>,
    data: Data,
    method: &str,
    options: &str,
    kept: Kept,
    page: Option<PathBuf>,
    force: bool,
    means: Means,
) -> PyResult<(String, Vec<PythonNote>)> {
    let method = method_from_json(method, options)?;
    let analysis = AnalysisOptions {
        choose: ChooseOptions {
            seed: method.seed(),
            ..ChooseOptions::default()
        },
        ..AnalysisOptions::default()
    };
    // The parameters are explicit: nothing is guessed from the data. The program decides only how many components are kept.
    let explicit = Explicit {
        like: kept.like.as_deref().map(program_named).transpose()?,
        n_components: kept.given,
        scale: true,
        whiten: true,
        convention: true,
        sign: true,
        names: true,
        missing: true,
    };
    let subject = Subject::to_fit(data.into_rows()?, Fitting::new(method, explicit));
    let done = run(py, means, UNKNOWN, |ctx| match page {
        None => reports::report(ctx, &subject, &analysis, &PAGE),
        Some(page) => {
            let job = ReportJob {
                subject,
                analysis,
                files: FitFiles::default(),
                page: page_files(page, force),
                front: PAGE,
            };
            job::report(ctx, &job).map(|done| done.value)
        }
    })?;
    let report = done.map_err(undone)?;
    Ok((report.html(), notes_as_python(&report.fit.notes, true)))
}

/// Fits another method to rows and makes the page about it, in a file if one is named; returns the page, and notes for Python.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub(crate) fn method_report(
    py: Python<'_>,
    data: Data,
    method: &str,
    options: &str,
    kernel: Option<&Kernel>,
    page: Option<PathBuf>,
    force: bool,
    means: Means,
) -> PyResult<(String, Vec<PythonNote>)> {
    let method = method_with_kernel(method, options, kernel)?;
    let faults = kernel.map_or_else(Vec::new, |kernel| kernel.faults.clone());
    let fitting = Fitting::new(method, Explicit::default());
    let subject = Subject::to_fit(data.into_rows()?, fitting);
    reported(py, subject, &faults, page, (force, means))
}

/// Makes the page about a fitted model, whose columns have these names, alone or with rows brought to it, in a file if one is named;
/// returns the page, and notes for Python.
#[pyfunction]
pub(crate) fn model_report(
    py: Python<'_>,
    model: &Model,
    names: Option<Vec<String>>,
    data: Option<Data>,
    page: Option<PathBuf>,
    force: bool,
    means: Means,
) -> PyResult<(String, Vec<PythonNote>)> {
    let subject = subject_of(model, MODEL_IN_MEMORY, names, data)?;
    reported(py, subject, &model.faults, page, (force, means))
}

/// The page about a subject.
fn reported(
    py: Python<'_>,
    subject: Subject,
    faults: &[Fault],
    page: Option<PathBuf>,
    (force, means): (bool, Means),
) -> PyResult<(String, Vec<PythonNote>)> {
    let done = run(py, means, UNKNOWN, |ctx| match page {
        None => method_reports::report(ctx, &subject, &PAGE),
        Some(page) => {
            let job = MethodReportJob {
                subject,
                files: FitFiles::default(),
                page: page_files(page, force),
                front: PAGE,
            };
            job::method_report(ctx, &job).map(|done| done.value)
        }
    })?;
    let report = unless_raised(faults, done.map_err(undone))?;
    Ok((report.html(), notes_as_python(&report.notes, true)))
}

/// The place of a page; without `force`, only an earlier report of the same data is replaced.
fn page_files(page: PathBuf, force: bool) -> PageFiles {
    PageFiles {
        page,
        tables: None,
        force,
        replace_page: false,
    }
}
