//! `qr`: the triangular factor in one reading, then its singular value decomposition: full accuracy for tall data.
//!
//! R has the same singular values and right singular vectors as the data, and nothing is squared. Cost about 2·n·d² to 2.5·n·d², twice
//! that of the covariance; memory d².

use super::covariance::empty_solution;
use super::full::decompose;
use super::spectrum::{Pairs, Spectrum, column_norms};
use super::{Problem, Solution, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{power_of_two_near, product, times_transposed};
use crate::mat::Real;
use crate::prepare::{ColumnStatistics, find_not_finite};
use crate::source::Source;
use crate::summary::{Triangle, summarize};

pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let d = source.n_cols();
    let summary = summarize(ctx, source, || Triangle::new(d))?;
    let (n_rows, weight) = (summary.n_rows(), summary.weight());
    let divisor = checked_divisor(problem.convention, n_rows, weight)?;
    problem.keep.check_shape(n_rows, d)?;
    if !summary.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    let center = if problem.center {
        summary.mean()
    } else {
        vec![0.0; d]
    };
    let accuracy = summary.accuracy();
    let mut factor = summary.into_factor(problem.center);
    let spread = column_norms(&factor);
    let scale = problem.scale.factors(&ColumnStatistics {
        spread: &spread,
        mean: &center,
        divisor,
        unit: 1.0,
    })?;
    let largest = factor.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let unit = if largest > 0.0 && scale.is_none() {
        power_of_two_near(largest)
    } else {
        1.0
    };
    for i in 0..factor.n_rows() {
        let row = factor.row_mut(i);
        match &scale {
            Some(scale) => row.iter_mut().zip(scale).for_each(|(x, s)| *x /= s),
            None => row.iter_mut().for_each(|x| *x /= unit),
        }
    }
    ctx.check()?;
    let (mut values, mut vectors) = decompose(&factor)?;
    let possible = n_rows.min(d);
    values.truncate(possible);
    vectors = vectors.top(possible);
    let squares: Vec<f64> = values.iter().map(|s| s * s).collect();
    let norms = column_norms(&factor);
    let pairs = Pairs::from_factor(&norms, values, vectors, n_rows);
    let mut spectrum = Spectrum::leading(pairs, problem, divisor);
    let images = times_transposed(spectrum.vectors.view(), factor.view());
    spectrum.set_residuals(&product(images.view(), factor.view()));
    let (values, vectors) = (&spectrum.singular_values, &spectrum.vectors);
    let bounds = rounding::of_products(accuracy, &norms, values, vectors);
    spectrum.add_rounding(&bounds);
    spectrum.set_angle(squares.get(spectrum.len()).copied());
    spectrum.scale_by(unit);
    let mut solution = empty_solution(n_rows, weight, center, scale, spread, divisor);
    solution.notes.extend(spectrum.note_unproven());
    solution.spectrum = spectrum;
    solution.accuracy = accuracy;
    solution.resolution = 0.0;
    Ok(solution)
}
