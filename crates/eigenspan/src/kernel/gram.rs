//! The kernel matrix of points with themselves, stored or computed again for every product, and its centering.
//!
//! Centered in feature space it is K̄ = CKC with C = I − 11ᵀ/n (Schölkopf, Smola & Müller 1998,
//! doi:10.1162/089976698300017467, appendix A). C only subtracts column means, so K̄ is never stored: K̄B subtracts the column
//! means from B, multiplies by K, and subtracts the column means again.
//!
//! Tiles have a fixed size, each is computed by one thread, and tiles of the upper half are mirrored or not stored. Cost n²d
//! and 8n² bytes, half of that where only the lower half is stored, a quarter in f32; or n²d for every product and next to no
//! memory.

use super::lower::{Lower, RecomputedTiles};
use super::tile::Tile;
use super::{Points, ResolvedKernel};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    Columns, LinearMap, LowerTiles, SIDE, add_times, dot, mirror_lower, symmetric_times, times,
};
use crate::mat::{Mat, MatView};
use crate::parallel;

/// A kernel matrix, stored or recomputed.
#[derive(Debug)]
pub enum Gram<'a> {
    /// Stored whole.
    Stored(Mat<f64>),
    /// Its lower half stored: half the memory, and half the memory traffic of a product.
    Half(Lower<f64>),
    /// The same in f32: a quarter of the memory.
    Single(Lower<f32>),
    /// Computed again for every product.
    Recomputed {
        /// Threads and cancellation.
        ctx: &'a Context,
        /// The kernel.
        kernel: &'a ResolvedKernel,
        /// Its rows and columns.
        points: &'a Points,
    },
}

