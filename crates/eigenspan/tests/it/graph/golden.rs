//! Numbers of scikit-learn (`tests/reference/neighbors.json`, written by `neighbors.py`).

use eigenspan::evaluate::{Association, MapOptions, PairOptions, label_accuracy};
use eigenspan::graph::{EdgeValues, GraphOf, Metric};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Mat, PcaOptions};
use serde_json::Value;

use super::{METRICS, exact};
use crate::support::{reference, repository, table_without};

fn pca(rows: &Mat<f64>) -> Mat<f64> {
    let options = PcaOptions {
        n_components: eigenspan::solve::Keep::Count(2),
        ..PcaOptions::default()
    };
    let rows = Dense::new(rows.view());
    let pca = options.fit(&Context::new(), &rows).expect("a fit");
    pca.transform(&Context::new(), &rows).expect("scores")
}

fn list(value: &Value) -> Vec<f64> {
    let cells = value.as_array().expect("a list").iter();
    cells.map(|x| x.as_f64().expect("a number")).collect()
}

#[test]
fn distances_to_neighbors_are_scikit_learns() {
    let want = reference("neighbors.json");
    let wine = table_without("wine/wine.csv", &["target"]);
    let check = |name: &str, rows: &Mat<f64>, metric: Metric, want: &Value, k: usize| {
        let found = exact(rows, k, metric);
        for (at, want) in want.as_array().expect("rows").iter().enumerate() {
            for (want, got) in list(want).iter().zip(found.row(7 * at).1) {
                // scikit-learn takes cosines from products, which leaves 1e-16 of 1.
                let off = (want - got).abs();
                assert!(
                    off < 1e-10 * got + 1e-15,
                    "{name} {metric:?} row {}: {want} {got}",
                    7 * at
                );
            }
        }
    };
    for metric in METRICS {
        check("wine", &wine, metric, &want["wine"][metric.name()], 5);
    }
    let digits = table_without("digits/digits.csv", &["digit"]);
    check(
        "digits",
        &digits,
        Metric::Euclidean,
        &want["digits_euclidean"],
        3,
    );
}

#[test]
fn components_of_graphs_are_scipys() {
    let wine = table_without("wine/wine.csv", &["target"]);
    for want in reference("neighbors.json")["wine_components"]
        .as_array()
        .expect("a list")
    {
        let k = want["k"].as_u64().expect("a number") as usize;
        let found = exact(&wine, k, Metric::Euclidean);
        let union = found.graph(GraphOf::Symmetric, EdgeValues::Distance);
        let mutual = found.graph(GraphOf::Mutual, EdgeValues::Distance);
        let sizes = |sizes: Vec<usize>| sizes.iter().map(|x| *x as f64).collect::<Vec<f64>>();
        let directed = found.graph(GraphOf::Knn, EdgeValues::Distance);
        assert_eq!(
            union.n_edges() as u64,
            want["edges"].as_u64().expect("a number")
        );
        assert_eq!(
            mutual.n_edges() as u64,
            want["mutual_edges"].as_u64().expect("a number")
        );
        assert_eq!(sizes(union.components().sizes), list(&want["weak"]));
        assert_eq!(sizes(directed.components().sizes), list(&want["weak"]));
        assert_eq!(sizes(mutual.components().sizes), list(&want["mutual"]));
    }
}

#[test]
fn measures_of_maps_are_scikit_learns() {
    let want = reference("neighbors.json");
    let ctx = Context::new();
    for (name, file, label) in [
        ("digits_pca", "digits/digits.csv", "digit"),
        ("wine_pca", "wine/wine.csv", "target"),
    ] {
        let rows = table_without(file, &[label]);
        let map = pca(&rows);
        let (rows, map) = (Dense::new(rows.view()), Dense::new(map.view()));
        let (rows, map) = (Numbers::F64(&rows), Numbers::F64(&map));
        let want = &want[name];
        let options = MapOptions {
            n_neighbors: want["k"].as_u64().expect("a number") as usize,
            ..MapOptions::default()
        };
        let found = options.judge(&ctx, rows, map).expect("a quality");
        let pairs = PairOptions::default();
        let shepard = |of| {
            pairs
                .shepard_correlation(&ctx, rows, map, of)
                .expect("a number")
                .value
        };
        let stress = |scale| {
            pairs
                .normalized_stress(&ctx, rows, map, scale)
                .expect("a number")
                .value
        };
        for (name, got, limit) in [
            (
                "trustworthiness",
                found.trustworthiness.estimate.value,
                1e-5,
            ),
            ("continuity", found.continuity.estimate.value, 1e-5),
            ("recall", found.recall.estimate.value, 1e-4),
            ("spearman", shepard(Association::Spearman), 1e-9),
            ("pearson", shepard(Association::Pearson), 1e-9),
            ("stress", stress(false), 1e-9),
            ("stress_scaled", stress(true), 1e-9),
        ] {
            let want = want[name].as_f64().expect("a number");
            // Digits have whole numbers as cells, so many of their distances tie, and ties are broken in another order.
            assert!((got - want).abs() < limit, "{name}: {got} {want}");
        }
        assert!(found.trustworthiness.estimate.exact);
        let alone = options.trustworthiness(&ctx, rows, map).expect("a quality");
        assert_eq!(alone, found.trustworthiness);
        assert_eq!(
            options.continuity(&ctx, rows, map).expect("a quality"),
            found.continuity
        );
        assert_eq!(
            options.recall(&ctx, rows, map).expect("a quality"),
            found.recall
        );
    }
}

#[test]
fn ten_neighbors_in_the_plane_of_a_pca_tell_most_digits() {
    let map = pca(&table_without("digits/digits.csv", &["digit"]));
    let text =
        std::fs::read_to_string(repository().join("data/digits/digits.csv")).expect("digits");
    let last = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
    let labels: Vec<String> = text.lines().skip(1).map(last).collect();
    let map = Dense::new(map.view());
    let map = Numbers::F64(&map);
    let accuracy =
        |folds| label_accuracy(&Context::new(), map, &labels, 10, folds).expect("a share");
    let (share, right) = accuracy(None);
    assert_eq!(right.len(), 1797);
    // scikit-learn's cross_val_score of KNeighborsClassifier(10), with LeaveOneOut and with cv=5.
    assert!((share - 0.643_294_379_521_424_5).abs() < 0.002, "{share}");
    let (share, _) = accuracy(Some(5));
    assert!((share - 0.612_706_592_386_258_2).abs() < 0.002, "{share}");
}
