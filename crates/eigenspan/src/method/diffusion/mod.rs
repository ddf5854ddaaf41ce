//! Diffusion maps: places whose distances are those between the rows' random walks.
//!
//! K_ij = exp(−γ‖x_i − x_j‖²) with row sums q; K_ij ÷ (q_i q_j)^α, with row sums d, divides the density of the rows out (α = 0: not at all;
//! 1: wholly, so that only the shape they lie on counts). P_ij = that ÷ d_i are the probabilities of a step from row i to row j. Its right
//! eigenvectors Pψ = λψ, with Σ π_i ψ_i² = 1 for the stationary distribution π = d ÷ Σd, give the coordinates λ^t ψ: in all n − 1 of them, the
//! squared distance of two rows is Σ_j (p_t(i, j) − p_t(i', j))² ÷ π_j, with p_t the probabilities after t steps (Coifman & Lafon 2006,
//! doi:10.1016/j.acha.2006.04.006). ψ = v ÷ √π for the eigenvectors v of the symmetric D^½ P D^−½.
//!
//! A new row x has the coordinates λ^(t−1) Σ_j p(x, j) ψ_j (Nyström), which for a row of the fit are its own.
//!
//! Cost: n²·d for the kernel, 16·n² bytes, and some products of that matrix with about ten vectors.

mod fit;
mod method;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::eigenmap::Eigenmap;
use crate::kernel::Gamma;
use crate::prepare::Scale;

#[cfg(feature = "clap")]
use super::laplacian::SCALE_HELP;

/// Options of diffusion maps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct DiffusionOptions {
    /// Dimensions of the places
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value_t = 2)
    )]
    pub n_components: usize,

    /// γ of the Gaussian kernel: a number above 0, `median` (½ ÷ the squared median distance of rows), `auto` (1 ÷ columns) or `scale`
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "GAMMA", default_value = "median")
    )]
    pub gamma: Gamma,

    /// How far the density of the rows is divided out: 0 not at all, 1 wholly
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ALPHA", default_value_t = 1.0)
    )]
    pub alpha: f64,

    /// Steps of the random walk; need not be whole
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            visible_alias = "time",
            value_name = "STEPS",
            default_value_t = 1.0
        )
    )]
    pub diffusion_time: f64,

    /// Divide every column by its standard deviation, or leave columns in their own units
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Largest residual ‖Sv − λv‖ of an eigenvector, where the iteration ends
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TOLERANCE", default_value_t = 1e-12)
    )]
    pub tolerance: f64,

    /// Seed of the random start; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for DiffusionOptions {
    fn default() -> Self {
        DiffusionOptions {
            n_components: 2,
            gamma: Gamma::Median,
            alpha: 1.0,
            diffusion_time: 1.0,
            scale: Scale::None,
            tolerance: 1e-12,
            seed: 0,
        }
    }
}

/// What a fit learns beside places and eigenvalues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// γ of the Gaussian kernel.
    pub gamma: f64,
    /// Coordinates whose eigenvalue is above rounding; the others are zero.
    pub rank: usize,
    /// Filters that the solver applied; 0 where the matrix was decomposed.
    pub rounds: usize,
}

/// A fitted diffusion map.
pub type DiffusionMap = Eigenmap<DiffusionOptions>;
