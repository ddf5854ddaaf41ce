//! The rows of a columnar file as a source: blocks assembled from its fields.
//!
//! Cursors only move forward. When a part is done, its cursors are kept, and the part that follows continues with them, so
//! that a thread that reads neighboring parts unpacks each page once. Numbers of small tables can be fetched into memory
//! first ([`Kept`]).

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Context, Error, MatView, Real};

use super::kept::Kept;
use super::store::{ColumnKind, Cursor, Seen, Store};
use crate::error::{ColumnarFault, ReadError, into_core};
use crate::guard::guarded;
use crate::table::Keep;
use crate::table::{Cells, Numbers, PartTexts, TextColumn, part_rows};
use crate::text::CellRules;

/// A column: a field, or one element of a field of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) field: usize,
    pub(super) element: usize,
    /// Elements of the field.
    pub(super) width: usize,
}

/// A field to read, and where its elements go in a row.
#[derive(Debug)]
pub(super) struct Take {
    pub(super) field: usize,
    pub(super) width: usize,
    /// Elements, and their positions in a row.
    places: Vec<(usize, usize)>,
}

/// An open file, and cursors that wait to be used again.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) name: String,
    pub(super) store: Box<dyn Store>,
    waiting: Mutex<Vec<Waiting>>,
    /// How many sets of cursors may wait.
    most: usize,
}

/// Cursors on some fields, all positioned before the same row.
struct Waiting {
    fields: Vec<usize>,
    row: usize,
    cursors: Vec<Box<dyn Cursor>>,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Waiting(row {})", self.row)
    }
}

impl Reader {
    pub(super) fn new(name: String, store: Box<dyn Store>, most: usize) -> Self {
        Reader {
            name,
            store,
            waiting: Mutex::new(Vec::new()),
            most,
        }
    }

    /// Calls `work` to read some rows of some fields.
    pub(super) fn read<R>(
        &self,
        fields: &[usize],
        rows: Range<usize>,
        work: impl FnOnce(&mut [Box<dyn Cursor>]) -> Result<R, ColumnarFault>,
    ) -> Result<R, ReadError> {
        let result = guarded(ColumnarFault::damaged, || {
            let mut set = self.take(fields, rows.start)?;
            let result = work(&mut set.cursors)?;
            set.row = rows.end;
            self.keep(set);
            Ok(result)
        });
        result.map_err(|fault| fault.in_file(&self.name))
    }

    /// The groups of rows that some rows lie in, each cut to those rows.
    pub(super) fn groups(&self, rows: &Range<usize>) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut start = rows.start;
        while start < rows.end {
            let end = self.store.group(start).end.clamp(start + 1, rows.end);
            groups.push(start..end);
            start = end;
        }
        groups
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cursors positioned before a row: the nearest waiting ones before it in the same group of rows, or new ones.
    fn take(&self, fields: &[usize], row: usize) -> Result<Waiting, ColumnarFault> {
        let group = self.store.group(row).start;
        let found = {
            let mut waiting = self.lock();
            let fits = |set: &Waiting| {
                set.fields == fields && set.row <= row && (set.row == row || set.row >= group)
            };
            let nearest = (0..waiting.len())
                .filter(|&i| waiting.get(i).is_some_and(fits))
                .max_by_key(|&i| waiting.get(i).map(|set| set.row));
            nearest.map(|i| waiting.swap_remove(i))
        };
        if let Some(mut set) = found {
            let behind = row - set.row;
            if behind > 0 {
                set.cursors.iter_mut().try_for_each(|c| c.skip(behind))?;
            }
            set.row = row;
            return Ok(set);
        }
        let cursor = |&field: &usize| self.store.cursor(field, row);
        let cursors: Result<Vec<_>, ColumnarFault> = fields.iter().map(cursor).collect();
        Ok(Waiting {
            fields: fields.to_vec(),
            row,
            cursors: cursors?,
        })
    }

    fn keep(&self, set: Waiting) {
        if set.row >= self.store.n_rows() {
            return;
        }
        let mut waiting = self.lock();
        waiting.push(set);
        if waiting.len() > self.most {
            // The oldest cursors are the least likely to be used again.
            waiting.remove(0);
        }
    }
}

/// The numbers of one part.
#[derive(Debug, Default)]
struct Part<T> {
    cells: Vec<T>,
    weights: Vec<f64>,
}

/// A columnar file whose columns are known.
#[derive(Debug)]
pub(super) struct ColumnarTable<T> {
    reader: Reader,
    names: Vec<String>,
    columns: Vec<Column>,
    used_names: Vec<String>,
    fields: Vec<usize>,
    takes: Vec<Take>,
    weighted: bool,
    /// The rows in use.
    rows: Range<usize>,
    rules: CellRules,
    /// Room for all numbers, where they fit the budget.
    kept: Keep<Kept<T>>,
    /// Buffers of parts that were handed over, to be used again.
    spare: Mutex<Vec<Part<T>>>,
}

