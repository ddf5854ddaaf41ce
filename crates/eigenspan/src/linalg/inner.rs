//! Inner products of a few hundred rows with as many others, A·Bᵀ, written to a tile that stays in the cache.
//!
//! Rows that kernels compare are short, and a general product spends much of its time on setup. Here columns of Bᵀ are packed
//! to the width of a tile of registers, as many as stay in the first-level cache, and rows of A are read in place.

use std::ops::AddAssign;

use super::product::write_product;
use super::simd::{Cell, InstructionSet, Isa, MAX_LANES, MAX_VECTORS, Vector, Work};
use crate::mat::MatView;

/// out = A·Bᵀ, for rows of A and B of length d that are stored one after the other; runs on this thread alone.
pub(crate) fn write_inner(out: &mut [f64], a: &[f64], b: &[f64], d: usize) {
    if d == 0 {
        return out.fill(0.0);
    }
    // Packing does not pay for a few rows.
    let (n_rows, n_cols) = (a.len() / d, b.len() / d);
    let views = (
        MatView::from_rows(a, n_rows, d),
        MatView::from_rows(b, n_cols, d),
    );
    match views {
        (Ok(a), Ok(b)) if n_rows < FEW => write_product(out, a, b.transposed()),
        _ => InstructionSet::best().run(Inner { out, a, b, d }),
    }
}

/// The same in f32, for products that only have to be near: each is off by less than (d + 2)·2⁻²⁴·‖a‖·‖b‖.
pub(crate) fn write_inner_single(out: &mut [f32], a: &[f32], b: &[f32], d: usize) {
    match d {
        0 => out.fill(0.0),
        _ => InstructionSet::best().run(Inner { out, a, b, d }),
    }
}

/// Rows below which the backend is faster.
const FEW: usize = 8;

struct Inner<'a, C> {
    out: &'a mut [C],
    a: &'a [C],
    b: &'a [C],
    d: usize,
}

/// Bytes of packed columns: they stay in the first-level cache while the rows are multiplied.
const PANEL_BYTES: usize = 24 << 10;

impl<C: Cell + AddAssign> Work for Inner<'_, C> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        // SAFETY: `I` as promised by the caller.
        unsafe {
            match I::VECTORS {
                1 => self.write::<C::In<I>, 1, ROWS>(),
                2 => self.write::<C::In<I>, 2, ROWS>(),
                _ => self.write::<C::In<I>, 3, ROWS>(),
            }
        }
    }
}

/// Some columns of Bᵀ along some of its rows, cell j of all of them side by side.
struct Panel<'a, C> {
    cells: &'a [C],
    /// The first of its columns, and how many there are; the last register is padded with zeros.
    left: usize,
    live: usize,
    /// Its first row, and how many there are.
    from: usize,
    depth: usize,
}

