//! Numbers of peers (scikit-learn, R, FactoMineR), made by the scripts and versions their files name.
//!
//! The references are in `tests/reference`, the tables in `data`. Two further tables may not be redistributed: they are read
//! from outside the repository where they are present.

use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::Convention;
use eigenspan::{Mat, Pca, PcaOptions};
use serde_json::Value;

use crate::support::{
    assert_close_up_to_sign, beside, columns_without, distance, fit, numbers, reference,
    repository, scores, table, table_at,
};

/// A table's name in the references, where it lies, and the columns that are not data.
const TABLES: [(&str, &str, &[&str]); 9] = [
    ("uk_foods", "uk-foods/uk-foods.csv", &["country"]),
    ("iris", "iris/iris.csv", &["species"]),
    ("wine", "wine/wine.csv", &["target"]),
    (
        "breast_cancer",
        "breast-cancer/breast-cancer.csv",
        &["diagnosis"],
    ),
    ("digits", "digits/digits.csv", &["digit"]),
    (
        "penguins",
        "penguins/penguins.csv",
        &["species", "island", "sex", "year"],
    ),
    (
        "decathlon",
        "decathlon/decathlon.csv",
        &["athlete", "Rank", "Points", "Competition"],
    ),
    ("usarrests", "usarrests/usarrests.csv", &["state"]),
    ("meats", "meats/meats.csv", &["water", "fat", "protein"]),
];

/// Tables that may not be passed on.
const OTHERS: [(&str, &str, &[&str]); 2] = [
    ("fed", "fed_yield_curve/fed_yield_curve.csv", &["month"]),
    (
        "wholesale",
        "wholesale_customers/wholesale_customers.csv",
        &["Channel", "Region"],
    ),
];

/// The tables of the repository, under their names in the references.
fn tables() -> Vec<(&'static str, Mat<f64>)> {
    let read = |(name, file, without): (_, _, &[&str])| {
        let columns = columns_without(file, without);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        (name, table(file, &columns))
    };
    TABLES.map(read).into()
}

/// Those of the others that lie beside the repository.
fn others() -> Vec<(&'static str, Mat<f64>)> {
    let mut tables = Vec::new();
    for (name, file, without) in OTHERS {
        let Some(path) = beside(file) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("a table");
        let header = text.lines().next().expect("a header").split(',');
        let columns: Vec<&str> = header.filter(|c| !without.contains(c)).collect();
        tables.push((name, table_at(&path, &columns)));
    }
    tables
}

fn peer_fit(x: &Mat<f64>, scale: Scale, convention: Convention) -> Pca {
    let options = PcaOptions {
        scale,
        convention,
        missing: Missing::Drop,
        ..Default::default()
    };
    fit(&options, x)
}

/// Columns that vary: peers leave the others out before they scale.
fn varying(x: &Mat<f64>) -> Mat<f64> {
    let kept: Vec<usize> = (0..x.n_cols())
        .filter(|&j| x.col(j).iter().any(|v| *v != x[(0, j)]))
        .collect();
    Mat::from_fn(x.n_rows(), kept.len(), |i, j| x[(i, kept[j])])
}

/// Eigenvalues to 1e-12 of the first, loadings of the leading components up to their sign.
#[track_caller]
fn assert_same(name: &str, pca: &Pca, values: &[f64], loadings: &Value) {
    let got = pca.explained_variance();
    assert!(!values.is_empty() && values.len() <= got.len(), "{name}");
    let away = distance(&got[..values.len()], values) / values[0];
    assert!(away < 1e-12, "{name}: eigenvalues are off by {away:e}");
    for (i, want) in loadings.as_array().expect("a list").iter().enumerate() {
        let (row, want) = (pca.components().row(i), numbers(want));
        let along: f64 = row.iter().zip(&want).map(|(a, b)| a * b).sum();
        let turned: Vec<f64> = row.iter().map(|x| along.signum() * x).collect();
        let away = distance(&turned, &want);
        assert!(
            away < 1e-9,
            "{name}: component {} is off by {away:e}",
            i + 1
        );
    }
}

#[test]
fn scikit_learn_finds_the_same_eigenvalues_loadings_and_scores() {
    check_scikit_learn(tables());
}

#[test]
fn scikit_learn_and_r_find_the_same_in_tables_that_may_not_be_passed_on() {
    check_scikit_learn(others());
    check_r(others());
}

