//! The product of a symmetric matrix with a vector, from one triangle: every entry is read once and used twice.

use super::stack::Stack;
use crate::linalg::simd::{InstructionSet, Isa, MAX_LANES, Vector, Work};
use crate::parallel::Team;

/// Columns of a triangle that one thread multiplies, and the most runs of columns.
const RUN: usize = 256;
pub(super) const RUNS: usize = 8;
/// Columns that are multiplied with each piece of the vector together.
const TOGETHER: usize = 4;

/// Memory for the products, reused for every vector.
pub(super) struct Image {
    sums: Vec<f64>,
    size: usize,
}

impl Image {
    /// For matrices of up to this size.
    pub(super) fn new(size: usize) -> Self {
        Image {
            sums: vec![0.0; RUNS * size],
            size,
        }
    }

    /// A·v, where column j of A's lower triangle, counted from `from`, is stored from cell j of row j of `cells` on. Rows
    /// have `n` cells.
    pub(super) fn times(
        &mut self,
        team: &Team,
        cells: &[f64],
        n: usize,
        from: usize,
        v: &[f64],
    ) -> &mut [f64] {
        let m = v.len();
        let runs = (m / RUN).clamp(1, RUNS);
        let parts = &mut self.sums[..runs * self.size];
        let product = |run: usize, sums: &mut [f64]| {
            let sums = &mut sums[..m];
            sums.fill(0.0);
            let columns = cut(run, runs, m)..cut(run + 1, runs, m);
            InstructionSet::best().run(Columns {
                cells,
                n,
                from,
                columns,
                v,
                sums,
            });
        };
        match runs {
            1 => product(0, parts),
            _ => team.each_chunk(parts, self.size, product),
        }
        let (first, rest) = self.sums.split_at_mut(self.size);
        let sums = &mut first[..m];
        Stack::with_width(rest, self.size, runs - 1, 0, m).add_to(&[1.0; RUNS][1..runs], sums);
        sums
    }
}

/// Where run `run` of `runs` begins, such that all runs have equally many cells of a triangle of m columns.
fn cut(run: usize, runs: usize, m: usize) -> usize {
    if run == runs {
        return m;
    }
    let share = run as f64 / runs as f64;
    (m as f64 * (1.0 - (1.0 - share).sqrt())) as usize / TOGETHER * TOGETHER
}

/// Some columns of a triangle, times a vector.
struct Columns<'a> {
    cells: &'a [f64],
    n: usize,
    from: usize,
    columns: std::ops::Range<usize>,
    v: &'a [f64],
    sums: &'a mut [f64],
}

impl Columns<'_> {
    /// Column j from its diagonal on.
    #[inline(always)]
    fn column(&self, j: usize) -> &[f64] {
        let row = self.from + j;
        &self.cells[row * self.n + row..(row + 1) * self.n]
    }

    /// Adds the products of column j with rows `rows`, which lie below its diagonal.
    #[inline(always)]
    fn add_below(&mut self, j: usize, rows: std::ops::Range<usize>) {
        let row = self.from + j;
        let column = &self.cells[row * self.n + row - j..];
        let mut sum = 0.0;
        for i in rows {
            self.sums[i] += column[i] * self.v[j];
            sum += column[i] * self.v[i];
        }
        self.sums[j] += sum;
    }
}

impl Work for Columns<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let m = self.v.len();
        assert!(self.sums.len() == m && self.columns.end <= m && self.from + m == self.n);
        let mut j = self.columns.start;
        while j < self.columns.end {
            let together = match self.columns.end - j {
                left if left >= TOGETHER => TOGETHER,
                _ => 1,
            };
            let top = j + together;
            for c in j..top {
                self.sums[c] += self.column(c)[0] * self.v[c];
                self.add_below(c, c + 1..top);
            }
            let mut done = top;
            if together == TOGETHER {
                // SAFETY: the instructions are there, as the caller promises.
                done = unsafe { self.add_block::<I::F64>(j) };
            }
            for c in j..top {
                self.add_below(c, done..m);
            }
            j = top;
        }
    }
}

impl Columns<'_> {
    /// Adds the products of [`TOGETHER`] columns from j on with the rows below all their diagonals, in whole registers;
    /// returns the first row that is left.
    #[inline(always)]
    unsafe fn add_block<V: Vector<Cell = f64>>(&mut self, j: usize) -> usize {
        let m = self.v.len();
        let top = j + TOGETHER;
        let count = (m - top) / V::LANES;
        let mut along = [0.0; TOGETHER];
        // SAFETY: column c holds rows c to m, so that rows top to top + count·LANES ≤ m of each lie inside its slice, as they do
        // inside `v` and `sums`, which have m cells; the instructions are there, as the caller promises.
        unsafe {
            let column: [*const f64; TOGETHER] =
                std::array::from_fn(|t| self.column(j + t).as_ptr().add(TOGETHER - t));
            let factor: [V; TOGETHER] = std::array::from_fn(|t| V::splat(self.v[j + t]));
            let mut sums = [V::zero(); TOGETHER];
            let (v, out) = (self.v.as_ptr().add(top), self.sums.as_mut_ptr().add(top));
            for i in 0..count {
                let at = i * V::LANES;
                let x = V::load(v.add(at));
                let mut y = V::load(out.add(at));
                for t in 0..TOGETHER {
                    let cells = V::load(column[t].add(at));
                    y = cells.mul_add(factor[t], y);
                    sums[t] = cells.mul_add(x, sums[t]);
                }
                y.store(out.add(at));
            }
            for (along, sum) in along.iter_mut().zip(sums) {
                let mut lanes = [0.0; MAX_LANES];
                sum.store(lanes.as_mut_ptr());
                *along = lanes[..V::LANES].iter().sum();
            }
        }
        for (t, along) in along.iter().enumerate() {
            self.sums[j + t] += along;
        }
        top + count * V::LANES
    }
}
