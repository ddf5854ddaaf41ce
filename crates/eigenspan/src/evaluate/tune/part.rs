//! One part of a search: a fold held out, or a table with permuted columns; every kernel is tried on it.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Criterion, Outcome, Tuner};
use crate::choose::permuted;
use crate::context::Context;
use crate::error::Error;
use crate::evaluate::Training;
use crate::kernel::{FeatureMap, Pairs, Points, ResolvedKernel};
use crate::mat::Mat;
use crate::method::{KernelPca, KernelPcaOptions, PreImageOptions};
use crate::note::Note;
use crate::parallel;
use crate::prepare::{Preparation, Scale};
use crate::rng::stream;
use crate::source::Dense;

/// The most steps of the fixed point: criteria do not depend on the last digits of pre-images.
const STEPS: usize = 200;

/// Rows to learn from and rows held out.
pub(super) struct Part<'a> {
    tuner: &'a Tuner,
    number: usize,
    train: Vec<usize>,
    test: Vec<usize>,
    /// Rows with permuted or scaled columns, where these are used.
    own: Option<Mat<f64>>,
    /// How they were scaled.
    preparation: Option<Preparation>,
    pairs: Option<Arc<Pairs>>,
}

impl<'a> Part<'a> {
    pub(super) fn new(
        ctx: &Context,
        tuner: &'a Tuner,
        number: usize,
        shared: Option<&Arc<Pairs>>,
        allowed: u64,
    ) -> Result<Self, Error> {
        let (train, test) = match tuner.criterion {
            Criterion::Parallel => ((0..tuner.rows.n_rows()).collect(), Vec::new()),
            _ => tuner.folds.split(number),
        };
        let mut part = Part {
            tuner,
            number,
            train,
            test,
            own: None,
            preparation: None,
            pairs: shared.cloned(),
        };
        if tuner.criterion == Criterion::Parallel && number > 0 {
            let seed = stream(tuner.options.seed, number);
            part.own = Some(permuted(&tuner.rows.transposed(), seed).transposed());
        }
        if tuner.options.scale != Scale::None {
            let training = part.rows(&part.train, false);
            let rows = part.own.as_ref().unwrap_or(&tuner.rows);
            let (rows, preparation) = prepared(ctx, tuner.options.scale, &training, rows)?;
            (part.own, part.preparation) = (Some(rows), preparation);
        }
        let kernel = tuner.grid.kernel(0)?;
        let rows = part.own.as_ref().unwrap_or(&tuner.rows);
        let fits = Pairs::bytes(&kernel, rows.n_rows()) <= allowed / 2;
        if part.pairs.is_none() && fits && !kernel.is_precomputed() {
            part.pairs = Some(Arc::new(Pairs::new(ctx, &kernel, rows)?));
        }
        Ok(part)
    }

