//! Products with a handful of vectors: Z += PᵀW(P·Q), where P is met once and each of its cells is used for all vectors.
//!
//! An iterative solver does little else. Rows of P come in panels that stay in the cache between P·Q and Pᵀ·Y. Both are
//! made of one tile of registers: numbers of P, each multiplied with whole registers of the vectors, whose cells lie
//! side by side ([`Columns`]). Everything runs on the calling thread, in an order that depends on the shapes alone.

use rayon::prelude::*;

use super::simd::{InstructionSet, Isa, Vector, Work};
use crate::mat::{Mat, Real};

/// A few vectors side by side: cell j of all of them, then cell j + 1, filled up with zeros to whole registers.
#[derive(Debug, Clone)]
pub struct Columns {
    len: usize,
    n_cols: usize,
    width: usize,
    cells: Vec<f64>,
}

impl Columns {
    /// Vectors of length `len`, all zero.
    pub fn zeros(len: usize, n_cols: usize) -> Self {
        let width = n_cols.next_multiple_of(InstructionSet::best().lanes());
        Columns {
            len,
            n_cols,
            width,
            cells: vec![0.0; len * width],
        }
    }

    /// The columns of a matrix.
    pub fn from_mat(m: &Mat<f64>) -> Self {
        let mut out = Columns::zeros(m.n_rows(), m.n_cols());
        for (to, from) in out.cells.chunks_exact_mut(out.width.max(1)).zip(m.rows()) {
            to[..from.len()].copy_from_slice(from);
        }
        out
    }

    /// As the columns of a matrix.
    pub fn to_mat(&self) -> Mat<f64> {
        let rows = self.cells.chunks_exact(self.width.max(1));
        let cells = rows.flat_map(|row| &row[..self.n_cols]).copied().collect();
        Mat::from_vec(self.len(), self.n_cols, cells).unwrap_or_default()
    }

    /// Runs of `len` cells of all vectors, which may be written at the same time.
    pub(crate) fn runs_mut(
        &mut self,
        len: usize,
    ) -> impl IndexedParallelIterator<Item = &mut [f64]> {
        self.cells.par_chunks_mut((len * self.width).max(1))
    }

    /// The rows of a matrix as vectors.
    pub fn from_rows(rows: &Mat<f64>) -> Self {
        let mut out = Columns::zeros(rows.n_cols(), rows.n_rows());
        let width = out.width;
        for (j, run) in out.cells.chunks_mut(SQUARE * width.max(1)).enumerate() {
            for (c, row) in rows.rows().enumerate() {
                let from = &row[j * SQUARE..];
                for (to, x) in run.iter_mut().skip(c).step_by(width).zip(from) {
                    *to = *x;
                }
            }
        }
        out
    }

    /// As the rows of a matrix.
    pub fn to_rows(&self) -> Mat<f64> {
        let (len, width) = (self.len(), self.width);
        let mut out = Mat::zeros(self.n_cols, len);
        if out.as_slice().is_empty() {
            return out;
        }
        for (j, run) in self.cells.chunks(SQUARE * width).enumerate() {
            for (c, row) in out.as_mut_slice().chunks_exact_mut(len).enumerate() {
                let to = row[j * SQUARE..].iter_mut();
                to.zip(run.iter().skip(c).step_by(width))
                    .for_each(|(to, x)| *to = *x);
            }
        }
        out
    }

    /// Selfᵀ·Other: the inner products of all their vectors.
    pub fn inner(&self, other: &Columns) -> Mat<f64> {
        let mut out = Columns::zeros(self.n_cols, other.n_cols);
        add_times(
            (&self.cells, 1, self.width),
            (self.n_cols, self.len()),
            &other.cells,
            &mut out.cells,
            other.width,
        );
        out.to_mat()
    }

    /// Self·M: combinations of the vectors.
    pub fn combined(&self, m: &Mat<f64>) -> Columns {
        let mut out = Columns::zeros(self.len(), m.n_cols());
        let factors = Columns::from_mat(m);
        add_times(
            (&self.cells, self.width, 1),
            (self.len(), self.n_cols),
            &factors.cells,
            &mut out.cells,
            factors.width,
        );
        out
    }

