//! Several sources, one behind the other, as one: the shards of a table.
//!
//! The parts of the chain are the parts of its sources in order, and row numbers go on from one source to the next. A
//! chain gives the rows of the concatenated table, but cuts them where its sources end, so that sums can differ from those
//! of one large source in their last bits.

use std::marker::PhantomData;

use super::{Passes, Rows, Sink, Source};
use crate::error::Error;
use crate::mat::Real;

/// Sources of the same width, read as one.
///
/// ```
/// use eigenspan::source::{Chain, Dense, Source};
/// use eigenspan::{Context, MatView, PcaOptions};
///
/// let (a, b) = ([3.0, 3.0, 4.0, 7.0], [5.0, 8.0]);
/// let shards = vec![
///     Dense::new(MatView::from_rows(&a, 2, 2)?),
///     Dense::new(MatView::from_rows(&b, 1, 2)?),
/// ];
/// let rows = Chain::new(shards)?;
/// assert_eq!(rows.n_rows(), Some(3));
/// let pca = PcaOptions::default().fit(&Context::new(), &rows)?;
/// assert_eq!(pca.mean(), [4.0, 6.0]);
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug)]
pub struct Chain<T, S> {
    sources: Vec<S>,
    /// For every source: the number of its first part and of its first row.
    starts: Vec<(usize, usize)>,
    n_parts: usize,
    passes: Passes,
    cells: PhantomData<fn() -> T>,
}

impl<T: Real, S: Source<T>> Chain<T, S> {
    /// Refuses an empty list, sources of different widths, weights in only some of them, and an unknown number of rows in any
    /// but the last.
    pub fn new(sources: Vec<S>) -> Result<Self, Error> {
        let first = sources.first().ok_or(Error::NoColumns)?;
        let (expected, weighted) = (first.n_cols(), first.is_weighted());
        let (mut starts, mut n_parts, mut n_rows) = (Vec::with_capacity(sources.len()), 0, Some(0));
        let mut passes = Passes::Many;
        for source in &sources {
            let given = source.n_cols();
            if given != expected {
                return Err(Error::WrongWidth { given, expected });
            }
            if source.is_weighted() != weighted {
                return Err(Error::BadWeights {
                    what: "some of the sources have weights and others have none".to_owned(),
                });
            }
            let first_row = n_rows.ok_or(Error::UnknownLength {
                what: "a source of unknown length can only be the last of several",
            })?;
            starts.push((n_parts, first_row));
            n_parts += source.n_parts();
            n_rows = source.n_rows().map(|rows| first_row + rows);
            if source.passes() == Passes::Once {
                passes = Passes::Once;
            }
        }
        Ok(Chain {
            sources,
            starts,
            n_parts,
            passes,
            cells: PhantomData,
        })
    }

    /// The sources, in order.
    pub fn sources(&self) -> &[S] {
        &self.sources
    }

    /// For a part of the chain: the number of its source, the part of that source, and the source's first row.
    pub fn place(&self, part: usize) -> Option<(usize, usize, usize)> {
        // Sources without parts start where the next one does; the last of those that start here has the part.
        let source = self.starts.partition_point(|start| start.0 <= part);
        let source = source.checked_sub(1)?;
        let (first_part, first_row) = self.starts[source];
        (part < self.n_parts).then_some((source, part - first_part, first_row))
    }

    fn read(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let Some((source, part, first_row)) = self.place(part) else {
            return Ok(());
        };
        self.sources[source].read_part(part, &mut |rows| {
            sink(Rows {
                first: first_row + rows.first,
                ..rows
            })
        })
    }
}

impl<T: Real, S: Source<T>> Source<T> for Chain<T, S> {
    fn n_cols(&self) -> usize {
        self.sources.first().map_or(0, Source::n_cols)
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        match self.passes {
            Passes::Many => self.read(part, sink),
            // What can be read once is read from front to back.
            Passes::Once => (0..self.n_parts).try_for_each(|part| self.read(part, sink)),
        }
    }

    fn n_parts(&self) -> usize {
        match self.passes {
            Passes::Many => self.n_parts,
            Passes::Once => 1,
        }
    }

    fn n_rows(&self) -> Option<usize> {
        self.sources.iter().map(Source::n_rows).sum()
    }

    fn nnz(&self) -> Option<u64> {
        self.sources.iter().map(Source::nnz).sum()
    }

    fn passes(&self) -> Passes {
        self.passes
    }

    fn col_names(&self) -> Option<&[String]> {
        self.sources.first().and_then(Source::col_names)
    }

    fn is_weighted(&self) -> bool {
        self.sources.first().is_some_and(Source::is_weighted)
    }
}
