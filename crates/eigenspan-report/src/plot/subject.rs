//! What is drawn: a model, and rows where the figure needs them.

use eigenspan::choose::{ChooseOptions, Detail, Rule, Sample, Scree, choose, choose_with_rows};
use eigenspan::prepare::Scale;
use eigenspan::{Context, Error, Note, Pca};
use eigenspan_io::{Numbers, Output, Picture};

use super::numbers::{self, LEVEL, Opened};
use super::rows::{Color, row_names};
use super::{Kind, PlotJob};
use crate::JobError;
use crate::figure::{
    Component, Draw, biplot, circle, contributions, heatmap, loadings, outliers, pairs, pictures,
    reconstruction, scores, scree,
};
use crate::job;
use crate::project::{self, ProjectJob};
use crate::summary::{RULE, column_names};
use crate::words;

/// A model and, where they are needed, rows.
#[derive(Debug)]
pub(super) struct Subject {
    pca: Pca,
    picture: Option<Picture>,
    opened: Option<Opened>,
    names: Vec<String>,
    words: Vec<String>,
    pub(super) notes: Vec<Note>,
}

/// Cells up to which every rule is asked, also those that look at rows.
const ALL_RULES: usize = 1_000_000;
/// Components of one picture of pairs.
const PAIRS: usize = 5;

/// What takes a drawing.
type Sink<'a> = &'a mut dyn FnMut(&dyn Draw) -> Result<(), JobError>;

impl Subject {
    /// Loads the model, or fits one to the data.
    pub(super) fn open(ctx: &Context, job: &PlotJob) -> Result<Self, JobError> {
        let kind = job.kind;
        let (pca, picture, opened, notes) = match (&job.model, &job.data) {
            (None, None) => {
                return Err(JobError::Usage {
                    what: "nothing to draw".to_owned(),
                    tip: Some(format!("eigenspan plot {} DATA", kind.name())),
                });
            }
            (None, Some(data)) => {
                let fit = job::fit(ctx, data)?;
                let picture = fit.table.picture();
                let opened = Opened {
                    table: fit.table,
                    pick: None,
                };
                (fit.pca, picture, Some(opened), fit.notes)
            }
            (Some(model), None) if kind.needs_rows() => {
                return Err(JobError::Usage {
                    what: format!("{} shows rows, and a model holds none", kind.name()),
                    tip: Some(format!(
                        "eigenspan plot {} {} DATA",
                        kind.name(),
                        model.display()
                    )),
                });
            }
            (Some(model), None) => {
                let (pca, picture) = project::load(model)?;
                let notes = pca.notes().to_vec();
                (pca, picture, None, notes)
            }
            (Some(model), Some(data)) => {
                let (pca, picture) = project::load(model)?;
                let job = ProjectJob {
                    model,
                    input: data.input.clone(),
                    read: data.read.clone(),
                    keep: Vec::new(),
                    output: Output::Stdout,
                    size: None,
                };
                let (table, pick) = project::open_for(ctx, &pca, picture, &job)?;
                let notes = table.notes().to_vec();
                (pca, picture, Some(Opened { table, pick }), notes)
            }
        };
        let names = column_names(&pca);
        let words = (0..pca.n_components())
            .map(|c| words::axis(pca.components().row(c), &names))
            .collect();
        let subject = Subject {
            pca,
            picture,
            opened,
            names,
            words,
            notes,
        };
        subject.check_axes(job)?;
        Ok(subject)
    }

    fn check_axes(&self, job: &PlotJob) -> Result<(), JobError> {
        let k = self.pca.n_components();
        let two = matches!(job.kind, Kind::Scores | Kind::Biplot | Kind::Circle);
        let asked = [Some(job.axes.0), two.then_some(job.axes.1)];
        for axis in asked.into_iter().flatten() {
            // A table with one column has one component, and PC2 was not asked for by anyone.
            let by_default = axis == 2 && k == 1;
            if axis == 0 || (axis > k && !by_default) {
                let components = eigenspan::error::counted(k, "component");
                return Err(JobError::Usage {
                    what: format!("PC{axis} asked for, but the model has {components}"),
                    tip: Some(format!("--x and --y take PC1 to PC{k}")),
                });
            }
        }
        Ok(())
    }

