//! Scores of rows, their reconstructions, and the distances between rows and reconstructions.

use super::Pca;
use super::imputer::Filler;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{product, times_transposed};
use crate::mat::{Mat, MatView, Real};
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Block, Source, fold};

/// Scores and squared distances of rows, in prepared units. A row with missing cells that the model does not fill has NaN
/// everywhere.
pub(crate) struct Projected {
    /// Scores on all components, never whitened.
    pub(crate) scores: Mat<f64>,
    /// Squared distances to the center.
    pub(crate) squares: Vec<f64>,
    /// Squared distances of rows to their reconstructions from the first components.
    pub(crate) lost: Vec<f64>,
}

/// Prepared rows, their scores, and their differences from the reconstruction by the first components.
struct WrittenOut {
    prepared: Mat<f64>,
    scores: Mat<f64>,
    rest: Mat<f64>,
}

impl Pca {
    /// Scores of one block of rows on the first `k` components, before whitening; missing cells are filled by all components.
    pub(crate) fn plain_scores<T: Real>(
        &self,
        block: &Block<'_, T>,
        k: usize,
    ) -> Result<Mat<f64>, Error> {
        self.check_width(block.n_cols())?;
        let parts = self.parts();
        let all = self.components();
        let leading = all.view().slice_rows(0, k);
        match parts.options.missing {
            Missing::Mean => {
                let prepared = self.prepare(block)?;
                Ok(times_transposed(prepared.view(), leading))
            }
            Missing::Em => {
                let mut scores = parts.preparation.times(block, &all.transposed());
                Filler::new(self).score_incomplete(self, block, &mut scores)?;
                Ok(match k < all.n_rows() {
                    true => Mat::from_fn(scores.n_rows(), k, |i, j| scores[(i, j)]),
                    false => scores,
                })
            }
            _ if k < all.n_rows() => {
                let leading = leading.transposed().to_mat();
                Ok(parts.preparation.times(block, &leading))
            }
            _ => Ok(parts.preparation.times(block, &all.transposed())),
        }
    }

    /// The rows of a block, and their distances from the reconstruction by the first `k` components. A sparse block is not made
    /// dense: there the squared distance is a difference of two squares, accurate to the rounding of the rows' own squares.
    pub(crate) fn project<T: Real>(
        &self,
        block: &Block<'_, T>,
        k: usize,
    ) -> Result<Projected, Error> {
        let parts = self.parts();
        let (center, scale) = (
            &parts.preparation.center,
            parts.preparation.scale.as_deref(),
        );
        let filled = matches!(parts.options.missing, Missing::Mean | Missing::Em);
        if !filled && let Some(squares) = block.sparse_squares(center, scale) {
            let scores = self.plain_scores(block, self.n_components())?;
            let lost = scores.rows().zip(&squares).map(|(t, square)| {
                let seen: f64 = t.iter().take(k).map(|t| t * t).sum();
                // NaN stays NaN.
                if seen > *square { 0.0 } else { square - seen }
            });
            return Ok(Projected {
                lost: lost.collect(),
                scores,
                squares,
            });
        }
        let WrittenOut {
            prepared,
            scores,
            rest,
        } = self.written_out(block, k)?;
        let square = |row: &[f64]| row.iter().map(|x| x * x).sum();
        Ok(Projected {
            scores,
            squares: prepared.rows().map(square).collect(),
            lost: rest.rows().map(square).collect(),
        })
    }

    /// The rows of a block in prepared units, with missing cells filled by the option `missing`.
    pub(crate) fn prepared<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        self.check_width(block.n_cols())?;
        self.prepare(block)
    }

    /// The rows of a block minus their reconstruction by the first `k` components, in prepared units.
    pub(crate) fn residuals<T: Real>(
        &self,
        block: &Block<'_, T>,
        k: usize,
    ) -> Result<Mat<f64>, Error> {
        Ok(self.written_out(block, k)?.rest)
    }

    fn written_out<T: Real>(&self, block: &Block<'_, T>, k: usize) -> Result<WrittenOut, Error> {
        let prepared = self.prepared(block)?;
        let components = self.components();
        let (n, all) = (prepared.n_rows(), components.n_rows());
        let k = k.min(all);
        let scores = times_transposed(prepared.view(), components.view());
        let leading = MatView::from_strides(scores.as_slice(), 0, (n, k), (all as isize, 1))?;
        let mut rest = product(leading, components.view().slice_rows(0, k));
        let cells = rest.as_mut_slice().iter_mut().zip(prepared.as_slice());
        cells.for_each(|(y, x)| *y = x - *y);
        Ok(WrittenOut {
            prepared,
            scores,
            rest,
        })
    }

    /// Mean over rows of the squared distance to their reconstruction from k components, in prepared units. Missing cells are
    /// filled, or their rows left out, by the option `missing`.
    pub fn reconstruction_error<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<f64, Error> {
        self.check_width(source.n_cols())?;
        let drop = self.parts().options.missing == Missing::Drop;
        let (sum, count) = fold(
            ctx,
            source,
            16,
            || (0.0, 0usize),
            |(sum, count), rows| {
                let rest = self.residuals(&rows.block, self.n_components())?;
                for row in rest.rows() {
                    let lost: f64 = row.iter().map(|x| x * x).sum();
                    if !(drop && lost.is_nan()) {
                        *sum += lost;
                        *count += 1;
                    }
                }
                Ok(())
            },
            |a, b| *a = (a.0 + b.0, a.1 + b.1),
        )?;
        if !sum.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        Ok(sum / count.max(1) as f64)
    }
}
