//! 2. Results of one reading: small summaries that two shards can compute separately and merge.

mod accuracy;
mod classes;
mod moments;
mod profile;
mod quantiles;
mod scatter;
mod seen;
mod sketch;
mod triangle;

pub(crate) use accuracy::Accuracy;
pub use classes::{ClassScatter, ClassSums, UNLABELED};
pub use moments::Moments;
pub use profile::{ColumnProfile, Profile};
pub use quantiles::Quantiles;
pub use scatter::Scatter;
pub(crate) use scatter::check_weights;
pub(crate) use sketch::ERROR_ROWS;
pub use sketch::{Sketch, Sketcher};
pub use triangle::Triangle;

use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::source::{Rows, Source, fold};

/// A small summary of one reading. Summaries of two shards merge into the summary of both.
pub trait Summary<T: Real>: Send + Sized {
    /// Adds a block of rows.
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error>;
    /// Merges the summary of rows that come after these.
    fn merge(&mut self, other: Self);
    /// Its size in memory, which decides how many may exist at the same time.
    fn bytes(&self) -> usize;
}

/// Reads the source once and summarizes it: the same bits for any number of threads.
pub fn summarize<T: Real, S: Summary<T>>(
    ctx: &Context,
    source: &dyn Source<T>,
    new: impl Fn() -> S + Sync,
) -> Result<S, Error> {
    let bytes = new().bytes();
    fold(
        ctx,
        source,
        bytes,
        new,
        |summary, rows| summary.add(rows),
        |a, b| a.merge(b),
    )
}

/// Refuses rows of another width, and weights that are negative or not finite.
fn check_rows<T: Real>(rows: &Rows<'_, T>, expected: usize) -> Result<(), Error> {
    let given = rows.block.n_cols();
    if given != expected {
        return Err(Error::WrongWidth { given, expected });
    }
    check_weights(rows)
}

/// The mean of other rows, known relative to their own shift, relative to this shift.
fn mean_from(shift: &[f64], (other_shift, other_mean): (&[f64], &[f64])) -> Vec<f64> {
    let shifts = shift.iter().zip(other_shift);
    let moved = shifts
        .zip(other_mean)
        .map(|((own, other), mean)| (other - own) + mean);
    moved.collect()
}

/// A row near the others, to which all sums are relative: the first row whose weight is not much smaller than the others'.
/// For sparse rows it is zero, except in columns that most of them have. `None` if no row has a weight: such rows may hold
/// anything.
fn near_row<T: Real>(rows: &Rows<'_, T>) -> Option<Vec<f64>> {
    if let Some(sums) = rows.block.sparse_sums(rows.weights) {
        return (sums.weight > 0.0).then_some(sums.shift);
    }
    let n = rows.block.n_rows();
    let weight = rows.weights.map_or(n as f64, |w| w.iter().sum());
    let counts = |i: &usize| {
        rows.weights
            .is_none_or(|w| w[*i] > 0.0 && w[*i] >= 0.5 * weight / n as f64)
    };
    let first = (0..n).find(counts)?;
    let mut row = vec![0.0; rows.block.n_cols()];
    rows.block.row_to_f64(first, &mut row);
    Some(row)
}

/// The mean, from a mean relative to `shift`, which is empty before the first row.
fn absolute(shift: &[f64], mean: &[f64]) -> Vec<f64> {
    match shift {
        [] => mean.to_vec(),
        shift => shift.iter().zip(mean).map(|(s, m)| s + m).collect(),
    }
}

/// Whether a column varies, judged by its mean relative to a row, but so little that its squares underflow.
fn vanishes(squares: f64, mean: f64) -> bool {
    const SMALLEST: f64 = 1e-290;
    // A larger mean relative to a row would show in the squares; a mean about zero, as in sparse rows, is a constant.
    const VANISHING: f64 = 1e-144;
    squares < SMALLEST && mean != 0.0 && mean.abs() < VANISHING
}
