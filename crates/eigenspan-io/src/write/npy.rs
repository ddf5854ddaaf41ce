//! Rows as an NPY file: version 1.0, little-endian, rows one after the other.

use std::ops::Range;

use eigenspan::{MatView, Real};

/// The type of the numbers in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    F32,
    F64,
}

impl Element {
    pub(super) fn for_type<T: Real>() -> Self {
        if T::BYTES == 4 {
            Element::F32
        } else {
            Element::F64
        }
    }
}

/// The header.
pub(super) fn header(element: Element, n_rows: u64, n_cols: usize) -> Vec<u8> {
    let descr = match element {
        Element::F32 => "<f4",
        Element::F64 => "<f8",
    };
    crate::npy::written(descr, false, n_rows, n_cols)
}

/// Appends the numbers of some rows.
pub(super) fn append_rows<T: Real>(
    numbers: &MatView<'_, T>,
    rows: Range<usize>,
    out: &mut Vec<u8>,
) {
    out.reserve(rows.len() * numbers.n_cols() * T::BYTES);
    let mut push = |cell: T| match T::as_f32s(&[cell]) {
        Some(&[cell]) => out.extend_from_slice(&cell.to_le_bytes()),
        _ => out.extend_from_slice(&cell.to_f64().to_le_bytes()),
    };
    for row in rows {
        (0..numbers.n_cols()).for_each(|col| push(numbers.at(row, col)));
    }
}
