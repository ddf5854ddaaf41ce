//! Figures of a kernel PCA: its shares and its rows. Its components are no combinations of columns, so there is no other.

use eigenspan::{Context, KernelPca, Note};
use eigenspan_io::Picture;

use super::drawing::{PAIRS, Sink};
use super::numbers::{self, ScreeNumbers};
use super::opened::Opened;
use super::rows::{Color, row_names};
use super::subject::{axes_of, project_job};
use super::{Kind, PlotJob};
use crate::JobError;
use crate::figure::rows::Rows;
use crate::figure::{Component, pairs, scores};
use crate::project::{open_for, table_scores};
use crate::summary::Summary;

/// A kernel PCA from its model file and, where they are needed, rows.
pub(super) struct KernelSubject {
    kpca: KernelPca,
    opened: Option<Opened>,
    summary: Summary,
    pub(super) notes: Vec<Note>,
}

impl KernelSubject {
    /// Opens the rows that the figure needs.
    pub(super) fn open(
        ctx: &Context,
        job: &PlotJob,
        kpca: KernelPca,
        picture: Option<Picture>,
    ) -> Result<Self, JobError> {
        let opened = match (job.kind, &job.data, &job.model) {
            (Kind::Scree, _, _) => None,
            (Kind::Scores | Kind::Pairs, Some(data), Some(model)) => {
                let project = project_job(model, data);
                let (table, pick) = open_for(ctx, (&kpca).into(), picture, &project)?;
                Some(Opened { table, pick })
            }
            (Kind::Scores | Kind::Pairs, ..) => return Err(super::subject::no_rows(job)),
            (kind, ..) => {
                return Err(JobError::Usage {
                    what: format!(
                        "{} shows columns or what is left of them, and a kernel PCA has components of its own space",
                        kind.name()
                    ),
                    tip: Some("a kernel PCA is drawn as scree, scores or pairs".to_owned()),
                });
            }
        };
        let mut notes = kpca.notes().to_vec();
        notes.extend(opened.iter().flat_map(|o| o.table.notes().iter().cloned()));
        Ok(KernelSubject {
            summary: Summary::new(&kpca, None),
            kpca,
            opened,
            notes,
        })
    }

    /// Hands the drawing to a sink: its numbers live only as long.
    pub(super) fn draw(
        &self,
        ctx: &Context,
        job: &PlotJob,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let Some(opened) = &self.opened else {
            return sink(&ScreeNumbers::plain((&self.kpca).into()).scree());
        };
        let all = table_scores(
            ctx,
            &opened.table,
            opened.pick.as_deref(),
            (&self.kpca).into(),
        )?;
        let axes = &self.summary.axes;
        let (color, names) = (Color::of(opened, job)?, row_names(opened)?);
        if job.kind == Kind::Pairs {
            let k = axes.len().min(PAIRS);
            let columns = numbers::by_component(&all, k);
            return sink(&pairs::Pairs {
                components: &axes[..k].iter().map(Component::from).collect::<Vec<_>>(),
                scores: &columns.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                rows: Rows::all(names.as_deref()),
                coloring: color.coloring(),
            });
        }
        let (x, y) = axes_of(job, axes)?;
        sink(&scores::Scores {
            x: &all.col(x),
            y: &all.col(y),
            x_axis: Component::from(&axes[x]),
            y_axis: Component::from(&axes[y]),
            rows: Rows::all(names.as_deref()),
            coloring: color.coloring(),
            // Rings and other shapes that kernels find are no ellipses.
            ellipses: false,
        })
    }
}
