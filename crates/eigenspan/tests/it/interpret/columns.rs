//! Loadings, correlations, cos², contributions and communalities of columns.

use eigenspan::interpret::{Columns, column_variances};
use eigenspan::prepare::Scale;
use eigenspan::solve::{Convention, Keep};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

use super::{decathlon, like_factominer, total};
use crate::support::{assert_close, assert_close_up_to_sign, distance, fit, mixed, table_without};

#[test]
fn decathlon_has_the_contributions_of_factominer() {
    let pca = like_factominer(&decathlon());
    let columns = Columns::from_pca(&pca, None).expect("columns");
    // 100m, Long.jump and 110m.hurdle on dimension 1, as FactoMineR prints them.
    for (column, contribution) in [(0, 18.344), (1, 16.822), (5, 17.020)] {
        let got = columns.contributions[(column, 0)];
        assert!((got - contribution).abs() < 6e-4, "{got}");
    }
    assert!((columns.cos2[(0, 0)] - 0.6002).abs() < 5e-5);
}

#[test]
fn the_first_axis_of_the_decathlon_is_told_by_its_largest_columns() {
    let pca = like_factominer(&decathlon());
    let axis = Columns::from_pca(&pca, None)
        .and_then(|columns| columns.axis_facts(0))
        .expect("an axis");
    // 100m, 110m.hurdle, Long.jump, 400m, Shot.put; High.jump with 9.998 % falls short of an even share.
    let order: Vec<usize> = axis.columns.iter().map(|c| c.column).collect();
    assert_eq!(order, [0, 5, 1, 4, 2]);
    assert_eq!(axis.even_contribution, 10.0);
    assert!(axis.columns.iter().all(|c| c.contribution >= 10.0));
    assert!((axis.share - 0.32719055).abs() < 1e-8);
    // Running slowly and jumping far pull to opposite sides.
    let side = |place: usize| axis.columns[place].correlation.signum();
    assert_eq!((side(0), side(1), side(2)), (side(0), side(0), -side(0)));
    let listed: f64 = axis.columns.iter().map(|c| c.contribution).sum();
    assert_eq!(axis.listed_contribution, listed);
}

#[test]
fn an_axis_that_does_not_exist_is_refused() {
    let pca = like_factominer(&decathlon());
    let columns = Columns::from_pca(&pca, None).expect("columns");
    let error = columns.axis_facts(10).expect_err("ten components");
    assert_eq!(
        error.to_string(),
        "component 11 asked for, but there are 10"
    );
}

#[test]
fn usarrests_has_the_loadings_of_r() {
    let x = table_without("usarrests/usarrests.csv", &["state"]);
    let options = PcaOptions {
        scale: Scale::Std,
        ..Default::default()
    };
    let columns = Columns::from_pca(&fit(&options, &x), None).expect("columns");
    let first = [0.5358995, 0.5831836, 0.2781909, 0.5434321];
    assert_close_up_to_sign(&columns.components.col(0), &first, 1e-6);
    // Scaled columns: loadings are correlations, v·√λ with R's sdev 1.5748783.
    let loadings = first.map(|v| v * 1.5748783);
    assert_close_up_to_sign(&columns.loadings.col(0), &loadings, 1e-6);
    assert!(distance(columns.loadings.as_slice(), columns.correlations.as_slice()) < 1e-14);
}

/// Correlation of two lists, from the definition.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| f(x - mx, y - my)).sum()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

#[test]
fn correlations_are_those_of_columns_with_scores_however_they_were_scaled() {
    let x = mixed(60, 7, 5);
    let ctx = Context::new();
    for scale in [Scale::None, Scale::Std] {
        for convention in [Convention::Unbiased, Convention::Population] {
            for keep in [Keep::All, Keep::Count(3)] {
                let options = PcaOptions {
                    scale,
                    convention,
                    n_components: keep,
                    ..Default::default()
                };
                let pca = fit(&options, &x);
                let rows = Dense::new(x.view());
                let variances = column_variances(&ctx, &pca, &rows).expect("variances");
                let columns = Columns::from_pca(&pca, Some(&variances)).expect("columns");
                let scores = pca.transform(&ctx, &rows).expect("scores");
                for j in 0..7 {
                    for c in 0..pca.n_components() {
                        let want = correlation(&x.col(j), &scores.col(c));
                        let got = columns.correlations[(j, c)];
                        assert!((got - want).abs() < 1e-12, "{got} {want} {options:?}");
                    }
                }
                if keep == Keep::All || scale == Scale::Std {
                    // The model knows the variances itself.
                    let own = Columns::from_pca(&pca, None).expect("columns");
                    let apart = distance(own.cos2.as_slice(), columns.cos2.as_slice());
                    assert!(apart < 1e-12, "{apart:e}");
                }
            }
        }
    }
}

