//! All numbers of a comparison as CSV: a line for each reduction, classifier and number of components, and one for the accuracy with
//! everything chosen inside the folds (`n_components` is then `chosen`).

use eigenspan::evaluate::{Accuracy, Comparison, Estimate, Verdict};

use crate::figure::{Csv, cell};

/// The numbers.
pub fn csv(accuracy: &Accuracy) -> String {
    let folds: Vec<String> = (1..=accuracy.n_folds)
        .map(|f| format!("fold_{f}"))
        .collect();
    let heads = [
        "reduction",
        "classifier",
        "n_components",
        "accuracy",
        "standard_error",
        "difference",
        "difference_error",
        "against_none",
        "chosen_n_components",
        "chosen_n_neighbors",
    ];
    let mut csv = Csv::new(heads.into_iter().chain(folds.iter().map(String::as_str)));
    for curve in &accuracy.curves {
        let reduction = &accuracy.reductions[curve.reduction].name;
        let mut line =
            |k: String, estimate: &Estimate, against: Option<Comparison>, chosen: [&[usize]; 2]| {
                let head = [reduction.clone(), curve.classifier.name().to_owned(), k];
                let numbers = [cell(estimate.mean), cell(estimate.standard_error)];
                let compared = match against {
                    None => [const { String::new() }; 3],
                    Some(against) => [
                        cell(against.difference),
                        cell(against.standard_error),
                        verdict(against.verdict).to_owned(),
                    ],
                };
                let cells = head.into_iter().chain(numbers).chain(compared);
                let folds = estimate.folds.iter().map(|share| cell(*share));
                csv.line(cells.chain(chosen.map(listed)).chain(folds));
            };
        for point in &curve.points {
            let chosen = [&[] as &[usize], &point.n_neighbors];
            let k = point.n_components.to_string();
            line(k, &point.estimate, point.against_none, chosen);
        }
        if let Some(nested) = &curve.nested {
            let chosen = [nested.n_components.as_slice(), &nested.n_neighbors];
            line(
                "chosen".to_owned(),
                &nested.estimate,
                nested.against_none,
                chosen,
            );
        }
    }
    let folds = accuracy.guess.folds.iter().map(|share| cell(*share));
    let numbers = [
        cell(accuracy.guess.mean),
        cell(accuracy.guess.standard_error),
    ];
    let head = [
        "none".to_owned(),
        "most-frequent-class".to_owned(),
        String::new(),
    ];
    let empty = [const { String::new() }; 5];
    csv.line(head.into_iter().chain(numbers).chain(empty).chain(folds));
    csv.0
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Unclear => "unclear",
    }
}

/// Counts with a blank between them.
fn listed(counts: &[usize]) -> String {
    let texts: Vec<String> = counts.iter().map(usize::to_string).collect();
    texts.join(" ")
}
