//! The strategies for more rows than a kernel matrix can have: PCA of features whose inner products approximate the kernel.
//!
//! One reading draws landmarks (or rows on which open parameters of the kernel are found), one sums up the scatter S of the
//! features, whose eigenvectors v are the components: the score of x is φ(x)ᵀv − meanᵀv. A few components of many landmarks
//! are found without the scatter ([`leading`]). The errors of the eigenvalues:
//!
//! - Landmarks: K − K̂ is positive semi-definite, and so is C(K − K̂)C: λ̂ᵢ ≤ λᵢ ≤ λ̂ᵢ + ‖C(K − K̂)C‖. Rows drawn in the same
//!   reading bound that norm ([`Probe`]); rounding may lift λ̂ᵢ above λᵢ by as much as [`Nystrom::rounding`] says.
//! - Frequencies: K̂ is the mean of K_f over M drawn frequencies f. To first order λ̂ = uᵀK̂u is the mean of
//!   uᵀK_f u = M·λ̂·(v_cos² + v_sin²), whose spread over the frequencies gives the standard error. Beyond first order λ̂ is
//!   biased (the first eigenvalues are too large), as eigenvalues of a sample covariance are. Half of the frequencies have
//!   K̂ + D, where D is distributed as K̂ − K. The scatter of their features is a part of the whole scatter, and the distance
//!   of its eigenvalues from λ̂ shows how far λ̂ may lie from λ.

use super::fit::StrategyResult;
use super::leading::{Request, leading};
use super::width::note_width;
use super::{Basis, KernelPcaOptions, SpectrumError};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{
    CHANCE, FeatureMap, Fourier, Kernel, Largest, Nystrom, NystromOptions, Probe, Probed,
    product_by_tiles,
};
use crate::linalg::{dot, product, symmetric_eigenvalues};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::{Scale, find_not_finite};
use crate::rng::{Rng, stream};
use crate::solve::{FeatureBlocks, Keep, Plan, Problem, Solver, Spectrum, solve_scatter};
use crate::source::{Block, Rows, Source, fold};
use crate::summary::{Scatter, Summary};

/// The number of rows whose features are computed at a time.
const RUN: usize = 512;
/// How often frequencies are split in halves.
const SPLITS: usize = 4;

/// Components of features.
pub(super) struct Components {
    pub(super) n_rows: usize,
    /// Of the features.
    pub(super) mean: Vec<f64>,
    pub(super) spectrum: Spectrum,
    /// An upper bound on the trace of the kernel matrix that the features miss.
    pub(super) lost: f64,
}

/// Sums of the reading besides the scatter, for a bound.
struct Read {
    /// Σφⱼ² of each feature over all rows.
    squares: Vec<f64>,
    /// Rounding errors of the kernels.
    largest: Largest,
    probe: Option<Probe>,
}

/// Sums of one reading.
struct Sums {
    scatter: Scatter,
    /// Σ k(x, x).
    own: f64,
    /// Rows drawn with probabilities given by the error of their features, if there is an error.
    probe: Option<Probe>,
    /// Rounding errors of the kernels.
    largest: Largest,
}

