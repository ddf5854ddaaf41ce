//! Reduces a symmetric matrix to A = Q·T·Qᵀ with T tridiagonal, at a cost that does not depend on the spectrum.
//!
//! Householder reflectors, a panel at a time (Dongarra, Sorensen & Hammarling 1989, doi:10.1016/0377-0427(89)90367-1): each
//! takes one product of the remaining matrix with a vector ([`times`]), and a panel updates the remaining matrix by one
//! product of matrices. 4/3·n³ operations, half of them bound by memory. If few eigenpairs of T are wanted, they are found by
//! bisection ([`bisect`]) and inverse iteration ([`inverse`]); if many, by the backend. [`back`] transforms their vectors
//! into those of A.
//!
//! Work is cut by the size of the matrix alone, so that any number of threads gives the same bits.

mod back;
mod bisect;
mod inverse;
mod stack;
mod times;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

pub(super) use self::bisect::largest_values;
pub(super) use self::inverse::vectors;
use self::stack::Stack;
use super::{dot, mirror_lower, power_of_two_near};
use crate::mat::Mat;
use crate::parallel::{self, Team};

/// Reflectors of a panel.
const PANEL: usize = 32;
/// Columns of the remaining matrix that one thread updates at a time.
const TILE: usize = 128;

/// Q and T of a symmetric matrix.
#[derive(Debug)]
pub(super) struct Tridiagonal {
    /// Reflectors: row j holds one from its cell j + 1 on; that cell is 1.
    reflectors: Mat<f64>,
    /// The factor t of each reflector H = I − t·v·vᵀ.
    factors: Vec<f64>,
    /// The diagonal of T.
    pub(super) diagonal: Vec<f64>,
    /// The off-diagonal entries of T.
    pub(super) beside: Vec<f64>,
    /// The power of two by which T was divided: eigenvalues must be multiplied by it.
    pub(super) unit: f64,
}

impl Tridiagonal {
    /// Reduces a matrix with at least one row; reads its lower triangle.
    pub(super) fn from_symmetric(a: &Mat<f64>) -> Self {
        let n = a.n_rows();
        let largest_of = |row: &[f64]| row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let largest = parallel::collect(n, |i| largest_of(a.row(i)))
            .into_iter()
            .fold(0.0, f64::max);
        let unit = match largest > 0.0 {
            true => power_of_two_near(largest),
            false => 1.0,
        };
        let mut left = Mat::zeros(n, n);
        parallel::each_chunk(left.as_mut_slice(), n, |i, to| {
            to.iter_mut()
                .zip(a.row(i))
                .for_each(|(to, x)| *to = x / unit);
        });
        // Rows from their diagonal on are the columns of the lower triangle, and are contiguous.
        mirror_lower(&mut left);
        let mut out = Tridiagonal {
            reflectors: left,
            factors: vec![0.0; n - 1],
            diagonal: vec![0.0; n],
            beside: vec![0.0; n - 1],
            unit,
        };
        // Thousands of products with a vector, each as long as a thread takes to wake up.
        parallel::with_team(times::RUNS, |team| {
            for start in (0..n - 1).step_by(PANEL) {
                let count = PANEL.min(n - 1 - start);
                let changes = out.reduce_panel(team, start, count);
                out.update(team, start, count, &changes);
            }
        });
        out.diagonal[n - 1] = out.reflectors[(n - 1, n - 1)];
        out
    }

