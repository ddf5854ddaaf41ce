//! `dual`: eigenpairs of the n × n matrix XXᵀ instead of the d × d matrix XᵀX. For fewer rows than columns.
//!
//! XXᵀu = (n − 1)λu gives v = Xᵀu / √((n − 1)λ): a unit vector, because uᵀXXᵀu = (n − 1)λ.
//! Cost n²·d for the product, about 9·n³ for the eigenpairs, n·d·k for the vectors; memory n·d.

use super::covariance::{RESOLUTION, note_resolution};
use super::iterative::partial_shape;
use super::krylov::{Wanted, leading_pairs};
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solution, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    gram_of_rows, mirror_lower, norm, orthonormalize_from, polish_rows, product, symmetric_eigen,
    times_transposed,
};
use crate::mat::{Mat, Real};
use crate::prepare::{Gathered, gather};
use crate::source::Source;
use crate::summary::Accuracy;

pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let convention = problem.convention;
    let data = gather(ctx, source, problem.center, problem.scale, |w| {
        convention.divisor(w)
    })?;
    let divisor = checked_divisor(convention, data.n_rows, data.weight)?;
    let x = &data.matrix;
    problem.keep.check_shape(x.n_rows(), x.n_cols())?;
    ctx.check()?;
    // 1. The Gram matrix of the rows.
    let mut gram = gram_of_rows(x);
    mirror_lower(&mut gram);
    // 2. Its leading eigenpairs, or all: as many as the smaller side has.
    let possible = x.n_rows().min(x.n_cols());
    let left = leading_vectors(ctx, &gram, problem, possible)?;
    ctx.check()?;
    // 3. v = Xᵀu / ‖Xᵀu‖, and σ = ‖Xᵀu‖, which is more accurate than the root of the eigenvalue.
    let images = product(left.view(), gram.view());
    let (values, vectors, straight) = right_vectors(x, &left, &images);
    let mut pairs = Pairs::of_factor(&data.norms, values, vectors, data.n_rows);
    let first = pairs.singular_values.first().copied().unwrap_or(0.0);
    let blur = (x.n_rows() as f64 * f64::EPSILON).sqrt() * first;
    pairs
        .floors
        .iter_mut()
        .for_each(|floor| *floor = floor.max(blur));
    let squares: Vec<f64> = pairs.singular_values.iter().map(|s| s * s).collect();
    let mut spectrum = Spectrum::leading(pairs, problem, divisor);
    let residuals = proven_residuals(&data, gram, (&left, &images), &spectrum, straight);
    spectrum.set_absolute_residuals(&residuals);
    spectrum.set_angle(squares.get(spectrum.len()).copied());
    spectrum.scale_by(data.unit);
    let notes = note_resolution(&spectrum, problem, RESOLUTION)
        .into_iter()
        .collect();
    Ok(Solution {
        spectrum,
        preparation: data.preparation,
        n_rows: data.n_rows,
        weight: data.weight,
        spread: data.spread,
        notes,
        resolution: RESOLUTION,
        accuracy: Accuracy::default(),
        single: false,
    })
}

