//! What can go wrong, as data: every variant says what was given and what is allowed; [`Error::hint`] says what to do.

mod classes;
mod distances;
mod graph;
mod hint;
mod nearest;
mod neighbors;
mod shape;
mod tuning;
mod words;

pub use classes::ClassFault;
pub use distances::DistanceFault;
pub use graph::GraphFault;
pub use nearest::nearest;
pub use neighbors::NeighborFault;
pub use shape::ShapeFault;
pub use tuning::{FitCount, TuningFault};
#[doc(hidden)]
// For fronts that count rows and columns from 0, and say the rest of the sentence as the core does.
pub use words::{NO_VALUE, not_finite_words, not_genotypes_words, unknown_variances_words};
pub use words::{bytes_words, counted, grouped};
pub(crate) use words::{short, sizes_words};

use crate::note::Hint;
use words::{column_words, least_eps_words, limit_words, plural};

/// Why a fit, a projection or a plan was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More components than the data can have.
    #[error("{asked} components asked for, but {} allow at most {}", limit_words(*.rows, *.cols), (*.rows).min(*.cols))]
    TooManyComponents {
        /// Components asked for.
        asked: usize,
        /// Rows of the data.
        rows: usize,
        /// Columns of the data.
        cols: usize,
    },
    /// `n_components = 0`.
    #[error("0 components asked for, but at least 1 is needed")]
    NoComponents,
    /// A share of variance that is not in (0, 1].
    #[error(
        "a share of {share} of the variance was asked for, but a share lies above 0 and at most at 1 (100 %)"
    )]
    ShareOutOfRange {
        /// The share as given.
        share: f64,
    },
    /// A text that an option does not take.
    #[error("{option} = `{given}` is not known; it takes {allowed}")]
    UnknownValue {
        /// The option's name.
        option: &'static str,
        /// What was given.
        given: String,
        /// What it takes, in words.
        allowed: &'static str,
    },
    /// Too few rows to have a variance.
    #[error("{rows} {} is too few: a variance needs at least {needed} rows", plural(*.rows, "row"))]
    TooFewRows {
        /// Rows found.
        rows: usize,
        /// Rows needed.
        needed: usize,
    },
    /// No columns at all.
    #[error("no numeric columns to work on")]
    NoColumns,
    /// Cells that are NaN or infinite.
    #[error(
        "{}; the first is row {}, {}",
        not_finite_words(*.nan, *.infinite), .row + 1, column_words(*.col, .name.as_deref())
    )]
    NotFinite {
        /// How many cells are NaN.
        nan: usize,
        /// How many are infinite.
        infinite: usize,
        /// Row of the first one, from 0.
        row: usize,
        /// Column of the first one, from 0.
        col: usize,
        /// Name of that column, where names exist.
        name: Option<String>,
    },
    /// A column all of whose cells are missing, where its mean is needed.
    #[error("{} {NO_VALUE}", column_words(*.col, .name.as_deref()))]
    NoValue {
        /// Column, from 0.
        col: usize,
        /// Its name, where names exist.
        name: Option<String>,
    },
    /// Squares or sums left the range of f64.
    #[error("the values are too large: their variance overflows a 64-bit float")]
    Overflow,
    /// Squares vanish in f64.
    #[error("the values are too small: their squares vanish in a 64-bit float")]
    Underflow,
    /// Rows of another width than the model or the first block.
    #[error("{given} columns given, but {expected} expected")]
    WrongWidth {
        /// Columns given.
        given: usize,
        /// Columns expected.
        expected: usize,
    },
    /// A column that cannot hold counts of an allele, where genotypes are needed.
    #[error("column {} {}", .col + 1, not_genotypes_words(*.mean))]
    NotGenotypes {
        /// Column, from 0.
        col: usize,
        /// Its mean.
        mean: f64,
    },
    /// A weight below zero or not finite, or weights that sum to zero.
    #[error("row weights must be finite, at least 0 and not all 0: {what}")]
    BadWeights {
        /// What was found.
        what: String,
    },
    /// Weights that sum to less than two rows, under a convention that counts rows.
    #[error(
        "the row weights sum to {}, but under the n − 1 convention a weight counts rows (2 is the row twice), and a variance needs at least 2",
        short(*.weight)
    )]
    TooLittleWeight {
        /// Sum of the weights.
        weight: f64,
    },
    /// Data that can be read only once, with a solver that reads more often.
    #[error(
        "solver `{solver}` reads the data {passes} times, but this input can be read only once"
    )]
    ReadOnce {
        /// The solver's name.
        solver: &'static str,
        /// Readings it needs, in words.
        passes: &'static str,
    },
    /// `n_components = auto` on data that can be read only once.
    #[error(
        "n_components = `auto` looks at the rows before it fits them, but this input can be read only once"
    )]
    ChoosesFirst,
    /// The plan needs more memory than it may use.
    #[error("{what} needs {}, but only {} may be used", bytes_words(*.needed), bytes_words(*.allowed))]
    Memory {
        /// What needs the memory.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// The backend gave up on a decomposition.
    #[error("the {what} did not converge")]
    NoConvergence {
        /// Which decomposition.
        what: &'static str,
    },
    /// Interrupted by the user.
    #[error("interrupted")]
    Cancelled,
    /// Options that exclude each other, or that the chosen method or solver does not take together.
    #[error("{what}")]
    OptionsConflict {
        /// Which options, and what is possible instead.
        what: &'static str,
    },
    /// A share of variance with `negative = flip` and a solver that computes only the largest eigenvalues.
    #[error(
        "negative = `flip` with a share of the variance needs all eigenvalues, but solver `{solver}` computes only the largest"
    )]
    FlipNeedsAll {
        /// The solver's name.
        solver: &'static str,
    },
    /// Data that can be read only once, where a preparation or an approximation reads them twice.
    #[error("{what}, but this input can be read only once")]
    ReadTwice {
        /// What happens in the second reading.
        what: &'static str,
        /// The option that needs one reading, if there is one.
        instead: Option<Box<Hint>>,
    },
    /// Data whose number of rows is not known before they are read, where it must be known.
    #[error("{what}")]
    UnknownLength {
        /// What needs the number of rows.
        what: &'static str,
    },
    /// Cells that are NaN, infinite or too large to square, in data that cannot be read again to locate them.
    #[error("some cells are NaN or infinite, or too large to square")]
    NotFiniteSomewhere,
    /// Eigenvalues, loadings or correlations from a caller that contradict each other or are not finite.
    #[error("{what}")]
    BadNumbers {
        /// What is wrong with them.
        what: &'static str,
    },
    /// A variance of a column, given by a caller, that is negative or not finite.
    #[error(
        "column {} is given the variance {variance}, but a variance is a finite number of at least 0", .col + 1
    )]
    BadVariance {
        /// Column, from 0.
        col: usize,
        /// The variance as given.
        variance: f64,
    },
    /// Row pointers, columns and values that do not make a sparse matrix.
    #[error("not a sparse matrix: {what}")]
    NotSparse {
        /// Where pointers, columns or values contradict each other.
        what: String,
    },
    /// Numbers whose count or shape does not fit what they were given for.
    #[error(transparent)]
    Shape(ShapeFault),
    /// More components asked for than the model keeps.
    #[error("{asked} components asked for, but the model has {kept}")]
    ComponentsNotKept {
        /// Components asked for.
        asked: usize,
        /// Components of the model.
        kept: usize,
    },
    /// One component asked for by its number, which is above the number of components.
    #[error("component {} asked for, but there are {n_components}", .component + 1)]
    NoSuchComponent {
        /// The component, from 0.
        component: usize,
        /// How many there are.
        n_components: usize,
    },
    /// More components than the landmarks or random features of an approximation have.
    #[error(
        "{asked} components were asked for, but {} {features} have no more than {size}",
        grouped(*.size as u64)
    )]
    TooFewFeatures {
        /// Components asked for.
        asked: usize,
        /// What the features are: landmarks, or random Fourier features.
        features: &'static str,
        /// How many features there are.
        size: usize,
    },
    /// A component without variance among those to rotate.
    #[error("component {} has no variance and cannot be rotated: leave it out", .component + 1)]
    NothingToRotate {
        /// The component, from 0.
        component: usize,
    },
    /// A model that left out components, where growing or merging needs all of them.
    #[error(
        "only models that keep all components grow or merge exactly; this one keeps {:.1} % of the variance",
        *.share * 100.0
    )]
    IncompleteModel {
        /// Share of the variance that the model keeps.
        share: f64,
    },
    /// A model fitted without centering, where growing or merging needs the means.
    #[error("a model without centering has no means and cannot grow or merge")]
    UncenteredModel,
    /// Two models to merge whose columns have different names.
    #[error("columns differ: {} against {}", .ours.join(", "), .theirs.join(", "))]
    ColumnsDiffer {
        /// Columns of the model that grows.
        ours: Vec<String>,
        /// Columns of the model merged into it.
        theirs: Vec<String>,
    },
    /// Variances of the columns under a model that left out components of unscaled columns.
    #[error(
        "{}: give them, as `column_variances` reads them from the rows", unknown_variances_words(*.kept, *.possible)
    )]
    UnknownVariances {
        /// Components of the model.
        kept: usize,
        /// Components that its rows have.
        possible: usize,
    },
    /// A density of rows under a model that has no noise and no variance in some directions.
    #[error(
        "the covariance of the model is singular, so rows have no density: the components hold all the \
         variance above rounding, in {rank} of {n_cols} directions, and leave no noise for the \
         others (fewer components would)"
    )]
    SingularCovariance {
        /// Directions that vary.
        rank: usize,
        /// Columns of the model.
        n_cols: usize,
    },
    /// A ridge regression for pre-images whose matrix is not positive definite.
    #[error(
        "the kernel matrix of the scores is not positive definite with alpha = {alpha}: a larger alpha may help"
    )]
    NotPositiveDefinite {
        /// The penalty of the regression.
        alpha: f64,
    },
    /// A result that these rows or these components do not determine.
    #[error("{what}")]
    NotDetermined {
        /// Which result, and what it needs.
        what: &'static str,
    },
    /// Why a search for parameters was refused.
    #[error(transparent)]
    Tuning(TuningFault),
    /// Why classes of rows were refused.
    #[error(transparent)]
    Classes(ClassFault),
    /// Why neighbors of rows, or the quality of a map, were refused.
    #[error(transparent)]
    Neighbors(NeighborFault),
    /// Why a graph of rows was refused.
    #[error(transparent)]
    Graph(GraphFault),
    /// A request that the receiver never takes: an array of another element type or number of axes than a function
    /// needs, rows of a kind that cannot be read in this way, a rule that finds no number of components.
    #[error("{what}")]
    Unsupported {
        /// What was requested, and what is needed.
        what: String,
    },
    /// A text that is not a kernel.
    #[error("kernel `{text}`, column {column}: {what}")]
    KernelText {
        /// The text as given.
        text: String,
        /// Where it goes wrong, from 1, in letters.
        column: usize,
        /// What was found there, and what is allowed.
        what: String,
    },
    /// A parameter that makes the kernel invalid.
    #[error("{parameter} = {given} does not fit: {kernel} takes {allowed}")]
    KernelParameter {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        given: Box<str>,
        /// What it takes, in words.
        allowed: &'static str,
    },
    /// Rows for which a kernel is not defined.
    #[error("row {}: {}{what}", .row + 1, .col.map_or(String::new(), |col| format!("column {} ", col + 1)))]
    KernelUndefined {
        /// Row, from 0.
        row: usize,
        /// Column, from 0, where it is a cell that is wrong.
        col: Option<usize>,
        /// What is wrong with the row or the cell, and what is allowed.
        what: String,
    },
    /// A kernel matrix that is not square.
    #[error(
        "a precomputed kernel matrix has as many rows as columns, but {rows} × {cols} were given"
    )]
    NotSquare {
        /// Rows given.
        rows: usize,
        /// Columns given.
        cols: usize,
    },
    /// A kernel matrix that is not symmetric.
    #[error(
        "a precomputed kernel matrix is symmetric, but row {}, column {} differs from row {}, column {} by {difference:e}, more than elsewhere",
        .row + 1, .col + 1, .col + 1, .row + 1
    )]
    NotSymmetric {
        /// Row of the largest difference, from 0.
        row: usize,
        /// Its column, from 0.
        col: usize,
        /// The difference.
        difference: f64,
    },
    /// A kernel that is not positive semi-definite on these rows.
    #[error(
        "the centered kernel matrix has negative eigenvalues, down to {smallest:.3e} (the largest is {largest:.3e})"
    )]
    NegativeEigenvalues {
        /// The smallest.
        smallest: f64,
        /// The largest.
        largest: f64,
    },
    /// A pre-image method that does not work for a kernel.
    #[error("pre-image `{method}` does not work for the kernel {kernel}; it takes {allowed}")]
    NoPreImage {
        /// The method's name.
        method: &'static str,
        /// The kernel.
        kernel: String,
        /// Kernels it takes, in words.
        allowed: &'static str,
    },
    /// Coordinates of new rows, requested from a method that has coordinates only for its training rows.
    #[error("{method} has coordinates only for the rows it was fitted to, not for new rows")]
    NoNewRows {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// Rows that are not those a method was fitted to, given to a method that has coordinates for those alone.
    #[error(
        "{} given, but {method} has coordinates for the {} it was fitted to alone",
        counted(*.given, "row"),
        counted(*.fitted, "row")
    )]
    OtherRows {
        /// The method, as a sentence names it.
        method: &'static str,
        /// Rows given.
        given: usize,
        /// Rows that the method was fitted to.
        fitted: usize,
    },
    /// Rows without labels, given to a method that learns from classes.
    #[error("{method} learns from classes, and these rows have no labels")]
    NoLabels {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// Classes of rows, requested from a method that learned none.
    #[error("{method} predicts no classes")]
    NoClasses {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// Random directions for a wanted distortion, of which more are needed than there are columns.
    #[error(
        "with eps = {eps}, {} need {} random directions, but there are only {}: {}",
        counted(*.n_rows, "row"),
        grouped(*.needed as u64),
        counted(*.n_cols, "column"),
        least_eps_words(*.least_eps)
    )]
    TooManyDirections {
        /// The wanted distortion.
        eps: f64,
        /// Rows whose distances are to be kept.
        n_rows: usize,
        /// Directions needed.
        needed: usize,
        /// Columns of the rows.
        n_cols: usize,
        /// The smallest distortion, rounded up, for which there are enough columns, if there is one.
        least_eps: Option<f64>,
    },
    /// A table that is no distance matrix.
    #[error(transparent)]
    Distances(DistanceFault),
    /// More columns asked for than pass the rule that chooses them.
    #[error(
        "{} asked for, but only {passed} of {n_cols} can be chosen by {rule}",
        counted(*.asked, "column")
    )]
    TooFewSelected {
        /// Columns asked for.
        asked: usize,
        /// Columns that pass.
        passed: usize,
        /// All columns.
        n_cols: usize,
        /// The rule.
        rule: &'static str,
    },
    /// Rows from coordinates, requested from a method that cannot rebuild rows.
    #[error("{method} has no way from coordinates back to rows")]
    NoWayBack {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// Options for pre-images, given to a method that rebuilds rows without them.
    #[error("{method} rebuilds rows by its components: pre-images are for kernel PCA")]
    NoPreImages {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// A model record with missing parts, or with parts that do not fit together.
    #[error("{what}")]
    Damaged {
        /// What does not fit.
        what: String,
    },
    /// The error of a source of rows.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
}
