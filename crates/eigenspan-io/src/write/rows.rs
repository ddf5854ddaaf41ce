//! Rows as lines of text: numbers with the fewest digits that read back as the same bits.

use std::ops::Range;

use eigenspan::{MatView, Real};

use super::{Layout, Slot};
use crate::table::TextColumn;

/// The line of names.
pub(super) fn header(layout: &Layout, delimiter: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, slot) in layout.slots().into_iter().enumerate() {
        if i > 0 {
            out.push(delimiter);
        }
        push_text(layout.name(slot), delimiter, false, &mut out);
    }
    out.push(b'\n');
    out
}

/// Appends rows of texts and numbers, in the order of the columns.
pub(super) fn append_rows<T: Real>(
    texts: &[TextColumn],
    numbers: &MatView<'_, T>,
    rows: Range<usize>,
    (slots, delimiter): (&[Slot], u8),
    out: &mut Vec<u8>,
) {
    const DIGITS: usize = 20;
    out.reserve(rows.len() * (numbers.n_cols() * DIGITS + texts.len() * 12 + 1));
    let mut digits = zmij::Buffer::new();
    for row in rows {
        let line = out.len();
        let cells = numbers.row(row);
        for slot in slots {
            match *slot {
                Slot::Text(i) => {
                    let text = texts[i].get(row);
                    // A line that begins with # could be read as a comment, so its text is quoted; headers that begin with #,
                    // such as PLINK's, are recognized.
                    push_text(text, delimiter, text.starts_with('#'), out);
                }
                Slot::Number(j) => {
                    let cell = cells.map_or_else(|| numbers.at(row, j), |cells| cells[j]);
                    let written = match T::as_f32s(&[cell]) {
                        Some(&[cell]) => digits.format(cell),
                        _ => digits.format(cell.to_f64()),
                    };
                    out.extend_from_slice(written.as_bytes());
                }
            }
            out.push(delimiter);
        }
        if out.len() > line {
            out.pop();
        }
        out.push(b'\n');
    }
}

/// Appends a cell of text, in quotes if the caller asks for them or if it would be misread without them.
fn push_text(text: &str, delimiter: u8, quoted: bool, out: &mut Vec<u8>) {
    let special = |b: &u8| *b == delimiter || matches!(b, b'"' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let blank_at_edge = text.trim().len() != text.len();
    if !blank_at_edge && !quoted && !bytes.iter().any(special) {
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
