//! Products with a few vectors: Z += PᵀW(P·Q), where P is read once and each of its cells is used for all vectors.
//!
//! An iterative solver does little else. Rows of P come in panels that stay in the cache between P·Q and Pᵀ·Y. Both products
//! use one tile of registers: numbers of P, each multiplied with whole registers of the vectors, whose cells are adjacent
//! ([`Columns`]). Everything runs on the calling thread, in an order that depends only on the shapes.

mod banded;
mod columns;
mod lower;
mod sparse;
mod step;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use banded::{BandedRows, pays_to_band};
pub use columns::Columns;
pub(crate) use lower::{LowerTiles, SIDE, symmetric_times};
pub(crate) use sparse::add_sparse_gram_times;
pub(crate) use step::sparse_step;
pub(crate) use sums::add_sums;

use super::simd::{InstructionSet, Isa, Vector, Work, next_registers};
use crate::mat::Mat;
use crate::parallel;

/// Memory that is reused for every panel.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The rows of the current panel of P.
    pub(crate) panel: Vec<f64>,
    /// P·Q.
    y: Vec<f64>,
}

/// Bytes of P that are multiplied together: a share of a core's own cache, if rows are short enough.
const PANEL_BYTES: usize = 256 << 10;

/// Rows of P in a panel; or columns, if all rows are wanted.
pub(crate) fn panel_rows(d: usize) -> usize {
    (PANEL_BYTES / (8 * d.max(1))).clamp(16, 256)
}

impl Scratch {
    /// Z += PᵀW(P·Q − 1·offsetᵀ), for a panel P of rows that are stored one after the other; 1ᵀW(P·Q − 1·offsetᵀ) is added to
    /// the sums that come with an offset.
    pub(crate) fn add_gram_times(
        &mut self,
        z: &mut Columns,
        p: &[f64],
        q: &Columns,
        weights: Option<&[f64]>,
        offset: Option<(&[f64], &mut [f64])>,
    ) {
        let (d, width) = (q.len(), q.width);
        assert!(z.len() == d && z.width == width && d > 0 && p.len().is_multiple_of(d));
        let n = p.len() / d;
        self.y.clear();
        self.y.resize(n * width, 0.0);
        if let Some((offset, _)) = &offset {
            for row in self.y.chunks_exact_mut(width) {
                row.iter_mut().zip(*offset).for_each(|(y, o)| *y = -o);
            }
        }
        add_times((p, d, 1), (n, d), &q.cells, &mut self.y, width);
        if let Some(weights) = weights {
            for (row, w) in self.y.chunks_exact_mut(width).zip(weights) {
                row.iter_mut().for_each(|y| *y *= w);
            }
        }
        if let Some((_, sums)) = offset {
            for row in self.y.chunks_exact(width) {
                sums.iter_mut().zip(row).for_each(|(s, y)| *s += y);
            }
        }
        add_times((p, 1, d), (d, n), &self.y, &mut z.cells, width);
    }

    /// T = Pᵀ·U for the panel that is already in this memory, with as many rows as U has cells; written to `t`.
    pub(crate) fn transposed_times(&mut self, t: &mut [f64], u: &Columns) {
        let (n, width) = (u.len(), u.width);
        let d = self.panel.len() / n.max(1);
        t.fill(0.0);
        add_times((&self.panel, 1, d), (d, n), &u.cells, t, width);
    }

    /// Z += P·(Pᵀ·U) for the same panel.
    pub(crate) fn add_outer_times(&mut self, z: &mut Columns, u: &Columns) {
        let (n, width) = (u.len(), u.width);
        let d = self.panel.len() / n.max(1);
        let mut y = std::mem::take(&mut self.y);
        y.resize(d * width, 0.0);
        self.transposed_times(&mut y, u);
        add_times((&self.panel, d, 1), (n, d), &y, &mut z.cells, width);
        self.y = y;
    }

    /// Z += PᵀW(P·Q) for the panel that is already in this memory.
    pub(crate) fn add_own_gram_times(
        &mut self,
        z: &mut Columns,
        q: &Columns,
        weights: Option<&[f64]>,
    ) {
        let panel = std::mem::take(&mut self.panel);
        self.add_gram_times(z, &panel, q, weights, None);
        self.panel = panel;
    }
}

/// Rows of a matrix that one thread multiplies at a time.
const RUN: usize = 64;

/// A·V.
pub(crate) fn times(a: &Mat<f64>, v: &Columns) -> Columns {
    let mut out = Columns::zeros(a.n_rows(), v.n_cols);
    let (d, width) = (a.n_cols(), v.width);
    assert_eq!(d, v.len());
    if d == 0 || width == 0 {
        return out;
    }
    let rows = a.as_slice();
    parallel::each_chunk(&mut out.cells, RUN * width, |run, out| {
        let cells = &rows[run * RUN * d..rows.len().min((run + 1) * RUN * d)];
        add_times((cells, d, 1), (cells.len() / d, d), &v.cells, out, width);
    });
    out
}

