//! What a figure is drawn on: a file, SVG or PNG by its name, standard output, or the terminal.

use eigenspan_io::{Output, write_atomically};

use crate::JobError;
use crate::figure::terminal::lines::wrapped;
use crate::figure::{Draw, Figure, Size, Theme, png, svg};

/// Where a figure goes, and in which size.
#[derive(Debug, Clone)]
pub struct Paper {
    /// The file; none for the terminal.
    pub output: Option<Output>,
    /// Width in pixels.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// Whether the paper is dark.
    pub dark: bool,
    /// Characters in a line of the terminal.
    pub columns: usize,
}

/// A figure as it goes out.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) figure: Figure,
    /// What goes to standard output: the drawing for the terminal, or SVG where that was asked for.
    pub(crate) text: Option<String>,
    /// What goes to the file.
    bytes: Option<Vec<u8>>,
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

impl Paper {
    /// Refuses a size or a kind of file that there is not.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        self.format()?;
        for side in [self.width, self.height].into_iter().flatten() {
            if !SIDES.contains(&side) {
                return Err(JobError::Usage {
                    what: format!("a figure of {side} pixels"),
                    tip: Some("--width and --height take 200 to 8000 pixels".to_owned()),
                });
            }
        }
        Ok(())
    }

    fn format(&self) -> Result<Option<Format>, JobError> {
        self.output.as_ref().map(format_of).transpose()
    }

    /// Draws a figure; nothing is written yet.
    pub(crate) fn draw(&self, drawing: &dyn Draw) -> Result<Drawn, JobError> {
        let theme = if self.dark { Theme::Dark } else { Theme::Page };
        let (figure, text, bytes) = match self.format()? {
            None => {
                let figure = drawing.figure(Size::default());
                let columns = self.columns.min(100);
                let text = drawing.terminal(columns);
                let title = wrapped(&figure.title, columns);
                let text = format!("{title}\n{text}");
                (figure, Some(text), None)
            }
            Some(Format::Svg) => {
                let figure = self.sized(drawing, 1.0);
                let svg = svg::file(&figure, theme);
                match &self.output {
                    Some(Output::Stdout) => (figure, Some(svg), None),
                    _ => (figure, None, Some(svg.into_bytes())),
                }
            }
            Some(Format::Png) => {
                let scale = self
                    .width
                    .map_or(SHARP, |w| (f64::from(w) / WIDTH).max(1.0));
                let figure = self.sized(drawing, scale);
                let bytes = png::draw(&figure.headed(), scale, self.dark);
                let bytes = bytes.map_err(|error| JobError::Usage {
                    what: error.to_string(),
                    tip: Some("--width and --height make it smaller".to_owned()),
                })?;
                (figure, None, Some(bytes))
            }
        };
        Ok(Drawn {
            figure,
            text,
            bytes,
        })
    }

    /// The figure with its head, in the size asked for.
    fn sized(&self, drawing: &dyn Draw, scale: f64) -> Figure {
        let width = self.width.map_or(WIDTH, |w| f64::from(w) / scale);
        let height = self.height.map_or(HEIGHT, |h| f64::from(h) / scale);
        let size = |height: f64| Size { width, height };
        // How many lines the title takes is known only when it is there.
        let head = drawing.figure(size(height)).head_height(width);
        let body = (height - head).max(80.0);
        let mut figure = drawing.figure(size(body));
        if self.height.is_some() {
            figure.scene.height = body;
        }
        figure
    }
}

impl Drawn {
    /// Writes the file, if there is one, and gives its name.
    pub(crate) fn write(&self, paper: &Paper) -> Result<Vec<String>, JobError> {
        let (Some(Output::Path(path)), Some(bytes)) = (&paper.output, &self.bytes) else {
            return Ok(Vec::new());
        };
        write_atomically(path, |file| file.write_all(bytes))?;
        Ok(vec![path.display().to_string()])
    }
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
