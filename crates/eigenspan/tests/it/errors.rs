//! The text of every error a fit, a projection or a plan can end in, and its hint.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::{Convention, Keep, Solver};
use eigenspan::source::{Block, Dense, Passes, Rows, Sink, Source};
use eigenspan::{Context, Error, Mat, PcaOptions};

use crate::support::{FILL, SOLVERS, assert_said, fit, mixed, names, to_f32, with_solver};

const KEEP_90: &str = "n_components = 90%: keeps as many as 90 % of the variance needs";

fn refused(options: &PcaOptions, x: &Mat<f64>) -> Error {
    options
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect_err("a refusal")
}

fn keeping(n_components: Keep) -> PcaOptions {
    PcaOptions {
        n_components,
        ..Default::default()
    }
}

#[test]
fn nan_and_infinity_are_counted_and_the_first_is_named() {
    let mut x = mixed(1_200, 3, 1);
    x[(4, 1)] = f64::NAN;
    for solver in SOLVERS {
        assert_said(
            &refused(&with_solver(solver), &x),
            "1 cell is not a finite number (1 NaN, 0 infinite); the first is row 5, column 2",
            Some(FILL),
        );
    }
    x[(1_100, 0)] = f64::INFINITY;
    x[(3, 2)] = f64::NEG_INFINITY;
    // Filling does not help against infinities, so nothing is offered.
    let text =
        "3 cells are not finite numbers (1 NaN, 2 infinite); the first is row 4, column \"fat\"";
    for solver in SOLVERS {
        let source = Dense::new(x.view())
            .with_names(names(&["ash", "bone", "fat"]))
            .expect("names");
        let error = with_solver(solver)
            .fit(&Context::new(), &source)
            .expect_err("a refusal");
        assert_said(&error, text, None);
    }
}

#[test]
fn infinity_is_found_in_its_own_row_where_rows_before_it_are_left_out() {
    let mut x = mixed(9, 2, 2);
    x[(1, 0)] = f64::NAN;
    x[(5, 0)] = f64::INFINITY;
    for missing in [Missing::Drop, Missing::Mean] {
        let options = PcaOptions {
            missing,
            ..Default::default()
        };
        assert_said(
            &refused(&options, &x),
            "1 cell is not a finite number (0 NaN, 1 infinite); the first is row 6, column 1",
            None,
        );
    }
}

#[test]
fn too_few_rows_have_no_variance() {
    for (rows, text) in [
        (0, "0 rows is too few: a variance needs at least 2 rows"),
        (1, "1 row is too few: a variance needs at least 2 rows"),
    ] {
        for solver in SOLVERS {
            let error = refused(&with_solver(solver), &Mat::zeros(rows, 3));
            assert_said(&error, text, None);
            // A pipe does not say how many there are before they are read.
            let error = with_solver(solver)
                .fit(&Context::new(), &Pipe(Mat::zeros(rows, 3)))
                .expect_err("a refusal");
            assert_said(&error, text, None);
        }
    }
    assert_said(
        &refused(&PcaOptions::default(), &Mat::zeros(5, 0)),
        "no numeric columns to work on",
        None,
    );
}

#[test]
fn counts_and_shares_no_data_could_satisfy_are_refused() {
    let x = mixed(5, 3, 2);
    let wide = mixed(3, 1_300, 2);
    for solver in SOLVERS {
        let too_many = |k, x: &Mat<f64>| {
            refused(
                &PcaOptions {
                    n_components: Keep::Count(k),
                    ..with_solver(solver)
                },
                x,
            )
        };
        assert_said(
            &too_many(4, &x),
            "4 components asked for, but 3 columns allow at most 3",
            Some(KEEP_90),
        );
        assert_said(
            &too_many(1_300, &wide),
            "1300 components asked for, but 3 rows allow at most 3",
            Some(KEEP_90),
        );
    }
    // A pipe does not tell its length before it is read.
    let pipe = Pipe(mixed(3, 5, 2));
    let error = keeping(Keep::Count(4))
        .fit(&Context::new(), &pipe)
        .expect_err("a refusal");
    assert_said(
        &error,
        "4 components asked for, but 3 rows allow at most 3",
        Some(KEEP_90),
    );
    assert_said(
        &refused(&keeping(Keep::Count(0)), &x),
        "0 components asked for, but at least 1 is needed",
        Some(KEEP_90),
    );
    for (share, shown) in [(0.0, "0"), (1.5, "1.5"), (-0.2, "-0.2"), (f64::NAN, "NaN")] {
        assert_said(
            &refused(&keeping(Keep::Share(share)), &x),
            &format!(
                "a share of {shown} of the variance was asked for, but a share lies above 0 and at most at 1 (100 %)"
            ),
            Some(KEEP_90),
        );
    }
    assert_eq!(fit(&keeping(Keep::Share(1.0)), &x).n_components(), 3);
}

