//! What each kind of work takes: operations, and seconds by measured rates.
//!
//! The one home of these formulas: [`super::cost`] adds them up to forecast a solver, and solvers add up those of what they did
//! ([`Work::count`]), so that a forecast can be held against what happened without a clock. Of two kinds of work with as many
//! operations one may take several times as long; [`Work::as_products`] makes them comparable.
//!
//! The rates are those of one machine; only their ratios matter for the choice.

use std::ops::{Add, Mul};

use super::plan::Shape;
use crate::context::Context;

/// Operations per second of each kind of work, two threads.
pub(super) mod rate {
    /// Symmetric product of dense rows, counted as n·d².
    pub(in crate::solve) const SQUARES: f64 = 6.5e10;
    /// Products of prepared rows with a block of vectors.
    pub(in crate::solve) const PRODUCTS: f64 = 6.5e10;
    /// The same for few long rows, whose panels are gathered from far apart.
    pub(in crate::solve) const LONG_ROWS: f64 = 3.6e10;
    /// The same for sparse rows.
    pub(in crate::solve) const SPARSE: f64 = 6.5e9;
    /// A symmetric matrix made tridiagonal, counted as 4/3·d³.
    pub(in crate::solve) const TRIDIAGONAL: f64 = 1.7e10;
    /// All eigenpairs of a tridiagonal matrix, counted as 3·d³.
    pub(in crate::solve) const PAIRS: f64 = 3.5e10;
    /// Triangular factor of chunks, counted as 2·n·d².
    pub(in crate::solve) const TRIANGLE: f64 = 2.0e10;
    /// Singular value decomposition of the data, counted as 6·n·d².
    pub(in crate::solve) const SVD: f64 = 1.5e10;
    /// Reading rows that do not lie in memory as an array, in bytes of what comes out.
    pub(in crate::solve) const READING: f64 = 2.0e9;
    /// The same for rows of what is stored column by column.
    pub(in crate::solve) const TURNING: f64 = 1.0e9;
    /// Copying prepared rows, in bytes.
    pub(in crate::solve) const BYTES: f64 = 1.6e10;
}

/// Some work, done or forecast.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Work {
    /// Floating-point operations.
    pub(super) flops: f64,
    /// Seconds by the rates.
    pub(super) seconds: f64,
}

impl Work {
    /// So many operations of a kind that has this rate.
    pub(super) fn at(flops: f64, rate: f64) -> Self {
        Work {
            flops,
            seconds: flops / rate,
        }
    }

    /// Operations of a plain product that would take as long.
    fn as_products(self) -> f64 {
        self.seconds * rate::PRODUCTS
    }

    /// Tells the context that this was done.
    pub(super) fn count(self, ctx: &Context) {
        ctx.count_work(self.as_products() as u64);
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work {
            flops: self.flops + other.flops,
            seconds: self.seconds + other.seconds,
        }
    }
}

impl Mul<f64> for Work {
    type Output = Work;

    fn mul(self, times: f64) -> Work {
        Work {
            flops: self.flops * times,
            seconds: self.seconds * times,
        }
    }
}

/// The scatter matrix of data of this shape.
pub(super) fn squares(shape: Shape) -> Work {
    let d = shape.n_cols as f64;
    let n = shape.n_rows.unwrap_or(shape.n_cols) as f64;
    match shape.nnz {
        // Squares of sparse rows touch only pairs of their own cells, one by one.
        Some(nnz) => Work::at((nnz as f64).powi(2) / n, rate::SPARSE / 4.0),
        None => outer(n, d),
    }
}

/// The symmetric product of `n` rows or columns, each of which has `size` cells to multiply with each other.
pub(super) fn outer(n: f64, size: f64) -> Work {
    Work::at(n * size * size, rate::SQUARES)
}

/// The `k` leading eigenpairs of a symmetric matrix, whatever its spectrum.
pub(super) fn eigen(size: f64, k: f64) -> Work {
    let tridiagonal = Work::at(4.0 / 3.0 * size.powi(3), rate::TRIDIAGONAL);
    // Few pairs are found one by one, many all together.
    let pairs = if 8.0 * k <= size {
        400.0 * size * k
    } else {
        3.0 * size.powi(3)
    };
    tridiagonal + Work::at(pairs, rate::PAIRS) + product(size, size, k.min(size))
}

/// A plain product of an `n` × `d` matrix with `k` vectors.
pub(super) fn product(n: f64, d: f64, k: f64) -> Work {
    Work::at(2.0 * n * d * k, rate::PRODUCTS)
}

/// One product of `k` vectors with data of this shape, and back.
pub(super) fn there_and_back(shape: Shape, k: f64) -> Work {
    let n = shape.n_rows.unwrap_or(shape.n_cols) as f64;
    let cells = shape.nnz.map_or(n * shape.n_cols as f64, |nnz| nnz as f64);
    Work::at(4.0 * cells * k, product_rate(shape))
}

/// One block of `block` vectors of length `size` made orthonormal to a basis of `basis` vectors, twice, and joined to it.
pub(super) fn growth(size: f64, basis: f64, block: f64) -> Work {
    // Twice the part in the basis is found and taken out, then what products made of the block is compared with the basis;
    // three times the block is made orthonormal in itself.
    product(size, basis, 5.0 * block) + product(size, block, 7.0 * block)
}

/// Operations per second of products with the data.
pub(super) fn product_rate(shape: Shape) -> f64 {
    let wide = shape.n_rows.is_some_and(|n| n < shape.n_cols);
    match (shape.nnz.is_some(), wide) {
        (true, _) => rate::SPARSE,
        (false, true) if shape.in_memory => rate::LONG_ROWS,
        (false, true) => rate::LONG_ROWS / 2.0,
        (false, false) => rate::PRODUCTS,
    }
}
