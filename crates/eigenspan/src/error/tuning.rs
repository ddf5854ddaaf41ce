//! What can go wrong in a search for parameters: its folds, its labels, and how many fits it would take.

use super::words::{counted, duration, grouped};

/// How many fits a search would take, and how many it may.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} × {n_parts} {parts} are {} fits, which would take about {}; max_fits allows {}",
    kernels_words(.axes, *.kernels), grouped(*.fits as u64), duration(*.seconds), grouped(*.allowed as u64)
)]
pub struct FitCount {
    /// The number of values of each parameter that varies.
    pub axes: Vec<usize>,
    /// Kernels to try: the product of those numbers.
    pub kernels: usize,
    /// Folds, or tables of the parallel analysis.
    pub n_parts: usize,
    /// What the parts are called: `folds` or `tables`.
    pub parts: &'static str,
    /// Fits in total.
    pub fits: usize,
    /// The time they would take, estimated.
    pub seconds: f64,
    /// The most fits allowed: `max_fits`.
    pub allowed: usize,
}

/// Why a search for parameters was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningFault {
    /// The search would take more fits than `max_fits` allows.
    #[error("{0}")]
    TooManyFits(Box<FitCount>),
    /// A row has no label, and the criterion compares labels.
    #[error("row {} has no label, but every row needs one", .row + 1)]
    UnlabeledRow {
        /// The first such row, from 0.
        row: usize,
    },
    /// Labels of other rows than those of the table.
    #[error("{} given for {}, but every row needs one", counted(*.labels, "label"), counted(*.n_rows, "row"))]
    LabelCount {
        /// Labels that were given.
        labels: usize,
        /// Rows of the table.
        n_rows: usize,
    },
    /// All rows have the same label.
    #[error(
        "all rows have one label ({}), but there must be two classes to tell apart",
        .label.as_deref().unwrap_or("none")
    )]
    OneLabel {
        /// That label; None where there are no rows.
        label: Option<String>,
    },
    /// Classification by more neighbors than there are training rows, or by none.
    #[error("{asked} neighbors asked for, but there are 1 to {n_rows} training rows to be near")]
    NeighborCount {
        /// Neighbors asked for.
        asked: usize,
        /// Training rows.
        n_rows: usize,
    },
    /// Fewer than 2 folds, or more folds than rows.
    #[error("n_folds = {n_folds} does not fit: {n_rows} rows make 2 to {n_rows} folds")]
    FoldCount {
        /// Folds asked for.
        n_folds: usize,
        /// Rows to divide into folds.
        n_rows: usize,
    },
    /// A fold was given without a row.
    #[error("fold {} of {n_folds} has no rows", .fold + 1)]
    EmptyFold {
        /// The first such fold, from 0.
        fold: usize,
        /// The number of folds.
        n_folds: usize,
    },
    /// More components than the training rows of some fold can have.
    #[error(
        "{asked} components asked for, but {} leave as few as {training} of {} to learn from, which have at most {most}",
        counted(*.n_folds, "fold"), counted(*.n_rows, "row")
    )]
    TooFewRowsToLearnFrom {
        /// The largest number of components asked for.
        asked: usize,
        /// The number of folds.
        n_folds: usize,
        /// Training rows of the fold that has the fewest.
        training: usize,
        /// All rows.
        n_rows: usize,
        /// The largest number of components that these training rows allow.
        most: usize,
    },
    /// More components than all rows can have, where every fit is to all rows.
    #[error("{asked} components asked for, but {n_rows} rows have at most {most}")]
    TooFewRows {
        /// The largest number of components asked for.
        asked: usize,
        /// All rows.
        n_rows: usize,
        /// The largest number of components that these rows allow.
        most: usize,
    },
    /// A criterion that looks at rows, with a precomputed kernel.
    #[error(
        "criterion = {criterion} needs rows, and a precomputed kernel has none; accuracy is left"
    )]
    CriterionNeedsRows {
        /// The criterion's name.
        criterion: &'static str,
    },
    /// A comparison of accuracies without labels.
    #[error("accuracies are shares of rows whose class is predicted, but the rows have no classes")]
    NoClasses,
    /// Labels that look like a measurement or like names of rows.
    #[error(
        "the labels have {different} different values in {} ({}, …): they look like a measurement or like names, not like classes",
        counted(*.n_rows, "row"), .examples.join(", ")
    )]
    NotClasses {
        /// Different labels.
        different: usize,
        /// Rows.
        n_rows: usize,
        /// The first few of them.
        examples: Vec<String>,
    },
    /// A reduction that no method has as its name.
    #[error("`{given}` is not a reduction; there are {}{}", .allowed.join(", "), like_words(.like))]
    UnknownReduction {
        /// What was given.
        given: String,
        /// Names like it.
        like: Vec<String>,
        /// All names.
        allowed: Vec<String>,
    },
    /// Options in parentheses that the method does not take.
    #[error("{reduction}: {what}")]
    ReductionOptions {
        /// The reduction as given.
        reduction: String,
        /// What is wrong with them.
        what: String,
    },
    /// A reduction whose rows cannot be fitted without the others, so that none can be held out.
    #[error(
        "{reduction} cannot be fitted to some rows without the others, so no rows can be held out"
    )]
    ReductionNeedsAllRows {
        /// The reduction as given.
        reduction: String,
    },
    /// More components than any of the reductions gives.
    #[error("{asked} components asked for, but {reductions} can give at most {most} here")]
    TooManyForReductions {
        /// The largest number of components asked for.
        asked: usize,
        /// The largest number that one of them gives in the first fold.
        most: usize,
        /// The reductions as given.
        reductions: String,
    },
    /// A comparison that takes more fits than `max_fits` allows.
    #[error(
        "the comparison takes {} fits of reductions ({n_folds} folds, folds inside them{}); max_fits allows {}",
        grouped(*.fits as u64), one_by_one_words(*.one_by_one), grouped(*.allowed as u64)
    )]
    TooManyRefits {
        /// Fits in total.
        fits: usize,
        /// The number of folds.
        n_folds: usize,
        /// Whether some method is fitted again for each number of components.
        one_by_one: bool,
        /// The most fits allowed: `max_fits`.
        allowed: usize,
    },
    /// No kernel and number of components led to a finite score.
    #[error("no choice of parameters came to a number")]
    NoScore,
}

/// `2 × 3 = 6 kernels`, or `3 kernels` where at most one parameter varies.
fn kernels_words(axes: &[usize], kernels: usize) -> String {
    let kernels = counted(kernels, "kernel");
    match axes {
        [] | [_] => kernels,
        _ => {
            let sizes: Vec<String> = axes.iter().map(ToString::to_string).collect();
            format!("{} = {kernels}", sizes.join(" × "))
        }
    }
}

/// `; did you mean pca?`, where there are names like it.
fn like_words(like: &[String]) -> String {
    match like {
        [] => String::new(),
        like => format!("; did you mean {}?", like.join(" or ")),
    }
}

/// That some method is fitted again for each number of components.
fn one_by_one_words(one_by_one: bool) -> &'static str {
    match one_by_one {
        true => ", one for each number of components",
        false => "",
    }
}
