//! The cost of each kind of work: operations, and seconds by measured rates.
//!
//! The one home of these formulas: [`super::cost`] adds them up to forecast a solver, and solvers count the work they did by them
//! ([`Work::count`]), so that a forecast can be compared with the work done without a clock. With the same number of operations,
//! one kind of work may take several times as long as another; [`Work::as_products`] makes them comparable.
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
    /// The same for few long rows, whose panels are gathered from distant memory.
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
    /// Reading rows that are not an array in memory, in bytes of the numbers read.
    pub(in crate::solve) const READING: f64 = 2.0e9;
    /// The same for tables stored column by column.
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
    /// This number of operations, at this rate.
    pub(super) fn at(flops: f64, rate: f64) -> Self {
        Work {
            flops,
            seconds: flops / rate,
        }
    }

    /// The number of operations of a plain product that takes as long.
    fn as_products(self) -> f64 {
        self.seconds * rate::PRODUCTS
    }

    /// Adds this work to the count in the context.
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

/// Work of the scatter matrix of data of this shape.
pub(super) fn squares(shape: Shape) -> Work {
    let d = shape.n_cols as f64;
    let n = shape.n_rows.unwrap_or(shape.n_cols) as f64;
    match shape.nnz {
        // The products of sparse rows touch only pairs of nonzero cells of a row, one by one.
        Some(nnz) => Work::at((nnz as f64).powi(2) / n, rate::SPARSE / 4.0),
        None => outer(n, d),
    }
}

/// The symmetric product of `n` rows or columns, each of which has `size` cells to multiply with each other.
pub(super) fn outer(n: f64, size: f64) -> Work {
    Work::at(n * size * size, rate::SQUARES)
}

/// Work of the `k` leading eigenpairs of a symmetric matrix without iterations: it does not depend on the spectrum.
pub(super) fn eigen(size: f64, k: f64) -> Work {
    let tridiagonal = Work::at(4.0 / 3.0 * size.powi(3), rate::TRIDIAGONAL);
    // Few pairs are computed one by one, many all together.
    let pairs = if 8.0 * k <= size {
        400.0 * size * k
    } else {
        3.0 * size.powi(3)
    };
    tridiagonal + Work::at(pairs, rate::PAIRS) + product(size, size, k.min(size))
}

/// Work of a plain product of an `n` × `d` matrix with `k` vectors.
pub(super) fn product(n: f64, d: f64, k: f64) -> Work {
    Work::at(2.0 * n * d * k, rate::PRODUCTS)
}

/// Work of one product of `k` vectors with data of this shape, and one with its transpose.
pub(super) fn there_and_back(shape: Shape, k: f64) -> Work {
    let n = shape.n_rows.unwrap_or(shape.n_cols) as f64;
    let cells = shape.nnz.map_or(n * shape.n_cols as f64, |nnz| nnz as f64);
    Work::at(4.0 * cells * k, product_rate(shape))
}

/// Work of making `block` vectors of length `size` orthonormal to a basis of `basis` vectors, twice, and adding them to it.
pub(super) fn growth(size: f64, basis: f64, block: f64) -> Work {
    // The projection onto the basis is computed and subtracted twice, then inner products of images and basis are computed; the
    // block is orthonormalized three times.
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
