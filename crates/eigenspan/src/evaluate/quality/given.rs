//! Neighbors and ranks where the table is a matrix of distances: each row of it is searched. Cost n per row, and kn for ranks.

use crate::context::Context;
use crate::error::Error;
use crate::mat::Mat;
use crate::parallel;

/// Rows that one thread takes at a time.
const BLOCK: usize = 64;

/// Calls `work` for some rows, or for all, and puts what it gives one after the other.
fn each_row(
    ctx: &Context,
    n: usize,
    some: Option<&[usize]>,
    work: &(dyn Fn(usize, usize) -> Vec<u32> + Sync),
) -> Result<Vec<u32>, Error> {
    let count = some.map_or(n, <[usize]>::len);
    let blocks = ctx.install_here(|| {
        parallel::try_collect(count.div_ceil(BLOCK), |block| {
            ctx.check()?;
            let range = block * BLOCK..((block + 1) * BLOCK).min(count);
            let row = |at: usize| some.map_or(at, |places| places[at]);
            Ok::<_, Error>(range.flat_map(|at| work(at, row(at))).collect::<Vec<u32>>())
        })
    })?;
    Ok(blocks.concat())
}

/// The k nearest rows of some rows, or of all; of equal distances the first.
pub(super) fn nearest(
    ctx: &Context,
    distances: &Mat<f64>,
    some: Option<&[usize]>,
    k: usize,
) -> Result<Vec<u32>, Error> {
    each_row(ctx, distances.n_rows(), some, &|_, row| {
        let others = (0u32..).zip(distances.row(row));
        let others = others.filter(|(j, _)| *j as usize != row);
        let mut near: Vec<(f64, u32)> = others.map(|(j, x)| (*x, j)).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if k < near.len() {
            near.select_nth_unstable_by(k, order);
            near.truncate(k);
        }
        near.sort_unstable_by(order);
        near.into_iter().map(|(_, j)| j).collect()
    })
}

/// The ranks, from 1, of k rows for some rows, or for all, by distance and then by number.
pub(super) fn ranks(
    ctx: &Context,
    distances: &Mat<f64>,
    some: Option<&[usize]>,
    near: &[u32],
    k: usize,
) -> Result<Vec<u32>, Error> {
    each_row(ctx, distances.n_rows(), some, &|at, row| {
        let all = distances.row(row);
        let rank = |&target: &u32| {
            let (target, x) = (target as usize, all[target as usize]);
            let before = |j: usize| all[j] < x || (all[j] == x && j < target);
            1 + (0..all.len()).filter(|&j| j != row && before(j)).count() as u32
        };
        near[at * k..(at + 1) * k].iter().map(rank).collect()
    })
}