    fn component(&self, c: usize) -> Component<'_> {
        Component {
            number: c + 1,
            share: self.pca.spectrum().share(c),
            words: self.words.get(c).map_or("", String::as_str),
        }
    }

    /// The two components asked for, from 0; the only one twice.
    fn axes(&self, job: &PlotJob) -> (usize, usize) {
        let last = self.pca.n_components() - 1;
        ((job.axes.0 - 1).min(last), (job.axes.1 - 1).min(last))
    }

    /// Hands the drawing to a sink: its numbers live only as long.
    pub(super) fn draw(
        &self,
        ctx: &Context,
        job: &PlotJob,
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        let first = [self.axes(job).0];
        match job.kind {
            Kind::Scree => self.draw_scree(ctx, sink),
            Kind::Scores | Kind::Biplot => self.draw_scores(ctx, job, sink),
            Kind::Circle => {
                let (x, y) = self.axes(job);
                let r = numbers::correlations(ctx, &self.pca, self.opened.as_ref(), &[x, y])?;
                sink(&circle::Circle {
                    columns: &self.columns(&r),
                    supplementary: &[],
                    x_axis: self.component(x),
                    y_axis: self.component(y),
                })
            }
            Kind::Loadings | Kind::Heatmap | Kind::Pictures => self.draw_loadings(job, sink),
            Kind::Contributions => {
                let shares = self.pca.components().row(first[0]).iter();
                let shares: Vec<f64> = shares.map(|v| v * v).collect();
                self.draw_shares(contributions::Kind::Contribution, first[0], &shares, sink)
            }
            Kind::Cos2 => {
                let r = numbers::correlations(ctx, &self.pca, self.opened.as_ref(), &first)?;
                let shares: Vec<f64> = r.iter().flatten().map(|r| r * r).collect();
                self.draw_shares(contributions::Kind::Cos2, first[0], &shares, sink)
            }
            Kind::Reconstruction => self.draw_reconstruction(sink),
            Kind::Outliers => self.draw_outliers(ctx, sink),
            Kind::Pairs => self.draw_pairs(ctx, job, sink),
        }
    }

    fn columns<'a>(&'a self, r: &[Vec<f64>]) -> Vec<circle::Column<'a>> {
        let names = self.names.iter().enumerate();
        names
            .map(|(j, name)| circle::Column {
                name,
                x: r[0][j],
                y: r[r.len() - 1][j],
            })
            .collect()
    }

    /// Shares of the components that have one; those without variance are no news.
    fn shares(&self) -> Vec<f64> {
        let k = self.pca.n_components().min(self.pca.spectrum().rank.max(1));
        (0..k).map(|c| self.pca.spectrum().share(c)).collect()
    }

    /// Components there could be.
    fn n_possible(&self) -> usize {
        let rows = self.pca.parts().n_rows;
        let rows = rows.saturating_sub(usize::from(self.pca.parts().options.center));
        self.pca.n_cols().min(rows).max(1)
    }

    /// How many are kept: those of the model, or what 90 % of the variance needs where it holds all.
    fn kept(&self) -> usize {
        let k = self.pca.n_components();
        if k < self.n_possible() {
            return k;
        }
        self.pca.spectrum().count_for_share(RULE).unwrap_or(k)
    }

    fn draw_scree(&self, ctx: &Context, sink: Sink<'_>) -> Result<(), JobError> {
        let shares = self.shares();
        let parts = self.pca.parts();
        let scaled = parts.options.scale == Scale::Std;
        let named = |e: Error| JobError::core("scree", e);
        let known = Scree::of(self.pca.spectrum(), parts.n_rows, scaled).map_err(named)?;
        let options = ChooseOptions::default();
        let cells = parts.n_rows.saturating_mul(self.pca.n_cols());
        let sample = match &self.opened {
            Some(opened) if cells <= ALL_RULES && parts.options.missing == Default::default() => {
                let (center, scale) = (parts.options.center, parts.options.scale);
                let sample = match opened.table.numbers() {
                    Numbers::F32(source) => Sample::gather(ctx, source, center, scale, &options),
                    Numbers::F64(source) => Sample::gather(ctx, source, center, scale, &options),
                };
                // A picture without the rules that look at rows is better than none.
                sample.ok().filter(|_| opened.pick.is_none())
            }
            _ => None,
        };
        let choices = match &sample {
            Some(sample) => choose_with_rows(ctx, &known, sample, &options),
            None => choose(&known, &options),
        };
        let choices = match choices {
            Err(Error::Cancelled) => return Err(named(Error::Cancelled)),
            choices => choices.ok(),
        };
        let advices = choices.as_ref().map_or(&[][..], |c| c.advices.as_slice());
        let rules: Vec<(&str, usize)> = advices
            .iter()
            .filter_map(|advice| Some((advice.rule.name(), advice.k.filter(|k| *k > 0)?)))
            .collect();
        let total = self.pca.spectrum().total_variance();
        let null: Option<Vec<f64>> = advices.iter().find_map(|advice| match &advice.detail {
            Detail::Band { upper, .. } if advice.rule == Rule::ParallelAnalysis && total > 0.0 => {
                Some(upper.iter().map(|x| x / total).collect())
            }
            _ => None,
        });
        // A component that was found to be empty is none that was not looked for.
        let n_possible = if shares.len() < self.pca.n_components() {
            shares.len()
        } else {
            self.n_possible()
        };
        sink(&scree::Scree {
            shares: &shares,
            n_possible,
            null: null.as_deref(),
            rules: &rules,
            chosen: Some(self.kept()),
        })
    }

    fn draw_scores(&self, ctx: &Context, job: &PlotJob, sink: Sink<'_>) -> Result<(), JobError> {
        let opened = self.rows(job)?;
        let (x, y) = self.axes(job);
        let rows = numbers::rows(ctx, &self.pca, opened, &[x, y], None)?;
        let (names, color) = (row_names(opened)?, Color::of(opened, job)?);
        let scores = scores::Scores {
            x: &rows.scores[0],
            y: &rows.scores[1],
            x_axis: self.component(x),
            y_axis: self.component(y),
            names: names.as_deref(),
            coloring: color.coloring(),
            ellipses: true,
        };
        if job.kind == Kind::Scores {
            return sink(&scores);
        }
        let r = numbers::correlations(ctx, &self.pca, Some(opened), &[x, y])?;
        sink(&biplot::Biplot {
            scores,
            columns: &self.columns(&r),
        })
    }

    fn rows(&self, job: &PlotJob) -> Result<&Opened, JobError> {
        self.opened.as_ref().ok_or_else(|| JobError::Usage {
            what: format!("{} shows rows, and there are none", job.kind.name()),
            tip: Some(format!("eigenspan plot {} DATA", job.kind.name())),
        })
    }

    fn draw_loadings(&self, job: &PlotJob, sink: Sink<'_>) -> Result<(), JobError> {
        let from = if job.kind == Kind::Loadings {
            self.axes(job).0
        } else {
            0
        };
        let which: Vec<usize> = (from..self.pca.n_components()).collect();
        let components: Vec<Component<'_>> = which.iter().map(|&c| self.component(c)).collect();
        let all: Vec<&[f64]> = which
            .iter()
            .map(|&c| self.pca.components().row(c))
            .collect();
        match job.kind {
            Kind::Loadings => sink(&loadings::Loadings {
                components: &components,
                loadings: &all,
                names: &self.names,
                intervals: None,
            }),
            Kind::Heatmap => sink(&heatmap::Heatmap {
                components: &components,
                loadings: &all,
                names: &self.names,
            }),
            _ => {
                let Some(picture) = self.picture else {
                    return Err(JobError::Usage {
                        what: "the rows are not known to be pictures".to_owned(),
                        tip: Some(
                            "pictures are PNG, JPEG or IDX files, or a model fitted to them"
                                .to_owned(),
                        ),
                    });
                };
                let (width, height) = match picture.patch {
                    Some(side) => (side, side),
                    None => (picture.width, picture.height),
                };
                sink(&pictures::Pictures {
                    components: &components,
                    loadings: &all,
                    width,
                    height,
                    channels: picture.channels,
                })
            }
        }
    }

    fn draw_shares(
        &self,
        kind: contributions::Kind,
        component: usize,
        shares: &[f64],
        sink: Sink<'_>,
    ) -> Result<(), JobError> {
        sink(&contributions::Contributions {
            kind,
            of: &format!("PC{}", component + 1),
            noun: "column",
            shares,
            names: &self.names,
        })
    }

    fn draw_reconstruction(&self, sink: Sink<'_>) -> Result<(), JobError> {
        let mut left = 1.0;
        let mut errors = vec![left];
        for share in self.shares() {
            left = f64::max(left - share, 0.0);
            errors.push(left);
        }
        sink(&reconstruction::Reconstruction {
            errors: &errors,
            held_out: None,
            chosen: Some(self.kept()),
        })
    }

    fn draw_outliers(&self, ctx: &Context, sink: Sink<'_>) -> Result<(), JobError> {
        let Some(opened) = &self.opened else {
            return Ok(());
        };
        let k = self.kept();
        let rows = numbers::rows(ctx, &self.pca, opened, &[], Some(k))?;
        let names = row_names(opened)?;
        sink(&outliers::Outliers {
            t2: &rows.t2,
            q: &rows.q,
            t2_limit: numbers::limit(&rows.t2),
            q_limit: numbers::limit(&rows.q),
            level: LEVEL,
            names: names.as_deref(),
            n_components: k,
        })
    }

    fn draw_pairs(&self, ctx: &Context, job: &PlotJob, sink: Sink<'_>) -> Result<(), JobError> {
        let opened = self.rows(job)?;
        let which: Vec<usize> = (0..self.pca.n_components().min(PAIRS)).collect();
        let rows = numbers::rows(ctx, &self.pca, opened, &which, None)?;
        let components: Vec<Component<'_>> = which.iter().map(|&c| self.component(c)).collect();
        let scores: Vec<&[f64]> = rows.scores.iter().map(Vec::as_slice).collect();
        let color = Color::of(opened, job)?;
        sink(&pairs::Pairs {
            components: &components,
            scores: &scores,
            coloring: color.coloring(),
        })
    }
}
