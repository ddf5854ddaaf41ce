//! Which rows become landmarks: rows drawn uniformly, rows far from each other, or rows drawn by their leverage.
//!
//! k-means++ (Arthur & Vassilvitskii 2007, Proc. 18th ACM-SIAM Symposium on Discrete Algorithms, 1027–1035): each next row
//! is drawn with a probability proportional to its squared distance, in feature space, to the nearest row drawn before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Kernel, ResolvedKernel};
use super::written_out;
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::prepare::find_not_finite;
use crate::rng::Rng;
use crate::source::{Passes, Source, fold};

/// How landmarks are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Landmarks {
    /// Every row with the same probability
    Uniform,
    /// Far from each other in feature space (k-means++), among ten times as many uniform ones
    #[default]
    #[serde(rename = "kmeans")]
    #[cfg_attr(feature = "clap", value(name = "kmeans"))]
    KMeans,
    /// By ridge leverage scores, in one more reading: rows unlike the others are drawn with larger probability
    Leverage,
}

/// `count` rows of a source, drawn uniformly, in their order; all rows where there are no more.
pub(crate) fn uniform<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    count: usize,
    rng: &mut Rng,
) -> Result<Mat<f64>, Error> {
    let (Some(n), Passes::Many) = (source.n_rows(), source.passes()) else {
        return Err(Error::ReadOnce {
            solver: "nystrom",
            passes: "two",
        });
    };
    let mut chosen: Vec<usize> = (0..n).collect();
    for i in 0..count.min(n) {
        chosen.swap(i, i + rng.below(n - i));
    }
    chosen.truncate(count);
    chosen.sort_unstable();
    let d = source.n_cols();
    let cells = fold(
        ctx,
        source,
        chosen.len() * d * 8,
        Vec::new,
        |cells: &mut Vec<f64>, rows| {
            let end = rows.first + rows.block.n_rows();
            let from = chosen.partition_point(|&row| row < rows.first);
            let to = chosen.partition_point(|&row| row < end);
            let mut row = vec![0.0; d];
            for &at in &chosen[from..to] {
                rows.block.row_to_f64(at - rows.first, &mut row);
                cells.extend_from_slice(&row);
            }
            Ok(())
        },
        |a, b| a.extend(b),
    )?;
    Mat::from_vec(cells.len() / d.max(1), d, cells)
}

/// `count` of the rows, far from each other in feature space.
pub(super) fn far_apart(
    ctx: &Context,
    kernel: &ResolvedKernel,
    rows: &Mat<f64>,
    count: usize,
    rng: &mut Rng,
) -> Result<Mat<f64>, Error> {
    let n = rows.n_rows();
    let points = kernel.points(rows.clone(), 0)?;
    let own = kernel.diagonal(&points);
    let mut nearest = vec![f64::INFINITY; n];
    let mut chosen: Vec<usize> = Vec::new();
    let mut next = rng.below(n.max(1));
    while chosen.len() < count.min(n) {
        ctx.check()?;
        chosen.push(next);
        let one = kernel.points(Mat::from_fn(1, rows.n_cols(), |_, j| rows[(next, j)]), 0)?;
        let along = kernel.between(&one, &points);
        for (i, x) in nearest.iter_mut().enumerate() {
            let square = own[i] + own[next] - 2.0 * along[(0, i)];
            *x = x.min(square.max(0.0));
        }
        nearest[next] = 0.0;
        let mut goal = rng.uniform() * nearest.iter().sum::<f64>();
        // If every remaining row equals a chosen one, the first row not chosen is taken.
        let drawn = nearest.iter().position(|x| {
            goal -= x;
            goal < 0.0 && *x > 0.0
        });
        let left = || (0..n).find(|i| !chosen.contains(i));
        match drawn.or_else(left) {
            Some(row) => next = row,
            None => break,
        }
    }
    chosen.sort_unstable();
    Ok(Mat::from_fn(chosen.len(), rows.n_cols(), |i, j| {
        rows[(chosen[i], j)]
    }))
}

/// The kernel with its open parameters found on the rows that were drawn; `centered` where only its centered matrix is needed.
pub(super) fn resolve_kernel<T: Real>(
    ctx: &Context,
    (kernel, centered): (&Kernel, bool),
    source: &dyn Source<T>,
    rows: &Mat<f64>,
) -> Result<ResolvedKernel, Error> {
    if rows.as_slice().iter().any(|x| !x.is_finite()) {
        return Err(find_not_finite(ctx, source));
    }
    let kernel = ResolvedKernel::new(kernel, rows)?;
    match centered {
        true => kernel.for_centering(rows),
        false => Ok(kernel),
    }
}

/// The sum of a function of the rows over all blocks.
pub(super) fn sum_over<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    of: impl Fn(Mat<f64>, usize) -> Result<f64, Error> + Sync,
) -> Result<f64, Error> {
    fold(
        ctx,
        source,
        8,
        || 0.0,
        |sum, rows| {
            *sum += of(written_out(rows), rows.first)?;
            Ok(())
        },
        |a, b| *a += b,
    )
}
