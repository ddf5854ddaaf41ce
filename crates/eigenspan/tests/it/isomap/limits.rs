//! Graphs in pieces, negative eigenvalues, few and even rows, and what is refused.

use eigenspan::graph::{Metric, Pieces};
use eigenspan::method::{Eigenvalues, Fitted, IsomapOptions};
use eigenspan::prepare::Scale;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat, Note};

use super::{fit, options, transform};
use crate::support::{distance, mixed, table_without};

fn refused(options: &IsomapOptions, x: &Mat<f64>) -> Error {
    let rows = Dense::new(x.view());
    options.fit(&Context::new(), &rows).expect_err("a refusal")
}

#[track_caller]
fn assert_said(error: &Error, text: &str) {
    assert_eq!(error.to_string(), text);
}

#[test]
fn pieces_are_joined_with_a_note_or_refused() {
    let iris = table_without("iris/iris.csv", &["species"]);
    let model = fit(&options(5, 2), &iris);
    let note = model
        .record()
        .map(|_| Fitted::common(&model).notes[0].clone())
        .expect("a record");
    let Note::JoinedPieces {
        pieces: 2,
        ref sizes,
        links: 1,
        ..
    } = note
    else {
        panic!("{note:?}")
    };
    assert_eq!(sizes, &[100, 50]);
    assert!(note.to_string().starts_with(
        "the neighbor graph was in 2 pieces of 100 and 50 rows: 1 link was added, one between the nearest rows of every two pieces, of length "
    ), "{note}");
    let hint = note.hint().expect("a hint");
    assert_eq!((hint.option, hint.value.as_str()), ("n_neighbors", "10"));
    let strict = IsomapOptions {
        pieces: Pieces::Refuse,
        ..options(5, 2)
    };
    assert_said(
        &refused(&strict, &iris),
        "the graph of 5 neighbors is in 2 pieces of 100 and 50 rows, but pieces = `refuse` takes only one piece",
    );
}

