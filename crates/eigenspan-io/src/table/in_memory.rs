//! Small tables in memory. Whatever file the numbers come from, a fit reads the same array, cut into the same parts, as if
//! the array had been in memory from the beginning; so the same steps follow and give the same bits. All other readings use
//! the same array.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use eigenspan::source::{Block, Dense, Passes, Rows, Sink, Source, for_each_block};
use eigenspan::{Context, Error, Mat, Real, on_numbers};

use super::{Cells, Numbers, PartTexts, Table, TextColumn, part_rows};
use crate::error::{ReadError, from_core};

/// The most cells of a small table: 34 MB.
const MOST: usize = 1 << 22;

/// The rows of one part of an array.
fn part_range(part: usize, n_rows: usize, n_cols: usize) -> Range<usize> {
    let step = part_rows(n_cols);
    let start = part.saturating_mul(step).min(n_rows);
    start..(start + step).min(n_rows)
}

/// The rows of an array, cut into the same parts as files.
#[derive(Debug)]
pub struct Cut<'a, T>(pub Dense<'a, T>);

impl<T: Real> Source<T> for Cut<'_, T> {
    fn n_cols(&self) -> usize {
        self.0.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let Some(all) = self.0.in_memory() else {
            return Ok(());
        };
        let rows = part_range(part, all.block.n_rows(), self.n_cols());
        sink(Rows {
            first: rows.start,
            block: all.block.slice_rows(rows.start, rows.end),
            weights: all.weights.map(|weights| &weights[rows]),
        })
    }

    fn n_parts(&self) -> usize {
        let rows = self.0.n_rows().unwrap_or(0);
        rows.div_ceil(part_rows(self.n_cols()))
    }

    fn n_rows(&self) -> Option<usize> {
        self.0.n_rows()
    }

    fn in_memory(&self) -> Option<Rows<'_, T>> {
        self.0.in_memory()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.0.col_names()
    }

    fn is_weighted(&self) -> bool {
        self.0.is_weighted()
    }
}

/// The numbers of a small table: read once, and used by all later readings.
#[derive(Debug)]
pub(crate) struct NumbersInMemory {
    numbers: Stored,
    /// The first row of each part of the file, to find texts by.
    starts: Vec<usize>,
}

#[derive(Debug)]
enum Stored {
    F32(RowsInMemory<f32>),
    F64(RowsInMemory<f64>),
}

impl NumbersInMemory {
    /// Reads all numbers of a table.
    pub(crate) fn read(ctx: &Context, cells: &dyn Cells) -> Result<Self, ReadError> {
        let n_parts = on_numbers!(cells.numbers(), source => source.n_parts());
        let first = |part| cells.part_texts(part, &[]).map(|texts| texts.first);
        let numbers = match cells.numbers() {
            Numbers::F32(source) => RowsInMemory::read(ctx, source).map(Stored::F32),
            Numbers::F64(source) => RowsInMemory::read(ctx, source).map(Stored::F64),
        };
        Ok(NumbersInMemory {
            numbers: numbers.map_err(from_core)?,
            starts: (0..n_parts).map(first).collect::<Result<_, _>>()?,
        })
    }

    /// The numbers, cut into the same parts as all files.
    pub(crate) fn numbers(&self) -> Numbers<'_> {
        match &self.numbers {
            Stored::F32(rows) => Numbers::F32(rows),
            Stored::F64(rows) => Numbers::F64(rows),
        }
    }

    /// Rows, columns, and bytes of a cell.
    fn shape(&self) -> [usize; 3] {
        match &self.numbers {
            Stored::F32(rows) => [rows.rows.n_rows(), rows.rows.n_cols(), f32::BYTES],
            Stored::F64(rows) => [rows.rows.n_rows(), rows.rows.n_cols(), f64::BYTES],
        }
    }

    /// Bytes of all numbers.
    pub(crate) fn bytes(&self) -> u64 {
        self.shape().into_iter().product::<usize>() as u64
    }

    /// The texts beside one part of the numbers, from whichever parts of the file they are in.
    pub(crate) fn part_texts(
        &self,
        cells: &dyn Cells,
        part: usize,
        columns: &[usize],
    ) -> Result<PartTexts, ReadError> {
        let [n_rows, n_cols, _] = self.shape();
        let rows = part_range(part, n_rows, n_cols);
        let mut found = PartTexts {
            first: rows.start,
            columns: vec![TextColumn::default(); columns.len()],
        };
        let before = self.starts.partition_point(|first| *first <= rows.start);
        let parts = self.starts.iter().enumerate();
        for (part, &first) in parts.skip(before.saturating_sub(1)) {
            if first >= rows.end {
                break;
            }
            let texts = cells.part_texts(part, columns)?;
            for (column, all) in found.columns.iter_mut().zip(&texts.columns) {
                let shared = rows.start.max(first)..rows.end.min(first + all.len());
                shared.for_each(|row| column.push(all.get(row - first)));
            }
        }
        Ok(found)
    }
}

/// The numbers of a table as a fit reads them.
#[derive(Debug)]
pub struct InMemory(pub(crate) ());

impl InMemory {
    /// The numbers, from memory or from the table itself.
    pub fn numbers<'a>(&'a self, table: &'a Table) -> Numbers<'a> {
        table.numbers()
    }
}

