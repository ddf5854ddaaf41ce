//! From eigenvectors of T to those of A = Q·T·Qᵀ: z becomes Q·z, a block of reflectors at a time.
//!
//! H₁H₂⋯H_b = I − V·F·Vᵀ with an upper triangle F (Schreiber & Van Loan 1989, doi:10.1137/0910005), so that a block is
//! three products of matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

use super::Tridiagonal;
use crate::linalg::{backend, times_transposed};
use crate::mat::Mat;
use crate::parallel;

/// Reflectors of a block, and vectors that one thread transforms at a time.
const BLOCK: usize = 64;
const VECTORS: usize = 64;

impl Tridiagonal {
    /// Transforms eigenvectors of T, as rows, into those of the matrix.
    pub(in crate::linalg) fn turn_back(&self, rows: &mut Mat<f64>) {
        let n = self.diagonal.len();
        if n < 2 || rows.n_rows() == 0 {
            return;
        }
        for start in (0..n - 1).step_by(BLOCK).rev() {
            let (reflectors, triangle) = self.block(start, BLOCK.min(n - 1 - start));
            let count = reflectors.n_rows();
            parallel::each_chunk(rows.as_mut_slice(), VECTORS * n, |_, rows| {
                let k = rows.len() / n;
                // Z −= ((Z·Vᵀ)·Fᵀ)·V, with vectors and reflectors as rows.
                let z = MatMut::from_row_major_slice_mut(rows, k, n);
                let mut z = z.subcols_mut(start + 1, n - start - 1);
                let v = backend(&reflectors.view());
                let mut along = vec![0.0; k * count];
                let mut turned = vec![0.0; k * count];
                let mut along = MatMut::from_row_major_slice_mut(&mut along, k, count);
                let mut turned = MatMut::from_row_major_slice_mut(&mut turned, k, count);
                let f = backend(&triangle.view());
                matmul(
                    along.as_mut(),
                    Accum::Replace,
                    z.as_ref(),
                    v.transpose(),
                    1.0,
                    Par::Seq,
                );
                matmul(
                    turned.as_mut(),
                    Accum::Replace,
                    along.as_ref(),
                    f.transpose(),
                    1.0,
                    Par::Seq,
                );
                matmul(z.as_mut(), Accum::Add, turned.as_ref(), v, -1.0, Par::Seq);
            });
        }
    }

    /// Reflectors `start` to `start + count` as rows, from their cell `start` + 1 on, and their triangle F.
    fn block(&self, start: usize, count: usize) -> (Mat<f64>, Mat<f64>) {
        let n = self.diagonal.len();
        let mut v = Mat::zeros(count, n - start - 1);
        for p in 0..count {
            let row = &mut v.row_mut(p)[p..];
            row.copy_from_slice(&self.reflectors.row(start + p)[start + p + 1..]);
            row[0] = 1.0;
        }
        let between = times_transposed(v.view(), v.view());
        let mut f = Mat::<f64>::zeros(count, count);
        for i in 0..count {
            let factor = self.factors[start + i];
            for r in 0..i {
                let sum: f64 = (r..i).map(|c| f[(r, c)] * between[(c, i)]).sum();
                f[(r, i)] = -factor * sum;
            }
            f[(i, i)] = factor;
        }
        (v, f)
    }
}
