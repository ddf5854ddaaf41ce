//! The exact strategy: open parameters of the kernel are found on all rows, and their kernel matrix, stored or computed again
//! for every product, is decomposed.

use super::fit::StrategyResult;
use super::width::note_width;
use super::{Basis, KernelPcaOptions};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{
    CenteredGram, CenteredPrecomputed, Gram, Kernel, Points, ResolvedKernel, Verdict,
    subtract_column_means,
};
use crate::linalg::norm;
use crate::mat::{Mat, Real};
use crate::prepare::Scale;
use crate::solve::{
    Centered, GramSolution, Keep, Known, Problem, Solver, Storage, centered_trace, solve_gram,
};

impl KernelPcaOptions {
    /// The kernel matrix of all rows, whose cells were of type T, and its eigenpairs.
    pub(super) fn fit_exact<T: Real>(
        &self,
        ctx: &Context,
        kernel: &Kernel,
        rows: Mat<f64>,
        (storage, solver): (Storage, Solver),
        problem: &Problem,
    ) -> Result<StrategyResult, Error> {
        let kernel = ResolvedKernel::from_cells::<T>(kernel, &rows)?.for_centering(&rows)?;
        let points = kernel.points(rows, 0)?;
        let note = note_width(&kernel, &points, points.len(), self.scale != Scale::None)?;
        let mut found = self.fit_resolved(ctx, kernel, points, (storage, solver), problem)?;
        found.notes.extend(note);
        Ok(found)
    }

    /// The same for a kernel whose parameters are all numbers, and its points.
    pub(super) fn fit_resolved(
        &self,
        ctx: &Context,
        kernel: ResolvedKernel,
        points: Points,
        (storage, solver): (Storage, Solver),
        problem: &Problem,
    ) -> Result<StrategyResult, Error> {
        let semidefinite = kernel.kernel().verdict() != Verdict::Not;
        // A precomputed matrix is centered with twice the digits; centering it once more then changes nothing.
        let given = match kernel.kernel().is_precomputed() {
            true => Some(ctx.install(|| CenteredPrecomputed::new(points.rows()))),
            false => None,
        };
        let points = match &given {
            Some(given) => kernel.points(given.centered.clone(), 0)?,
            None => points,
        };
        let rounding = match &given {
            Some(given) => (given.rounding, norm(given.centered.as_slice())),
            None => {
                let rounding = kernel.rounding(&points);
                (rounding.norm(), rounding.norm_bound())
            }
        };
        let (row_means, solution) = ctx.install(|| {
            let anew = Gram::recomputed(ctx, &kernel, &points);
            let (gram, exact) = match storage {
                Storage::Double if solver == Solver::Full => {
                    (Gram::stored(ctx, &kernel, &points)?, None)
                }
                Storage::Double => (Gram::half(ctx, &kernel, &points)?, None),
                // Scores and residuals are computed with the matrix before it was rounded; its means always are.
                Storage::Single => (Gram::single(ctx, &kernel, &points)?, Some(anew)),
                Storage::Recomputed => (anew, None),
            };
            let grams = (gram, exact);
            let about = (semidefinite, rounding);
            self.solve(ctx, grams, (&kernel, &points), about, (problem, solver))
        })?;
        let row_means = given.map_or(row_means, |given| given.row_means);
        exact_found(self.n_components, solution, row_means, kernel, points)
    }

    /// Eigenpairs of the centered kernel matrix, and the means of its rows before centering. `semidefinite` says whether no eigenvalue
    /// can be negative; the norms bound the rounding errors of the entries and of the centering. `exact` is the matrix before
    /// rounding, where the iteration uses a rounded one.
    fn solve(
        &self,
        ctx: &Context,
        (gram, exact): (Gram<'_>, Option<Gram<'_>>),
        (kernel, points): (&ResolvedKernel, &Points),
        (semidefinite, (rounding, whole)): (bool, (f64, f64)),
        (problem, solver): (&Problem, Solver),
    ) -> Result<(Vec<f64>, GramSolution), Error> {
        // 1. The means that centering subtracts, and the trace that remains.
        let row_means = gram.row_means()?;
        let diagonal = kernel.diagonal(points);
        let known = Known {
            n: points.len(),
            trace: centered_trace(&diagonal, &row_means),
            semidefinite,
            negative: self.negative,
            rounding,
            whole,
            needs_smallest: true,
        };
        if !known.trace.is_finite() || row_means.iter().any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        // 2. Eigenpairs of K̄.
        ctx.check()?;
        let solution = match solver {
            Solver::Full => {
                let matrix = gram.into_centered(&row_means).unwrap_or_default();
                let centered = Centered::Matrix(matrix);
                solve_gram(ctx, &centered, &known, problem, solver)?
            }
            solver => {
                let (map, exact) = (
                    CenteredGram(&gram),
                    CenteredGram(exact.as_ref().unwrap_or(&gram)),
                );
                let centered = Centered::Map {
                    map: &map,
                    exact: &exact,
                };
                solve_gram(ctx, &centered, &known, problem, solver)?
            }
        };
        Ok((row_means, solution))
    }
}

/// Weights, offset and scores of the exact strategy.
fn exact_found(
    keep: Keep,
    solution: GramSolution,
    row_means: Vec<f64>,
    kernel: ResolvedKernel,
    points: Points,
) -> Result<StrategyResult, Error> {
    let GramSolution {
        mut spectrum,
        mut eigenvalues,
        images,
        mut notes,
    } = solution;
    // Only the noise variance of a PCA needs this number, and model files of kernel PCA do not have it.
    spectrum.left_out = None;
    if are_all_the_same(&points) {
        // Nothing varies: what centering left is rounding.
        spectrum.singular_values.fill(0.0);
        spectrum.residuals.fill(0.0);
        eigenvalues.fill(0.0);
        (spectrum.norm, spectrum.rank) = (0.0, 0);
    }
    let (n, k) = (row_means.len(), spectrum.len());
    if let Keep::Count(_) = keep {
        notes.extend(spectrum.note_rank(n));
    }
    // α = u·√λ'/λ. Where λ' = λ this is u/√λ; otherwise it gives the training rows the scores √λ'·u. A projection of the same
    // rows gives the scores K̄α, up to rounding.
    let factor = |j: usize| match j < spectrum.rank && eigenvalues[j] != 0.0 {
        true => spectrum.singular_values[j] / eigenvalues[j],
        false => 0.0,
    };
    let factors: Vec<f64> = (0..k).map(factor).collect();
    let scores = Mat::from_fn(n, k, |i, j| images[(j, i)] * factors[j]);
    let mut weights = Mat::from_fn(n, k, |i, j| spectrum.vectors[(j, i)] * factors[j]);
    subtract_column_means(&mut weights);
    // The score of the training rows' mean before centering: Σᵢ αᵢ·(mean of row i).
    let mut offset = vec![0.0; k];
    for (mean, row) in row_means.iter().zip(weights.rows()) {
        offset.iter_mut().zip(row).for_each(|(o, a)| *o += mean * a);
    }
    spectrum.vectors = Mat::zeros(0, 0);
    let basis = match kernel.kernel().is_precomputed() {
        true => Basis::Given(n),
        false => Basis::Rows(points),
    };
    Ok(StrategyResult {
        n_rows: n,
        kernel,
        basis,
        weights,
        offset,
        mean: vec![1.0 / n as f64; n],
        spectrum,
        eigenvalues,
        error: None,
        scores: Some(scores),
        notes,
    })
}

fn are_all_the_same(points: &Points) -> bool {
    let mut rows = points.rows().rows();
    let first = rows.next();
    rows.all(|row| Some(row) == first)
}
