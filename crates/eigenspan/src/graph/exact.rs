//! Exact nearest rows, tile by tile: products rule most pairs out ([`super::bounds`]), the rest are compared by differences.
//!
//! A row keeps its k best so far, by distance and then by number, and only pairs that its bound does not rule out are compared in
//! f64: about k·(1 + ln(n/k)) of n for rows in random order. So the result is that of comparing all pairs in f64, whatever
//! products round to. Cost 2nqd operations in f32 for q queries, memory 12d bytes per row.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::rows::{Cells, MetricRows};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::each_at_most;
use crate::parallel;

/// Queries that one thread works on at a time: at most these, and fewer where there are few, so that all threads have some.
const QUERIES: usize = 256;
/// Rows that they are compared with at a time.
const COLUMNS: usize = 512;

/// Which of the rows the queries are themselves; a row is no neighbor of itself.
#[derive(Clone, Copy)]
pub(crate) enum Own<'a> {
    /// The queries are other rows.
    None,
    /// The queries are all rows, in their order.
    Same,
    /// The queries are these rows.
    Listed(&'a [usize]),
}

impl Own<'_> {
    pub(crate) fn row(&self, query: usize) -> Option<usize> {
        match self {
            Own::None => None,
            Own::Same => Some(query),
            Own::Listed(rows) => rows.get(query).copied(),
        }
    }
}

/// The nearest rows of every query, k each, by rising relation and then by number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Nearest {
    pub(crate) indices: Vec<u32>,
    pub(crate) relations: Vec<f64>,
}

/// A row at a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) relation: f64,
    pub(crate) row: u32,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_relation = self.relation.total_cmp(&other.relation);
        by_relation.then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Receives what is known of the pairs of a query with a run of rows.
pub(super) trait Visitor {
    /// Numbers v of the rows from `from` on (see [`super::bounds::Bounds`]); they may be changed.
    fn bounded(&mut self, query: usize, from: usize, cells: &mut [f32]);
    /// Relations of the rows from `from` on.
    fn exact(&mut self, query: usize, from: usize, relations: &[f64]);
}

/// Compares some queries with all rows, on this thread.
pub(super) fn sweep(
    ctx: &Context,
    queries: &MetricRows,
    rows: &MetricRows,
    range: Range<usize>,
    visitor: &mut dyn Visitor,
) -> Result<(), Error> {
    match (&queries.cells, &rows.cells, &queries.bounds, &rows.bounds) {
        (Cells::Dense(_), Cells::Dense(_), Some(a), Some(b)) => {
            let mut cells = vec![0.0f32; range.len() * COLUMNS];
            for from in (0..rows.n_rows()).step_by(COLUMNS) {
                ctx.check()?;
                let cols = from..(from + COLUMNS).min(rows.n_rows());
                let width = cols.len();
                let cells = &mut cells[..range.len() * width];
                a.fill(range.clone(), b, cols, cells);
                for (query, line) in range.clone().zip(cells.chunks_exact_mut(width)) {
                    visitor.bounded(query, from, line);
                }
            }
        }
        (Cells::Sparse(a), Cells::Sparse(_), Some(bounds), Some(others)) => {
            let mut whole = vec![0.0; a.n_cols()];
            let mut line = vec![0.0f32; COLUMNS];
            for query in range {
                ctx.check()?;
                let (columns, values) = a.view().row(query);
                let filled = columns.iter().zip(values);
                filled.for_each(|(c, x)| whole[*c as usize] = *x);
                for from in (0..rows.n_rows()).step_by(COLUMNS) {
                    let cols = from..(from + COLUMNS).min(rows.n_rows());
                    let line = &mut line[..cols.len()];
                    for (j, v) in cols.zip(line.iter_mut()) {
                        let (columns, values) = rows.sparse_row(j);
                        let terms = columns.iter().zip(values);
                        let product = terms.map(|(c, y)| whole[*c as usize] * y).sum();
                        *v = bounds.sparse_v(product, others, j);
                    }
                    visitor.bounded(query, from, line);
                }
                columns.iter().for_each(|c| whole[*c as usize] = 0.0);
            }
        }
        _ => sweep_pairs(ctx, queries, rows, range, visitor)?,
    }
    Ok(())
}

