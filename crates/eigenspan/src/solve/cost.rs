//! What each solver costs: passes, bytes, operations, and seconds by measured rates.
//!
//! The rates are those of one machine; only their ratios matter for the choice.

use super::Keep;
use super::lines::are_few;
use super::plan::{Plan, Shape, Solver};

/// What a solver costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) passes: usize,
    pub(super) bytes: u64,
    pub(super) flops: f64,
    pub(super) seconds: f64,
}

impl Cost {
    pub(super) fn plan(&self, solver: Solver, reason: String) -> Plan {
        Plan {
            solver,
            reason,
            passes: self.passes,
            bytes: self.bytes,
            flops: self.flops,
        }
    }
}

/// Operations per second of each kind of work, two threads.
mod rate {
    /// Symmetric product of dense rows, counted as n·d².
    pub(super) const SQUARES: f64 = 6.5e10;
    /// Products of prepared rows with a block of vectors.
    pub(super) const PRODUCTS: f64 = 6.5e10;
    /// The same for few long rows, whose panels are gathered from far apart.
    pub(super) const LONG_ROWS: f64 = 3.6e10;
    /// The same for sparse rows.
    pub(super) const SPARSE: f64 = 6.5e9;
    /// A symmetric matrix made tridiagonal, counted as 4/3·d³.
    pub(super) const TRIDIAGONAL: f64 = 1.7e10;
    /// All eigenpairs of a tridiagonal matrix, counted as 3·d³.
    pub(super) const PAIRS: f64 = 3.5e10;
    /// Triangular factor of chunks, counted as 2·n·d².
    pub(super) const TRIANGLE: f64 = 2.0e10;
    /// Singular value decomposition of the data, counted as 6·n·d².
    pub(super) const SVD: f64 = 1.5e10;
    /// Reading rows that do not lie in memory as an array, in bytes of what comes out.
    pub(super) const READING: f64 = 2.0e9;
    /// The same for rows of what is stored column by column.
    pub(super) const TURNING: f64 = 1.0e9;
    /// Copying prepared rows, in bytes.
    pub(super) const BYTES: f64 = 1.6e10;
}

/// Products with the data that an iteration is forecast to take.
const BLOCK_PRODUCTS: f64 = 10.0;
/// Vectors that Lanczos is forecast to multiply: so many in any case, so many for each component, at a time.
const LANCZOS_VECTORS: (f64, f64) = (110.0, 9.0);
const LANCZOS_BLOCK: f64 = 12.0;

/// What the leading eigenpairs of a symmetric matrix cost, whatever the spectrum.
struct Eigen {
    flops: f64,
    seconds: f64,
}

impl Eigen {
    fn of(size: f64, k: f64) -> Self {
        let tridiagonal = 4.0 / 3.0 * size.powi(3);
        // Few pairs are found one by one, many all together.
        let pairs = if 8.0 * k <= size {
            400.0 * size * k
        } else {
            3.0 * size.powi(3)
        };
        let back = 2.0 * size * size * k.min(size);
        Eigen {
            flops: tridiagonal + pairs + back,
            seconds: tridiagonal / rate::TRIDIAGONAL + pairs / rate::PAIRS + back / rate::PRODUCTS,
        }
    }
}

/// Vectors that a block iteration for k pairs has at a time.
fn block_of(k: f64) -> f64 {
    k + (k / 4.0).clamp(6.0, 16.0)
}

/// Products of a block with a d × d matrix that may be tried before its leading pairs are found without iterating: they take no
/// more than three tenths of what that takes, so that trying costs little where the spectrum is flat.
pub(super) fn products_to_try(d: usize, k: usize) -> usize {
    const TRIED: f64 = 0.3;
    let (d, k) = (d as f64, k as f64);
    let block = block_of(k);
    let product = 2.0 * d * d * block + 36.0 * d * block * block;
    (TRIED * Eigen::of(d, k).seconds * rate::PRODUCTS / product) as usize
}

/// Operations per second of products with the data.
fn product_rate(shape: Shape) -> f64 {
    let wide = shape.n_rows.is_some_and(|n| n < shape.n_cols);
    match (shape.nnz.is_some(), wide) {
        (true, _) => rate::SPARSE,
        (false, true) if shape.in_memory => rate::LONG_ROWS,
        (false, true) => rate::LONG_ROWS / 2.0,
        (false, false) => rate::PRODUCTS,
    }
}

/// Bytes per second of rows that do not lie in memory.
fn reading_rate(shape: Shape) -> f64 {
    match shape.by_column {
        true => rate::TURNING,
        false => rate::READING,
    }
}

