//! Reads one field of a Parquet file, forward through its row groups.

use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{AsBytes, DataType};

use super::types::Logical;
use super::{Inner, Leaf, pages};
use crate::columnar::store::{Cursor, Seen};
use crate::columnar::value::{TimeUnit, Value, big_endian, decimal};
use crate::error::ColumnarFault;
use crate::npy::half_to_f64;
use crate::table::TextColumn;

/// Reads one field, forward.
pub(super) struct ParquetCursor {
    file: Arc<Inner>,
    leaf: Leaf,
    name: String,
    list: bool,
    /// The next row.
    row: usize,
    reader: Option<ColumnReader>,
    /// Where the row group of the reader ends.
    end: usize,
}

/// Levels and values as the crate hands them over.
struct Run<V> {
    values: Vec<V>,
    /// Definition level of each value; empty if no value is missing.
    defs: Vec<i16>,
    /// Repetition level of each value, 0 where a row begins; empty if every value begins a row.
    reps: Vec<i16>,
}

impl ParquetCursor {
    pub(super) fn new(file: Arc<Inner>, field: usize, row: usize) -> Result<Self, ColumnarFault> {
        let unreadable = || ColumnarFault::damaged("a column has no values");
        let leaf = file.leaves.get(field).cloned().flatten();
        let leaf = leaf.ok_or_else(unreadable)?;
        let about = file.fields.get(field).ok_or_else(unreadable)?;
        let (name, list) = (about.name.clone(), about.list);
        let mut cursor = ParquetCursor {
            file,
            leaf,
            name,
            list,
            row,
            reader: None,
            end: row,
        };
        cursor.enter()?;
        Ok(cursor)
    }

    /// Opens the row group of the next row, and skips to the row.
    fn enter(&mut self) -> Result<(), ColumnarFault> {
        let group = self.file.group_of(self.row);
        let bounds = self
            .file
            .starts
            .get(group)
            .zip(self.file.starts.get(group + 1));
        let Some((&start, &end)) = bounds else {
            self.reader = None;
            return Ok(());
        };
        let pages = pages::pages(&self.file, group, self.leaf.column, self.list)?;
        self.reader = Some(get_column_reader(self.leaf.descr.clone(), pages));
        self.end = end;
        self.skip_here(self.row - start)
    }

    fn skip_here(&mut self, n_rows: usize) -> Result<(), ColumnarFault> {
        macro_rules! skip {
            ($($variant:ident),*) => {
                match &mut self.reader {
                    $(Some(ColumnReader::$variant(reader)) => reader.skip_records(n_rows),)*
                    None => Ok(0),
                }
            };
        }
        let skipped = skip!(
            BoolColumnReader,
            Int32ColumnReader,
            Int64ColumnReader,
            Int96ColumnReader,
            FloatColumnReader,
            DoubleColumnReader,
            ByteArrayColumnReader,
            FixedLenByteArrayColumnReader
        );
        match skipped {
            Ok(skipped) if skipped == n_rows => Ok(()),
            Ok(_) => Err(too_few()),
            Err(error) => Err(pages::fault(error)),
        }
    }

    /// Calls `work` for runs of rows, each within one row group.
    fn in_groups(
        &mut self,
        n_rows: usize,
        mut work: impl FnMut(&mut Self, usize) -> Result<(), ColumnarFault>,
    ) -> Result<(), ColumnarFault> {
        let last = self.row.checked_add(n_rows).ok_or_else(too_few)?;
        while self.row < last {
            if self.row >= self.end {
                self.enter()?;
            }
            let count = self.end.min(last).saturating_sub(self.row);
            if count == 0 || self.reader.is_none() {
                return Err(too_few());
            }
            work(self, count)?;
            self.row += count;
        }
        Ok(())
    }

