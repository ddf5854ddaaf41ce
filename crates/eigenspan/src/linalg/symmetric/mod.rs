//! The symmetric product C += PᵀP, which takes the n·d² operations of a covariance.
//!
//! Only the lower triangle (row ≥ column) is computed; [`mirror_lower`] fills in the rest at the end. Rows are centered
//! while they are packed ([`panels`]), multiplied tile by tile ([`tiles`]) with the best instructions the processor has
//! ([`super::simd`]), on the calling thread or on all threads of its pool ([`strips`]); the order of every sum depends on the shape
//! alone.
//!
//! f32 rows are centered in f64, rounded, multiplied and summed in f32 within a chunk, and added to C in f64: the error is
//! about 2e-7 of the columns' scales, and the product is nearly twice as fast. A chunk whose squares would leave the range of
//! f32 is computed in f64.

mod panels;
mod strips;
#[cfg(test)]
mod tests;
mod tiles;

pub(crate) use panels::Centered;

use std::marker::PhantomData;

use self::panels::{Layout, Memory};
use self::tiles::Strip;
use super::simd::{Cell, InstructionSet, Isa, Work};
use crate::mat::{Mat, MatView, Real};
use crate::parallel;

/// The most rows that are packed and multiplied together: enough for a fast product, few enough for the cache.
pub(crate) const CHUNK: usize = 256;

/// Adds PᵀP to the lower triangle of `c`.
pub fn add_gram(c: &mut Mat<f64>, p: MatView<'_, f64>) {
    Gram::default().add_as_it_is(c, p);
}

/// Copies the lower triangle onto the upper one.
pub fn mirror_lower(c: &mut Mat<f64>) {
    let n = c.n_rows();
    mirror(c.as_mut_slice(), n, 0);
}

/// Rows that are mirrored together, and the side of the squares in which this is done: source and target stay in the cache.
const MIRRORED: usize = 64;

/// Mirrors a square on the diagonal, from column `from` of its rows on: first the lower left block onto the upper right one, then both halves
/// separately.
fn mirror(rows: &mut [f64], n: usize, from: usize) {
    let count = rows.len() / n.max(1);
    if count <= MIRRORED {
        for i in 0..count {
            for j in 0..i {
                rows[j * n + from + i] = rows[i * n + from + j];
            }
        }
        return;
    }
    let half = (count / 2).next_multiple_of(MIRRORED);
    let (top, bottom) = rows.split_at_mut(half * n);
    let below = &*bottom;
    parallel::each_chunk(top, MIRRORED * n, |run, rows| {
        for start in (0..count - half).step_by(MIRRORED) {
            let end = (start + MIRRORED).min(count - half);
            for (i, row) in rows.chunks_exact_mut(n).enumerate() {
                let col = from + run * MIRRORED + i;
                for j in start..end {
                    row[from + half + j] = below[j * n + col];
                }
            }
        }
    });
    rayon::join(|| mirror(top, n, from), || mirror(bottom, n, from + half));
}

/// The product, with memory that is reused for every chunk.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    with: InstructionSet,
    memory: Memory,
    on_all_threads: bool,
}

impl Default for Gram {
    fn default() -> Self {
        Gram::for_instructions(InstructionSet::best())
    }
}

impl Gram {
    fn for_instructions(with: InstructionSet) -> Self {
        Gram {
            with,
            memory: Memory::default(),
            on_all_threads: false,
        }
    }

    /// Shares every product among the threads of the pool it is called in. The bits are those of one thread.
    pub(crate) fn on_all_threads() -> Self {
        Gram {
            on_all_threads: true,
            ..Gram::default()
        }
    }

    /// Adds PᵀP to the lower triangle of `c`, for any number of rows P of any strides.
    pub(crate) fn add_as_it_is(&mut self, c: &mut Mat<f64>, p: MatView<'_, f64>) {
        if p.n_cols() == 0 {
            return;
        }
        let zeros = vec![0.0; p.n_cols()];
        let mut sums = zeros.clone();
        for start in (0..p.n_rows()).step_by(CHUNK) {
            let rows = p.slice_rows(start, (start + CHUNK).min(p.n_rows()));
            let written;
            let rows = match rows.row(0) {
                Some(_) => rows,
                None => {
                    written = rows.to_mat();
                    written.view()
                }
            };
            let rows = Centered {
                rows,
                shift: &zeros,
                mean: &zeros,
                weights: None,
                ahead: &[],
            };
            self.add(c, &rows, &mut sums);
        }
    }

    /// Adds w·(x − shift) of every row to `sums`, in order.
    pub(crate) fn add_sums<T: Real>(&self, rows: &Centered<'_, T>, sums: &mut [f64]) {
        self.with.run(AddSums { rows, sums });
    }

    /// Adds PᵀP to the lower triangle of `c`, where P is about [`CHUNK`] centered rows, and adds the weighted sum of the rows
    /// to `sums`.
    pub(crate) fn add<T: Real>(
        &mut self,
        c: &mut Mat<f64>,
        rows: &Centered<'_, T>,
        sums: &mut [f64],
    ) {
        self.add_as::<T, f64>(c, rows, sums);
    }

    /// The same, multiplied and summed in f32 where its range allows.
    pub(crate) fn add_in_f32<T: Real>(
        &mut self,
        c: &mut Mat<f64>,
        rows: &Centered<'_, T>,
        sums: &mut [f64],
    ) {
        if !self.add_as::<T, f32>(c, rows, sums) {
            // `sums` is complete already: it is computed before cells are rounded.
            self.add_as::<T, f64>(c, rows, &mut vec![0.0; sums.len()]);
        }
    }

    /// Leaves `c` unchanged and returns false if the range of `U` is too small.
    fn add_as<T: Real, U: Cell>(
        &mut self,
        c: &mut Mat<f64>,
        rows: &Centered<'_, T>,
        sums: &mut [f64],
    ) -> bool {
        let d = rows.rows.n_cols();
        assert!(c.n_rows() == d && c.n_cols() == d && sums.len() == d);
        if self.on_all_threads {
            return strips::add::<T, U>(self.with, &mut self.memory, c, rows, sums);
        }
        self.with.run(AddProduct::<T, U> {
            c,
            rows,
            sums,
            memory: &mut self.memory,
            multiplied_in: PhantomData,
        })
    }
}

struct AddSums<'a, T> {
    rows: &'a Centered<'a, T>,
    sums: &'a mut [f64],
}

impl<T: Real> Work for AddSums<'_, T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        self.rows.add_sums(self.sums);
    }
}

struct AddProduct<'a, T, U> {
    c: &'a mut Mat<f64>,
    rows: &'a Centered<'a, T>,
    sums: &'a mut [f64],
    memory: &'a mut Memory,
    multiplied_in: PhantomData<U>,
}

impl<T: Real, U: Cell> Work for AddProduct<'_, T, U> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> bool {
        let layout = Layout::new::<U::In<I>>(self.rows.rows.n_rows(), self.c.n_rows());
        let panels = self.memory.cells::<U>(layout.len);
        let fits = self.rows.pack::<U::In<I>>(layout, 0, panels, self.sums);
        if fits {
            let d = self.c.n_rows();
            let mut c = Strip::new(self.c.as_mut_slice(), 0, d);
            // SAFETY: the caller vouches for the instructions.
            unsafe {
                tiles::add_product::<I, U::In<I>, ROWS>(&mut c, layout, panels, self.rows.ahead)
            };
        }
        fits
    }
}
