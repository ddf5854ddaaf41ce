//! Sparse rows copied into bands of columns, for products that are computed many times.
//!
//! A product accesses the cells of Q and Z in no order. If the cells of all columns do not fit into a core's own cache, most
//! of them come from slower memory. So the columns are cut into bands that fit, and a chunk of rows is multiplied with one
//! band before the next. The cells of a chunk in a band are stored in the order in which they are used, and rows with equally
//! many cells are adjacent, so that the processor predicts where each row ends. A position takes 2 bytes, a value 4 if f32
//! holds it exactly.

use std::ops::Range;

use super::Columns;
use super::sparse::SparseRow;
use crate::linalg::simd::{InstructionSet, Isa, Vector, Work, next_registers};
use crate::mat::Real;

/// Columns of a band: with 8 vectors, its cells of Q take half of a second-level cache of 512 KiB.
const BAND: usize = 4096;
/// Rows of a chunk: with 8 vectors, X·Q takes a quarter of that cache.
const CHUNK: usize = 2048;
/// The fewest cells that a row has in a band on average: with fewer, the overhead per row is too large.
const FEWEST_CELLS: usize = 6;

/// Whether it pays to copy sparse rows into bands.
pub(crate) fn pays_to_band(n_rows: usize, n_cols: usize, cells: u64) -> bool {
    let bands = n_cols.div_ceil(BAND);
    let segments = bands as u64 * n_rows as u64;
    bands > 1 && n_rows >= CHUNK && cells >= FEWEST_CELLS as u64 * segments
}

/// Some sparse rows in bands.
#[derive(Debug)]
pub(crate) struct BandedRows {
    n_cols: usize,
    chunks: Vec<Chunk>,
}

/// At most [`CHUNK`] rows.
#[derive(Debug)]
struct Chunk {
    weights: Vec<f64>,
    bands: Vec<Band>,
}

/// The cells that the rows of a chunk have in one band.
#[derive(Debug, Default)]
struct Band {
    /// Rows within the chunk, those with the fewest cells first, and how many cells each has.
    rows: Vec<(u16, u16)>,
    /// Columns within the band, row after row.
    columns: Vec<u16>,
    values: Values,
}

#[derive(Debug)]
enum Values {
    /// All values are exact as f32.
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Default for Values {
    fn default() -> Self {
        Values::Single(Vec::new())
    }
}

impl BandedRows {
    /// Copies rows; columns rise within a row and are smaller than `n_cols`.
    pub(crate) fn new<'a, T: Real>(
        n_cols: usize,
        rows: impl Iterator<Item = SparseRow<'a, T>>,
    ) -> Self {
        let rows: Vec<SparseRow<'a, T>> = rows.collect();
        let chunk = |rows: &[SparseRow<'a, T>]| Chunk {
            weights: rows.iter().map(|(_, _, weight)| *weight).collect(),
            bands: (0..n_cols.div_ceil(BAND))
                .map(|band| Band::new(rows, band * BAND..((band + 1) * BAND).min(n_cols)))
                .collect(),
        };
        BandedRows {
            n_cols,
            chunks: rows.chunks(CHUNK).map(chunk).collect(),
        }
    }

    /// Z += XᵀW(X·Q − 1·offsetᵀ), and sums += 1ᵀW(X·Q − 1·offsetᵀ).
    pub(crate) fn add_gram_times(
        &self,
        z: &mut Columns,
        q: &Columns,
        offset: &[f64],
        sums: &mut [f64],
    ) {
        let width = q.width;
        assert!(q.len() == self.n_cols && z.len() == self.n_cols && z.width == width);
        assert!(offset.len() == width && sums.len() == width);
        if width == 0 {
            return;
        }
        let mut y = Vec::new();
        for chunk in &self.chunks {
            // 1. y = w·(x·Q − offset).
            y.clear();
            (0..chunk.weights.len()).for_each(|_| y.extend(offset.iter().map(|o| -o)));
            for (band, q) in chunk.bands.iter().zip(q.cells.chunks(BAND * width)) {
                InstructionSet::best().run(BandTimes {
                    band,
                    way: Way::Gather(q, &mut y),
                    width,
                });
            }
            for (y, weight) in y.chunks_exact_mut(width.max(1)).zip(&chunk.weights) {
                for (y, sum) in y.iter_mut().zip(sums.iter_mut()) {
                    *y *= weight;
                    *sum += *y;
                }
            }
            // 2. Z += xᵀ·y.
            for (band, z) in chunk.bands.iter().zip(z.cells.chunks_mut(BAND * width)) {
                InstructionSet::best().run(BandTimes {
                    band,
                    way: Way::Scatter(&y, z),
                    width,
                });
            }
        }
    }
}