#[test]
fn unknown_words_are_refused_with_the_known_ones() {
    assert_said(
        &"most".parse::<Keep>().expect_err("a refusal"),
        "n_components = `most` is not known; it takes a count such as 5, a share such as 90% or 0.9, auto, or all",
        None,
    );
    assert_said(
        &"svd".parse::<Solver>().expect_err("a refusal"),
        "solver = `svd` is not known; it takes auto, covariance, partial, dual, qr, full, lanczos, randomized, sketch or power",
        None,
    );
    for (text, keep) in [
        ("all", Keep::All),
        (" 5 ", Keep::Count(5)),
        ("1", Keep::Count(1)),
        ("1.0", Keep::Share(1.0)),
        ("90 %", Keep::Share(0.9)),
        ("0.9", Keep::Share(0.9)),
    ] {
        assert_eq!(text.parse::<Keep>().expect("a count or share"), keep);
    }
    let said = |json: &str| {
        serde_json::from_str::<PcaOptions>(json)
            .expect_err("a refusal")
            .to_string()
    };
    assert!(said(r#"{"n_components": 0}"#).starts_with("0 components asked for"));
    assert!(said(r#"{"n_components": "150%"}"#).starts_with("a share of 1.5 of the variance"));
    assert!(said(r#"{"componets": 3}"#).starts_with("unknown field `componets`"));
}

#[test]
fn weights_must_be_usable() {
    let x = mixed(4, 2, 3);
    let fitted = |weights: &[f64], solver, convention| {
        let options = PcaOptions {
            convention,
            ..with_solver(solver)
        };
        let source = Dense::new(x.view()).with_weights(weights)?;
        options.fit(&Context::new(), &source)
    };
    for solver in SOLVERS {
        let refused = |weights: &[f64], what: &str| {
            let error = fitted(weights, solver, Convention::Unbiased).expect_err("a refusal");
            let text = format!("row weights must be finite, at least 0 and not all 0: {what}");
            assert_said(&error, &text, None);
        };
        refused(&[1.0, 2.0, -0.5, 1.0], "row 3 has -0.5");
        refused(&[1.0, f64::NAN, 1.0, 1.0], "row 2 has NaN");
        refused(&[1.0, 1.0, 1.0, f64::INFINITY], "row 4 has inf");
        refused(&[0.0; 4], "they sum to 0");
        refused(&[1.0; 3], "3 weights given for 4 rows");
        let pca = fitted(&[0.25; 4], solver, Convention::Population).expect("a fit");
        let plain = PcaOptions {
            convention: Convention::Population,
            ..Default::default()
        };
        let (a, b) = (
            pca.explained_variance(),
            fit(&plain, &x).explained_variance(),
        );
        assert!((a[0] / b[0] - 1.0).abs() < 1e-12, "{solver}");
    }
}

#[test]
fn weights_that_stand_for_less_than_two_rows_have_no_n_minus_one() {
    let (n, x) = (10, mixed(10, 2, 3));
    let fitted = |sum: f64, solver, convention| {
        let options = PcaOptions {
            convention,
            ..with_solver(solver)
        };
        let weights = vec![sum / n as f64; n];
        let source = Dense::new(x.view()).with_weights(&weights)?;
        options.fit(&Context::new(), &source)
    };
    for solver in SOLVERS {
        // Rounding decides nothing: a sum of 1 is refused however it was reached.
        for (sum, said) in [
            (1.0, "1"),
            (1.0 + 1e-15, "1"),
            (1.0 - 1e-15, "1"),
            (1.0 + 1e-9, "1"),
            (0.5, "0.5"),
            (1.5, "1.5"),
            (1e-6, "1e-6"),
        ] {
            let error = fitted(sum, solver, Convention::Unbiased).expect_err("a refusal");
            let text = format!(
                "the row weights sum to {said}, but under the n − 1 convention a weight counts rows (2 is the row twice), and a variance needs at least 2"
            );
            let hint = "convention = n: divides by the sum of the weights";
            assert_said(&error, &text, Some(hint));
            assert!(fitted(sum, solver, Convention::Population).is_ok());
        }
        for sum in [2.0, 2.0 - 4e-16, 10.0] {
            let pca = fitted(sum, solver, Convention::Unbiased).expect("a fit");
            let scatter = pca.explained_variance()[0] * (sum - 1.0) / sum;
            let whole = fitted(10.0, solver, Convention::Population).expect("a fit");
            assert!((scatter / whole.explained_variance()[0] - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn too_little_memory_is_said_before_anything_is_read() {
    let x = mixed(100, 10, 5);
    let source = Dense::new(x.view());
    let options = PcaOptions::default();
    // 2·n·d + 3·d² numbers for `full`, 6·d² for the covariance.
    assert_eq!(
        options
            .plan(&Context::new(), &source)
            .expect("a plan")
            .bytes,
        18_400
    );
    let tight = Context::new().with_memory(1_000);
    assert_said(
        &options.fit(&tight, &source).expect_err("a refusal"),
        "even solver covariance, which takes the least memory, needs 4.8 kB, but only 1.0 kB may be used",
        None,
    );
    let middle = Context::new().with_memory(5_000);
    let pca = options.fit(&middle, &source).expect("a fit");
    assert_eq!(pca.parts().plan.solver, Solver::Covariance);
    assert_eq!(
        pca.parts().plan.reason,
        "one reading of 100 × 10 gives the covariance, and full would need 18 kB"
    );
    let error = with_solver(Solver::Full)
        .fit(&middle, &source)
        .expect_err("a refusal");
    assert_said(
        &error,
        "solver full needs 18 kB, but only 5.0 kB may be used",
        None,
    );
}

#[test]
fn the_wish_to_stop_is_heard() {
    let x = mixed(50, 4, 6);
    let source = Dense::new(x.view());
    let pca = fit(&PcaOptions::default(), &x);
    let ctx = Context::new().with_stop(Arc::new(AtomicBool::new(true)));
    for solver in SOLVERS {
        for missing in [Missing::Error, Missing::Drop, Missing::Mean] {
            let options = PcaOptions {
                missing,
                ..with_solver(solver)
            };
            let error = options.fit(&ctx, &source).expect_err("stopped");
            assert!(matches!(error, Error::Cancelled), "{error}");
            assert_said(&error, "interrupted", None);
        }
    }
    let error = pca.transform(&ctx, &source).expect_err("stopped");
    assert!(matches!(error, Error::Cancelled), "{error}");
}

#[test]
fn squares_that_overflow_are_an_error_with_a_way_out() {
    let plain = mixed(30, 3, 7);
    let x = Mat::from_fn(30, 3, |i, j| plain[(i, j)] * 1e200);
    for solver in SOLVERS {
        assert_said(
            &refused(&with_solver(solver), &x),
            "the values are too large: their variance overflows a 64-bit float",
            Some("scale = std: brings every column to variance 1"),
        );
    }
    let options = PcaOptions {
        scale: Scale::Std,
        ..Default::default()
    };
    let (got, want) = (fit(&options, &x), fit(&options, &plain));
    let away = got.explained_variance()[0] / want.explained_variance()[0] - 1.0;
    assert!(away.abs() < 1e-12);
    // Differences that leave the range before anything is squared.
    let far = Mat::from_fn(4, 1, |i, _| if i % 2 == 0 { 1.5e308 } else { -1.5e308 });
    for solver in SOLVERS {
        let error = refused(&with_solver(solver), &far);
        assert!(matches!(error, Error::Overflow), "{solver}: {error}");
    }
    // Scores too large for the element type they are asked in.
    let huge = Mat::from_fn(3, 3, |_, _| 3e38f32);
    let pca = fit(&PcaOptions::default(), &to_f32(&plain));
    let error = pca
        .transform(&Context::new(), &Dense::new(huge.view()))
        .expect_err("too large");
    assert!(matches!(error, Error::Overflow), "{error}");
}

/// Rows that can be read once and that nobody has counted.
struct Pipe(Mat<f64>);

impl Source<f64> for Pipe {
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }
    fn passes(&self) -> Passes {
        Passes::Once
    }
    fn read_part(&self, _: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        sink(Rows {
            first: 0,
            block: Block::from(self.0.view()),
            weights: None,
        })
    }
}

#[test]
fn a_pipe_cannot_be_searched_for_bad_cells_or_read_again() {
    let mut x = mixed(6, 2, 8);
    x[(0, 0)] = f64::NAN;
    let pipe = Pipe(x);
    for solver in SOLVERS {
        let error = with_solver(solver)
            .fit(&Context::new(), &pipe)
            .expect_err("NaN");
        assert_said(
            &error,
            "some cells are NaN or infinite, or too large to square",
            None,
        );
    }
    let options = PcaOptions {
        missing: Missing::Drop,
        ..Default::default()
    };
    let error = options
        .fit(&Context::new(), &pipe)
        .expect_err("two readings");
    assert_said(
        &error,
        "missing cells are dropped or filled in a second reading, but this input can be read only once",
        None,
    );
}

#[test]
fn what_a_source_says_is_passed_on() {
    struct Broken;
    impl Source<f64> for Broken {
        fn n_cols(&self) -> usize {
            2
        }
        fn read_part(&self, _: usize, _: &mut Sink<'_, f64>) -> Result<(), Error> {
            Err(Error::Source("line 7 ends early".into()))
        }
    }
    for solver in SOLVERS {
        let error = with_solver(solver)
            .fit(&Context::new(), &Broken)
            .expect_err("broken");
        assert_said(&error, "line 7 ends early", None);
    }
}