#[test]
fn loadings_make_up_the_covariance_and_shares_make_up_everything() {
    let x = mixed(40, 6, 8);
    let columns = Columns::from_pca(&fit(&PcaOptions::default(), &x), None).expect("columns");
    let mean: Vec<f64> = (0..6).map(|j| total(&x, j) / 40.0).collect();
    for a in 0..6 {
        for b in 0..6 {
            let products = (0..40).map(|i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b]));
            let want = products.sum::<f64>() / 39.0;
            let terms = (0..6).map(|c| columns.loadings[(a, c)] * columns.loadings[(b, c)]);
            assert!((terms.sum::<f64>() - want).abs() < 1e-11 * want.abs().max(1.0));
        }
    }
    assert_close(&columns.communalities, &[1.0; 6], 1e-12);
    for c in 0..6 {
        assert!((total(&columns.contributions, c) - 100.0).abs() < 1e-11);
    }
    let last = columns.cumulative_communalities.col(5);
    assert_eq!(last, columns.communalities);
    let second = columns.cumulative_communalities.col(1);
    for (j, sum) in second.iter().enumerate() {
        let want = columns.cos2[(j, 0)] + columns.cos2[(j, 1)];
        assert!((sum - want).abs() < 1e-15);
    }
}

#[test]
fn leading_components_are_as_they_are_among_all() {
    let x = mixed(40, 6, 8);
    let pca = fit(&PcaOptions::default(), &x);
    let all = Columns::from_pca(&pca, None).expect("columns");
    let two = Columns::leading(&pca, 2, None).expect("columns");
    assert_eq!((two.cos2.n_rows(), two.cos2.n_cols()), (6, 2));
    assert_eq!(two.correlations.col(1), all.correlations.col(1));
    assert_eq!(two.communalities, all.cumulative_communalities.col(1));
    assert_eq!(two.axis_facts(1).ok(), all.axis_facts(1).ok());
    let error = Columns::leading(&pca, 7, None).expect_err("six components");
    assert_eq!(
        error.to_string(),
        "7 components asked for, but the model has 6"
    );
}

#[test]
fn a_truncated_model_of_unscaled_columns_asks_for_their_variances() {
    let x = mixed(40, 6, 8);
    let options = PcaOptions {
        n_components: Keep::Count(2),
        ..Default::default()
    };
    let pca = fit(&options, &x);
    let said = |variances: Option<&[f64]>| {
        let error = Columns::from_pca(&pca, variances).expect_err("no variances");
        error.to_string()
    };
    assert_eq!(
        said(None),
        "the model keeps 2 of 6 components of columns that were not scaled to variance 1, so it does not know their \
         variances: give them, as `column_variances` reads them from the rows"
    );
    assert_eq!(said(Some(&[1.0])), "1 variances given for 6 columns");
    assert_eq!(
        said(Some(&[1.0, 1.0, -2.0, 1.0, 1.0, 1.0])),
        "column 3 is given the variance -2, but a variance is a finite number of at least 0"
    );
}

#[test]
fn columns_become_json_as_lists_of_rows() {
    let x = Mat::from_fn(3, 2, |i, j| [[3.0, 3.0], [4.0, 7.0], [5.0, 8.0]][i][j]);
    let columns = Columns::from_pca(&fit(&PcaOptions::default(), &x), None).expect("columns");
    let json = serde_json::to_value(&columns).expect("JSON");
    let loading = json["loadings"][1][0].as_f64();
    assert_eq!(loading, Some(columns.loadings[(1, 0)]));
    assert_eq!(json["communalities"].as_array().map(Vec::len), Some(2));
}
