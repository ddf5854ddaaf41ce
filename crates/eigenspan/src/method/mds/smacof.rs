//! SMACOF: steps of the Guttman transform, which never raise the stress, until it stays nearly as it is.
//!
//! One sweep over all pairs ([`sweep`]) gives the stress of the places and the next places at once. Where only the order of the distances
//! counts, distances are kept pair by pair, row after row above the diagonal ([`Pairs`]).

use super::isotonic::Order;
use super::pairs::Pairs;
use super::sweep::sweep;
use super::{Criterion, MdsOptions};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, sum};
use crate::mat::Mat;
use crate::parallel;

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
            let at = sweep(&places, &|i| &distances.row(i)[i + 1..]);
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
        let mut aims = Pairs::new(n);
        aims.each_row(|i, out| out.copy_from_slice(&distances.row(i)[i + 1..]));
        let order = Order::new(aims.all());
        let mut places = start.transposed();
        // The first step is towards the distances themselves, as in R's smacof and in scikit-learn.
        brought_to_size(aims.all_mut());
        let mut own = Pairs::new(n);
        let mut sorted = vec![0.0; aims.all().len()];
        let mut before: Option<f64> = None;
        let (mut converged, mut last, mut n_iterations) = (false, f64::INFINITY, 0);
        while !converged && n_iterations < self.max_iterations {
            ctx.check()?;
            places = sweep(&places, &|i| aims.row(i)).next;
            n_iterations += 1;
            own.set_to_distances(&places);
            let stress = squares_between(own.all(), aims.all());
            if let Some(before) = before {
                last = share(before - stress, dot_of_parts(own.all(), own.all()));
                converged = last < self.tolerance;
            }
            before = Some(stress);
            order.regress(own.all(), aims.all_mut(), &mut sorted);
            brought_to_size(aims.all_mut());
            ctx.advance(1);
        }
        // Kruskal's stress: against the nearest numbers in the order, whatever their size.
        if n_iterations == 0 {
            own.set_to_distances(&places);
        }
        order.regress(own.all(), aims.all_mut(), &mut sorted);
        let raw = squares_between(own.all(), aims.all());
        Ok(Descent {
            places: places.transposed(),
            raw,
            stress_1: share(raw, dot_of_parts(own.all(), own.all())).sqrt(),
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

/// Pairs that one thread takes at a time.
const PART: usize = 1 << 15;

/// Σ ab, part by part: the same bits for any number of threads.
fn dot_of_parts(a: &[f64], b: &[f64]) -> f64 {
    let part = |at: usize| at * PART..((at + 1) * PART).min(a.len());
    let n = a.len().div_ceil(PART);
    sum(&parallel::collect(n, |at| dot(&a[part(at)], &b[part(at)])))
}

/// Σ (a − b)².
fn squares_between(a: &[f64], b: &[f64]) -> f64 {
    let part = |at: usize| at * PART..((at + 1) * PART).min(a.len());
    let of_part = |at: usize| {
        let pairs = a[part(at)].iter().zip(&b[part(at)]);
        let away: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        dot(&away, &away)
    };
    sum(&parallel::collect(a.len().div_ceil(PART), of_part))
}

/// Multiplies numbers of all pairs so that their squares sum to the number of pairs.
fn brought_to_size(pairs: &mut [f64]) {
    let squares = dot_of_parts(pairs, pairs);
    if squares > 0.0 {
        let factor = (pairs.len() as f64 / squares).sqrt();
        parallel::each_chunk(pairs, PART, |_, pairs| {
            pairs.iter_mut().for_each(|x| *x *= factor);
        });
    }
}
