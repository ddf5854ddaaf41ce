//! Centering and scaling, stored so that new rows are treated like the training rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::source::Block;

/// Divisor of every column after centering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Nothing: columns keep their units (covariance PCA)
    #[default]
    None,
    /// Its standard deviation: every column counts the same (correlation PCA)
    Std,
    /// √(2p(1 − p)) with p half the column's mean: counts of an allele (0, 1, 2), as geneticists scale them
    Genotype,
}

/// Statistics of the columns, from which their divisors are computed.
pub(crate) struct ColumnStatistics<'a> {
    /// Root of each column's scatter, divided by `unit`.
    pub(crate) spread: &'a [f64],
    /// Each column's mean.
    pub(crate) mean: &'a [f64],
    /// Divisor of a variance.
    pub(crate) divisor: f64,
    /// Number by which all rows were divided already.
    pub(crate) unit: f64,
}

impl Scale {
    /// Divisor of each column; 1 for constant columns.
    pub(crate) fn factors(self, columns: &ColumnStatistics<'_>) -> Result<Option<Vec<f64>>, Error> {
        let root = columns.divisor.max(0.0).sqrt();
        let varying = |s: f64, factor: f64| if s > 0.0 { factor } else { 1.0 };
        let spread = columns.spread.iter().copied();
        match self {
            Scale::None => Ok(None),
            Scale::Std => Ok(Some(spread.map(|s| varying(s, s / root)).collect())),
            Scale::Genotype => spread
                .zip(columns.mean)
                .enumerate()
                .map(|(j, (s, mean))| {
                    Ok(varying(s, genotype_deviation(j, s, *mean)? / columns.unit))
                })
                .collect::<Result<_, _>>()
                .map(Some),
        }
    }
}

/// √(2p(1 − p)), the deviation of two draws of an allele of frequency p = mean ÷ 2; refused if p is not a frequency.
fn genotype_deviation(col: usize, spread: f64, mean: f64) -> Result<f64, Error> {
    let p = mean / 2.0;
    if spread > 0.0 && !(p > 0.0 && p < 1.0) {
        return Err(Error::NotGenotypes { col, mean });
    }
    Ok((2.0 * p * (1.0 - p)).sqrt())
}

/// x ↦ (x − center) ÷ scale, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Preparation {
    /// Subtracted from each column: its mean, or zero.
    pub center: Vec<f64>,
    /// Divisor of each column, if columns are scaled; 1 for constant columns.
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

    /// Converts prepared rows back to the units of the data.
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
