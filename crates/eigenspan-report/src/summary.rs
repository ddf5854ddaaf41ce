//! What a model says about a table, as data: the same facts for the terminal, JSON and the page.

use eigenspan::method::Fitted;

use crate::words;

/// One component.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// `PC1`, or as the model calls it.
    pub name: String,
    /// Variance along it.
    pub variance: f64,
    /// Share of the total variance.
    pub share: f64,
    /// Share of this component and those before it.
    pub cumulative: f64,
    /// Its residual ‖Cv − λv‖ / λ.
    pub residual: f64,
    /// Which columns it consists of; nothing where it is no combination of columns.
    pub words: String,
}

/// A row that stands apart on the first component.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// Its name, or `row 5`.
    pub row: String,
    /// Its place among the scores, from 0.
    pub place: usize,
    /// Its score.
    pub score: f64,
    /// The score of the next row towards the rest.
    pub next: f64,
}

/// What a model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Every component kept, where the method has a spectrum.
    pub axes: Vec<Axis>,
    /// Components that 90 % of the variance needs, where those kept reach it.
    pub for_ninety: Option<usize>,
    /// The row that stands apart, if one does.
    pub apart: Option<Apart>,
}

/// The share of the rule of thumb.
pub const RULE: f64 = 0.9;

impl Summary {
    /// The facts of a fitted model; `first` are the scores on the first component with the rows' names, where known.
    pub fn new(fitted: &dyn Fitted, first: Option<(&[f64], Option<&[String]>)>) -> Self {
        let spectrum = fitted.spectrum();
        let columns = fitted.column_names();
        let words = |i: usize| match (fitted.directions(), spectrum) {
            // A direction in which nothing varies means nothing.
            (Some(_), Some(spectrum)) if i >= spectrum.rank => String::new(),
            (Some(directions), _) => words::axis(directions.row(i), &columns),
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
        let deviation = fitted.deviation(0);
        let apart = first
            .zip(deviation)
            .and_then(|((scores, names), deviation)| stands_apart(scores, names, deviation));
        Summary {
            axes,
            for_ninety: spectrum.and_then(|spectrum| spectrum.count_for_share(RULE)),
            apart,
        }
    }
}

/// Rows below which none is said to stand apart: of three, one always lies farther from the other two.
const LEAST_ROWS: usize = 4;

/// The row that lies farther from the median than every other, on either side, by at least one standard deviation.
pub(crate) fn stands_apart(
    scores: &[f64],
    names: Option<&[String]>,
    deviation: f64,
) -> Option<Apart> {
    // A row with missing cells has no score and stands nowhere.
    let mut order: Vec<usize> = (0..scores.len())
        .filter(|&row| scores[row].is_finite())
        .collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
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
    // The farthest row, the next one on its side, and the end of the other side.
    let (row, next, other) = match away(low) > away(high) {
        true => (low, next_low, high),
        false => (high, next_high, low),
    };
    let alone = away(row) - away(next).max(away(other));
    // What lies a deviation away, but for rounding, does.
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
