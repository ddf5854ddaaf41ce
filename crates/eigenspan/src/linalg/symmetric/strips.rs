//! The symmetric product on all threads into a single C: for a C so large that not every thread can have its own.
//!
//! Rows are packed once; C is cut into strips of rows, and one thread computes each strip up to the diagonal. Every cell is
//! the same sum in the same order, whichever thread computes it.

use rayon::prelude::*;

use super::panels::{Centered, Layout, Memory};
use super::tiles::{self, Strip};
use super::{CHUNK, InstructionSet, Isa, Work};
use crate::linalg::simd::Cell;
use crate::mat::{Mat, MatView};

/// Rows of C in a strip: a multiple of the lanes of any register, and few enough that small matrices have strips for every
/// thread.
const STRIP: usize = 96;

/// The product, with memory that is reused for every chunk of rows.
#[derive(Debug)]
pub(crate) struct Strips {
    with: InstructionSet,
    memory: Memory,
}

impl Default for Strips {
    fn default() -> Self {
        Strips {
            with: InstructionSet::best(),
            memory: Memory::default(),
        }
    }
}

impl Strips {
    /// Adds PᵀP to the lower triangle of `c`, for rows P whose cells are adjacent.
    pub(crate) fn add(&mut self, c: &mut Mat<f64>, p: MatView<'_, f64>) {
        let d = c.n_rows();
        assert!(c.n_cols() == d && p.n_cols() == d);
        if d == 0 {
            return;
        }
        let zeros = vec![0.0; d];
        for start in (0..p.n_rows()).step_by(CHUNK) {
            let rows = Centered {
                rows: p.slice_rows(start, (start + CHUNK).min(p.n_rows())),
                shift: &zeros,
                mean: &zeros,
                weights: None,
                ahead: &[],
            };
            let layout = self.with.run(Pack {
                rows: &rows,
                memory: &mut self.memory,
            });
            let (with, panels) = (self.with, &*self.memory.cells::<f64>(layout.len));
            let strips = interleaved(c.as_mut_slice().chunks_mut(STRIP * d).enumerate().collect());
            strips
                .into_par_iter()
                .with_max_len(1)
                .for_each(|(i, cells)| {
                    with.run(AddStrip {
                        c: Strip::new(cells, i * STRIP, d),
                        layout,
                        panels,
                    });
                });
        }
    }
}

/// Strips get longer toward the end: alternates strips from the beginning and from the end, so that every run has short and
/// long ones.
fn interleaved<T>(strips: Vec<T>) -> Vec<T> {
    let n = strips.len();
    let mut strips = strips.into_iter();
    let mut out = Vec::with_capacity(n);
    while let Some(last) = strips.next_back() {
        out.push(last);
        out.extend(strips.next());
    }
    out
}

struct Pack<'a> {
    rows: &'a Centered<'a, f64>,
    memory: &'a mut Memory,
}

impl Work for Pack<'_> {
    type Output = Layout;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> Layout {
        let (n, d) = (self.rows.rows.n_rows(), self.rows.rows.n_cols());
        let layout = Layout::new::<<f64 as Cell>::In<I>>(n, d);
        let panels = self.memory.cells::<f64>(layout.len);
        self.rows
            .pack::<<f64 as Cell>::In<I>>(layout, panels, &mut vec![0.0; d]);
        layout
    }
}

struct AddStrip<'a> {
    c: Strip<'a>,
    layout: Layout,
    panels: &'a [f64],
}

impl Work for AddStrip<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let none: &[f64] = &[];
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            tiles::add_product::<I, <f64 as Cell>::In<I>, ROWS>(
                &mut self.c,
                self.layout,
                self.panels,
                none,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Mat, STRIP, Strips, interleaved};

    #[test]
    fn every_strip_of_the_lower_triangle_is_the_product() {
        for n in [1, 7, STRIP, STRIP + 1, 3 * STRIP + 5] {
            for depth in [1, 9, CHUNK + 3] {
                let p = Mat::from_fn(depth, n, |i, j| ((i * 31 + j * 17) % 13) as f64 - 6.0);
                let mut c = Mat::from_fn(n, n, |_, _| 1.0);
                Strips::default().add(&mut c, p.view());
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

    #[test]
    fn long_and_short_strips_take_turns() {
        assert_eq!(interleaved(vec![1, 2, 3, 4, 5]), [5, 1, 4, 2, 3]);
    }
}
