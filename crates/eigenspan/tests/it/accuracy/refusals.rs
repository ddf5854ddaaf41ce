//! What a comparison refuses, and what it notes.

use eigenspan::evaluate::{AccuracyOptions, Reductions};
use eigenspan::{Context, Mat};

use super::{asked, begun, compared, iris, labelled, notes};

#[track_caller]
fn refused(options: &AccuracyOptions, x: &Mat<f64>, labels: Option<&[String]>) -> String {
    let result = begun(options, x, labels).and_then(|study| study.run(&Context::new()));
    match result {
        Err(error) => error.to_string(),
        Ok(_) => panic!("not refused"),
    }
}

#[track_caller]
fn not_read(text: &str) -> String {
    match text.parse::<Reductions>().and_then(|all| {
        let methods = all.all().iter().map(eigenspan::evaluate::Reduction::method);
        methods.collect::<Result<Vec<_>, _>>()
    }) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{text} was read"),
    }
}

#[test]
fn an_unknown_reduction_is_refused_with_the_names_like_it() {
    assert!(
        not_read("none,pcaa").starts_with("`pcaa` is not a reduction; there are none, pca, kpca")
    );
    assert!(not_read("none,pcaa").ends_with("; did you mean pca?"));
    assert_eq!(
        not_read("pca(n_componets=2)").split(", expected").next(),
        Some("pca(n_componets=2): unknown field `n_componets`")
    );
    let text = "after = `pca(` is not known; it takes names of methods, such as none,pca,kpca(kernel=poly(degree=2))";
    assert_eq!(not_read("pca("), text);
    assert_eq!(not_read(""), text.replace("pca(`", "`"));
}

#[test]
fn rows_that_cannot_be_held_out_are_refused_by_the_name_of_the_method() {
    assert_eq!(
        not_read("kpca(kernel=precomputed)"),
        "kpca(kernel=precomputed) cannot be fitted to some rows without the others, so no rows can be held out"
    );
}

#[test]
fn more_components_than_any_reduction_has_are_refused() {
    let (x, labels) = iris();
    assert_eq!(
        refused(&asked("none,pca", "1..30"), &x, Some(&labels)),
        "30 components asked for, but none,pca can give at most 4 here"
    );
    // Kernel PCA has more than there are columns; PCA then has values up to its own limit.
    let got = compared(&asked("pca,kpca", "1..6"), &x, &labels);
    assert_eq!(
        (got.reductions[0].most, got.curve(0, 0).points.len()),
        (4, 4)
    );
    assert_eq!(got.curve(1, 0).points.len(), 6);
}

#[test]
fn labels_that_name_no_classes_are_refused() {
    let (x, labels) = iris();
    let usual = asked("pca", "1..2");
    assert_eq!(
        refused(&usual, &x, None),
        "accuracies are shares of rows whose class is predicted, but the rows have no classes"
    );
    assert_eq!(
        refused(&usual, &x, Some(&vec!["a".to_owned(); 150])),
        "all rows have one label (a), but there must be two classes to tell apart"
    );
    assert_eq!(
        refused(&usual, &x, Some(&labels[..3])),
        "3 labels given for 150 rows, but every row needs one"
    );
    let (wine, _) = labelled("wine", "target");
    let hue: Vec<String> = wine.col(10).iter().map(f64::to_string).collect();
    assert_eq!(
        refused(&usual, &wine, Some(&hue)),
        "the labels have 78 different values in 178 rows (0.48, 0.54, 0.55, …): they look like a measurement or like names, not like classes"
    );
}

#[test]
fn a_class_with_fewer_rows_than_folds_is_noted() {
    let (x, mut labels) = iris();
    labels[0] = "rare".to_owned();
    let got = compared(&asked("pca", "1..2"), &x, &labels);
    assert_eq!(
        notes(&got),
        ["labels with fewer rows than the 5 folds, some of which have none of them: rare (1)"]
    );
}

#[test]
fn missing_cells_too_many_neighbors_and_too_many_fits_are_refused() {
    let (mut x, labels) = iris();
    let options = AccuracyOptions {
        n_neighbors: vec![100],
        ..asked("pca", "1..2")
    };
    assert_eq!(
        refused(&options, &x, Some(&labels)),
        "100 neighbors asked for, but there are 1 to 96 training rows to be near"
    );
    let options = AccuracyOptions {
        max_fits: 10,
        ..asked("none,pca", "1..2")
    };
    assert_eq!(
        refused(&options, &x, Some(&labels)),
        "the comparison takes 30 fits of reductions (5 folds, folds inside them); max_fits allows 10"
    );
    let options = AccuracyOptions {
        n_folds: 1,
        ..asked("pca", "1")
    };
    assert_eq!(
        refused(&options, &x, Some(&labels)),
        "n_folds = `1` is not known; it takes a whole number from 2"
    );
    x.row_mut(7)[2] = f64::NAN;
    let text = refused(&asked("pca", "1..2"), &x, Some(&labels));
    assert_eq!(
        text,
        "1 cell is not a finite number (1 NaN, 0 infinite); the first is row 8, column 3"
    );
}
