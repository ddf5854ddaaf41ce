//! The form in which a figure is drawn: SVG, PNG, or text for the terminal.

use eigenspan::note::{Clause, Setting};
use eigenspan_io::Output;

use crate::JobError;
use crate::figure::terminal::lines::wrapped;
use crate::figure::{Draw, Figure, Size, Theme, png, svg};

/// The form and size of a drawing.
#[derive(Debug, Clone)]
pub struct Paper {
    /// The form it is drawn in.
    pub medium: Medium,
    /// Width in pixels.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// Whether the paper is dark.
    pub dark: bool,
}

/// The form of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// Text for a terminal.
    Terminal {
        /// Characters in a line.
        columns: usize,
    },
    /// A vector drawing.
    Svg,
    /// A raster picture (PNG).
    Png,
}

/// A figure as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawing {
    /// Text for a terminal.
    Text(String),
    /// A vector drawing (SVG).
    Svg(String),
    /// A raster picture: the bytes of a PNG file.
    Png(Vec<u8>),
}

impl Medium {
    /// The form, from the name of the file. Standard output gets SVG; without an output, the figure is text for a terminal of this width.
    pub fn for_output(output: Option<&Output>, columns: usize) -> Result<Self, JobError> {
        let path = match output {
            None => return Ok(Medium::Terminal { columns }),
            Some(Output::Stdout) => return Ok(Medium::Svg),
            Some(Output::Path(path)) => path,
        };
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match extension.to_lowercase().as_str() {
            "svg" => Ok(Medium::Svg),
            "png" => Ok(Medium::Png),
            _ => Err(JobError::Usage {
                what: format!("{}: a figure is written as .svg or .png", path.display()),
                advice: Clause::typed(format!("-o {}", path.with_extension("svg").display()))
                    .into(),
            }),
        }
    }
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 640.0;
/// Pixels of a PNG per pixel of the drawing, if no width is given.
const SHARP: f64 = 2.0;
/// The smallest and the largest allowed side.
const SIDES: std::ops::RangeInclusive<u32> = 200..=8000;

/// The clause that begins with both sides of a figure.
fn width_and_height() -> Clause {
    Clause::name("width")
        .then(" and ")
        .and(Setting::named("height"))
}

impl Paper {
    /// Paper of the default size.
    pub fn new(medium: Medium) -> Self {
        Paper {
            medium,
            width: None,
            height: None,
            dark: false,
        }
    }

    /// Refuses a size that is too small or too large.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        for side in [self.width, self.height].into_iter().flatten() {
            if !SIDES.contains(&side) {
                return Err(JobError::Usage {
                    what: format!("a figure of {side} pixels"),
                    advice: width_and_height().then(" take 200 to 8000 pixels").into(),
                });
            }
        }
        Ok(())
    }

    /// Draws a figure.
    pub(crate) fn draw(&self, drawing: &dyn Draw) -> Result<(Figure, Drawing), JobError> {
        let theme = if self.dark { Theme::Dark } else { Theme::Page };
        Ok(match self.medium {
            Medium::Terminal { columns } => {
                let figure = drawing.figure(Size::default());
                let columns = columns.min(100);
                let text = drawing.terminal(columns);
                let title = wrapped(&figure.title, columns);
                (figure, Drawing::Text(format!("{title}\n{text}")))
            }
            Medium::Svg => {
                let figure = self.sized(drawing, 1.0);
                let svg = svg::file(&figure, theme);
                (figure, Drawing::Svg(svg))
            }
            Medium::Png => {
                let scale = self
                    .width
                    .map_or(SHARP, |w| (f64::from(w) / WIDTH).max(1.0));
                let figure = self.sized(drawing, scale);
                let bytes = png::draw(&figure.headed(), scale, self.dark);
                let bytes = bytes.map_err(|error| JobError::Usage {
                    what: error.to_string(),
                    advice: width_and_height().then(" make it smaller").into(),
                })?;
                (figure, Drawing::Png(bytes))
            }
        })
    }

    /// The figure with its title, in the requested size.
    fn sized(&self, drawing: &dyn Draw, scale: f64) -> Figure {
        let width = self.width.map_or(WIDTH, |w| f64::from(w) / scale);
        let height = self.height.map_or(HEIGHT, |h| f64::from(h) / scale);
        let size = |height: f64| Size { width, height };
        // The height depends on how many lines the title takes.
        let head = drawing.figure(size(height)).head_height(width);
        let body = (height - head).max(80.0);
        let mut figure = drawing.figure(size(body));
        if self.height.is_some() {
            figure.scene.height = body;
        }
        figure
    }
}
