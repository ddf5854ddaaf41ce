//! Bounds on ‖x − y‖² from products in f32: they rule out most pairs, so that few need differences in f64.
//!
//! Rows are taken relative to a row of medians c and multiplied by a power of two s that brings a usual row to length 1:
//! z = fl(s(x − c)). With u = 2⁻²⁴ and any order of summation, a product is off by at most (d + 2)·u·‖z‖‖z'‖, and rounding
//! z changes ‖z − z'‖² by at most 4u(‖z‖² + ‖z'‖²). So with e = (d + 32)·u
//!
//! |s²‖x − y‖² − (‖z‖² + ‖z'‖² − 2zᵀz')| ≤ e·(‖z‖² + ‖z'‖²),
//!
//! where 32 − 6 units are left for the roundings of what is compared: v = (1 − e)‖z'‖² − 2zᵀz' against a limit per row and τ.

use super::rows::Cells;
use crate::linalg::{dot, power_of_two_near, subtract_twice, write_inner_single};
use crate::mat::Mat;
use crate::parallel;

const UNIT: f64 = 1.0 / (1u64 << 24) as f64;
/// Rows that are this many times longer than a usual one leave the range of f32 when squared.
const FARTHEST: f64 = 1e15;
/// Products that underflow are off by less than this in all.
const TINY: f64 = 1e-30;

/// Rows in f32, and what products say about their distances.
#[derive(Clone)]
pub(crate) struct Bounds {
    center: Vec<f64>,
    /// The power of two s.
    scale: f64,
    /// e.
    slack: f64,
    /// The rows z, where they are stored whole.
    pub(super) single: Option<Mat<f32>>,
    /// ‖z‖².
    own: Vec<f64>,
    /// (1 − e)‖z‖².
    reduced: Vec<f32>,
}

impl Bounds {
    /// For rows; nothing where they are too unlike for f32.
    pub(super) fn new(cells: &Cells) -> Option<Self> {
        // Products of sparse rows are summed in f64.
        let terms = match cells {
            Cells::Dense(rows) => rows.n_cols(),
            Cells::Sparse(_) => 32,
        };
        let slack = (terms as f64 + 32.0) * UNIT;
        if slack > 0.01 {
            return None;
        }
        let (center, usual) = match cells {
            Cells::Dense(rows) => {
                let center = medians(rows);
                let length = usual_length(rows, &center);
                (center, length)
            }
            Cells::Sparse(rows) => {
                let view = rows.view();
                let square = |i: usize| view.row(i).1.iter().map(|x| x * x).sum::<f64>();
                let lengths = sample(view.n_rows()).map(|i| square(i).sqrt()).collect();
                (Vec::new(), median(lengths))
            }
        };
        let scale = match usual > 0.0 {
            true => 1.0 / power_of_two_near(usual),
            false => {
                let largest = cells.values().iter().fold(0.0f64, |m, x| m.max(x.abs()));
                1.0 / power_of_two_near(largest.max(f64::MIN_POSITIVE))
            }
        };
        let bounds = Bounds {
            center,
            scale,
            slack,
            single: None,
            own: Vec::new(),
            reduced: Vec::new(),
        };
        scale.is_finite().then(|| bounds.like(cells)).flatten()
    }

    /// The same for other rows, which are compared with these.
    pub(super) fn like(&self, cells: &Cells) -> Option<Self> {
        let (single, own) = match cells {
            Cells::Dense(rows) => {
                let (single, own) = self.singles(rows);
                (Some(single), own)
            }
            Cells::Sparse(rows) => {
                let view = rows.view();
                let own = |i: usize| {
                    let values = view.row(i).1;
                    let squares = values.iter().map(|x| (x * self.scale) * (x * self.scale));
                    squares.sum::<f64>()
                };
                (None, (0..view.n_rows()).map(own).collect())
            }
        };
        let reduced = own.iter().map(|own| (own * (1.0 - self.slack)) as f32);
        let bounds = Bounds {
            center: self.center.clone(),
            scale: self.scale,
            slack: self.slack,
            single,
            reduced: reduced.collect(),
            own,
        };
        let fits = |own: &f64| *own <= FARTHEST * FARTHEST;
        bounds.own.iter().all(fits).then_some(bounds)
    }

