//! `plot`: a subject → one figure, as SVG, PNG or text for the terminal. This module writes no file.

mod drawing;
mod facts;
mod kind;
mod paper;
mod pca;
mod plain;
mod rows;
mod torn;

use eigenspan::note::{Advice, Clause};
use eigenspan::{Context, Note};

pub use kind::FigureKind;
pub use paper::{Drawing, Medium, Paper};

use crate::JobError;
use crate::figure::{Draw, Figure, Size};
use crate::fit::{self, Modeled};
use crate::subject::Subject;
use drawing::Sink;
use pca::{PcaFigure, pca_of};
use plain::PlainFigure;

/// Which figure is drawn, from which components and columns, and in which form.
#[derive(Debug, Clone)]
pub struct FigureOptions {
    /// Which figure.
    pub kind: FigureKind,
    /// The components across and upward, by name or number; `None` for the first and the second.
    pub axes: [Option<String>; 2],
    /// Supplementary columns: the circle shows their correlations with the components, which are computed without them.
    pub supplementary: Vec<String>,
    /// The column that colors the points, or `torn`: how far the picture tears each row from its nearest rows.
    pub color: Option<String>,
    /// The seed of the rules for the number of components.
    pub seed: u64,
    /// A title that replaces the figure's own.
    pub title: Option<String>,
    /// The form and size of the drawing.
    pub paper: Paper,
}

/// A figure that was drawn.
#[derive(Debug)]
pub struct Drawn {
    /// The figure.
    pub figure: Figure,
    /// The figure as SVG, PNG or text.
    pub drawing: Drawing,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

impl FigureOptions {
    /// The default options of a figure.
    pub fn new(kind: FigureKind, paper: Paper) -> Self {
        FigureOptions {
            kind,
            axes: [None, None],
            supplementary: Vec::new(),
            color: None,
            seed: 0,
            title: None,
            paper,
        }
    }

    /// Refuses options that cannot be drawn, whatever the rows are.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        self.paper.check()?;
        match self.supplementary.is_empty() || self.kind == FigureKind::Circle {
            true => Ok(()),
            false => Err(JobError::Usage {
                what: format!("{} has no supplementary columns", self.kind.name()),
                advice: [
                    Clause::typed("eigenspan plot circle").then(" draws them"),
                    Clause::name("exclude").then(" leaves columns out"),
                ]
                .into(),
            }),
        }
    }
}

/// A drawing with another title, if one is given.
struct Titled<'a> {
    drawing: &'a dyn Draw,
    title: Option<&'a str>,
}

impl Draw for Titled<'_> {
    fn figure(&self, size: Size) -> Figure {
        let mut figure = self.drawing.figure(size);
        if let Some(title) = self.title {
            figure.title = title.to_owned();
        }
        figure
    }

    fn terminal(&self, width: usize) -> String {
        self.drawing.terminal(width)
    }
}

/// Draws a figure of a subject.
pub fn draw(ctx: &Context, subject: &Subject, options: &FigureOptions) -> Result<Drawn, JobError> {
    options.check()?;
    let modeled = modeled(ctx, subject, options)?;
    let mut drawn = None;
    let sink: Sink<'_> = &mut |drawing| {
        let titled = Titled {
            drawing,
            title: options.title.as_deref(),
        };
        drawn = Some(options.paper.draw(&titled)?);
        Ok(())
    };
    let notes = match pca_of(&*modeled.fitted) {
        Some(pca) => {
            let given = subject
                .fitting()
                .map(|fitting| fitting.explicit.n_components);
            let figure = PcaFigure::new(ctx, &modeled, pca, options, given)?;
            figure.draw(ctx, options, sink)?;
            figure.notes
        }
        None => {
            let figure = PlainFigure::new(&modeled);
            figure.draw(ctx, options, sink)?;
            figure.notes()
        }
    };
    let (figure, drawing) = drawn.ok_or_else(|| JobError::Usage {
        what: format!("there is nothing to draw as {}", options.kind.name()),
        advice: Advice::default(),
    })?;
    Ok(Drawn {
        figure,
        drawing,
        notes,
    })
}

/// The model, with the rows that the figure needs.
fn modeled(ctx: &Context, subject: &Subject, options: &FigureOptions) -> Result<Modeled, JobError> {
    let kind = options.kind;
    let Some(model) = subject.existing_model()? else {
        if subject.rows.is_none() {
            return Err(JobError::Usage {
                what: "nothing to draw".to_owned(),
                advice: Clause::typed(format!("eigenspan plot {} DATA", kind.name())).into(),
            });
        }
        let fit = fit::fit(ctx, subject)?;
        plain::refuse(kind, &*fit.fitted)?;
        return Ok(Modeled::from_fit(fit));
    };
    let is_pca = pca_of(&*model.fitted).is_some();
    plain::refuse(kind, &*model.fitted)?;
    let needs_rows = kind.needs_rows() || !options.supplementary.is_empty();
    // Figures of columns look at rows only for a PCA.
    let rows = subject.rows.as_ref();
    let rows = rows.filter(|_| is_pca || kind.needs_rows());
    if needs_rows && rows.is_none() && !plain::holds_rows(options, &*model.fitted) {
        return Err(no_rows(options, &model.name));
    }
    let mut modeled = Modeled::from_existing(ctx, model, rows)?;
    if !is_pca && modeled.rows.is_some() {
        let known = modeled.fitted.common().notes.to_vec();
        modeled.notes.splice(0..0, known);
    }
    Ok(modeled)
}

/// The error for a figure that a model alone is not enough for.
fn no_rows(options: &FigureOptions, model: &str) -> JobError {
    let name = options.kind.name();
    let what = match options.kind.needs_rows() {
        true => format!("{name} shows rows, and a model holds none"),
        false => "supplementary columns are read from data".to_owned(),
    };
    JobError::Usage {
        what,
        advice: Clause::typed(format!("eigenspan plot {name} {model} DATA")).into(),
    }
}
