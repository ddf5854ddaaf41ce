//! Singular values to high relative accuracy: pivoted QR, then one-sided Jacobi on the rows of R.
//!
//! A = Q R Πᵀ; rotations J make the columns of RᵀJ orthogonal, so RᵀJ = V Σ and R = J Σ Vᵀ. Where A is well conditioned
//! up to a scaling of its rows and columns, every singular value comes out to nearly full relative accuracy, however small
//! (Drmač & Veselić 2008, doi:10.1137/050639193; row sorting after Cox & Higham 1998, doi:10.1017/s0962492900002804).
//!
//! Cost: about 4 m n² for QR and 6–10 sweeps of 3 n³ each. Intended for n up to a few hundred.

use super::dot::{dot, norm};
use super::order::largest_first;
use super::orthonormal::orthonormalize_rows;
use crate::error::Error;
use crate::mat::Mat;

/// Sweeps after which the iteration is given up; well-behaved matrices need fewer than ten.
const MAX_SWEEPS: usize = 60;

/// Rows shorter than this count as zero: numbers that small have too few digits left for a rotation.
const NOTHING: f64 = 1e-290;

/// The singular value decomposition of a tall matrix A (m × n, m ≥ n).
#[derive(Debug)]
pub struct JacobiSvd {
    /// Singular values, largest first.
    pub values: Vec<f64>,
    /// Left singular vectors as rows (n × m), if requested.
    pub left: Option<Mat<f64>>,
    /// Right singular vectors as rows (n × n), if the left ones were not requested.
    pub right: Option<Mat<f64>>,
}

/// Which singular vectors are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The left ones, of length m.
    Left,
    /// The right ones, of length n.
    Right,
}

/// Decomposes A, given by its columns (the rows of `columns`), with the singular vectors of one side.
pub fn jacobi_svd(mut columns: Mat<f64>, side: Side) -> Result<JacobiSvd, Error> {
    let (n, m) = (columns.n_rows(), columns.n_cols());
    debug_assert!(m >= n);
    // 1. Rows sorted by their largest entry, so that Householder's errors stay small row by row.
    let row_order = sort_rows(&mut columns);
    // 2. Pivoted QR. `columns` then holds the reflectors, `r` the rows of R.
    let (mut r, pivots, reflectors) = pivoted_qr(&mut columns);
    // 3. Rotations that make the rows of R orthogonal; J is kept where left vectors are wanted.
    let mut rotations = (side == Side::Left).then(|| Mat::from_fn(n, n, |i, j| f64::from(i == j)));
    rotate_to_orthogonal(&mut r, rotations.as_mut())?;
    // 4. Their lengths are the singular values.
    let lengths: Vec<f64> = r.rows().map(norm).collect();
    let order = largest_first(&lengths);
    let values = order.iter().map(|&i| lengths[i]).collect();
    let (left, right) = match rotations {
        Some(j) => {
            // U = Q J: the columns of J, padded to length m, through the reflectors in reverse; rows back in place.
            let mut left = Mat::zeros(n, m);
            for (to, &from) in order.iter().enumerate() {
                let mut u = vec![0.0; m];
                u[..n].copy_from_slice(j.row(from));
                for step in (0..n).rev() {
                    reflectors[step].apply(&mut u[step..]);
                }
                let row = left.row_mut(to);
                row_order
                    .iter()
                    .zip(&u)
                    .for_each(|(&place, &x)| row[place] = x);
            }
            (Some(left), None)
        }
        None => {
            let mut right = Mat::zeros(n, n);
            for (to, &from) in order.iter().enumerate() {
                let row = right.row_mut(to);
                pivots
                    .iter()
                    .zip(r.row(from))
                    .for_each(|(&place, &x)| row[place] = x);
                // Normalized here as well as below: rows with a norm near 1e-200 must not be mistaken for zero.
                if lengths[from] > 0.0 {
                    row.iter_mut().for_each(|x| *x /= lengths[from]);
                }
            }
            orthonormalize_rows(&mut right);
            (None, Some(right))
        }
    };
    Ok(JacobiSvd {
        values,
        left,
        right,
    })
}

/// Sorts the rows of A (columns of `columns`) by largest magnitude, descending; returns where each came from.
fn sort_rows(columns: &mut Mat<f64>) -> Vec<usize> {
    let m = columns.n_cols();
    let mut largest = vec![0.0f64; m];
    for column in columns.rows() {
        largest
            .iter_mut()
            .zip(column)
            .for_each(|(l, x)| *l = l.max(x.abs()));
    }
    let order = largest_first(&largest);
    let mut sorted = vec![0.0; m];
    for j in 0..columns.n_rows() {
        let column = columns.row_mut(j);
        sorted
            .iter_mut()
            .zip(&order)
            .for_each(|(s, &i)| *s = column[i]);
        column.copy_from_slice(&sorted);
    }
    order
}

/// I − β v vᵀ, with v scaled so that its largest entry is near 1.
struct Reflector {
    v: Vec<f64>,
    beta: f64,
}

impl Reflector {
    /// The reflector that maps x to (±‖x‖, 0, …, 0), and that first entry.
    fn new(x: &[f64], length: f64) -> (Self, f64) {
        if length == 0.0 {
            return (
                Reflector {
                    v: vec![0.0; x.len()],
                    beta: 0.0,
                },
                0.0,
            );
        }
        let mut v: Vec<f64> = x.iter().map(|x| x / length).collect();
        let sign = if v[0] < 0.0 { -1.0 } else { 1.0 };
        v[0] += sign;
        let squares: f64 = v.iter().map(|x| x * x).sum();
        (
            Reflector {
                v,
                beta: 2.0 / squares,
            },
            -sign * length,
        )
    }