    /// Some of the rows.
    pub(super) fn some(&self, places: &[usize]) -> Self {
        let single = self
            .single
            .as_ref()
            .map(|all| Mat::from_fn(places.len(), all.n_cols(), |i, j| all[(places[i], j)]));
        Bounds {
            center: self.center.clone(),
            scale: self.scale,
            slack: self.slack,
            single,
            own: places.iter().map(|&i| self.own[i]).collect(),
            reduced: places.iter().map(|&i| self.reduced[i]).collect(),
        }
    }

    fn singles(&self, rows: &Mat<f64>) -> (Mat<f32>, Vec<f64>) {
        const ROWS: usize = 256;
        let (n, d) = (rows.n_rows(), rows.n_cols());
        let mut single = Mat::zeros(n, d);
        let own = parallel::collect_chunks(single.as_mut_slice(), ROWS * d, |i, chunk| {
            let lengths = chunk.chunks_exact_mut(d).enumerate().map(|(r, to)| {
                let from = rows.row(i * ROWS + r).iter().zip(&self.center);
                let mut square = 0.0;
                for (to, (x, c)) in to.iter_mut().zip(from) {
                    *to = ((x - c) * self.scale) as f32;
                    square += f64::from(*to) * f64::from(*to);
                }
                square
            });
            lengths.collect::<Vec<f64>>()
        });
        (single, own.into_iter().flatten().collect())
    }

    /// v for some rows with some others, row after row; both are stored whole.
    pub(super) fn fill(
        &self,
        rows: std::ops::Range<usize>,
        others: &Bounds,
        cols: std::ops::Range<usize>,
        out: &mut [f32],
    ) {
        let (Some(a), Some(b)) = (&self.single, &others.single) else {
            return;
        };
        let d = a.n_cols();
        let width = cols.len();
        let a = &a.as_slice()[rows.start * d..rows.end * d];
        let b = &b.as_slice()[cols.start * d..cols.end * d];
        write_inner_single(out, a, b, d);
        let reduced = &others.reduced[cols];
        for row in out.chunks_exact_mut(width) {
            subtract_twice(row, reduced);
        }
    }

    /// v of a pair of sparse rows from their product.
    pub(super) fn sparse_v(&self, product: f64, other: &Bounds, j: usize) -> f32 {
        let product = product * self.scale * self.scale;
        (f64::from(other.reduced[j]) - 2.0 * product) as f32
    }

    /// If ‖x − y‖² ≤ τ for row i, its v is at most this.
    pub(super) fn at_most(&self, i: usize, relation: f64) -> f32 {
        let tau = relation * self.scale * self.scale;
        let limit = tau * (1.0 + 4.0 * UNIT) - self.own[i] * (1.0 - self.slack) + TINY;
        limit as f32
    }

    /// If v lies below this for row i, ‖x − y‖² < τ.
    ///
    /// Such a y has ‖z'‖² ≤ 8(‖z‖² + s²τ), because s²‖x − y‖² ≥ ‖z'‖²/2 − ‖z‖²; that bounds e‖z'‖².
    pub(super) fn surely_below(&self, i: usize, relation: f64) -> f32 {
        let (own, tau) = (self.own[i], relation * self.scale * self.scale);
        let slack = (16.0 * self.slack + 8.0 * UNIT) * (own + tau);
        (tau - own * (1.0 + self.slack) - slack - TINY) as f32
    }
}

/// Rows that stand for all: at most this many, evenly spaced.
fn sample(n: usize) -> impl Iterator<Item = usize> {
    const MOST: usize = 101;
    let count = n.min(MOST);
    (0..count).map(move |i| i * n / count)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// The median of every column, of a sample: unlike a mean, it stays among the rows when one of them lies far away.
fn medians(rows: &Mat<f64>) -> Vec<f64> {
    let column = |j: usize| median(sample(rows.n_rows()).map(|i| rows[(i, j)]).collect());
    (0..rows.n_cols()).map(column).collect()
}

/// The median length of rows relative to a center, of a sample.
fn usual_length(rows: &Mat<f64>, center: &[f64]) -> f64 {
    let length = |i: usize| {
        let from = rows.row(i).iter().zip(center);
        let difference: Vec<f64> = from.map(|(x, c)| x - c).collect();
        dot(&difference, &difference).sqrt()
    };
    median(sample(rows.n_rows()).map(length).collect())
}
