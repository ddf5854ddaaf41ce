//! What can go wrong, as data: every variant says what was given and what is allowed; [`Error::hint`] says what to do.

mod nearest;

pub use nearest::nearest;

use crate::note::Hint;

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
    /// Text that is none of the words an option takes.
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
        "{} ({} NaN, {} infinite); the first is row {}, {}",
        cells_words(*.nan + *.infinite), .nan, .infinite, .row + 1, column_words(*.col, .name.as_deref())
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
    #[error("{} has no value to take a mean of", column_words(*.col, .name.as_deref()))]
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
    /// Columns that are no counts of an allele, where those are needed.
    #[error(
        "column {} has mean {mean}, but a count of two alleles lies between 0 and 2: these are no genotypes", .col + 1
    )]
    NotGenotypes {
        /// Column, from 0.
        col: usize,
        /// Its mean.
        mean: f64,
    },
    /// A weight below zero or not finite, or weights that sum to nothing.
    #[error("row weights must be finite, at least 0 and not all 0: {what}")]
    BadWeights {
        /// What was found.
        what: String,
    },
    /// Weights that stand for less than two rows, under a convention that counts rows.
    #[error(
        "the row weights sum to {}, but under the n − 1 convention a weight counts rows (2 is the row twice), and a variance needs at least 2",
        short(*.weight)
    )]
    TooLittleWeight {
        /// Sum of the weights.
        weight: f64,
    },
    /// Data that can be read once, offered to a solver that needs more.
    #[error(
        "solver `{solver}` reads the data {passes} times, but this input can be read only once"
    )]
    ReadOnce {
        /// The solver's name.
        solver: &'static str,
        /// Readings it needs, in words.
        passes: &'static str,
    },
    /// `n_components = auto` on data that can be read once.
    #[error(
        "n_components = `auto` looks at the rows before it fits them, but this input can be read only once"
    )]
    ChoosesFirst,
    /// The plan needs more memory than it may use.
    #[error("{what} needs {}, but only {} may be used", bytes_words(*.needed), bytes_words(*.allowed))]
    Memory {
        /// What needs it.
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
    /// Two fitted things that do not belong together.
    #[error("{what}")]
    Mismatch {
        /// What does not fit.
        what: String,
    },
    /// Text that is no kernel.
    #[error("kernel `{text}`, column {column}: {what}")]
    KernelText {
        /// The text as given.
        text: String,
        /// Where it goes wrong, from 1, in letters.
        column: usize,
        /// What was found there, and what is allowed.
        what: String,
    },
    /// A parameter with which a kernel is none.
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
    /// A way back to the rows that a kernel does not have.
    #[error("pre-image `{method}` does not know the kernel {kernel}; it takes {allowed}")]
    NoPreImage {
        /// The method's name.
        method: &'static str,
        /// The kernel.
        kernel: String,
        /// Kernels it takes, in words.
        allowed: &'static str,
    },
    /// Coordinates of new rows, asked of a method that has none.
    #[error("{method} has coordinates for the rows it was fitted to, and none for new rows")]
    NoNewRows {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// Rows from coordinates, asked of a method that cannot go back.
    #[error("{method} has no way from coordinates back to rows")]
    NoWayBack {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// Options for pre-images, given to a method that goes back without them.
    #[error("{method} rebuilds rows by its components: pre-images are for kernel PCA")]
    NoPreImages {
        /// The method, as a sentence names it.
        method: &'static str,
    },
    /// A record of a model whose parts are missing or do not fit together.
    #[error("{what}")]
    Damaged {
        /// What does not fit.
        what: String,
    },
    /// What a reader of rows said.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// The option that would help, if one would.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Error::TooManyComponents { .. }
            | Error::ShareOutOfRange { .. }
            | Error::NoComponents => Some(Hint::new(
                "n_components",
                "90%",
                "keeps as many as 90 % of the variance needs",
            )),
            Error::NotFinite {
                nan, infinite: 0, ..
            } if *nan > 0 => Some(Hint::new(
                "missing",
                "mean",
                "fills them with their column's mean; `drop` leaves those rows out",
            )),
            Error::Overflow => Some(Hint::new(
                "scale",
                "std",
                "brings every column to variance 1",
            )),
            Error::NotGenotypes { .. } => Some(Hint::new(
                "scale",
                "std",
                "divides by the standard deviation instead",
            )),
            Error::NegativeEigenvalues { .. } => Some(Hint::new(
                "negative",
                "clip",
                "takes them for zero; `flip` takes their magnitude, `shift` lifts all",
            )),
            Error::TooLittleWeight { .. } => Some(Hint::new(
                "convention",
                "n",
                "divides by the sum of the weights",
            )),
            Error::Underflow => Some(Hint::new("solver", "full", "squares nothing")),
            Error::ChoosesFirst => Some(Hint::new(
                "n_components",
                "90%",
                "is settled by the fit itself; or write the data to a file first",
            )),
            Error::ReadOnce { .. } => Some(Hint::new(
                "solver",
                "covariance",
                "needs one reading; or write the data to a file first",
            )),
            _ => None,
        }
    }
}

/// A number to three digits, without zeros that say nothing: `1`, `0.333`, `1.2e-7`.
fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    match (1e-4..1e6).contains(&rounded.abs()) {
        true => rounded.to_string(),
        false => format!("{rounded:e}"),
    }
}

fn limit_words(rows: usize, cols: usize) -> String {
    if cols <= rows {
        counted(cols, "column")
    } else {
        counted(rows, "row")
    }
}

fn cells_words(count: usize) -> String {
    match count {
        1 => "1 cell is not a finite number".to_owned(),
        _ => format!("{} are not finite numbers", counted(count, "cell")),
    }
}

fn column_words(col: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("column {name:?}"),
        None => format!("column {}", col + 1),
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        noun.to_owned()
    } else {
        format!("{noun}s")
    }
}

/// `1 row`, `1,204 rows`: a number with its noun.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {}", grouped(count as u64), plural(count, noun))
}

/// A whole number with its thousands set apart: `1,204`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size as people write it: `12 MB`, `4.0 GB`.
pub fn bytes_words(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 9.95 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}
