//! How much of a kernel matrix landmarks miss: the norm of R = K − K̂, from rows drawn in the reading that fits them.
//!
//! R = BBᵀ is positive semi-definite, so no eigenvalue of K̄ lies farther above the same eigenvalue of the features than ‖R‖,
//! which is often a hundredth of the trace T = Σ rᵢ. Of s rows drawn with probabilities rᵢ/T (with replacement), the s × s
//! matrix G with entries R_ij·T/(s·√(rᵢrⱼ)) has the eigenvalues of the mean of bbᵀ·T/r over the draws. For the eigenvector v of
//! λ = ‖R‖ the numbers (bᵀv)²·T/r lie between 0 and T and have mean λ, and their mean over the draws is at most ‖G‖. By
//! Chernoff's bound (Hoeffding 1963, doi:10.1080/01621459.1963.10500830, theorem 1) their mean falls as low as ‖G‖ with
//! probability at most exp(−s·kl(‖G‖/T ‖ λ/T)), where kl(q ‖ p) = q·ln(q/p) + (1 − q)·ln((1 − q)/(1 − p)): the largest λ for
//! which this is still [`CHANCE`] bounds ‖R‖, with that chance of failure, for any rows. If there are at most s rows,
//! C·R·C is computed instead, and its norm is exact.
//!
//! Where rᵢ of every row would cost too much, rows are drawn with probabilities r′ᵢ/T′ for numbers r′ᵢ ≥ rᵢ that are cheap
//! ([`Nested`](super::Nested)), T′ = Σ r′ᵢ. Each of these candidates is accepted with probability rᵢ/r′ᵢ: the accepted ones
//! are drawn independently with probabilities r′ᵢ/T′·rᵢ/r′ᵢ ∝ rᵢ, and given their number everything above holds for them. This
//! bounds ‖R‖/T; T itself is not known, but the numbers rᵢ/r′ᵢ of all candidates lie between 0 and 1 and have mean T/T′, so
//! that Chernoff's bound gives an upper bound on T as well. Both bounds may fail; their chances and those of two other bounds
//! of the same fit (each [`CHANCE_BESIDE`]) add up to [`CHANCE`].
//!
//! Rows are drawn in one reading: each of s places is replaced by a row of a run of weight w with probability w/(W + w), where
//! W is the weight of all runs before. Cost s random numbers for each run of rows; s²(d + m) + s³ at the end.

use super::Nystrom;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, symmetric_eigenvalues, times_transposed};
use crate::mat::Mat;
use crate::parallel;
use crate::rng::{Rng, stream};

/// The probability with which a probed bound may fail.
pub(crate) const CHANCE: f64 = 0.001;
/// The part of [`CHANCE`] that each of three other bounds from random draws gets, where there are such bounds.
pub(crate) const CHANCE_BESIDE: f64 = 0.1 * CHANCE;
/// The number of candidates where rows are drawn by an upper bound on what landmarks miss; fewer where they would have more
/// cells than the second number.
const CANDIDATES: usize = 8000;
const CANDIDATE_CELLS: usize = 4_000_000;
/// The number of candidates whose features are computed at a time.
const RUN: usize = 256;
/// The smallest and largest number of rows drawn; within these, twice as many as landmarks.
const FEWEST: usize = 256;
const MOST: usize = 1000;

/// Rows drawn by what landmarks miss of them, or all rows where there are few.
pub(crate) struct Probe {
    count: usize,
    n_cols: usize,
    seed: u64,
    /// Whether all rows are kept.
    all: bool,
    /// W: what landmarks miss of all rows so far.
    weight: f64,
    /// The first of the rows so far.
    first: Option<usize>,
    /// Cells of the rows drawn, and what landmarks miss of each.
    cells: Vec<f64>,
    missed: Vec<f64>,
}

/// A bound on the norm of what landmarks miss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Probed {
    /// No eigenvalue lies farther above the one found than this.
    pub(crate) norm: f64,
    /// How many rows were drawn; None where all rows were used, and the bound always holds.
    pub(crate) drawn: Option<usize>,
}

impl Probe {
    /// An empty probe for this many rows.
    pub(crate) fn new(n_rows: usize, n_landmarks: usize, n_cols: usize, seed: u64) -> Self {
        let count = (2 * n_landmarks).clamp(FEWEST, MOST);
        Probe {
            count,
            n_cols,
            seed,
            all: n_rows <= count,
            weight: 0.0,
            first: None,
            cells: Vec::new(),
            missed: Vec::new(),
        }
    }

