//! Every figure of the project, drawn once: numbers and names become a [`Figure`], which becomes SVG, PNG or terminal text.
//!
//! One file per figure. A figure takes plain numbers and names and computes nothing but its layout. Its title states the main result,
//! its caption says which question it answers and how it is drawn, and its CSV is the data behind it.
//!
//! | file | question |
//! |---|---|
//! | [`scree`] | how many components? |
//! | [`scores`], [`pairs`] | are there groups, and who is where? |
//! | [`biplot`], [`circle`] | which columns pull which way? |
//! | [`loadings`], [`heatmap`] | what are the components made of? |
//! | [`contributions`] | which columns or rows make a component, and are they well shown? |
//! | [`directions`] | what do principal directions keep, and what random ones? |
//! | [`reconstruction`] | what is lost with k components? |
//! | [`alike`] | would other rows give the same components? |
//! | [`outliers`] | which rows are unlike the rest? |
//! | [`pictures`] | what do components of pictures look like? |
//! | [`search`] | which parameters do best on rows not seen? |
//! | [`accuracy`] | after which reduction, and with how many components, are labels predicted best? |

pub mod accuracy;
pub mod alike;
pub mod axis;
pub mod bars;
pub mod biplot;
pub mod circle;
mod cloud;
pub mod coloring;
pub mod contributions;
pub mod directions;
pub mod heatmap;
pub mod labels;
pub mod legend;
mod line;
pub mod loadings;
pub(crate) mod markup;
pub mod measure;
pub(crate) mod numbers;
pub mod outliers;
pub mod pairs;
pub mod palette;
pub mod pictures;
pub mod png;
pub mod reconstruction;
pub mod rows;
pub mod scale;
pub mod scene;
pub mod scores;
pub mod scree;
pub mod search;
pub mod svg;
pub mod terminal;

use crate::words::percent;
use scene::{Ink, Item, Scene, Text};

/// A drawing with its title, caption and data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Its name on a page: `scree`, `scores-pc1-pc2`.
    pub id: String,
    /// The title: the main result, in words.
    pub title: String,
    /// The subtitle: what is drawn, and what is left out.
    pub subtitle: String,
    /// The caption: which question the figure answers, and how to read it.
    pub caption: String,
    /// The drawing, without title and subtitle.
    pub scene: Scene,
    /// The same drawing for a narrow page, if the figure is for a page.
    pub narrow: Option<Scene>,
    /// The data behind it.
    pub csv: String,
}

/// Words that replace others if columns were not centered.
pub(crate) const ABOUT_ZERO: &str = "columns were not centered: shares are shares of sums of squares about zero, not of variances, and correlations are cosines about zero";

impl Figure {
    /// The same figure with words that are true if columns were not centered.
    pub(crate) fn about_zero(mut self) -> Self {
        for text in [&mut self.title, &mut self.subtitle, &mut self.caption] {
            *text = text.replace("of the variance", "of the sum of squares");
            *text = text.replace("strong correlation", "strong cosine about zero");
        }
        for text in [&mut self.subtitle, &mut self.caption] {
            *text = text.replace("correlations", "cosines about zero");
            *text = text.replace("correlation", "cosine about zero");
        }
        for scene in [Some(&mut self.scene), self.narrow.as_mut()]
            .into_iter()
            .flatten()
        {
            for item in &mut scene.items {
                if let Item::Text(text) = item {
                    let said = text
                        .text
                        .replace("of the variance", "of the sum of squares");
                    let said = said.replace("correlation with", "cosine about zero with");
                    text.text = said.replace("correlation of a", "cosine about zero of a");
                }
            }
        }
        let (first, rest) = ABOUT_ZERO.split_at(1);
        self.caption += &format!(" {}{rest}.", first.to_uppercase());
        self
    }
}

/// The words of figures that divide the variance.
const OF_VARIANCE: &str = "of the variance";

impl Figure {
    /// The same figure with words for where the variance is that its shares divide, to follow "variance": `" in feature space"`.
    pub(crate) fn in_place(mut self, place: &str) -> Self {
        for text in [&mut self.title, &mut self.subtitle, &mut self.caption] {
            *text = in_place(text, place);
        }
        for scene in [Some(&mut self.scene), self.narrow.as_mut()] {
            for item in scene.into_iter().flat_map(|scene| &mut scene.items) {
                if let Item::Text(text) = item {
                    text.text = in_place(&text.text, place);
                }
            }
        }
        self
    }
}

