//! Barycentric weights: a row written by its neighbors.

use crate::error::Error;
use crate::linalg::{gram_of_rows, solve_positive};
use crate::mat::Mat;

/// The differences of some rows from a point (k × d).
pub(super) fn differences(rows: &Mat<f64>, neighbors: &[u32], from: &[f64]) -> Mat<f64> {
    let mut out = Mat::zeros(neighbors.len(), rows.n_cols());
    for (i, &j) in neighbors.iter().enumerate() {
        let to = out.row_mut(i).iter_mut();
        to.zip(rows.row(j as usize).iter().zip(from))
            .for_each(|(to, (x, o))| *to = x - o);
    }
    out
}

/// The mean of some rows.
pub(super) fn mean(rows: &Mat<f64>, neighbors: &[u32]) -> Vec<f64> {
    let mut mean = vec![0.0; rows.n_cols()];
    for &j in neighbors {
        let cells = mean.iter_mut().zip(rows.row(j as usize));
        cells.for_each(|(m, x)| *m += x);
    }
    mean.iter_mut().for_each(|m| *m /= neighbors.len() as f64);
    mean
}

/// Weights w with Σw = 1 for which ‖Σ w_j d_j‖² + r‖w‖² is smallest, where d_j are the rows of `differences` and r is `share` of the trace
/// of their Gram matrix; `share` itself where the trace is zero.
pub(super) fn barycentric(differences: &Mat<f64>, share: f64) -> Result<Vec<f64>, Error> {
    let k = differences.n_rows();
    let mut gram = gram_of_rows(differences);
    let trace: f64 = (0..k).map(|i| gram[(i, i)]).sum();
    let added = if trace > 0.0 { share * trace } else { share };
    (0..k).for_each(|i| gram[(i, i)] += added);
    let ones = Mat::from_fn(k, 1, |_, _| 1.0);
    let found = solve_positive(&gram, ones.view()).map(Mat::into_vec);
    let sum: f64 = found.iter().flatten().sum();
    match found {
        Some(mut weights) if sum > 0.0 && sum.is_finite() => {
            weights.iter_mut().for_each(|w| *w /= sum);
            Ok(weights)
        }
        _ => Err(Error::UnknownValue {
            option: "regularization",
            given: share.to_string(),
            allowed: "a larger number: a row has neighbors by which it can be written in more ways than one",
        }),
    }
}
