//! What is done about a neighbor graph in several pieces: every two pieces are joined by a link between their nearest rows.
//!
//! For pieces A and B the link is between the rows a ∈ A and b ∈ B with the smallest distance, so that p pieces get p(p − 1)/2 links.
//! Products in f32 rule most pairs out, as in a search for neighbors. The rows of the largest piece are compared with those of the
//! others alone: cost 2·m·n·d operations, where m rows lie outside the largest piece, and 48·p² bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::components::Components;
use super::exact::{Visitor, sweep};
use super::graph_of::{EdgeValues, Graph};
use super::options::FittedRows;
use super::rows::MetricRows;
use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::linalg::each_at_most;
use crate::note::Note;
use crate::parallel;

/// What is done where the neighbor graph is in several pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Pieces {
    /// Join every two pieces by a link between their nearest rows, with a note
    #[default]
    Join,
    /// Refuse such a graph
    Refuse,
}

/// Rows that one thread compares with all others at a time.
const QUERIES: usize = 256;

impl Graph {
    /// Makes a symmetric graph of these rows one piece; a note says how many pieces there were, how large, and what was added.
    pub fn join_pieces(
        &mut self,
        ctx: &Context,
        rows: &FittedRows,
        values: EdgeValues,
        pieces: Pieces,
    ) -> Result<Option<Note>, Error> {
        let components = self.components();
        let count = components.len();
        if count < 2 {
            return Ok(None);
        }
        let n_neighbors = rows.options().n_neighbors;
        let largest: Vec<usize> = components.sizes.iter().copied().take(SHOWN).collect();
        if pieces == Pieces::Refuse {
            return Err(Error::Neighbors(NeighborFault::Pieces {
                pieces: count,
                sizes: largest,
                n_neighbors,
            }));
        }
        let needed = 48 * (count as u64).saturating_mul(count as u64);
        if !ctx.affords(needed) {
            return Err(Error::Memory {
                what: format!("joining every two of {count} pieces of the neighbor graph"),
                needed,
                allowed: ctx.allowed(),
            });
        }
        let links = nearest_between(ctx, rows.metric_rows(), &components)?;
        let longest = links.iter().fold(0.0f64, |m, link| m.max(link.relation));
        let length = |relation: f64| rows.metric_rows().distance(relation);
        self.add_links(&links, |relation| match values {
            EdgeValues::Distance => length(relation),
            EdgeValues::Connectivity => 1.0,
        });
        Ok(Some(Note::JoinedPieces {
            pieces: count,
            sizes: largest,
            links: links.len(),
            longest: length(longest),
            n_neighbors,
            n_rows: rows.n_rows(),
        }))
    }

    /// Adds links in both directions.
    fn add_links(&mut self, links: &[Link], value: impl Fn(f64) -> f64) {
        let mut added: Vec<(u32, u32, f64)> = Vec::with_capacity(2 * links.len());
        for link in links {
            let x = value(link.relation);
            added.extend([(link.later, link.earlier, x), (link.earlier, link.later, x)]);
        }
        added.sort_unstable_by_key(|(from, to, _)| (*from, *to));
        let mut added = added.into_iter().peekable();
        let mut out = Graph {
            starts: vec![0],
            columns: Vec::with_capacity(self.columns.len() + 2 * links.len()),
            values: Vec::with_capacity(self.values.len() + 2 * links.len()),
            n_cols: self.n_cols,
        };
        for row in 0..self.n_rows() {
            let (columns, values) = self.row(row);
            for (&column, &x) in columns.iter().zip(values) {
                while let Some((_, to, x)) =
                    added.next_if(|(from, to, _)| *from as usize == row && *to < column)
                {
                    out.columns.push(to);
                    out.values.push(x);
                }
                out.columns.push(column);
                out.values.push(x);
            }
            while let Some((_, to, x)) = added.next_if(|(from, _, _)| *from as usize == row) {
                out.columns.push(to);
                out.values.push(x);
            }
            out.starts.push(out.columns.len());
        }
        *self = out;
    }
}

/// How many sizes of pieces a note holds, the largest first.
const SHOWN: usize = 5;

/// A link between two pieces: its row in the piece whose first row comes later, and its row in the other.
#[derive(Debug, Clone, Copy)]
struct Link {
    relation: f64,
    later: u32,
    earlier: u32,
}

/// No rows that were compared yet.
const NO_LINK: Link = Link {
    relation: f64::INFINITY,
    later: u32::MAX,
    earlier: u32::MAX,
};

impl Link {
    /// The shorter of two links; of equally short ones that of smaller row numbers, first in the later piece.
    fn shorter(self, other: Link) -> Link {
        let key = |link: &Link| (link.later, link.earlier);
        let order = self.relation.total_cmp(&other.relation);
        match order.then(key(&self).cmp(&key(&other))).is_le() {
            true => self,
            false => other,
        }
    }
}

