//! How far down a row's list of nearest rows given rows stand, without the list: closer rows are counted.

use std::ops::Range;

use super::exact::{Near, Own, Visitor, sweep};
use super::rows::MetricRows;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::each_between;
use crate::parallel;

/// Rows whose ranks are wanted: for every query, `k` of them.
pub(crate) struct Targets<'a> {
    pub(crate) rows: &'a [u32],
    pub(crate) k: usize,
}

const QUERIES: usize = 64;

/// The rank, from 1, of every target among all rows but the query itself, by distance and then by number.
///
/// Products count the rows that are surely closer; the few whose products do not decide are compared by differences. Cost
/// 2nqd + knq operations for q queries.
pub(crate) fn ranks(
    ctx: &Context,
    queries: &MetricRows,
    rows: &MetricRows,
    own: Own<'_>,
    targets: &Targets<'_>,
) -> Result<Vec<u32>, Error> {
    let (n, k) = (queries.n_rows(), targets.k);
    let blocks = ctx.install_here(|| {
        parallel::try_collect(n.div_ceil(QUERIES), |block| {
            let range = block * QUERIES..((block + 1) * QUERIES).min(n);
            let mut counts = Counts::new(queries, rows, own, targets, range.clone());
            sweep(ctx, queries, rows, range.clone(), &mut counts)?;
            ctx.advance(range.len() as u64);
            Ok::<_, Error>(counts.ranks)
        })
    })?;
    let mut all = Vec::with_capacity(n * k);
    blocks.into_iter().for_each(|block| all.extend(block));
    Ok(all)
}

struct Counts<'a> {
    queries: &'a MetricRows,
    rows: &'a MetricRows,
    own: Own<'a>,
    first: usize,
    k: usize,
    targets: Vec<Near>,
    /// Closer rows so far, and 1.
    ranks: Vec<u32>,
}

impl<'a> Counts<'a> {
    fn new(
        queries: &'a MetricRows,
        rows: &'a MetricRows,
        own: Own<'a>,
        targets: &Targets<'_>,
        range: Range<usize>,
    ) -> Self {
        let k = targets.k;
        let near = range.clone().flat_map(|query| {
            let list = &targets.rows[query * k..(query + 1) * k];
            list.iter().map(move |&row| Near {
                relation: queries.relation(query, rows, row as usize),
                row,
            })
        });
        Counts {
            queries,
            rows,
            own,
            first: range.start,
            k,
            targets: near.collect(),
            ranks: vec![1; range.len() * k],
        }
    }

    fn places_of(&self, query: usize) -> Range<usize> {
        let at = (query - self.first) * self.k;
        at..at + self.k
    }
}

impl Visitor for Counts<'_> {
    fn bounded(&mut self, query: usize, from: usize, cells: &mut [f32]) {
        let Some(bounds) = &self.queries.bounds else {
            return;
        };
        if let Some(own) = self.own.row(query)
            && (from..from + cells.len()).contains(&own)
        {
            cells[own - from] = f32::INFINITY;
        }
        for at in self.places_of(query) {
            let target = self.targets[at];
            let below = bounds.surely_below(query, target.relation);
            let most = bounds.at_most(query, target.relation);
            let mut open = 0;
            let count = each_between(cells, (below, most), &mut |j| {
                let row = from + j;
                let near = Near {
                    relation: self.queries.relation(query, self.rows, row),
                    row: row as u32,
                };
                open += u32::from(near < target);
            }) as u32;
            self.ranks[at] += count + open;
        }
    }

    fn exact(&mut self, query: usize, from: usize, relations: &[f64]) {
        let own = self.own.row(query);
        for at in self.places_of(query) {
            let target = self.targets[at];
            let closer = (from..).zip(relations).filter(|(row, relation)| {
                let near = Near {
                    relation: **relation,
                    row: *row as u32,
                };
                Some(*row) != own && near < target
            });
            self.ranks[at] += closer.count() as u32;
        }
    }
}
