//! Bi-cross-validation: the truncation that best predicts a block of cells from the others.
//!
//! Owen & Perry 2009 (doi:10.1214/08-AOAS227): rows and columns are split in two, X = [A B; C D] up to order; each block in turn
//! is A, left out, and predicted as B (D truncated to k)⁺ C = Σ_{i ≤ k} (B vᵢ)(uᵢᵀ C)/σᵢ with uᵢ = D vᵢ/σᵢ. Noise in D says nothing
//! of A, so the error falls with signal and rises with noise. Summed over several random splits; at most half as many
//! components as rows or columns can be seen.

use rayon::prelude::*;

use super::advice::doing;
use super::small::{cut, is_zero, right_pairs, shuffled, too_few};
use super::{Advice, ChooseOptions, Detail, Rule};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::linalg::{product, times_transposed};
use crate::mat::Mat;
use crate::rng::{Rng, stream};

/// Directions of D with a square below this, relative to the largest, are rounding.
const ROUNDING: f64 = 1e-12;

/// The number of components that best predicts cells left out, from 0.
pub fn bi_cross_validation(
    ctx: &Context,
    matrix: &Mat<f64>,
    options: &ChooseOptions,
) -> Result<Advice, Error> {
    options.check()?;
    let rule = Rule::BiCrossValidation;
    let (n, d) = (matrix.n_rows(), matrix.n_cols());
    if is_zero(matrix) {
        return Ok(Advice::none(rule, "nothing varies"));
    }
    if let Some(why) = too_few(n, d, "to leave a block out") {
        return Ok(Advice::none(rule, &why));
    }
    let n_blocks = 4 * options.n_splits;
    ctx.begin("bi-cross-validation", Some(n_blocks as u64));
    let block = |number: usize| {
        ctx.check()?;
        let mut rng = Rng::new(stream(options.seed, (2 << 32) + number / 4));
        let (rows, cols) = (shuffled(n, &mut rng), shuffled(d, &mut rng));
        let (top, bottom) = halves(&rows, number & 1 == 0);
        let (left, right) = halves(&cols, number & 2 == 0);
        let errors = block_errors(
            cut(matrix, top, left),
            &cut(matrix, top, right),
            &cut(matrix, bottom, left),
            &cut(matrix, bottom, right),
        )?;
        ctx.advance(1);
        Ok(errors)
    };
    let blocks: Vec<Vec<f64>> = ctx.install(|| {
        (0..n_blocks)
            .into_par_iter()
            .map(block)
            .collect::<Result<_, Error>>()
    })?;
    let errors = relative_errors(&blocks);
    let k = smallest(&errors);
    let limit = (n / 2).min(d / 2);
    let sentence = format!(
        "{} blocks left out best ({} into two by two; at most {limit} can be seen)",
        doing(k, "component", "predict"),
        counted(options.n_splits, "split"),
    );
    Ok(Advice::new(rule, k, sentence, Detail::Errors(errors)))
}

/// The first half and the second, or the other way around.
fn halves(order: &[usize], first: bool) -> (&[usize], &[usize]) {
    let (a, b) = order.split_at(order.len() / 2);
    if first { (a, b) } else { (b, a) }
}

/// ‖A − B (D truncated to k)⁺ C‖² for k = 0, 1, … as far as D has directions.
fn block_errors(
    mut a: Mat<f64>,
    b: &Mat<f64>,
    c: &Mat<f64>,
    d: &Mat<f64>,
) -> Result<Vec<f64>, Error> {
    let size = |m: &Mat<f64>| m.as_slice().iter().map(|x| x * x).sum::<f64>();
    let mut errors = vec![size(&a)];
    let (squares, vectors) = right_pairs(d)?;
    let floor = ROUNDING * squares.first().copied().unwrap_or(0.0);
    // B vᵢ as columns, and σᵢ uᵢᵀ C = (D vᵢ)ᵀ C as rows.
    let from_b = times_transposed(b.view(), vectors.view());
    let from_d = times_transposed(vectors.view(), d.view());
    let from_c = product(from_d.view(), c.view());
    for (i, square) in squares.iter().enumerate().take_while(|(_, x)| **x > floor) {
        for row in 0..a.n_rows() {
            let factor = from_b[(row, i)] / square;
            let cells = a.row_mut(row).iter_mut().zip(from_c.row(i));
            cells.for_each(|(x, c)| *x -= factor * c);
        }
        errors.push(size(&a));
    }
    Ok(errors)
}

/// Errors summed over blocks, relative to those of no component. A block that has run out of directions keeps its last.
fn relative_errors(blocks: &[Vec<f64>]) -> Vec<f64> {
    let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let at = |errors: &Vec<f64>, k: usize| errors.get(k).or(errors.last()).copied().unwrap_or(0.0);
    let sum = |k: usize| blocks.iter().map(|errors| at(errors, k)).sum::<f64>();
    let none = sum(0);
    let relative = |x: f64| if none > 0.0 { x / none } else { 0.0 };
    (0..longest).map(|k| relative(sum(k))).collect()
}

/// The smallest k whose error is the least, up to rounding.
fn smallest(errors: &[f64]) -> usize {
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    errors
        .iter()
        .position(|x| *x <= least + ROUNDING)
        .unwrap_or(0)
}
