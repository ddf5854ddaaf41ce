//! Locally linear embedding: places whose neighborhoods are those of the rows, each seen as flat.
//!
//! Standard (Roweis & Saul 2000, doi:10.1126/science.290.5500.2323): the weights w_i write row i by its neighbors, Σ_j w_ij = 1 and
//! ‖x_i − Σ_j w_ij x_j‖² + r‖w_i‖² smallest, with r = reg × the trace of the neighbors' Gram matrix; the places minimize Σ_i ‖y_i − Σ_j w_ij y_j‖².
//! Modified (Zhang & Wang 2007): several weight vectors for each row. Hessian (Donoho & Grimes 2003, doi:10.1073/pnas.1031596100): second
//! derivatives along the neighborhood's leading directions, or with them all that is not linear along these. LTSA (Zhang & Zha 2004, doi:10.1137/S1064827502419154): what the leading
//! directions of a neighborhood leave.
//!
//! Each variant is a matrix M = Σ_i B_i of small positive semi-definite blocks that vanish on the constant; the places are its eigenvectors
//! of the smallest eigenvalues orthogonal to the constant, of length 1. New rows are put where the weights of their nearest training rows
//! say (Saul & Roweis 2003).
//!
//! Cost: the neighbors of all rows, n·k³ for the blocks, and the eigenvectors of M as a dense matrix: 4/3·n³ operations and 24·n² bytes,
//! whatever the spectrum. Eigenvalues of 10⁻¹² of the largest are usual, which no iteration with products of M tells apart.

mod blocks;
mod fit;
mod method;
mod modified;
mod weights;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::eigenmap::Eigenmap;
use crate::graph::{Algorithm, Pieces};
use crate::prepare::Scale;

#[cfg(feature = "clap")]
use super::laplacian::SCALE_HELP;

/// What is kept of each neighborhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The weights that write a row by its neighbors
    #[default]
    Standard,
    /// Several weight vectors for each row, as many as its neighborhood has directions to spare
    Modified,
    /// Second derivatives along the neighborhood's leading directions
    Hessian,
    /// Local tangent spaces, aligned
    Ltsa,
}

impl Variant {
    /// Its name in sentences.
    pub(super) fn name(self) -> &'static str {
        match self {
            Variant::Standard => "standard LLE",
            Variant::Modified => "modified LLE",
            Variant::Hessian => "Hessian LLE",
            Variant::Ltsa => "LTSA",
        }
    }
}

/// Which weights Hessian LLE sees second derivatives by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum HessianWeights {
    /// All weights orthogonal to the constant and to the coordinates, as in scikit-learn; the blocks are then those of LTSA
    #[default]
    All,
    /// Those of them within the span of the products of any two coordinates, as in the paper
    Products,
}

/// Options of locally linear embedding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct LleOptions {
    /// Dimensions of the places
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value_t = 2)
    )]
    pub n_components: usize,

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

    /// What is kept of each neighborhood
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "VARIANT", default_value = "standard")
    )]
    pub variant: Variant,

    /// What is added to the diagonal of a neighborhood's Gram matrix, as a share of its trace
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            visible_alias = "reg",
            value_name = "SHARE",
            default_value_t = 1e-3
        )
    )]
    pub regularization: f64,

    /// Hessian: which weights second derivatives are seen by; with as few neighbors as possible both are the same
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHICH", default_value = "all")
    )]
    pub hessian_weights: HessianWeights,

    /// Hessian: columns of weights whose sum is below this are not divided by it
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TOLERANCE", default_value_t = 1e-4)
    )]
    pub hessian_tolerance: f64,

    /// Modified: a reflection by a vector shorter than this is left out
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TOLERANCE", default_value_t = 1e-12)
    )]
    pub modified_tolerance: f64,

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

    /// Divide every column by its standard deviation, or leave columns in their own units
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Seed of an approximate search for neighbors; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for LleOptions {
    fn default() -> Self {
        LleOptions {
            n_components: 2,
            n_neighbors: 10,
            variant: Variant::default(),
            regularization: 1e-3,
            hessian_weights: HessianWeights::All,
            hessian_tolerance: 1e-4,
            modified_tolerance: 1e-12,
            algorithm: Algorithm::Auto,
            pieces: Pieces::Join,
            scale: Scale::None,
            seed: 0,
        }
    }
}

/// What a fit learns beside places and eigenvalues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// Σ of the eigenvalues: what the places leave of the cost.
    pub reconstruction_error: f64,
    /// The largest diagonal cell of M, which its largest eigenvalue is not below.
    pub largest_diagonal: f64,
    /// Rows that are no row's neighbor.
    pub n_unseen: usize,
    /// The recall of an approximate search for neighbors.
    pub recall: Option<f64>,
}

/// A fitted locally linear embedding.
pub type Lle = Eigenmap<LleOptions>;
