//! Supplementary columns and groups, and whether columns have anything in common.

use eigenspan::interpret::{
    CategoryColumn, NumericColumn, Supplementary, SupplementaryFacts, Unknown, adequacy,
    correlation, supplementary,
};
use eigenspan::prepare::Missing;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Pca, PcaOptions};

use super::{decathlon, like_factominer};
use crate::support::{
    assert_close, distance, fit, mixed, repository, scores, table, table_without,
};

fn numeric(name: &str, values: Vec<f64>) -> NumericColumn {
    NumericColumn {
        name: name.to_owned(),
        values,
    }
}

fn look(pca: &Pca, x: &Mat<f64>, beside: &Supplementary) -> SupplementaryFacts {
    supplementary(&Context::new(), pca, &Dense::new(x.view()), beside).expect("facts")
}

/// The last column of the decathlon.
fn competitions() -> Vec<String> {
    let path = repository().join("data/decathlon/decathlon.csv");
    let text = std::fs::read_to_string(path).expect("a table");
    let last = |line: &str| line.rsplit(',').next().expect("a cell").to_owned();
    text.lines().skip(1).map(last).collect()
}

fn competition() -> CategoryColumn {
    let labels = competitions();
    CategoryColumn::new("Competition", labels.iter().map(|l| Some(l.as_str())))
}

#[test]
fn decathlon_has_the_supplementary_columns_of_factominer() {
    let x = decathlon();
    let points = table("decathlon/decathlon.csv", &["Points", "Rank"]);
    let beside = Supplementary {
        numeric: vec![
            numeric("Points", points.col(0)),
            numeric("Rank", points.col(1)),
        ],
        ..Default::default()
    };
    let facts = look(&like_factominer(&x), &x, &beside);
    let first: Vec<f64> = facts.numeric.iter().map(|f| f.correlations[0]).collect();
    assert!((first[0].abs() - 0.9562).abs() < 5e-5, "{first:?}");
    assert!((first[1].abs() - 0.6705).abs() < 5e-5, "{first:?}");
    // More points, lower rank.
    assert!(first[0] * first[1] < 0.0);
    assert_eq!(facts.numeric[0].n_rows, 41);
}

#[test]
fn decathlon_has_the_supplementary_categories_of_factominer() {
    let x = decathlon();
    let beside = Supplementary {
        categories: vec![competition()],
        ..Default::default()
    };
    let facts = look(&like_factominer(&x), &x, &beside);
    let facts = &facts.categories[0];
    let level = |place: usize| &facts.levels[place];
    assert_eq!((level(0).level.as_str(), level(0).n_rows), ("Decastar", 13));
    assert_eq!((level(1).level.as_str(), level(1).n_rows), ("OlympicG", 28));
    // summary(PCA(decathlon, quanti.sup = 11:12, quali.sup = 13)): coordinates and v-tests on dimensions 1 to 3.
    let sizes = |list: &[f64]| list[..3].iter().map(|x| x.abs()).collect::<Vec<_>>();
    assert!(distance(&sizes(&level(0).centroid), &[0.600, 0.038, 0.289]) < 5e-4);
    assert!(distance(&sizes(&level(1).centroid), &[0.279, 0.017, 0.134]) < 6e-4);
    assert!(distance(&sizes(&level(0).v_tests), &[1.430, 0.123, 1.050]) < 6e-4);
    assert!(distance(&sizes(&level(1).v_tests), &[1.430, 0.123, 1.050]) < 6e-4);
    // η² and its F test by numpy and scipy.stats.f.sf, from the definitions.
    assert_close(
        &facts.eta2[..3],
        &[
            0.05110487243847691,
            0.00037896232301132363,
            0.027583100236077445,
        ],
        1e-9,
    );
    let p: Vec<f64> = facts.p_values[..3]
        .iter()
        .map(|p| p.expect("a test"))
        .collect();
    let want = [0.15525149588654535, 0.9038448248461934, 0.2993710671287038];
    assert_close(&p, &want, 1e-9);
}

#[test]
fn missing_cells_beside_the_rows_are_skipped_column_by_column() {
    let x = mixed(700, 4, 5);
    let pca = fit(&PcaOptions::default(), &x);
    let t = scores(&pca, &x);
    // y follows the second component, at a large offset, and every third cell is missing.
    let y = |i: usize| match i % 3 {
        0 => f64::NAN,
        _ => 1e9 + 5.0 * t[(i, 1)],
    };
    let full: Vec<f64> = (0..700).map(|i| -t[(i, 2)]).collect();
    let labels = (0..700).map(|i| match i % 4 {
        0 => None,
        1 => Some("a"),
        _ => Some("b"),
    });
    let beside = Supplementary {
        numeric: vec![numeric("y", (0..700).map(y).collect()), numeric("z", full)],
        categories: vec![CategoryColumn::new("g", labels)],
    };
    let facts = look(&pca, &x, &beside);
    let (first, second) = (&facts.numeric[0], &facts.numeric[1]);
    assert_eq!((first.n_rows, second.n_rows), (466, 700));
    assert!((first.correlations[1] - 1.0).abs() < 1e-6, "{first:?}");
    assert!((second.correlations[2] + 1.0).abs() < 1e-12, "{second:?}");
    assert!(second.correlations[0].abs() < 1e-12);
    assert_eq!(facts.categories[0].n_rows, 525);
    let groups: usize = facts.categories[0].levels.iter().map(|l| l.n_rows).sum();
    assert_eq!(groups, 525);
}

