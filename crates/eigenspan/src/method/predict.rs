//! Classes of new rows, for methods that learned classes: their probabilities, and the most probable one.

use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Block, Numbers, Source, fold};

/// Classes of new rows.
pub trait Predict: Sync {
    /// The classes, in the order of the columns of [`Predict::probabilities`].
    fn classes(&self) -> &[String];

    /// The probability of each class for every row (n × classes); NaN for a row with missing cells that the model does not fill.
    fn probabilities(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error>;

    /// Numbers by which classes are told apart (n × classes): logarithms of the probabilities, up to a term that the classes of a row
    /// share. They differ where probabilities are 0 or 1 up to rounding.
    fn decisions(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error> {
        let mut decisions = self.probabilities(ctx, rows)?;
        let cells = decisions.as_mut_slice().iter_mut();
        cells.for_each(|p| *p = p.ln());
        Ok(decisions)
    }

    /// The number of the most probable class of every row, the first where several are equally probable; `None` for a row without
    /// probabilities.
    fn predict(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Vec<Option<usize>>, Error> {
        let probabilities = self.probabilities(ctx, rows)?;
        Ok(probabilities.rows().map(most_probable).collect())
    }
}

/// The place of the largest probability, the first of several; `None` if one is not a number.
fn most_probable(probabilities: &[f64]) -> Option<usize> {
    if probabilities.iter().any(|p| p.is_nan()) {
        return None;
    }
    let places = 0..probabilities.len();
    places.reduce(|best, i| match probabilities[i] > probabilities[best] {
        true => i,
        false => best,
    })
}

/// [`Predict`] for a model that has `probabilities_of` and `decisions` of a block of rows.
macro_rules! predict_by_blocks {
    ($model:ty) => {
        impl Predict for $model {
            fn classes(&self) -> &[String] {
                &self.parts().classes
            }

            fn probabilities(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error> {
                let missing = self.parts().options.missing;
                $crate::on_numbers!(rows, source => $crate::method::predict::for_all_rows(
                    ctx, source, missing, &|block| self.probabilities_of(block)
                ))
            }

            fn decisions(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error> {
                let missing = self.parts().options.missing;
                $crate::on_numbers!(rows, source => $crate::method::predict::for_all_rows(
                    ctx, source, missing, &|block| self.decisions(block)
                ))
            }
        }
    };
}
pub(super) use predict_by_blocks;

/// A function of a block of rows.
pub(super) type OfBlock<'f, T> = dyn Fn(&Block<'_, T>) -> Result<Mat<f64>, Error> + Sync + 'f;

/// What a function of blocks gives for all rows of a source, in their order. Rows with missing cells give NaN where the fit left such
/// rows out, and are refused elsewhere.
pub(super) fn for_all_rows<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    missing: Missing,
    of_block: &OfBlock<'_, T>,
) -> Result<Mat<f64>, Error> {
    ctx.begin("predicting", source.n_rows().map(|n| n as u64));
    let (cells, n_rows) = fold(
        ctx,
        source,
        8 * source.n_cols(),
        || (Vec::new(), 0),
        |(cells, n_rows), rows| {
            *n_rows += rows.block.n_rows();
            cells.extend(of_block(&rows.block)?.into_vec());
            Ok(())
        },
        |(cells, n_rows): &mut (Vec<f64>, usize), (more, m)| {
            cells.extend(more);
            *n_rows += m;
        },
    )?;
    let is_refused = |x: &f64| match missing {
        Missing::Drop => x.is_infinite(),
        _ => !x.is_finite(),
    };
    if cells.iter().any(is_refused) {
        return Err(find_not_finite(ctx, source));
    }
    Mat::from_vec(n_rows, cells.len() / n_rows.max(1), cells)
}

/// Turns logarithms of probabilities, up to a term they share, into probabilities. NaN stays NaN.
pub(super) fn softmax(row: &mut [f64]) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|x| *x = (*x - largest).exp());
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= total);
}
