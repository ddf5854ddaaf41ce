//! `plot`: a subject → one figure, as SVG, PNG or text for the terminal. Nothing is written here.

mod drawing;
mod facts;
mod kind;
mod paper;
mod pca;
mod plain;
mod rows;

use eigenspan::{Context, Note, Pca};

pub use kind::FigureKind;
pub use paper::{Drawing, Medium, Paper};

use crate::JobError;
use crate::figure::{Draw, Figure, Size};
use crate::fit::{self, Modeled};
use crate::subject::Subject;
use drawing::Sink;
use pca::PcaFigure;
use plain::PlainFigure;

/// Which figure is drawn, of what, and on what.
#[derive(Debug, Clone)]
pub struct Look {
    /// Which figure.
    pub kind: FigureKind,
    /// The components across and upward, by name or number; none for the first two.
    pub axes: [Option<String>; 2],
    /// Columns that the circle holds against the components without a part in them.
    pub supplementary: Vec<String>,
    /// The column that colors the points.
    pub color: Option<String>,
    /// The seed of the rules for the number of components.
    pub seed: u64,
    /// What stands above it in place of its own title.
    pub title: Option<String>,
    /// What it is drawn on.
    pub paper: Paper,
}

/// A figure that was drawn.
#[derive(Debug)]
pub struct Drawn {
    /// The figure.
    pub figure: Figure,
    /// The figure as it goes out.
    pub drawing: Drawing,
    /// What a person should know.
    pub notes: Vec<Note>,
}

impl Look {
    /// The usual look of a figure.
    pub fn new(kind: FigureKind, paper: Paper) -> Self {
        Look {
            kind,
            axes: [None, None],
            supplementary: Vec::new(),
            color: None,
            seed: 0,
            title: None,
            paper,
        }
    }

    /// Refuses what cannot be drawn, whatever the rows are.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        self.paper.check()?;
        match self.supplementary.is_empty() || self.kind == FigureKind::Circle {
            true => Ok(()),
            false => Err(JobError::Usage {
                what: format!("{} has no supplementary columns", self.kind.name()),
                tip: Some(
                    "eigenspan plot circle draws them; --exclude leaves columns out".to_owned(),
                ),
            }),
        }
    }
}

/// A drawing with another title, where one is given.
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
pub fn draw(ctx: &Context, subject: &Subject, look: &Look) -> Result<Drawn, JobError> {
    look.check()?;
    let modeled = modeled(ctx, subject, look)?;
    let mut drawn = None;
    let sink: Sink<'_> = &mut |drawing| {
        let titled = Titled {
            drawing,
            title: look.title.as_deref(),
        };
        drawn = Some(look.paper.draw(&titled)?);
        Ok(())
    };
    let notes = match modeled.fitted.downcast::<Pca>() {
        Some(pca) => {
            let given = subject
                .fitting()
                .map(|fitting| fitting.explicit.n_components);
            let figure = PcaFigure::new(ctx, &modeled, pca, look, given)?;
            figure.draw(ctx, look, sink)?;
            figure.notes
        }
        None => {
            PlainFigure::new(&modeled).draw(ctx, look, sink)?;
            modeled.notes
        }
    };
    let (figure, drawing) = drawn.ok_or_else(|| JobError::Usage {
        what: format!("there is nothing to draw as {}", look.kind.name()),
        tip: None,
    })?;
    Ok(Drawn {
        figure,
        drawing,
        notes,
    })
}

/// The model with the rows that the figure needs.
fn modeled(ctx: &Context, subject: &Subject, look: &Look) -> Result<Modeled, JobError> {
    let kind = look.kind;
    let Some(model) = subject.known_model()? else {
        if subject.rows.is_none() {
            return Err(JobError::Usage {
                what: "nothing to draw".to_owned(),
                tip: Some(format!("eigenspan plot {} DATA", kind.name())),
            });
        }
        let fit = fit::fit(ctx, subject)?;
        plain::refuse_columns(kind, &*fit.fitted)?;
        return Ok(Modeled::from_fit(fit));
    };
    let is_pca = model.fitted.downcast::<Pca>().is_some();
    plain::refuse_columns(kind, &*model.fitted)?;
    let needs_rows = kind.needs_rows() || !look.supplementary.is_empty();
    // Of any other method, the shares alone are drawn without rows.
    let rows = subject.rows.as_ref();
    let rows = rows.filter(|_| is_pca || kind != FigureKind::Scree);
    if needs_rows && rows.is_none() {
        return Err(no_rows(look, &model.name));
    }
    let mut modeled = Modeled::from_known(ctx, model, rows)?;
    if !is_pca && modeled.rows.is_some() {
        let known = modeled.fitted.common().notes.to_vec();
        modeled.notes.splice(0..0, known);
    }
    Ok(modeled)
}

/// A model alone is not enough for what is to be drawn.
fn no_rows(look: &Look, model: &str) -> JobError {
    let name = look.kind.name();
    let what = match look.kind.needs_rows() {
        true => format!("{name} shows rows, and a model holds none"),
        false => "supplementary columns are read from data".to_owned(),
    };
    JobError::Usage {
        what,
        tip: Some(format!("eigenspan plot {name} {model} DATA")),
    }
}
