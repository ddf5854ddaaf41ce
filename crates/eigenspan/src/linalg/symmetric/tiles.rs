//! The product of packed panels, tile by tile: C += PᵀP on and below the diagonal.
//!
//! A tile of C is `ROWS` rows by up to three registers of columns, summed in registers along the data rows: for each data
//! row, the registers are loaded from the panels of the tile's columns, and each is multiplied with every number in the panel
//! of the tile's rows. The panels of the columns stay in the first-level cache while those of a block of rows stream through
//! the second-level cache (Goto & van de Geijn 2008, doi:10.1145/1356052.1356053).

use super::super::simd::{Isa, LINE, MAX_LANES, MAX_VECTORS, Vector, prefetch};
use super::panels::Layout;
use crate::mat::Real;

/// Bytes of packed rows of C that are processed before the columns change: half of a small second-level cache.
const BLOCK: usize = 256 << 10;
/// The most bytes of the next data rows that are prefetched: more would evict the panels. With AVX-512, 200k × 256 takes 6 % less
/// time in f64 than without prefetching, and 10 % less in f32.
const MOST_AHEAD: usize = 768 << 10;

/// Some adjacent rows of C.
pub(super) struct Strip<'a> {
    cells: &'a mut [f64],
    /// The first of them, a multiple of the lanes of any register.
    first: usize,
    /// Columns of C.
    d: usize,
}

impl<'a> Strip<'a> {
    /// Rows from `first` on, of a matrix with d columns.
    pub(super) fn new(cells: &'a mut [f64], first: usize, d: usize) -> Self {
        assert!(cells.len().is_multiple_of(d.max(1)) && first.is_multiple_of(MAX_LANES));
        assert!(first + cells.len() / d.max(1) <= d);
        Strip { cells, first, d }
    }

    /// The row after the last.
    fn end(&self) -> usize {
        self.first + self.cells.len() / self.d.max(1)
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let from = (i - self.first) * self.d;
        &mut self.cells[from..from + self.d]
    }
}

/// Adds PᵀP, where P was packed as `layout` says, to the part of the lower triangle that lies in the rows `c`.
///
/// # Safety
/// The processor must have the instructions of `I`.
#[inline(always)]
pub(super) unsafe fn add_product<I: Isa, V: Vector, const ROWS: usize>(
    c: &mut Strip<'_>,
    layout: Layout,
    panels: &[V::Cell],
    ahead: &[impl Real],
) {
    assert!(panels.len() >= layout.len && V::LANES.is_multiple_of(ROWS) && c.d == layout.n_cols);
    let n = layout.n_rows;
    let n_tiles = c.d.pow(2) / (2 * ROWS * I::VECTORS * V::LANES) + 1;
    let mut ahead = Ahead::new(ahead, n_tiles);
    // Runs of nearly equal length, so that none is too short to pay for its access to C.
    let n_runs = n.div_ceil(I::DEPTH);
    for run in 0..n_runs {
        let (start, end) = (run * n / n_runs, (run + 1) * n / n_runs);
        let run = Run::<V> {
            panels: &panels[start * V::LANES..],
            depth: end - start,
            stride: layout.stride,
        };
        // SAFETY: the panels hold `layout.len` cells, hence `end` rows of every panel; `I` as promised by the caller.
        unsafe { run.add_product::<I, ROWS>(c, &mut ahead) };
    }
}

/// Some of the data rows, in all panels.
struct Run<'a, V: Vector> {
    /// Begins with the first of these rows in the first panel.
    panels: &'a [V::Cell],
    depth: usize,
    stride: usize,
}

