//! Whether the computed eigenpairs are the leading ones.
//!
//! The Krylov space of a block of b vectors holds at most b copies of an eigenvalue, so that pairs with tiny residuals
//! may still not be the leading ones: of 20 equal eigenvalues a block of 8 finds 8, and then smaller ones. Each of three
//! facts proves that none is missing:
//!
//! - the block has more vectors than pairs are wanted: it has room for every copy;
//! - the trace: if no eigenvalue is negative, no eigenvalue outside the pairs exceeds trace − Σθ;
//! - a probe: p random vectors, orthogonal to the pairs, are iterated on until their largest Ritz value bounds the largest
//!   eigenvalue outside the pairs. After q steps from one random vector of D dimensions the largest Ritz
//!   value is below (1 − ε) times the largest eigenvalue with probability at most 1.648·√D·exp(−√ε·(2q − 1)), for any
//!   spectrum (Kuczyński & Woźniakowski 1992, doi:10.1137/0613066, theorem 4.1 b); the bound fails only if all p vectors fail.
//!
//! If a probe finds a new eigenvalue among the leading ones, a probe with twice as many vectors follows. If the basis had no room
//! for all vectors of a probe, that probe proves nothing, and one with few vectors follows.

use super::krylov::{LeadingPairs, Wanted};

/// Number of random vectors in the first probe.
const FIRST: usize = 4;
/// Probability that a bound fails.
const FAILURE: f64 = 1e-9;
/// Steps after which a probe that found nothing new ends, even if the next eigenvalue is too close to bound the gap.
const LONGEST: usize = 20;

/// The search for eigenvalues that the block missed.
pub(super) struct Probe {
    /// The goal of the iteration, with its tolerance.
    wanted: Wanted,
    /// Number of rows of the matrix.
    dim: usize,
    /// Number of vectors in the iteration's own block: the most copies of an eigenvalue that it can find.
    copies: usize,
    /// Number of random vectors in a probe.
    size: usize,
    /// Eigenvalues, and number of products with A, when the current probe began.
    begun: Option<(Vec<f64>, usize)>,
    /// Whether vectors of the current probe were dropped when the basis was compressed.
    cut: bool,
    /// Whether a new probe must begin.
    due: bool,
    /// Upper bound on the next eigenvalue, once there is one.
    reach: Option<f64>,
}

impl Probe {
    pub(super) fn new(wanted: &Wanted, block: usize, dim: usize) -> Self {
        Probe {
            wanted: *wanted,
            dim,
            copies: block,
            size: FIRST.min(block),
            begun: None,
            cut: false,
            due: false,
            reach: None,
        }
    }

    /// Largest number of vectors that the next probe adds to the basis.
    pub(super) fn room(&self) -> usize {
        self.size * LONGEST
    }

    /// Whether a new probe must begin before the pairs can be accepted.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// Begins a probe; gives its number of random vectors.
    pub(super) fn begin(&mut self, found: &LeadingPairs, products: usize) -> usize {
        self.begun = Some((found.values.clone(), products));
        self.due = false;
        self.cut = false;
        self.size
    }

    /// Records that the basis was compressed, which drops vectors of the current probe.
    pub(super) fn cut_short(&mut self) {
        self.cut = true;
    }

    /// Whether these converged pairs are the leading ones. `ritz` has all Ritz values of the basis.
    pub(super) fn found_all(
        &mut self,
        found: &LeadingPairs,
        ritz: &[f64],
        products: usize,
    ) -> bool {
        let k = found.values.len();
        let Some(&last) = found.values.last() else {
            return true;
        };
        let first = found.values[0].abs();
        // 1. The sum of all other eigenvalues: trace − Σθ, with the rounding of both.
        let sum: f64 = found.values.iter().sum();
        let rounding = (self.wanted.rounding + k as f64 * f64::EPSILON) * first.max(sum);
        let left = self
            .wanted
            .trace
            .map(|trace| (trace - sum).max(0.0) + rounding);
        if left.is_some_and(|left| left < last || left <= 2.0 * rounding) {
            // The next Ritz value is the next eigenvalue only if the block has room for every copy.
            let seen = found.next.filter(|_| self.copies > k);
            self.reach = left.map(|left| left.min(seen.unwrap_or(left).max(rounding)));
            return true;
        }
        // 2. The block has room for every copy, and for one vector more.
        if self.copies > k {
            self.reach = found.next;
            return true;
        }
        let Some((before, since)) = &self.begun else {
            self.due = true;
            return false;
        };
        // 3. The probe found a new eigenvalue: there may be more copies of it.
        let moved = |(now, before): (&f64, &f64)| {
            (now - before).abs() > 2.0 * self.wanted.allowed(*now, first)
        };
        if before.len() != k || found.values.iter().zip(before).any(moved) {
            self.due = true;
            self.size = (2 * self.size).min(self.wanted.k + 1);
            return false;
        }
        // 4. The largest Ritz value outside the pairs, and the bound on the largest eigenvalue there.
        let steps = products - since;
        let seen = ritz.get(k).copied().unwrap_or(0.0).max(0.0);
        let reach = seen / (1.0 - self.shortfall(steps)).max(0.0);
        if !self.cut && reach < last {
            self.reach = Some(reach.max(found.next.unwrap_or(seen)));
            return true;
        }
        let over = self.cut || steps >= LONGEST;
        if over && self.size > FIRST {
            self.due = true;
            self.size = FIRST;
            return false;
        }
        over
    }

    /// The pairs with the bound on the next eigenvalue.
    pub(super) fn certified(&self, found: LeadingPairs) -> LeadingPairs {
        LeadingPairs {
            next: self.reach,
            ..found
        }
    }

    /// ε after this many steps, at most 1.
    fn shortfall(&self, steps: usize) -> f64 {
        let each = FAILURE.powf(1.0 / self.size.max(1) as f64);
        let needed = (1.648 * (self.dim as f64).sqrt() / each).ln();
        (needed / (2 * steps.max(1) - 1) as f64).powi(2).min(1.0)
    }
}
