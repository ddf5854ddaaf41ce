//! What is done about missing cells, and what is said about it.

use eigenspan::prepare::Missing;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Pca, PcaOptions};

use crate::support::{SOLVERS, bits, distance, fit, mixed, scores, with_solver};

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
    assert_eq!(
        error.to_string(),
        "column \"2\" has no value to take a mean of"
    );
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
