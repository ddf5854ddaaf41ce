//! `dual`: eigenpairs of the n × n matrix XXᵀ instead of the d × d matrix XᵀX. For fewer rows than columns.
//!
//! XXᵀu = (n − 1)λu gives v = Xᵀu / √((n − 1)λ): a unit vector, because uᵀXXᵀu = (n − 1)λ.
//! Cost n²·d for the product, about 9·n³ for the eigenpairs, n·d·k for the vectors; memory n·d.

use super::covariance::note_resolution;
use super::spectrum::{Pairs, Spectrum, right_from_left};
use super::{Problem, Solution, checked_divisor};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{product, symmetric_eigen, times_transposed};
use crate::mat::Real;
use crate::prepare::gather;
use crate::source::Source;

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
    let gram = times_transposed(x.view(), x.view());
    // 2. Its eigenpairs: as many as the smaller side has.
    let (_, left) = symmetric_eigen(&gram)?;
    ctx.check()?;
    let left = left.top(x.n_rows().min(x.n_cols()));
    // 3. v = Xᵀu / ‖Xᵀu‖, and σ = ‖Xᵀu‖, which is more accurate than the root of the eigenvalue.
    let (values, vectors) = right_from_left(x, &left);
    let mut pairs = Pairs::of_factor(&data.norms, values, vectors, data.n_rows);
    let first = pairs.singular_values.first().copied().unwrap_or(0.0);
    let blur = (x.n_rows() as f64 * f64::EPSILON).sqrt() * first;
    pairs
        .floors
        .iter_mut()
        .for_each(|floor| *floor = floor.max(blur));
    let squares: Vec<f64> = pairs.singular_values.iter().map(|s| s * s).collect();
    let mut spectrum = Spectrum::leading(pairs, problem, divisor);
    let scores = times_transposed(spectrum.vectors.view(), x.view());
    spectrum.set_residuals(&product(scores.view(), x.view()));
    spectrum.set_angle(squares.get(spectrum.len()).copied());
    spectrum.scale_by(data.unit);
    let notes = note_resolution(&spectrum, problem).into_iter().collect();
    Ok(Solution {
        spectrum,
        preparation: data.preparation,
        n_rows: data.n_rows,
        weight: data.weight,
        spread: data.spread,
        notes,
    })
}
