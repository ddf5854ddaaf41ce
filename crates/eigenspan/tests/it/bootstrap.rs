//! How sure the numbers of a PCA are: against theory, against NumPy, against drawing the rows by hand.

use eigenspan::evaluate::{Bootstrap, BootstrapOptions, Interval};
use eigenspan::linalg::orthonormalize_rows;
use eigenspan::prepare::Scale;
use eigenspan::rng::{Rng, stream};
use eigenspan::solve::{Convention, Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use crate::support::{assert_close, close, distance, fit, mixed, table_without};

pub(crate) fn with(n_replicates: usize) -> BootstrapOptions {
    BootstrapOptions {
        n_replicates,
        ..Default::default()
    }
}

pub(crate) fn run(pca: &PcaOptions, options: &BootstrapOptions, x: &Mat<f64>) -> Bootstrap {
    let model = fit(pca, x);
    let rows = Dense::new(x.view());
    options
        .run(&Context::new(), &model, &rows)
        .expect("a bootstrap")
}

pub(crate) fn scaled() -> PcaOptions {
    PcaOptions {
        scale: Scale::Std,
        ..Default::default()
    }
}

/// Normal rows with these variances along random directions.
pub(crate) fn normal_rows(n: usize, variances: &[f64], seed: u64) -> Mat<f64> {
    let (mut rng, d) = (Rng::new(seed), variances.len());
    let mut turn = Mat::from_fn(d, d, |_, _| rng.normal());
    orthonormalize_rows(&mut turn);
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let z: Vec<f64> = variances.iter().map(|v| v.sqrt() * rng.normal()).collect();
        for j in 0..d {
            x[(i, j)] = (0..d).map(|l| z[l] * turn[(l, j)]).sum();
        }
    }
    x
}

/// Rows whose own variances are these, so that equal ones cannot be told apart at all.
fn rows_of_variances(n: usize, variances: &[f64]) -> Mat<f64> {
    let x = normal_rows(n, &vec![1.0; variances.len()], 11);
    let white = PcaOptions {
        whiten: true,
        ..Default::default()
    };
    let white = crate::support::scores(&fit(&white, &x), &x);
    Mat::from_fn(n, variances.len(), |i, j| {
        variances[j].sqrt() * white[(i, j)]
    })
}

fn holds(interval: [f64; 2], x: f64) -> bool {
    interval[0] <= x && x <= interval[1]
}

#[test]
fn eigenvalues_of_normal_rows_deviate_by_root_two_over_n() {
    let variances = [16.0, 4.0, 1.0];
    let n = 2000;
    let x = normal_rows(n, &variances, 5);
    let sure = run(&PcaOptions::default(), &with(400), &x);
    for interval in &sure.eigenvalues {
        let theory = interval.estimate * (2.0 / n as f64).sqrt();
        assert!(
            close(interval.deviation, theory, 0.15),
            "{interval:?}, {theory}"
        );
    }
    // The angle of PC1 to the truth has E sin²θ ≈ Σ λ₁λⱼ/(n(λ₁ − λⱼ)²) (Anderson 1963, Annals of Mathematical Statistics 34:122).
    let theory = variances[1..]
        .iter()
        .map(|v| 16.0 * v / (16.0 - v).powi(2))
        .sum::<f64>();
    let theory = (theory / n as f64).sqrt();
    // The median of √(a z₁² + b z₂²) lies between 0.67 and 1 of the root mean square.
    let ratio = sure.angles[0].median / theory;
    assert!((0.55..1.1).contains(&ratio), "{ratio}");
    assert!(
        sure.stability.iter().all(|s| *s > 0.95),
        "{:?}",
        sure.stability
    );
}

/// Compares with quantiles of another bootstrap: each end is off by at most so many deviations.
#[track_caller]
fn assert_near(intervals: &[Interval], low: &[f64], high: &[f64], tolerance: f64) {
    assert_eq!(intervals.len(), low.len());
    for (i, interval) in intervals.iter().enumerate() {
        for (got, want) in interval.draws.iter().zip([low[i], high[i]]) {
            // The deviation of a 2.5 % quantile of 2000 normal draws is √(0.025·0.975/2000)/0.0584 = 0.06 deviations.
            let off = (got - want).abs() / interval.deviation;
            assert!(
                off < tolerance,
                "{i}: {got} against {want}, {off} deviations"
            );
        }
    }
}

