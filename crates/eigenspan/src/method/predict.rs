//! Classes of new rows, for methods that learned classes: their probabilities, and the most probable one.

use crate::context::Context;
use crate::error::Error;
use crate::mat::Mat;
use crate::source::Numbers;

/// Classes of new rows.
pub trait Predict: Sync {
    /// The classes, in the order of the columns of [`Predict::probabilities`].
    fn classes(&self) -> &[String];

    /// The probability of each class for every row (n × classes); NaN for a row with missing cells that the model does not fill.
    fn probabilities(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error>;

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
