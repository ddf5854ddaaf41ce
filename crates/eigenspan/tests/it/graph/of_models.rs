//! The quality that a model keeps of its map: scikit-learn's numbers, the same from rows and from their distances, and what is left out.

use eigenspan::evaluate::{MapOptions, measure_map, measures_of, torn};
use eigenspan::graph::Metric;
use eigenspan::method::{
    DiffusionOptions, Distances, Fitted, IsomapOptions, LaplacianOptions, LleOptions, MapEstimate,
    MapMeasures, MapOf, MdsOptions, MethodOptions, Training,
};
use eigenspan::prepare::Scale;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Mat};

use super::{distance, normal};
use crate::support::{reference, table_without};

fn options(distances: Distances) -> MdsOptions {
    MdsOptions {
        distances,
        ..MdsOptions::default()
    }
}

/// A model of the rows with the quality of its map.
fn judged(options: &MdsOptions, rows: &Mat<f64>, labels: Option<&[String]>) -> Box<dyn Fitted> {
    let rows = Dense::new(rows.view());
    let (ctx, rows) = (Context::new(), Numbers::F64(&rows));
    let model = options.fit_to(&ctx, &Training::new(rows)).expect("a fit");
    let mut model: Box<dyn Fitted> = Box::new(model);
    measure_map(&ctx, &mut *model, rows, labels).expect("a quality");
    model
}

fn measures(options: &MdsOptions, rows: &Mat<f64>) -> MapMeasures {
    let model = judged(options, rows, None);
    model.map_measures().expect("a quality").clone()
}

/// A model of iris with the quality of its map, written and read again.
fn read_again<O: MethodOptions>(options: &O) -> O::Model {
    let rows = table_without("iris/iris.csv", &["species"]);
    let rows = Dense::new(rows.view());
    let (ctx, rows) = (Context::new(), Numbers::F64(&rows));
    let mut model = options.fit_to(&ctx, &Training::new(rows)).expect("a fit");
    measure_map(&ctx, &mut model, rows, None).expect("a quality");
    let again = O::from_record(&model.record().expect("a record")).expect("a model");
    let found = model.map_measures().expect("a quality");
    assert_eq!(Some(found), again.map_measures());
    assert!(found.n_rows == 150 && found.trustworthiness.value > 0.9);
    again
}

#[test]
fn every_method_that_keeps_places_keeps_how_good_its_map_is() {
    let isomap = read_again(&IsomapOptions {
        metric: Metric::Manhattan,
        ..IsomapOptions::default()
    });
    assert_eq!(isomap.map_of(), MapOf::Rows(Metric::Manhattan));
    let laplacian = read_again(&LaplacianOptions::default());
    assert_eq!(laplacian.map_of(), MapOf::Rows(Metric::Euclidean));
    read_again(&LleOptions::default());
    read_again(&DiffusionOptions::default());
}

#[test]
fn nothing_is_said_of_a_map_of_equal_rows() {
    fn check<O: MethodOptions>(options: &O) {
        let rows = Mat::from_fn(6, 2, |_, j| j as f64 + 1.0);
        let rows = Dense::new(rows.view());
        let (ctx, rows) = (Context::new(), Numbers::F64(&rows));
        let mut model = options.fit_to(&ctx, &Training::new(rows)).expect("a fit");
        measure_map(&ctx, &mut model, rows, None).expect("a quality");
        assert_eq!(model.map_measures(), None, "{}", O::NAME);
        let proofs = model
            .facts()
            .into_iter()
            .filter(|(name, _)| *name == "proof");
        for (_, proof) in proofs {
            assert!(!proof.contains("first 0"), "{proof}");
        }
    }
    check(&options(Distances::Euclidean));
    check(&IsomapOptions {
        n_neighbors: 2,
        ..IsomapOptions::default()
    });
    check(&LaplacianOptions {
        n_neighbors: 2,
        ..LaplacianOptions::default()
    });
    check(&LleOptions {
        n_neighbors: 2,
        ..LleOptions::default()
    });
}

/// Distances of all pairs.
fn all_pairs(rows: &Mat<f64>, metric: Metric) -> Mat<f64> {
    let n = rows.n_rows();
    Mat::from_fn(n, n, |i, j| distance(metric, rows.row(i), rows.row(j)))
}

