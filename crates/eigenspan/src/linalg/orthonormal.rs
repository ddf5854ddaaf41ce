//! Orthonormal rows by Gram–Schmidt, done twice ("twice is enough": Giraud, Langou & Rozložník 2005,
//! doi:10.1016/j.camwa.2005.08.009).

use super::dot::{dot, norm};
use super::product::{product, times_transposed};
use crate::mat::Mat;
use crate::parallel;

/// Makes nearly orthonormal rows orthonormal to rounding. Rows that already are orthonormal, almost always all of them, are
/// not touched.
///
/// If VVᵀ = I + E with a small E, the error of (I − E/2)·V is only of order E²: the orthonormal rows nearest to V, in two
/// steps. From the first row that is far from orthonormal on, rows are orthonormalized one by one.
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

/// How many leading rows are orthonormal up to an error of `off`, judged by their inner products.
fn leading(gram: &Mat<f64>, off: f64) -> usize {
    let sound = |i: usize| (0..=i).all(|j| (gram[(i, j)] - f64::from(i == j)).abs() <= off);
    (0..gram.n_rows())
        .find(|&i| !sound(i))
        .unwrap_or(gram.n_rows())
}

/// Makes the rows orthonormal, first to last. A row that depends linearly on the rows before it is replaced by an independent
/// one, so that the rows are always orthonormal; there must not be more rows than columns.
pub fn orthonormalize_rows(m: &mut Mat<f64>) {
    orthonormalize_from(m, 0);
}

/// The same for the rows from `start` on; the rows before are already orthonormal.
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
            // A remainder below this is rounding.
            let own = left > 1e-10;
            if own {
                m.row_mut(i).iter_mut().for_each(|x| *x /= left);
                project_out(m, i);
            }
            own
        };
        if !kept {
            // Try coordinate axes in order; at least d − i of the d axes do not lie in the span of i rows.
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

/// Removes from row i its projection on the rows before it; long rows in a few pieces, on all threads.
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
