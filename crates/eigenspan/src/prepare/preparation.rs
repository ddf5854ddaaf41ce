//! Centering and scaling, kept so that new rows are treated as the training rows were.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mat::{Mat, Real};
use crate::source::Block;

/// What every column is divided by after centering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Nothing: columns keep their units (covariance PCA)
    #[default]
    None,
    /// Its standard deviation: every column counts the same (correlation PCA)
    Std,
}

impl Scale {
    /// What each column is divided by, from the root of its scatter; constant columns are left alone.
    pub(crate) fn factors(self, spread: &[f64], divisor: f64) -> Option<Vec<f64>> {
        let root = divisor.max(0.0).sqrt();
        let factor = |s: &f64| if *s > 0.0 { s / root } else { 1.0 };
        (self == Scale::Std).then(|| spread.iter().map(factor).collect())
    }
}

/// x ↦ (x − center) ÷ scale, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Preparation {
    /// What is subtracted: the column means, or zeros.
    pub center: Vec<f64>,
    /// What is divided by, if anything. Constant columns have 1.
    pub scale: Option<Vec<f64>>,
}

impl Preparation {
    /// The rows of a block, prepared, in f64.
    pub fn apply<T: Real>(&self, block: &Block<'_, T>) -> Mat<f64> {
        let mut out = Mat::zeros(block.n_rows(), block.n_cols());
        block.copy_prepared(&self.center, self.scale.as_deref(), out.as_mut_slice());
        out
    }

    /// P·B for the prepared rows P of a block.
    pub fn times<T: Real>(&self, block: &Block<'_, T>, b: &Mat<f64>) -> Mat<f64> {
        block.prepared_times(&self.center, self.scale.as_deref(), b)
    }

    /// Prepared rows, brought back to the units of the data.
    pub fn undo(&self, rows: &mut Mat<f64>) {
        for i in 0..rows.n_rows() {
            let row = rows.row_mut(i);
            if let Some(scale) = &self.scale {
                row.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
            }
            row.iter_mut().zip(&self.center).for_each(|(x, c)| *x += c);
        }
    }
}
