//! What the figures of a PCA are drawn from.

use eigenspan::choose::{Choices, ChooseOptions, Scree, choose};
use eigenspan::evaluate::{Bootstrap, BootstrapOptions};
use eigenspan::interpret::Columns;
use eigenspan::method::Fitted;
use eigenspan::note::{Clause, Setting};
use eigenspan::prepare::Scale;
use eigenspan::{Context, Error, Note, Pca};

use super::{FigureKind, FigureOptions};
use crate::JobError;
use crate::analysis::{self, ok_or_note};
use crate::figure::numbers::n_possible;
use crate::figure::{ABOUT_ZERO, Component};
use crate::fit::Modeled;
use crate::subject::OpenRows;
use crate::summary::{Axis, Summary};

/// A PCA with the results that a figure needs.
#[derive(Debug)]
pub(super) struct PcaFigure<'a> {
    pub(super) modeled: &'a Modeled,
    pub(super) pca: &'a Pca,
    /// Names of the columns.
    pub(super) names: Vec<String>,
    /// The two requested components, from 0; if there is only one component, it appears twice.
    pub(super) axes: (usize, usize),
    /// The number of components that T², Q and the kept share are about.
    pub(super) k: usize,
    pub(super) choices: Option<Choices>,
    /// All eigenvalues, if the rules computed them.
    pub(super) eigenvalues: Option<Vec<f64>>,
    pub(super) bootstrap: Option<Bootstrap>,
    components: Vec<Axis>,
    /// Notes for the user.
    pub(super) notes: Vec<Note>,
}

/// The PCA whose figures this module draws; `None` for a model of any other method, whose figures are those of its capabilities.
pub(super) fn pca_of(fitted: &dyn Fitted) -> Option<&Pca> {
    fitted.downcast()
}

impl<'a> PcaFigure<'a> {
    /// Computes what the figure needs; `given` says whether the user gave the number of components of a new model.
    pub(super) fn new(
        ctx: &Context,
        modeled: &'a Modeled,
        pca: &'a Pca,
        options: &FigureOptions,
        given: Option<bool>,
    ) -> Result<Self, JobError> {
        let mut figure = PcaFigure {
            modeled,
            pca,
            names: modeled.columns.clone(),
            components: Summary::with_columns(pca, &modeled.columns, None).axes,
            axes: (0, 0),
            k: pca.n_components(),
            choices: None,
            eigenvalues: None,
            bootstrap: None,
            notes: modeled.notes.clone(),
        };
        let all: Vec<usize> = (0..figure.components.len()).collect();
        figure.axes = axes_of(options, &figure.components(&all))?;
        if matches!(
            options.kind,
            FigureKind::Scree | FigureKind::Outliers | FigureKind::Reconstruction
        ) || (options.kind == FigureKind::Directions
            && pca.spectrum().total_share() < 1.0 - 1e-9)
        {
            figure.ask_rules(ctx, options, given)?;
        }
        if options.kind == FigureKind::Loadings {
            figure.ask_bootstrap(ctx)?;
        }
        if !pca.parts().options.center {
            let text = ABOUT_ZERO.to_owned();
            figure.notes.push(Note::reading(text));
        }
        Ok(figure)
    }

    /// The rows that the model was just fitted to; `None` for an existing model.
    fn own_rows(&self) -> Option<&'a OpenRows> {
        self.modeled.rows.as_ref().filter(|_| self.modeled.is_new)
    }

    /// Chooses how many components matter, as the report does.
    fn ask_rules(
        &mut self,
        ctx: &Context,
        options: &FigureOptions,
        given: Option<bool>,
    ) -> Result<(), JobError> {
        let rules = ChooseOptions {
            seed: options.seed,
            ..Default::default()
        };
        let parts = self.pca.parts();
        let choices = match self.own_rows() {
            Some(rows) => rows.choices(ctx, self.pca, &rules).map(|chosen| {
                self.eigenvalues = Some(chosen.scree.values().to_vec());
                chosen.choices
            }),
            // The rows that an existing model was fitted to are unknown, but its eigenvalues are known.
            None => Scree::from_spectrum(
                self.pca.spectrum(),
                parts.n_rows,
                parts.options.scale == Scale::Std,
            )
            .and_then(|scree| choose(&scree, &rules)),
        };
        let choices = ok_or_note(choices, analysis::RULES, &mut self.notes);
        self.choices = choices.map_err(|error| JobError::core(options.kind.name(), error))?;
        let given = match given.filter(|_| self.modeled.is_new) {
            Some(given) => given,
            None => self.pca.n_components() < n_possible(self.pca),
        };
        self.k = analysis::components(self.pca, self.choices.as_ref(), given).0;
        Ok(())
    }

    /// Bootstrap intervals of the components drawn, from the rows they were fitted to.
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
        let bootstrap = ok_or_note(bootstrap, "the bootstrap", &mut self.notes);
        self.bootstrap = bootstrap.map_err(|e| rows.named(e))?;
        Ok(())
    }

    /// The given components, with the names that figures use.
    pub(super) fn components(&self, which: &[usize]) -> Vec<Component<'_>> {
        let axes = which.iter().filter_map(|&c| self.components.get(c));
        axes.map(Component::from).collect()
    }

    /// Results for the columns with the first `k` components; an error if the model does not know its columns' variances.
    pub(super) fn columns(&self, ctx: &Context, k: usize) -> Result<Columns, JobError> {
        if let Some(rows) = self.own_rows() {
            return rows.columns(ctx, self.pca, k);
        }
        // What a model knows about its own rows is preferred to what new rows say.
        match (Columns::leading(self.pca, k, None), &self.modeled.rows) {
            (Err(Error::UnknownVariances { .. }), Some(rows)) => rows.columns(ctx, self.pca, k),
            (Err(_), _) => Err(JobError::Usage {
                what: "correlations need the variance of every column, which a model with some components of unscaled columns \
                       does not know"
                    .to_owned(),
                advice: "give the data instead of the model, or after it".into(),
            }),
            (Ok(columns), _) => Ok(columns),
        }
    }

    /// The rows, or an error if the figure needs rows and there are none.
    pub(super) fn rows(&self, kind: FigureKind) -> Result<&'a OpenRows, JobError> {
        self.modeled.rows.as_ref().ok_or_else(|| JobError::Usage {
            what: format!("{} shows rows, and there are none", kind.name()),
            advice: Clause::typed(format!("eigenspan plot {} DATA", kind.name())).into(),
        })
    }
}

/// A component with a smaller share of the variance than this consists of rounding error.
const NOTHING: f64 = 1e-12;

/// The two requested components, from 0; if only one has variance, it appears twice.
pub(super) fn axes_of(
    options: &FigureOptions,
    components: &[Component<'_>],
) -> Result<(usize, usize), JobError> {
    let varies = |axis: &&Component<'_>| axis.share.is_none_or(|share| share > NOTHING);
    let varying = components.iter().filter(varies);
    let last = varying.count().saturating_sub(1);
    let place = |asked: &Option<String>, default: usize| match asked {
        Some(text) => component_of(text, components),
        None => Ok(default.min(last)),
    };
    let [x, y] = &options.axes;
    Ok((place(x, 0)?, place(y, 1)?))
}

/// The component with this name or number.
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
            advice: Clause::name("x")
                .then(" and ")
                .and(Setting::named("y"))
                .then(format!(" take {first} to {last}, or 1 to {k}"))
                .into(),
        }
    })
}