/// NumPy 2.4.6, 20,000 draws: rng = default_rng(1); x = iris[rng.integers(0, 150, 150)]; eigh(cov(x.T)); components matched
/// by scipy.optimize.linear_sum_assignment(-cos²) and turned to a positive cosine; quantile(…, [0.025, 0.975]).
#[test]
fn iris_is_as_sure_as_numpy_says() {
    let x = table_without("iris/iris.csv", &["species"]);
    let sure = run(&PcaOptions::default(), &with(2000), &x);
    assert_near(
        &sure.eigenvalues,
        &[3.66909, 0.18711, 0.06, 0.01731],
        &[4.73802, 0.30023, 0.09562, 0.02968],
        0.3,
    );
    assert_near(
        &sure.shares,
        &[0.90944, 0.04075, 0.01293, 0.00375],
        &[0.93885, 0.06692, 0.02177, 0.00672],
        0.3,
    );
    assert_near(
        &sure.loadings[0],
        &[0.32978, -0.11811, 0.84759, 0.34235],
        &[0.39089, -0.05056, 0.86514, 0.37492],
        0.3,
    );
    assert_near(
        &sure.loadings[1],
        &[0.57045, 0.63261, -0.21617, -0.16059],
        &[0.7379, 0.80534, -0.13066, 0.01194],
        0.3,
    );
    assert_near(
        &sure.correlations[0],
        &[0.86434, -0.53187, 0.9971, 0.95677],
        &[0.92422, -0.24916, 0.99848, 0.97486],
        0.3,
    );
    for (got, want) in sure.angles.iter().zip([
        (0.02013, 0.04453),
        (0.06126, 0.14388),
        (0.07871, 0.16576),
        (0.05464, 0.13335),
    ]) {
        assert!(close(got.median, want.0, 0.07), "{got:?}, {want:?}");
        assert!(close(got.upper, want.1, 0.1), "{got:?}, {want:?}");
    }
}

/// The same on the decathlon's ten scaled columns, three components of 20,000 draws (seed 2): every draw is scaled anew.
#[test]
fn scaled_columns_are_scaled_anew_in_every_draw() {
    let without = ["athlete", "Rank", "Points", "Competition"];
    let x = table_without("decathlon/decathlon.csv", &without);
    let options = BootstrapOptions {
        n_components: 3,
        ..with(4000)
    };
    let sure = run(&scaled(), &options, &x);
    let low = [2.60874, 1.49299, 1.12598];
    assert_near(&sure.eigenvalues, &low, &[4.30477, 2.44282, 1.70489], 0.3);
    // Where PC1 and PC2 mix, correlations have long tails: NumPy's own seeds differ by 0.4 deviations. Signs: NumPy's PC1 was turned so that its largest entry, 100m, is positive, as ours is.
    assert_near(
        &sure.correlations[0],
        &[
            0.49352, -0.8863, -0.81786, -0.75587, 0.18841, 0.41503, -0.79848, -0.46275, -0.63571,
            -0.43599,
        ],
        &[
            0.87228, -0.27699, -0.03608, -0.1447, 0.87117, 0.861, 0.05165, 0.36558, 0.3294, 0.46319,
        ],
        0.6,
    );
    assert!(
        close(sure.angles[0].median, 0.2431, 0.1),
        "{:?}",
        sure.angles
    );
}

/// Draws rows by hand as the seed says and decomposes them most accurately: eigenvalues, and the component among the
/// leading ones that lies nearest to the one given, with its sign.
fn by_hand(x: &Mat<f64>, pca: &PcaOptions, number: usize, near: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut rng = Rng::new(stream(0, number));
    let n = x.n_rows();
    let rows: Vec<usize> = (0..n)
        .map(|_| (rng.uniform() * n as f64) as usize)
        .collect();
    let drawn = Mat::from_fn(n, x.n_cols(), |i, j| x[(rows[i], j)]);
    let options = PcaOptions {
        solver: Solver::Full,
        n_components: Keep::All,
        ..pca.clone()
    };
    let pca = fit(&options, &drawn);
    let along = |v: &[f64]| v.iter().zip(near).map(|(a, b)| a * b).sum::<f64>();
    let nearest = pca.components().rows().take(6);
    let nearest = nearest.max_by(|a, b| along(a).abs().total_cmp(&along(b).abs()));
    let nearest = nearest.expect("a component");
    let turned = nearest.iter().map(|v| v * along(nearest).signum());
    (pca.explained_variance(), turned.collect())
}

