//! Approximate neighbors: random trees begin, NN-descent improves, and the measured recall says when it is enough.
//!
//! Lists are longer than asked for, because more candidates find more neighbors; they are made longer until the recall on a sample
//! reaches the share asked for. What is said of the recall comes from a second sample, on which no decision depended. At the end all candidates are compared by differences in f64. Cost about n·(8k)·d per round and
//! memory 12d + 22k bytes per row.

use super::descent::{Desk, Search};
use super::exact::{Near, Nearest};
use super::lists::Lists;
use super::options::NeighborOptions;
use super::recall::{Recall, Truth};
use super::rows::MetricRows;
use super::trees::leaves;
use crate::context::Context;
use crate::error::Error;
use crate::parallel;
use crate::rng::stream;

/// Random trees.
const TREES: usize = 12;
/// How often lists are made longer.
const WIDENINGS: usize = 4;

/// The k nearest rows of every row, nearly, and the measured recall.
pub(super) fn approximate(
    ctx: &Context,
    rows: &MetricRows,
    k: usize,
    options: &NeighborOptions,
) -> Result<(Nearest, Recall), Error> {
    ctx.begin("neighbors of neighbors", None);
    ctx.install_here(|| {
        let truth = Truth::new(ctx, rows, k, (options.seed, 0))?;
        let search = Search { ctx, rows };
        let mut lists = Lists::new(rows.n_rows(), k + 5);
        begin(&search, &lists, options.seed)?;
        // A margin, so that a lucky sample is not enough.
        let wanted = options.recall + (1.0 - options.recall) / 5.0;
        for round in 0.. {
            let measured = |truth: &Truth| {
                truth.recall(&|row| {
                    let near = best(rows, &lists, row, k).into_iter();
                    near.map(|near| near.relation).collect()
                })
            };
            let mut enough = || measured(&truth).share >= wanted;
            search.improve(&lists, stream(options.seed, round), &mut enough)?;
            let recall = measured(&truth);
            let k_next = (lists.k() * 3 / 2).min(rows.n_rows() - 1);
            if recall.share >= wanted || round == WIDENINGS || k_next == lists.k() {
                // The sample that ended the search would be kind to it.
                let recall = match truth.is_of_all(rows) {
                    true => recall,
                    false => measured(&Truth::new(ctx, rows, k, (options.seed, 1))?),
                };
                return Ok((finished(rows, &lists, k), recall));
            }
            lists = lists.widened(k_next);
        }
        Err(Error::Cancelled)
    })
}

/// Compares the rows of every leaf of every tree with each other.
fn begin(search: &Search<'_>, lists: &Lists, seed: u64) -> Result<(), Error> {
    let most = 6 * lists.k();
    let trees =
        parallel::try_collect(TREES, |tree| leaves(search, most, stream(seed, 100 + tree)))?;
    for leaves in &trees {
        parallel::each(leaves.len(), &|i| {
            search.join(lists, &leaves[i], leaves[i].len(), &mut Desk::default());
        });
        search.ctx.check()?;
    }
    Ok(())
}

/// The k best candidates of a row, compared by differences.
fn best(rows: &MetricRows, lists: &Lists, row: usize, k: usize) -> Vec<Near> {
    let mut near: Vec<Near> = lists
        .neighbors_of(row)
        .map(|other| Near {
            relation: rows.relation(row, rows, other as usize),
            row: other,
        })
        .collect();
    near.sort_unstable();
    near.truncate(k);
    near
}

fn finished(rows: &MetricRows, lists: &Lists, k: usize) -> Nearest {
    const BLOCK: usize = 1024;
    let n = rows.n_rows();
    let blocks = parallel::collect(n.div_ceil(BLOCK), |block| {
        let range = block * BLOCK..((block + 1) * BLOCK).min(n);
        range
            .flat_map(|row| best(rows, lists, row, k))
            .collect::<Vec<Near>>()
    });
    let mut all = Nearest {
        indices: Vec::with_capacity(n * k),
        relations: Vec::with_capacity(n * k),
    };
    for block in blocks {
        all.indices.extend(block.iter().map(|near| near.row));
        all.relations.extend(block.iter().map(|near| near.relation));
    }
    all
}
