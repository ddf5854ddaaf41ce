//! What is drawn: a model, and rows where the figure needs them.

use std::path::Path;

use eigenspan::choose::{Choices, ChooseOptions, Scree, choose};
use eigenspan::evaluate::{Bootstrap, BootstrapOptions};
use eigenspan::interpret::Columns;
use eigenspan::method::{Fitted, PreImageOptions};
use eigenspan::prepare::Scale;
use eigenspan::{Context, Error, Note, Pca};
use eigenspan_io::{Output, Picture};

use super::opened::Opened;
use super::{FigureKind, PlotJob};
use crate::JobError;
use crate::analysis::{self, told};
use crate::figure::Component;
use crate::figure::numbers::n_possible;
use crate::job::{self, FitJob};
use crate::project::{self, ProjectJob};
use crate::summary::{Axis, Summary};

/// A model and, where they are needed, rows.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) pca: Pca,
    pub(super) picture: Option<Picture>,
    pub(super) opened: Option<Opened>,
    /// Names of the columns.
    pub(super) names: Vec<String>,
    /// The two components asked for, from 0; the only one twice.
    pub(super) axes: (usize, usize),
    /// Components that T², Q and what is kept are about.
    pub(super) k: usize,
    pub(super) choices: Option<Choices>,
    /// All eigenvalues, where the rules looked at them.
    pub(super) eigenvalues: Option<Vec<f64>>,
    pub(super) bootstrap: Option<Bootstrap>,
    components: Vec<Axis>,
    /// Whether the rows are those that the model was fitted to just now.
    fitted: bool,
    pub(super) notes: Vec<Note>,
}

impl Subject {
    /// Loads the model, or fits one to the data, and asks what the figure needs to know.
    pub(super) fn open(
        ctx: &Context,
        job: &PlotJob,
        model: Option<(Pca, Option<Picture>)>,
    ) -> Result<Self, JobError> {
        let mut subject = Subject::bare(ctx, job, model)?;
        let all: Vec<usize> = (0..subject.components.len()).collect();
        subject.axes = axes_of(job, &subject.components(&all))?;
        if matches!(
            job.kind,
            FigureKind::Scree | FigureKind::Outliers | FigureKind::Reconstruction
        ) {
            subject.ask_rules(ctx, job)?;
        }
        if job.kind == FigureKind::Loadings {
            subject.ask_bootstrap(ctx)?;
        }
        Ok(subject)
    }

    fn bare(
        ctx: &Context,
        job: &PlotJob,
        model: Option<(Pca, Option<Picture>)>,
    ) -> Result<Self, JobError> {
        let kind = job.kind;
        let (pca, picture, opened, notes) = match (model, &job.data) {
            (None, None) => {
                return Err(JobError::Usage {
                    what: "nothing to draw".to_owned(),
                    tip: Some(format!("eigenspan plot {} DATA", kind.name())),
                });
            }
            (None, Some(data)) => {
                let fit = job::fit(ctx, data)?.into_pca()?;
                let picture = fit.table.picture();
                let opened = Opened {
                    table: fit.table,
                    pick: None,
                };
                (*fit.fitted, picture, Some(opened), fit.notes)
            }
            (Some(_), None) if kind.needs_rows() || !job.supplementary.is_empty() => {
                return Err(no_rows(job));
            }
            (Some((pca, picture)), None) => {
                let notes = pca.notes().to_vec();
                (pca, picture, None, notes)
            }
            (Some((pca, picture)), Some(data)) => {
                let path = job.model.as_deref().unwrap_or(Path::new("model"));
                let project = project_job(path, data);
                let (table, pick) = project::open_for(ctx, &pca, picture, &project)?;
                let opened = Opened { table, pick };
                let notes = opened.table.notes().to_vec();
                (pca, picture, Some(opened), notes)
            }
        };
        Ok(Subject {
            names: (&pca as &dyn Fitted).column_names(),
            components: Summary::new(&pca, None).axes,
            axes: (0, 0),
            k: pca.n_components(),
            pca,
            picture,
            opened,
            choices: None,
            eigenvalues: None,
            bootstrap: None,
            fitted: job.model.is_none(),
            notes,
        })
    }

    /// How many components matter: as many as the report speaks of.
    fn ask_rules(&mut self, ctx: &Context, job: &PlotJob) -> Result<(), JobError> {
        let seed = job.data.as_ref().map(|data| data.method.seed());
        let rules = ChooseOptions {
            seed: seed.unwrap_or_default(),
            ..Default::default()
        };
        let parts = self.pca.parts();
        let choices = match &self.opened {
            Some(opened) if self.fitted => opened.choices(ctx, &self.pca, &rules).map(|chosen| {
                self.eigenvalues = Some(chosen.scree.values().to_vec());
                chosen.choices
            }),
            // The rows of a model's fit are not known; its eigenvalues are.
            _ => Scree::of(
                self.pca.spectrum(),
                parts.n_rows,
                parts.options.scale == Scale::Std,
            )
            .and_then(|scree| choose(&scree, &rules)),
        };
        let choices = told(choices, analysis::RULES, &mut self.notes);
        self.choices = choices.map_err(|error| JobError::core(job.kind.name(), error))?;
        let given = match &job.data {
            Some(data) if self.fitted => data.explicit.n_components,
            _ => self.pca.n_components() < n_possible(&self.pca),
        };
        self.k = analysis::components(&self.pca, self.choices.as_ref(), given).0;
        Ok(())
    }

