//! Accuracies after reductions: scikit-learn's numbers on the same folds, choices that never see their test rows, and refusals.

mod golden;
mod laws;
mod refusals;

use eigenspan::evaluate::{Accuracy, AccuracyOptions, AccuracyStudy, Folds};
use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat};

use crate::support::{repository, table_without};

/// A table of numbers and the texts of one of its columns.
fn labelled(name: &str, label: &str) -> (Mat<f64>, Vec<String>) {
    let file = format!("{name}/{name}.csv");
    let text = std::fs::read_to_string(repository().join("data").join(&file)).expect("a table");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let place = header.iter().position(|name| *name == label);
    let place = place.expect("the column");
    let labels = lines.map(|cells| cells[place].to_owned()).collect();
    (table_without(&file, &[label]), labels)
}

fn iris() -> (Mat<f64>, Vec<String>) {
    labelled("iris", "species")
}

/// A comparison after these reductions with these numbers of components.
fn asked(after: &str, k: &str) -> AccuracyOptions {
    AccuracyOptions {
        after: Some(after.parse().unwrap_or_else(|e| panic!("{e}"))),
        n_components: Some(k.parse().unwrap_or_else(|e| panic!("{e}"))),
        ..Default::default()
    }
}

fn begun(
    options: &AccuracyOptions,
    x: &Mat<f64>,
    labels: Option<&[String]>,
) -> Result<AccuracyStudy, Error> {
    options.begin(&Context::new(), &Dense::new(x.view()), labels)
}

/// The comparison on random folds.
#[track_caller]
fn compared(options: &AccuracyOptions, x: &Mat<f64>, labels: &[String]) -> Accuracy {
    let study = begun(options, x, Some(labels));
    let result = study.and_then(|study| study.run(&Context::new()));
    result.unwrap_or_else(|e| panic!("{e}"))
}

/// Row i is in fold i mod 5.
fn fifths(n: usize) -> Folds {
    Folds::given((0..n).map(|i| i % 5).collect()).expect("folds")
}

/// Normal cells without any relation to the labels, of which a share is `a`.
fn noise(n: usize, d: usize, share: f64) -> (Mat<f64>, Vec<String>) {
    let mut rng = Rng::new(11);
    let x = Mat::from_fn(n, d, |_, _| rng.normal());
    let label = |_| if rng.uniform() < share { "a" } else { "b" };
    let labels = (0..n).map(label).map(str::to_owned).collect();
    (x, labels)
}

fn notes(accuracy: &Accuracy) -> Vec<String> {
    accuracy.notes.iter().map(ToString::to_string).collect()
}
