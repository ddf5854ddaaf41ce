//! Scores, cos², contributions, distances and residuals of rows.

use eigenspan::interpret::{RowOptions, residual_rows, row_facts};
use eigenspan::prepare::Scale;
use eigenspan::solve::{Convention, Keep};
use eigenspan::source::{Dense, RowSet};
use eigenspan::{Context, Mat, Pca, PcaOptions};

use super::{decathlon, hald, like_factominer, total};
use crate::support::{assert_close, distance, fit, mixed};

fn facts(pca: &Pca, x: &Mat<f64>, options: &RowOptions) -> eigenspan::interpret::RowFacts {
    row_facts(&Context::new(), pca, &Dense::new(x.view()), None, options).expect("facts")
}

#[test]
fn decathlon_has_the_scores_of_factominer() {
    let x = decathlon();
    let facts = facts(&like_factominer(&x), &x, &RowOptions::default());
    // SEBRLE and CLAY, dimensions 1 to 3; signs are free.
    let want = [
        [0.7916277, 0.7716112, 0.8268412],
        [1.2349906, 0.5745781, 2.1412470],
    ];
    for (i, want) in want.iter().enumerate() {
        for (c, want) in want.iter().enumerate() {
            let got = facts.scores[(i, c)].abs();
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
    }
}

#[test]
fn cos2_sums_to_one_over_components_and_contributions_to_a_hundred_over_rows() {
    let x = mixed(30, 5, 3);
    for convention in [Convention::Unbiased, Convention::Population] {
        for scale in [Scale::None, Scale::Std] {
            let options = PcaOptions {
                convention,
                scale,
                ..Default::default()
            };
            let pca = fit(&options, &x);
            let facts = facts(&pca, &x, &RowOptions::default());
            let cos2 = facts.cos2();
            let sums: Vec<f64> = cos2.rows().map(|row| row.iter().sum()).collect();
            assert_close(&sums, &[1.0; 30], 1e-12);
            let contributions = facts.contributions(&pca);
            for c in 0..5 {
                assert!((total(&contributions, c) - 100.0).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn hald_has_the_t2_of_matlab() {
    let x = hald();
    let facts = facts(&fit(&PcaOptions::default(), &x), &x, &RowOptions::default());
    let want = [
        5.680341, 3.075837, 6.000233, 2.619763, 3.368139, 0.566797, 3.481841, 3.979398, 2.608586,
        7.481756, 4.183022, 2.232719, 2.721568,
    ];
    assert!(distance(&facts.t2, &want) < 1e-6);
    assert!(facts.q.iter().all(|q| *q < 1e-24));
}

#[test]
fn hald_leaves_the_residuals_of_matlab() {
    let x = hald();
    let want = [
        [2.0350, 2.8304, -6.8378, 3.0879],
        [-2.4037, 2.6930, -1.6482, 2.3425],
        [0.2008, 0.1957, 0.2045, 0.1921],
    ];
    let (pca, ctx) = (fit(&PcaOptions::default(), &x), Context::new());
    for (k, want) in (1..).zip(want) {
        let rows = RowSet::Range(0..1);
        let source = Dense::new(x.view());
        let rest = residual_rows(&ctx, &pca, &source, Some(&rows), k).expect("residuals");
        assert_eq!(rest.n_rows(), 1);
        assert!(distance(rest.row(0), &want) < 5.1e-5, "{:?}", rest.row(0));
    }
}

#[test]
fn residuals_are_rows_minus_their_reconstruction_in_the_units_of_the_data() {
    let x = mixed(25, 6, 4);
    let options = PcaOptions {
        scale: Scale::Std,
        n_components: Keep::Count(2),
        ..Default::default()
    };
    let (pca, ctx) = (fit(&options, &x), Context::new());
    let source = Dense::new(x.view());
    let rest = residual_rows(&ctx, &pca, &source, None, 2).expect("residuals");
    let scores = pca.transform(&ctx, &source).expect("scores");
    let rebuilt = pca.inverse(scores.view()).expect("rows");
    let want: Vec<f64> = x
        .as_slice()
        .iter()
        .zip(rebuilt.as_slice())
        .map(|(x, y)| x - y)
        .collect();
    assert!(distance(rest.as_slice(), &want) < 1e-12);
}

#[test]
fn distance_is_what_components_see_and_what_they_leave() {
    let x = mixed(50, 8, 9);
    let pca = fit(&PcaOptions::default(), &x);
    for k in 1..=8 {
        let options = RowOptions {
            n_components: Some(k),
            n_scores: Some(8),
        };
        let facts = facts(&pca, &x, &options);
        assert_eq!((facts.n_components, facts.scores.n_cols()), (k, 8));
        for i in 0..50 {
            let seen: f64 = facts.scores.row(i)[..k].iter().map(|t| t * t).sum();
            let whole = facts.squared_distances[i];
            assert!((seen + facts.q[i] - whole).abs() < 1e-12 * whole);
        }
        // Σ T² = divisor·k and Σ Q = divisor·(variances left out).
        let t2: f64 = facts.t2.iter().sum();
        assert!((t2 - 49.0 * k as f64).abs() < 1e-9);
        let left: f64 = pca.explained_variance()[k..].iter().sum();
        let q: f64 = facts.q.iter().sum();
        assert!((q - 49.0 * left).abs() < 1e-10 * (1.0 + left));
    }
}

#[test]
fn chosen_rows_are_as_they_are_among_all() {
    let x = mixed(700, 4, 2);
    let pca = fit(&PcaOptions::default(), &x);
    let all = facts(&pca, &x, &RowOptions::default());
    let chosen = RowSet::Listed(vec![3, 255, 256, 699]);
    let some = row_facts(
        &Context::new(),
        &pca,
        &Dense::new(x.view()),
        Some(&chosen),
        &RowOptions::default(),
    )
    .expect("facts");
    assert_eq!(some.rows, chosen);
    for (place, row) in [3, 255, 256, 699].into_iter().enumerate() {
        assert_close(some.scores.row(place), all.scores.row(row), 1e-12);
        assert_close(
            &[some.t2[place], some.squared_distances[place]],
            &[all.t2[row], all.squared_distances[row]],
            1e-12,
        );
    }
    let none = RowOptions {
        n_components: Some(2),
        n_scores: Some(0),
    };
    let bare = facts(&pca, &x, &none);
    assert_eq!((bare.scores.n_cols(), bare.t2.len()), (0, 700));
}

#[test]
fn rows_look_the_same_to_any_number_of_threads() {
    let x = mixed(3000, 12, 6);
    let options = PcaOptions {
        n_components: Keep::Count(4),
        ..Default::default()
    };
    let pca = fit(&options, &x);
    let look = |threads: usize| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        row_facts(
            &ctx,
            &pca,
            &Dense::new(x.view()),
            None,
            &RowOptions::default(),
        )
        .expect("facts")
    };
    assert_eq!(look(1), look(3));
}

#[test]
fn too_many_components_and_too_little_memory_are_refused() {
    let x = mixed(100, 4, 1);
    let pca = fit(&PcaOptions::default(), &x);
    let source = Dense::new(x.view());
    let look = |ctx: &Context, n_components| {
        let options = RowOptions {
            n_components,
            n_scores: None,
        };
        let error = row_facts(ctx, &pca, &source, None, &options).expect_err("refused");
        error.to_string()
    };
    let ctx = Context::new();
    assert_eq!(
        look(&ctx, Some(5)),
        "5 components asked for, but the model has 4"
    );
    assert_eq!(
        look(&ctx, Some(0)),
        "0 components asked for, but at least 1 is needed"
    );
    assert_eq!(
        look(&Context::new().with_memory(1000), None),
        "a table of all rows (fewer rows or scores take less) needs 13 kB, but only 1.0 kB may be used"
    );
    let rows = RowSet::Listed(vec![1, 99, 100, 200]);
    let error = row_facts(&ctx, &pca, &source, Some(&rows), &RowOptions::default());
    assert_eq!(
        error.expect_err("refused").to_string(),
        "4 rows asked for, but the table has only 2 of them"
    );
    let narrow = mixed(10, 3, 1);
    let error = row_facts(
        &ctx,
        &pca,
        &Dense::new(narrow.view()),
        None,
        &RowOptions::default(),
    );
    assert_eq!(
        error.expect_err("refused").to_string(),
        "3 columns given, but 4 expected"
    );
}
