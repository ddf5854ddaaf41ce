//! Figures of any method, each by the capability that it needs: shares by a spectrum, columns by directions, rows by coordinates.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat, Note};

use super::drawing::{PAIRS, Sink};
use super::pca::{axes_of, pca_of};
use super::rows::{Color, row_names};
use super::torn::Explained;
use super::{FigureKind, FigureOptions, no_rows};
use crate::JobError;
use crate::figure::numbers::{self, ScreeNumbers};
use crate::figure::rows::Rows;
use crate::figure::{Component, InPlace, heatmap, loadings, pairs, scores};
use crate::fit::Modeled;
use crate::subject::Embedded;
use crate::{summary, words};

/// A figure of any method.
pub(super) struct PlainFigure<'a> {
    modeled: &'a Modeled,
    /// What each component is called, and of which columns it is made if it is a direction.
    axes: Vec<(String, String)>,
}

/// The rows of a figure: their coordinates, their names, and what colors them.
struct DrawnRows {
    scores: Mat<f64>,
    names: Option<Vec<String>>,
    color: Color,
}

impl<'a> PlainFigure<'a> {
    pub(super) fn new(modeled: &'a Modeled) -> Self {
        let directions = modeled.fitted.directions();
        let words = |i: usize| {
            let weights = directions.and_then(|_| modeled.fitted.weights_in_words(i));
            weights.map_or_else(String::new, |weights| {
                words::axis(&weights, &modeled.columns)
            })
        };
        let names = modeled.fitted.axis_names().into_iter().enumerate();
        PlainFigure {
            modeled,
            axes: names.map(|(i, name)| (name, words(i))).collect(),
        }
    }

    /// Notes for the user.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = self.modeled.notes.clone();
        if let Some(rows) = self
            .modeled
            .rows
            .as_ref()
            .filter(|_| self.shows_kept_rows())
        {
            let text = format!(
                "{} has coordinates only for the rows it was fitted to: {} is taken for these rows, in the same order",
                self.modeled.fitted.short_name(),
                rows.table.name()
            );
            notes.push(Note::reading(text));
        }
        notes
    }

    /// Whether the rows of an existing model stand for the rows that were given, as they have the only coordinates.
    fn shows_kept_rows(&self) -> bool {
        !self.modeled.is_new && self.modeled.fitted.projection().is_none()
    }

    /// The components, with their shares if the method has shares.
    fn components(&self) -> Vec<Component<'_>> {
        let spectrum = self.modeled.fitted.spectrum();
        let axes = self.axes.iter().enumerate();
        axes.map(|(c, (name, words))| Component {
            name,
            share: spectrum.map(|spectrum| spectrum.share(c)),
            words,
        })
        .collect()
    }

    /// The rows of the figure: those of the subject or, without them, those that the model keeps coordinates of. `drawn` says which of the
    /// coordinates are drawn.
    fn rows(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        drawn: &[usize],
    ) -> Result<DrawnRows, JobError> {
        let fitted = &*self.modeled.fitted;
        let Some(opened) = &self.modeled.rows else {
            let kept = fitted.embedding().cloned();
            return Ok(DrawnRows {
                scores: kept.ok_or_else(|| no_rows(options, "MODEL"))?,
                names: None,
                color: Color::Nothing,
            });
        };
        let scores = match fitted.projection() {
            Some(_) => opened.scores(ctx, fitted)?,
            None => Embedded::of_table(ctx, &opened.table, fitted)?.scores,
        };
        let shown = Mat::from_fn(scores.n_rows(), drawn.len(), |i, j| scores[(i, drawn[j])]);
        Ok(DrawnRows {
            color: Color::of_drawn(ctx, (opened, fitted), options, &shown)?,
            names: row_names(opened)?,
            scores,
        })
    }

    /// Draws the figure and passes it to `sink`; the numbers live only during that call.
    pub(super) fn draw(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let fitted = &*self.modeled.fitted;
        refuse(options.kind, fitted)?;
        let place = fitted.shown().place;
        let sink: Sink<'_> = &mut |drawing| sink(&InPlace { drawing, place });
        match (options.kind, fitted.directions()) {
            (FigureKind::Scree, _) => match ScreeNumbers::plain(fitted) {
                Some(numbers) => sink(&numbers.scree()),
                None => Err(lacks(options.kind, fitted, "a spectrum")),
            },
            (FigureKind::Scores | FigureKind::Pairs, _) => self.draw_rows(ctx, options, sink),
            (_, Some(directions)) => self.draw_columns(options, directions, sink),
            (_, None) => Err(lacks(options.kind, fitted, "directions in the columns")),
        }
    }

    fn draw_rows(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let axes = self.components();
        let (x, y) = axes_of(options, &axes)?;
        let k = axes.len().min(PAIRS);
        let is_pairs = options.kind == FigureKind::Pairs;
        let which: Vec<usize> = match is_pairs {
            true => (0..k).collect(),
            false if x == y => vec![x],
            false => vec![x, y],
        };
        let drawn = self.rows(ctx, options, &which)?;
        let (color, names) = (drawn.color.coloring(), drawn.names.as_deref());
        let meaning = drawn.color.caption().map(str::to_owned);
        let sentences = meaning
            .into_iter()
            .chain(summary::map_quality(&*self.modeled.fitted));
        let sentences: Vec<String> = sentences.collect();
        let sink: Sink<'_> = &mut |drawing| {
            let sentences = sentences.clone();
            sink(&Explained { drawing, sentences })
        };
        if is_pairs {
            let columns = numbers::by_component(&drawn.scores, k);
            return sink(&pairs::Pairs {
                components: &axes[..k],
                scores: &columns.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                rows: Rows::all(names),
                coloring: color,
            });
        }
        sink(&scores::Scores {
            x: &drawn.scores.col(x),
            y: &drawn.scores.col(y),
            x_axis: axes[x],
            y_axis: axes[y],
            rows: Rows::all(names),
            coloring: color,
            // Methods without directions find rings and other shapes for which ellipses make no sense.
            ellipses: self.modeled.fitted.directions().is_some(),
        })
    }

    fn draw_columns(
        &self,
        options: &FigureOptions,
        directions: &Mat<f64>,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let axes = self.components();
        let rank = self.modeled.fitted.spectrum().map(|s| s.rank);
        let k = rank.unwrap_or(axes.len()).clamp(1, axes.len());
        let (from, _) = axes_of(options, &axes)?;
        let weights: Vec<&[f64]> = directions.rows().take(k.max(from + 1)).collect();
        let names = &self.modeled.columns;
        match options.kind {
            FigureKind::Loadings => sink(&loadings::Loadings {
                components: &axes[from..weights.len()],
                loadings: &weights[from..],
                names,
                intervals: None,
            }),
            FigureKind::Pictures => {
                let picture = self.modeled.picture.ok_or_else(not_pictures)?;
                sink(&numbers::pictures(picture, &axes[..k], &weights[..k]))
            }
            _ => sink(&heatmap::Heatmap {
                measure: heatmap::Measure::Weights,
                components: &axes[..k],
                loadings: &weights[..k],
                names,
            }),
        }
    }
}