impl KernelPcaOptions {
    /// By landmarks.
    pub(super) fn fit_nystrom<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        kernel: &Kernel,
        n_landmarks: usize,
        (problem, plan): (&Problem, &mut Plan),
    ) -> Result<StrategyResult, Error> {
        let options = NystromOptions {
            n_landmarks,
            landmarks: self.landmarks,
            seed: self.seed,
        };
        let (map, drawn) = options.fit_centered(ctx, kernel, source)?;
        let n = source.n_rows().unwrap_or(usize::MAX);
        let by_products = match (plan.solver, problem.keep) {
            (Solver::Randomized, Keep::Count(k)) => {
                let request = Request {
                    k,
                    blocks: FeatureBlocks::new((n, source.n_cols()), n_landmarks, k),
                    problem,
                    explicit: self.tolerance.is_some(),
                };
                let found = leading(ctx, source, (&map, drawn), &request)?;
                if found.is_none() {
                    plan.solver = Solver::Covariance;
                    plan.reason +=
                        ", which did not converge in time, so the scatter was decomposed";
                }
                found
            }
            _ => None,
        };
        let (found, error) = match by_products {
            Some(found) => found,
            None => {
                let probe = || Some(Probe::new(n, n_landmarks, source.n_cols(), self.seed));
                let features = |rows, first| map.features_and_lengths(rows, first);
                let sums = read(ctx, source, (map.n_features(), &probe), features)?;
                let (found, read) = decomposed(ctx, sums, problem)?;
                let error = bound(ctx, &map, read, &found)?;
                (found, error)
            }
        };
        // 1. φ(x)ᵀv = k(x)ᵀ·VΛ^(−½)·v for the kernels k(x) with the landmarks.
        let (kernel, points, whiten) = map.into_parts();
        let vectors = varying(&found.spectrum);
        let mut weights = product(whiten.view(), vectors.view().transposed());
        let mut offset: Vec<f64> = vectors.rows().map(|v| dot(v, &found.mean)).collect();
        // 2. Signs are set by the landmarks' scores, so that with all rows as landmarks the result is the exact fit.
        let m = points.len();
        let own =
            ctx.install(|| product_by_tiles(ctx, &kernel, (&points, m), &points, &weights))?;
        for j in 0..offset.len() {
            let scores: Vec<f64> = own.col(j).iter().map(|x| x - offset[j]).collect();
            if self.sign.flips(&scores) {
                offset[j] = -offset[j];
                (0..m).for_each(|i| weights[(i, j)] = -weights[(i, j)]);
            }
        }
        let mean = product(whiten.view(), column(&found.mean)?.view()).into_vec();
        let mut notes = found.notes(self.n_components, "nystrom", m, &error);
        let width = note_width(&kernel, &points, found.n_rows, self.scale != Scale::None)?;
        // Landmarks lie far apart, so that their matrix alone does not show whether the kernel is too narrow for the rows: that
        // note is kept only where the landmarks miss more than half of the trace.
        let missed = found.lost > 0.5 * found.n_rows as f64;
        notes.extend(width.filter(|note| {
            let identity = matches!(note, Note::UnsuitedWidth { identity: true, .. });
            !identity || missed
        }));
        Ok(StrategyResult {
            n_rows: found.n_rows,
            kernel,
            basis: Basis::Rows(points),
            weights,
            offset,
            mean,
            eigenvalues: found.eigenvalues(),
            notes,
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
    ) -> Result<StrategyResult, Error> {
        let (kernel, map) = Fourier::fit(ctx, kernel, source, n_features / 2, self.seed)?;
        // k(x, x) = 1 for all kernels of differences here, and so is ‖φ(x)‖².
        let features = |rows: Mat<f64>, first| {
            let own = vec![1.0; rows.n_rows()];
            Ok((map.features(rows, first)?, own, Largest::default()))
        };
        let sums = read(ctx, source, (map.n_features(), &|| None), features)?;
        let halves = ctx.install(|| of_halves(&sums.scatter, self.seed))?;
        let (found, _) = decomposed(ctx, sums, problem)?;
        let vectors = varying(&found.spectrum);
        let error = estimate(&found.spectrum, &vectors, &halves);
        Ok(StrategyResult {
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

/// The scatter of all rows' features. `features` gives the features of some rows, k(x, x) of each, and the rounding errors of
/// the kernels.
fn read<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    (n_features, probe): (usize, &(dyn Fn() -> Option<Probe> + Sync)),
    features: impl Fn(Mat<f64>, usize) -> Result<(Mat<f64>, Vec<f64>, Largest), Error> + Sync,
) -> Result<Sums, Error> {
    let new = || Sums {
        scatter: Scatter::new(n_features),
        own: 0.0,
        probe: probe(),
        largest: Largest::default(),
    };
    ctx.begin("features", source.n_rows().map(|n| n as u64));
    let bytes = Summary::<f64>::bytes(&new().scatter) + probe().map_or(0, |probe| probe.bytes());
    let add = |sums: &mut Sums, rows: &Rows<'_, T>| {
        let n = rows.block.n_rows();
        for start in (0..n).step_by(RUN) {
            ctx.check()?;
            let end = (start + RUN).min(n);
            let mut cells = Mat::zeros(end - start, rows.block.n_cols());
            let run = rows.block.slice_rows(start, end);
            run.copy_to_f64(cells.as_mut_slice());
            let kept = sums.probe.is_some().then(|| cells.clone());
            let (features, own, largest) = features(cells, rows.first + start)?;
            sums.largest = sums.largest.and(largest);
            sums.own += own.iter().sum::<f64>();
            if let (Some(probe), Some(cells)) = (&mut sums.probe, kept) {
                let missed = own.iter().zip(features.rows());
                let missed: Vec<f64> = missed.map(|(own, f)| own - dot(f, f)).collect();
                probe.add(&cells, &missed, rows.first + start);
            }
            sums.scatter.add(&Rows {
                first: rows.first + start,
                block: Block::Dense(features.view()),
                weights: None,
            })?;
        }
        Ok(())
    };
    let merge = |a: &mut Sums, b: Sums| {
        Summary::<f64>::merge(&mut a.scatter, b.scatter);
        a.own += b.own;
        a.largest = a.largest.and(b.largest);
        if let (Some(a), Some(b)) = (&mut a.probe, b.probe) {
            a.merge(b);
        }
    };
    let sums = fold(ctx, source, bytes, new, add, merge)?;
    if !sums.scatter.is_finite() || !sums.own.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    Ok(sums)
}

/// A bound on how far eigenvalues from landmarks lie below the exact ones.
fn bound(
    ctx: &Context,
    map: &Nystrom,
    read: Read,
    found: &Components,
) -> Result<SpectrumError, Error> {
    let lost = found.lost;
    let weights = map.weights(&read.squares);
    let (above, entries) = map.rounding(found.n_rows, weights, read.largest);
    let probed = match read.probe {
        Some(probe) => probe.finish(ctx, map, lost)?,
        None => Probed {
            norm: lost,
            drawn: None,
        },
    };
    Ok(SpectrumError::Bound {
        lost,
        norm: Some(probed.norm + above + entries),
        above: Some(above + entries),
        drawn: probed.drawn,
        chance: probed.drawn.map(|_| CHANCE),
    })
}

/// Eigenvalues of the scatter of half of the frequencies, as often as halves are drawn.
fn of_halves(scatter: &Scatter, seed: u64) -> Result<Vec<Vec<f64>>, Error> {
    let count = scatter.mean().len() / 2;
    let mut halves = Vec::new();
    if count < 2 {
        return Ok(halves);
    }
    let whole = scatter.clone().into_matrix(true);
    let mut rng = Rng::new(stream(seed, 2));
    let mut order: Vec<usize> = (0..count).collect();
    for _ in 0..SPLITS {
        rng.shuffle(&mut order);
        for half in [&order[..count / 2], &order[count - count / 2..]] {
            // Cosines and sines of the same frequencies; each has √(M/half) times the weight it has among all frequencies.
            let places: Vec<usize> = half.iter().flat_map(|&i| [i, i + count]).collect();
            let scale = count as f64 / half.len() as f64;
            let part = Mat::from_fn(places.len(), places.len(), |i, j| {
                scale * whole[(places[i], places[j])]
            });
            halves.push(symmetric_eigenvalues(&part)?);
        }
    }
    Ok(halves)
}

/// Standard errors of eigenvalues from frequencies, and the distance of the eigenvalues of half of the frequencies.
fn estimate(spectrum: &Spectrum, vectors: &Mat<f64>, halves: &[Vec<f64>]) -> SpectrumError {
    let values: Vec<f64> = spectrum.singular_values.iter().map(|s| s * s).collect();
    let of_half = |i: usize| {
        let half = |half: &Vec<f64>| half.get(i).copied().unwrap_or(0.0).max(0.0);
        let squares = halves.iter().map(|h| (half(h) - values[i]).powi(2));
        (squares.sum::<f64>() / halves.len().max(1) as f64).sqrt()
    };
    SpectrumError::Estimate {
        standard_errors: (0..values.len())
            .map(|i| standard_error(values[i], vectors.row(i)))
            .collect(),
        of_halves: (0..values.len()).map(of_half).collect(),
    }
}

/// Eigenpairs of a scatter of features.
fn decomposed(ctx: &Context, sums: Sums, problem: &Problem) -> Result<(Components, Read), Error> {
    let Sums {
        scatter,
        own,
        probe,
        largest,
    } = sums;
    let (n_rows, mean) = (scatter.n_rows(), scatter.mean());
    let trace: f64 = (0..mean.len()).map(|j| scatter.diagonal(j)).sum();
    // Σk(x, x) − Σ‖φ(x)‖², the latter about the mean and of the mean itself.
    let squares: Vec<f64> = (0..mean.len())
        .map(|j| scatter.diagonal(j) + n_rows as f64 * mean[j] * mean[j])
        .collect();
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
    // Shares are relative to the whole variance, including what the features miss, so that no share is too large.
    spectrum.norm = (trace + lost).max(0.0).sqrt();
    let first = spectrum.singular_values.first().copied().unwrap_or(0.0);
    let clear = |s: &&f64| **s > 0.0 && (**s / first).powi(2) >= resolution;
    let kept = match problem.keep {
        Keep::Count(k) => k,
        Keep::Share(share) => spectrum.count_for_share(share).unwrap_or(spectrum.rank),
        // The components that are not lost to the squaring of features.
        Keep::All | Keep::Auto => spectrum.singular_values.iter().take_while(clear).count(),
    };
    let mut spectrum = spectrum.truncated(kept.max(1));
    // A bound for the components of the features does not hold for the components of the kernel.
    spectrum.angle = None;
    if let Keep::Count(k) = problem.keep {
        pad(&mut spectrum, k);
    }
    let found = Components {
        n_rows,
        mean,
        spectrum,
        lost,
    };
    let read = Read {
        squares,
        largest,
        probe,
    };
    Ok((found, read))
}

/// Pads to the requested number of components: components outside the span of the features have no variance, as in the exact fit.
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

/// Eigenvectors of components with variance, zeros for others.
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
    /// Notes on what approximates the kernel matrix, and on components without variance.
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
        let errors = error.of_eigenvalues(self.spectrum.len());
        let largest = errors.iter().fold(0.0f64, |m, e| m.max(*e));
        let mut notes = vec![Note::Approximated {
            how: how.to_owned(),
            size,
            error: if first > 0.0 { largest / first } else { 0.0 },
            above: match error {
                SpectrumError::Bound { above, .. } if first > 0.0 => {
                    above.map(|above| above / first)
                }
                _ => None,
            },
            probed: match error {
                SpectrumError::Bound { drawn, .. } => *drawn,
                SpectrumError::Estimate { .. } => None,
            },
        }];
        if let Keep::Count(_) = keep {
            notes.extend(self.spectrum.note_rank(self.n_rows));
        }
        notes
    }

    /// The eigenvalues; 0 for components without variance.
    fn eigenvalues(&self) -> Vec<f64> {
        let values = self.spectrum.singular_values.iter().enumerate();
        let squares = values.map(|(i, s)| if i < self.spectrum.rank { s * s } else { 0.0 });
        squares.collect()
    }

    /// The spectrum without its vectors, and without the number that only the noise variance of a PCA needs.
    fn into_spectrum(self) -> Spectrum {
        Spectrum {
            vectors: Mat::zeros(0, 0),
            left_out: None,
            ..self.spectrum
        }
    }
}
