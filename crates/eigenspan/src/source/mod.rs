//! 1. Where rows come from: arrays, files, pipes and shards all implement [`Source`] and are read block by block.
//!
//! A source is cut into parts that may be read at the same time. How it is cut depends on the data alone, never on the
//! number of threads, and [`fold`] merges the results of the parts in their order: results have the same bits on any machine.

mod beside;
mod block;
mod by_column;
mod chain;
mod dense;
mod fold;
mod numbers;
mod pick;
mod shifted;
mod sparse;
mod sparse_products;
mod subset;
mod widen;

pub use block::{Block, Rows};
pub(crate) use block::{GramSums, GramTimes};
pub use by_column::ByColumn;
pub use chain::Chain;
pub use dense::Dense;
pub use fold::{fold, for_each_block};
pub use numbers::Numbers;
pub use pick::Pick;
pub(crate) use shifted::{Shifts, SparseSums};
pub use sparse::{Csr, CsrView, Sparse};
pub use subset::{RowSet, Subset};
pub use widen::Widened;

use crate::error::Error;
use crate::mat::Real;

/// How often a source can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// Once, from front to back: a pipe.
    Once,
    /// As often as needed.
    Many,
}

/// The function that receives the rows of a part, block by block.
pub type Sink<'s, T> = dyn FnMut(Rows<'_, T>) -> Result<(), Error> + 's;

/// A source of the rows of a matrix, block by block, in parts that may be read at the same time.
pub trait Source<T: Real>: Sync {
    /// Columns.
    fn n_cols(&self) -> usize;

    /// Hands the rows of one part to `sink`, in order. Stops with the sink's error.
    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error>;

    /// Parts that may be read at the same time; a function of the data alone.
    fn n_parts(&self) -> usize {
        1
    }

    /// Rows; unknown for a pipe.
    fn n_rows(&self) -> Option<usize> {
        None
    }

    /// Number of nonzero cells, if only those are stored; `None` for dense rows.
    fn nnz(&self) -> Option<u64> {
        None
    }

    /// All rows at once, if they are an array in memory.
    fn in_memory(&self) -> Option<Rows<'_, T>> {
        None
    }

    /// The same cells column by column, if they are stored that way.
    fn by_column(&self) -> Option<&dyn ByColumn> {
        None
    }

    /// How often it can be read.
    fn passes(&self) -> Passes {
        Passes::Many
    }

    /// Names of the columns, where they have names.
    fn col_names(&self) -> Option<&[String]> {
        None
    }

    /// Whether rows carry weights.
    fn is_weighted(&self) -> bool {
        false
    }
}

/// A column's name, or its number from 1.
pub fn col_label(names: Option<&[String]>, col: usize) -> String {
    names
        .and_then(|names| names.get(col))
        .cloned()
        .unwrap_or_else(|| (col + 1).to_string())
}
