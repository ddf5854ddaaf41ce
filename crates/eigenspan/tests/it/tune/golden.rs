//! Accuracies and distances of scikit-learn 1.9.1 (NumPy 2.4.6) on iris, on the same folds: row i is in fold i mod 5.
//!
//! ```python
//! folds = PredefinedSplit(np.arange(150) % 5)
//! pipe = Pipeline([("kpca", KernelPCA(kernel="rbf", eigen_solver="dense")), ("clf", classifier)])
//! grid = {"kpca__gamma": [0.01, 0.25, 5.0], "kpca__n_components": [1, 2, 5]}
//! r = GridSearchCV(pipe, grid, cv=folds).fit(iris, species).cv_results_      # split…_test_score, here times 30
//! # classifier: KNeighborsClassifier(5), GaussianNB(), LinearDiscriminantAnalysis()
//! for train, test in folds.split():
//!     p = KernelPCA(k, kernel="rbf", gamma=gamma, fit_inverse_transform=True, alpha=1.0, eigen_solver="dense").fit(iris[train])
//!     z = p.inverse_transform(p.transform(iris[test]))
//!     np.sqrt(((z - iris[test])**2).sum(1).mean())
//! ```

use eigenspan::evaluate::{Classifier, Criterion, TuneOptions};
use eigenspan::method::PreImage;

use super::{asked, found, iris};
use crate::support::assert_close;

/// Rows told right in each fold of 30, for γ = 0.01, 0.25, 5 and for each 1, 2 and 5 components.
type Right = [[usize; 5]; 9];

const KNN: Right = [
    [29, 26, 27, 27, 30],
    [29, 29, 28, 28, 30],
    [29, 29, 28, 29, 29],
    [21, 22, 20, 22, 20],
    [29, 26, 28, 27, 27],
    [29, 29, 29, 29, 29],
    [17, 22, 23, 22, 22],
    [25, 23, 23, 24, 21],
    [27, 29, 26, 25, 29],
];

const NAIVE_BAYES: Right = [
    [29, 26, 27, 28, 29],
    [29, 24, 26, 27, 27],
    [29, 27, 29, 27, 29],
    [19, 19, 22, 23, 24],
    [29, 25, 27, 28, 29],
    [29, 29, 29, 29, 30],
    [25, 22, 23, 24, 22],
    [26, 26, 23, 25, 23],
    [27, 26, 23, 26, 26],
];

const LDA: Right = [
    [29, 26, 27, 28, 29],
    [30, 29, 28, 28, 30],
    [29, 30, 30, 28, 29],
    [19, 21, 21, 23, 26],
    [29, 24, 27, 28, 28],
    [29, 28, 30, 28, 30],
    [25, 21, 21, 19, 22],
    [24, 21, 22, 19, 22],
    [27, 27, 26, 22, 29],
];

/// Distances in each fold, for γ = 0.05 and 0.25, and for each 1, 2 and 5 components.
const RIDGE: [[f64; 5]; 6] = [
    [
        0.9858010308497709,
        0.8012360519010933,
        0.9576206070594345,
        0.855320252792298,
        0.7887613259817357,
    ],
    [
        0.900260223380337,
        0.7560664355481507,
        0.8917182377320628,
        0.8095172294341446,
        0.7206876384008999,
    ],
    [
        0.8778877096834303,
        0.732155820723844,
        0.8791817063830634,
        0.7872928142809328,
        0.702174393108996,
    ],
    [
        1.160562857682346,
        0.9013892048624732,
        1.1278806750831927,
        0.9946418102902853,
        0.9313004246882234,
    ],
    [
        0.7354239942083004,
        0.6804277308982037,
        0.7634265033384444,
        0.7332481328073894,
        0.5521802479395684,
    ],
    [
        0.5165694518648155,
        0.4797889987493584,
        0.5715575793415016,
        0.525754900831201,
        0.4044347036083089,
    ],
];

#[test]
fn accuracies_are_those_of_grid_search_on_the_same_folds() {
    let (x, labels) = iris();
    let gold = [
        (Classifier::Knn, KNN, (0.25, 5)),
        (Classifier::NaiveBayes, NAIVE_BAYES, (0.25, 5)),
        (Classifier::Lda, LDA, (0.01, 5)),
    ];
    for (classifier, right, (gamma, k)) in gold {
        let options = TuneOptions {
            classifier,
            ..asked("rbf(gamma=[0.01, 0.25, 5])", "1,2,5")
        };
        let tuning = found(&options, &x, Some(&labels));
        assert_eq!(tuning.criterion, Criterion::Accuracy);
        for (cell, right) in tuning.cells.iter().zip(right) {
            let got: Vec<f64> = cell
                .values
                .iter()
                .map(|v| 30.0 * v.expect("a value"))
                .collect();
            let want: Vec<f64> = right.iter().map(|&n| n as f64).collect();
            let at = (
                classifier,
                tuning.grid.label(cell.kernel),
                cell.n_components,
            );
            assert!(
                got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-9),
                "{at:?}: {got:?} against {want:?}"
            );
        }
        assert_eq!(
            tuning.best_kernel().expect("a kernel").to_string(),
            format!("rbf(gamma={gamma})")
        );
        assert_eq!(tuning.best().n_components, k);
    }
}

#[test]
fn means_and_standard_errors_are_those_of_the_folds() {
    let (x, labels) = iris();
    let tuning = found(
        &asked("rbf(gamma=[0.01, 0.25, 5])", "1,2,5"),
        &x,
        Some(&labels),
    );
    // The mean of 29, 26, 27, 27 and 30 of 30, and NumPy's std_test_score (divisor 5) · √(5/4) ÷ √5.
    let first = &tuning.cells[0];
    assert_close(
        &[first.mean.expect("a mean")],
        &[0.926_666_666_666_666_5],
        1e-14,
    );
    let error = 0.048_989_794_855_663_55 / 2.0;
    assert_close(&[first.error.expect("an error")], &[error], 1e-12);
    // 29 of 30 in all folds: no error, and no fewer components are as good.
    assert_eq!(tuning.best, tuning.simplest);
}

#[test]
fn distances_to_pre_images_are_those_of_scikit_learns_ridge() {
    let (x, _) = iris();
    let options = TuneOptions {
        criterion: Some(Criterion::Reconstruction),
        pre_image: PreImage::Ridge,
        ..asked("rbf(gamma=[0.05, 0.25])", "1,2,5")
    };
    let tuning = found(&options, &x, None);
    for (cell, want) in tuning.cells.iter().zip(RIDGE) {
        let got: Vec<f64> = cell.values.iter().map(|v| v.expect("a value")).collect();
        assert_close(&got, &want, 1e-8);
    }
    assert_eq!(tuning.best, 5);
}
