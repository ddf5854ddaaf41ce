//! Approximate neighbors: how many true ones they hold, and that what is said of it is so.

use std::collections::HashSet;

use eigenspan::graph::{Algorithm, Metric, Neighbors};
use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};

use super::{exact, normal, options};
use crate::support::table_without;

fn approximate(rows: &Mat<f64>, k: usize, metric: Metric) -> Neighbors {
    let options = options(k, metric, Algorithm::Approximate);
    let found = options.fit(&Context::new(), &Dense::new(rows.view()));
    found.expect("neighbors")
}

/// The share of true neighbors among those found.
fn recall(found: &Neighbors, truth: &Neighbors) -> f64 {
    let shared = (0..truth.n_rows()).map(|i| {
        let near: HashSet<&u32> = truth.row(i).0.iter().collect();
        found.row(i).0.iter().filter(|j| near.contains(j)).count()
    });
    shared.sum::<usize>() as f64 / truth.indices().len() as f64
}

#[test]
fn nineteen_of_twenty_true_neighbors_are_found() {
    let digits = table_without("digits/digits.csv", &["digit"]);
    let mut rng = Rng::new(1);
    let uniform = Mat::from_fn(4000, 50, |_, _| rng.uniform());
    let clusters = Mat::from_fn(3000, 10, |i, j| {
        f64::from(u8::from(j == i % 10)) * 1e4 + rng.normal()
    });
    let cases = [
        ("digits", &digits, Metric::Euclidean),
        ("digits", &digits, Metric::Cosine),
        ("digits", &digits, Metric::Manhattan),
        ("uniform", &uniform, Metric::Euclidean),
        ("clusters", &clusters, Metric::Euclidean),
    ];
    for (name, rows, metric) in cases {
        let (found, truth) = (approximate(rows, 15, metric), exact(rows, 15, metric));
        let share = recall(&found, &truth);
        let said = found.recall().expect("it was measured");
        assert!(share >= 0.95, "{name} {metric:?}: {share}");
        assert!(
            said.low <= share && share <= said.high,
            "{name} {metric:?}: {share} {said:?}"
        );
        // What is found is true: the distances are those of the rows.
        for i in (0..truth.n_rows()).step_by(97) {
            let (near, distances) = found.row(i);
            assert!(!near.contains(&(i as u32)));
            for (j, x) in near.iter().zip(distances) {
                let at = truth.row(i).0.iter().position(|t| t == j);
                assert!(at.is_none_or(|at| truth.row(i).1[at] == *x));
            }
            assert!(distances.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }
}

#[test]
fn another_seed_finds_other_approximations_of_the_same_neighbors() {
    let rows = normal(2000, 12, 7);
    let options = options(10, Metric::Euclidean, Algorithm::Approximate);
    let fit = |seed| {
        let options = eigenspan::graph::NeighborOptions {
            seed,
            ..options.clone()
        };
        options
            .fit(&Context::new(), &Dense::new(rows.view()))
            .expect("neighbors")
    };
    assert_eq!(fit(1), fit(1));
    let share = recall(&fit(1), &fit(2));
    assert!(share > 0.9, "{share}");
}

#[test]
fn duplicates_are_neighbors_of_each_other_in_an_approximation_too() {
    let base = normal(700, 6, 3);
    let rows = Mat::from_fn(2100, 6, |i, j| base[(i % 700, j)] + 1e5);
    let found = approximate(&rows, 5, Metric::Euclidean);
    let zeros = (0..2100).filter(|&i| found.row(i).1[..2] == [0.0, 0.0]);
    assert!(zeros.count() >= 2050);
}