/// The error for a figure of pictures, if the rows are not pictures.
pub(super) fn not_pictures() -> JobError {
    JobError::Usage {
        what: "the rows are not known to be pictures".to_owned(),
        advice: "pictures are PNG, JPEG or IDX files, or a model fitted to them".into(),
    }
}

/// Whether the figure can be drawn from the rows that the model keeps, because the method has coordinates for no others.
pub(super) fn holds_rows(options: &FigureOptions, fitted: &dyn Fitted) -> bool {
    let is_map = matches!(options.kind, FigureKind::Scores | FigureKind::Pairs);
    let alone = fitted.projection().is_none() && fitted.embedding().is_some();
    is_map && alone && options.color.is_none() && options.supplementary.is_empty()
}

/// Refuses figures that need what the method does not have, and figures that are computed for a PCA alone.
pub(super) fn refuse(kind: FigureKind, fitted: &dyn Fitted) -> Result<(), JobError> {
    if pca_of(fitted).is_some() {
        return Ok(());
    }
    let of_pca = match kind {
        FigureKind::Scree if fitted.spectrum().is_none() => {
            return Err(lacks(kind, fitted, "a spectrum"));
        }
        FigureKind::Scree | FigureKind::Scores | FigureKind::Pairs => return Ok(()),
        FigureKind::Outliers => "T² and Q",
        FigureKind::Directions => "principal directions beside random ones",
        FigureKind::Reconstruction => "errors of rows rebuilt from their scores",
        _ if fitted.directions().is_none() => {
            return Err(lacks(kind, fitted, "directions in the columns"));
        }
        FigureKind::Loadings | FigureKind::Heatmap | FigureKind::Pictures => return Ok(()),
        FigureKind::Biplot | FigureKind::Circle => "correlations of columns with components",
        FigureKind::Cos2 => "squared correlations of columns with components",
        FigureKind::Contributions => "shares of columns in the variance of a component",
    };
    let method = fitted.short_name();
    Err(JobError::Usage {
        what: format!(
            "{} shows {of_pca}, which are computed for PCA, and not for {method}",
            kind.name()
        ),
        advice: drawn_as(fitted).into(),
    })
}

/// The error for a figure that needs what the method does not have.
fn lacks(kind: FigureKind, fitted: &dyn Fitted, needs: &str) -> JobError {
    let method = fitted.short_name();
    JobError::Usage {
        what: format!("{} shows {needs}, and {method} has none", kind.name()),
        advice: drawn_as(fitted).into(),
    }
}

/// The figures that a model can be drawn as, in a sentence.
fn drawn_as(fitted: &dyn Fitted) -> String {
    let spectrum = fitted.spectrum().map(|_| "scree");
    let columns = fitted.directions().map(|_| ["loadings", "heatmap"]);
    let mut figures: Vec<&str> = spectrum.into_iter().chain(["scores", "pairs"]).collect();
    figures.extend(columns.into_iter().flatten());
    let last = figures.pop().unwrap_or_default();
    format!(
        "{} is drawn as {} or {last}",
        fitted.short_name(),
        figures.join(", ")
    )
}