impl Band {
    /// The cells of some columns.
    fn new<T: Real>(rows: &[SparseRow<'_, T>], range: Range<usize>) -> Self {
        let own = |i: usize| {
            let columns = rows[i].0;
            let start = columns.partition_point(|&j| (j as usize) < range.start);
            let end = columns.partition_point(|&j| (j as usize) < range.end);
            start..end
        };
        let mut order: Vec<(u16, u16)> = (0..rows.len())
            .map(|i| (i as u16, own(i).len() as u16))
            .filter(|(_, count)| *count > 0)
            .collect();
        order.sort_by_key(|(_, count)| *count);
        let order_of = || order.iter().map(|(i, _)| usize::from(*i));
        let columns = order_of().flat_map(|i| &rows[i].0[own(i)]);
        let columns: Vec<u16> = columns
            .map(|j| (*j as usize - range.start) as u16)
            .collect();
        // Positions are not checked again in the product.
        assert!(columns.iter().all(|j| usize::from(*j) < range.len()));
        let values = || order_of().flat_map(|i| &rows[i].1[own(i)]);
        let is_single = |x: &T| f64::from(x.to_f64() as f32) == x.to_f64();
        let values = match values().all(is_single) {
            true => Values::Single(values().map(|x| x.to_f64() as f32).collect()),
            false => Values::Double(values().map(|x| x.to_f64()).collect()),
        };
        Band {
            rows: order,
            columns,
            values,
        }
    }
}

/// One of the two products with a band.
struct BandTimes<'a> {
    band: &'a Band,
    way: Way<'a>,
    width: usize,
}

enum Way<'a> {
    /// Reads the band's cells of Q, and computes y += x·Q for all rows of the chunk.
    Gather(&'a [f64], &'a mut [f64]),
    /// Reads all rows of y, and computes the band's cells of Z += xᵀ·y.
    Scatter(&'a [f64], &'a mut [f64]),
}

impl Work for BandTimes<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let mut left = 0;
        while left < self.width {
            let (live, cells) = next_registers::<I>(self.width - left, 3);
            // SAFETY: registers end with the width; `I` as promised.
            unsafe {
                match live {
                    0 => self.all_rows::<I::Wider, 1>(left),
                    1 => self.all_rows::<I::F64, 1>(left),
                    2 => self.all_rows::<I::F64, 2>(left),
                    _ => self.all_rows::<I::F64, 3>(left),
                }
            }
            left += cells;
        }
    }
}

/// Independent sums, so that no addition has to wait for the one before it.
const CHAINS: usize = 4;

impl BandTimes<'_> {
    #[inline(always)]
    unsafe fn all_rows<V: Vector<Cell = f64>, const N: usize>(&mut self, left: usize) {
        let Band {
            rows,
            columns,
            values,
        } = self.band;
        // SAFETY: as promised by the caller.
        unsafe {
            match (&mut self.way, values) {
                (Way::Gather(q, y), Values::Single(values)) => {
                    gather::<V, f32, N>((rows, columns, values), q, y, (self.width, left));
                }
                (Way::Gather(q, y), Values::Double(values)) => {
                    gather::<V, f64, N>((rows, columns, values), q, y, (self.width, left));
                }
                (Way::Scatter(y, z), Values::Single(values)) => {
                    scatter::<V, f32, N>((rows, columns, values), y, z, (self.width, left));
                }
                (Way::Scatter(y, z), Values::Double(values)) => {
                    scatter::<V, f64, N>((rows, columns, values), y, z, (self.width, left));
                }
            }
        }
    }
}

