//! Parallel analysis: eigenvalues above those of the same columns without their relations.
//!
//! Horn 1965 (doi:10.1007/BF02289447) compares with random tables; permuting every column on its own (Buja & Eyuboglu 1992,
//! doi:10.1207/s15327906mbr2704_2) keeps what each column is like, its variance too, so that the comparison is right on
//! covariances as on correlations. The i-th eigenvalue has to exceed the upper quantile of the i-th of all draws; the first
//! that does not ends it. Cost: one Gram matrix and its eigenvalues per draw, draws at the same time.
//!
//! What it cannot see: permuted columns keep the variance of strong components, and spread over all directions it hides weak
//! ones (Dobriban & Owen 2019, doi:10.1111/rssb.12301). Its number is then too small, rather than too large.

use rayon::prelude::*;

use super::effort::draws_within_reach;
use super::small::{is_zero, squares_of_flat, too_few};
use super::{Advice, ChooseOptions, Detail, Rule};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::mat::Mat;
use crate::rng::{Rng, stream};

/// Eigenvalues that only rounding lifts above the null do not count.
const ROUNDING: f64 = 1e-10;

/// Parallel analysis of a prepared matrix.
pub fn parallel_analysis(
    ctx: &Context,
    matrix: &Mat<f64>,
    options: &ChooseOptions,
) -> Result<Advice, Error> {
    let (n, d) = (matrix.n_rows(), matrix.n_cols());
    if is_zero(matrix) {
        return Ok(Advice::none(Rule::ParallelAnalysis, "nothing varies"));
    }
    if let Some(why) = too_few(n, d, "to permute") {
        return Ok(Advice::none(Rule::ParallelAnalysis, &why));
    }
    let divisor = (n - 1) as f64;
    let columns = matrix.transposed();
    // Rows of what is decomposed are the shorter side.
    let eigenvalues = |columns: Mat<f64>| -> Result<Vec<f64>, Error> {
        let flat = if d <= n {
            columns
        } else {
            columns.transposed()
        };
        let squares = squares_of_flat(&flat)?;
        Ok(squares.iter().map(|x| x / divisor).collect())
    };
    let observed = ctx.install(|| eigenvalues(columns.clone()))?;
    let n_draws = draws_within_reach(n, d, options);
    let within_reach = ChooseOptions {
        n_draws,
        ..options.clone()
    };
    let mut advice = parallel_analysis_by(ctx, observed, &within_reach, |seed| {
        eigenvalues(permuted(&columns, seed))
    })?;
    if n_draws < options.n_draws {
        let asked = options.n_draws;
        let fewer = format!(" (not of {asked}, which would take too long)");
        advice.sentence.push_str(&fewer);
    }
    Ok(advice)
}

/// Columns (one per row of the matrix), each in an order of its own.
pub(crate) fn permuted(columns: &Mat<f64>, seed: u64) -> Mat<f64> {
    let (mut rng, mut permuted) = (Rng::new(seed), columns.clone());
    for j in 0..permuted.n_rows() {
        rng.shuffle(permuted.row_mut(j));
    }
    permuted
}

/// Parallel analysis of eigenvalues against any null: `null` gives the eigenvalues of one draw from its seed.
pub fn parallel_analysis_by(
    ctx: &Context,
    observed: Vec<f64>,
    options: &ChooseOptions,
    null: impl Fn(u64) -> Result<Vec<f64>, Error> + Sync,
) -> Result<Advice, Error> {
    options.check()?;
    let n_draws = options.n_draws;
    ctx.begin("parallel analysis", Some(n_draws as u64));
    let draw = |number: usize| {
        ctx.check()?;
        let values = null(stream(options.seed, number))?;
        ctx.advance(1);
        Ok(values)
    };
    let draws: Vec<Vec<f64>> = ctx.install(|| {
        (0..n_draws)
            .into_par_iter()
            .map(draw)
            .collect::<Result<_, Error>>()
    })?;
    let rank = (options.quantile * n_draws as f64).ceil() as usize;
    let rank = rank.clamp(1, n_draws) - 1;
    let (mut mean, mut upper) = (Vec::new(), Vec::new());
    for i in 0..observed.len() {
        let at = |values: &Vec<f64>| values.get(i).copied().unwrap_or(0.0);
        let mut column: Vec<f64> = draws.iter().map(at).collect();
        mean.push(column.iter().sum::<f64>() / n_draws as f64);
        column.sort_unstable_by(f64::total_cmp);
        upper.push(column[rank]);
    }
    let pairs = observed.iter().zip(&upper);
    let k = pairs
        .take_while(|(x, bar)| **x > **bar * (1.0 + ROUNDING))
        .count();
    let sentence = format!(
        "{} above the {} % quantile of {} with permuted columns",
        counted(k, "eigenvalue"),
        100.0 * options.quantile,
        counted(n_draws, "table"),
    );
    let detail = Detail::Band {
        observed,
        mean,
        upper,
    };
    Ok(Advice::new(Rule::ParallelAnalysis, k, sentence, detail))
}