    /// Vectors.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// The largest magnitude among all cells.
    pub fn largest(&self) -> f64 {
        self.cells.iter().fold(0.0, |most, x| x.abs().max(most))
    }

    /// Whether the vectors have no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cells of one vector.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Numbers in a row of cells: the vectors, and what fills up the last register.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds vectors of the same shape.
    pub fn add(&mut self, other: &Columns) {
        let other = other.cells.iter();
        self.cells.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }

    /// Multiplies all cells with a factor.
    pub fn scale(&mut self, factor: f64) {
        self.cells.iter_mut().for_each(|x| *x *= factor);
    }

    /// Divides cell j of all vectors by `by[j]`.
    pub fn divide(&mut self, by: &[f64]) {
        let rows = self.cells.chunks_exact_mut(self.width.max(1)).zip(by);
        rows.for_each(|(row, by)| row.iter_mut().for_each(|x| *x /= by));
    }

    /// Σ factor[j] times cell j, for all vectors, with what fills up the last register.
    pub fn weighted_sum(&self, factors: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.width];
        let rows = self.cells.chunks_exact(self.width.max(1)).zip(factors);
        for (row, factor) in rows.filter(|(_, factor)| **factor != 0.0) {
            out.iter_mut().zip(row).for_each(|(o, x)| *o += factor * x);
        }
        out
    }

    /// Adds −factor[j]·sums to cell j of all vectors.
    pub fn subtract_outer(&mut self, factors: &[f64], sums: &[f64]) {
        let rows = self.cells.chunks_exact_mut(self.width.max(1)).zip(factors);
        for (row, factor) in rows.filter(|(_, factor)| **factor != 0.0) {
            row.iter_mut().zip(sums).for_each(|(x, s)| *x -= factor * s);
        }
    }
}

/// Cells of each vector that are turned from columns to rows together: they stay in the cache.
const SQUARE: usize = 64;

/// Memory that is used again for every panel.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Rows of P on their way.
    pub(crate) panel: Vec<f64>,
    /// P·Q.
    y: Vec<f64>,
}

/// Bytes of P that are multiplied together: a share of a core's own cache, where rows are short enough.
const PANEL_BYTES: usize = 256 << 10;

/// Rows of P in a panel, or columns of it where all rows are wanted.
pub(crate) fn panel_rows(d: usize) -> usize {
    (PANEL_BYTES / (8 * d.max(1))).clamp(16, 256)
}

impl Scratch {
    /// Z += PᵀW(P·Q − 1·offsetᵀ), for a panel P of rows that lie one after the other; 1ᵀW(P·Q − 1·offsetᵀ) is added to
    /// the sums that come with an offset.
    pub(crate) fn add_gram_times(
        &mut self,
        z: &mut Columns,
        p: &[f64],
        q: &Columns,
        weights: Option<&[f64]>,
        offset: Option<(&[f64], &mut [f64])>,
    ) {
        let (d, width) = (q.len(), q.width);
        assert!(z.len() == d && z.width == width && d > 0 && p.len().is_multiple_of(d));
        let n = p.len() / d;
        self.y.clear();
        self.y.resize(n * width, 0.0);
        if let Some((offset, _)) = &offset {
            for row in self.y.chunks_exact_mut(width) {
                row.iter_mut().zip(*offset).for_each(|(y, o)| *y = -o);
            }
        }
        add_times((p, d, 1), (n, d), &q.cells, &mut self.y, width);
        if let Some(weights) = weights {
            for (row, w) in self.y.chunks_exact_mut(width).zip(weights) {
                row.iter_mut().for_each(|y| *y *= w);
            }
        }
        if let Some((_, sums)) = offset {
            for row in self.y.chunks_exact(width) {
                sums.iter_mut().zip(row).for_each(|(s, y)| *s += y);
            }
        }
        add_times((p, 1, d), (d, n), &self.y, &mut z.cells, width);
    }

    /// T = Pᵀ·U for the panel that lies ready in this memory, whose rows are as many as U has cells; written to `t`.
    pub(crate) fn transposed_times(&mut self, t: &mut [f64], u: &Columns) {
        let (n, width) = (u.len(), u.width);
        let d = self.panel.len() / n.max(1);
        t.fill(0.0);
        add_times((&self.panel, 1, d), (d, n), &u.cells, t, width);
    }

