//! Neighbors of rows, graphs of them, and how good maps are.

mod approximate;
mod errors;
mod exact;
mod golden;
mod of_models;
mod pieces;
mod quality;

use eigenspan::graph::{Algorithm, Metric, NeighborOptions, Neighbors};
use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};

const METRICS: [Metric; 5] = [
    Metric::Euclidean,
    Metric::Cosine,
    Metric::Manhattan,
    Metric::Correlation,
    Metric::Hamming,
];

fn options(k: usize, metric: Metric, algorithm: Algorithm) -> NeighborOptions {
    NeighborOptions {
        n_neighbors: k,
        metric,
        algorithm,
        ..NeighborOptions::default()
    }
}

fn exact(rows: &Mat<f64>, k: usize, metric: Metric) -> Neighbors {
    let options = options(k, metric, Algorithm::Exact);
    options
        .fit(&Context::new(), &Dense::new(rows.view()))
        .expect("neighbors")
}

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(n, d, |_, _| rng.normal())
}

/// The distance by its definition, summed in order.
fn distance(metric: Metric, a: &[f64], b: &[f64]) -> f64 {
    let pairs = || a.iter().zip(b);
    let cosine = |a: &[f64], b: &[f64]| {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        1.0 - dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    match metric {
        Metric::Euclidean => pairs().map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt(),
        Metric::Manhattan => pairs().map(|(x, y)| (x - y).abs()).sum(),
        Metric::Hamming => pairs().filter(|(x, y)| x != y).count() as f64 / a.len() as f64,
        Metric::Cosine => cosine(a, b),
        Metric::Correlation => {
            let centered = |x: &[f64]| -> Vec<f64> {
                let mean = x.iter().sum::<f64>() / x.len() as f64;
                x.iter().map(|x| x - mean).collect()
            };
            cosine(&centered(a), &centered(b))
        }
    }
}

/// Distances to the k nearest other rows by comparing all pairs.
fn by_hand(rows: &Mat<f64>, k: usize, metric: Metric) -> Vec<Vec<(f64, usize)>> {
    let list = |i: usize| {
        let others = (0..rows.n_rows()).filter(|j| *j != i);
        let mut near: Vec<(f64, usize)> = others
            .map(|j| (distance(metric, rows.row(i), rows.row(j)), j))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(k);
        near
    };
    (0..rows.n_rows()).map(list).collect()
}
