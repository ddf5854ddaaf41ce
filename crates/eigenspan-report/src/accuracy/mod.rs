//! `evaluate`: the accuracy of classifiers after reductions, for a table. Runs the comparison, and makes its table and its figure.

mod picture;
mod sentences;
mod table;
mod text;

use std::path::PathBuf;

use eigenspan::error::TuningFault;
use eigenspan::evaluate::{Accuracy, AccuracyOptions, Classifier, Curve};
use eigenspan::note::Clause;
use eigenspan::{Context, Error, Note};
use eigenspan_io::{Input, Numbers, Output, Table, probe, write_sealed};
use serde_json::{Value, json};

pub use sentences::sentences;
pub use table::csv;
pub use text::text;

use crate::JobError;
use crate::figure::Figure;
use crate::plot::Paper;
use crate::results::{Files, refuse_inputs};
use crate::subject::{OpenRows, Rows};

/// A request to compare accuracies.
#[derive(Debug, Clone)]
pub struct AccuracyJob {
    /// The data, with a column of labels.
    pub rows: Rows,
    /// What to compare.
    pub options: AccuracyOptions,
    /// The form and size of the figure.
    pub paper: Paper,
    /// The file for the figure; `None` draws in the terminal.
    pub figure: Option<Output>,
    /// The file for all numbers as CSV.
    pub table: Option<PathBuf>,
}

/// The result of a comparison.
#[derive(Debug)]
pub struct Compared {
    /// The data.
    pub rows: OpenRows,
    /// The accuracies.
    pub accuracy: Accuracy,
    /// The figure.
    pub figure: Figure,
    /// The figure for the terminal, or SVG if the output is `-`.
    pub drawn: Option<String>,
    /// Notes from reading and from the comparison.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// Runs the comparison.
pub fn evaluate(ctx: &Context, job: &AccuracyJob) -> Result<Compared, JobError> {
    job.paper.check()?;
    let figure = match &job.figure {
        Some(Output::Path(path)) => Some(path),
        _ => None,
    };
    let inputs: Vec<Input> = job.rows.input().cloned().into_iter().collect();
    for path in figure.into_iter().chain(&job.table) {
        refuse_inputs(&inputs, path)?;
        probe(path)?;
    }
    if figure.is_some() && figure == job.table.as_ref() {
        return Err(JobError::Usage {
            what: "the figure and the table would be one file".to_owned(),
            advice: "give them different names".into(),
        });
    }
    let rows = job.rows.open(ctx)?;
    let table = &*rows.table;
    refuse_missing_cells(table)?;
    let labels = table.label().map(|label| table.texts(label)).transpose()?;
    let accuracy = run(ctx, job, &rows, labels.as_deref());
    let accuracy = accuracy.map_err(|error| explain(table, error))?;
    let (figure, drawing) = job.paper.draw(&picture::panels(&accuracy))?;
    let mut files = Files::default();
    let drawn = files.add_drawing(drawing, job.figure.as_ref())?;
    if let Some(path) = &job.table {
        let text = csv(&accuracy);
        let sealed = write_sealed(path, |file| file.write_all(text.as_bytes()))?;
        files.add(path.display().to_string(), Some(sealed));
    }
    let outputs = files.place()?;
    let notes = table.notes().iter().chain(&accuracy.notes).cloned();
    Ok(Compared {
        notes: notes.collect(),
        rows,
        accuracy,
        figure,
        drawn,
        outputs,
    })
}

/// Refuses missing cells, which a comparison does not fill.
pub fn refuse_missing_cells(table: &Table) -> Result<(), JobError> {
    crate::fit::refuse_any_missing(table, "a comparison of accuracies")
}

fn run(
    ctx: &Context,
    job: &AccuracyJob,
    rows: &OpenRows,
    labels: Option<&[String]>,
) -> Result<Accuracy, Error> {
    let study = match rows.numbers(ctx) {
        Numbers::F32(source) => job.options.begin(ctx, source, labels),
        Numbers::F64(source) => job.options.begin(ctx, source, labels),
    };
    study?.run(ctx)
}

/// An error of the core with a tip for this command.
fn explain(table: &Table, error: Error) -> JobError {
    let clause = match &error {
        Error::Tuning(TuningFault::UnlabeledRow { .. }) => {
            Clause::name("rows").then(" takes some rows alone")
        }
        _ => return JobError::core(table.name(), error),
    };
    JobError::core(table.name(), error).advised(clause)
}

/// The result as JSON.
pub fn json(compared: &Compared) -> Value {
    let mut object = accuracy_json(&compared.accuracy);
    object["data"] = json!(compared.rows.table.name());
    object["outputs"] = json!(compared.outputs);
    object["notes"] = json!((compared.notes.iter().map(ToString::to_string)).collect::<Vec<_>>());
    object
}

/// The numbers of a comparison as JSON, the same for every front.
pub fn accuracy_json(accuracy: &Accuracy) -> Value {
    let curve = |curve: &Curve| {
        json!({
            "reduction": accuracy.reductions[curve.reduction].name,
            "classifier": curve.classifier,
            "points": curve.points,
            "nested": curve.nested,
        })
    };
    let classes = accuracy.classes.iter().zip(&accuracy.class_counts);
    json!({
        "n_rows": accuracy.n_rows,
        "n_all_rows": accuracy.n_all_rows,
        "n_cols": accuracy.n_cols,
        "n_folds": accuracy.n_folds,
        "n_fits": accuracy.n_fits,
        "classes": classes.map(|(name, n)| json!({"name": name, "n_rows": n})).collect::<Vec<_>>(),
        "options": accuracy.options,
        "reductions": accuracy.reductions,
        "guess": accuracy.guess,
        "curves": accuracy.curves.iter().map(curve).collect::<Vec<_>>(),
        "sentences": sentences(accuracy),
    })
}

/// A classifier in words.
pub(crate) fn in_words(classifier: Classifier) -> &'static str {
    match classifier {
        Classifier::NaiveBayes => "naive Bayes",
        Classifier::Knn => "nearest neighbors",
        Classifier::Lda => "linear discriminants",
    }
}

/// A reduction in a sentence: its name, or `all 13 columns`.
fn reduction_words(accuracy: &Accuracy, reduction: usize) -> String {
    let reduced = &accuracy.reductions[reduction];
    match (reduced.is_none, accuracy.n_cols) {
        (true, 1) => "the one column".to_owned(),
        (true, n) => format!("all {n} columns"),
        (false, _) => reduced.name.clone(),
    }
}

/// `0.953 ± 0.012`.
fn with_error(mean: f64, error: f64) -> String {
    format!("{mean:.3} ± {error:.3}")
}
