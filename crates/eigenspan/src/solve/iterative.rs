//! `lanczos`, `randomized` and `partial`: the leading components only, to a residual that is asked for and measured.
//!
//! `lanczos` and `randomized` multiply with the data itself, once per block of vectors, and never form the covariance: for
//! wide or sparse rows. `partial` forms the covariance once and iterates on that: for few components of many columns.

use super::covariance::{decompose, empty_solution, prepared_scatter};
use super::krylov::{Found, Symmetric, Wanted, leading_pairs};
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solution, Solver, checked_divisor};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Columns, LinearMap, norm, polish_rows};
use crate::mat::Real;
use crate::note::Note;
use crate::prepare::{InMemory, Learnt, Preparation, Prepared, Scale, find_not_finite};
use crate::source::{Passes, Source};
use crate::summary::{Moments, summarize};

/// Products with the data after which an iteration is given up, with a note.
const MAX_PRODUCTS: usize = 1000;
/// The same with a covariance, after which its whole decomposition is the shorter way.
const PARTIAL_PRODUCTS: usize = 24;
/// Components tried first where a share of the variance is asked for.
const FIRST_TRY: usize = 16;

/// AᵀA of a linear map.
struct Gram<'a> {
    map: &'a dyn LinearMap,
    sparse: bool,
}

impl Symmetric for Gram<'_> {
    fn dim(&self) -> usize {
        self.map.shape().1
    }
    fn apply(&self, q: &Columns) -> Result<Columns, Error> {
        self.map.gram_times(q)
    }
    fn few(&self) -> usize {
        if self.sparse { 8 } else { 12 }
    }
}

/// AAᵀ of rows in memory.
struct Outer<'a, T>(&'a InMemory<'a, T>, usize);

