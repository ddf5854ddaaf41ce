//! The options of `eigenspan plot`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use eigenspan_report::plot::FigureKind;

use super::{Pca, Reading};

/// A figure to be drawn.
#[derive(Debug, Clone, Args)]
#[command(after_help = super::examples::PLOT)]
pub(crate) struct Plot {
    /// The figure
    #[arg(value_name = "FIGURE", value_parser = kinds())]
    pub(crate) kind: FigureKind,

    /// A model file, data, or a model and data: figures of rows (scores, biplot, outliers, pairs) need data
    #[arg(value_name = "MODEL|DATA", required = true, num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,

    /// Write the figure to this file, SVG or PNG by its name; - writes SVG to standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Figure")]
    pub(crate) output: Option<PathBuf>,

    /// The component across, by its name or number: PC1, Dim.1, 1 [default: the first]
    #[arg(long, value_name = "COMPONENT", help_heading = "Figure")]
    pub(crate) x: Option<String>,

    /// The component upward [default: the second]
    #[arg(long, value_name = "COMPONENT", help_heading = "Figure")]
    pub(crate) y: Option<String>,

    /// Columns to draw in the circle without using them to compute the components (names, separated by commas)
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Figure"
    )]
    pub(crate) supplementary: Vec<String>,

    /// Color points by this column, text or numbers [default: the label, else the first column of few texts]; `torn` colors rows by how
    /// far the picture tears them from the rows nearest to them
    #[arg(long, value_name = "COLUMN", help_heading = "Figure")]
    pub(crate) color_by: Option<String>,

    /// Width in pixels [default: 900, PNG 1800]
    #[arg(long, value_name = "PIXELS", help_heading = "Figure")]
    pub(crate) width: Option<u32>,

    /// Height in pixels [default: as the figure needs, at most 640, PNG 1280]
    #[arg(long, value_name = "PIXELS", help_heading = "Figure")]
    pub(crate) height: Option<u32>,

    /// Draw on dark paper; without it an SVG follows the page it is in, and a PNG is light
    #[arg(long, help_heading = "Figure")]
    pub(crate) dark: bool,

    #[command(flatten)]
    pub(crate) reading: Reading,

    #[command(flatten)]
    pub(crate) pca: Pca,
}

fn kinds() -> impl TypedValueParser<Value = FigureKind> {
    let known = FigureKind::ALL.map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(known)
        .try_map(|name| FigureKind::named(&name).ok_or("no such figure"))
}