    fn apply(&self, y: &mut [f64]) {
        let factor = self.beta * dot(&self.v, y);
        y.iter_mut()
            .zip(&self.v)
            .for_each(|(y, v)| *y -= factor * v);
    }
}

/// Householder QR with column pivoting: the rows of R, the pivots, and the reflectors.
fn pivoted_qr(columns: &mut Mat<f64>) -> (Mat<f64>, Vec<usize>, Vec<Reflector>) {
    let (n, m) = (columns.n_rows(), columns.n_cols());
    let mut pivots: Vec<usize> = (0..n).collect();
    let mut reflectors = Vec::with_capacity(n);
    for step in 0..n {
        // Norms are computed anew at every step: updating them loses the small ones.
        let (pivot, length) = (step..n).map(|j| (j, norm(&columns.row(j)[step..]))).fold(
            (step, -1.0),
            |best, next| if next.1 > best.1 { next } else { best },
        );
        if pivot != step {
            let (a, b) = columns.as_mut_slice().split_at_mut(pivot * m);
            a[step * m..][..m].swap_with_slice(&mut b[..m]);
            pivots.swap(step, pivot);
        }
        let (reflector, diagonal) = Reflector::new(&columns.row(step)[step..], length);
        for j in step + 1..n {
            reflector.apply(&mut columns.row_mut(j)[step..]);
        }
        let column = columns.row_mut(step);
        column[step] = diagonal;
        column[step + 1..].fill(0.0);
        reflectors.push(reflector);
    }
    let r = Mat::from_fn(n, n, |i, j| if j >= i { columns[(j, i)] } else { 0.0 });
    (r, pivots, reflectors)
}

/// Rotates pairs of rows until all are orthogonal to working accuracy, largest rows first (de Rijk's order).
fn rotate_to_orthogonal(
    rows: &mut Mat<f64>,
    mut rotations: Option<&mut Mat<f64>>,
) -> Result<(), Error> {
    let n = rows.n_rows();
    let tolerance = f64::EPSILON * (n as f64).sqrt().max(1.0);
    let mut lengths: Vec<f64> = (0..n).map(|i| cleared_length(rows.row_mut(i))).collect();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            let largest = (p..n).fold(
                p,
                |best, j| if lengths[j] > lengths[best] { j } else { best },
            );
            swap_rows(rows, p, largest);
            if let Some(rotations) = rotations.as_deref_mut() {
                swap_rows(rotations, p, largest);
            }
            lengths.swap(p, largest);
            for q in p + 1..n {
                if lengths[q] == 0.0 || lengths[p] == 0.0 {
                    continue;
                }
                let (a, b) = two_rows(rows, p, q);
                let cosine = scaled_dot(a, lengths[p], b, lengths[q]);
                if cosine.abs() <= tolerance {
                    continue;
                }
                rotated = true;
                // tan of the angle from cot 2θ = (‖b‖² − ‖a‖²) / 2aᵀb, written without squares that could overflow.
                let ratio = lengths[q] / lengths[p];
                let zeta = (ratio - 1.0 / ratio) / (2.0 * cosine);
                let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                rotate(a, b, c, c * t);
                lengths[p] = cleared_length(a);
                lengths[q] = cleared_length(b);
                if let Some(rotations) = rotations.as_deref_mut() {
                    let (a, b) = two_rows(rotations, p, q);
                    rotate(a, b, c, c * t);
                }
            }
        }
        if !rotated {
            return Ok(());
        }
    }
    Err(Error::NoConvergence {
        what: "Jacobi singular value decomposition",
    })
}

/// The length of a row, which is set to zero if it is negligible. Rotating parallel rows leaves rounding errors, which may be
/// parallel again: each time smaller by ε, but never zero.
fn cleared_length(row: &mut [f64]) -> f64 {
    match norm(row) {
        length if length < NOTHING => {
            row.fill(0.0);
            0.0
        }
        length => length,
    }
}

fn swap_rows(m: &mut Mat<f64>, p: usize, q: usize) {
    if p != q {
        let (a, b) = two_rows(m, p.min(q), p.max(q));
        a.swap_with_slice(b);
    }
}

fn two_rows(m: &mut Mat<f64>, p: usize, q: usize) -> (&mut [f64], &mut [f64]) {
    debug_assert!(p < q);
    let d = m.n_cols();
    let (head, tail) = m.as_mut_slice().split_at_mut(q * d);
    (&mut head[p * d..][..d], &mut tail[..d])
}

/// The cosine between two vectors of given lengths, whatever their scales.
fn scaled_dot(a: &[f64], length_a: f64, b: &[f64], length_b: f64) -> f64 {
    let product = length_a * length_b;
    if (1e-280..1e280).contains(&product) {
        return dot(a, b) / product;
    }
    a.iter()
        .zip(b)
        .map(|(a, b)| (a / length_a) * (b / length_b))
        .sum()
}

/// (a, b) ← (c·a − s·b, s·a + c·b).
fn rotate(a: &mut [f64], b: &mut [f64], c: f64, s: f64) {
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}
