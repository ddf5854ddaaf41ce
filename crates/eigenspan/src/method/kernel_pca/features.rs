//! The roads for more rows than a kernel matrix can have: PCA of features whose inner products come near the kernel.
//!
//! One reading draws landmarks (or rows that settle the kernel), one sums up the scatter S of the features, whose
//! eigenvectors v are the components: the score of x is φ(x)ᵀv − meanᵀv. How far eigenvalues may be off:
//!
//! - Landmarks: K − K̂ is positive semi-definite, and so is C(K − K̂)C, of which no eigenvalue exceeds the trace of K − K̂:
//!   λ̂ᵢ ≤ λᵢ ≤ λ̂ᵢ + Σ(k(x, x) − ‖φ(x)‖²).
//! - Frequencies: K̂ is the mean of K_f over M drawn frequencies f. To first order λ̂ = uᵀK̂u is the mean of
//!   uᵀK_f u = M·λ̂·(v_cos² + v_sin²), of which the spread over the frequencies gives the standard error.

use super::fit::Found;
use super::{Basis, KernelPcaOptions, SpectrumError};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{FeatureMap, Fourier, Kernel, NystromOptions, product_by_tiles};
use crate::linalg::{dot, product};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::find_not_finite;
use crate::solve::{Keep, Problem, Spectrum, solve_scatter};
use crate::source::{Block, Rows, Source, fold};
use crate::summary::{Scatter, Summary};

/// Rows whose features are written out together.
const RUN: usize = 512;

/// Components of features.
struct Components {
    n_rows: usize,
    /// Of the features.
    mean: Vec<f64>,
    spectrum: Spectrum,
    /// Trace of the kernel matrix that the features miss.
    lost: f64,
}

impl KernelPcaOptions {
    /// By landmarks.
    pub(super) fn fit_nystrom<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        kernel: &Kernel,
        n_landmarks: usize,
        problem: &Problem,
    ) -> Result<Found, Error> {
        let options = NystromOptions {
            n_landmarks,
            landmarks: self.landmarks,
            seed: self.seed,
        };
        let map = options.fit(ctx, kernel, source)?;
        let found = components(ctx, source, problem, map.n_features(), |rows, first| {
            map.features_and_trace(rows, first)
        })?;
        // 1. φ(x)ᵀv = k(x)ᵀ·VΛ^(−½)·v for the kernels k(x) with the landmarks.
        let (kernel, points, whiten) = map.into_parts();
        let vectors = varying(&found.spectrum);
        let mut weights = product(whiten.view(), vectors.view().transposed());
        let mut offset: Vec<f64> = vectors.rows().map(|v| dot(v, &found.mean)).collect();
        // 2. Which way components point is read off the landmarks' scores, so that all rows as landmarks are the exact fit.
        let m = points.len();
        let own =
            ctx.install(|| product_by_tiles(ctx, &kernel, (&points, m), &points, &weights))?;
        for j in 0..offset.len() {
            let scores: Vec<f64> = own.col(j).iter().map(|x| x - offset[j]).collect();
            if self.sign.turns(&scores) {
                offset[j] = -offset[j];
                (0..m).for_each(|i| weights[(i, j)] = -weights[(i, j)]);
            }
        }
        let error = SpectrumError::Bound { lost: found.lost };
        let mean = product(whiten.view(), column(&found.mean)?.view()).into_vec();
        Ok(Found {
            n_rows: found.n_rows,
            kernel,
            basis: Basis::Rows(points),
            weights,
            offset,
            mean,
            eigenvalues: found.eigenvalues(),
            notes: found.notes(self.n_components, "nystrom", m, &error),
            spectrum: found.into_spectrum(),
            error: Some(error),
            scores: None,
        })
    }

    /// By random frequencies.
    pub(super) fn fit_fourier<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        kernel: &Kernel,
        n_features: usize,
        problem: &Problem,
    ) -> Result<Found, Error> {
        let (kernel, map) = Fourier::fit(ctx, kernel, source, n_features / 2, self.seed)?;
        // k(x, x) = 1 for all kernels of differences here, and so is ‖φ(x)‖².
        let found = components(ctx, source, problem, map.n_features(), |rows, first| {
            let own = rows.n_rows() as f64;
            Ok((map.features(rows, first)?, own))
        })?;
        let vectors = varying(&found.spectrum);
        let standard_errors = (0..found.spectrum.len())
            .map(|i| standard_error(found.spectrum.singular_values[i].powi(2), vectors.row(i)))
            .collect();
        let error = SpectrumError::Estimate { standard_errors };
        Ok(Found {
            n_rows: found.n_rows,
            kernel,
            basis: Basis::Frequencies(map),
            weights: vectors.transposed(),
            offset: vectors.rows().map(|v| dot(v, &found.mean)).collect(),
            mean: found.mean.clone(),
            eigenvalues: found.eigenvalues(),
            notes: found.notes(self.n_components, "fourier", n_features, &error),
            spectrum: found.into_spectrum(),
            error: Some(error),
            scores: None,
        })
    }
}

