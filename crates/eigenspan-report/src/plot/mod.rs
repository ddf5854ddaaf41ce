//! `plot`: a model or data → one figure → SVG, PNG, or text for the terminal.

mod drawing;
mod kernel;
mod kind;
pub(crate) mod numbers;
mod opened;
mod rows;
mod subject;

use std::path::{Path, PathBuf};

use eigenspan::{Context, Note};
use eigenspan_io::model::{Fitted, Model};
use eigenspan_io::{Input, Output, probe, write_atomically};

pub use kind::Kind;

use crate::JobError;
use crate::figure::{Draw, Figure, Size, Theme, png, svg};
use crate::job::FitJob;
use crate::results::refuse_input;
use drawing::Sink;
use kernel::KernelSubject;
use subject::Subject;

/// A figure to be drawn.
#[derive(Debug, Clone)]
pub struct PlotJob {
    /// Which.
    pub kind: Kind,
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
    /// Where the figure goes; none for the terminal.
    pub output: Option<Output>,
    /// Width of the figure in pixels.
    pub width: Option<u32>,
    /// Height of the figure in pixels.
    pub height: Option<u32>,
    /// Whether it is drawn on dark paper.
    pub dark: bool,
    /// Characters in a line of the terminal.
    pub columns: usize,
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

/// What a figure is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 640.0;
/// Pixels of a PNG per pixel of the drawing, where no width is asked for.
const SHARP: f64 = 2.0;
/// The smallest and largest side that makes sense.
const SIDES: std::ops::RangeInclusive<u32> = 200..=8000;

/// Draws the figure; nothing is written unless everything before went well.
pub fn plot(ctx: &Context, job: &PlotJob) -> Result<Plotted, JobError> {
    let format = job.output.as_ref().map(format_of).transpose()?;
    for side in [job.width, job.height].into_iter().flatten() {
        if !SIDES.contains(&side) {
            return Err(JobError::Usage {
                what: format!("a figure of {side} pixels"),
                tip: Some("--width and --height take 200 to 8000 pixels".to_owned()),
            });
        }
    }
    if !job.supplementary.is_empty() && job.kind != Kind::Circle {
        return Err(JobError::Usage {
            what: format!("{} has no supplementary columns", job.kind.name()),
            tip: Some("eigenspan plot circle draws them; --exclude leaves columns out".to_owned()),
        });
    }
    if let Some(Output::Path(path)) = &job.output {
        refuse_replacing(job, path)?;
        probe(path)?;
    }
    let mut plotted = None;
    let sink: Sink<'_> = &mut |drawing| {
        plotted = Some(render(job, format, drawing)?);
        Ok(())
    };
    let notes = draw(ctx, job, sink)?;
    let (figure, text, bytes) = plotted.ok_or_else(|| JobError::Usage {
        what: format!("there is nothing to draw as {}", job.kind.name()),
        tip: None,
    })?;
    let mut outputs = Vec::new();
    if let (Some(Output::Path(path)), Some(bytes)) = (&job.output, bytes) {
        write_atomically(path, |file| file.write_all(&bytes))?;
        outputs.push(path.display().to_string());
    }
    Ok(Plotted {
        figure,
        text,
        outputs,
        notes,
    })
}

/// Opens what the figure is about and hands the drawing to a sink; gives what a person should know.
fn draw(ctx: &Context, job: &PlotJob, sink: Sink<'_>) -> Result<Vec<Note>, JobError> {
    let pca = match job.model.as_deref().map(Model::load).transpose()? {
        None => None,
        Some(Model {
            fitted, picture, ..
        }) => match fitted {
            Fitted::Pca(pca) => Some((*pca, picture)),
            Fitted::KernelPca(kpca) => {
                let subject = KernelSubject::open(ctx, job, *kpca, picture)?;
                subject.draw(ctx, job, sink)?;
                return Ok(subject.notes);
            }
            _ => {
                return Err(JobError::Usage {
                    what: "a model of a method that has no figures".to_owned(),
                    tip: None,
                });
            }
        },
    };
    let subject = Subject::open(ctx, job, pca)?;
    subject.draw(ctx, job, sink)?;
    Ok(subject.notes)
}

type Rendered = (Figure, Option<String>, Option<Vec<u8>>);

fn render(job: &PlotJob, format: Option<Format>, drawing: &dyn Draw) -> Result<Rendered, JobError> {
    let theme = if job.dark { Theme::Dark } else { Theme::Page };
    match format {
        None => {
            let figure = drawing.figure(Size::default());
            let text = drawing.terminal(job.columns.min(100));
            let text = format!(" {}\n\n{text}", figure.title);
            Ok((figure, Some(text), None))
        }
        Some(Format::Svg) => {
            let figure = sized(drawing, job, 1.0);
            let svg = svg::file(&figure, theme);
            match &job.output {
                Some(Output::Stdout) => Ok((figure, Some(svg), None)),
                _ => Ok((figure, None, Some(svg.into_bytes()))),
            }
        }
        Some(Format::Png) => {
            let scale = job.width.map_or(SHARP, |w| (f64::from(w) / WIDTH).max(1.0));
            let figure = sized(drawing, job, scale);
            let bytes = png::draw(&figure.headed(), scale, job.dark);
            let bytes = bytes.map_err(|error| JobError::Usage {
                what: error.to_string(),
                tip: Some("--width and --height make it smaller".to_owned()),
            })?;
            Ok((figure, None, Some(bytes)))
        }
    }
}

/// The figure with its head, in the size asked for.
fn sized(drawing: &dyn Draw, job: &PlotJob, scale: f64) -> Figure {
    let width = job.width.map_or(WIDTH, |w| f64::from(w) / scale);
    let height = job.height.map_or(HEIGHT, |h| f64::from(h) / scale);
    let size = |height: f64| Size { width, height };
    // How many lines the title takes is known only when it is there.
    let head = drawing.figure(size(height)).head_height(width);
    let body = (height - head).max(80.0);
    let mut figure = drawing.figure(size(body));
    if job.height.is_some() {
        figure.scene.height = body;
    }
    figure
}

fn format_of(output: &Output) -> Result<Format, JobError> {
    let Output::Path(path) = output else {
        return Ok(Format::Svg);
    };
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match extension.to_lowercase().as_str() {
        "svg" => Ok(Format::Svg),
        "png" => Ok(Format::Png),
        _ => Err(JobError::Usage {
            what: format!("{}: a figure is written as .svg or .png", path.display()),
            tip: Some(format!("-o {}", path.with_extension("svg").display())),
        }),
    }
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
