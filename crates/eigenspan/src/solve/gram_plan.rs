//! What `auto` means where a kernel matrix is decomposed: `plan` for matrices of n × n that come from a kernel.
//!
//! All eigenpairs cost about 9·n³ and four matrices of memory; the leading k about n²·k for each of a few products, with
//! one matrix or, computed anew for every product, with none.

use super::plan::UNASKED;
use super::{Keep, Plan, Solver};
use crate::context::Context;
use crate::error::{Error, bytes_words, grouped};

/// Rows up to which all eigenpairs cost next to nothing.
const SMALL: usize = 512;
/// … and up to which they are taken all the same where some may be negative, or it is not known how many are needed.
const MIDDLING: usize = 4096;
/// Products that an iteration is forecast to take.
const PRODUCTS: f64 = 8.0;

/// The road to the eigenpairs of the kernel matrix of n rows with d columns, and whether that matrix is written out.
/// `sure`: none of its eigenvalues can be negative.
pub(crate) fn plan_gram(
    ctx: &Context,
    (n, d): (usize, usize),
    solver: Solver,
    keep: Keep,
    sure: bool,
) -> Result<(Plan, bool), Error> {
    keep.check()?;
    if n < 2 {
        return Err(Error::TooFewRows { rows: n, needed: 2 });
    }
    keep.check_shape(n, n)?;
    let solver = chosen(solver, n, keep, sure)?;
    let count = match keep {
        Keep::Count(k) => k,
        _ => n.min(64),
    };
    let (rows, cols, k) = (n as f64, d as f64, count as f64);
    let matrix = 8.0 * rows * rows;
    // Basis and images, and the rows with their distances' origin taken out.
    let beside = 8.0 * rows * (2.0 * (6.0 * k + 60.0) + 2.0 * cols);
    let allowed = ctx.memory().unwrap_or(UNASKED);
    let stored = solver == Solver::Full || matrix + beside <= allowed as f64;
    let size = format!("{0} × {0}", grouped(n as u64));
    let tiles = rows * rows * cols;
    let products = PRODUCTS * 2.0 * rows * rows * (1.25 * k + 6.0);
    let (bytes, flops, reason) = match (solver, stored) {
        (Solver::Full, _) => (
            4.0 * matrix + beside,
            tiles + 9.0 * rows.powi(3),
            format!("all eigenpairs of the {size} kernel matrix"),
        ),
        (_, true) => (
            matrix + beside,
            tiles + products,
            format!("leading eigenpairs of the {size} kernel matrix by products with it"),
        ),
        (_, false) => (
            beside,
            products + PRODUCTS * 2.0 * tiles,
            format!(
                "the {size} kernel matrix would need {}: its tiles are computed anew for every product",
                bytes_words(matrix as u64)
            ),
        ),
    };
    if bytes > allowed as f64 {
        let what = match solver {
            Solver::Full => format!(
                "finding all eigenpairs of the {size} kernel matrix (a count of components needs less)"
            ),
            _ => format!("a basis for {k} eigenvectors of {} rows", grouped(n as u64)),
        };
        return Err(Error::Memory {
            what,
            needed: bytes as u64,
            allowed,
        });
    }
    let plan = Plan {
        solver,
        reason,
        passes: 1,
        bytes: bytes as u64,
        flops,
    };
    Ok((plan, stored))
}

fn chosen(solver: Solver, n: usize, keep: Keep, sure: bool) -> Result<Solver, Error> {
    match solver {
        Solver::Auto => {
            let all = match keep {
                Keep::Count(k) => 8 * k > n || n <= if sure { SMALL } else { MIDDLING },
                Keep::Share(_) => n <= MIDDLING,
                Keep::All | Keep::Auto => true,
            };
            Ok(if all {
                Solver::Full
            } else {
                Solver::Randomized
            })
        }
        Solver::Full | Solver::Lanczos | Solver::Randomized => Ok(solver),
        other => Err(Error::UnknownValue {
            option: "solver",
            given: other.name().to_owned(),
            allowed: "auto, full, lanczos or randomized where a kernel matrix is decomposed",
        }),
    }
}