/// A text about shares of the variance, with words for where that variance is. The variance of something that is named stays what it is.
fn in_place(text: &str, place: &str) -> String {
    if place.is_empty() {
        return text.to_owned();
    }
    // A heading has no room for more words; what is shared out is said in the title.
    let text = text.replace(
        "share of the variance of each component",
        "share of each component",
    );
    let mut parts = text.split(OF_VARIANCE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += OF_VARIANCE;
        out += if part.starts_with(" of ") { "" } else { place };
        out += part;
    }
    out
}

/// A figure with words for where the variance is that its shares divide.
pub(crate) struct InPlace<'a> {
    pub(crate) drawing: &'a dyn Draw,
    pub(crate) place: &'a str,
}

impl Draw for InPlace<'_> {
    fn figure(&self, size: Size) -> Figure {
        self.drawing.figure(size).in_place(self.place)
    }

    fn terminal(&self, width: usize) -> String {
        in_place(&self.drawing.terminal(width), self.place)
    }
}

/// The color scheme of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Light or dark, like the reader's page or system.
    #[default]
    Page,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The size of a drawing in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Default for Size {
    fn default() -> Self {
        Size {
            width: 900.0,
            height: 600.0,
        }
    }
}

/// A figure that can be drawn on paper of any size, and in a terminal.
pub trait Draw {
    /// Draws the figure.
    fn figure(&self, size: Size) -> Figure;

    /// Draws the figure in Unicode for a terminal of this width.
    fn terminal(&self, width: usize) -> String;
}

/// The width of a drawing for a page on a telephone.
pub const NARROW: f64 = 400.0;

/// A figure for a page: drawn in its size, and again for a narrow screen with the given height.
pub fn for_page(drawing: &dyn Draw, size: Size, narrow: f64) -> Figure {
    let small = Size {
        width: NARROW,
        height: narrow,
    };
    Figure {
        narrow: Some(drawing.figure(small).scene),
        ..drawing.figure(size)
    }
}

/// Implements [`Draw`] for figures.
macro_rules! draw {
    ($($figure:ty),* $(,)?) => {
        $(impl Draw for $figure {
            fn figure(&self, size: Size) -> Figure {
                self.figure(size)
            }

            fn terminal(&self, width: usize) -> String {
                self.terminal(width)
            }
        })*
    };
}

draw!(
    scree::Scree<'_>,
    scores::Scores<'_>,
    biplot::Biplot<'_>,
    circle::Circle<'_>,
    loadings::Loadings<'_>,
    heatmap::Heatmap<'_>,
    contributions::Contributions<'_>,
    directions::Directions<'_>,
    reconstruction::Reconstruction<'_>,
    alike::Alike<'_>,
    outliers::Outliers<'_>,
    pairs::Pairs<'_>,
    pictures::Pictures<'_>,
    search::Search,
    accuracy::Panels,
);

/// A component as an axis names it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component<'a> {
    /// `PC1`, or the name in the model.
    pub name: &'a str,
    /// Its share of the variance, if the method has shares.
    pub share: Option<f64>,
    /// Its meaning: `more flavanoids · less hue`.
    pub words: &'a str,
}

impl<'a> From<&'a crate::summary::Axis> for Component<'a> {
    fn from(axis: &'a crate::summary::Axis) -> Self {
        Component {
            name: &axis.name,
            share: Some(axis.share),
            words: &axis.words,
        }
    }
}

impl Component<'_> {
    /// `PC1 (36.2 %)`, or the name alone.
    pub fn heading(&self) -> String {
        match self.share {
            Some(share) => format!("{} ({})", self.name, percent(share)),
            None => self.name.to_owned(),
        }
    }

    /// `PC1 (36.2 %): more flavanoids`.
    pub fn title(&self) -> String {
        match self.words {
            "" => self.heading(),
            words => format!("{}: {words}", self.heading()),
        }
    }

    /// The share of the variance of this component and another together; if they are the same, it counts once.
    fn share_with(&self, other: &Component<'_>) -> Option<f64> {
        match self.name == other.name {
            true => self.share,
            false => Some(self.share? + other.share?),
        }
    }

    /// Its name for use in the name of a figure: `pc1`.
    fn slug(&self) -> String {
        let letters = self.name.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_lowercase()
    }
}

