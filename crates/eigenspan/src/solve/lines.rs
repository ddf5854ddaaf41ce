//! `dual` for few components of a source that is stored column by column: one reading of the columns for XXᵀ, a second for the
//! components. Memory holds n × n numbers and a panel of columns, never the whole table.
//!
//! XXᵀu = σ²u gives v = Xᵀu/σ. The residual ‖XᵀXv − σ²v‖ is bounded by the Gram matrix if that bound is far below the tolerance;
//! otherwise it is measured by products with the columns themselves, in a third reading.

use super::covariance::{RESOLUTION, note_resolution};
use super::iterative::shape_of;
use super::krylov::{Patience, Wanted, leading_pairs};
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solution, Solver, checked_divisor, dual, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    largest_first, leading_eigen, mirror_lower, norm, polish_rows, product, sum, times_transposed,
};
use crate::mat::{Mat, Real};
use crate::prepare::{ColumnOptions, Lines};
use crate::source::{ByColumn, Source};
use crate::summary::Accuracy;

/// Components are few if there are at least this many rows per component.
const ROWS_EACH: usize = 16;

/// Whether few components are requested relative to the number of rows.
pub(super) fn are_few(keep: Keep, n_rows: usize) -> bool {
    matches!(keep, Keep::Count(k) if ROWS_EACH * k <= n_rows)
}

/// Solves column by column if the source and the request permit it; otherwise row by row.
pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let columns = source
        .by_column()
        .filter(|columns| are_few(problem.keep, columns.shape().0) && has_fair_weights(*columns));
    let Some(columns) = columns else {
        return dual::solve(ctx, source, problem);
    };
    let (n, d) = columns.shape();
    let weight = columns.row_weights().map_or(n as f64, sum);
    let options = ColumnOptions {
        center: problem.center,
        scale: problem.scale,
        divisor: checked_divisor(problem.convention, n, weight)?,
    };
    problem.keep.check_shape(n, d)?;
    let (lines, gram) = Lines::with_gram(ctx, columns, &options)?;
    match lines.is_safe() {
        true => decompose(ctx, &lines, gram, &options, problem),
        // `dual` refuses cells that are not finite, and scales very large ones.
        false => dual::solve(ctx, source, problem),
    }
}

/// Whether all weights are finite and not negative; reading by rows refuses other weights with an error.
fn has_fair_weights(columns: &dyn ByColumn) -> bool {
    let mut weights = columns.row_weights().into_iter().flatten();
    weights.all(|w| w.is_finite() && *w >= 0.0)
}

fn decompose(
    ctx: &Context,
    lines: &Lines<'_>,
    mut gram: Mat<f64>,
    options: &ColumnOptions,
    problem: &Problem,
) -> Result<Solution, Error> {
    ctx.check()?;
    let n = gram.n_rows();
    mirror_lower(&mut gram);
    // 1. Leading eigenvectors of XXᵀ: one more than requested, so that the gap behind the last is known.
    let norms = lines.norms();
    let left = leading_vectors(ctx, &gram, norms.len(), problem)?;
    ctx.check()?;
    // 2. v = Xᵀu / ‖Xᵀu‖, and σ = ‖Xᵀu‖, which is more accurate than the root of the eigenvalue.
    let proven = dual::is_proven(&gram, &left, &norms, problem.tolerance);
    let found = right_vectors(lines, left, !proven)?;
    ctx.check()?;
    let mut pairs = Pairs::from_factor(&norms, found.lengths.clone(), found.right.clone(), n);
    let first = found.lengths.first().copied().unwrap_or(0.0);
    let blur = (n as f64 * f64::EPSILON).sqrt() * first;
    pairs
        .floors
        .iter_mut()
        .for_each(|floor| *floor = floor.max(blur));
    let mut spectrum = Spectrum::leading(pairs, problem, options.divisor);
    // 3. ‖XᵀXv − σ²v‖, which does not depend on the sign of v, plus a bound on its rounding error.
    let k = spectrum.len();
    let squares: Vec<f64> = spectrum.singular_values.iter().map(|s| s * s).collect();
    let off = match found.images {
        Some(images) => lines.distances(&images.top(k), &squares, &found.right.top(k))?,
        None => {
            let left = found.left.top(k);
            let images = product(left.view(), gram.view());
            dual::residuals_by_gram(&gram, &norms, first, &left, &images, &squares)
        }
    };
    let accuracy = Accuracy::in_chunks(n.max(norms.len()));
    let hidden = rounding::of_products(
        accuracy,
        &norms,
        &spectrum.singular_values,
        &spectrum.vectors,
    );
    let residuals: Vec<f64> = off.iter().zip(hidden).map(|(a, b)| a + b).collect();
    spectrum.set_absolute_residuals(&residuals);
    spectrum.set_angle(found.lengths.get(k).map(|s| s * s));
    let mut solution = Solution {
        spectrum: Spectrum::default(),
        preparation: lines.preparation(problem.scale),
        n_rows: n,
        weight: lines.weight(),
        spread: lines.spread(),
        notes: Vec::new(),
        resolution: RESOLUTION,
        accuracy: Accuracy::default(),
        single: false,
        outcome: None,
    };
    let note = note_resolution(&spectrum, problem, &solution);
    solution.notes.extend(note);
    solution.spectrum = spectrum;
    Ok(solution)
}

