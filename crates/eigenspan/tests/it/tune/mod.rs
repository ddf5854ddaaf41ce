//! Searching for parameters: peers' accuracies on the same folds, agreement of different ways to compute, and refusals.

mod classifiers;
mod errors;
mod golden;
mod grid;
mod laws;

use eigenspan::evaluate::{Folds, TuneOptions, Tuner, Tuning};
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat};

use crate::support::{repository, table_without};

/// A table of numbers and the texts of one of its columns.
fn labelled(file: &str, label: &str) -> (Mat<f64>, Vec<String>) {
    let text = std::fs::read_to_string(repository().join("data").join(file)).expect("a table");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let place = header.iter().position(|name| *name == label);
    let place = place.expect("the column");
    let labels = lines.map(|cells| cells[place].to_owned()).collect();
    (table_without(file, &[label]), labels)
}

fn iris() -> (Mat<f64>, Vec<String>) {
    labelled("iris/iris.csv", "species")
}

fn wine() -> (Mat<f64>, Vec<String>) {
    labelled("wine/wine.csv", "target")
}

/// A search over these kernels and numbers of components.
fn asked(kernel: &str, k: &str) -> TuneOptions {
    TuneOptions {
        kernel: Some(kernel.parse().unwrap_or_else(|e| panic!("{e}"))),
        n_components: Some(k.parse().unwrap_or_else(|e| panic!("{e}"))),
        ..Default::default()
    }
}

fn begun(
    ctx: &Context,
    options: &TuneOptions,
    x: &Mat<f64>,
    labels: Option<&[String]>,
) -> Result<Tuner, Error> {
    options.begin(ctx, &Dense::new(x.view()), labels)
}

/// Row i is in fold i mod 5.
fn fifths(n: usize) -> Folds {
    Folds::given((0..n).map(|i| i % 5).collect()).expect("folds")
}

/// The search on folds that any language can write down.
#[track_caller]
fn found(options: &TuneOptions, x: &Mat<f64>, labels: Option<&[String]>) -> Tuning {
    let ctx = Context::new();
    begun(&ctx, options, x, labels)
        .and_then(|tuner| tuner.with_folds(fifths(x.n_rows())))
        .and_then(|tuner| tuner.run(&ctx, &[], &|_| Ok(())))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// All values of all cells, as bits.
fn bits(tuning: &Tuning) -> Vec<Option<u64>> {
    let values = tuning.cells.iter().flat_map(|cell| &cell.values);
    values.map(|value| value.map(f64::to_bits)).collect()
}
