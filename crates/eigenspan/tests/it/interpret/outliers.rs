//! Limits of T² and Q, and the rows beyond them.

use eigenspan::interpret::{Limits, OutlierOptions, Outliers, QLimit, RowOptions, row_facts};
use eigenspan::rng::Rng;
use eigenspan::solve::{Convention, Keep};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, Pca, PcaOptions};

use super::hald;
use crate::support::{assert_close, close, fit};

fn outliers(pca: &Pca, x: &Mat<f64>, k: usize, level: f64) -> Outliers {
    let options = RowOptions {
        n_components: Some(k),
        n_scores: Some(0),
    };
    let rows =
        row_facts(&Context::new(), pca, &Dense::new(x.view()), None, &options).expect("facts");
    Outliers::from_rows(pca, &rows, &OutlierOptions { level, most: 20 }).expect("outliers")
}

/// Computed with SciPy from the formulas: 12²/13·beta.ppf(p, 1, 5), 2·168/(13·11)·f.ppf(p, 2, 11), and Jackson and
/// Mudholkar's from the last two eigenvalues of numpy.cov.
#[test]
fn limits_of_hald_are_those_of_the_formulas() {
    let pca = fit(&PcaOptions::default(), &hald());
    let at = |level: f64| {
        let limits = Limits::from_pca(&pca, 2, level, None).expect("limits");
        assert_eq!(limits.q_from, Some(QLimit::Eigenvalues));
        [limits.t2, limits.t2_new, limits.q].map(|limit| limit.expect("a limit"))
    };
    let want = [4.992587760150731, 9.357007787298928, 46.870095735493756];
    assert_close(&at(0.95), &want, 1e-9);
    let want = [6.667120572330491, 16.930906893382367, 82.57182601252686];
    assert_close(&at(0.99), &want, 1e-9);
}

#[test]
fn a_model_that_does_not_know_all_eigenvalues_takes_the_limit_of_q_from_the_rows() {
    let x = hald();
    let options = PcaOptions {
        n_components: Keep::Count(2),
        ..Default::default()
    };
    let pca = fit(&options, &x);
    let alone = Limits::from_pca(&pca, 2, 0.99, None).expect("limits");
    assert_eq!((alone.q, alone.q_from), (None, None));
    // With SciPy, from the mean and variance (n − 1) of Q: s²/(2m)·chi2.ppf(0.99, 2m²/s²).
    let found = outliers(&pca, &x, 2, 0.99);
    assert_eq!(found.limits.q_from, Some(QLimit::Rows));
    assert!(close(
        found.limits.q.expect("a limit"),
        72.23905343086155,
        1e-9
    ));
}

#[test]
fn eigenvalues_known_from_elsewhere_give_the_limit_that_a_whole_model_gives() {
    let x = hald();
    let whole = fit(&PcaOptions::default(), &x);
    let all = whole.explained_variance();
    let options = PcaOptions {
        n_components: Keep::Count(2),
        ..Default::default()
    };
    let some = fit(&options, &x);
    let limit = |pca: &Pca, all: Option<&[f64]>| {
        let limits = Limits::with_eigenvalues(pca, 2, 0.99, None, all).expect("limits");
        (limits.q, limits.q_from)
    };
    let ((want, _), (got, from)) = (limit(&whole, None), limit(&some, Some(&all)));
    assert!(close(want.expect("a limit"), got.expect("a limit"), 1e-9));
    assert_eq!(from, Some(QLimit::Eigenvalues));
    // Those of other rows are passed over.
    let others: Vec<f64> = all.iter().map(|x| 2.0 * x).collect();
    assert_eq!(limit(&some, Some(&others)), (None, None));
    assert_eq!(limit(&some, Some(&all[..3])), (None, None));
}

#[test]
fn limits_follow_the_convention() {
    let x = hald();
    let options = PcaOptions {
        convention: Convention::Population,
        ..Default::default()
    };
    let (by_n, by_free) = (fit(&options, &x), fit(&PcaOptions::default(), &x));
    let limits = |pca: &Pca| Limits::from_pca(pca, 2, 0.95, None).expect("limits");
    // T² grows by n ÷ (n − 1) where variances shrink by it, and Q does not change; its limit is about a variance.
    let (a, b) = (limits(&by_n), limits(&by_free));
    for (a, b) in [(a.t2, b.t2), (a.t2_new, b.t2_new)] {
        assert!(close(
            a.unwrap_or(0.0),
            b.unwrap_or(1.0) * 13.0 / 12.0,
            1e-12
        ));
    }
    let beyond = |pca: &Pca| -> Vec<usize> {
        let found = outliers(pca, &x, 2, 0.8).farthest.into_iter();
        found.filter(|o| o.beyond_t2).map(|o| o.row).collect()
    };
    assert!(!beyond(&by_n).is_empty());
    assert_eq!(beyond(&by_n), beyond(&by_free));
}

/// Normal rows in 6 columns of falling deviation.
fn normal(n: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, 6, |_, j| {
        10.0 + rng.normal() * [9.0, 5.0, 2.0, 1.5, 1.0, 0.5][j]
    })
}

