//! The symmetric product C += PᵀP of few long columns, by all threads and into one C.
//!
//! Where C is large, every thread cannot have sums of its own, as [`super::symmetric`] needs them. C is cut into strips of rows
//! instead, each of which one thread computes up to the diagonal.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

use super::backend;
use crate::mat::{Mat, MatView};

/// Rows of C that one thread computes at a time.
const STRIP: usize = 96;

/// Adds PᵀP to the lower triangle of `c`; of what lies above the diagonal, some cells change too.
pub(crate) fn add_outer(c: &mut Mat<f64>, p: MatView<'_, f64>) {
    let n = c.n_rows();
    assert!(c.n_cols() == n && p.n_cols() == n);
    if n == 0 || p.n_rows() == 0 {
        return;
    }
    // Strips grow longer downward. One from the end after each from the beginning: every run of them has its share of both.
    let mut strips: Vec<(usize, &mut [f64])> = Vec::new();
    let mut rest: Vec<_> = c.as_mut_slice().chunks_mut(STRIP * n).enumerate().collect();
    rest.reverse();
    let later = rest.split_off(rest.len() / 2);
    let mut later = later.into_iter().rev();
    for strip in rest {
        strips.push(strip);
        strips.extend(later.next());
    }
    strips.extend(later);
    strips.into_par_iter().with_max_len(1).for_each(|(i, out)| {
        let (start, rows) = (i * STRIP, out.len() / n);
        let end = start + rows;
        let columns = |from: usize, to: usize| p.transposed().slice_rows(from, to);
        matmul(
            MatMut::from_column_major_slice_with_stride_mut(out, end, rows, n).transpose_mut(),
            Accum::Add,
            backend(&columns(start, end)),
            backend(&columns(0, end).transposed()),
            1.0,
            Par::Seq,
        );
    });
}

#[cfg(test)]
mod tests {
    use super::{Mat, STRIP, add_outer};

    #[test]
    fn every_strip_of_the_lower_triangle_is_the_product() {
        for n in [1, 7, STRIP, STRIP + 1, 3 * STRIP + 5] {
            let p = Mat::from_fn(9, n, |i, j| ((i * 31 + j * 17) % 13) as f64 - 6.0);
            let mut c = Mat::from_fn(n, n, |_, _| 1.0);
            add_outer(&mut c, p.view());
            for i in 0..n {
                for j in 0..=i {
                    let sum: f64 = (0..9).map(|r| p[(r, i)] * p[(r, j)]).sum();
                    assert_eq!(c[(i, j)], 1.0 + sum, "{n}: {i}, {j}");
                }
            }
        }
    }
}
