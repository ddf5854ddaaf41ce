//! Varimax: the rotation that maximizes the variance of the squared loadings of each component (Kaiser 1958,
//! doi:10.1007/BF02289233).
//!
//! Two components at a time are rotated by the angle that is best for them, which has a closed form: with u = x² − y² and
//! v = 2xy of their loadings, tan 4φ = (2Σuv − 2ΣuΣv/d) ÷ (Σ(u² − v²) − ((Σu)² − (Σv)²)/d). Sweeps over all pairs are repeated
//! until no angle is left; the criterion grows with every rotation. Cost d·k² a sweep.

use super::SearchResult;
use crate::mat::Mat;

/// An angle below this counts as zero.
const STILL: f64 = 1e-10;

/// T with TᵀT = I that maximizes the criterion of A T.
pub(super) fn search(a: &Mat<f64>, max_iterations: usize) -> SearchResult {
    let k = a.n_cols();
    // Components as rows: a pair is two slices.
    let mut loadings = a.transposed();
    let mut t = Mat::from_fn(k, k, |i, j| f64::from(i == j));
    let (mut iterations, mut residual) = (0, f64::INFINITY);
    while residual > STILL && iterations < max_iterations {
        residual = 0.0f64;
        for p in 0..k {
            for q in p + 1..k {
                let angle = best_angle(loadings.row(p), loadings.row(q));
                residual = residual.max(angle.abs());
                if angle != 0.0 {
                    turn(&mut loadings, p, q, angle);
                    turn(&mut t, p, q, angle);
                }
            }
        }
        iterations += 1;
    }
    SearchResult {
        // Kept with its columns as rows.
        t: t.transposed(),
        iterations,
        residual,
        tolerance: STILL,
    }
}

fn best_angle(x: &[f64], y: &[f64]) -> f64 {
    let (mut su, mut sv, mut squares, mut products) = (0.0, 0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (u, v) = (x * x - y * y, 2.0 * x * y);
        su += u;
        sv += v;
        squares += u * u - v * v;
        products += 2.0 * u * v;
    }
    let d = x.len() as f64;
    let (across, along) = (
        products - 2.0 * su * sv / d,
        squares - (su * su - sv * sv) / d,
    );
    // Where both vanish, every angle is equally good, and the pair is not rotated.
    match across.hypot(along) > f64::EPSILON * d {
        true => across.atan2(along) / 4.0,
        false => 0.0,
    }
}

/// Rotates rows p and q of a matrix by an angle.
fn turn(rows: &mut Mat<f64>, p: usize, q: usize, angle: f64) {
    let (sin, cos) = angle.sin_cos();
    for j in 0..rows.n_cols() {
        let (x, y) = (rows[(p, j)], rows[(q, j)]);
        rows[(p, j)] = cos * x + sin * y;
        rows[(q, j)] = cos * y - sin * x;
    }
}
