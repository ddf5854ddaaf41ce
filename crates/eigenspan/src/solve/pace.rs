//! How fast an iteration comes nearer: whether it will settle in time, and whether it still moves at all.

use super::krylov::Patience;

/// Products with A after which an iteration that comes no nearer is given up.
const NO_NEARER: usize = 100;

/// How far off the iteration was when it was last looked at.
pub(super) struct Pace {
    pub(super) off: f64,
    pub(super) products: usize,
}

impl Pace {
    /// Whether at the pace since then it will not settle in time. Iterations become faster, if anything.
    pub(super) fn is_hopeless(&self, off: f64, products: usize, patience: Patience) -> bool {
        if products < patience.tried || self.products == 0 || off <= 1.0 {
            return false;
        }
        let per_product = (self.off / off).ln() / (products - self.products).max(1) as f64;
        let left = off.ln() / per_product;
        per_product <= 0.0 || products as f64 + left > patience.most as f64
    }
}

/// How near the iteration came, and when.
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
