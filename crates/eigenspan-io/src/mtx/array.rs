//! A dense Matrix Market file: its values are written as a NumPy array to an unnamed temporary file, and read from there.

use std::io::Read;

use eigenspan::Context;

use super::entries;
use super::header::{Header, Symmetry};
use super::{located, missing_cells};
use crate::error::ReadError;
use crate::input::{Bytes, spool};
use crate::npy::{self, NpyTable};
use crate::options::{Format, ReadOptions};
use crate::sparse::affordable;
use crate::table::Table;

/// The shortest value: `1` and the end of its line.
const SHORTEST: u64 = 2;

pub(super) fn open(
    name: String,
    bytes: &Bytes,
    header: &Header,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let values = header.entries.min(bytes.len() as u64 / SHORTEST + 1);
    affordable(ctx, &name, "the matrix", values.saturating_mul(24))?;
    let pieces = entries::read(bytes, header, false, ctx).map_err(located(&name, bytes))?;
    ctx.check()?;
    let (n_rows, n_cols) = (header.n_rows, header.n_cols);
    // The column of the k-th value; for a triangle it is not computed.
    let column = |_: &entries::Missing, number: u64| match (header.symmetry, options.transpose) {
        (Symmetry::General, false) => number as usize / n_rows,
        (Symmetry::General, true) => number as usize % n_rows,
        _ => 0,
    };
    let missing = missing_cells(&name, bytes, (n_rows, n_cols), &pieces, column);
    let values: Vec<f64> = pieces.into_iter().flat_map(|piece| piece.values).collect();
    let values = match header.symmetry {
        Symmetry::General => values,
        symmetry => square_of(n_rows, &values, symmetry),
    };
    let failed = |source| ReadError::Io {
        file: name.clone(),
        source,
    };
    let big = cfg!(target_endian = "big");
    let descr = if big { ">f8" } else { "<f8" };
    let head = npy::written(descr, true, n_rows as u64, n_cols);
    let mut file = head.as_slice().chain(bytemuck::cast_slice(&values));
    let array = Bytes::map(&spool(&mut file).map_err(failed)?).map_err(failed)?;
    let n_cells = values.len();
    let table = NpyTable::open(name, array, options, ctx)?;
    Ok(Table {
        format: Format::Mtx,
        // Missing cells were counted in all cells; if only some are in use, they are found when rows are read.
        missing: missing
            .filter(|_| table.n_rows.checked_mul(table.columns().len()) == Some(n_cells)),
        ..table
    })
}

/// The whole matrix, column after column, from its lower triangle.
fn square_of(n: usize, values: &[f64], symmetry: Symmetry) -> Vec<f64> {
    let skew = symmetry == Symmetry::Skew;
    let sign = if skew { -1.0 } else { 1.0 };
    let mut out = vec![0.0; n * n];
    let mut values = values.iter();
    for col in 0..n {
        for row in col + usize::from(skew)..n {
            let value = values.next().copied().unwrap_or_default();
            if let Some(below) = out.get_mut(col * n + row) {
                *below = value;
            }
            if let Some(above) = out.get_mut(row * n + col).filter(|_| row != col) {
                *above = sign * value;
            }
        }
    }
    out
}
