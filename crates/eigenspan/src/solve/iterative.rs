//! `lanczos`, `randomized` and `partial`: the leading components only, until measured residuals are within the tolerance.
//!
//! `lanczos` and `randomized` multiply with the data itself, once per block of vectors, and never form the covariance: for
//! wide or sparse rows. `partial` forms the covariance once and iterates on it, as long as that costs less than to compute the
//! leading pairs without iterating: for few components of many columns.

use super::cost::products_to_try;
use super::covariance::{
    decompose, empty_solution, note_resolution, prepared_scatter, proven_residuals,
};
use super::krylov::{LeadingPairs, ROUNDING, Symmetric, Wanted, leading_pairs, wide};
use super::spectrum::{Pairs, Spectrum};
use super::work::{self, Work};
use super::{Keep, Problem, Shape, Solution, Solver, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Columns, LinearMap, norm, polish_rows};
use crate::mat::Real;
use crate::note::Note;
use crate::prepare::{ColumnStatistics, InMemory, Preparation, Prepared, Scale, find_not_finite};
use crate::source::{Passes, Source};
use crate::summary::{Accuracy, Moments, summarize};

/// Products with the data after which an iteration is given up, with a note.
const MAX_PRODUCTS: usize = 1000;
/// With fewer affordable products than this, no iteration is tried.
const FEWEST_PRODUCTS: usize = 4;
/// Number of components computed first when a share of the variance is requested.
const FIRST_TRY: usize = 16;

/// AᵀA of a linear map.
struct Gram<'a> {
    map: &'a dyn LinearMap,
    sparse: bool,
    rounding: f64,
    /// Work of a product with one vector.
    work: Work,
}

impl Symmetric for Gram<'_> {
    fn dim(&self) -> usize {
        self.map.shape().1
    }
    fn apply(&self, q: &Columns) -> Result<Columns, Error> {
        self.map.gram_times(q)
    }
    fn work(&self, n_vectors: usize) -> Work {
        self.work * n_vectors as f64
    }
    fn few(&self) -> usize {
        if self.sparse { 8 } else { 12 }
    }
    fn rounding(&self) -> f64 {
        self.rounding
    }
}

/// AAᵀ of rows in memory.
struct Outer<'a, T>(&'a InMemory<'a, T>, usize, Work);

impl<T: Real> Symmetric for Outer<'_, T> {
    fn dim(&self) -> usize {
        self.1
    }
    fn apply(&self, u: &Columns) -> Result<Columns, Error> {
        Ok(self.0.outer_times(u))
    }
    fn work(&self, n_vectors: usize) -> Work {
        self.2 * n_vectors as f64
    }
}

/// `lanczos` and `randomized`.
pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
    solver: Solver,
) -> Result<Solution, Error> {
    if source.passes() == Passes::Once {
        return Err(Error::ReadOnce {
            solver: solver.name(),
            passes: "many",
        });
    }
    let d = source.n_cols();
    // 1. Means, scales and the trace in one reading.
    let moments = summarize(ctx, source, || Moments::new(d))?;
    let (n_rows, weight) = (moments.n_rows(), moments.weight());
    let divisor = checked_divisor(problem.convention, n_rows, weight)?;
    problem.keep.check_shape(n_rows, d)?;
    if !moments.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    if moments.is_underflowed() {
        return Err(Error::Underflow);
    }
    let mean = moments.mean();
    let squares: Vec<f64> = match problem.center {
        true => moments.squares().to_vec(),
        false => (0..d)
            .map(|j| moments.squares()[j] + weight * mean[j] * mean[j])
            .collect(),
    };
    let spread: Vec<f64> = squares.iter().map(|s| s.max(0.0).sqrt()).collect();
    let scale = problem.scale.factors(&ColumnStatistics {
        spread: &spread,
        mean: &mean,
        divisor,
        unit: 1.0,
    })?;
    let prepared_squares: Vec<f64> = match &scale {
        Some(_) if problem.scale == Scale::Std => spread
            .iter()
            .map(|s| if *s > 0.0 { divisor } else { 0.0 })
            .collect(),
        Some(scale) => {
            let squared = |(s, factor): (&f64, &f64)| (s / factor) * (s / factor);
            spread.iter().zip(scale).map(squared).collect()
        }
        None => squares,
    };
    let center = if problem.center { mean } else { vec![0.0; d] };
    let preparation = Preparation { center, scale };
    // 2. Products with the data, one reading each.
    let trace: f64 = prepared_squares.iter().sum();
    let beyond = match problem.center {
        true => moments.mean_beyond(&preparation.center),
        false => vec![0.0; d],
    };
    let map = Prepared::new(ctx, source, &preparation, n_rows)
        .with_spread(&spread, weight)
        .with_mean_beyond(beyond, weight)
        .with_bands()?;
    let offset = offset(&preparation, weight, trace);
    let mut data = Data {
        ctx,
        map,
        sparse: source.nnz().is_some(),
        near: (OFFSET_ROUNDING * offset <= problem.tolerance).then_some(offset),
        n_rows,
        trace,
        work: work::there_and_back(Shape::from_source(source), 1.0),
        lengths: prepared_squares.iter().map(|s| s.max(0.0).sqrt()).collect(),
    };
    let mut found = data.leading(problem, solver)?;
    // An iteration that another solver will replace is not started again.
    let given_up = problem.patience.is_some() && !found.converged;
    if data.near.is_some() && !given_up && !found.resolved(problem.tolerance) {
        // The rounding of the offset may have blurred the smallest components: center rows before products.
        data.near = None;
        found = data.leading(problem, solver)?;
    }
    let Preparation { center, scale } = preparation.clone();
    let mut solution = empty_solution(n_rows, weight, center, scale, spread, divisor);
    solution.outcome = found.found.outcome;
    finish(&mut solution, problem, solver, &prepared_squares, found);
    Ok(solution)
}

