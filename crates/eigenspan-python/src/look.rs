//! Figures and reports, as the command line makes them: from files. Rows in memory are written to one first.

use std::path::PathBuf;

use eigenspan::choose::ChooseOptions;
use eigenspan_io::{Format, Input, Layout, Output, ReadOptions, TableWriter, TextColumn};
use eigenspan_report::Explicit;
use eigenspan_report::analysis::AnalysisOptions;
use eigenspan_report::job::FitJob;
use eigenspan_report::plot::{FigureKind, Paper, PlotJob};
use eigenspan_report::report::ReportJob;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::array::Borrowed;
use crate::error::{Told, all_told, raised, undone, unwritten};
use crate::method::method_from_json;
use crate::run::{Means, UNKNOWN, run};

/// A file of rows: its place, the JSON of the options to read it by, and the method to fit to it with the JSON of its options.
#[derive(Debug, FromPyObject)]
pub(crate) struct Data {
    #[pyo3(item)]
    paths: Vec<PathBuf>,
    #[pyo3(item)]
    read: String,
    #[pyo3(item)]
    method: String,
    #[pyo3(item)]
    options: String,
}

/// What a figure looks like.
#[derive(Debug, FromPyObject)]
pub(crate) struct Look {
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
}

/// A job to fit a method to what is in a file; nothing is guessed from the data.
fn fit_job(data: &Data) -> PyResult<FitJob> {
    let read: ReadOptions = serde_json::from_str(&data.read)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let explicit = Explicit {
        n_components: true,
        scale: true,
        whiten: true,
        convention: true,
        sign: true,
        names: true,
        missing: true,
        ..Explicit::default()
    };
    let input = Input::of(&data.paths);
    let method = method_from_json(&data.method, &data.options)?;
    Ok(FitJob::new(input, read, method, explicit))
}

/// Draws a figure of a model, and of rows where it shows rows, to a file; gives its title.
#[pyfunction]
pub(crate) fn plot(
    py: Python<'_>,
    model: PathBuf,
    data: Option<Data>,
    look: Look,
    output: PathBuf,
    means: Means,
) -> PyResult<String> {
    let kind = FigureKind::named(&look.figure).ok_or_else(|| {
        let names: Vec<&str> = FigureKind::ALL.iter().map(|(_, name, _)| *name).collect();
        let (given, names) = (&look.figure, names.join(", "));
        PyValueError::new_err(format!("no figure `{given}`; there are {names}"))
    })?;
    let job = PlotJob {
        kind,
        model: Some(model),
        data: data.as_ref().map(fit_job).transpose()?,
        axes: [look.x, look.y],
        supplementary: Vec::new(),
        color: look.color,
        paper: Paper {
            output: Some(Output::Path(output)),
            width: look.width,
            height: look.height,
            dark: look.dark,
            columns: 100,
        },
    };
    let drawn = run(py, means, UNKNOWN, |ctx| {
        eigenspan_report::plot::plot(ctx, &job)
    })?;
    Ok(drawn.map_err(undone)?.figure.title)
}

/// Fits what is in a file, and writes the page about it; gives notes, each with whether it is worth a warning.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    data: Data,
    given: bool,
    page: PathBuf,
    force: bool,
    means: Means,
) -> PyResult<Vec<Told>> {
    let mut fit = fit_job(&data)?;
    fit.explicit.n_components = given;
    let seed = fit.method.seed();
    let job = ReportJob {
        fit,
        analysis: AnalysisOptions {
            choose: ChooseOptions {
                seed,
                ..ChooseOptions::default()
            },
            ..AnalysisOptions::default()
        },
        page,
        tables: None,
        force,
        replace_page: false,
        command: None,
    };
    let done = run(py, means, UNKNOWN, |ctx| {
        eigenspan_report::report::report(ctx, &job)
    })?;
    Ok(all_told(&done.map_err(undone)?.fit.notes, true))
}

/// Writes an array of 64-bit floats and columns of text to a file that figures and reports are made from.
#[pyfunction]
pub(crate) fn write_table(
    py: Python<'_>,
    path: PathBuf,
    array: &Bound<'_, PyAny>,
    names: Vec<String>,
    texts: Vec<(String, Vec<String>)>,
) -> PyResult<()> {
    let array = Borrowed::of(array)?;
    let (text_names, texts): (Vec<String>, Vec<TextColumn>) = texts
        .into_iter()
        .map(|(name, cells)| (name, cells.into_iter().collect()))
        .unzip();
    let layout = Layout {
        texts: text_names,
        numbers: names,
        ..Layout::default()
    };
    let cells = array.matrix::<f64>().map_err(raised)?;
    let written = py.detach(|| {
        let output = Output::Path(path);
        let mut writer = TableWriter::create::<f64>(&output, Format::Arrow, layout)?;
        writer.write(&texts, cells)?;
        writer.finish()
    });
    written.map_err(|error| unwritten(&error))
}
