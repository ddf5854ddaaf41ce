//! The cost of the rules that use rows, and how it is limited.
//!
//! All their work is Gram matrices, n·d·min(n, d), and decompositions of them. Counted in operations of a Gram matrix, which
//! run at the full speed of the processor, eigenvalues take about 4 min(n, d)³ and eigenvalues with vectors 9 min(n, d)³.
//! Where the total is more than [`ENOUGH`], parallel analysis draws fewer tables, down to [`FEW_DRAWS`]; where that is still
//! too much, the rules use a sample of the rows. The advice mentions both.

use super::ChooseOptions;

/// Operations of a Gram matrix that all rules together may take: one or two seconds.
const ENOUGH: f64 = 4e10;
/// The fewest draws that parallel analysis may be cut to: 19 of 20 are 95 %.
const FEW_DRAWS: usize = 20;
/// Tables that parallel analysis draws per draw of its band: tables of the data, and of the rest after components are
/// removed.
const TABLES: f64 = 3.0;
/// The fewest rows of a sample; a smaller table is used whole.
const FEW_ROWS: usize = 50;

/// The largest number of rows that the rules can use in a table of `n_cols` columns.
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

/// The most tables that parallel analysis can draw.
pub(super) fn draws_within_reach(n: usize, d: usize, options: &ChooseOptions) -> usize {
    let left = ENOUGH - validation(n, d, options);
    let draws = (left / (TABLES * draw(n, d))).max(FEW_DRAWS as f64);
    options.n_draws.min(draws as usize)
}

/// Whether the budget allows drawing tables of normal noise of this shape.
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