/// Rounding error of products with rows that are not centered, for an offset as long as the centered rows; it grows with the
/// offset.
const OFFSET_ROUNDING: f64 = 1e-13;

/// The length of the offset relative to that of the centered rows.
fn offset(preparation: &Preparation, weight: f64, trace: f64) -> f64 {
    let Preparation { center, scale } = preparation;
    let scaled: Vec<f64> = match scale {
        Some(scale) => center.iter().zip(scale).map(|(m, s)| m / s).collect(),
        None => center.clone(),
    };
    match norm(&scaled) * weight.sqrt() {
        0.0 => 0.0,
        length => length / trace.sqrt(),
    }
}

/// Prepared rows, as the iteration uses them.
struct Data<'a, T> {
    ctx: &'a Context,
    map: Prepared<'a, T>,
    sparse: bool,
    /// The relative length of the offset, if it is short enough to be subtracted after the product; `None` centers rows first.
    near: Option<f64>,
    n_rows: usize,
    trace: f64,
    /// Work of a product with one vector.
    work: Work,
    /// Lengths of the prepared columns.
    lengths: Vec<f64>,
}

/// Pairs that an iteration computed, with residuals measured on the data.
struct Measured {
    found: LeadingPairs,
    /// Whether residuals are within the tolerance, or as small as rounding permits.
    converged: bool,
}

impl Measured {
    /// Whether no residual is so far above the tolerance that a note would name it.
    fn resolved(&self, tolerance: f64) -> bool {
        let first = self.found.values.first().copied().unwrap_or(0.0);
        let mut pairs = self.found.values.iter().zip(&self.found.residuals);
        pairs.all(|(value, r)| *r <= BLURRED * tolerance * value || *value <= ROUNDING * first)
    }
}

