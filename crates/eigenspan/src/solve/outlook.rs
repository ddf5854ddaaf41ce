//! Forecast, from the first product, of how many vectors an iteration will multiply until its pairs converge.
//!
//! 1. The product Y = AΩ of an orthonormal block Ω of b random vectors gives Nyström's approximation Y(ΩᵀY)⁻¹Yᵀ of A, whose eigenvalues
//!    are close to the leading b eigenvalues of A if these decrease fast, and never above them (Halko, Martinsson & Tropp 2011, section 5.5,
//!    doi:10.1137/090771806).
//! 2. The trace gives the sum of all other eigenvalues. They are assumed to decrease at the rate of the second half of those seen; the
//!    rest of the trace is assumed to be noise, with the eigenvalues of independent noise (Marchenko & Pastur 1967,
//!    doi:10.1070/SM1967v001n04ABEH001994).
//! 3. A Krylov space of degree q separates λ_k from all that lies below λ_{k+s} by a Chebyshev polynomial: errors fall to
//!    1/T_q(2λ_k/λ_{k+s} − 1).
//!
//! This is a forecast, not a bound: no claim about a result depends on it.

use crate::error::Error;
use crate::linalg::{Columns, product, symmetric_eigen};
use crate::mat::Mat;

/// Estimate of the spectrum from the first product of an iteration.
pub(super) struct Outlook {
    /// Estimates of the leading eigenvalues, largest first.
    values: Vec<f64>,
    /// The sum of all eigenvalues, none of which is negative.
    trace: f64,
    /// Number of rows of the matrix.
    dim: usize,
    /// The matrix is AᵀA or AAᵀ of a table; this is the larger side of the table.
    other_side: usize,
    /// Whether the product gave few new directions: there are few distinct eigenvalues.
    closed: bool,
}

/// Number of last estimates that are ignored because they are too low.
const TOO_LOW: usize = 6;
/// Number of vectors that a probe for missed copies multiplies.
const PROBE: f64 = 80.0;
/// Vectors multiplied by a wide block ÷ vectors by the polynomial's bound: the block adapts to the spectrum.
const BETTER: f64 = 0.7;

impl Outlook {
    /// From a block of orthonormal vectors, its images, and the number of new directions in the images.
    pub(super) fn new(
        (vectors, images): (&Columns, &Columns),
        n_new: usize,
        trace: f64,
        other_side: usize,
    ) -> Result<Self, Error> {
        Ok(Outlook {
            values: nystrom(vectors, images)?,
            trace,
            dim: vectors.len(),
            other_side,
            closed: 2 * n_new <= vectors.n_cols(),
        })
    }

    /// Number of vectors to multiply, in blocks of `block`, until the residuals of the leading `k` pairs are `tolerance` times their
    /// eigenvalues.
    pub(super) fn vectors(&self, k: usize, block: usize, tolerance: f64) -> f64 {
        if self.closed && block > k {
            return (k + block) as f64;
        }
        let spectrum = self.spectrum((k + 4 * block).min(self.dim));
        let last = spectrum.get(k - 1).copied().unwrap_or(0.0);
        // Number of products until the eigenvalue `more` positions after the k-th has faded.
        let products = |more: usize| {
            let next = spectrum.get(k - 1 + more).copied().unwrap_or(0.0);
            let apart = 2.0 * last / next.max(1e-12 * last).max(f64::MIN_POSITIVE) - 1.0;
            (2.0 / tolerance).ln() / apart.max(1.0 + 1e-9).acosh()
        };
        if block <= k {
            // Leading pairs converge first, so that the whole block then works on the others.
            return k as f64 + block as f64 * products(block) + PROBE;
        }
        let whole = |more: usize| (k + more) as f64 * products(more + 1);
        let all = (block - k..4 * block).map(whole);
        (BETTER * all.fold(f64::INFINITY, f64::min)).max((k + block) as f64)
    }

    /// The leading `count` eigenvalues under these assumptions.
    fn spectrum(&self, count: usize) -> Vec<f64> {
        let c = self.values.len().saturating_sub(TOO_LOW);
        if c < 2 {
            return self.values.clone();
        }
        let seen = &self.values[..c];
        let left = (self.trace - seen.iter().sum::<f64>()).max(0.0);
        let (half, last) = (seen[c / 2 - 1], seen[c - 1]);
        let falls = (last / half)
            .powf(1.0 / (c - c / 2) as f64)
            .clamp(0.0, 1.0 - 1e-6);
        let signal = last * falls / (1.0 - falls);
        let others = (self.dim - c).max(1) as f64;
        let noise = Noise {
            mean: (left - signal).max(0.0) / others,
            aspect: others / self.other_side.max(1) as f64,
        };
        // Signal until it falls below the noise or the trace is used up, then noise.
        let edge = noise.largest();
        let mut values: Vec<f64> = seen.iter().copied().take_while(|v| *v > edge).collect();
        let (mut next, mut rest) = (last * falls, left);
        while values.len() >= c && values.len() < count && next > edge && rest > 0.0 {
            values.push(next.min(rest));
            rest -= next;
            next *= falls;
        }
        let from = values.len();
        let noise = |i: usize| noise.value((i - from) as f64 + 0.5, others);
        values.extend((from..count).map(noise));
        values
    }
}

