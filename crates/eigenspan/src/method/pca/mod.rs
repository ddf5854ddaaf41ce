//! Principal component analysis: the orthogonal directions along which the rows vary most.
//!
//! With X the prepared rows (centered, perhaps scaled), C = XᵀX/(n − 1) = V Λ Vᵀ; scores are XV, and X ≈ (XV)Vᵀ is
//! the best approximation of rank k (Pearson 1901, doi:10.1080/14786440109462720; Hotelling 1933, doi:10.1037/h0071325).

mod auto;
mod conditional;
mod em;
mod expect;
mod fit;
mod grow;
mod imputer;
mod incomplete;
mod like;
mod method;
mod model;
mod names;
mod probabilistic;
mod project;

pub use grow::GrowingPca;
pub use imputer::Imputer;
pub use like::{Like, Retain};
pub use model::{Pca, PcaParts};
pub use names::Names;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prepare::{Missing, Scale};
use crate::solve::{Convention, Keep, Sign, Solver};

/// The help as the command line spells it, where a value needs an equals sign.
#[cfg(feature = "clap")]
const SCALE_HELP: &str = "Divide every column by its standard deviation (--scale), by that of an allele count (--scale=genotype), or by nothing (--scale=none)";

/// Options of a PCA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct PcaOptions {
    /// Components to keep: a count (5), a share of the variance (90% or 0.9), as many as the rules of `choose` agree on (auto), or all
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

    /// Subtract the column means first
    #[cfg_attr(feature = "clap", arg(long = "no-center", action = clap::ArgAction::SetFalse, help = "Do not subtract the column means first"))]
    pub center: bool,

    /// Divide every column by its standard deviation (std), by that of an allele count (genotype), or by nothing (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Divide scores by their standard deviation, so that each has variance 1
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "true|false", default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, num_args = 0..=1, require_equals = true, action = clap::ArgAction::Set)
    )]
    pub whiten: bool,

    /// Solver that computes the eigenpairs
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SOLVER", default_value = "auto")
    )]
    pub solver: Solver,

    /// Residual ‖Cv − λv‖ ÷ λ of every component at which iterative solvers stop [default: 1e-9, for f32 data 1e-5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TOLERANCE"))]
    pub tolerance: Option<f64>,

    /// Divisor of a variance
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "CONVENTION", default_value = "n-1")
    )]
    pub convention: Convention,

    /// Rule for the signs of components
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE", default_value = "largest")
    )]
    pub sign: Sign,

    /// Names of the components
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAMES", default_value = "PC", ignore_case = true)
    )]
    pub names: Names,

    /// What to do with missing cells
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "error")
    )]
    pub missing: Missing,

    /// Seed of random starts; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for PcaOptions {
    fn default() -> Self {
        PcaOptions {
            n_components: Keep::All,
            center: true,
            scale: Scale::None,
            whiten: false,
            solver: Solver::Auto,
            tolerance: None,
            convention: Convention::Unbiased,
            sign: Sign::Largest,
            names: Names::Pc,
            missing: Missing::Error,
            seed: 0,
        }
    }
}
