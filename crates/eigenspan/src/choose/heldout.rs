//! Cross-validated probabilistic PCA: the number of components under which held-out rows have the largest likelihood.
//!
//! Tipping & Bishop 1999 (doi:10.1111/1467-9868.00196): with λᵢ, vᵢ from the other folds and s² = Σ_{i > k} λᵢ/(d − k), a row x
//! has −2 log p = d log 2π + Σ_{i ≤ k} log λᵢ + (d − k) log s² + Σ_{i ≤ k} (vᵢ·x)²/λᵢ + (‖x‖² − Σ_{i ≤ k} (vᵢ·x)²)/s². Sums over the rows of a
//! fold serve every k: one decomposition per fold.

use std::f64::consts::TAU;

use super::advice::best;
use super::small::{cut, is_zero, right_pairs, shuffled, too_few};
use super::{Advice, ChooseOptions, Detail, Rule};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::linalg::times_transposed;
use crate::mat::Mat;
use crate::parallel;
use crate::rng::{Rng, stream};

/// Noise below this share of the total variance counts as zero, and the search stops there.
const NO_NOISE: f64 = 1e-12;

/// The number of components, from 0, under which held-out rows have the largest likelihood.
pub fn held_out_likelihood(
    ctx: &Context,
    matrix: &Mat<f64>,
    options: &ChooseOptions,
) -> Result<Advice, Error> {
    options.check()?;
    let rule = Rule::HeldOutLikelihood;
    let (n, d) = (matrix.n_rows(), matrix.n_cols());
    if is_zero(matrix) {
        return Ok(Advice::none(rule, "nothing varies"));
    }
    let n_folds = options.n_folds.min(n);
    if let Some(why) = too_few(n, d, "to leave some out") {
        return Ok(Advice::none(rule, &why));
    }
    ctx.begin("held-out likelihood", Some(n_folds as u64));
    let order = shuffled(n, &mut Rng::new(stream(options.seed, 1 << 32)));
    let all: Vec<usize> = (0..d).collect();
    let fold = |fold: usize| {
        ctx.check()?;
        let (start, end) = (fold * n / n_folds, (fold + 1) * n / n_folds);
        let kept: Vec<usize> = order[..start]
            .iter()
            .chain(&order[end..])
            .copied()
            .collect();
        let scores = score_fold(
            cut(matrix, &kept, &all),
            cut(matrix, &order[start..end], &all),
        )?;
        ctx.advance(1);
        Ok(scores)
    };
    let folds: Vec<Vec<f64>> = ctx.install(|| parallel::try_collect(n_folds, fold))?;
    let known = folds.iter().map(Vec::len).min().unwrap_or(0);
    let scores: Vec<f64> = (0..known)
        .map(|k| folds.iter().map(|scores| scores[k]).sum::<f64>() / n as f64)
        .collect();
    let Some(k) = best(scores.iter().copied()) else {
        return Ok(Advice::none(rule, "the rows kept do not vary"));
    };
    let sentence = format!(
        "held-out rows have the largest likelihood under {} ({n_folds} folds)",
        counted(k, "component")
    );
    let detail = Detail::Scores {
        first: 0,
        values: scores,
    };
    let why = "the likelihood still rises at the largest number tested";
    let advice = Advice::new(rule, k, sentence, detail);
    Ok(advice.abstaining(k > 0 && k + 1 >= known, why))
}

/// log p of all rows left out, for k = 0, 1, … as long as k components leave noise.
fn score_fold(mut kept: Mat<f64>, mut left_out: Mat<f64>) -> Result<Vec<f64>, Error> {
    let (n, d) = (kept.n_rows() as f64, kept.n_cols());
    let mean = means(&kept);
    subtract(&mut kept, &mean);
    subtract(&mut left_out, &mean);
    // 1. Eigenpairs of the rows kept, and the squares of the other rows along each eigenvector.
    let (squares, vectors) = right_pairs(&kept)?;
    let values: Vec<f64> = squares.iter().map(|x| x / n).collect();
    let along = times_transposed(left_out.view(), vectors.view());
    let mut sums = vec![0.0; values.len()];
    for row in along.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, z)| *sum += z * z);
    }
    let all: f64 = left_out.as_slice().iter().map(|x| x * x).sum();
    // 2. Variance that k components leave, summed from the small end.
    let mut rest = vec![0.0; values.len() + 1];
    for i in (0..values.len()).rev() {
        rest[i] = rest[i + 1] + values[i];
    }
    // 3. The likelihood of every k.
    let m = left_out.n_rows() as f64;
    let floor = NO_NOISE * rest[0];
    let (mut logs, mut fits, mut seen) = (0.0, 0.0, 0.0);
    let mut scores = Vec::new();
    for k in 0..values.len().min(d - 1) + 1 {
        if k > 0 {
            if values[k - 1] <= floor {
                break;
            }
            logs += values[k - 1].ln();
            fits += sums[k - 1] / values[k - 1];
            seen += sums[k - 1];
        }
        let left = (d - k) as f64;
        let noise = rest[k].max(floor) / left;
        if noise <= 0.0 {
            break;
        }
        let twice = m * (d as f64 * TAU.ln() + logs + left * noise.ln())
            + fits
            + (all - seen).max(0.0) / noise;
        scores.push(-0.5 * twice);
        if rest[k] <= floor {
            break;
        }
    }
    Ok(scores)
}

fn means(matrix: &Mat<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; matrix.n_cols()];
    for row in matrix.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    let n = matrix.n_rows().max(1) as f64;
    sums.iter().map(|sum| sum / n).collect()
}

fn subtract(matrix: &mut Mat<f64>, mean: &[f64]) {
    for i in 0..matrix.n_rows() {
        let row = matrix.row_mut(i).iter_mut();
        row.zip(mean).for_each(|(x, m)| *x -= m);
    }
}
