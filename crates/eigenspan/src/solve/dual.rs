//! `dual`: eigenpairs of the n × n matrix XXᵀ instead of the d × d matrix XᵀX, for fewer rows than columns.
//!
//! XXᵀu = (n − 1)λu gives v = Xᵀu / √((n − 1)λ): a unit vector, because uᵀXXᵀu = (n − 1)λ.
//! Cost n²·d for the product, 4/3·n³ for a tridiagonal matrix, n·d·k for each of a few products with k vectors; rows that lie in
//! memory are not copied.

use super::cost::products_to_try;
use super::covariance::{RESOLUTION, note_resolution};
use super::iterative::shape_of;
use super::krylov::{Wanted, leading_pairs};
use super::spectrum::{Pairs, Spectrum};
use super::work;
use super::{Keep, Problem, Solution, Solver, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    dot, largest_first, leading_eigen, mirror_lower, norm, orthonormalize_from, polish_rows,
    product, sum, times_transposed,
};
use crate::mat::{Mat, Real};
use crate::parallel;
use crate::prepare::{ColumnOptions, Panels, Preparation, Scale, gather};
use crate::source::Source;
use crate::summary::{Accuracy, check_weights};

pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    if let Some(rows) = source.in_memory()
        && let Some(view) = rows.block.dense()
    {
        check_weights(&rows)?;
        let weight = rows.weights.map_or(view.n_rows() as f64, sum);
        let divisor = checked_divisor(problem.convention, view.n_rows(), weight)?;
        problem.keep.check_shape(view.n_rows(), view.n_cols())?;
        let options = ColumnOptions {
            center: problem.center,
            scale: problem.scale,
            divisor,
        };
        let (panels, gram) = Panels::with_gram(ctx, view, rows.weights, &options)?;
        if panels.is_safe() {
            let known = Known {
                preparation: panels.preparation(problem.scale),
                spread: panels.spread(),
                weight,
                unit: 1.0,
                divisor,
            };
            return decompose(ctx, &panels, gram, known, problem);
        }
    }
    let convention = problem.convention;
    let data = gather(ctx, source, problem.center, problem.scale, |w| {
        convention.divisor(w)
    })?;
    let divisor = checked_divisor(convention, data.n_rows, data.weight)?;
    problem
        .keep
        .check_shape(data.n_rows, data.matrix.n_cols())?;
    let as_they_are = ColumnOptions {
        center: false,
        scale: Scale::None,
        divisor,
    };
    let (panels, gram) = Panels::with_gram(ctx, data.matrix.view(), None, &as_they_are)?;
    let known = Known {
        preparation: data.preparation,
        spread: data.spread,
        weight: data.weight,
        unit: data.unit,
        divisor,
    };
    decompose(ctx, &panels, gram, known, problem)
}

/// Facts about the rows beyond their panels: preparation, column norms, total weight, scale and divisor.
struct Known {
    preparation: Preparation,
    spread: Vec<f64>,
    weight: f64,
    /// The number by which all rows were divided.
    unit: f64,
    divisor: f64,
}

