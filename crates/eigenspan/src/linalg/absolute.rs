//! Bounds on ‖|S||v|‖ for vectors v and a symmetric matrix S, which bound the effect of rounding errors in S.
//!
//! |S| has no negative entries. So for every positive vector x, its spectral norm is at most μ = maxᵢ (|S|x)ᵢ / xᵢ (Collatz
//! 1942, doi:10.1007/BF01180013), and ‖|S||v|‖ ≤ μ‖v‖. From below, ‖|S||v|‖ ≥ (|S|x)ᵀ|v| / ‖x‖. If the two bounds are close,
//! as for vectors that are spread over most columns, the upper one is used: it takes a few products with vectors instead of
//! one with a matrix. The remaining vectors are multiplied by |S|, in f32.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::norm;
use crate::mat::Mat;
use crate::parallel;

/// With fewer vectors than this, all are multiplied directly.
const MANY: usize = 64;
/// Products with |S| that turn a vector of ones into x.
const STEPS: usize = 3;
/// Cells that one thread rounds to f32 at a time.
const CELLS: usize = 1 << 14;
/// The largest allowed ratio of a bound to the product.
const WIDER: f64 = 2.0;
/// A sum below this may have lost terms to underflow.
const FADED: f64 = f64::MIN_POSITIVE / f64::EPSILON;
/// Vectors that one thread multiplies at a time.
const TILE: usize = 256;

/// ‖|S||v|‖ for each row v of `vectors`, or an upper bound of at most twice that.
pub(crate) fn absolute_image_norms(vectors: &Mat<f64>, s: &Mat<f64>) -> Vec<f64> {
    debug_assert!(s.n_rows() == s.n_cols() && vectors.n_cols() == s.n_rows());
    if vectors.n_rows() < MANY {
        return exact_norms(vectors, s);
    }
    let mut bounds = norm_bounds(vectors, s);
    let missing: Vec<usize> = (0..bounds.len()).filter(|&i| bounds[i].is_none()).collect();
    let mut left = Mat::zeros(missing.len(), vectors.n_cols());
    for (row, &i) in missing.iter().enumerate() {
        left.row_mut(row).copy_from_slice(vectors.row(i));
    }
    for (i, length) in missing.into_iter().zip(exact_norms(&left, s)) {
        bounds[i] = Some(length);
    }
    bounds.into_iter().flatten().collect()
}

/// μ‖v‖ for each v for which it is not much larger than ‖|S||v|‖.
fn norm_bounds(vectors: &Mat<f64>, s: &Mat<f64>) -> Vec<Option<f64>> {
    let times_absolute = |m: &Mat<f64>, x: &[f64]| -> Vec<f64> {
        parallel::collect(m.n_rows(), |i| absolute_dot(m.row(i), x))
    };
    // 1. x = |S|ᵖ1, scaled so that its largest entry is 1, and y = |S|x.
    let (mut x, mut y) = (Vec::new(), vec![1.0; s.n_rows()]);
    for _ in 0..STEPS {
        let unit = y.iter().copied().fold(0.0, f64::max);
        x = y.iter().map(|y| y / unit).collect();
        y = times_absolute(s, &x);
    }
    // 2. A row of zeros is also a column of zeros and changes no norm. A sum of d nonnegative terms is rounded once per term.
    let pairs = x.iter().zip(&y).filter(|(x, y)| **x > 0.0 || **y > 0.0);
    let ratio = |(x, y): (&f64, &f64)| match *y < FADED {
        true => f64::INFINITY,
        false => y / x,
    };
    let largest = pairs.map(ratio).fold(0.0, f64::max);
    let rounding = 1.0 + (s.n_rows() + 8) as f64 * f64::EPSILON;
    // 3. The upper and the lower bound.
    let length = norm(&x);
    let along = times_absolute(vectors, &y);
    let bound = |(v, along): (&[f64], f64)| {
        let above = largest * rounding * norm(v);
        (above.is_finite() && above <= WIDER * along / length).then_some(above)
    };
    parallel::collect(along.len(), |i| bound((vectors.row(i), along[i])))
}

/// |a|ᵀx, for x without negative entries.
fn absolute_dot(a: &[f64], x: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    for (a, x) in a.chunks(LANES).zip(x.chunks(LANES)) {
        for (sum, (a, x)) in lanes.iter_mut().zip(a.iter().zip(x)) {
            *sum += a.abs() * x;
        }
    }
    lanes.iter().sum()
}

