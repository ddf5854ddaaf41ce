//! `covariance`: the scatter matrix in one reading, then its eigenpairs, all or the leading ones. For tall data.
//!
//! Cost n·d² for the scatter, 4/3·d³ for a tridiagonal matrix and 4·d²·k for the vectors of k pairs, for any spectrum;
//! memory d². Squaring halves the digits:
//! components with less than about 1e-11 of the first one's variance are blurred.

use super::iterative::BLURRED;
use super::spectrum::{Pairs, Spectrum};
use super::work;
use super::{Keep, Problem, Shape, Solution, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Columns, LinearMap, leading_eigen, norm, product};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::parallel;
use crate::prepare::{ColumnStatistics, Preparation, Prepared, find_not_finite};
use crate::source::Source;
use crate::summary::{Accuracy, Scatter};

/// The smallest eigenvalue, relative to the largest, whose vector keeps a few correct digits after squaring.
pub(super) const RESOLUTION: f64 = 1e-11;
/// The same for products in f32, whose rounding is averaged over many chunks.
const SINGLE_RESOLUTION: f64 = 1e-7;

pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let (scatter, solution) = prepared_scatter(ctx, source, problem)?;
    decompose(ctx, scatter, solution, problem, Some(source))
}

/// Solves a scatter that was summed elsewhere: batch by batch, or on another machine.
pub fn solve_scatter(
    ctx: &Context,
    summary: Scatter,
    problem: &Problem,
) -> Result<Solution, Error> {
    if !summary.is_finite() {
        return Err(Error::NotFiniteSomewhere);
    }
    let (scatter, solution) = prepare_scatter(summary, problem)?;
    decompose(ctx, scatter, solution, problem, None::<&dyn Source<f64>>)
}

/// The eigenpairs of a prepared scatter, all or the requested number. `source` has the rows it was summed from, if available.
pub(super) fn decompose<T: Real>(
    ctx: &Context,
    scatter: Mat<f64>,
    mut solution: Solution,
    problem: &Problem,
    source: Option<&dyn Source<T>>,
) -> Result<Solution, Error> {
    ctx.check()?;
    let possible = solution.n_rows.min(scatter.n_rows());
    // One more than requested, so that the gap behind the last is known.
    let wanted = match problem.keep {
        Keep::Count(k) => (k + 1).min(scatter.n_rows()),
        _ => scatter.n_rows(),
    };
    let (values, vectors) = leading_eigen(&scatter, wanted)?;
    work::eigen(scatter.n_rows() as f64, wanted as f64).count(ctx);
    let kept = possible.min(wanted);
    let pairs = Pairs::from_scatter(
        &scatter,
        &values[..kept],
        vectors.top(kept),
        solution.n_rows,
    );
    let mut spectrum = Spectrum::leading(pairs, problem, solution.spectrum.divisor);
    let squares: Vec<f64> = spectrum.singular_values.iter().map(|s| s * s).collect();
    let pairs = (&squares[..], &spectrum.vectors);
    let residuals = proven_residuals(ctx, source, scatter, &solution, pairs)?;
    spectrum.set_absolute_residuals(&residuals);
    // The error of the next eigenvalue is at most the error of the scatter.
    let moved = residuals.iter().copied().fold(0.0, f64::max);
    spectrum.set_angle(values.get(spectrum.len()).map(|next| next + moved));
    let note = note_resolution(&spectrum, problem, &solution);
    solution.notes.extend(note);
    // In products in f32, a few rows far larger than the others blur the components of the others.
    let unresolved = spectrum.note_unresolved(BLURRED * problem.tolerance);
    solution
        .notes
        .extend(unresolved.filter(|_| solution.single));
    solution.spectrum = spectrum;
    Ok(solution)
}

/// Upper bounds on ‖Sv − σ²v‖ for pairs (σ², v) of a summed scatter, where S is the exact scatter of the rows: the residual in the
/// summed scatter, plus a bound on its rounding. For products in f32 that bound would be too wide: rows are then read once more,
/// and the products are computed in f64.
pub(super) fn proven_residuals<T: Real>(
    ctx: &Context,
    source: Option<&dyn Source<T>>,
    scatter: Mat<f64>,
    solution: &Solution,
    (squares, vectors): (&[f64], &Mat<f64>),
) -> Result<Vec<f64>, Error> {
    let (images, bounds) = match source.filter(|_| solution.single) {
        Some(source) => {
            let spread: Vec<f64> = (0..scatter.n_rows())
                .map(|j| scatter[(j, j)].max(0.0).sqrt())
                .collect();
            let map = Prepared::new(ctx, source, &solution.preparation, solution.n_rows);
            let images = map.gram_times(&Columns::from_rows(vectors))?.to_rows();
            work::there_and_back(Shape::from_source(source), squares.len() as f64).count(ctx);
            let values: Vec<f64> = squares.iter().map(|x| x.max(0.0).sqrt()).collect();
            let accuracy = Accuracy::in_chunks(solution.n_rows);
            (
                images,
                rounding::of_products(accuracy, &spread, &values, vectors),
            )
        }
        None => {
            let images = product(vectors.view(), scatter.view());
            // One product for the images, at most one for the bound on rounding.
            let d = scatter.n_rows() as f64;
            work::product(d, d, 2.0 * squares.len() as f64).count(ctx);
            (
                images,
                rounding::of_scatter(solution.accuracy, &scatter, vectors),
            )
        }
    };
    let residual = |i: usize| {
        let pair = images.row(i).iter().zip(vectors.row(i));
        let difference: Vec<f64> = pair.map(|(a, v)| a - squares[i] * v).collect();
        norm(&difference) + bounds[i]
    };
    Ok(parallel::collect(squares.len(), residual))
}

