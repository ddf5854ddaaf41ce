//! Linear discriminant analysis: the directions in which classes lie furthest apart, measured by how far rows spread within classes.
//!
//! With m_c the mean of class c, π_c its prior probability and m = Σ π_c m_c, the scatter within classes is
//! S_w = 1/n Σ_c Σ_(i in c) (x_i − m_c)(x_i − m_c)ᵀ, that between them S_b = Σ π_c (m_c − m)(m_c − m)ᵀ. Discriminants solve
//! S_b v = λ S_w v (Fisher 1936, doi:10.1111/j.1469-1809.1936.tb02137.x; Rao 1948, doi:10.1111/j.2517-6161.1948.tb00008.x), at most
//! one fewer than there are classes. Scores are (x − m)ᵀv with vᵀS_w v = 1, so that λ is the variance between classes in units of
//! that within. If classes are normal with one covariance, the class with the largest
//! log π_c − ½ (x − m_c)ᵀ S_w⁻¹ (x − m_c) is the most probable (Hastie, Tibshirani & Friedman 2009, §4.3,
//! doi:10.1007/978-0-387-84858-7).
//!
//! The scatter within classes is read once ([`crate::summary::ClassScatter`]): cost n·d² + d³. Where there are fewer rows than
//! columns, the solver `svd` decomposes the n × n products of the rows instead: n²·d + n³.

mod fit;
mod method;
mod model;
mod priors;
mod proof;
mod shrinkage;
mod solve;
mod wide;

pub(super) use fit::{absolute, check_classes, of_classes};
pub(super) use method::class_words;
pub use model::{Lda, LdaParts};
pub(super) use priors::{checked_priors, log_of};
pub(super) use shrinkage::Quartics;
pub use shrinkage::Shrinkage;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prepare::Missing;
use crate::solve::{Keep, Sign};

/// How discriminants are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LdaSolver {
    /// eigen if there is shrinkage, else svd
    #[default]
    Auto,
    /// In the span of the rows within their classes; for rows of any rank, without shrinkage
    Svd,
    /// S_b v = λ S_w v with covariances weighted by the priors, with or without shrinkage
    Eigen,
}

/// Options of a linear discriminant analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct LdaOptions {
    /// Discriminants to keep: a count (at most one fewer than there are classes), a share of the variance between classes (90% or 0.9), or all
    #[cfg_attr(
        feature = "clap",
        arg(
            short = 'k',
            long,
            value_name = "K",
            default_value = "all",
            allow_negative_numbers = true
        )
    )]
    pub n_components: Keep,

    /// How discriminants are computed
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SOLVER", default_value = "auto")
    )]
    pub solver: LdaSolver,

    /// How far covariances are drawn towards a multiple of the identity: not at all (none), as far as Ledoit and Wolf estimate (auto), or by a share from 0 to 1
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "SHARE",
            default_value = "none",
            allow_negative_numbers = true
        )
    )]
    pub shrinkage: Shrinkage,

    /// Probability of each class before a row is seen, in the order of the classes (numbers by size, words by the alphabet); they sum to 1 [default: the classes' shares of the rows]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "P,P,...",
            value_delimiter = ',',
            allow_negative_numbers = true
        )
    )]
    pub priors: Option<Vec<f64>>,

    /// Rows vary along a direction if their standard deviation there exceeds this share of that of a column, all columns scaled alike (solver svd)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SHARE", default_value_t = 1e-4)
    )]
    pub rank_tolerance: f64,

    /// Keep the covariance within classes in the model
    #[cfg_attr(feature = "clap", arg(long))]
    pub store_covariance: bool,

    /// Rule for the signs of discriminants
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE", default_value = "largest")
    )]
    pub sign: Sign,

    /// What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with their column's mean (mean)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "error")
    )]
    pub missing: Missing,
}

impl Default for LdaOptions {
    fn default() -> Self {
        LdaOptions {
            n_components: Keep::All,
            solver: LdaSolver::Auto,
            shrinkage: Shrinkage::None,
            priors: None,
            rank_tolerance: 1e-4,
            store_covariance: false,
            sign: Sign::Largest,
            missing: Missing::Error,
        }
    }
}
