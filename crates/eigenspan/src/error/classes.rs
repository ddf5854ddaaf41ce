//! What can be wrong with the classes of rows: their labels, how many rows they have, what is asked of them.

use super::words::{counted, grouped, short};

/// Why a method that learns from classes was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClassFault {
    /// Rows without a label.
    #[error(
        "{} no label, but every row needs its class; the first is row {}",
        match .rows { 1 => "1 row has".to_owned(), _ => format!("{} have", counted(*.rows, "row")) },
        .first + 1
    )]
    Unlabeled {
        /// How many.
        rows: usize,
        /// The first of them, from 0.
        first: usize,
    },
    /// All rows have the same label.
    #[error(
        "all rows have one class{}, but there must be at least two classes to tell apart",
        .label.as_deref().map_or(String::new(), |label| format!(" ({label})"))
    )]
    OneClass {
        /// That label; None where there are no rows.
        label: Option<String>,
    },
    /// Numbers that measure something, where classes are needed.
    #[error(
        "the labels are {} different numbers{} in {}: that looks like a measurement, not like classes",
        grouped(*.n_classes as u64),
        if *.fractions { ", some with digits after the point," } else { "" },
        counted(*.n_rows, "row")
    )]
    Measurement {
        /// Different numbers.
        n_classes: usize,
        /// Rows.
        n_rows: usize,
        /// Whether some are not whole.
        fractions: bool,
    },
    /// As many classes as rows, so that rows do not vary within classes.
    #[error(
        "{} of {} in total leave nothing to measure the spread within classes by: there must be more rows than classes",
        counted(*.n_classes, "class"), counted(*.n_rows, "row")
    )]
    TooFewRows {
        /// Classes.
        n_classes: usize,
        /// Rows.
        n_rows: usize,
    },
    /// A class without a row that counts: its rows have weight 0, or all have missing cells.
    #[error(
        "class {class} has no row that counts: its rows have no weight, or were left out because cells are missing"
    )]
    EmptyClass {
        /// The class.
        class: String,
    },
    /// A class with a single row, where the covariance of every class is needed.
    #[error("class {class} has 1 row, but a covariance of its own needs at least 2")]
    SingleRow {
        /// The class.
        class: String,
    },
    /// A class whose own covariance is singular.
    #[error(
        "the covariance of class {class} is singular: its {} vary in {rank} of {}",
        counted(*.n_rows, "row"), counted(*.n_cols, "direction")
    )]
    SingularClass {
        /// The class.
        class: String,
        /// Its rows.
        n_rows: usize,
        /// Directions in which they vary by more than rounding, or than a tolerance that was given.
        rank: usize,
        /// Columns.
        n_cols: usize,
    },
    /// More discriminants than classes and columns allow.
    #[error(
        "{asked} components asked for, but {} and {} allow at most {} (one fewer than there are classes, and no more than columns)",
        counted(*.n_classes, "class"), counted(*.n_cols, "column"), (*.n_classes - 1).min(*.n_cols)
    )]
    TooManyDirections {
        /// Components asked for.
        asked: usize,
        /// Classes.
        n_classes: usize,
        /// Columns.
        n_cols: usize,
    },
    /// More discriminants than the means of the classes span.
    #[error(
        "{asked} components asked for, but the means of the {} differ in {rank} {} only",
        counted(*.n_classes, "class"), if *.rank == 1 { "direction" } else { "directions" }
    )]
    MeansInFewer {
        /// Components asked for.
        asked: usize,
        /// Classes.
        n_classes: usize,
        /// Directions in which the means differ.
        rank: usize,
    },
    /// Prior probabilities that are more or fewer than the classes.
    #[error("{} given for {} ({})", counted(*.given, "prior"), counted(.classes.len(), "class"), crate::note::listed(.classes))]
    PriorCount {
        /// Priors given.
        given: usize,
        /// The classes, in the order of the priors.
        classes: Vec<String>,
    },
    /// A prior probability that is not positive, or priors that do not sum to 1.
    #[error("priors are probabilities above 0 that sum to 1, but {}", match .sum {
        Some(sum) => format!("these sum to {}", short(*sum)),
        None => format!("one is {}", short(*.given)),
    })]
    BadPriors {
        /// The first that is not positive, or NaN.
        given: f64,
        /// Their sum, where each is positive.
        sum: Option<f64>,
    },
    /// All classes have the same mean.
    #[error("the classes have the same mean, up to rounding: no direction tells them apart")]
    EqualMeans,
    /// Rows that are the same within every class.
    #[error(
        "no column varies within classes: all rows of a class are equal, so there is nothing to measure differences between classes by"
    )]
    ConstantWithin,
}
