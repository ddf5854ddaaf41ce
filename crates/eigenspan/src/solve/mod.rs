//! 4. From what was read to eigenpairs: every road, the plan that chooses one, and the spectrum they all end in.

mod cost;
mod covariance;
mod dual;
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
mod spectrum;
mod trial;
mod values;
mod work;

pub use covariance::solve_scatter;
pub use gram::Negative;
pub(crate) use gram::{Centered, GramSolution, Known, centered_trace, solve_gram};
pub use gram_plan::{Approximate, Storage, Strategy};
pub(crate) use gram_plan::{AskedGram, FeatureBlocks, plan_gram};
pub use keep::Keep;
pub(crate) use keep::count_for_share;
pub(crate) use krylov::Looked;
pub use krylov::{Look, Patience};
pub(crate) use plan::plan_one_of_many;
pub use plan::{Plan, Shape, Solver, plan};
pub use power::{PowerPair, power_iteration};
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

/// What is asked of a solver, apart from the data.
#[derive(Debug, Clone)]
pub struct Problem {
    /// How many components to keep.
    pub keep: Keep,
    /// Whether the mean is taken out.
    pub center: bool,
    /// What columns are divided by.
    pub scale: Scale,
    /// What a variance is divided by.
    pub convention: Convention,
    /// Which way components point.
    pub sign: Sign,
    /// Residual of each component, relative to its own eigenvalue, at which an iteration stops.
    pub tolerance: f64,
    /// Where random starts come from.
    pub seed: u64,
    /// How long products with the data are tried, where another road is taken after them.
    pub patience: Option<Patience>,
}

/// What every solver gives back.
#[derive(Debug)]
pub struct Solution {
    /// The eigenpairs.
    pub spectrum: Spectrum,
    /// How rows were prepared.
    pub preparation: Preparation,
    /// Rows read.
    pub n_rows: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Root of each column's scatter before scaling.
    pub spread: Vec<f64>,
    /// What is worth knowing.
    pub notes: Vec<Note>,
    /// The smallest eigenvalue, relative to the largest, that this road shows to a few digits.
    pub resolution: f64,
    /// How far a scatter that was summed on the way may be from that of the rows.
    pub(crate) accuracy: Accuracy,
    /// Whether its products were taken in f32, so that residuals are to be measured on the rows.
    pub(crate) single: bool,
    /// What an iteration's first look at the spectrum led to, where there was one.
    pub(crate) looked: Option<Looked>,
}

impl Solution {
    /// Columns that change at all.
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
        Solver::Covariance | Solver::Auto => covariance::solve(ctx, source, problem),
    })?;
    // The others count what they do as they go, which for an iteration is not known before.
    if matches!(
        plan.solver,
        Solver::Full | Solver::Qr | Solver::Sketch | Solver::Power
    ) {
        let forecast = cost::cost(plan.solver, Shape::of(source), problem.keep);
        forecast.work().count(ctx);
    }
    note_constant(&mut solution, source.col_names(), problem);
    Ok(solution)
}

/// A note on columns that never change.
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

/// The residual at which an iteration stops, refused where it cannot be reached or says nothing.
pub(crate) fn checked_tolerance(asked: Option<f64>, default: f64) -> Result<f64, Error> {
    match asked {
        None => Ok(default),
        Some(tolerance) if tolerance > 0.0 && tolerance < 1.0 => Ok(tolerance),
        Some(tolerance) => Err(Error::UnknownValue {
            option: "tolerance",
            given: tolerance.to_string(),
            allowed: "a number above 0 and below 1, such as 1e-9",
        }),
    }
}

/// Weight that rows must have together under the n − 1 convention, as there must be two rows where none are weighted. Sums
/// that miss it by rounding alone reach it.
const LEAST_WEIGHT: f64 = 2.0 * (1.0 - 1e-9);

/// The divisor of a variance, refused where rows or weights are too few to have one.
///
/// Under the n − 1 convention a weight counts rows: weights that sum to 1 would divide by what rounding left of 1 − 1.
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