/// What a columnar table is made of.
pub(super) struct Layout {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column>,
    pub(super) used: Vec<usize>,
    pub(super) weight: Option<usize>,
    pub(super) rows: Range<usize>,
    pub(super) rules: CellRules,
}

impl<T: Real> ColumnarTable<T> {
    /// A table that keeps its numbers if they take at most `budget` bytes.
    pub(super) fn new(reader: Reader, layout: Layout, budget: u64) -> Self {
        let d = layout.used.len();
        let mut takes: Vec<Take> = Vec::new();
        // The weight comes after the numbers.
        for (place, &col) in layout.used.iter().chain(&layout.weight).enumerate() {
            let Some(&Column {
                field,
                element,
                width,
            }) = layout.columns.get(col)
            else {
                continue;
            };
            match takes.iter_mut().rev().find(|take| take.field == field) {
                Some(take) if width > 1 => take.places.push((element, place)),
                _ => takes.push(Take {
                    field,
                    width,
                    places: vec![(element, place)],
                }),
            }
        }
        let size = (layout.rows.len() as u64).saturating_mul((d * T::BYTES) as u64);
        let name = |&col: &usize| layout.names.get(col).cloned().unwrap_or_default();
        ColumnarTable {
            reader,
            used_names: layout.used.iter().map(name).collect(),
            fields: takes.iter().map(|take| take.field).collect(),
            takes,
            weighted: layout.weight.is_some(),
            names: layout.names,
            columns: layout.columns,
            rows: layout.rows,
            rules: layout.rules,
            kept: Keep::room(size <= budget),
            spare: Mutex::new(Vec::new()),
        }
    }

    /// Bytes that the numbers take once they have been fetched.
    fn may_keep(&self) -> u64 {
        let cells = (self.rows.len() as u64).saturating_mul(self.used_names.len() as u64);
        let bytes = cells.saturating_mul(T::BYTES as u64);
        if self.kept.is_open() { bytes } else { 0 }
    }

    /// Bytes that are unpacked at once. Numbers that stay in memory are fetched field by field and group by group, one field
    /// per thread; otherwise every thread reads all fields page by page, and as many sets of cursors wait.
    fn unpacked_bytes(&self, threads: usize) -> u64 {
        const VALUES: u64 = 24;
        let pages = |take: &Take| self.reader.store.page_bytes(take.field);
        let all = self.takes.iter().map(pages).fold(0, u64::saturating_add);
        let threads = threads as u64;
        if !self.kept.is_open() {
            return all.saturating_mul(2 * threads);
        }
        let groups = self.reader.groups(&self.rows);
        let rows = groups.iter().map(|group| group.len() as u64).max();
        let widest = self.takes.iter().map(|take| take.width as u64).max();
        let one = rows.unwrap_or(0).saturating_mul(widest.unwrap_or(0));
        let at_once = threads.min((groups.len() * self.takes.len()) as u64);
        at_once.saturating_mul(one.saturating_mul(VALUES))
    }

    /// Rows of a part, among those in use.
    fn part_range(&self, part: usize) -> Range<usize> {
        let step = part_rows(self.used_names.len());
        let start = part.saturating_mul(step).min(self.rows.len());
        start..(start + step).min(self.rows.len())
    }

    /// The same rows, counted in the file.
    fn file_rows(&self, rows: &Range<usize>) -> Range<usize> {
        self.rows.start + rows.start..self.rows.start + rows.end
    }

    /// Unpacks all numbers, where they may stay in memory.
    fn fetch_numbers(&self, ctx: &Context) -> Result<(), ReadError> {
        if self.kept.is_waiting() {
            // Another thread may be first; both read the same numbers.
            let numbers = Kept::read(&self.reader, &self.takes, &self.rows, ctx)?;
            self.kept.set(numbers);
        }
        Ok(())
    }

    fn read(&self, rows: Range<usize>) -> Result<Part<T>, ReadError> {
        let (n, d) = (rows.len(), self.used_names.len());
        let mut part = self.spares().pop().unwrap_or_default();
        part.cells.resize(n * d, T::from_f64(0.0));
        part.weights.resize(if self.weighted { n } else { 0 }, 0.0);
        if let Some(kept) = self.kept.get() {
            kept.for_each_strip(&rows, &self.takes, |take, strip, at| {
                self.put(take, strip, at, &mut part);
            });
            return Ok(part);
        }
        self.reader
            .read(&self.fields, self.file_rows(&rows), |cursors| {
                let mut field = Vec::new();
                for (cursor, take) in cursors.iter_mut().zip(&self.takes) {
                    field.clear();
                    cursor.numbers(n, take.width, &mut field, &mut Seen::default())?;
                    self.put(take, &field, 0..n, &mut part);
                }
                Ok(())
            })?;
        Ok(part)
    }

