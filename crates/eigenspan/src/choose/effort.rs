//! What the rules that look at rows cost, and how much of it is enough.
//!
//! All their work is Gram matrices, n·d·min(n, d), and decompositions of them. Counted in operations of a Gram matrix, which
//! run at the full speed of the processor, eigenvalues take about 4 min(n, d)³, with vectors 9 min(n, d)³. Where that is more than [`ENOUGH`],
//! parallel analysis draws fewer tables, down to [`FEW_DRAWS`]; beyond that fewer rows are looked at, and both are said.

use super::ChooseOptions;

/// Operations of a Gram matrix that all rules together may take: one or two seconds.
const ENOUGH: f64 = 4e10;
/// Draws to which parallel analysis may be cut: 19 of 20 are 95 %.
const FEW_DRAWS: usize = 20;
/// Tables that parallel analysis draws for each draw of its band: those of what is left once components are taken out, too.
const TABLES: f64 = 3.0;
/// Rows that are always looked at, where there are so many.
const FEW_ROWS: usize = 50;

/// Rows that the rules can look at, at most, in a table of so many columns.
pub(super) fn rows_within_reach(n_cols: usize, options: &ChooseOptions) -> usize {
    let draws = options.n_draws.min(FEW_DRAWS) as f64;
    let within =
        |n: usize| TABLES * draws * draw(n, n_cols) + validation(n, n_cols, options) <= ENOUGH;
    if within(options.max_rows) {
        return options.max_rows;
    }
    let (mut low, mut high) = (FEW_ROWS.min(options.max_rows), options.max_rows);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match within(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Tables that parallel analysis can draw, at most.
pub(super) fn draws_within_reach(n: usize, d: usize, options: &ChooseOptions) -> usize {
    let left = ENOUGH - validation(n, d, options);
    let draws = (left / (TABLES * draw(n, d))).max(FEW_DRAWS as f64);
    options.n_draws.min(draws as usize)
}

/// Whether tables of noise can be drawn at all from no more than their shape.
pub(super) fn can_draw(n: usize, d: usize) -> bool {
    FEW_DRAWS as f64 * draw(n.min(d), d) <= ENOUGH
}

/// One table of permuted columns and its eigenvalues.
fn draw(n: usize, d: usize) -> f64 {
    let (n, d) = (n as f64, d as f64);
    let short = n.min(d);
    // Permuting a cell takes as long as some thirty operations.
    n * d * (short + 30.0) + 4.0 * short.powi(3)
}

/// Both cross-validations.
fn validation(n: usize, d: usize, options: &ChooseOptions) -> f64 {
    let pairs = |n: f64, d: f64| {
        let short = n.min(d);
        3.0 * n * d * short + 9.0 * short.powi(3)
    };
    let (n, d) = (n as f64, d as f64);
    options.n_folds as f64 * pairs(n, d) + 4.0 * options.n_splits as f64 * pairs(n / 2.0, d / 2.0)
}
