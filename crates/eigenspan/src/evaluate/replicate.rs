//! A replicate in the order and with the signs of the original.

use std::f64::consts::FRAC_PI_2;

use super::align::{angle, matched, span_angle};
use super::apart::Variances;
use super::draw::{Drawn, Urn};
use crate::error::Error;
use crate::mat::Mat;
use crate::method::Pca;

/// The reference for replicates: the PCA of the whole sample, with its components in the order of the model.
pub(super) struct Reference {
    pub(super) base: Drawn,
    pub(super) vectors: Mat<f64>,
    pub(super) sizes: Vec<f64>,
}

/// A replicate, in the order and with the signs of the reference.
pub(super) struct Replicate {
    pub(super) variances: Vec<f64>,
    /// Sum of all variances, including those beyond the leading ones.
    pub(super) total: f64,
    /// Matched components; NaN where the replicate has none.
    pub(super) vectors: Mat<f64>,
    /// Standard deviation of the scores on them.
    pub(super) sizes: Vec<f64>,
    pub(super) deviations: Vec<f64>,
    pub(super) angles: Vec<f64>,
    pub(super) same_rank: Vec<f64>,
    pub(super) spans: Vec<f64>,
}

impl Reference {
    pub(super) fn new(urn: &Urn, pca: &Pca, base: Drawn, k: usize) -> Self {
        let model = urn.coordinates(&pca.components().clone().top(k));
        let (vectors, sizes) = in_order_of(&model, &base);
        Reference {
            base,
            vectors,
            sizes,
        }
    }

    pub(super) fn align(&self, drawn: Drawn) -> Result<Replicate, Error> {
        let k = self.vectors.n_rows();
        let (vectors, sizes) = in_order_of(&self.vectors, &drawn);
        let between = |a: &Mat<f64>, b: &Mat<f64>, i: usize| match i < b.n_rows() {
            true => angle(a.row(i), b.row(i)),
            false => FRAC_PI_2,
        };
        let angles = (0..k)
            .map(|i| match sizes[i].is_nan() {
                true => FRAC_PI_2,
                false => between(&self.vectors, &vectors, i),
            })
            .collect();
        let same_rank = (0..k)
            .map(|i| between(&self.base.vectors, &drawn.vectors, i))
            .collect();
        let leading = |m: &Mat<f64>, count: usize| m.clone().top(count);
        let spans = (1..=k)
            .map(|j| span_angle(&leading(&self.base.vectors, j), &leading(&drawn.vectors, j)))
            .collect::<Result<_, Error>>()?;
        Ok(Replicate {
            variances: drawn.variances,
            total: drawn.total,
            vectors,
            sizes,
            deviations: drawn.deviations,
            angles,
            same_rank,
            spans,
        })
    }
}

impl Variances for Replicate {
    fn variance(&self, i: usize) -> f64 {
        self.variances.get(i).copied().unwrap_or(0.0)
    }

    fn total(&self) -> f64 {
        self.total
    }
}

/// The components of a draw, matched with those given and with their signs, and the standard deviation of the scores on each;
/// NaN where the draw has too few components.
fn in_order_of(given: &Mat<f64>, drawn: &Drawn) -> (Mat<f64>, Vec<f64>) {
    let mut vectors = Mat::zeros(given.n_rows(), given.n_cols());
    let mut sizes = vec![f64::NAN; given.n_rows()];
    for (i, pair) in matched(given, &drawn.vectors).into_iter().enumerate() {
        let Some((j, turned)) = pair else {
            vectors.row_mut(i).fill(f64::NAN);
            continue;
        };
        let sign = if turned { -1.0 } else { 1.0 };
        let row = vectors.row_mut(i).iter_mut().zip(drawn.vectors.row(j));
        row.for_each(|(to, from)| *to = sign * from);
        sizes[i] = drawn.variances[j].sqrt();
    }
    (vectors, sizes)
}
