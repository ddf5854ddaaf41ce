//! A fitted kernel PCA: its components, and what it does with new rows.

use super::prepare::fill_missing;
use super::{Basis, KernelPcaOptions, SpectrumError};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{FeatureMap, Points, ResolvedKernel, product_by_tiles};
use crate::mat::{Mat, Real};
use crate::method::contract::ProjectRows;
use crate::method::project::project_all;
use crate::method::record::damaged;
use crate::note::Note;
use crate::prepare::Preparation;
use crate::solve::{Plan, Spectrum, Strategy};
use crate::source::{Rows, Source};

/// Everything a fitted kernel PCA consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPcaParts {
    /// The options of the fit.
    pub options: KernelPcaOptions,
    /// Names of the columns, where they have names.
    pub columns: Option<Vec<String>>,
    /// Number of training rows.
    pub n_rows: usize,
    /// The value for missing cells of each column, where they are filled.
    pub fill: Option<Vec<f64>>,
    /// How rows are centered and scaled before they are compared, if they are.
    pub preparation: Option<Preparation>,
    /// The kernel, whose parameters are all numbers.
    pub kernel: ResolvedKernel,
    /// The basis with which rows are compared; it gives m numbers per row.
    pub basis: Basis,
    /// W, m × k: a score is b(x)·W − offset. Where the basis consists of rows, the columns of W are the components as
    /// combinations of their images.
    pub weights: Mat<f64>,
    /// Scores of the mean in feature space.
    pub offset: Vec<f64>,
    /// The mean in feature space, as a combination of the basis.
    pub mean: Vec<f64>,
    /// Eigenvalues of the centered kernel matrix with their residuals. The vectors are left out: the weights are computed from
    /// them.
    pub spectrum: Spectrum,
    /// Eigenvalues before negative ones were clipped, flipped or shifted, one per component; 0 for a component without
    /// variance.
    pub eigenvalues: Vec<f64>,
    /// Bounds on the error of the eigenvalues, if features approximate the kernel matrix.
    pub error: Option<SpectrumError>,
    /// Scores of the training rows, where the fit computed them; a projection of those rows gives the same.
    pub scores: Option<Mat<f64>>,
    /// The strategy that was used.
    pub strategy: Strategy,
    /// How it was computed.
    pub plan: Plan,
    /// Notes.
    pub notes: Vec<Note>,
}

/// A fitted kernel PCA.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPca {
    parts: KernelPcaParts,
}

impl KernelPca {
    /// A model from its parts; refused where they do not fit together.
    pub fn from_parts(parts: KernelPcaParts) -> Result<Self, Error> {
        let (m, k, d) = (
            parts.basis.len(),
            parts.spectrum.len(),
            parts.kernel.n_cols(),
        );
        let spectrum = &parts.spectrum;
        let wide = |v: &Option<Vec<f64>>| v.as_ref().is_none_or(|v| v.len() == d);
        let prepared = parts.preparation.as_ref();
        let fits = (parts.weights.n_rows(), parts.weights.n_cols()) == (m, k)
            && parts.offset.len() == k
            && parts.mean.len() == m
            && spectrum.residuals.len() == k
            && spectrum.rank <= k
            && parts.eigenvalues.len() == k
            && wide(&parts.fill)
            && prepared.is_none_or(|p| p.center.len() == d && wide(&p.scale))
            && parts
                .scores
                .as_ref()
                .is_none_or(|s| (s.n_rows(), s.n_cols()) == (parts.n_rows, k))
            && matches!(parts.basis, Basis::Given(_)) == parts.kernel.kernel().is_precomputed()
            && k > 0;
        if !fits {
            return Err(damaged(
                "the numbers of rows, eigenvalues, weights and scores differ",
            ));
        }
        let numbers = parts.weights.as_slice().iter().chain(&parts.offset);
        if numbers.chain(&parts.mean).any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        Ok(KernelPca { parts })
    }

    /// Everything it consists of.
    pub fn parts(&self) -> &KernelPcaParts {
        &self.parts
    }

    /// Components kept.
    pub fn n_components(&self) -> usize {
        self.parts.spectrum.len()
    }

    /// Columns that rows must have.
    pub fn n_cols(&self) -> usize {
        self.parts.kernel.n_cols()
    }

    /// Training rows.
    pub fn n_rows(&self) -> usize {
        self.parts.n_rows
    }

    /// The kernel, whose parameters are all numbers.
    pub fn kernel(&self) -> &ResolvedKernel {
        &self.parts.kernel
    }

    /// Eigenvalues with their residuals; vectors are left out.
    pub fn spectrum(&self) -> &Spectrum {
        &self.parts.spectrum
    }

    /// Eigenvalues λ of the centered kernel matrix, after negative ones were clipped, flipped or shifted.
    pub fn eigenvalues(&self) -> Vec<f64> {
        let values = self.parts.spectrum.singular_values.iter();
        values.map(|s| s * s).collect()
    }

