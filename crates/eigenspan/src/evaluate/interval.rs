//! A number with the interval for the true value it estimates.
//!
//! The ends lie z deviations of the replicates away from the bias-corrected number, on a scale on which replicates are about
//! normal: ln x for a variance, ln(x/(1 − x)) for a share, artanh x for a correlation, x itself for a loading. Deviations are
//! widened by n/(n − 2), because few rows contain too few extremes (Bonett 2006, doi:10.1016/j.csda.2004.10.003, n/(n − z)
//! there).

use serde::Serialize;

use crate::distribution::normal_quantile;
use crate::linalg::norm;

/// A number with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The number, as the model has it.
    pub estimate: f64,
    /// The number corrected for its bias: few rows with many columns spread the eigenvalues apart and rotate the components.
    pub corrected: f64,
    /// Standard deviation of its replicates.
    pub deviation: f64,
    /// The quantiles between which the middle of the replicates lies: the result of the draws, not an interval for the true
    /// value.
    pub draws: [f64; 2],
    /// The interval that contains the true value, that of the population of rows, with probability `level`. `None` where no such
    /// interval is known: for loadings and correlations of a component that cannot be told apart from its neighbors, and where
    /// there are only a few rows.
    pub interval: Option<[f64; 2]>,
}

/// The probability that an interval contains the true value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    tail: f64,
    pub(super) z: f64,
}

impl Level {
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

    /// The quantiles that enclose the middle of some numbers, which are sorted on the way; numbers that are not finite are
    /// ignored. With fewer than two numbers, the whole possible range.
    pub(super) fn middle(&self, values: &mut Vec<f64>, possible: [f64; 2]) -> [f64; 2] {
        values.retain(|x| x.is_finite());
        if values.len() < 2 {
            return possible;
        }
        values.sort_unstable_by(f64::total_cmp);
        [
            quantile(values, self.tail),
            quantile(values, 1.0 - self.tail),
        ]
    }
}

/// A scale on which replicates are about normally distributed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ruler {
    /// ln x, for numbers above 0.
    Log,
    /// ln(x/(1 − x)), for numbers between 0 and 1.
    Logit,
    /// artanh x, for numbers between −1 and 1.
    Fisher,
}

/// The smallest distance from the end of a scale that a number is given.
const EDGE: f64 = 1e-12;

impl Ruler {
    fn apply(self, x: f64) -> f64 {
        match self {
            Ruler::Log => x.max(f64::MIN_POSITIVE).ln(),
            Ruler::Logit => {
                let x = x.clamp(EDGE, 1.0 - EDGE);
                (x / (1.0 - x)).ln()
            }
            Ruler::Fisher => x.clamp(EDGE - 1.0, 1.0 - EDGE).atanh(),
        }
    }

    fn undo(self, y: f64) -> f64 {
        let x = match self {
            Ruler::Log => y.exp(),
            Ruler::Logit => 1.0 / (1.0 + (-y).exp()),
            Ruler::Fisher => y.tanh(),
        };
        // A number that was moved away from an end is moved back.
        match self {
            Ruler::Log if x < 2.0 * f64::MIN_POSITIVE => 0.0,
            Ruler::Log => x.min(f64::MAX),
            Ruler::Logit if x <= 2.0 * EDGE => 0.0,
            _ if x >= 1.0 - 2.0 * EDGE => 1.0,
            Ruler::Fisher if x <= 2.0 * EDGE - 1.0 => -1.0,
            _ => x,
        }
    }

    /// Deviation of replicates on this scale.
    pub(super) fn deviation(self, replicates: impl Iterator<Item = f64>) -> f64 {
        let values: Vec<f64> = replicates
            .filter(|x| x.is_finite())
            .map(|x| self.apply(x))
            .collect();
        deviation(&values)
    }

    /// The number at this distance from x on this scale.
    pub(super) fn away(self, x: f64, by: f64) -> f64 {
        self.undo(self.apply(x) + by)
    }
}

/// Standard deviation; 0 for fewer than two numbers.
pub(super) fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let n = values.len() as f64;
    let mean = values.iter().map(|x| x / n).sum::<f64>();
    let apart: Vec<f64> = values.iter().map(|x| x - mean).collect();
    norm(&apart) / (n - 1.0).sqrt()
}

/// A quantile of sorted numbers, interpolated linearly (as NumPy and R's type 7); 0 for an empty list.
pub(super) fn quantile(rising: &[f64], share: f64) -> f64 {
    let Some(last) = rising.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    rising[below] + (place - below as f64) * (rising[above] - rising[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([1, 2, 4, 8], [0.1, 0.5, 0.975]) of NumPy 2.
        let values = [1.0, 2.0, 4.0, 8.0];
        for (share, want) in [(0.1, 1.3), (0.5, 3.0), (0.975, 7.7)] {
            assert!((quantile(&values, share) - want).abs() < 1e-12);
        }
    }

    #[test]
    fn scales_keep_within_what_is_possible_and_reach_its_ends() {
        for (ruler, low, high) in [
            (Ruler::Log, 0.0, f64::MAX),
            (Ruler::Logit, 0.0, 1.0),
            (Ruler::Fisher, -1.0, 1.0),
        ] {
            assert!((ruler.away(0.25, 0.0) - 0.25).abs() < 1e-12);
            assert_eq!(ruler.away(0.25, 1e4), high);
            assert_eq!(ruler.away(0.25, -1e4), low);
        }
        assert_eq!(Ruler::Logit.away(1.0, 0.0), 1.0);
        assert_eq!(Ruler::Fisher.away(-1.0, 0.0), -1.0);
    }

    #[test]
    fn an_interval_of_nineteen_in_twenty_reaches_about_two_deviations() {
        let level = Level::new(0.95);
        assert!((level.z - 1.959964).abs() < 1e-5);
        let mut even: Vec<f64> = (-100..=100).map(f64::from).collect();
        assert_eq!(level.middle(&mut even, [-1e3, 1e3]), [-95.0, 95.0]);
        let mut none = vec![f64::NAN; 5];
        assert_eq!(level.middle(&mut none, [-1e3, 1e3]), [-1e3, 1e3]);
    }
}