    fn numbers_here(
        &mut self,
        n_rows: usize,
        width: usize,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        let rows = RunOfRows {
            n_rows,
            width,
            row: self.row,
            name: &self.name,
            leaf: &self.leaf,
            list: self.list,
        };
        let logical = self.leaf.logical;
        // The few types whose integers may be too large for an f64 are checked value by value.
        let mut large = None;
        let mut exact = |x: i128| {
            if x.unsigned_abs() > 1 << 53 {
                large.get_or_insert(x);
            }
            x as f64
        };
        macro_rules! take {
            ($reader:expr, $number:expr) => {
                rows.spread(&rows.read($reader)?, $number, out, seen)
            };
        }
        let reader = self.reader.as_mut().ok_or_else(too_few)?;
        match (reader, logical) {
            (ColumnReader::BoolColumnReader(r), _) => take!(r, |x| f64::from(u8::from(*x))),
            (ColumnReader::Int32ColumnReader(r), Logical::U32) => {
                take!(r, |x| f64::from(*x as u32))
            }
            (ColumnReader::Int32ColumnReader(r), Logical::Decimal(s)) => {
                take!(r, |x| decimal((*x).into(), s))
            }
            (ColumnReader::Int32ColumnReader(r), _) => take!(r, |x| f64::from(*x)),
            (ColumnReader::Int64ColumnReader(r), Logical::U64) => {
                take!(r, |x| exact((*x as u64).into()))
            }
            (ColumnReader::Int64ColumnReader(r), Logical::Decimal(s)) => {
                take!(r, |x| decimal((*x).into(), s))
            }
            (ColumnReader::Int64ColumnReader(r), _) => take!(r, |x| exact((*x).into())),
            (ColumnReader::FloatColumnReader(r), _) => take!(r, |x| f64::from(*x)),
            (ColumnReader::DoubleColumnReader(r), _) => take!(r, |x| *x),
            (ColumnReader::ByteArrayColumnReader(r), Logical::Decimal(s)) => {
                take!(r, |x| bytes_decimal(x.as_bytes(), s))
            }
            (ColumnReader::FixedLenByteArrayColumnReader(r), Logical::Decimal(s)) => {
                take!(r, |x| bytes_decimal(x.as_bytes(), s))
            }
            (ColumnReader::FixedLenByteArrayColumnReader(r), Logical::F16) => {
                take!(r, |x| half(x.as_bytes()))
            }
            _ => Err(ColumnarFault::damaged("a column is not of its type")),
        }?;
        if let Some(large) = large {
            seen.large.get_or_insert(large);
        }
        Ok(())
    }

    fn texts_here(&mut self, n_rows: usize, out: &mut TextColumn) -> Result<(), ColumnarFault> {
        let rows = RunOfRows {
            n_rows,
            width: 1,
            row: self.row,
            name: &self.name,
            leaf: &self.leaf,
            list: false,
        };
        let logical = self.leaf.logical;
        macro_rules! take {
            ($reader:expr, $value:expr) => {
                rows.push_texts(&rows.read($reader)?, $value, out)
            };
        }
        let reader = self.reader.as_mut().ok_or_else(too_few)?;
        match reader {
            ColumnReader::BoolColumnReader(r) => take!(r, |x| Value::Bool(*x)),
            ColumnReader::Int32ColumnReader(r) => take!(r, |x| int_value(logical, (*x).into())),
            ColumnReader::Int64ColumnReader(r) => take!(r, |x| int_value(logical, *x)),
            ColumnReader::Int96ColumnReader(r) => {
                take!(r, |x| Value::Stamp(x.to_nanos(), TimeUnit { digits: 9 }))
            }
            ColumnReader::FloatColumnReader(r) => take!(r, |x| Value::F32(*x)),
            ColumnReader::DoubleColumnReader(r) => take!(r, |x| Value::F64(*x)),
            ColumnReader::ByteArrayColumnReader(r) => {
                take!(r, |x| bytes_value(logical, x.as_bytes()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                take!(r, |x| bytes_value(logical, x.as_bytes()))
            }
        }
    }
}

impl Cursor for ParquetCursor {
    fn numbers(
        &mut self,
        n_rows: usize,
        width: usize,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        self.in_groups(n_rows, |cursor, count| {
            cursor.numbers_here(count, width, out, seen)
        })
    }

    fn texts(&mut self, n_rows: usize, out: &mut TextColumn) -> Result<(), ColumnarFault> {
        self.in_groups(n_rows, |cursor, count| cursor.texts_here(count, out))
    }

    fn skip(&mut self, n_rows: usize) -> Result<(), ColumnarFault> {
        self.in_groups(n_rows, ParquetCursor::skip_here)
    }

    fn length(&mut self) -> Result<Option<usize>, ColumnarFault> {
        let mut out = Vec::new();
        // No list has this length, so the real length comes back in the error, unless the row is missing.
        let found = self.numbers(1, usize::MAX, &mut out, &mut Seen::default());
        match found {
            Ok(()) => Ok(None),
            Err(ColumnarFault::Ragged { found, .. }) => {
                self.row += 1;
                Ok(Some(found))
            }
            Err(other) => Err(other),
        }
    }
}

/// Rows to be read from one row group.
struct RunOfRows<'a> {
    n_rows: usize,
    width: usize,
    row: usize,
    name: &'a str,
    leaf: &'a Leaf,
    list: bool,
}

impl RunOfRows<'_> {
    fn read<T: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
    ) -> Result<Run<T::T>, ColumnarFault> {
        // Reserves only what is likely: a file may promise more rows than it has.
        const LIKELY: usize = 1 << 18;
        let mut run = Run {
            values: Vec::with_capacity(self.n_rows.min(LIKELY)),
            defs: Vec::new(),
            reps: Vec::new(),
        };
        let (records, _, _) = reader
            .read_records(
                self.n_rows,
                Some(&mut run.defs),
                Some(&mut run.reps),
                &mut run.values,
            )
            .map_err(pages::fault)?;
        if records == self.n_rows {
            Ok(run)
        } else {
            Err(too_few())
        }
    }

    fn spread<V>(
        &self,
        run: &Run<V>,
        mut number: impl FnMut(&V) -> f64,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        if self.list {
            return self.spread_lists(run, number, out, seen);
        }
        if run.values.len() == self.n_rows {
            out.extend(run.values.iter().map(number));
            return Ok(());
        }
        let max = self.leaf.descr.max_def_level();
        let mut values = run.values.iter();
        for def in &run.defs {
            let value = values.next_if_defined(*def == max);
            seen.push(value.map(&mut number), out);
        }
        if run.defs.len() == self.n_rows {
            Ok(())
        } else {
            Err(too_few())
        }
    }

    fn spread_lists<V>(
        &self,
        run: &Run<V>,
        mut number: impl FnMut(&V) -> f64,
        out: &mut Vec<f64>,
        seen: &mut Seen,
    ) -> Result<(), ColumnarFault> {
        let descr = &self.leaf.descr;
        let (max, inside) = (descr.max_def_level(), descr.repeated_ancestor_def_level());
        let mut levels = run.defs.iter().zip(&run.reps).peekable();
        let mut values = run.values.iter();
        for row in 0..self.n_rows {
            let start = out.len();
            let &(first, _) = levels.peek().ok_or_else(too_few)?;
            // Below `inside`, the list has no elements; one level lower, the list itself is missing.
            let missing = *first < inside - 1;
            let mut found = 0;
            while let Some((def, _)) = levels.next() {
                if *def >= inside {
                    found += 1;
                    let value = values.next_if_defined(*def == max);
                    seen.push(value.map(&mut number), out);
                }
                if levels.peek().is_none_or(|(_, rep)| **rep == 0) {
                    break;
                }
            }
            if missing && found == 0 {
                if self.width == usize::MAX {
                    continue;
                }
                seen.nulls.extend(start..start + self.width);
                out.resize(start + self.width, f64::NAN);
            } else if found != self.width {
                return Err(ColumnarFault::Ragged {
                    row: self.row + row + 1,
                    column: self.name.to_owned(),
                    expected: self.width,
                    found,
                });
            }
        }
        Ok(())
    }

    fn push_texts<'v, V>(
        &self,
        run: &'v Run<V>,
        value: impl Fn(&'v V) -> Value<'v>,
        out: &mut TextColumn,
    ) -> Result<(), ColumnarFault> {
        if run.values.len() == self.n_rows {
            run.values.iter().for_each(|x| value(x).push_to(out));
            return Ok(());
        }
        let max = self.leaf.descr.max_def_level();
        let mut values = run.values.iter();
        for def in &run.defs {
            let cell = values.next_if_defined(*def == max);
            cell.map_or(Value::Missing, &value).push_to(out);
        }
        if run.defs.len() == self.n_rows {
            Ok(())
        } else {
            Err(too_few())
        }
    }
}