#[test]
fn a_group_that_is_the_component_explains_it() {
    let x = Mat::from_fn(40, 2, |i, j| {
        [[0.0, 1.0], [5.0, 7.0]][i % 2][j] + f64::from(i as u32 % 4 / 2) * 1e-3 * j as f64
    });
    let labels: Vec<&str> = (0..40).map(|i| ["left", "right"][i % 2]).collect();
    let pca = fit(&PcaOptions::default(), &x);
    let beside = Supplementary {
        categories: vec![
            CategoryColumn::new("side", labels.iter().map(|l| Some(*l))),
            CategoryColumn::new("one", labels.iter().map(|_| Some("all"))),
            CategoryColumn::new("none", labels.iter().map(|_| None)),
        ],
        ..Default::default()
    };
    let facts = look(&pca, &x, &beside);
    let side = &facts.categories[0];
    assert!(side.eta2[0] > 0.999999 && side.eta2[1] < 1e-6, "{side:?}");
    // All rows of a kind in two heaps of 20: v² = n − 1.
    assert!((side.levels[0].v_tests[0].abs() - 39f64.sqrt()).abs() < 1e-3);
    assert!(side.levels[0].p_values[0] < 1e-8);
    // One level is no group, and nothing is divided by nothing.
    let one = &facts.categories[1];
    assert_eq!(
        (&one.eta2[..], &one.p_values[..]),
        (&[0.0; 2][..], &[None; 2][..])
    );
    assert_eq!(one.levels[0].v_tests, [0.0; 2]);
    assert!(facts.categories[2].levels.is_empty());
}

#[test]
fn columns_of_another_length_are_refused() {
    let x = mixed(20, 3, 1);
    let pca = fit(&PcaOptions::default(), &x);
    let beside = Supplementary {
        numeric: vec![numeric("y", vec![1.0; 19])],
        ..Default::default()
    };
    let error = supplementary(&Context::new(), &pca, &Dense::new(x.view()), &beside);
    assert_eq!(
        error.expect_err("refused").to_string(),
        "column \"y\" has 19 values, but the table has 20 rows"
    );
}

#[test]
fn columns_beside_the_rows_give_the_same_bits_to_any_number_of_threads() {
    let x = mixed(4000, 8, 5);
    let pca = fit(&PcaOptions::default(), &x);
    let labels: Vec<String> = (0..4000).map(|i| (i * i % 7).to_string()).collect();
    let beside = Supplementary {
        numeric: vec![numeric("y", (0..4000).map(|i| (i as f64).sin()).collect())],
        categories: vec![CategoryColumn::new(
            "g",
            labels.iter().map(|l| Some(l.as_str())),
        )],
    };
    let at = |threads: usize| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        supplementary(&ctx, &pca, &Dense::new(x.view()), &beside).expect("facts")
    };
    assert_eq!(at(1), at(3));
}

/// By numpy from the definitions: `numpy.corrcoef`, `numpy.linalg.inv`, `numpy.linalg.det`, `scipy.stats.chi2.sf`.
#[test]
fn kmo_and_bartlett_are_those_of_the_definitions() {
    let of = |x: &Mat<f64>| {
        let pca = fit(&PcaOptions::default(), x);
        let found = correlation(&Context::new(), &pca, &Dense::new(x.view()));
        let found = found.and_then(|c| adequacy(&c)).expect("adequacy");
        (found.kmo.expect("KMO"), found.bartlett.expect("a test"))
    };
    let (kmo, test) = of(&decathlon());
    assert!((kmo.overall - 0.5959604235406452).abs() < 1e-10);
    let columns = [
        0.6870583685,
        0.7178020036,
        0.5678540160,
        0.6979393386,
        0.6141605894,
        0.8302398413,
        0.5426798958,
        0.2439736799,
        0.4422345550,
        0.2940444911,
    ];
    assert!(distance(&kmo.columns, &columns) < 1e-9);
    assert_close(&[test.chi2, test.df], &[133.23579793042134, 45.0], 1e-10);
    assert_close(&[test.p_value], &[1.1568502453128739e-10], 1e-7);
    let (kmo, test) = of(&table_without("iris/iris.csv", &["species"]));
    assert!((kmo.overall - 0.5400766750097211).abs() < 1e-10);
    assert_close(&[test.chi2], &[706.9592430234756], 1e-10);
    assert_close(&[test.p_value], &[1.9226796044143468e-149], 1e-7);
}

