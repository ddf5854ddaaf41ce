//! What each solver costs: passes, bytes, operations, and seconds by the measured rates of [`super::work`].

use super::Keep;
use super::lines::are_few;
use super::plan::{Plan, Shape, Solver};
use super::work::{Work, eigen, outer, product, product_rate, rate, squares};

/// Forecast cost of a solver.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) passes: usize,
    pub(super) bytes: u64,
    pub(super) flops: f64,
    pub(super) seconds: f64,
}

impl Cost {
    pub(super) fn work(&self) -> Work {
        Work {
            flops: self.flops,
            seconds: self.seconds,
        }
    }

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

/// Forecast number of products with the data in an iteration.
const BLOCK_PRODUCTS: f64 = 10.0;
/// Forecast number of vectors that Lanczos multiplies: a constant, and a number per component.
const LANCZOS_VECTORS: (f64, f64) = (110.0, 9.0);
/// Number of vectors per product.
const LANCZOS_BLOCK: f64 = 12.0;

/// Number of vectors per product in a block iteration for k pairs.
fn block_of(k: f64) -> f64 {
    k + (k / 4.0).clamp(6.0, 16.0)
}

/// Number of block products with a d × d matrix to try before its leading pairs are computed without iterating. They take at most
/// three tenths of the time of that, so that trying costs little even if the spectrum is flat.
pub(super) fn products_to_try(d: usize, k: usize) -> usize {
    const TRIED: f64 = 0.3;
    let (d, k) = (d as f64, k as f64);
    let block = block_of(k);
    let step = 2.0 * d * d * block + 36.0 * d * block * block;
    (TRIED * eigen(d, k).seconds * rate::PRODUCTS / step) as usize
}

/// Reading speed, in bytes per second, of rows that are not in memory.
fn reading_rate(shape: Shape) -> f64 {
    match shape.by_column {
        true => rate::TURNING,
        false => rate::READING,
    }
}

/// Number of vectors per product in an iteration for k pairs.
pub(super) fn vectors_of_block(solver: Solver, k: usize) -> f64 {
    match solver {
        Solver::Lanczos => LANCZOS_BLOCK,
        _ => block_of(k as f64),
    }
}

/// Seconds to multiply a block by the data and by its transpose; `None` for solvers without such products.
pub(super) fn seconds_of_product(solver: Solver, shape: Shape, k: usize) -> Option<f64> {
    if !matches!(solver, Solver::Randomized | Solver::Lanczos) {
        return None;
    }
    let block = vectors_of_block(solver, k);
    let (n, d, k) = (shape.n_rows? as f64, shape.n_cols as f64, k as f64);
    let cells = shape.nnz.map_or(n * d, |nnz| nnz as f64);
    let basis = 8.0 * n.min(d) * (3.0 * k + 40.0);
    let reading = match shape.in_memory {
        true => 0.0,
        false => 8.0 * cells / reading_rate(shape),
    };
    Some(block * (4.0 * cells / product_rate(shape) + basis / rate::PRODUCTS) + reading)
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
    let squares = squares(shape);
    let product_rate = product_rate(shape);
    let block = block_of(k);
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
            // X and Xᵀ, and X once more to measure residuals.
            let work = outer(d, n) + eigen(n, k) + product(n, d, 3.0 * k);
            // Rows are used three times. Rows that are not in memory are first copied into a newly allocated matrix.
            let by_column = shape.by_column && are_few(keep, n as usize);
            let (copy, copies) = match shape.in_memory || by_column {
                true => (0.0, 50.0 * n * d),
                false => (n * d, 250.0 * n * d),
            };
            (
                1.0,
                copy + 2.0 * k * d + 12.0 * n * n,
                work.flops,
                work.seconds + copies / rate::BYTES,
            )
        }
        // One scatter per thread and one to merge, the eigenvectors and their copy.
        Solver::Covariance | Solver::Auto | Solver::None => {
            let pairs = eigen(d, k);
            (
                1.0,
                6.0 * d * d,
                squares.flops + pairs.flops + 2.0 * d * d * k,
                squares.seconds + pairs.seconds,
            )
        }
        Solver::Partial => {
            let basis = 6.0 * d * block * block * BLOCK_PRODUCTS;
            let iteration = BLOCK_PRODUCTS * (2.0 * d * d * block + basis);
            (
                1.0,
                4.0 * d * d + 14.0 * k * d,
                squares.flops + iteration,
                squares.seconds + iteration / rate::PRODUCTS,
            )
        }
        Solver::Qr => {
            let flops = 2.5 * n * d * d + 30.0 * d.powi(3);
            (1.0, 16.0 * d * d, flops, flops / rate::TRIANGLE)
        }
        Solver::Randomized => {
            let basis = BLOCK_PRODUCTS * 6.0 * small * block * block * BLOCK_PRODUCTS;
            let products = BLOCK_PRODUCTS * 4.0 * cells * block;
            (
                BLOCK_PRODUCTS + 1.0,
                14.0 * (k + 10.0) * d,
                products + basis,
                products / product_rate + basis / rate::PRODUCTS,
            )
        }
        Solver::Lanczos => {
            let vectors = LANCZOS_VECTORS.0 + LANCZOS_VECTORS.1 * k;
            let basis = vectors * 8.0 * small * (3.0 * k + 40.0);
            let products = vectors * 4.0 * cells;
            (
                vectors / LANCZOS_BLOCK + 1.0,
                2.0 * (3.0 * k + 52.0) * d,
                products + basis,
                // The basis is dense even if the data are sparse.
                products / product_rate + basis / rate::PRODUCTS,
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
            let flops = squares.flops + 2.0 * d * d * k * 200.0;
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
