//! k nearest neighbors for several numbers of leading columns and of neighbors at once: squared differences are added up column by
//! column, and the nearest rows are selected once for each number of columns. Cost n·(largest number of columns) per row, and n per
//! number of columns.

use super::{Training, likeliest};
use crate::context::Context;
use crate::error::{Error, TuningFault};
use crate::mat::Mat;
use crate::parallel;

/// Classes of rows, for each number of columns and then for each number of neighbors.
pub(in crate::evaluate) type Predicted = Vec<Vec<Vec<usize>>>;

/// The classes that [`super::neighbors`] gives for the first k columns, for all k of `widths` and all numbers of `neighbors`, both
/// rising.
pub(in crate::evaluate) fn predict(
    ctx: &Context,
    training: Training<'_>,
    widths: &[usize],
    neighbors: &[usize],
    rows: &Mat<f64>,
) -> Result<Predicted, Error> {
    training.counts()?;
    let n = training.rows.n_rows();
    let most = neighbors.last().copied().unwrap_or(1);
    if most == 0 || most > n {
        return Err(Error::Tuning(TuningFault::NeighborCount {
            asked: most,
            n_rows: n,
        }));
    }
    let columns = training.rows.transposed();
    let of_row = |i: usize| classes_of_row(rows.row(i), &columns, training, widths, neighbors);
    let each = ctx.install_here(|| parallel::collect(rows.n_rows(), of_row));
    let of = |place: usize| -> Vec<usize> { each.iter().map(|classes| classes[place]).collect() };
    let m = neighbors.len();
    let width = |p: usize| (0..m).map(|q| of(p * m + q)).collect();
    Ok((0..widths.len()).map(width).collect())
}

/// The classes of one row: width after width, and for each all numbers of neighbors.
fn classes_of_row(
    row: &[f64],
    columns: &Mat<f64>,
    training: Training<'_>,
    widths: &[usize],
    neighbors: &[usize],
) -> Vec<usize> {
    let n = columns.n_cols();
    let most = neighbors.last().copied().unwrap_or(1);
    let mut squares = vec![0.0f64; n];
    let mut near: Vec<(f64, usize)> = Vec::with_capacity(n);
    let mut classes = Vec::with_capacity(widths.len() * neighbors.len());
    let mut added = 0;
    for &width in widths {
        for (j, x) in row.iter().enumerate().take(width).skip(added) {
            let cells = squares.iter_mut().zip(columns.row(j));
            cells.for_each(|(square, y)| *square += (x - y) * (x - y));
        }
        added = width.max(added);
        near.clear();
        near.extend(squares.iter().copied().zip(0..));
        // Among equally near rows the first ones count.
        let by_distance =
            |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        near.select_nth_unstable_by(most - 1, by_distance);
        near[..most].sort_unstable_by(by_distance);
        let mut votes = vec![0usize; training.n_classes];
        let mut counted = 0;
        for &k in neighbors {
            for (_, i) in &near[counted..k] {
                votes[training.classes[*i]] += 1;
            }
            counted = k;
            classes.push(likeliest(&votes, |class| votes[class] as f64));
        }
    }
    classes
}
