//! Chosen columns of another source in a chosen order: new data is brought into the column order of a model.

use super::{Block, Passes, Rows, Sink, Source};
use crate::error::Error;
use crate::mat::{MatView, Real};

/// Columns `cols` of a source, in that order.
pub struct Pick<'a, T> {
    source: &'a dyn Source<T>,
    cols: Vec<usize>,
    names: Option<Vec<String>>,
}

impl<'a, T: Real> Pick<'a, T> {
    /// Refuses a column that is not there.
    pub fn new(source: &'a dyn Source<T>, cols: Vec<usize>) -> Result<Self, Error> {
        let width = source.n_cols();
        if let Some(&col) = cols.iter().find(|&&col| col >= width) {
            return Err(Error::WrongWidth {
                given: width,
                expected: col + 1,
            });
        }
        let names = source
            .col_names()
            .map(|names| cols.iter().map(|&c| names[c].clone()).collect());
        Ok(Pick {
            source,
            cols,
            names,
        })
    }
}

impl<T: Real> Source<T> for Pick<'_, T> {
    fn n_cols(&self) -> usize {
        self.cols.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let mut cells = Vec::new();
        self.source.read_part(part, &mut |rows| {
            let block = rows.block.to_mat();
            cells.clear();
            for row in block.rows() {
                cells.extend(self.cols.iter().map(|&col| row[col]));
            }
            let view = MatView::from_rows(&cells, block.n_rows(), self.cols.len())?;
            sink(Rows {
                block: Block::from(view),
                first: rows.first,
                weights: rows.weights,
            })
        })
    }

    fn n_parts(&self) -> usize {
        self.source.n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        self.source.n_rows()
    }

    fn passes(&self) -> Passes {
        self.source.passes()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    fn is_weighted(&self) -> bool {
        self.source.is_weighted()
    }
}
