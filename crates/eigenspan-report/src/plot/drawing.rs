//! One figure of a PCA.

use eigenspan::Context;
use eigenspan::interpret::{Limits, OutlierOptions, RowFacts, RowOptions};

use super::pca::PcaFigure;
use super::rows::{Color, row_names};
use super::{FigureKind, Look};
use crate::JobError;
use crate::figure::numbers::{self, LossNumbers, ScreeNumbers};
use crate::figure::rows::Rows;
use crate::figure::{
    Component, Draw, biplot, circle, contributions, heatmap, loadings, pairs, scores,
};
use crate::subject::OpenRows;

/// Components of one picture of pairs.
pub(super) const PAIRS: usize = 5;

/// What takes a drawing.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&dyn Draw) -> Result<(), JobError>;

impl PcaFigure<'_> {
    /// Hands the drawing to a sink: its numbers live only as long.
    pub(super) fn draw(&self, ctx: &Context, look: &Look, sink: Sink<'_>) -> Result<(), JobError> {
        let choices = self.choices.as_ref();
        match look.kind {
            FigureKind::Scree => sink(&ScreeNumbers::of(self.pca, choices, self.k).scree()),
            FigureKind::Reconstruction => {
                sink(&LossNumbers::of(self.pca, choices, self.k).reconstruction())
            }
            FigureKind::Scores | FigureKind::Biplot => self.draw_scores(ctx, look, sink),
            FigureKind::Circle => self.draw_circle(ctx, look, sink),
            FigureKind::Loadings => self.draw_loadings(sink),
            FigureKind::Heatmap => self.draw_heatmap(ctx, sink),
            FigureKind::Pictures => self.draw_pictures(sink),
            FigureKind::Contributions | FigureKind::Cos2 => self.draw_shares(ctx, look.kind, sink),
            FigureKind::Outliers => self.draw_outliers(ctx, look.kind, sink),
            FigureKind::Pairs => self.draw_pairs(ctx, look, sink),
        }
    }

    /// Scores on the first components.
    fn scores(&self, ctx: &Context, opened: &OpenRows, n: usize) -> Result<RowFacts, JobError> {
        let options = RowOptions {
            n_components: Some(n),
            n_scores: Some(n),
        };
        let mut rows = opened.rows(ctx, self.pca, &options)?;
        if self.pca.parts().options.whiten {
            let factors = self.pca.whitening();
            for i in 0..rows.scores.n_rows() {
                let scores = rows.scores.row_mut(i).iter_mut();
                scores.zip(&factors).for_each(|(t, factor)| *t *= factor);
            }
        }
        Ok(rows)
    }

    fn draw_scores(&self, ctx: &Context, look: &Look, sink: Sink<'_>) -> Result<(), JobError> {
        let opened = self.rows(look.kind)?;
        let (x, y) = self.axes;
        let rows = self.scores(ctx, opened, x.max(y) + 1)?;
        let (names, color) = (row_names(opened)?, Color::of(opened, look)?);
        let axes = self.components(&[x, y]);
        let scores = scores::Scores {
            x: &rows.scores.col(x),
            y: &rows.scores.col(y),
            x_axis: axes[0],
            y_axis: axes[1],
            rows: Rows::all(names.as_deref()),
            coloring: color.coloring(),
            ellipses: true,
        };
        if look.kind == FigureKind::Scores {
            return sink(&scores);
        }
        let columns = self.columns(ctx, x.max(y) + 1)?;
        sink(&biplot::Biplot {
            scores,
            columns: &numbers::arrows(&self.names, &columns, self.axes),
        })
    }

    fn draw_circle(&self, ctx: &Context, look: &Look, sink: Sink<'_>) -> Result<(), JobError> {
        let (x, y) = self.axes;
        let columns = self.columns(ctx, x.max(y) + 1)?;
        let beside = match look.supplementary.is_empty() {
            true => None,
            false => {
                let opened = self.rows(look.kind)?;
                Some(opened.beside(ctx, self.pca, &look.supplementary)?)
            }
        };
        let beside = beside.as_ref();
        let axes = self.components(&[x, y]);
        sink(&circle::Circle {
            columns: &numbers::arrows(&self.names, &columns, self.axes),
            supplementary: &beside
                .map(|facts| numbers::arrows_beside(facts, self.axes))
                .unwrap_or_default(),
            x_axis: axes[0],
            y_axis: axes[1],
        })
    }

    fn draw_loadings(&self, sink: Sink<'_>) -> Result<(), JobError> {
        let from = self.axes.0;
        let which: Vec<usize> = (from..self.n_varying().max(from + 1)).collect();
        let drawn = &which[..which.len().min(loadings::PANELS)];
        let intervals = numbers::intervals(self.bootstrap.as_ref(), drawn);
        sink(&loadings::Loadings {
            components: &self.components(&which),
            loadings: &self.weights(&which),
            names: &self.names,
            intervals: intervals.as_deref(),
        })
    }

    /// Components along which rows differ; the others are nothing but rounding.
    fn n_varying(&self) -> usize {
        self.pca.spectrum().rank.clamp(1, self.pca.n_components())
    }

    /// The entries of some components.
    fn weights(&self, which: &[usize]) -> Vec<&[f64]> {
        let components = self.pca.components();
        which.iter().map(|&c| components.row(c)).collect()
    }

    fn draw_heatmap(&self, ctx: &Context, sink: Sink<'_>) -> Result<(), JobError> {
        let k = self.n_varying();
        let which: Vec<usize> = (0..k).collect();
        // A model may know nothing but weights.
        let (measure, table) = match self.columns(ctx, k) {
            Ok(columns) => (
                heatmap::Measure::Correlations,
                numbers::by_component(&columns.correlations, k),
            ),
            Err(JobError::Usage { .. }) => (heatmap::Measure::Weights, Vec::new()),
            Err(error) => return Err(error),
        };
        let loadings = match table.is_empty() {
            true => self.weights(&which),
            false => table.iter().map(Vec::as_slice).collect(),
        };
        sink(&heatmap::Heatmap {
            measure,
            components: &self.components(&which),
            loadings: &loadings,
            names: &self.names,
        })
    }

    fn draw_pictures(&self, sink: Sink<'_>) -> Result<(), JobError> {
        let picture = self.modeled.picture.ok_or_else(|| JobError::Usage {
            what: "the rows are not known to be pictures".to_owned(),
            tip: Some("pictures are PNG, JPEG or IDX files, or a model fitted to them".to_owned()),
        })?;
        let which: Vec<usize> = (0..self.n_varying()).collect();
        let (components, weights) = (self.components(&which), self.weights(&which));
        sink(&numbers::pictures(picture, &components, &weights))
    }

    fn draw_shares(&self, ctx: &Context, kind: FigureKind, sink: Sink<'_>) -> Result<(), JobError> {
        let c = self.axes.0;
        let (kind, shares) = match kind {
            FigureKind::Cos2 => {
                let shares = self.columns(ctx, c + 1)?.cos2.col(c);
                (contributions::ShareKind::Cos2, shares)
            }
            _ => {
                let weights = self.pca.components().row(c).iter();
                let shares = weights.map(|v| v * v).collect();
                (contributions::ShareKind::Contribution, shares)
            }
        };
        sink(&contributions::Contributions {
            kind,
            of: &self.pca.component_name(c),
            noun: "column",
            shares: &shares,
            names: &self.names,
        })
    }

    fn draw_outliers(
        &self,
        ctx: &Context,
        kind: FigureKind,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let opened = self.rows(kind)?;
        let options = RowOptions {
            n_components: Some(self.k),
            n_scores: Some(0),
        };
        let rows = opened.rows(ctx, self.pca, &options)?;
        let level = OutlierOptions::default().level;
        let all = self.eigenvalues.as_deref();
        let limits = Limits::with_eigenvalues(self.pca, self.k, level, Some(&rows), all);
        let mut limits = limits.map_err(|error| opened.named(error))?;
        if !self.modeled.is_new {
            // Rows that had no part in the mean may lie farther from it.
            limits.t2 = limits.t2_new;
        }
        let names = row_names(opened)?;
        sink(&numbers::outliers(
            &rows.t2,
            &rows.q,
            &limits,
            Rows::all(names.as_deref()),
        ))
    }

    fn draw_pairs(&self, ctx: &Context, look: &Look, sink: Sink<'_>) -> Result<(), JobError> {
        let opened = self.rows(look.kind)?;
        let which: Vec<usize> = (0..self.n_varying().min(PAIRS)).collect();
        let rows = self.scores(ctx, opened, which.len())?;
        let scores = numbers::by_component(&rows.scores, which.len());
        let scores: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
        let components: Vec<Component<'_>> = self.components(&which);
        let (names, color) = (row_names(opened)?, Color::of(opened, look)?);
        sink(&pairs::Pairs {
            components: &components,
            scores: &scores,
            rows: Rows::all(names.as_deref()),
            coloring: color.coloring(),
        })
    }
}
