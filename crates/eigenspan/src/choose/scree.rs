//! Eigenvalues with what a rule has to know about their data: shape, trace, scaling.

use super::{Advice, Rule};
use crate::error::Error;
use crate::solve::Spectrum;

/// Eigenvalues that are smaller than this, relative to the largest, count as rounding.
const ROUNDING: f64 = 1e-14;

/// Eigenvalues of a covariance or correlation matrix, largest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Scree {
    values: Vec<f64>,
    total: f64,
    n_rows: usize,
    n_cols: usize,
    scaled: bool,
    column_variances: Option<Vec<f64>>,
}

impl Scree {
    /// From eigenvalues (all, or the leading ones), the trace, the shape of the data, and whether columns were scaled to
    /// variance 1.
    pub fn new(
        mut values: Vec<f64>,
        total: f64,
        n_rows: usize,
        n_cols: usize,
        scaled: bool,
    ) -> Result<Self, Error> {
        let refuse = |what: &'static str| Err(Error::BadNumbers { what });
        if values.iter().any(|x| !x.is_finite()) || !total.is_finite() {
            return refuse("some eigenvalues are not finite");
        }
        if values.windows(2).any(|pair| pair[0] < pair[1]) {
            return refuse("the eigenvalues do not fall");
        }
        if values.len() > n_cols {
            return refuse("there are more eigenvalues than columns");
        }
        let floor = values.first().map_or(0.0, |first| first * ROUNDING);
        for x in values.iter_mut().filter(|x| **x <= floor) {
            *x = 0.0;
        }
        Ok(Scree {
            values,
            total: total.max(0.0),
            n_rows,
            n_cols,
            scaled,
            column_variances: None,
        })
    }

    /// From a fitted spectrum.
    pub fn from_spectrum(spectrum: &Spectrum, n_rows: usize, scaled: bool) -> Result<Self, Error> {
        let values = (0..spectrum.len()).map(|i| spectrum.variance(i)).collect();
        let n_cols = spectrum.vectors.n_cols();
        let mut scree = Scree::new(values, spectrum.total_variance(), n_rows, n_cols, scaled)?;
        scree.column_variances = column_variances(spectrum, &scree);
        Ok(scree)
    }

    /// The eigenvalues.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The trace: the sum of all eigenvalues, including those that are not known.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Rows of the data.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Columns of the data.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Whether columns were scaled to variance 1.
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// The variance of every column, where it is known.
    pub fn column_variances(&self) -> Option<&[f64]> {
        self.column_variances.as_deref()
    }

    /// Degrees of freedom of the rows: one less than their number where the mean was taken out.
    pub(super) fn freedom(&self) -> usize {
        self.n_rows.saturating_sub(1)
    }

    /// The number of eigenvalues that can differ from zero: the smaller of columns and free rows.
    pub(super) fn possible(&self) -> usize {
        self.n_cols.min(self.freedom())
    }

    /// The eigenvalues that can differ from zero; an advice without a number where some are not known or all are zero.
    pub(super) fn complete(&self, rule: Rule, least: usize) -> Result<&[f64], Box<Advice>> {
        let possible = self.possible();
        if self.values.first().is_none_or(|first| *first <= 0.0) {
            return Err(Box::new(Advice::none(rule, "nothing varies")));
        }
        if self.values.len() < possible {
            return Err(Box::new(Advice::none(rule, "it needs all eigenvalues")));
        }
        if possible < least {
            let why = format!(
                "{} too few; it takes {least}",
                match possible {
                    1 => "1 eigenvalue is".to_owned(),
                    count => format!("{count} eigenvalues are"),
                }
            );
            return Err(Box::new(Advice::none(rule, &why)));
        }
        Ok(&self.values[..possible])
    }
}

/// Variances of the columns: Σᵢ λᵢ v²ᵢⱼ where all components are known, 1 where columns were scaled and none is constant.
fn column_variances(spectrum: &Spectrum, scree: &Scree) -> Option<Vec<f64>> {
    let (vectors, d) = (&spectrum.vectors, scree.n_cols());
    if vectors.n_rows() == scree.values.len() && scree.values.len() >= scree.possible() {
        let mut variances = vec![0.0; d];
        for (value, vector) in scree.values.iter().zip(vectors.rows()) {
            let cells = variances.iter_mut().zip(vector);
            cells.for_each(|(sum, v)| *sum += value * v * v);
        }
        // A constant column has a variance of rounding only.
        let floor = ROUNDING * scree.total / d.max(1) as f64;
        let clean = |v: f64| if v > floor { v } else { 0.0 };
        return Some(variances.into_iter().map(clean).collect());
    }
    let all_vary = (scree.total - d as f64).abs() < 1e-6 * d as f64;
    (scree.scaled && all_vary).then(|| vec![1.0; d])
}
