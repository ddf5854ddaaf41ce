//! Linear and quadratic discriminant analysis: numbers of peers, laws, hard data, and the texts of what is refused.

mod errors;
mod hard;
mod laws;
mod numbers;

use eigenspan::method::contract::{Fitted, Predict, Scores};
use eigenspan::method::{Lda, LdaOptions, Qda, QdaOptions, Training};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat};

use crate::support::{repository, table_without};

/// A table with classes.
pub(super) struct Classed {
    pub(super) rows: Mat<f64>,
    pub(super) labels: Vec<String>,
}

/// A table of `data`, with the column that names the classes.
pub(super) fn classed(name: &str, label: &str) -> Classed {
    let file = format!("{name}/{name}.csv");
    let text = std::fs::read_to_string(repository().join("data").join(&file)).expect("a table");
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    let place = header.split(',').position(|column| column == label);
    let place = place.expect("the column of the classes");
    let labels = lines.map(|line| line.split(',').nth(place).expect("a label").to_owned());
    Classed {
        labels: labels.collect(),
        rows: table_without(&file, &[label]),
    }
}

impl Classed {
    pub(super) fn lda(&self, options: &LdaOptions) -> Result<Lda, Error> {
        let rows = Dense::new(self.rows.view());
        options.fit(&Context::new(), &self.training(&rows))
    }

    pub(super) fn qda(&self, options: &QdaOptions) -> Result<Qda, Error> {
        let rows = Dense::new(self.rows.view());
        options.fit(&Context::new(), &self.training(&rows))
    }

    pub(super) fn training<'a>(&'a self, rows: &'a Dense<'a, f64>) -> Training<'a> {
        Training {
            rows: Numbers::F64(rows),
            labels: Some(&self.labels),
        }
    }

    /// How many rows get their own class.
    pub(super) fn right(&self, by: &dyn Predict) -> usize {
        let rows = Dense::new(self.rows.view());
        let predicted = by.predict(&Context::new(), Numbers::F64(&rows));
        let predicted = predicted.expect("classes");
        let pairs = predicted.iter().zip(&self.labels);
        pairs
            .filter(|(class, label)| class.is_some_and(|class| by.classes()[class] == **label))
            .count()
    }
}

/// Scores of rows.
pub(super) fn scores(fitted: &dyn Fitted, rows: &Mat<f64>) -> Mat<f64> {
    let rows = Dense::new(rows.view());
    match fitted.transform(&Context::new(), Numbers::F64(&rows)) {
        Ok(Scores::F64(scores)) => scores,
        other => panic!("{other:?}"),
    }
}

/// Probabilities of rows.
pub(super) fn probabilities(by: &dyn Predict, rows: &Mat<f64>) -> Mat<f64> {
    let rows = Dense::new(rows.view());
    let found = by.probabilities(&Context::new(), Numbers::F64(&rows));
    found.expect("probabilities")
}
