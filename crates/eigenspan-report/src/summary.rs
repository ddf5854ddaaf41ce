//! What a model says about a table, as data: the same facts for the terminal, JSON and the page.

use eigenspan::Pca;
use eigenspan_io::model::FittedRef;

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
    /// Its score.
    pub score: f64,
    /// The score of the next row towards the rest.
    pub next: f64,
}

/// What a model says.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Every component kept.
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
    pub fn new<'a>(
        fitted: impl Into<FittedRef<'a>>,
        first: Option<(&[f64], Option<&[String]>)>,
    ) -> Self {
        let fitted = fitted.into();
        let spectrum = fitted.spectrum();
        let words = |i: usize| match fitted {
            FittedRef::Pca(_) => words::axis(spectrum.vectors.row(i), &fitted.column_names()),
            FittedRef::KernelPca(_) => String::new(),
        };
        let mut cumulative = 0.0;
        let axes = (0..fitted.n_components())
            .map(|i| {
                cumulative += spectrum.share(i);
                Axis {
                    name: fitted.component_name(i),
                    variance: spectrum.variance(i),
                    share: spectrum.share(i),
                    cumulative,
                    residual: spectrum.residuals[i],
                    words: words(i),
                }
            })
            .collect();
        // Whitened scores have variance 1.
        let whitened = matches!(fitted, FittedRef::Pca(pca) if pca.parts().options.whiten);
        let deviation = match whitened && spectrum.rank > 0 {
            true => 1.0,
            false => spectrum.variance(0).sqrt(),
        };
        let apart = first.and_then(|(scores, names)| stands_apart(scores, names, deviation));
        Summary {
            axes,
            for_ninety: spectrum.count_for_share(RULE),
            apart,
        }
    }
}

/// The columns of a model by name, or by number where they have none.
pub fn column_names(pca: &Pca) -> Vec<String> {
    FittedRef::from(pca).column_names()
}

/// The row at one end whose distance to the next is at least one standard deviation, the farther of the two ends.
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
    let gap = |a: usize, b: usize| (scores[a] - scores[b]).abs();
    let (row, next) = if gap(low, next_low) > gap(high, next_high) {
        (low, next_low)
    } else {
        (high, next_high)
    };
    // Two rows are always apart from each other; that says nothing.
    if order.len() < 3 || gap(row, next) < deviation || deviation == 0.0 {
        return None;
    }
    let name = names
        .and_then(|names| names.get(row))
        .map(|name| words::shown(name));
    Some(Apart {
        row: name.unwrap_or_else(|| format!("row {}", row + 1)),
        score: scores[row],
        next: scores[next],
    })
}
