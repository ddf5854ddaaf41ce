//! Classifiers against scikit-learn 1.9.1: trained on rows i with i mod 3 ≠ 0, tested on the others.
//!
//! ```python
//! train, test = i % 3 != 0, i % 3 == 0        # i = np.arange(len(X)); y: classes as 0, 1, 2 by name
//! KNeighborsClassifier(5), GaussianNB(), LinearDiscriminantAnalysis()
//! "".join(map(str, classifier.fit(X[train], y[train]).predict(X[test])))
//! ```

use eigenspan::evaluate::{Classes, Classifier, Training};
use eigenspan::{Context, Mat};

use super::{iris, wine};

const IRIS: [(Classifier, &str); 3] = [
    (
        Classifier::Knn,
        "00000000000000000111111121111111112222222222221222",
    ),
    (
        Classifier::NaiveBayes,
        "00000000000000000111111111111111112222222222222222",
    ),
    (
        Classifier::Lda,
        "00000000000000000111111111111111112222222222222222",
    ),
];

const WINE: [(Classifier, &str); 3] = [
    (
        Classifier::Knn,
        "000000002000000000001111110221112111111121121110212111122121",
    ),
    (
        Classifier::NaiveBayes,
        "000000000000000000001111111111111111111111112222222222222222",
    ),
    (
        Classifier::Lda,
        "000000000000000000001111111111112111111111112222222222222222",
    ),
];

/// Predictions for every third row, from the others.
fn told(classifier: Classifier, x: &Mat<f64>, classes: &[usize]) -> String {
    let (test, train): (Vec<usize>, Vec<usize>) = (0..x.n_rows()).partition(|i| i % 3 == 0);
    let pick = |places: &[usize]| Mat::from_fn(places.len(), x.n_cols(), |i, j| x[(places[i], j)]);
    let known: Vec<usize> = train.iter().map(|&i| classes[i]).collect();
    let training = Training {
        rows: &pick(&train),
        classes: &known,
        n_classes: 3,
    };
    let told = classifier.predict(&Context::new(), training, 5, &pick(&test));
    let told = told.expect("predictions");
    told.iter().map(usize::to_string).collect()
}

#[test]
fn predictions_are_those_of_scikit_learn() {
    for ((x, labels), gold) in [(iris(), IRIS), (wine(), WINE)] {
        let classes = Classes::new(&labels).expect("classes");
        for (classifier, want) in gold {
            let got = told(classifier, &x, classes.of_rows());
            assert_eq!(got, want, "{classifier:?}");
        }
    }
}

#[test]
fn columns_that_never_vary_change_no_prediction() {
    let (x, labels) = iris();
    let classes = Classes::new(&labels).expect("classes");
    let wider = Mat::from_fn(x.n_rows(), 6, |i, j| match j {
        0..4 => x[(i, j)],
        _ => 7.0,
    });
    for (classifier, want) in IRIS {
        let got = told(classifier, &wider, classes.of_rows());
        assert_eq!(got, want, "{classifier:?}");
    }
}

#[test]
fn a_class_without_rows_is_never_told() {
    let rows = Mat::from_vec(4, 1, vec![0.0, 1.0, 5.0, 6.0]).expect("rows");
    let training = Training {
        rows: &rows,
        classes: &[1, 1, 3, 3],
        n_classes: 5,
    };
    let new = Mat::from_vec(2, 1, vec![-1.0, 9.0]).expect("rows");
    for classifier in [Classifier::Knn, Classifier::NaiveBayes, Classifier::Lda] {
        let told = classifier.predict(&Context::new(), training, 1, &new);
        assert_eq!(told.expect("predictions"), [1, 3], "{classifier:?}");
    }
}

#[test]
fn discriminants_do_not_hang_on_the_units_of_columns() {
    let (x, labels) = wine();
    let classes = Classes::new(&labels).expect("classes");
    let units = Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| {
        x[(i, j)] * 10f64.powi(j as i32 % 7 - 3)
    });
    let (a, b) = (
        told(Classifier::Lda, &x, classes.of_rows()),
        told(Classifier::Lda, &units, classes.of_rows()),
    );
    assert_eq!(a, b);
}
