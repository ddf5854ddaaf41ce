//! A fitted kernel PCA: what it found, and what it does with new rows.

use std::sync::Mutex;

use super::KernelPcaOptions;
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{Points, Settled, product_by_tiles, take_means_out};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::find_not_finite;
use crate::solve::{Plan, Spectrum};
use crate::source::{Rows, Source, for_each_block};

/// Everything a fitted kernel PCA consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPcaParts {
    /// What was asked for.
    pub options: KernelPcaOptions,
    /// Names of the columns, where they have names.
    pub columns: Option<Vec<String>>,
    /// The kernel, its parameters numbers.
    pub kernel: Settled,
    /// The training rows.
    pub points: Points,
    /// Means of the rows of the kernel matrix, before centering.
    pub row_means: Vec<f64>,
    /// Eigenpairs of the centered kernel matrix; vectors have a cell per training row.
    pub spectrum: Spectrum,
    /// Eigenvalues as they were before negative ones were dealt with, one per component; 0 where there is none to tell.
    pub eigenvalues: Vec<f64>,
    /// Scores of the training rows.
    pub scores: Mat<f64>,
    /// How it was computed.
    pub plan: Plan,
    /// What is worth knowing.
    pub notes: Vec<Note>,
}

/// A fitted kernel PCA.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPca {
    parts: KernelPcaParts,
    /// n × k: α = u/√λ, so that ‖Φ̄ᵀα‖ = 1; columns sum to zero.
    alpha: Mat<f64>,
    /// What the training rows' mean scores before it is taken out: Σᵢ αᵢ·(mean of row i).
    offset: Vec<f64>,
}

impl KernelPca {
    /// A model from its parts; refused where they do not belong together.
    pub fn from_parts(parts: KernelPcaParts) -> Result<Self, Error> {
        let (n, k) = (parts.row_means.len(), parts.spectrum.len());
        let spectrum = &parts.spectrum;
        let fits = spectrum.vectors.n_rows() == k
            && spectrum.vectors.n_cols() == n
            && spectrum.residuals.len() == k
            && spectrum.rank <= k
            && parts.eigenvalues.len() == k
            && (parts.scores.n_rows(), parts.scores.n_cols()) == (n, k)
            && (parts.points.len() == n || parts.kernel.kernel().is_precomputed())
            && k > 0;
        if !fits {
            return Err(Error::Mismatch {
                what: "the numbers of rows, eigenvalues, eigenvectors and scores differ".to_owned(),
            });
        }
        // α = u·√λ'/λ. Where λ' = λ that is u/√λ; else it is what gives the training rows their scores √λ'·u.
        let mut alpha = Mat::from_fn(n, k, |i, j| {
            match j < spectrum.rank && parts.eigenvalues[j] != 0.0 {
                true => {
                    spectrum.vectors[(j, i)] * spectrum.singular_values[j] / parts.eigenvalues[j]
                }
                false => 0.0,
            }
        });
        take_means_out(&mut alpha);
        let mut offset = vec![0.0; k];
        for (mean, row) in parts.row_means.iter().zip(alpha.rows()) {
            offset.iter_mut().zip(row).for_each(|(o, a)| *o += mean * a);
        }
        if alpha
            .as_slice()
            .iter()
            .chain(&offset)
            .any(|x| !x.is_finite())
        {
            return Err(Error::Overflow);
        }
        Ok(KernelPca {
            parts,
            alpha,
            offset,
        })
    }

    /// The same with its first k components only.
    pub(crate) fn truncated(self, k: usize) -> Result<Self, Error> {
        let mut parts = self.parts;
        let k = k.min(parts.spectrum.len());
        parts.spectrum = parts.spectrum.truncated(k);
        parts.eigenvalues.truncate(k);
        parts.scores = Mat::from_fn(parts.scores.n_rows(), k, |i, j| parts.scores[(i, j)]);
        KernelPca::from_parts(parts)
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
        self.alpha.n_rows()
    }

    /// The kernel, its parameters numbers.
    pub fn kernel(&self) -> &Settled {
        &self.parts.kernel
    }

    /// Eigenpairs with their proof.
    pub fn spectrum(&self) -> &Spectrum {
        &self.parts.spectrum
    }

    /// Eigenvalues λ of the centered kernel matrix, after negative ones were dealt with.
    pub fn eigenvalues(&self) -> Vec<f64> {
        let values = self.parts.spectrum.singular_values.iter();
        values.map(|s| s * s).collect()
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

    /// The components as combinations of the training rows (n × k): each has length 1 in feature space.
    pub fn alpha(&self) -> &Mat<f64> {
        &self.alpha
    }

    /// Scores of the training rows (n × k).
    pub fn scores(&self) -> &Mat<f64> {
        &self.parts.scores
    }

    /// What is worth knowing about the fit.
    pub fn notes(&self) -> &[Note] {
        &self.parts.notes
    }

    pub(super) fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// Scores of one block of rows (n × k).
    pub fn transform_block<T: Real>(
        &self,
        ctx: &Context,
        rows: &Rows<'_, T>,
    ) -> Result<Mat<f64>, Error> {
        let (n, d) = (rows.block.n_rows(), rows.block.n_cols());
        if d != self.n_cols() {
            return Err(Error::WrongWidth {
                given: d,
                expected: self.n_cols(),
            });
        }
        let mut cells = Mat::zeros(n, d);
        rows.block.copy_to_f64(cells.as_mut_slice());
        let points = self.parts.kernel.points(cells, rows.first)?;
        self.project(ctx, &points)
    }

    /// Scores of points made ready for its kernel (n × k).
    pub(crate) fn project(&self, ctx: &Context, points: &Points) -> Result<Mat<f64>, Error> {
        // Σᵢ αᵢ(k(x, xᵢ) − mean of row i); the means over the training rows fall out, because α sums to zero.
        let training = (&self.parts.points, self.n_rows());
        let mut scores = product_by_tiles(ctx, &self.parts.kernel, training, points, &self.alpha)?;
        let rows = scores.as_mut_slice().chunks_exact_mut(self.offset.len());
        rows.for_each(|row| row.iter_mut().zip(&self.offset).for_each(|(s, o)| *s -= o));
        Ok(scores)
    }

    /// Scores of all rows (n × k), in the element type of the data. New rows are centered by the training rows' means.
    pub fn transform<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Mat<T>, Error> {
        let k = self.n_components();
        let n = source.n_rows().unwrap_or(0);
        let all = Mutex::new(vec![T::default(); n * k]);
        ctx.begin("projecting", source.n_rows().map(|n| n as u64));
        for_each_block(ctx, source, |rows| {
            let scores = self.transform_block(ctx, rows)?;
            if scores.as_slice().iter().any(|x| !x.is_finite()) {
                return Err(find_not_finite(ctx, source));
            }
            let mut all = all
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let (from, to) = (rows.first * k, rows.first * k + scores.as_slice().len());
            if all.len() < to {
                all.resize(to, T::default());
            }
            let out = all[from..to].iter_mut();
            out.zip(scores.as_slice())
                .for_each(|(out, x)| *out = T::from_f64(*x));
            Ok(())
        })?;
        let cells = all
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if cells.iter().any(|x| !x.to_f64().is_finite()) {
            return Err(Error::Overflow);
        }
        Mat::from_vec(cells.len() / k, k, cells)
    }
}
