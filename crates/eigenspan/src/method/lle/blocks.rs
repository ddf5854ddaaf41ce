//! The block B_i that each neighborhood adds to M, and their sum.

use super::modified::Modified;
use super::weights::{barycentric, differences, mean};
use super::{HessianWeights, LleOptions, Variant};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{gram_of_rows, orthonormalize_rows, symmetric_eigen};
use crate::mat::Mat;
use crate::parallel;

/// Rows and columns of M, and what is added there.
pub(super) struct Block {
    pub(super) places: Vec<u32>,
    pub(super) cells: Mat<f64>,
}

/// Neighborhoods whose blocks are computed before they are added.
const TOGETHER: usize = 4096;

/// M for the neighbors of every row.
pub(super) fn cost(
    ctx: &Context,
    options: &LleOptions,
    rows: &Mat<f64>,
    neighbors: &[Vec<u32>],
) -> Result<Mat<f64>, Error> {
    let n = rows.n_rows();
    let modified = match options.variant {
        Variant::Modified => Some(Modified::new(ctx, options, rows, neighbors)?),
        _ => None,
    };
    let block = |i: usize| match (&modified, options.variant) {
        (Some(modified), _) => Ok(modified.block(i, &neighbors[i])),
        (_, Variant::Hessian) if options.hessian_weights == HessianWeights::Products => {
            hessian(options, rows, &neighbors[i])
        }
        // All weights orthogonal to the constant and the coordinates have the sum of squares I − GGᵀ.
        (_, Variant::Hessian | Variant::Ltsa) => tangent(options, rows, &neighbors[i]),
        _ => standard(options, rows, i, &neighbors[i]),
    };
    ctx.begin("neighborhoods", Some(n as u64));
    let mut m = Mat::zeros(n, n);
    for first in (0..n).step_by(TOGETHER) {
        let count = TOGETHER.min(n - first);
        let blocks = parallel::try_collect(count, |i| {
            ctx.check()?;
            block(first + i)
        })?;
        // Added in the order of the rows, so that the bits do not depend on threads.
        for block in &blocks {
            for (a, &i) in block.places.iter().enumerate() {
                let row = m.row_mut(i as usize);
                let cells = block.places.iter().zip(block.cells.row(a));
                cells.for_each(|(&j, x)| row[j as usize] += x);
            }
        }
        ctx.advance(count as u64);
    }
    Ok(m)
}

/// A row, and then its neighbors.
pub(super) fn with_own(i: usize, neighbors: &[u32]) -> Vec<u32> {
    [&[i as u32], neighbors].concat()
}

/// r·rᵀ with r = e_i − Σ w_j e_j.
fn standard(
    options: &LleOptions,
    rows: &Mat<f64>,
    i: usize,
    neighbors: &[u32],
) -> Result<Block, Error> {
    let weights = barycentric(
        &differences(rows, neighbors, rows.row(i)),
        options.regularization,
    )?;
    let r = |a: usize| match a {
        0 => 1.0,
        a => -weights[a - 1],
    };
    let size = neighbors.len() + 1;
    Ok(Block {
        places: with_own(i, neighbors),
        cells: Mat::from_fn(size, size, |a, b| r(a) * r(b)),
    })
}

/// The coordinates of neighbors along the leading directions of their neighborhood, of length 1 each (m × k).
fn leading_coordinates(
    options: &LleOptions,
    rows: &Mat<f64>,
    neighbors: &[u32],
) -> Result<Mat<f64>, Error> {
    let away = differences(rows, neighbors, &mean(rows, neighbors));
    let (_, vectors) = symmetric_eigen(&gram_of_rows(&away))?;
    Ok(vectors.top(options.n_components))
}

/// Σ w·wᵀ over weights w that see second derivatives alone: orthogonal to the constant and to the coordinates, within the span of these
/// and of the products of any two coordinates.
fn hessian(options: &LleOptions, rows: &Mat<f64>, neighbors: &[u32]) -> Result<Block, Error> {
    let (k, m) = (neighbors.len(), options.n_components);
    let u = leading_coordinates(options, rows, neighbors)?;
    let pairs: Vec<(usize, usize)> = (0..m).flat_map(|a| (a..m).map(move |b| (a, b))).collect();
    let mut span = Mat::from_fn(1 + m + pairs.len(), k, |row, j| match row {
        0 => 1.0,
        row if row <= m => u[(row - 1, j)],
        row => {
            let (a, b) = pairs[row - m - 1];
            u[(a, j)] * u[(b, j)]
        }
    });
    orthonormalize_rows(&mut span);
    let mut cells = Mat::zeros(k, k);
    for row in 1 + m..span.n_rows() {
        let sum: f64 = span.row(row).iter().sum();
        let by = match sum.abs() < options.hessian_tolerance {
            true => 1.0,
            false => sum,
        };
        let w: Vec<f64> = span.row(row).iter().map(|x| x / by).collect();
        for a in 0..k {
            let cells = cells.row_mut(a).iter_mut().zip(&w);
            cells.for_each(|(x, y)| *x += w[a] * y);
        }
    }
    Ok(Block {
        places: neighbors.to_vec(),
        cells,
    })
}

/// I − G·Gᵀ, with G the constant and the coordinates along the leading directions.
fn tangent(options: &LleOptions, rows: &Mat<f64>, neighbors: &[u32]) -> Result<Block, Error> {
    let k = neighbors.len();
    let u = leading_coordinates(options, rows, neighbors)?;
    let along = |a: usize, b: usize| -> f64 {
        let products = (0..u.n_rows()).map(|c| u[(c, a)] * u[(c, b)]);
        products.fold(1.0 / k as f64, |sum, x| sum + x)
    };
    Ok(Block {
        places: neighbors.to_vec(),
        cells: Mat::from_fn(k, k, |a, b| f64::from(a == b) - along(a, b)),
    })
}
