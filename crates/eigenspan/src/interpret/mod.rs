//! What a fitted PCA means: of which columns its components are made, how rows and things outside the fit lie on them, which
//! rows stand apart, and whether the columns have anything in common at all.
//!
//! Everything here is plain data with a formula; sentences about it are made elsewhere. Scores are those of
//! [`Pca::transform`](crate::Pca::transform) before whitening. A component without variance says nothing about anything: its
//! cos² and contributions are 0, never 0 ÷ 0.
//!
//! | question | answer |
//! |---|---|
//! | of which columns is a component made | [`Columns`], [`AxisFacts`] |
//! | how well is a row seen, what does it weigh | [`RowFacts`], [`residual_rows`] |
//! | what do columns and groups outside the fit have to do with it | [`supplementary`] |
//! | which rows stand apart | [`Limits`], [`Outliers`] |
//! | would turned axes be simpler | [`RotateOptions`] |
//! | is there anything to find | [`adequacy`] |

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

/// The number of leading components to look at: all of the model's, or as many as asked for.
fn checked_count(pca: &Pca, asked: Option<usize>) -> Result<usize, Error> {
    let k = pca.n_components();
    match asked {
        None => Ok(k),
        Some(0) => Err(Error::NoComponents),
        Some(asked) if asked <= k => Ok(asked),
        Some(asked) => Err(Error::ComponentsNotKept { asked, kept: k }),
    }
}

/// Variance along each component; exactly 0 where it cannot be told from rounding.
fn variances(pca: &Pca) -> Vec<f64> {
    let rank = pca.spectrum().rank;
    let variances = pca.explained_variance().into_iter().enumerate();
    variances
        .map(|(i, v)| if i < rank { v } else { 0.0 })
        .collect()
}

/// a ÷ b, and 0 where there is nothing to divide by.
fn share_of(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
