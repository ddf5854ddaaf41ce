//! 3. From the rows of a source to the matrix that a solver uses: centering, scaling, weights, missing values.

mod diagnose;
mod gather;
mod lines;
mod missing;
mod panels;
mod preparation;
mod prepared;

pub use diagnose::{Dominating, dominating, find_not_finite};
pub(crate) use gather::read_all;
pub use gather::{Gathered, gather};
pub(crate) use lines::Lines;
pub use missing::{Complete, Missing};
pub(crate) use missing::{mean_filled, no_value};
pub(crate) use panels::{ColumnOptions, Panels};
pub(crate) use preparation::ColumnStatistics;
pub use preparation::{Preparation, Scale};
pub(crate) use prepared::InMemory;
pub use prepared::Prepared;

use crate::mat::Mat;

/// The sum of matrices of k × n, in their order.
fn sum_of(parts: &[Mat<f64>], k: usize, n: usize) -> Mat<f64> {
    let mut total = Mat::zeros(k, n);
    parts.iter().for_each(|part| add_to(&mut total, part));
    total
}

/// Parts of k × d numbers, side by side.
fn side_by_side(k: usize, d: usize, parts: impl Iterator<Item = Mat<f64>>) -> Mat<f64> {
    let mut out = Mat::zeros(k, d);
    let mut from = 0;
    for part in parts {
        for i in 0..k {
            out.row_mut(i)[from..from + part.n_cols()].copy_from_slice(part.row(i));
        }
        from += part.n_cols();
    }
    out
}

fn add_to(total: &mut Mat<f64>, part: &Mat<f64>) {
    let cells = total.as_mut_slice().iter_mut().zip(part.as_slice());
    cells.for_each(|(a, b)| *a += b);
}
