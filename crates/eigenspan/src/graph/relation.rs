//! The number by which the rows of a metric are compared: ‖x − y‖² for a metric that is a function of it, else the distance itself.
//! It is computed from differences, so near rows keep their digits wherever they lie.

use super::Metric;
use super::rows::{Cells, MetricRows};
use crate::kernel::distance::{differing, square, summed_sparse, taxicab};

impl MetricRows {
    /// The relation of row i with row j of other rows, from differences. The same bits as that of row j with row i.
    pub(crate) fn relation(&self, i: usize, others: &MetricRows, j: usize) -> f64 {
        match (&self.cells, &others.cells) {
            (Cells::Dense(a), Cells::Dense(b)) => {
                let (a, b) = (a.row(i), b.row(j));
                match self.metric {
                    Metric::Euclidean | Metric::Cosine | Metric::Correlation => square(a, b),
                    Metric::Manhattan => taxicab(a, b),
                    Metric::Hamming => differing(a, b),
                }
            }
            _ => self.sparse_relation(i, others, j),
        }
    }

    fn sparse_relation(&self, i: usize, others: &MetricRows, j: usize) -> f64 {
        let pair = (self.sparse_row(i), others.sparse_row(j));
        let d = self.n_cols();
        match self.metric {
            Metric::Euclidean | Metric::Cosine | Metric::Correlation => {
                summed_sparse(pair, d, |a, b| (a - b) * (a - b))
            }
            Metric::Manhattan => summed_sparse(pair, d, |a, b| (a - b).abs()),
            Metric::Hamming => summed_sparse(pair, d, |a, b| f64::from(u8::from(a != b))),
        }
    }

    /// The distance that belongs to a relation.
    pub(crate) fn distance(&self, relation: f64) -> f64 {
        match self.metric {
            Metric::Euclidean => relation.sqrt() * self.unit(),
            // For vectors of length 1, 1 − xᵀy = ‖x − y‖²/2.
            Metric::Cosine | Metric::Correlation => relation / 2.0,
            Metric::Manhattan => relation * self.unit(),
            Metric::Hamming => relation / self.n_cols().max(1) as f64,
        }
    }
}