    /// Z += P·(Pᵀ·U) for the same.
    pub(crate) fn add_outer_times(&mut self, z: &mut Columns, u: &Columns) {
        let (n, width) = (u.len(), u.width);
        let d = self.panel.len() / n.max(1);
        let mut y = std::mem::take(&mut self.y);
        y.resize(d * width, 0.0);
        self.transposed_times(&mut y, u);
        add_times((&self.panel, d, 1), (n, d), &y, &mut z.cells, width);
        self.y = y;
    }

    /// Z += PᵀW(P·Q) for the panel that lies ready in this memory.
    pub(crate) fn add_own_gram_times(
        &mut self,
        z: &mut Columns,
        q: &Columns,
        weights: Option<&[f64]>,
    ) {
        let panel = std::mem::take(&mut self.panel);
        self.add_gram_times(z, &panel, q, weights, None);
        self.panel = panel;
    }
}

/// Rows of a matrix that one thread multiplies at a time.
const RUN: usize = 64;

/// A·V.
pub(crate) fn times(a: &Mat<f64>, v: &Columns) -> Columns {
    let mut out = Columns::zeros(a.n_rows(), v.n_cols);
    let (d, width) = (a.n_cols(), v.width);
    assert_eq!(d, v.len());
    if d == 0 || width == 0 {
        return out;
    }
    let run = |(cells, out): (&[f64], &mut [f64])| {
        add_times((cells, d, 1), (cells.len() / d, d), &v.cells, out, width);
    };
    let pieces = out.cells.par_chunks_mut(RUN * width);
    a.as_slice().par_chunks(RUN * d).zip(pieces).for_each(run);
    out
}

/// V −= BᵀB·V: for orthonormal rows of B, what V has in common with them.
pub(crate) fn project_out(b: &Mat<f64>, v: &mut Columns) {
    let (m, d) = (b.n_rows(), b.n_cols());
    if m == 0 || d == 0 || v.n_cols == 0 {
        return;
    }
    // Few runs: each has a sum as large as V.
    let run = m.div_ceil(4).max(RUN / 2);
    let common = |rows: &[f64]| {
        let mut z = Columns::zeros(d, v.n_cols);
        let mut scratch = Scratch::default();
        for panel in rows.chunks(panel_rows(d) * d) {
            scratch.add_gram_times(&mut z, panel, v, None, None);
        }
        z
    };
    let parts: Vec<Columns> = b.as_slice().par_chunks(run * d).map(common).collect();
    for part in &parts {
        let cells = v.cells.iter_mut().zip(&part.cells);
        cells.for_each(|(v, part)| *v -= part);
    }
}

/// out += M·V for an M of `shape` that is seen through two strides: (cells, from row to row, from column to column).
fn add_times(
    (cells, across, along): (&[f64], usize, usize),
    (n_rows, depth): (usize, usize),
    vectors: &[f64],
    out: &mut [f64],
    width: usize,
) {
    if n_rows == 0 || depth == 0 || width == 0 {
        return;
    }
    InstructionSet::best().run(Times {
        p: cells,
        across,
        along,
        vectors,
        out,
        width,
        n_rows,
        depth,
    });
}

/// out += M·V, where M is seen through two strides and V are vectors side by side.
struct Times<'a> {
    p: &'a [f64],
    /// From one row of M to the next, and from one column to the next.
    across: usize,
    along: usize,
    vectors: &'a [f64],
    out: &'a mut [f64],
    width: usize,
    n_rows: usize,
    depth: usize,
}

/// Bytes of the vectors that stay in the first-level cache while rows pass by.
const DEPTH_BYTES: usize = 20 << 10;