/// Leading eigenvectors of XXᵀ as rows: by products with it, if it is large and they converge in time; otherwise without
/// iterations.
fn leading_vectors(
    ctx: &Context,
    gram: &Mat<f64>,
    n_cols: usize,
    problem: &Problem,
) -> Result<Mat<f64>, Error> {
    /// Number of rows from which on products are tried.
    const LARGE: usize = 1500;
    /// n ÷ this many products are tried: they take about half the time of making the matrix tridiagonal.
    const PRODUCTS: usize = 12;
    /// Number of vectors per product: reading the large matrix dominates, and few vectors use a long basis best.
    const BLOCK: usize = 4;
    // An error of u becomes up to σ₁/σ times as large in v.
    const CLOSER: f64 = 0.01;
    let n = gram.n_rows();
    let possible = n.min(n_cols);
    let Keep::Count(k) = problem.keep else {
        return Ok(leading_eigen(gram, possible)?.1);
    };
    let wanted = (k + 1).min(possible);
    if n >= LARGE {
        let most = n / PRODUCTS;
        let goal = Wanted {
            tolerance: CLOSER * problem.tolerance,
            block: BLOCK,
            basis: (24 * k + 240).min(n / 4),
            max_products: most,
            patience: Some(Patience {
                tried: most / 2,
                most,
                spectrum_trial: None,
            }),
            ..shape_of(Solver::Lanczos, wanted, problem, gram)
        };
        let found = leading_pairs(ctx, gram, goal)?;
        if found.converged(&goal) {
            return Ok(found.vectors);
        }
    }
    Ok(leading_eigen(gram, wanted)?.1)
}

/// Left vectors u and orthonormal right vectors v, by falling length σ of Xᵀu.
struct RightVectors {
    left: Mat<f64>,
    right: Mat<f64>,
    lengths: Vec<f64>,
    /// X·v of each, if residuals are measured with the columns.
    images: Option<Mat<f64>>,
}

/// Right vectors for the rows u of `left`; with X·v of each if `measure` is set or the vectors had to be made orthonormal.
fn right_vectors(lines: &Lines<'_>, left: Mat<f64>, measure: bool) -> Result<RightVectors, Error> {
    // Far below the tolerance of components, far above rounding.
    const TILT: f64 = 1e-11;
    let (right, back) = match measure {
        true => lines
            .right_and_back(&left)
            .map(|(right, back)| (right, Some(back)))?,
        false => (lines.right(&left)?, None),
    };
    let lengths: Vec<f64> = right.rows().map(norm).collect();
    // Lengths that are nothing but rounding come in no order.
    let order = largest_first(&lengths);
    let in_order = |m: &Mat<f64>, divided: bool| {
        let mut out = Mat::zeros(m.n_rows(), m.n_cols());
        for (to, &from) in order.iter().enumerate() {
            let length = lengths[from];
            let cells = out.row_mut(to).iter_mut().zip(m.row(from));
            let by = if divided && length > 0.0 { length } else { 1.0 };
            cells.for_each(|(to, x)| *to = x / by);
        }
        out
    };
    let mut right = in_order(&right, true);
    let mut images = back.map(|back| in_order(&back, true));
    let cosines = times_transposed(right.view(), right.view());
    let k = right.n_rows();
    let is_straight =
        (0..k).all(|i| (0..=i).all(|j| (cosines[(i, j)] - f64::from(i == j)).abs() <= TILT));
    if !is_straight {
        polish_rows(&mut right);
        images = Some(lines.left(&right)?);
    }
    Ok(RightVectors {
        left: in_order(&left, false),
        right,
        lengths: order.iter().map(|&i| lengths[i]).collect(),
        images,
    })
}
