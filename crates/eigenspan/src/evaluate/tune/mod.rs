//! Parameters of kernel PCA by cross-validation: which kernel and how many components do best on held-out rows.
//!
//! Every kernel of a grid is fitted once per fold, with the largest requested number of components; smaller numbers are the
//! first columns of its scores. Squared distances and inner products, of which all kernels are functions, are computed once
//! ([`crate::kernel`]'s pairs). Criteria:
//!
//! - *accuracy* of a classifier on the scores of the rows held out ([`super::Classifier`]);
//! - *reconstruction*: root of the mean squared distance between rows held out and their pre-images, in the input's units;
//! - *parallel*: kernel parallel analysis (Jørgensen & Hansen 2012, IEEE Transactions on Neural Networks and Learning
//!   Systems 23, 163–168, doi:10.1109/TNNLS.2011.2178325): eigenvalues of all rows against those of rows whose columns were
//!   permuted. Σᵢ≤ₖ (λᵢ − Tᵢ) is largest for the kernel and k that capture most of what permuting destroys, with Tᵢ the 95 %
//!   quantile of the i-th eigenvalue over the draws; divided by Σ k(x, x).
//!
//! The simplest choice is the smallest number of components whose mean lies within one standard error of the best (Breiman,
//! Friedman, Olshen & Stone 1984, Classification and Regression Trees, §3.4.3).
//!
//! A result is computed from outcomes, one for each kernel and fold. Outcomes can be saved as they are computed and given back
//! later: known outcomes are not computed again, and the result has the same bits.

mod counts;
mod folds;
mod part;
mod result;
mod tuner;

pub use counts::Counts;
pub use folds::Folds;
pub(super) use part::prepared;
pub use result::{Cell, Edge, Outcome, Tuning};
pub use tuner::Tuner;
pub(super) use tuner::rare;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Classifier;
use crate::kernel::KernelGrid;
use crate::method::PreImage;
use crate::prepare::Scale;

/// The criterion by which parameters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// Share of the held-out rows whose label a classifier predicts from their scores
    Accuracy,
    /// Distance of the rows held out to their pre-images, in the units of the data
    Reconstruction,
    /// Kernel parallel analysis: eigenvalues above those of permuted columns
    Parallel,
}

impl Criterion {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Accuracy => "accuracy",
            Criterion::Reconstruction => "reconstruction",
            Criterion::Parallel => "parallel",
        }
    }

    /// Whether more is better.
    pub fn more_is_better(self) -> bool {
        self != Criterion::Reconstruction
    }
}

/// Options of a search for parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct TuneOptions {
    /// Kernels to try: a kernel in which any value may be a list, [0.1, 1, scale], a range with equal ratios, 0.001..10:5, or whole numbers, 1..4
    /// [default: rbf(gamma=…) around the median distance]
    #[cfg_attr(feature = "clap", arg(long, value_name = "KERNEL"))]
    pub kernel: Option<KernelGrid>,

    /// Numbers of components to try: 5, 2,5,10, 1..10 or 1..64:7 [default: 1,2,4,8,16,32, as far as folds allow]
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", allow_negative_numbers = true)
    )]
    pub n_components: Option<Counts>,

    /// Center every column and divide it by its standard deviation (std) or that of an allele count (genotype), on the training rows of every fold; or leave
    /// rows as they are (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true)
    )]
    pub scale: Scale,

    /// Criterion to compare by [default: accuracy if there are labels, otherwise reconstruction]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CRITERION"))]
    pub criterion: Option<Criterion>,

    /// Accuracy: classifier that predicts labels from the scores
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "CLASSIFIER", default_value = "knn")
    )]
    pub classifier: Classifier,

    /// Accuracy: number of neighbors for knn
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 5))]
    pub n_neighbors: usize,

    /// Reconstruction: how rows are computed from scores
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "METHOD", default_value = "auto")
    )]
    pub pre_image: PreImage,

    /// Number of folds, each held out once; every fold has its share of each label
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 5))]
    pub n_folds: usize,

    /// Parallel: number of tables with permuted columns
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 20))]
    pub n_draws: usize,

    /// Largest number of fits (kernels × folds); a longer search is refused
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 2000))]
    pub max_fits: usize,

    /// Seed of folds and permutations; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for TuneOptions {
    fn default() -> Self {
        TuneOptions {
            kernel: None,
            n_components: None,
            scale: Scale::None,
            criterion: None,
            classifier: Classifier::default(),
            n_neighbors: 5,
            pre_image: PreImage::Auto,
            n_folds: 5,
            n_draws: 20,
            max_fits: 2000,
            seed: 0,
        }
    }
}
