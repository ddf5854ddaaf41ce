//! Places of all rows from their geodesics to landmarks: −½ Σ_l w_l (δ_l² − μ_l), with w_l = y_l/λ for a landmark at y_l.

use crate::mat::Mat;
use crate::parallel;
use crate::rng::Rng;
use crate::solve::Spectrum;

/// m of n rows, each set equally likely, in their order.
pub(super) fn drawn(n: usize, m: usize, seed: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n).collect();
    let mut rng = Rng::new(seed);
    // The first steps of a shuffle.
    for i in 0..m.min(n) {
        let other = i + rng.below(n - i);
        rows.swap(i, other);
    }
    rows.truncate(m);
    rows.sort_unstable();
    rows
}

/// The weights w (m × k) of landmarks at these places; zero along components without an eigenvalue above rounding.
pub(super) fn weights(places: &Mat<f64>, spectrum: &Spectrum) -> Mat<f64> {
    Mat::from_fn(places.n_rows(), places.n_cols(), |l, c| {
        match c < spectrum.rank {
            true => places[(l, c)] / spectrum.singular_values[c] / spectrum.singular_values[c],
            false => 0.0,
        }
    })
}

/// The coordinates of one row from its geodesics to the landmarks.
pub(super) fn placed(
    geodesics: impl Iterator<Item = f64>,
    weights: &Mat<f64>,
    means: &[f64],
    out: &mut [f64],
) {
    out.fill(0.0);
    for ((length, mean), weights) in geodesics.zip(means).zip(weights.rows()) {
        let half = -0.5 * (length * length - mean);
        out.iter_mut()
            .zip(weights)
            .for_each(|(x, w)| *x += half * w);
    }
}

/// The coordinates of all rows from their geodesics to the landmarks (n × m).
pub(super) fn all_placed(to_landmarks: &Mat<f64>, weights: &Mat<f64>, means: &[f64]) -> Mat<f64> {
    let k = weights.n_cols();
    let mut places = Mat::zeros(to_landmarks.n_rows(), k);
    parallel::each_chunk(places.as_mut_slice(), k, |i, out| {
        placed(to_landmarks.row(i).iter().copied(), weights, means, out);
    });
    places
}
