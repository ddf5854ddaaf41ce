//! Where a reduction helps a classifier: the accuracy of small classifiers ([`super::Classifier`]) on rows held out, after each of
//! some reductions with 1, 2, … components, beside that on the columns themselves.
//!
//! 1. Rows are dealt into K folds with equal shares of each class. For each fold, columns are scaled and a reduction is fitted on the
//!    other folds alone; a classifier learns from their scores and predicts the rows of the fold. The accuracy is the mean of
//!    the K shares aᶠ of rows whose class is predicted, its standard error √(Σ(aᶠ − a)² ÷ (K − 1) ÷ K).
//! 2. What is chosen (the number of neighbors, and the number of components of the *nested* accuracy) is chosen for each fold by a
//!    cross-validation of the other folds alone, with reductions fitted again inside it: no accuracy has seen its test rows
//!    (Varma & Simon 2006, doi:10.1186/1471-2105-7-91). The choice is the one with the most right rows, and the smallest
//!    numbers among equals.
//! 3. Two accuracies are compared by their differences on the same folds. Training sets of different folds share rows, so the
//!    variance of the mean difference is (1/K + n_test/n_train)·s² instead of s²/K (Nadeau & Bengio 2003,
//!    doi:10.1023/A:1024068626366), and Student's t with K − 1 degrees of freedom decides at 5 %. With mean difference D the
//!    variance s² is taken to be at least |D|(1 − |D|) ÷ n_test, its least value for independent rows: few folds can agree by
//!    chance.
//!
//! Cost: reductions × K(1 + K) fits, where something is chosen; reductions × K elsewhere. A method with a spectrum is fitted once
//! for all numbers of components.

mod after;
mod result;
mod split;
mod study;

pub use after::{Reduction, Reductions};
pub use result::{Accuracy, Comparison, Curve, Estimate, Nested, Point, Reduced, Verdict};
pub use study::AccuracyStudy;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Classifier, Counts};
use crate::prepare::Scale;

/// Options of a comparison of accuracies after reductions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct AccuracyOptions {
    /// Reductions to compare, by name, with options in parentheses where they differ from the defaults: pca,kpca(kernel=poly(degree=2)); none is the columns themselves [default: none,pca,lda where the method lda exists]
    #[cfg_attr(feature = "clap", arg(long, value_name = "METHODS"))]
    pub after: Option<Reductions>,

    /// Numbers of components: 5, 2,5,10, 1..10 or 1..64:7 [default: 1..30, as far as columns and folds allow]
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", allow_negative_numbers = true)
    )]
    pub n_components: Option<Counts>,

    /// Classifiers that predict the class of a row from its scores
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "CLASSIFIERS",
            value_delimiter = ',',
            default_value = "naive-bayes,knn,lda"
        )
    )]
    pub classifiers: Vec<Classifier>,

    /// Numbers of neighbors for knn; of several, a cross-validation of the training rows chooses one [default: 1,3,5,9,15, as far as folds allow]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_delimiter = ','))]
    pub n_neighbors: Vec<usize>,

    /// Number of folds, each held out once; every fold has its share of each class
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 5))]
    pub n_folds: usize,

    /// Center every column and divide it by its standard deviation (std) or that of an allele count (genotype), on the training rows of every fold; or leave
    /// rows as they are (none)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SCALE", default_value = "none", default_missing_value = "std", num_args = 0..=1, require_equals = true)
    )]
    pub scale: Scale,

    /// Largest number of rows to use; of more rows a random sample is taken
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ROWS", default_value_t = 5000)
    )]
    pub most_rows: usize,

    /// Largest number of fits of reductions; a longer comparison is refused
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 2000))]
    pub max_fits: usize,

    /// Seed of the folds and of the sample; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for AccuracyOptions {
    fn default() -> Self {
        AccuracyOptions {
            after: None,
            n_components: None,
            classifiers: vec![Classifier::NaiveBayes, Classifier::Knn, Classifier::Lda],
            n_neighbors: Vec::new(),
            n_folds: 5,
            scale: Scale::None,
            most_rows: 5000,
            max_fits: 2000,
            seed: 0,
        }
    }
}
