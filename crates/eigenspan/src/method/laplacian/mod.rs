//! Laplacian eigenmaps (spectral embedding): places that keep linked rows of a graph near each other.
//!
//! W holds the affinities of the rows, D their sums, L = I − D^−½ W D^−½. The places minimize Σ W_ij ‖y_i − y_j‖² under yᵀDy = 1, orthogonal
//! to the constant: y = D^−½ v, with v the eigenvectors of L of the smallest eigenvalues after the first, which is zero (Belkin & Niyogi
//! 2003, doi:10.1162/089976603321780317). W is ½(A + Aᵀ) for the graph A of nearest neighbors, a Gaussian kernel, or a given matrix.
//!
//! Cost: the neighbors of all rows, then some hundreds of products of the sparse matrix with about ten vectors; 8·n² bytes where every pair
//! of rows has an affinity.

mod fit;
mod method;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::eigenmap::Eigenmap;
use crate::graph::{Algorithm, Metric, Pieces};
use crate::kernel::Gamma;
use crate::prepare::Scale;

/// Which affinities rows have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Affinity {
    /// 1 between two rows that are neighbors of each other, ½ where one is a neighbor of the other, else 0
    #[default]
    NearestNeighbors,
    /// exp(−γ‖x − y‖²) between all rows
    Rbf,
    /// The table is the matrix of affinities
    Precomputed,
}

/// Options of Laplacian eigenmaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct LaplacianOptions {
    /// Dimensions of the places
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value_t = 2)
    )]
    pub n_components: usize,

    /// Which affinities rows have
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHICH", default_value = "nearest-neighbors")
    )]
    pub affinity: Affinity,

    /// Neighbors of each row; the row itself is not one of them
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            visible_alias = "neighbors",
            value_name = "N",
            default_value_t = 10
        )
    )]
    pub n_neighbors: usize,

    /// How far two rows are from each other, where neighbors are looked for
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "METRIC", default_value = "euclidean")
    )]
    pub metric: Metric,

    /// How neighbors are looked for
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ALGORITHM", default_value = "auto")
    )]
    pub algorithm: Algorithm,

    /// What is done where the graph of neighbors is in several pieces
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHAT", default_value = "join")
    )]
    pub pieces: Pieces,

    /// γ of the Gaussian kernel: a number above 0, `auto` (1 ÷ columns), `scale` or `median`
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "GAMMA", default_value = "auto")
    )]
    pub gamma: Gamma,

    /// Divide every column by its standard deviation, or leave columns in their own units
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Largest residual ‖Sv − θv‖ of an eigenvector, where the iteration ends
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TOLERANCE", default_value_t = 1e-12)
    )]
    pub tolerance: f64,

    /// Seed of the random start and of an approximate search for neighbors; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

/// The help as the command line spells it, where a value needs an equals sign.
#[cfg(feature = "clap")]
pub(super) const SCALE_HELP: &str = "Divide every column by its standard deviation (--scale), or leave columns in their own units (--scale=none)";

impl Default for LaplacianOptions {
    fn default() -> Self {
        LaplacianOptions {
            n_components: 2,
            affinity: Affinity::default(),
            n_neighbors: 10,
            metric: Metric::Euclidean,
            algorithm: Algorithm::Auto,
            pieces: Pieces::Join,
            gamma: Gamma::Auto,
            scale: Scale::None,
            tolerance: 1e-12,
            seed: 0,
        }
    }
}

/// What a fit learns beside places and eigenvalues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// γ of the Gaussian kernel, where there is one.
    pub gamma: Option<f64>,
    /// Pairs of rows with an affinity.
    pub n_pairs: usize,
    /// The recall of an approximate search for neighbors.
    pub recall: Option<f64>,
    /// Filters that the solver applied; 0 where the matrix was decomposed.
    pub rounds: usize,
}

/// Fitted Laplacian eigenmaps.
pub type Laplacian = Eigenmap<LaplacianOptions>;
