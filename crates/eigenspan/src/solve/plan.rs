//! The one place that decides what `auto` means, with its cost and its reason in words.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Keep;
use super::full::JACOBI_LIMIT;
use crate::context::Context;
use crate::error::{Error, grouped};
use crate::source::Passes;

/// Which road to the eigenpairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    /// The cheapest that is accurate enough; `plan` says which and why
    #[default]
    Auto,
    /// Eigenpairs of the d × d covariance, one reading: for many rows
    Covariance,
    /// Eigenpairs of the n × n Gram matrix: for fewer rows than columns
    Dual,
    /// Singular value decomposition of the data itself: the most accurate
    Full,
    /// Triangular factor, one reading: for many rows, as accurate as full
    Qr,
    /// Power iteration with deflation, as lectures write it
    Power,
}

impl Solver {
    /// Its name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::Covariance => "covariance",
            Solver::Dual => "dual",
            Solver::Full => "full",
            Solver::Qr => "qr",
            Solver::Power => "power",
        }
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
        [
            Solver::Auto,
            Solver::Covariance,
            Solver::Dual,
            Solver::Full,
            Solver::Power,
        ]
        .into_iter()
        .find(|solver| solver.name() == text)
        .ok_or_else(|| Error::UnknownValue {
            option: "solver",
            given: text.to_owned(),
            allowed: "auto, covariance, dual, full or power",
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
    /// How often it can be read.
    pub passes: Passes,
}

/// What would run, what it costs, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The solver that runs.
    pub solver: Solver,
    /// Why this one, in a sentence.
    pub reason: String,
    /// Readings of the data.
    pub passes: usize,
    /// Bytes of working memory, beside the data as it lies.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: f64,
}

/// Below so many operations the most accurate road costs next to nothing.
const NEXT_TO_NOTHING: f64 = 4e7;

/// Chooses a solver, or costs the one asked for; refuses what cannot run.
pub fn plan(ctx: &Context, shape: Shape, solver: Solver, keep: Keep) -> Result<Plan, Error> {
    keep.check()?;
    let Shape {
        n_rows,
        n_cols: d,
        passes,
    } = shape;
    if d == 0 {
        return Err(Error::NoColumns);
    }
    if let Some(n) = n_rows {
        if n < 2 {
            return Err(Error::TooFewRows { rows: n, needed: 2 });
        }
        keep.check_shape(n, d)?;
    }
    let (chosen, reason) = match solver {
        Solver::Auto => choose(n_rows, d),
        asked => (asked, format!("{asked} was asked for")),
    };
    let (bytes, flops) = cost(chosen, n_rows, d, keep);
    let plan = Plan {
        solver: chosen,
        reason,
        passes: 1,
        bytes,
        flops,
    };
    if let Some(allowed) = ctx.memory().filter(|&allowed| plan.bytes > allowed) {
        // The covariance road needs no copy of the data: take it where the choice was ours.
        let (bytes, flops) = cost(Solver::Covariance, n_rows, d, keep);
        if solver == Solver::Auto && bytes <= allowed {
            let reason = format!("{chosen} would need more memory than allowed");
            return Ok(Plan {
                solver: Solver::Covariance,
                reason,
                passes: 1,
                bytes,
                flops,
            });
        }
        return Err(Error::Memory {
            what: format!("solver {chosen}"),
            needed: plan.bytes,
            allowed,
        });
    }
    // Reading once is enough for every solver here; later passes only look for the cause of an error.
    let _ = passes;
    Ok(plan)
}

/// What `auto` means.
fn choose(n_rows: Option<usize>, d: usize) -> (Solver, String) {
    let Some(n) = n_rows else {
        return (
            Solver::Covariance,
            "the number of rows is not known, and the covariance needs one reading".to_owned(),
        );
    };
    let size = format!("{} × {}", grouped(n as u64), grouped(d as u64));
    let (_, flops) = cost(Solver::Full, n_rows, d, Keep::All);
    if flops <= NEXT_TO_NOTHING && n.min(d) <= JACOBI_LIMIT {
        (
            Solver::Full,
            format!("at {size} the most accurate decomposition costs next to nothing"),
        )
    } else if n < d {
        (
            Solver::Dual,
            format!(
                "fewer rows than columns ({size}): the {n} × {n} Gram matrix has the same eigenvalues"
            ),
        )
    } else {
        (
            Solver::Covariance,
            format!("more rows than columns ({size}): one reading gives the {d} × {d} covariance"),
        )
    }
}

/// Bytes of working memory and floating-point operations.
fn cost(solver: Solver, n_rows: Option<usize>, d: usize, keep: Keep) -> (u64, f64) {
    let n = n_rows.unwrap_or(d) as f64;
    let d = d as f64;
    let small = n.min(d);
    let k = match keep {
        Keep::Count(k) => k as f64,
        _ => small,
    };
    let (doubles, flops) = match solver {
        // The matrix, its transpose, R and V; QR, ten sweeps of rotations, residuals.
        Solver::Full => (
            2.0 * n * d + 3.0 * small * small,
            6.0 * n.max(d) * small * small + 30.0 * small.powi(3),
        ),
        Solver::Dual => (
            n * d + k * d + 3.0 * n * n,
            2.0 * n * n * d + 9.0 * n.powi(3) + 6.0 * n * d * k,
        ),
        // One running scatter per thread and one that waits, the eigenvectors and their copy.
        Solver::Covariance | Solver::Auto => {
            (6.0 * d * d, n * d * d + 9.0 * d.powi(3) + 2.0 * d * d * k)
        }
        Solver::Qr => (16.0 * d * d, 2.5 * n * d * d + 30.0 * d.powi(3)),
        Solver::Power => (6.0 * d * d, n * d * d + 2.0 * d * d * k * 200.0),
    };
    ((doubles * 8.0) as u64, flops)
}
