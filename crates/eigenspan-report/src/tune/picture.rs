//! The figure of a search: the one or two most important parameters that vary; each cell shows the best over all other parameters.

use eigenspan::error::counted;
use eigenspan::evaluate::{Classifier, Criterion, Tuner, Tuning};

use crate::figure::search::{Parameter, Search};

/// The figure of a search.
pub(super) fn search(tuning: &Tuning, tuner: &Tuner) -> Search {
    let axes = axes(tuning);
    // Across: the number of components, if it varies; down: the first other parameter that varies.
    let last = axes.len() - 1;
    let varying: Vec<usize> = (0..axes.len())
        .filter(|&i| axes[i].values.len() > 1)
        .collect();
    let across = varying.last().copied().unwrap_or(last);
    let down = varying.first().copied().filter(|&first| first != across);
    let width = axes[across].values.len();
    let height = down.map_or(1, |down| axes[down].values.len());
    let mut places: Vec<Option<usize>> = vec![None; width * height];
    let sign = if tuning.criterion.more_is_better() {
        1.0
    } else {
        -1.0
    };
    let worth = |cell: usize| {
        tuning.cells[cell]
            .mean
            .map_or(f64::NEG_INFINITY, |mean| sign * mean)
    };
    let place_of = |cell: usize| {
        let at = coordinates(tuning, cell);
        down.map_or(0, |down| at[down]) * width + at[across]
    };
    let order = [tuning.best, tuning.simplest].into_iter();
    for cell in order.chain(0..tuning.cells.len()) {
        let kept = &mut places[place_of(cell)];
        // The best and the simplest choice keep their cells; every other cell shows the best over the remaining parameters.
        let fixed = kept.is_some_and(|kept| kept == tuning.best || kept == tuning.simplest);
        if !fixed && kept.is_none_or(|kept| worth(kept) < worth(cell)) {
            *kept = Some(cell);
        }
    }
    let of = |value: fn(&eigenspan::evaluate::Cell) -> Option<f64>| -> Vec<f64> {
        let cells = places
            .iter()
            .map(|place| place.map(|cell| &tuning.cells[cell]));
        cells
            .map(|cell| cell.and_then(value).unwrap_or(f64::NAN))
            .collect()
    };
    let hidden: Vec<&str> = (varying.iter())
        .filter(|&&axis| axis != across && Some(axis) != down)
        .map(|&axis| axes[axis].name.as_str())
        .collect();
    let mut how = how(tuner);
    if !hidden.is_empty() {
        how += &format!(" · the best over {}", hidden.join(", "));
    }
    Search {
        measure: measure(tuner),
        more_is_better: tuning.criterion.more_is_better(),
        means: of(|cell| cell.mean),
        errors: of(|cell| cell.error),
        best: place_of(tuning.best),
        simplest: place_of(tuning.simplest),
        down: down.map(|down| axes[down].clone()),
        across: axes[across].clone(),
        how,
    }
}

/// The parameters of the kernel in order, and the number of components last.
fn axes(tuning: &Tuning) -> Vec<Parameter> {
    let kernel = tuning.grid.axes().iter().map(|axis| Parameter {
        name: axis.name.clone(),
        values: axis.values.clone(),
    });
    let components = Parameter {
        name: "components".to_owned(),
        values: tuning.counts.iter().map(usize::to_string).collect(),
    };
    kernel.chain([components]).collect()
}

/// The position of a cell on every axis.
fn coordinates(tuning: &Tuning, cell: usize) -> Vec<usize> {
    let (kernel, count) = (cell / tuning.counts.len(), cell % tuning.counts.len());
    let mut places = tuning.grid.places(kernel);
    places.push(count);
    places
}

/// What was compared, in words.
pub(super) fn measure(tuner: &Tuner) -> String {
    match tuner.criterion() {
        Criterion::Accuracy => "accuracy",
        Criterion::Reconstruction => "distance to the pre-image",
        Criterion::Parallel => "share above permuted columns",
    }
    .to_owned()
}

/// How it was computed, in one line.
fn how(tuner: &Tuner) -> String {
    let options = tuner.resolved_options();
    let folds = counted(tuner.n_parts(), "fold");
    match tuner.criterion() {
        Criterion::Accuracy => {
            let classifier = match options.classifier {
                Classifier::Knn => format!("{} nearest neighbors", options.n_neighbors),
                Classifier::NaiveBayes => "naive Bayes".to_owned(),
                Classifier::Lda => "linear discriminants".to_owned(),
            };
            format!("{classifier} on the scores of rows held out · {folds}")
        }
        Criterion::Reconstruction => {
            format!("of rows held out, in the units of the data · {folds}")
        }
        Criterion::Parallel => {
            let draws = counted(tuner.n_parts() - 1, "table");
            format!("eigenvalues above the 95 % quantile of {draws} with permuted columns")
        }
    }
}
