//! The prepared matrix √W (X − 1mᵀ) S⁻¹ as a linear map: read again for every product, written down nowhere.

use super::Preparation;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{Columns, LinearMap, add_product};
use crate::mat::{Mat, MatView, Real};
use crate::source::{GramSums, GramTimes, Source, fold, for_each_block};
use std::sync::Mutex;

/// A source with its preparation, known by its products.
pub struct Prepared<'a, T> {
    ctx: &'a Context,
    source: &'a dyn Source<T>,
    preparation: &'a Preparation,
    n_rows: usize,
    near: bool,
}

impl<'a, T: Real> Prepared<'a, T> {
    /// `n_rows` is the number of rows that a first reading found.
    pub fn new(
        ctx: &'a Context,
        source: &'a dyn Source<T>,
        preparation: &'a Preparation,
        n_rows: usize,
    ) -> Self {
        Prepared {
            ctx,
            source,
            preparation,
            n_rows,
            near: false,
        }
    }

    /// Says that the rows lie so near zero that it does no harm to take their center out after they were multiplied,
    /// which is faster.
    pub fn near_center(mut self, near: bool) -> Self {
        self.near = near;
        self
    }

    /// Divides by the scale, so that preparing X becomes centering X.
    fn unscale(&self, q: &mut Columns) {
        if let Some(scale) = &self.preparation.scale {
            q.divide(scale);
        }
    }
}

impl<T: Real> LinearMap for Prepared<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.n_rows, self.source.n_cols())
    }

    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        let b = b.to_mat();
        let k = b.n_cols();
        let out = Mutex::new(Mat::zeros(self.n_rows, k));
        for_each_block(self.ctx, self.source, |rows| {
            let mut product = self.preparation.times(&rows.block, &b);
            for (i, w) in rows.weights.into_iter().flatten().enumerate() {
                product.row_mut(i).iter_mut().for_each(|x| *x *= w.sqrt());
            }
            let mut out = out
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let from = rows.first * k;
            out.as_mut_slice()[from..from + product.as_slice().len()]
                .copy_from_slice(product.as_slice());
            Ok(())
        })?;
        Ok(out
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        let (d, k) = (self.source.n_cols(), c.n_cols());
        fold(
            self.ctx,
            self.source,
            8 * d * k,
            || Mat::zeros(d, k),
            |z, rows| {
                let panel = self.preparation.apply(&rows.block);
                let mut part = c
                    .slice_rows(rows.first, rows.first + panel.n_rows())
                    .to_mat();
                for (i, w) in rows.weights.into_iter().flatten().enumerate() {
                    part.row_mut(i).iter_mut().for_each(|x| *x *= w.sqrt());
                }
                add_product(z, panel.view().transposed(), part.view());
                Ok(())
            },
            add_to,
        )
    }

    fn gram_times(&self, q: &Columns) -> Result<Columns, Error> {
        let center = &self.preparation.center;
        // 1. AᵀA·Q = S⁻¹ XcᵀW Xc S⁻¹Q with Xc = X − 1mᵀ.
        let mut inner = q.clone();
        self.unscale(&mut inner);
        let by = GramTimes {
            q: &inner,
            center,
            offset: &inner.weighted_sum(center),
            direct: self.near,
        };
        let mut total = fold(
            self.ctx,
            self.source,
            8 * q.len() * q.width(),
            || GramSums::new(&inner),
            |sums, rows| {
                rows.block.add_gram_times(&by, rows.weights, sums);
                Ok(())
            },
            |a, b| a.merge(&b),
        )?;
        // 2. What sparse blocks left out: −m·(1ᵀWXcS⁻¹Q).
        if total.sums.iter().any(|s| *s != 0.0) {
            total.z.subtract_outer(center, &total.sums);
        }
        self.unscale(&mut total.z);
        Ok(total.z)
    }
}

fn add_to(a: &mut Mat<f64>, b: Mat<f64>) {
    a.as_mut_slice()
        .iter_mut()
        .zip(b.as_slice())
        .for_each(|(a, b)| *a += b);
}
