//! `full`: the singular value decomposition of the prepared matrix itself; nothing is squared.
//!
//! Up to [`JACOBI_LIMIT`] on the shorter side by pivoted QR and one-sided Jacobi, which computes even singular values far
//! below 1e-16·σ₁ if the data determine them; beyond that by bidiagonalization, with errors of the order of 1e-15·σ₁.
//! Cost about 4·n·d² (tall) and more; memory n·d.

use super::spectrum::{Pairs, Spectrum};
use super::{Problem, Solution, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Side, jacobi_svd, product, right_svd, times_transposed};
use crate::mat::{Mat, Real};
use crate::prepare::gather;
use crate::source::Source;
use crate::summary::Accuracy;

/// Largest shorter side for one-sided Jacobi.
pub(super) const JACOBI_LIMIT: usize = 128;

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
    let (values, vectors) = decompose(x)?;
    ctx.check()?;
    let squares: Vec<f64> = values.iter().map(|s| s * s).collect();
    let mut spectrum = Spectrum::leading(
        Pairs::from_factor(&data.norms, values, vectors, data.n_rows),
        problem,
        divisor,
    );
    let scores = times_transposed(spectrum.vectors.view(), x.view());
    spectrum.set_residuals(&product(scores.view(), x.view()));
    let accuracy = Accuracy::in_chunks(data.n_rows);
    let (values, vectors) = (&spectrum.singular_values, &spectrum.vectors);
    let bounds = rounding::of_products(accuracy, &data.norms, values, vectors);
    spectrum.add_rounding(&bounds);
    spectrum.set_angle(squares.get(spectrum.len()).copied());
    spectrum.scale_by(data.unit);
    let notes = spectrum.note_unproven().into_iter().collect();
    Ok(Solution {
        spectrum,
        preparation: data.preparation,
        n_rows: data.n_rows,
        weight: data.weight,
        spread: data.spread,
        notes,
        resolution: 0.0,
        accuracy,
        single: false,
        outcome: None,
    })
}

/// Singular values and right singular vectors (rows) of X.
pub(super) fn decompose(x: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    let (n, d) = (x.n_rows(), x.n_cols());
    if n.min(d) > JACOBI_LIMIT {
        return right_svd(x.view());
    }
    let svd = if n >= d {
        jacobi_svd(x.transposed(), Side::Right)?
    } else {
        jacobi_svd(x.clone(), Side::Left)?
    };
    let vectors = svd.right.or(svd.left).unwrap_or_default();
    Ok((svd.values, vectors))
}
