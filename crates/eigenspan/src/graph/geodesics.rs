//! Geodesics: lengths of the shortest paths between rows along the edges of a neighbor graph.
//!
//! From one row they come nearest first (Dijkstra 1959, doi:10.1007/BF01386390). Here 32 rows that lie near each other are
//! worked on together: the order in which Dijkstra's algorithm reaches the others from one of them is nearly the right order for all
//! of them, and sweeps in that order ([`min_plus`]) correct what it leaves. Every length is the least sum of edges along any path,
//! so that it does not depend on which rows share a sweep.
//!
//! Cost for m sources among n rows with k edges each: m/32 times n·log n, and about 3·m·n·k additions, 32 at a time.

use std::sync::Mutex;

use super::graph_of::Graph;
use super::heap::Heap;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{LANES, Lanes, min_plus};
use crate::mat::Mat;
use crate::parallel::{self, lock};

/// A path begins at one of these rows, at this length.
pub(crate) type Seeds = Vec<(u32, f64)>;

/// Lengths of paths from a few sources to every row, as a thread works them out; used again for the next.
#[derive(Default)]
struct Memory {
    heap: Heap,
    order: Vec<u32>,
    touched: Vec<bool>,
    cells: Vec<Lanes>,
}

/// The shortest paths in a symmetric graph from some of its rows to all: one row of the result per source. Rows that no path reaches
/// are at distance ∞.
pub(crate) fn geodesics(
    ctx: &Context,
    graph: &Graph,
    sources: &[usize],
) -> Result<Mat<f64>, Error> {
    let n = graph.n_rows();
    let needed = 8 * (n as u64).saturating_mul(sources.len() as u64);
    if !ctx.affords(needed) {
        return Err(Error::Memory {
            what: format!("geodesics from {} to {n} rows", sources.len()),
            needed,
            allowed: ctx.allowed(),
        });
    }
    ctx.begin("shortest paths", Some(sources.len() as u64));
    let mut all = Mat::zeros(sources.len(), n);
    let groups = near_each_other(graph, sources);
    let places: Vec<Mutex<&mut [f64]>> = all
        .as_mut_slice()
        .chunks_mut(n.max(1))
        .map(Mutex::new)
        .collect();
    let memories: Mutex<Vec<Memory>> = Mutex::default();
    ctx.install_here(|| {
        parallel::try_collect(groups.len(), |g| {
            ctx.check()?;
            let mut memory = lock(&memories).pop().unwrap_or_default();
            let group = &groups[g];
            let seeds: Vec<Seeds> = group
                .iter()
                .map(|&at| vec![(sources[at] as u32, 0.0)])
                .collect();
            memory.solve(graph, &seeds);
            for (lane, &at) in group.iter().enumerate() {
                let mut row = lock(&places[at]);
                row.iter_mut()
                    .zip(&memory.cells)
                    .for_each(|(to, cells)| *to = cells[lane]);
            }
            lock(&memories).push(memory);
            ctx.advance(group.len() as u64);
            Ok::<_, Error>(())
        })
    })?;
    drop(places);
    Ok(all)
}

/// The shortest paths from sources beside the graph, each of which reaches it at some of its rows; `read` gets the lengths to all rows,
/// and the lane of each source in them.
pub(crate) fn from_outside<R: Send>(
    ctx: &Context,
    graph: &Graph,
    sources: &[Seeds],
    read: impl Fn(&[Lanes], usize) -> R + Sync,
) -> Result<Vec<R>, Error> {
    let memories: Mutex<Vec<Memory>> = Mutex::default();
    let groups: Vec<&[Seeds]> = sources.chunks(LANES).collect();
    let found = ctx.install_here(|| {
        parallel::try_collect(groups.len(), |g| {
            ctx.check()?;
            let mut memory = lock(&memories).pop().unwrap_or_default();
            memory.solve(graph, groups[g]);
            let read: Vec<R> = (0..groups[g].len())
                .map(|lane| read(&memory.cells, lane))
                .collect();
            lock(&memories).push(memory);
            Ok::<_, Error>(read)
        })
    })?;
    Ok(found.into_iter().flatten().collect())
}

impl Memory {
    /// Lengths from at most [`LANES`] sources.
    fn solve(&mut self, graph: &Graph, sources: &[Seeds]) {
        let n = graph.n_rows();
        // 1. The order in which the rows are reached from the first source; rows that it does not reach come last.
        self.order.clear();
        self.heap.reset(n);
        self.touched.clear();
        self.touched.resize(n, false);
        let first = sources.first().into_iter().flatten();
        first.for_each(|(row, length)| self.heap.offer(*row, *length));
        while let Some((row, length)) = self.heap.pop() {
            self.order.push(row);
            self.touched[row as usize] = true;
            let (columns, values) = graph.row(row as usize);
            for (column, x) in columns.iter().zip(values) {
                self.heap.offer(*column, length + x);
            }
        }
        let touched = &self.touched;
        let rest = (0..n as u32).filter(|row| !touched[*row as usize]);
        self.order.extend(rest);
        // 2. Sweeps in this order for all of them.
        self.cells.clear();
        self.cells.resize(n, [f64::INFINITY; LANES]);
        for (lane, seeds) in sources.iter().enumerate() {
            for (row, length) in seeds {
                let cell = &mut self.cells[*row as usize][lane];
                *cell = cell.min(*length);
            }
        }
        let matrix = (&graph.starts[..], &graph.columns[..], &graph.values[..]);
        min_plus(matrix, &self.order, &mut self.cells, &mut self.touched);
    }
}

