//! Notes on a result: what a person should know about it, such as constant columns, a rank below k, or no convergence.
//!
//! Notes are part of the fitted model and reach every front. A [`Hint`] names the option that acts on a note or an error;
//! each front spells it in its own way (`--scale std`, `scale="std"`). [`Advice`] does the same for what takes more than one
//! option to say.

mod advice;
mod text;
mod words;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::advice::{Advice, Clause, Part, Setting};
pub use self::words::{listed, rounded};

/// An option that would help: its name, a value, and what it then does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The option's name as the options struct spells it.
    pub option: &'static str,
    /// The value to give it.
    pub value: String,
    /// What that does, as the end of a sentence.
    pub does: String,
}

impl Hint {
    /// A hint from its three parts.
    pub fn new(option: &'static str, value: impl Into<String>, does: impl Into<String>) -> Self {
        Hint {
            option,
            value: value.into(),
            does: does.into(),
        }
    }

    /// The option with its value, and what it takes to have an effect: missing cells are an error unless an option says
    /// otherwise.
    pub fn settings(&self) -> Vec<Setting> {
        match self.option {
            "missing_values" => vec![
                Setting::list(self.option, [self.value.as_str()]),
                Setting::new("missing", "mean"),
            ],
            option => vec![Setting::new(option, self.value.as_str())],
        }
    }
}

