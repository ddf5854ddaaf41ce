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

/// The solver that computes the eigenpairs.
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
    /// No solver, in the plan of a method that decomposes nothing; it cannot be asked for
    #[cfg_attr(feature = "clap", value(skip))]
    #[schemars(skip)]
    None,
}

impl Solver {
    /// All solvers that can be asked for, `auto` first.
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
            Solver::None => "none",
        }
    }

    /// Whether it squares the data, and so cannot resolve components with a tiny share of the variance.
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
            .ok_or_else(|| unknown(text))
    }
}

/// The error for a solver that cannot be asked for.
fn unknown(given: &str) -> Error {
    Error::UnknownValue {
        option: "solver",
        given: given.to_owned(),
        allowed: "auto, covariance, partial, dual, qr, full, lanczos, randomized, sketch or power",
    }
}

/// Facts about the data that are known before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Number of rows, if known.
    pub n_rows: Option<usize>,
    /// Number of columns.
    pub n_cols: usize,
    /// Number of nonzero cells, for sparse data.
    pub nnz: Option<u64>,
    /// How often it can be read.
    pub passes: Passes,
    /// Whether it is an array in memory, so that reading it costs almost nothing.
    pub in_memory: bool,
    /// Whether it is stored column by column, so that reading it by rows is slow.
    pub by_column: bool,
}

impl Shape {
    /// The facts that a source gives before its rows are read.
    pub(crate) fn from_source<T: Real>(source: &dyn Source<T>) -> Self {
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

/// The solver that runs, its cost, and why it was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The solver that runs.
    pub solver: Solver,
    /// Why this solver, in a sentence.
    pub reason: String,
    /// Readings of the data; for iterative solvers a forecast.
    pub passes: usize,
    /// Bytes of working memory, not counting the data itself.
    pub bytes: u64,
    /// Floating-point operations; for iterative solvers a forecast.
    pub flops: f64,
}

/// Below this number of operations the most accurate solver costs almost nothing.
const NEXT_TO_NOTHING: f64 = 4e7;

/// Smallest number of affordable products with the covariance for an iteration on it to be worth listing as a solver: most
/// spectra need fewer.
const WORTHWHILE: usize = 30;

/// An iteration must be forecast to take this many times less than a solver without iterations: the forecast guesses the
/// spectrum, and the time of an iteration that is given up is lost.
const RISK: f64 = 1.3;

/// Chooses a solver, or computes the cost of the requested one; refuses a solver that cannot run.
pub fn plan(ctx: &Context, shape: Shape, solver: Solver, keep: Keep) -> Result<Plan, Error> {
    keep.check()?;
    if solver == Solver::None {
        return Err(unknown(solver.name()));
    }
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
        return requested(ctx, shape, solver, keep);
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
                format!("even solver {}, which takes the least memory,", c.solver)
            });
            Err(Error::Memory {
                what,
                needed,
                allowed: ctx.allowed(),
            })
        }
    }
}

/// The cheapest plan for the leading pairs in one of many fits of the same shape, which need not be the most accurate: by the
/// covariance, or by the Gram matrix if there are fewer rows than columns.
pub(crate) fn plan_one_of_many(shape: Shape, k: usize) -> Plan {
    let (keep, d) = (Keep::Count(k), shape.n_cols);
    let few_rows = shape.n_rows.is_some_and(|n| n < d);
    let solvers = match (few_rows, 4 * k <= d) {
        (true, _) => &[Solver::Dual][..],
        (false, true) => &[Solver::Covariance, Solver::Partial],
        (false, false) => &[Solver::Covariance],
    };
    let costs = solvers.iter().map(|&s| (s, cost(s, shape, keep)));
    let best = costs.min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
    let (solver, cost) =
        best.unwrap_or((Solver::Covariance, cost(Solver::Covariance, shape, keep)));
    cost.plan(solver, "one of many fits of the same shape".to_owned())
}

/// The plan of the solver that was requested by name.
fn requested(ctx: &Context, shape: Shape, solver: Solver, keep: Keep) -> Result<Plan, Error> {
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

/// A solver that could run, with its cost and the reason to choose it.
struct Candidate {
    solver: Solver,
    cost: Cost,
    reason: String,
}

impl Candidate {
    /// Seconds by which candidates are compared.
    fn expected(&self) -> f64 {
        match self.solver {
            Solver::Partial | Solver::Randomized | Solver::Lanczos => RISK * self.cost.seconds,
            _ => self.cost.seconds,
        }
    }
}

/// The solvers that could run on data of this shape.
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
            // Approximate: chosen only if the covariance does not fit the memory.
            sketch.cost.seconds += out[0].cost.seconds;
            out.push(sketch);
        }
        return out;
    };
    let size = format!("{} × {}", grouped(n as u64), grouped(d as u64));
    if cost(Solver::Full, shape, Keep::All).flops <= NEXT_TO_NOTHING && n.min(d) <= JACOBI_LIMIT {
        // The covariance is listed too: it needs less memory.
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
