//! What holds for every table: bits, nesting, bounds, and that labels without meaning are not predicted.

use eigenspan::evaluate::{AccuracyOptions, Classifier, Verdict};
use eigenspan::prepare::Scale;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};

use super::{asked, begun, compared, iris, labelled, noise, notes};
use crate::support::to_f32;

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    let (x, labels) = labelled("wine", "target");
    let options = asked("none,pca,kpca", "1..6");
    let study = begun(&options, &x, Some(&labels)).expect("a comparison");
    let run = |threads| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        study.run(&ctx).expect("a result")
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn labels_without_meaning_are_not_predicted_better_than_by_guessing() {
    let (x, labels) = noise(300, 6, 0.6);
    let got = compared(&asked("none,pca,kpca", "1..6"), &x, &labels);
    for curve in &got.curves {
        let nested = curve.nested.as_ref().expect("a nested accuracy");
        assert_ne!(nested.against_guess.verdict, Verdict::Better);
        assert!(nested.estimate.mean < got.guess.mean + 0.05, "{nested:?}");
    }
    // The best of many points is above the nested accuracy: it has seen the test rows.
    let best = got
        .curve(1, 1)
        .points
        .iter()
        .map(|point| point.estimate.mean);
    let best = best.fold(0.0, f64::max);
    let nested = got
        .curve(1, 1)
        .nested
        .as_ref()
        .map(|nested| nested.estimate.mean);
    assert!(best >= nested.unwrap_or(1.0));
}

#[test]
fn all_components_of_pca_are_as_good_to_neighbors_and_discriminants_as_the_columns() {
    let (x, labels) = iris();
    let got = compared(&asked("none,pca", "4"), &x, &labels);
    for c in [1, 2] {
        let comparison = got.curve(1, c).points[0]
            .against_none
            .expect("a comparison");
        assert_eq!(
            (comparison.difference, comparison.verdict),
            (0.0, Verdict::Unclear)
        );
    }
}

#[test]
fn several_neighbors_and_components_at_once_are_what_each_gives_alone() {
    let (x, labels) = iris();
    let at_once = AccuracyOptions {
        n_neighbors: vec![5],
        classifiers: vec![Classifier::Knn],
        ..asked("pca", "1..4")
    };
    let all = compared(&at_once, &x, &labels);
    for k in 1..=4 {
        let alone = AccuracyOptions {
            n_components: Some(k.to_string().parse().expect("a count")),
            ..at_once.clone()
        };
        let alone = compared(&alone, &x, &labels);
        assert_eq!(all.curve(0, 0).points[k - 1], alone.curve(0, 0).points[0]);
    }
}

#[test]
fn units_of_columns_change_nothing_once_columns_are_scaled() {
    let (x, labels) = iris();
    let far = Mat::from_fn(x.n_rows(), 4, |i, j| {
        (1e6f64).powi(i32::from(j == 2)) * x[(i, j)] + 1024.0 * j as f64
    });
    let options = AccuracyOptions {
        scale: Scale::Std,
        ..asked("none,pca", "1..4")
    };
    let (near, far) = (
        compared(&options, &x, &labels),
        compared(&options, &far, &labels),
    );
    assert_eq!(near.curves, far.curves);
}

#[test]
fn narrow_floats_duplicates_and_constant_columns_are_no_trouble() {
    let (x, labels) = iris();
    let twice = Mat::from_fn(300, 6, |i, j| if j < 4 { x[(i / 2, j)] } else { 3.0 });
    let labels: Vec<String> = (0..300).map(|i| labels[i / 2].clone()).collect();
    let single = to_f32(&twice);
    let options = asked("none,pca,kpca", "1..6");
    let source = Dense::new(single.view());
    let study = options
        .begin(&Context::new(), &source, Some(&labels))
        .expect("a comparison");
    let got = study.run(&Context::new()).expect("a result");
    for estimate in got
        .curves
        .iter()
        .filter_map(|c| c.nested.as_ref())
        .map(|n| &n.estimate)
    {
        assert!(estimate.mean > 0.9 && estimate.standard_error.is_finite());
    }
}

#[test]
fn of_more_rows_a_sample_is_taken_and_that_is_noted() {
    let (x, mut labels) = iris();
    labels[0] = "alone".to_owned();
    let options = AccuracyOptions {
        most_rows: 60,
        ..asked("pca", "1..2")
    };
    let got = compared(&options, &x, &labels);
    assert_eq!((got.n_rows, got.n_all_rows), (60, 150));
    let text =
        "a random sample of 60 of 150 rows was used (most_rows); it has no row of class alone";
    assert_eq!(notes(&got)[0], text);
}

#[test]
fn rows_of_rank_one_are_compared_too() {
    let x = Mat::from_fn(60, 3, |i, j| (i % 7) as f64 * (j + 1) as f64);
    let labels: Vec<String> = (0..60).map(|i| (i % 7 > 3).to_string()).collect();
    let got = compared(&asked("none,pca,kpca", "1..3"), &x, &labels);
    for c in [1, 2] {
        assert!(got.curve(1, c).points[0].estimate.mean > 0.8);
    }
}
