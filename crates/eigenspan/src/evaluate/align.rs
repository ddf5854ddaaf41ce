//! Which component of a replicate belongs to which component of the original, and with which sign.
//!
//! Eigenvalues that lie close together change places, and every component may come with the other sign. Components are matched
//! so that the sum of cos² over all pairs is the largest possible (an assignment, by shortest augmenting paths: Kuhn 1955,
//! doi:10.1002/nav.3800020109), then multiplied by ±1 so that the cosine is positive (Timmerman, Kiers & Smilde 2007, British
//! Journal of Mathematical and Statistical Psychology 60:295–314, compare this with rotations, which give up the single
//! components). A replicate may have more components than are matched.

use crate::error::Error;
use crate::linalg::{dot, norm, symmetric_eigenvalues, times_transposed};
use crate::mat::Mat;

/// For every row of `to`, the row of `from` that it is matched with, and whether its sign has to change; `None` if `from` has
/// too few rows.
pub(super) fn matched(to: &Mat<f64>, from: &Mat<f64>) -> Vec<Option<(usize, bool)>> {
    let cosines = times_transposed(to.view(), from.view());
    let (k, offered) = (to.n_rows(), from.n_rows());
    let gain = |i: usize, j: usize| match j < offered {
        true => cosines[(i, j)].powi(2),
        false => 0.0,
    };
    let places = assignment(k, offered.max(k), |i, j| -gain(i, j));
    let pair = |(i, j): (usize, usize)| (j < offered).then(|| (j, cosines[(i, j)] < 0.0));
    places.into_iter().enumerate().map(pair).collect()
}

/// The angle between two unit vectors up to their signs, in radians: 2 asin(‖a ∓ b‖/2), accurate also if it is small.
pub(super) fn angle(a: &[f64], b: &[f64]) -> f64 {
    let sign = dot(a, b).signum();
    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - sign * b).collect();
    2.0 * (0.5 * norm(&apart)).min(1.0).asin()
}

/// The largest angle between the spans of orthonormal rows: arccos of the smallest singular value of ABᵀ.
pub(super) fn span_angle(a: &Mat<f64>, b: &Mat<f64>) -> Result<f64, Error> {
    if b.n_rows() < a.n_rows() {
        return Ok(std::f64::consts::FRAC_PI_2);
    }
    let cosines = times_transposed(a.view(), b.view());
    let squares = times_transposed(cosines.view(), cosines.view());
    let least = symmetric_eigenvalues(&squares)?
        .last()
        .copied()
        .unwrap_or(1.0);
    Ok(least.clamp(0.0, 1.0).sqrt().acos())
}

/// The assignment of a column to every row with the smallest sum of costs; there must be at least as many columns as rows.
///
/// Rows are added one by one; each takes the cheapest augmenting path through the rows before it, with costs reduced by the
/// potentials of rows and columns.
fn assignment(n_rows: usize, n_cols: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    // Index 0 of columns and rows is a placeholder.
    let (mut row_pays, mut col_pays) = (vec![0.0; n_rows + 1], vec![0.0; n_cols + 1]);
    let mut owner = vec![0; n_cols + 1];
    let mut before = vec![0; n_cols + 1];
    for row in 1..=n_rows {
        owner[0] = row;
        let mut col = 0;
        let mut least = vec![f64::INFINITY; n_cols + 1];
        let mut done = vec![false; n_cols + 1];
        // 1. The cheapest path from this row to a column that is free.
        while owner[col] != 0 {
            done[col] = true;
            let (own, mut step, mut next) = (owner[col], f64::INFINITY, 0);
            for j in (1..=n_cols).filter(|&j| !done[j]) {
                let reduced = cost(own - 1, j - 1) - row_pays[own] - col_pays[j];
                if reduced < least[j] {
                    least[j] = reduced;
                    before[j] = col;
                }
                if least[j] < step {
                    step = least[j];
                    next = j;
                }
            }
            for j in 0..=n_cols {
                if done[j] {
                    row_pays[owner[j]] += step;
                    col_pays[j] -= step;
                } else {
                    least[j] -= step;
                }
            }
            col = next;
        }
        // 2. Every row on the path takes the next column.
        while col != 0 {
            owner[col] = owner[before[col]];
            col = before[col];
        }
    }
    let mut places = vec![0; n_rows];
    for j in (1..=n_cols).filter(|&j| owner[j] != 0) {
        places[owner[j] - 1] = j - 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Tries every way.
    fn least_cost(costs: &Mat<f64>, row: usize, taken: &mut Vec<usize>) -> f64 {
        if row == costs.n_rows() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for j in 0..costs.n_cols() {
            if !taken.contains(&j) {
                taken.push(j);
                best = best.min(costs[(row, j)] + least_cost(costs, row + 1, taken));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn no_other_assignment_is_cheaper() {
        let mut rng = Rng::new(3);
        for (n, m) in [(1, 1), (2, 2), (3, 5), (5, 5), (4, 6), (6, 6)] {
            for _ in 0..20 {
                let costs = Mat::from_fn(n, m, |_, _| rng.normal());
                let places = assignment(n, m, |i, j| costs[(i, j)]);
                let mut seen = places.clone();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), n);
                let sum: f64 = places.iter().enumerate().map(|(i, &j)| costs[(i, j)]).sum();
                let least = least_cost(&costs, 0, &mut Vec::new());
                assert!((sum - least).abs() < 1e-12, "{sum} is not {least}");
            }
        }
    }

    #[test]
    fn components_that_changed_places_and_signs_are_found_again() {
        let to = Mat::from_fn(2, 3, |i, j| f64::from(i == j));
        let from = Mat::from_fn(3, 3, |i, j| {
            [[0.0, 0.1, 1.0], [0.0, -1.0, 0.1], [1.0, 0.0, 0.0]][i][j]
        });
        assert_eq!(matched(&to, &from), [Some((2, false)), Some((1, true))]);
        assert_eq!(matched(&to, &from.top(1)), [None, Some((0, false))]);
    }
}
