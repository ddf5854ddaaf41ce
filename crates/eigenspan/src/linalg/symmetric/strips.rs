//! The symmetric product on all threads into a single C: for a C so large that one for every thread would not fit into memory
//! or leave the cache.
//!
//! Rows are packed once, some columns by each thread; C is cut into strips of rows, and one thread computes each strip up to
//! the diagonal, the longest strips first. Every cell is the same sum in the same order, whichever thread computes it.

use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::panels::{Centered, Layout, Memory};
use super::tiles::{self, Strip};
use super::{InstructionSet, Isa, Work};
use crate::linalg::simd::Cell;
use crate::mat::{Mat, Real};
use crate::parallel;

/// Rows of C in a strip: a multiple of the lanes of any register, and few enough that small matrices have strips for every
/// thread.
const STRIP: usize = 96;

/// Columns that are packed together: a multiple of the lanes of any register.
const PACKED: usize = 256;

/// Adds PᵀP to the lower triangle of `c`, where P is about [`super::CHUNK`] centered rows, and adds the weighted sum of the rows
/// to `sums`. Leaves `c` unchanged and returns false if the range of `U` is too small.
pub(super) fn add<T: Real, U: Cell>(
    with: InstructionSet,
    memory: &mut Memory,
    c: &mut Mat<f64>,
    rows: &Centered<'_, T>,
    sums: &mut [f64],
) -> bool {
    let d = c.n_rows();
    let layout = with.run(Measure::<U> {
        n_rows: rows.rows.n_rows(),
        n_cols: d,
        multiplied_in: PhantomData,
    });
    let panels = memory.cells::<U>(layout.len);
    let fits = AtomicBool::new(true);
    // As many panels as PACKED columns have.
    let len = PACKED / layout.lanes * layout.stride;
    let sums: Vec<Mutex<&mut [f64]>> = sums.chunks_mut(PACKED).map(Mutex::new).collect();
    parallel::each_chunk(panels, len, |i, panels| {
        let packed = with.run(Pack {
            rows,
            layout,
            first: i * PACKED,
            panels,
            sums: &mut parallel::lock(&sums[i]),
        });
        fits.fetch_and(packed, Ordering::Relaxed);
    });
    let fits = fits.into_inner();
    if fits {
        let panels = &*panels;
        parallel::each_chunk_from_the_last(c.as_mut_slice(), STRIP * d, |i, cells| {
            with.run(AddStrip {
                c: Strip::new(cells, i * STRIP, d),
                layout,
                panels,
            });
        });
    }
    fits
}

/// How cells of type `U` are laid out in the registers of the processor.
struct Measure<U> {
    n_rows: usize,
    n_cols: usize,
    multiplied_in: PhantomData<U>,
}

impl<U: Cell> Work for Measure<U> {
    type Output = Layout;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> Layout {
        Layout::new::<U::In<I>>(self.n_rows, self.n_cols)
    }
}

struct Pack<'a, T, U> {
    rows: &'a Centered<'a, T>,
    layout: Layout,
    first: usize,
    panels: &'a mut [U],
    sums: &'a mut [f64],
}

impl<T: Real, U: Cell> Work for Pack<'_, T, U> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> bool {
        self.rows
            .pack::<U::In<I>>(self.layout, self.first, self.panels, self.sums)
    }
}

struct AddStrip<'a, U> {
    c: Strip<'a>,
    layout: Layout,
    panels: &'a [U],
}

impl<U: Cell> Work for AddStrip<'_, U> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let none: &[f64] = &[];
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            tiles::add_product::<I, U::In<I>, ROWS>(&mut self.c, self.layout, self.panels, none);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CHUNK, Gram};
    use super::STRIP;
    use crate::mat::Mat;

    #[test]
    fn every_strip_of_the_lower_triangle_is_the_product() {
        for n in [1, 7, STRIP, STRIP + 1, 3 * STRIP + 5] {
            for depth in [1, 9, CHUNK + 3] {
                let p = Mat::from_fn(depth, n, |i, j| ((i * 31 + j * 17) % 13) as f64 - 6.0);
                let mut c = Mat::from_fn(n, n, |_, _| 1.0);
                Gram::on_all_threads().add_as_it_is(&mut c, p.view());
                for i in 0..n {
                    for j in 0..n {
                        let sum: f64 = (0..depth).map(|r| p[(r, i)] * p[(r, j)]).sum();
                        let expected = if j <= i { 1.0 + sum } else { 1.0 };
                        assert_eq!(c[(i, j)], expected, "{n}: {i}, {j}");
                    }
                }
            }
        }
    }
}
