//! What a columnar format offers: fields, and a cursor on each of them.

use std::fmt::Debug;
use std::ops::Range;

use crate::error::ColumnarFault;
use crate::table::TextColumn;

/// What the cells of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// Numbers; `single` if they are 32-bit floats or fit into them exactly.
    Number {
        single: bool,
    },
    Text,
    Dates,
    /// Nothing but missing values.
    Empty,
    /// Something else, in words: `a struct`.
    Other(&'static str),
}

/// A field: a column, or a column of vectors.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
    /// Whether each cell is a list of such values.
    pub(super) list: bool,
}

/// What a run of numbers holds besides plain numbers; positions are counted from 0 within the run.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) nulls: Vec<usize>,
    /// An integer beyond 2⁵³.
    pub(super) large: Option<i128>,
}

impl Seen {
    /// Appends a number to its run, NaN where it is missing.
    pub(super) fn push(&mut self, number: Option<f64>, run: &mut Vec<f64>) {
        if number.is_none() {
            self.nulls.push(run.len());
        }
        run.push(number.unwrap_or(f64::NAN));
    }
}

/// An open file.
pub(super) trait Store: Debug + Send + Sync {
    fn fields(&self) -> &[Field];

    fn n_rows(&self) -> usize;

    /// The group of rows (row group, record batch) that a row is in; within a group, skipping forward is cheap.
    fn group(&self, row: usize) -> Range<usize>;

    /// A cursor on a field, positioned before a row.
    fn cursor(&self, field: usize, row: usize) -> Result<Box<dyn Cursor>, ColumnarFault>;

    /// Bytes that a cursor on a field keeps in memory because it must unpack them all at once.
    fn cursor_bytes(&self, _field: usize) -> u64 {
        0
    }

    /// Approximate number of bytes that a cursor on a field unpacks at once: a page, or a whole batch.
    fn page_bytes(&self, field: usize) -> u64 {
        self.cursor_bytes(field)
    }

    /// Whether it is known without reading that a field has neither missing values nor integers beyond 2⁵³.
    fn is_plain(&self, field: usize) -> bool;
}

/// Reads one field, forward.
pub(super) trait Cursor: Send {
    /// Appends the numbers of the next rows, `width` for each, NaN where one is missing.
    fn numbers(
        &mut self,
        n_rows: usize,
        width: usize,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault>;

    /// Appends the next rows as text.
    fn texts(&mut self, n_rows: usize, out: &mut TextColumn) -> Result<(), ColumnarFault>;

    /// Skips rows.
    fn skip(&mut self, n_rows: usize) -> Result<(), ColumnarFault>;

    /// Reads one row, and returns the length of its list; `None` if the list is missing.
    fn length(&mut self) -> Result<Option<usize>, ColumnarFault>;
}
