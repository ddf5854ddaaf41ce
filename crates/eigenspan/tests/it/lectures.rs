//! Every number that lectures, manuals and published examples state, from the tables in `data/`.

use eigenspan::prepare::Scale;
use eigenspan::solve::{Convention, Keep, Solver};
use eigenspan::source::{Block, Dense, Rows};
use eigenspan::summary::{Scatter, Summary};
use eigenspan::{Context, Mat, Pca, PcaOptions};

use crate::support::{
    SOLVERS, assert_close, assert_close_up_to_sign, close, columns_without, distance, fit, scores,
    table, table_without, with_solver,
};

const FOODS: &str = "uk-foods/uk-foods.csv";
const DECATHLON: &str = "decathlon/decathlon.csv";

fn scaled() -> PcaOptions {
    PcaOptions {
        scale: Scale::Std,
        ..Default::default()
    }
}

/// Standard deviations of the components.
fn sdev(pca: &Pca) -> Vec<f64> {
    pca.explained_variance().iter().map(|v| v.sqrt()).collect()
}

#[test]
fn uk_foods_has_the_lectures_eigenvalues_and_shares_by_every_solver() {
    let x = table_without(FOODS, &["country"]);
    for solver in SOLVERS {
        let pca = fit(&with_solver(solver), &x);
        assert_close(
            &pca.explained_variance()[..3],
            &[105222.3137, 45217.8890, 5458.7972],
            1e-8,
        );
        assert_close(&sdev(&pca)[..3], &[324.379891, 212.644984, 73.883674], 1e-8);
        assert!(close(pca.spectrum().total_variance(), 155899.0, 1e-12));
        assert_close(
            &pca.explained_variance_ratio()[..3],
            &[0.674939, 0.290046, 0.035015],
            2e-5,
        );
        assert_eq!(pca.explained_variance()[3], 0.0, "{solver}");
    }
}

#[test]
fn northern_ireland_stands_alone_on_its_side() {
    let x = table_without(FOODS, &["country"]);
    for solver in SOLVERS {
        let first = scores(&fit(&with_solver(solver), &x), &x).col(0);
        let want = [-145.1751, 477.5801, -91.1631, -241.2419];
        assert_close_up_to_sign(&first, &want, 1e-6);
        for other in [0, 2, 3] {
            assert!(first[other] * first[1] < 0.0, "{first:?}");
        }
    }
}

#[test]
fn fruit_alcohol_and_potatoes_make_the_first_food_component() {
    let names = columns_without(FOODS, &["country"]);
    let pca = fit(&PcaOptions::default(), &table_without(FOODS, &["country"]));
    let first = pca.components().row(0);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| first[b].abs().total_cmp(&first[a].abs()));
    let top: Vec<&str> = order[..3].iter().map(|&j| names[j].as_str()).collect();
    assert_eq!(top, ["Fresh fruit", "Alcoholic drinks", "Fresh potatoes"]);
    let loadings: Vec<f64> = order[..3].iter().map(|&j| first[j]).collect();
    // The entry of largest magnitude is positive: the lecture prints the mirror image.
    assert_close(&loadings, &[0.632404, 0.463495, -0.400328], 2e-6);
}

#[test]
fn uk_foods_as_published_with_1506_grams_of_soft_drinks() {
    let mut x = table_without(FOODS, &["country"]);
    let soft = columns_without(FOODS, &["country"])
        .iter()
        .position(|c| c == "Soft drinks")
        .expect("soft drinks");
    assert_eq!(x[(1, soft)], 1508.0);
    x[(1, soft)] = 1506.0;
    let pca = fit(&PcaOptions::default(), &x);
    assert_close(&sdev(&pca)[..3], &[324.1502, 212.7478, 73.87622], 5e-7);
    let shares = pca.explained_variance_ratio();
    assert!(distance(&shares[..3], &[0.6744, 0.2905, 0.03503]) < 5e-5);
}

#[test]
fn three_samples_have_the_covariance_and_eigenvalues_of_the_lecture() {
    let x = Mat::from_vec(3, 2, vec![3.0, 3.0, 4.0, 7.0, 5.0, 8.0]).expect("a matrix");
    let mut summary = Scatter::new(2);
    let rows = Rows {
        first: 0,
        block: Block::from(x.view()),
        weights: None,
    };
    summary.add(&rows).expect("rows");
    let covariance: Vec<f64> = summary
        .into_matrix(true)
        .into_vec()
        .iter()
        .map(|s| s / 2.0)
        .collect();
    assert!(distance(&covariance, &[1.0, 2.5, 2.5, 7.0]) < 1e-14);
    for solver in SOLVERS {
        let got = fit(&with_solver(solver), &x).explained_variance();
        assert!(distance(&got, &[7.905125, 0.094875]) < 5e-7, "{got:?}");
    }
}

