//! Small tables in memory: whatever file the numbers come from, a fit meets the same array, cut the same way, as it does
//! where the array was there from the beginning. The same road is then taken, to the same bits.

use std::sync::{Mutex, PoisonError};

use eigenspan::source::{Block, Dense, Passes, Rows, Sink, Source, for_each_block};
use eigenspan::{Context, Error, Mat, Real};

use crate::table::{Numbers, Table, part_rows};

/// Cells that are held, at most: 34 MB.
const MOST: usize = 1 << 22;

/// The rows of an array, in the parts that files are read in.
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
        let step = part_rows(self.n_cols());
        let (start, end) = (part * step, ((part + 1) * step).min(all.block.n_rows()));
        sink(Rows {
            first: start,
            block: all.block.slice_rows(start, end),
            weights: all.weights.map(|weights| &weights[start..end]),
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

/// The numbers of a table as a fit reads them: those of a small one in memory.
#[derive(Debug)]
pub struct InMemory(Storage);

#[derive(Debug)]
enum Storage {
    F32(RowsInMemory<f32>),
    F64(RowsInMemory<f64>),
    Not,
}

impl InMemory {
    /// Reads a table that is small; of others nothing is held, nor of an array that is in memory already.
    pub(crate) fn of(ctx: &Context, numbers: Numbers<'_>) -> Self {
        if eigenspan::on_numbers!(numbers, source => source.in_memory().is_some()) {
            return InMemory(Storage::Not);
        }
        InMemory(match numbers {
            Numbers::F32(source) => {
                RowsInMemory::of(ctx, source).map_or(Storage::Not, Storage::F32)
            }
            Numbers::F64(source) => {
                RowsInMemory::of(ctx, source).map_or(Storage::Not, Storage::F64)
            }
        })
    }

    /// Bytes that holding a table takes; none where it is too large to be held.
    pub(crate) fn bytes(ctx: &Context, numbers: Numbers<'_>) -> u64 {
        fn of<T: Real>(ctx: &Context, source: &dyn Source<T>) -> u64 {
            let cells = source.n_rows().unwrap_or(0).saturating_mul(source.n_cols());
            match is_held(ctx, source) && source.in_memory().is_none() {
                true => (cells as u64).saturating_mul(T::BYTES as u64),
                false => 0,
            }
        }
        match numbers {
            Numbers::F32(source) => of(ctx, source),
            Numbers::F64(source) => of(ctx, source),
        }
    }

    /// The numbers, from memory or from the table itself.
    pub fn numbers<'a>(&'a self, table: &'a Table) -> Numbers<'a> {
        match &self.0 {
            Storage::F32(rows) => Numbers::F32(rows),
            Storage::F64(rows) => Numbers::F64(rows),
            Storage::Not => table.numbers(),
        }
    }
}

/// Whether a source is small, and can be held.
fn is_held<T: Real>(ctx: &Context, source: &dyn Source<T>) -> bool {
    let most = ctx
        .memory()
        .map_or(MOST, |bytes| MOST.min((bytes / 64) as usize));
    let cells = source.n_rows().and_then(|n| n.checked_mul(source.n_cols()));
    let small = cells.is_some_and(|cells| cells <= most);
    small && source.nnz().is_none() && source.passes() != Passes::Once
}

/// All rows of a small source.
#[derive(Debug)]
struct RowsInMemory<T> {
    rows: Mat<T>,
    weights: Option<Vec<f64>>,
    names: Option<Vec<String>>,
}

impl<T: Real> RowsInMemory<T> {
    /// The rows of a source; None where they are too many, sparse, come once, or cannot be read: a fit will say why.
    fn of(ctx: &Context, source: &dyn Source<T>) -> Option<Self> {
        let (n, d) = (source.n_rows()?, source.n_cols());
        if !is_held(ctx, source) {
            return None;
        }
        let weighted = source.is_weighted();
        let all = Mutex::new((Mat::zeros(n, d), vec![0.0; if weighted { n } else { 0 }]));
        let read = for_each_block(ctx, source, |rows| {
            let mut cells = vec![0.0; rows.block.n_rows() * d];
            rows.block.copy_to_f64(&mut cells);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let from = rows.first;
            let to = &mut all.0.as_mut_slice()[from * d..from * d + cells.len()];
            to.iter_mut()
                .zip(&cells)
                .for_each(|(to, x)| *to = T::from_f64(*x));
            if let Some(weights) = rows.weights {
                all.1[from..from + weights.len()].copy_from_slice(weights);
            }
            Ok(())
        });
        read.ok()?;
        let (rows, weights) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some(RowsInMemory {
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
    use super::{Context, Dense, MOST, Mat, RowsInMemory, Source};
    use eigenspan::source::{CsrView, Sparse};

    #[test]
    fn what_is_held_are_the_rows_with_their_weights_and_names() {
        let ctx = Context::new();
        let rows = Mat::from_fn(40_000, 9, |i, j| (i * 9 + j) as f32);
        let weights: Vec<f64> = (0..40_000).map(f64::from).collect();
        let names: Vec<String> = (0..9).map(|j| format!("c{j}")).collect();
        let source = Dense::new(rows.view())
            .with_weights(&weights)
            .and_then(|rows| rows.with_names(names.clone()))
            .expect("as many as there are");
        let in_memory = RowsInMemory::of(&ctx, &source).expect("small");
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
    fn what_is_large_or_sparse_is_not_held() {
        let ctx = Context::new();
        let cell = [1.0];
        // All cells are one and the same.
        let wide =
            |d| eigenspan::MatView::from_strides(&cell, 0, (1024, d), (0, 0)).expect("one cell");
        let in_memory = |ctx: &Context, d| RowsInMemory::of(ctx, &Dense::new(wide(d))).is_some();
        assert!(in_memory(&ctx, MOST / 1024) && !in_memory(&ctx, MOST / 1024 + 1));
        assert!(!in_memory(&ctx.clone().with_memory(1_000_000), 100));
        let sparse = CsrView::new(3, &[0, 1], &[2], &[1.0]).expect("one row");
        assert!(RowsInMemory::of(&ctx, &Sparse::new(sparse)).is_none());
    }
}
