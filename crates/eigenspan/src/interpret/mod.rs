//! What a fitted PCA means: which columns its components are made of, how rows and supplementary columns relate to them, which
//! rows are outliers, and whether the columns have enough in common.
//!
//! Everything here is numbers with a formula; sentences about them are written elsewhere. Scores are those of
//! [`Pca::transform`](crate::Pca::transform) before whitening. The cos² and contributions of a component without variance are
//! 0, never 0 ÷ 0.
//!
//! | question | answer |
//! |---|---|
//! | which columns is a component made of | [`Columns`], [`AxisFacts`] |
//! | how well is a row represented, how much does it contribute | [`RowFacts`], [`residual_rows`] |
//! | how do columns and groups outside the fit relate to the components | [`supplementary`] |
//! | which rows are outliers | [`Limits`], [`Outliers`] |
//! | would rotated axes be simpler | [`RotateOptions`] |
//! | do the columns have enough in common | [`adequacy`] |

mod adequacy;
mod axis;
mod columns;
mod completed;
mod outliers;
mod rotate;
mod rows;
mod supplementary;
mod together;

pub use adequacy::{Adequacy, Bartlett, Correlation, Kmo, Unknown, adequacy, correlation};
pub use axis::{AxisColumn, AxisFacts};
pub use columns::{Columns, column_variances};
pub use outliers::{Limits, Outlier, OutlierOptions, Outliers, QLimit};
pub use rotate::{RotateOptions, Rotated, Rotation};
pub use rows::{RowFacts, RowOptions, residual_rows, row_facts};
pub use supplementary::{
    Category, CategoryColumn, CategoryFacts, NumericColumn, NumericFacts, Supplementary,
    SupplementaryFacts, supplementary,
};

use crate::error::Error;
use crate::method::Pca;

/// The number of leading components to use: all of the model's, or the given number.
fn checked_count(pca: &Pca, given: Option<usize>) -> Result<usize, Error> {
    let k = pca.n_components();
    match given {
        None => Ok(k),
        Some(0) => Err(Error::NoComponents),
        Some(asked) if asked <= k => Ok(asked),
        Some(asked) => Err(Error::ComponentsNotKept { asked, kept: k }),
    }
}

/// Variance along each component; exactly 0 where it is no larger than rounding.
fn variances(pca: &Pca) -> Vec<f64> {
    let rank = pca.spectrum().rank;
    let variances = pca.explained_variance().into_iter().enumerate();
    variances
        .map(|(i, v)| if i < rank { v } else { 0.0 })
        .collect()
}

/// a ÷ b, and 0 where b is 0.
fn share_of(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
