//! Measures of maps: their laws, and what samples say of all rows.

use eigenspan::evaluate::{Association, MapOptions, PairOptions};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Mat};

use super::normal;

fn options(k: usize) -> MapOptions {
    MapOptions {
        n_neighbors: k,
        ..MapOptions::default()
    }
}

#[test]
fn a_line_out_of_order_has_the_published_trustworthiness() {
    let line = Mat::from_vec(5, 1, vec![0.0, 1.0, 2.0, 3.0, 4.0]).expect("rows");
    let map = Mat::from_vec(5, 1, vec![0.0, 2.0, 4.0, 1.0, 3.0]).expect("rows");
    let (line, map) = (Dense::new(line.view()), Dense::new(map.view()));
    let found =
        options(1).trustworthiness(&Context::new(), Numbers::F64(&line), Numbers::F64(&map));
    assert!((found.expect("a quality").estimate.value - 0.2).abs() < 1e-15);
}

#[test]
fn a_turned_and_stretched_copy_is_a_perfect_map() {
    let rows = normal(400, 2, 1);
    let map = Mat::from_fn(400, 2, |i, j| 8.0 * rows[(i, 1 - j)] + 3.0);
    let (rows, map) = (Dense::new(rows.view()), Dense::new(map.view()));
    let (rows, map) = (Numbers::F64(&rows), Numbers::F64(&map));
    let ctx = Context::new();
    let found = options(10).judge(&ctx, rows, map).expect("a quality");
    for judged in [&found.trustworthiness, &found.continuity, &found.recall] {
        assert_eq!(judged.estimate.value, 1.0);
        assert!(judged.of_rows.iter().all(|x| *x == 1.0));
    }
    let pairs = PairOptions::default();
    let correlation = pairs.shepard_correlation(&ctx, rows, map, Association::Spearman);
    assert!(correlation.expect("a number").value > 1.0 - 1e-9);
    assert!(
        pairs
            .normalized_stress(&ctx, rows, map, true)
            .expect("a number")
            .value
            < 1e-12
    );
    let unscaled = pairs
        .normalized_stress(&ctx, rows, map, false)
        .expect("a number");
    assert!((unscaled.value - 7.0).abs() < 1e-9);
}

#[test]
fn ranks_are_those_of_the_definition() {
    let (rows, map) = (normal(150, 7, 2), normal(150, 2, 3));
    let rank = |rows: &Mat<f64>, i: usize, j: usize| {
        let square = |a: usize| -> f64 {
            rows.row(i)
                .iter()
                .zip(rows.row(a))
                .map(|(x, y)| (x - y).powi(2))
                .sum()
        };
        1 + (0..150)
            .filter(|&a| a != i && square(a) < square(j))
            .count()
    };
    let k = 6;
    let found = options(k)
        .judge(
            &Context::new(),
            Numbers::F64(&Dense::new(rows.view())),
            Numbers::F64(&Dense::new(map.view())),
        )
        .expect("a quality");
    let torn = |near: &Mat<f64>, ranked: &Mat<f64>, i: usize| {
        let others = (0..150).filter(|&j| j != i && rank(near, i, j) <= k);
        let beyond = others.map(|j| rank(ranked, i, j).saturating_sub(k) as f64);
        1.0 - 2.0 / (k as f64 * (300.0 - 3.0 * k as f64 - 1.0)) * beyond.sum::<f64>()
    };
    for i in 0..150 {
        assert!((found.trustworthiness.of_rows[i] - torn(&map, &rows, i)).abs() < 1e-12);
        assert!((found.continuity.of_rows[i] - torn(&rows, &map, i)).abs() < 1e-12);
    }
}

#[test]
fn intervals_of_samples_hold_the_value_of_all_rows() {
    let rows = normal(1500, 6, 5);
    let map = Mat::from_fn(1500, 2, |i, j| rows[(i, j)] + rows[(i, j + 2)]);
    let (rows, map) = (Dense::new(rows.view()), Dense::new(map.view()));
    let (rows, map) = (Numbers::F64(&rows), Numbers::F64(&map));
    let ctx = Context::new();
    let all = options(10).judge(&ctx, rows, map).expect("a quality");
    let pairs = PairOptions::default();
    let every = pairs
        .normalized_stress(&ctx, rows, map, true)
        .expect("a number");
    let rho = pairs
        .shepard_correlation(&ctx, rows, map, Association::Spearman)
        .expect("a number");
    assert!(every.exact && rho.exact);
    let mut misses = 0;
    for seed in 0..40 {
        let some = MapOptions {
            n_rows: Some(150),
            seed,
            ..options(10)
        };
        let some = some.judge(&ctx, rows, map).expect("a quality");
        assert_eq!(some.recall.rows.as_ref().map(Vec::len), Some(150));
        // A sampled row has the value that it has among all rows.
        for (i, row) in some.trustworthiness.rows.iter().flatten().enumerate() {
            assert_eq!(
                some.trustworthiness.of_rows[i],
                all.trustworthiness.of_rows[*row]
            );
        }
        let few = PairOptions {
            n_pairs: 4000,
            seed,
            ..PairOptions::default()
        };
        let stress = few
            .normalized_stress(&ctx, rows, map, true)
            .expect("a number");
        let correlation = few.shepard_correlation(&ctx, rows, map, Association::Spearman);
        for (estimate, truth) in [
            (
                some.trustworthiness.estimate,
                all.trustworthiness.estimate.value,
            ),
            (some.continuity.estimate, all.continuity.estimate.value),
            (some.recall.estimate, all.recall.estimate.value),
            (stress, every.value),
            (correlation.expect("a number"), rho.value),
        ] {
            assert!(!estimate.exact && estimate.low < estimate.value);
            misses += usize::from(truth < estimate.low || estimate.high < truth);
        }
    }
    // 200 intervals of 95 %: 10 misses are expected, more than 20 come by chance in one of a thousand runs.
    assert!(misses <= 20, "{misses}");
}

#[test]
fn measures_have_the_same_bits_for_any_number_of_threads() {
    let (rows, map) = (normal(700, 9, 6), normal(700, 2, 7));
    let (rows, map) = (Dense::new(rows.view()), Dense::new(map.view()));
    let (rows, map) = (Numbers::F64(&rows), Numbers::F64(&map));
    let with = |threads| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        let pairs = PairOptions {
            n_pairs: 5000,
            ..PairOptions::default()
        };
        let stress = pairs
            .normalized_stress(&ctx, rows, map, true)
            .expect("a number");
        (
            options(5).judge(&ctx, rows, map).expect("a quality"),
            stress,
        )
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(8));
}