fn check_scikit_learn(tables: Vec<(&str, Mat<f64>)>) {
    let reference = reference("pca_tables.json");
    for (name, x) in tables {
        let result = &reference["results"][name];
        for (kind, scale) in [("covariance", Scale::None), ("correlation", Scale::Std)] {
            let want = &result[kind];
            let x = if scale == Scale::Std {
                varying(&x)
            } else {
                x.clone()
            };
            let pca = peer_fit(&x, scale, Convention::Unbiased);
            let what = format!("{name}, {kind}");
            assert_eq!(
                Some(pca.parts().n_rows as u64),
                result["n"].as_u64(),
                "{what}"
            );
            assert_same(
                &what,
                &pca,
                &numbers(&want["eigenvalues"]),
                &want["loadings_first3"],
            );
            let total = want["total_variance"].as_f64().expect("a number");
            assert!(
                (pca.spectrum().total_variance() / total - 1.0).abs() < 1e-12,
                "{what}"
            );
            for (share, key) in [(0.9, "k_for_90pct"), (0.95, "k_for_95pct")] {
                let k = pca.spectrum().count_for_share(share).map(|k| k as u64);
                assert_eq!(k, want[key].as_u64(), "{what}");
            }
            // Both sides make the largest loading positive, so scores agree in sign as well.
            let scores = scores(&pca, &x);
            let complete = (0..x.n_rows()).filter(|&i| x.row(i).iter().all(|v| v.is_finite()));
            let first = want["scores_first5_rows"].as_array().expect("a list");
            for (i, want) in complete.zip(first) {
                let want = numbers(want);
                let away = distance(&scores.row(i)[..want.len()], &want);
                assert!(
                    away < 1e-9 * pca.spectrum().norm,
                    "{what}: scores are off by {away:e}"
                );
            }
        }
    }
}

#[test]
fn r_finds_the_same_eigenvalues_and_loadings() {
    let seen = check_r(tables());
    assert!(seen >= 11, "only {seen} tables");
}

/// Counts the fits that R has numbers for.
fn check_r(tables: Vec<(&str, Mat<f64>)>) -> usize {
    let reference = reference("r_prcomp_factominer_lda.json");
    let mut seen = 0;
    for (name, x) in tables {
        for (kind, scale) in [("covariance", Scale::None), ("correlation", Scale::Std)] {
            let want = &reference["prcomp"][name][kind];
            if want["eigenvalues"].is_null() {
                continue;
            }
            let pca = peer_fit(&x, scale, Convention::Unbiased);
            let what = format!("{name}, {kind}");
            assert_same(
                &what,
                &pca,
                &numbers(&want["eigenvalues"]),
                &want["loadings"],
            );
            seen += 1;
        }
    }
    seen
}

#[test]
fn factominer_finds_the_same_eigenvalues_and_coordinates_with_divisor_n() {
    let reference = reference("r_prcomp_factominer_lda.json");
    let cases = [
        (
            "factominer_decathlon",
            "decathlon",
            Scale::Std,
            "ind_coord_first5",
        ),
        (
            "factominer_usarrests",
            "usarrests",
            Scale::Std,
            "ind_coord_first5",
        ),
        (
            "factominer_uk_foods_cov",
            "uk_foods",
            Scale::None,
            "ind_coord",
        ),
    ];
    for (key, name, scale, coordinates) in cases {
        let (_, x) = tables().into_iter().find(|t| t.0 == name).expect("a table");
        let pca = peer_fit(&x, scale, Convention::Population);
        let eig = reference[key]["eig"].as_array().expect("a list");
        let column = |c: usize| -> Vec<f64> { eig.iter().map(|row| numbers(row)[c]).collect() };
        let (values, percent) = (column(0), column(1));
        let got = pca.explained_variance();
        assert!(
            distance(&got[..values.len()], &values) < 1e-12 * values[0],
            "{key}"
        );
        let shares: Vec<f64> = pca.explained_variance_ratio()[..values.len()]
            .iter()
            .map(|s| 100.0 * s)
            .collect();
        assert!(distance(&shares, &percent) < 1e-10, "{key}");
        let scores = scores(&pca, &x);
        let people = reference[key][coordinates].as_array().expect("a list");
        let people: Vec<Vec<f64>> = people.iter().map(numbers).collect();
        for c in 0..people[0].len() {
            let got: Vec<f64> = (0..people.len()).map(|i| scores[(i, c)]).collect();
            let want: Vec<f64> = people.iter().map(|row| row[c]).collect();
            assert_close_up_to_sign(&got, &want, 1e-9);
        }
    }
}

#[test]
fn the_tables_of_the_repository_have_the_shapes_their_page_states() {
    let page = std::fs::read_to_string(repository().join("data/README.md")).expect("a page");
    for (_, file, without) in TABLES {
        let columns = columns_without(file, without);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let x = table(file, &columns);
        let folder = file.split('/').next().expect("a folder");
        let line = format!("({folder}/SOURCE.md) | {} × {} |", x.n_rows(), x.n_cols());
        assert!(page.contains(&line), "{line}");
    }
}
