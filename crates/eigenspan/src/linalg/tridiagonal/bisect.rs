//! The largest eigenvalues of a tridiagonal matrix by bisection.
//!
//! The number of negative pivots of T − xI is the number of eigenvalues of T below x (Sylvester's law of inertia), despite
//! rounding (Demmel, Dhillon & Ren 1995, "On the correctness of some bisection-like parallel eigenvalue algorithms"). Several
//! numbers x are tried at the same time, so that no division has to wait for another.

use super::Tridiagonal;
use crate::linalg::simd::{InstructionSet, Isa, Work};
use crate::parallel;

/// Numbers that are tried at the same time.
const LANES: usize = 8;

/// The k largest eigenvalues, largest first, each accurate to a rounding unit of the largest. In units of T.
pub(in crate::linalg) fn largest_values(t: &Tridiagonal, k: usize) -> Vec<f64> {
    let n = t.diagonal.len();
    let squares: Vec<f64> = std::iter::once(0.0)
        .chain(t.beside.iter().map(|x| x * x))
        .collect();
    let size = t.norm();
    let pivot = f64::MIN_POSITIVE * squares.iter().fold(1.0, |a: f64, b| a.max(*b));
    let close = 0.5 * f64::EPSILON * size;
    let mut values = vec![0.0; k];
    parallel::each_chunk(&mut values, LANES, |group, values| {
        // Eigenvalue i, from the largest, has n − 1 − i below it.
        let below: [usize; LANES] = std::array::from_fn(|l| n - 1 - (group * LANES + l).min(n - 1));
        let (mut low, mut high) = ([-2.0 * size; LANES], [2.0 * size; LANES]);
        while (0..LANES).any(|l| high[l] - low[l] > close.max(f64::EPSILON * low[l].abs())) {
            let middle: [f64; LANES] = std::array::from_fn(|l| 0.5 * (low[l] + high[l]));
            if middle == low || middle == high {
                break;
            }
            let counts = InstructionSet::best().run(Count {
                diagonal: &t.diagonal,
                squares: &squares,
                at: &middle,
                pivot,
            });
            for l in 0..LANES {
                match counts[l] as usize > below[l] {
                    true => high[l] = middle[l],
                    false => low[l] = middle[l],
                }
            }
        }
        for (l, value) in values.iter_mut().enumerate() {
            *value = 0.5 * (low[l] + high[l]);
        }
    });
    values
}

/// How many eigenvalues lie below each of some numbers.
struct Count<'a> {
    diagonal: &'a [f64],
    /// Squares of the off-diagonal entries; entry i belongs to rows i − 1 and i.
    squares: &'a [f64],
    at: &'a [f64; LANES],
    /// Pivots with a smaller magnitude are replaced by this.
    pivot: f64,
}

impl Work for Count<'_> {
    type Output = [i64; LANES];

    #[inline(always)]
    unsafe fn run<I: Isa, const ROWS: usize>(self) -> [i64; LANES] {
        let mut pivots = [1.0f64; LANES];
        let mut counts = [0i64; LANES];
        for (d, square) in self.diagonal.iter().zip(self.squares) {
            for l in 0..LANES {
                let next = d - self.at[l] - square / pivots[l];
                let next = if next.abs() < self.pivot {
                    -self.pivot
                } else {
                    next
                };
                counts[l] += i64::from(next < 0.0);
                pivots[l] = next;
            }
        }
        counts
    }
}