#[test]
fn hald_has_matlabs_coefficients_latent_and_explained() {
    let x = table_without("hald/hald.csv", &[]);
    for solver in SOLVERS {
        let pca = fit(&with_solver(solver), &x);
        let want = [
            -0.067799985695474,
            -0.678516235418647,
            0.029020832106229,
            0.730873909451461,
        ];
        assert!(
            distance(pca.components().row(0), &want) < 1e-12,
            "{solver}: {:?}",
            pca.components().row(0)
        );
        let latent = pca.explained_variance();
        assert!(distance(&latent, &[517.7969, 67.4964, 12.4054, 0.2372]) < 5e-5);
        let explained: Vec<f64> = pca
            .explained_variance_ratio()
            .iter()
            .map(|s| 100.0 * s)
            .collect();
        assert!(distance(&explained, &[86.5974, 11.2882, 2.0747, 0.0397]) < 5e-5);
    }
}

#[test]
fn hald_leaves_matlabs_residuals_in_its_first_row() {
    let x = table_without("hald/hald.csv", &[]);
    let want = [
        [2.0350, 2.8304, -6.8378, 3.0879],
        [-2.4037, 2.6930, -1.6482, 2.3425],
        [0.2008, 0.1957, 0.2045, 0.1921],
    ];
    for (i, want) in want.iter().enumerate() {
        let options = PcaOptions {
            n_components: Keep::Count(i + 1),
            ..Default::default()
        };
        let pca = fit(&options, &x);
        let rebuilt = pca.inverse(scores(&pca, &x).view()).expect("rows");
        let residual: Vec<f64> = (0..4).map(|j| x[(0, j)] - rebuilt[(0, j)]).collect();
        assert!(distance(&residual, want) < 5.1e-5, "{residual:?}");
    }
}

#[test]
fn whitened_hald_scores_square_to_hotellings_t2() {
    let x = table_without("hald/hald.csv", &[]);
    let options = PcaOptions {
        whiten: true,
        ..Default::default()
    };
    let t2: Vec<f64> = scores(&fit(&options, &x), &x)
        .rows()
        .map(|row| row.iter().map(|s| s * s).sum())
        .collect();
    let want = [
        5.680341, 3.075837, 6.000233, 2.619763, 3.368139, 0.566797, 3.481841, 3.979398, 2.608586,
        7.481756, 4.183022, 2.232719, 2.721568,
    ];
    assert_close(&t2, &want, 1e-6);
}

#[test]
fn usarrests_scaled_is_what_r_prints() {
    let x = table_without("usarrests/usarrests.csv", &["state"]);
    for solver in SOLVERS {
        let pca = fit(&PcaOptions { solver, ..scaled() }, &x);
        assert_close(
            &sdev(&pca),
            &[1.5748783, 0.9948694, 0.5971291, 0.4164494],
            1e-7,
        );
        assert_close(
            &pca.explained_variance(),
            &[2.4802416, 0.9897652, 0.3565632, 0.1734301],
            2e-7,
        );
        assert_close_up_to_sign(
            pca.components().row(0),
            &[0.5358995, 0.5831836, 0.2781909, 0.5434321],
            2e-7,
        );
        // Every score has the sign of its own component.
        let alabama: Vec<f64> = scores(&pca, &x).row(0).iter().map(|s| s.abs()).collect();
        assert_close(
            &alabama,
            &[0.9756604, 1.1220012, 0.43980366, 0.154696581],
            2e-7,
        );
    }
}

fn decathlon() -> (Mat<f64>, Pca) {
    let x = table_without(DECATHLON, &["athlete", "Rank", "Points", "Competition"]);
    let options = PcaOptions {
        convention: Convention::Population,
        ..scaled()
    };
    let pca = fit(&options, &x);
    (x, pca)
}

#[test]
fn decathlon_has_factominers_eigenvalues_and_scores() {
    let (x, pca) = decathlon();
    let want = [
        3.2719055, 1.7371310, 1.4049167, 1.0568504, 0.6847735, 0.5992687, 0.4512353, 0.3968766,
        0.2148149, 0.1822275,
    ];
    assert_close(&pca.explained_variance(), &want, 3e-7);
    assert_eq!(pca.spectrum().count_for_share(0.9), Some(7));
    assert_eq!(
        pca.explained_variance()
            .iter()
            .filter(|v| **v > 1.0)
            .count(),
        4
    );
    let scores = scores(&pca, &x);
    let people = [
        [0.7916277, 0.7716112, 0.8268412],
        [1.2349906, 0.5745781, 2.1412470],
    ];
    // The sign of a component is free, but it is one sign for both athletes.
    for j in 0..3 {
        let got = [scores[(0, j)], scores[(1, j)]];
        assert_close_up_to_sign(&got, &[people[0][j], people[1][j]], 2e-7);
    }
}

#[test]
fn decathlon_keeps_seven_components_for_90_percent() {
    let x = table_without(DECATHLON, &["athlete", "Rank", "Points", "Competition"]);
    for solver in SOLVERS {
        let options = PcaOptions {
            n_components: Keep::Share(0.9),
            convention: Convention::Population,
            solver,
            ..scaled()
        };
        assert_eq!(fit(&options, &x).n_components(), 7, "{solver}");
    }
}