/// The same for rows that only differences compare.
fn sweep_pairs(
    ctx: &Context,
    queries: &MetricRows,
    rows: &MetricRows,
    range: Range<usize>,
    visitor: &mut dyn Visitor,
) -> Result<(), Error> {
    /// Cells of the rows that stay in the cache while all queries meet them.
    const CELLS: usize = 1 << 14;
    let step = (CELLS / rows.n_cols()).clamp(16, COLUMNS);
    let mut line = vec![0.0; step];
    for from in (0..rows.n_rows()).step_by(step) {
        ctx.check()?;
        let cols = from..(from + step).min(rows.n_rows());
        for query in range.clone() {
            let line = &mut line[..cols.len()];
            for (x, j) in line.iter_mut().zip(cols.clone()) {
                *x = queries.relation(query, rows, j);
            }
            visitor.exact(query, from, line);
        }
    }
    Ok(())
}

/// The k nearest rows of every query; there are at least k besides the query itself.
pub(crate) fn nearest(
    ctx: &Context,
    queries: &MetricRows,
    rows: &MetricRows,
    k: usize,
    own: Own<'_>,
) -> Result<Nearest, Error> {
    let n = queries.n_rows();
    let size = n.div_ceil(64).clamp(16, QUERIES);
    let blocks = ctx.install_here(|| {
        parallel::try_collect(n.div_ceil(size), |block| {
            let range = block * size..((block + 1) * size).min(n);
            let mut best = Best {
                queries,
                rows,
                k,
                own,
                first: range.start,
                heaps: range
                    .clone()
                    .map(|_| BinaryHeap::with_capacity(k + 1))
                    .collect(),
            };
            sweep(ctx, queries, rows, range.clone(), &mut best)?;
            ctx.advance(range.len() as u64);
            Ok::<_, Error>(best.sorted())
        })
    })?;
    let mut all = Nearest {
        indices: Vec::with_capacity(n * k),
        relations: Vec::with_capacity(n * k),
    };
    for block in blocks {
        all.indices.extend(block.iter().map(|near| near.row));
        all.relations.extend(block.iter().map(|near| near.relation));
    }
    Ok(all)
}

/// The best rows so far of a block of queries.
struct Best<'a> {
    queries: &'a MetricRows,
    rows: &'a MetricRows,
    k: usize,
    own: Own<'a>,
    first: usize,
    heaps: Vec<BinaryHeap<Near>>,
}

impl Best<'_> {
    fn sorted(self) -> Vec<Near> {
        let heaps = self.heaps.into_iter();
        heaps.flat_map(BinaryHeap::into_sorted_vec).collect()
    }
}

/// Keeps the k least.
pub(super) fn keep(heap: &mut BinaryHeap<Near>, k: usize, near: Near) {
    if heap.len() < k {
        return heap.push(near);
    }
    if let Some(mut worst) = heap.peek_mut()
        && near < *worst
    {
        *worst = near;
    }
}

impl Visitor for Best<'_> {
    fn bounded(&mut self, query: usize, from: usize, cells: &mut [f32]) {
        let (k, own, rows, queries) = (self.k, self.own.row(query), self.rows, self.queries);
        let Some(bounds) = &queries.bounds else {
            return;
        };
        let heap = &mut self.heaps[query - self.first];
        let limit = |heap: &BinaryHeap<Near>| match heap.peek() {
            Some(worst) if heap.len() == k => bounds.at_most(query, worst.relation),
            _ => f32::INFINITY,
        };
        let before = limit(heap);
        each_at_most(cells, before, &mut |j| {
            let row = from + j;
            if Some(row) != own {
                let relation = queries.relation(query, rows, row);
                let row = row as u32;
                keep(heap, k, Near { relation, row });
            }
            limit(heap)
        });
    }

    fn exact(&mut self, query: usize, from: usize, relations: &[f64]) {
        let own = self.own.row(query);
        let heap = &mut self.heaps[query - self.first];
        for (row, &relation) in (from..).zip(relations) {
            if Some(row) != own {
                let row = row as u32;
                keep(heap, self.k, Near { relation, row });
            }
        }
    }
}
