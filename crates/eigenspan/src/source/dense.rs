//! An array in memory, of any strides, as a source. Nothing is copied.

use super::beside::Beside;
use super::{Block, Rows, Sink, Source};
use crate::error::Error;
use crate::mat::{MatView, Real};

/// Rows of an array in memory.
///
/// ```
/// use eigenspan::source::{Dense, Source};
/// use eigenspan::{Context, MatView, PcaOptions};
///
/// // Two columns, one after the other in memory; the last row counts twice.
/// let cells = [3.0, 4.0, 5.0, 3.0, 7.0, 8.0];
/// let rows = Dense::new(MatView::from_cols(&cells, 3, 2)?)
///     .with_names(vec!["x".to_owned(), "y".to_owned()])?
///     .with_weights(&[1.0, 1.0, 2.0])?;
/// assert_eq!(rows.n_rows(), Some(3));
/// let pca = PcaOptions::default().fit(&Context::new(), &rows)?;
/// assert_eq!(pca.mean(), [4.25, 6.5]);
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dense<'a, T> {
    view: MatView<'a, T>,
    beside: Beside<'a>,
}

impl<'a, T: Real> Dense<'a, T> {
    /// The rows of `view`, each with weight 1.
    pub fn new(view: MatView<'a, T>) -> Self {
        Dense {
            view,
            beside: Beside::default(),
        }
    }

    /// Gives each row a weight; a weight of 2 counts as the row twice.
    pub fn with_weights(mut self, weights: &'a [f64]) -> Result<Self, Error> {
        self.beside = self.beside.with_weights(weights, self.view.n_rows())?;
        Ok(self)
    }

    /// Gives the columns names.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self, Error> {
        self.beside = self.beside.with_names(names, self.view.n_cols())?;
        Ok(self)
    }

    /// Rows of one part: enough to keep a core busy, few enough that many cores share the work.
    fn part_rows(&self) -> usize {
        const CELLS: usize = 1 << 20;
        let (n, d) = (self.view.n_rows(), self.view.n_cols());
        let rows = n.div_ceil(256).max((CELLS / d.max(1)).clamp(8, 1024));
        // Whole chunks of 256 rows, by which products are taken.
        match rows / 256 {
            0 => rows,
            chunks => 256 * chunks,
        }
    }
}

impl<T: Real> Source<T> for Dense<'_, T> {
    fn n_cols(&self) -> usize {
        self.view.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let start = part * self.part_rows();
        let end = (start + self.part_rows()).min(self.view.n_rows());
        sink(Rows {
            first: start,
            block: Block::Dense(self.view.slice_rows(start, end)),
            weights: self.beside.weights_of(start, end),
        })
    }

    fn n_parts(&self) -> usize {
        self.view.n_rows().div_ceil(self.part_rows())
    }

    fn in_memory(&self) -> Option<Rows<'_, T>> {
        Some(Rows {
            first: 0,
            block: Block::Dense(self.view),
            weights: self.beside.weights,
        })
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.view.n_rows())
    }

    fn col_names(&self) -> Option<&[String]> {
        self.beside.names.as_deref()
    }

    fn is_weighted(&self) -> bool {
        self.beside.weights.is_some()
    }
}
