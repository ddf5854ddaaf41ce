//! What a search refuses, and what it notes.

use eigenspan::Context;
use eigenspan::evaluate::{Classifier, Criterion, Folds, TuneOptions};
use eigenspan::{Error, Mat};

use super::{asked, begun, iris};

#[track_caller]
fn refused(options: &TuneOptions, x: &Mat<f64>, labels: Option<&[String]>) -> String {
    let ctx = Context::new();
    let result =
        begun(&ctx, options, x, labels).and_then(|tuner| tuner.run(&ctx, &[], &|_| Ok(())));
    match result {
        Err(error) => error.to_string(),
        Ok(_) => panic!("not refused"),
    }
}

#[test]
fn more_components_than_a_fold_allows_are_refused() {
    let (x, labels) = iris();
    assert_eq!(
        refused(&asked("rbf", "1..150:5"), &x, Some(&labels)),
        "150 components asked for, but 5 folds leave as few as 120 of 150 rows to learn from, which have at most 119"
    );
    let options = TuneOptions {
        criterion: Some(Criterion::Parallel),
        ..asked("rbf", "150")
    };
    assert_eq!(
        refused(&options, &x, None),
        "150 components asked for, but 150 rows have at most 149"
    );
}

#[test]
fn labels_that_tell_nothing_apart_are_refused() {
    let (x, mut labels) = iris();
    let few = labels[..2].to_vec();
    assert_eq!(
        refused(&asked("rbf", "1"), &x, Some(&few)),
        "2 labels given for 150 rows, but every row needs one"
    );
    let same = vec!["a".to_owned(); 150];
    assert_eq!(
        refused(&asked("rbf", "1"), &x, Some(&same)),
        "all rows have one label (a), but there must be two classes to tell apart"
    );
    labels[7] = String::new();
    assert_eq!(
        refused(&asked("rbf", "1"), &x, Some(&labels)),
        "row 8 has no label, but every row needs one"
    );
    let options = TuneOptions {
        criterion: Some(Criterion::Accuracy),
        ..asked("rbf", "1")
    };
    assert_eq!(
        refused(&options, &x, None),
        "criterion = `accuracy` is not known; it takes reconstruction or parallel, because there are no labels"
    );
}

#[test]
fn a_class_with_fewer_rows_than_folds_is_noted() {
    let (x, mut labels) = iris();
    labels[0] = "rare".to_owned();
    labels[1] = "rare".to_owned();
    let ctx = Context::new();
    let tuner = begun(&ctx, &asked("rbf", "2"), &x, Some(&labels)).expect("a search");
    let tuning = tuner.run(&ctx, &[], &|_| Ok(())).expect("a result");
    let notes: Vec<String> = tuning.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["labels with fewer rows than the 5 folds, some of which have none of them: rare (2)"]
    );
}

#[test]
fn too_many_fits_are_refused_with_how_many_and_how_long() {
    let (x, labels) = iris();
    let ctx = Context::new().with_threads(1).expect("threads");
    let error = begun(
        &ctx,
        &asked(
            "rbf(gamma=0.001..10:1000)*poly(degree=1..9, coef0=[0, 1])",
            "1",
        ),
        &x,
        Some(&labels),
    );
    let error = error.expect_err("too many");
    let hint = error.hint().map(|hint| (hint.option, hint.value));
    assert_eq!(hint, Some(("max_fits", "90000".to_owned())));
    let error = error.to_string();
    let how_many =
        "1000 × 9 × 2 = 18,000 kernels × 5 folds are 90,000 fits, which would take about ";
    let tip = "; max_fits allows 2,000";
    assert!(
        error.starts_with(how_many) && error.ends_with(tip),
        "{error}"
    );
}

#[test]
fn counts_out_of_range_are_refused() {
    let (x, labels) = iris();
    let cases = [
        (
            TuneOptions {
                n_folds: 1,
                ..asked("rbf", "1")
            },
            "n_folds = `1` is not known; it takes a whole number from 2",
        ),
        (
            TuneOptions {
                n_folds: 151,
                ..asked("rbf", "1")
            },
            "n_folds = 151 does not fit: 150 rows make 2 to 150 folds",
        ),
        (
            TuneOptions {
                n_neighbors: 0,
                ..asked("rbf", "1")
            },
            "n_neighbors = `0` is not known; it takes a whole number from 1",
        ),
        (
            TuneOptions {
                n_neighbors: 121,
                ..asked("rbf", "1")
            },
            "121 neighbors asked for, but there are 1 to 120 training rows to be near",
        ),
    ];
    for (options, what) in cases {
        assert_eq!(refused(&options, &x, Some(&labels)), what);
    }
    assert_eq!(
        Folds::given(vec![0, 2, 2]).expect_err("a gap").to_string(),
        "fold 2 of 3 has no rows"
    );
}

#[test]
fn rows_that_a_kernel_does_not_compare_are_refused_by_their_number() {
    let (mut x, labels) = iris();
    x[(141, 2)] = -1.0;
    assert_eq!(
        refused(&asked("chi2(gamma=[1, 2])", "1"), &x, Some(&labels)),
        "row 142: column 3 is -1, but chi2 compares counts and shares, which are at least 0"
    );
    x[(141, 2)] = f64::NAN;
    let ctx = Context::new();
    let error = begun(&ctx, &asked("rbf", "1"), &x, Some(&labels)).expect_err("NaN");
    assert!(
        matches!(
            error,
            Error::NotFinite {
                row: 141,
                col: 2,
                ..
            }
        ),
        "{error}"
    );
    let (same, labels) = (Mat::zeros(30, 2), labels[40..70].to_vec());
    let error = begun(&ctx, &TuneOptions::default(), &same, Some(&labels)).expect_err("equal rows");
    assert_eq!(
        error.to_string(),
        "gamma = median does not fit: rbf takes a number above 0, because all rows are equal"
    );
}

#[test]
fn a_kernel_that_overflows_is_left_out_with_a_note() {
    let (x, labels) = iris();
    let options = TuneOptions {
        classifier: Classifier::NaiveBayes,
        ..asked("poly(degree=[2, 100], gamma=1e6)", "1,2")
    };
    let ctx = Context::new();
    let tuner = begun(&ctx, &options, &x, Some(&labels)).expect("a search");
    let tuning = tuner.run(&ctx, &[], &|_| Ok(())).expect("a result");
    assert_eq!(tuning.best().kernel, 0);
    assert_eq!(tuning.cells[2].mean, None);
    let notes: Vec<String> = tuning.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "degree=100 is left out: the values are too large: their variance overflows a 64-bit float"
        ]
    );
}

#[test]
fn the_default_grid_lies_around_the_median_distance() {
    let (x, labels) = iris();
    let ctx = Context::new();
    let tuner = begun(&ctx, &TuneOptions::default(), &x, Some(&labels)).expect("a search");
    let asked = tuner.resolved_options();
    assert_eq!(tuner.counts().values(), [1, 2, 4, 8, 16, 32]);
    // The median distance between two flowers is 2.36 (SciPy's pdist): γ = 1/(2·2.36²) = 0.09.
    assert_eq!(
        asked.kernel.expect("a kernel").to_string(),
        "rbf(gamma=0.0009..9:9)"
    );
    assert_eq!(asked.criterion, Some(Criterion::Accuracy));
}
