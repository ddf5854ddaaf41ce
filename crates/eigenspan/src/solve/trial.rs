//! Products with the data that `auto` tries first, and what takes over where they will not settle the components in time.
//!
//! Whether an iteration is the cheapest solver depends on the spectrum, which nobody knows before the data are met. So one product
//! with a block of vectors is taken first wherever that costs little beside the solver without iterations, and [`super::outlook`]
//! forecasts from it how many vectors are left to be multiplied.

use super::cost::{cost, products_to_try, seconds_of_product, vectors_of_block};
use super::krylov::{Look, Looked, Patience};
use super::plan::{Plan, Shape, Solver};
use super::{Keep, work};
use crate::context::Context;
use crate::source::Passes;

/// Seconds that all components may take, by the rates of [`work`], before the leading ones alone are looked for: they come to
/// a tolerance, all of them to rounding.
pub(super) const SHORT: f64 = 0.05;

/// An iteration that is tried first, and what takes over where it is given up.
pub(crate) struct Trial {
    /// The iteration.
    pub(crate) iteration: Plan,
    /// How long it is tried.
    pub(crate) patience: Patience,
    /// The other iteration, which may turn out to take less.
    other: Plan,
    direct: Plan,
    /// Iterating on the covariance, and the vectors that it may multiply.
    partial: Option<(Plan, usize)>,
}

impl Trial {
    /// What the reason of a plan for this solver says of the trial.
    pub(super) fn reason(&self, planned: Solver) -> String {
        match planned == self.iteration.solver {
            true => format!(
                "; {} takes over where {} of them do not settle it",
                self.direct.solver, self.patience.most
            ),
            false => format!(
                "; {} is taken instead where a first product with the data shows that it takes less",
                self.iteration.solver
            ),
        }
    }

    /// The plan of the iteration that ran after a first look.
    pub(crate) fn ran(self, looked: Option<Looked>) -> Plan {
        match looked.and_then(|looked| looked.ran) {
            Some(solver) if solver == self.other.solver => self.other,
            _ => self.iteration,
        }
    }

    /// What takes over from the iteration where it is given up.
    pub(crate) fn takes_over(self, looked: Option<Looked>) -> Plan {
        match (self.partial, looked) {
            (Some((partial, most)), Some(looked)) if looked.vectors <= most as f64 => partial,
            _ => self.direct,
        }
    }
}

/// What is tried before a solver that was planned, or in its place, where that costs little.
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
        false => worth_a_look(ctx, shape, plan.solver, k)?,
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
        // Products with sparse rows are cheap beside anything else. A look may lead to either iteration.
        look: (dense && ctx.affords(other.bytes)).then(|| Look {
            vectors: (without.seconds / each) as usize,
            with_covariance: partial
                .as_ref()
                .map(|(_, most)| (worth_a_covariance(shape, each), *most)),
            other_side: n.max(d),
        }),
    };
    if !iterates && patience.look.is_none() {
        return None;
    }
    let reason =
        format!("products with the data would not settle in time, and {direct} needs no iteration");
    Some(Trial {
        iteration,
        patience,
        other,
        direct: without.plan(direct, reason),
        partial,
    })
}

/// Vectors beyond which products with the covariance, which are cheaper than those with the data, pay for it.
fn worth_a_covariance(shape: Shape, each: f64) -> usize {
    let size = shape.n_cols as f64;
    let gained = (each - work::product(size, size, 1.0).seconds).max(0.0);
    (work::squares(shape).seconds / gained) as usize
}

/// Iterating on the covariance, and the vectors that it may multiply, where those are more than a few.
fn on_covariance(shape: Shape, k: usize) -> Option<(Plan, usize)> {
    const FEWEST: usize = 3;
    let tries = products_to_try(shape.n_cols, k);
    let reason = format!(
        "one reading gives the covariance, and a first product with the data showed that a few with it settle {k} components"
    );
    let plan = cost(Solver::Partial, shape, Keep::Count(k)).plan(Solver::Partial, reason);
    let most = (tries as f64 + 0.5) * vectors_of_block(Solver::Partial, k);
    (tries >= FEWEST).then_some((plan, most as usize))
}

/// A block iteration that may take less than the solver that was planned, where a look at the spectrum costs little.
fn worth_a_look(ctx: &Context, shape: Shape, planned: Solver, k: usize) -> Option<Plan> {
    /// Share of the planned solver's time that a look may cost.
    const LITTLE: f64 = 0.18;
    /// How much less the iteration must take if it settles at once.
    const LESS: f64 = 1.3;
    let is_direct = matches!(planned, Solver::Covariance | Solver::Dual);
    let small = shape.n_rows?.min(shape.n_cols);
    let many = shape.passes == Passes::Many && shape.in_memory && shape.nnz.is_none();
    if !is_direct || !many || 4 * k > small {
        return None;
    }
    let keep = Keep::Count(k);
    let direct = cost(planned, shape, keep).seconds;
    let look = seconds_of_product(Solver::Randomized, shape, k)?;
    // One block more, and the components themselves to measure their residuals.
    let settled = look * (2.0 + k as f64 / vectors_of_block(Solver::Randomized, k));
    let pays = direct > SHORT && look <= LITTLE * direct && LESS * settled <= direct;
    let iteration = cost(Solver::Randomized, shape, keep);
    (pays && ctx.affords(iteration.bytes)).then(|| {
        let reason = format!(
            "a first product with the data showed that a few more take less than {planned}"
        );
        iteration.plan(Solver::Randomized, reason)
    })
}
