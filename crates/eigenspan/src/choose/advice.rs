//! The advice of one rule: a number of components where the rule has one, a sentence, and the numbers behind it.

use serde::Serialize;

use crate::error::counted;

/// A rule for the number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// As many as a share of the variance needs.
    Share,
    /// The knee of the scree, by the distance from its chord.
    Kneedle,
    /// The knee of the scree, as the best split into two groups of eigenvalues.
    ProfileLikelihood,
    /// Eigenvalues above their mean.
    Kaiser,
    /// Shares above those of a stick broken at random.
    BrokenStick,
    /// Eigenvalues above all that pure noise would have.
    MarchenkoPastur,
    /// Singular values above the optimal hard threshold.
    HardThreshold,
    /// The number with the most evidence under probabilistic PCA.
    Minka,
    /// Eigenvalues above those of the same columns, permuted.
    ParallelAnalysis,
    /// The probabilistic PCA under which rows left out are likeliest.
    HeldOutLikelihood,
    /// The truncation that best predicts a block left out.
    BiCrossValidation,
}

impl Rule {
    /// Every rule, in the order in which they run.
    pub const ALL: [Rule; 11] = [
        Rule::Share,
        Rule::Kneedle,
        Rule::ProfileLikelihood,
        Rule::Kaiser,
        Rule::BrokenStick,
        Rule::MarchenkoPastur,
        Rule::HardThreshold,
        Rule::Minka,
        Rule::ParallelAnalysis,
        Rule::HeldOutLikelihood,
        Rule::BiCrossValidation,
    ];

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Share => "share of variance",
            Rule::Kneedle => "knee of the scree",
            Rule::ProfileLikelihood => "profile likelihood",
            Rule::Kaiser => "Kaiser",
            Rule::BrokenStick => "broken stick",
            Rule::MarchenkoPastur => "Marchenko–Pastur edge",
            Rule::HardThreshold => "optimal hard threshold",
            Rule::Minka => "Minka's evidence",
            Rule::ParallelAnalysis => "parallel analysis",
            Rule::HeldOutLikelihood => "held-out likelihood",
            Rule::BiCrossValidation => "bi-cross-validation",
        }
    }

    /// What the rule assumes.
    pub fn assumes(self) -> &'static str {
        match self {
            Rule::Share => "aims at a share of the variance and ignores noise",
            Rule::Kneedle | Rule::ProfileLikelihood => "assumes that the scree has one bend",
            Rule::Kaiser => "keeps all above the mean, noise or not",
            Rule::BrokenStick => {
                "assumes that shares fall like the pieces of a stick broken at random"
            }
            Rule::MarchenkoPastur | Rule::HardThreshold => {
                "assumes independent noise that is equal in all columns"
            }
            Rule::Minka | Rule::HeldOutLikelihood => {
                "assumes Gaussian rows with equal noise in all columns"
            }
            Rule::ParallelAnalysis => "assumes that columns without structure are independent",
            Rule::BiCrossValidation => {
                "assumes that noise in one block is independent of the others"
            }
        }
    }

    /// Whether the rule separates signal from noise, rather than large components from small ones.
    pub fn looks_for_noise(self) -> bool {
        matches!(
            self,
            Rule::MarchenkoPastur
                | Rule::HardThreshold
                | Rule::Minka
                | Rule::ParallelAnalysis
                | Rule::HeldOutLikelihood
                | Rule::BiCrossValidation
        )
    }

    /// Whether the rule assumes equal noise in all cells; where the noise is not equal, its number does not count.
    pub fn assumes_equal_noise(self) -> bool {
        matches!(
            self,
            Rule::MarchenkoPastur | Rule::HardThreshold | Rule::Minka | Rule::HeldOutLikelihood
        )
    }

    /// Whether the rule needs the rows, not only the eigenvalues.
    pub fn needs_rows(self) -> bool {
        matches!(
            self,
            Rule::ParallelAnalysis | Rule::HeldOutLikelihood | Rule::BiCrossValidation
        )
    }
}