#[test]
fn negative_eigenvalues_are_counted_where_all_are_known() {
    let x = table_without("wine/wine.csv", &["target"]);
    let scaled = IsomapOptions {
        scale: Scale::Std,
        ..options(5, 2)
    };
    let model = fit(&scaled, &x);
    let lengths = model.geodesics(&Context::new()).expect("geodesics");
    let n = lengths.n_rows();
    let square = |i: usize, j: usize| -0.5 * lengths[(i, j)].powi(2);
    let means: Vec<f64> = (0..n)
        .map(|i| (0..n).map(|j| square(i, j)).sum::<f64>() / n as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let b = Mat::from_fn(n, n, |i, j| square(i, j) - means[i] - means[j] + mean);
    let values = eigenspan::linalg::symmetric_eigenvalues(&b).expect("eigenvalues");
    let below = values.iter().filter(|x| **x < -1e-9 * values[0]).count();
    let note = Fitted::common(&model)
        .notes
        .iter()
        .find_map(|note| match note {
            Note::NotEuclidean {
                count, smallest, ..
            } => Some((*count, *smallest)),
            _ => None,
        });
    let (count, smallest) = note.expect("a note");
    assert_eq!(count, Some(below));
    assert!((smallest / values[n - 1] - 1.0).abs() < 1e-9);
    // Shares are of the sum of the positive eigenvalues.
    let positive: f64 = values.iter().filter(|x| **x > 0.0).sum();
    let spectrum = Fitted::spectrum(&model).expect("a spectrum");
    assert!((spectrum.share(0) - values[0] / positive).abs() < 1e-9);
    // Where they are not all computed, a bound on the smallest is said, and no shares.
    let digits = table_without("digits/digits.csv", &["digit"]);
    let some = Mat::from_fn(600, 64, |i, j| digits[(i, j)]);
    let model = fit(&options(8, 2), &some);
    assert!(Fitted::spectrum(&model).is_none());
    let said = |model: &dyn Fitted| {
        let facts = model.facts();
        facts
            .into_iter()
            .find(|(key, _)| *key == "spectrum")
            .expect("a fact")
            .1
    };
    let words = said(&model);
    assert!(
        words.starts_with("some eigenvalues of B are negative, one of them at least "),
        "{words}"
    );
    let bound = Fitted::common(&model)
        .notes
        .iter()
        .find_map(|note| match note {
            Note::NotEuclidean {
                count: None,
                smallest,
                ..
            } => Some(*smallest),
            _ => None,
        });
    let all = IsomapOptions {
        eigenvalues: Some(Eigenvalues::Auto),
        ..options(8, 2)
    };
    let whole = fit(&all, &some);
    assert_eq!(whole.places(), model.places());
    let exact = Fitted::common(&whole)
        .notes
        .iter()
        .find_map(|note| match note {
            Note::NotEuclidean {
                count: Some(_),
                smallest,
                ..
            } => Some(*smallest),
            _ => None,
        });
    assert!(bound.expect("a bound") >= exact.expect("a number") * (1.0 + 1e-9));
    assert!(Fitted::spectrum(&whole).is_some() && said(&whole).contains("are negative, down to "));
}

#[test]
fn little_and_even_rows_are_placed_or_refused_in_words() {
    // Two rows: one distance.
    let two = Mat::from_vec(2, 1, vec![0.0, 3.0]).expect("rows");
    let model = fit(&options(1, 1), &two);
    assert!((model.places()[(0, 0)] - model.places()[(1, 0)]).abs() - 3.0 < 1e-12);
    // Equal rows have no distances at all.
    let same = Mat::from_fn(6, 3, |_, _| 2.5);
    let model = fit(&options(2, 2), &same);
    assert!(model.places().as_slice().iter().all(|x| *x == 0.0));
    assert_eq!(model.residual_variance(), [None, None]);
    assert_eq!(model.reconstruction_error(), 0.0);
    assert!(
        transform(&model, &same)
            .as_slice()
            .iter()
            .all(|x| *x == 0.0)
    );
    // A line keeps its distances, however far it lies.
    let line = Mat::from_fn(40, 2, |i, _| 1e8 + i as f64);
    let model = fit(&options(3, 2), &line);
    let span = model.places()[(0, 0)] - model.places()[(39, 0)];
    assert!((span.abs() - 39.0 * 2f64.sqrt()).abs() < 1e-6, "{span}");
    assert!(model.residual_variance()[0].expect("a value") < 1e-9);
    // Rows with copies.
    let base = mixed(30, 3, 9);
    let copies = Mat::from_fn(90, 3, |i, j| base[(i / 3, j)]);
    let model = fit(&options(4, 2), &copies);
    for i in 0..30 {
        assert_eq!(model.places().row(3 * i + 1).len(), 2);
        assert!(distance(model.places().row(3 * i), model.places().row(3 * i + 1)) < 1e-6);
    }
    // One column a million times the others.
    let wide = Mat::from_fn(50, 3, |i, j| {
        base[(i % 30, j)] * if j == 0 { 1e6 } else { 1.0 } + i as f64
    });
    assert!(
        fit(&options(5, 2), &wide)
            .places()
            .as_slice()
            .iter()
            .all(|x| x.is_finite())
    );
    // Large and small numbers.
    for factor in [1e-130, 1e130] {
        let x = Mat::from_fn(30, 3, |i, j| base[(i, j)] * factor);
        let (near, own) = (fit(&options(5, 2), &base), fit(&options(5, 2), &x));
        let scaled: Vec<f64> = own.places().as_slice().iter().map(|x| x / factor).collect();
        assert!(distance(&scaled, near.places().as_slice()) < 1e-8);
    }
    let x = Mat::from_fn(30, 3, |i, j| base[(i, j)] * 1e300);
    assert!(matches!(refused(&options(5, 2), &x), Error::Overflow));
    let x = Mat::from_fn(30, 3, |i, j| base[(i, j)] * 1e-170);
    assert!(matches!(refused(&options(5, 2), &x), Error::Underflow));
}

#[test]
fn options_that_do_not_fit_the_rows_are_refused_with_what_is_allowed() {
    let x = mixed(12, 3, 1);
    let most = "12 rows have 1 to 11 neighbors each, all other rows";
    assert_said(
        &refused(&options(12, 2), &x),
        &format!("n_neighbors = 12 does not fit: {most}"),
    );
    assert_said(
        &refused(&options(0, 2), &x),
        &format!("n_neighbors = 0 does not fit: {most}"),
    );
    assert_said(
        &refused(&options(3, 13), &x),
        "13 components asked for, but 12 rows allow at most 12",
    );
    assert_said(
        &refused(&options(3, 0), &x),
        "0 components asked for, but at least 1 is needed",
    );
    let landmarks = |m| IsomapOptions {
        n_landmarks: Some(m),
        ..options(3, 2)
    };
    for m in [0, 1, 13] {
        assert_said(
            &refused(&landmarks(m), &x),
            &format!(
                "n_landmarks = `{m}` is not known; it takes a whole number from 2 to the number of rows"
            ),
        );
    }
    let three = IsomapOptions {
        n_components: 3,
        ..landmarks(2)
    };
    assert_said(
        &refused(&three, &x),
        "3 components were asked for, but 2 landmarks have no more than 2",
    );
    let one = mixed(1, 3, 1);
    assert_said(
        &refused(&options(1, 1), &one),
        "1 row is too few: a variance needs at least 2 rows",
    );
    let mut holes = x.clone();
    holes[(4, 1)] = f64::NAN;
    assert!(matches!(
        refused(&options(3, 2), &holes),
        Error::NotFinite {
            nan: 1,
            row: 4,
            col: 1,
            ..
        }
    ));
    let cosine = IsomapOptions {
        metric: Metric::Cosine,
        ..options(3, 2)
    };
    let mut zero = x.clone();
    zero.row_mut(5).fill(0.0);
    assert_said(
        &refused(&cosine, &zero),
        "row 6 is all zeros, so it has no cosine distance to other rows",
    );
    let genotype = IsomapOptions {
        scale: Scale::Genotype,
        ..options(3, 2)
    };
    assert!(matches!(
        refused(&genotype, &x),
        Error::UnknownValue {
            option: "scale",
            ..
        }
    ));
    // New rows: of another width, without a direction, with missing cells.
    let model: Box<dyn Fitted> = Box::new(fit(&cosine, &x));
    let fails = |rows: &Mat<f64>| {
        let source = Dense::new(rows.view());
        model
            .transform(&Context::new(), Numbers::F64(&source))
            .expect_err("a refusal")
    };
    assert!(matches!(
        fails(&mixed(3, 4, 1)),
        Error::WrongWidth {
            given: 4,
            expected: 3
        }
    ));
    assert!(fails(&zero).to_string().starts_with("row 6 is all zeros"));
    assert!(matches!(
        fails(&holes),
        Error::NotFinite { row: 4, col: 1, .. }
    ));
    // A plan knows the memory of geodesics.
    let small = Context::new().with_memory(1_000_000);
    let large = Mat::<f64>::zeros(2_000, 2);
    let refused = options(5, 2)
        .plan(&small, &Dense::new(large.view()))
        .expect_err("a refusal");
    assert!(
        refused
            .to_string()
            .starts_with("the geodesics between all rows (fewer with n_landmarks) needs "),
        "{refused}"
    );
}
