//! A cheap upper bound on what landmarks miss of a row: what a subset of the landmarks misses.
//!
//! What m landmarks miss of a row is rᵢ = k(x, x) − ‖φ(x)‖², the squared distance of its image from the span of the
//! landmarks' images, and takes 2m² operations. The span of m′ of the landmarks lies within the span of all, so what the m′
//! miss, r′ᵢ = k(x, x) − ‖L⁻¹k′(x)‖² with their kernel matrix LLᵀ, is not smaller, and takes 2m′² operations. The m′ are
//! chosen by Cholesky's decomposition with pivots: each next landmark is the one of which those before miss most. Cost m·m′²
//! once.

use super::super::{Points, ResolvedKernel};
use crate::linalg::{dot, product};
use crate::mat::Mat;

/// A landmark of which less than this share of the largest k(x, x) is missed would add only rounding.
const FLOOR: f64 = 1e-8;
/// Added to what is missed of a row, as a share of k(x, x): more than rounding can take away as long as pivots stay above the
/// floor.
const LIFT: f64 = 1e-9;

/// Some of the landmarks, and the matrix that turns kernels with them into features.
pub(crate) struct Nested {
    /// Their places among the landmarks.
    places: Vec<usize>,
    /// m′ × m′: L⁻ᵀ.
    whiten: Mat<f64>,
}

impl Nested {
    /// Takes `size` of the landmarks, or fewer where those span all the others.
    pub(super) fn new(kernel: &ResolvedKernel, landmarks: &Points, size: usize) -> Self {
        let matrix = kernel.between(landmarks, landmarks);
        let m = landmarks.len();
        let mut left: Vec<f64> = (0..m).map(|i| matrix[(i, i)]).collect();
        let largest = left.iter().fold(0.0f64, |m, x| m.max(*x));
        // Row i: the features of landmark i so far.
        let size = size.min(m);
        let mut factor = Mat::zeros(m, size);
        let mut places = Vec::new();
        while places.len() < size {
            let next = (0..m).fold(0, |best, i| if left[i] > left[best] { i } else { best });
            if left[next] <= FLOOR * largest || left[next].is_nan() {
                break;
            }
            let (t, root) = (places.len(), left[next].sqrt());
            let own = factor.row(next)[..t].to_vec();
            for i in 0..m {
                let along = (matrix[(i, next)] - dot(&factor.row(i)[..t], &own)) / root;
                factor.row_mut(i)[t] = along;
                left[i] -= along * along;
            }
            // A landmark is spanned by itself.
            left[next] = 0.0;
            places.push(next);
        }
        let whiten = inverse_transposed(&factor, &places);
        Nested { places, whiten }
    }

    /// An upper bound on what all landmarks miss of each row, from k(x, x) and the kernels with all landmarks.
    pub(crate) fn missed(&self, own: &[f64], between: &Mat<f64>) -> Vec<f64> {
        let some = Mat::from_fn(between.n_rows(), self.places.len(), |i, j| {
            between[(i, self.places[j])]
        });
        let features = product(some.view(), self.whiten.view());
        let rows = own.iter().zip(features.rows());
        rows.map(|(own, f)| (own - dot(f, f)).max(0.0) + LIFT * own.abs())
            .collect()
    }
}

/// L⁻ᵀ, where row t of the lower triangle L is row places[t] of the factor.
fn inverse_transposed(factor: &Mat<f64>, places: &[usize]) -> Mat<f64> {
    let size = places.len();
    let mut inverse = Mat::zeros(size, size);
    // Row t of L⁻¹: (eₜ − Σ_{s<t} L_ts·row s) ÷ L_tt.
    for (t, place) in places.iter().enumerate() {
        let lower = factor.row(*place);
        let mut row = vec![0.0; size];
        row[t] = 1.0;
        for (s, along) in lower.iter().enumerate().take(t) {
            let cells = row.iter_mut().zip(inverse.row(s));
            cells.for_each(|(x, before)| *x -= along * before);
        }
        let cells = inverse.row_mut(t).iter_mut().zip(&row);
        cells.for_each(|(x, value)| *x = value / lower[t]);
    }
    inverse.transposed()
}
