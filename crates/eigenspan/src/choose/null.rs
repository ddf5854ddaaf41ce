//! Tables like a given one but without relations between its columns; parallel analysis compares with them.
//!
//! - Permuted: every column in an order of its own (Buja & Eyuboglu 1992, doi:10.1207/s15327906mbr2704_2). Columns keep their
//!   values; rows become alike.
//! - Flipped: every cell with a random sign (Hong, Sheng & Dobriban 2020, arXiv:2012.02985). Rows keep their size too, so that
//!   noise that is larger in some rows than in others keeps that property.
//!
//! Weights belong to rows, not to values: the roots of the weights are divided out before rows are permuted, and multiplied
//! back afterwards. Every column keeps its weighted mean and its variance.

use crate::mat::Mat;
use crate::rng::Rng;

/// How relations between columns are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// Every column in an order of its own.
    Permuted,
    /// Every cell with a random sign.
    Flipped,
}

impl Null {
    /// How the tables are described in a sentence.
    pub(super) fn words(self) -> &'static str {
        match self {
            Null::Permuted => "with permuted columns",
            Null::Flipped => "with random signs, as noise differs from row to row",
        }
    }

    /// One table, from columns (one per row of the matrix) and the roots of the weights of their rows.
    pub(super) fn draw(self, columns: &Mat<f64>, roots: Option<&[f64]>, seed: u64) -> Mat<f64> {
        match (self, roots) {
            (Null::Permuted, None) => permuted(columns, seed),
            (Null::Permuted, Some(roots)) => {
                let bare = |j: usize, i: usize| match roots[i] > 0.0 {
                    true => columns[(j, i)] / roots[i],
                    false => 0.0,
                };
                let bare = Mat::from_fn(columns.n_rows(), columns.n_cols(), bare);
                let mut table = permuted(&bare, seed);
                for j in 0..table.n_rows() {
                    let cells = table.row_mut(j).iter_mut().zip(roots);
                    cells.for_each(|(x, root)| *x *= root);
                    keep_moments(table.row_mut(j), columns.row(j), Some(roots));
                }
                table
            }
            (Null::Flipped, roots) => {
                let mut table = flipped(columns, seed);
                for j in 0..table.n_rows() {
                    keep_moments(table.row_mut(j), columns.row(j), roots);
                }
                table
            }
        }
    }
}

/// Columns (one per row of the matrix), each in an order of its own.
pub(crate) fn permuted(columns: &Mat<f64>, seed: u64) -> Mat<f64> {
    let (mut rng, mut permuted) = (Rng::new(seed), columns.clone());
    for j in 0..permuted.n_rows() {
        rng.shuffle(permuted.row_mut(j));
    }
    permuted
}

/// Every cell with a random sign.
fn flipped(columns: &Mat<f64>, seed: u64) -> Mat<f64> {
    let (mut rng, mut flipped) = (Rng::new(seed), columns.clone());
    for cells in flipped.as_mut_slice().chunks_mut(64) {
        let mut signs = rng.bits();
        for x in cells {
            if signs & 1 == 1 {
                *x = -*x;
            }
            signs >>= 1;
        }
    }
    flipped
}

/// Gives a column, whose cells are √w x, the weighted mean and the sum of squares about the mean of another column.
fn keep_moments(column: &mut [f64], like: &[f64], roots: Option<&[f64]>) {
    let root = |i: usize| roots.map_or(1.0, |roots| roots[i]);
    let weight: f64 = (0..like.len()).map(|i| root(i) * root(i)).sum();
    let moments = |cells: &[f64]| {
        let sum: f64 = cells.iter().enumerate().map(|(i, x)| root(i) * x).sum();
        let mean = if weight > 0.0 { sum / weight } else { 0.0 };
        let about = |(i, x): (usize, &f64)| (x - root(i) * mean).powi(2);
        let squares: f64 = cells.iter().enumerate().map(about).sum();
        (mean, squares)
    };
    let ((mean, squares), (old_mean, old_squares)) = (moments(column), moments(like));
    let factor = if squares > 0.0 {
        (old_squares / squares).sqrt()
    } else {
        0.0
    };
    for (i, x) in column.iter_mut().enumerate() {
        *x = root(i) * old_mean + factor * (*x - root(i) * mean);
    }
}
