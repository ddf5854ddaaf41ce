//! One figure of a PCA.

use eigenspan::interpret::{Limits, OutlierOptions, RowFacts, RowOptions};
use eigenspan::method::KeptByDirections;
use eigenspan::note::Advice;
use eigenspan::rng::Rng;
use eigenspan::{Context, Mat};

use super::pca::PcaFigure;
use super::plain::not_pictures;
use super::rows::{Color, row_names};
use super::torn::Explained;
use super::{FigureKind, FigureOptions};
use crate::JobError;
use crate::figure::numbers::{self, LossNumbers, ScreeNumbers};
use crate::figure::rows::Rows;
use crate::figure::{
    Component, Draw, biplot, circle, contributions, directions, heatmap, loadings, pairs, scores,
};
use crate::subject::OpenRows;

/// So many directions are compared with as many random ones.
const DIRECTIONS: usize = 40;
/// A figure of pairs shows at most this many components.
pub(super) const PAIRS: usize = 5;

/// A function that receives a finished drawing.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&dyn Draw) -> Result<(), JobError>;

impl PcaFigure<'_> {
    /// Draws the figure and passes it to `sink`; the numbers live only during that call.
    pub(super) fn draw(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let choices = self.choices.as_ref();
        match options.kind {
            FigureKind::Scree => sink(&ScreeNumbers::from_pca(self.pca, choices, self.k).scree()),
            FigureKind::Reconstruction => {
                sink(&LossNumbers::from_pca(self.pca, choices, self.k).reconstruction())
            }
            FigureKind::Scores | FigureKind::Biplot => self.draw_scores(ctx, options, sink),
            FigureKind::Circle => self.draw_circle(ctx, options, sink),
            FigureKind::Loadings => self.draw_loadings(sink),
            FigureKind::Heatmap => self.draw_heatmap(ctx, sink),
            FigureKind::Pictures => self.draw_pictures(sink),
            FigureKind::Contributions | FigureKind::Cos2 => {
                self.draw_shares(ctx, options.kind, sink)
            }
            FigureKind::Outliers => self.draw_outliers(ctx, options.kind, sink),
            FigureKind::Pairs => self.draw_pairs(ctx, options, sink),
            FigureKind::Directions => self.draw_directions(ctx, options, sink),
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

    fn draw_scores(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let opened = self.rows(options.kind)?;
        let (x, y) = self.axes;
        let rows = self.scores(ctx, opened, x.max(y) + 1)?;
        let which = if x == y { vec![x] } else { vec![x, y] };
        let (names, color) = (row_names(opened)?, self.color(ctx, options, &rows, &which)?);
        let sentences = color.caption().map(str::to_owned);
        let sentences: Vec<String> = sentences.into_iter().collect();
        let sink: Sink<'_> = &mut |drawing| {
            let sentences = sentences.clone();
            sink(&Explained { drawing, sentences })
        };
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
        if options.kind == FigureKind::Scores {
            return sink(&scores);
        }
        let columns = self.columns(ctx, x.max(y) + 1)?;
        sink(&biplot::Biplot {
            scores,
            columns: &numbers::arrows(&self.names, &columns, self.axes),
        })
    }

    /// What colors the rows of which these components are drawn.
    fn color(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        rows: &RowFacts,
        which: &[usize],
    ) -> Result<Color, JobError> {
        let opened = self.rows(options.kind)?;
        let cell = |i: usize, j: usize| rows.scores[(i, which[j])];
        let drawn = Mat::from_fn(rows.scores.n_rows(), which.len(), cell);
        Color::of_drawn(ctx, (opened, self.pca), options, &drawn)
    }

    fn draw_circle(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let (x, y) = self.axes;
        let columns = self.columns(ctx, x.max(y) + 1)?;
        let beside = match options.supplementary.is_empty() {
            true => None,
            false => {
                let opened = self.rows(options.kind)?;
                Some(opened.beside(ctx, self.pca, &options.supplementary)?)
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

    /// The components with variance; in the others there is only rounding error.
    fn n_varying(&self) -> usize {
        self.pca.spectrum().rank.clamp(1, self.pca.n_components())
    }

    /// The loadings of the given components.
    fn weights(&self, which: &[usize]) -> Vec<&[f64]> {
        let components = self.pca.components();
        which.iter().map(|&c| components.row(c)).collect()
    }

    fn draw_heatmap(&self, ctx: &Context, sink: Sink<'_>) -> Result<(), JobError> {
        let k = self.n_varying();
        let which: Vec<usize> = (0..k).collect();
        // A model without the columns' variances has weights but no correlations.
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
        let picture = self.modeled.picture.ok_or_else(not_pictures)?;
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
            several: false,
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
            // New rows were not used for the mean and may lie farther from it.
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

    fn draw_directions(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let opened = self.rows(options.kind)?;
        let (x, y) = self.axes;
        let rows = self.scores(ctx, opened, x.max(y) + 1)?;
        let n_cols = self.names.len();
        let eigenvalues = self.all_eigenvalues()?;
        let kept = KeptByDirections::new(ctx, &eigenvalues, n_cols, DIRECTIONS, options.seed);
        let kept = kept.map_err(|error| opened.named(error))?;
        let kept = kept.ok_or_else(|| JobError::Usage {
            what: "all rows are the same: there is no variance to keep".to_owned(),
            advice: Advice::default(),
        })?;
        let axes = self.components(&[x, y]);
        sink(&directions::Directions {
            x: &rows.scores.col(x),
            y: &rows.scores.col(y),
            x_axis: axes[0],
            y_axis: axes[1],
            angle: std::f64::consts::PI * Rng::new(options.seed).uniform(),
            kept: &kept,
            n_cols,
        })
    }

    /// All eigenvalues of the covariance: those of the model, if it keeps all of the variance, or those that the rules computed.
    fn all_eigenvalues(&self) -> Result<Vec<f64>, JobError> {
        let spectrum = self.pca.spectrum();
        if spectrum.total_share() > 1.0 - 1e-9 {
            return Ok((0..spectrum.len()).map(|i| spectrum.variance(i)).collect());
        }
        self.eigenvalues.clone().ok_or_else(|| JobError::Usage {
            what: "directions needs all eigenvalues, and this model keeps some of its components"
                .to_owned(),
            advice: "give the data instead of the model".into(),
        })
    }

    fn draw_pairs(
        &self,
        ctx: &Context,
        options: &FigureOptions,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let opened = self.rows(options.kind)?;
        let which: Vec<usize> = (0..self.n_varying().min(PAIRS)).collect();
        let rows = self.scores(ctx, opened, which.len())?;
        let scores = numbers::by_component(&rows.scores, which.len());
        let scores: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
        let components: Vec<Component<'_>> = self.components(&which);
        let (names, color) = (row_names(opened)?, self.color(ctx, options, &rows, &which)?);
        let sentences = color.caption().map(str::to_owned);
        let sentences: Vec<String> = sentences.into_iter().collect();
        let sink: Sink<'_> = &mut |drawing| {
            let sentences = sentences.clone();
            sink(&Explained { drawing, sentences })
        };
        sink(&pairs::Pairs {
            components: &components,
            scores: &scores,
            rows: Rows::all(names.as_deref()),
            coloring: color.coloring(),
        })
    }
}
