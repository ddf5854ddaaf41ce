//! Multidimensional scaling: classical places are scikit-learn's and PCA's, stress is at most scikit-learn's from the same start, and what
//! cannot be a distance is named.

use eigenspan::error::DistanceFault;
use eigenspan::method::contract::Value;
use eigenspan::method::{
    Criterion, Distances, Fitted, MdsOptions, Method, Scaling, Start, Training, registry,
};
use eigenspan::prepare::Scale;
use eigenspan::solve::Keep;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat, Note, PcaOptions, Real};
use serde_json::Value as Json;

use crate::support::{
    assert_close, assert_said, distance, mixed, numbers, reference, table_without, to_f32,
};

fn fit<T: Real>(options: &MdsOptions, x: &Mat<T>) -> Scaling {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect("a fit")
}

fn refused(options: &MdsOptions, x: &Mat<f64>) -> Error {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect_err("a refusal")
}

fn precomputed(k: usize) -> MdsOptions {
    MdsOptions {
        n_components: k,
        distances: Distances::Precomputed,
        ..Default::default()
    }
}

/// Euclidean distances of rows.
fn distances(x: &Mat<f64>) -> Mat<f64> {
    let square = |i: usize, j: usize| -> f64 {
        x.row(i)
            .iter()
            .zip(x.row(j))
            .map(|(a, b)| (a - b).powi(2))
            .sum()
    };
    Mat::from_fn(x.n_rows(), x.n_rows(), |i, j| square(i, j).sqrt())
}

/// Columns with mean zero and variance 1.
fn standardized(file: &str, without: &str) -> Mat<f64> {
    let x = table_without(file, &[without]);
    let n = x.n_rows() as f64;
    let columns: Vec<Vec<f64>> = (0..x.n_cols())
        .map(|j| {
            let column = x.col(j);
            let mean = column.iter().sum::<f64>() / n;
            let square = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            let deviation = (square / (n - 1.0)).sqrt();
            column.iter().map(|x| (x - mean) / deviation).collect()
        })
        .collect();
    Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| columns[j][i])
}

const TABLES: [(&str, &str, &str); 2] = [
    ("usarrests", "usarrests/usarrests.csv", "state"),
    ("wine", "wine/wine.csv", "target"),
];

fn stored(table: &str) -> Json {
    reference("scaling.json")["results"][table].clone()
}

#[test]
fn classical_places_are_scikit_learns() {
    for (name, file, without) in TABLES {
        let x = table_without(file, &[without]);
        for (which, word) in [
            (Distances::Euclidean, "euclidean"),
            (Distances::Manhattan, "manhattan"),
        ] {
            let want = &stored(name)["classical"][word];
            let options = MdsOptions {
                n_components: 3,
                distances: which,
                scale: Scale::Std,
                ..Default::default()
            };
            let model = fit(&options, &x);
            let Some(Value::List(values)) = Fitted::value(&model, "eigenvalues") else {
                panic!("no eigenvalues")
            };
            assert_close(&values, &numbers(&want["eigenvalues"]), 1e-9);
            let rows = want["embedding_first5"].as_array().expect("rows");
            for (i, row) in rows.iter().enumerate() {
                // Both turn the entry of largest magnitude up.
                let away = distance(model.places().row(i), &numbers(row));
                assert!(away < 1e-8, "{name}, {word}, row {i}: {away:e}");
            }
        }
    }
}

#[test]
fn places_by_euclidean_distances_are_the_scores_of_pca_whichever_way_they_are_found() {
    let x = mixed(40, 6, 3);
    let pca = PcaOptions {
        n_components: Keep::Count(3),
        ..Default::default()
    };
    let pca = pca
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect("a fit");
    let scores = pca
        .transform(&Context::new(), &Dense::new(x.view()))
        .expect("scores");
    let of_rows = fit(
        &MdsOptions {
            n_components: 3,
            ..Default::default()
        },
        &x,
    );
    let of_distances = fit(&precomputed(3), &distances(&x));
    for model in [&of_rows, &of_distances] {
        for c in 0..3 {
            let (got, want) = (model.places().col(c), scores.col(c));
            let turned: Vec<f64> = want.iter().map(|x| -x).collect();
            let away = distance(&got, &want).min(distance(&got, &turned));
            assert!(away < 1e-9, "{away:e}");
            let variance = Fitted::spectrum(model).expect("a spectrum").variance(c);
            assert!((variance / pca.explained_variance()[c] - 1.0).abs() < 1e-9);
        }
        assert!(Fitted::common(model).notes.is_empty());
    }
    let narrow = fit(
        &MdsOptions {
            n_components: 3,
            ..Default::default()
        },
        &to_f32(&x),
    );
    assert!(distance(narrow.places().as_slice(), of_rows.places().as_slice()) < 1e-4);
    // A far offset takes nothing away.
    let far = Mat::from_fn(40, 6, |i, j| x[(i, j)] + 1e7);
    let far = fit(
        &MdsOptions {
            n_components: 3,
            ..Default::default()
        },
        &far,
    );
    assert!(distance(far.places().as_slice(), of_rows.places().as_slice()) < 1e-6);
}