    /// How sure the components drawn are, from the rows they were fitted to.
    fn ask_bootstrap(&mut self, ctx: &Context) -> Result<(), JobError> {
        let Some(opened) = self.opened.as_ref().filter(|_| self.fitted) else {
            return Ok(());
        };
        let asked = BootstrapOptions::default();
        let drawn = self.axes.0 + crate::figure::loadings::PANELS;
        let options = BootstrapOptions {
            n_components: asked.n_components.max(drawn).min(self.pca.n_components()),
            ..asked
        };
        let bootstrap = opened.bootstrap(ctx, &self.pca, &options);
        let bootstrap = told(bootstrap, "the bootstrap", &mut self.notes);
        self.bootstrap = bootstrap.map_err(|e| JobError::core(opened.table.name(), e))?;
        Ok(())
    }

    /// Some components, as figures name them.
    pub(super) fn components(&self, which: &[usize]) -> Vec<Component<'_>> {
        let axes = which.iter().filter_map(|&c| self.components.get(c));
        axes.map(Component::from).collect()
    }

    /// Columns against the first `k` components; an error where the model alone does not know its columns' variances.
    pub(super) fn columns(&self, ctx: &Context, k: usize) -> Result<Columns, JobError> {
        if let Some(opened) = self.opened.as_ref().filter(|_| self.fitted) {
            return opened.columns(ctx, &self.pca, k);
        }
        // What a model knows of its own rows is better than what new rows say.
        match (Columns::leading(&self.pca, k, None), &self.opened) {
            (Err(Error::UnknownVariances { .. }), Some(opened)) => opened.columns(ctx, &self.pca, k),
            (Err(_), _) => Err(JobError::Usage {
                what: "correlations need the variance of every column, which a model with some components of unscaled columns \
                       does not know"
                    .to_owned(),
                tip: Some("give the data instead of the model, or after it".to_owned()),
            }),
            (Ok(columns), _) => Ok(columns),
        }
    }

    /// The rows of a figure that shows rows.
    pub(super) fn rows(&self, kind: FigureKind) -> Result<&Opened, JobError> {
        self.opened.as_ref().ok_or_else(|| JobError::Usage {
            what: format!("{} shows rows, and there are none", kind.name()),
            tip: Some(format!("eigenspan plot {} DATA", kind.name())),
        })
    }

    /// Whether the rows had a part in the model.
    pub(super) fn is_fitted(&self) -> bool {
        self.fitted
    }
}

/// Rows to be projected with a model.
pub(super) fn project_job<'a>(model: &'a Path, data: &FitJob) -> ProjectJob<'a> {
    ProjectJob {
        model,
        input: data.input.clone(),
        read: data.read.clone(),
        keep: Vec::new(),
        output: Output::Stdout,
        size: None,
        pre_image: PreImageOptions::default(),
    }
}

/// A model alone is not enough for what is to be drawn.
pub(super) fn no_rows(job: &PlotJob) -> JobError {
    let name = job.kind.name();
    let what = match job.kind.needs_rows() {
        true => format!("{name} shows rows, and a model holds none"),
        false => "supplementary columns are read from data".to_owned(),
    };
    let model = job.model.as_deref().unwrap_or(Path::new("MODEL"));
    JobError::Usage {
        what,
        tip: Some(format!("eigenspan plot {name} {} DATA", model.display())),
    }
}

/// Share of the variance below which a component is nothing but rounding.
const NOTHING: f64 = 1e-12;

/// The two components asked for, from 0; the only one that has any variance twice.
pub(super) fn axes_of(
    job: &PlotJob,
    components: &[Component<'_>],
) -> Result<(usize, usize), JobError> {
    let varies = |axis: &&Component<'_>| axis.share.is_none_or(|share| share > NOTHING);
    let varying = components.iter().filter(varies);
    let last = varying.count().saturating_sub(1);
    let place = |asked: &Option<String>, default: usize| match asked {
        Some(text) => component_of(text, components),
        None => Ok(default.min(last)),
    };
    let [x, y] = &job.axes;
    Ok((place(x, 0)?, place(y, 1)?))
}

/// The component that is called so, or has this number.
fn component_of(text: &str, components: &[Component<'_>]) -> Result<usize, JobError> {
    let k = components.len();
    let mut names = components.iter().map(|axis| axis.name);
    let named = names.position(|name| name.eq_ignore_ascii_case(text));
    let digits = text.strip_prefix("PC").or(text.strip_prefix("pc"));
    let number: Option<usize> = digits.unwrap_or(text).parse().ok();
    let number = number.filter(|number| (1..=k).contains(number));
    named.or(number.map(|number| number - 1)).ok_or_else(|| {
        let name = |c: usize| components.get(c).map_or("", |axis| axis.name);
        let (first, last) = (name(0), name(k.saturating_sub(1)));
        JobError::Usage {
            what: format!(
                "{text} asked for, but the model has {}",
                eigenspan::error::counted(k, "component")
            ),
            tip: Some(format!("--x and --y take {first} to {last}, or 1 to {k}")),
        }
    })
}