/// Bytes that a table's numbers take in memory, if the table is small enough to be read into an array; `None` for sparse
/// rows, which stay sparse, and for an array that is already in memory.
pub(crate) fn small_bytes(ctx: &Context, numbers: Numbers<'_>) -> Option<u64> {
    on_numbers!(numbers, source => bytes_in_memory(ctx, source))
}

fn bytes_in_memory<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Option<u64> {
    let most = ctx
        .memory()
        .map_or(MOST, |bytes| MOST.min((bytes / 64) as usize));
    let cells = source.n_rows()?.checked_mul(source.n_cols())?;
    let dense = source.nnz().is_none() && source.in_memory().is_none();
    let small = (1..=most).contains(&cells) && dense && source.passes() != Passes::Once;
    small.then_some((cells * T::BYTES) as u64)
}

/// All rows of a small source.
#[derive(Debug)]
struct RowsInMemory<T> {
    rows: Mat<T>,
    weights: Option<Vec<f64>>,
    names: Option<Vec<String>>,
}

impl<T: Real> RowsInMemory<T> {
    fn read(ctx: &Context, source: &dyn Source<T>) -> Result<Self, Error> {
        let (n, d) = (source.n_rows().unwrap_or(0), source.n_cols());
        let weighted = source.is_weighted();
        let all = Mutex::new((Mat::zeros(n, d), vec![0.0; if weighted { n } else { 0 }]));
        for_each_block(ctx, source, |rows| {
            let cells = rows.block.to_mat();
            let (from, n_rows) = (rows.first, cells.n_rows());
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.0.as_mut_slice()[from * d..(from + n_rows) * d].copy_from_slice(cells.as_slice());
            if let Some(weights) = rows.weights {
                all.1[from..from + n_rows].copy_from_slice(weights);
            }
            Ok(())
        })?;
        let (rows, weights) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(RowsInMemory {
            rows,
            weights: weighted.then_some(weights),
            names: source.col_names().map(<[String]>::to_vec),
        })
    }

    fn cut(&self) -> Cut<'_, T> {
        let rows = Dense::new(self.rows.view());
        let weights = self.weights.as_deref();
        let weighted = weights.and_then(|weights| rows.clone().with_weights(weights).ok());
        Cut(weighted.unwrap_or(rows))
    }
}

impl<T: Real> Source<T> for RowsInMemory<T> {
    fn n_cols(&self) -> usize {
        self.rows.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        self.cut().read_part(part, sink)
    }

    fn n_parts(&self) -> usize {
        self.cut().n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.n_rows())
    }

    fn in_memory(&self) -> Option<Rows<'_, T>> {
        Some(Rows {
            first: 0,
            block: Block::Dense(self.rows.view()),
            weights: self.weights.as_deref(),
        })
    }

    fn col_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}

#[cfg(test)]
mod tests {
    use eigenspan::source::{CsrView, RowSet, Sparse, Subset};

    use super::{Context, Dense, MOST, Mat, RowsInMemory, Source, bytes_in_memory};

    #[test]
    fn an_array_has_the_rows_of_a_table_with_their_weights_and_names() {
        let ctx = Context::new();
        let rows = Mat::from_fn(40_000, 9, |i, j| (i * 9 + j) as f32);
        let weights: Vec<f64> = (0..40_000).map(f64::from).collect();
        let names: Vec<String> = (0..9).map(|j| format!("c{j}")).collect();
        let source = Dense::new(rows.view())
            .with_weights(&weights)
            .and_then(|rows| rows.with_names(names.clone()))
            .expect("as many as there are");
        let in_memory = RowsInMemory::read(&ctx, &source).expect("small");
        assert_eq!(in_memory.col_names(), Some(names.as_slice()));
        assert_eq!(
            (in_memory.rows.as_slice(), in_memory.n_parts()),
            (rows.as_slice(), 2)
        );
        let mut seen = 0;
        for part in 0..in_memory.n_parts() {
            let read = in_memory.read_part(part, &mut |rows| {
                assert_eq!(rows.first, seen);
                assert_eq!(
                    rows.weights,
                    Some(&weights[seen..seen + rows.block.n_rows()])
                );
                seen += rows.block.n_rows();
                Ok(())
            });
            read.expect("memory can be read");
        }
        assert_eq!(seen, 40_000);
    }

    #[test]
    fn what_is_large_sparse_or_in_memory_is_not_copied() {
        let ctx = Context::new();
        let cell = [1.0];
        // All strides are 0: every cell of the view is the same number.
        let wide =
            |d| eigenspan::MatView::from_strides(&cell, 0, (1025, d), (0, 0)).expect("one cell");
        let bytes = |ctx: &Context, d| {
            let rows = RowSet::Range(0..1024);
            bytes_in_memory(ctx, &Subset::new(&Dense::new(wide(d)), &rows))
        };
        assert_eq!(bytes(&ctx, MOST / 1024), Some(8 * MOST as u64));
        assert_eq!(bytes(&ctx, MOST / 1024 + 1), None);
        assert_eq!(bytes(&ctx, 0), None);
        assert_eq!(bytes(&ctx.clone().with_memory(1_000_000), 100), None);
        assert_eq!(bytes_in_memory(&ctx, &Dense::new(wide(2))), None);
        let sparse = CsrView::new(3, &[0, 1], &[2], &[1.0]).expect("one row");
        assert_eq!(bytes_in_memory(&ctx, &Sparse::new(sparse)), None);
    }
}
