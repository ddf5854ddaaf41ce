//! Kernel PCA: principal components in the feature space of a kernel, computed from inner products alone.
//!
//! With K̄ = CKC the centered kernel matrix of the training rows, K̄u = λu, the component v = Φ̄ᵀα with α = u/√λ has
//! length 1, because ‖v‖² = αᵀK̄α = 1. Scores are K̄α = √λ·u, the variance along v is λ/(n − 1), and a new row x has the
//! score Σᵢ αᵢ k̄(x, xᵢ), centered by the means of the training rows (Schölkopf, Smola & Müller 1998, Neural Computation
//! 10, 1299–1319, doi:10.1162/089976698300017467).
//!
//! Where there are too many rows for their kernel matrix, features φ(x) of m numbers approximate the kernel, from landmarks
//! or random frequencies ([`crate::kernel::Nystrom`], [`crate::kernel::Fourier`]), and the scatter of the features is
//! decomposed: kernel PCA of K̂ = φφᵀ in two readings, with memory for m × m.
//!
//! Every strategy gives the same kind of model: a score is b(x)·W − offset, where b(x) are the kernels of x with the rows of
//! a basis (all training rows, or landmarks) or its Fourier features.
//!
//! Cost n²d for the kernel matrix and 9n³ for all, or about n²k per product for the leading k eigenpairs; n·m(d + 3m) for
//! features.

mod auto;
mod basis;
mod exact;
mod features;
mod fit;
mod leading;
mod measure;
mod method;
mod model;
mod pre_image;
mod prepare;
mod products;
mod width;

pub use basis::{Basis, SpectrumError};
pub use model::{KernelPca, KernelPcaParts};
pub use pre_image::{Inverted, PreImage, PreImageOptions, PreImages};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Gamma, Kernel, Landmarks};
use crate::prepare::{Missing, Scale};
use crate::solve::{Approximate, Keep, Negative, Sign, Solver};

/// The help as the command line spells it, where a value needs an equals sign.
#[cfg(feature = "clap")]
const SCALE_HELP: &str = "Center every column and divide it by its standard deviation (--scale), by that of an allele count (--scale=genotype), or leave rows as they are (--scale=none)";

/// The help with the defaults of the command line.
#[cfg(feature = "clap")]
const GAMMA_HELP: &str = "Factor γ of kernels without a gamma of their own: a number, auto (1 ÷ columns), scale (1 ÷ columns × variance) or median (of the distances) [default: median for rbf, auto for others]";

/// Parses a typed kernel; the error marks the place where the text goes wrong.
#[cfg(feature = "clap")]
fn parse_kernel(text: &str) -> Result<Kernel, String> {
    use crate::error::Error;
    text.parse().map_err(|error| match &error {
        Error::KernelText { text, column, .. } if !text.contains(char::is_control) => {
            format!("{error}\n  {text}\n  {:>column$}", "^")
        }
        _ => error.to_string(),
    })
}

/// Options of a kernel PCA.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct KernelPcaOptions {
    /// Components to keep: a count (5), a share of the variance in feature space (90% or 0.9), as many as the rules agree on (auto), or all
    #[cfg_attr(
        feature = "clap",
        arg(
            short = 'k',
            long,
            value_name = "K",
            default_value = "90%",
            allow_negative_numbers = true
        )
    )]
    pub n_components: Keep,

    /// Kernel: linear, poly(degree, gamma, coef0), rbf(gamma) or rbf(sigma), laplacian(gamma), tanh(gamma, coef0), cosine, matern(nu, length),
    /// rational_quadratic(alpha, length), chi2(gamma), precomputed; their sums, products and multiples, exp(…) and normalize(…)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "KERNEL", default_value = "rbf", value_parser = parse_kernel)
    )]
    pub kernel: Kernel,

    /// Factor γ of kernels without a gamma of their own: a number, auto (1 ÷ columns), scale (1 ÷ columns × variance) or median (of the distances)
    #[cfg_attr(feature = "clap", arg(long, value_name = "GAMMA", allow_negative_numbers = true, help = GAMMA_HELP))]
    pub gamma: Option<Gamma>,

    /// Center every column and divide it by its standard deviation (std) or that of an allele count (genotype), or leave rows as they are (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with their column's mean (mean)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "error")
    )]
    pub missing: Missing,

    /// Whether features approximate the kernel matrix
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "auto")
    )]
    pub approximate: Approximate,

    /// Number of landmarks (nystrom) or random features (fourier) [default: 2000, fewer if they do not fit the memory]
    #[cfg_attr(feature = "clap", arg(long, value_name = "M"))]
    pub n_landmarks: Option<usize>,

    /// How landmarks are drawn
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "kmeans")
    )]
    pub landmarks: Landmarks,

    /// Solver: auto, full (without iterations), randomized or lanczos (the leading ones, by products with the kernel matrix)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SOLVER", default_value = "auto")
    )]
    pub solver: Solver,

    /// What to do with negative eigenvalues, if a kernel is not positive semi-definite
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "clip")
    )]
    pub negative: Negative,

    /// Residual ‖Ku − λu‖ ÷ λ of every component at which iterative solvers stop [default: 1e-9, for f32 data 1e-5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TOLERANCE"))]
    pub tolerance: Option<f64>,

    /// Rule for the signs of components, applied to their eigenvectors
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE", default_value = "largest")
    )]
    pub sign: Sign,

    /// Seed of random starts and of the draw of landmarks; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}
