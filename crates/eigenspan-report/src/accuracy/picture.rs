//! The figure of a comparison: accuracy against the number of components, a panel for each classifier.

use eigenspan::error::counted;
use eigenspan::evaluate::{Accuracy, Verdict};
use eigenspan::note::listed;

use super::{in_words, reduction_words};
use crate::figure::accuracy::{Line, Panel, Panels};

/// The figure.
pub(super) fn panels(accuracy: &Accuracy) -> Panels {
    let reductions = 0..accuracy.reductions.len();
    let none = reductions.clone().find(|&r| accuracy.reductions[r].is_none);
    let reduced: Vec<usize> = reductions.filter(|r| Some(*r) != none).collect();
    let panel = |c: usize| Panel {
        title: in_words(accuracy.options.classifiers[c]).to_owned(),
        whole: none.and_then(|r| Some(accuracy.curve(r, c).nested.as_ref()?.estimate.mean)),
        lines: reduced
            .iter()
            .map(|&r| {
                let points = accuracy.curve(r, c).points.iter();
                let point = |p: &eigenspan::evaluate::Point| {
                    let estimate = &p.estimate;
                    (p.n_components, estimate.mean, estimate.standard_error)
                };
                Line {
                    points: points.map(point).collect(),
                }
            })
            .collect(),
    };
    Panels {
        finding: finding(accuracy),
        names: reduced
            .iter()
            .map(|&r| accuracy.reductions[r].name.clone())
            .collect(),
        whole: none.map(|r| reduction_words(accuracy, r)),
        guess: accuracy.guess.mean,
        panels: (0..accuracy.options.classifiers.len()).map(panel).collect(),
        how: format!(
            "share of held-out rows whose class is predicted · {} · whiskers: one standard error",
            counted(accuracy.n_folds, "fold")
        ),
    }
}

/// The main result in a line.
fn finding(accuracy: &Accuracy) -> String {
    let nested = || {
        let curves = accuracy.curves.iter();
        curves.filter_map(|curve| Some((curve, curve.nested.as_ref()?)))
    };
    if nested().all(|(_, n)| n.against_guess.verdict != Verdict::Better) {
        return "Nothing predicts the label better than guessing".to_owned();
    }
    let with = |verdict: Verdict| -> Vec<String> {
        let is = |n: &eigenspan::evaluate::Nested| {
            n.against_none
                .is_some_and(|against| against.verdict == verdict)
        };
        let found = nested().filter(|(_, n)| is(n));
        found
            .map(|(curve, _)| {
                let name = &accuracy.reductions[curve.reduction].name;
                format!("{name} with {}", in_words(curve.classifier))
            })
            .collect()
    };
    let (better, worse) = (with(Verdict::Better), with(Verdict::Worse));
    if nested().all(|(_, n)| n.against_none.is_none()) {
        return "Accuracy after each reduction".to_owned();
    }
    match (better.is_empty(), worse.is_empty()) {
        (false, _) => format!("What helps: {}", listed(&better)),
        (true, false) => format!(
            "No reduction helps; what costs accuracy: {}",
            listed(&worse)
        ),
        (true, true) => "No reduction is told apart from all columns".to_owned(),
    }
}
