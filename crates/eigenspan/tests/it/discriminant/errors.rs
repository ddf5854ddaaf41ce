//! The texts of what is refused, and of what helps.

use eigenspan::method::{LdaOptions, LdaSolver, QdaOptions, Shrinkage};
use eigenspan::prepare::Missing;
use eigenspan::solve::Keep;
use eigenspan::{Error, Mat};

use super::{Classed, classed};

fn said(error: Result<impl Sized, Error>) -> String {
    match error {
        Ok(_) => panic!("not refused"),
        Err(error) => error.to_string(),
    }
}

/// Iris with other labels.
fn labeled(label: impl Fn(usize) -> String) -> Classed {
    let iris = classed("iris", "species");
    Classed {
        labels: (0..150).map(label).collect(),
        rows: iris.rows,
    }
}

#[test]
fn labels_that_are_no_classes_are_refused() {
    let lda = |table: &Classed| said(table.lda(&LdaOptions::default()));
    assert_eq!(
        lda(&labeled(|_| "one".to_owned())),
        "all rows have one class (one), but there must be at least two classes to tell apart"
    );
    let holes = labeled(|i| ["a", "b", ""][i % 3].to_owned());
    assert_eq!(
        lda(&holes),
        "50 rows have no label, but every row needs its class; the first is row 3"
    );
    let hole = labeled(|i| {
        if i == 6 {
            " ".to_owned()
        } else {
            (i % 2).to_string()
        }
    });
    assert_eq!(
        lda(&hole),
        "1 row has no label, but every row needs its class; the first is row 7"
    );
    assert_eq!(
        lda(&labeled(|i| (i * 3 % 100).to_string())),
        "the labels are 100 different numbers in 150 rows: that looks like a measurement, not like classes"
    );
    assert_eq!(
        lda(&labeled(|i| format!("{}", 0.1 * (i % 43) as f64))),
        "the labels are 43 different numbers, some with digits after the point, in 150 rows: that looks like a measurement, \
         not like classes"
    );
    // Few codes are classes, also as fractions; and words are, however many.
    assert!(
        labeled(|i| format!("{}", 1.0 + 0.5 * (i % 3) as f64))
            .lda(&LdaOptions::default())
            .is_ok()
    );
    assert!(
        labeled(|i| format!("w{}", i % 100))
            .lda(&LdaOptions::default())
            .is_ok()
    );
    assert_eq!(
        lda(&labeled(|i| format!("w{i}"))),
        "150 classes of 150 rows in total leave nothing to measure the spread within classes by: there must be more rows than \
         classes"
    );
    let mut short = labeled(|i| (i % 2).to_string());
    short.labels.pop();
    assert_eq!(lda(&short), "149 labels given for 150 rows");
}

#[test]
fn more_components_than_there_can_be_are_refused_with_what_is_possible() {
    let iris = classed("iris", "species");
    let keep = |n_components| LdaOptions {
        n_components,
        ..LdaOptions::default()
    };
    let error = iris.lda(&keep(Keep::Count(3))).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "3 components asked for, but 3 classes and 4 columns allow at most 2 (one fewer than there are classes, and no more \
         than columns)"
    );
    let hint = error.hint().expect("a hint");
    assert_eq!((hint.option, hint.value.as_str()), ("n_components", "all"));
    assert!(said(iris.lda(&keep(Keep::Auto))).contains("n_components = `auto` is not known"));
    // Three means on one line.
    let line = Classed {
        rows: Mat::from_fn(30, 2, |i, j| {
            let corner = [
                [-1.0, -1.0],
                [-1.0, 1.0],
                [1.0, -1.0],
                [1.0, 1.0],
                [0.0, 0.0],
            ][i / 6];
            corner[j] + 10.0 * (i % 3) as f64
        }),
        labels: (0..30).map(|i| (i % 3).to_string()).collect(),
    };
    assert_eq!(
        said(line.lda(&keep(Keep::Count(2)))),
        "2 components asked for, but the means of the 3 classes differ in 1 direction only"
    );
    let one = line.lda(&LdaOptions::default()).expect("a fit");
    assert_eq!(one.directions().n_rows(), 1);
}

