//! Reading column by column, for sources that are stored that way: genotypes of PLINK are stored SNP by SNP.

use std::ops::Range;

use crate::error::Error;

/// A source whose columns can be read on their own, as cheaply as its rows.
pub trait ByColumn: Sync {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// Writes some neighboring columns, one after the other, each with a cell for every row. A missing cell is NaN.
    fn read_columns(&self, columns: Range<usize>, out: &mut [f64]) -> Result<(), Error>;

    /// One weight per row; without them every row weighs 1.
    fn row_weights(&self) -> Option<&[f64]>;
}
