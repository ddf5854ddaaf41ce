//! A fitted linear discriminant analysis: its directions, and what it says about new rows.

use super::LdaOptions;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::method::predict::softmax;
use crate::method::record::damaged;
use crate::note::Note;
use crate::prepare::Preparation;
use crate::solve::{Plan, Spectrum};
use crate::source::Block;

/// Everything a fitted linear discriminant analysis consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct LdaParts {
    /// The options of the fit.
    pub options: LdaOptions,
    /// Names of the columns, where they have names.
    pub columns: Option<Vec<String>>,
    /// Rows fitted.
    pub n_rows: usize,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Weight of each class.
    pub weights: Vec<f64>,
    /// Prior probability of each class.
    pub priors: Vec<f64>,
    /// The mean of each class (classes × d).
    pub means: Mat<f64>,
    /// The mean of these means by the priors, which is subtracted from rows.
    pub preparation: Preparation,
    /// The standard deviation of every column within classes.
    pub spread: Vec<f64>,
    /// Directions in which rows vary within classes.
    pub rank_within: usize,
    /// All discriminants, as rows (q × d); the first of them are the components.
    pub scalings: Mat<f64>,
    /// λ of each component as σ² ÷ n, its direction and its residual.
    pub spectrum: Spectrum,
    /// The trace of S_w⁻¹S_b: what scikit-learn takes shares of.
    pub trace: f64,
    /// The standard deviation of the training rows' scores on each component.
    pub deviations: Vec<f64>,
    /// The linear function of each class (classes × d), of rows minus the center.
    pub coef: Mat<f64>,
    /// What is added to it.
    pub constants: Vec<f64>,
    /// The linear function that scikit-learn's solver `eigen` adds for all classes alike.
    pub common: Option<Vec<f64>>,
    /// What missing cells of new rows are filled with.
    pub fill: Option<Vec<f64>>,
    /// Covariance within classes, if it was to be kept.
    pub covariance: Option<Mat<f64>>,
    /// How it was computed.
    pub plan: Plan,
    /// Notes.
    pub notes: Vec<Note>,
}

/// A fitted linear discriminant analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Lda {
    parts: LdaParts,
}

impl Lda {
    /// The method, as a sentence names it.
    pub(super) const NAME_IN_WORDS: &'static str = "LDA";

    /// A model from its parts; refused where they do not fit together.
    pub fn from_parts(parts: LdaParts) -> Result<Self, Error> {
        let (n_classes, d) = (parts.classes.len(), parts.preparation.center.len());
        let (k, q) = (parts.spectrum.len(), parts.scalings.n_rows());
        let shapes = [
            (parts.means.n_rows(), n_classes),
            (parts.means.n_cols(), d),
            (parts.coef.n_rows(), n_classes),
            (parts.coef.n_cols(), d),
            (parts.scalings.n_cols(), d),
            (parts.spectrum.vectors.n_rows(), k),
            (parts.spectrum.vectors.n_cols(), d),
            (parts.spectrum.residuals.len(), k),
            (parts.constants.len(), n_classes),
            (parts.priors.len(), n_classes),
            (parts.weights.len(), n_classes),
            (parts.deviations.len(), k),
            (parts.spread.len(), d),
            (parts.columns.as_ref().map_or(d, Vec::len), d),
            (parts.fill.as_ref().map_or(d, Vec::len), d),
            (parts.common.as_ref().map_or(d, Vec::len), d),
            (parts.covariance.as_ref().map_or(d, Mat::n_rows), d),
            (parts.covariance.as_ref().map_or(d, Mat::n_cols), d),
        ];
        if shapes.iter().any(|(given, expected)| given != expected) {
            return Err(damaged(
                "the numbers of classes, columns and components differ",
            ));
        }
        if k == 0 || k > q || n_classes < 2 {
            return Err(damaged("there are no components, or no classes"));
        }
        let lists = [&parts.constants, &parts.priors, &parts.preparation.center];
        let matrices = [&parts.means, &parts.coef, &parts.scalings];
        let cells = matrices.iter().flat_map(|m| m.as_slice());
        let mut numbers = lists.iter().flat_map(|list| list.iter()).chain(cells);
        if numbers.any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        Ok(Lda { parts })
    }

    /// Everything it consists of.
    pub fn parts(&self) -> &LdaParts {
        &self.parts
    }

