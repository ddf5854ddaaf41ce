//! How many components to keep: every rule gives its [`Advice`], and a consensus says which rule to follow for this data.
//!
//! Rules that use only eigenvalues take a [`Scree`]; rules that use the rows take the prepared matrix, which [`Sample`] gathers. A
//! rule without an answer gives no number and says why; a rule whose number cannot be trusted for these data abstains.

mod advice;
mod bicross;
mod bulk;
mod consensus;
mod effort;
mod heldout;
mod horn;
mod knee;
mod minka;
mod null;
mod parallel;
mod residue;
mod sample;
mod scree;
mod second;
mod share;
mod small;
mod threshold;

pub use advice::{Advice, Detail, Rule};
pub use bicross::bi_cross_validation;
pub use consensus::{Consensus, Range, consensus};
pub use heldout::held_out_likelihood;
pub use horn::horn;
pub use knee::{kneedle, profile_likelihood};
pub use minka::minka;
pub(crate) use null::permuted;
pub use parallel::{parallel_analysis, parallel_analysis_by};
pub use sample::Sample;
pub use scree::Scree;
pub use share::{broken_stick, kaiser, share};
pub use threshold::{
    hard_threshold, hard_threshold_known, known_noise_factor, marchenko_pastur,
    marchenko_pastur_median, unknown_noise_factor,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::Error;
#[cfg(feature = "clap")]
use crate::solve::Keep;

/// Options of the rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct ChooseOptions {
    /// Share of the variance to keep, such as 90% or 0.9
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SHARE", default_value = "90%", value_parser = parse_share)
    )]
    pub share: f64,
    /// Tables of permuted columns that parallel analysis draws; fewer where they are large
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = Self::default().n_draws)
    )]
    pub n_draws: usize,
    /// Quantile of the permuted tables' eigenvalues that a component has to exceed
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "Q", default_value_t = Self::default().quantile)
    )]
    pub quantile: f64,
    /// Folds of rows in the cross-validation of probabilistic PCA
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = Self::default().n_folds)
    )]
    pub n_folds: usize,
    /// Random splits into two by two blocks in bi-cross-validation
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = Self::default().n_splits)
    )]
    pub n_splits: usize,
    /// Largest number of rows that the rules use; from a longer table a sample is drawn, a smaller one if rows are long
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ROWS", default_value_t = Self::default().max_rows)
    )]
    pub max_rows: usize,
    /// Seed of random choices
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
}

/// Parses a typed share.
#[cfg(feature = "clap")]
fn parse_share(text: &str) -> Result<f64, Error> {
    match text.parse()? {
        Keep::Share(share) => Ok(share),
        Keep::Count(1) => Ok(1.0),
        _ => Err(Error::UnknownValue {
            option: "share",
            given: text.to_owned(),
            allowed: "a share of the variance such as 90% or 0.9",
        }),
    }
}

impl Default for ChooseOptions {
    fn default() -> Self {
        ChooseOptions {
            share: 0.9,
            n_draws: 100,
            quantile: 0.95,
            n_folds: 5,
            n_splits: 4,
            max_rows: 5000,
            seed: 0,
        }
    }
}

impl ChooseOptions {
    /// Refuses values that make no sense.
    pub fn check(&self) -> Result<(), Error> {
        if !(self.share > 0.0 && self.share <= 1.0) {
            return Err(Error::ShareOutOfRange { share: self.share });
        }
        let refuse = |option, given: String, allowed| {
            Err(Error::UnknownValue {
                option,
                given,
                allowed,
            })
        };
        if !(self.quantile > 0.0 && self.quantile < 1.0) {
            let allowed = "a number above 0 and below 1, such as 0.95";
            return refuse("quantile", self.quantile.to_string(), allowed);
        }
        let counts = [
            ("n_draws", self.n_draws, 1, "a whole number from 1"),
            ("n_folds", self.n_folds, 2, "a whole number from 2"),
            ("n_splits", self.n_splits, 1, "a whole number from 1"),
            ("max_rows", self.max_rows, 2, "a whole number from 2"),
        ];
        match counts.iter().find(|(_, given, least, _)| given < least) {
            Some((option, given, _, allowed)) => refuse(option, given.to_string(), allowed),
            None => Ok(()),
        }
    }
}

