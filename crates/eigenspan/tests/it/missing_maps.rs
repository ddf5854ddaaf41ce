//! Missing cells where rows are placed by their distances, and where columns are selected: rows are left out, or cells filled, as if the
//! table had been without them.

use eigenspan::evaluate::measure_map;
use eigenspan::method::contract::{Scores, Value};
use eigenspan::method::{
    Criterion, Distances, Fitted, MdsOptions, Method, Rule, SelectOptions, Training,
};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::Keep;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat, Note};

use crate::support::table_without;

/// Iris with three missing cells in two rows, the rows without them, and all rows with those cells filled by means.
fn holed() -> (Mat<f64>, Mat<f64>, Mat<f64>) {
    let whole = table_without("iris/iris.csv", &["species"]);
    let mut holed = whole.clone();
    for (i, j) in [(3, 1), (3, 2), (80, 0)] {
        holed[(i, j)] = f64::NAN;
    }
    let kept: Vec<usize> = (0..150).filter(|i| ![3, 80].contains(i)).collect();
    let complete = Mat::from_fn(148, 4, |i, j| whole[(kept[i], j)]);
    let mean = |j: usize| {
        let known: Vec<f64> = holed.col(j).into_iter().filter(|x| !x.is_nan()).collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    let means: Vec<f64> = (0..4).map(mean).collect();
    let filled = Mat::from_fn(150, 4, |i, j| match holed[(i, j)] {
        x if x.is_nan() => means[j],
        x => x,
    });
    (holed, complete, filled)
}

fn fitted(options: &dyn Method, x: &Mat<f64>, labels: Option<&[String]>) -> Box<dyn Fitted> {
    let rows = Dense::new(x.view());
    let rows = Numbers::F64(&rows);
    let (ctx, training) = (Context::new(), Training { rows, labels });
    let mut model = options.fit(&ctx, &training).expect("a fit");
    measure_map(&ctx, &mut *model, rows, labels).expect("a quality");
    model
}

fn refused(options: &dyn Method, x: &Mat<f64>) -> Error {
    let rows = Dense::new(x.view());
    let training = Training::new(Numbers::F64(&rows));
    options
        .fit(&Context::new(), &training)
        .expect_err("a refusal")
}

fn says(error: &Error, words: &str) {
    assert!(error.to_string().contains(words), "{error}");
}

fn largest_gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.n_rows(), a.n_cols()), (b.n_rows(), b.n_cols()));
    let pairs = a.as_slice().iter().zip(b.as_slice());
    pairs.fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn places_of_incomplete_rows_are_left_out_or_those_of_filled_rows() {
    let (holed, complete, filled) = holed();
    for criterion in [Criterion::Classical, Criterion::Metric] {
        for distances in [Distances::Euclidean, Distances::Manhattan] {
            let options = |missing| MdsOptions {
                criterion,
                distances,
                missing,
                ..MdsOptions::default()
            };
            for (missing, same) in [(Missing::Drop, &complete), (Missing::Mean, &filled)] {
                let model = fitted(&options(missing), &holed, None);
                let want = fitted(&options(Missing::Error), same, None);
                let places = |model: &dyn Fitted| model.embedding().expect("places").clone();
                assert!(largest_gap(&places(&*model), &places(&*want)) < 1e-9);
                let (got, want) = (model.map_measures(), want.map_measures());
                let (got, want) = (got.expect("a quality"), want.expect("a quality"));
                assert!((got.trustworthiness.value - want.trustworthiness.value).abs() < 1e-12);
                assert_eq!(got.n_rows, same.n_rows());
                assert_eq!(model.common().missing, missing);
                assert_eq!(
                    model.common().notes[0],
                    match missing {
                        Missing::Drop => Note::DroppedRows { rows: 2 },
                        _ => Note::FilledCells { cells: 3 },
                    }
                );
            }
        }
    }
    // Rows that were left out have no places among all rows.
    let options = MdsOptions {
        missing: Missing::Drop,
        ..MdsOptions::default()
    };
    let model = fitted(&options, &holed, None);
    let rows = Dense::new(holed.view());
    let places = model.embedded(&Context::new(), Numbers::F64(&rows));
    let places = places.expect("places");
    assert!(places[(3, 0)].is_nan() && places[(80, 1)].is_nan() && !places[(4, 0)].is_nan());
}

