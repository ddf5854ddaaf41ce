//! The one place that decides what `auto` means, with its cost and its reason in words.
//!
//! Every solver's cost is a sum of counted operations, each kind divided by the rate measured for it
//! (`cargo xtask bench solvers` measures them again). The cheapest that is accurate enough and fits the memory is taken.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Keep;
use super::cost::{Cost, cost, products_to_try};
use super::full::JACOBI_LIMIT;
use super::trial::{SHORT, trial};
use crate::context::Context;
use crate::error::{Error, bytes_words, grouped};
use crate::mat::Real;
use crate::source::{Passes, Source};

/// Which road to the eigenpairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    /// The cheapest that is accurate enough; `plan` says which and why
    #[default]
    Auto,
    /// All eigenpairs of the d × d covariance, one reading: for many rows
    Covariance,
    /// Leading eigenpairs of the d × d covariance, one reading: for few components of many columns
    Partial,
    /// Eigenpairs of the n × n Gram matrix: for fewer rows than columns
    Dual,
    /// Triangular factor, one reading: for many rows, as accurate as full
    Qr,
    /// Singular value decomposition of the data itself: the most accurate
    Full,
    /// Thick-restart Lanczos on products with the data: for sparse data
    Lanczos,
    /// Block Krylov from a random start on products with the data: for few components of large dense data
    Randomized,
    /// Random sketches, one reading, approximate: for wide rows that come through a pipe
    Sketch,
    /// Power iteration with deflation, as lectures write it
    Power,
}

impl Solver {
    /// Every one, `auto` first.
    pub const ALL: [Solver; 10] = [
        Solver::Auto,
        Solver::Covariance,
        Solver::Partial,
        Solver::Dual,
        Solver::Qr,
        Solver::Full,
        Solver::Lanczos,
        Solver::Randomized,
        Solver::Sketch,
        Solver::Power,
    ];

    /// Its name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::Covariance => "covariance",
            Solver::Partial => "partial",
            Solver::Dual => "dual",
            Solver::Qr => "qr",
            Solver::Full => "full",
            Solver::Lanczos => "lanczos",
            Solver::Randomized => "randomized",
            Solver::Sketch => "sketch",
            Solver::Power => "power",
        }
    }

    /// Whether it squares the data and so loses components whose share is tiny.
    pub fn squares(self) -> bool {
        !matches!(self, Solver::Qr | Solver::Full)
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Solver {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Solver::ALL
            .into_iter()
            .find(|solver| solver.name() == text)
            .ok_or_else(|| Error::UnknownValue {
                option: "solver",
                given: text.to_owned(),
                allowed: "auto, covariance, partial, dual, qr, full, lanczos, randomized, sketch or power",
            })
    }
}

/// What is known of the data before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Rows, where known.
    pub n_rows: Option<usize>,
    /// Columns.
    pub n_cols: usize,
    /// Cells that are not zero, for sparse data.
    pub nnz: Option<u64>,
    /// How often it can be read.
    pub passes: Passes,
    /// Whether it lies in memory as an array, where a reading costs next to nothing.
    pub in_memory: bool,
    /// Whether it is stored column by column, where reading it by rows is slow.
    pub by_column: bool,
}

impl Shape {
    /// What a source says of its rows before they are read.
    pub(crate) fn of<T: Real>(source: &dyn Source<T>) -> Self {
        Shape {
            n_rows: source.n_rows(),
            n_cols: source.n_cols(),
            nnz: source.nnz(),
            passes: source.passes(),
            in_memory: source.in_memory().is_some() || source.nnz().is_some(),
            by_column: source.by_column().is_some(),
        }
    }
}

/// What would run, what it costs, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The solver that runs.
    pub solver: Solver,
    /// Why this one, in a sentence.
    pub reason: String,
    /// Readings of the data; for iterative solvers a forecast.
    pub passes: usize,
    /// Bytes of working memory, beside the data as it lies.
    pub bytes: u64,
    /// Floating-point operations; for iterative solvers a forecast.
    pub flops: f64,
}

/// Below so many operations the most accurate road costs next to nothing.
const NEXT_TO_NOTHING: f64 = 4e7;

/// Products that an iteration on the covariance can be given beside finding pairs without iterating, for it to be a road of its
/// own: most spectra need fewer.
const WORTHWHILE: usize = 30;

/// How many times less than a solver without iterations an iteration must be forecast to take: the forecast guesses the
/// spectrum, and what was tried in vain is lost.
const RISK: f64 = 1.3;

/// Chooses a solver, or costs the one asked for; refuses what cannot run.
pub fn plan(ctx: &Context, shape: Shape, solver: Solver, keep: Keep) -> Result<Plan, Error> {
    keep.check()?;
    if shape.n_cols == 0 {
        return Err(Error::NoColumns);
    }
    if let Some(n) = shape.n_rows {
        if n < 2 {
            return Err(Error::TooFewRows { rows: n, needed: 2 });
        }
        keep.check_shape(n, shape.n_cols)?;
    }
    if solver != Solver::Auto {
        return asked_for(ctx, shape, solver, keep);
    }
    let candidates = candidates(shape, keep);
    let fits = |c: &&Candidate| ctx.affords(c.cost.bytes);
    let quickest = |a: &&Candidate, b: &&Candidate| a.expected().total_cmp(&b.expected());
    match candidates.iter().filter(fits).min_by(quickest) {
        Some(best) => {
            let cheapest = candidates.iter().min_by(quickest);
            let reason = match cheapest {
                Some(other) if other.solver != best.solver => {
                    format!(
                        "{}, and {} would need {}",
                        best.reason,
                        other.solver,
                        bytes_words(other.cost.bytes)
                    )
                }
                _ => best.reason.clone(),
            };
            let mut plan = best.cost.plan(best.solver, reason);
            if let Some(trial) = trial(ctx, shape, &plan, keep) {
                plan.reason += &trial.reason(plan.solver);
            }
            Ok(plan)
        }
        None => {
            let leanest = candidates.iter().min_by_key(|c| c.cost.bytes);
            let needed = leanest.map_or(0, |c| c.cost.bytes);
            let what = leanest.map_or_else(String::new, |c| {
                format!("solver {}, the leanest that would do,", c.solver)
            });
            Err(Error::Memory {
                what,
                needed,
                allowed: ctx.allowed(),
            })
        }
    }
}

