//! Tables for figures and reports: those of `data/`, and generated ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eigenspan::prepare::Scale as Prepare;
use eigenspan::solve::Keep;
use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::analysis::AnalysisOptions;
use eigenspan_report::job::{PlotJob, Plotted, plot};
use eigenspan_report::plot::{FigureKind, FigureOptions, Medium, Paper};
use eigenspan_report::report::report;
use eigenspan_report::subject::{Fitting, ModelFrom, Rows, Subject};
use eigenspan_report::{Explicit, Front};

use crate::support::noise;

pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

/// A table of noise whose classes lie apart, written for this test run.
pub(crate) fn table(
    name: &str,
    n: usize,
    n_classes: usize,
    class: impl Fn(usize) -> String,
) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let cells: Vec<Vec<f64>> = (0..4).map(|c| noise(70 + c, n)).collect();
    let mut text = String::from("height,width,depth,weight,kind\n");
    let row = |i: usize| -> String {
        let shift = (i % n_classes) as f64;
        let columns = cells.iter().enumerate();
        let x: Vec<String> = columns
            .map(|(c, cells)| format!("{:.4}", cells[i] + shift * f64::from(u8::from(c < 2))))
            .collect();
        x.join(",")
    };
    for i in 0..n {
        text += &format!("{},{}\n", row(i), class(i % n_classes));
    }
    std::fs::write(&path, text).expect("written");
    path
}

pub(crate) fn fit(file: &Path, k: Option<usize>, scale: Prepare) -> Subject {
    let options = PcaOptions {
        n_components: k.map_or(Keep::All, Keep::Count),
        scale,
        ..PcaOptions::default()
    };
    let explicit = Explicit {
        n_components: k.is_some(),
        ..Explicit::default()
    };
    let rows = Rows::file(Input::new(file), ReadOptions::default());
    Subject::to_fit(rows, Fitting::new(Box::new(options), explicit))
}

/// A figure for a terminal of 80 columns.
pub(crate) fn figure_options(kind: FigureKind) -> FigureOptions {
    FigureOptions::new(kind, Paper::new(Medium::Terminal { columns: 80 }))
}

pub(crate) fn job(kind: FigureKind, file: &Path, k: Option<usize>) -> PlotJob {
    PlotJob {
        subject: fit(file, k, Prepare::Std),
        options: figure_options(kind),
        output: None,
    }
}

pub(crate) fn drawn(job: &PlotJob) -> Plotted {
    plot(&Context::new(), job).expect("drawn")
}

/// The report on a table, as its page's text.
pub(crate) fn page(subject: &Subject) -> String {
    let options = AnalysisOptions::default();
    let made = report(&Context::new(), subject, &options, Front::UNKNOWN);
    made.expect("a report").html()
}

/// The model of a subject, with the rows it was fitted to.
pub(crate) fn fitted(subject: &Subject) -> Subject {
    let fit = eigenspan_report::fit::fit(&Context::new(), subject).expect("a fit");
    Subject {
        model: ModelFrom::Memory {
            name: "the model".to_owned(),
            picture: fit.rows.table.picture(),
            fitted: Arc::from(fit.fitted),
            columns: None,
        },
        rows: Some(Rows::Table {
            table: fit.rows.table,
            read: ReadOptions::default(),
        }),
    }
}
