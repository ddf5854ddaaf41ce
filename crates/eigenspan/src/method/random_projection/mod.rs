//! Random projection: coordinates along directions that are drawn without a look at the rows.
//!
//! With R of k × d independent entries of mean 0 and variance 1/k, the squared length of R(x − y) is on average that of x − y, and so near
//! it that k = 4 ln n ÷ (ε²/2 − ε³/3) directions suffice for all pairs of n rows to keep their squared distances within 1 ± ε (Johnson &
//! Lindenstrauss 1984, doi:10.1090/conm/026/737400; this bound: Dasgupta & Gupta 2003, doi:10.1002/rsa.10073). Entries are Gaussian, or
//! ±√(1/sk) with probability s and else zero: s = 1/3 of Achlioptas (2003, doi:10.1016/S0022-0000(03)00025-4), or s = 1/√d of Li, Hastie
//! & Church (2006, doi:10.1145/1150402.1150436), the default, with which a cell of a row meets k/√d directions in place of k.
//!
//! How far the distances of the rows are changed is measured on a sample of pairs.
//!
//! Cost: k·d draws (s·k·d of a sparse map), and one reading. A row takes 2·k·d operations, or 2·s·k of each of its cells that is not zero.

mod beside;
mod distortion;
mod draw;
mod fit;
mod method;
mod model;
mod size;

pub use beside::KeptByDirections;
pub use distortion::Distortion;
pub use model::RandomProjection;
pub use size::johnson_lindenstrauss_size;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::solve::Keep;

/// What the entries of random directions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Entries {
    /// Normal, with mean 0 and variance 1 ÷ components
    #[default]
    Gaussian,
    /// Mostly zero, the others of equal size and random sign
    Sparse,
}

/// Options of a random projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct RandomProjectionOptions {
    /// Directions to draw: a count, or as many as keep all squared distances within 1 ± eps by the bound of Johnson and Lindenstrauss (auto)
    #[cfg_attr(
        feature = "clap",
        arg(
            short = 'k',
            long,
            value_name = "K",
            default_value = "auto",
            allow_negative_numbers = true
        )
    )]
    pub n_components: Keep,

    /// How much squared distances may change, as a share: above 0 and below 1; it sets the count of auto, and what is said of the distances
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "EPS",
            default_value_t = 0.1,
            allow_negative_numbers = true
        )
    )]
    pub eps: f64,

    /// What the entries of the directions are
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "WHICH", default_value = "gaussian")
    )]
    pub entries: Entries,

    /// Share of the entries of sparse directions that are not zero, above 0 and at most 1 [default: 1 ÷ √columns]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SHARE", allow_negative_numbers = true)
    )]
    pub density: Option<f64>,

    /// Seed of the directions and of the pairs that are measured; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for RandomProjectionOptions {
    fn default() -> Self {
        RandomProjectionOptions {
            n_components: Keep::Auto,
            eps: 0.1,
            entries: Entries::default(),
            density: None,
            seed: 0,
        }
    }
}
