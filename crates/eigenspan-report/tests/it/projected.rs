//! Scores, rebuilt rows and denoised rows of subjects are values: the same numbers in memory as in a file, wherever rows and models are.

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::method::PreImageOptions;
use eigenspan::{Context, Mat, Note};
use eigenspan_io::{Input, Output, ReadOptions, Table, open};
use eigenspan_report::JobError;
use eigenspan_report::fit;
use eigenspan_report::job::{self, ProjectJob};
use eigenspan_report::project::denoise::denoise;
use eigenspan_report::project::{ComputedRows, RowSink, RowsInMemory, inverse, transform};
use eigenspan_report::results::RowsFile;
use eigenspan_report::subject::{ModelFrom, Rows, Subject};

use crate::tables::{self, data};

fn table(path: PathBuf) -> Table {
    let read = ReadOptions::default();
    open(&Input::new(path), &read, &Context::new()).expect("a table")
}

fn iris() -> Rows {
    Rows::table(Arc::new(table(data("iris/iris.csv"))))
}

/// A PCA of iris with three components, in memory.
fn model() -> ModelFrom {
    let subject = tables::fit(
        &data("iris/iris.csv"),
        Some(3),
        eigenspan::prepare::Scale::Std,
    );
    let fit = fit::fit(&Context::new(), &subject).expect("a fit");
    ModelFrom::Memory {
        name: "the model".to_owned(),
        fitted: Arc::from(fit.fitted),
        columns: None,
        picture: None,
    }
}

fn subject(rows: Rows) -> Subject {
    Subject {
        rows: Some(rows),
        model: model(),
    }
}

fn scores() -> RowsInMemory {
    let mut scores = RowsInMemory::default();
    transform(&Context::new(), &subject(iris()), &[], &mut scores).expect("scores");
    scores
}

#[test]
fn scores_in_memory_are_those_of_a_file() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("projected.csv");
    let job = ProjectJob {
        subject: subject(iris()),
        pre_image: PreImageOptions::default(),
        file: RowsFile::new(Output::Path(file.clone())),
    };
    let done = job::transform(&Context::new(), &job).expect("written");
    assert_eq!(done.outputs, [file.display().to_string()]);
    let RowsInMemory { names, rows, .. } = scores();
    let written = table(file);
    assert_eq!(names, ["PC1", "PC2", "PC3"]);
    assert_eq!(written.columns(), names);
    // Written numbers are read again to the bit.
    let read = Rows::table(Arc::new(written));
    let mut again = RowsInMemory::default();
    inverse(
        &Context::new(),
        &subject(read),
        PreImageOptions::default(),
        &mut again,
    )
    .expect("rows");
    let model = subject(iris());
    let ModelFrom::Memory { fitted, .. } = &model.model else {
        panic!("a model in memory");
    };
    let back = fitted.way_back(&Context::new(), PreImageOptions::default());
    let rebuilt = back
        .expect("a way back")
        .rows(&Context::new(), rows.view(), None);
    assert_eq!(again.rows, rebuilt.expect("rows").rows);
}

#[test]
fn a_model_of_before_denoises_as_projecting_and_rebuilding_does() {
    let clean = Subject {
        rows: None,
        model: model(),
    };
    let mut denoised = RowsInMemory::default();
    let ctx = Context::new();
    let done = denoise(
        &ctx,
        &clean,
        &iris(),
        PreImageOptions::default(),
        &mut denoised,
    );
    let done = done.expect("denoised");
    assert_eq!((done.train.as_str(), done.n_cols), ("the model", 4));
    let ModelFrom::Memory { fitted, .. } = &clean.model else {
        panic!("a model in memory");
    };
    let back = fitted
        .way_back(&ctx, PreImageOptions::default())
        .expect("a way back");
    let rebuilt = back.rows(&ctx, scores().rows.view(), None).expect("rows");
    assert_eq!(denoised.rows, rebuilt.rows);
}

/// Takes rows part by part and keeps only their number and their largest cell.
#[derive(Default)]
struct Largest {
    n_rows: usize,
    largest: f64,
}

impl RowSink for Largest {
    fn take(&mut self, _ctx: &Context, rows: &ComputedRows<'_>) -> Result<Vec<Note>, JobError> {
        for part in 0..rows.table.n_parts() {
            let part: Mat<f64> = rows.part(part)?;
            self.n_rows += part.n_rows();
            self.largest = part.as_slice().iter().fold(self.largest, |m, x| m.max(*x));
        }
        Ok(Vec::new())
    }
}

#[test]
fn whoever_takes_rows_need_not_keep_them() {
    let mut largest = Largest::default();
    transform(&Context::new(), &subject(iris()), &[], &mut largest).expect("scores");
    let kept = scores();
    let expected = kept.rows.as_slice().iter().fold(0.0f64, |m, x| m.max(*x));
    assert_eq!((largest.n_rows, largest.largest), (150, expected));
}

#[test]
fn new_rows_need_a_model_that_was_fitted_before_and_a_model_needs_rows() {
    let to_fit = tables::fit(&data("iris/iris.csv"), None, eigenspan::prepare::Scale::Std);
    let alone = Subject {
        rows: None,
        model: model(),
    };
    for (subject, said) in [
        (to_fit, "this takes a model that was fitted before"),
        (alone, "the model: this takes rows, and none were given"),
    ] {
        let mut sink = RowsInMemory::default();
        let error = transform(&Context::new(), &subject, &[], &mut sink);
        assert_eq!(error.expect_err("refused").to_string(), said);
        assert_eq!(sink, RowsInMemory::default());
    }
}
