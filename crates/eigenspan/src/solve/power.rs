//! `power`: power iteration with deflation, as in the lectures; for teaching and as a cross-check.
//!
//! v ← Cv / ‖Cv‖ until Cv = λv, then C ← C − λvvᵀ and again. Converges like (λ₂/λ₁)ᵗ: slowly where eigenvalues are close.

use super::covariance::{note_resolution, prepared_scatter, proven_residuals};
use super::krylov::ROUNDING;
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solution};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, largest_first, norm, orthonormalize_rows};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::rng::Rng;
use crate::source::Source;

/// Residual ‖Cv − λv‖ / λ at which a pair has converged.
const TOLERANCE: f64 = 1e-13;
/// After this many iterations a pair that has not converged is accepted, with a note.
const MAX_ITERATIONS: usize = 20_000;

/// One eigenpair computed by power iteration.
#[derive(Debug, Clone)]
pub struct PowerPair {
    /// The eigenvalue vᵀCv.
    pub value: f64,
    /// The unit vector.
    pub vector: Vec<f64>,
    /// Number of products with C.
    pub iterations: usize,
    /// Whether the residual fell below the tolerance.
    pub converged: bool,
}

/// The dominant eigenpair of a symmetric matrix, from a seeded random start. `scale` is the largest eigenvalue before
/// deflation, whose rounding limits the residual; `known` are unit vectors to which the result stays orthogonal.
pub fn power_iteration(
    c: &Mat<f64>,
    known: &[Vec<f64>],
    scale: Option<f64>,
    rng: &mut Rng,
) -> PowerPair {
    let d = c.n_rows();
    let mut v: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
    clean(&mut v, known);
    let mut value = 0.0;
    for iteration in 1..=MAX_ITERATIONS {
        // 1. w = Cv, made orthogonal to the vectors already computed: otherwise rounding would let them grow again.
        let mut w: Vec<f64> = c.rows().map(|row| dot(row, &v)).collect();
        known.iter().for_each(|k| remove(&mut w, k));
        // 2. λ = vᵀCv and the residual w − λv.
        value = dot(&v, &w);
        let difference: Vec<f64> = w.iter().zip(&v).map(|(w, v)| w - value * v).collect();
        let residual = norm(&difference);
        let rounding = ROUNDING * scale.unwrap_or(0.0);
        if residual <= rounding.max(TOLERANCE * value.abs()) {
            return PowerPair {
                value,
                vector: v,
                iterations: iteration,
                converged: true,
            };
        }
        // 3. v ← w / ‖w‖.
        v = w;
        if !clean(&mut v, known) {
            break;
        }
    }
    PowerPair {
        value,
        vector: v,
        iterations: MAX_ITERATIONS,
        converged: false,
    }
}

pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let (scatter, mut solution) = prepared_scatter(ctx, source, problem)?;
    let d = scatter.n_rows();
    let trace: f64 = (0..d).map(|j| scatter[(j, j)]).sum();
    let possible = solution.n_rows.min(d);
    let mut deflated = scatter.clone();
    let mut rng = Rng::new(problem.seed);
    let (mut values, mut vectors) = (Vec::new(), Vec::<Vec<f64>>::new());
    let mut iterations = 0;
    let mut stuck = None;
    while values.len() < possible && !enough(&values, trace, problem.keep) {
        ctx.check()?;
        let scale = values.first().copied();
        let pair = power_iteration(&deflated, &vectors, scale, &mut rng);
        iterations += pair.iterations;
        if !pair.converged && stuck.is_none() {
            stuck = Some(values.len());
        }
        // Deflate: C ← C − λvvᵀ has the same eigenvectors, with eigenvalue 0 for v.
        for i in 0..d {
            let left = pair.value * pair.vector[i];
            deflated
                .row_mut(i)
                .iter_mut()
                .zip(&pair.vector)
                .for_each(|(c, v)| *c -= left * v);
        }
        values.push(pair.value);
        vectors.push(pair.vector);
    }
    // Beyond the rank, eigenvalues come in no order.
    let order = largest_first(&values);
    let values: Vec<f64> = order.iter().map(|&i| values[i]).collect();
    let mut rows = Mat::from_fn(vectors.len(), d, |i, j| vectors[order[i]][j]);
    orthonormalize_rows(&mut rows);
    let pairs = Pairs::from_scatter(&scatter, &values, rows, solution.n_rows);
    let mut spectrum = Spectrum::leading(pairs, problem, solution.spectrum.divisor);
    let squares: Vec<f64> = spectrum.singular_values.iter().map(|s| s * s).collect();
    let found = (&squares[..], &spectrum.vectors);
    let residuals = proven_residuals(ctx, Some(source), scatter, &solution, found)?;
    spectrum.set_absolute_residuals(&residuals);
    if let Some(first) = stuck {
        let residual = spectrum
            .residuals
            .iter()
            .skip(first)
            .fold(0.0f64, |m, r| m.max(*r));
        solution.notes.push(Note::NotConverged {
            solver: "power".to_owned(),
            iterations,
            residual,
            tolerance: TOLERANCE,
        });
    }
    let note = note_resolution(&spectrum, problem, &solution);
    solution.notes.extend(note);
    solution.spectrum = spectrum;
    Ok(solution)
}

/// Whether enough pairs have been computed. A share needs only them and the trace.
fn enough(values: &[f64], trace: f64, keep: Keep) -> bool {
    match keep {
        Keep::All | Keep::Auto => false,
        Keep::Count(k) => values.len() >= k,
        Keep::Share(share) => super::keep::count_for_share(values.iter().copied(), trace, share)
            .is_some_and(|k| k <= values.len()),
    }
}

/// Removes the direction `k` from `v`.
fn remove(v: &mut [f64], k: &[f64]) {
    let along = dot(v, k);
    v.iter_mut().zip(k).for_each(|(v, k)| *v -= along * k);
}

/// Makes v a unit vector orthogonal to the known ones; returns false if v lies in their span.
fn clean(v: &mut [f64], known: &[Vec<f64>]) -> bool {
    known.iter().for_each(|k| remove(v, k));
    let length = norm(v);
    if length > 0.0 {
        v.iter_mut().for_each(|x| *x /= length);
    }
    length > 0.0
}