/// The eigenvalues of Y(ΩᵀY)⁻¹Yᵀ, largest first: those of C^{−½}(YᵀY)C^{−½} with C = ΩᵀY.
fn nystrom(vectors: &Columns, images: &Columns) -> Result<Vec<f64>, Error> {
    let (values, rows) = symmetric_eigen(&vectors.inner(images))?;
    let least = 1e-13 * values.first().copied().unwrap_or(0.0);
    let kept = values.iter().take_while(|v| **v > least).count();
    let roots = Mat::from_fn(kept, rows.n_cols(), |i, j| rows[(i, j)] / values[i].sqrt());
    let half = product(roots.view(), images.inner(images).view());
    let whole = product(half.view(), roots.view().transposed());
    Ok(symmetric_eigen(&whole)?.0)
}

/// Eigenvalues of independent noise.
struct Noise {
    mean: f64,
    /// Dimensions for each observation.
    aspect: f64,
}

impl Noise {
    /// The upper end of their distribution.
    fn largest(&self) -> f64 {
        self.mean * (1.0 + self.aspect.sqrt()).powi(2)
    }

    /// The value exceeded by `rank` of `count` eigenvalues.
    fn value(&self, rank: f64, count: f64) -> f64 {
        /// Steps of the integral, finer towards the edge, where the density is a root.
        const STEPS: usize = 400;
        let (high, low) = (
            self.largest(),
            self.mean * (1.0 - self.aspect.sqrt()).powi(2),
        );
        if self.mean <= 0.0 || self.aspect <= 0.0 {
            return self.mean;
        }
        // Density √((high − x)(x − low)) / (2π·aspect·mean·x), with a point mass at 0 if observations are few.
        let share = rank / count;
        let (mut above, mut x) = (0.0, high);
        for step in 0..STEPS {
            let at = |i: usize| high - (high - low) * (i as f64 / STEPS as f64).powi(2);
            let (from, to) = (at(step), at(step + 1));
            let middle = 0.5 * (from + to);
            let density = ((high - middle) * (middle - low)).max(0.0).sqrt()
                / (2.0 * std::f64::consts::PI * self.aspect * self.mean * middle);
            let mass = density * (from - to);
            if above + mass >= share {
                return from - (from - to) * (share - above) / mass;
            }
            above += mass;
            x = to;
        }
        x.min(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_noise_add_up_to_their_mean() {
        for aspect in [0.05, 0.4, 1.0] {
            let noise = Noise { mean: 2.0, aspect };
            let count = 500;
            let value = |i: usize| noise.value(i as f64 + 0.5, count as f64);
            let sum: f64 = (0..count).map(value).sum();
            assert!((sum / 1000.0 - 1.0).abs() < 0.02, "{aspect}: {sum}");
        }
    }

    /// An outlook on a spectrum of 800 values of which 62 were seen.
    fn outlook(value: impl Fn(usize) -> f64) -> Outlook {
        let all: Vec<f64> = (0..800).map(value).collect();
        Outlook {
            values: all[..62].to_vec(),
            trace: all.iter().sum(),
            dim: 800,
            other_side: 4000,
            closed: false,
        }
    }

    #[test]
    fn a_spectrum_that_falls_takes_few_vectors_and_a_floor_takes_many() {
        let falls = |i: usize| 0.81f64.powi(i as i32);
        let floor = |i: usize| 0.01 + falls(i);
        for block in [12, 62] {
            assert!(outlook(falls).vectors(50, block, 1e-9) < 300.0);
            assert!(outlook(floor).vectors(50, block, 1e-9) > 600.0);
            // Eigenvalues above the floor are hardly affected.
            assert!(outlook(floor).vectors(5, block, 1e-9) < 300.0);
        }
    }

    #[test]
    fn few_different_eigenvalues_take_one_wide_block_more() {
        let mut step = outlook(|i| if i < 10 { 100.0 } else { 1.0 });
        step.closed = true;
        assert_eq!(step.vectors(50, 62, 1e-9), 112.0);
    }
}
