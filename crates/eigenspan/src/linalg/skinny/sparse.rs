//! Products with sparse rows: only their stored cells are multiplied, and rows are never made dense.

use super::Columns;
use crate::linalg::simd::{InstructionSet, Isa, Vector, Work, next_registers};
use crate::mat::Real;

/// A row of a sparse X: its columns, their values, and its weight.
pub(crate) type SparseRow<'a, T> = (&'a [u32], &'a [T], f64);

/// Z += XᵀW(X·Q − 1·offsetᵀ) for sparse rows of X, and sums += 1ᵀW(X·Q − 1·offsetᵀ).
///
/// # Safety
/// Every column of every row must be less than `q.len()`.
pub(crate) unsafe fn add_sparse_gram_times<'a, T: Real>(
    z: &mut Columns,
    rows: impl Iterator<Item = SparseRow<'a, T>>,
    q: &Columns,
    offset: &[f64],
    sums: &mut [f64],
) {
    let width = q.width;
    assert!(z.width == width && z.len() == q.len() && offset.len() == width && sums.len() == width);
    if width == 0 {
        return;
    }
    let ends = SparseTimes {
        q: &q.cells,
        z: &mut z.cells,
        offset,
        sums,
        width,
    };
    InstructionSet::best().run(AllRows { rows, ends });
}

/// The factors of a product with sparse rows, and its results.
struct SparseTimes<'a> {
    q: &'a [f64],
    z: &'a mut [f64],
    offset: &'a [f64],
    sums: &'a mut [f64],
    width: usize,
}

struct AllRows<'a, R> {
    rows: R,
    ends: SparseTimes<'a>,
}

impl<'a, T: Real, R: Iterator<Item = SparseRow<'a, T>>> Work for AllRows<'_, R> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        for row in self.rows {
            let mut left = 0;
            while left < self.ends.width {
                let (live, cells) = next_registers::<I>(self.ends.width - left, 3);
                // SAFETY: the columns as promised, registers end with the width; `I` as promised.
                unsafe {
                    match live {
                        0 => self.ends.add_row::<I::Wider, T, 1>(row, left),
                        1 => self.ends.add_row::<I::F64, T, 1>(row, left),
                        2 => self.ends.add_row::<I::F64, T, 2>(row, left),
                        _ => self.ends.add_row::<I::F64, T, 3>(row, left),
                    }
                }
                left += cells;
            }
        }
    }
}

/// Independent sums, so that no addition has to wait for the one before it.
const CHAINS: usize = 4;

impl SparseTimes<'_> {
    /// One sparse row, `N` registers of the vectors from `left` on.
    #[expect(
        clippy::needless_range_loop,
        reason = "loops of known length over arrays keep sums in registers"
    )]
    #[inline(always)]
    unsafe fn add_row<V: Vector<Cell = f64>, T: Real, const N: usize>(
        &mut self,
        (columns, values, weight): SparseRow<'_, T>,
        left: usize,
    ) {
        assert_eq!(columns.len(), values.len());
        // SAFETY: the caller vouches for the columns, for `N` registers from `left` on, and for the instructions.
        unsafe {
            // 1. y = w·(x·Q − offset).
            // Plain loops of constant length: sums stay in registers, and a closure would be compiled without the
            // instructions.
            let q = self.q.as_ptr().add(left);
            let mut sums = [[V::zero(); N]; CHAINS];
            let whole = columns.len() / CHAINS * CHAINS;
            for at in (0..whole).step_by(CHAINS) {
                for c in 0..CHAINS {
                    let x = V::splat(values.get_unchecked(at + c).to_f64());
                    let cells = q.add(*columns.get_unchecked(at + c) as usize * self.width);
                    for v in 0..N {
                        sums[c][v] = V::load(cells.add(v * V::LANES)).mul_add(x, sums[c][v]);
                    }
                }
            }
            for at in whole..columns.len() {
                let x = V::splat(values.get_unchecked(at).to_f64());
                let cells = q.add(*columns.get_unchecked(at) as usize * self.width);
                for v in 0..N {
                    sums[0][v] = V::load(cells.add(v * V::LANES)).mul_add(x, sums[0][v]);
                }
            }
            let (one, minus, weight) = (V::splat(1.0), V::splat(-1.0), V::splat(weight));
            let offset = self.offset.as_ptr().add(left);
            let mut y = [V::zero(); N];
            for v in 0..N {
                y[v] = V::load(offset.add(v * V::LANES)).mul_add(minus, V::zero());
                for sum in &sums {
                    y[v] = sum[v].mul_add(one, y[v]);
                }
                y[v] = y[v].mul_add(weight, V::zero());
            }
            let sums = self.sums.as_mut_ptr().add(left);
            for (v, y) in y.iter().enumerate() {
                y.add_to(sums.add(v * V::LANES));
            }
            // 2. Z += xᵀ·y.
            let z = self.z.as_mut_ptr().add(left);
            for (&j, x) in columns.iter().zip(values) {
                let x = V::splat(x.to_f64());
                let cells = z.add(j as usize * self.width);
                for (v, y) in y.iter().enumerate() {
                    y.mul_add(x, V::zero()).add_to(cells.add(v * V::LANES));
                }
            }
        }
    }
}
