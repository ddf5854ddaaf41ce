//! Rows and what the components leave of them: scores, reconstructions, and how far the two lie apart.

use super::Pca;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{product, times_transposed};
use crate::mat::{Mat, MatView, Real};
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Block, Source, fold};

/// Rows in prepared units, missing cells filled as the model was told, with what the model makes of them.
pub(crate) struct Projected {
    /// The rows.
    pub(crate) prepared: Mat<f64>,
    /// Their scores on all components, never whitened.
    pub(crate) scores: Mat<f64>,
    /// The rows as the first components rebuild them.
    pub(crate) rebuilt: Mat<f64>,
}

impl Pca {
    /// The rows of a block, and what the first `k` components make of them. A row with missing cells that the model was not
    /// told to fill has NaN everywhere.
    pub(crate) fn project<T: Real>(
        &self,
        block: &Block<'_, T>,
        k: usize,
    ) -> Result<Projected, Error> {
        let prepared = self.prepared(block)?;
        let components = self.components();
        let (n, all) = (prepared.n_rows(), components.n_rows());
        let k = k.min(all);
        let scores = times_transposed(prepared.view(), components.view());
        let leading = MatView::from_strides(scores.as_slice(), 0, (n, k), (all as isize, 1))?;
        let rebuilt = product(leading, components.view().slice_rows(0, k));
        Ok(Projected {
            prepared,
            scores,
            rebuilt,
        })
    }

    /// The rows of a block in prepared units, missing cells filled as the model was told.
    pub(crate) fn prepared<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        self.check_width(block.n_cols())?;
        self.prepare(block)
    }

    /// Mean over rows of the squared distance to their reconstruction from k components, in prepared units. Missing cells
    /// are filled, or their rows left out, as the model was told.
    pub fn reconstruction_error<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<f64, Error> {
        self.check_width(source.n_cols())?;
        let (sum, count) = fold(
            ctx,
            source,
            16,
            || (0.0, 0usize),
            |(sum, count), rows| {
                let (lost, rows) = self.lost(&rows.block)?;
                *sum += lost;
                *count += rows;
                Ok(())
            },
            |a, b| *a = (a.0 + b.0, a.1 + b.1),
        )?;
        if !sum.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        Ok(sum / count.max(1) as f64)
    }

    /// Squared distance of prepared rows to their reconstruction, summed over the rows of a block that count, and how many
    /// those are.
    fn lost<T: Real>(&self, block: &Block<'_, T>) -> Result<(f64, usize), Error> {
        let rows = self.project(block, self.n_components())?;
        let drop = self.parts().options.missing == Missing::Drop;
        let (mut sum, mut count) = (0.0, 0);
        for (row, rebuilt) in rows.prepared.rows().zip(rows.rebuilt.rows()) {
            if drop && row.iter().any(|x| x.is_nan()) {
                continue;
            }
            let squares = row.iter().zip(rebuilt).map(|(x, y)| (x - y).powi(2));
            sum += squares.sum::<f64>();
            count += 1;
        }
        Ok((sum, count))
    }
}