impl<V: Vector> Run<'_, V> {
    #[inline(always)]
    unsafe fn add_product<I: Isa, const ROWS: usize>(
        &self,
        c: &mut Strip<'_>,
        ahead: &mut Ahead<'_>,
    ) {
        let d = c.end();
        let row_bytes = self.depth * V::Cell::BYTES;
        let block = (BLOCK / row_bytes).next_multiple_of(V::LANES);
        for top in (c.first..d).step_by(block) {
            let bottom = (top + block).min(d);
            for left in (0..bottom).step_by(I::VECTORS * V::LANES) {
                for row in (top.max(left)..bottom).step_by(ROWS) {
                    ahead.step();
                    // Registers entirely above the diagonal are left out.
                    let columns = (row + ROWS).min(d) - left;
                    let live = columns.div_ceil(V::LANES).min(I::VECTORS);
                    // SAFETY: row < d and left < d; a live register has a column < d: all lie in existing panels.
                    unsafe {
                        match live {
                            1 => self.add_tile::<1, ROWS>(c, row, left),
                            2 => self.add_tile::<2, ROWS>(c, row, left),
                            _ => self.add_tile::<3, ROWS>(c, row, left),
                        }
                    }
                }
            }
        }
    }

    /// Adds one tile, `N` registers wide.
    #[inline(always)]
    unsafe fn add_tile<const N: usize, const ROWS: usize>(
        &self,
        c: &mut Strip<'_>,
        row: usize,
        left: usize,
    ) {
        let rows = row..(row + ROWS).min(c.end());
        for i in rows.clone() {
            // A C with many columns is in slow memory, so it is prefetched.
            let start = c.row_mut(i)[left..].as_ptr();
            prefetch(start);
            prefetch(start.wrapping_add(LINE / 8));
        }
        // SAFETY: as promised by the caller.
        let sums = unsafe { self.tile::<N, ROWS>(row, left) };
        for (i, sums) in rows.zip(sums) {
            let width = (N * V::LANES).min(i + 1 - left);
            let out = &mut c.row_mut(i)[left..left + width];
            if width == N * V::LANES {
                // SAFETY: `out` has room for all lanes.
                unsafe { add_row(sums, out.as_mut_ptr()) };
            } else {
                // On the diagonal: the lanes beyond it are not stored.
                let mut whole = [0.0; MAX_VECTORS * MAX_LANES];
                // SAFETY: `whole` has room for the lanes of any instruction set.
                unsafe { add_row(sums, whole.as_mut_ptr()) };
                out.iter_mut().zip(whole).for_each(|(out, x)| *out += x);
            }
        }
    }

    /// The sums of one tile along the data rows.
    #[inline(always)]
    unsafe fn tile<const N: usize, const ROWS: usize>(
        &self,
        row: usize,
        left: usize,
    ) -> [[V; N]; ROWS] {
        // SAFETY: the caller vouches for the panels these pointers walk through, and for the instructions.
        unsafe {
            let panels = self.panels.as_ptr();
            let mut right = panels.add(row / V::LANES * self.stride + row % V::LANES);
            let mut across = panels.add(left / V::LANES * self.stride);
            let mut sums = [[V::zero(); N]; ROWS];
            for _ in 0..self.depth {
                let columns: [V; N] = std::array::from_fn(|v| V::load(across.add(v * self.stride)));
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = V::splat(*right.add(r));
                    for v in 0..N {
                        sums[v] = columns[v].mul_add(x, sums[v]).pinned();
                    }
                }
                right = right.add(V::LANES);
                across = across.add(V::LANES);
            }
            sums
        }
    }
}

#[inline(always)]
unsafe fn add_row<V: Vector, const N: usize>(sums: [V; N], out: *mut f64) {
    for (v, sums) in sums.into_iter().enumerate() {
        // SAFETY: the caller vouches for N·LANES numbers from `out` on.
        unsafe { sums.add_to(out.add(v * V::LANES)) };
    }
}

/// Data that is needed after this product, prefetched piece by piece during the arithmetic.
struct Ahead<'a> {
    lines: std::slice::Chunks<'a, u8>,
    per_tile: usize,
}

impl<'a> Ahead<'a> {
    fn new<T: Real>(cells: &'a [T], n_tiles: usize) -> Self {
        // SAFETY: f32 and f64 may be looked at as bytes, of which there are so many. They are not even read.
        let bytes =
            unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<u8>(), size_of_val(cells)) };
        let lines = if bytes.len() < MOST_AHEAD { bytes } else { &[] }.chunks(LINE);
        Ahead {
            per_tile: lines.len().div_ceil(n_tiles),
            lines,
        }
    }

    #[inline(always)]
    fn step(&mut self) {
        self.lines
            .by_ref()
            .take(self.per_tile)
            .for_each(|line| prefetch(line.as_ptr()));
    }
}
