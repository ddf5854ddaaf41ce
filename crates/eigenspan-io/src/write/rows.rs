//! Rows as lines of text: numbers with the fewest digits that read back as the same bits.

use std::ops::Range;

use eigenspan::{MatView, Real};

use super::Layout;
use crate::table::TextColumn;

/// The line of names.
pub(super) fn header(layout: &Layout, delimiter: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, name) in layout.texts.iter().chain(&layout.numbers).enumerate() {
        if i > 0 {
            out.push(delimiter);
        }
        push_text(name, delimiter, &mut out);
    }
    out.push(b'\n');
    out
}

/// Appends rows of texts and numbers.
pub(super) fn append_rows<T: Real>(
    texts: &[TextColumn],
    numbers: &MatView<'_, T>,
    rows: Range<usize>,
    delimiter: u8,
    out: &mut Vec<u8>,
) {
    const DIGITS: usize = 20;
    out.reserve(rows.len() * (numbers.n_cols() * DIGITS + texts.len() * 12 + 1));
    let mut digits = zmij::Buffer::new();
    for row in rows {
        let line = out.len();
        for column in texts {
            push_text(column.get(row), delimiter, out);
            out.push(delimiter);
        }
        let mut push = |cell: T| {
            let written = match T::as_f32s(&[cell]) {
                Some(&[cell]) => digits.format(cell),
                _ => digits.format(cell.to_f64()),
            };
            out.extend_from_slice(written.as_bytes());
            out.push(delimiter);
        };
        match numbers.row(row) {
            Some(cells) => cells.iter().for_each(|cell| push(*cell)),
            None => (0..numbers.n_cols()).for_each(|col| push(numbers.at(row, col))),
        }
        if out.len() > line {
            out.pop();
        }
        out.push(b'\n');
    }
}

/// A cell of text, in quotes where it would be misread without them.
fn push_text(text: &str, delimiter: u8, out: &mut Vec<u8>) {
    let special = |b: &u8| *b == delimiter || matches!(b, b'"' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let blank_at_edge = text.trim().len() != text.len();
    if !blank_at_edge && !bytes.iter().any(special) {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(b'"');
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