    /// Components as rows (k × d): scores have variance 1 within classes.
    pub fn directions(&self) -> &Mat<f64> {
        &self.parts.spectrum.vectors
    }

    /// The variance between classes along each component, in units of that within.
    pub fn ratios(&self) -> Vec<f64> {
        let spectrum = &self.parts.spectrum;
        (0..spectrum.len()).map(|i| spectrum.variance(i)).collect()
    }

    /// The share of each component in the variance between classes.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        let spectrum = &self.parts.spectrum;
        (0..spectrum.len()).map(|i| spectrum.share(i)).collect()
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.parts.classes
    }

    /// Scores of some rows (n × k).
    pub fn scores<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        self.linear(block, self.directions())
    }

    /// (x − m)ᵀv for directions as rows, with missing cells filled where the fit filled them.
    fn linear<T: Real>(&self, block: &Block<'_, T>, rows: &Mat<f64>) -> Result<Mat<f64>, Error> {
        let (given, expected) = (block.n_cols(), rows.n_cols());
        if given != expected {
            return Err(Error::WrongWidth { given, expected });
        }
        let transposed = rows.transposed();
        let by = &self.parts.preparation;
        let Some(fill) = &self.parts.fill else {
            return Ok(by.times(block, &transposed));
        };
        let mut cells = Mat::zeros(block.n_rows(), given);
        block.copy_to_f64(cells.as_mut_slice());
        for i in 0..cells.n_rows() {
            let missing = cells.row_mut(i).iter_mut().zip(fill);
            missing
                .filter(|(x, _)| x.is_nan())
                .for_each(|(x, fill)| *x = *fill);
        }
        Ok(by.times(&Block::from(cells.view()), &transposed))
    }

    /// log π_c − ½ (x − m_c)ᵀS_w⁻¹(x − m_c) of each class, up to a term that classes share, by which these are the numbers of
    /// scikit-learn's `decision_function`.
    pub(super) fn decisions<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        let mut out = self.linear(block, &self.parts.coef)?;
        let shared = self.parts.common.as_ref().map(|common| {
            let row = Mat::from_vec(1, common.len(), common.clone())?;
            self.linear(block, &row)
        });
        let shared = shared.transpose()?;
        let constant = self.common_constant();
        for i in 0..out.n_rows() {
            let add = shared
                .as_ref()
                .map_or(0.0, |shared| shared[(i, 0)] + constant);
            let cells = out.row_mut(i).iter_mut().zip(&self.parts.constants);
            cells.for_each(|(x, constant)| *x = (*x + constant) + add);
        }
        Ok(out)
    }

    /// ½ mᵀPm for the common function Pm.
    fn common_constant(&self) -> f64 {
        self.at_center(self.parts.common.as_deref()) * 0.5
    }

    fn at_center(&self, function: Option<&[f64]>) -> f64 {
        let center = &self.parts.preparation.center;
        function.map_or(0.0, |f| f.iter().zip(center).map(|(f, x)| f * x).sum())
    }

    /// The probability of every class for some rows.
    pub(super) fn probabilities_of<T: Real>(
        &self,
        block: &Block<'_, T>,
    ) -> Result<Mat<f64>, Error> {
        // Without the term that classes share, which would cost digits.
        let mut out = self.linear(block, &self.parts.coef)?;
        for i in 0..out.n_rows() {
            let row = out.row_mut(i);
            let cells = row.iter_mut().zip(&self.parts.constants);
            cells.for_each(|(x, constant)| *x += constant);
            softmax(row);
        }
        Ok(out)
    }

    /// The functions of `decision_function` as functions of rows that are not centered: coefficients (classes × d) and intercepts.
    pub fn functions(&self) -> (Mat<f64>, Vec<f64>) {
        let parts = &self.parts;
        let common = |j: usize| parts.common.as_ref().map_or(0.0, |common| common[j]);
        let coef = Mat::from_fn(parts.coef.n_rows(), parts.coef.n_cols(), |c, j| {
            parts.coef[(c, j)] + common(j)
        });
        let half = 0.5 * self.at_center(parts.common.as_deref());
        let own = parts.coef.rows().map(|row| self.at_center(Some(row)));
        let intercepts = own.zip(&parts.constants);
        let intercepts = intercepts.map(|(at, constant)| (constant - at) - half);
        (coef, intercepts.collect())
    }
}
