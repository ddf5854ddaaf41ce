//! A fitted quadratic discriminant analysis: a normal distribution for each class.

use super::QdaOptions;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::method::predict::softmax;
use crate::method::record::damaged;
use crate::note::Note;
use crate::solve::Plan;
use crate::source::Block;

/// Everything a fitted quadratic discriminant analysis consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct QdaParts {
    /// The options of the fit.
    pub options: QdaOptions,
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
    /// For each class the map that makes its covariance the identity (d × d), one below the other.
    pub whitening: Mat<f64>,
    /// The logarithm of the determinant of each covariance.
    pub log_determinants: Vec<f64>,
    /// What missing cells of new rows are filled with.
    pub fill: Option<Vec<f64>>,
    /// How it was computed.
    pub plan: Plan,
    /// Notes.
    pub notes: Vec<Note>,
}

/// A fitted quadratic discriminant analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Qda {
    parts: QdaParts,
    /// The maps, each transposed, so that rows are multiplied by them.
    maps: Vec<Mat<f64>>,
}

impl Qda {
    /// The method, as a sentence names it.
    pub(super) const NAME_IN_WORDS: &'static str = "QDA";

    /// A model from its parts; refused where they do not fit together.
    pub fn from_parts(parts: QdaParts) -> Result<Self, Error> {
        let (n_classes, d) = (parts.classes.len(), parts.means.n_cols());
        let shapes = [
            (parts.means.n_rows(), n_classes),
            (parts.whitening.n_rows(), n_classes * d),
            (parts.whitening.n_cols(), d),
            (parts.log_determinants.len(), n_classes),
            (parts.priors.len(), n_classes),
            (parts.weights.len(), n_classes),
            (parts.columns.as_ref().map_or(d, Vec::len), d),
            (parts.fill.as_ref().map_or(d, Vec::len), d),
        ];
        if shapes.iter().any(|(given, expected)| given != expected) || n_classes < 2 {
            return Err(damaged("the numbers of classes and columns differ"));
        }
        let matrices = [&parts.means, &parts.whitening];
        let cells = matrices.iter().flat_map(|m| m.as_slice());
        let mut numbers = cells.chain(&parts.log_determinants).chain(&parts.priors);
        if numbers.any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        let map = |c: usize| parts.whitening.view().slice_rows(c * d, (c + 1) * d);
        let maps = (0..n_classes).map(|c| map(c).transposed().to_mat());
        Ok(Qda {
            maps: maps.collect(),
            parts,
        })
    }

    /// Everything it consists of.
    pub fn parts(&self) -> &QdaParts {
        &self.parts
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.parts.classes
    }

    /// log π_c − ½ log det Σ_c − ½ (x − m_c)ᵀΣ_c⁻¹(x − m_c) of some rows (n × classes).
    pub(super) fn decisions<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        let (given, expected) = (block.n_cols(), self.parts.means.n_cols());
        if given != expected {
            return Err(Error::WrongWidth { given, expected });
        }
        let Some(fill) = &self.parts.fill else {
            return Ok(self.complete_decisions(block));
        };
        let mut cells = Mat::zeros(block.n_rows(), given);
        block.copy_to_f64(cells.as_mut_slice());
        for i in 0..cells.n_rows() {
            let missing = cells.row_mut(i).iter_mut().zip(fill);
            missing
                .filter(|(x, _)| x.is_nan())
                .for_each(|(x, fill)| *x = *fill);
        }
        Ok(self.complete_decisions(&Block::from(cells.view())))
    }

    fn complete_decisions<T: Real>(&self, block: &Block<'_, T>) -> Mat<f64> {
        let parts = &self.parts;
        let mut out = Mat::zeros(block.n_rows(), self.maps.len());
        for (c, map) in self.maps.iter().enumerate() {
            let constant = parts.priors[c].ln() - 0.5 * parts.log_determinants[c];
            let at = block.prepared_times(parts.means.row(c), None, map);
            for (i, at) in at.rows().enumerate() {
                let square: f64 = at.iter().map(|x| x * x).sum();
                out[(i, c)] = constant - 0.5 * square;
            }
        }
        out
    }

    /// The probability of every class for some rows.
    pub(super) fn probabilities_of<T: Real>(
        &self,
        block: &Block<'_, T>,
    ) -> Result<Mat<f64>, Error> {
        let mut out = self.decisions(block)?;
        (0..out.n_rows()).for_each(|i| softmax(out.row_mut(i)));
        Ok(out)
    }
}