fn decompose<T: Real>(
    ctx: &Context,
    panels: &Panels<'_, T>,
    mut gram: Mat<f64>,
    known: Known,
    problem: &Problem,
) -> Result<Solution, Error> {
    ctx.check()?;
    let (n, d) = panels.shape();
    mirror_lower(&mut gram);
    // 1. Eigenpairs of the Gram matrix: all min(n, d), or the leading ones and one more, so that the gap behind the last is known.
    let possible = n.min(d);
    let wanted = match problem.keep {
        Keep::Count(k) => (k + 1).min(possible),
        _ => possible,
    };
    work::outer(d as f64, n as f64).count(ctx);
    let left = match iterated(ctx, &gram, problem)? {
        Some(left) => left,
        None => {
            work::eigen(n as f64, wanted as f64).count(ctx);
            leading_eigen(&gram, wanted)?.1
        }
    };
    ctx.check()?;
    // 2. v = Xᵀu / ‖Xᵀu‖, and σ = ‖Xᵀu‖, which is more accurate than the root of the eigenvalue.
    let norms = panels.norms();
    let few = matches!(problem.keep, Keep::Count(k) if is_few(k, n));
    let measure = few && !is_proven(&gram, &left, &norms, problem.tolerance);
    let (found, right) = right_vectors(panels, left, &gram, measure)?;
    // Xᵀu; measured residuals also take X·v and Xᵀ(Xv). Three products with the Gram matrix.
    let vectors = found.lengths.len() as f64;
    let products = if measure { 3.0 } else { 1.0 };
    (work::product(n as f64, d as f64, products * vectors)
        + work::product(n as f64, n as f64, 3.0 * vectors))
    .count(ctx);
    ctx.check()?;
    let mut pairs = Pairs::from_factor(&norms, found.lengths.clone(), right, n);
    let first = pairs.singular_values.first().copied().unwrap_or(0.0);
    let blur = (n as f64 * f64::EPSILON).sqrt() * first;
    pairs
        .floors
        .iter_mut()
        .for_each(|floor| *floor = floor.max(blur));
    let mut spectrum = Spectrum::leading(pairs, problem, known.divisor);
    let residuals = proven_residuals(panels, gram, &found, &spectrum)?;
    spectrum.set_absolute_residuals(&residuals);
    let next = found.lengths.get(spectrum.len()).map(|s| s * s);
    spectrum.set_angle(next);
    spectrum.scale_by(known.unit);
    let mut solution = Solution {
        spectrum: Spectrum::default(),
        preparation: known.preparation,
        n_rows: n,
        weight: known.weight,
        spread: known.spread,
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

/// Leading eigenvectors of a large Gram matrix by products with it, if a few products may suffice; otherwise `None`.
fn iterated(ctx: &Context, gram: &Mat<f64>, problem: &Problem) -> Result<Option<Mat<f64>>, Error> {
    /// Smallest number of affordable products for which an iteration is tried.
    const TRIES: usize = 8;
    /// Rows from which on products are tried: a smaller matrix is made tridiagonal in less time than an iteration takes for its
    /// basis.
    const LARGE: usize = 1500;
    // An error of u becomes up to σ₁/σ times as large in v.
    const CLOSER: f64 = 0.01;
    let Keep::Count(k) = problem.keep else {
        return Ok(None);
    };
    let k = k + 1;
    if gram.n_rows() < LARGE || 8 * k > gram.n_rows() || products_to_try(gram.n_rows(), k) < TRIES {
        return Ok(None);
    }
    let wanted = Wanted {
        tolerance: CLOSER * problem.tolerance,
        ..shape_of(Solver::Partial, k, problem, gram)
    };
    let found = leading_pairs(ctx, gram, wanted)?;
    Ok(found.converged(&wanted).then_some(found.vectors))
}

/// Whether k components of n rows are few enough for their residuals to be measured on the rows.
fn is_few(k: usize, n: usize) -> bool {
    16 * k <= n
}

/// Whether the Gram matrix alone proves the residuals: whether σ₁‖Gu − σ²u‖/σ, with its rounding, is far below the tolerance for
/// every left vector u.
pub(super) fn is_proven(gram: &Mat<f64>, left: &Mat<f64>, norms: &[f64], tolerance: f64) -> bool {
    /// Share of the tolerance; the rest is left for the rounding of v, which is added to the residual.
    const SHARE: f64 = 0.1;
    let images = product(left.view(), gram.view());
    let squares: Vec<f64> = (0..left.n_rows())
        .map(|i| dot(images.row(i), left.row(i)))
        .collect();
    let first = squares.iter().copied().fold(0.0, f64::max).sqrt();
    let bounds = residuals_by_gram(gram, norms, first, left, &images, &squares);
    let proven = |(square, bound): (&f64, f64)| bound <= SHARE * tolerance * square;
    squares.iter().zip(bounds).all(proven)
}

/// ‖XᵀXv − σ²v‖ = ‖Xᵀ(Gu − σ²u)‖/σ is at most σ₁‖Gu − σ²u‖/σ: a bound without products with X. The rounding of G is
/// added.
pub(super) fn residuals_by_gram(
    gram: &Mat<f64>,
    norms: &[f64],
    first: f64,
    left: &Mat<f64>,
    images: &Mat<f64>,
    squares: &[f64],
) -> Vec<f64> {
    let d = norms.len();
    let rounded = rounding::of_scatter(Accuracy::in_chunks(d), gram, left);
    let cells = 4.0 * f64::EPSILON * norm(norms) * first;
    let residual = |i: usize| {
        let pair = images.row(i).iter().zip(left.row(i));
        let off: Vec<f64> = pair.map(|(a, u)| a - squares[i] * u).collect();
        (norm(&off) + rounded[i] + cells) * (first / squares[i].sqrt())
    };
    let bound = |i: usize| if squares[i] > 0.0 { residual(i) } else { 0.0 };
    (0..left.n_rows()).map(bound).collect()
}

/// Left vectors u (rows), their products Gu and the lengths σ = ‖Xᵀu‖, largest σ first. Right vectors are v = Xᵀu/σ.
struct LeftVectors {
    left: Mat<f64>,
    images: Mat<f64>,
    lengths: Vec<f64>,
    /// Number of leading right vectors that are exactly Xᵀu/σ; those after them were orthogonalized again.
    straight: usize,
    /// X·Xᵀu, if every v = Xᵀu/σ was kept and residuals are measured.
    back: Option<Back>,
    /// Whether residuals are measured on X.
    measure: bool,
}

/// X·Xᵀu as rows, and the first nonzero cell of each v: its position, and its value before the sign rule is applied.
struct Back {
    images: Mat<f64>,
    cells: Vec<(usize, f64)>,
}

/// Upper bounds on ‖XᵀXv − σ²v‖, with rounding: from the Gram matrix, or measured with X for vectors that were orthogonalized
/// again and for few components whose residuals the Gram matrix does not prove.
fn proven_residuals<T: Real>(
    panels: &Panels<'_, T>,
    gram: Mat<f64>,
    found: &LeftVectors,
    spectrum: &Spectrum,
) -> Result<Vec<f64>, Error> {
    let (n, d) = panels.shape();
    let k = spectrum.len();
    let sigmas = &spectrum.singular_values;
    let first = sigmas.first().copied().unwrap_or(0.0);
    let norms = panels.norms();
    // Rounding of products with X, and of v = Xᵀu/σ: a few units of the columns' lengths, divided by σ.
    let accuracy = Accuracy::in_chunks(n.max(d));
    let rounding = rounding::of_products(accuracy, &norms, sigmas, &spectrum.vectors);
    let straight = match found.measure {
        true => 0,
        false => found.straight.min(k),
    };
    let mut residuals = match straight {
        0 => Vec::new(),
        _ => {
            let left = found.left.view().slice_rows(0, straight).to_mat();
            let squares: Vec<f64> = sigmas[..straight].iter().map(|s| s * s).collect();
            residuals_by_gram(&gram, &norms, first, &left, &found.images, &squares)
        }
    };
    if straight < k {
        residuals.extend(measured(panels, found, spectrum, straight)?);
    }
    let with_rounding = |(i, residual): (usize, f64)| match i < straight && sigmas[i] == 0.0 {
        true => 0.0,
        false => residual + rounding[i],
    };
    Ok(residuals
        .into_iter()
        .enumerate()
        .map(with_rounding)
        .collect())
}

/// ‖XᵀXv − σ²v‖ of the pairs from `start` on.
fn measured<T: Real>(
    panels: &Panels<'_, T>,
    found: &LeftVectors,
    spectrum: &Spectrum,
    start: usize,
) -> Result<Vec<f64>, Error> {
    let k = spectrum.len();
    let vectors = spectrum.vectors.view().slice_rows(start, k).to_mat();
    let squares: Vec<f64> = spectrum.singular_values[start..]
        .iter()
        .map(|s| s * s)
        .collect();
    let images = match &found.back {
        // X·v = X·Xᵀu/σ, with the sign that the sign rule gave v.
        Some(Back { images, cells }) => Mat::from_fn(k - start, panels.shape().0, |i, j| {
            let row = start + i;
            let (at, cell) = cells[row];
            let sign = (spectrum.vectors[(row, at)] / cell).signum();
            sign * images[(row, j)] / found.lengths[row]
        }),
        None => panels.left(&vectors)?,
    };
    panels.distances(&images, &squares, &vectors)
}

/// Divides a vector by its length unless the length is zero; returns the length.
fn to_unit(v: &mut [f64]) -> f64 {
    let length = norm(v);
    if length > 0.0 {
        v.iter_mut().for_each(|x| *x /= length);
    }
    length
}

/// Right vectors for the rows u of `left`; if residuals are measured, also X times them.
///
/// vᵢᵀvⱼ = uᵢᵀGuⱼ / σᵢσⱼ shows from which vector on rounding destroyed orthogonality; those vectors are orthogonalized again.
fn right_vectors<T: Real>(
    panels: &Panels<'_, T>,
    left: Mat<f64>,
    gram: &Mat<f64>,
    measure: bool,
) -> Result<(LeftVectors, Mat<f64>), Error> {
    // Far below the tolerance of components, far above rounding: to orthogonalize 1000 vectors takes seconds.
    const TILT: f64 = 1e-11;
    let (mut right, back) = match measure {
        true => panels.right_and_back(&left)?,
        false => (panels.right(&left)?, Mat::zeros(0, 0)),
    };
    let images = product(left.view(), gram.view());
    let d = right.n_cols().max(1);
    let lengths = parallel::collect_chunks(right.as_mut_slice(), d, |_, row| to_unit(row));
    // Lengths that are nothing but rounding come in no order.
    let order = largest_first(&lengths);
    let sorted = |m: Mat<f64>| match order.is_sorted() || m.n_rows() == 0 {
        true => m,
        false => Mat::from_fn(m.n_rows(), m.n_cols(), |i, j| m[(order[i], j)]),
    };
    let (left, images, mut right, back) =
        (sorted(left), sorted(images), sorted(right), sorted(back));
    let lengths: Vec<f64> = order.iter().map(|&i| lengths[i]).collect();
    let between = times_transposed(left.view(), images.view());
    let straight = |i: usize| {
        lengths[i] > 0.0
            && (0..=i).all(|j| {
                let cosine = between[(i, j)] / lengths[i] / lengths[j];
                (cosine - f64::from(i == j)).abs() <= TILT
            })
    };
    let start = (0..lengths.len())
        .find(|&i| !straight(i))
        .unwrap_or(lengths.len());
    // Centered rows leave one vector of length zero: it is quickly made orthogonal to a thousand others.
    const FEW: usize = 8;
    let straight = match lengths.len() - start {
        0 => start,
        n if n <= FEW && start > n => {
            orthonormalize_from(&mut right, start);
            start
        }
        // This changes every vector a little, also those that were orthogonal.
        _ => {
            polish_rows(&mut right);
            0
        }
    };
    let back = (measure && straight == lengths.len()).then(|| {
        let first = |row: &[f64]| row.iter().position(|v| *v != 0.0).unwrap_or(0);
        let cells = right.rows().map(|row| (first(row), row[first(row)]));
        Back {
            images: back,
            cells: cells.collect(),
        }
    });
    let found = LeftVectors {
        left,
        images,
        lengths,
        straight,
        back,
        measure,
    };
    Ok((found, right))
}
