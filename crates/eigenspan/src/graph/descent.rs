//! NN-descent (Dong, Charikar & Li 2011, doi:10.1145/1963405.1963487): neighbors of neighbors are likely neighbors.
//!
//! A round compares, for every row, the rows that are near it with each other: those that are new in its list, or that have it
//! as a new neighbor, with all others. All of them are taken relative to the row before products in f32 compare them, so near
//! rows keep their digits. Which rows are compared depends on the lists at the beginning of a round and on hashed numbers, and the
//! lists on the set of offers alone: the same bits for any number of threads.

use super::lists::Lists;
use super::rows::MetricRows;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Compared, write_inner_single};
use crate::mat::Mat;
use crate::parallel;

/// Rows that one thread works on at a time.
const BLOCK: usize = 256;
/// Rounds end when fewer than this share of all list places have changed.
const SETTLED: f64 = 0.004;
/// The most rounds.
const ROUNDS: usize = 12;

/// Rows, compared in f32.
pub(super) struct Search<'a> {
    pub(super) ctx: &'a Context,
    pub(super) rows: &'a MetricRows,
}

/// Memory of one thread for comparing some rows with each other.
#[derive(Default)]
pub(super) struct Desk {
    rows: Vec<f32>,
    lengths: Vec<f32>,
    worst: Vec<f32>,
    cells: Vec<f32>,
}

impl Search<'_> {
    pub(super) fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn single(&self) -> Option<&Mat<f32>> {
        self.rows.bounds.as_ref()?.single.as_ref()
    }

    /// The relation of two rows, nearly.
    pub(super) fn relation(&self, i: usize, j: usize) -> f32 {
        match self.single() {
            Some(single) => square(single.row(i), single.row(j)),
            None => self.rows.relation(i, self.rows, j) as f32,
        }
    }

    /// Compares the first `n_new` of some rows with all of them, and offers each to the other.
    pub(super) fn join(&self, lists: &Lists, near: &[u32], n_new: usize, desk: &mut Desk) {
        let m = near.len();
        if n_new == 0 || m < 2 {
            return;
        }
        desk.worst.clear();
        desk.worst
            .extend(near.iter().map(|&row| lists.worst(row as usize)));
        let offer = |a: usize, b: usize, relation: f32| {
            lists.offer(near[a] as usize, relation, near[b]);
            lists.offer(near[b] as usize, relation, near[a]);
        };
        if let Some(single) = self.single() {
            desk.multiply(single, near, n_new);
            for (a, line) in desk.cells.chunks_exact(m).enumerate() {
                let row = Compared {
                    products: &line[a + 1..],
                    length: desk.lengths[a],
                    lengths: &desk.lengths[a + 1..],
                    limit: desk.worst[a],
                    limits: &desk.worst[a + 1..],
                };
                row.each_near(&mut |b, relation| offer(a, a + 1 + b, relation));
            }
            return;
        }
        for a in 0..n_new {
            for b in a + 1..m {
                let relation = self.relation(near[a] as usize, near[b] as usize);
                if relation <= desk.worst[a].max(desk.worst[b]) {
                    offer(a, b, relation);
                }
            }
        }
    }

    /// Which of some rows are how much closer to row a than to row b.
    pub(super) fn lean(&self, rows: &[u32], (a, b): (usize, usize), keys: &mut Vec<(f32, u32)>) {
        keys.clear();
        let Some(single) = self.single() else {
            keys.extend(rows.iter().map(|&row| {
                let i = row as usize;
                (self.relation(i, a) - self.relation(i, b), row)
            }));
            return;
        };
        // ‖x − a‖² − ‖x − b‖² = 2xᵀ(b − a) + ‖a‖² − ‖b‖²: a projection, of which only the order counts.
        let ends = single.row(b).iter().zip(single.row(a));
        let line: Vec<f32> = ends.map(|(b, a)| b - a).collect();
        keys.extend(
            rows.iter()
                .map(|&row| (product(single.row(row as usize), &line), row)),
        );
    }

    /// Rounds until the lists hardly change, or until `enough` says so.
    pub(super) fn improve(
        &self,
        lists: &Lists,
        seed: u64,
        enough: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let (n, k) = (lists.n_rows(), lists.k());
        let mut state = State {
            lists: vec![u32::MAX; n * k],
            new: vec![true; n * k],
        };
        parallel::each_chunk(&mut state.lists, k * BLOCK, |block, to| {
            for (r, to) in to.chunks_exact_mut(k).enumerate() {
                lists.copy_to(block * BLOCK + r, to);
            }
        });
        for round in 0..ROUNDS {
            let back = Reverse::new(&state, n, k);
            parallel::try_collect(n.div_ceil(BLOCK), |block| {
                self.ctx.check()?;
                let (mut near, mut desk) = (Near::default(), Desk::default());
                for i in block * BLOCK..((block + 1) * BLOCK).min(n) {
                    let n_new = near.fill(&state, &back, (i, k), seed ^ (round as u64) << 32);
                    self.join(lists, &near.all, n_new, &mut desk);
                }
                Ok::<_, Error>(())
            })?;
            if enough() {
                break;
            }
            let changed = state.advance(lists, k);
            if changed as f64 <= SETTLED * (n * k) as f64 {
                break;
            }
        }
        Ok(())
    }
}