/// The shortest link between every two pieces.
fn nearest_between(
    ctx: &Context,
    rows: &MetricRows,
    components: &Components,
) -> Result<Vec<Link>, Error> {
    let count = components.len();
    // 1. Rows piece by piece, so that the rows of a piece are adjacent.
    let mut order: Vec<usize> = (0..rows.n_rows()).collect();
    order.sort_by_key(|&row| components.of_rows[row]);
    let mut ends = Vec::with_capacity(count);
    for size in &components.sizes {
        ends.push(ends.last().copied().unwrap_or(0) + size);
    }
    let mut first_rows = vec![u32::MAX; count];
    for (row, piece) in (0u32..).zip(&components.of_rows) {
        let first = &mut first_rows[*piece as usize];
        *first = row.min(*first);
    }
    let outside = order[components.sizes[0]..].to_vec();
    ctx.begin("joining pieces", Some(outside.len() as u64));
    let (queries, sorted) = ctx.install_here(|| (rows.some(&outside), rows.some(&order)));
    // 2. Rows outside the largest piece against the rows of all larger pieces.
    let blocks = ctx.install_here(|| {
        parallel::try_collect(outside.len().div_ceil(QUERIES), |block| {
            let range = block * QUERIES..((block + 1) * QUERIES).min(outside.len());
            let piece = |query: usize| components.of_rows[outside[query]] as usize;
            let lowest = piece(range.start);
            let span = piece(range.end - 1) - lowest + 1;
            let mut shortest = Shortest {
                queries: &queries,
                rows: &sorted,
                order: &order,
                outside: &outside,
                of_rows: &components.of_rows,
                ends: &ends,
                first_rows: &first_rows,
                lowest,
                links: vec![NO_LINK; span * count],
            };
            sweep(ctx, &queries, &sorted, range.clone(), &mut shortest)?;
            ctx.advance(range.len() as u64);
            Ok::<_, Error>((lowest, shortest.links))
        })
    })?;
    // 3. The shortest of all blocks.
    let mut all = vec![NO_LINK; count * count];
    for (lowest, links) in blocks {
        let to = all[lowest * count..].iter_mut();
        to.zip(links)
            .for_each(|(known, link)| *known = known.shorter(link));
    }
    let pairs = (1..count).flat_map(|a| (0..a).map(move |b| a * count + b));
    Ok(pairs.map(|at| all[at]).collect())
}

/// The shortest links so far from the pieces of a block of queries to pieces before them.
struct Shortest<'a> {
    queries: &'a MetricRows,
    /// All rows, piece by piece.
    rows: &'a MetricRows,
    /// Their numbers.
    order: &'a [usize],
    /// The numbers of the queries.
    outside: &'a [usize],
    /// The piece of every row.
    of_rows: &'a [u32],
    /// Where each piece ends in `order`.
    ends: &'a [usize],
    /// The first row of each piece.
    first_rows: &'a [u32],
    /// The piece of the first query of the block.
    lowest: usize,
    links: Vec<Link>,
}

impl Shortest<'_> {
    /// Calls `work` with every run of rows from `from` on that is in one piece before the query's: where it begins among `len` rows,
    /// where it ends, and the place of its link.
    fn each_run(
        &mut self,
        query: usize,
        from: usize,
        len: usize,
        work: &mut dyn FnMut(&mut Self, usize, usize, usize),
    ) {
        let own = self.of_rows[self.outside[query]] as usize;
        let mut begin = from;
        while begin < from + len {
            let piece = self.of_rows[self.order[begin]] as usize;
            if piece >= own {
                return;
            }
            let end = self.ends[piece].min(from + len);
            let place = (own - self.lowest) * self.ends.len() + piece;
            work(self, begin - from, end - from, place);
            begin = end;
        }
    }

    fn offer(&mut self, query: usize, at: usize, relation: f64, place: usize) {
        let (own, other) = (self.outside[query], self.order[at]);
        let first = |row: usize| self.first_rows[self.of_rows[row] as usize];
        let (later, earlier) = match first(own) > first(other) {
            true => (own as u32, other as u32),
            false => (other as u32, own as u32),
        };
        let link = Link {
            relation,
            later,
            earlier,
        };
        self.links[place] = self.links[place].shorter(link);
    }
}

impl Visitor for Shortest<'_> {
    fn bounded(&mut self, query: usize, from: usize, cells: &mut [f32]) {
        let Some(bounds) = &self.queries.bounds else {
            return;
        };
        self.each_run(query, from, cells.len(), &mut |own, begin, end, place| {
            let limit = |link: &Link| match link.relation.is_finite() {
                true => bounds.at_most(query, link.relation),
                false => f32::INFINITY,
            };
            let before = limit(&own.links[place]);
            each_at_most(&cells[begin..end], before, &mut |j| {
                let at = from + begin + j;
                let relation = own.queries.relation(query, own.rows, at);
                own.offer(query, at, relation, place);
                limit(&own.links[place])
            });
        });
    }

    fn exact(&mut self, query: usize, from: usize, relations: &[f64]) {
        self.each_run(
            query,
            from,
            relations.len(),
            &mut |own, begin, end, place| {
                for at in begin..end {
                    own.offer(query, from + at, relations[at], place);
                }
            },
        );
    }
}
