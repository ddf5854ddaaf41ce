//! Parquet files: the footer describes the columns, which are read page by page.
//!
//! The format: <https://parquet.apache.org/docs/file-format/>. The `parquet` crate decodes; pages are unpacked here.

mod cursor;
mod pages;
mod types;

use std::ops::Range;
use std::sync::Arc;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use super::store::{ColumnKind, Cursor, Field, Store};
use crate::error::ColumnarFault;
use crate::input::Bytes;
use cursor::ParquetCursor;
use pages::Chunk;
use types::Logical;

/// An open Parquet file.
#[derive(Debug)]
pub(super) struct ParquetFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bytes: Arc<Bytes>,
    meta: ParquetMetaData,
    fields: Vec<Field>,
    /// Where each field's values are, for fields that have values of one type.
    leaves: Vec<Option<Leaf>>,
    /// First rows of the row groups, and the number of rows.
    starts: Vec<usize>,
    /// Bytes that a page may unpack to.
    limit: usize,
}

/// The values of a field.
#[derive(Debug, Clone)]
struct Leaf {
    column: usize,
    descr: ColumnDescPtr,
    logical: Logical,
}

impl ParquetFile {
    /// Reads the footer.
    pub(super) fn open(bytes: Bytes, limit: usize) -> Result<Self, ColumnarFault> {
        if bytes.starts_with(b"PARE") || bytes.ends_with(b"PARE") {
            return Err(ColumnarFault::Encrypted);
        }
        if bytes.len() < 12 || !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
            return Err(ColumnarFault::damaged(
                "a Parquet file begins and ends with the letters PAR1",
            ));
        }
        let bytes = Arc::new(bytes);
        let chunk = Chunk::new(Arc::clone(&bytes), bytes.len());
        let meta = ParquetMetaDataReader::new()
            .parse_and_finish(&chunk)
            .map_err(pages::fault)?;
        let starts = group_starts(&meta)?;
        let (fields, leaves) = types::fields(&meta);
        if fields.is_empty() {
            return Err(ColumnarFault::NoColumns);
        }
        let inner = Inner {
            bytes,
            meta,
            fields,
            leaves,
            starts,
            limit,
        };
        Ok(ParquetFile(Arc::new(inner)))
    }
}

/// First rows of the groups and the number of rows; an error if they are inconsistent.
fn group_starts(meta: &ParquetMetaData) -> Result<Vec<usize>, ColumnarFault> {
    let n_columns = meta.file_metadata().schema_descr().num_columns();
    let mut starts = vec![0usize];
    for group in meta.row_groups() {
        let rows = usize::try_from(group.num_rows()).ok();
        let next = starts.last().zip(rows).and_then(|(a, b)| a.checked_add(b));
        match next {
            Some(next) if group.num_columns() == n_columns => starts.push(next),
            _ => {
                return Err(ColumnarFault::damaged(
                    "a row group has a wrong number of rows or columns",
                ));
            }
        }
    }
    Ok(starts)
}

impl Inner {
    fn n_rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The row group of a row.
    fn group_of(&self, row: usize) -> usize {
        self.starts.partition_point(|start| *start <= row).max(1) - 1
    }
}

impl Store for ParquetFile {
    fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }

    fn group(&self, row: usize) -> Range<usize> {
        let group = self.0.group_of(row);
        let bound = |i: usize| self.0.starts.get(i).copied();
        bound(group).unwrap_or_default()..bound(group + 1).unwrap_or(self.n_rows())
    }

    fn cursor(&self, field: usize, row: usize) -> Result<Box<dyn Cursor>, ColumnarFault> {
        let cursor = ParquetCursor::new(Arc::clone(&self.0), field, row)?;
        Ok(Box::new(cursor))
    }

    fn page_bytes(&self, field: usize) -> u64 {
        let leaf = self.0.leaves.get(field).and_then(Option::as_ref);
        let of_group = |group: usize| {
            let list = self.0.fields.get(field)?.list;
            pages::page_bytes(&self.0, group, leaf?.column, list)
        };
        // The first group is enough: all groups come from the same writer.
        of_group(0).unwrap_or(0)
    }

    fn is_plain(&self, field: usize) -> bool {
        let Some(Some(leaf)) = self.0.leaves.get(field) else {
            return false;
        };
        self.0.meta.row_groups().iter().all(|group| {
            let statistics = group
                .columns()
                .get(leaf.column)
                .and_then(|c| c.statistics());
            let no_nulls = match statistics {
                Some(statistics) => statistics.null_count_opt() == Some(0),
                None => leaf.descr.max_def_level() == 0,
            };
            no_nulls && (!leaf.logical.may_be_large() || statistics.is_some_and(is_exact))
        })
    }
}

/// Whether all integers are within ±2⁵³.
fn is_exact(statistics: &Statistics) -> bool {
    const MOST: u64 = 1 << 53;
    let Statistics::Int64(range) = statistics else {
        return false;
    };
    let within = |x: Option<&i64>| x.is_some_and(|x| x.unsigned_abs() <= MOST);
    within(range.min_opt()) && within(range.max_opt())
}

/// Whether numbers can be read from this kind of column.
fn is_number(kind: ColumnKind) -> bool {
    matches!(kind, ColumnKind::Number { .. })
}
