//! Where careless code divides zero by zero: components without variance, constant columns, few rows, weights, missing cells,
//! whitening, other storage.

use eigenspan::interpret::{
    Columns, Limits, NumericColumn, RowFacts, RowOptions, Supplementary, column_variances,
    residual_rows, row_facts, supplementary,
};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::solve::Keep;
use eigenspan::source::{CsrView, Dense, Source, Sparse};
use eigenspan::{Context, Error, Mat, Pca, PcaOptions, Real};

use super::total;
use crate::support::{assert_close, distance, fit, holed, mixed, to_f32};

fn facts<T: Real>(pca: &Pca, source: &dyn Source<T>) -> RowFacts {
    row_facts(&Context::new(), pca, source, None, &RowOptions::default()).expect("facts")
}

fn all_finite(table: &Mat<f64>) -> bool {
    table.as_slice().iter().all(|x| x.is_finite())
}

#[test]
fn silent_components_and_constant_columns_say_nothing() {
    // Column 1 is constant, column 3 repeats column 0.
    let base = mixed(20, 3, 4);
    let x = Mat::from_fn(20, 4, |i, j| match j {
        1 => 7.0,
        3 => base[(i, 0)],
        j => base[(i, j)],
    });
    for scale in [Scale::None, Scale::Std] {
        let options = PcaOptions {
            scale,
            ..Default::default()
        };
        let pca = fit(&options, &x);
        assert_eq!(pca.spectrum().rank, 2);
        let columns = Columns::from_pca(&pca, None).expect("columns");
        for table in [&columns.loadings, &columns.cos2, &columns.contributions] {
            assert!(all_finite(table));
            assert_eq!((total(table, 2), total(table, 3)), (0.0, 0.0));
        }
        assert!(columns.communalities[1].abs() < 1e-20);
        assert!((columns.communalities[0] - 1.0).abs() < 1e-12);
        assert!(columns.axis_facts(3).expect("an axis").columns.is_empty());
        let facts = facts(&pca, &Dense::new(x.view()));
        let contributions = facts.contributions(&pca);
        assert!((total(&contributions, 1) - 100.0).abs() < 1e-10);
        assert_eq!(
            (total(&contributions, 2), total(&contributions, 3)),
            (0.0, 0.0)
        );
        assert!(facts.t2.iter().all(|t2| t2.is_finite()));
        let beside = Supplementary {
            numeric: vec![NumericColumn {
                name: "y".to_owned(),
                values: x.col(2),
            }],
            ..Default::default()
        };
        let found = supplementary(&Context::new(), &pca, &Dense::new(x.view()), &beside);
        let correlations = &found.expect("facts").numeric[0].correlations;
        assert_eq!(correlations[2..], [0.0; 2]);
        // A new row that differs where no row did is far away, not infinitely far out.
        let mut new = Mat::from_fn(1, 4, |_, j| pca.mean()[j]);
        new[(0, 1)] += 3.0;
        let far = self::facts(&pca, &Dense::new(new.view()));
        assert!(
            far.t2[0] < 1e-20 && (far.q[0] - 9.0).abs() < 1e-9,
            "{far:?}"
        );
    }
}

#[test]
fn a_table_that_does_not_vary_has_no_shares() {
    let x = Mat::from_fn(5, 3, |_, j| j as f64);
    let pca = fit(&PcaOptions::default(), &x);
    let columns = Columns::from_pca(&pca, None).expect("columns");
    assert!(columns.cos2.as_slice().iter().all(|x| *x == 0.0));
    let facts = facts(&pca, &Dense::new(x.view()));
    assert!(facts.cos2().as_slice().iter().all(|x| *x == 0.0));
    assert_eq!(facts.t2, [0.0; 5]);
    let limits = Limits::from_pca(
        &pca,
        1,
        0.99,
        Some(&RowFacts {
            n_components: 1,
            ..facts
        }),
    );
    assert_eq!(limits.expect("limits").t2, None);
    let beside = Supplementary {
        numeric: vec![NumericColumn {
            name: "y".to_owned(),
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0],
        }],
        ..Default::default()
    };
    let ctx = Context::new();
    let found = supplementary(&ctx, &pca, &Dense::new(x.view()), &beside).expect("facts");
    assert!(found.numeric[0].correlations.iter().all(|r| *r == 0.0));
}