/// Something worth knowing about a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", remote = "Self")]
#[non_exhaustive]
pub enum Note {
    /// Constant columns, which have no variance.
    ConstantColumns {
        /// Their names, or numbers from 1 where there are no names.
        columns: Vec<String>,
        /// Whether columns were scaled, which leaves constant columns unchanged.
        scaled: bool,
    },
    /// Columns that are constant within every class and differ between classes.
    ConstantWithinClasses {
        /// Their names, or numbers from 1 where there are no names.
        columns: Vec<String>,
    },
    /// Rows vary within classes in fewer directions than there are columns that vary.
    SpanWithinClasses {
        /// In so many directions.
        rank: usize,
        /// Of so many columns.
        columns: usize,
    },
    /// The variances of a few columns are so much larger than the others' that the first component consists of those columns.
    UnlikeScales {
        /// Name of the first component.
        #[serde(default = "first_component")]
        component: String,
        /// The columns that it consists of, the heaviest first; empty in notes of older files, where it was `largest` alone.
        #[serde(default)]
        columns: Vec<String>,
        /// The column that varies most.
        largest: String,
        /// The column that varies least.
        smallest: String,
        /// Ratio of their variances.
        ratio: f64,
        /// The share of the first component that those columns make up.
        weight: f64,
        /// Number of components that reach the requested share once every column has variance 1, if known.
        scaled_components: Option<usize>,
    },
    /// Fewer components have variance than were requested.
    RankBelowK {
        /// Number of components with variance.
        rank: usize,
        /// Requested number of components.
        k: usize,
    },
    /// Components too small to be resolved by a solver that squares the data.
    BelowResolution {
        /// The first such component, from 1.
        first: usize,
        /// The smallest share of the variance that the solver can resolve.
        resolution: f64,
    },
    /// Components that an iteration computed only roughly.
    NotResolved {
        /// Which components, from 1.
        components: Vec<usize>,
        /// The largest of their residuals, each relative to the component's own eigenvalue.
        residual: f64,
    },
    /// Components so small beside the first that rounding dominates their residuals.
    NotProven {
        /// Which components, from 1.
        components: Vec<usize>,
        /// The largest of their residuals, each relative to the component's own eigenvalue.
        residual: f64,
    },
    /// An iterative solver stopped at its limit.
    NotConverged {
        /// The solver.
        solver: String,
        /// Iterations done.
        iterations: usize,
        /// The largest residual at the end.
        residual: f64,
        /// The requested residual.
        tolerance: f64,
    },
    /// Components come from random sketches of the rows.
    Sketched {
        /// Estimated ‖A − Â‖ ÷ σ₁.
        error: f64,
    },
    /// A kernel that is not positive semi-definite on these rows.
    NegativeEigenvalues {
        /// Their number, if all eigenvalues are known.
        count: Option<usize>,
        /// The smallest.
        smallest: f64,
        /// The largest eigenvalue.
        largest: f64,
        /// How they were treated: clip, flip or shift.
        negative: String,
    },
    /// A kernel of distances that is far too narrow or far too wide for the rows.
    UnsuitedWidth {
        /// The kernel.
        kernel: String,
        /// Whether its matrix is nearly the identity; else it is nearly constant.
        identity: bool,
        /// Whether the kernel is Gaussian, which finds what PCA finds where its matrix is nearly constant.
        #[serde(default)]
        gaussian: bool,
        /// The middle of k(x, y) over pairs of rows.
        middle: f64,
        /// The parameter that sets its width: gamma or length.
        parameter: String,
        /// The value of the parameter by the median distance of the rows.
        value: f64,
        /// The kernel with that value.
        better: String,
        /// Whether scaling the columns may help.
        scalable: bool,
    },
    /// Features approximate a kernel matrix.
    Approximated {
        /// Which: nystrom or fourier.
        how: String,
        /// How many landmarks, or features.
        size: usize,
        /// The most that an eigenvalue can lie below the exact one (fourier: the estimated error), relative to the first.
        error: f64,
        /// The most that rounding can lift an eigenvalue above the exact one, relative to the first (landmarks only).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<f64>,
        /// The number of rows drawn to find the error, where it was not all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probed: Option<usize>,
    },
    /// Rows left out because they have missing cells.
    DroppedRows {
        /// How many.
        rows: usize,
    },
    /// Missing cells filled with their column's mean.
    FilledCells {
        /// How many.
        cells: usize,
    },
    /// Missing cells filled with what the other cells of their rows predict.
    ImputedCells {
        /// How many.
        cells: usize,
        /// Steps until the cells converged.
        iterations: usize,
        /// Rows without any value, which were left out.
        empty_rows: usize,
        /// The root mean square error on observed cells that were held out, in standard deviations of their columns; `None`
        /// if too few could be held out.
        #[serde(default)]
        error: Option<f64>,
    },
    /// Variances are those of the filled table: missing cells count as if they were known.
    FilledVariances,
    /// The number of components was chosen by the rules.
    Chosen {
        /// Components kept.
        n_components: usize,
        /// The number of components that the rules advise; `None` if no rule had an answer.
        advised: Option<usize>,
        /// Why.
        why: String,
    },
    /// Columns of numbers that do not look like measurements.
    NotMeasured {
        /// Their names.
        columns: Vec<String>,
        /// What they look like.
        role: ColumnRole,
        /// Why they look like that, as the end of a sentence.
        why: String,
        /// The columns as they are written in an option.
        spelled: String,
        /// Whether they can only be left out, because another column names the rows or their classes already.
        taken: bool,
    },
    /// A number that looks like a code for missing cells.
    MissingCode {
        /// The columns it occurs in.
        columns: Vec<String>,
        /// The code, as the cells have it.
        code: String,
        /// How many cells hold it.
        cells: usize,
        /// Why it looks like one, as the end of a sentence.
        why: String,
    },
    /// Integers beyond 2^53, which 64-bit floats do not all tell apart.
    BeyondExact {
        /// What holds them: a `column`, an `array`, a `matrix`.
        holder: String,
        /// The name of the column.
        column: Option<String>,
        /// Such a number, and its line where that is known.
        example: Option<String>,
    },
    /// Columns of new data that the model does not know.
    IgnoredColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// More random directions than the rows have columns.
    MoreThanColumns {
        /// Directions asked for.
        n_components: usize,
        /// Columns of the rows.
        n_cols: usize,
    },
    /// Distances that no places have, in any number of dimensions.
    NotEuclidean {
        /// The number of negative eigenvalues, if all are known.
        count: Option<usize>,
        /// The smallest.
        smallest: f64,
        /// The largest eigenvalue.
        largest: f64,
    },
    /// A neighbor graph in several pieces, which were joined.
    JoinedPieces {
        /// How many pieces there were.
        pieces: usize,
        /// The rows of the largest of them, the largest first.
        sizes: Vec<usize>,
        /// Links that were added.
        links: usize,
        /// The length of the longest of these links.
        longest: f64,
        /// Neighbors of each row.
        n_neighbors: usize,
        /// Rows of the graph.
        n_rows: usize,
    },
    /// A search for the smallest stress that stopped at its limit.
    StressNotConverged {
        /// Steps taken.
        iterations: usize,
        /// How much the last step lowered the stress, as a share of the sum of squared distances; `None` where only one was taken.
        last: Option<f64>,
        /// The share below which it would have stopped.
        tolerance: f64,
    },
    /// A note from a reader of files.
    Reading {
        /// The text.
        text: String,
        /// What to do about it; in notes of older files it is part of the text.
        #[serde(default, skip_serializing_if = "Advice::is_empty")]
        advice: Advice,
    },
}

