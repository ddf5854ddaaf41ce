//! Figures of any method: shares, if it has a spectrum, and rows. Figures of columns need a method whose components are directions in
//! column space.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat, Pca};

use super::drawing::{PAIRS, Sink};
use super::pca::axes_of;
use super::rows::{Color, row_names};
use super::{FigureKind, FigureOptions, no_rows};
use crate::JobError;
use crate::figure::numbers::{self, ScreeNumbers};
use crate::figure::rows::Rows;
use crate::figure::{Component, pairs, scores};
use crate::fit::Modeled;
use crate::subject::OpenRows;

/// A figure of any method.
pub(super) struct PlainFigure<'a> {
    modeled: &'a Modeled,
    names: Vec<String>,
}

impl<'a> PlainFigure<'a> {
    pub(super) fn new(modeled: &'a Modeled) -> Self {
        PlainFigure {
            modeled,
            names: modeled.fitted.axis_names(),
        }
    }

    /// The components, with their shares if the method has shares.
    fn components(&self) -> Vec<Component<'_>> {
        let spectrum = self.modeled.fitted.spectrum();
        let names = self.names.iter().enumerate();
        let component = |(c, name)| Component {
            name,
            share: spectrum.map(|spectrum| spectrum.share(c)),
            words: "",
        };
        names
            .map(|(c, name)| component((c, name.as_str())))
            .collect()
    }

    /// Coordinates of the rows: those that the fit stored for its own rows, or those computed for new rows.
    fn scores(&self, ctx: &Context, rows: &OpenRows) -> Result<Mat<f64>, JobError> {
        let fitted = &*self.modeled.fitted;
        match fitted.embedding() {
            Some(scores) if fitted.projection().is_none() => Ok(scores.clone()),
            _ => rows.scores(ctx, fitted),
        }
    }

    /// Draws the figure and passes it to `sink`; the numbers live only during that call.
    pub(super) fn draw(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let fitted = &*self.modeled.fitted;
        if options.kind == FigureKind::Scree {
            return match ScreeNumbers::plain(fitted) {
                Some(numbers) => sink(&numbers.scree()),
                None => Err(refused(options.kind, fitted, "a spectrum")),
            };
        }
        let Some(opened) = &self.modeled.rows else {
            return Err(no_rows(options, "MODEL"));
        };
        let all = self.scores(ctx, opened)?;
        let axes = self.components();
        let (color, names) = (Color::choose(opened, options)?, row_names(opened)?);
        if options.kind == FigureKind::Pairs {
            let k = axes.len().min(PAIRS);
            let columns = numbers::by_component(&all, k);
            return sink(&pairs::Pairs {
                components: &axes[..k],
                scores: &columns.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                rows: Rows::all(names.as_deref()),
                coloring: color.coloring(),
            });
        }
        let (x, y) = axes_of(options, &axes)?;
        sink(&scores::Scores {
            x: &all.col(x),
            y: &all.col(y),
            x_axis: axes[x],
            y_axis: axes[y],
            rows: Rows::all(names.as_deref()),
            coloring: color.coloring(),
            // Kernel PCA finds rings and other shapes for which ellipses make no sense.
            ellipses: false,
        })
    }
}

/// Refuses figures of columns, unless the model is a PCA.
pub(super) fn refuse_columns(kind: FigureKind, fitted: &dyn Fitted) -> Result<(), JobError> {
    match kind {
        _ if fitted.downcast::<Pca>().is_some() => Ok(()),
        FigureKind::Scree if fitted.spectrum().is_none() => {
            Err(refused(kind, fitted, "a spectrum"))
        }
        FigureKind::Scree | FigureKind::Scores | FigureKind::Pairs => Ok(()),
        _ => Err(refused(kind, fitted, "directions in the columns")),
    }
}

/// The error for a figure that needs what the method does not have.
fn refused(kind: FigureKind, fitted: &dyn Fitted, needs: &str) -> JobError {
    let drawn = match fitted.spectrum() {
        Some(_) => "scree, scores or pairs",
        None => "scores or pairs",
    };
    let method = fitted.short_name();
    JobError::Usage {
        what: format!("{} shows {needs}, and {method} has none", kind.name()),
        advice: format!("{method} is drawn as {drawn}").into(),
    }
}
