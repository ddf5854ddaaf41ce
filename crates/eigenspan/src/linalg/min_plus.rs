//! Products of a sparse matrix with a few vectors where + takes the place of · and the minimum that of the sum: shortest paths.
//!
//! A sweep replaces every x_i by min(x_i, min_j (x_j + a_ij)), in place and in a given order, so that what one row gains the next may
//! use. Sweeps end when nothing changes. The cells that remain are the least sums along any path, added from its first edge to its
//! last: rounding is monotone, so they do not depend on the order, and have the same bits whichever vectors are swept together.

use super::simd::{InstructionSet, Isa, Work};

/// Vectors that are swept together.
pub(crate) const LANES: usize = 32;

/// One cell of each of the vectors.
pub(crate) type Lanes = [f64; LANES];

/// Sweeps until nothing changes. `order` has every row once; row i has the cells `values[starts[i]..starts[i + 1]]` in the columns
/// beside them. `touched` is memory of one flag per row.
pub(crate) fn min_plus(
    (starts, columns, values): (&[usize], &[u32], &[f64]),
    order: &[u32],
    cells: &mut [Lanes],
    touched: &mut Vec<bool>,
) {
    touched.clear();
    touched.resize(cells.len(), true);
    let sweeps = Sweeps {
        starts,
        columns,
        values,
        order,
        cells,
        touched,
    };
    InstructionSet::best().run(sweeps);
}

struct Sweeps<'a> {
    starts: &'a [usize],
    columns: &'a [u32],
    values: &'a [f64],
    order: &'a [u32],
    cells: &'a mut [Lanes],
    touched: &'a mut [bool],
}

impl Work for Sweeps<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        let mut changed = true;
        while changed {
            changed = false;
            for &row in self.order {
                let row = row as usize;
                if !std::mem::take(&mut self.touched[row]) {
                    continue;
                }
                let edges = self.starts[row]..self.starts[row + 1];
                let columns = &self.columns[edges.clone()];
                let before = self.cells[row];
                let mut least = before;
                for (&column, &x) in columns.iter().zip(&self.values[edges]) {
                    let from = &self.cells[column as usize];
                    for (least, from) in least.iter_mut().zip(from) {
                        let sum = from + x;
                        *least = if sum < *least { sum } else { *least };
                    }
                }
                let mut less = 0u32;
                for (new, old) in least.iter().zip(&before) {
                    less += u32::from(new < old);
                }
                if less > 0 {
                    self.cells[row] = least;
                    changed = true;
                    for &column in columns {
                        self.touched[column as usize] = true;
                    }
                }
            }
        }
    }
}