impl<T: Real> Data<'_, T> {
    /// The leading pairs, with residuals measured on the centered data.
    fn leading(&self, problem: &Problem, solver: Solver) -> Result<Measured, Error> {
        let (mut found, converged) = self.iterated(problem, solver)?;
        if problem.patience.is_some() && !converged {
            // Another solver takes over: these pairs are not used.
            return Ok(Measured { found, converged });
        }
        polish_rows(&mut found.vectors);
        // Products with the final vectors: combinations of earlier products would not show what polishing changed.
        let images = self
            .map
            .gram_times(&Columns::from_rows(&found.vectors))?
            .to_rows();
        (self.work * found.values.len() as f64).count(self.ctx);
        let bounds = self.rounding(&found);
        for (i, bound) in bounds.iter().enumerate() {
            let pair = images.row(i).iter().zip(found.vectors.row(i));
            let difference: Vec<f64> = pair.map(|(a, v)| a - found.values[i] * v).collect();
            found.residuals[i] = norm(&difference) + bound;
        }
        Ok(Measured { found, converged })
    }

    /// Bounds on the rounding error of the residuals.
    fn rounding(&self, found: &LeadingPairs) -> Vec<f64> {
        // Sparse rows are summed one after the other within a group of parts.
        let accuracy = match self.sparse {
            true => Accuracy {
                depth: (self.n_rows / 4) as f64,
                blur: 0.0,
            },
            false => Accuracy::in_chunks(self.n_rows),
        };
        let roots: Vec<f64> = found.values.iter().map(|x| x.max(0.0).sqrt()).collect();
        rounding::of_products(accuracy, &self.lengths, &roots, &found.vectors)
    }

    fn iterated(&self, problem: &Problem, solver: Solver) -> Result<(LeadingPairs, bool), Error> {
        let (n, d) = self.map.shape();
        // For few long rows in memory, iterate on AAᵀ: its vectors are only as long as the columns.
        if let Some(rows) = self.map.in_memory().filter(|_| n < d) {
            let outer = Outer(&rows, n, self.work);
            let (found, converged) = self.iterate(&outer, problem, solver)?;
            if problem.patience.is_some() && !converged {
                return Ok((found, converged));
            }
            (self.work * (0.5 * found.values.len() as f64)).count(self.ctx);
            if let Some(found) = right_of(&rows, found) {
                return Ok((found, converged));
            }
        }
        let map = self.map.clone().near_center(self.near.is_some());
        let gram = Gram {
            map: &map,
            sparse: self.sparse,
            rounding: ROUNDING * (1.0 + self.near.unwrap_or(0.0)),
            work: self.work,
        };
        self.iterate(&gram, problem, solver)
    }

    fn iterate(
        &self,
        a: &dyn Symmetric,
        problem: &Problem,
        solver: Solver,
    ) -> Result<(LeadingPairs, bool), Error> {
        let trace = (self.trace, true);
        iterate(self.ctx, a, problem, solver, self.n_rows, trace)
    }
}

/// `partial`.
pub(super) fn solve_partial<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let (scatter, mut solution) = prepared_scatter(ctx, source, problem)?;
    if let Keep::Count(k) = problem.keep
        && products_to_try(scatter.n_rows(), k) < FEWEST_PRODUCTS
    {
        return decompose(ctx, scatter, solution, problem, Some(source));
    }
    let squares: Vec<f64> = (0..scatter.n_rows())
        .map(|j| scatter[(j, j)].max(0.0))
        .collect();
    let n_rows = solution.n_rows;
    let trace = (squares.iter().sum(), true);
    let (mut found, converged) = iterate(ctx, &scatter, problem, Solver::Partial, n_rows, trace)?;
    if !converged {
        // A flat spectrum: the cost of a solver without iterations does not depend on the spectrum.
        return decompose(ctx, scatter, solution, problem, Some(source));
    }
    polish_rows(&mut found.vectors);
    let pairs = (&found.values[..], &found.vectors);
    found.residuals = proven_residuals(ctx, Some(source), scatter, &solution, pairs)?;
    let measured = Measured { found, converged };
    finish(&mut solution, problem, Solver::Partial, &squares, measured);
    Ok(solution)
}

/// Runs the iteration; if a share is requested, with more and more components until they reach it. Also returns whether the
/// residuals are within the tolerance, or as small as rounding permits. `semidefinite`: no eigenvalue is negative.
pub(super) fn iterate(
    ctx: &Context,
    a: &dyn Symmetric,
    problem: &Problem,
    solver: Solver,
    n_rows: usize,
    (trace, semidefinite): (f64, bool),
) -> Result<(LeadingPairs, bool), Error> {
    let possible = n_rows.min(a.dim());
    let (mut k, share) = match problem.keep {
        Keep::Count(k) => (k, None),
        Keep::All | Keep::Auto => (possible, None),
        Keep::Share(share) => (FIRST_TRY.min(possible), Some((share, trace))),
    };
    loop {
        let wanted = Wanted {
            trace: semidefinite.then_some(trace),
            share,
            ..shape_of(solver, k, problem, a)
        };
        let found = leading_pairs(ctx, a, wanted)?;
        let converged = found.converged(&wanted);
        let reached = share.is_none_or(|(share, trace)| {
            super::keep::count_for_share(found.values.iter().copied(), trace, share).is_some()
        });
        if reached || k >= possible {
            return Ok((found, converged));
        }
        k = (2 * k).min(possible);
    }
}

