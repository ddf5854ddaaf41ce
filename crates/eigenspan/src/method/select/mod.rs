//! Feature selection: some of the columns, kept as they are, in place of mixtures of all.
//!
//! A rule gives the columns an order, and the first are kept. What the choice costs is measured alike for every rule: with S the scatter
//! of the columns and K those kept, the others are predicted from K by linear regression, and the share of the total variance that K
//! explains is (tr S_KK + tr S_DK S_KK⁺ S_KD) ÷ tr S. PCA with as many components explains at least as much; columns keep their meaning.
//!
//! Rules: `variance`, the largest variances; `correlation`, the largest variances without a column that is correlated with one kept
//! above a threshold; `anova`, the largest F statistic of the classes; `mutual-information`, the largest with the classes, by nearest
//! neighbors (Ross 2014, doi:10.1371/journal.pone.0087357); `principal-features`, greedily the column that adds most to the share
//! explained (Farahat, Ghodsi & Kamel 2011, doi:10.1109/ICDM.2011.22). The last maximizes what is reported, with a proven bound
//! (Altschuler et al. 2016, arXiv:1605.08795); clusters of the rows of PCA's loadings (Lu et al. 2007,
//! doi:10.1145/1291233.1291297) depend on the start of k-means and have no bound, so that they are not offered.
//!
//! Cost: n·d² for the scatter and 4·k·d² for the shares; n·d for `anova`, n·d·log n for `mutual-information`.

mod anova;
mod explained;
mod fit;
mod information;
mod method;
mod model;
mod rule;

pub use model::{ColumnFate, Fate, Selection};
pub use rule::Rule;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prepare::{Missing, Scale};
use crate::solve::Keep;

/// Options of a selection of columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct SelectOptions {
    /// Columns to keep, the first in the order of the rule: a count (5), as many as explain a share of the variance (90% or 0.9), or all that
    /// pass the rule (all)
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

    /// Rule by which columns are chosen
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "RULE", default_value = "principal-features")
    )]
    pub by: Rule,

    /// Limit of the rule: the correlation with a kept column up to which columns pass [default: 0.9], or the variance, F or mutual
    /// information above which they do [default: all that vary]; principal-features has none
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "LIMIT", allow_negative_numbers = true)
    )]
    pub threshold: Option<f64>,

    /// Whether shares of variance are those of columns with variance 1 (std) or of columns in their own units (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true, help = SCALE_HELP)
    )]
    pub scale: Scale,

    /// Neighbors by which mutual information is estimated
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 3))]
    pub n_neighbors: usize,

    /// What to do with missing cells: refuse them (error), leave out their rows (drop), or fill them with their column's mean (mean)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "error")
    )]
    pub missing: Missing,

    /// Seed of the noise (1e-10 of a standard deviation) that tells equal values apart for mutual information
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

/// The help as the command line spells it, where a value needs an equals sign.
#[cfg(feature = "clap")]
const SCALE_HELP: &str = "Whether shares of variance are those of columns with variance 1 (--scale) or of columns in their own units (--scale=none)";

impl Default for SelectOptions {
    fn default() -> Self {
        SelectOptions {
            n_components: Keep::All,
            by: Rule::default(),
            threshold: None,
            scale: Scale::None,
            n_neighbors: 3,
            missing: Missing::Error,
            seed: 0,
        }
    }
}
