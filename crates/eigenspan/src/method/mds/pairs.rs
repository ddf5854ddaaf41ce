//! A number for every pair of rows, row after row above the diagonal.

use super::sweep::{bounds, squares_from};
use crate::mat::Mat;
use crate::parallel;

/// A number for every pair (i, j) with i < j.
pub(super) struct Pairs {
    n: usize,
    all: Vec<f64>,
}

impl Pairs {
    /// Zero for all pairs of n rows.
    pub(super) fn new(n: usize) -> Self {
        Pairs {
            n,
            all: vec![0.0; n * n.saturating_sub(1) / 2],
        }
    }

    /// The numbers of all pairs.
    pub(super) fn all(&self) -> &[f64] {
        &self.all
    }

    pub(super) fn all_mut(&mut self) -> &mut [f64] {
        &mut self.all
    }

    /// Where the pairs of a row with those after it begin.
    fn begin(&self, i: usize) -> usize {
        i * (2 * self.n - i - 1) / 2
    }

    /// The numbers of a row with all rows after it.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        let begin = self.begin(i);
        &self.all[begin..begin + self.n - i - 1]
    }

    /// Calls `work` for every row with its numbers, which it writes.
    pub(super) fn each_row(&mut self, work: impl Fn(usize, &mut [f64]) + Sync) {
        let n = self.n;
        let bounds = bounds(n);
        let mut rest = self.all.as_mut_slice();
        let strips = bounds.windows(2).map(|rows| {
            let (from, to) = (rows[0], rows[1]);
            let count = (from..to).map(|i| n - i - 1).sum();
            let (own, left) = std::mem::take(&mut rest).split_at_mut(count);
            rest = left;
            (from..to, own)
        });
        parallel::collect_of(strips, |(rows, mut own)| {
            for i in rows {
                let (row, left) = own.split_at_mut(n - i - 1);
                work(i, row);
                own = left;
            }
        });
    }

    /// The distances of places (k × n).
    pub(super) fn set_to_distances(&mut self, places: &Mat<f64>) {
        self.each_row(|i, out| {
            squares_from(places, i, i + 1, out);
            out.iter_mut().for_each(|x| *x = x.sqrt());
        });
    }
}