#[test]
fn decathlon_variables_and_points_lie_where_factominer_puts_them() {
    let (x, pca) = decathlon();
    let names = columns_without(DECATHLON, &["athlete", "Rank", "Points", "Competition"]);
    let square = |name: &str| {
        let j = names.iter().position(|n| n == name).expect("an event");
        pca.components()[(0, j)].powi(2)
    };
    // Contributions are squared loadings in percent; cos² is λ times them.
    let got = ["100m", "110m.hurdle", "Long.jump"].map(|name| 100.0 * square(name));
    assert!(distance(&got, &[18.344, 17.020, 16.822]) < 5e-4, "{got:?}");
    assert!((pca.explained_variance()[0] * square("100m") - 0.6002).abs() < 5e-5);
    let first = scores(&pca, &x).col(0);
    let supplementary = table(DECATHLON, &["Points", "Rank"]);
    let points = correlation(&first, &supplementary.col(0));
    let rank = correlation(&first, &supplementary.col(1));
    assert!((points.abs() - 0.9562).abs() < 5e-5, "{points}");
    assert!((rank.abs() - 0.6705).abs() < 5e-5, "{rank}");
    assert!(points * rank < 0.0);
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| f(a - ma, b - mb)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

#[test]
fn iris_has_its_famous_shares() {
    let x = table_without("iris/iris.csv", &["species"]);
    for solver in SOLVERS {
        let pca = fit(&with_solver(solver), &x);
        let shares = pca.explained_variance_ratio();
        assert!(distance(&shares, &[0.92461872, 0.05306648, 0.01710261, 0.00521218]) < 6e-9);
        let values = pca.explained_variance();
        assert!(distance(&values, &[4.22824171, 0.24267075, 0.0782095, 0.02383509]) < 6e-9);
        let options = PcaOptions {
            convention: Convention::Population,
            solver,
            ..scaled()
        };
        let values = fit(&options, &x).explained_variance();
        let want = [2.91849782, 0.91403047, 0.14675688, 0.02071484];
        assert!(distance(&values, &want) < 6e-9, "{solver}: {values:?}");
    }
}

#[test]
fn digits_need_21_29_and_41_components() {
    let x = table_without("digits/digits.csv", &["digit"]);
    for solver in [Solver::Auto, Solver::Covariance, Solver::Full] {
        let pca = fit(&with_solver(solver), &x);
        assert!(close(pca.spectrum().total_variance(), 1202.147712, 1e-9));
        assert_close(
            &pca.explained_variance()[..3],
            &[179.006930, 163.717747, 141.788439],
            5e-9,
        );
        for (share, k) in [(0.9, 21), (0.95, 29), (0.99, 41)] {
            assert_eq!(pca.spectrum().count_for_share(share), Some(k), "{solver}");
            let options = PcaOptions {
                n_components: Keep::Share(share),
                ..with_solver(solver)
            };
            assert_eq!(fit(&options, &x).n_components(), k, "{solver}");
        }
    }
}

#[test]
fn digits_are_rebuilt_with_the_known_mean_squared_error_per_cell() {
    let x = table_without("digits/digits.csv", &["digit"]);
    for (k, want) in [(2, 13.421012), (16, 2.827183), (32, 0.631636)] {
        let options = PcaOptions {
            n_components: Keep::Count(k),
            ..Default::default()
        };
        let pca = fit(&options, &x);
        // Published per cell, so over n·d; `reconstruction_error` is per row.
        let per_row = pca
            .reconstruction_error(&Context::new(), &Dense::new(x.view()))
            .expect("an error");
        assert!((per_row / 64.0 - want).abs() < 5e-7, "{k}: {per_row}");
        let rebuilt = pca.inverse(scores(&pca, &x).view()).expect("rows");
        let squares: f64 = x
            .as_slice()
            .iter()
            .zip(rebuilt.as_slice())
            .map(|(x, y)| (x - y).powi(2))
            .sum();
        let per_cell = squares / (1797.0 * 64.0);
        assert!((per_cell - want).abs() < 5e-7, "{k}: {per_cell}");
    }
}

#[test]
fn scikit_learns_docstring_comes_out() {
    let cells = vec![
        -1.0, -1.0, -2.0, -1.0, -3.0, -2.0, 1.0, 1.0, 2.0, 1.0, 3.0, 2.0,
    ];
    let x = Mat::from_vec(6, 2, cells).expect("a matrix");
    for solver in SOLVERS {
        let pca = fit(&with_solver(solver), &x);
        assert!(distance(&pca.explained_variance_ratio(), &[0.99244, 0.00756]) < 5e-6);
        assert!(distance(&pca.spectrum().singular_values, &[6.30061, 0.54980]) < 5e-6);
    }
}