/// Seconds of one product of a block with the data and back; none for solvers that take no such products.
pub(super) fn seconds_of_product(solver: Solver, shape: Shape, k: usize) -> Option<f64> {
    let (n, d, k) = (shape.n_rows? as f64, shape.n_cols as f64, k as f64);
    let block = match solver {
        Solver::Randomized => block_of(k),
        Solver::Lanczos => LANCZOS_BLOCK,
        _ => return None,
    };
    let cells = shape.nnz.map_or(n * d, |nnz| nnz as f64);
    let basis = 8.0 * n.min(d) * (3.0 * k + 40.0);
    let reading = match shape.in_memory {
        true => 0.0,
        false => 8.0 * cells / reading_rate(shape),
    };
    Some(block * (4.0 * cells + basis) / product_rate(shape) + reading)
}

/// The cost of one solver on data of one shape.
pub(super) fn cost(solver: Solver, shape: Shape, keep: Keep) -> Cost {
    let d = shape.n_cols as f64;
    let n = shape.n_rows.unwrap_or(shape.n_cols) as f64;
    let small = n.min(d);
    let k = match keep {
        Keep::Count(k) => k as f64,
        _ => small,
    };
    let cells = shape.nnz.map_or(n * d, |nnz| nnz as f64);
    let sparse = shape.nnz.is_some();
    // Squares of sparse rows touch only pairs of their own cells, one by one.
    let (squares, square_rate) = if sparse {
        (cells * cells / n, rate::SPARSE / 4.0)
    } else {
        (n * d * d, rate::SQUARES)
    };
    let product_rate = product_rate(shape);
    let block = block_of(k);
    let eigen = |size: f64| Eigen::of(size, k);
    let (passes, doubles, flops, seconds) = match solver {
        Solver::Full => {
            let flops = 6.0 * n.max(d) * small * small + 30.0 * small.powi(3);
            (
                1.0,
                2.0 * n * d + 3.0 * small * small,
                flops,
                flops / rate::SVD + 24.0 * n * d / rate::BYTES,
            )
        }
        Solver::Dual => {
            // There and back, and once more to measure residuals.
            let (gram, vectors, pairs) = (n * n * d, 6.0 * n * d * k, eigen(n));
            let seconds = gram / rate::SQUARES + pairs.seconds + vectors / rate::PRODUCTS;
            // Rows are met three times. Those that do not lie in memory are copied first, into a matrix that the system has to
            // find room for.
            let by_column = shape.by_column && are_few(keep, n as usize);
            let (copy, copies) = match shape.in_memory || by_column {
                true => (0.0, 50.0 * n * d),
                false => (n * d, 250.0 * n * d),
            };
            (
                1.0,
                copy + 2.0 * k * d + 12.0 * n * n,
                gram + pairs.flops + vectors,
                seconds + copies / rate::BYTES,
            )
        }
        // One running scatter per thread and one that waits, the eigenvectors and their copy.
        Solver::Covariance | Solver::Auto => {
            let pairs = eigen(d);
            (
                1.0,
                6.0 * d * d,
                squares + pairs.flops + 2.0 * d * d * k,
                squares / square_rate + pairs.seconds,
            )
        }
        Solver::Partial => {
            let basis = 6.0 * d * block * block * BLOCK_PRODUCTS;
            let iteration = BLOCK_PRODUCTS * (2.0 * d * d * block + basis);
            (
                1.0,
                4.0 * d * d + 14.0 * k * d,
                squares + iteration,
                squares / square_rate + iteration / rate::PRODUCTS,
            )
        }
        Solver::Qr => {
            let flops = 2.5 * n * d * d + 30.0 * d.powi(3);
            (1.0, 16.0 * d * d, flops, flops / rate::TRIANGLE)
        }
        Solver::Randomized => {
            let basis = 6.0 * small * block * block * BLOCK_PRODUCTS;
            let flops = BLOCK_PRODUCTS * (4.0 * cells * block + basis);
            (
                BLOCK_PRODUCTS + 1.0,
                14.0 * (k + 10.0) * d,
                flops,
                flops / product_rate,
            )
        }
        Solver::Lanczos => {
            let vectors = LANCZOS_VECTORS.0 + LANCZOS_VECTORS.1 * k;
            let flops = vectors * (4.0 * cells + 8.0 * small * (3.0 * k + 40.0));
            (
                vectors / LANCZOS_BLOCK + 1.0,
                2.0 * (3.0 * k + 52.0) * d,
                flops,
                flops / product_rate,
            )
        }
        Solver::Sketch => {
            let sizes = 4.0 * (4.0 * k + 1.0) + 17.0;
            let flops = 2.0 * n * d * sizes;
            (
                1.0,
                4.0 * d * sizes + n * (4.0 * k + 1.0),
                flops,
                flops / rate::PRODUCTS,
            )
        }
        Solver::Power => {
            let flops = squares + 2.0 * d * d * k * 200.0;
            (1.0, 6.0 * d * d, flops, flops / rate::PAIRS)
        }
    };
    let reading = if shape.in_memory {
        0.0
    } else {
        passes * 8.0 * cells / reading_rate(shape)
    };
    Cost {
        passes: passes as usize,
        bytes: (doubles * 8.0) as u64,
        flops,
        seconds: seconds + reading,
    }
}
