//! Bi-cross-validation: the truncation that best predicts a block of cells from the others.
//!
//! Owen & Perry 2009 (doi:10.1214/08-AOAS227): rows and columns are split in two, X = [A B; C D] up to order; each of the four
//! blocks is left out once, as A, and predicted as B (D truncated to k)⁺ C = Σ_{i ≤ k} (B vᵢ)(uᵢᵀ C)/σᵢ with uᵢ = D vᵢ/σᵢ.
//! The noise in D is independent of A, so the error falls with every component of signal and rises with every component of
//! noise. At most half as many components as rows or columns can be tested.
//!
//! The curve is flat around its minimum, so the smallest error alone would keep components of noise. The rule takes the
//! smallest number whose error lies within one standard error of the minimum (over the blocks of several random splits). If the
//! error still falls at the largest number that can be tested, the rule abstains.

use super::advice::count_and_verb;
use super::small::{cut, is_zero, right_pairs, shuffled, too_few};
use super::{Advice, ChooseOptions, Detail, Rule};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::linalg::{product, times_transposed};
use crate::mat::Mat;
use crate::parallel;
use crate::rng::{Rng, stream};

/// Directions of D whose square, relative to the largest, is below this are rounding.
const ROUNDING: f64 = 1e-12;

/// The smallest number of components, from 0, that predicts cells left out as well as the best number does.
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
    let blocks: Vec<Vec<f64>> = ctx.install(|| parallel::try_collect(n_blocks, block))?;
    let limit = (n / 2).min(d / 2);
    let Curve {
        errors,
        least,
        within,
    } = Curve::from_blocks(&blocks, limit);
    let sentence = format!(
        "{} blocks left out as well as {least} would, within a standard error ({} into two by two; at most {limit} can be tested)",
        count_and_verb(within, "component", "predict"),
        counted(options.n_splits, "split"),
    );
    let sentence = match within == least {
        true => sentence.replace(
            &format!(" as well as {least} would, within a standard error"),
            " best",
        ),
        false => sentence,
    };
    let why = format!("the error still falls at {limit}, the largest number tested");
    let advice = Advice::new(rule, within, sentence, Detail::Errors(errors));
    Ok(advice.abstaining(least >= limit, &why))
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

/// The prediction error for every number of components, over all blocks.
struct Curve {
    /// The error summed over blocks, relative to the error with no component.
    errors: Vec<f64>,
    /// The number with the least error.
    least: usize,
    /// The smallest number of components whose error is within one standard error of the least.
    within: usize,
}

impl Curve {
    /// Combines the errors of the blocks, for up to `limit` components. A block that has run out of directions keeps its last
    /// error.
    fn from_blocks(blocks: &[Vec<f64>], limit: usize) -> Self {
        let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
        let count = longest.min(limit + 1);
        let at = |block: &[f64], k: usize| block.get(k).or(block.last()).copied().unwrap_or(0.0);
        let ratio = |x: f64, none: f64| if none > 0.0 { x / none } else { 0.0 };
        let sum = |k: usize| blocks.iter().map(|block| at(block, k)).sum::<f64>();
        let errors = (0..count).map(|k| ratio(sum(k), sum(0))).collect();
        // Every block's error is divided by its own size, so that large blocks do not dominate the standard error.
        let relative = |k: usize| -> Vec<f64> {
            let one = |block: &Vec<f64>| ratio(at(block, k), at(block, 0));
            blocks.iter().map(one).collect()
        };
        let means: Vec<f64> = (0..count).map(|k| mean(&relative(k))).collect();
        let least = first_within(&means, ROUNDING);
        let within = first_within(&means, standard_error(&relative(least)).max(ROUNDING));
        Curve {
            errors,
            least,
            within,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn standard_error(values: &[f64]) -> f64 {
    let (mean, n) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    if n > 1.0 {
        (squares / (n - 1.0) / n).sqrt()
    } else {
        0.0
    }
}

/// The smallest k whose error is the least, up to `slack`.
fn first_within(errors: &[f64], slack: f64) -> usize {
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    errors.iter().position(|x| *x <= least + slack).unwrap_or(0)
}
