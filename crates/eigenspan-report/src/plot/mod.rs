//! `plot`: a model or data → one figure → SVG, PNG, or text for the terminal.

mod drawing;
mod kind;
mod opened;
mod paper;
mod plain;
mod rows;
mod subject;

use std::path::{Path, PathBuf};

use eigenspan::{Context, Note, Pca};
use eigenspan_io::model::Model;
use eigenspan_io::{Input, Output, probe};

pub use kind::FigureKind;
pub use paper::Paper;

use crate::JobError;
use crate::figure::Figure;
use crate::job::{self, FitJob};
use crate::pca::is_pca;
use crate::results::refuse_input;
use drawing::Sink;
use plain::PlainSubject;
use subject::Subject;

/// A figure to be drawn.
#[derive(Debug, Clone)]
pub struct PlotJob {
    /// Which.
    pub kind: FigureKind,
    /// The model, if there is one already.
    pub model: Option<PathBuf>,
    /// The data: what to fit, or what to project with the model.
    pub data: Option<FitJob>,
    /// The components across and upward, by name or number; none for the first two.
    pub axes: [Option<String>; 2],
    /// Columns that the circle holds against the components without a part in them.
    pub supplementary: Vec<String>,
    /// The column that colors the points.
    pub color: Option<String>,
    /// What it is drawn on.
    pub paper: Paper,
}

/// A figure that was drawn.
#[derive(Debug)]
pub struct Plotted {
    /// The figure.
    pub figure: Figure,
    /// What goes to standard output: the drawing for the terminal, or SVG where that was asked for.
    pub text: Option<String>,
    /// The file written.
    pub outputs: Vec<String>,
    /// What a person should know.
    pub notes: Vec<Note>,
}

/// Draws the figure; nothing is written unless everything before went well.
pub fn plot(ctx: &Context, job: &PlotJob) -> Result<Plotted, JobError> {
    let paper = &job.paper;
    paper.check()?;
    if !job.supplementary.is_empty() && job.kind != FigureKind::Circle {
        return Err(JobError::Usage {
            what: format!("{} has no supplementary columns", job.kind.name()),
            tip: Some("eigenspan plot circle draws them; --exclude leaves columns out".to_owned()),
        });
    }
    if let Some(Output::Path(path)) = &paper.output {
        refuse_replacing(job, path)?;
        probe(path)?;
    }
    let mut plotted = None;
    let sink: Sink<'_> = &mut |drawing| {
        plotted = Some(paper.draw(drawing)?);
        Ok(())
    };
    let notes = draw(ctx, job, sink)?;
    let drawn = plotted.ok_or_else(|| JobError::Usage {
        what: format!("there is nothing to draw as {}", job.kind.name()),
        tip: None,
    })?;
    let outputs = drawn.write(paper)?;
    Ok(Plotted {
        figure: drawn.figure,
        text: drawn.text,
        outputs,
        notes,
    })
}

/// Opens what the figure is about and hands the drawing to a sink; gives what a person should know.
fn draw(ctx: &Context, job: &PlotJob, sink: Sink<'_>) -> Result<Vec<Note>, JobError> {
    let model = job.model.as_deref().map(Model::load).transpose()?;
    let pca = match (model, &job.data) {
        (Some(model), _) => {
            let is_pca = model.fitted.downcast::<Pca>().is_some();
            let picture = model.picture;
            match is_pca {
                false => {
                    let subject = PlainSubject::open(ctx, job, model.fitted, picture)?;
                    subject.draw(ctx, job, sink)?;
                    return Ok(subject.notes);
                }
                true => model
                    .fitted
                    .into_downcast::<Pca>()
                    .map(|pca| (*pca, picture)),
            }
        }
        (None, Some(data)) if !is_pca(&*data.method) => {
            let subject = PlainSubject::from_fit(job, job::fit(ctx, data)?)?;
            subject.draw(ctx, job, sink)?;
            return Ok(subject.notes);
        }
        (None, _) => None,
    };
    let mut subject = Subject::open(ctx, job, pca)?;
    if !subject.pca.parts().options.center {
        let text = crate::figure::ABOUT_ZERO.to_owned();
        subject.notes.push(Note::Reading { text });
    }
    subject.draw(ctx, job, sink)?;
    Ok(subject.notes)
}

fn refuse_replacing(job: &PlotJob, output: &Path) -> Result<(), JobError> {
    if let Some(data) = &job.data {
        refuse_input(&data.input, output)?;
    }
    match &job.model {
        Some(model) => refuse_input(&Input::new(model), output),
        None => Ok(()),
    }
}
