//! Matrix Market files: sparse (coordinate) or dense (array), and the folders of 10x Genomics that are built around one.
//!
//! The format: <https://math.nist.gov/MatrixMarket/formats.html>. The size that a file declares is trusted only as far as the
//! file is long enough for it.

mod array;
mod entries;
mod header;
mod tenx;

pub(crate) use tenx::{Tenx, open as open_tenx};

use eigenspan::source::Csr;
use eigenspan::{Context, Note};

use crate::error::{MtxFault, Place, ReadError, Unit};
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use crate::sparse::{Sheet, Side, affordable, csr_of, line_number, matrix_bytes};
use crate::table::{MissingCells, Table};
use entries::Piece;
use header::{Field, Header, Layout, Symmetry};

/// The shortest entry: `1 1` and the end of its line.
const SHORTEST: u64 = 4;

/// Opens a Matrix Market file.
pub(crate) fn open(
    name: String,
    bytes: &Bytes,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let header = header::read(bytes).map_err(located(&name, bytes))?;
    if header.layout == Layout::Array {
        return array::open(name, bytes, &header, options, ctx);
    }
    let matrix = read(&name, bytes, &header, options.transpose, ctx)?;
    sheet(name, matrix, header.field).table(options)
}

/// A sparse matrix that has been read.
struct Matrix {
    csr: Csr<f64>,
    missing: Option<MissingCells>,
    notes: Vec<Note>,
}

/// A fault with its file and line.
fn located(file: &str, bytes: &[u8]) -> impl Fn((usize, MtxFault)) -> ReadError {
    move |(at, fault)| ReadError::Mtx {
        file: file.to_owned(),
        line: line_number(bytes, at),
        fault,
    }
}

/// Reads the cells of a sparse matrix into memory.
fn read(
    name: &str,
    bytes: &Bytes,
    header: &Header,
    transpose: bool,
    ctx: &Context,
) -> Result<Matrix, ReadError> {
    let (n_rows, n_cols) = match transpose {
        true => (header.n_cols, header.n_rows),
        false => (header.n_rows, header.n_cols),
    };
    let mut cells = header.entries.min(bytes.len() as u64 / SHORTEST + 1);
    if header.symmetry != Symmetry::General {
        cells *= 2;
    }
    let triplets = cells.saturating_mul(16);
    let needed = matrix_bytes::<f64>(n_rows, n_cols, cells).saturating_add(triplets);
    affordable(ctx, name, "the sparse matrix", needed)?;
    let pieces = entries::read(bytes, header, transpose, ctx).map_err(located(name, bytes))?;
    ctx.check()?;
    let missing = missing_cells(name, bytes, (n_rows, n_cols), &pieces, |missing, _| {
        missing.cell.1
    });
    let cells: Vec<_> = pieces.into_iter().map(|piece| piece.cells).collect();
    let (csr, repaired) = csr_of(n_rows, n_cols, &cells)?;
    Ok(Matrix {
        csr,
        missing,
        notes: repaired.notes(),
    })
}

/// The missing cells of all pieces; `column` finds the column of the first, from the number of its entry.
fn missing_cells(
    file: &str,
    bytes: &[u8],
    (n_rows, n_cols): (usize, usize),
    pieces: &[Piece],
    column: impl Fn(&entries::Missing, u64) -> usize,
) -> Option<MissingCells> {
    let (mut count, mut before) = (0, 0);
    let mut first = None;
    for piece in pieces {
        count += piece.n_missing;
        if let (None, Some(missing)) = (&first, &piece.first_missing) {
            first = Some((missing, column(missing, before + missing.number)));
        }
        before += piece.values.len() as u64;
    }
    let (missing, col) = first?;
    Some(MissingCells {
        file: file.to_owned(),
        count,
        cells: (n_rows as u64).saturating_mul(n_cols as u64),
        place: Place {
            line: line_number(bytes, missing.at),
            column: (col + 1).to_string(),
            named: false,
            unit: Unit::Line,
        },
        token: missing.token.clone(),
    })
}

/// A matrix without names.
fn sheet(name: String, matrix: Matrix, field: Field) -> Sheet<f64> {
    Sheet {
        name,
        format: Format::Mtx,
        csr: matrix.csr,
        names: None,
        aside: Vec::new(),
        side: Side::default(),
        id: None,
        label: None,
        whole_numbers: field != Field::Real,
        missing: matrix.missing,
        notes: matrix.notes,
    }
}
