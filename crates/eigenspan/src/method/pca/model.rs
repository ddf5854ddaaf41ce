//! A fitted PCA: its components, and what it does with new rows.

use super::imputer::Filler;
use super::{Imputer, PcaOptions};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{product, times_transposed};
use crate::mat::{Mat, MatView, Real};
use crate::method::contract::ProjectRows;
use crate::method::project::project_all;
use crate::method::record::damaged;
use crate::note::Note;
use crate::prepare::{Missing, Preparation};
use crate::solve::{Keep, Plan, Spectrum};
use crate::source::{Block, Rows, Source};

/// Everything a fitted PCA consists of: what a model file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaParts {
    /// The options of the fit.
    pub options: PcaOptions,
    /// Names of the columns, where they have names.
    pub columns: Option<Vec<String>>,
    /// Number of rows fitted.
    pub n_rows: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Means and scales.
    pub preparation: Preparation,
    /// Eigenpairs.
    pub spectrum: Spectrum,
    /// How it was computed.
    pub plan: Plan,
    /// Notes.
    pub notes: Vec<Note>,
    /// The model that predicts missing cells, if the rows had some (`missing = em`).
    pub imputer: Option<Imputer>,
}

/// A fitted PCA.
#[derive(Debug, Clone, PartialEq)]
pub struct Pca {
    parts: PcaParts,
}

/// How far VᵀV may be from the identity in a valid model.
const ORTHONORMAL: f64 = 1e-6;

impl Pca {
    /// A model from parts that were read from a file; refused where they do not fit together.
    pub fn from_parts(parts: PcaParts) -> Result<Self, Error> {
        let pca = Pca::from_solver(parts)?;
        let vectors = pca.components();
        let gram = times_transposed(vectors.view(), vectors.view());
        let off = |i: usize, j: usize| (gram[(i, j)] - f64::from(i == j)).abs();
        let k = vectors.n_rows();
        if (0..k).any(|i| (0..k).any(|j| off(i, j) > ORTHONORMAL)) {
            return Err(damaged("the components are not orthonormal"));
        }
        Ok(pca)
    }

    /// A model from the parts a solver gave, whose components are orthonormal by construction.
    pub(super) fn from_solver(parts: PcaParts) -> Result<Self, Error> {
        let refuse = |what: &str| Err(damaged(what));
        let (k, d) = (parts.spectrum.len(), parts.spectrum.vectors.n_cols());
        if parts.spectrum.vectors.n_rows() != k || parts.spectrum.residuals.len() != k {
            return refuse("the numbers of eigenvalues, eigenvectors and residuals differ");
        }
        if parts.preparation.center.len() != d
            || parts
                .preparation
                .scale
                .as_ref()
                .is_some_and(|s| s.len() != d)
            || parts.columns.as_ref().is_some_and(|c| c.len() != d)
        {
            return refuse("the numbers of columns, means and scales differ");
        }
        if k == 0 || k > d || parts.spectrum.rank > k {
            return refuse("the number of components does not fit the number of columns");
        }
        let spectrum = &parts.spectrum;
        let numbers = || {
            let prepared = parts
                .preparation
                .center
                .iter()
                .chain(parts.preparation.scale.iter().flatten());
            prepared
                .chain(&spectrum.singular_values)
                .chain(spectrum.vectors.as_slice())
        };
        if numbers()
            .chain([&spectrum.norm, &spectrum.divisor])
            .any(|x| !x.is_finite())
        {
            return refuse("some numbers are not finite");
        }
        if spectrum.singular_values.iter().any(|s| *s < 0.0)
            || spectrum.divisor <= 0.0
            || parts.preparation.scale.iter().flatten().any(|s| *s <= 0.0)
        {
            return refuse("a singular value is negative, or a scale or divisor is not positive");
        }
        if let Some(imputer) = &parts.imputer {
            imputer.check(d)?;
        }
        Ok(Pca { parts })
    }

    /// Everything it consists of.
    pub fn parts(&self) -> &PcaParts {
        &self.parts
    }

    /// Components kept.
    pub fn n_components(&self) -> usize {
        self.parts.spectrum.len()
    }