/// ‖|S||v|‖ for each row v of A, or slightly more: the product is computed in f32, and a bound on its rounding is added.
fn exact_norms(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    let (m, n, inner) = (a.n_rows(), b.n_cols(), b.n_rows());
    debug_assert_eq!(a.n_cols(), inner);
    let largest = |x: &Mat<f64>| x.as_slice().iter().fold(0.0f64, |l, x| l.max(x.abs()));
    let (unit_a, unit_b) = (largest(a), largest(b));
    if unit_a == 0.0 || unit_b == 0.0 {
        return vec![0.0; m];
    }
    let scaled = |x: &Mat<f64>, unit: f64| -> Vec<f32> {
        let mut cells = vec![0.0f32; x.as_slice().len()];
        parallel::each_chunk(&mut cells, CELLS, |run, cells| {
            let from = &x.as_slice()[run * CELLS..];
            cells
                .iter_mut()
                .zip(from)
                .for_each(|(to, x)| *to = (x.abs() / unit) as f32);
        });
        cells
    };
    let (a, b) = (scaled(a, unit_a), scaled(b, unit_b));
    // Each cell is rounded once, and sums of nonnegative terms once per term; cells that underflow in f32 are missing from
    // the n sums of a row.
    let rounding = 1.0 + (inner + 8) as f64 * f64::from(f32::EPSILON);
    let faded = 4.0 * f64::from(f32::MIN_POSITIVE) * inner as f64 * (n as f64).sqrt();
    let of_tile = |tile: usize| -> Vec<f64> {
        let from = tile * TILE * inner;
        let a = &a[from..a.len().min(from + TILE * inner)];
        let rows = a.len() / inner;
        let mut out = vec![0.0f32; rows * n];
        matmul(
            MatMut::from_row_major_slice_mut(&mut out, rows, n),
            Accum::Replace,
            MatRef::from_row_major_slice(a, rows, inner),
            MatRef::from_row_major_slice(&b, inner, n),
            1.0,
            Par::Seq,
        );
        let length = |row: &[f32]| {
            row.iter()
                .map(|x| f64::from(*x).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let bound = |row| (length(row) * rounding + faded) * unit_a * unit_b;
        out.chunks(n).map(bound).collect()
    };
    parallel::collect(m.div_ceil(TILE), of_tile).concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{norm, product};
    use crate::rng::Rng;

    fn absolute(x: &Mat<f64>) -> Mat<f64> {
        Mat::from_fn(x.n_rows(), x.n_cols(), |i, j| x[(i, j)].abs())
    }

    #[test]
    fn bounds_by_the_spectral_norm_are_never_too_short() {
        let mut rng = Rng::new(4);
        for (d, power) in [(65, 0), (200, 0), (200, 6), (130, 300)] {
            // Columns from 1 down to 10^-power, one of zeros, and vectors that are spread out or not.
            let fade = |j: usize| 10f64.powi(-((j * power / d) as i32));
            let half = Mat::from_fn(d, d, |_, _| rng.normal());
            let s = Mat::from_fn(d, d, |i, j| match i == 1 || j == 1 {
                true => 0.0,
                false => (half[(i, j)] + half[(j, i)]) * fade(i) * fade(j),
            });
            let spread_out = Mat::from_fn(d, d, |_, _| rng.normal());
            let axes = Mat::from_fn(d, d, |i, j| f64::from(i == j));
            for vectors in [spread_out, axes] {
                let exact = product(absolute(&vectors).view(), absolute(&s).view());
                let bounds = absolute_image_norms(&vectors, &s);
                assert_eq!(bounds.len(), d);
                for (row, bound) in exact.rows().zip(bounds) {
                    let exact = norm(row);
                    assert!(bound >= exact * (1.0 - 1e-12), "{bound} for {exact}");
                    assert!(bound <= 2.0 * exact * 1.001 + 1e-30, "{bound} for {exact}");
                }
            }
        }
    }

    #[test]
    fn the_spectral_norm_does_for_vectors_that_are_spread_out() {
        let mut rng = Rng::new(9);
        let x = Mat::from_fn(300, 100, |_, _| rng.normal());
        let s = product(x.view().transposed(), x.view());
        let vectors = Mat::from_fn(100, 100, |_, _| rng.normal());
        let found = norm_bounds(&vectors, &s);
        assert!(found.iter().all(Option::is_some));
    }

    #[test]
    fn lengths_of_absolute_products_are_never_too_short() {
        let mut rng = Rng::new(3);
        for (m, inner, n) in [(1, 1, 1), (3, 40, 7), (300, 90, 90), (5, 700, 700)] {
            for power in [0, 20, 45, 200] {
                // Columns from 1 down to 10^-power, which f32 cannot hold.
                let fade = |j: usize| 10f64.powi(-((j * power / inner) as i32));
                let a = Mat::from_fn(m, inner, |_, _| rng.normal());
                let b = Mat::from_fn(inner, n, |i, j| rng.normal() * fade(i) * fade(j));
                let exact = product(absolute(&a).view(), absolute(&b).view());
                let bounds = exact_norms(&a, &b);
                assert_eq!(bounds.len(), m);
                for (row, bound) in exact.rows().zip(bounds) {
                    let exact = norm(row);
                    assert!(bound >= exact * (1.0 - 1e-12), "{bound} for {exact}");
                    assert!(bound <= exact * 1.001 + 1e-30, "{bound} for {exact}");
                }
            }
        }
    }

    #[test]
    fn a_product_with_nothing_has_no_length() {
        let bounds = exact_norms(&Mat::zeros(2, 3), &Mat::zeros(3, 4));
        assert_eq!(bounds, [0.0, 0.0]);
    }
}
