//! Whether the smaller eigenvalues decrease like the eigenvalues of equal noise.
//!
//! After the first k, the eigenvalues of equal noise follow the Marchenko–Pastur law of N − k free rows and d − k columns, up
//! to one factor: the variance of the noise. The logarithms of the ratios of eigenvalues to that law, over the middle four
//! fifths, then hardly vary.

use super::Scree;
use super::threshold::quantile;

/// The largest root mean square of those logarithms that counts as equal noise.
const SPREAD: f64 = 0.2;
/// The most places at which the eigenvalues and the law are compared.
const PLACES: usize = 40;

/// Why the eigenvalues after the first k are not those of equal noise; None where they may be, or where there are too few to
/// say.
pub(super) fn unequal(scree: &Scree, k: usize) -> Option<String> {
    let (n, d) = (scree.freedom(), scree.n_cols());
    let possible = n.min(d);
    if scree.values().len() < possible || possible < k + 3 {
        return None;
    }
    let values = &scree.values()[k..possible];
    let (short, long) = ((n - k).min(d - k), (n - k).max(d - k));
    let beta = short as f64 / long.max(1) as f64;
    let count = values.len().min(PLACES);
    let logs: Vec<f64> = (0..count)
        .map(|place| 0.1 + 0.8 * (place as f64 + 0.5) / count as f64)
        .filter_map(|share| {
            let at = ((1.0 - share) * values.len() as f64) as usize;
            // The middle of the step of the distribution that this eigenvalue stands for.
            let share = 1.0 - (at as f64 + 0.5) / values.len() as f64;
            let (is, law) = (values[at.min(values.len() - 1)], quantile(beta, share));
            (law > 0.0).then(|| (is.max(f64::MIN_POSITIVE) / law).ln())
        })
        .collect();
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let squares: f64 = logs.iter().map(|x| (x - mean).powi(2)).sum();
    let spread = (squares / logs.len().max(1) as f64).sqrt();
    (spread > SPREAD).then(|| "the smaller eigenvalues are not those of equal noise".to_owned())
}
