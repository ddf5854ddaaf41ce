//! What a comparison shows, in sentences: where a reduction helps, where it does not, and where the folds cannot tell.

use eigenspan::error::counted;
use eigenspan::evaluate::{Accuracy, Comparison, Curve, Nested, Point, Verdict};
use eigenspan::note::listed;

use super::{in_words, reduction_words, with_error};
use crate::words::all_of;

/// The sentences, most important first.
pub fn sentences(accuracy: &Accuracy) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(guessing(accuracy));
    for c in 0..accuracy.options.classifiers.len() {
        out.extend(against_none(accuracy, c));
    }
    out.extend(limits(accuracy));
    out
}

/// Accuracies that are not better than guessing, as far as the folds can tell.
fn guessing(accuracy: &Accuracy) -> Option<String> {
    let nested = accuracy
        .curves
        .iter()
        .filter_map(|curve| Some((curve, curve.nested.as_ref()?)));
    let nested: Vec<(&Curve, &Nested)> = nested.collect();
    let not_better = nested
        .iter()
        .filter(|(_, n)| n.against_guess.verdict != Verdict::Better);
    let names: Vec<String> = not_better
        .map(|(curve, _)| {
            let reduction = reduction_words(accuracy, curve.reduction);
            format!("{} after {reduction}", in_words(curve.classifier))
        })
        .collect();
    let guess = format!(
        "guessing the most frequent class ({:.3})",
        accuracy.guess.mean
    );
    match names.len() {
        0 => None,
        n if n == nested.len() => Some(format!(
            "No accuracy here is told apart from {guess}, or it is below: nothing shows that these columns predict the label."
        )),
        _ => Some(format!(
            "Not better than {guess}, as far as {} can tell: {}.",
            counted(accuracy.n_folds, "fold"),
            listed(&names)
                .replace("after all", "on all")
                .replace("after the one", "on the one")
        )),
    }
}

/// What the reductions do to one classifier, against the columns themselves.
fn against_none(accuracy: &Accuracy, c: usize) -> Vec<String> {
    let n = accuracy.reductions.len();
    let Some(none) = (0..n).find(|&r| accuracy.reductions[r].is_none) else {
        return Vec::new();
    };
    let Some(whole) = &accuracy.curve(none, c).nested else {
        return Vec::new();
    };
    let columns = reduction_words(accuracy, none);
    let name = in_words(accuracy.options.classifiers[c]);
    let mut out = Vec::new();
    let mut unclear = Vec::new();
    for curve in (0..n).filter(|&r| r != none).map(|r| accuracy.curve(r, c)) {
        let Some((nested, against)) = compared(curve) else {
            continue;
        };
        let reduction = &accuracy.reductions[curve.reduction].name;
        let verb = match against.verdict {
            Verdict::Better => "helps",
            Verdict::Worse => "costs accuracy",
            Verdict::Unclear => {
                let difference = signed(against.difference, against.standard_error);
                unclear.push(format!(
                    "{reduction} ({:.3}, {difference})",
                    nested.estimate.mean
                ));
                out.extend(along(curve, reduction, name, &columns));
                continue;
            }
        };
        out.push(format!(
            "{reduction} {verb} with {name}: {:.3} with {} against {:.3} with {columns}, {}.",
            nested.estimate.mean,
            components(&nested.n_components),
            whole.estimate.mean,
            signed(against.difference, against.standard_error),
        ));
        out.extend(along(curve, reduction, name, &columns));
    }
    if !unclear.is_empty() {
        let estimate = with_error(whole.estimate.mean, whole.estimate.standard_error);
        let which = match unclear.len() {
            1 => "is",
            _ => "are",
        };
        let text = format!(
            "With {name}, {} {which} not told apart from {columns} ({estimate}).",
            all_of(&unclear)
        );
        out.insert(0, text);
    }
    out
}

fn compared(curve: &Curve) -> Option<(&Nested, Comparison)> {
    let nested = curve.nested.as_ref()?;
    Some((nested, nested.against_none?))
}

/// Fixed numbers of components whose accuracy differs from that of all columns.
fn along(curve: &Curve, reduction: &str, name: &str, columns: &str) -> Option<String> {
    let with = |verdict: Verdict| {
        let is = |point: &Point| point.against_none.is_some_and(|c| c.verdict == verdict);
        runs(&curve.points, &is)
    };
    let (worse, better) = (with(Verdict::Worse), with(Verdict::Better));
    let said = |what: &str, runs: &str| format!("{what} accurate with k = {runs}");
    let mut parts = Vec::new();
    if !worse.is_empty() {
        parts.push(said("less", &worse));
    }
    if !better.is_empty() {
        parts.push(said("more", &better));
    }
    let parts = parts.join(", ");
    (!parts.is_empty())
        .then(|| format!("Fixed k: {name} after {reduction} is {parts} than on {columns}."))
}

/// Numbers of components as runs of those tried: `1–3, 8`.
fn runs(points: &[Point], is: &dyn Fn(&Point) -> bool) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut open = false;
    for point in points {
        let k = point.n_components;
        match (is(point), open, parts.last_mut()) {
            (true, true, Some(last)) => last.1 = k,
            (true, ..) => parts.push((k, k)),
            _ => {}
        }
        open = is(point);
    }
    let text = |&(from, to): &(usize, usize)| match from == to {
        true => from.to_string(),
        false => format!("{from}–{to}"),
    };
    parts.iter().map(text).collect::<Vec<String>>().join(", ")
}

/// `3 components`, or `2 to 4 components` where folds chose different numbers.
fn components(chosen: &[usize]) -> String {
    let low = chosen.iter().copied().min().unwrap_or(0);
    match chosen.iter().copied().max() {
        Some(high) if high > low => format!("{low} to {high} components"),
        _ => counted(low, "component"),
    }
}

/// `+0.028 ± 0.009`.
fn signed(difference: f64, error: f64) -> String {
    // What rounds to zero has no sign.
    let sign = match difference {
        d if d.abs() < 5e-4 => "",
        d if d < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{:.3} ± {error:.3}", difference.abs())
}

/// Reductions that cannot give the largest number of components.
fn limits(accuracy: &Accuracy) -> Vec<String> {
    let largest = accuracy.counts.last().copied().unwrap_or(1);
    let reductions = accuracy.reductions.iter();
    let short = reductions.filter(|r| !r.is_none && r.most < largest);
    short
        .map(|r| {
            let most = counted(r.most, "component");
            format!(
                "{} has at most {most} here, so its values end there.",
                r.name
            )
        })
        .collect()
}
