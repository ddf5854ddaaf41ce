//! Products of a few long rows with a vector, in both directions: the steps between the reflectors of a panel.

use crate::linalg::simd::{InstructionSet, Isa, MAX_LANES, Vector, Work};

/// Rows that are multiplied with each piece of the vector together.
const TOGETHER: usize = 4;

/// `count` rows of `width` cells: cells `from` to `from + width` of rows of `n` cells.
#[derive(Clone, Copy)]
pub(super) struct Stack<'a> {
    cells: &'a [f64],
    n: usize,
    count: usize,
    from: usize,
    width: usize,
}

impl<'a> Stack<'a> {
    /// The first `count` rows of a matrix with `n` columns, without the cells before `from`.
    pub(super) fn new(cells: &'a [f64], n: usize, count: usize, from: usize) -> Self {
        let width = n - from;
        Stack::with_width(cells, n, count, from, width)
    }

    /// The same, with `width` cells of each row.
    pub(super) fn with_width(
        cells: &'a [f64],
        n: usize,
        count: usize,
        from: usize,
        width: usize,
    ) -> Self {
        assert!(count * n <= cells.len() && from + width <= n);
        Stack {
            cells,
            n,
            count,
            from,
            width,
        }
    }

    /// The inner product of each row with x.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        InstructionSet::best().run(Times { rows: self, x })
    }

    /// y += Σ factor·row.
    pub(super) fn add_to(&self, factors: &[f64], y: &mut [f64]) {
        InstructionSet::best().run(Add {
            rows: self,
            factors,
            y,
        });
    }

    /// Cell j of each row.
    pub(super) fn column(&self, j: usize) -> Vec<f64> {
        (0..self.count).map(|i| self.row(i)[j]).collect()
    }

    #[inline(always)]
    fn row(&self, i: usize) -> &'a [f64] {
        &self.cells[i * self.n + self.from..][..self.width]
    }
}

struct Times<'a> {
    rows: &'a Stack<'a>,
    x: &'a [f64],
}

impl Work for Times<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> Vec<f64> {
        let Times { rows, x } = self;
        assert!(x.len() == rows.width);
        let lanes = I::F64::LANES;
        let whole = rows.width / lanes * lanes;
        let mut out = Vec::with_capacity(rows.count);
        for first in (0..rows.count).step_by(TOGETHER) {
            // If fewer rows are left, the last is used more than once.
            let row: [&[f64]; TOGETHER] =
                std::array::from_fn(|t| rows.row((first + t).min(rows.count - 1)));
            // SAFETY: rows and x have `width` cells, and `whole` is no more than that; the instructions are there, as the
            // caller promises.
            let sums = unsafe {
                let mut sums = [I::F64::zero(); TOGETHER];
                for at in (0..whole).step_by(lanes) {
                    let x = I::F64::load(x.as_ptr().add(at));
                    for t in 0..TOGETHER {
                        sums[t] = I::F64::load(row[t].as_ptr().add(at)).mul_add(x, sums[t]);
                    }
                }
                sums
            };
            for t in 0..TOGETHER.min(rows.count - first) {
                let mut cells = [0.0; MAX_LANES];
                // SAFETY: no register has more lanes.
                unsafe { sums[t].store(cells.as_mut_ptr()) };
                let rest = row[t][whole..].iter().zip(&x[whole..]);
                out.push(cells.iter().sum::<f64>() + rest.map(|(a, b)| a * b).sum::<f64>());
            }
        }
        out
    }
}

struct Add<'a> {
    rows: &'a Stack<'a>,
    factors: &'a [f64],
    y: &'a mut [f64],
}

impl Work for Add<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) {
        let Add { rows, factors, y } = self;
        assert!(y.len() == rows.width && factors.len() == rows.count);
        let lanes = I::F64::LANES;
        let whole = rows.width / lanes * lanes;
        for first in (0..rows.count).step_by(TOGETHER) {
            // If fewer rows are left, the last is used more than once, with factor zero.
            let row: [&[f64]; TOGETHER] =
                std::array::from_fn(|t| rows.row((first + t).min(rows.count - 1)));
            let factor: [f64; TOGETHER] =
                std::array::from_fn(|t| factors.get(first + t).copied().unwrap_or(0.0));
            // SAFETY: rows and y have `width` cells, and `whole` is no more than that; the instructions are there, as the
            // caller promises.
            unsafe {
                let factor = factor.map(|x| I::F64::splat(x));
                for at in (0..whole).step_by(lanes) {
                    let mut sum = I::F64::load(y.as_ptr().add(at));
                    for t in 0..TOGETHER {
                        sum = I::F64::load(row[t].as_ptr().add(at)).mul_add(factor[t], sum);
                    }
                    sum.store(y.as_mut_ptr().add(at));
                }
            }
            for t in 0..TOGETHER {
                let rest = y[whole..].iter_mut().zip(&row[t][whole..]);
                rest.for_each(|(y, x)| *y += factor[t] * x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;
    use crate::rng::Rng;

    #[test]
    fn products_with_rows_are_sums_of_products() {
        let mut rng = Rng::new(5);
        for (count, width) in [(0, 9), (1, 1), (3, 8), (4, 33), (7, 130), (32, 71)] {
            let (from, n) = (2, width + 2);
            let cells: Vec<f64> = (0..count * n).map(|_| rng.normal()).collect();
            let row = |i: usize| &cells[i * n + from..(i + 1) * n];
            let x: Vec<f64> = (0..width).map(|_| rng.normal()).collect();
            let rows = Stack::new(&cells, n, count, from);
            let along = rows.times(&x);
            assert_eq!(along.len(), count);
            let mut sums = x.clone();
            rows.add_to(&along, &mut sums);
            for (i, along) in along.iter().enumerate() {
                assert!((along - dot(row(i), &x)).abs() < 1e-13 * width as f64);
            }
            for j in 0..width {
                let exact = x[j] + (0..count).map(|i| along[i] * row(i)[j]).sum::<f64>();
                assert!((sums[j] - exact).abs() < 1e-12 * (1.0 + exact.abs()) * width as f64);
            }
        }
    }
}