/// V −= BᵀB·V: removes from V its projection on the orthonormal rows of B.
pub(crate) fn project_out(b: &Mat<f64>, v: &mut Columns) {
    let (m, d) = (b.n_rows(), b.n_cols());
    if m == 0 || d == 0 || v.n_cols == 0 {
        return;
    }
    // 1. The coefficients B·V of the projection.
    let mut common = times(b, v);
    common.scale(-1.0);
    // 2. Subtracts the projection from some cells of V at a time, with a few rows of B at a time: cells of V stay in the
    // first-level cache.
    const CELLS: usize = 256;
    const ROWS: usize = 32;
    let width = v.width;
    v.each_run(CELLS, |i, out| {
        for from in (0..m).step_by(ROWS) {
            let to = (from + ROWS).min(m);
            let cells = &b.as_slice()[from * d + i * CELLS..];
            let shape = (out.len() / width, to - from);
            add_times((cells, 1, d), shape, common.run(from..to), out, width);
        }
    });
}

/// out += M·V for an M of `shape` that is given by its cells and two strides: from row to row, and from column to column.
pub(crate) fn add_times(
    (cells, across, along): (&[f64], usize, usize),
    (n_rows, depth): (usize, usize),
    vectors: &[f64],
    out: &mut [f64],
    width: usize,
) {
    if n_rows == 0 || depth == 0 || width == 0 {
        return;
    }
    InstructionSet::best().run(Times {
        p: cells,
        across,
        along,
        vectors,
        out,
        width,
        n_rows,
        depth,
    });
}

/// out += M·V, where M is given by two strides and the vectors V are stored side by side.
struct Times<'a> {
    p: &'a [f64],
    /// From one row of M to the next, and from one column to the next.
    across: usize,
    along: usize,
    vectors: &'a [f64],
    out: &'a mut [f64],
    width: usize,
    n_rows: usize,
    depth: usize,
}

/// Bytes of the vectors that stay in the first-level cache while the rows are multiplied.
const DEPTH_BYTES: usize = 20 << 10;

impl Work for Times<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let lanes = I::F64::LANES;
        let last = (self.n_rows - 1) * self.across + (self.depth - 1) * self.along;
        assert!(last < self.p.len());
        assert!(self.vectors.len() >= self.depth * self.width);
        assert!(self.out.len() >= self.n_rows * self.width);
        let step = (DEPTH_BYTES / (8 * I::VECTORS * lanes)).max(16);
        for from in (0..self.depth).step_by(step) {
            let depth = step.min(self.depth - from);
            let mut left = 0;
            while left < self.width {
                // Divided evenly: a single register at the end would make the processor wait.
                let rest = self.width - left;
                let vectors = rest.div_ceil(lanes);
                let most = vectors.div_ceil(vectors.div_ceil(I::VECTORS));
                let (live, cells) = next_registers::<I>(rest, most);
                let mut row = 0;
                // SAFETY: rows, depth and columns stay inside what was asserted above; `I` as promised by the caller.
                unsafe {
                    while row + ROWS <= self.n_rows {
                        match live {
                            0 => self.add_tile::<I::Wider, 1, ROWS>(row, from, depth, left),
                            1 => self.add_tile::<I::F64, 1, ROWS>(row, from, depth, left),
                            2 => self.add_tile::<I::F64, 2, ROWS>(row, from, depth, left),
                            _ => self.add_tile::<I::F64, 3, ROWS>(row, from, depth, left),
                        }
                        row += ROWS;
                    }
                    while row < self.n_rows {
                        match live {
                            0 => self.add_tile::<I::Wider, 1, 1>(row, from, depth, left),
                            1 => self.add_tile::<I::F64, 1, 1>(row, from, depth, left),
                            2 => self.add_tile::<I::F64, 2, 1>(row, from, depth, left),
                            _ => self.add_tile::<I::F64, 3, 1>(row, from, depth, left),
                        }
                        row += 1;
                    }
                }
                left += cells;
            }
        }
    }
}

impl Times<'_> {
    /// Adds to `ROWS` rows of `N` registers of the result.
    #[inline(always)]
    unsafe fn add_tile<V: Vector<Cell = f64>, const N: usize, const ROWS: usize>(
        &mut self,
        row: usize,
        from: usize,
        depth: usize,
        left: usize,
    ) {
        // SAFETY: the caller vouches for all places these pointers walk through, and for the instructions.
        unsafe {
            let mut number = self.p.as_ptr().add(row * self.across + from * self.along);
            let mut vectors = self.vectors.as_ptr().add(from * self.width + left);
            let mut sums = [[V::zero(); N]; ROWS];
            for _ in 0..depth {
                let columns: [V; N] = std::array::from_fn(|v| V::load(vectors.add(v * V::LANES)));
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = V::splat(*number.add(r * self.across));
                    for v in 0..N {
                        sums[v] = columns[v].mul_add(x, sums[v]).pinned();
                    }
                }
                number = number.wrapping_add(self.along);
                vectors = vectors.wrapping_add(self.width);
            }
            let out = self.out.as_mut_ptr().add(row * self.width + left);
            for (r, sums) in sums.into_iter().enumerate() {
                for (v, sum) in sums.into_iter().enumerate() {
                    sum.add_to(out.add(r * self.width + v * V::LANES));
                }
            }
        }
    }
}