/// Takes the next value, if one is defined.
trait NextIfDefined: Iterator {
    fn next_if_defined(&mut self, defined: bool) -> Option<Self::Item> {
        if defined { self.next() } else { None }
    }
}

impl<I: Iterator> NextIfDefined for I {}

fn too_few() -> ColumnarFault {
    ColumnarFault::damaged("a column has fewer rows than its row group")
}

fn bytes_decimal(bytes: &[u8], scale: i32) -> f64 {
    big_endian(bytes).map_or(f64::NAN, |digits| decimal(digits, scale))
}

fn half(bytes: &[u8]) -> f64 {
    let bits = bytes.first_chunk().map(|bits| u16::from_le_bytes(*bits));
    bits.map_or(f64::NAN, half_to_f64)
}

fn int_value<'a>(logical: Logical, x: i64) -> Value<'a> {
    match logical {
        Logical::U32 => Value::Int(i128::from(x as u32)),
        Logical::U64 => Value::Int(i128::from(x as u64)),
        Logical::Decimal(scale) => Value::Decimal(x.into(), scale),
        Logical::Day => Value::Day(x),
        Logical::Time(unit) => Value::Time(x, unit),
        Logical::Stamp(unit) => Value::Stamp(x, unit),
        _ => Value::Int(x.into()),
    }
}

fn bytes_value(logical: Logical, bytes: &[u8]) -> Value<'_> {
    match logical {
        Logical::Decimal(scale) => match big_endian(bytes) {
            Some(digits) => Value::Decimal(digits, scale),
            None => Value::Missing,
        },
        Logical::F16 => Value::F64(half(bytes)),
        _ => Value::Bytes(bytes),
    }
}
