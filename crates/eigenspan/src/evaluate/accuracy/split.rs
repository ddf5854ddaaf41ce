//! One fit of a comparison: a reduction learnt from some rows, and how many of the rows held out each classifier then gets right.

use super::study::AccuracyStudy;
use crate::context::Context;
use crate::error::Error;
use crate::evaluate::classify::several;
use crate::evaluate::tune::prepared;
use crate::evaluate::{self, Classifier};
use crate::kernel::FeatureMap;
use crate::mat::Mat;
use crate::method::contract::Scores;
use crate::method::{Fitted, Method, Training};
use crate::note::Note;
use crate::source::{Dense, Numbers};

/// Rows to learn from and rows held out, as numbers among all rows.
#[derive(Debug, Clone)]
pub(super) struct Split {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
}

/// What one fit came to.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// Held-out rows that each classifier gets right: classifier after classifier, for each all numbers of components, for each all
    /// numbers of neighbors (the first alone where the classifier is not k-NN). None where it was not asked for or not possible.
    pub(super) right: Vec<Option<usize>>,
    /// The most components that the method gave.
    pub(super) most: usize,
    /// Number of fits.
    pub(super) n_fits: usize,
    /// Whether each number of components takes a fit of its own.
    pub(super) one_by_one: bool,
    /// Notes of the fit.
    pub(super) notes: Vec<Note>,
}

/// A fitted reduction's coordinates of the rows to learn from and of those held out.
struct Coordinates {
    train: Mat<f64>,
    test: Mat<f64>,
    /// Whether the first columns are what a fit with fewer components gives.
    nested: bool,
    notes: Vec<Note>,
}

impl Split {
    /// The outcome of one reduction, for the classifiers that `wanted` names.
    pub(super) fn run(
        &self,
        ctx: &Context,
        study: &AccuracyStudy,
        reduction: usize,
        wanted: &[bool],
    ) -> Result<Outcome, Error> {
        let quiet = ctx.without_progress();
        let classes = study.classes.of_rows();
        let rows = |places: &[usize]| {
            Mat::from_fn(places.len(), study.rows.n_cols(), |i, j| {
                study.rows[(places[i], j)]
            })
        };
        let (mut train, mut test) = (rows(&self.train), rows(&self.test));
        let learnt = prepared(&quiet, study.options.scale, &train, &test)?;
        test = learnt.0;
        if let Some(preparation) = learnt.1 {
            train = preparation.features(train, 0)?;
        }
        let known: Vec<usize> = self.train.iter().map(|&i| classes[i]).collect();
        let truth: Vec<usize> = self.test.iter().map(|&i| classes[i]).collect();
        let mut judge = Judge::new(study, wanted, (known, truth));
        let counts = study.counts_for(reduction);
        let Some(method) = &study.methods[reduction] else {
            let (widths, places) = (vec![train.n_cols()], vec![0]);
            judge.count(&quiet, (&train, &test), &widths, &places)?;
            return Ok(judge.outcome(train.n_cols(), 0, false, Vec::new()));
        };
        let labels: Vec<String> = (self.train.iter())
            .map(|&i| study.classes.names()[classes[i]].clone())
            .collect();
        let training = (&train, labels.as_slice(), study.names.as_deref());
        let largest = counts.last().copied().unwrap_or(1);
        let first = coordinates(&quiet, &**method, training, &test, largest)?;
        let most = first.train.n_cols();
        if first.nested {
            let places: Vec<usize> = (0..counts.len()).filter(|&p| counts[p] <= most).collect();
            let widths: Vec<usize> = places.iter().map(|&p| counts[p]).collect();
            judge.count(&quiet, (&first.train, &first.test), &widths, &places)?;
            return Ok(judge.outcome(most, 1, false, first.notes));
        }
        // A method whose first components depend on their number is fitted with each number that it can give.
        let mut n_fits = 1;
        for (place, &k) in counts.iter().enumerate().filter(|(_, k)| **k <= most) {
            let own = match k == most {
                true => None,
                false => {
                    n_fits += 1;
                    Some(coordinates(&quiet, &**method, training, &test, k)?)
                }
            };
            let of_k = own.as_ref().unwrap_or(&first);
            // A method may have as many components as it has, whatever is asked for.
            if of_k.train.n_cols() == k {
                judge.count(&quiet, (&of_k.train, &of_k.test), &[k], &[place])?;
            }
        }
        Ok(judge.outcome(most, n_fits, true, first.notes))
    }
}