/// Sizes of block and basis for each solver.
pub(super) fn shape_of(solver: Solver, k: usize, problem: &Problem, a: &dyn Symmetric) -> Wanted {
    // More vectors than pairs, so that the block has room for each copy of an eigenvalue.
    let ample = k + 2;
    let (block, basis) = match solver {
        // Narrow blocks need the fewest vectors in all. Several vectors share each reading of the data, and separate eigenvalues
        // that lie close together.
        Solver::Lanczos if ample <= 2 * a.few() => (a.few().max(ample), a.room(k)),
        Solver::Lanczos => (a.few(), a.room(k)),
        // Wide blocks need the fewest readings.
        _ => wide(k),
    };
    Wanted {
        k,
        share: None,
        tolerance: problem.tolerance,
        rounding: a.rounding(),
        block,
        basis: basis.min(a.dim()),
        max_products: if solver == Solver::Partial {
            products_to_try(a.dim(), k)
        } else {
            MAX_PRODUCTS
        },
        patience: problem.patience.filter(|_| solver != Solver::Partial),
        trace: None,
        seed: problem.seed,
    }
}

/// Right vectors v = Aᵀu/σ from left ones; `None` if the smallest eigenvalue is too small for that.
fn right_of<T: Real>(rows: &InMemory<'_, T>, found: LeadingPairs) -> Option<LeadingPairs> {
    const NOTHING: f64 = 1e-12;
    let (first, last) = (found.values.first()?, found.values.last()?);
    if *last <= NOTHING * first {
        return None;
    }
    let mut vectors = rows
        .transpose_times(&Columns::from_rows(&found.vectors))
        .to_rows();
    let lengths: Vec<f64> = vectors.rows().map(norm).collect();
    for (i, length) in lengths.iter().enumerate() {
        vectors.row_mut(i).iter_mut().for_each(|x| *x /= length);
    }
    Some(LeadingPairs {
        // σ = ‖Aᵀu‖ is more accurate than the root of the eigenvalue.
        values: lengths.iter().map(|s| s * s).collect(),
        vectors,
        ..found
    })
}

/// Turns the pairs of an iteration into a spectrum with residuals, and adds notes on components that it could not resolve.
fn finish(
    solution: &mut Solution,
    problem: &Problem,
    solver: Solver,
    squares: &[f64],
    measured: Measured,
) {
    let Measured { found, converged } = measured;
    let LeadingPairs {
        values,
        vectors,
        residuals,
        next,
        products,
        ..
    } = found;
    let n_values = values.len();
    let pairs = Pairs::from_products(&values, vectors, squares, solution.n_rows);
    let mut spectrum = Spectrum::leading(pairs, problem, solution.spectrum.divisor);
    spectrum.set_absolute_residuals(&residuals);
    // The gap below the last kept pair: to the next computed pair, or to the bound on the next eigenvalue.
    let beyond = if spectrum.len() < n_values {
        Some(values[spectrum.len()])
    } else {
        next
    };
    spectrum.set_angle(beyond);
    let notes = note_residuals(&spectrum, problem, (solver, products), converged);
    solution.notes.extend(notes);
    // Inaccurate products (f32) raise this solver's resolution limit; components above rounding have measured residuals.
    solution.resolution = solution.spread.len() as f64 * f64::EPSILON;
    let note = note_resolution(&spectrum, problem, solution);
    solution.notes.extend(note);
    solution.spectrum = spectrum;
}

/// A residual limited by rounding is worth a note when it exceeds this many times the tolerance.
pub(super) const BLURRED: f64 = 100.0;

/// Notes on residuals: that the iteration did not converge, and which components are not resolved.
pub(super) fn note_residuals(
    spectrum: &Spectrum,
    problem: &Problem,
    (solver, products): (Solver, usize),
    converged: bool,
) -> Vec<Note> {
    let allowed = problem.tolerance * if converged { BLURRED } else { 1.0 };
    let given_up = (!converged).then(|| Note::NotConverged {
        solver: solver.name().to_owned(),
        iterations: products,
        residual: spectrum.residuals.iter().copied().fold(0.0, f64::max),
        tolerance: problem.tolerance,
    });
    let unresolved = spectrum.note_unresolved(allowed);
    given_up.into_iter().chain(unresolved).collect()
}
