//! Numbers in the form that figures take: `plot` draws one figure from them, the report draws all.
//!
//! This module computes nothing; it picks from the results of the core what a figure needs.

use eigenspan::choose::{Choices, Detail, Rule};
use eigenspan::evaluate::Bootstrap;
use eigenspan::interpret::{Columns, Limits, SupplementaryFacts};
use eigenspan::method::Fitted;
use eigenspan::{Mat, Pca};
use eigenspan_io::Picture;

use super::Component;
use super::circle;
use super::outliers::Outliers;
use super::pictures::Pictures;
use super::reconstruction::{HeldOutKind, Reconstruction};
use super::rows::Rows;
use super::scree::Scree;

/// The numbers of a scree plot.
pub(crate) struct ScreeNumbers {
    names: Vec<String>,
    shares: Vec<f64>,
    n_possible: usize,
    null: Option<Vec<f64>>,
    rules: Vec<(&'static str, usize)>,
    chosen: Option<usize>,
}

impl ScreeNumbers {
    pub(crate) fn from_pca(pca: &Pca, choices: Option<&Choices>, chosen: usize) -> Self {
        let shares = shares(pca);
        // A component with zero variance was computed; one beyond k was not.
        let n_possible = match shares.len() < pca.n_components() {
            true => shares.len(),
            false => n_possible(pca),
        };
        let advices = choices.map_or(&[][..], |choices| &choices.advices);
        let rules = advices.iter();
        let rules = rules.filter_map(|a| Some((a.rule.name(), a.counted().filter(|k| *k > 0)?)));
        ScreeNumbers {
            names: pca.component_names(),
            shares,
            n_possible,
            null: null_shares(choices, pca.spectrum().total_variance()),
            rules: rules.collect(),
            chosen: Some(chosen),
        }
    }

    /// Shares alone, without rules.
    pub(crate) fn plain(fitted: &dyn Fitted) -> Option<Self> {
        let spectrum = fitted.spectrum()?;
        let k = spectrum.len().min(spectrum.rank.max(1));
        Some(ScreeNumbers {
            names: fitted.axis_names(),
            shares: (0..k).map(|c| spectrum.share(c)).collect(),
            n_possible: match k < spectrum.len() {
                true => k,
                false if fitted.most_components().is_some() => {
                    fitted.most_components().unwrap_or(k)
                }
                // The rows limit the number of components, minus one for the mean; so do the columns if components are directions in them.
                false => {
                    let common = fitted.common();
                    let rows = common.n_rows - usize::from(fitted.shown().is_centered);
                    let columns = fitted.directions().map_or(rows, |_| common.n_cols);
                    rows.min(columns).max(k)
                }
            },
            null: None,
            rules: Vec::new(),
            chosen: None,
        })
    }

    pub(crate) fn scree(&self) -> Scree<'_> {
        Scree {
            names: &self.names,
            shares: &self.shares,
            n_possible: self.n_possible,
            null: self.null.as_deref(),
            rules: &self.rules,
            chosen: self.chosen,
        }
    }
}

/// The numbers of a reconstruction figure.
pub(crate) struct LossNumbers {
    errors: Vec<f64>,
    held_out: Option<Vec<f64>>,
    chosen: usize,
}

impl LossNumbers {
    pub(crate) fn from_pca(pca: &Pca, choices: Option<&Choices>, chosen: usize) -> Self {
        let mut left = 1.0;
        let lost = shares(pca).into_iter().map(|share| {
            left = f64::max(left - share, 0.0);
            left
        });
        LossNumbers {
            errors: std::iter::once(1.0).chain(lost).collect(),
            held_out: held_out(choices),
            chosen,
        }
    }

    pub(crate) fn reconstruction(&self) -> Reconstruction<'_> {
        Reconstruction {
            errors: &self.errors,
            held_out: self.held_out.as_deref(),
            kind: HeldOutKind::Blocks,
            chosen: Some(self.chosen),
        }
    }
}

/// Shares of the components that have variance.
fn shares(pca: &Pca) -> Vec<f64> {
    let k = pca.n_components().min(pca.spectrum().rank.max(1));
    (0..k).map(|c| pca.spectrum().share(c)).collect()
}

