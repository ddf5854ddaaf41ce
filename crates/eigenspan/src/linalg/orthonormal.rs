//! Orthonormal rows by Gram–Schmidt, done twice ("twice is enough": Giraud, Langou & Rozložník 2005,
//! doi:10.1016/j.camwa.2005.08.009).

use super::dot::{dot, norm};
use super::product::{product, times_transposed};
use crate::mat::Mat;
use crate::parallel;

/// Makes rows that are nearly orthonormal exactly so; those that are already are not touched, which is almost always all.
///
/// Where VVᵀ = I + E with a small E, (I − E/2)·V is off by E² only: the nearest orthonormal rows to V, in two steps. What
/// comes after the first row that is far off is made orthonormal one by one.
pub fn polish_rows(m: &mut Mat<f64>) {
    const EXACT: f64 = 1e-13;
    const SMALL: f64 = 1e-5;
    for _ in 0..2 {
        let gram = times_transposed(m.view(), m.view());
        let near = leading(&gram, SMALL / gram.n_rows().max(1) as f64);
        if near == 0 || near <= leading(&gram, EXACT) {
            break;
        }
        let off = Mat::from_fn(near, near, |i, j| gram[(i, j)] - f64::from(i == j));
        let along = product(off.view(), m.view().slice_rows(0, near));
        let cells = m.as_mut_slice().iter_mut().zip(along.as_slice());
        cells.for_each(|(x, along)| *x -= 0.5 * along);
    }
    let gram = times_transposed(m.view(), m.view());
    orthonormalize_from(m, leading(&gram, EXACT));
}

/// How many leading rows are orthonormal up to `off`, by their inner products.
fn leading(gram: &Mat<f64>, off: f64) -> usize {
    let sound = |i: usize| (0..=i).all(|j| (gram[(i, j)] - f64::from(i == j)).abs() <= off);
    (0..gram.n_rows())
        .find(|&i| !sound(i))
        .unwrap_or(gram.n_rows())
}

/// Makes the rows orthonormal, first to last. A row that adds no direction of its own is replaced by one that does, so
/// that the rows are orthonormal whatever was given; the number of rows must not exceed that of columns.
pub fn orthonormalize_rows(m: &mut Mat<f64>) {
    orthonormalize_from(m, 0);
}

/// The same for the rows from `start` on; those before are orthonormal.
pub fn orthonormalize_from(m: &mut Mat<f64>, start: usize) {
    let (k, d) = (m.n_rows(), m.n_cols());
    debug_assert!(k <= d);
    let mut next_axis = 0;
    for i in start..k {
        let before = norm(m.row(i));
        let kept = before > 0.0 && before.is_finite() && {
            m.row_mut(i).iter_mut().for_each(|x| *x /= before);
            project_out(m, i);
            let left = norm(m.row(i));
            // Below this, what is left is rounding.
            let own = left > 1e-10;
            if own {
                m.row_mut(i).iter_mut().for_each(|x| *x /= left);
                project_out(m, i);
            }
            own
        };
        if !kept {
            // Try coordinate axes in order; among d of them at least d − i stand out from i rows.
            loop {
                let axis = next_axis % d;
                next_axis += 1;
                let row = m.row_mut(i);
                row.fill(0.0);
                row[axis] = 1.0;
                project_out(m, i);
                let left = norm(m.row(i));
                if left > 0.5 / (d as f64).sqrt() {
                    m.row_mut(i).iter_mut().for_each(|x| *x /= left);
                    project_out(m, i);
                    break;
                }
            }
        }
        let length = norm(m.row(i));
        m.row_mut(i).iter_mut().for_each(|x| *x /= length);
    }
}

/// Takes the rows before row i out of row i; long rows a few at a time, by all threads.
fn project_out(m: &mut Mat<f64>, i: usize) {
    const LONG: usize = 8192;
    const TOGETHER: usize = 32;
    const PIECE: usize = 2048;
    let d = m.n_cols();
    let (done, rest) = m.as_mut_slice().split_at_mut(i * d);
    let row = &mut rest[..d];
    if d >= LONG {
        for others in done.chunks(TOGETHER * d) {
            let count = others.len() / d;
            let along = parallel::collect(count, |i| dot(&others[i * d..(i + 1) * d], row));
            parallel::each_chunk(row, PIECE, |piece, x| {
                for (other, along) in others.chunks_exact(d).zip(&along) {
                    let other = &other[piece * PIECE..];
                    x.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
                }
            });
        }
        return;
    }
    for other in done.chunks_exact(d) {
        let along = dot(other, row);
        row.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
    }
}