impl Work for Times<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(mut self) {
        let lanes = I::F64::LANES;
        let last = (self.n_rows - 1) * self.across + (self.depth - 1) * self.along;
        assert!(self.width.is_multiple_of(lanes) && last < self.p.len());
        assert!(self.vectors.len() >= self.depth * self.width);
        assert!(self.out.len() >= self.n_rows * self.width);
        let step = (DEPTH_BYTES / (8 * I::VECTORS * lanes)).max(16);
        for from in (0..self.depth).step_by(step) {
            let depth = step.min(self.depth - from);
            for left in (0..self.width).step_by(I::VECTORS * lanes) {
                let live = ((self.width - left) / lanes).min(I::VECTORS);
                let mut row = 0;
                // SAFETY: rows, depth and columns stay inside what was asserted above; `I` as promised by the caller.
                unsafe {
                    while row + ROWS <= self.n_rows {
                        match live {
                            1 => self.add_tile::<I::F64, 1, ROWS>(row, from, depth, left),
                            2 => self.add_tile::<I::F64, 2, ROWS>(row, from, depth, left),
                            _ => self.add_tile::<I::F64, 3, ROWS>(row, from, depth, left),
                        }
                        row += ROWS;
                    }
                    while row < self.n_rows {
                        match live {
                            1 => self.add_tile::<I::F64, 1, 1>(row, from, depth, left),
                            2 => self.add_tile::<I::F64, 2, 1>(row, from, depth, left),
                            _ => self.add_tile::<I::F64, 3, 1>(row, from, depth, left),
                        }
                        row += 1;
                    }
                }
            }
        }
    }
}

impl Times<'_> {
    /// Adds to `ROWS` rows of `N` registers of the result.
    #[inline(always)]
    unsafe fn add_tile<V: Vector<Cell = f64>, const N: usize, const ROWS: usize>(
        &mut self,
        row: usize,
        from: usize,
        depth: usize,
        left: usize,
    ) {
        // SAFETY: the caller vouches for all places these pointers walk through, and for the instructions.
        unsafe {
            let mut number = self.p.as_ptr().add(row * self.across + from * self.along);
            let mut vectors = self.vectors.as_ptr().add(from * self.width + left);
            let mut sums = [[V::zero(); N]; ROWS];
            for _ in 0..depth {
                let columns: [V; N] = std::array::from_fn(|v| V::load(vectors.add(v * V::LANES)));
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = V::splat(*number.add(r * self.across));
                    for v in 0..N {
                        sums[v] = columns[v].mul_add(x, sums[v]).pinned();
                    }
                }
                number = number.wrapping_add(self.along);
                vectors = vectors.wrapping_add(self.width);
            }
            let out = self.out.as_mut_ptr().add(row * self.width + left);
            for (r, sums) in sums.into_iter().enumerate() {
                for (v, sum) in sums.into_iter().enumerate() {
                    sum.add_to(out.add(r * self.width + v * V::LANES));
                }
            }
        }
    }
}

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

/// What sparse rows are multiplied with, and where the products go.
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
        let (lanes, width) = (I::F64::LANES, self.ends.width);
        assert!(width.is_multiple_of(lanes));
        for row in self.rows {
            for left in (0..width).step_by(3 * lanes) {
                // SAFETY: the columns as promised, registers end with the width; `I` as promised.
                unsafe {
                    match ((width - left) / lanes).min(3) {
                        1 => self.ends.add_row::<I::F64, T, 1>(row, left),
                        2 => self.ends.add_row::<I::F64, T, 2>(row, left),
                        _ => self.ends.add_row::<I::F64, T, 3>(row, left),
                    }
                }
            }
        }
    }
}

/// Sums that run beside each other, so that no addition has to wait for the one before it.
const CHAINS: usize = 4;

