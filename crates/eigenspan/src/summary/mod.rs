//! 2. What one reading learns: small things that two shards can learn apart and merge.

mod moments;
mod scatter;
mod sketch;
mod triangle;

pub use moments::Moments;
pub use scatter::Scatter;
pub(crate) use scatter::check_weights;
pub(crate) use sketch::ERROR_ROWS;
pub use sketch::{Sketch, Sketcher};
pub use triangle::Triangle;

use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::source::{Rows, Source, fold};

/// A small thing learnt in one reading. Summaries of two shards merge into that of both.
pub trait Summary<T: Real>: Send + Sized {
    /// Takes a block of rows in.
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error>;
    /// Takes in what another reading learnt about rows that come after these.
    fn merge(&mut self, other: Self);
    /// Its size in memory, which decides how many may be alive at once.
    fn bytes(&self) -> usize;
}

/// Reads the source once and sums it up: the same bits for any number of threads.
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
