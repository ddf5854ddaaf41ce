//! How well neighbors in a map tell the class of a row.

use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::graph::{Algorithm, Metric, NeighborOptions};
use crate::source::Numbers;

use super::super::classify::Classes;

/// The share of rows whose class is that of most of their k nearest other rows in a map (leave one out); among equally frequent
/// classes the first by name counts. Also, for every row, whether it is so.
pub fn label_accuracy(
    ctx: &Context,
    map: Numbers<'_>,
    labels: &[String],
    n_neighbors: usize,
) -> Result<(f64, Vec<bool>), Error> {
    let classes = Classes::new(labels)?;
    let options = NeighborOptions {
        n_neighbors,
        metric: Metric::Euclidean,
        algorithm: Algorithm::Exact,
        ..NeighborOptions::default()
    };
    let found = options.neighbors_of(ctx, map)?;
    let n = found.n_rows();
    if labels.len() != n {
        return Err(Error::Neighbors(NeighborFault::LabelCount {
            labels: labels.len(),
            n_rows: n,
        }));
    }
    let own = classes.of_rows();
    let right: Vec<bool> = (0..n)
        .map(|i| {
            let mut votes = vec![0usize; classes.names().len()];
            found
                .row(i)
                .0
                .iter()
                .for_each(|&j| votes[own[j as usize]] += 1);
            let most = votes.iter().copied().max();
            votes.iter().position(|votes| Some(*votes) == most) == Some(own[i])
        })
        .collect();
    let share = right.iter().filter(|right| **right).count() as f64 / n as f64;
    Ok((share, right))
}
