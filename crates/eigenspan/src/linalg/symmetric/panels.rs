//! Data rows on their way into the kernel: centered, weighted, rounded once, and laid out as it reads them.
//!
//! A panel holds as many columns as a register has lanes, row after row: cell (i, j) lies at
//! `(j / LANES)·stride + i·LANES + j % LANES`. Columns that do not exist are zero.

use super::simd::{Cell, MAX_LANES, Vector};
use crate::mat::{MatView, Real};

/// Rows handled together: whole cache lines of a panel are written at a time, and means stay in registers.
const GROUP: usize = 8;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Rows of f32 or f64 whose cells are neighbors in memory, and what is done to each on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Centered<'a, T> {
    /// The rows; their columns lie side by side.
    pub(crate) rows: MatView<'a, T>,
    /// Taken away first: near the data, so that nothing is lost.
    pub(crate) shift: &'a [f64],
    /// Taken away second: the mean relative to the shift.
    pub(crate) mean: &'a [f64],
    /// A row enters times the root of its weight; without weights every row weighs 1.
    pub(crate) weights: Option<&'a [f64]>,
    /// One more row that enters as it is.
    pub(crate) extra: Option<&'a [f64]>,
}

/// How many cells panels take, and where each begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Data rows, the extra one among them.
    pub(super) n_rows: usize,
    pub(super) n_cols: usize,
    /// From one panel to the next.
    pub(super) stride: usize,
    /// Cells in all.
    pub(super) len: usize,
}

impl Layout {
    pub(super) fn new<V: Vector>(n_rows: usize, n_cols: usize) -> Self {
        let cells_per_line = LINE / V::Cell::BYTES;
        // An odd number of lines, so that the panels do not all fall into the same corner of the cache.
        let lines = (n_rows * V::LANES).div_ceil(cells_per_line) | 1;
        let stride = lines * cells_per_line;
        Layout {
            n_rows,
            n_cols,
            stride,
            len: n_cols.div_ceil(V::LANES) * stride,
        }
    }
}

/// Memory for panels, on cache lines and of either type.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory(Vec<Line>);

#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; LINE / 8]);

impl Memory {
    /// Room for `len` cells, with anything in it.
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
    /// Rows that will enter, the extra one among them.
    pub(super) fn n_rows(&self) -> usize {
        self.rows.n_rows() + usize::from(self.extra.is_some())
    }

    /// Adds w·(x − shift) of every row to `sums`, in order.
    #[inline(always)]
    pub(super) fn add_sums(&self, sums: &mut [f64]) {
        let n = self.rows.n_rows();
        for start in (0..n).step_by(GROUP) {
            let rows = self.group(start, |i| self.weights.map_or(1.0, |w| w[i]));
            if rows.iter().all(|(_, weight)| *weight != 0.0) {
                // The sums stay in registers from row to row.
                add_group(&rows, self.shift, sums);
            } else {
                for row in rows.iter().filter(|(_, weight)| *weight != 0.0) {
                    add_group(std::array::from_ref(row), self.shift, sums);
                }
            }
        }
    }

    /// Writes the panels. Says whether products of these cells stay in the range of their type.
    #[inline(always)]
    pub(super) fn pack<V: Vector>(&self, layout: Layout, panels: &mut [V::Cell]) -> bool {
        let (n, d) = (self.rows.n_rows(), layout.n_cols);
        let mut fits = true;
        for start in (0..n).step_by(GROUP) {
            let rows = self.group(start, |i| self.weights.map_or(1.0, |w| w[i].sqrt()));
            let rows = &rows[..GROUP.min(n - start)];
            for (p, from) in (0..d).step_by(V::LANES).enumerate() {
                let to = p * layout.stride + start * V::LANES;
                let out = &mut panels[to..to + rows.len() * V::LANES];
                // The compiler sees the usual width as a constant.
                fits &= if from + V::LANES <= d {
                    self.pack_group::<V>(rows, from, V::LANES, out)
                } else {
                    self.pack_group::<V>(rows, from, d - from, out)
                };
            }
        }
        if let Some(extra) = self.extra {
            fits &= pack_extra::<V>(extra, layout, panels);
        }
        fits
    }

    /// The rows from `start` on with their factors. What lies beyond the last row has no cells and a factor of zero.
    #[inline(always)]
    fn group(&self, start: usize, factor: impl Fn(usize) -> f64) -> [Row<'a, T>; GROUP] {
        let mut group = [(&[] as &[T], 0.0); GROUP];
        let end = (start + GROUP).min(self.rows.n_rows());
        for (row, i) in group.iter_mut().zip(start..end) {
            *row = (self.rows.row(i).unwrap_or_default(), factor(i));
        }
        group
    }

    /// Writes a group's rows into one panel, `width` columns starting with `from`.
    #[inline(always)]
    fn pack_group<V: Vector>(
        &self,
        rows: &[Row<'a, T>],
        from: usize,
        width: usize,
        out: &mut [V::Cell],
    ) -> bool {
        let columns = from..from + width;
        let (shift, mean) = (&self.shift[columns.clone()], &self.mean[columns.clone()]);
        let mut largest = [V::Cell::default(); MAX_LANES];
        for ((cells, factor), out) in rows.iter().zip(out.chunks_exact_mut(V::LANES)) {
            if *factor == 0.0 {
                // Whatever its cells are: nothing times not-a-number would not be nothing.
                out.fill(V::Cell::default());
                continue;
            }
            let cells = &cells[columns.clone()];
            for l in 0..width {
                let x = ((cells[l].to_f64() - shift[l]) - mean[l]) * factor;
                out[l] = V::Cell::from_f64(x);
                largest[l] = out[l].larger(largest[l]);
            }
            out[width..].fill(V::Cell::default());
        }
        largest[..width].iter().all(|x| x.squares_fit())
    }
}

/// Cells of a row and what they are multiplied with.
type Row<'a, T> = (&'a [T], f64);

/// Adds factor·(x − shift) of every row to `sums`, in order.
#[inline(always)]
fn add_group<T: Real, const N: usize>(rows: &[Row<'_, T>; N], shift: &[f64], sums: &mut [f64]) {
    let d = sums.len();
    let shift = &shift[..d];
    let mut cells = [&[] as &[T]; N];
    for (cells, row) in cells.iter_mut().zip(rows) {
        *cells = &row.0[..d];
    }
    for j in 0..d {
        let mut sum = sums[j];
        for r in 0..N {
            sum += rows[r].1 * (cells[r][j].to_f64() - shift[j]);
        }
        sums[j] = sum;
    }
}

/// Writes the extra row below the others.
#[inline(always)]
fn pack_extra<V: Vector>(extra: &[f64], layout: Layout, panels: &mut [V::Cell]) -> bool {
    let mut fits = true;
    for (p, cells) in extra.chunks(V::LANES).enumerate() {
        let to = p * layout.stride + (layout.n_rows - 1) * V::LANES;
        let out = &mut panels[to..to + V::LANES];
        out.fill(V::Cell::default());
        for (out, &x) in out.iter_mut().zip(cells) {
            *out = V::Cell::from_f64(x);
            fits &= out.larger(V::Cell::default()).squares_fit();
        }
    }
    fits
}
