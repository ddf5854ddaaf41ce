//! The rows that a summary has seen: how many, their weight, and their mean relative to a row near them.

use super::{absolute, mean_from, near_row};
use crate::mat::Real;
use crate::source::Rows;

/// Count, weight and mean of the rows seen so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowsSeen {
    pub(super) n_rows: usize,
    pub(super) weight: f64,
    /// The row to which sums are relative; empty before the first row that has a weight.
    pub(super) shift: Vec<f64>,
    /// The mean relative to that row.
    pub(super) mean: Vec<f64>,
}

/// How the summary of later rows is merged.
pub(super) enum Merge {
    /// They have no weight, so nothing is left to do.
    Nothing,
    /// These rows had no weight: the other summary takes the place of this one, but for the number of rows, which is the sum.
    Replace,
    /// Both have weight; this is the mean of the later rows, relative to the shift of these.
    Join(Vec<f64>),
}

impl RowsSeen {
    /// No rows.
    pub(super) fn new(n_cols: usize) -> Self {
        RowsSeen {
            n_rows: 0,
            weight: 0.0,
            shift: Vec::new(),
            mean: vec![0.0; n_cols],
        }
    }

    /// Weighted mean of every column.
    pub(super) fn absolute_mean(&self) -> Vec<f64> {
        absolute(&self.shift, &self.mean)
    }

    /// Chooses the row to which sums are relative, if that was not done before; false if no row so far has a weight.
    pub(super) fn has_shift<T: Real>(&mut self, rows: &Rows<'_, T>) -> bool {
        if self.shift.is_empty() {
            self.shift = near_row(rows).unwrap_or_default();
        }
        !self.shift.is_empty()
    }

    /// Counts the rows of a later summary, and says how the rest of it is merged.
    pub(super) fn merge(&mut self, other: &RowsSeen) -> Merge {
        self.n_rows += other.n_rows;
        if other.weight == 0.0 {
            return Merge::Nothing;
        }
        match self.weight == 0.0 {
            true => Merge::Replace,
            false => Merge::Join(mean_from(&self.shift, (&other.shift, &other.mean))),
        }
    }
}