#[test]
fn a_correlation_without_inverse_says_so() {
    let ctx = Context::new();
    let of = |x: &Mat<f64>| {
        let pca = fit(&PcaOptions::default(), x);
        let found = correlation(&ctx, &pca, &Dense::new(x.view())).expect("correlations");
        (found.columns.clone(), adequacy(&found).expect("adequacy"))
    };
    // A sum of two others; fewer rows than columns; one column that varies.
    let base = mixed(30, 3, 2);
    let sum = Mat::from_fn(30, 4, |i, j| match j {
        3 => base[(i, 0)] - 2.0 * base[(i, 1)],
        j => base[(i, j)],
    });
    let (_, found) = of(&sum);
    assert_eq!(found.unknown, Some(Unknown::Singular));
    assert!(found.kmo.is_none() && found.bartlett.is_none());
    assert_eq!(of(&mixed(5, 9, 3)).1.unknown, Some(Unknown::Singular));
    let lone = Mat::from_fn(10, 2, |i, j| if j == 0 { i as f64 } else { 4.0 });
    let (columns, found) = of(&lone);
    assert_eq!(
        (columns, found.unknown),
        (vec![0], Some(Unknown::TooFewColumns))
    );
}

#[test]
fn two_columns_and_parts_of_a_whole_have_no_kmo() {
    let of = |x: &Mat<f64>| {
        let pca = fit(&PcaOptions::default(), x);
        let found = correlation(&Context::new(), &pca, &Dense::new(x.view()));
        found.and_then(|c| adequacy(&c)).expect("adequacy")
    };
    let base = mixed(40, 4, 9);
    let two = of(&Mat::from_fn(40, 2, |i, j| base[(i, j)]));
    assert!(two.kmo.is_none() && two.bartlett.is_some());
    assert_eq!(two.unknown, Some(Unknown::TwoColumns));
    // Shares in percent, rounded to a tenth, beside a column that is no part of the whole.
    let part = |i: usize, j: usize| base[(i, j)].abs() + 0.1;
    let whole = |i: usize| (0..3).map(|j| part(i, j)).sum::<f64>();
    let rounded = |i: usize, j: usize| (1000.0 * part(i, j) / whole(i)).round() / 10.0;
    let parts = Mat::from_fn(
        40,
        4,
        |i, j| if j < 3 { rounded(i, j) } else { base[(i, 3)] },
    );
    let found = of(&parts);
    assert_eq!(found.unknown, Some(Unknown::SumToConstant));
    assert_eq!(found.constant_sum, [0, 1, 2]);
    let alone = of(&Mat::from_fn(40, 3, |i, j| parts[(i, j)]));
    assert_eq!(
        (alone.unknown, alone.constant_sum.len()),
        (Some(Unknown::SumToConstant), 3)
    );
    let hald = of(&table_without("hald/hald.csv", &[]));
    // Sums from 95 to 99: near a constant, and none.
    assert!(hald.constant_sum.is_empty() && hald.unknown.is_none());
    assert_eq!(hald.nearly_constant_sum, [0, 1, 2, 3]);
    // NumPy: R⁻¹ and the sums over pairs, as above.
    assert!(
        hald.kmo
            .is_some_and(|kmo| (kmo.overall - 0.237_459_466).abs() < 5e-9)
    );
    let iris = of(&table_without("iris/iris.csv", &["species"]));
    assert!(iris.constant_sum.is_empty() && iris.kmo.is_some());
}

#[test]
fn correlations_treat_missing_cells_as_the_model_does() {
    let mut x = mixed(60, 3, 7);
    x[(4, 1)] = f64::NAN;
    let ctx = Context::new();
    let of = |missing| {
        let options = PcaOptions {
            missing,
            ..Default::default()
        };
        let pca = fit(&options, &x);
        correlation(&ctx, &pca, &Dense::new(x.view())).expect("correlations")
    };
    let without = Mat::from_fn(59, 3, |i, j| x[(i + usize::from(i >= 4), j)]);
    let pca = fit(&PcaOptions::default(), &without);
    let want = correlation(&ctx, &pca, &Dense::new(without.view())).expect("correlations");
    let dropped = of(Missing::Drop);
    assert_eq!(dropped.weight, 59.0);
    assert!(distance(dropped.matrix.as_slice(), want.matrix.as_slice()) < 1e-12);
    let filled = of(Missing::Mean);
    assert_eq!(filled.weight, 60.0);
    assert!(filled.matrix[(0, 1)] != want.matrix[(0, 1)]);
}

#[test]
fn correlations_beyond_the_memory_budget_are_refused() {
    let x = mixed(20, 30, 1);
    let pca = fit(&PcaOptions::default(), &x);
    let ctx = Context::new().with_memory(10_000);
    let error = correlation(&ctx, &pca, &Dense::new(x.view())).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "a correlation matrix of 30 columns needs 43 kB, but only 10 kB may be used"
    );
}