    /// Columns of the data.
    pub fn n_cols(&self) -> usize {
        self.parts.preparation.center.len()
    }

    /// Components as rows (k × d), orthonormal, with signs by the option `signs`.
    pub fn components(&self) -> &Mat<f64> {
        &self.parts.spectrum.vectors
    }

    /// The name of component i, counted from 0: `PC1`, or another by the option `names`.
    pub fn component_name(&self, i: usize) -> String {
        self.parts.options.names.component(i)
    }

    /// Names of the components.
    pub fn component_names(&self) -> Vec<String> {
        self.parts.options.names.first(self.n_components())
    }

    /// The same model with its first k components only (all, if there are no more than k; at least one).
    pub fn truncated(self, k: usize) -> Pca {
        let k = k.clamp(1, self.n_components());
        let mut parts = self.parts;
        parts.spectrum = parts.spectrum.truncated(k);
        parts.options.n_components = Keep::Count(k);
        Pca { parts }
    }

    /// The means that were subtracted (zeros without centering).
    pub fn mean(&self) -> &[f64] {
        &self.parts.preparation.center
    }

    /// Eigenpairs with their residuals.
    pub fn spectrum(&self) -> &Spectrum {
        &self.parts.spectrum
    }

    /// Variance along each component.
    pub fn explained_variance(&self) -> Vec<f64> {
        (0..self.n_components())
            .map(|i| self.parts.spectrum.variance(i))
            .collect()
    }

