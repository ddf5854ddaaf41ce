//! How missing cells are treated, and the notes about it.

use eigenspan::prepare::Missing;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Error, Mat, Note, Pca, PcaOptions};

use crate::support::{SOLVERS, assert_said, bits, distance, fit, mixed, scores, with_solver};

fn said(pca: &Pca) -> Vec<String> {
    pca.notes().iter().map(ToString::to_string).collect()
}

fn dealing(missing: Missing) -> PcaOptions {
    PcaOptions {
        missing,
        ..Default::default()
    }
}

fn lost(pca: &Pca, x: &Mat<f64>) -> f64 {
    pca.reconstruction_error(&Context::new(), &Dense::new(x.view()))
        .expect("an error")
}

#[test]
fn rows_with_missing_cells_are_left_out() {
    let full = mixed(1_400, 3, 7);
    let mut x = full.clone();
    let gone = [2, 900, 1_399];
    gone.iter().for_each(|&i| x[(i, i % 3)] = f64::NAN);
    let kept: Vec<usize> = (0..1_400).filter(|i| !gone.contains(i)).collect();
    let rest = Mat::from_fn(kept.len(), 3, |i, j| full[(kept[i], j)]);
    for solver in [Solver::Covariance, Solver::Full, Solver::Power] {
        let options = PcaOptions {
            missing: Missing::Drop,
            n_components: Keep::Count(2),
            ..with_solver(solver)
        };
        let pca = fit(&options, &x);
        assert_eq!(said(&pca), ["3 rows with missing cells left out"]);
        assert_eq!(pca.parts().n_rows, 1_397);
        let options = PcaOptions {
            missing: Missing::Error,
            ..options
        };
        let want = fit(&options, &rest);
        assert!(distance(&pca.explained_variance(), &want.explained_variance()) < 1e-12);
        let (got, want) = (lost(&pca, &x), lost(&want, &rest));
        assert!((got - want).abs() < 1e-12, "{got:e} {want:e}");
        // Their scores are missing too; those of the others are not.
        let scores = scores(&pca, &x);
        for i in 0..1_400 {
            let missing = scores.row(i).iter().any(|s| s.is_nan());
            assert_eq!(missing, gone.contains(&i), "row {i}");
        }
    }
    x[(900, 0)] = full[(900, 0)];
    x[(1_399, 1)] = full[(1_399, 1)];
    assert_eq!(
        said(&fit(&dealing(Missing::Drop), &x)),
        ["1 row with missing cells left out"]
    );
    assert_eq!(
        bits(&fit(&dealing(Missing::Drop), &rest)),
        bits(&fit(&PcaOptions::default(), &rest))
    );
}

#[test]
fn missing_cells_become_their_columns_mean() {
    let mut x = mixed(40, 3, 8);
    x[(3, 1)] = f64::NAN;
    x[(17, 1)] = f64::NAN;
    x[(0, 2)] = f64::NAN;
    let mean = |j| {
        let seen: Vec<f64> = x.col(j).into_iter().filter(|x| !x.is_nan()).collect();
        seen.iter().sum::<f64>() / seen.len() as f64
    };
    let (one, two) = (mean(1), mean(2));
    let filled = Mat::from_fn(40, 3, |i, j| match (x[(i, j)].is_nan(), j) {
        (false, _) => x[(i, j)],
        (true, 1) => one,
        (true, _) => two,
    });
    for solver in SOLVERS {
        let options = PcaOptions {
            missing: Missing::Mean,
            n_components: Keep::Count(2),
            ..with_solver(solver)
        };
        let pca = fit(&options, &x);
        assert_eq!(
            said(&pca),
            ["3 cells missing: filled with their column's mean"]
        );
        let options = PcaOptions {
            missing: Missing::Error,
            ..options
        };
        let want = fit(&options, &filled);
        assert!(distance(&pca.explained_variance(), &want.explained_variance()) < 1e-12);
        assert!(distance(pca.mean(), want.mean()) < 1e-13);
        let (got, want) = (lost(&pca, &x), lost(&pca, &filled));
        assert!((got - want).abs() < 1e-12, "{got:e} {want:e}");
        let away = distance(
            scores(&pca, &x).as_slice(),
            scores(&pca, &filled).as_slice(),
        );
        assert!(away < 1e-12, "{away:e}");
    }
    let hollow = Mat::from_fn(5, 2, |i, j| if j == 1 { f64::NAN } else { i as f64 });
    let error = dealing(Missing::Mean)
        .fit(&Context::new(), &Dense::new(hollow.view()))
        .expect_err("nothing to average");
    assert_eq!(error.to_string(), "column 2 has no value to take a mean of");
    let error = dealing(Missing::Drop)
        .fit(&Context::new(), &Dense::new(hollow.view()))
        .expect_err("no rows left");
    assert_eq!(
        error.to_string(),
        "0 rows is too few: a variance needs at least 2 rows"
    );
}

