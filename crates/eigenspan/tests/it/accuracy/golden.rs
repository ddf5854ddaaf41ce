//! Right rows and probabilities of scikit-learn: `tests/reference/classifiers.json`, made by `classifiers.py` beside it.

use eigenspan::evaluate::{Accuracy, AccuracyOptions, Classes, Classifier, Estimate, Training};
use eigenspan::prepare::Scale;
use eigenspan::{Context, Mat};
use serde_json::Value;

use super::{asked, begun, fifths, labelled};
use crate::support::{numbers, reference};

const TABLES: [(&str, &str); 3] = [
    ("iris", "species"),
    ("wine", "target"),
    ("breast-cancer", "diagnosis"),
];

/// Rows right in every fold; the share of a fold is that count divided by the fold's rows.
fn right(estimate: &Estimate, n: usize) -> Vec<f64> {
    let rows = |fold: usize| (n - fold).div_ceil(5) as f64;
    let shares = estimate.folds.iter().enumerate();
    shares
        .map(|(fold, share)| (share * rows(fold)).round())
        .collect()
}

fn counts(want: &Value) -> Vec<String> {
    numbers(want).iter().map(f64::to_string).collect()
}

/// Standardized columns, on folds and inner folds of every fifth row.
fn run(options: AccuracyOptions, x: &Mat<f64>, labels: &[String]) -> Accuracy {
    let options = AccuracyOptions {
        scale: Scale::Std,
        ..options
    };
    let study = begun(&options, x, Some(labels)).expect("a comparison");
    let folds = fifths(x.n_rows());
    let inner = (0..5)
        .map(|fold| fifths(folds.split(fold).0.len()))
        .collect();
    let study = study.with_folds(folds).expect("folds");
    let study = study.with_inner_folds(inner).expect("inner folds");
    study.run(&Context::new()).expect("a result")
}

#[test]
fn as_many_rows_are_right_as_in_scikit_learn_after_every_reduction() {
    let stored = reference("classifiers.json");
    for (name, label) in TABLES {
        let (x, labels) = labelled(name, label);
        let want = &stored["results"][name];
        let k = counts(&want["counts"]).join(",");
        let options = AccuracyOptions {
            n_neighbors: vec![5],
            ..asked("none,pca,kpca(kernel=rbf(gamma=0.05))", &k)
        };
        let got = run(options, &x, &labels);
        for (r, reduction) in ["none", "pca", "kpca"].into_iter().enumerate() {
            for (c, classifier) in got.options.classifiers.iter().enumerate() {
                let rows = &want["right"][reduction][classifier.name()];
                let points = &got.curve(r, c).points;
                assert_eq!(
                    points.len(),
                    rows.as_array().map_or(0, Vec::len),
                    "{name} {reduction}"
                );
                for (p, point) in points.iter().enumerate() {
                    let what = (name, reduction, classifier, point.n_components);
                    assert_eq!(
                        right(&point.estimate, x.n_rows()),
                        numbers(&rows[p]),
                        "{what:?}"
                    );
                }
            }
        }
        assert_eq!(
            right(&got.guess, x.n_rows()),
            numbers(&want["guess"]),
            "{name}"
        );
    }
}

#[test]
fn what_is_chosen_inside_the_folds_and_what_it_comes_to_are_those_of_scikit_learn() {
    let stored = reference("classifiers.json");
    for (name, label) in TABLES {
        let (x, labels) = labelled(name, label);
        let want = &stored["results"][name];
        let options = AccuracyOptions {
            n_neighbors: vec![1, 5, 15],
            ..asked("pca", &counts(&want["counts"]).join(","))
        };
        let got = run(options, &x, &labels);
        for (c, classifier) in got.options.classifiers.iter().enumerate() {
            let nested = got.curve(0, c).nested.as_ref().expect("a nested accuracy");
            let want = &want["nested_pca"][classifier.name()];
            let list = |counts: &[usize]| counts.iter().map(|k| *k as f64).collect::<Vec<f64>>();
            assert_eq!(
                list(&nested.n_components),
                numbers(&want["n_components"]),
                "{name}"
            );
            if *classifier == Classifier::Knn {
                assert_eq!(
                    list(&nested.n_neighbors),
                    numbers(&want["n_neighbors"]),
                    "{name}"
                );
            }
            assert_eq!(
                right(&nested.estimate, x.n_rows()),
                numbers(&want["right"]),
                "{name}"
            );
        }
    }
}

#[test]
fn probabilities_are_those_of_scikit_learn() {
    let stored = reference("classifiers.json");
    for (name, label) in TABLES {
        let (x, labels) = labelled(name, label);
        let classes = Classes::new(&labels).expect("classes");
        let (test, train): (Vec<usize>, Vec<usize>) = (0..x.n_rows()).partition(|i| i % 3 == 0);
        let pick =
            |places: &[usize]| Mat::from_fn(places.len(), x.n_cols(), |i, j| x[(places[i], j)]);
        let known: Vec<usize> = train.iter().map(|&i| classes.of_rows()[i]).collect();
        let training = Training {
            rows: &pick(&train),
            classes: &known,
            n_classes: classes.names().len(),
        };
        for classifier in [Classifier::NaiveBayes, Classifier::Knn, Classifier::Lda] {
            let got = classifier.predict_proba(&Context::new(), training, 5, &pick(&test));
            let got = got.expect("probabilities");
            let want = &stored["results"][name]["probabilities"][classifier.name()];
            let want = want.as_array().expect("rows");
            assert_eq!(want.len(), got.n_rows().div_ceil(5));
            for (row, want) in got.rows().step_by(5).zip(want) {
                let off = row.iter().zip(numbers(want)).map(|(a, b)| (a - b).abs());
                let off = off.fold(0.0, f64::max);
                assert!(off < 1e-9, "{name}, {classifier:?}: off by {off:e}");
            }
        }
    }
}