/// The advice of every rule, and the consensus.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choices {
    /// One entry per rule, in the order of [`Rule::ALL`].
    pub advices: Vec<Advice>,
    /// The number to take, and why.
    pub consensus: Consensus,
}

impl Choices {
    /// Combines the advice of the rules. `unequal` is the reason why the noise is not equal in all cells, if it is not.
    fn weigh(advices: Vec<Advice>, unequal: Option<&str>) -> Self {
        let heard = |advice: Advice| {
            let so = unequal.is_some() && advice.rule.assumes_equal_noise();
            advice.abstaining(so, unequal.unwrap_or_default())
        };
        let advices: Vec<Advice> = advices.into_iter().map(heard).collect();
        let consensus = consensus(&advices);
        Choices { advices, consensus }
    }

    /// The advice of a rule, if it was run.
    pub fn advice(&self, rule: Rule) -> Option<&Advice> {
        self.advices.iter().find(|advice| advice.rule == rule)
    }
}

/// Runs every rule that needs only eigenvalues, and parallel analysis against normal noise where the columns' variances are
/// known.
///
/// ```
/// use eigenspan::choose::{ChooseOptions, Rule, Scree, choose};
///
/// // 100 rows of 6 columns: two directions stand out.
/// let scree = Scree::new(vec![9.0, 5.0, 1.1, 1.0, 0.9, 0.8], 17.8, 100, 6, false)?;
/// let choices = choose(&scree, &ChooseOptions::default())?;
/// assert_eq!(choices.advice(Rule::Kaiser).and_then(|advice| advice.k), Some(2));
/// assert_eq!(choices.consensus.k, Some(2));
/// # Ok::<(), eigenspan::Error>(())
/// ```
pub fn choose(scree: &Scree, options: &ChooseOptions) -> Result<Choices, Error> {
    options.check()?;
    let mut advices = by_eigenvalues(scree, options);
    let parallel = horn(&Context::new(), scree, options)?;
    let known = parallel.counted().or_else(|| {
        let edge = advices.iter().find(|a| a.rule == Rule::MarchenkoPastur);
        edge.and_then(Advice::counted)
    });
    let unequal = bulk::unequal(scree, known.unwrap_or(0));
    advices.push(parallel);
    Ok(Choices::weigh(advices, unequal.as_deref()))
}

/// Runs every rule: those that need only eigenvalues, and those that use the rows (or a sample of them).
pub fn choose_with_rows(
    ctx: &Context,
    scree: &Scree,
    rows: &Sample,
    options: &ChooseOptions,
) -> Result<Choices, Error> {
    options.check()?;
    let mut advices = by_eigenvalues(scree, options);
    let (parallel, unequal) =
        parallel::weighted(ctx, &rows.matrix, rows.weights.as_deref(), options)?;
    advices.push(parallel);
    advices.push(held_out_likelihood(ctx, &rows.matrix, options)?);
    advices.push(bi_cross_validation(ctx, &rows.matrix, options)?);
    for advice in advices.iter_mut().filter(|a| a.rule.needs_rows()) {
        rows.say_sampled(&mut advice.sentence);
        advice.detail.scale_by(rows.variance_unit());
    }
    Ok(Choices::weigh(advices, unequal.as_deref()))
}

fn by_eigenvalues(scree: &Scree, options: &ChooseOptions) -> Vec<Advice> {
    vec![
        share(scree, options.share),
        kneedle(scree),
        profile_likelihood(scree),
        kaiser(scree),
        broken_stick(scree),
        marchenko_pastur(scree),
        hard_threshold(scree),
        minka(scree),
    ]
}