/// A method fitted with k components, or with as many as it can give where those are fewer.
fn coordinates(
    ctx: &Context,
    method: &dyn Method,
    (rows, labels, names): (&Mat<f64>, &[String], Option<&[String]>),
    new: &Mat<f64>,
    k: usize,
) -> Result<Coordinates, Error> {
    let source = match names {
        Some(names) => Dense::new(rows.view()).with_names(names.to_vec())?,
        None => Dense::new(rows.view()),
    };
    let training = Training {
        rows: Numbers::from_source(&source),
        labels: Some(labels),
    };
    let fit = |k: usize| method.with_n_components(k).fit(ctx, &training);
    let model = match fit(k) {
        Err(Error::TooManyComponents { rows, cols, .. }) => fit(rows.min(cols).min(k))?,
        // Other limits, such as the number of classes, are known to the method alone: it then keeps as many as it can.
        Err(error) if method.learns_from_labels() => {
            let whole = method.fit(ctx, &training).map_err(|_| error)?;
            let most = whole.common().n_components;
            if most < k { whole } else { fit(most)? }
        }
        other => other?,
    };
    model.must_project()?;
    Ok(Coordinates {
        train: projected(ctx, &*model, rows)?,
        test: projected(ctx, &*model, new)?,
        nested: model.spectrum().is_some(),
        notes: model.common().notes.to_vec(),
    })
}

fn projected(ctx: &Context, model: &dyn Fitted, rows: &Mat<f64>) -> Result<Mat<f64>, Error> {
    let source = Dense::new(rows.view());
    Ok(match model.transform(ctx, Numbers::from_source(&source))? {
        Scores::F64(scores) => scores,
        Scores::F32(scores) => Mat::from_fn(scores.n_rows(), scores.n_cols(), |i, j| {
            f64::from(scores[(i, j)])
        }),
    })
}

/// Counts the rows that classifiers get right.
struct Judge<'a> {
    study: &'a AccuracyStudy,
    wanted: &'a [bool],
    known: Vec<usize>,
    truth: Vec<usize>,
    right: Vec<Option<usize>>,
}

impl<'a> Judge<'a> {
    fn new(
        study: &'a AccuracyStudy,
        wanted: &'a [bool],
        (known, truth): (Vec<usize>, Vec<usize>),
    ) -> Self {
        Judge {
            study,
            wanted,
            known,
            truth,
            right: vec![None; study.n_cells()],
        }
    }

    /// Counts for the first columns of the coordinates: `widths` says how many, `places` where those numbers stand among all.
    fn count(
        &mut self,
        ctx: &Context,
        (train, test): (&Mat<f64>, &Mat<f64>),
        widths: &[usize],
        places: &[usize],
    ) -> Result<(), Error> {
        let study = self.study;
        let known = std::mem::take(&mut self.known);
        let training = evaluate::Training {
            rows: train,
            classes: &known,
            n_classes: study.classes.names().len(),
        };
        for (c, &classifier) in study.options.classifiers.iter().enumerate() {
            if !self.wanted[c] {
                continue;
            }
            if classifier == Classifier::Knn {
                let neighbors = &study.options.n_neighbors;
                let all = several::predict(ctx, training, widths, neighbors, test)?;
                for (&place, each) in places.iter().zip(&all) {
                    for (m, predicted) in each.iter().enumerate() {
                        self.right[study.cell(c, place, m)] = Some(self.agreeing(predicted));
                    }
                }
                continue;
            }
            for (&place, &k) in places.iter().zip(widths) {
                let rows = first_columns(train, k);
                let training = evaluate::Training {
                    rows: &rows,
                    ..training
                };
                let predicted = classifier.predict(ctx, training, 1, &first_columns(test, k))?;
                self.right[study.cell(c, place, 0)] = Some(self.agreeing(&predicted));
            }
        }
        self.known = known;
        Ok(())
    }

    fn agreeing(&self, predicted: &[usize]) -> usize {
        predicted
            .iter()
            .zip(&self.truth)
            .filter(|(a, b)| a == b)
            .count()
    }

    fn outcome(self, most: usize, n_fits: usize, one_by_one: bool, notes: Vec<Note>) -> Outcome {
        Outcome {
            right: self.right,
            most,
            n_fits,
            one_by_one,
            notes,
        }
    }
}

/// The first k columns.
fn first_columns(scores: &Mat<f64>, k: usize) -> Mat<f64> {
    Mat::from_fn(scores.n_rows(), k, |i, j| scores[(i, j)])
}
