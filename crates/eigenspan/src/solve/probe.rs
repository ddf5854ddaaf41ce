//! Whether eigenpairs that were found are the leading ones.
//!
//! The Krylov space of a block of b vectors holds at most b copies of an eigenvalue, so that pairs with the smallest
//! residuals may still be the wrong ones: of 20 equal eigenvalues a block of 8 finds 8, and then smaller ones. Three
//! things tell that none is missing:
//!
//! - more vectors in the block than pairs are wanted: every copy that is wanted has a place;
//! - the trace: where no eigenvalue is negative, none that was left out can exceed trace − Σθ;
//! - a probe: p random vectors, orthogonal to all that was found, are iterated on until the largest value that they show
//!   says enough about the largest that there is. After q steps from one random vector of D dimensions the largest Ritz
//!   value is below (1 − ε) times the largest eigenvalue with probability at most 1.648·√D·exp(−√ε·(2q − 1)), whatever
//!   the spectrum (Kuczyński & Woźniakowski 1992, doi:10.1137/0613066, theorem 4.1 b); p vectors must all fail.
//!
//! A probe that meets a new eigenvalue among the wanted ones is followed by another with twice as many vectors. One whose
//! vectors did not all have room in the basis proves nothing, and is followed by one with few vectors.

use super::krylov::{Found, Wanted};

/// Random vectors of the first probe.
const FIRST: usize = 4;
/// Probability that a bound does not hold: no one will see it happen.
const FAILURE: f64 = 1e-9;
/// Steps after which a probe that found nothing new is over, though the next value is too near for a gap to be told.
const LONGEST: usize = 20;

/// The search for eigenvalues that a block cannot hold.
pub(super) struct Probe {
    /// How a residual is judged.
    wanted: Wanted,
    /// Rows of the matrix.
    dim: usize,
    /// Vectors of the iteration's own block: so many copies of an eigenvalue can be told.
    copies: usize,
    /// Random vectors in a probe.
    size: usize,
    /// The values before the probe that is under way, and the products with A by then.
    begun: Option<(Vec<f64>, usize)>,
    /// Whether vectors of it were dropped since.
    cut: bool,
    /// Whether another is to begin.
    due: bool,
    /// The most that the next eigenvalue can be, where that was found out.
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

    /// Vectors that the next probe adds to the basis, at most.
    pub(super) fn room(&self) -> usize {
        self.size * LONGEST
    }

    /// Whether a new probe is to begin before the pairs may be believed.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// Begins a probe; how many random vectors it takes.
    pub(super) fn begin(&mut self, found: &Found, products: usize) -> usize {
        self.begun = Some((found.values.clone(), products));
        self.due = false;
        self.cut = false;
        self.size
    }

    /// Says that the basis was full, and that not all that the probe reached was kept.
    pub(super) fn cut_short(&mut self) {
        self.cut = true;
    }

    /// Whether the pairs, each of which is an eigenpair, are the leading ones. `ritz` are all values of the basis.
    pub(super) fn found_all(&mut self, found: &Found, ritz: &[f64], products: usize) -> bool {
        let k = found.values.len();
        let Some(&last) = found.values.last() else {
            return true;
        };
        let first = found.values[0].abs();
        // 1. What the trace leaves for all others together, but for the rounding of both.
        let sum: f64 = found.values.iter().sum();
        let rounding = (self.wanted.rounding + k as f64 * f64::EPSILON) * first.max(sum);
        let left = self
            .wanted
            .trace
            .map(|trace| (trace - sum).max(0.0) + rounding);
        if left.is_some_and(|left| left < last || left <= 2.0 * rounding) {
            // A value that was seen next is the next one only where every copy has a place.
            let seen = found.next.filter(|_| self.copies > k);
            self.reach = left.map(|left| left.min(seen.unwrap_or(left).max(rounding)));
            return true;
        }
        // 2. Every copy has a place, and so has one of what comes next.
        if self.copies > k {
            self.reach = found.next;
            return true;
        }
        let Some((before, since)) = &self.begun else {
            self.due = true;
            return false;
        };
        // 3. A value that was not there before: there may be more of it.
        let moved = |(now, before): (&f64, &f64)| {
            (now - before).abs() > 2.0 * self.wanted.allowed(*now, first)
        };
        if before.len() != k || found.values.iter().zip(before).any(moved) {
            self.due = true;
            self.size = (2 * self.size).min(self.wanted.k + 1);
            return false;
        }
        // 4. The largest value in the other directions, and how much larger the largest there is may be.
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

    /// The pairs, with what is known of the eigenvalue after them.
    pub(super) fn certified(&self, found: Found) -> Found {
        Found {
            next: self.reach,
            ..found
        }
    }

    /// ε after so many steps, at most 1.
    fn shortfall(&self, steps: usize) -> f64 {
        let each = FAILURE.powf(1.0 / self.size.max(1) as f64);
        let needed = (1.648 * (self.dim as f64).sqrt() / each).ln();
        (needed / (2 * steps.max(1) - 1) as f64).powi(2).min(1.0)
    }
}
