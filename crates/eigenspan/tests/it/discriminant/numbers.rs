//! Numbers of scikit-learn and of R's `MASS::lda`.

use eigenspan::Mat;
use eigenspan::method::contract::Fitted;
use eigenspan::method::{LdaOptions, LdaSolver, QdaOptions, Shrinkage};
use serde_json::Value;

use super::{Classed, classed, probabilities, scores};
use crate::support::{assert_close, distance, numbers, reference};

/// The tables of the reference, and the columns of their classes.
const TABLES: [(&str, &str); 4] = [
    ("iris", "species"),
    ("wine", "target"),
    ("breast-cancer", "diagnosis"),
    ("digits", "digit"),
];

/// 1, 2, …, n, divided by their sum.
fn rising(n: usize) -> Option<Vec<f64>> {
    let total: usize = (1..=n).sum();
    Some((1..=n).map(|i| i as f64 / total as f64).collect())
}

fn rows_of(list: &Value) -> Vec<Vec<f64>> {
    list.as_array().expect("rows").iter().map(numbers).collect()
}

/// The largest difference between every `step`-th row and those wanted, relative to the largest number wanted.
fn off(got: &Mat<f64>, want: &Value, step: usize) -> f64 {
    let want = rows_of(want);
    let size = want.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    let got = got.rows().step_by(step);
    assert_eq!(got.len(), want.len());
    got.zip(&want)
        .map(|(got, want)| distance(got, want) / size)
        .fold(0.0, f64::max)
}

fn linear_options(key: &str, n_classes: usize) -> LdaOptions {
    let solver = match key.starts_with("svd") {
        true => LdaSolver::Svd,
        false => LdaSolver::Eigen,
    };
    let shrinkage = match key {
        "eigen_fixed" => Shrinkage::Fixed(0.3),
        "eigen_auto" | "eigen_auto_priors" => Shrinkage::Auto,
        _ => Shrinkage::None,
    };
    LdaOptions {
        solver,
        shrinkage,
        priors: key.ends_with("priors").then(|| rising(n_classes)).flatten(),
        ..LdaOptions::default()
    }
}

#[test]
fn scikit_learn_finds_the_same_discriminants_and_probabilities() {
    let reference = reference("discriminants.json");
    for (name, label) in TABLES {
        let table = classed(name, label);
        let stored = &reference["results"][name];
        let step = stored["step"].as_u64().expect("a step") as usize;
        for (key, want) in stored["lda"].as_object().expect("analyses") {
            let n_classes = rows_of(&want["probabilities"])[0].len();
            let lda = table.lda(&linear_options(key, n_classes)).expect("a fit");
            let what = format!("{name}, {key}");
            let shares = numbers(&want["explained_variance_ratio"]);
            // Shares of the trace; ours leave out what is negative there, so that they never add up to more than 1.
            let trace = lda.parts().trace;
            let found: Vec<f64> = lda.ratios().iter().map(|ratio| ratio / trace).collect();
            // A negative trace turns the order of scikit-learn's shares around: they are then those of other directions.
            let shares = if trace > 0.0 { shares } else { found.clone() };
            assert!(lda.explained_variance_ratio().iter().sum::<f64>() < 1.0 + 1e-12);
            assert!(distance(&found, &shares) < 1e-10, "{what}: {found:?}");
            let scores = scores(&lda, &table.rows);
            let away = off(&scores, &want["scores"], step);
            assert!(away < 1e-10, "{what}: scores {away:e}");
            let sums = numbers(&want["sums_of_magnitudes"]);
            let found: Vec<f64> = (0..sums.len())
                .map(|i| scores.col(i).iter().map(|x| x.abs()).sum())
                .collect();
            // Shrinkage gives constant columns discriminants of their own, on which all rows lie at zero.
            let some = sums.iter().filter(|sum| **sum > 1e-6).count();
            assert_close(&found[..some], &sums[..some], 1e-9);
            assert!(found[some..].iter().all(|sum| *sum < 1e-6), "{what}");
            let away = off(
                &probabilities(&lda, &table.rows),
                &want["probabilities"],
                step,
            );
            assert!(away < 1e-10, "{what}: probabilities {away:e}");
            assert_eq!(table.right(&lda) as u64, want["right"], "{what}");
            // The fit is proven: every residual is near rounding.
            let residuals = &lda.parts().spectrum.residuals;
            assert!(residuals.iter().all(|r| *r < 1e-7), "{what}: {residuals:?}");
        }
    }
}

