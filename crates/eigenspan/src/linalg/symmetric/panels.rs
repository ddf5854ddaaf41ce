//! Packs data rows for the kernel: centers, weights and rounds them once, in the layout that the kernel reads.
//!
//! A panel holds as many columns as a register has lanes, row after row: cell (i, j) lies at
//! `(j / LANES)·stride + i·LANES + j % LANES`. Columns that do not exist are zero.

use super::super::simd::{Cell, LINE, MAX_LANES, Vector};
use crate::mat::{MatView, Real};

/// Bytes of neighboring rows that are handled together, a strip of columns at a time: they stay in the first-level cache.
const GROUP: usize = 4096;

/// Rows of f32 or f64 whose cells are adjacent in memory, and how each is transformed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Centered<'a, T> {
    /// The rows; their columns are adjacent.
    pub(crate) rows: MatView<'a, T>,
    /// Subtracted first: a row near the data, so that no digits are lost.
    pub(crate) shift: &'a [f64],
    /// Subtracted second: the mean relative to the shift.
    pub(crate) mean: &'a [f64],
    /// A row is multiplied by the square root of its weight; without weights every row weighs 1.
    pub(crate) weights: Option<&'a [f64]>,
    /// Cells that are needed next, to be prefetched while these are multiplied.
    pub(crate) ahead: &'a [T],
}

/// How many cells panels take, and where each begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) n_rows: usize,
    pub(super) n_cols: usize,
    /// Columns of a panel.
    pub(super) lanes: usize,
    /// From one panel to the next.
    pub(super) stride: usize,
    /// Cells in all.
    pub(super) len: usize,
}

impl Layout {
    pub(super) fn new<V: Vector>(n_rows: usize, n_cols: usize) -> Self {
        let cells_per_line = LINE / V::Cell::BYTES;
        // An odd number of cache lines, so that the panels do not all map to the same place of the cache.
        let lines = (n_rows * V::LANES).div_ceil(cells_per_line) | 1;
        let stride = lines * cells_per_line;
        Layout {
            n_rows,
            n_cols,
            lanes: V::LANES,
            stride,
            len: n_cols.div_ceil(V::LANES) * stride,
        }
    }
}

/// Memory for panels, aligned to cache lines, for either type.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory(Vec<Line>);

#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; LINE / 8]);

impl Memory {
    /// Room for `len` cells with arbitrary content.
    pub(super) fn cells<T: Cell>(&mut self, len: usize) -> &mut [T] {
        let lines = (len * T::BYTES).div_ceil(LINE);
        if self.0.len() < lines {
            self.0.resize(lines, Line([0; LINE / 8]));
        }
        // SAFETY: the lines are long enough and aligned; `Cell` is f32 or f64, for which any bits are a number.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), len) }
    }
}

impl<'a, T: Real> Centered<'a, T> {
    /// Adds w·(x − shift) of every row to `sums`, in order.
    #[inline(always)]
    pub(super) fn add_sums(&self, sums: &mut [f64]) {
        let d = sums.len();
        let rows = self.rows_with(|weight| weight);
        for group in rows.chunks(group_rows::<T>(d, 8)) {
            let mut from = 0;
            while from + WIDE <= d {
                self.add_strip::<WIDE>(group, from, sums, whole);
                from += WIDE;
            }
            while from + NARROW <= d {
                self.add_strip::<NARROW>(group, from, sums, whole);
                from += NARROW;
            }
            if from < d {
                self.add_strip::<NARROW>(group, from, sums, partial);
            }
        }
    }

