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
    // Columns do not limit the components in feature space.
    keep.check_shape(n, usize::MAX)?;
    let work = Work::of(n, d, keep);
    let allowed = ctx.memory().unwrap_or(UNASKED);
    let fits = |bytes: f64| bytes <= allowed as f64;
    let whole = 4.0 * work.matrix + work.beside;
    let solver = chosen(solver, n, keep, (sure, fits(whole)))?;
    let stored = solver == Solver::Full || fits(work.matrix + work.beside);
    let size = format!("{0} × {0}", grouped(n as u64));
    let (bytes, flops, reason) = match (solver, stored) {
        (Solver::Full, _) => (
            whole,
            work.tiles + 9.0 * (n as f64).powi(3),
            format!("all eigenpairs of the {size} kernel matrix"),
        ),
        (_, true) => (
            work.matrix + work.beside,
            work.tiles + work.products,
            format!("leading eigenpairs of the {size} kernel matrix by products with it"),
        ),
        (_, false) => (
            work.beside,
            work.products + PRODUCTS * 2.0 * work.tiles,
            format!(
                "the {size} kernel matrix would need {}: its tiles are computed anew for every product",
                bytes_words(work.matrix as u64)
            ),
        ),
    };
    if !fits(bytes) {
        let what = match solver {
            Solver::Full => format!(
                "finding all eigenpairs of the {size} kernel matrix (a count of components needs less)"
            ),
            _ => format!("a basis for the eigenvectors of {} rows", grouped(n as u64)),
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

/// Bytes and operations of the parts of the work.
struct Work {
    /// Bytes of the matrix.
    matrix: f64,
    /// Bytes of basis and images, and of the rows with their distances' origin taken out.
    beside: f64,
    /// Operations to fill the matrix once.
    tiles: f64,
    /// Operations of the products that an iteration is forecast to take.
    products: f64,
}

impl Work {
    fn of(n: usize, d: usize, keep: Keep) -> Work {
        let k = match keep {
            Keep::Count(k) => k,
            _ => n.min(64),
        };
        let (rows, cols, k) = (n as f64, d as f64, k as f64);
        Work {
            matrix: 8.0 * rows * rows,
            beside: 8.0 * rows * (2.0 * (6.0 * k + 60.0) + 2.0 * cols),
            tiles: rows * rows * cols,
            products: PRODUCTS * 2.0 * rows * rows * (1.25 * k + 6.0),
        }
    }
}

/// All eigenpairs where that is cheap, or the only way to know what was asked for; the leading ones where all do not fit.
fn chosen(
    solver: Solver,
    n: usize,
    keep: Keep,
    (sure, fits): (bool, bool),
) -> Result<Solver, Error> {
    match solver {
        Solver::Auto => {
            let all = match keep {
                Keep::Count(k) => 8 * k > n || n <= if sure { SMALL } else { MIDDLING },
                Keep::Share(_) => n <= MIDDLING,
                Keep::All | Keep::Auto => true,
            };
            let some =
                matches!(keep, Keep::Share(_)) || matches!(keep, Keep::Count(k) if 8 * k <= n);
            Ok(if all && (fits || !some) {
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