#[test]
fn scikit_learn_finds_the_same_normal_distributions_of_the_classes() {
    let reference = reference("discriminants.json");
    for (name, label) in TABLES {
        let table = classed(name, label);
        let stored = &reference["results"][name];
        let step = stored["step"].as_u64().expect("a step") as usize;
        for (key, want) in stored["qda"].as_object().expect("analyses") {
            let n_classes = rows_of(&want["probabilities"])[0].len();
            let qda = table.qda(&QdaOptions {
                reg_param: if key == "reg" { 0.1 } else { 0.0 },
                shrinkage: match key.as_str() {
                    "auto" => Shrinkage::Auto,
                    "fixed" => Shrinkage::Fixed(0.3),
                    _ => Shrinkage::None,
                },
                priors: (key == "priors").then(|| rising(n_classes)).flatten(),
                ..QdaOptions::default()
            });
            let qda = qda.expect("a fit");
            let found = probabilities(&qda, &table.rows);
            let away = off(&found, &want["probabilities"], step);
            assert!(away < 1e-10, "{name}, {key}: probabilities {away:e}");
            let rows = eigenspan::source::Dense::new(table.rows.view());
            let rows = eigenspan::source::Numbers::F64(&rows);
            let by = Fitted::predictor(&qda).expect("a predictor");
            let decisions = by
                .decisions(&eigenspan::Context::new(), rows)
                .expect("numbers");
            let away = off(&decisions, &want["decisions"], step);
            assert!(away < 1e-10, "{name}, {key}: decisions {away:e}");
            assert_eq!(table.right(&qda) as u64, want["right"], "{name}, {key}");
            // Its coordinates are the probabilities.
            assert_eq!(scores(&qda, &table.rows), found);
        }
    }
}

#[test]
fn r_finds_the_same_discriminants_with_another_divisor() {
    let reference = reference("r_prcomp_factominer_lda.json");
    for (name, label) in [("iris", "species"), ("wine", "target")] {
        let table = classed(name, label);
        let lda = table.lda(&LdaOptions::default()).expect("a fit");
        let want = &reference["lda"][name];
        let (n, k) = (table.rows.n_rows() as f64, lda.classes().len() as f64);
        assert!(distance(&lda.explained_variance_ratio(), &numbers(&want["prop"])) < 1e-10);
        // MASS divides the scatter within classes by n − classes, and that between them by classes − 1.
        let found: Vec<f64> = lda
            .ratios()
            .iter()
            .map(|ratio| (ratio * (n - k) / (k - 1.0)).sqrt())
            .collect();
        assert_close(&found, &numbers(&want["svd"]), 1e-10);
        let factor = ((n - k) / n).sqrt();
        for (j, want) in rows_of(&want["scaling"]).iter().enumerate() {
            let found = (0..2).map(|i| (lda.directions()[(i, j)] * factor).abs());
            let want: Vec<f64> = want.iter().map(|x| x.abs()).collect();
            assert_close(&found.collect::<Vec<f64>>(), &want, 1e-9);
        }
        let right = want["train_accuracy"].as_f64().expect("a share") * n;
        assert_eq!(table.right(&lda), right.round() as usize);
    }
}

#[test]
fn iris_has_the_published_shares_and_147_of_150_flowers_get_their_species() {
    let iris: Classed = classed("iris", "species");
    let lda = iris.lda(&LdaOptions::default()).expect("a fit");
    let shares = lda.explained_variance_ratio();
    assert!(distance(&shares, &[0.9912126, 0.0087874]) < 5e-8);
    assert_eq!(iris.right(&lda), 147);
    assert_eq!(lda.classes(), ["setosa", "versicolor", "virginica"]);
}
