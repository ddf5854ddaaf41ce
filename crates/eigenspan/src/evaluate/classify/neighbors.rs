//! k nearest neighbors: the class that most of the k nearest training rows have, by Euclidean distance; among equals the first
//! class (Fix & Hodges 1951, reprinted as doi:10.2307/1403797). Cost n·d per row.

use super::{Learnt, Training, likeliest};
use crate::error::{Error, TuningFault};

pub(super) struct Neighbors<'a> {
    training: Training<'a>,
    k: usize,
}

impl<'a> Neighbors<'a> {
    pub(super) fn new(training: Training<'a>, k: usize) -> Result<Self, Error> {
        training.counts()?;
        let n = training.rows.n_rows();
        if k == 0 || k > n {
            return Err(Error::Tuning(TuningFault::NeighborCount {
                asked: k,
                n_rows: n,
            }));
        }
        Ok(Neighbors { training, k })
    }
}

impl Neighbors<'_> {
    /// How many of the nearest rows each class has.
    fn votes(&self, row: &[f64]) -> Vec<usize> {
        let square = |other: &[f64]| -> f64 {
            let pairs = row.iter().zip(other);
            pairs.map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let distances = self.training.rows.rows().map(square);
        let mut near: Vec<(f64, usize)> = distances.zip(0..).collect();
        // Among equally near rows the first ones count.
        let by_distance =
            |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        near.select_nth_unstable_by(self.k - 1, by_distance);
        let mut votes = vec![0usize; self.training.n_classes];
        for (_, i) in &near[..self.k] {
            votes[self.training.classes[*i]] += 1;
        }
        votes
    }
}

impl Learnt for Neighbors<'_> {
    fn class(&self, row: &[f64]) -> usize {
        let votes = self.votes(row);
        likeliest(&votes, |class| votes[class] as f64)
    }

    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let votes = self.votes(row).into_iter();
        votes.map(|votes| votes as f64 / self.k as f64).collect()
    }
}