/// The scatter of all rows' features and its eigenpairs. `features` gives those of some rows, and the sum of k(x, x).
fn components<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
    n_features: usize,
    features: impl Fn(Mat<f64>, usize) -> Result<(Mat<f64>, f64), Error> + Sync,
) -> Result<Components, Error> {
    let new = || (Scatter::new(n_features), 0.0);
    ctx.begin("features", source.n_rows().map(|n| n as u64));
    let bytes = Summary::<f64>::bytes(&new().0);
    let add = |(scatter, own): &mut (Scatter, f64), rows: &Rows<'_, T>| {
        let n = rows.block.n_rows();
        for start in (0..n).step_by(RUN) {
            ctx.check()?;
            let end = (start + RUN).min(n);
            let mut cells = Mat::zeros(end - start, rows.block.n_cols());
            let run = rows.block.slice_rows(start, end);
            run.copy_to_f64(cells.as_mut_slice());
            let (features, trace) = features(cells, rows.first + start)?;
            *own += trace;
            scatter.add(&Rows {
                first: rows.first + start,
                block: Block::Dense(features.view()),
                weights: None,
            })?;
        }
        Ok(())
    };
    let merge = |a: &mut (Scatter, f64), b: (Scatter, f64)| {
        Summary::<f64>::merge(&mut a.0, b.0);
        a.1 += b.1;
    };
    let (scatter, own) = fold(ctx, source, bytes, new, add, merge)?;
    if !scatter.is_finite() || !own.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    decomposed(ctx, scatter, own, problem)
}

/// Eigenpairs of a scatter of features.
fn decomposed(
    ctx: &Context,
    scatter: Scatter,
    own: f64,
    problem: &Problem,
) -> Result<Components, Error> {
    let (n_rows, mean) = (scatter.n_rows(), scatter.mean());
    let trace: f64 = (0..mean.len()).map(|j| scatter.diagonal(j)).sum();
    // Σk(x, x) − Σ‖φ(x)‖², the latter about the mean and of the mean itself.
    let lost = (own - trace - n_rows as f64 * dot(&mean, &mean)).max(0.0);
    let all = Problem {
        keep: match problem.keep {
            Keep::Count(k) => Keep::Count(k.min(mean.len())),
            _ => Keep::All,
        },
        ..problem.clone()
    };
    ctx.begin("eigenpairs", None);
    let solution = ctx.install(|| solve_scatter(ctx, scatter, &all))?;
    let (resolution, mut spectrum) = (solution.resolution, solution.spectrum);
    // Shares are of all there is, also of what the features miss: none is said to be larger than it is.
    spectrum.norm = (trace + lost).max(0.0).sqrt();
    let first = spectrum.singular_values.first().copied().unwrap_or(0.0);
    let clear = |s: &&f64| **s > 0.0 && (**s / first).powi(2) >= resolution;
    let kept = match problem.keep {
        Keep::Count(k) => k,
        Keep::Share(share) => spectrum.count_for_share(share).unwrap_or(spectrum.rank),
        // Those that squaring features does not blur.
        Keep::All | Keep::Auto => spectrum.singular_values.iter().take_while(clear).count(),
    };
    let mut spectrum = spectrum.truncated(kept.max(1));
    // A bound for the features' components says nothing of the kernel's own.
    spectrum.angle = None;
    if let Keep::Count(k) = problem.keep {
        pad(&mut spectrum, k);
    }
    Ok(Components {
        n_rows,
        mean,
        spectrum,
        lost,
    })
}

