//! The fitted model: which columns are kept, and what became of the others.

use serde::{Deserialize, Serialize};

use super::SelectOptions;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::method::record::{Record, damaged};
use crate::note::Note;
use crate::solve::Plan;
use crate::source::{Block, col_label};

/// What became of a column, and why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is kept.
    Kept,
    /// It has no variance.
    Constant,
    /// Its score is not above the threshold.
    BelowThreshold,
    /// Its correlation with a kept column is above the threshold.
    Correlated {
        /// That column, from 0.
        with: usize,
        /// The correlation.
        correlation: f64,
    },
    /// Enough columns come before it in the order of the rule.
    NotNeeded,
}

/// One column and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFate {
    /// Its name, or its number from 1.
    pub name: String,
    /// What became of it.
    pub fate: Fate,
    /// The name of the kept column that it is correlated with, if that is why it was dropped.
    pub with: Option<String>,
    /// Its score under the rule; NaN or infinite where that is undefined or infinite.
    pub score: f64,
    /// Its variance.
    pub variance: f64,
    /// The share of its own variance that the kept columns explain by linear regression (R²); 1 if it is kept.
    pub determined: f64,
    /// The share of the variance of all columns that is lost with it.
    pub share_lost: f64,
}

/// Columns that were chosen.
#[derive(Debug, Clone)]
pub struct Selection {
    pub(super) header: Header,
    pub(super) numbers: ColumnNumbers,
    /// What missing cells are filled with, if they are filled.
    pub(super) fill: Option<Vec<f64>>,
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) options: SelectOptions,
    pub(super) columns: Option<Vec<String>>,
    pub(super) n_rows: usize,
    pub(super) n_cols: usize,
    /// The classes that the rule looked at.
    pub(super) classes: Option<Vec<String>>,
    /// The kept columns, rising.
    pub(super) kept: Vec<usize>,
    pub(super) fates: Vec<Fate>,
    /// The share of the variance that the kept columns explain.
    pub(super) explained: f64,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
}

/// A number of each kind for every column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnNumbers {
    pub(super) scores: Vec<f64>,
    pub(super) variances: Vec<f64>,
    pub(super) determined: Vec<f64>,
    pub(super) share_lost: Vec<f64>,
}

impl Selection {
    pub(super) fn new(header: Header, numbers: ColumnNumbers) -> Self {
        Selection {
            header,
            numbers,
            fill: None,
        }
    }

    /// The options it was fitted with.
    pub fn options(&self) -> &SelectOptions {
        &self.header.options
    }

    /// The kept columns, from 0, in the order of the data.
    pub fn kept(&self) -> &[usize] {
        &self.header.kept
    }

    /// The share of the variance of all columns that the kept ones explain, themselves included.
    pub fn explained(&self) -> f64 {
        self.header.explained
    }

    /// The name of a column, or its number from 1.
    pub(super) fn column_name(&self, j: usize) -> String {
        col_label(self.header.columns.as_deref(), j)
    }

    /// What became of every column.
    pub fn columns(&self) -> Vec<ColumnFate> {
        let column = |j: usize| ColumnFate {
            name: self.column_name(j),
            fate: self.header.fates[j],
            with: match self.header.fates[j] {
                Fate::Correlated { with, .. } => Some(self.column_name(with)),
                _ => None,
            },
            score: self.numbers.scores[j],
            variance: self.numbers.variances[j],
            determined: match self.header.fates[j] {
                Fate::Kept => 1.0,
                _ => self.numbers.determined[j],
            },
            share_lost: self.numbers.share_lost[j],
        };
        (0..self.header.n_cols).map(column).collect()
    }

    /// The kept cells of some rows; missing cells filled where the fit filled them, and NaN for a row with a cell that is not finite then.
    pub(super) fn pick<T: Real>(&self, rows: &Block<'_, T>) -> Mat<f64> {
        let kept = &self.header.kept;
        let mut out = Mat::zeros(rows.n_rows(), kept.len());
        let mut row = vec![0.0; rows.n_cols()];
        for i in 0..rows.n_rows() {
            rows.row_to_f64(i, &mut row);
            if let Some(fill) = &self.fill {
                let missing = row.iter_mut().zip(fill).filter(|(x, _)| x.is_nan());
                missing.for_each(|(x, fill)| *x = *fill);
            }
            // A row is refused for any of its cells, as by every method.
            if row.iter().any(|x| !x.is_finite()) {
                out.row_mut(i).fill(f64::NAN);
                continue;
            }
            let cells = out.row_mut(i).iter_mut().zip(kept);
            cells.for_each(|(out, &j)| *out = row[j]);
        }
        out
    }

    pub(super) fn to_record(&self) -> Result<Record<'_>, Error> {
        Ok(Record::new(&self.header)?
            .with_list("scores", &self.numbers.scores)
            .with_list("variances", &self.numbers.variances)
            .with_list("determined", &self.numbers.determined)
            .with_list("share_lost", &self.numbers.share_lost)
            .with_optional("fill", self.fill.as_deref()))
    }

    pub(super) fn from_record(record: &Record<'_>) -> Result<Self, Error> {
        let header: Header = record.header()?;
        let numbers = ColumnNumbers {
            // A column that is constant within every class has an infinite F, and a constant one has none.
            scores: record.raw_list("scores")?,
            variances: record.list("variances")?,
            determined: record.list("determined")?,
            share_lost: record.list("share_lost")?,
        };
        let fill = record.optional("fill")?;
        let d = header.n_cols;
        let lengths = [
            header.fates.len(),
            header.columns.as_ref().map_or(d, Vec::len),
            numbers.scores.len(),
            numbers.variances.len(),
            numbers.determined.len(),
            numbers.share_lost.len(),
        ];
        let kept = &header.kept;
        let rising = kept.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = kept.last().is_some_and(|last| *last < d);
        let with = |fate: &Fate| !matches!(fate, Fate::Correlated { with, .. } if *with >= d);
        if lengths.iter().any(|len| *len != d)
            || !rising
            || !inside
            || !header.fates.iter().all(with)
            || fill.as_ref().is_some_and(|fill| fill.len() != d)
        {
            return Err(damaged("its columns do not fit together"));
        }
        Ok(Selection {
            fill,
            ..Selection::new(header, numbers)
        })
    }
}
