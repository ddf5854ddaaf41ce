//! The rules: each gives every column a score, the columns an order, and says which do not pass and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SelectOptions;
use super::model::Fate;
use crate::error::Error;
use crate::linalg::sort_largest_first;
use crate::mat::Mat;

/// The rule by which columns are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The largest variances
    Variance,
    /// The largest variances, without columns that are correlated with a kept one above the threshold
    Correlation,
    /// The largest F statistic: means that differ most between the classes, relative to the variance within them
    Anova,
    /// The largest mutual information with the classes
    MutualInformation,
    /// One after the other the column that adds most to the variance explained by those kept
    #[default]
    PrincipalFeatures,
}

impl Rule {
    /// Whether it needs the class of every row.
    pub fn needs_labels(self) -> bool {
        matches!(self, Rule::Anova | Rule::MutualInformation)
    }

    /// Its name, as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Variance => "variance",
            Rule::Correlation => "correlation",
            Rule::Anova => "anova",
            Rule::MutualInformation => "mutual-information",
            Rule::PrincipalFeatures => "principal-features",
        }
    }

    /// What its scores are.
    pub fn score_name(self) -> &'static str {
        match self {
            Rule::Variance | Rule::Correlation => "variance",
            Rule::Anova => "F",
            Rule::MutualInformation => "information",
            Rule::PrincipalFeatures => "adds",
        }
    }
}

/// Columns in the order of a rule, and why the others do not pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ranked {
    /// The columns that pass, the best first.
    pub(super) order: Vec<usize>,
    /// The score of every column; NaN where it has none.
    pub(super) scores: Vec<f64>,
    /// What became of every column; those that pass are kept so far.
    pub(super) fates: Vec<Fate>,
}

impl SelectOptions {
    /// The limit of the rule, minus infinity where the rule has no limit; an error for a limit that the rule does not take.
    pub(super) fn limit(&self) -> Result<f64, Error> {
        let wrong = |given: f64, allowed| Error::UnknownValue {
            option: "threshold",
            given: given.to_string(),
            allowed,
        };
        match (self.by, self.threshold) {
            (Rule::PrincipalFeatures, Some(_)) => Err(Error::OptionsConflict {
                what: "principal-features takes no threshold: n_components says how many columns, or which share of the variance",
            }),
            (Rule::Correlation, limit) => match limit.unwrap_or(0.9) {
                limit if (0.0..=1.0).contains(&limit) => Ok(limit),
                limit => Err(wrong(limit, "a correlation from 0 to 1")),
            },
            (_, None) => Ok(f64::NEG_INFINITY),
            (_, Some(limit)) if limit.is_finite() && limit >= 0.0 => Ok(limit),
            (_, Some(limit)) => Err(wrong(limit, "a number from 0 on")),
        }
    }
}

/// Orders columns by their scores, the largest first; columns that do not vary, and scores up to the limit, do not pass.
pub(super) fn by_scores(scores: Vec<f64>, variances: &[f64], limit: f64) -> Ranked {
    let fate = |j: usize| match (variances[j] > 0.0, scores[j] > limit) {
        (false, _) => Fate::Constant,
        (true, false) => Fate::BelowThreshold,
        (true, true) => Fate::Kept,
    };
    let fates: Vec<Fate> = (0..scores.len()).map(fate).collect();
    let mut order: Vec<usize> = (0..scores.len())
        .filter(|&j| fates[j] == Fate::Kept)
        .collect();
    sort_largest_first(&mut order, &|j| scores[j]);
    Ranked {
        order,
        scores,
        fates,
    }
}

/// Goes through the columns by variance, the largest first, and leaves out those whose correlation with one kept is above the limit
/// in magnitude.
pub(super) fn by_correlation(scatter: &Mat<f64>, variances: Vec<f64>, limit: f64) -> Ranked {
    let mut ranked = by_scores(variances.clone(), &variances, f64::NEG_INFINITY);
    let correlation = |i: usize, j: usize| {
        let size = scatter[(i, i)].sqrt() * scatter[(j, j)].sqrt();
        (scatter[(i, j)] / size).clamp(-1.0, 1.0)
    };
    let mut kept: Vec<usize> = Vec::new();
    for j in ranked.order {
        let of_kept = kept.iter().map(|&with| (with, correlation(with, j)));
        let most = of_kept.reduce(|most, next| {
            if next.1.abs() > most.1.abs() {
                next
            } else {
                most
            }
        });
        match most {
            Some((with, correlation)) if correlation.abs() > limit => {
                ranked.fates[j] = Fate::Correlated { with, correlation };
            }
            _ => kept.push(j),
        }
    }
    ranked.order = kept;
    ranked
}
