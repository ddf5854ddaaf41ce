//! SMACOF: steps of the Guttman transform, which never raise the stress, until it stays nearly as it is.
//!
//! One sweep over all pairs gives the stress of the places and the next places at once. Rows are cut into runs of a fixed length, whose
//! sums are added in their order, so that the bits do not depend on the number of threads.

use super::isotonic::Order;
use super::{Criterion, MdsOptions};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, sum};
use crate::mat::Mat;
use crate::parallel;

/// Rows of a run.
const RUN: usize = 16;

/// Where a descent of the stress ended.
pub(super) struct Descent {
    /// n × k
    pub(super) places: Mat<f64>,
    /// Σ (d − δ)² over all pairs; where only the order counts, δ are the nearest numbers in that order.
    pub(super) raw: f64,
    /// √(raw ÷ Σ d²)
    pub(super) stress_1: f64,
    pub(super) n_iterations: usize,
    pub(super) converged: bool,
    /// How much the last step lowered the stress, as a share of Σ d².
    pub(super) last: f64,
}

/// What one sweep finds.
struct Sweep {
    /// Σ (d − δ)² and Σ d² over all pairs.
    stress: f64,
    squares: f64,
    /// The Guttman transform of the places (k × n).
    next: Mat<f64>,
}

impl MdsOptions {
    /// Steps from places (n × k) until the stress is nearly constant.
    pub(super) fn descend(
        &self,
        ctx: &Context,
        distances: &Mat<f64>,
        start: &Mat<f64>,
    ) -> Result<Descent, Error> {
        match self.criterion {
            Criterion::Nonmetric => self.descend_by_order(ctx, distances, start),
            _ => self.descend_by_distance(ctx, distances, start),
        }
    }

    fn descend_by_distance(
        &self,
        ctx: &Context,
        distances: &Mat<f64>,
        start: &Mat<f64>,
    ) -> Result<Descent, Error> {
        let mut places = start.transposed();
        let mut before: Option<f64> = None;
        let (mut converged, mut last, mut n_iterations) = (false, f64::INFINITY, 0);
        loop {
            ctx.check()?;
            let at = sweep(&places, distances);
            // The stress of the start itself is not compared: a start may be of any size.
            if let Some(before) = before.filter(|_| n_iterations > 1) {
                last = share(before - at.stress, at.squares);
            }
            // Once it has converged one more step is taken, because the sweep has it already.
            if converged || n_iterations == self.max_iterations {
                return Ok(Descent {
                    places: places.transposed(),
                    raw: at.stress,
                    stress_1: share(at.stress, at.squares).max(0.0).sqrt(),
                    n_iterations,
                    converged: converged || last < self.tolerance,
                    last,
                });
            }
            converged = last < self.tolerance;
            before = Some(at.stress);
            places = at.next;
            n_iterations += 1;
            ctx.advance(1);
        }
    }

    fn descend_by_order(
        &self,
        ctx: &Context,
        distances: &Mat<f64>,
        start: &Mat<f64>,
    ) -> Result<Descent, Error> {
        let n = distances.n_rows();
        let given = pairs_of(n, |i| distances.row(i)[i + 1..].to_vec());
        let order = Order::new(&given);
        let mut places = start.transposed();
        // The first step is towards the distances themselves, as in R's smacof and in scikit-learn.
        let mut aims = brought_to_size(given);
        let mut own = pair_distances(&places);
        let mut before: Option<f64> = None;
        let (mut converged, mut last, mut n_iterations) = (false, f64::INFINITY, 0);
        while !converged && n_iterations < self.max_iterations {
            ctx.check()?;
            places = sweep(&places, &matrix_of(n, &aims)).next;
            n_iterations += 1;
            own = pair_distances(&places);
            let stress = squares_between(&own, &aims);
            if let Some(before) = before {
                last = share(before - stress, dot(&own, &own));
                converged = last < self.tolerance;
            }
            before = Some(stress);
            aims.copy_from_slice(&own);
            order.regress(&mut aims);
            aims = brought_to_size(aims);
            ctx.advance(1);
        }
        // Kruskal's stress: against the nearest numbers in the order, whatever their size.
        let mut near = own.clone();
        order.regress(&mut near);
        let raw = squares_between(&own, &near);
        Ok(Descent {
            places: places.transposed(),
            raw,
            stress_1: share(raw, dot(&own, &own)).sqrt(),
            n_iterations,
            converged,
            last,
        })
    }
}

