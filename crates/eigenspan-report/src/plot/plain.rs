//! Figures of any method: its shares, where it has a spectrum, and its rows. Figures of columns are for methods whose components
//! are directions in them.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat, Note};
use eigenspan_io::Picture;

use super::drawing::{PAIRS, Sink};
use super::opened::Opened;
use super::rows::{Color, row_names};
use super::subject::{axes_of, no_rows, project_job};
use super::{FigureKind, PlotJob};
use crate::JobError;
use crate::figure::numbers::{self, ScreeNumbers};
use crate::figure::rows::Rows;
use crate::figure::{Component, pairs, scores};
use crate::job::Fit;
use crate::project::{open_for, table_scores};

/// A model of any method and, where they are needed, rows.
pub(super) struct PlainSubject {
    fitted: Box<dyn Fitted>,
    opened: Option<Opened>,
    names: Vec<String>,
    pub(super) notes: Vec<Note>,
}

impl PlainSubject {
    /// What was fitted to the data just now.
    pub(super) fn from_fit(job: &PlotJob, fit: Fit) -> Result<Self, JobError> {
        refuse_columns(job.kind, &*fit.fitted)?;
        let opened = Opened {
            table: fit.table,
            pick: None,
        };
        Ok(PlainSubject {
            names: fit.fitted.axis_names(),
            fitted: fit.fitted,
            opened: Some(opened).filter(|_| job.kind != FigureKind::Scree),
            notes: fit.notes,
        })
    }

    /// A model from its file, with the rows that the figure needs.
    pub(super) fn open(
        ctx: &Context,
        job: &PlotJob,
        fitted: Box<dyn Fitted>,
        picture: Option<Picture>,
    ) -> Result<Self, JobError> {
        refuse_columns(job.kind, &*fitted)?;
        let opened = match (job.kind, &job.data, &job.model) {
            (FigureKind::Scree, ..) => None,
            (_, Some(data), Some(model)) => {
                let project = project_job(model, data);
                let (table, pick) = open_for(ctx, &*fitted, picture, &project)?;
                Some(Opened { table, pick })
            }
            _ => return Err(no_rows(job)),
        };
        let mut notes = fitted.common().notes.to_vec();
        notes.extend(opened.iter().flat_map(|o| o.table.notes().iter().cloned()));
        Ok(PlainSubject {
            names: fitted.axis_names(),
            fitted,
            opened,
            notes,
        })
    }

    /// The components, with their shares where the method has shares.
    fn components(&self) -> Vec<Component<'_>> {
        let spectrum = self.fitted.spectrum();
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

    /// Coordinates of the rows: those that the fit kept of its own rows, or those of new rows.
    fn scores(&self, ctx: &Context, opened: &Opened) -> Result<Mat<f64>, JobError> {
        let (table, pick) = (&opened.table, opened.pick.as_deref());
        match self.fitted.embedding() {
            Some(scores) if self.fitted.projection().is_none() => Ok(scores.clone()),
            _ => table_scores(ctx, table, pick, &*self.fitted),
        }
    }

    /// Hands the drawing to a sink: its numbers live only as long.
    pub(super) fn draw(
        &self,
        ctx: &Context,
        job: &PlotJob,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let Some(opened) = &self.opened else {
            return match ScreeNumbers::plain(&*self.fitted) {
                Some(numbers) => sink(&numbers.scree()),
                None => Err(refused(job.kind, &*self.fitted, "a spectrum")),
            };
        };
        let all = self.scores(ctx, opened)?;
        let axes = self.components();
        let (color, names) = (Color::of(opened, job)?, row_names(opened)?);
        if job.kind == FigureKind::Pairs {
            let k = axes.len().min(PAIRS);
            let columns = numbers::by_component(&all, k);
            return sink(&pairs::Pairs {
                components: &axes[..k],
                scores: &columns.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                rows: Rows::all(names.as_deref()),
                coloring: color.coloring(),
            });
        }
        let (x, y) = axes_of(job, &axes)?;
        sink(&scores::Scores {
            x: &all.col(x),
            y: &all.col(y),
            x_axis: axes[x],
            y_axis: axes[y],
            rows: Rows::all(names.as_deref()),
            coloring: color.coloring(),
            // Rings and other shapes that kernels find are no ellipses.
            ellipses: false,
        })
    }
}

/// Refuses figures of columns.
fn refuse_columns(kind: FigureKind, fitted: &dyn Fitted) -> Result<(), JobError> {
    match kind {
        FigureKind::Scree if fitted.spectrum().is_none() => {
            Err(refused(kind, fitted, "a spectrum"))
        }
        FigureKind::Scree | FigureKind::Scores | FigureKind::Pairs => Ok(()),
        _ => Err(refused(kind, fitted, "directions in the columns")),
    }
}

/// A figure that needs what the method does not have.
fn refused(kind: FigureKind, fitted: &dyn Fitted, needs: &str) -> JobError {
    let drawn = match fitted.spectrum() {
        Some(_) => "scree, scores or pairs",
        None => "scores or pairs",
    };
    let method = fitted.short_name();
    JobError::Usage {
        what: format!("{} shows {needs}, and {method} has none", kind.name()),
        tip: Some(format!("{method} is drawn as {drawn}")),
    }
}