#[test]
fn fewer_rows_than_columns_and_one_component_work() {
    let x = mixed(5, 12, 3);
    let pca = fit(&PcaOptions::default(), &x);
    let columns = Columns::from_pca(&pca, None).expect("columns");
    assert_close(&columns.communalities, &[1.0; 12], 1e-10);
    let sums: Vec<f64> = facts(&pca, &Dense::new(x.view()))
        .cos2()
        .rows()
        .map(|row| row.iter().sum())
        .collect();
    assert_close(&sums, &[1.0; 5], 1e-10);
    let options = PcaOptions {
        n_components: Keep::Count(1),
        ..Default::default()
    };
    let one = fit(&options, &x);
    let source = Dense::new(x.view());
    let variances = column_variances(&Context::new(), &one, &source).expect("variances");
    let alone = Columns::from_pca(&one, Some(&variances)).expect("columns");
    assert!(distance(&alone.cos2.col(0), &columns.cos2.col(0)) < 1e-10);
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let x = mixed(12, 4, 6);
    let weights: Vec<f64> = (0..12).map(|i| f64::from(1 + i % 2)).collect();
    let twice: Vec<usize> = (0..12).flat_map(|i| vec![i; 1 + i % 2]).collect();
    let repeated = Mat::from_fn(twice.len(), 4, |i, j| x[(twice[i], j)]);
    let ctx = Context::new();
    let weighted = Dense::new(x.view())
        .with_weights(&weights)
        .expect("weights");
    let options = PcaOptions {
        n_components: Keep::Count(2),
        ..Default::default()
    };
    let a = options.fit(&ctx, &weighted).expect("a fit");
    let b = fit(&options, &repeated);
    let variances = column_variances(&ctx, &a, &weighted).expect("variances");
    let plain = Dense::new(repeated.view());
    assert_close(
        &variances,
        &column_variances(&ctx, &b, &plain).expect("variances"),
        1e-12,
    );
    let (by_weight, by_row) = (facts(&a, &weighted), facts(&b, &plain));
    let (shares, single) = (by_weight.contributions(&a), by_row.contributions(&b));
    for c in 0..2 {
        assert!((total(&shares, c) - 100.0).abs() < 1e-11);
        // Row 1 has weight 2: it contributes what its two copies do.
        assert!((shares[(1, c)] - single[(1, c)] - single[(2, c)]).abs() < 1e-10);
    }
    assert!((by_weight.t2[1] - by_row.t2[1]).abs() < 1e-10);
    let limits = |pca: &Pca, rows: &RowFacts| {
        let limits = Limits::from_pca(pca, 2, 0.9, Some(rows)).expect("limits");
        [limits.t2, limits.t2_new, limits.q].map(|x| x.expect("a limit"))
    };
    assert_close(&limits(&a, &by_weight), &limits(&b, &by_row), 1e-10);
    let y: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
    let correlation = |pca: &Pca, source: &dyn Source<f64>, values: Vec<f64>| {
        let beside = Supplementary {
            numeric: vec![NumericColumn {
                name: "y".to_owned(),
                values,
            }],
            ..Default::default()
        };
        let found = supplementary(&ctx, pca, source, &beside).expect("facts");
        found.numeric[0].correlations.clone()
    };
    let copies = twice.iter().map(|&i| y[i]).collect();
    let want = correlation(&b, &plain, copies);
    assert_close(&correlation(&a, &weighted, y), &want, 1e-10);
}

#[test]
fn whitening_changes_nothing_that_is_told() {
    let x = mixed(30, 4, 6);
    let plain = fit(&PcaOptions::default(), &x);
    let options = PcaOptions {
        whiten: true,
        ..Default::default()
    };
    let white = fit(&options, &x);
    let source = Dense::new(x.view());
    assert_eq!(facts(&plain, &source), facts(&white, &source));
    assert_eq!(
        Columns::from_pca(&plain, None).expect("columns"),
        Columns::from_pca(&white, None).expect("columns")
    );
    let rest = |pca: &Pca| residual_rows(&Context::new(), pca, &source, None, 2).expect("rows");
    assert_eq!(rest(&plain), rest(&white));
}

