//! The entries of a Matrix Market file, read by many threads, each a piece of whole lines.

use std::ops::Range;

use eigenspan::Context;

use super::header::{At, Field, Header, Layout, Symmetry};
use crate::error::MtxFault;
use crate::parallel::each_in;
use crate::sparse::{Triplet, pieces, text_lines};

/// The entries of one piece.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Cells of a sparse matrix, counted from 0, including those that symmetry adds.
    pub(super) cells: Vec<Triplet<f64>>,
    /// Values of a dense matrix.
    pub(super) values: Vec<f64>,
    /// Entries, as the file counts them.
    n_entries: u64,
    /// Values that are NaN, and where the first is.
    pub(super) n_missing: u64,
    pub(super) first_missing: Option<Missing>,
}

/// An entry whose value is missing.
#[derive(Debug, Clone)]
pub(super) struct Missing {
    /// Where its line begins.
    pub(super) at: usize,
    pub(super) token: String,
    /// Row and column of a sparse entry, from 0.
    pub(super) cell: (usize, usize),
    /// Its number within the piece, from 0.
    pub(super) number: u64,
}

/// Reads all entries; `transpose` exchanges rows and columns.
pub(super) fn read(
    bytes: &[u8],
    header: &Header,
    transpose: bool,
    ctx: &Context,
) -> At<Vec<Piece>> {
    let ranges = pieces(bytes, header.body);
    let one = |range: &Range<usize>| -> At<Piece> {
        // A request to stop is checked once per piece, and reported by the caller.
        match ctx.check() {
            Ok(()) => read_piece(bytes, range.clone(), header, transpose),
            Err(_) => Ok(Piece::default()),
        }
    };
    let read = each_in(ctx, ranges.len(), |i| one(&ranges[i]));
    let mut found = 0;
    let mut out = Vec::with_capacity(read.len());
    for (piece, range) in read.into_iter().zip(ranges) {
        // Too many entries are reported before faults in the surplus entries.
        let piece = piece?;
        if ctx.check().is_ok() && found + piece.n_entries > header.entries {
            let first = header.entries - found;
            let at = nth_line(bytes, range, first).unwrap_or(bytes.len());
            let promised = header.entries;
            return Err((at, MtxFault::More { promised }));
        }
        found += piece.n_entries;
        out.push(piece);
    }
    if ctx.check().is_ok() && found < header.entries {
        let promised = header.entries;
        let last = bytes.len().saturating_sub(1);
        return Err((last, MtxFault::Fewer { found, promised }));
    }
    Ok(out)
}

/// Where the n-th line that holds an entry begins; n counts from 0.
fn nth_line(bytes: &[u8], range: Range<usize>, n: u64) -> Option<usize> {
    let mut lines = text_lines(bytes, range).filter(|(_, line)| holds_entry(line));
    lines.nth(n as usize).map(|(at, _)| at)
}

fn holds_entry(line: &[u8]) -> bool {
    let first = line.iter().find(|b| !b.is_ascii_whitespace());
    first.is_some_and(|b| *b != b'%')
}

fn read_piece(bytes: &[u8], range: Range<usize>, header: &Header, transpose: bool) -> At<Piece> {
    let mut piece = Piece::default();
    for (at, line) in text_lines(bytes, range) {
        if holds_entry(line) {
            piece
                .take(header, transpose, at, line)
                .map_err(|fault| (at, fault))?;
        }
    }
    Ok(piece)
}

impl Piece {
    fn take(
        &mut self,
        header: &Header,
        transpose: bool,
        at: usize,
        line: &[u8],
    ) -> Result<(), MtxFault> {
        let mut rest = Rest(line);
        let number = self.n_entries;
        self.n_entries += 1;
        if header.layout == Layout::Array {
            let value = self.value(&mut rest, header, at, (0, 0), number)?;
            rest.end(line, "one value")?;
            self.values.push(value);
            return Ok(());
        }
        let expected = match header.field {
            Field::Pattern => "a row and a column",
            _ => "a row, a column and a value",
        };
        let row = rest.index(line, expected, "row", header.n_rows)?;
        let col = rest.index(line, expected, "column", header.n_cols)?;
        let (row, col) = match transpose {
            true => (col, row),
            false => (row, col),
        };
        let value = match header.field {
            Field::Pattern => 1.0,
            _ => self.value(&mut rest, header, at, (row as usize, col as usize), number)?,
        };
        rest.end(line, expected)?;
        // The mirrored cell of a skew-symmetric matrix has the opposite sign.
        let sign = match header.symmetry {
            Symmetry::Skew if row == col => return Err(MtxFault::Diagonal),
            Symmetry::Skew => -1.0,
            _ => 1.0,
        };
        self.cells.push(Triplet { row, col, value });
        if header.symmetry != Symmetry::General && row != col {
            self.cells.push(Triplet {
                row: col,
                col: row,
                value: sign * value,
            });
        }
        Ok(())
    }

    fn value(
        &mut self,
        rest: &mut Rest<'_>,
        header: &Header,
        at: usize,
        cell: (usize, usize),
        number: u64,
    ) -> Result<f64, MtxFault> {
        let token = rest.token();
        let text = || String::from_utf8_lossy(token).into_owned();
        let expected = match header.field {
            Field::Integer => "an integer",
            _ => "a number",
        };
        let wrong = || MtxFault::Number {
            token: text(),
            expected,
        };
        let value: f64 = fast_float2::parse(token).map_err(|_| wrong())?;
        if value.is_nan() {
            self.n_missing += 1;
            self.first_missing.get_or_insert_with(|| Missing {
                at,
                token: text(),
                cell,
                number,
            });
            return Ok(value);
        }
        if value.is_infinite() {
            return Err(MtxFault::Infinite { token: text() });
        }
        match header.field == Field::Integer && value.fract() != 0.0 {
            true => Err(wrong()),
            false => Ok(value),
        }
    }
}

/// The rest of a line.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn token(&mut self) -> &'a [u8] {
        let text = self.0.trim_ascii_start();
        let end = text
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(text.len());
        let (token, rest) = text.split_at(end);
        self.0 = rest;
        token
    }

    /// An index, counted from 0; the file counts from 1.
    fn index(
        &mut self,
        line: &[u8],
        expected: &'static str,
        side: &'static str,
        limit: usize,
    ) -> Result<u32, MtxFault> {
        let token = self.token();
        let text = || String::from_utf8_lossy(token).into_owned();
        let mut index = 0u64;
        for byte in token {
            match byte.wrapping_sub(b'0') {
                digit @ 0..=9 => {
                    index = index.saturating_mul(10).saturating_add(u64::from(digit));
                }
                _ if token.starts_with(b"-") => {
                    let index = text();
                    return Err(MtxFault::Index { side, index, limit });
                }
                _ => return Err(entry(line, expected)),
            }
        }
        if token.is_empty() {
            return Err(entry(line, expected));
        }
        match u32::try_from(index.wrapping_sub(1)) {
            Ok(at) if (at as usize) < limit => Ok(at),
            _ => Err(MtxFault::Index {
                side,
                index: text(),
                limit,
            }),
        }
    }

    fn end(&self, line: &[u8], expected: &'static str) -> Result<(), MtxFault> {
        match self.0.trim_ascii().is_empty() {
            true => Ok(()),
            false => Err(entry(line, expected)),
        }
    }
}

fn entry(line: &[u8], expected: &'static str) -> MtxFault {
    MtxFault::Entry {
        expected,
        line: String::from_utf8_lossy(line).into_owned(),
    }
}