    /// An empty probe whose `add` will be given upper bounds on what landmarks miss of each row.
    pub(crate) fn of_candidates(n_cols: usize, seed: u64) -> Self {
        Probe {
            count: (CANDIDATE_CELLS / n_cols.max(1)).clamp(MOST, CANDIDATES),
            all: false,
            ..Probe::new(usize::MAX, MOST, n_cols, seed)
        }
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.count * (self.n_cols + 1)
    }

    /// Adds rows from number `first` on, with what landmarks miss of k(x, x) of each.
    pub(crate) fn add(&mut self, rows: &Mat<f64>, missed: &[f64], first: usize) {
        self.first.get_or_insert(first);
        if self.all {
            self.cells.extend_from_slice(rows.as_slice());
            self.missed.extend_from_slice(missed);
            return;
        }
        // The cumulative weight of the rows.
        let mut sums = Vec::with_capacity(missed.len());
        let mut weight = 0.0;
        for missed in missed {
            weight += missed.max(0.0);
            sums.push(weight);
        }
        if weight <= 0.0 || weight.is_nan() {
            return;
        }
        let begins = self.missed.is_empty();
        if begins {
            self.cells = vec![0.0; self.count * self.n_cols];
            self.missed = vec![0.0; self.count];
        }
        self.weight += weight;
        let mut rng = Rng::new(stream(self.seed ^ 0x5eed_0f70_3be5, first));
        for place in 0..self.count {
            if begins || rng.uniform() * self.weight < weight {
                let goal = rng.uniform() * weight;
                let row = sums.partition_point(|sum| *sum <= goal).min(sums.len() - 1);
                self.put(place, rows.row(row), missed[row]);
            }
        }
    }

    /// Merges a probe of the rows that come after these.
    pub(crate) fn merge(&mut self, other: Probe) {
        if self.all {
            self.first = self.first.or(other.first);
            self.cells.extend(other.cells);
            self.missed.extend(other.missed);
            return;
        }
        if other.missed.is_empty() {
            return;
        }
        if self.missed.is_empty() {
            *self = other;
            return;
        }
        self.weight += other.weight;
        let place = other.first.unwrap_or(0);
        let mut rng = Rng::new(stream(self.seed ^ 0x0e17_0a3e_5eed, place));
        for place in 0..self.count {
            if rng.uniform() * self.weight < other.weight {
                let row = &other.cells[place * self.n_cols..(place + 1) * self.n_cols];
                self.put(place, row, other.missed[place]);
            }
        }
    }

    fn put(&mut self, place: usize, row: &[f64], missed: f64) {
        self.cells[place * self.n_cols..(place + 1) * self.n_cols].copy_from_slice(row);
        self.missed[place] = missed;
    }

    /// The bound, which is never larger than the trace.
    pub(crate) fn finish(self, ctx: &Context, map: &Nystrom, lost: f64) -> Result<Probed, Error> {
        let s = self.missed.len();
        let drawn = (!self.all).then_some(s);
        if s == 0 {
            return Ok(Probed { norm: lost, drawn });
        }
        let rows = Mat::from_vec(s, self.n_cols, self.cells)?;
        let mut rest = ctx.install(|| map.missed_between(rows))?;
        let Some(drawn) = drawn else {
            center(&mut rest);
            let values = ctx.install(|| symmetric_eigenvalues(&rest))?;
            let norm = values.first().copied().unwrap_or(0.0).max(0.0);
            let drawn = None;
            return Ok(Probed { norm, drawn });
        };
        let total = self.weight;
        let share = norm_share(ctx, &rest, (&self.missed, total), CHANCE)?;
        Ok(Probed {
            norm: (share * total).min(lost.max(total)),
            drawn: Some(drawn),
        })
    }