/// The number of possible components.
pub(crate) fn n_possible(pca: &Pca) -> usize {
    let parts = pca.parts();
    let rows = usize::from(parts.options.center);
    let rows = parts.n_rows.saturating_sub(rows);
    pca.n_cols().min(rows).max(1)
}

/// Shares that components of structureless data would have, if parallel analysis was run.
fn null_shares(choices: Option<&Choices>, total: f64) -> Option<Vec<f64>> {
    match &choices?.advice(Rule::ParallelAnalysis)?.detail {
        Detail::Band { upper, .. } if total > 0.0 => {
            Some(upper.iter().map(|x| x / total).collect())
        }
        _ => None,
    }
}

/// The prediction error for held-out blocks by number of components, relative to the error with no components.
pub(crate) fn held_out(choices: Option<&Choices>) -> Option<Vec<f64>> {
    match &choices?.advice(Rule::BiCrossValidation)?.detail {
        Detail::Errors(errors) => {
            let none = errors.first().copied().filter(|none| *none > 0.0)?;
            Some(errors.iter().map(|error| error / none).collect())
        }
        _ => None,
    }
}

/// Correlations of the columns with two components (from 0).
pub(crate) fn arrows<'a>(
    names: &'a [String],
    columns: &Columns,
    (x, y): (usize, usize),
) -> Vec<circle::Column<'a>> {
    let r = &columns.correlations;
    let arrow = |(j, name): (usize, &'a String)| circle::Column {
        name,
        x: r[(j, x)],
        y: r[(j, y)],
    };
    names.iter().enumerate().map(arrow).collect()
}

/// Correlations of the supplementary columns with two components.
pub(crate) fn arrows_beside(
    beside: &SupplementaryFacts,
    (x, y): (usize, usize),
) -> Vec<circle::Column<'_>> {
    let at = |r: &[f64], c: usize| r.get(c).copied().unwrap_or(f64::NAN);
    let arrow = |column: &'_ eigenspan::interpret::NumericFacts| {
        (at(&column.correlations, x), at(&column.correlations, y))
    };
    let numeric = beside.numeric.iter();
    numeric
        .map(|column| {
            let (x, y) = arrow(column);
            let name = &column.name;
            circle::Column { name, x, y }
        })
        .collect()
}

/// Bootstrap intervals of the loadings of some components; empty for a component that cannot be distinguished from its neighbors.
pub(crate) fn intervals(
    bootstrap: Option<&Bootstrap>,
    which: &[usize],
) -> Option<Vec<Vec<(f64, f64)>>> {
    let loadings = &bootstrap?.loadings;
    let of = |&c: &usize| {
        let intervals = loadings.get(c)?.iter();
        let ends: Option<Vec<_>> = intervals
            .map(|cell| cell.interval.map(|[low, high]| (low, high)))
            .collect();
        Some(ends.unwrap_or_default())
    };
    which.iter().map(of).collect()
}

/// Columns of a table as the slices that a figure takes.
pub(crate) fn by_component(table: &Mat<f64>, k: usize) -> Vec<Vec<f64>> {
    (0..table.n_cols().min(k)).map(|c| table.col(c)).collect()
}

/// Components as pictures, or as the patches that were cut from them.
pub(crate) fn pictures<'a>(
    picture: Picture,
    components: &'a [Component<'a>],
    loadings: &'a [&'a [f64]],
) -> Pictures<'a> {
    let side = |whole: usize| picture.patch.unwrap_or(whole);
    Pictures {
        components,
        loadings,
        width: side(picture.width),
        height: side(picture.height),
        channels: picture.channels,
    }
}

/// T² and Q of the fitted rows, with their limits.
pub(crate) fn outliers<'a>(
    t2: &'a [f64],
    q: &'a [f64],
    limits: &Limits,
    rows: Rows<'a>,
) -> Outliers<'a> {
    Outliers {
        t2,
        q,
        t2_limit: limits.t2.unwrap_or(f64::NAN),
        q_limit: limits.q.unwrap_or(f64::NAN),
        level: limits.level,
        rows,
        n_components: limits.n_components,
    }
}
