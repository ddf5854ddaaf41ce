//! What figures of a PCA are drawn from.

use eigenspan::choose::{Choices, ChooseOptions, Scree, choose};
use eigenspan::evaluate::{Bootstrap, BootstrapOptions};
use eigenspan::interpret::Columns;
use eigenspan::method::Fitted;
use eigenspan::prepare::Scale;
use eigenspan::{Context, Error, Note, Pca};

use super::{FigureKind, Look};
use crate::JobError;
use crate::analysis::{self, told};
use crate::figure::numbers::n_possible;
use crate::figure::{ABOUT_ZERO, Component};
use crate::fit::Modeled;
use crate::subject::OpenRows;
use crate::summary::{Axis, Summary};

/// A PCA with what the figure needs to know about it.
#[derive(Debug)]
pub(super) struct PcaFigure<'a> {
    pub(super) modeled: &'a Modeled,
    pub(super) pca: &'a Pca,
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
    /// What a person should know.
    pub(super) notes: Vec<Note>,
}

impl<'a> PcaFigure<'a> {
    /// Asks what the figure needs to know; `given` says whether the number of components was, where the model is new.
    pub(super) fn new(
        ctx: &Context,
        modeled: &'a Modeled,
        pca: &'a Pca,
        look: &Look,
        given: Option<bool>,
    ) -> Result<Self, JobError> {
        let mut figure = PcaFigure {
            modeled,
            pca,
            names: (pca as &dyn Fitted).column_names(),
            components: Summary::new(pca, None).axes,
            axes: (0, 0),
            k: pca.n_components(),
            choices: None,
            eigenvalues: None,
            bootstrap: None,
            notes: modeled.notes.clone(),
        };
        let all: Vec<usize> = (0..figure.components.len()).collect();
        figure.axes = axes_of(look, &figure.components(&all))?;
        if matches!(
            look.kind,
            FigureKind::Scree | FigureKind::Outliers | FigureKind::Reconstruction
        ) {
            figure.ask_rules(ctx, look, given)?;
        }
        if look.kind == FigureKind::Loadings {
            figure.ask_bootstrap(ctx)?;
        }
        if !pca.parts().options.center {
            let text = ABOUT_ZERO.to_owned();
            figure.notes.push(Note::Reading { text });
        }
        Ok(figure)
    }

    /// The rows that the model was fitted to just now.
    fn own_rows(&self) -> Option<&'a OpenRows> {
        self.modeled.rows.as_ref().filter(|_| self.modeled.is_new)
    }

    /// How many components matter: as many as the report speaks of.
    fn ask_rules(
        &mut self,
        ctx: &Context,
        look: &Look,
        given: Option<bool>,
    ) -> Result<(), JobError> {
        let rules = ChooseOptions {
            seed: look.seed,
            ..Default::default()
        };
        let parts = self.pca.parts();
        let choices = match self.own_rows() {
            Some(rows) => rows.choices(ctx, self.pca, &rules).map(|chosen| {
                self.eigenvalues = Some(chosen.scree.values().to_vec());
                chosen.choices
            }),
            // The rows of a model's fit are not known; its eigenvalues are.
            None => Scree::of(
                self.pca.spectrum(),
                parts.n_rows,
                parts.options.scale == Scale::Std,
            )
            .and_then(|scree| choose(&scree, &rules)),
        };
        let choices = told(choices, analysis::RULES, &mut self.notes);
        self.choices = choices.map_err(|error| JobError::core(look.kind.name(), error))?;
        let given = match given.filter(|_| self.modeled.is_new) {
            Some(given) => given,
            None => self.pca.n_components() < n_possible(self.pca),
        };
        self.k = analysis::components(self.pca, self.choices.as_ref(), given).0;
        Ok(())
    }

    /// How sure the components drawn are, from the rows they were fitted to.
    fn ask_bootstrap(&mut self, ctx: &Context) -> Result<(), JobError> {
        let Some(rows) = self.own_rows() else {
            return Ok(());
        };
        let asked = BootstrapOptions::default();
        let drawn = self.axes.0 + crate::figure::loadings::PANELS;
        let options = BootstrapOptions {
            n_components: asked.n_components.max(drawn).min(self.pca.n_components()),
            ..asked
        };
        let bootstrap = rows.bootstrap(ctx, self.pca, &options);
        let bootstrap = told(bootstrap, "the bootstrap", &mut self.notes);
        self.bootstrap = bootstrap.map_err(|e| rows.named(e))?;
        Ok(())
    }

    /// Some components, as figures name them.
    pub(super) fn components(&self, which: &[usize]) -> Vec<Component<'_>> {
        let axes = which.iter().filter_map(|&c| self.components.get(c));
        axes.map(Component::from).collect()
    }

    /// Columns against the first `k` components; an error where the model alone does not know its columns' variances.
    pub(super) fn columns(&self, ctx: &Context, k: usize) -> Result<Columns, JobError> {
        if let Some(rows) = self.own_rows() {
            return rows.columns(ctx, self.pca, k);
        }
        // What a model knows of its own rows is better than what new rows say.
        match (Columns::leading(self.pca, k, None), &self.modeled.rows) {
            (Err(Error::UnknownVariances { .. }), Some(rows)) => rows.columns(ctx, self.pca, k),
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
    pub(super) fn rows(&self, kind: FigureKind) -> Result<&'a OpenRows, JobError> {
        self.modeled.rows.as_ref().ok_or_else(|| JobError::Usage {
            what: format!("{} shows rows, and there are none", kind.name()),
            tip: Some(format!("eigenspan plot {} DATA", kind.name())),
        })
    }
}

/// Share of the variance below which a component is nothing but rounding.
const NOTHING: f64 = 1e-12;

/// The two components asked for, from 0; the only one that has any variance twice.
pub(super) fn axes_of(
    look: &Look,
    components: &[Component<'_>],
) -> Result<(usize, usize), JobError> {
    let varies = |axis: &&Component<'_>| axis.share.is_none_or(|share| share > NOTHING);
    let varying = components.iter().filter(varies);
    let last = varying.count().saturating_sub(1);
    let place = |asked: &Option<String>, default: usize| match asked {
        Some(text) => component_of(text, components),
        None => Ok(default.min(last)),
    };
    let [x, y] = &look.axes;
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