#[test]
fn what_cannot_be_filled_or_weighted_is_refused() {
    let (holed, complete, _) = holed();
    let refusal = refused(&MdsOptions::default(), &holed);
    assert!(
        matches!(refusal, Error::NotFinite { nan: 3, .. }),
        "{refusal}"
    );
    let options = MdsOptions {
        missing: Missing::Em,
        ..MdsOptions::default()
    };
    says(&refused(&options, &holed), "error, drop or mean");
    let options = MdsOptions {
        missing: Missing::Mean,
        distances: Distances::Precomputed,
        ..MdsOptions::default()
    };
    says(
        &refused(&options, &holed),
        "can be neither left out nor filled",
    );
    let options = SelectOptions {
        missing: Missing::Em,
        ..SelectOptions::default()
    };
    says(&refused(&options, &holed), "error, drop or mean");
    let refusal = refused(&SelectOptions::default(), &holed);
    assert!(
        matches!(refusal, Error::NotFinite { nan: 3, .. }),
        "{refusal}"
    );
    let weights = vec![1.0; 148];
    let weighted = Dense::new(complete.view()).with_weights(&weights);
    let weighted = weighted.expect("weights");
    for options in [
        MdsOptions {
            criterion: Criterion::Nonmetric,
            ..MdsOptions::default()
        },
        MdsOptions {
            distances: Distances::Manhattan,
            ..MdsOptions::default()
        },
    ] {
        let error = options.fit(&Context::new(), &weighted);
        says(&error.expect_err("a refusal"), "these rows have weights");
    }
}

#[test]
fn a_weight_of_two_places_rows_as_the_row_twice() {
    let (_, rows, _) = holed();
    let weights: Vec<f64> = (0..148).map(|i| 1.0 + f64::from(i % 5 == 0)).collect();
    let twice: Vec<usize> = (0..148).chain((0..148).filter(|i| i % 5 == 0)).collect();
    let repeated = Mat::from_fn(twice.len(), 4, |i, j| rows[(twice[i], j)]);
    for scale in [Scale::None, Scale::Std] {
        let options = MdsOptions {
            scale,
            ..MdsOptions::default()
        };
        let weighted = Dense::new(rows.view()).with_weights(&weights);
        let weighted = weighted.expect("weights");
        let model = options.fit(&Context::new(), &weighted).expect("a fit");
        let want = fitted(&options, &repeated, None);
        let places = want.embedding().expect("places");
        let first = Mat::from_fn(148, 2, |i, j| places[(i, j)]);
        assert!(largest_gap(model.places(), &first) < 1e-9);
        let (a, b) = (model.spectrum(), want.spectrum());
        let variance = |s: Option<&eigenspan::solve::Spectrum>| s.map(|s| s.variance(0));
        let (a, b) = (variance(a), variance(b));
        assert!((a.expect("one") - b.expect("one")).abs() < 1e-9);
    }
}

#[test]
fn columns_are_selected_as_if_incomplete_rows_were_left_out_or_filled() {
    let (holed, complete, filled) = holed();
    let species = |i: usize| format!("c{}", i / 50);
    let all: Vec<String> = (0..150).map(species).collect();
    let some: Vec<String> = (0..150)
        .filter(|i| ![3, 80].contains(i))
        .map(species)
        .collect();
    for rule in [
        Rule::Variance,
        Rule::Correlation,
        Rule::PrincipalFeatures,
        Rule::Anova,
        Rule::MutualInformation,
    ] {
        let options = |missing| SelectOptions {
            by: rule,
            n_components: Keep::Count(2),
            missing,
            ..SelectOptions::default()
        };
        for (missing, same, labels) in [
            (Missing::Drop, &complete, &some),
            (Missing::Mean, &filled, &all),
        ] {
            let model = fitted(&options(missing), &holed, Some(&all));
            let want = fitted(&options(Missing::Error), same, Some(labels));
            let scores = |model: &dyn Fitted| match model.value("scores") {
                Some(Value::List(list)) => list,
                other => panic!("{other:?}"),
            };
            for (a, b) in scores(&*model).iter().zip(scores(&*want)) {
                let same = (a - b).abs() <= 1e-9 * b.abs() || (a.is_nan() && b.is_nan());
                assert!(same, "{rule:?} {missing:?}: {a} {b}");
            }
            assert_eq!(model.value("kept"), want.value("kept"));
            // New rows are treated as those of the fit, also by a model that was stored.
            let record = model.record().expect("a record");
            let stored = <SelectOptions as eigenspan::method::MethodOptions>::from_record(&record);
            let stored = stored.expect("a model");
            let rows = Dense::new(holed.view());
            let transformed =
                (&stored as &dyn Fitted).transform(&Context::new(), Numbers::F64(&rows));
            let Scores::F64(cells) = transformed.expect("cells") else {
                panic!("cells of 64 bits");
            };
            assert_eq!(cells[(3, 0)].is_nan(), missing == Missing::Drop);
            let kept = stored.kept();
            if missing == Missing::Mean {
                let off = (0..2).map(|c| (cells[(3, c)] - filled[(3, kept[c])]).abs());
                assert!(off.fold(0.0, f64::max) < 1e-12);
            }
        }
    }
}
