//! How far a computed scatter may be from the exact scatter of the rows: the parts of a bound on its rounding error.
//!
//! A sum of m terms of one sign has an error of at most m/2 roundings of itself, because every addition rounds the current
//! sum. This bound is reached if rows repeat. If chunks of rows differ, their errors have random signs and grow only with √m;
//! a generous factor allows for a repeated chunk.

/// Bounds on the rounding error of a scatter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Accuracy {
    /// The most additions that a cell has gone through, one after the other.
    pub(crate) depth: f64,
    /// A bound on ‖Ev‖ ÷ (‖D‖·‖Dv‖) for an error E that the scatter had before any addition. D holds the square roots of the
    /// diagonal.
    pub(crate) blur: f64,
}

impl Accuracy {
    /// For sums of rows that come one after the other, in chunks that are multiplied as matrices.
    pub(crate) fn in_chunks(n_rows: usize) -> Self {
        const CHUNK: usize = 256;
        Accuracy {
            depth: (n_rows.min(CHUNK) + n_rows / CHUNK) as f64,
            blur: 0.0,
        }
    }

    /// For the sum of two scatters.
    pub(crate) fn joined(self, other: Accuracy) -> Accuracy {
        Accuracy {
            depth: self.depth.max(other.depth) + 2.0,
            blur: self.blur.max(other.blur),
        }
    }

    /// A bound on the relative error of a sum: m/2 roundings, or 16·√m roundings if that is less.
    pub(crate) fn of_sums(&self) -> f64 {
        0.5 * f64::EPSILON * (0.5 * self.depth).min(16.0 * self.depth.sqrt())
    }
}
