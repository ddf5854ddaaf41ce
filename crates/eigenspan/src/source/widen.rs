//! A source of 32-bit floats, read as 64-bit floats, so that it can be combined with sources of 64-bit floats.

use super::{Passes, Rows, Sink, Source};
use crate::error::Error;

/// The same cells in f64.
pub struct Widened<'a>(pub &'a dyn Source<f32>);

impl Source<f64> for Widened<'_> {
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        self.0.read_part(part, &mut |rows| {
            rows.block.with_f64(|block| {
                sink(Rows {
                    first: rows.first,
                    block,
                    weights: rows.weights,
                })
            })
        })
    }

    fn n_parts(&self) -> usize {
        self.0.n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        self.0.n_rows()
    }

    fn nnz(&self) -> Option<u64> {
        self.0.nnz()
    }

    fn passes(&self) -> Passes {
        self.0.passes()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.0.col_names()
    }

    fn is_weighted(&self) -> bool {
        self.0.is_weighted()
    }
}