/// Step 4: ‖XᵀXv − σ²v‖ = ‖Xᵀ(Gu − σ²u)‖/σ is at most σ₁‖Gu − σ²u‖/σ: a proof that needs no look at X. Vectors that had to be made
/// orthonormal again, and few components of many, are looked at. Both with a bound on rounding.
fn proven_residuals(
    data: &Gathered,
    gram: Mat<f64>,
    (left, images): (&Mat<f64>, &Mat<f64>),
    spectrum: &Spectrum,
    straight: usize,
) -> Vec<f64> {
    let (x, k) = (&data.matrix, spectrum.len());
    let straight = match 16 * k <= x.n_rows() {
        true => 0,
        false => straight.min(k),
    };
    let tilted = Mat::from_fn(k - straight, x.n_cols(), |i, j| {
        spectrum.vectors[(straight + i, j)]
    });
    let products = product(times_transposed(tilted.view(), x.view()).view(), x.view());
    let sigmas = &spectrum.singular_values;
    let first = sigmas.first().copied().unwrap_or(0.0);
    // Products with X, and with G: v = Xᵀu/σ is wrong by a few roundings of the columns' lengths, divided by σ.
    let looked_at = rounding::of_products(
        Accuracy::in_chunks(x.n_rows().max(x.n_cols())),
        &data.norms,
        sigmas,
        &spectrum.vectors,
    );
    let squared = match straight {
        0 => Vec::new(),
        _ => {
            let left = left.view().slice_rows(0, straight).to_mat();
            rounding::of_scatter(Accuracy::in_chunks(x.n_cols()), gram, &left)
        }
    };
    let cells = 4.0 * f64::EPSILON * norm(&data.norms) * first;
    let residual = |i: usize| match (sigmas[i], i < straight) {
        (sigma, true) if sigma > 0.0 => {
            let measured = distance(images.row(i), left.row(i), sigma * sigma);
            (measured + squared[i] + cells) * (first / sigma) + looked_at[i]
        }
        (_, true) => 0.0,
        (sigma, false) => {
            let i = i - straight;
            distance(products.row(i), tilted.row(i), sigma * sigma) + looked_at[straight + i]
        }
    };
    (0..k).map(residual).collect()
}

/// ‖Xᵀu‖ and v = Xᵀu / ‖Xᵀu‖ for the rows u of `left`; `images` are their products with the Gram matrix.
///
/// vᵢᵀvⱼ = uᵢᵀGuⱼ / σᵢσⱼ tells from which vector on rounding has tilted them; those are made orthonormal again. The number of
/// vectors that are as they were is returned.
fn right_vectors(x: &Mat<f64>, left: &Mat<f64>, images: &Mat<f64>) -> (Vec<f64>, Mat<f64>, usize) {
    // Far below what the components are asked for, far above rounding: 1000 of them cost seconds to make straight.
    const TILT: f64 = 1e-11;
    let mut right = product(left.view(), x.view());
    let lengths: Vec<f64> = right.rows().map(norm).collect();
    for (i, length) in lengths
        .iter()
        .enumerate()
        .filter(|(_, length)| **length > 0.0)
    {
        right.row_mut(i).iter_mut().for_each(|x| *x /= length);
    }
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
    // Centered rows leave one vector without a length of its own: one is quickly set right beside a thousand others.
    const FEW: usize = 8;
    let straight = match lengths.len() - start {
        0 => start,
        n if n <= FEW && start > n => {
            orthonormalize_from(&mut right, start);
            start
        }
        // That moves every vector a little, those that were straight too.
        _ => {
            polish_rows(&mut right);
            0
        }
    };
    (lengths, right, straight)
}

/// ‖a − factor·b‖.
fn distance(a: &[f64], b: &[f64], factor: f64) -> f64 {
    norm(
        &a.iter()
            .zip(b)
            .map(|(a, b)| a - factor * b)
            .collect::<Vec<_>>(),
    )
}

/// Rows of a Gram matrix whose eigenpairs are all found, however few are wanted: that takes no time.
pub(super) const WHOLE: usize = 400;

/// Eigenvectors of the Gram matrix as rows: a few more than were asked for, or all.
fn leading_vectors(
    ctx: &Context,
    gram: &Mat<f64>,
    problem: &Problem,
    possible: usize,
) -> Result<Mat<f64>, Error> {
    if let Keep::Count(k) = problem.keep
        && 8 * k <= possible
        && possible > WHOLE
    {
        // One more than asked for, so that the gap behind the last is known.
        // What u lacks, v lacks up to σ₁/σ times.
        const CLOSER: f64 = 0.01;
        let wanted = Wanted {
            tolerance: CLOSER * problem.tolerance,
            ..partial_shape(k + 1, problem, gram)
        };
        let found = leading_pairs(ctx, gram, wanted)?;
        if found.converged(&wanted) {
            return Ok(found.vectors);
        }
    }
    Ok(symmetric_eigen(gram)?.1.top(possible))
}