#[test]
fn missing_cells_are_filled_or_left_out_as_the_model_was_told() {
    let x = holed(&mixed(60, 5, 3), 0.1, 1);
    let source = Dense::new(x.view());
    let complete = (0..60)
        .filter(|&i| x.row(i).iter().all(|c| !c.is_nan()))
        .count();
    for (missing, count) in [
        (Missing::Mean, 60),
        (Missing::Em, 60),
        (Missing::Drop, complete),
    ] {
        let options = PcaOptions {
            missing,
            n_components: Keep::Count(2),
            ..Default::default()
        };
        let pca = fit(&options, &x);
        let facts = facts(&pca, &source);
        let heard = facts.t2.iter().filter(|t2| t2.is_finite()).count();
        assert_eq!(heard, count, "{missing:?}");
        let contributions = facts.contributions(&pca);
        for c in 0..2 {
            let shares = contributions.col(c).into_iter().filter(|x| !x.is_nan());
            let sum: f64 = shares.sum();
            // Variances of a fit by `em` count how far missing cells may lie from what is expected; scores cannot.
            let expected = match missing {
                Missing::Em => 90.0..100.0,
                _ => 100.0 - 1e-4..100.0 + 1e-4,
            };
            assert!(expected.contains(&sum), "{missing:?}: {sum}");
        }
        let variances = column_variances(&Context::new(), &pca, &source).expect("variances");
        let total: f64 = variances.iter().sum();
        let want = pca.spectrum().total_variance();
        assert!(
            (total / want - 1.0).abs() < 1e-6,
            "{missing:?}: {total} {want}"
        );
        let columns = Columns::from_pca(&pca, Some(&variances)).expect("columns");
        assert!(
            columns
                .communalities
                .iter()
                .all(|c| *c > 0.0 && *c < 1.0 + 1e-6)
        );
    }
    let pca = fit(&PcaOptions::default(), &mixed(60, 5, 3));
    let refused = row_facts(&Context::new(), &pca, &source, None, &RowOptions::default());
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
    let refused = column_variances(&Context::new(), &pca, &source);
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
}

#[test]
fn storage_and_element_type_do_not_matter() {
    // Mostly zeros, exact in f32.
    let x = Mat::from_fn(90, 6, |i, j| match (i * 5 + j * 11 + i * j) % 4 {
        0 => f64::from(((i * 3 + j) % 9) as u32) - 2.0,
        _ => 0.0,
    });
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in x.rows() {
        for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            indices.push(j as u32);
            values.push(*x);
        }
        indptr.push(values.len());
    }
    let sparse = Sparse::new(CsrView::new(6, &indptr, &indices, &values).expect("a matrix"));
    let single = to_f32(&x);
    let options = PcaOptions {
        n_components: Keep::Count(3),
        ..Default::default()
    };
    let pca = fit(&options, &x);
    let (wide, narrow) = (Dense::new(x.view()), Dense::new(single.view()));
    let want = facts(&pca, &wide);
    for got in [facts(&pca, &sparse), facts(&pca, &narrow)] {
        assert!(distance(got.scores.as_slice(), want.scores.as_slice()) < 1e-12);
        assert!(distance(&got.q, &want.q) < 1e-12 && distance(&got.t2, &want.t2) < 1e-12);
    }
    let ctx = Context::new();
    let want = column_variances(&ctx, &pca, &wide).expect("variances");
    let sparse = column_variances(&ctx, &pca, &sparse).expect("variances");
    assert_close(&sparse, &want, 1e-12);
    assert_close(
        &column_variances(&ctx, &pca, &narrow).expect("variances"),
        &want,
        1e-12,
    );
}

#[test]
fn without_centering_everything_is_about_zero() {
    let x = mixed(30, 4, 2);
    let options = PcaOptions {
        center: false,
        ..Default::default()
    };
    let (pca, source) = (fit(&options, &x), Dense::new(x.view()));
    let variances = column_variances(&Context::new(), &pca, &source).expect("variances");
    let squares: Vec<f64> = (0..4)
        .map(|j| x.col(j).iter().map(|x| x * x).sum::<f64>() / 29.0)
        .collect();
    assert_close(&variances, &squares, 1e-12);
    let columns = Columns::from_pca(&pca, Some(&variances)).expect("columns");
    assert_close(&columns.communalities, &[1.0; 4], 1e-12);
    let facts = facts(&pca, &source);
    assert!((total(&facts.contributions(&pca), 0) - 100.0).abs() < 1e-10);
    let limits = Limits::from_pca(&pca, 2, 0.99, None).expect("limits");
    assert!(
        limits
            .t2
            .zip(limits.t2_new)
            .is_some_and(|(own, new)| own < new)
    );
}
