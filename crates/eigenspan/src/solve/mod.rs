//! 4. From summaries or products to eigenpairs: the solvers, the plan that chooses one, and the spectrum they all give.

mod cost;
mod covariance;
mod dual;
mod filtered;
mod full;
mod gram;
mod gram_plan;
mod iterative;
mod keep;
mod krylov;
mod lines;
mod outlook;
mod pace;
mod plan;
mod power;
mod probe;
mod qr;
mod rounding;
mod sketch;
mod smallest;
mod spectrum;
mod trial;
mod values;
mod work;

pub use covariance::solve_scatter;
pub(crate) use filtered::{Bounded, SparseSymmetric, SymmetricPairs, largest_pairs};
pub use gram::Negative;
pub(crate) use gram::{Centered, GramSolution, Known, centered_trace, solve_gram};
pub use gram_plan::{Approximate, Storage, Strategy};
pub(crate) use gram_plan::{FeatureBlocks, GramRequest, plan_gram};
pub use keep::Keep;
pub(crate) use keep::count_for_share;
pub(crate) use krylov::TrialOutcome;
pub use krylov::{Patience, SpectrumTrial};
pub(crate) use plan::plan_one_of_many;
pub use plan::{Plan, Shape, Solver, plan};
pub use power::{PowerPair, power_iteration};
pub(crate) use smallest::smallest_pairs;
pub(crate) use spectrum::correlation;
pub use spectrum::{Convention, LeftOut, Sign, Spectrum};
pub(crate) use trial::trial;
pub(crate) use values::solve_values;

use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::note::Note;
use crate::prepare::{Preparation, Scale};
use crate::source::{Source, col_label};
use crate::summary::Accuracy;

/// The options of a solver.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Number of components to keep.
    pub keep: Keep,
    /// Whether the mean is subtracted.
    pub center: bool,
    /// Divisor of each column.
    pub scale: Scale,
    /// Divisor of a variance.
    pub convention: Convention,
    /// Rule for the signs of components.
    pub sign: Sign,
    /// Residual of each component, relative to its own eigenvalue, at which an iteration stops.
    pub tolerance: f64,
    /// Seed of random starts.
    pub seed: u64,
    /// How long products with the data are tried, if another solver can replace them.
    pub patience: Option<Patience>,
}

/// The result of every solver.
#[derive(Debug)]
pub struct Solution {
    /// The eigenpairs.
    pub spectrum: Spectrum,
    /// How rows were prepared.
    pub preparation: Preparation,
    /// Number of rows read.
    pub n_rows: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Root of each column's scatter before scaling.
    pub spread: Vec<f64>,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// The smallest eigenvalue, relative to the largest, whose vector this solver computes to a few digits.
    pub resolution: f64,
    /// Accuracy of the summed scatter, if the solver summed one.
    pub(crate) accuracy: Accuracy,
    /// Whether products were computed in f32, so that residuals must be measured on the rows.
    pub(crate) single: bool,
    /// What the trial of the spectrum led to; `None` if there was no trial.
    pub(crate) outcome: Option<TrialOutcome>,
}

impl Solution {
    /// Number of columns that are not constant.
    pub(crate) fn n_varying(&self) -> usize {
        self.spread.iter().filter(|s| **s > 0.0).count()
    }
}

/// Runs the planned solver.
pub fn run<T: Real>(
    ctx: &Context,
    plan: &Plan,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    ctx.begin("reading", source.n_rows().map(|n| n as u64));
    let mut solution = ctx.install(|| match plan.solver {
        Solver::Full => full::solve(ctx, source, problem),
        Solver::Dual => lines::solve(ctx, source, problem),
        Solver::Qr => qr::solve(ctx, source, problem),
        Solver::Partial => iterative::solve_partial(ctx, source, problem),
        Solver::Lanczos | Solver::Randomized => iterative::solve(ctx, source, problem, plan.solver),
        Solver::Sketch => sketch::solve(ctx, source, problem),
        Solver::Power => power::solve(ctx, source, problem),
        Solver::Covariance | Solver::Auto | Solver::None => covariance::solve(ctx, source, problem),
    })?;
    // The other solvers count their work while they run, because the work of an iteration is not known before.
    if matches!(
        plan.solver,
        Solver::Full | Solver::Qr | Solver::Sketch | Solver::Power
    ) {
        let forecast = cost::cost(plan.solver, Shape::from_source(source), problem.keep);
        forecast.work().count(ctx);
    }
    note_constant(&mut solution, source.col_names(), problem);
    Ok(solution)
}

/// Adds a note on constant columns.
pub(crate) fn note_constant(solution: &mut Solution, names: Option<&[String]>, problem: &Problem) {
    let constant: Vec<String> = (0..solution.spread.len())
        .filter(|&j| solution.spread[j] == 0.0)
        .map(|j| col_label(names, j))
        .collect();
    if !constant.is_empty() {
        let scaled = problem.scale != Scale::None;
        solution.notes.push(Note::ConstantColumns {
            columns: constant,
            scaled,
        });
    }
}

/// The residual at which an iteration stops; refuses values outside (0, 1).
pub(crate) fn checked_tolerance(given: Option<f64>, default: f64) -> Result<f64, Error> {
    match given {
        None => Ok(default),
        Some(tolerance) if tolerance > 0.0 && tolerance < 1.0 => Ok(tolerance),
        Some(tolerance) => Err(Error::UnknownValue {
            option: "tolerance",
            given: tolerance.to_string(),
            allowed: "a number above 0 and below 1, such as 1e-9",
        }),
    }
}

/// Smallest total weight under the n − 1 convention: 2, as without weights at least two rows are needed. Sums that are below 2 only
/// by rounding are accepted.
const LEAST_WEIGHT: f64 = 2.0 * (1.0 - 1e-9);

/// The divisor of a variance; refuses too few rows and too little weight.
///
/// Under the n − 1 convention a weight counts rows: weights that sum to 1 would give the divisor 1 − 1, which is nothing but
/// rounding.
pub(crate) fn checked_divisor(
    convention: Convention,
    n_rows: usize,
    weight: f64,
) -> Result<f64, Error> {
    if n_rows < 2 {
        return Err(Error::TooFewRows {
            rows: n_rows,
            needed: 2,
        });
    }
    if weight <= 0.0 {
        return Err(Error::BadWeights {
            what: "they sum to 0".to_owned(),
        });
    }
    match convention {
        Convention::Unbiased if weight < LEAST_WEIGHT => Err(Error::TooLittleWeight { weight }),
        _ => Ok(convention.divisor(weight)),
    }
}