#[test]
fn distances_that_no_places_have_are_noted() {
    // Of a tree with four leaves: three leaves at distance 2 from each other and 1 from the middle fit in no space.
    let star = Mat::from_fn(4, 4, |i, j| match (i, j) {
        _ if i == j => 0.0,
        (0, _) | (_, 0) => 1.0,
        _ => 2.0,
    });
    let model = fit(&precomputed(2), &star);
    let notes = Fitted::common(&model).notes;
    assert!(
        matches!(notes, [Note::NotEuclidean { count: Some(1), .. }]),
        "{notes:?}"
    );
    assert!(
        notes[0]
            .to_string()
            .starts_with("the distances are not Euclidean: 1 negative eigenvalue, down to -")
    );
    // More dimensions than columns: what is not there is zero.
    let line = Mat::from_fn(5, 1, |i, _| i as f64);
    let model = fit(&MdsOptions::default(), &line);
    assert!(model.places().col(1).iter().all(|x| x.abs() < 1e-7));
    assert!(matches!(
        Fitted::common(&model).notes,
        [Note::RankBelowK { rank: 1, k: 2 }]
    ));
}

#[test]
fn stress_from_the_same_start_is_at_most_scikit_learns() {
    for (name, file, without) in TABLES {
        let x = standardized(file, without);
        let places = Some(x.rows().map(|row| row[..2].to_vec()).collect());
        for (which, word) in [
            (Distances::Euclidean, "euclidean"),
            (Distances::Manhattan, "manhattan"),
        ] {
            for (criterion, kind) in [
                (Criterion::Metric, "metric"),
                (Criterion::Nonmetric, "nonmetric"),
            ] {
                let options = MdsOptions {
                    criterion,
                    distances: which,
                    places: places.clone(),
                    ..Default::default()
                };
                let found = fit(&options, &x).stress().expect("a stress");
                let want = &stored(name)[format!("{kind} {word}")];
                let (raw, stress_1) = (want["raw"].as_f64(), want["stress_1"].as_f64());
                let (raw, stress_1) = (raw.expect("raw"), stress_1.expect("stress-1"));
                assert!(found.converged && found.raw <= raw && found.stress_1 <= stress_1);
                // At most one more step than scikit-learn takes: it is the same search.
                assert!(
                    found.raw > 0.95 * raw,
                    "{name} {kind} {word}: {} {raw}",
                    found.raw
                );
                let steps = want["n_iter"].as_u64().expect("steps") as usize;
                assert!(
                    found.n_iterations.abs_diff(steps) <= 1,
                    "{} {steps}",
                    found.n_iterations
                );
            }
        }
    }
}

/// Stress-1 against the distances, from the places alone.
fn stress_1(places: &Mat<f64>, given: &Mat<f64>) -> f64 {
    let own = distances(places);
    let rest: f64 = own
        .as_slice()
        .iter()
        .zip(given.as_slice())
        .map(|(d, x)| (d - x).powi(2))
        .sum();
    let all: f64 = own.as_slice().iter().map(|d| d * d).sum();
    (rest / all).sqrt()
}

#[test]
fn the_stress_is_that_of_the_places_and_never_rises() {
    let x = standardized("wine/wine.csv", "target");
    let given = distances(&x);
    let metric = MdsOptions {
        criterion: Criterion::Metric,
        ..precomputed(2)
    };
    let mut before = f64::INFINITY;
    for max_iterations in [1, 2, 5, 20, 300] {
        let model = fit(
            &MdsOptions {
                max_iterations,
                ..metric.clone()
            },
            &given,
        );
        let found = model.stress().expect("a stress");
        assert!((found.stress_1 - stress_1(model.places(), &given)).abs() < 1e-12);
        assert!(found.raw <= before, "{max_iterations}");
        before = found.raw;
        assert_eq!(found.converged, max_iterations == 300);
        let note = Fitted::common(&model)
            .notes
            .first()
            .map(ToString::to_string);
        match max_iterations {
            300 => assert_eq!(note, None),
            1 => assert_eq!(
                note.as_deref(),
                Some("the stress had not converged after 1 step")
            ),
            n => {
                let note = note.expect("a note");
                let begin = format!(
                    "the stress had not converged after {n} steps: the last lowered it by "
                );
                assert!(note.starts_with(&begin), "{note}");
            }
        }
    }
    // The classical places are a better start than random ones, and the best of several is kept.
    let random = MdsOptions {
        start: Start::Random,
        n_starts: 4,
        ..metric.clone()
    };
    let model = fit(&random, &given);
    let found = model.stress().expect("a stress");
    assert!(
        found.worst >= found.stress_1
            && (found.stress_1 - stress_1(model.places(), &given)).abs() < 1e-12
    );
    let one = fit(
        &MdsOptions {
            n_starts: 1,
            ..random
        },
        &given,
    );
    assert!(one.stress().expect("a stress").stress_1 >= found.stress_1);
}