impl<T: Real> Symmetric for Outer<'_, T> {
    fn dim(&self) -> usize {
        self.1
    }
    fn apply(&self, u: &Columns) -> Result<Columns, Error> {
        Ok(self.0.outer_times(u))
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
    let mean = moments.mean();
    let squares: Vec<f64> = match problem.center {
        true => moments.squares().to_vec(),
        false => (0..d)
            .map(|j| moments.squares()[j] + weight * mean[j] * mean[j])
            .collect(),
    };
    let spread: Vec<f64> = squares.iter().map(|s| s.max(0.0).sqrt()).collect();
    let scale = problem.scale.factors(&Learnt {
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
    let map = Prepared::new(ctx, source, &preparation, n_rows)
        .with_spread(&spread, weight)
        .near_center(is_near(&preparation, weight, trace, problem.tolerance));
    // Few long rows in memory are met column by column: what is iterated on is then as short as the columns.
    let few = map.in_memory().filter(|_| n_rows < d);
    let from_left = match &few {
        Some(rows) => {
            let outer = Outer(rows, n_rows);
            let found = iterate(ctx, &outer, problem, (solver, true), n_rows, trace)?;
            right_of(rows, found)
        }
        None => None,
    };
    let found = match from_left {
        Some(found) => found,
        None => {
            let gram = Gram {
                map: &map,
                sparse: source.nnz().is_some(),
            };
            iterate(ctx, &gram, problem, (solver, false), n_rows, trace)?
        }
    };
    let Preparation { center, scale } = preparation;
    let mut solution = empty_solution(n_rows, weight, center, scale, spread, divisor);
    finish(&mut solution, problem, solver, &prepared_squares, found);
    Ok(solution)
}

/// Whether products with rows that still have their offset are accurate enough: their rounding, relative to the largest
/// eigenvalue, is about 1e-13 times the length of the offset relative to that of the centered rows.
fn is_near(preparation: &Preparation, weight: f64, trace: f64, tolerance: f64) -> bool {
    let scaled: Vec<f64> = match &preparation.scale {
        Some(scale) => preparation
            .center
            .iter()
            .zip(scale)
            .map(|(m, s)| m / s)
            .collect(),
        None => preparation.center.clone(),
    };
    1e-13 * norm(&scaled) * weight.sqrt() <= tolerance * trace.sqrt()
}

/// `partial`.
pub(super) fn solve_partial<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let (scatter, mut solution) = prepared_scatter(ctx, source, problem)?;
    let squares: Vec<f64> = (0..scatter.n_rows())
        .map(|j| scatter[(j, j)].max(0.0))
        .collect();
    let n_rows = solution.n_rows;
    let found = iterate(
        ctx,
        &scatter,
        problem,
        (Solver::Partial, false),
        n_rows,
        squares.iter().sum(),
    )?;
    if !found.converged(problem.tolerance) {
        // A flat spectrum: by now all eigenpairs at once are the shorter way.
        return decompose(ctx, scatter, solution, problem, Some(source));
    }
    finish(&mut solution, problem, Solver::Partial, &squares, found);
    Ok(solution)
}

/// Runs the iteration, with more components until a share is reached where a share is asked for.
pub(super) fn iterate(
    ctx: &Context,
    a: &dyn Symmetric,
    problem: &Problem,
    (solver, left): (Solver, bool),
    n_rows: usize,
    trace: f64,
) -> Result<Found, Error> {
    let possible = n_rows.min(a.dim());
    let mut k = match problem.keep {
        Keep::Count(k) => k,
        Keep::All | Keep::Auto => possible,
        Keep::Share(_) => FIRST_TRY.min(possible),
    };
    loop {
        let wanted = Wanted {
            left,
            ..shape_of(solver, k, problem, a)
        };
        let found = leading_pairs(ctx, a, wanted)?;
        let Keep::Share(share) = problem.keep else {
            return Ok(found);
        };
        let reached =
            super::keep::count_for_share(found.values.iter().copied(), trace, share).is_some();
        if reached || k >= possible {
            return Ok(found);
        }
        k = (2 * k).min(possible);
    }
}

/// Block and basis for the leading pairs of a matrix that is written out.
pub(super) fn partial_shape(k: usize, problem: &Problem, a: &dyn Symmetric) -> Wanted {
    shape_of(Solver::Partial, k, problem, a)
}

/// Block and basis of each solver.
pub(super) fn shape_of(solver: Solver, k: usize, problem: &Problem, a: &dyn Symmetric) -> Wanted {
    let (block, basis) = match solver {
        // Few vectors at a time: the most out of every product. A handful shares each reading of the data, and tells
        // values apart that lie close together.
        Solver::Lanczos => (a.few(), a.room(k)),
        // Many at a time: the fewest readings.
        _ => (k + (k / 4).clamp(6, 16), 6 * k + 60),
    };
    Wanted {
        k,
        tolerance: problem.tolerance,
        block,
        basis: basis.min(a.dim()),
        max_products: if solver == Solver::Partial {
            PARTIAL_PRODUCTS
        } else {
            MAX_PRODUCTS
        },
        left: false,
        seed: problem.seed,
    }
}

/// Right vectors v = Aᵀu/σ from left ones, if none of them is next to nothing.
fn right_of<T: Real>(rows: &InMemory<'_, T>, found: Found) -> Option<Found> {
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
    Some(Found {
        // σ = ‖Aᵀu‖ is more accurate than the root of the eigenvalue.
        values: lengths.iter().map(|s| s * s).collect(),
        vectors,
        ..found
    })
}

/// Turns what the iteration found into a spectrum with its certificate.
fn finish(
    solution: &mut Solution,
    problem: &Problem,
    solver: Solver,
    squares: &[f64],
    found: Found,
) {
    let Found {
        values,
        mut vectors,
        residuals,
        next,
        products,
    } = found;
    polish_rows(&mut vectors);
    let worst = residuals.iter().fold(0.0f64, |m, r| m.max(*r));
    if worst > problem.tolerance {
        solution.notes.push(Note::NotConverged {
            solver: solver.name().to_owned(),
            iterations: products,
            residual: worst,
            tolerance: problem.tolerance,
        });
    }
    let n_values = values.len();
    let pairs = Pairs::of_products(&values, vectors, squares, solution.n_rows);
    let mut spectrum = Spectrum::leading(pairs, problem, solution.spectrum.divisor);
    spectrum.residuals = residuals[..spectrum.len()].to_vec();
    // The gap below the last kept pair: to the next one found, or to what lies beyond them all.
    let beyond = if spectrum.len() < n_values {
        Some(values[spectrum.len()])
    } else {
        next
    };
    spectrum.set_angle(beyond);
    solution.spectrum = spectrum;
}