#[test]
fn about_as_many_normal_rows_as_promised_lie_beyond_the_limits() {
    let x = normal(20_000, 1);
    let pca = fit(&PcaOptions::default(), &x);
    for (level, low, high) in [(0.99, 150, 250), (0.95, 900, 1100)] {
        let found = outliers(&pca, &x, 2, level);
        for beyond in [found.n_beyond_t2, found.n_beyond_q] {
            assert!((low..high).contains(&beyond), "{beyond} at {level}");
        }
        let options = PcaOptions {
            n_components: Keep::Count(2),
            ..Default::default()
        };
        let found = outliers(&fit(&options, &x), &x, 2, level);
        assert!(
            (low..high).contains(&found.n_beyond_q),
            "{}",
            found.n_beyond_q
        );
    }
}

#[test]
fn few_rows_have_exact_limits_for_themselves_and_for_new_rows() {
    // 400 fits of 12 rows each, all three columns kept: 4800 rows against the limit of 95 %, and as many new ones.
    let (mut own, mut new) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut draw = |_: usize, j: usize| rng.normal() * (1 + j) as f64;
        let (x, y) = (
            Mat::from_fn(12, 3, &mut draw),
            Mat::from_fn(12, 3, &mut draw),
        );
        let pca = fit(&PcaOptions::default(), &x);
        let limits = Limits::from_pca(&pca, 3, 0.95, None).expect("limits");
        let t2 = |x: &Mat<f64>| {
            let rows = Dense::new(x.view());
            row_facts(&Context::new(), &pca, &rows, None, &RowOptions::default())
                .expect("facts")
                .t2
        };
        let beyond = |t2: Vec<f64>, limit: Option<f64>| {
            let limit = limit.expect("a limit");
            t2.iter().filter(|t2| **t2 > limit).count()
        };
        own += beyond(t2(&x), limits.t2);
        new += beyond(t2(&y), limits.t2_new);
    }
    // 240 of each are expected, give or take 15 (rows of one fit hang together).
    assert!((190..290).contains(&own), "{own}");
    assert!((180..300).contains(&new), "{new}");
}

#[test]
fn rows_far_along_and_far_away_are_told_apart() {
    let mut x = normal(500, 2);
    // Row 7 lies far along the first column, row 11 away from what the first two components see.
    x[(7, 0)] += 90.0;
    x[(11, 5)] += 15.0;
    let found = outliers(&fit(&PcaOptions::default(), &x), &x, 2, 0.99);
    assert_eq!(found.n_rows, 500);
    let at = |row: usize| {
        let outlier = found.farthest.iter().find(|o| o.row == row);
        outlier.map(|o| (o.beyond_t2, o.beyond_q))
    };
    assert_eq!(at(7), Some((true, false)));
    assert_eq!(at(11), Some((false, true)));
    let first: Vec<usize> = found.farthest.iter().take(2).map(|o| o.row).collect();
    assert!(first.contains(&7) && first.contains(&11), "{first:?}");
}

#[test]
fn one_large_eigenvalue_among_many_small_ones_has_the_limit_of_a_simulation() {
    // λ = 1 and 200 times 0.01 are left out: at 0.99, a million draws of Σ λ·χ² by numpy lie below 8.67. The rows are
    // orthogonal columns of a Hadamard matrix, so that the eigenvalues are exactly these.
    let n = 256;
    let sign = |i: usize, j: usize| 1.0 - 2.0 * f64::from((i & j).count_ones() % 2);
    let deviation = |j: usize| match j {
        0 => 30.0,
        1 => 1.0,
        _ => 0.1,
    };
    let x = Mat::from_fn(n, 202, |i, j| deviation(j) * sign(i, j + 1));
    let options = PcaOptions {
        convention: Convention::Population,
        ..Default::default()
    };
    let limits = Limits::from_pca(&fit(&options, &x), 1, 0.99, None).expect("limits");
    assert_eq!(limits.q_from, Some(QLimit::ThreeMoments));
    assert!(close(limits.q.unwrap_or(0.0), 8.669, 0.01), "{limits:?}");
}

#[test]
fn a_level_that_is_none_is_refused() {
    let pca = fit(&PcaOptions::default(), &hald());
    let error = Limits::from_pca(&pca, 2, 99.0, None).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "level = `99` is not known; it takes a number above 0 and below 1, such as 0.99"
    );
    assert!(Limits::from_pca(&pca, 5, 0.99, None).is_err());
}

#[test]
fn nothing_left_and_too_few_rows_have_no_limit() {
    let x = hald();
    let found = outliers(&fit(&PcaOptions::default(), &x), &x, 4, 0.99);
    assert_eq!(found.limits.q_from, Some(QLimit::NothingLeft));
    assert_eq!(found.n_beyond_q, 0);
    // 5 rows in 5 columns: 4 directions, and no row is left to judge them by.
    let few = Mat::from_fn(5, 5, |i, j| ((i * 7 + j * j * 3 + i * j) % 11) as f64);
    let pca = fit(&PcaOptions::default(), &few);
    let limits = Limits::from_pca(&pca, 5, 0.99, None).expect("limits");
    assert_eq!((limits.t2, limits.t2_new), (None, None));
}
