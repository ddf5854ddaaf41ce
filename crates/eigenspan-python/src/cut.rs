//! An array in memory, cut into parts as a file with the same rows is: sums are then the same to the bit.

use eigenspan::source::{Dense, Rows, Sink, Source};
use eigenspan::{Error, Real};
use eigenspan_io::part_rows;

/// The rows of an array, in a file's parts.
pub(crate) struct Cut<'a, T>(pub(crate) Dense<'a, T>);

impl<T: Real> Source<T> for Cut<'_, T> {
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let Some(all) = self.0.in_memory() else {
            return Ok(());
        };
        let step = part_rows(self.n_cols());
        let (start, end) = (part * step, ((part + 1) * step).min(all.block.n_rows()));
        sink(Rows {
            first: start,
            block: all.block.slice_rows(start, end),
            weights: all.weights.map(|weights| &weights[start..end]),
        })
    }

    fn n_parts(&self) -> usize {
        let rows = self.0.n_rows().unwrap_or(0);
        rows.div_ceil(part_rows(self.n_cols()))
    }

    fn n_rows(&self) -> Option<usize> {
        self.0.n_rows()
    }

    fn in_memory(&self) -> Option<Rows<'_, T>> {
        self.0.in_memory()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.0.col_names()
    }

    fn is_weighted(&self) -> bool {
        self.0.is_weighted()
    }
}