/// What a column of numbers may be if it is not a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnRole {
    /// Numbers that name the rows: 1 to n, or others that rise from row to row.
    Id,
    /// Numbers that name something else: a place, an article.
    Code,
    /// Points in time.
    Time,
    /// Numbers that stand for classes.
    Class,
}

impl ColumnRole {
    /// What such a column holds.
    pub fn words(self) -> &'static str {
        match self {
            ColumnRole::Id => "numbers that name the rows",
            ColumnRole::Code => "numbers that name something",
            ColumnRole::Time => "points in time",
            ColumnRole::Class => "codes for classes",
        }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Note::serialize(self, serializer)
    }
}

/// By way of a JSON value: to read thirty kinds of notes is much code, which is compiled once and not for every kind of reader.
impl<'de> Deserialize<'de> for Note {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        from_value(value).map_err(D::Error::custom)
    }
}

fn from_value(value: serde_json::Value) -> Result<Note, serde_json::Error> {
    Note::deserialize(value)
}

impl Note {
    /// A note from a reader of files.
    pub fn reading(text: impl Into<String>) -> Self {
        Note::advised(text, Advice::default())
    }

    /// A note from a reader of files, with what to do about it.
    pub fn advised(text: impl Into<String>, advice: impl Into<Advice>) -> Self {
        Note::Reading {
            text: text.into(),
            advice: advice.into(),
        }
    }

    /// The option that acts on this note, if there is one.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Note::UnlikeScales { .. } => Some(Hint::new(
                "scale",
                "std",
                "brings every column to variance 1",
            )),
            Note::UnsuitedWidth { scalable: true, .. } => Some(Hint::new(
                "scale",
                "std",
                "brings every column to variance 1, and distances nearer to each other",
            )),
            Note::UnsuitedWidth { better, .. } => Some(Hint::new(
                "kernel",
                better.clone(),
                "is as wide as the median distance",
            )),
            Note::Approximated { size, .. } => Some(Hint::new(
                "n_landmarks",
                (2 * size).to_string(),
                "comes nearer",
            )),
            Note::BelowResolution { .. } => {
                Some(Hint::new("solver", "qr", "squares nothing and blurs less"))
            }
            Note::NotResolved { .. } => Some(Hint::new("solver", "full", "is the most accurate")),
            Note::NotMeasured {
                columns,
                role,
                spelled,
                taken,
                ..
            } => Some(match role {
                ColumnRole::Id if !taken => {
                    Hint::new("id_column", spelled, "takes it for the rows' names")
                }
                ColumnRole::Class if !taken => {
                    Hint::new("label_column", spelled, "takes it for the rows' classes")
                }
                _ if columns.len() > 1 => {
                    Hint::new("exclude", spelled, "leaves them out of the components")
                }
                _ => Hint::new("exclude", spelled, "leaves it out of the components"),
            }),
            Note::JoinedPieces {
                n_neighbors,
                n_rows,
                ..
            } => {
                let more = (2 * n_neighbors).min(n_rows.saturating_sub(1));
                let does = "links more rows, and may leave fewer pieces";
                (more > *n_neighbors).then(|| Hint::new("n_neighbors", more.to_string(), does))
            }
            Note::StressNotConverged { iterations, .. } => Some(Hint::new(
                "max_iterations",
                (10 * iterations).to_string(),
                "allows more steps",
            )),
            Note::MissingCode { code, .. } => Some(Hint::new(
                "missing_values",
                code,
                "reads such cells as missing and fills them",
            )),
            // EM, rotations and pre-images iterate with any solver.
            Note::NotConverged { solver, .. }
                if ![
                    "em",
                    "varimax",
                    "oblimin",
                    "fixed-point",
                    "subspace iteration",
                ]
                .contains(&solver.as_str()) =>
            {
                Some(Hint::new("solver", "covariance", "needs no iteration"))
            }
            _ => None,
        }
    }
}

/// A bound with one digit, rounded up, so that it stays a bound.
pub fn at_most(x: f64) -> String {
    let nearest = format!("{x:.0e}");
    match nearest.parse::<f64>() {
        Ok(shown) if shown < x => format!("{:.0e}", x + 0.5 * 10f64.powf(x.log10().floor())),
        _ => nearest,
    }
}

/// The default in notes of older files, which lack the name.
fn first_component() -> String {
    "PC1".to_owned()
}
