//! `dual` for few components of a source that is stored column by column: XXᵀ in one reading of the columns, the components in a
//! second. The table is never in memory: n × n numbers are, and a panel of columns.
//!
//! XXᵀu = σ²u gives v = Xᵀu/σ. The residual ‖XᵀXv − σ²v‖ is bounded by the Gram matrix, where that bound is far below the
//! tolerance; else it is measured with products with the columns themselves, in a third reading.

use super::covariance::{RESOLUTION, note_resolution};
use super::iterative::shape_of;
use super::krylov::{Patience, Wanted, leading_pairs};
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solution, Solver, checked_divisor, dual, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    leading_eigen, mirror_lower, norm, polish_rows, product, sum, times_transposed,
};
use crate::mat::{Mat, Real};
use crate::prepare::{Lines, Wish};
use crate::source::{ByColumn, Source};
use crate::summary::Accuracy;

/// Components are few where there are so many rows for each.
const ROWS_EACH: usize = 16;

/// Whether so many components of so many rows are few.
pub(super) fn are_few(keep: Keep, n_rows: usize) -> bool {
    matches!(keep, Keep::Count(k) if ROWS_EACH * k <= n_rows)
}

/// By columns, where that can be done; by rows otherwise.
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
    let wish = Wish {
        center: problem.center,
        scale: problem.scale,
        divisor: checked_divisor(problem.convention, n, weight)?,
    };
    problem.keep.check_shape(n, d)?;
    let (lines, gram) = Lines::learn(ctx, columns, &wish)?;
    match lines.is_safe() {
        true => decompose(ctx, &lines, gram, &wish, problem),
        // Cells that are not finite are refused there, and large ones divided.
        false => dual::solve(ctx, source, problem),
    }
}

/// Whether all weights are finite and not negative; others are refused where rows are read.
fn has_fair_weights(columns: &dyn ByColumn) -> bool {
    let mut weights = columns.row_weights().into_iter().flatten();
    weights.all(|w| w.is_finite() && *w >= 0.0)
}

fn decompose(
    ctx: &Context,
    lines: &Lines<'_>,
    mut gram: Mat<f64>,
    wish: &Wish,
    problem: &Problem,
) -> Result<Solution, Error> {
    ctx.check()?;
    let n = gram.n_rows();
    mirror_lower(&mut gram);
    // 1. Leading eigenvectors of XXᵀ: one more than asked for, so that the gap behind the last is known.
    let norms = lines.norms();
    let left = leading_vectors(ctx, &gram, norms.len(), problem)?;
    ctx.check()?;
    // 2. v = Xᵀu / ‖Xᵀu‖, and σ = ‖Xᵀu‖, which is more accurate than the root of the eigenvalue.
    let proven = dual::is_proven(&gram, &left, &norms, problem.tolerance);
    let found = right_vectors(lines, left, !proven)?;
    ctx.check()?;
    let mut pairs = Pairs::of_factor(&norms, found.lengths.clone(), found.right.clone(), n);
    let first = found.lengths.first().copied().unwrap_or(0.0);
    let blur = (n as f64 * f64::EPSILON).sqrt() * first;
    pairs
        .floors
        .iter_mut()
        .for_each(|floor| *floor = floor.max(blur));
    let mut spectrum = Spectrum::leading(pairs, problem, wish.divisor);
    // 3. ‖XᵀXv − σ²v‖, which is the same whichever way v points, and what rounding may hide of it.
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
        looked: None,
    };
    let note = note_resolution(&spectrum, problem, &solution);
    solution.notes.extend(note);
    solution.spectrum = spectrum;
    Ok(solution)
}

/// Leading eigenvectors of XXᵀ as rows: by products with it where it is large and they settle in time, else whatever the
/// spectrum is.
fn leading_vectors(
    ctx: &Context,
    gram: &Mat<f64>,
    n_cols: usize,
    problem: &Problem,
) -> Result<Mat<f64>, Error> {
    /// Rows from which on products are tried.
    const LARGE: usize = 1500;
    /// One product takes about so many times less than a tridiagonal matrix, per row, with as much to spare again.
    const PRODUCTS: usize = 12;
    /// Vectors at a time: a large matrix is fetched from far away, and few vectors make the most of a long basis.
    const BLOCK: usize = 4;
    // What u lacks, v lacks up to σ₁/σ times.
    const CLOSER: f64 = 0.01;
    let n = gram.n_rows();
    let possible = n.min(n_cols);
    let Keep::Count(k) = problem.keep else {
        return Ok(leading_eigen(gram, possible)?.1);
    };
    let wanted = (k + 1).min(possible);
    if n >= LARGE {
        let most = n / PRODUCTS;
        let asked = Wanted {
            tolerance: CLOSER * problem.tolerance,
            block: BLOCK,
            basis: (24 * k + 240).min(n / 4),
            max_products: most,
            patience: Some(Patience {
                tried: most / 2,
                most,
                look: None,
            }),
            ..shape_of(Solver::Lanczos, wanted, problem, gram)
        };
        let found = leading_pairs(ctx, gram, asked)?;
        if found.converged(&asked) {
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
    /// X·v of each, where residuals have to be measured with the columns.
    images: Option<Mat<f64>>,
}

/// Right vectors for the rows u of `left`; with X·v of each if `measure` says so, or if the vectors had to be made orthonormal.
fn right_vectors(lines: &Lines<'_>, left: Mat<f64>, measure: bool) -> Result<RightVectors, Error> {
    // Far below what the components are asked for, far above rounding.
    const TILT: f64 = 1e-11;
    let (right, back) = match measure {
        true => lines
            .right_and_back(&left)
            .map(|(right, back)| (right, Some(back)))?,
        false => (lines.right(&left)?, None),
    };
    let lengths: Vec<f64> = right.rows().map(norm).collect();
    // Where nothing is left but rounding, lengths fall in no order.
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
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
