//! Quadratic discriminant analysis: every class has a normal distribution with a covariance of its own.
//!
//! The class with the largest log π_c − ½ log det Σ_c − ½ (x − m_c)ᵀ Σ_c⁻¹ (x − m_c) is the most probable (Hastie, Tibshirani &
//! Friedman 2009, §4.3, doi:10.1007/978-0-387-84858-7; regularized as in Friedman 1989, doi:10.1080/01621459.1989.10478752). There
//! are no directions; the coordinates of a row are the probabilities of the classes.
//!
//! Cost: n·d² for the scatters of the classes, read once, d³ for each of them, and classes × d² for a new row.

mod fit;
mod method;
mod model;

pub use model::{Qda, QdaParts};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lda::Shrinkage;
use crate::prepare::Missing;

/// Options of a quadratic discriminant analysis.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct QdaOptions {
    /// Share s from 0 to 1 by which every covariance C becomes (1 − s)·C + s·I, in the units of the columns
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "SHARE",
            default_value_t = 0.0,
            allow_negative_numbers = true
        )
    )]
    pub reg_param: f64,

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

    /// Variance below which a direction counts as one in which a class does not vary, in the units of the columns; where none is given, rounding decides
    #[cfg_attr(feature = "clap", arg(long, value_name = "VARIANCE"))]
    pub rank_tolerance: Option<f64>,

    /// What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with their column's mean (mean)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "error")
    )]
    pub missing: Missing,
}