/// As many components as were asked for: those that features do not span have no variance, as in the exact fit.
fn pad(spectrum: &mut Spectrum, k: usize) {
    let found = spectrum.len();
    if found < k {
        spectrum.singular_values.resize(k, 0.0);
        spectrum.residuals.resize(k, 0.0);
        let vectors = std::mem::take(&mut spectrum.vectors);
        spectrum.vectors = Mat::from_fn(k, vectors.n_cols(), |i, j| match i < found {
            true => vectors[(i, j)],
            false => 0.0,
        });
    }
}

/// Eigenvectors of components that vary, zeros for others.
fn varying(spectrum: &Spectrum) -> Mat<f64> {
    let mut vectors = spectrum.vectors.clone();
    for i in spectrum.rank..vectors.n_rows() {
        vectors.row_mut(i).fill(0.0);
    }
    vectors
}

fn column(v: &[f64]) -> Result<Mat<f64>, Error> {
    Mat::from_vec(v.len(), 1, v.to_vec())
}

/// The standard error of an eigenvalue whose eigenvector has these cosines and sines.
fn standard_error(value: f64, vector: &[f64]) -> f64 {
    let (cosines, sines) = vector.split_at(vector.len() / 2);
    let count = cosines.len() as f64;
    let terms = cosines.iter().zip(sines);
    let terms: Vec<f64> = terms
        .map(|(c, s)| count * value * (c * c + s * s))
        .collect();
    let mean = terms.iter().sum::<f64>() / count;
    let squares: f64 = terms.iter().map(|x| (x - mean) * (x - mean)).sum();
    (squares / (count - 1.0).max(1.0) / count).sqrt()
}

impl Components {
    /// A note on what stands for the kernel matrix, and on components without variance.
    fn notes(
        &self,
        keep: Keep,
        how: &'static str,
        size: usize,
        error: &SpectrumError,
    ) -> Vec<Note> {
        let first = self
            .spectrum
            .singular_values
            .first()
            .copied()
            .unwrap_or(0.0)
            .powi(2);
        let error = match error {
            SpectrumError::Bound { lost } => *lost,
            SpectrumError::Estimate { standard_errors } => {
                2.0 * standard_errors.iter().fold(0.0f64, |m, e| m.max(*e))
            }
        };
        let mut notes = vec![Note::Approximated {
            how: how.to_owned(),
            size,
            error: if first > 0.0 { error / first } else { 0.0 },
        }];
        if let Keep::Count(_) = keep {
            notes.extend(self.spectrum.note_rank(self.n_rows));
        }
        notes
    }

    /// Eigenvalues as they are, 0 where nothing varies.
    fn eigenvalues(&self) -> Vec<f64> {
        let values = self.spectrum.singular_values.iter().enumerate();
        let squares = values.map(|(i, s)| if i < self.spectrum.rank { s * s } else { 0.0 });
        squares.collect()
    }

    /// The spectrum without its vectors.
    fn into_spectrum(self) -> Spectrum {
        Spectrum {
            vectors: Mat::zeros(0, 0),
            ..self.spectrum
        }
    }
}