    /// Puts the elements of a field where they belong in some rows of a part.
    fn put<U: Real>(&self, take: &Take, field: &[U], rows: Range<usize>, part: &mut Part<T>) {
        let d = self.used_names.len();
        let cells = part.cells.get_mut(rows.start * d..rows.end * d);
        let cells = cells.unwrap_or_default();
        for &(element, place) in &take.places {
            let numbers = field.iter().skip(element).step_by(take.width);
            let numbers = numbers.map(|x| x.to_f64());
            if place == d {
                let weights = part.weights.get_mut(rows.clone()).unwrap_or_default();
                weights.iter_mut().zip(numbers).for_each(|(w, x)| *w = x);
                continue;
            }
            let places = cells.iter_mut().skip(place).step_by(d);
            let put = |(cell, x): (&mut T, f64)| *cell = T::from_f64(self.nan_if_missing(x));
            places.zip(numbers).for_each(put);
        }
    }

    /// The number, or NaN if it is a code for a missing value.
    fn nan_if_missing(&self, x: f64) -> f64 {
        if self.rules.is_missing_number(x) {
            f64::NAN
        } else {
            x
        }
    }

    fn spares(&self) -> MutexGuard<'_, Vec<Part<T>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_over(
        &self,
        rows: &Range<usize>,
        part: &Part<T>,
        sink: &mut Sink<'_, T>,
    ) -> Result<(), Error> {
        let view = MatView::from_rows(&part.cells, rows.len(), self.used_names.len())?;
        sink(Rows {
            first: rows.start,
            block: Block::Dense(view),
            weights: self.weighted.then_some(part.weights.as_slice()),
        })
    }

    fn texts_of(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let rows = self.part_range(part);
        let one = |col: &usize| -> Result<TextColumn, ReadError> {
            let Some(&column) = self.columns.get(*col) else {
                return Ok(TextColumn::default());
            };
            let name = self.names.get(*col).cloned().unwrap_or_default();
            let field = self.reader.store.fields().get(column.field);
            let list = field.is_some_and(|field| field.list);
            if let Some(ColumnKind::Other(holds)) = field.map(|field| field.kind) {
                let fault = ColumnarFault::Composite {
                    column: name,
                    holds,
                };
                return Err(fault.in_file(&self.reader.name));
            }
            // A field of vectors in which every vector is missing, so that their length is unknown.
            if list && field.is_some_and(|field| field.name == name) {
                return Ok(rows.clone().map(|_| "").collect());
            }
            self.reader
                .read(&[column.field], self.file_rows(&rows), |cursors| {
                    let mut out = TextColumn::default();
                    for cursor in cursors {
                        match list {
                            false => cursor.texts(rows.len(), &mut out)?,
                            true => element_texts(&mut **cursor, rows.len(), column, &mut out)?,
                        }
                    }
                    Ok(out)
                })
        };
        Ok(PartTexts {
            first: rows.start,
            columns: columns.iter().map(one).collect::<Result<_, ReadError>>()?,
        })
    }
}

/// One element of a column of vectors as text.
fn element_texts(
    cursor: &mut dyn Cursor,
    n_rows: usize,
    column: Column,
    out: &mut TextColumn,
) -> Result<(), ColumnarFault> {
    let mut cells = Vec::new();
    cursor.numbers(n_rows, column.width, &mut cells, &mut Seen::default())?;
    let mut digits = zmij::Buffer::new();
    for cell in cells.iter().skip(column.element).step_by(column.width) {
        out.push(digits.format(*cell));
    }
    Ok(())
}

impl<T: Real> Source<T> for ColumnarTable<T> {
    fn n_cols(&self) -> usize {
        self.used_names.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let rows = self.part_range(part);
        let numbers = self.read(rows.clone()).map_err(into_core)?;
        self.hand_over(&rows, &numbers, sink)?;
        self.spares().push(numbers);
        Ok(())
    }

    fn n_parts(&self) -> usize {
        self.rows.len().div_ceil(part_rows(self.used_names.len()))
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.len())
    }

    fn col_names(&self) -> Option<&[String]> {
        Some(&self.used_names)
    }

    fn is_weighted(&self) -> bool {
        self.weighted
    }
}

macro_rules! cells {
    ($type:ty, $numbers:path) => {
        impl Cells for ColumnarTable<$type> {
            fn names(&self) -> &[String] {
                &self.names
            }

            fn used_names(&self) -> &[String] {
                &self.used_names
            }

            fn numbers(&self) -> Numbers<'_> {
                $numbers(self)
            }

            fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
                self.texts_of(part, columns)
            }

            fn fetch(&self, ctx: &Context) -> Result<(), ReadError> {
                self.fetch_numbers(ctx)
            }

            fn kept_bytes(&self) -> u64 {
                self.may_keep()
            }

            fn reading_bytes(&self, threads: usize) -> u64 {
                self.unpacked_bytes(threads)
            }

            fn forget(&self) {
                self.kept.close();
            }
        }
    };
}

cells!(f32, Numbers::F32);
cells!(f64, Numbers::F64);