#[test]
fn non_metric_places_depend_on_the_order_of_the_distances_alone() {
    let x = standardized("usarrests/usarrests.csv", "state");
    let given = distances(&x);
    let bent = Mat::from_fn(50, 50, |i, j| given[(i, j)].powi(3));
    let places = Some(x.rows().map(|row| row[..2].to_vec()).collect::<Vec<_>>());
    let options = MdsOptions {
        criterion: Criterion::Nonmetric,
        places,
        max_iterations: 2_000,
        tolerance: 1e-9,
        ..precomputed(2)
    };
    let (a, b) = (fit(&options, &given), fit(&options, &bent));
    let (a, b) = (a.stress().expect("a stress"), b.stress().expect("a stress"));
    assert!(
        (a.stress_1 - b.stress_1).abs() < 0.01,
        "{} {}",
        a.stress_1,
        b.stress_1
    );
    // Places in a plane have their own distances, however these are bent.
    let plane = Mat::from_fn(30, 2, |i, j| ((i * (3 + j)) as f64).sin());
    let bent = distances(&plane);
    let bent = Mat::from_fn(30, 30, |i, j| bent[(i, j)].sqrt());
    let options = MdsOptions {
        criterion: Criterion::Nonmetric,
        tolerance: 0.0,
        max_iterations: 3_000,
        ..precomputed(2)
    };
    let found = fit(&options, &bent).stress().expect("a stress");
    assert!(found.stress_1 < 0.01, "{}", found.stress_1);
}

#[test]
fn equal_rows_and_rows_without_variance_are_placed() {
    let mut x = mixed(20, 3, 8);
    let first = x.row(0).to_vec();
    x.row_mut(5).copy_from_slice(&first);
    x.row_mut(6).copy_from_slice(&first);
    for criterion in [
        Criterion::Classical,
        Criterion::Metric,
        Criterion::Nonmetric,
    ] {
        let model = fit(
            &MdsOptions {
                criterion,
                ..Default::default()
            },
            &x,
        );
        assert!(
            distance(model.places().row(0), model.places().row(5)) < 1e-9,
            "{criterion:?}"
        );
        let same = Mat::from_fn(6, 2, |_, j| j as f64);
        let model = fit(
            &MdsOptions {
                criterion,
                ..Default::default()
            },
            &same,
        );
        assert!(
            model.places().as_slice().iter().all(|x| *x == 0.0),
            "{criterion:?}"
        );
    }
    // From random places, too.
    let random = MdsOptions {
        criterion: Criterion::Metric,
        start: Start::Random,
        ..Default::default()
    };
    let model = fit(&random, &x);
    assert!(model.places().as_slice().iter().all(|x| x.is_finite()));
}

#[test]
fn the_same_bits_come_out_for_any_number_of_threads() {
    let x = mixed(300, 5, 2);
    for criterion in [
        Criterion::Classical,
        Criterion::Metric,
        Criterion::Nonmetric,
    ] {
        for which in [Distances::Euclidean, Distances::Manhattan] {
            let mut first: Option<Vec<u64>> = None;
            for threads in [1, 2, 8] {
                let ctx = Context::new().with_threads(threads).expect("threads");
                let options = MdsOptions {
                    criterion,
                    distances: which,
                    max_iterations: 20,
                    n_starts: 2,
                    ..Default::default()
                };
                let model = options.fit(&ctx, &Dense::new(x.view())).expect("a fit");
                let bits: Vec<u64> = model
                    .places()
                    .as_slice()
                    .iter()
                    .map(|x| x.to_bits())
                    .collect();
                match &first {
                    None => first = Some(bits),
                    Some(first) => assert!(*first == bits, "{criterion:?} {which:?} {threads}"),
                }
            }
        }
    }
}

