//! Reads one field of an Arrow file, forward through its batches.

use std::ops::Range;
use std::sync::Arc;

use super::Inner;
use super::array::{Array, Batch, View};
use super::messages::damaged;
use super::schema::ArrowField;
use crate::columnar::store::{Cursor, Seen};
use crate::error::ColumnarFault;
use crate::table::TextColumn;

/// Reads one field, forward.
pub(super) struct IpcCursor {
    file: Arc<Inner>,
    field: usize,
    /// The next row.
    row: usize,
    array: Option<Array>,
    /// The rows of the array, and where its batch lies in the file.
    rows: Range<usize>,
    body: Range<usize>,
}

impl IpcCursor {
    pub(super) fn new(file: Arc<Inner>, field: usize, row: usize) -> Result<Self, ColumnarFault> {
        Ok(IpcCursor {
            file,
            field,
            row,
            array: None,
            rows: row..row,
            body: 0..0,
        })
    }

    fn about(&self) -> Result<&ArrowField, ColumnarFault> {
        let about = self.file.arrow.get(self.field);
        about.ok_or_else(|| damaged("a column is not there"))
    }

    /// Opens the batch of the next row.
    fn enter(&mut self) -> Result<(), ColumnarFault> {
        self.leave();
        let index = self.file.batch_of(self.row);
        let none = || damaged("there are fewer batches than rows");
        let message = self.file.batches.get(index).ok_or_else(none)?;
        let batch = Batch::read(&self.file.bytes, message)?;
        let array = Array::read(&self.file.bytes, &batch, self.about()?, self.file.limit)?;
        self.rows = self.file.rows_of(index);
        self.body = message.body.clone();
        self.array = Some(array);
        Ok(())
    }

    fn leave(&mut self) {
        if self.array.take().is_some() {
            self.file.bytes.release(self.body.start, self.body.end);
        }
    }

    /// Calls `work` for runs of rows, each within one batch and counted from its first row.
    fn in_batches(
        &mut self,
        n_rows: usize,
        mut work: impl FnMut(&Self, &Array, Range<usize>) -> Result<(), ColumnarFault>,
    ) -> Result<(), ColumnarFault> {
        let last = self.row.saturating_add(n_rows);
        while self.row < last {
            if self.array.is_none() || self.row >= self.rows.end {
                self.enter()?;
            }
            let end = self.rows.end.min(last);
            if end <= self.row {
                return Err(damaged("there are fewer batches than rows"));
            }
            if let Some(array) = &self.array {
                work(
                    self,
                    array,
                    self.row - self.rows.start..end - self.rows.start,
                )?;
            }
            self.row = end;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View {
            file: &self.file.bytes,
            dictionaries: &self.file.dictionaries,
        }
    }

    fn lists(
        &self,
        array: &Array,
        rows: Range<usize>,
        width: usize,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        for i in rows {
            match array.list(&self.file.bytes, i)? {
                None => {
                    let start = out.len();
                    seen.nulls.extend(start..start + width);
                    out.resize(start + width, f64::NAN);
                }
                Some(list) if list.len() == width => {
                    array.values()?.numbers(self.view(), list, out, seen)?;
                }
                Some(list) => {
                    return Err(ColumnarFault::Ragged {
                        row: self.rows.start + i + 1,
                        column: self.about()?.name().to_owned(),
                        expected: width,
                        found: list.len(),
                    });
                }
            }
        }
        Ok(())
    }
}

impl Drop for IpcCursor {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Cursor for IpcCursor {
    fn numbers(
        &mut self,
        n_rows: usize,
        width: usize,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        let list = self.about()?.is_list();
        self.in_batches(n_rows, |cursor, array, rows| match list {
            true => cursor.lists(array, rows, width, out, seen),
            false => array.numbers(cursor.view(), rows, out, seen),
        })
    }

    fn texts(&mut self, n_rows: usize, out: &mut TextColumn) -> Result<(), ColumnarFault> {
        self.in_batches(n_rows, |cursor, array, rows| {
            for i in rows {
                array.value(cursor.view(), i)?.push_to(out);
            }
            Ok(())
        })
    }

    fn skip(&mut self, n_rows: usize) -> Result<(), ColumnarFault> {
        self.row = self.row.saturating_add(n_rows);
        Ok(())
    }

    fn length(&mut self) -> Result<Option<usize>, ColumnarFault> {
        let mut length = None;
        self.in_batches(1, |cursor, array, rows| {
            length = array
                .list(&cursor.file.bytes, rows.start)?
                .map(|list| list.len());
            Ok(())
        })?;
        Ok(length)
    }
}
