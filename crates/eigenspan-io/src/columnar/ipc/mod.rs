//! Arrow IPC, as a file (also called Feather, version 2) or as a stream.
//!
//! The format: <https://arrow.apache.org/docs/format/Columnar.html>. Messages are FlatBuffers, read with checks by
//! `polars-arrow-format`; buffers are used where they lie in the file, or unpacked one column at a time. Every length and
//! every offset is checked where it is used.

mod array;
mod cursor;
mod messages;
mod schema;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::store::{Cursor, Field, Store};
use crate::error::ColumnarFault;
use crate::input::Bytes;
use array::{Array, Batch};
use cursor::IpcCursor;
use messages::Message;
use schema::ArrowField;

/// An open Arrow file.
#[derive(Debug)]
pub(super) struct IpcFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bytes: Bytes,
    fields: Vec<Field>,
    arrow: Vec<ArrowField>,
    batches: Vec<Message>,
    /// First rows of the batches, and the number of rows.
    starts: Vec<usize>,
    /// Dictionaries of texts and numbers, by their number.
    dictionaries: HashMap<i64, Array>,
    /// Bytes that a column of a batch may unpack to.
    limit: usize,
}

impl IpcFile {
    /// Reads the schema, finds the batches, and reads the dictionaries.
    pub(super) fn open(bytes: Bytes, limit: usize) -> Result<Self, ColumnarFault> {
        let found = messages::find(&bytes)?;
        let arrow = schema::fields(&bytes, &found.schema)?;
        if arrow.is_empty() {
            return Err(ColumnarFault::NoColumns);
        }
        let fields = arrow.iter().map(ArrowField::described).collect();
        let mut starts = vec![0usize];
        for message in &found.batches {
            let batch = Batch::read(&bytes, message)?;
            let next = starts
                .last()
                .and_then(|start| start.checked_add(batch.n_rows));
            starts.push(next.ok_or_else(|| ColumnarFault::damaged("too many rows"))?);
        }
        let mut dictionaries = HashMap::new();
        for message in &found.dictionaries {
            array::read_dictionary(&bytes, message, &arrow, limit, &mut dictionaries)?;
        }
        let inner = Inner {
            bytes,
            fields,
            arrow,
            batches: found.batches,
            starts,
            dictionaries,
            limit,
        };
        Ok(IpcFile(Arc::new(inner)))
    }
}

impl Inner {
    fn n_rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The batch of a row. Batches without rows are passed over.
    fn batch_of(&self, row: usize) -> usize {
        self.starts.partition_point(|start| *start <= row).max(1) - 1
    }

    fn rows_of(&self, batch: usize) -> Range<usize> {
        let bound = |i: usize| self.starts.get(i).copied().unwrap_or(self.n_rows());
        bound(batch)..bound(batch + 1)
    }
}

impl Store for IpcFile {
    fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }

    fn group(&self, row: usize) -> Range<usize> {
        self.0.rows_of(self.0.batch_of(row))
    }

    fn cursor(&self, field: usize, row: usize) -> Result<Box<dyn Cursor>, ColumnarFault> {
        Ok(Box::new(IpcCursor::new(Arc::clone(&self.0), field, row)?))
    }

    fn cursor_bytes(&self, field: usize) -> u64 {
        let Some(about) = self.0.arrow.get(field) else {
            return 0;
        };
        let unpacked = |message| {
            let batch = Batch::read(&self.0.bytes, message);
            batch.map_or(0, |batch| batch.cursor_bytes(about))
        };
        self.0.batches.iter().map(unpacked).max().unwrap_or(0)
    }

    fn is_plain(&self, field: usize) -> bool {
        let Some(about) = self.0.arrow.get(field) else {
            return false;
        };
        !about.may_be_large()
            && self.0.batches.iter().all(|message| {
                let batch = Batch::read(&self.0.bytes, message);
                batch.is_ok_and(|batch| batch.null_count(about) == Some(0))
            })
    }
}