/// Sources in groups of at most [`LANES`] that lie near each other, by their places in the list: the nearest that are in no group yet.
fn near_each_other(graph: &Graph, sources: &[usize]) -> Vec<Vec<usize>> {
    /// Rows that are reached in search of sources that are in no group yet, in the first round; each further round reaches four times
    /// as many.
    const REACHED: usize = 4 * LANES;
    let n = graph.n_rows();
    let mut at: Vec<u32> = vec![u32::MAX; n];
    for (place, &row) in (0u32..).zip(sources) {
        at[row] = place;
    }
    let mut heap = Search::default();
    let mut groups = Vec::new();
    let mut waiting: Vec<usize> = (0..sources.len()).collect();
    let mut reach = REACHED;
    while !waiting.is_empty() {
        let mut later = Vec::new();
        for &place in &waiting {
            if at[sources[place]] == u32::MAX {
                continue;
            }
            let group = heap.nearest(graph, sources[place], reach, &at);
            if group.len() < LANES && reach < n {
                later.push(place);
                continue;
            }
            let group: Vec<usize> = group.into_iter().map(|p| p as usize).collect();
            group.iter().for_each(|&p| at[sources[p]] = u32::MAX);
            groups.push(group);
        }
        waiting = later;
        reach *= 4;
    }
    groups
}

/// A search for near rows that forgets what it reached, at a cost that does not depend on the size of the graph.
#[derive(Default)]
struct Search {
    heap: std::collections::BinaryHeap<std::cmp::Reverse<(u64, u32)>>,
    /// The search that reached each row last.
    reached: Vec<u32>,
    searches: u32,
}

impl Search {
    /// The places in the list of sources of the [`LANES`] nearest that `at` knows, among the `reach` nearest rows.
    fn nearest(&mut self, graph: &Graph, from: usize, reach: usize, at: &[u32]) -> Vec<u32> {
        use std::cmp::Reverse;
        self.heap.clear();
        self.reached.resize(graph.n_rows(), 0);
        self.searches += 1;
        let mut n_reached = 0;
        self.heap.push(Reverse((0, from as u32)));
        let mut found = Vec::with_capacity(LANES);
        while let Some(Reverse((bits, row))) = self.heap.pop() {
            if self.reached[row as usize] == self.searches {
                continue;
            }
            self.reached[row as usize] = self.searches;
            n_reached += 1;
            if at[row as usize] != u32::MAX {
                found.push(at[row as usize]);
            }
            if found.len() == LANES || n_reached >= reach {
                break;
            }
            let (columns, values) = graph.row(row as usize);
            let length = f64::from_bits(bits);
            for (column, x) in columns.iter().zip(values) {
                if self.reached[*column as usize] != self.searches {
                    // Lengths are not negative, so that their bits are in their order.
                    self.heap.push(Reverse(((length + x).to_bits(), *column)));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A symmetric graph with edges of small whole lengths, some of them 0, whose path lengths have no rounding.
    fn random_graph(n: usize, n_edges: usize, seed: u64) -> (Graph, Mat<f64>) {
        let mut rng = Rng::new(seed);
        let mut dense = Mat::from_fn(n, n, |_, _| f64::INFINITY);
        for _ in 0..n_edges {
            let (i, j, x) = (rng.below(n), rng.below(n), rng.below(9) as f64);
            if i != j {
                (dense[(i, j)], dense[(j, i)]) = (x, x);
            }
        }
        let mut graph = Graph {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            n_cols: n,
        };
        for row in dense.rows() {
            for (j, x) in (0u32..).zip(row).filter(|(_, x)| x.is_finite()) {
                graph.columns.push(j);
                graph.values.push(*x);
            }
            graph.starts.push(graph.columns.len());
        }
        (graph, dense)
    }

    /// Floyd 1962, doi:10.1145/367766.368168.
    fn all_pairs(mut dense: Mat<f64>) -> Mat<f64> {
        let n = dense.n_rows();
        (0..n).for_each(|i| dense[(i, i)] = 0.0);
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let through = dense[(i, k)] + dense[(k, j)];
                    dense[(i, j)] = dense[(i, j)].min(through);
                }
            }
        }
        dense
    }

    #[test]
    fn paths_are_the_shortest_of_all() {
        for (n, n_edges) in [(2, 1), (17, 20), (60, 90), (150, 600)] {
            let (graph, dense) = random_graph(n, n_edges, n as u64);
            let expected = all_pairs(dense);
            let ctx = Context::new();
            let all: Vec<usize> = (0..n).collect();
            assert_eq!(geodesics(&ctx, &graph, &all).expect("paths"), expected);
            // From some rows, in any order.
            let some: Vec<usize> = (0..n).rev().step_by(3).collect();
            let found = geodesics(&ctx, &graph, &some).expect("paths");
            for (i, &source) in some.iter().enumerate() {
                assert_eq!(found.row(i), expected.row(source));
            }
            // From outside: the nearer of two ways in.
            let seeds: Vec<Seeds> = (0..n).map(|i| vec![(i as u32, 5.0), (0, 1.0)]).collect();
            let column = |cells: &[Lanes], lane: usize| -> Vec<f64> {
                cells.iter().map(|cells| cells[lane]).collect()
            };
            let outside = from_outside(&ctx, &graph, &seeds, column).expect("paths");
            for (i, lengths) in outside.iter().enumerate() {
                for (j, x) in lengths.iter().enumerate() {
                    assert_eq!(*x, (expected[(i, j)] + 5.0).min(expected[(0, j)] + 1.0));
                }
            }
        }
    }
}
