//! All eigenvalues without eigenvectors, for rules that only need the spectrum: a third of the work of a decomposition, or less.
//!
//! From the scatter, in one reading; from the Gram matrix if there are fewer rows than columns.

use super::covariance::{empty_solution, prepared_scatter};
use super::{Problem, Solution, checked_divisor};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{gram_of_rows, norm, symmetric_eigenvalues};
use crate::mat::Real;
use crate::prepare::gather;
use crate::source::Source;

/// A solution whose spectrum has all singular values, and no vectors.
pub(crate) fn solve_values<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    ctx.begin("reading", source.n_rows().map(|n| n as u64));
    let few_rows = source.n_rows().is_some_and(|n| n < source.n_cols());
    let mut solution = ctx.install(|| match few_rows {
        true => from_gram(ctx, source, problem),
        false => from_scatter(ctx, source, problem),
    })?;
    super::note_constant(&mut solution, source.col_names(), problem);
    Ok(solution)
}

fn from_scatter<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let (scatter, mut solution) = prepared_scatter(ctx, source, problem)?;
    ctx.check()?;
    let d = scatter.n_rows();
    let trace: f64 = (0..d).map(|j| scatter[(j, j)].max(0.0)).sum();
    let values = symmetric_eigenvalues(&scatter)?;
    let possible = d.min(solution.n_rows);
    let roots = values.iter().take(possible).map(|x| x.max(0.0).sqrt());
    solution.spectrum.singular_values = roots.collect();
    solution.spectrum.norm = trace.sqrt();
    Ok(solution)
}

fn from_gram<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let convention = problem.convention;
    let data = gather(ctx, source, problem.center, problem.scale, |w| {
        convention.divisor(w)
    })?;
    let divisor = checked_divisor(convention, data.n_rows, data.weight)?;
    ctx.check()?;
    let values = symmetric_eigenvalues(&gram_of_rows(&data.matrix))?;
    let center = data.preparation.center;
    let scale = data.preparation.scale;
    let spread = data.spread;
    let mut solution = empty_solution(data.n_rows, data.weight, center, scale, spread, divisor);
    let roots = values.iter().map(|x| x.max(0.0).sqrt() * data.unit);
    solution.spectrum.singular_values = roots.collect();
    solution.spectrum.norm = norm(&data.norms) * data.unit;
    Ok(solution)
}