const TITLE: f64 = 17.0;
const SUBTITLE: f64 = 12.5;
const MARGIN: f64 = 16.0;

impl Figure {
    /// The height of the title and the subtitle above a drawing of this width.
    pub fn head_height(&self, width: f64) -> f64 {
        let (title, subtitle) = self.head_lines(width);
        let below = if subtitle.is_empty() { 0.0 } else { 4.0 };
        14.0 + 1.3 * TITLE * title.len() as f64
            + below
            + 1.36 * SUBTITLE * subtitle.len() as f64
            + 8.0
    }

    /// The drawing with title and subtitle above it.
    pub fn headed(&self) -> Scene {
        let head = self.head_height(self.scene.width);
        let mut whole = self.scene.clone();
        whole.height += head;
        whole.items.iter_mut().for_each(|item| lower(item, head));
        whole.frames.iter_mut().for_each(|f| f.area.top += head);
        let (title, subtitle) = self.head_lines(whole.width);
        let mut y = 14.0;
        for line in title {
            y += 1.3 * TITLE;
            whole.text(Text::new(MARGIN, y - 0.3 * TITLE, line, TITLE).bold());
        }
        y += 4.0;
        for line in subtitle {
            y += 1.36 * SUBTITLE;
            let text = Text::new(MARGIN, y - 0.3 * SUBTITLE, line, SUBTITLE);
            whole.text(text.ink(Ink::Muted));
        }
        whole
    }

    fn head_lines(&self, width: f64) -> (Vec<String>, Vec<String>) {
        let most = (width - 2.0 * MARGIN).max(40.0);
        // On narrow paper, the same words take more lines.
        let lines = if width < 640.0 { (5, 10) } else { (3, 5) };
        (
            measure::wrap(&self.title, most, TITLE, true, lines.0),
            measure::wrap(&self.subtitle, most, SUBTITLE, false, lines.1),
        )
    }
}

fn lower(item: &mut Item, by: f64) {
    match item {
        Item::Rect { area, .. } => area.top += by,
        Item::Line { from, to, .. } => {
            from.1 += by;
            to.1 += by;
        }
        Item::Circle { center, .. } => center.1 += by,
        Item::Path { steps, .. } => {
            for step in steps {
                match step {
                    scene::Step::Move(_, y) | scene::Step::Line(_, y) => *y += by,
                    scene::Step::Curve(c) => c.iter_mut().skip(1).step_by(2).for_each(|y| *y += by),
                    scene::Step::Close => {}
                }
            }
        }
        Item::Text(text) => text.y += by,
        Item::Marks(marks) => marks.points.iter_mut().for_each(|p| p.1 += by),
        Item::Cells(cells) => cells.area.top += by,
    }
}

/// Lines of CSV.
#[derive(Debug, Default)]
pub(crate) struct Csv(pub(crate) String);

impl Csv {
    pub(crate) fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Self {
        let mut csv = Csv::default();
        csv.line(header.into_iter().map(str::to_owned));
        csv
    }

    pub(crate) fn line(&mut self, cells: impl IntoIterator<Item = String>) {
        for (i, cell) in cells.into_iter().enumerate() {
            if i > 0 {
                self.0.push(',');
            }
            if cell.contains([',', '"', '\n', '\r']) {
                self.0 += &format!("\"{}\"", cell.replace('"', "\"\""));
            } else {
                self.0 += &cell;
            }
        }
        self.0.push('\n');
    }
}

/// Numbers per column, one line per column; each list has its own heading.
fn columns_csv(names: &[String], lists: &[(&str, &[f64])]) -> String {
    let heads = lists.iter().map(|(head, _)| *head);
    let mut csv = Csv::new(std::iter::once("column").chain(heads));
    for (j, name) in names.iter().enumerate() {
        let cells = lists.iter().map(|(_, list)| list.get(j).copied());
        let cells = cells.map(|x| cell(x.unwrap_or(f64::NAN)));
        csv.line(std::iter::once(name.clone()).chain(cells));
    }
    csv.0
}

/// A number as CSV text; empty if it is not finite.
pub(crate) fn cell(x: f64) -> String {
    if x.is_finite() {
        x.to_string()
    } else {
        String::new()
    }
}

/// Names joined as in a sentence: `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The text with an upper-case first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