/// Rows with their numbers of cells, and the columns and values of those cells.
type Cells<'a, T> = (&'a [(u16, u16)], &'a [u16], &'a [T]);

/// y += x·Q for all rows, for `N` registers of the vectors from `left` on.
///
/// # Safety
/// There must be `N` registers from `left` on, and the processor must have the instructions.
#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over arrays keep sums in registers"
)]
#[inline(always)]
unsafe fn gather<V: Vector<Cell = f64>, T: Real, const N: usize>(
    (rows, mut columns, mut values): Cells<'_, T>,
    q: &[f64],
    y: &mut [f64],
    (width, left): (usize, usize),
) {
    for &(row, count) in rows {
        let (own, x);
        (own, columns) = columns.split_at(usize::from(count));
        (x, values) = values.split_at(usize::from(count));
        let y = &mut y[usize::from(row) * width..][..width];
        // SAFETY: a column is less than the number of the band's columns, which `Band::new` asserted, for each of which Q has
        // `width` cells; the registers as promised.
        unsafe {
            let q = q.as_ptr().add(left);
            let mut sums = [[V::zero(); N]; CHAINS];
            let whole = own.len() / CHAINS * CHAINS;
            for at in (0..whole).step_by(CHAINS) {
                for c in 0..CHAINS {
                    let x = V::splat(x.get_unchecked(at + c).to_f64());
                    let cells = q.add(usize::from(*own.get_unchecked(at + c)) * width);
                    for v in 0..N {
                        sums[c][v] = V::load(cells.add(v * V::LANES)).mul_add(x, sums[c][v]);
                    }
                }
            }
            for at in whole..own.len() {
                let x = V::splat(x.get_unchecked(at).to_f64());
                let cells = q.add(usize::from(*own.get_unchecked(at)) * width);
                for v in 0..N {
                    sums[0][v] = V::load(cells.add(v * V::LANES)).mul_add(x, sums[0][v]);
                }
            }
            let one = V::splat(1.0);
            let to = y.as_mut_ptr().add(left);
            for v in 0..N {
                let low = sums[0][v].mul_add(one, sums[1][v]);
                let high = sums[2][v].mul_add(one, sums[3][v]);
                low.mul_add(one, high).add_to(to.add(v * V::LANES));
            }
        }
    }
}

/// Z += xᵀ·y for all rows, for `N` registers of the vectors from `left` on.
///
/// # Safety
/// As for [`gather`].
#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over arrays keep sums in registers"
)]
#[inline(always)]
unsafe fn scatter<V: Vector<Cell = f64>, T: Real, const N: usize>(
    (rows, mut columns, mut values): Cells<'_, T>,
    y: &[f64],
    z: &mut [f64],
    (width, left): (usize, usize),
) {
    for &(row, count) in rows {
        let (own, x);
        (own, columns) = columns.split_at(usize::from(count));
        (x, values) = values.split_at(usize::from(count));
        let y = &y[usize::from(row) * width..][..width];
        // SAFETY: as in `gather`.
        unsafe {
            let from = y.as_ptr().add(left);
            let mut y = [V::zero(); N];
            for v in 0..N {
                y[v] = V::load(from.add(v * V::LANES));
            }
            let z = z.as_mut_ptr().add(left);
            for (&j, x) in own.iter().zip(x) {
                let x = V::splat(x.to_f64());
                let cells = z.add(usize::from(j) * width);
                for v in 0..N {
                    let to = cells.add(v * V::LANES);
                    y[v].mul_add(x, V::load(to)).store(to);
                }
            }
        }
    }
}
