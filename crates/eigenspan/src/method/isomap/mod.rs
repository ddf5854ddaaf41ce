//! Isomap: places for rows whose distances are geodesics, lengths of shortest paths from neighbor to neighbor.
//!
//! 1. A graph links every row with its k nearest (in either direction), each edge as long as the two rows are apart.
//! 2. The geodesic δ_ij is the length of the shortest path from row i to row j.
//! 3. Classical scaling of the geodesics: the leading eigenpairs of B = −½ C Δ² C, with Δ² the squared geodesics and C = I − 11ᵀ/n,
//!    give the places √λ·u (Tenenbaum, de Silva & Langford 2000, doi:10.1126/science.290.5500.2319).
//!
//! With m landmarks, geodesics begin at these rows alone: classical scaling places the landmarks, and row x gets the coordinates
//! −½ Σ_l (y_l/λ)(δ_xl² − μ_l), with μ_l the mean of δ² between landmark l and all landmarks (de Silva & Tenenbaum 2004, Sparse
//! multidimensional scaling using landmark points). New rows are placed by the same formula; with all rows as landmarks it gives the
//! training rows their own places.
//!
//! Residual variance: 1 − R², where R is the correlation of geodesics and distances in the map. It falls with every dimension that the
//! rows have, and hardly thereafter.
//!
//! Cost for n rows with d columns: n²·d for neighbors, n²·(log n + k) for paths, n² per product for a few eigenpairs, 12·n² bytes; with
//! m landmarks n·m·(log n + k) and m³, and 12·n·m bytes.

mod fit;
mod landmarks;
mod method;
mod model;
mod places;
mod project;
mod residual;
mod rows;
mod squares;

pub use model::Isomap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::{Algorithm, Metric, Pieces};
use crate::prepare::Scale;

/// Which eigenvalues of the centered squared geodesics are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Eigenvalues {
    /// All of up to 4096 rows or landmarks, else the leading ones
    Auto,
    /// Those of the places; all of up to 512 rows or landmarks
    Leading,
    /// All, in 4/3·n³ operations
    All,
}

/// Options of Isomap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct IsomapOptions {
    /// Dimensions of the places
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value_t = 2)
    )]
    pub n_components: usize,

    /// Neighbors of each row, to which it is linked; the row itself is not one of them
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

    /// How far two rows are from each other
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "METRIC", value_enum, default_value_t = Metric::Euclidean)
    )]
    pub metric: Metric,

    /// Divide every column by its standard deviation (std), or leave columns in their own units (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Rows drawn as landmarks, from which alone geodesics are computed; without it, from all rows
    #[cfg_attr(
        feature = "clap",
        arg(long, visible_alias = "landmarks", value_name = "M")
    )]
    pub n_landmarks: Option<usize>,

    /// Which eigenvalues are computed: shares need all of them. Without it, the leading ones; on the command line, auto
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHICH", value_enum))]
    pub eigenvalues: Option<Eigenvalues>,

    /// What is done where the graph of neighbors is in several pieces
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHAT", value_enum, default_value_t = Pieces::Join)
    )]
    pub pieces: Pieces,

    /// How neighbors are looked for
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ALGORITHM", value_enum, default_value_t = Algorithm::Auto)
    )]
    pub algorithm: Algorithm,

    /// Seed of the landmarks, of an approximate search for neighbors and of the eigenpairs' start; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

/// The help as the command line spells it, where a value needs an equals sign.
#[cfg(feature = "clap")]
const SCALE_HELP: &str = "Divide every column by its standard deviation (--scale), or leave columns in their own units (--scale=none)";

impl Default for IsomapOptions {
    fn default() -> Self {
        IsomapOptions {
            n_components: 2,
            n_neighbors: 10,
            metric: Metric::Euclidean,
            scale: Scale::None,
            n_landmarks: None,
            eigenvalues: None,
            pieces: Pieces::Join,
            algorithm: Algorithm::Auto,
            seed: 0,
        }
    }
}