    /// The same for a strip of columns, with the sums in registers from row to row.
    #[inline(always)]
    fn add_strip<const L: usize>(
        &self,
        group: &[Row<'_, T>],
        from: usize,
        sums: &mut [f64],
        load: impl Fn(&[T], usize) -> [T; L],
    ) {
        let shift: [f64; L] = partial(self.shift, from);
        let mut sum: [f64; L] = partial(sums, from);
        for (cells, weight) in group.iter().filter(|(_, weight)| *weight != 0.0) {
            let cells = load(cells, from);
            for l in 0..L {
                sum[l] += weight * (cells[l].to_f64() - shift[l]);
            }
        }
        let sums = &mut sums[from..];
        for (to, sum) in sums.iter_mut().zip(sum) {
            *to = sum;
        }
    }

    /// Writes the panels of the columns from `first` on, as many as `panels` holds, and adds w·(x − shift − mean) of every row to
    /// `sums`, which begins with column `first`, in order. Returns whether products of these cells stay in the range of their
    /// type.
    #[inline(always)]
    pub(super) fn pack<V: Vector>(
        &self,
        layout: Layout,
        first: usize,
        panels: &mut [V::Cell],
        sums: &mut [f64],
    ) -> bool {
        let d = layout.n_cols;
        let rows = self.rows_with(f64::sqrt);
        // Whole cache lines of a panel are written at a time.
        let height = group_rows::<T>(d, 8);
        let mut fits = true;
        for (g, group) in rows.chunks(height).enumerate() {
            for (panel, from) in panels
                .chunks_exact_mut(layout.stride)
                .zip((first..d).step_by(V::LANES))
            {
                let out = &mut panel[g * height * V::LANES..][..group.len() * V::LANES];
                let sums = &mut sums[from - first..];
                fits &= match V::LANES {
                    4 => self.pack_panel::<V::Cell, 4>(group, from, out, sums),
                    8 => self.pack_panel::<V::Cell, 8>(group, from, out, sums),
                    _ => self.pack_panel::<V::Cell, MAX_LANES>(group, from, out, sums),
                };
            }
        }
        fits
    }

    /// Writes a group's rows into one panel, whose first column is `from`; `sums` begin with it.
    #[inline(always)]
    fn pack_panel<U: Cell, const L: usize>(
        &self,
        group: &[Row<'_, T>],
        from: usize,
        out: &mut [U],
        sums: &mut [f64],
    ) -> bool {
        if from + L <= self.rows.n_cols() {
            self.pack_group(group, from, out, sums, whole::<T, L>)
        } else {
            self.pack_group(group, from, out, sums, partial::<T, L>)
        }
    }

    #[inline(always)]
    fn pack_group<U: Cell, const L: usize>(
        &self,
        group: &[Row<'_, T>],
        from: usize,
        out: &mut [U],
        sums: &mut [f64],
        load: impl Fn(&[T], usize) -> [T; L],
    ) -> bool {
        let shift: [f64; L] = partial(self.shift, from);
        let mean: [f64; L] = partial(self.mean, from);
        let mut sum: [f64; L] = partial(sums, 0);
        let mut largest = [U::default(); L];
        for ((cells, root), out) in group.iter().zip(out.chunks_exact_mut(L)) {
            let mut packed = [U::default(); L];
            // A row without weight may hold any cells: zero times NaN would not be zero.
            if *root != 0.0 {
                let cells = load(cells, from);
                for l in 0..L {
                    let cell = ((cells[l].to_f64() - shift[l]) - mean[l]) * root;
                    sum[l] += cell * root;
                    packed[l] = U::from_f64(cell);
                    largest[l] = packed[l].larger(largest[l]);
                }
            }
            out.copy_from_slice(&packed);
        }
        sums.iter_mut().zip(sum).for_each(|(to, sum)| *to = sum);
        largest.iter().all(|x| x.squares_fit())
    }

    /// All rows, each with a function of its weight.
    fn rows_with(&self, factor: impl Fn(f64) -> f64) -> Vec<Row<'a, T>> {
        (0..self.rows.n_rows())
            .map(|i| {
                let weight = self.weights.map_or(1.0, |w| w[i]);
                (self.rows.row(i).unwrap_or_default(), factor(weight))
            })
            .collect()
    }
}

/// Cells of a row and the factor they are multiplied with.
type Row<'a, T> = (&'a [T], f64);

/// Columns summed at a time: enough chains of additions to keep the processor busy; and fewer for the remaining columns.
const WIDE: usize = 8;
const NARROW: usize = 4;

/// Rows in a group.
fn group_rows<T: Real>(d: usize, least: usize) -> usize {
    (GROUP / (d.max(1) * T::BYTES)).max(least)
}

/// `L` cells from column `from` on, in a local array that nothing else points to: the compiler then uses whole registers.
#[inline(always)]
fn whole<T: Real, const L: usize>(row: &[T], from: usize) -> [T; L] {
    let mut cells = [T::default(); L];
    cells.copy_from_slice(&row[from..from + L]);
    cells
}

/// The same at the end of a row: cells beyond it are zero.
#[inline(always)]
fn partial<T: Real, const L: usize>(row: &[T], from: usize) -> [T; L] {
    std::array::from_fn(|l| row.get(from + l).copied().unwrap_or_default())
}
