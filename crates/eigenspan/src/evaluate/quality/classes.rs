//! How well neighbors in a map tell the class of a row.

use super::super::classify::Classes;
use crate::context::Context;
use crate::error::{Error, NeighborFault, TuningFault};
use crate::graph::{Algorithm, Metric, NeighborOptions};
use crate::on_numbers;
use crate::source::{Numbers, RowSet, Subset};

/// The share of rows whose class is that of most of their k nearest rows in a map; among equally frequent classes the first by name
/// counts. Also, for every row, whether it is so.
///
/// Without folds, the neighbors of a row are taken among all other rows. With folds, the rows are dealt into that many folds, every
/// class evenly and in the order of the rows, and neighbors are taken in the other folds; the share is the mean over the folds.
pub fn label_accuracy(
    ctx: &Context,
    map: Numbers<'_>,
    labels: &[String],
    n_neighbors: usize,
    n_folds: Option<usize>,
) -> Result<(f64, Vec<bool>), Error> {
    let classes = Classes::new(labels)?;
    let n = map.n_rows().unwrap_or(labels.len());
    if labels.len() != n {
        return Err(Error::Neighbors(NeighborFault::LabelCount {
            labels: labels.len(),
            n_rows: n,
        }));
    }
    let options = NeighborOptions {
        n_neighbors,
        metric: Metric::Euclidean,
        algorithm: Algorithm::Exact,
        ..NeighborOptions::default()
    };
    let own = classes.of_rows();
    let Some(n_folds) = n_folds else {
        let found = options.neighbors_of(ctx, map)?;
        let right: Vec<bool> = (0..n)
            .map(|i| winner(&classes, found.row(i).0.iter().map(|j| own[*j as usize])) == own[i])
            .collect();
        return Ok((share(&right), right));
    };
    if n_folds < 2 || n_folds > n {
        return Err(Error::Tuning(TuningFault::FoldCount { n_folds, n_rows: n }));
    }
    let folds = dealt(own, classes.names().len(), n_folds);
    let mut right = vec![false; n];
    let mut shares = Vec::new();
    for fold in 0..n_folds {
        let rows = |inside: bool| -> Vec<usize> {
            (0..n).filter(|i| (folds[*i] == fold) == inside).collect()
        };
        let (test, train) = (rows(true), rows(false));
        let (asked, among) = (RowSet::Listed(test.clone()), RowSet::Listed(train.clone()));
        let found = on_numbers!(map, source => {
            let (asked, among) = (Subset::new(source, &asked), Subset::new(source, &among));
            let ready = options.prepare(ctx, (&among).into())?;
            ready.nearest_to(ctx, (&asked).into(), n_neighbors)?
        });
        for (at, &i) in test.iter().enumerate() {
            let near = found.row(at).0.iter().map(|j| own[train[*j as usize]]);
            right[i] = winner(&classes, near) == own[i];
        }
        let of_fold: Vec<bool> = test.iter().map(|i| right[*i]).collect();
        shares.push(share(&of_fold));
    }
    Ok((shares.iter().sum::<f64>() / n_folds as f64, right))
}

/// 1 for each judged row whose class is that of most of its k neighbors, else 0; nothing where a row has no class, or all have the same.
pub(super) fn of_neighbors(
    labels: &[String],
    near: &[u32],
    some: Option<&[usize]>,
    k: usize,
) -> Option<Vec<f64>> {
    let classes = Classes::new(labels).ok()?;
    let own = classes.of_rows();
    let judged = near.chunks_exact(k).enumerate().map(|(at, near)| {
        let row = some.map_or(at, |places| places[at]);
        let class = winner(&classes, near.iter().map(|j| own[*j as usize]));
        f64::from(class == own[row])
    });
    Some(judged.collect())
}

fn share(right: &[bool]) -> f64 {
    right.iter().filter(|right| **right).count() as f64 / right.len().max(1) as f64
}

/// The class with the most votes, the first among equals.
fn winner(classes: &Classes, votes: impl Iterator<Item = usize>) -> usize {
    let mut counts = vec![0usize; classes.names().len()];
    votes.for_each(|class| counts[class] += 1);
    let most = counts.iter().copied().max();
    counts
        .iter()
        .position(|count| Some(*count) == most)
        .unwrap_or(0)
}

/// The fold of every row, as scikit-learn's `StratifiedKFold` deals them: classes in the order in which they first appear, laid one
/// after the other and dealt to the folds in turn, say how many rows of a class each fold gets; it gets them in their order.
fn dealt(own: &[usize], n_classes: usize, n_folds: usize) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    own.iter().for_each(|class| {
        if !order.contains(class) {
            order.push(*class);
        }
    });
    let mut counts = vec![0usize; n_classes];
    own.iter().for_each(|&class| counts[class] += 1);
    let mut sizes = vec![vec![0usize; n_folds]; n_classes];
    let laid = order
        .iter()
        .flat_map(|&class| std::iter::repeat_n(class, counts[class]));
    laid.enumerate()
        .for_each(|(i, class)| sizes[class][i % n_folds] += 1);
    let mut next: Vec<usize> = vec![0; n_classes];
    own.iter()
        .map(|&class| {
            while sizes[class][next[class]] == 0 {
                next[class] += 1;
            }
            sizes[class][next[class]] -= 1;
            next[class]
        })
        .collect()
}
