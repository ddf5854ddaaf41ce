//! Kernel PCA of real tables: scikit-learn's eigenvalues, and its scores of rows of the fit and of rows held out.
//!
//! `tests/reference/kernel_pca.json` names the versions. The last 20 rows of each table are held out.

use eigenspan::Mat;
use serde_json::Value;

use super::{asked, fitted, iris, own_scores, projected};
use crate::support::{distance, numbers, reference, table_without};

/// Rows at the end of a table that are not fitted.
const HELD_OUT: usize = 20;

/// A kernel's name in the reference, and the kernel as text; `{d}` stands for 1/d and `{g}` for the reference's γ.
const KERNELS: [(&str, &str); 12] = [
    ("linear", "linear"),
    ("rbf_gamma_1_over_d", "rbf(gamma={g})"),
    ("rbf_gamma_median", "rbf(gamma={g})"),
    (
        "poly2_gamma1_coef1 (x.y+1)^2",
        "poly(degree=2, gamma=1, coef0=1)",
    ),
    (
        "poly3_gamma_1_over_d_coef1",
        "poly(degree=3, gamma={g}, coef0=1)",
    ),
    ("tanh_gamma_small", "tanh(gamma={g}, coef0=0)"),
    ("cosine", "cosine"),
    (
        "laplacian_gamma_1_over_d (precomputed)",
        "laplacian(gamma={d})",
    ),
    ("sum rbf(1/d)+linear", "rbf(gamma={d}) + linear"),
    (
        "product rbf(1/d)*poly2",
        "rbf(gamma={d}) * poly(degree=2, gamma=1, coef0=1)",
    ),
    ("exp of cosine", "exp(cosine)"),
    ("scaled 3*rbf(1/d)", "3 * rbf(gamma={d})"),
];

fn rows(x: &Mat<f64>, from: usize, to: usize) -> Mat<f64> {
    Mat::from_fn(to - from, x.n_cols(), |i, j| x[(from + i, j)])
}

/// Rows without missing cells, each column with mean 0 and variance 1 (divisor n).
fn standardized(x: &Mat<f64>) -> Mat<f64> {
    let complete: Vec<usize> = (0..x.n_rows())
        .filter(|&i| x.row(i).iter().all(|v| v.is_finite()))
        .collect();
    let n = complete.len() as f64;
    let columns: Vec<(f64, f64)> = (0..x.n_cols())
        .map(|j| {
            let mean = complete.iter().map(|&i| x[(i, j)]).sum::<f64>() / n;
            let square = complete.iter().map(|&i| (x[(i, j)] - mean).powi(2));
            (mean, (square.sum::<f64>() / n).sqrt())
        })
        .collect();
    Mat::from_fn(complete.len(), x.n_cols(), |i, j| {
        (x[(complete[i], j)] - columns[j].0) / columns[j].1
    })
}

/// Scores of some rows on the leading components, against a list of rows; `signs` turns ours to theirs.
#[track_caller]
fn assert_scores(what: &str, got: &Mat<f64>, want: &Value, signs: &[f64], allowed: f64) {
    for (i, want) in want.as_array().expect("rows").iter().enumerate() {
        let want = numbers(want);
        let got: Vec<f64> = (0..want.len()).map(|c| signs[c] * got[(i, c)]).collect();
        let away = distance(&got, &want);
        assert!(away < allowed, "{what}, row {i}: off by {away:e}");
    }
}

#[track_caller]
fn assert_agrees(name: &str, x: &Mat<f64>) {
    let reference = reference("kernel_pca.json");
    let reference = &reference["results"][name];
    assert_eq!(reference["n"].as_u64(), Some(x.n_rows() as u64), "{name}");
    let n = x.n_rows() - HELD_OUT;
    let (train, new) = (rows(x, 0, n), rows(x, n, x.n_rows()));
    for (key, text) in KERNELS {
        let want = &reference["kernels"][key];
        let gamma = want["params"]["gamma"].to_string();
        let text = text
            .replace("{g}", &gamma)
            .replace("{d}", &(1.0 / x.n_cols() as f64).to_string());
        let what = format!("{name}, {text}");
        let values = numbers(&want["eigenvalues"]);
        let first = numbers(&want["scores_train_first3_pc1_3"][0]);
        let model = fitted(&asked(&text, values.len()), &train);
        let away = distance(&model.eigenvalues(), &values) / values[0];
        assert!(away < 1e-12, "{what}: eigenvalues are off by {away:e}");
        let scores = own_scores(&model);
        let signs: Vec<f64> = (0..first.len())
            .map(|c| (scores[(0, c)] * first[c]).signum())
            .collect();
        let allowed = 1e-9 * values[0].sqrt();
        assert_scores(
            &what,
            scores,
            &want["scores_train_first3_pc1_3"],
            &signs,
            allowed,
        );
        assert_scores(
            &what,
            &projected(&model, &new),
            &want["scores_new_first3_pc1_3"],
            &signs,
            allowed,
        );
    }
}

#[test]
fn twelve_kernels_on_iris_give_scikit_learns_numbers() {
    assert_agrees("iris", &iris());
}

#[test]
fn twelve_kernels_on_wine_give_scikit_learns_numbers() {
    let wine = table_without("wine/wine.csv", &["target"]);
    assert_agrees("wine", &standardized(&wine));
}

#[test]
fn twelve_kernels_on_penguins_give_scikit_learns_numbers() {
    let without = ["species", "island", "sex", "year"];
    let penguins = table_without("penguins/penguins.csv", &without);
    assert_agrees("penguins", &standardized(&penguins));
}