    /// Bound on the error of each eigenvalue; `None` if the kernel matrix itself was decomposed.
    ///
    /// For landmarks, the most that it can lie below the exact one (it can lie above only by rounding, which is less). The
    /// bound always holds where all rows were used, else in 999 of 1,000 draws. For random frequencies, two standard errors
    /// plus twice the change when half of the frequencies are left out: in simulations at least nine of ten exact eigenvalues
    /// lie within that distance.
    pub fn eigenvalue_errors(&self) -> Option<Vec<f64>> {
        let error = self.parts.error.as_ref()?;
        Some(error.of_eigenvalues(self.n_components()))
    }

    /// Variance along each component in feature space: λ/(n − 1).
    pub fn explained_variance(&self) -> Vec<f64> {
        (0..self.n_components())
            .map(|i| self.parts.spectrum.variance(i))
            .collect()
    }

    /// Share of the total variance in feature space along each component.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        (0..self.n_components())
            .map(|i| self.parts.spectrum.share(i))
            .collect()
    }

    /// The components as combinations of the basis (m × k): each has length 1 in feature space.
    pub fn weights(&self) -> &Mat<f64> {
        &self.parts.weights
    }

    /// Scores of the training rows (n × k), where the model has them: not after a fit by features, and not from a file.
    pub fn scores(&self) -> Option<&Mat<f64>> {
        self.parts.scores.as_ref()
    }

    /// Notes on the fit.
    pub fn notes(&self) -> &[Note] {
        &self.parts.notes
    }

    /// Rows of a block in f64, filled, centered and scaled as the training rows were.
    pub(super) fn prepared<T: Real>(&self, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        let (n, d) = (rows.block.n_rows(), rows.block.n_cols());
        if d != self.n_cols() {
            return Err(Error::WrongWidth {
                given: d,
                expected: self.n_cols(),
            });
        }
        let mut cells = Mat::zeros(n, d);
        rows.block.copy_to_f64(cells.as_mut_slice());
        if let Some(fill) = &self.parts.fill {
            fill_missing(&mut cells, fill);
        }
        match &self.parts.preparation {
            Some(preparation) => preparation.features(cells, rows.first),
            None => Ok(cells),
        }
    }

    /// Scores of one block of rows (n × k). A row with a cell that is neither finite nor filled has NaN: a kernel may make a finite
    /// number of an infinite cell.
    pub fn transform_block<T: Real>(
        &self,
        ctx: &Context,
        rows: &Rows<'_, T>,
    ) -> Result<Mat<f64>, Error> {
        let parts = &self.parts;
        let cells = self.prepared(rows)?;
        let is_bad = |row: &[f64]| row.iter().any(|x| !x.is_finite());
        let bad: Vec<usize> = (0..cells.n_rows())
            .filter(|&i| is_bad(cells.row(i)))
            .collect();
        // Σᵢ αᵢ(k(x, xᵢ) − mean of row i); the means over the training rows cancel, because α sums to zero.
        let products = parts
            .basis
            .times(ctx, &parts.kernel, cells, rows.first, &parts.weights)?;
        let mut scores = self.less_offset(products);
        bad.into_iter()
            .for_each(|i| scores.row_mut(i).fill(f64::NAN));
        Ok(scores)
    }

    fn less_offset(&self, mut scores: Mat<f64>) -> Mat<f64> {
        let offset = &self.parts.offset;
        let rows = scores.as_mut_slice().chunks_exact_mut(offset.len());
        rows.for_each(|row| row.iter_mut().zip(offset).for_each(|(s, o)| *s -= o));
        scores
    }

    /// Scores of points prepared for its kernel (n × k).
    pub(crate) fn project(&self, ctx: &Context, points: &Points) -> Result<Mat<f64>, Error> {
        let KernelPcaParts {
            kernel, weights, ..
        } = &self.parts;
        let products = match &self.parts.basis {
            Basis::Rows(basis) => {
                product_by_tiles(ctx, kernel, (basis, basis.len()), points, weights)?
            }
            basis => basis.times(ctx, kernel, points.rows().clone(), 0, weights)?,
        };
        Ok(self.less_offset(products))
    }

    /// The same model with its first k components only.
    pub(crate) fn truncated(self, k: usize) -> Result<Self, Error> {
        let mut parts = self.parts;
        let k = k.min(parts.spectrum.len());
        let first = |m: &Mat<f64>| Mat::from_fn(m.n_rows(), k, |i, j| m[(i, j)]);
        (parts.weights, parts.scores) = (first(&parts.weights), parts.scores.as_ref().map(first));
        parts.offset.truncate(k);
        parts.eigenvalues.truncate(k);
        parts.spectrum = parts.spectrum.truncated(k);
        KernelPca::from_parts(parts)
    }

    /// Scores of all rows (n × k), in the element type of the data. New rows are centered by the training rows' means; rows
    /// with missing cells have NaN where the fit left such rows out.
    pub fn transform<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Mat<T>, Error> {
        let by = (self as &dyn ProjectRows<T>, self.parts.options.missing);
        project_all(ctx, by, source, self.n_components())
    }
}
