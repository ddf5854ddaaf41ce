//! The scale of an axis: linear, or logarithmic if a few large numbers would squeeze all others together.

use super::axis;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Linear.
    Even,
    /// Logarithmic; smaller numbers than this are drawn at it.
    Log(f64),
}

/// A log scale is used if the largest number is this many times the usual one.
const SQUASHED: f64 = 8.0;
/// A log scale shows this many decades below the usual number.
const DECADES: i32 = 6;
/// One in this many numbers, the smallest, may be drawn at the edge so that the axis is not stretched.
const SMALLEST: usize = 50;

impl Scale {
    /// The scale for distances: logarithmic if the largest is far above the usual distance, which is the limit or, without a limit,
    /// four times the median.
    pub fn for_distances(distances: &[f64], limit: f64) -> Self {
        let mut known: Vec<f64> = distances
            .iter()
            .copied()
            .filter(|x| x.is_finite() && *x > 0.0)
            .collect();
        known.sort_unstable_by(f64::total_cmp);
        let low = known.get(known.len() / SMALLEST);
        let Some((low, high)) = low.zip(known.last()) else {
            return Scale::Even;
        };
        let usual = match limit.is_finite() && limit > 0.0 {
            true => limit,
            false => 4.0 * known[known.len() / 2],
        };
        match *high > SQUASHED * usual {
            true => Scale::Log(low.max(usual * 10f64.powi(-DECADES))),
            false => Scale::Even,
        }
    }

    /// The position of a number on the axis.
    pub fn at(self, x: f64) -> f64 {
        match self {
            Scale::Even => x,
            Scale::Log(least) => x.max(least).log10(),
        }
    }

    /// What the axis title adds about the scale.
    pub fn words(self) -> &'static str {
        match self {
            Scale::Even => "",
            Scale::Log(_) => " (log scale)",
        }
    }

    /// Round numbers within a span of positions, about this many at most, each at its position with its text.
    pub fn ticks(self, span: (f64, f64), most: usize) -> Vec<(f64, String)> {
        match self {
            Scale::Even => axis::ticks(span, most),
            Scale::Log(_) => decades(span, most),
        }
    }

    /// How many numbers are below the smallest number that is drawn at its own position.
    pub fn below(self, distances: &[f64]) -> usize {
        match self {
            Scale::Even => 0,
            Scale::Log(least) => distances.iter().filter(|x| **x < least).count(),
        }
    }
}

/// Powers of ten; also 2 and 5 times them if there are few.
fn decades((low, high): (f64, f64), most: usize) -> Vec<(f64, String)> {
    if !(high > low && (high - low).is_finite()) || most == 0 {
        return Vec::new();
    }
    let powers = high.floor() - low.ceil() + 1.0;
    let digits: &[u32] = match powers * 3.0 <= most as f64 {
        true => &[1, 2, 5],
        false => &[1],
    };
    let every = (powers / most as f64).ceil().max(1.0) as usize;
    let (first, last) = (low.floor() as i32, high.floor() as i32);
    let mut out = Vec::new();
    for power in (first..=last).step_by(every) {
        for digit in digits {
            let place = f64::from(power) + f64::from(*digit).log10();
            if place >= low - 1e-9 && place <= high + 1e-9 {
                out.push((place, text(*digit, power)));
            }
        }
    }
    out
}

/// `0.02`, `5`, `10,000`, `10⁶`, `2×10⁷`.
fn text(digit: u32, power: i32) -> String {
    match (digit, power) {
        (_, 0..=5) => eigenspan::error::grouped(u64::from(digit) * 10u64.pow(power.unsigned_abs())),
        (_, -4..=-1) => {
            let decimals = power.unsigned_abs() as usize;
            format!("{:.decimals$}", f64::from(digit) * 10f64.powi(power))
        }
        (1, _) => format!("10{}", axis::raised(power)),
        _ => format!("{digit}×10{}", axis::raised(power)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(span: (f64, f64), most: usize) -> Vec<String> {
        let ticks = Scale::Log(1.0).ticks(span, most).into_iter();
        ticks.map(|(_, text)| text).collect()
    }

    #[test]
    fn powers_of_ten_are_written_as_people_do() {
        assert_eq!(
            texts((-2.3, 4.2), 10),
            ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"]
        );
        assert_eq!(texts((0.0, 1.0), 8), ["1", "2", "5", "10"]);
        assert_eq!(texts((6.0, 9.0), 2), ["10⁶", "10⁸"]);
        assert!(texts((1.0, 1.0), 5).is_empty());
    }

    #[test]
    fn one_far_row_calls_for_powers_of_ten_and_ordinary_ones_do_not() {
        let mut distances: Vec<f64> = (1..100).map(|i| 0.1 * f64::from(i)).collect();
        assert_eq!(Scale::for_distances(&distances, 12.0), Scale::Even);
        assert_eq!(Scale::for_distances(&distances, f64::NAN), Scale::Even);
        distances.push(5000.0);
        assert_eq!(
            Scale::for_distances(&distances, 12.0),
            Scale::Log(0.1 * 3.0)
        );
        assert!(matches!(
            Scale::for_distances(&distances, f64::NAN),
            Scale::Log(_)
        ));
        assert_eq!(Scale::for_distances(&[0.0, 0.0], f64::NAN), Scale::Even);
        assert_eq!(Scale::for_distances(&[], 1.0), Scale::Even);
    }
}