impl<C: Cell + AddAssign> Inner<'_, C> {
    #[inline(always)]
    unsafe fn write<V: Vector<Cell = C>, const N: usize, const ROWS: usize>(mut self) {
        let width = N * V::LANES;
        let (n_rows, n_cols) = (self.a.len() / self.d, self.b.len() / self.d);
        assert_eq!(self.out.len(), n_rows * n_cols);
        let step = (PANEL_BYTES / (C::BYTES * width)).min(self.d);
        let mut cells = vec![C::default(); step * width];
        for from in (0..self.d).step_by(step) {
            let depth = step.min(self.d - from);
            for left in (0..n_cols).step_by(width) {
                let live = width.min(n_cols - left);
                if live < width {
                    cells.fill(C::default());
                }
                for c in 0..live {
                    let row = &self.b[(left + c) * self.d + from..][..depth];
                    let places = cells.iter_mut().skip(c).step_by(width);
                    places.zip(row).for_each(|(to, x)| *to = *x);
                }
                let panel = Panel {
                    cells: &cells,
                    left,
                    live,
                    from,
                    depth,
                };
                let whole = n_rows / ROWS * ROWS;
                // SAFETY: rows, depth and columns stay inside what was counted above; `V` as promised by the caller.
                unsafe {
                    for row in (0..whole).step_by(ROWS) {
                        self.write_tile::<V, N, ROWS>(row, &panel);
                    }
                    for row in whole..n_rows {
                        self.write_tile::<V, N, 1>(row, &panel);
                    }
                }
            }
        }
    }

    /// `ROWS` rows of a panel's columns; from its second run of rows on, added to what is there.
    #[inline(always)]
    unsafe fn write_tile<V: Vector<Cell = C>, const N: usize, const ROWS: usize>(
        &mut self,
        row: usize,
        panel: &Panel<'_, C>,
    ) {
        let n_cols = self.b.len() / self.d;
        // SAFETY: the caller vouches for all places these pointers walk through, and for the instructions.
        unsafe {
            let mut number = self.a.as_ptr().add(row * self.d + panel.from);
            let mut columns = panel.cells.as_ptr();
            let mut sums = [[V::zero(); N]; ROWS];
            for _ in 0..panel.depth {
                let side: [V; N] = std::array::from_fn(|v| V::load(columns.add(v * V::LANES)));
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = V::splat(*number.add(r * self.d));
                    for v in 0..N {
                        sums[v] = side[v].mul_add(x, sums[v]).pinned();
                    }
                }
                number = number.wrapping_add(1);
                columns = columns.wrapping_add(N * V::LANES);
            }
            for (r, sums) in sums.into_iter().enumerate() {
                let start = (row + r) * n_cols + panel.left;
                let out = &mut self.out[start..start + panel.live];
                if panel.from == 0 && panel.live == N * V::LANES {
                    let to = out.as_mut_ptr();
                    (0..N).for_each(|v| sums[v].store(to.add(v * V::LANES)));
                    continue;
                }
                // At an edge or further along the rows.
                let mut whole = [C::default(); MAX_VECTORS * MAX_LANES];
                let to = whole.as_mut_ptr();
                (0..N).for_each(|v| sums[v].store(to.add(v * V::LANES)));
                if panel.from == 0 {
                    out.fill(C::default());
                }
                out.iter_mut().zip(whole).for_each(|(out, x)| *out += x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Inner, InstructionSet};
    use crate::linalg::times_transposed;
    use crate::mat::Mat;
    use crate::rng::Rng;

    #[test]
    fn every_instruction_set_agrees_with_the_backend() {
        let mut rng = Rng::new(1);
        for (m, n, d) in [
            (1, 1, 1),
            (5, 13, 3),
            (33, 50, 7),
            (16, 24, 300),
            (9, 70, 700),
        ] {
            let a = Mat::from_fn(m, d, |_, _| rng.normal());
            let b = Mat::from_fn(n, d, |_, _| rng.normal());
            let want = times_transposed(a.view(), b.view());
            for set in InstructionSet::available() {
                let mut out = vec![f64::NAN; m * n];
                set.run(Inner {
                    out: &mut out,
                    a: a.as_slice(),
                    b: b.as_slice(),
                    d,
                });
                for (got, want) in out.iter().zip(want.as_slice()) {
                    assert!((got - want).abs() < 1e-12, "{set:?}: {got} {want}");
                }
                let single =
                    |m: &Mat<f64>| -> Vec<f32> { m.as_slice().iter().map(|x| *x as f32).collect() };
                let mut out = vec![f32::NAN; m * n];
                set.run(Inner {
                    out: &mut out,
                    a: &single(&a),
                    b: &single(&b),
                    d,
                });
                for (got, want) in out.iter().zip(want.as_slice()) {
                    let limit = 1e-6 * d as f64;
                    assert!(
                        (f64::from(*got) - want).abs() < limit,
                        "{set:?}: {got} {want}"
                    );
                }
            }
        }
    }
}