/// A part of a sum of squared distances; nothing is zero where the sum is.
fn share(part: f64, squares: f64) -> f64 {
    if squares > 0.0 { part / squares } else { 0.0 }
}

/// The stress of places (k × n) against targets (n × n), and their Guttman transform.
fn sweep(places: &Mat<f64>, targets: &Mat<f64>) -> Sweep {
    let (k, n) = (places.n_rows(), places.n_cols());
    // The next places, row after row of the data.
    let mut next = vec![0.0; n * k];
    let sums = parallel::collect_chunks(&mut next, RUN * k, |run, out| {
        let (mut squares, mut rest) = (vec![0.0; n], vec![0.0; n]);
        let (mut stress, mut total) = (0.0, 0.0);
        for (i, out) in out
            .chunks_exact_mut(k)
            .enumerate()
            .map(|(i, out)| (run * RUN + i, out))
        {
            squares_from(places, i, &mut squares);
            total += sum(&squares);
            // The squares become ratios δ ÷ d; where two places coincide, they do not push each other apart.
            for ((square, rest), target) in squares.iter_mut().zip(&mut rest).zip(targets.row(i)) {
                let d = square.sqrt();
                *rest = d - target;
                *square = if d > 0.0 { target / d } else { 0.0 };
            }
            stress += dot(&rest, &rest);
            let weight = sum(&squares);
            for (c, out) in out.iter_mut().enumerate() {
                let place = places.row(c);
                *out = (weight * place[i] - dot(&squares, place)) / n as f64;
            }
        }
        (stress, total)
    });
    let (stress, squares) = sums
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    Sweep {
        // Every pair was met twice.
        stress: 0.5 * stress,
        squares: 0.5 * squares,
        next: Mat::from_fn(k, n, |c, i| next[i * k + c]),
    }
}

/// Squared distances of one place from all.
fn squares_from(places: &Mat<f64>, i: usize, out: &mut [f64]) {
    out.fill(0.0);
    for place in places.rows() {
        let own = place[i];
        out.iter_mut()
            .zip(place)
            .for_each(|(sum, x)| *sum += (own - x) * (own - x));
    }
}

/// The distances of all pairs of places (k × n), row after row above the diagonal.
fn pair_distances(places: &Mat<f64>) -> Vec<f64> {
    let n = places.n_cols();
    pairs_of(n, |i| {
        let mut squares = vec![0.0; n];
        squares_from(places, i, &mut squares);
        squares[i + 1..].iter().map(|x| x.sqrt()).collect()
    })
}

fn pairs_of(n: usize, row: impl Fn(usize) -> Vec<f64> + Sync) -> Vec<f64> {
    parallel::collect(n, row).concat()
}

/// Σ (a − b)².
fn squares_between(a: &[f64], b: &[f64]) -> f64 {
    let away: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    dot(&away, &away)
}

/// Numbers of all pairs, multiplied so that their squares sum to the number of pairs.
fn brought_to_size(mut pairs: Vec<f64>) -> Vec<f64> {
    let squares = dot(&pairs, &pairs);
    if squares > 0.0 {
        let factor = (pairs.len() as f64 / squares).sqrt();
        pairs.iter_mut().for_each(|x| *x *= factor);
    }
    pairs
}

/// Numbers of all pairs as a matrix.
fn matrix_of(n: usize, pairs: &[f64]) -> Mat<f64> {
    let mut out = Mat::zeros(n, n);
    let begin = |i: usize| i * (2 * n - i - 1) / 2;
    parallel::each_chunk(out.as_mut_slice(), n, |i, row| {
        for (j, x) in row.iter_mut().enumerate().take(i) {
            *x = pairs[begin(j) + i - j - 1];
        }
        let above = &pairs[begin(i)..begin(i) + n - i - 1];
        row[i + 1..].copy_from_slice(above);
    });
    out
}
