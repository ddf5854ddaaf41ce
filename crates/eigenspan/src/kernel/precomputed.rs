//! A precomputed kernel matrix, centered without losing the digits that its entries have.
//!
//! K̄ = K − r1ᵀ − 1rᵀ + m, with r the means of the rows and m their mean, cancels most digits where the entries are nearly
//! equal, as they are for rows far from zero. So means and differences are taken with twice the digits (Knuth's two-sum;
//! Dekker 1971, doi:10.1007/BF01397083), and every entry of K̄ is rounded once. A matrix that is symmetric only up to rounding
//! is replaced by (K + Kᵀ)/2. Cost some 50·n² operations.

use crate::linalg::norm;
use crate::mat::Mat;
use crate::parallel;

/// A centered kernel matrix.
pub(crate) struct CenteredPrecomputed {
    /// K̄.
    pub(crate) centered: Mat<f64>,
    /// The means of the rows of K, minus the mean of the first row.
    pub(crate) row_means: Vec<f64>,
    /// A bound, as a norm, on the difference between K̄ and the exact centered matrix.
    pub(crate) rounding: f64,
}

/// The sum of two numbers that do not overlap.
#[derive(Clone, Copy)]
struct DoubleDouble(f64, f64);

impl DoubleDouble {
    /// a + b without error.
    fn sum(a: f64, b: f64) -> DoubleDouble {
        let sum = a + b;
        let from_b = sum - a;
        DoubleDouble(sum, (a - (sum - from_b)) + (b - from_b))
    }

    fn plus(self, other: DoubleDouble) -> DoubleDouble {
        let (high, low) = (
            DoubleDouble::sum(self.0, other.0),
            DoubleDouble::sum(self.1, other.1),
        );
        let first = DoubleDouble::sum(high.0, high.1 + low.0);
        DoubleDouble::sum(first.0, first.1 + low.1)
    }

    fn minus(self, other: DoubleDouble) -> DoubleDouble {
        self.plus(DoubleDouble(-other.0, -other.1))
    }

    fn over(self, n: f64) -> DoubleDouble {
        let quotient = self.0 / n;
        let rest = (-quotient).mul_add(n, self.0) + self.1;
        DoubleDouble::sum(quotient, rest / n)
    }
}

impl CenteredPrecomputed {
    pub(crate) fn new(matrix: &Mat<f64>) -> CenteredPrecomputed {
        let n = matrix.n_rows();
        let count = n.max(1) as f64;
        // Halving loses nothing but the last bit of subnormal numbers.
        let entry =
            |i: usize, j: usize| DoubleDouble::sum(0.5 * matrix[(i, j)], 0.5 * matrix[(j, i)]);
        let mean = |i: usize| {
            let sum = (0..n).fold(DoubleDouble(0.0, 0.0), |sum, j| sum.plus(entry(i, j)));
            sum.over(count)
        };
        let means: Vec<DoubleDouble> = parallel::collect(n, mean);
        let whole = means
            .iter()
            .fold(DoubleDouble(0.0, 0.0), |sum, x| sum.plus(*x));
        let whole = whole.over(count);
        let mut centered = Mat::zeros(n, n);
        parallel::each_chunk(centered.as_mut_slice(), n, |i, row| {
            let own = means[i].minus(whole);
            for (j, x) in row.iter_mut().enumerate() {
                let left = entry(i, j).minus(own).minus(means[j]);
                *x = left.0 + left.1;
            }
        });
        let largest = matrix.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let apart = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let apart: Vec<f64> = apart
            .map(|(i, j)| matrix[(i, j)] - matrix[(j, i)])
            .collect();
        // 1. One rounding of every entry; 2. n roundings with twice the digits; 3. ‖K − Kᵀ‖/2, where every pair counts twice.
        let rounding = f64::EPSILON * norm(centered.as_slice())
            + (count + 8.0) * count * f64::EPSILON.powi(2) * largest
            + norm(&apart) / std::f64::consts::SQRT_2;
        let first = means.first().copied().unwrap_or(DoubleDouble(0.0, 0.0));
        let relative = means.iter().map(|mean| mean.minus(first));
        CenteredPrecomputed {
            row_means: relative.map(|mean| mean.0 + mean.1).collect(),
            centered,
            rounding,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CenteredPrecomputed;
    use crate::mat::Mat;

    /// Entries 2⁵³ + (i − 2)(j − 2)·2: sums of rows need more than 53 bits, K̄ is known.
    #[test]
    fn what_all_entries_have_in_common_leaves_without_a_trace() {
        let apart = |i: usize| i as f64 - 2.0;
        let matrix = Mat::from_fn(5, 5, |i, j| {
            9_007_199_254_740_992.0 + 2.0 * apart(i) * apart(j)
        });
        let given = CenteredPrecomputed::new(&matrix);
        for i in 0..5 {
            for j in 0..5 {
                assert_eq!(given.centered[(i, j)], 2.0 * apart(i) * apart(j));
            }
        }
        assert_eq!(given.row_means, [0.0; 5]);
        assert!(given.rounding < 1e-13, "{}", given.rounding);
    }
}