#[test]
fn a_model_keeps_scikit_learns_numbers_of_its_map() {
    let want = reference("neighbors.json");
    let digits = table_without("digits/digits.csv", &["digit"]);
    let of_digits = measures(&options(Distances::Euclidean), &digits);
    let rows = table_without("wine/wine.csv", &["target"]);
    let found = measures(&options(Distances::Euclidean), &rows);
    assert_eq!(
        want["digits_pca"]["k"].as_u64(),
        Some(of_digits.n_neighbors as u64)
    );
    let correlation = found.shepard_correlation.expect("a correlation");
    for (table, name, got) in [
        ("digits_pca", "trustworthiness", of_digits.trustworthiness),
        ("digits_pca", "continuity", of_digits.continuity),
        ("digits_pca", "recall", of_digits.recall),
        ("wine_pca", "spearman", correlation),
        (
            "wine_pca",
            "stress_scaled",
            found.normalized_stress.expect("a stress"),
        ),
    ] {
        // Ties of distances are broken in another order.
        let off = (got.value - want[table][name].as_f64().expect("a number")).abs();
        assert!(off < 1e-4 && got.exact, "{name}: {got:?}");
    }
    // With columns scaled, the map is compared with the scaled rows.
    let n = rows.n_rows() as f64;
    let deviation = |j: usize| {
        let mean = rows.col(j).iter().sum::<f64>() / n;
        let squares: f64 = rows.col(j).iter().map(|x| (x - mean).powi(2)).sum();
        (squares / (n - 1.0)).sqrt()
    };
    let deviations: Vec<f64> = (0..rows.n_cols()).map(deviation).collect();
    let scaled = Mat::from_fn(rows.n_rows(), rows.n_cols(), |i, j| {
        rows[(i, j)] / deviations[j]
    });
    let by_option = MdsOptions {
        scale: Scale::Std,
        ..options(Distances::Euclidean)
    };
    let (a, b) = (
        measures(&by_option, &rows),
        measures(&options(Distances::Euclidean), &scaled),
    );
    assert!((a.trustworthiness.value - b.trustworthiness.value).abs() < 1e-12);
    assert!(a.trustworthiness.value < found.trustworthiness.value - 0.05);
}

#[test]
fn rows_and_their_distances_give_maps_the_same_quality() {
    let rows = normal(120, 6, 4);
    for (distances, metric) in [
        (Distances::Euclidean, Metric::Euclidean),
        (Distances::Manhattan, Metric::Manhattan),
    ] {
        let of_rows = measures(&options(distances), &rows);
        let given = all_pairs(&rows, metric);
        let of_distances = measures(&options(Distances::Precomputed), &given);
        let numbers = |found: &MapMeasures| {
            [
                found.trustworthiness.value,
                found.continuity.value,
                found.recall.value,
                found.shepard_correlation.map_or(9.0, |x| x.value),
                found.normalized_stress.map_or(9.0, |x| x.value),
            ]
        };
        for (a, b) in numbers(&of_rows).into_iter().zip(numbers(&of_distances)) {
            assert!((a - b).abs() < 1e-9, "{of_rows:?} {of_distances:?}");
        }
        // And these are the numbers of the public measures.
        let map = judged(&options(distances), &rows, None);
        let map = map.embedding().expect("places").clone();
        let judge = MapOptions {
            metric,
            ..MapOptions::default()
        };
        let (rows, map) = (Dense::new(rows.view()), Dense::new(map.view()));
        let found = judge.judge(&Context::new(), Numbers::F64(&rows), Numbers::F64(&map));
        let found = found.expect("a quality");
        assert_eq!(found.trustworthiness.estimate, of_rows.trustworthiness);
        assert_eq!(found.recall.estimate, of_rows.recall);
    }
}

#[test]
fn the_quality_is_part_of_the_record_and_older_records_lack_it() {
    let rows = normal(50, 4, 1);
    let labels: Vec<String> = (0..50).map(|i| format!("c{}", i % 3)).collect();
    let model = judged(&options(Distances::Euclidean), &rows, Some(&labels));
    assert!(
        model
            .map_measures()
            .expect("a quality")
            .label_accuracy
            .is_some()
    );
    let mut record = model.record().expect("a record");
    let again = MdsOptions::from_record(&record).expect("a model");
    assert_eq!(again.map_measures(), model.map_measures());
    let header = record.json.as_object_mut().expect("a header");
    let map = header.remove("map").expect("the quality");
    let older = MdsOptions::from_record(&record).expect("an older model");
    assert_eq!(older.map_measures(), None);
    assert_eq!(older.embedding(), model.embedding());
    let mut other = map;
    other["n_rows"] = 51.into();
    record.json["map"] = other;
    let refused = MdsOptions::from_record(&record).expect_err("another map");
    assert!(refused.to_string().contains("that of another map"));
}