#[test]
fn a_mean_that_the_model_does_not_keep_is_not_made_up() {
    // Without centering the model holds no means, so a missing cell of a new row has nothing to become.
    let mut x = mixed(12, 3, 9);
    let options = PcaOptions {
        center: false,
        ..dealing(Missing::Mean)
    };
    let pca = fit(&options, &x);
    x[(4, 2)] = f64::NAN;
    let error = pca
        .transform(&Context::new(), &Dense::new(x.view()))
        .expect_err("NaN");
    assert!(error.to_string().ends_with("the first is row 5, column 3"));
}

fn em(k: usize) -> PcaOptions {
    PcaOptions {
        n_components: Keep::Count(k),
        ..dealing(Missing::Em)
    }
}

fn refused(options: &PcaOptions, x: &Mat<f64>) -> Error {
    options
        .fit(&Context::new(), &Dense::new(x.view()))
        .expect_err("a refusal")
}

#[test]
fn what_cannot_be_predicted_is_refused() {
    let mut x = mixed(12, 4, 24);
    x[(3, 1)] = f64::NAN;
    // All components are no reason to refuse: the filling does not depend on how many are kept.
    for keep in [Keep::All, Keep::Count(4), Keep::Share(1.0)] {
        let all = PcaOptions {
            n_components: keep,
            ..em(1)
        };
        assert_eq!(fit(&all, &x).n_components(), 4);
    }
    assert!(matches!(
        refused(&em(5), &x),
        Error::TooManyComponents { asked: 5, .. }
    ));
    assert!(matches!(refused(&em(0), &x), Error::NoComponents));
    let half = PcaOptions {
        n_components: Keep::Share(0.5),
        ..em(1)
    };
    assert_eq!(fit(&half, &x).parts().options, half);
    let small = Context::new().with_memory(200);
    let error = em(1)
        .fit(&small, &Dense::new(x.view()))
        .expect_err("memory");
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    x[(5, 0)] = f64::INFINITY;
    let text = "1 cell is not a finite number (0 NaN, 1 infinite); the first is row 6, column 1";
    assert_said(&refused(&em(1), &x), text, None);
    let hollow = Mat::from_fn(
        5,
        3,
        |i, j| if j == 1 { f64::NAN } else { (i * i + j) as f64 },
    );
    assert_said(
        &refused(&em(1), &hollow),
        "column 2 has no value to take a mean of",
        None,
    );
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let error = em(1).fit(&Context::new().with_stop(stop), &Dense::new(x.view()));
    assert!(matches!(error, Err(Error::Cancelled)));
}

#[test]
fn cells_that_do_not_come_to_rest_are_noted() {
    let note = Note::NotConverged {
        solver: "em".to_owned(),
        iterations: 1000,
        residual: 2e-6,
        tolerance: 1e-8,
    };
    let text = "em stopped after 1000 iterations with residual 2.0e-6 (1.0e-8 was asked for)";
    assert_eq!((note.to_string(), note.hint()), (text.to_owned(), None));
    // Two columns that are seen together in three rows only hardly know each other.
    let x = Mat::from_fn(200, 2, |i, j| match i >= 3 && i % 2 == j {
        true => f64::NAN,
        false => (i % 17) as f64 + 0.01 * (i * (j + 1)) as f64,
    });
    let pca = fit(&em(1), &x);
    let Note::ImputedCells {
        cells, iterations, ..
    } = pca.notes()[0]
    else {
        panic!("{:?}", said(&pca));
    };
    assert!(cells == 197 && (4..=1000).contains(&iterations));
    let noted = pca
        .notes()
        .iter()
        .any(|note| matches!(note, Note::NotConverged { .. }));
    assert_eq!(noted, iterations == 1000, "{:?}", said(&pca));
    let note = |cells, error| Note::ImputedCells {
        cells,
        iterations: 12,
        empty_rows: 2,
        error,
    };
    assert_eq!(
        note(1, Some(0.8049)).to_string(),
        "1 cell missing: filled with what the other cells of their rows predict, in 12 steps; observed cells held out were off \
         by 0.80 standard deviations; 2 rows without any value left out"
    );
    assert_eq!(
        note(0, None).to_string(),
        "2 rows without any value left out"
    );
    let text = Note::FilledVariances.to_string();
    assert!(
        text.ends_with("variances are those of the filled table, and a little too small"),
        "{text}"
    );
}