    /// Share of the total variance along each component.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        (0..self.n_components())
            .map(|i| self.parts.spectrum.share(i))
            .collect()
    }

    /// Notes on the fit.
    pub fn notes(&self) -> &[Note] {
        &self.parts.notes
    }

    /// The notes of the fit, for a front to complete with what only it knows.
    pub fn notes_mut(&mut self) -> &mut [Note] {
        &mut self.parts.notes
    }

    /// The rows of a block, prepared as the training rows were, with missing cells filled by the option `missing`.
    pub(super) fn prepare<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        let mut prepared = self.prepare_seen(block);
        if self.parts.options.missing == Missing::Em {
            let mut filler = Filler::new(self);
            for i in 0..prepared.n_rows() {
                filler.fill(prepared.row_mut(i))?;
            }
        }
        Ok(prepared)
    }

    /// The rows of a block in the units of the data, with missing cells filled by the option `missing`: with their column's
    /// mean, or with what the other cells of their row predict. Models with other values of that option leave them missing.
    ///
    /// ```
    /// use eigenspan::prepare::Missing;
    /// use eigenspan::source::{Block, Dense};
    /// use eigenspan::{Context, Mat, PcaOptions};
    ///
    /// // The second column is twice the first, but for one cell that is missing.
    /// let table = Mat::from_fn(40, 2, |i, j| match (i, j) {
    ///     (7, 1) => f64::NAN,
    ///     _ => (i * (j + 1)) as f64,
    /// });
    /// let options = PcaOptions { missing: Missing::Em, ..Default::default() };
    /// let pca = options.fit(&Context::new(), &Dense::new(table.view()))?;
    /// let whole = pca.complete(&Block::from(table.view()))?;
    /// // Shrunk a little towards the mean, 40, because a relation in so few rows may be chance.
    /// assert!((whole[(7, 1)] - 14.0).abs() < 1.0);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn complete<T: Real>(&self, block: &Block<'_, T>) -> Result<Mat<f64>, Error> {
        self.check_width(block.n_cols())?;
        let mut rows = self.prepare(block)?;
        self.parts.preparation.undo(&mut rows);
        // Observed cells keep their bits.
        let mut own = vec![0.0; rows.n_cols()];
        for i in 0..rows.n_rows() {
            block.row_to_f64(i, &mut own);
            let cells = rows.row_mut(i).iter_mut().zip(&own);
            cells
                .filter(|(_, own)| !own.is_nan())
                .for_each(|(x, own)| *x = *own);
        }
        Ok(rows)
    }

    /// The rows of a block, prepared as the training rows were; with `missing = mean`, missing cells are their column's mean.
    /// A model without centering does not know the means, and missing cells stay missing.
    pub(super) fn prepare_seen<T: Real>(&self, block: &Block<'_, T>) -> Mat<f64> {
        let mut prepared = self.parts.preparation.apply(block);
        if self.parts.options.missing == Missing::Mean && self.parts.options.center {
            prepared
                .as_mut_slice()
                .iter_mut()
                .filter(|x| x.is_nan())
                .for_each(|x| *x = 0.0);
        }
        prepared
    }

    /// Scores of one block of rows (n × k). With `missing = mean` or `em`, missing cells count as their column's mean, or as
    /// what the other cells of their row predict; a row without any value then lies at the mean, with scores 0.
    pub fn transform_block<T: Real>(&self, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.leading_scores(&rows.block, self.n_components())
    }

    /// Scores of a block of rows on the first `k` components.
    pub(super) fn leading_scores<T: Real>(
        &self,
        block: &Block<'_, T>,
        k: usize,
    ) -> Result<Mat<f64>, Error> {
        let mut scores = self.plain_scores(block, k)?;
        if self.parts.options.whiten {
            let factors = self.whitening();
            for i in 0..scores.n_rows() {
                scores
                    .row_mut(i)
                    .iter_mut()
                    .zip(&factors)
                    .for_each(|(x, f)| *x *= f);
            }
        }
        Ok(scores)
    }

    /// Scores of all rows (n × k), in the element type of the data.
    ///
    /// New rows are prepared with the means and scales of the training rows, not with their own.
    ///
    /// ```
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, MatView, PcaOptions};
    ///
    /// let ctx = Context::new();
    /// let cells = [3.0, 3.0, 4.0, 7.0, 5.0, 8.0];
    /// let rows = Dense::new(MatView::from_rows(&cells, 3, 2)?);
    /// let pca = PcaOptions::default().fit(&ctx, &rows)?;
    ///
    /// // The mean (4, 6) lies at the origin, and all components together lose nothing.
    /// let new = [4.0, 6.0, 1.0, 2.0];
    /// let scores = pca.transform(&ctx, &Dense::new(MatView::from_rows(&new, 2, 2)?))?;
    /// assert_eq!(scores.row(0), [0.0, 0.0]);
    /// let rebuilt = pca.inverse(scores.view())?;
    /// assert!((rebuilt[(1, 0)] - 1.0).abs() < 1e-12 && (rebuilt[(1, 1)] - 2.0).abs() < 1e-12);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn transform<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Mat<T>, Error> {
        self.check_width(source.n_cols())?;
        let by = (self as &dyn ProjectRows<T>, self.parts.options.missing);
        project_all(ctx, by, source, self.n_components())
    }

    /// Rows rebuilt from scores (n × k), in the units of the data (n × d).
    pub fn inverse(&self, scores: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        let k = self.n_components();
        if scores.n_cols() != k {
            return Err(Error::WrongWidth {
                given: scores.n_cols(),
                expected: k,
            });
        }
        let mut rows = if self.parts.options.whiten {
            let factors = self.whitening();
            let plain = Mat::from_fn(scores.n_rows(), k, |i, j| match factors[j] {
                0.0 => 0.0,
                factor => scores.at(i, j) / factor,
            });
            product(plain.view(), self.components().view())
        } else {
            product(scores, self.components().view())
        };
        self.parts.preparation.undo(&mut rows);
        Ok(rows)
    }

    /// The factors by which whitening multiplies scores: 1/σ, and 0 where there is no variance, so that noise is never divided
    /// by noise.
    pub fn whitening(&self) -> Vec<f64> {
        let spectrum = &self.parts.spectrum;
        (0..spectrum.len())
            .map(|i| {
                if i < spectrum.rank {
                    spectrum.divisor.sqrt() / spectrum.singular_values[i]
                } else {
                    0.0
                }
            })
            .collect()
    }

    pub(super) fn check_width(&self, given: usize) -> Result<(), Error> {
        let expected = self.n_cols();
        if given == expected {
            Ok(())
        } else {
            Err(Error::WrongWidth { given, expected })
        }
    }
}