impl SparseTimes<'_> {
    /// One sparse row, `N` registers of the vectors from `left` on.
    #[inline(always)]
    unsafe fn add_row<V: Vector<Cell = f64>, T: Real, const N: usize>(
        &mut self,
        (columns, values, weight): SparseRow<'_, T>,
        left: usize,
    ) {
        // SAFETY: the caller vouches for the columns, for `N` registers from `left` on, and for the instructions.
        unsafe {
            // 1. y = w·(x·Q − offset).
            // Plain loops: a closure would be compiled without the instructions.
            let q = self.q.as_ptr().add(left);
            let mut sums = [[V::zero(); N]; CHAINS];
            for (columns, values) in columns.chunks(CHAINS).zip(values.chunks(CHAINS)) {
                for (sum, (&j, x)) in sums.iter_mut().zip(columns.iter().zip(values)) {
                    let (cells, x) = (q.add(j as usize * self.width), V::splat(x.to_f64()));
                    for (v, sum) in sum.iter_mut().enumerate() {
                        *sum = V::load(cells.add(v * V::LANES)).mul_add(x, *sum);
                    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product;
    use crate::rng::Rng;

    fn random(n: usize, d: usize, seed: u64) -> Mat<f64> {
        let mut rng = Rng::new(seed);
        Mat::from_fn(n, d, |_, _| rng.normal())
    }

    #[track_caller]
    fn assert_near(got: &Mat<f64>, want: &Mat<f64>) {
        assert_eq!((got.n_rows(), got.n_cols()), (want.n_rows(), want.n_cols()));
        for (got, want) in got.as_slice().iter().zip(want.as_slice()) {
            assert!(
                (got - want).abs() <= 1e-11 * want.abs().max(1.0),
                "{got} {want}"
            );
        }
    }

    #[test]
    fn every_product_agrees_with_the_backend() {
        for (n, d, b) in [
            (1, 1, 1),
            (7, 5, 3),
            (70, 33, 4),
            (150, 300, 13),
            (33, 700, 30),
        ] {
            let (p, q) = (random(n, d, 1), random(d, b, 2));
            let columns = Columns::from_mat(&q);
            assert_eq!(columns.to_mat(), q);
            assert_eq!(columns.to_rows(), q.transposed());
            assert_eq!(Columns::from_rows(&q.transposed()).to_mat(), q);
            let pq = product(p.view(), q.view());
            assert_near(&times(&p, &columns).to_mat(), &pq);
            let common = product(p.view().transposed(), pq.view());
            let left = Mat::from_fn(d, b, |i, j| q[(i, j)] - common[(i, j)]);
            let mut got = columns.clone();
            project_out(&p, &mut got);
            assert_near(&got.to_mat(), &left);
            let m = random(b, 3, 5);
            assert_near(&columns.combined(&m).to_mat(), &product(q.view(), m.view()));
            let other = random(d, 6, 7);
            let want = product(q.view().transposed(), other.view());
            assert_near(&columns.inner(&Columns::from_mat(&other)), &want);
        }
    }

    #[test]
    fn weighted_and_sparse_rows_agree_with_the_backend() {
        for (n, d, b) in [(9, 4, 1), (40, 31, 5), (80, 60, 27)] {
            let mut rng = Rng::new(3);
            let x = Mat::from_fn(n, d, |_, _| {
                let x = rng.normal();
                if x > 0.5 { x } else { 0.0 }
            });
            let (q, offset) = (random(d, b, 4), random(1, b, 6));
            let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
            let mut y = product(x.view(), q.view());
            for i in 0..n {
                for j in 0..b {
                    y[(i, j)] = (y[(i, j)] - offset[(0, j)]) * weights[i];
                }
            }
            let want = product(x.view().transposed(), y.view());
            let columns = Columns::from_mat(&q);
            let mut padded = offset.as_slice().to_vec();
            padded.resize(columns.width(), 0.0);
            let rows: Vec<(Vec<u32>, Vec<f64>)> = x
                .rows()
                .map(|row| {
                    let cells = (0u32..).zip(row).filter(|(_, x)| **x != 0.0);
                    cells.map(|(j, x)| (j, *x)).unzip()
                })
                .collect();
            let mut z = Columns::zeros(d, b);
            let mut sums = vec![0.0; columns.width()];
            let sparse = rows
                .iter()
                .zip(&weights)
                .map(|((j, x), w)| (&j[..], &x[..], *w));
            // SAFETY: the columns were counted along a row of x.
            unsafe { add_sparse_gram_times(&mut z, sparse, &columns, &padded, &mut sums) };
            assert_near(&z.to_mat(), &want);
            let total = Mat::from_fn(1, b, |_, j| y.col(j).iter().sum());
            assert_near(&Mat::from_fn(1, b, |_, j| sums[j]), &total);
            // Dense rows, which have no offset.
            let mut z = Columns::zeros(d, b);
            Scratch::default().add_gram_times(&mut z, x.as_slice(), &columns, Some(&weights), None);
            let mut y = product(x.view(), q.view());
            for (i, w) in weights.iter().enumerate() {
                y.row_mut(i).iter_mut().for_each(|y| *y *= w);
            }
            assert_near(&z.to_mat(), &product(x.view().transposed(), y.view()));
        }
    }
}