    /// The outcomes of some kernels, several at a time.
    pub(super) fn run(
        &self,
        ctx: &Context,
        kernels: &[usize],
        at_once: usize,
        finished: &(dyn Fn(&Outcome) -> Result<(), Error> + Sync),
    ) -> Result<Vec<Outcome>, Error> {
        let outcomes = Mutex::new(Vec::new());
        let quiet = ctx.without_progress();
        let one = |kernel: &usize| -> Result<(), Error> {
            ctx.check()?;
            let outcome = self.outcome(&quiet, *kernel)?;
            let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            finished(&outcome)?;
            outcomes.push(outcome);
            ctx.advance(1);
            Ok(())
        };
        ctx.install(|| {
            let mut runs = kernels.chunks(at_once.min(kernels.len()).max(1));
            runs.try_for_each(|run| parallel::try_collect(run.len(), |i| one(&run[i])).map(drop))
        })?;
        Ok(outcomes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner))
    }

    /// The outcome of one kernel. A kernel that cannot be computed here is left out with a note, and the search goes on.
    fn outcome(&self, ctx: &Context, kernel: usize) -> Result<Outcome, Error> {
        let (values, notes) = match self.values(ctx, kernel) {
            Ok((values, notes)) => {
                let values = values.into_iter().map(|x| x.is_finite().then_some(x));
                (values.collect(), notes)
            }
            Err(error @ (Error::Overflow | Error::Underflow | Error::NoConvergence { .. })) => {
                let label = self.tuner.grid.label(kernel);
                let text = format!("{label} is left out: {error}");
                let none = vec![None; self.tuner.values_per_outcome()];
                (none, vec![Note::reading(text)])
            }
            Err(error) => return Err(error),
        };
        Ok(Outcome {
            kernel,
            part: self.number,
            values,
            notes,
        })
    }

    fn values(&self, ctx: &Context, number: usize) -> Result<(Vec<f64>, Vec<Note>), Error> {
        let kernel = self.tuner.grid.kernel(number)?;
        let training = self.rows(&self.train, kernel.is_precomputed());
        let resolved = ResolvedKernel::new(&kernel, &training)?.for_centering(&training)?;
        let points = self.points(&resolved, training, &self.train)?;
        let options = self.tuner.fit_options(kernel);
        let model = options.fit_points(ctx, resolved, points)?;
        // A note that fewer directions vary than components were asked for is dropped: the search looks for that number.
        let fitted = model.notes().iter();
        let mut notes: Vec<Note> = fitted
            .filter(|note| !matches!(note, Note::RankBelowK { .. }))
            .cloned()
            .collect();
        let values = match self.tuner.criterion {
            Criterion::Accuracy => self.accuracies(ctx, &model)?,
            Criterion::Reconstruction => self.distances(ctx, &model, &mut notes)?,
            Criterion::Parallel => {
                let total = self.total_length(&model)?;
                model.eigenvalues().iter().map(|x| x / total).collect()
            }
        };
        Ok((values, notes))
    }

    /// Σ k(x, x) over the training rows.
    fn total_length(&self, model: &KernelPca) -> Result<f64, Error> {
        let kernel = model.kernel().plain();
        let points = kernel.points(self.rows(&self.train, false), 0)?;
        Ok(kernel.diagonal(&points).iter().sum())
    }

    /// Some rows; of a kernel matrix, the columns of the training rows.
    fn rows(&self, places: &[usize], precomputed: bool) -> Mat<f64> {
        let rows = self.own.as_ref().unwrap_or(&self.tuner.rows);
        match precomputed {
            true => Mat::from_fn(places.len(), self.train.len(), |i, j| {
                rows[(places[i], self.train[j])]
            }),
            false => Mat::from_fn(places.len(), rows.n_cols(), |i, j| rows[(places[i], j)]),
        }
    }

    fn points(
        &self,
        kernel: &ResolvedKernel,
        rows: Mat<f64>,
        places: &[usize],
    ) -> Result<Points, Error> {
        let points = kernel.points(rows, 0)?;
        Ok(match &self.pairs {
            Some(pairs) => points.among(pairs, places),
            None => points,
        })
    }

    /// Scores of the rows held out.
    fn held_out(&self, ctx: &Context, model: &KernelPca) -> Result<Mat<f64>, Error> {
        let rows = self.rows(&self.test, model.kernel().kernel().is_precomputed());
        let points = self.points(model.kernel(), rows, &self.test)?;
        model.project(ctx, &points)
    }

    /// For each number of components, the share of held-out rows that are classified correctly.
    fn accuracies(&self, ctx: &Context, model: &KernelPca) -> Result<Vec<f64>, Error> {
        let tuner = self.tuner;
        let Some(classes) = &tuner.classes else {
            return Ok(Vec::new());
        };
        let of = |places: &[usize]| -> Vec<usize> {
            places.iter().map(|&i| classes.of_rows()[i]).collect()
        };
        let (known, truth) = (of(&self.train), of(&self.test));
        let scores = self.held_out(ctx, model)?;
        let Some(fitted) = model.scores() else {
            return Ok(Vec::new());
        };
        let accuracy = |&k: &usize| {
            let training = first_columns(fitted, k);
            let training = Training {
                rows: &training,
                classes: &known,
                n_classes: classes.names().len(),
            };
            let rows = first_columns(&scores, k);
            let neighbors = tuner.options.n_neighbors;
            let predicted = tuner
                .options
                .classifier
                .predict(ctx, training, neighbors, &rows)?;
            let right = predicted.iter().zip(&truth).filter(|(a, b)| a == b).count();
            Ok(right as f64 / truth.len().max(1) as f64)
        };
        tuner.counts.values().iter().map(accuracy).collect()
    }

    /// For each number of components, the root of the mean squared distance of held-out rows to their pre-images.
    fn distances(
        &self,
        ctx: &Context,
        model: &KernelPca,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<f64>, Error> {
        let tuner = self.tuner;
        let scores = self.held_out(ctx, model)?;
        let rows = &tuner.rows;
        let rows = Mat::from_fn(self.test.len(), rows.n_cols(), |i, j| {
            rows[(self.test[i], j)]
        });
        let options = PreImageOptions {
            method: tuner.options.pre_image,
            max_iterations: STEPS,
            ..Default::default()
        };
        let mut distance = |&k: &usize| {
            let model = model.clone().truncated(k)?;
            let scores = first_columns(&scores, k);
            // The iteration does not start at the rows themselves: a row far from all training rows would stay where it is.
            let found = model.pre_images(ctx, options)?;
            let mut found = found.inverse(ctx, scores.view(), None)?;
            if let Some(preparation) = &self.preparation {
                preparation.undo(&mut found.rows);
            }
            for note in found.notes {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            let cells = rows.as_slice().iter().zip(found.rows.as_slice());
            let square: f64 = cells.map(|(a, b)| (a - b) * (a - b)).sum();
            Ok((square / rows.n_rows().max(1) as f64).sqrt())
        };
        tuner.counts.values().iter().map(&mut distance).collect()
    }
}

/// Rows centered and scaled by the training rows' means and scales; unchanged where nothing is scaled.
pub(in crate::evaluate) fn prepared(
    ctx: &Context,
    scale: Scale,
    training: &Mat<f64>,
    rows: &Mat<f64>,
) -> Result<(Mat<f64>, Option<Preparation>), Error> {
    let options = KernelPcaOptions {
        scale,
        ..Default::default()
    };
    let quiet = ctx.without_progress();
    match options.learn_preparation(&quiet, &Dense::new(training.view()))? {
        Some((preparation, _)) => {
            let rows = preparation.features(rows.clone(), 0)?;
            Ok((rows, Some(preparation)))
        }
        None => Ok((rows.clone(), None)),
    }
}

/// The first k columns; zeros where there are fewer.
fn first_columns(scores: &Mat<f64>, k: usize) -> Mat<f64> {
    Mat::from_fn(scores.n_rows(), k, |i, j| {
        scores.row(i).get(j).copied().unwrap_or(0.0)
    })
}
