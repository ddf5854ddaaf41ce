//! How fast an iteration converges: whether it will converge in time, and whether it still makes progress.

use super::krylov::Patience;

/// An iteration is given up after this many products with A without progress.
const NO_NEARER: usize = 100;

/// The state of the iteration at the last check.
pub(super) struct Pace {
    /// Largest residual ÷ allowed residual.
    pub(super) off: f64,
    pub(super) products: usize,
}

impl Pace {
    /// Whether, at the rate of convergence since the last check, it will not converge in time. Iterations tend to speed up.
    pub(super) fn is_hopeless(&self, off: f64, products: usize, patience: Patience) -> bool {
        if products < patience.tried || self.products == 0 || off <= 1.0 {
            return false;
        }
        let per_product = (self.off / off).ln() / (products - self.products).max(1) as f64;
        let left = off.ln() / per_product;
        per_product <= 0.0 || products as f64 + left > patience.most as f64
    }
}

/// The smallest excess of the residuals so far, and the product at which it was reached.
pub(super) struct Nearest {
    off: f64,
    products: usize,
}

impl Default for Nearest {
    fn default() -> Self {
        Nearest {
            off: f64::INFINITY,
            products: usize::MAX,
        }
    }
}

impl Nearest {
    pub(super) fn see(&mut self, off: f64, products: usize) {
        if off < 0.9 * self.off || self.products == usize::MAX {
            *self = Nearest { off, products };
        }
    }

    pub(super) fn is_stuck(&self, products: usize) -> bool {
        products > self.products.saturating_add(NO_NEARER)
    }
}
