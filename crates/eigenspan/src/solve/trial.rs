//! Products with the data that `auto` tries first, and the solver that replaces them if they will not converge in time.
//!
//! Whether an iteration is the cheapest solver depends on the spectrum, which is not known before the data are read. So one product
//! with a block of vectors is computed first wherever it costs little beside the solver without iterations, and
//! [`super::outlook`] forecasts from it how many more vectors must be multiplied.

use super::cost::{cost, products_to_try, seconds_of_product, vectors_of_block};
use super::krylov::{Patience, SpectrumTrial, TrialOutcome};
use super::plan::{Plan, Shape, Solver};
use super::{Keep, work};
use crate::context::Context;
use crate::source::Passes;

/// Up to this many seconds (by the rates of [`work`]) all components are computed, to rounding; only beyond it are the leading ones
/// alone computed, to a tolerance.
pub(super) const SHORT: f64 = 0.05;

/// An iteration that is tried first, and the solver that replaces it if it is given up.
pub(crate) struct Trial {
    /// The iteration.
    pub(crate) iteration: Plan,
    /// How long it is tried.
    pub(crate) patience: Patience,
    /// The other iteration, which may turn out to take less time.
    other: Plan,
    /// The solver without iterations.
    direct: Plan,
    /// An iteration on the covariance, and the largest number of vectors that it may multiply.
    partial: Option<(Plan, usize)>,
}

impl Trial {
    /// The words on this trial in the reason of a plan for the solver `planned`.
    pub(super) fn reason(&self, planned: Solver) -> String {
        match planned == self.iteration.solver {
            true => format!(
                "; {} replaces it if it has not converged after {} products",
                self.direct.solver, self.patience.most
            ),
            false => format!(
                "; {} replaces it if a first product with the data shows that it takes less time",
                self.iteration.solver
            ),
        }
    }

    /// The plan of the iteration that ran after the first product.
    pub(crate) fn ran(self, outcome: Option<TrialOutcome>) -> Plan {
        match outcome.and_then(|outcome| outcome.ran) {
            Some(solver) if solver == self.other.solver => self.other,
            _ => self.iteration,
        }
    }

    /// The plan that replaces the iteration if it is given up.
    pub(crate) fn replacement(self, outcome: Option<TrialOutcome>) -> Plan {
        match (self.partial, outcome) {
            (Some((partial, most)), Some(outcome)) if outcome.vectors <= most as f64 => partial,
            _ => self.direct,
        }
    }
}

/// The iteration to try before the planned solver, or the planned iteration; `None` if a trial costs too much.
pub(crate) fn trial(ctx: &Context, shape: Shape, plan: &Plan, keep: Keep) -> Option<Trial> {
    /// Share of the time of the solver without iterations after which an iteration is judged by its pace.
    const TRIED: f64 = 0.2;
    const FEWEST: usize = 2;
    let (Keep::Count(k), Some(n)) = (keep, shape.n_rows) else {
        return None;
    };
    let d = shape.n_cols;
    let iterates = matches!(plan.solver, Solver::Randomized | Solver::Lanczos);
    let direct = match (iterates, n < d) {
        (true, true) => Solver::Dual,
        (true, false) => Solver::Covariance,
        (false, _) => plan.solver,
    };
    let without = cost(direct, shape, keep);
    if !ctx.affords(without.bytes) {
        return None;
    }
    let iteration = match iterates {
        true => plan.clone(),
        false => iteration_to_try(ctx, shape, plan.solver, k)?,
    };
    let product = seconds_of_product(iteration.solver, shape, k)?;
    let products = without.seconds / product;
    let dense = shape.nnz.is_none() && shape.in_memory;
    let partial = (n >= d && dense).then(|| on_covariance(shape, k)).flatten();
    let partial = partial.filter(|(plan, _)| ctx.affords(plan.bytes));
    let each = product / vectors_of_block(iteration.solver, k);
    let other = match iteration.solver {
        Solver::Lanczos => Solver::Randomized,
        _ => Solver::Lanczos,
    };
    let other = cost(other, shape, keep).plan(other, iteration.reason.clone());
    let patience = Patience {
        tried: ((TRIED * products) as usize).max(FEWEST),
        most: (products as usize).max(FEWEST),
        // Not for sparse rows, whose products are cheap beside everything else. The trial may lead to either iteration.
        spectrum_trial: (dense && ctx.affords(other.bytes)).then(|| SpectrumTrial {
            vectors: (without.seconds / each) as usize,
            with_covariance: partial
                .as_ref()
                .map(|(_, most)| (vectors_to_repay_covariance(shape, each), *most)),
            other_side: n.max(d),
        }),
    };
    if !iterates && patience.spectrum_trial.is_none() {
        return None;
    }
    let reason = format!(
        "products with the data would not converge in time, and {direct} needs no iteration"
    );
    Some(Trial {
        iteration,
        patience,
        other,
        direct: without.plan(direct, reason),
        partial,
    })
}

/// The number of vectors beyond which the covariance pays: products with it are cheaper than products with the data.
fn vectors_to_repay_covariance(shape: Shape, each: f64) -> usize {
    let size = shape.n_cols as f64;
    let gained = (each - work::product(size, size, 1.0).seconds).max(0.0);
    (work::squares(shape).seconds / gained) as usize
}

/// An iteration on the covariance, and the largest number of vectors that it may multiply; `None` if that allows too few products.
fn on_covariance(shape: Shape, k: usize) -> Option<(Plan, usize)> {
    const FEWEST: usize = 3;
    let tries = products_to_try(shape.n_cols, k);
    let reason = format!(
        "one reading gives the covariance, and a first product with the data showed that {k} components converge in a few products with the covariance"
    );
    let plan = cost(Solver::Partial, shape, Keep::Count(k)).plan(Solver::Partial, reason);
    let most = (tries as f64 + 0.5) * vectors_of_block(Solver::Partial, k);
    (tries >= FEWEST).then_some((plan, most as usize))
}

/// A block iteration that may take less time than the planned solver, if the first product costs little.
fn iteration_to_try(ctx: &Context, shape: Shape, planned: Solver, k: usize) -> Option<Plan> {
    /// Largest share of the planned solver's time that the first product may take.
    const LITTLE: f64 = 0.18;
    /// How many times less the iteration must take than the planned solver if it converges at once.
    const LESS: f64 = 1.3;
    let is_direct = matches!(planned, Solver::Covariance | Solver::Dual);
    let small = shape.n_rows?.min(shape.n_cols);
    let many = shape.passes == Passes::Many && shape.in_memory && shape.nnz.is_none();
    if !is_direct || !many || 4 * k > small {
        return None;
    }
    let keep = Keep::Count(k);
    let direct = cost(planned, shape, keep).seconds;
    let product = seconds_of_product(Solver::Randomized, shape, k)?;
    // One more block, and the components themselves to measure their residuals.
    let at_best = product * (2.0 + k as f64 / vectors_of_block(Solver::Randomized, k));
    let pays = direct > SHORT && product <= LITTLE * direct && LESS * at_best <= direct;
    let iteration = cost(Solver::Randomized, shape, keep);
    (pays && ctx.affords(iteration.bytes)).then(|| {
        let reason = format!(
            "a first product with the data showed that a few more take less time than {planned}"
        );
        iteration.plan(Solver::Randomized, reason)
    })
}
