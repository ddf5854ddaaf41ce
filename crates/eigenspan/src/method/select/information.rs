//! Mutual information of every column with the classes, by nearest neighbors (Ross 2014, doi:10.1371/journal.pone.0087357).
//!
//! Let r be just below the distance of a value to its k-th neighbor of the same class, which has n_c rows, and m the number of rows of any
//! class within r, itself included. Then I = ψ(n) + ⟨ψ(k)⟩ − ⟨ψ(n_c)⟩ − ⟨ψ(m)⟩, and estimates below zero are zero. A class of one row is
//! left out, and one of fewer than k + 1 rows has k = n_c − 1. Equal values are told apart by noise of 1e-10 of a standard deviation
//! (Kraskov, Stögbauer & Grassberger 2004, doi:10.1103/PhysRevE.69.066138). Cost n·(log n + k) for a column.

use crate::linalg::sort_largest_first;
use crate::rng::Rng;

/// The noise, in standard deviations.
const NOISE: f64 = 1e-10;

/// The classes of the rows, and the estimator's numbers that are the same for every column.
pub(super) struct Neighborhoods<'a> {
    codes: &'a [u32],
    counts: Vec<usize>,
    n_neighbors: usize,
    /// ψ of 0, 1, 2, … up to a constant, which cancels.
    psi: Vec<f64>,
}

impl<'a> Neighborhoods<'a> {
    pub(super) fn new((codes, n_classes): (&'a [u32], usize), n_neighbors: usize) -> Self {
        let mut counts = vec![0usize; n_classes];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        // ψ(n + 1) = ψ(n) + 1/n.
        let mut psi = vec![0.0; codes.len() + 2];
        for n in 2..psi.len() {
            psi[n] = psi[n - 1] + 1.0 / (n - 1) as f64;
        }
        Neighborhoods {
            codes,
            counts,
            n_neighbors,
            psi,
        }
    }

    /// The mutual information of a column with the classes, in nats. The column is changed.
    pub(super) fn information(&self, column: &mut [f64], seed: u64) -> f64 {
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let square = |x: &f64| (x - mean) * (x - mean);
        let deviation = (column.iter().map(square).sum::<f64>() / n).sqrt();
        if deviation.is_nan() || deviation == 0.0 {
            return 0.0;
        }
        let mut rng = Rng::new(seed);
        for x in column.iter_mut() {
            *x = (*x - mean) / deviation + NOISE * rng.normal();
        }
        let is_used = |i: &usize| self.counts[self.codes[*i] as usize] > 1;
        let mut order: Vec<usize> = (0..column.len()).filter(is_used).collect();
        sort_largest_first(&mut order, &|i| -column[i]);
        let all: Vec<f64> = order.iter().map(|&i| column[i]).collect();
        let mut classes: Vec<Vec<f64>> = vec![Vec::new(); self.counts.len()];
        for &i in &order {
            classes[self.codes[i] as usize].push(column[i]);
        }
        let sum: f64 = classes
            .iter()
            .map(|class| self.sum_of_class(class, &all))
            .sum();
        let used = all.len();
        match used {
            0 => 0.0,
            _ => (self.psi[used] + sum / used as f64).max(0.0),
        }
    }

    /// Σ ψ(k) − ψ(n_c) − ψ(m) over the values of a class, which rise, as do all values.
    fn sum_of_class(&self, class: &[f64], all: &[f64]) -> f64 {
        let k = self.n_neighbors.min(class.len().saturating_sub(1));
        let of_value = |at: usize| {
            let x = class[at];
            let (mut low, mut high, mut radius) = (at, at, 0.0);
            for _ in 0..k {
                let below = low.checked_sub(1).map_or(f64::INFINITY, |i| x - class[i]);
                let above = class.get(high + 1).map_or(f64::INFINITY, |y| y - x);
                match below <= above {
                    true => (low, radius) = (low - 1, below),
                    false => (high, radius) = (high + 1, above),
                }
            }
            let radius = f64::next_down(radius).max(0.0);
            let from = all.partition_point(|y| *y < x && x - y > radius);
            let to = all.partition_point(|y| *y <= x || y - x <= radius);
            self.psi[k] - self.psi[class.len()] - self.psi[(to - from).max(1)]
        };
        (0..class.len()).map(of_value).sum()
    }
}
