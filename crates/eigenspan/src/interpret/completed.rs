//! The rows of a source as a model prepares them, for summaries: centered and scaled, missing cells filled or their rows left
//! out.

use crate::error::Error;
use crate::mat::Real;
use crate::method::Pca;
use crate::prepare::Missing;
use crate::source::{Block, Passes, Rows, Sink, Source};

/// The number of cells of a block that are made dense at a time.
const PANEL_CELLS: usize = 1 << 18;
/// The most rows of a panel.
const PANEL_ROWS: usize = 256;

/// Hands the rows of a block to `take` in panels of few cells, each with the number of its first row.
pub(super) fn for_each_panel<T: Real>(
    block: &Block<'_, T>,
    mut take: impl FnMut(usize, Block<'_, T>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (n, d) = (block.n_rows(), block.n_cols());
    let step = (PANEL_CELLS / d.max(1)).clamp(1, PANEL_ROWS);
    for start in (0..n).step_by(step) {
        take(start, block.slice_rows(start, (start + step).min(n)))?;
    }
    Ok(())
}

/// Prepared rows of a source, complete. Rows that are left out have weight 0.
pub(super) struct Completed<'a, T> {
    pca: &'a Pca,
    source: &'a dyn Source<T>,
}

impl<'a, T: Real> Completed<'a, T> {
    pub(super) fn new(pca: &'a Pca, source: &'a dyn Source<T>) -> Self {
        Completed { pca, source }
    }
}

impl<T: Real> Source<f64> for Completed<'_, T> {
    fn n_cols(&self) -> usize {
        self.source.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        let drop = self.pca.parts().options.missing == Missing::Drop;
        self.source.read_part(part, &mut |rows| {
            for_each_panel(&rows.block, |start, panel| {
                let mut prepared = self.pca.prepared(&panel)?;
                let count = prepared.n_rows();
                let weight = |i: usize| rows.weights.map_or(1.0, |w| w[start + i]);
                let mut weights: Vec<f64> = (0..count).map(weight).collect();
                let is_incomplete = |row: &[f64]| drop && row.iter().any(|x| x.is_nan());
                for (i, weight) in weights.iter_mut().enumerate() {
                    // A row with weight 0 does not count, but a NaN in it would spoil the sums.
                    if *weight == 0.0 || is_incomplete(prepared.row(i)) {
                        prepared.row_mut(i).fill(0.0);
                        *weight = 0.0;
                    }
                }
                sink(Rows {
                    first: rows.first + start,
                    block: Block::from(prepared.view()),
                    weights: Some(&weights),
                })
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

    fn is_weighted(&self) -> bool {
        true
    }
}
