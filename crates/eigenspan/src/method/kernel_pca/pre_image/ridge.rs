//! Pre-images learnt from the training rows: kernel ridge regression from scores to rows (Bakır, Weston & Schölkopf 2004,
//! Advances in Neural Information Processing Systems 16, 449–456), with the model's own kernel, as scikit-learn does.
//!
//! W = (K(S, S) + alpha·I)⁻¹X for the training scores S; new scores s give K(s, S)·W. Cost n³/3 once.

use super::RunResult;
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{Gram, Points, ResolvedKernel};
use crate::linalg::{product, solve_positive};
use crate::mat::Mat;
use crate::method::KernelPca;

/// The fitted regression.
#[derive(Debug)]
pub(super) struct Ridge {
    kernel: ResolvedKernel,
    scores: Points,
    /// W: n × d.
    dual: Mat<f64>,
}

impl Ridge {
    pub(super) fn new(
        ctx: &Context,
        model: &KernelPca,
        (points, scores): (&Points, &Mat<f64>),
        alpha: f64,
    ) -> Result<Self, Error> {
        if !(alpha > 0.0 && alpha.is_finite()) {
            return Err(Error::UnknownValue {
                option: "alpha",
                given: alpha.to_string(),
                allowed: "a number above 0",
            });
        }
        let n = points.len() as u64;
        let (needed, allowed) = (24 * n * n, ctx.memory().unwrap_or(u64::MAX));
        if needed > allowed {
            return Err(Error::Memory {
                what: format!("pre-image `ridge` of {n} training rows"),
                needed,
                allowed,
            });
        }
        let kernel = model.kernel().for_rows(scores);
        let scores = kernel.points(scores.clone(), 0)?;
        let Gram::Stored(mut matrix) = Gram::stored(ctx, &kernel, &scores)? else {
            return Err(Error::Overflow);
        };
        for i in 0..matrix.n_rows() {
            matrix[(i, i)] += alpha;
        }
        let Some(dual) = solve_positive(&matrix, points.rows().view()) else {
            return Err(Error::NotPositiveDefinite { alpha });
        };
        Ok(Ridge {
            kernel,
            scores,
            dual,
        })
    }

    /// Rows for scores.
    pub(super) fn rows(&self, scores: &Mat<f64>) -> Result<RunResult, Error> {
        let points = self.kernel.points(scores.clone(), 0)?;
        let between = self.kernel.between(&points, &self.scores);
        Ok(RunResult {
            rows: product(between.view(), self.dual.view()),
            not_converged: None,
        })
    }
}
