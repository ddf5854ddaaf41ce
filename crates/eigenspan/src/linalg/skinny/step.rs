//! A step of a recurrence with a sparse matrix: out ← a·S·Q + b·Q − out, row by row, where all vectors of a row are in registers.

use super::Columns;
use crate::linalg::simd::{InstructionSet, Isa, Vector, Work, next_registers};

/// Where the cells of each row begin, their columns, and the cells.
pub(crate) type SparseCells<'a> = (&'a [usize], &'a [u32], &'a [f64]);

/// The step for the rows from `first` on whose cells are `out`, on this thread.
pub(crate) fn sparse_step(
    cells: SparseCells<'_>,
    first: usize,
    q: &Columns,
    (a, b): (f64, f64),
    out: &mut [f64],
) {
    if q.width == 0 {
        return;
    }
    InstructionSet::best().run(Step {
        cells,
        first,
        q,
        a,
        b,
        out,
    });
}

struct Step<'a> {
    cells: SparseCells<'a>,
    first: usize,
    q: &'a Columns,
    a: f64,
    b: f64,
    out: &'a mut [f64],
}

impl Work for Step<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        let width = self.q.width;
        let (starts, columns, values) = self.cells;
        for (i, out) in (self.first..).zip(self.out.chunks_exact_mut(width)) {
            let at = starts[i]..starts[i + 1];
            let row = (&columns[at.clone()], &values[at]);
            let mut left = 0;
            while left < width {
                let (live, cells) = next_registers::<I>(width - left, 3);
                let out = &mut out[left..left + cells];
                let place = (self.q, i, left);
                // SAFETY: `out` has the cells of `live` registers; `I` as promised.
                unsafe {
                    match live {
                        0 => step_row::<I::Wider, 1>(row, place, (self.a, self.b), out),
                        1 => step_row::<I::F64, 1>(row, place, (self.a, self.b), out),
                        2 => step_row::<I::F64, 2>(row, place, (self.a, self.b), out),
                        _ => step_row::<I::F64, 3>(row, place, (self.a, self.b), out),
                    }
                }
                left += cells;
            }
        }
    }
}

/// Row i of the step, for the `N` registers of every vector from cell `left` on, which are as long as `out`.
#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over arrays keep sums in registers"
)]
#[inline(always)]
unsafe fn step_row<V: Vector<Cell = f64>, const N: usize>(
    (columns, values): (&[u32], &[f64]),
    (q, i, left): (&Columns, usize, usize),
    (a, b): (f64, f64),
    out: &mut [f64],
) {
    assert!(out.len() == N * V::LANES);
    let from = |j: usize| -> *const f64 {
        let begin = j * q.width + left;
        q.cells[begin..begin + N * V::LANES].as_ptr()
    };
    // SAFETY: `from` gives N registers within the vectors, `out` has as many cells, and the caller vouches for the instructions.
    unsafe {
        // Two sums for each register, so that an addition need not wait for the one before it.
        let mut sums = [[V::zero(); N]; 2];
        let pairs = columns.len() / 2 * 2;
        for at in (0..pairs).step_by(2) {
            for c in 0..2 {
                let x = V::splat(values[at + c]);
                let cells = from(columns[at + c] as usize);
                for v in 0..N {
                    sums[c][v] = V::load(cells.add(v * V::LANES)).mul_add(x, sums[c][v]);
                }
            }
        }
        if pairs < columns.len() {
            let x = V::splat(values[pairs]);
            let cells = from(columns[pairs] as usize);
            for v in 0..N {
                sums[0][v] = V::load(cells.add(v * V::LANES)).mul_add(x, sums[0][v]);
            }
        }
        let own = from(i);
        let (a, b, one, minus) = (V::splat(a), V::splat(b), V::splat(1.0), V::splat(-1.0));
        let out = out.as_mut_ptr();
        for v in 0..N {
            let to = out.add(v * V::LANES);
            let before = V::load(to).mul_add(minus, V::zero());
            let kept = V::load(own.add(v * V::LANES)).mul_add(b, before);
            let sum = sums[1][v].mul_add(one, sums[0][v]);
            sum.mul_add(a, kept).store(to);
        }
    }
}
