//! Distances of rows from the mean in feature space, and the part of them that the components keep.

use super::{Basis, KernelPca};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{FeatureMap, Verdict, product_by_tiles};
use crate::linalg::{dot, product};
use crate::mat::{Mat, Real};
use crate::method::measure::{Measure, MeasureRows, Measured};
use crate::solve::Strategy;
use crate::source::Rows;

/// A model prepared for measuring rows.
struct Measuring<'a> {
    model: &'a KernelPca,
    /// Weights of the components and, as the last column, of the mean.
    weights: Mat<f64>,
    /// ‖mean‖² in feature space.
    mean_square: f64,
}

impl KernelPca {
    /// Prepares the model for measuring rows. Distances are not known where the kernel is precomputed, because k(x, x) of a new row is in no
    /// column; nor where the kernel is not positive semi-definite, because its squared distances can be negative.
    pub(super) fn measuring<'a>(
        &'a self,
        ctx: &Context,
    ) -> Result<Option<Box<dyn Measure + 'a>>, Error> {
        let parts = self.parts();
        let kernel = &parts.kernel;
        let (m, k) = (parts.basis.len(), self.n_components());
        if kernel.kernel().is_precomputed() || kernel.kernel().verdict() == Verdict::Not {
            return Ok(None);
        }
        let mean = Mat::from_fn(m, 1, |i, _| parts.mean[i]);
        let mean_square = match &parts.basis {
            Basis::Rows(points) => {
                let along =
                    ctx.install(|| product_by_tiles(ctx, kernel, (points, m), points, &mean))?;
                dot(&along.col(0), &parts.mean)
            }
            _ => dot(&parts.mean, &parts.mean),
        };
        Ok(Some(Box::new(Measuring {
            model: self,
            weights: Mat::from_fn(m, k + 1, |i, j| match j < k {
                true => parts.weights[(i, j)],
                false => parts.mean[i],
            }),
            mean_square,
        })))
    }

    /// Scores of the training rows: those that the fit kept, or those of the rows that the model holds where these are all rows.
    pub(super) fn scores_of_training_rows(&self, ctx: &Context) -> Result<Option<Mat<f64>>, Error> {
        let parts = self.parts();
        match (&parts.scores, &parts.basis, parts.strategy) {
            (Some(scores), ..) => Ok(Some(scores.clone())),
            (None, Basis::Rows(points), Strategy::Exact { .. }) if points.len() == parts.n_rows => {
                ctx.install(|| self.project(ctx, points)).map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl<T: Real> MeasureRows<T> for Measuring<'_> {
    fn measure_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Measured, Error> {
        let (parts, k) = (self.model.parts(), self.model.n_components());
        let cells = self.model.prepared(rows)?;
        // 1. k(x, x), and the products of x with components and mean. Frequencies have features of their own, and k(x, x) is theirs.
        let (own, products) = match &parts.basis {
            Basis::Frequencies(map) => {
                let features = map.features(cells, rows.first)?;
                let own = features.rows().map(|row| dot(row, row)).collect();
                (own, product(features.view(), self.weights.view()))
            }
            Basis::Rows(basis) => {
                let points = parts.kernel.points(cells, rows.first)?;
                let basis = (basis, basis.len());
                let products = product_by_tiles(ctx, &parts.kernel, basis, &points, &self.weights)?;
                (parts.kernel.diagonal(&points), products)
            }
            Basis::Given(_) => (
                vec![f64::NAN; cells.n_rows()],
                Mat::zeros(cells.n_rows(), k + 1),
            ),
        };
        // 2. ‖Φ(x) − mean‖² = k(x, x) − 2⟨Φ(x), mean⟩ + ‖mean‖², not below what the components alone have.
        let scores = Mat::from_fn(own.len(), k, |i, j| products[(i, j)] - parts.offset[j]);
        let square = |(i, own): (usize, &f64)| {
            let kept = dot(scores.row(i), scores.row(i));
            let whole = own - 2.0 * products[(i, k)] + self.mean_square;
            // NaN stays what it is.
            if whole < kept { kept } else { whole }
        };
        Ok(Measured {
            squares: own.iter().enumerate().map(square).collect(),
            scores,
        })
    }
}
