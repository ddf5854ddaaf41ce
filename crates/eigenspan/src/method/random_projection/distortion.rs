//! How far a projection changes the distances of the rows, measured on all pairs of a sample of them.
//!
//! The sample are the rows with the smallest random numbers, each drawn from the seed and the row's own number. It is found in one reading
//! without knowing how many rows there are, and is the same however the rows are cut into parts.

use serde::{Deserialize, Serialize};

use crate::linalg::{norm, power_of_two_near};
use crate::mat::{Mat, Real};
use crate::rng::{Rng, stream};
use crate::source::Rows;

/// Squared distances after the projection, divided by those before, of the pairs that were measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Distortion {
    /// Rows that were drawn.
    pub n_rows: usize,
    /// Pairs of these rows with a distance above zero.
    pub n_pairs: usize,
    /// Pairs of equal rows, whose distance is zero and stays zero.
    pub n_equal: usize,
    /// The smallest ratio.
    pub smallest: f64,
    /// The largest ratio.
    pub largest: f64,
    /// The share of the ratios that lie within 1 ± eps.
    pub share_within: f64,
}

/// At most this many rows are drawn: 8,128 pairs.
const MOST_ROWS: usize = 128;
/// At least this many, however many columns they have.
const FEWEST_ROWS: usize = 8;
/// Cells that a sample may have beyond that.
const CELLS: usize = 1 << 22;

/// The number of rows that are drawn if they have this many columns.
pub(super) fn sample_size(n_cols: usize) -> usize {
    (CELLS / n_cols.max(1)).clamp(FEWEST_ROWS, MOST_ROWS)
}

/// The rows drawn so far, with their random numbers: those with the smallest.
#[derive(Debug, Clone)]
pub(super) struct RowDraw {
    seed: u64,
    most: usize,
    /// The random number and the number of every row, rising, and its cells.
    rows: Vec<((u64, usize), Vec<f64>)>,
    /// Rows seen.
    pub(super) n_rows: usize,
}

impl RowDraw {
    pub(super) fn new(seed: u64, n_cols: usize) -> Self {
        RowDraw {
            seed,
            most: sample_size(n_cols),
            rows: Vec::new(),
            n_rows: 0,
        }
    }

    pub(super) fn add<T: Real>(&mut self, rows: &Rows<'_, T>) {
        for i in 0..rows.block.n_rows() {
            let row = rows.first + i;
            // Directions are drawn from the seed itself; another one keeps the rows apart from them.
            let number = Rng::new(stream(!self.seed, row)).bits();
            if self.may_have((number, row)) {
                let mut cells = vec![0.0; rows.block.n_cols()];
                rows.block.row_to_f64(i, &mut cells);
                self.insert((number, row), cells);
            }
        }
        self.n_rows += rows.block.n_rows();
    }

    pub(super) fn merge(&mut self, other: RowDraw) {
        for (key, cells) in other.rows {
            if self.may_have(key) {
                self.insert(key, cells);
            }
        }
        self.n_rows += other.n_rows;
    }

    /// The rows, as a matrix.
    pub(super) fn into_rows(self, n_cols: usize) -> Mat<f64> {
        Mat::from_fn(self.rows.len(), n_cols, |i, j| self.rows[i].1[j])
    }

    fn may_have(&self, key: (u64, usize)) -> bool {
        self.rows.len() < self.most || self.rows.last().is_some_and(|(last, _)| key < *last)
    }

    fn insert(&mut self, key: (u64, usize), cells: Vec<f64>) {
        let place = self.rows.partition_point(|(known, _)| *known < key);
        self.rows.insert(place, (key, cells));
        self.rows.truncate(self.most);
    }
}

impl Distortion {
    /// Compares all distances of some rows before and after; `None` where no two rows differ.
    pub(super) fn measure(before: &Mat<f64>, after: &Mat<f64>, eps: f64) -> Option<Self> {
        let n = before.n_rows();
        // Divided by a power of two, and lengths in place of their squares, so that nothing leaves the range of f64.
        let largest = |rows: &Mat<f64>| rows.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let unit = power_of_two_near(largest(before).max(largest(after)));
        let distance = |rows: &Mat<f64>, i: usize, j: usize| -> f64 {
            let cells = rows.row(i).iter().zip(rows.row(j));
            norm(
                &cells
                    .map(|(x, y)| x / unit - y / unit)
                    .collect::<Vec<f64>>(),
            )
        };
        let (mut found, mut within) = (
            Distortion {
                n_rows: n,
                n_pairs: 0,
                n_equal: 0,
                smallest: f64::INFINITY,
                largest: 0.0,
                share_within: 0.0,
            },
            0usize,
        );
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let length = distance(before, i, j);
            if length == 0.0 {
                found.n_equal += 1;
                continue;
            }
            let ratio = (distance(after, i, j) / length).powi(2);
            found.n_pairs += 1;
            found.smallest = found.smallest.min(ratio);
            found.largest = found.largest.max(ratio);
            within += usize::from((1.0 - eps..=1.0 + eps).contains(&ratio));
        }
        found.share_within = within as f64 / found.n_pairs.max(1) as f64;
        (found.n_pairs > 0 && found.largest.is_finite()).then_some(found)
    }
}
