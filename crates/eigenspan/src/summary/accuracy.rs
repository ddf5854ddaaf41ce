//! How far a summed scatter may be from that of the rows: what a bound on its rounding is made of.
//!
//! A sum of m terms of one sign is wrong by at most m/2 roundings of itself, because every addition rounds the sum as it stands.
//! That much is reached where rows repeat. Chunks of rows that differ round this way and that, and their errors grow with
//! √m only; a repeated chunk is allowed for by a generous factor.

/// What bounds the rounding of a scatter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Accuracy {
    /// Additions that a cell has gone through, one after the other, at most.
    pub(crate) depth: f64,
    /// ‖Ev‖ ÷ (‖D‖·‖Dv‖), at most, for an error E that was there before anything was added. D are the roots of the diagonal.
    pub(crate) blur: f64,
}

impl Accuracy {
    /// Sums of rows that come one after the other, in chunks as products of matrices take them.
    pub(crate) fn in_chunks(n_rows: usize) -> Self {
        const CHUNK: usize = 256;
        Accuracy {
            depth: (n_rows.min(CHUNK) + n_rows / CHUNK) as f64,
            blur: 0.0,
        }
    }

    /// Of what two sums give together.
    pub(crate) fn joined(self, other: Accuracy) -> Accuracy {
        Accuracy {
            depth: self.depth.max(other.depth) + 2.0,
            blur: self.blur.max(other.blur),
        }
    }

    /// Error of a sum, relative to the sum: m/2 roundings, or 16·√m where that is less.
    pub(crate) fn of_sums(&self) -> f64 {
        0.5 * f64::EPSILON * (0.5 * self.depth).min(16.0 * self.depth.sqrt())
    }
}