#[test]
fn priors_that_do_not_fit_are_refused() {
    let iris = classed("iris", "species");
    let priors = |priors: &[f64]| LdaOptions {
        priors: Some(priors.to_vec()),
        ..LdaOptions::default()
    };
    assert_eq!(
        said(iris.lda(&priors(&[0.5, 0.5]))),
        "2 priors given for 3 classes (setosa, versicolor, virginica)"
    );
    assert_eq!(
        said(iris.lda(&priors(&[0.5, 0.5, 0.5]))),
        "priors are probabilities above 0 that sum to 1, but these sum to 1.5"
    );
    assert_eq!(
        said(iris.lda(&priors(&[0.5, 0.75, -0.25]))),
        "priors are probabilities above 0 that sum to 1, but one is -0.25"
    );
    assert!(iris.lda(&priors(&[0.333333, 0.333333, 0.333333])).is_ok());
    let qda = QdaOptions {
        priors: Some(vec![1.0]),
        ..QdaOptions::default()
    };
    assert!(said(iris.qda(&qda)).starts_with("1 prior given for 3 classes"));
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let iris = classed("iris", "species");
    let svd = LdaOptions {
        solver: LdaSolver::Svd,
        shrinkage: Shrinkage::Auto,
        ..LdaOptions::default()
    };
    assert_eq!(
        said(iris.lda(&svd)),
        "solver = `svd` has no covariance that shrinkage could change: solver = `eigen` (or auto) shrinks"
    );
    assert_eq!(
        said("1.5".parse::<Shrinkage>()),
        "shrinkage = `1.5` is not known; it takes none, auto, or a share from 0 to 1 such as 0.1"
    );
    let em = LdaOptions {
        missing: Missing::Em,
        ..LdaOptions::default()
    };
    assert!(said(iris.lda(&em)).contains("LDA does not predict cells"));
    let both = QdaOptions {
        reg_param: 0.1,
        shrinkage: Shrinkage::Auto,
        ..QdaOptions::default()
    };
    assert!(said(iris.qda(&both)).contains("give one of them"));
    let far = QdaOptions {
        reg_param: 1.5,
        ..QdaOptions::default()
    };
    assert_eq!(
        said(iris.qda(&far)),
        "reg_param = `1.5` is not known; it takes a share from 0 to 1 such as 0.1"
    );
}

#[test]
fn classes_without_spread_or_without_differences_are_refused() {
    let flat = Classed {
        rows: Mat::from_fn(6, 2, |i, j| (i % 2 * (j + 1)) as f64),
        labels: (0..6).map(|i| (i % 2).to_string()).collect(),
    };
    assert_eq!(
        said(flat.lda(&LdaOptions::default())),
        "no column varies within classes: all rows of a class are equal, so there is nothing to measure differences between \
         classes by"
    );
    let same = Classed {
        rows: Mat::from_fn(8, 2, |i, j| {
            [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]][i / 2][j]
        }),
        labels: (0..8).map(|i| (i % 2).to_string()).collect(),
    };
    assert_eq!(
        said(same.lda(&LdaOptions::default())),
        "the classes have the same mean, up to rounding: no direction tells them apart"
    );
    let digits = classed("digits", "digit");
    let error = digits.qda(&QdaOptions::default()).expect_err("refused");
    let text = error.to_string();
    assert!(
        text.starts_with("the covariance of class 0 is singular: its 178 rows vary in "),
        "{text}"
    );
    assert_eq!(error.hint().expect("a hint").option, "reg_param");
    // Means differ by nothing, and yet each class has a spread of its own: enough for QDA.
    let spread = Classed {
        rows: Mat::from_fn(16, 2, |i, j| {
            let corner = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]][i / 4][j];
            corner * [1.0, 3.0][i % 2]
        }),
        labels: (0..16).map(|i| (i % 2).to_string()).collect(),
    };
    let qda = spread.qda(&QdaOptions::default()).expect("a fit");
    assert_eq!(spread.right(&qda), 16);
}