/// The cheapest road to the leading pairs for one of many fits of the same shape, none of which has to be the most
/// accurate: through the covariance, or the Gram matrix where rows are fewer.
pub(crate) fn plan_one_of_many(shape: Shape, k: usize) -> Plan {
    let (keep, d) = (Keep::Count(k), shape.n_cols);
    let few_rows = shape.n_rows.is_some_and(|n| n < d);
    let solvers = match (few_rows, 4 * k <= d) {
        (true, _) => &[Solver::Dual][..],
        (false, true) => &[Solver::Covariance, Solver::Partial],
        (false, false) => &[Solver::Covariance],
    };
    let roads = solvers.iter().map(|&s| (s, cost(s, shape, keep)));
    let best = roads.min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
    let (solver, cost) =
        best.unwrap_or((Solver::Covariance, cost(Solver::Covariance, shape, keep)));
    cost.plan(solver, "one of many fits of the same shape".to_owned())
}

fn asked_for(ctx: &Context, shape: Shape, solver: Solver, keep: Keep) -> Result<Plan, Error> {
    if shape.passes == Passes::Once && matches!(solver, Solver::Lanczos | Solver::Randomized) {
        return Err(Error::ReadOnce {
            solver: solver.name(),
            passes: "many",
        });
    }
    let cost = cost(solver, shape, keep);
    if !ctx.affords(cost.bytes) {
        return Err(Error::Memory {
            what: format!("solver {solver}"),
            needed: cost.bytes,
            allowed: ctx.allowed(),
        });
    }
    Ok(cost.plan(solver, format!("{solver} was asked for")))
}

/// A solver that would do, with its cost and why one would take it.
struct Candidate {
    solver: Solver,
    cost: Cost,
    reason: String,
}

impl Candidate {
    /// Seconds by which it is compared with others.
    fn expected(&self) -> f64 {
        match self.solver {
            Solver::Partial | Solver::Randomized | Solver::Lanczos => RISK * self.cost.seconds,
            _ => self.cost.seconds,
        }
    }
}

/// The solvers that would do for data of this shape.
fn candidates(shape: Shape, keep: Keep) -> Vec<Candidate> {
    let d = shape.n_cols;
    let candidate = |solver: Solver, reason: String| Candidate {
        solver,
        cost: cost(solver, shape, keep),
        reason,
    };
    let Some(n) = shape.n_rows else {
        let reason =
            "the number of rows is not known, and the covariance needs one reading".to_owned();
        let mut out = vec![candidate(Solver::Covariance, reason)];
        if let Keep::Count(k) = keep {
            let reason =
                format!("{k} components of rows that can be read once: sketches of them are kept");
            let mut sketch = candidate(Solver::Sketch, reason);
            // Approximate: only where the covariance does not fit.
            sketch.cost.seconds += out[0].cost.seconds;
            out.push(sketch);
        }
        return out;
    };
    let size = format!("{} × {}", grouped(n as u64), grouped(d as u64));
    if cost(Solver::Full, shape, Keep::All).flops <= NEXT_TO_NOTHING && n.min(d) <= JACOBI_LIMIT {
        // Still with the leaner roads beside it, for a small memory budget.
        let reason = format!("at {size} the most accurate decomposition costs next to nothing");
        let mut full = candidate(Solver::Full, reason);
        full.cost.seconds = 0.0;
        let lean = candidate(
            Solver::Covariance,
            format!("one reading of {size} gives the covariance"),
        );
        return vec![full, lean];
    }
    let data = if shape.nnz.is_some() {
        "the sparse data"
    } else {
        "the data"
    };
    let mut out = vec![
        candidate(
            Solver::Covariance,
            format!("one reading of {size} gives the {d} × {d} covariance"),
        ),
        candidate(
            Solver::Dual,
            format!(
                "fewer rows than columns ({size}): the {n} × {n} Gram matrix has the same eigenvalues"
            ),
        ),
    ];
    if n >= d {
        out.pop();
    }
    if out.iter().any(|whole| whole.cost.seconds <= SHORT) {
        return out;
    }
    if let Keep::Count(k) = keep
        && 4 * k <= n.min(d)
    {
        if products_to_try(d, k) >= WORTHWHILE {
            out.push(candidate(
                Solver::Partial,
                format!(
                    "one reading of {size} gives the covariance, of which {k} components are needed"
                ),
            ));
        }
        if shape.passes == Passes::Many {
            let cheaper = format!("products with {data} are cheaper than the covariance");
            out.push(candidate(
                Solver::Randomized,
                format!("for {k} components of {size} a few {cheaper}"),
            ));
            out.push(candidate(
                Solver::Lanczos,
                format!("for {k} components of {size} {cheaper}"),
            ));
        }
    }
    out
}
