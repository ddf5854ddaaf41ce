//! From replicates of a number to an interval for it.
//!
//! - Percentile: the quantiles (1 − level)/2 and (1 + level)/2 of the replicates.
//! - Bias-corrected (Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 14, with acceleration 0): with z₀ = Φ⁻¹(share of
//!   replicates below the estimate), the quantiles Φ(2z₀ ± z) instead, z = Φ⁻¹((1 + level)/2). The same where as many replicates lie
//!   below the estimate as above it.

use serde::Serialize;

use crate::linalg::norm;

/// A number with how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The number.
    pub estimate: f64,
    /// Standard deviation of its replicates.
    pub deviation: f64,
    /// Lower and upper end by the replicates' quantiles.
    pub percentile: [f64; 2],
    /// The same, corrected for replicates that lie to one side of the estimate.
    pub corrected: [f64; 2],
}

/// How much an interval holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    tail: f64,
    z: f64,
}

impl Level {
    /// An interval that holds this share of the replicates.
    pub(super) fn new(share: f64) -> Self {
        let tail = 0.5 * (1.0 - share);
        Level {
            tail,
            z: normal_quantile(1.0 - tail),
        }
    }

    /// The share.
    pub(super) fn share(&self) -> f64 {
        1.0 - 2.0 * self.tail
    }
}

impl Interval {
    /// Of replicates in any order; those that are not finite say nothing. Without two of them, all that is possible.
    pub(super) fn of(
        estimate: f64,
        replicates: &mut Vec<f64>,
        level: &Level,
        possible: [f64; 2],
    ) -> Self {
        replicates.retain(|x| x.is_finite());
        if replicates.len() < 2 {
            return Interval {
                estimate,
                deviation: 0.0,
                percentile: possible,
                corrected: possible,
            };
        }
        replicates.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| quantile(replicates, share);
        let percentile = [at(level.tail), at(1.0 - level.tail)];
        // A replicate that equals the estimate lies half below it.
        let count = replicates.len() as f64;
        let below = replicates.partition_point(|x| *x < estimate);
        let up_to = replicates.partition_point(|x| *x <= estimate);
        let share = 0.5 * (below + up_to) as f64 / count;
        let bias = 2.0 * normal_quantile(share.clamp(0.5 / count, 1.0 - 0.5 / count));
        let corrected = [at(normal(bias - level.z)), at(normal(bias + level.z))];
        Interval {
            estimate,
            deviation: deviation(replicates),
            percentile,
            corrected,
        }
    }
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().map(|x| x / n).sum::<f64>();
    let apart: Vec<f64> = values.iter().map(|x| x - mean).collect();
    norm(&apart) / (n - 1.0).sqrt()
}

/// A quantile of rising numbers, between neighbors by a straight line (as NumPy and R's type 7); 0 of none.
pub(super) fn quantile(rising: &[f64], share: f64) -> f64 {
    let Some(last) = rising.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    rising[below] + (place - below as f64) * (rising[above] - rising[below])
}

/// Φ(x), to 1e-7 (Abramowitz & Stegun 1964, formula 26.2.17).
fn normal(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [
        1.330_274_429,
        -1.821_255_978,
        1.781_477_937,
        -0.356_563_782,
        0.319_381_530,
    ];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = COEFFICIENTS.iter().fold(0.0, |sum, c| t * (c + sum));
    let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    let tail = density * series;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// Φ⁻¹, by bisection of Φ.
fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        match normal(middle) < share {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        for (share, z) in [
            (0.975, 1.959964),
            (0.5, 0.0),
            (0.9, 1.281552),
            (0.001, -3.090232),
        ] {
            assert!((normal_quantile(share) - z).abs() < 1e-4, "{share}");
        }
    }

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([1, 2, 4, 8], [0.1, 0.5, 0.975]) of NumPy 2.
        let values = [1.0, 2.0, 4.0, 8.0];
        for (share, want) in [(0.1, 1.3), (0.5, 3.0), (0.975, 7.7)] {
            assert!((quantile(&values, share) - want).abs() < 1e-12);
        }
    }

    #[test]
    fn replicates_around_the_estimate_need_no_correction() {
        let mut even: Vec<f64> = (-100..=100).map(f64::from).collect();
        let interval = Interval::of(0.0, &mut even, &Level::new(0.9), [-1e3, 1e3]);
        assert_eq!(interval.percentile, [-90.0, 90.0]);
        assert!((interval.corrected[0] + 90.0).abs() < 1e-3, "{interval:?}");
        // Estimates above most replicates move the corrected interval up.
        let interval = Interval::of(50.0, &mut even, &Level::new(0.9), [-1e3, 1e3]);
        assert!(interval.corrected[0] > -90.0 && interval.corrected[1] > 90.0);
    }
}
