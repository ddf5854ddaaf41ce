//! Affinities of all pairs of rows by a Gaussian kernel, stored whole.

use crate::context::Context;
use crate::error::Error;
use crate::kernel::{Gamma, Gram, Kernel, Points, ResolvedKernel};
use crate::mat::Mat;

/// exp(−γ‖x − y‖²) with a γ that is a number.
#[derive(Debug, Clone)]
pub(in crate::method) struct Gaussian {
    kernel: ResolvedKernel,
    /// γ
    pub(in crate::method) gamma: f64,
}

impl Gaussian {
    /// Finds γ on rows.
    pub(in crate::method) fn on(rows: &Mat<f64>, gamma: Gamma) -> Result<Self, Error> {
        let kernel: Kernel = "rbf".parse()?;
        let kernel = ResolvedKernel::new(&kernel.with_gamma(gamma)?, rows)?;
        let mut found = 0.0;
        kernel.kernel().any_base(|base| {
            found = base.gamma_value();
            false
        });
        Ok(Gaussian {
            kernel,
            gamma: found,
        })
    }

    /// The kernel matrix of rows.
    pub(in crate::method) fn matrix(
        &self,
        ctx: &Context,
        rows: &Mat<f64>,
    ) -> Result<Mat<f64>, Error> {
        let points = self.points(rows.clone())?;
        match ctx.install(|| Gram::stored(ctx, &self.kernel, &points))? {
            Gram::Stored(matrix) => Ok(matrix),
            _ => Err(Error::Overflow),
        }
    }

    /// Rows, ready to be compared.
    pub(in crate::method) fn points(&self, rows: Mat<f64>) -> Result<Points, Error> {
        self.kernel.points(rows, 0)
    }

    /// The kernel of all pairs of some rows and others.
    pub(in crate::method) fn between(&self, a: &Points, b: &Points) -> Mat<f64> {
        self.kernel.between(a, b)
    }
}