#[test]
fn draws_are_those_of_rows_drawn_by_hand_whatever_the_shape() {
    for (n, d) in [(40, 6), (12, 30), (30, 30), (25, 120)] {
        let x = mixed(n, d, (n + d) as u64);
        for scale in [Scale::None, Scale::Std] {
            for convention in [Convention::Unbiased, Convention::Population] {
                let pca = PcaOptions {
                    scale,
                    convention,
                    n_components: Keep::Count(3),
                    ..Default::default()
                };
                // Two replicates: the ends of the interval that holds nearly all are the replicates themselves.
                let options = BootstrapOptions {
                    level: 1.0 - 1e-12,
                    ..with(2)
                };
                let sure = run(&pca, &options, &x);
                let model = fit(&pca, &x);
                let first = model.components().row(0);
                let hands = [0, 1].map(|number| by_hand(&x, &pca, number, first));
                let ends = |values: [f64; 2]| [values[0].min(values[1]), values[0].max(values[1])];
                for i in 0..3 {
                    let want = ends([0, 1].map(|b| hands[b].0[i]));
                    assert_close(&sure.eigenvalues[i].draws, &want, 1e-8);
                }
                for j in 0..d {
                    let want = ends([0, 1].map(|b| hands[b].1[j]));
                    let got = sure.loadings[0][j].draws;
                    let off = distance(&got, &want);
                    assert!(off < 1e-8, "{n} × {d}, {scale:?}, column {j}: {off:e}");
                }
            }
        }
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let x = mixed(20, 4, 3);
    let weights: Vec<f64> = (0..20).map(|i| f64::from(1 + i % 3)).collect();
    let twice: Vec<usize> = (0..20).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let repeated = Mat::from_fn(twice.len(), 4, |i, j| x[(twice[i], j)]);
    let ctx = Context::new();
    let weighted = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let model = PcaOptions::default().fit(&ctx, &weighted).expect("a fit");
    let a = with(50).run(&ctx, &model, &weighted).expect("a bootstrap");
    let b = run(&PcaOptions::default(), &with(50), &repeated);
    for (a, b) in a.eigenvalues.iter().zip(&b.eigenvalues) {
        assert_close(&a.draws, &b.draws, 1e-9);
    }
}

#[test]
fn intervals_of_loadings_hold_the_loadings() {
    let x = table_without("iris/iris.csv", &["species"]);
    for pca in [PcaOptions::default(), scaled()] {
        let sure = run(&pca, &with(200), &x);
        let cells = sure.loadings.iter().chain(&sure.correlations).flatten();
        for cell in cells {
            assert!(holds(cell.draws, cell.estimate), "{cell:?}");
            if let Some(interval) = cell.interval {
                assert!(holds(interval, cell.estimate), "{cell:?}");
            }
        }
        assert!(sure.standings[0].apart && sure.loadings[0][0].interval.is_some());
    }
}

#[test]
fn correlations_are_those_of_columns_with_scores() {
    let x = mixed(50, 4, 8);
    for pca in [PcaOptions::default(), scaled()] {
        let model = fit(&pca, &x);
        let scores = crate::support::scores(&model, &x);
        let sure = run(&pca, &with(50), &x);
        for i in 0..4 {
            for j in 0..4 {
                let want = correlation(&x.col(j), &scores.col(i));
                let got = sure.correlations[i][j].estimate;
                assert!((got - want).abs() < 1e-9, "{got} is not {want}");
            }
        }
    }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let products = a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb));
    let squares = |v: &[f64], m: f64| v.iter().map(|x| (x - m).powi(2)).sum::<f64>();
    products.sum::<f64>() / (squares(a, ma) * squares(b, mb)).sqrt()
}

#[test]
fn eigenvalues_that_cannot_be_told_apart_are_not_stable() {
    let x = rows_of_variances(400, &[10.0, 2.0, 2.0, 0.5]);
    let sure = run(&PcaOptions::default(), &with(200), &x);
    let stability = &sure.stability;
    assert!(stability[0] > 0.95 && stability[3] > 0.9, "{stability:?}");
    assert!(stability[1] < 0.5 && stability[2] < 0.5, "{stability:?}");
    // Together they are as sure as any.
    assert!(sure.span_angles[2].upper < 0.2, "{:?}", sure.span_angles);
    assert!(sure.span_angles[1].median > 2.0 * sure.span_angles[2].median);
    let alike = rows_of_variances(60, &[1.0; 5]);
    let sure = run(&PcaOptions::default(), &with(100), &alike);
    assert!(
        sure.stability.iter().all(|s| (0.0..0.5).contains(s)),
        "{:?}",
        sure.stability
    );
}
