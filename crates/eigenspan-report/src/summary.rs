//! The summary of a model as data: the terminal, JSON and the page show the same facts.

use eigenspan::linalg::sort_largest_first;
use eigenspan::method::Fitted;

use crate::words;
use eigenspan::error::{counted, grouped};

/// One component.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its name: `PC1`, or the name in the model.
    pub name: String,
    /// The variance along the component.
    pub variance: f64,
    /// Its share of the total variance.
    pub share: f64,
    /// The cumulative share of this component and those before it.
    pub cumulative: f64,
    /// Its residual ‖Cv − λv‖ / λ.
    pub residual: f64,
    /// The columns it consists of, in words; empty if it is not a combination of columns.
    pub words: String,
}

/// A row that stands apart on the first component.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// The name of the row, or `row 5`.
    pub row: String,
    /// Its position among the scores, from 0.
    pub place: usize,
    /// Its score.
    pub score: f64,
    /// The score of the next row toward the middle.
    pub next: f64,
}

/// The summary of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Every component that was kept, if the method has a spectrum.
    pub axes: Vec<Axis>,
    /// How many components 90 % of the variance needs; `None` if the components that were kept do not reach it.
    pub for_ninety: Option<usize>,
    /// The row that stands apart, if there is one.
    pub apart: Option<Apart>,
    /// How many of the rows that it was fitted to get their own class, if the method predicts classes.
    pub told_apart: Option<ToldApart>,
}

/// Rows that were fitted, and the classes that the model predicts for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldApart {
    /// Rows whose predicted class is their own.
    pub right: usize,
    /// Rows with a predicted class.
    pub rows: usize,
}

impl ToldApart {
    /// The numbers in a sentence.
    pub(crate) fn sentence(&self) -> String {
        let (right, rows) = (grouped(self.right as u64), counted(self.rows, "row"));
        let share = words::percent(self.right as f64 / self.rows.max(1) as f64);
        let verb = if self.right == 1 {
            "gets its"
        } else {
            "get their"
        };
        format!("{right} of {rows} that were fitted {verb} own class ({share}).")
    }
}

/// What a model says about the quality of its map, as a sentence of its own.
pub(crate) fn map_quality(fitted: &dyn Fitted) -> Option<String> {
    let measures = fitted.map_measures()?;
    let map = measures.sentence(&map_words(fitted.common().n_components));
    Some(format!("The {map}."))
}

/// What a sentence calls the map of a model with so many coordinates.
pub(crate) fn map_words(n_components: usize) -> String {
    match n_components {
        2 => "map".to_owned(),
        k => format!("map of {}", counted(k, "coordinate")),
    }
}

/// The share of the variance that the rule of thumb requires.
pub const RULE: f64 = 0.9;

impl Summary {
    /// The summary of a fitted model; `first` has the scores on the first component and the rows' names, if they are known.
    pub fn new(fitted: &dyn Fitted, first: Option<(&[f64], Option<&[String]>)>) -> Self {
        Summary::with_columns(fitted, &fitted.column_names(), first)
    }

    /// The same with these names for the columns.
    pub(crate) fn with_columns(
        fitted: &dyn Fitted,
        columns: &[String],
        first: Option<(&[f64], Option<&[String]>)>,
    ) -> Self {
        let spectrum = fitted.spectrum();
        let words = |i: usize| match (fitted.directions(), spectrum) {
            // A component without variance has no meaning.
            (Some(_), Some(spectrum)) if i >= spectrum.rank => String::new(),
            (Some(_), _) => {
                let weights = fitted.weights_in_words(i).unwrap_or_default();
                words::axis(&weights, columns)
            }
            (None, _) => String::new(),
        };
        let axes = match spectrum {
            None => Vec::new(),
            Some(spectrum) => {
                let mut cumulative = 0.0;
                let axis = |i| {
                    cumulative += spectrum.share(i);
                    Axis {
                        name: fitted.axis_name(i),
                        variance: spectrum.variance(i),
                        share: spectrum.share(i),
                        cumulative,
                        residual: spectrum.residuals[i],
                        words: words(i),
                    }
                };
                (0..fitted.common().n_components).map(axis).collect()
            }
        };
        let known = || first.map(|(scores, _)| deviation_of(scores));
        let deviation = fitted.deviation(0).or_else(known);
        let apart = first
            .zip(deviation)
            .and_then(|((scores, names), deviation)| stands_apart(scores, names, deviation));
        Summary {
            axes,
            for_ninety: spectrum.and_then(|spectrum| spectrum.count_for_share(RULE)),
            apart,
            told_apart: None,
        }
    }
}

/// The standard deviation of the scores that are known.
fn deviation_of(scores: &[f64]) -> f64 {
    let known = || scores.iter().filter(|score| score.is_finite());
    let n = known().count() as f64;
    let mean = known().sum::<f64>() / n;
    let squares: f64 = known().map(|score| (score - mean) * (score - mean)).sum();
    (squares / (n - 1.0)).sqrt()
}

/// With fewer rows than this, none is said to stand apart: among three rows, one is always farther from the other two.
const LEAST_ROWS: usize = 4;

/// The row that is farther from the median than every other row, on either side, by at least one standard deviation.
pub(crate) fn stands_apart(
    scores: &[f64],
    names: Option<&[String]>,
    deviation: f64,
) -> Option<Apart> {
    // A row with missing cells has no score and cannot stand apart.
    let mut order: Vec<usize> = (0..scores.len())
        .filter(|&row| scores[row].is_finite())
        .collect();
    sort_largest_first(&mut order, &|j| -scores[j]);
    let &[low, next_low, ..] = order.as_slice() else {
        return None;
    };
    let &[.., next_high, high] = order.as_slice() else {
        return None;
    };
    let middle = order.len() / 2;
    let median = match order.len() % 2 {
        1 => scores[order[middle]],
        _ => 0.5 * (scores[order[middle - 1]] + scores[order[middle]]),
    };
    let away = |row: usize| (scores[row] - median).abs();
    // The farthest row, the next row on its side, and the farthest row on the other side.
    let (row, next, other) = match away(low) > away(high) {
        true => (low, next_low, high),
        false => (high, next_high, low),
    };
    let alone = away(row) - away(next).max(away(other));
    // A gap of one deviation counts even if rounding makes it slightly smaller.
    if order.len() < LEAST_ROWS || alone < deviation * (1.0 - 1e-9) || deviation == 0.0 {
        return None;
    }
    let name = names
        .and_then(|names| names.get(row))
        .map(|name| words::shown(name));
    Some(Apart {
        row: name.unwrap_or_else(|| format!("row {}", row + 1)),
        place: row,
        score: scores[row],
        next: scores[next],
    })
}
