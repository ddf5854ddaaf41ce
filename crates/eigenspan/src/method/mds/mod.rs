//! Multidimensional scaling: places for rows of which only the distances are known.
//!
//! Classical: B = −½ C D² C, with D² the squared distances and C = I − 11ᵀ/n, has the inner products of the places about their mean; the
//! leading eigenpairs Bu = λu give the coordinates √λ·u (Torgerson 1952, doi:10.1007/BF02288916; Gower 1966,
//! doi:10.1093/biomet/53.3-4.325). Euclidean distances of rows give the scores of their PCA. Negative eigenvalues say that no places in
//! any number of dimensions have these distances.
//!
//! By stress: places that minimize Σ (d_ij − δ_ij)², with d their distances and δ those given (metric), or any numbers in the same order
//! as those given (non-metric: Kruskal 1964, doi:10.1007/BF02289694, by isotonic regression; equal distances get equal numbers). SMACOF
//! replaces the places X by the minimum of a quadratic function that touches the stress at X and lies above it elsewhere: the Guttman
//! transform x_i ← Σ_j (δ_ij ÷ d_ij)(x_i − x_j) ÷ n, which never raises the stress (de Leeuw 1977; de Leeuw & Mair 2009,
//! doi:10.18637/jss.v031.i03). It ends in a local minimum, which depends on the start.
//!
//! Cost: of Euclidean distances and classical, that of a PCA. Else n²·d for the distances, with 8·n² bytes; the eigenpairs of an n × n
//! matrix; and about (5 + 2k)·n² operations for each step of SMACOF, with n²·log n once and 4·n² more per step where it is non-metric.

mod classical;
mod distances;
mod fit;
mod isotonic;
mod method;
mod model;
mod pairs;
mod smacof;
mod sweep;

pub(super) use classical::{notes_for_places, upright};
pub use model::{Scaling, Stress};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prepare::{Missing, Scale};

/// What places are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// Inner products: the leading eigenpairs of the centered squared distances
    #[default]
    Classical,
    /// Stress: distances as near as can be to those given (SMACOF)
    Metric,
    /// Stress with the order of the distances alone (SMACOF with isotonic regression)
    Nonmetric,
}

/// Which distances of the rows are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Distances {
    /// The root of the sum of squared differences
    #[default]
    Euclidean,
    /// The sum of absolute differences
    Manhattan,
    /// The table is the matrix of distances
    Precomputed,
}

/// Where a search for the smallest stress begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// At the places of classical scaling; further starts are random
    #[default]
    Classical,
    /// At random places
    Random,
}

/// Options of multidimensional scaling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct MdsOptions {
    /// Dimensions of the places
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value_t = 2)
    )]
    pub n_components: usize,

    /// What places are chosen by
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            visible_alias = "metric",
            value_name = "WHICH",
            default_value = "classical"
        )
    )]
    pub criterion: Criterion,

    /// Distances of the rows, or that the table is their matrix
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHICH", default_value = "euclidean")
    )]
    pub distances: Distances,

    /// Divide every column by its standard deviation (std), or leave columns in their own units (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Where SMACOF begins
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHERE", default_value = "classical")
    )]
    pub start: Start,

    /// Starts of SMACOF, of which the result with the smallest stress is kept
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 1))]
    pub n_starts: usize,

    /// Most steps of SMACOF from each start
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 300))]
    pub max_iterations: usize,

    /// SMACOF has converged when a step lowers the stress by less than this share of the sum of squared distances
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TOLERANCE", default_value_t = 1e-6)
    )]
    pub tolerance: f64,

    /// What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with their column's mean (mean)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "error")
    )]
    pub missing: Missing,

    /// The places where SMACOF begins, one list of coordinates for every row; they replace `start`
    #[cfg_attr(feature = "clap", arg(skip))]
    #[schemars(skip)]
    pub places: Option<Vec<Vec<f64>>>,

    /// Seed of random starts; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

/// The help as the command line spells it, where a value needs an equals sign.
#[cfg(feature = "clap")]
const SCALE_HELP: &str = "Divide every column by its standard deviation (--scale), or leave columns in their own units (--scale=none)";

impl Default for MdsOptions {
    fn default() -> Self {
        MdsOptions {
            n_components: 2,
            criterion: Criterion::default(),
            distances: Distances::default(),
            scale: Scale::None,
            start: Start::default(),
            n_starts: 1,
            max_iterations: 300,
            tolerance: 1e-6,
            missing: Missing::Error,
            places: None,
            seed: 0,
        }
    }
}