/// The numbers behind an advice, for a table or a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "numbers", rename_all = "snake_case")]
pub enum Detail {
    /// Nothing more to show.
    None,
    /// One threshold, in the units of the eigenvalues, and the noise variance it was computed from.
    Threshold {
        /// An eigenvalue has to exceed this.
        eigenvalue: f64,
        /// Variance of the noise in every column.
        noise: f64,
    },
    /// One threshold per component, in the units of the eigenvalues.
    Thresholds(Vec<f64>),
    /// Eigenvalues of tables with permuted columns, component by component, in the units of the data's eigenvalues.
    Band {
        /// Eigenvalues of the rows that were used.
        observed: Vec<f64>,
        /// Mean of the null.
        mean: Vec<f64>,
        /// Upper quantile of the null, which an eigenvalue has to exceed.
        upper: Vec<f64>,
    },
    /// A score for every number of components from `first` on; the largest wins.
    Scores {
        /// Components of the first score.
        first: usize,
        /// The scores.
        values: Vec<f64>,
    },
    /// An error for every number of components from 0 on; the smallest wins.
    Errors(Vec<f64>),
}

/// The advice of one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The rule.
    pub rule: Rule,
    /// The number of components; None where the rule has no answer.
    pub k: Option<usize>,
    /// Why, in a sentence.
    pub sentence: String,
    /// The numbers behind it.
    pub detail: Detail,
    /// Why the rule's number does not count here; None where it counts.
    pub abstains: Option<String>,
}

impl Detail {
    /// Converts eigenvalues of rows that were divided by `unit` back to the units of the data.
    pub(super) fn scale_by(&mut self, factor: f64) {
        if let Detail::Band {
            observed,
            mean,
            upper,
        } = self
        {
            let values = observed.iter_mut().chain(mean).chain(upper);
            values.for_each(|x| *x *= factor);
        }
    }
}

impl Advice {
    pub(super) fn new(rule: Rule, k: usize, sentence: String, detail: Detail) -> Self {
        Advice {
            rule,
            k: Some(k),
            sentence,
            detail,
            abstains: None,
        }
    }

    /// The number of components that counts; None where the rule has no answer or abstains.
    pub fn counted(&self) -> Option<usize> {
        self.k.filter(|_| self.abstains.is_none())
    }

    /// Makes the rule abstain, with the reason `why`, where it has a number and `so` is true.
    pub(super) fn abstaining(mut self, so: bool, why: &str) -> Self {
        if so && self.counted().is_some() {
            self.sentence.push_str(&format!("; does not count: {why}"));
            self.abstains = Some(why.to_owned());
        }
        self
    }

    /// No answer, and the reason.
    pub(crate) fn none(rule: Rule, why: &str) -> Self {
        Advice {
            rule,
            k: None,
            sentence: format!("no answer: {why}"),
            detail: Detail::None,
            abstains: None,
        }
    }
}

/// A number with four decimals, or with more digits where it is small.
pub(super) fn rounded(x: f64) -> String {
    match x.abs() {
        size if size >= 0.1 || size == 0.0 => format!("{x:.4}"),
        size if size >= 1e-4 => format!("{x:.7}"),
        _ => format!("{x:.3e}"),
    }
}

/// `1 component holds`, `2 components hold`.
pub(super) fn count_and_verb(count: usize, noun: &str, verb: &str) -> String {
    let ending = if count == 1 { "s" } else { "" };
    format!("{} {verb}{ending}", counted(count, noun))
}

/// The index of the largest score, the first among equals; a NaN never wins.
pub(super) fn best(scores: impl Iterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, score) in scores.enumerate() {
        if score > best.map_or(f64::NEG_INFINITY, |(_, top)| top) {
            best = Some((i, score));
        }
    }
    best.map(|(i, _)| i)
}