    /// The bound from candidates, and a bound on the trace T.
    pub(crate) fn finish_candidates(
        self,
        ctx: &Context,
        map: &Nystrom,
    ) -> Result<(Probed, f64), Error> {
        let (s, d) = (self.missed.len(), self.n_cols);
        if s == 0 {
            let drawn = Some(self.count);
            return Ok((Probed { norm: 0.0, drawn }, 0.0));
        }
        // 1. rᵢ ÷ r′ᵢ of all candidates.
        let missed = ctx.install(|| {
            let runs: Vec<&[f64]> = self.cells.chunks(RUN * d).collect();
            let runs = parallel::try_collect(runs.len(), |run| {
                ctx.check()?;
                map.missed_of(Mat::from_vec(runs[run].len() / d, d, runs[run].to_vec())?)
            });
            runs.map(|runs| runs.concat())
        })?;
        let shares = missed.iter().zip(&self.missed);
        let shares: Vec<f64> = shares
            .map(|(own, more)| (own / more).clamp(0.0, 1.0))
            .collect();
        // 2. T, at most.
        let mean = shares.iter().sum::<f64>() / s as f64;
        let total = self.weight * largest_mean(mean, -CHANCE_BESIDE.ln() / s as f64);
        // 3. Those accepted.
        let mut rng = Rng::new(stream(self.seed ^ 0x0acc_e97e_d5ee, s));
        let mut accepted = Vec::new();
        for (i, share) in shares.iter().enumerate() {
            if rng.uniform() < *share {
                accepted.push(i);
            }
        }
        accepted.truncate(MOST);
        let drawn = Some(s);
        if accepted.is_empty() {
            return Ok((Probed { norm: total, drawn }, total));
        }
        let rows = Mat::from_fn(accepted.len(), d, |i, j| self.cells[accepted[i] * d + j]);
        let missed: Vec<f64> = accepted.iter().map(|&i| missed[i]).collect();
        let rest = ctx.install(|| map.missed_between(rows))?;
        let share = norm_share(ctx, &rest, (&missed, total), CHANCE - 3.0 * CHANCE_BESIDE)?;
        let norm = share * total;
        Ok((Probed { norm, drawn }, total))
    }
}

/// An upper bound on ‖R‖ ÷ T with this chance of failure, from R of rows drawn by what landmarks miss of them.
fn norm_share(
    ctx: &Context,
    rest: &Mat<f64>,
    (missed, total): (&[f64], f64),
    chance: f64,
) -> Result<f64, Error> {
    let s = missed.len();
    let scale: Vec<f64> = missed.iter().map(|r| r.max(0.0).sqrt()).collect();
    let weighed = Mat::from_fn(s, s, |i, j| match scale[i] * scale[j] {
        0.0 => 0.0,
        both => rest[(i, j)] * total / (s as f64 * both),
    });
    let values = ctx.install(|| symmetric_eigenvalues(&weighed))?;
    let seen = values.first().copied().unwrap_or(0.0).max(0.0);
    Ok(largest_mean(seen / total, -chance.ln() / s as f64))
}

/// C·R·C, in its place.
fn center(matrix: &mut Mat<f64>) {
    let n = matrix.n_rows();
    let means: Vec<f64> = (matrix.rows())
        .map(|row| row.iter().sum::<f64>() / n as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for (i, own) in means.iter().enumerate() {
        let own = own - mean;
        let cells = matrix.row_mut(i).iter_mut().zip(&means);
        cells.for_each(|(x, other)| *x -= own + other);
    }
}

/// The largest p with kl(q ‖ p) ≤ `allowed`, by bisection.
fn largest_mean(q: f64, allowed: f64) -> f64 {
    if q.is_nan() || q >= 1.0 {
        return 1.0;
    }
    let divergence = |p: f64| {
        let first = if q > 0.0 { q * (q / p).ln() } else { 0.0 };
        first + (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln()
    };
    let (mut low, mut high) = (q, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match middle >= 1.0 || divergence(middle) > allowed {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

impl Nystrom {
    /// k(x, x) − ‖φ(x)‖² of some rows.
    fn missed_of(&self, rows: Mat<f64>) -> Result<Vec<f64>, Error> {
        let (features, own, _) = self.features_and_lengths(rows, 0)?;
        let rows = own.iter().zip(features.rows());
        Ok(rows.map(|(own, f)| own - dot(f, f)).collect())
    }

    /// K − K̂ of some rows with each other.
    fn missed_between(&self, rows: Mat<f64>) -> Result<Mat<f64>, Error> {
        let points = self.kernel().points(rows, 0)?;
        let mut rest = self.kernel().between(&points, &points);
        let features = self.of_points(&points);
        let kept = times_transposed(features.view(), features.view());
        let cells = rest.as_mut_slice().iter_mut().zip(kept.as_slice());
        cells.for_each(|(x, kept)| *x -= kept);
        Ok(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::largest_mean;

    #[test]
    fn a_mean_that_was_not_seen_once_is_small_but_not_zero() {
        // Zero of s: (1 − p)^s = chance.
        let s = 500.0;
        let p = largest_mean(0.0, -(0.001f64.ln()) / s);
        assert!(((1.0 - p).powf(s) - 0.001).abs() < 1e-9, "{p}");
        assert_eq!(largest_mean(1.0, 0.01), 1.0);
        // Near its minimum the divergence is flat, so half of the digits are lost.
        assert!(largest_mean(0.3, 0.0) < 0.3 + 1e-6);
    }
}