/// The scatter matrix of the prepared rows, and a solution that lacks only its eigenpairs.
pub(super) fn prepared_scatter<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<(Mat<f64>, Solution), Error> {
    let d = source.n_cols();
    // Products in f32 take half the time, but their residuals take another reading: worth it for many cells in memory and few
    // components.
    const MANY: usize = 10_000_000;
    let many = source.n_rows().is_some_and(|n| n.saturating_mul(d) >= MANY);
    let few = matches!(problem.keep, Keep::Count(k) if 16 * k <= d);
    let single = T::BYTES == f32::BYTES && many && few && source.in_memory().is_some();
    let summary = Scatter::read(ctx, source, single)?;
    work::squares(Shape::from_source(source)).count(ctx);
    checked_divisor(problem.convention, summary.n_rows(), summary.weight())?;
    problem.keep.check_shape(summary.n_rows(), d)?;
    if !summary.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    let (scatter, mut solution) = prepare_scatter(summary, problem)?;
    if single {
        solution.resolution = SINGLE_RESOLUTION;
        solution.single = true;
    }
    Ok((scatter, solution))
}

/// Centers and scales a scatter that has been summed.
fn prepare_scatter(summary: Scatter, problem: &Problem) -> Result<(Mat<f64>, Solution), Error> {
    let (n_rows, weight) = (summary.n_rows(), summary.weight());
    let divisor = checked_divisor(problem.convention, n_rows, weight)?;
    if summary.is_underflowed() {
        return Err(Error::Underflow);
    }
    let mean = summary.mean();
    let mut accuracy = summary.accuracy();
    let d = mean.len();
    problem.keep.check_shape(n_rows, d)?;
    let center = if problem.center { mean } else { vec![0.0; d] };
    let mut scatter = summary.into_matrix(problem.center);
    let spread: Vec<f64> = (0..d).map(|j| scatter[(j, j)].max(0.0).sqrt()).collect();
    let scale = problem.scale.factors(&ColumnStatistics {
        spread: &spread,
        mean: &center,
        divisor,
        unit: 1.0,
    })?;
    if let Some(scale) = &scale {
        for i in 0..d {
            let left = scale[i];
            let row = scatter.row_mut(i).iter_mut();
            row.zip(scale).for_each(|(x, right)| *x = *x / left / right);
        }
        // The scales are rounded like the scatter.
        accuracy.depth *= 2.0;
    }
    let mut solution = empty_solution(n_rows, weight, center, scale, spread, divisor);
    solution.accuracy = accuracy;
    Ok((scatter, solution))
}

/// A solution that lacks only its eigenpairs.
pub(super) fn empty_solution(
    n_rows: usize,
    weight: f64,
    center: Vec<f64>,
    scale: Option<Vec<f64>>,
    spread: Vec<f64>,
    divisor: f64,
) -> Solution {
    let spectrum = Spectrum {
        singular_values: Vec::new(),
        vectors: Mat::zeros(0, center.len()),
        residuals: Vec::new(),
        norm: 0.0,
        divisor,
        angle: None,
        rank: 0,
        left_out: None,
    };
    let preparation = Preparation { center, scale };
    Solution {
        spectrum,
        preparation,
        n_rows,
        weight,
        spread,
        notes: Vec::new(),
        resolution: RESOLUTION,
        accuracy: Accuracy::default(),
        single: false,
        outcome: None,
    }
}

/// A note if squaring blurs requested components or makes them zero within rounding; no note if constant columns or few rows
/// explain the missing components.
pub(super) fn note_resolution(
    spectrum: &Spectrum,
    problem: &Problem,
    solution: &Solution,
) -> Option<Note> {
    if matches!(problem.keep, Keep::Share(_)) {
        return None;
    }
    let varying = solution.n_varying();
    let free = solution.n_rows - usize::from(problem.center);
    let resolution = solution
        .resolution
        .max(solution.spread.len() as f64 * f64::EPSILON);
    let first = *spectrum.singular_values.first()?;
    let share = |i: usize| (spectrum.singular_values[i] / first).powi(2);
    let blurred = (0..spectrum.len().min(varying).min(free))
        .find(|&i| i >= spectrum.rank || share(i) < resolution)?;
    Some(Note::BelowResolution {
        first: blurred + 1,
        resolution: resolution * spectrum.share(0),
    })
}
