//! Eigenvectors of a tridiagonal matrix by inverse iteration, from eigenvalues that are known to rounding.
//!
//! (T − xI)⁻¹ enlarges the part of a random vector along the eigenvector at x by about 1/ε. Vectors whose eigenvalues are
//! closer together than [`CLOSE`] times the norm would come out nearly parallel: they are orthogonalized during the
//! iteration, as in LAPACK's `dstein`. The result is checked afterwards; if the check fails, nothing is returned.

use super::Tridiagonal;
use crate::linalg::{dot, norm, times_transposed};
use crate::mat::Mat;
use crate::parallel;
use crate::rng::Rng;

/// Vectors of eigenvalues closer than this, relative to the norm, are orthogonalized.
const CLOSE: f64 = 1e-3;
/// How often (T − xI) y = z is solved for each vector.
const ROUNDS: usize = 3;
/// The largest errors of inner products and of residuals that are accepted.
const ORTHOGONAL: f64 = 1e-12;
const RESIDUAL: f64 = 1e-13;

/// Unit eigenvectors of T as rows, for eigenvalues in units of T, largest first; `None` if they fail the check.
pub(in crate::linalg) fn vectors(t: &Tridiagonal, values: &[f64]) -> Option<Mat<f64>> {
    let (n, k) = (t.diagonal.len(), values.len());
    let size = t.norm();
    let mut starts: Vec<usize> = (0..k)
        .filter(|&i| i == 0 || values[i - 1] - values[i] > CLOSE * size)
        .collect();
    starts.push(k);
    let mut out = Mat::zeros(k, n);
    let mut groups = Vec::new();
    let mut rest = out.as_mut_slice();
    for pair in starts.windows(2) {
        let (group, others) = rest.split_at_mut((pair[1] - pair[0]) * n);
        groups.push((pair[0], group));
        rest = others;
    }
    parallel::collect_of(groups.into_iter(), |(first, rows)| {
        let mut shift = f64::INFINITY;
        for i in 0..rows.len() / n {
            // Equal eigenvalues are moved apart slightly, so that each has a matrix of its own.
            shift = values[first + i].min(shift - 4.0 * f64::EPSILON * size);
            let (before, from_here) = rows.split_at_mut(i * n);
            let row = &mut from_here[..n];
            let mut rng = Rng::new((first + i) as u64);
            row.iter_mut().for_each(|x| *x = rng.uniform() - 0.5);
            Factors::from_shifted(t, shift, size).iterate(row, before);
        }
    });
    is_right(t, values, &out, size).then_some(out)
}

/// Whether rows are orthonormal eigenvectors, up to rounding.
fn is_right(t: &Tridiagonal, values: &[f64], rows: &Mat<f64>, size: f64) -> bool {
    let gram = times_transposed(rows.view(), rows.view());
    let k = rows.n_rows();
    let orthogonal =
        (0..k).all(|i| (0..=i).all(|j| (gram[(i, j)] - f64::from(i == j)).abs() <= ORTHOGONAL));
    orthogonal
        && rows
            .rows()
            .zip(values)
            .all(|(row, value)| residual(t, *value, row) <= RESIDUAL * size)
}

/// ‖T z − x z‖.
fn residual(t: &Tridiagonal, value: f64, z: &[f64]) -> f64 {
    let n = z.len();
    let entry = |i: usize| {
        let before = if i > 0 {
            t.beside[i - 1] * z[i - 1]
        } else {
            0.0
        };
        let after = if i + 1 < n {
            t.beside[i] * z[i + 1]
        } else {
            0.0
        };
        before + (t.diagonal[i] - value) * z[i] + after
    };
    norm(&(0..n).map(entry).collect::<Vec<f64>>())
}

/// P·(T − xI) = L·U, with partial pivoting: U has three diagonals.
struct Factors {
    upper: Vec<[f64; 3]>,
    lower: Vec<f64>,
    swapped: Vec<bool>,
}

impl Factors {
    fn from_shifted(t: &Tridiagonal, shift: f64, size: f64) -> Self {
        let n = t.diagonal.len();
        let beside = |i: usize| t.beside.get(i).copied().unwrap_or(0.0);
        let least = f64::EPSILON * size.max(f64::MIN_POSITIVE);
        let mut out = Factors {
            upper: Vec::with_capacity(n),
            lower: Vec::with_capacity(n),
            swapped: Vec::with_capacity(n),
        };
        let (mut pivot, mut next) = (t.diagonal[0] - shift, beside(0));
        for i in 0..n - 1 {
            let (below, diagonal, after) = (beside(i), t.diagonal[i + 1] - shift, beside(i + 1));
            let swap = pivot.abs() < below.abs();
            let factor;
            if swap {
                factor = pivot / below;
                out.upper.push([below, diagonal, after]);
                (pivot, next) = (next - factor * diagonal, -factor * after);
            } else {
                let safe = if pivot == 0.0 { least } else { pivot };
                factor = below / safe;
                out.upper.push([safe, next, 0.0]);
                (pivot, next) = (diagonal - factor * next, after);
            }
            out.lower.push(factor);
            out.swapped.push(swap);
        }
        out.upper.push([pivot, 0.0, 0.0]);
        for row in &mut out.upper {
            if row[0].abs() < least {
                row[0] = least.copysign(row[0]);
            }
        }
        out
    }

    /// Turns a random vector into an eigenvector orthogonal to those before it, which are stored one after the other.
    fn iterate(&self, z: &mut [f64], before: &[f64]) {
        let n = z.len();
        for round in 0..ROUNDS {
            // In the first round, z is taken as L⁻¹ of some random vector.
            if round > 0 {
                self.solve_lower(z);
            }
            self.solve_upper(z);
            shorten(z);
            for _ in 0..2 {
                for other in before.chunks_exact(n) {
                    let along = dot(other, z);
                    z.iter_mut().zip(other).for_each(|(z, o)| *z -= along * o);
                }
            }
            shorten(z);
        }
    }

    fn solve_lower(&self, z: &mut [f64]) {
        for i in 0..z.len() - 1 {
            if self.swapped[i] {
                z.swap(i, i + 1);
            }
            z[i + 1] -= self.lower[i] * z[i];
        }
    }

    fn solve_upper(&self, z: &mut [f64]) {
        let n = z.len();
        for i in (0..n).rev() {
            let [pivot, first, second] = self.upper[i];
            let after = |j: usize| if j < n { z[j] } else { 0.0 };
            z[i] = (z[i] - first * after(i + 1) - second * after(i + 2)) / pivot;
            // T − xI may be nearly singular in several rows, so z is scaled down before it overflows.
            if z[i].abs() > 1e150 {
                z.iter_mut().for_each(|z| *z *= 1e-150);
            }
        }
    }
}

/// Divides a vector by its length.
fn shorten(z: &mut [f64]) {
    let length = norm(z);
    if length > 0.0 && length.is_finite() {
        z.iter_mut().for_each(|z| *z /= length);
    }
}
