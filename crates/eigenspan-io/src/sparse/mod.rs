//! Sparse matrices from files: turns the cells of any format into compressed rows, and those rows into a table.
//!
//! [`build`] sorts cells into rows, [`sheet`] applies the options, [`table`] hands the rows over, [`lines`] cuts text into
//! pieces that many threads read at once.

mod build;
mod lines;
mod sheet;
mod side;
mod table;

pub(crate) use build::{Compressed, Triplet, csr_of};
pub(crate) use lines::{fields, line_number, pieces, text_lines};
pub(crate) use sheet::Sheet;
pub(crate) use side::{Side, names_with, unique_names};
pub(crate) use table::Stored;

use eigenspan::Context;

use crate::error::ReadError;

/// Refuses what would take more memory than allowed.
pub(crate) fn affordable(
    ctx: &Context,
    file: &str,
    what: &'static str,
    needed: u64,
) -> Result<(), ReadError> {
    if ctx.affords(needed) {
        return Ok(());
    }
    Err(ReadError::Memory {
        file: file.to_owned(),
        what,
        needed,
        allowed: ctx.allowed(),
    })
}

/// Bytes of a sparse matrix with its row pointers and the names of its columns, for any size that a file may claim.
pub(crate) fn matrix_bytes<T>(n_rows: usize, n_cols: usize, nnz: u64) -> u64 {
    const NAME: u64 = 32;
    if n_rows.max(n_cols) as u64 >= u64::from(u32::MAX) {
        return u64::MAX;
    }
    let (rows, cols) = (n_rows as u64, n_cols as u64);
    let cell = 4 + size_of::<T>() as u64;
    (rows * 8)
        .saturating_add(cols * NAME)
        .saturating_add(nnz.saturating_mul(cell))
}