    /// Computes `count` reflectors from column `start` on; returns the vectors w, with which the remaining matrix changes by
    /// −vwᵀ − wvᵀ.
    fn reduce_panel(&mut self, team: &Team, start: usize, count: usize) -> Mat<f64> {
        let n = self.diagonal.len();
        let mut changes = Mat::<f64>::zeros(count, n);
        let mut image = times::Image::new(n);
        for i in 0..count {
            let j = start + i;
            let (before, from_here) = self.reflectors.as_mut_slice().split_at_mut(j * n);
            let column = &mut from_here[j..n];
            // 1. Apply the earlier reflectors of the panel to this column.
            let v = Stack::new(&before[start * n..], n, i, j);
            let w = Stack::new(changes.as_slice(), n, i, j);
            v.add_to(&negative(w.column(0)), column);
            w.add_to(&negative(v.column(0)), column);
            self.diagonal[j] = column[0];
            // 2. The reflector that leaves one nonzero entry in it.
            let Some((beside, factor)) = reflector(&mut column[1..]) else {
                self.beside[j] = column[1];
                continue;
            };
            self.beside[j] = beside;
            self.factors[j] = factor;
            // 3. w = t·(A v − ½ t (vᵀA v) v), with A after the panel's earlier reflectors.
            let m = n - j - 1;
            let v = column[1..].to_vec();
            let y = image.times(team, self.reflectors.as_slice(), n, j + 1, &v);
            let earlier = Stack::new(&self.reflectors.as_slice()[start * n..], n, i, j + 1);
            let w = Stack::new(changes.as_slice(), n, i, j + 1);
            earlier.add_to(&negative(w.times(&v)), y);
            w.add_to(&negative(earlier.times(&v)), y);
            let half = 0.5 * factor * factor * dot(&y[..m], &v);
            let w = &mut changes.row_mut(i)[j + 1..];
            for ((w, y), v) in w.iter_mut().zip(&*y).zip(&v) {
                *w = factor * y - half * v;
            }
        }
        changes
    }

    /// Updates the remaining matrix after a panel: A −= V·Wᵀ + W·Vᵀ, lower triangle only.
    fn update(&mut self, team: &Team, start: usize, count: usize, changes: &Mat<f64>) {
        let n = self.diagonal.len();
        let from = start + count;
        let m = n - from;
        let (done, left) = self.reflectors.as_mut_slice().split_at_mut(from * n);
        // Both sides of the product as columns: [V W] and [W V].
        let mut sides = [vec![0.0; 2 * count * m], vec![0.0; 2 * count * m]];
        for p in 0..count {
            let v = &done[(start + p) * n + from..(start + p + 1) * n];
            let w = &changes.row(p)[from..];
            for (side, (first, second)) in sides.iter_mut().zip([(v, w), (w, v)]) {
                side[p * m..][..m].copy_from_slice(first);
                side[(count + p) * m..][..m].copy_from_slice(second);
            }
        }
        let [l, r] = &sides;
        let l = MatRef::from_column_major_slice(l, m, 2 * count);
        let r = MatRef::from_column_major_slice(r, m, 2 * count);
        team.each_chunk(left, TILE * n, |tile, columns| {
            let (first, width) = (tile * TILE, columns.len() / n);
            let rows = m - first;
            let target = MatMut::from_column_major_slice_with_stride_mut(
                &mut columns[from + first..],
                rows,
                width,
                n,
            );
            let (on_diagonal, below) = target.split_at_row_mut(width);
            let (l, r) = (l.subrows(first, rows), r.subrows(first, width));
            triangular::matmul(
                on_diagonal,
                BlockStructure::TriangularLower,
                Accum::Add,
                l.subrows(0, width),
                BlockStructure::Rectangular,
                r.transpose(),
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
            matmul(
                below,
                Accum::Add,
                l.subrows(width, rows - width),
                r.transpose(),
                -1.0,
                Par::Seq,
            );
        });
    }

    /// An upper bound on the spectral norm of T: its largest row sum of magnitudes.
    pub(super) fn norm(&self) -> f64 {
        let beside = |i: usize| self.beside.get(i).map_or(0.0, |x| x.abs());
        let row = |i: usize| {
            let before = i.checked_sub(1).map_or(0.0, beside);
            before + self.diagonal[i].abs() + beside(i)
        };
        (0..self.diagonal.len()).map(row).fold(0.0, f64::max)
    }
}

/// Turns x into v with H x = (b, 0, …), where H = I − t·v·vᵀ and v starts with 1; returns b and t. `None` if x already is (b,
/// 0, …).
fn reflector(x: &mut [f64]) -> Option<(f64, f64)> {
    let (head, tail) = x.split_first_mut()?;
    let squares = dot(tail, tail);
    if squares == 0.0 {
        return None;
    }
    let length = -(*head * *head + squares).sqrt().copysign(*head);
    let scale = 1.0 / (*head - length);
    let factor = (length - *head) / length;
    tail.iter_mut().for_each(|x| *x *= scale);
    *head = 1.0;
    Some((length, factor))
}

fn negative(mut x: Vec<f64>) -> Vec<f64> {
    x.iter_mut().for_each(|x| *x = -*x);
    x
}