#[test]
fn a_stored_model_has_the_same_places_and_says_the_same() {
    let x = mixed(30, 4, 5);
    let entry = registry::find("mds").expect("the method");
    for criterion in [
        Criterion::Classical,
        Criterion::Metric,
        Criterion::Nonmetric,
    ] {
        let model = fit(
            &MdsOptions {
                criterion,
                ..Default::default()
            },
            &x,
        );
        let record = Fitted::record(&model).expect("a record");
        let again = entry.from_record(&record).expect("a model");
        assert_eq!(again.embedding(), Some(model.places()));
        assert_eq!(again.facts(), Fitted::facts(&model));
        assert_eq!(again.headline(), Fitted::headline(&model));
        assert_eq!(
            again.spectrum().map(|s| s.singular_values.clone()),
            Fitted::spectrum(&model).map(|s| s.singular_values.clone())
        );
        assert!(again.projection().is_none() && again.directions().is_none());
        let mut damaged = record.clone();
        damaged.tensors.remove(0);
        assert!(matches!(
            entry.from_record(&damaged),
            Err(Error::Damaged { .. })
        ));
    }
}

#[test]
fn what_is_no_distance_matrix_is_refused_with_its_cell() {
    let x = mixed(5, 3, 1);
    let good = distances(&x);
    let with = |row: usize, col: usize, value: f64| {
        let mut bad = good.clone();
        bad[(row, col)] = value;
        refused(&precomputed(2), &bad)
    };
    assert_said(
        &refused(&precomputed(2), &x),
        "a distance matrix has as many rows as columns, but 5 × 3 were given",
        None,
    );
    assert!(matches!(
        with(1, 3, 7.5),
        Error::Distances(DistanceFault::NotSymmetric { row: 1, col: 3, .. })
    ));
    assert_said(
        &with(2, 2, 0.5),
        "the distance of a row from itself is 0, but row 3, column 3 is 0.5",
        None,
    );
    assert!(matches!(
        with(0, 1, f64::NAN),
        Error::NotFinite { row: 0, col: 1, .. }
    ));
    let mut both = good.clone();
    both[(1, 4)] = -2.0;
    both[(4, 1)] = -2.0;
    assert_said(
        &refused(&precomputed(2), &both),
        "a distance is at least 0, but row 2, column 5 is -2",
        None,
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let x = mixed(5, 3, 1);
    let ask = |change: fn(&mut MdsOptions)| {
        let mut options = MdsOptions {
            criterion: Criterion::Metric,
            ..Default::default()
        };
        change(&mut options);
        refused(&options, &x).to_string()
    };
    assert_eq!(
        ask(|o| o.n_components = 6),
        "6 components asked for, but 5 rows allow at most 5"
    );
    assert_eq!(
        ask(|o| o.n_components = 0),
        "0 components asked for, but at least 1 is needed"
    );
    assert_eq!(
        ask(|o| o.n_starts = 0),
        "n_starts = `0` is not known; it takes a whole number from 1 on"
    );
    assert_eq!(
        ask(|o| o.max_iterations = 0),
        "max_iterations = `0` is not known; it takes a whole number from 1 on"
    );
    assert_eq!(
        ask(|o| o.tolerance = f64::NAN),
        "tolerance = `NaN` is not known; it takes a number from 0 on and below 1"
    );
    assert_eq!(
        ask(|o| o.places = Some(vec![vec![0.0; 2]; 4])),
        "4 × 2 cells to start from were given for 5 rows of 2 columns"
    );
    assert_eq!(
        ask(|o| o.scale = Scale::Genotype),
        "scale = `genotype` is not known; it takes none or std where rows are placed by their distances"
    );
    let scaled = MdsOptions {
        scale: Scale::Std,
        ..precomputed(2)
    };
    assert_eq!(
        refused(&scaled, &distances(&x)).to_string(),
        "a distance matrix has no columns to scale"
    );
    let one = mixed(1, 3, 1);
    assert!(matches!(
        refused(&MdsOptions::default(), &one),
        Error::TooFewRows { rows: 1, .. }
    ));
    let tight = Context::new().with_memory(100);
    let error = MdsOptions::default().fit(&tight, &Dense::new(x.view()));
    assert!(matches!(error, Err(Error::Memory { .. })));
    let weights = vec![1.0; 5];
    let weighted = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let metric = MdsOptions {
        criterion: Criterion::Metric,
        ..MdsOptions::default()
    };
    let error = Method::fit(
        &metric,
        &Context::new(),
        &Training::new(Numbers::F64(&weighted)),
    );
    assert!(matches!(error, Err(Error::OptionsConflict { .. })));
}