impl Desk {
    /// Products of the first `n_new` rows with all, relative to the first, row after row; and all squared lengths.
    fn multiply(&mut self, single: &Mat<f32>, near: &[u32], n_new: usize) {
        let (m, d) = (near.len(), single.n_cols());
        let origin = single.row(near[0] as usize);
        self.cells.resize(n_new * m, 0.0);
        self.rows.resize(m * d, 0.0);
        self.lengths.clear();
        for (to, &row) in self.rows.chunks_exact_mut(d).zip(near) {
            let from = single.row(row as usize);
            to.iter_mut()
                .zip(from)
                .zip(origin)
                .for_each(|((to, x), o)| *to = x - o);
            self.lengths.push(product(to, to));
        }
        write_inner_single(&mut self.cells, &self.rows[..n_new * d], &self.rows, d);
    }
}

/// The lists at the beginning of a round, and which of their places are new since the round before.
struct State {
    lists: Vec<u32>,
    new: Vec<bool>,
}

impl State {
    /// Takes over the lists as they are now; the number of places that changed.
    fn advance(&mut self, lists: &Lists, k: usize) -> usize {
        let chunk = BLOCK * k;
        let before = &self.lists;
        let mut after = vec![u32::MAX; before.len()];
        parallel::each_chunk(&mut after, chunk, |block, to| {
            for (r, to) in to.chunks_exact_mut(k).enumerate() {
                lists.copy_to(block * BLOCK + r, to);
            }
        });
        let changed = parallel::collect_chunks(&mut self.new, chunk, |block, new| {
            let at = block * chunk..block * chunk + new.len();
            let rows = after[at.clone()]
                .chunks_exact(k)
                .zip(before[at].chunks_exact(k));
            let mut changed = 0;
            for (new, (after, before)) in new.chunks_exact_mut(k).zip(rows) {
                for (new, row) in new.iter_mut().zip(after) {
                    *new = *row != u32::MAX && before.binary_search(row).is_err();
                    changed += usize::from(*new);
                }
            }
            changed
        });
        self.lists = after;
        changed.into_iter().sum()
    }
}

/// The rows in whose lists a row is; the highest bit marks those where it is new.
struct Reverse {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

const NEW: u32 = 1 << 31;

impl Reverse {
    fn new(state: &State, n: usize, k: usize) -> Self {
        let mut starts = vec![0usize; n + 1];
        let filled = state.lists.iter().filter(|row| **row != u32::MAX);
        filled.for_each(|&row| starts[row as usize + 1] += 1);
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[n]];
        let lists = state.lists.chunks_exact(k).zip(state.new.chunks_exact(k));
        for (i, (list, new)) in (0u32..).zip(lists) {
            for (&row, &new) in list.iter().zip(new).filter(|(row, _)| **row != u32::MAX) {
                let at = &mut next[row as usize];
                rows[*at] = if new { i | NEW } else { i };
                *at += 1;
            }
        }
        Reverse { starts, rows }
    }
}

/// The rows near a row.
#[derive(Default)]
struct Near {
    /// New ones first.
    all: Vec<u32>,
    old: Vec<u32>,
    back: Vec<(u64, u32)>,
}

impl Near {
    /// Collects the rows near row i; of those that have it in their lists, at most k new and k old ones, by hashed numbers. Returns
    /// the number of new ones.
    fn fill(&mut self, state: &State, back: &Reverse, (i, k): (usize, usize), seed: u64) -> usize {
        self.all.clear();
        self.old.clear();
        let at = i * k..(i + 1) * k;
        for (&row, &new) in state.lists[at.clone()].iter().zip(&state.new[at]) {
            if row != u32::MAX {
                if new { &mut self.all } else { &mut self.old }.push(row);
            }
        }
        let others = &back.rows[back.starts[i]..back.starts[i + 1]];
        for new in [true, false] {
            self.back.clear();
            let chosen = others.iter().filter(|row| (**row & NEW != 0) == new);
            let chosen = chosen.map(|row| row & !NEW);
            self.back
                .extend(chosen.map(|row| (hash(seed, i as u64, u64::from(row)), row)));
            if self.back.len() > k {
                self.back.select_nth_unstable(k - 1);
                self.back.truncate(k);
            }
            let to = if new { &mut self.all } else { &mut self.old };
            to.extend(self.back.iter().map(|(_, row)| *row));
            to.sort_unstable();
            to.dedup();
        }
        let n_new = self.all.len();
        let new = &self.all;
        self.old.retain(|row| new.binary_search(row).is_err());
        self.all.extend_from_slice(&self.old);
        n_new
    }
}

/// A number that looks random, for a row and another: the same whoever asks, in whatever order.
fn hash(seed: u64, i: u64, j: u64) -> u64 {
    let mut x = seed ^ i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ j.rotate_left(32);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

const LANES: usize = 16;

fn square(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let whole = a.len() / LANES * LANES;
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for l in 0..LANES {
            lanes[l] += (a[l] - b[l]) * (a[l] - b[l]);
        }
    }
    let rest = a[whole..].iter().zip(&b[whole..]);
    let rest: f32 = rest.map(|(a, b)| (a - b) * (a - b)).sum();
    lanes.iter().sum::<f32>() + rest
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let whole = a.len() / LANES * LANES;
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for l in 0..LANES {
            lanes[l] += a[l] * b[l];
        }
    }
    let rest = a[whole..].iter().zip(&b[whole..]);
    let rest: f32 = rest.map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}
