//! Kernel PCA: principal components in the feature space of a kernel, found from inner products alone.
//!
//! With K̄ = CKC the centered kernel matrix of the training rows, K̄u = λu, the component v = Φ̄ᵀα with α = u/√λ has
//! length 1, because ‖v‖² = αᵀK̄α = 1. Scores are K̄α = √λ·u, the variance along v is λ/(n − 1), and a new row x has the
//! score Σᵢ αᵢ k̄(x, xᵢ), centered by the means of the training rows (Schölkopf, Smola & Müller 1998, Neural Computation
//! 10, 1299–1319, doi:10.1162/089976698300017467).
//!
//! Cost n²d for the kernel matrix and 9n³ for all, or about n²k per product for the leading k eigenpairs.

mod fit;
mod model;
mod pre_image;

pub use model::{KernelPca, KernelPcaParts};
pub use pre_image::{Inverted, PreImage, PreImageOptions, PreImages};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Gamma, Kernel};
use crate::solve::{Keep, Negative, Sign, Solver};

/// What can be asked of a kernel PCA.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct KernelPcaOptions {
    /// Components to keep: a count (5), a share of the variance in feature space (90% or 0.9), or all
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value = "all")
    )]
    pub n_components: Keep,

    /// Kernel: linear, poly(degree, gamma, coef0), rbf(gamma) or rbf(sigma), laplacian(gamma), tanh(gamma, coef0), cosine, matern(nu, length),
    /// rational_quadratic(alpha, length), chi2(gamma), precomputed; their sums, products and multiples, exp(…) and normalize(…)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "KERNEL", default_value = "rbf")
    )]
    pub kernel: Kernel,

    /// Factor γ of kernels that are not told their own: a number, auto (1 ÷ columns), scale (1 ÷ columns × variance) or median (of the distances)
    #[cfg_attr(feature = "clap", arg(long, value_name = "GAMMA"))]
    pub gamma: Option<Gamma>,

    /// Road to the eigenpairs: auto, full (all of them), randomized or lanczos (the leading ones, by products with the kernel matrix)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SOLVER", default_value = "auto")
    )]
    pub solver: Solver,

    /// What to do with negative eigenvalues, where a kernel is not positive semi-definite
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "clip")
    )]
    pub negative: Negative,

    /// Residual ‖Ku − λu‖ ÷ λ₁ at which iterative solvers stop [default: 1e-9, for f32 data 1e-5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TOLERANCE"))]
    pub tolerance: Option<f64>,

    /// Which way components point, by their eigenvectors
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE", default_value = "largest")
    )]
    pub sign: Sign,

    /// Seed of random starts; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}