impl<'a> Gram<'a> {
    /// Stored, computed by tiles.
    pub fn stored(
        ctx: &Context,
        kernel: &ResolvedKernel,
        points: &Points,
    ) -> Result<Gram<'static>, Error> {
        if kernel.kernel().is_precomputed() {
            return Ok(Gram::Stored(points.rows().clone()));
        }
        ctx.begin("kernel matrix", Some(points.len() as u64));
        let matrix = every_two(ctx, points, |tile, cells| {
            kernel.fill(tile, cells);
            // A run of rows ends on the diagonal.
            if tile.cols.end == tile.rows.end {
                ctx.advance(tile.rows.len() as u64);
            }
        })?;
        Ok(Gram::Stored(matrix))
    }

    /// Its lower half, stored.
    pub fn half(
        ctx: &Context,
        kernel: &ResolvedKernel,
        points: &Points,
    ) -> Result<Gram<'static>, Error> {
        Lower::new(ctx, kernel, points).map(Gram::Half)
    }

    /// Its lower half, stored in f32.
    pub fn single(
        ctx: &Context,
        kernel: &ResolvedKernel,
        points: &Points,
    ) -> Result<Gram<'static>, Error> {
        Lower::new(ctx, kernel, points).map(Gram::Single)
    }

    /// Never stored.
    pub fn recomputed(
        ctx: &'a Context,
        kernel: &'a ResolvedKernel,
        points: &'a Points,
    ) -> Gram<'a> {
        Gram::Recomputed {
            ctx,
            kernel,
            points,
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        match self {
            Gram::Stored(matrix) => matrix.n_rows(),
            Gram::Half(lower) => lower.len(),
            Gram::Single(lower) => lower.len(),
            Gram::Recomputed { points, .. } => points.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// K·B.
    pub fn times(&self, b: &Columns) -> Result<Columns, Error> {
        match self {
            Gram::Stored(matrix) => Ok(times(matrix, b)),
            Gram::Half(lower) => symmetric_times(lower, b),
            Gram::Single(lower) => symmetric_times(lower, b),
            Gram::Recomputed {
                ctx,
                kernel,
                points,
            } => {
                let recomputed = RecomputedTiles {
                    ctx,
                    kernel,
                    points,
                };
                ctx.install_here(|| symmetric_times(&recomputed, b))
            }
        }
    }

    /// The mean of every row before it was rounded to f32; for a matrix that is stored whole, with an error that does not grow
    /// with its length.
    pub fn row_means(&self) -> Result<Vec<f64>, Error> {
        let n = self.len();
        match self {
            Gram::Stored(matrix) => {
                let ones = vec![1.0; n];
                let mean = |i: usize| dot(matrix.row(i), &ones) / n as f64;
                Ok(parallel::collect(n, mean))
            }
            Gram::Half(lower) => Ok(lower.row_means().to_vec()),
            Gram::Single(lower) => Ok(lower.row_means().to_vec()),
            Gram::Recomputed { .. } => {
                let ones = Columns::from_mat(&Mat::from_fn(n, 1, |_, _| 1.0 / n.max(1) as f64));
                Ok(self.times(&ones)?.to_mat().into_vec())
            }
        }
    }

    /// The matrix, centered in place; None where it is not stored whole.
    pub(crate) fn into_centered(self, row_means: &[f64]) -> Option<Mat<f64>> {
        let Gram::Stored(mut matrix) = self else {
            return None;
        };
        let n = matrix.n_rows();
        let mean = row_means.iter().sum::<f64>() / n.max(1) as f64;
        parallel::each_chunk(matrix.as_mut_slice(), n, |i, row| {
            // K − r1ᵀ − 1rᵀ + mean.
            let own = row_means[i] - mean;
            row.iter_mut()
                .zip(row_means)
                .for_each(|(x, other)| *x -= own + other);
        });
        Some(matrix)
    }
}

/// The symmetric matrix of all pairs of points, whose lower tiles `fill` computes.
pub(super) fn every_two(
    ctx: &Context,
    points: &Points,
    fill: impl Fn(&Tile<'_>, &mut [f64]) + Sync,
) -> Result<Mat<f64>, Error> {
    let n = points.len();
    let mut matrix = Mat::zeros(n, n);
    ctx.install_here(|| {
        // The longest tasks run first, so that only short ones are left at the end.
        parallel::each_chunk_from_the_last(matrix.as_mut_slice(), SIDE * n, |run, out| {
            let rows = run * SIDE..((run + 1) * SIDE).min(n);
            let mut cells = Vec::new();
            for left in (0..rows.end).step_by(SIDE) {
                if ctx.check().is_err() {
                    return;
                }
                let tile = Tile {
                    a: points,
                    rows: rows.clone(),
                    b: points,
                    cols: left..(left + SIDE).min(rows.end),
                };
                cells.resize(tile.rows.len() * tile.cols.len(), 0.0);
                fill(&tile, &mut cells);
                let lines = cells.chunks_exact(tile.cols.len());
                for (out, line) in out.chunks_exact_mut(n).zip(lines) {
                    out[tile.cols.clone()].copy_from_slice(line);
                }
            }
        });
        ctx.check()?;
        mirror_lower(&mut matrix);
        Ok(matrix)
    })
}

/// The kernel matrix of some points (rows) with `n` others (columns) times B, by tiles that are not stored.
pub(crate) fn product_by_tiles(
    ctx: &Context,
    kernel: &ResolvedKernel,
    (others, n): (&Points, usize),
    points: &Points,
    b: &Mat<f64>,
) -> Result<Mat<f64>, Error> {
    let b = Columns::from_mat(b);
    let width = b.width();
    let mut out = Columns::zeros(points.len(), b.n_cols());
    let run = |i: usize, out: &mut [f64]| -> Result<(), Error> {
        let rows = i * SIDE..i * SIDE + out.len() / width;
        let mut cells = Vec::new();
        for left in (0..n).step_by(SIDE) {
            ctx.check()?;
            let tile = Tile {
                a: points,
                rows: rows.clone(),
                b: others,
                cols: left..(left + SIDE).min(n),
            };
            let shape = (rows.len(), tile.cols.len());
            cells.resize(shape.0 * shape.1, 0.0);
            kernel.fill(&tile, &mut cells);
            add_times((&cells, shape.1, 1), shape, b.run(tile.cols), out, width);
        }
        Ok(())
    };
    ctx.install_here(|| out.try_each_run(SIDE, run))?;
    Ok(out.to_mat())
}

/// K̄ = CKC as a map.
#[derive(Debug)]
pub struct CenteredGram<'a>(pub &'a Gram<'a>);

impl CenteredGram<'_> {
    fn apply(&self, mut b: Mat<f64>) -> Result<Mat<f64>, Error> {
        subtract_column_means(&mut b);
        let mut product = self.0.times(&Columns::from_mat(&b))?.to_mat();
        subtract_column_means(&mut product);
        Ok(product)
    }
}

impl LinearMap for CenteredGram<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.0.len(), self.0.len())
    }

    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        self.apply(b.to_mat())
    }

    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        self.apply(c.to_mat())
    }
}

/// C·B: every column minus its mean.
pub(crate) fn subtract_column_means(b: &mut Mat<f64>) {
    let mut means = vec![0.0; b.n_cols()];
    for row in b.rows() {
        means.iter_mut().zip(row).for_each(|(m, x)| *m += x);
    }
    let n = b.n_rows().max(1) as f64;
    means.iter_mut().for_each(|m| *m /= n);
    let rows = b.as_mut_slice().chunks_exact_mut(means.len().max(1));
    rows.for_each(|row| row.iter_mut().zip(&means).for_each(|(x, m)| *x -= m));
}
