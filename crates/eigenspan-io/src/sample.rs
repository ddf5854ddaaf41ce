//! Some rows of an open table, whatever its format: a range of them, or a random sample.

use eigenspan::error::grouped;
use eigenspan::source::{RowSet, Sink, Source, Subset};
use eigenspan::{Error, Note};

use crate::error::ReadError;
use crate::options::ReadOptions;
use crate::picture::Picture;
use crate::table::{Cells, Element, Numbers, PartTexts, Table, TextColumn};

/// The rows that the options select.
pub(crate) fn range(table: Table, options: &ReadOptions) -> Result<Table, ReadError> {
    let Some(rows) = options.row_range()? else {
        return Ok(table);
    };
    if rows.start >= table.n_rows {
        return Err(ReadError::NoSuchRow {
            file: table.name,
            first: rows.start + 1,
            n_rows: table.n_rows,
        });
    }
    let rows = rows.start..rows.end.min(table.n_rows);
    Ok(only(table, RowSet::Range(rows)))
}

/// The note on how rows are counted, where the selection does not begin with the first row.
pub(crate) fn note_first(options: &ReadOptions) -> Option<Note> {
    let (first, _) = options.rows?;
    let text = format!(
        "rows are counted from the first that was taken: row 1 is row {} of the data",
        grouped(first as u64)
    );
    (first > 1).then_some(Note::reading(text))
}

/// The note that the table ends before the last row that the options name.
pub(crate) fn note_end(table: &Table, options: &ReadOptions) -> Option<Note> {
    let (first, last) = options.rows?;
    let end = first + table.n_rows - 1;
    let text = format!(
        "rows {} to {} are used: there is no row {}",
        grouped(first as u64),
        grouped(end as u64),
        grouped(last as u64)
    );
    (end < last).then_some(Note::reading(text))
}

/// A random sample of the rows, if the options ask for one.
pub(crate) fn random(table: Table, options: &ReadOptions) -> Result<Table, ReadError> {
    let (n_rows, seed) = (table.n_rows, options.seed);
    let Some(count) = options.sample else {
        return Ok(table);
    };
    if count == 0 {
        return Err(ReadError::BadOption {
            option: "sample",
            given: count.to_string(),
            allowed: "a number of rows, at least 1",
        });
    }
    if count >= n_rows {
        let mut table = table;
        let note = format!(
            "all {} rows are used: a sample of {} is no fewer",
            grouped(n_rows as u64),
            grouped(count as u64)
        );
        table.notes.push(Note::reading(note));
        return Ok(table);
    }
    let mut table = only(table, RowSet::sample(n_rows, count, seed));
    let note = format!(
        "a random sample of {} of {} rows (seed {seed}); rows are counted within it",
        grouped(count as u64),
        grouped(n_rows as u64)
    );
    table.notes.push(Note::reading(note));
    Ok(table)
}

fn only(table: Table, rows: RowSet) -> Table {
    if rows == RowSet::Range(0..table.n_rows) {
        return table;
    }
    Table {
        n_rows: rows.len(),
        // Missing cells were counted in all rows; those of the sample are found when its rows are read.
        missing: None,
        cells: Box::new(SomeRows {
            inner: table.cells,
            rows,
        }),
        ..table
    }
}

#[derive(Debug)]
struct SomeRows {
    inner: Box<dyn Cells>,
    rows: RowSet,
}

impl Cells for SomeRows {
    fn names(&self) -> &[String] {
        self.inner.names()
    }

    fn used_names(&self) -> &[String] {
        self.inner.used_names()
    }

    fn numbers(&self) -> Numbers<'_> {
        match self.inner.numbers() {
            Numbers::F32(_) => Numbers::F32(self),
            Numbers::F64(_) => Numbers::F64(self),
        }
    }

    fn picture(&self) -> Option<Picture> {
        self.inner.picture()
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let all = self.inner.part_texts(part, columns)?;
        let some = |column: &TextColumn| -> TextColumn {
            let rows = self.rows.within(all.first, all.first + column.len());
            rows.into_iter().map(|row| column.get(row)).collect()
        };
        Ok(PartTexts {
            first: self.rows.before(all.first),
            columns: all.columns.iter().map(some).collect(),
        })
    }

    fn inner(&self) -> Option<&dyn Cells> {
        Some(&*self.inner)
    }
}

impl SomeRows {
    fn with<T: Element, R>(&self, take: impl FnOnce(Subset<'_, T>) -> R) -> Option<R> {
        T::with_source(self.inner.numbers(), |source| {
            take(Subset::new(source, &self.rows))
        })
    }
}

impl<T: Element> Source<T> for SomeRows {
    fn n_cols(&self) -> usize {
        self.inner.used_names().len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        self.with(|rows| rows.read_part(part, sink))
            .unwrap_or(Ok(()))
    }

    fn n_parts(&self) -> usize {
        self.with::<T, _>(|rows| rows.n_parts()).unwrap_or_default()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.len())
    }

    fn nnz(&self) -> Option<u64> {
        self.with::<T, _>(|rows| rows.nnz()).flatten()
    }

    fn col_names(&self) -> Option<&[String]> {
        given_names(self.inner.as_ref())
    }

    fn is_weighted(&self) -> bool {
        self.with::<T, _>(|rows| rows.is_weighted()) == Some(true)
    }
}

/// The names of the columns in use, if the columns have names.
pub(crate) fn given_names(cells: &dyn Cells) -> Option<&[String]> {
    match cells.numbers() {
        Numbers::F32(source) => source.col_names(),
        Numbers::F64(source) => source.col_names(),
    }
}