#[test]
fn what_does_not_exist_is_not_kept() {
    let few = judged(&options(Distances::Euclidean), &normal(2, 3, 1), None);
    assert_eq!(few.map_measures(), None);
    let three = measures(&options(Distances::Euclidean), &normal(3, 3, 1));
    assert_eq!(three.n_neighbors, 1);
    let equal = Mat::from_fn(30, 2, |_, j| j as f64);
    // None of equal rows is nearer than another.
    let equal = judged(&options(Distances::Euclidean), &equal, None);
    assert_eq!(equal.map_measures(), None);
    // One class, and rows without a class, have no accuracy.
    let rows = normal(20, 3, 2);
    for label in ["a", ""] {
        let labels = vec![label.to_owned(); 20];
        let model = judged(&options(Distances::Euclidean), &rows, Some(&labels));
        assert_eq!(
            model.map_measures().expect("a quality").label_accuracy,
            None
        );
    }
}

#[test]
fn many_rows_are_judged_by_a_sample_whose_interval_holds_all() {
    let rows = normal(10_400, 4, 3);
    let found = measures(&options(Distances::Euclidean), &rows);
    assert_eq!((found.n_rows, found.recall.n_used), (10_400, 5_000));
    assert!(!found.recall.exact && found.recall.low < found.recall.high);
    let said = found.sentence("the map");
    assert!(
        said.contains("; measured on 5,000 of 10,400 rows and 500,000 pairs of rows drawn at random, with intervals of 95 % confidence in brackets"),
        "{said}"
    );
    let places = judged(&options(Distances::Euclidean), &rows, None);
    let places = places.embedding().expect("places").clone();
    let (rows, map) = (Dense::new(rows.view()), Dense::new(places.view()));
    let all = MapOptions {
        n_rows: Some(10_400),
        ..MapOptions::default()
    };
    let all = all.judge(&Context::new(), Numbers::F64(&rows), Numbers::F64(&map));
    let all = all.expect("a quality");
    for (sample, all) in [
        (found.trustworthiness, all.trustworthiness.estimate),
        (found.continuity, all.continuity.estimate),
        (found.recall, all.recall.estimate),
    ] {
        assert!(
            sample.low <= all.value && all.value <= sample.high,
            "{sample:?} {all:?}"
        );
    }
}

#[test]
fn rows_are_torn_by_what_continuity_lacks() {
    let rows = normal(80, 5, 7);
    let model = judged(&options(Distances::Euclidean), &rows, None);
    let mut map = model.embedding().expect("places").clone();
    let table = Dense::new(rows.view());
    let (ctx, numbers) = (Context::new(), Numbers::F64(&table));
    let found = torn(&ctx, &*model, numbers, &map).expect("numbers");
    let found = found.expect("numbers");
    let view = Dense::new(map.view());
    let continuity = MapOptions::default().continuity(&ctx, numbers, Numbers::F64(&view));
    for (torn, kept) in found.iter().zip(continuity.expect("a quality").of_rows) {
        assert!((torn + kept - 1.0).abs() < 1e-15 && *torn >= 0.0);
    }
    // A row without coordinates has no value, and the others are compared among themselves.
    map.row_mut(3).fill(f64::NAN);
    let without = torn(&ctx, &*model, numbers, &map).expect("numbers");
    let without = without.expect("numbers");
    assert!(without[3].is_nan() && without.iter().filter(|x| x.is_nan()).count() == 1);
    let measured = measures_of(&ctx, &*model, numbers, &map, None).expect("numbers");
    assert_eq!(measured.expect("a quality").n_rows, 79);
}

#[test]
fn what_is_not_perfect_is_never_rounded_to_perfect() {
    let at = |value: f64| MapEstimate {
        value,
        low: value,
        high: value,
        n_used: 9,
        exact: true,
    };
    let mut found = MapMeasures {
        n_neighbors: 1,
        n_rows: 9,
        trustworthiness: at(0.99999),
        continuity: at(1.0),
        recall: at(0.99999),
        shepard_correlation: Some(at(-0.2)),
        normalized_stress: Some(at(0.000012)),
        label_accuracy: Some(at(0.5)),
    };
    assert_eq!(
        found.sentence("the map"),
        "the map keeps more than 99.9 % of each row's nearest row (trustworthiness above 0.999, continuity 1.000); its distances follow those of the rows with a rank correlation of −0.200 and a normalized stress of 0.000012; 50.0 % of the rows have the class of their nearest row in the map"
    );
    found.normalized_stress = None;
    assert!(!found.sentence("the map").contains("stress"));
}
