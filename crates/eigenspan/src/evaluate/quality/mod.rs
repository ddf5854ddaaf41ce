//! How good a map is: how many neighborhoods of the table it keeps, and how well its distances follow those of the table.
//!
//! Each measure is exact for tables of moderate size. For more rows it is the mean over a random sample of the rows, or a ratio over a
//! random sample of pairs, with an interval in which the value for all rows lies with a confidence of 95 %.

mod classes;
mod neighborhoods;
mod pairs;

pub use classes::label_accuracy;
pub use neighborhoods::{Judged, MapOptions, MapQuality};
pub use pairs::{Association, PairOptions};

use serde::Serialize;

/// A number, and how far off it may be where it comes from a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MapEstimate {
    /// The value.
    pub value: f64,
    /// The value for all rows lies between these with a confidence of 95 %; both are the value itself where all were used.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Rows, or pairs of rows, that were used.
    pub n_used: usize,
    /// Whether these are all there are.
    pub exact: bool,
}

impl MapEstimate {
    fn exact(value: f64, n_used: usize) -> Self {
        MapEstimate {
            value,
            low: value,
            high: value,
            n_used,
            exact: true,
        }
    }

    fn between(value: f64, half: f64, (least, most): (f64, f64), n_used: usize) -> Self {
        MapEstimate {
            value,
            low: (value - half).max(least),
            high: (value + half).min(most),
            n_used,
            exact: false,
        }
    }

    /// The mean of values of m of n rows, drawn without replacement, each at most 1.
    ///
    /// Beside 1.96 standard errors, 3/m are added: rows of a sort that a sample of m does not have make up less than that share, with
    /// 95 % confidence, so that equal values in a sample do not pass for certainty.
    fn from_sample(values: &[f64], n: usize) -> Self {
        let m = values.len();
        let count = m as f64;
        let mean = crate::linalg::sum(values) / count;
        if m == n {
            return MapEstimate::exact(mean, m);
        }
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let left = (n - m) as f64 / (n as f64 - 1.0).max(1.0);
        let error = (squares / (count - 1.0).max(1.0) / count * left).sqrt();
        MapEstimate::between(
            mean,
            1.96 * error + 3.0 / count,
            (f64::NEG_INFINITY, 1.0),
            m,
        )
    }
}
