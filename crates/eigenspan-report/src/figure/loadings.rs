//! Loadings as bars: what are the components made of? Shows the largest loadings of each component, with intervals if they are known.

use eigenspan::error::{counted, grouped};
use eigenspan::linalg::sort_largest_first;

use super::bars::{Bar, Bars};
use super::measure;
use super::palette::{BLUE, VERMILLION};
use super::scene::{Area, Scene};
use super::{Component, Figure, Size, columns_csv};

/// The loadings of some components.
#[derive(Debug, Clone, Copy)]
pub struct Loadings<'a> {
    /// The components.
    pub components: &'a [Component<'a>],
    /// The loadings of each component, one per column.
    pub loadings: &'a [&'a [f64]],
    /// Names of the columns.
    pub names: &'a [String],
    /// Intervals for each loading of each component, if they are known.
    pub intervals: Option<&'a [Vec<(f64, f64)>]>,
}

/// At most this many bars are drawn per component.
const MOST: usize = 20;
/// A list of bars must be at least this wide to be readable.
const NARROWEST: f64 = 240.0;
/// At most this many components are drawn.
pub(crate) const PANELS: usize = 3;

impl Loadings<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let panels = self.components.len().min(self.loadings.len()).min(PANELS);
        let d = self.names.len();
        // Lists stand side by side if names and bars have room, else below each other.
        let across = ((size.width / NARROWEST) as usize).clamp(1, panels.max(1));
        let down = panels.div_ceil(across).max(1);
        let room = size.height / down as f64;
        let rows = Bars::room(room - 24.0).min(MOST).min(d);
        let height = Bars::height(rows).min(room - 16.0);
        let whole = (height + 16.0) * down as f64 + 8.0;
        let mut scene = Scene::new(size.width, size.height.min(whole));
        let width = (size.width - 32.0) / across as f64;
        let mut drawn: Vec<Vec<Bar>> = Vec::new();
        for panel in 0..panels {
            drawn.push(self.bars(panel, rows));
        }
        // All lists have the same scale, so that lengths can be compared between components.
        let span = drawn
            .iter()
            .map(|bars| as_bars(bars, String::new(), None).reach())
            .fold((0.0f64, 0.0f64), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let span = if span.0 < span.1 { span } else { (-1.0, 1.0) };
        let names = drawn
            .iter()
            .map(|bars| as_bars(bars, String::new(), None).widest())
            .fold(0.0, f64::max);
        for (panel, bars) in drawn.iter().enumerate() {
            let area = Area {
                left: 16.0 + (panel % across) as f64 * width,
                top: 8.0 + (panel / across) as f64 * (height + 16.0),
                width: width - if across > 1 { 18.0 } else { 0.0 },
                height,
            };
            let c = self.components[panel];
            let list = Bars {
                names: Some(names),
                ..as_bars(bars, c.heading(), Some(span))
            };
            list.draw(&mut scene, area);
        }
        Figure {
            id: "loadings".to_owned(),
            title: self.finding(),
            subtitle: self.subtitle(panels, rows),
            caption: self.caption(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn caption(&self) -> String {
        let caption = "What are the components made of? Each bar is the weight of a column in a component: to the right it rises \
                       with the component, to the left it falls.";
        let is_unit = |weights: &&[f64]| {
            let squares: f64 = weights.iter().map(|w| w * w).sum();
            (squares - 1.0).abs() < 1e-6
        };
        match self.loadings.iter().all(is_unit) {
            true => format!("{caption} The squares of all weights of a component sum to 1."),
            false => caption.to_owned(),
        }
    }

    fn bars(&self, panel: usize, most: usize) -> Vec<Bar> {
        let loadings = self.loadings[panel];
        let mut order: Vec<usize> = (0..loadings.len().min(self.names.len()))
            .filter(|&j| loadings[j].is_finite())
            .collect();
        sort_largest_first(&mut order, &|j| loadings[j].abs());
        order.truncate(most);
        order
            .into_iter()
            .map(|j| Bar {
                name: measure::label(&self.names[j]),
                value: loadings[j],
                ink: if loadings[j] < 0.0 { BLUE } else { VERMILLION },
                interval: self
                    .intervals
                    .and_then(|all| all.get(panel)?.get(j).copied()),
            })
            .collect()
    }

    fn finding(&self) -> String {
        let said = self.components.iter().take(2).map(|c| {
            let words = if c.words.is_empty() {
                "no column"
            } else {
                c.words
            };
            format!("{}: {words}", c.name)
        });
        let text = said.collect::<Vec<_>>().join("; ");
        if text.is_empty() {
            "There are no components".to_owned()
        } else {
            text
        }
    }

    fn subtitle(&self, panels: usize, rows: usize) -> String {
        let mut parts =
            vec!["right (orange): rises with the component; left (blue): falls".to_owned()];
        let more = self.names.len().saturating_sub(rows);
        if more > 0 {
            parts.push(format!(
                "the {rows} largest of each component, and {} more",
                grouped(more as u64)
            ));
        }
        let drawn = self.intervals.unwrap_or_default().iter().take(panels);
        let n_with = drawn.filter(|ends| !ends.is_empty()).count();
        if n_with > 0 {
            parts.push("whiskers: 95 % bootstrap intervals".to_owned());
        }
        if self.intervals.is_some() && n_with < panels {
            parts.push("no whiskers where components cannot be told apart".to_owned());
        }
        let hidden = self.components.len().saturating_sub(panels);
        if hidden > 0 {
            parts.push(format!(
                "{} not drawn",
                counted(hidden, "further component")
            ));
        }
        parts.join(" · ")
    }

    /// The weights, and the ends of their intervals if they are known.
    fn csv(&self) -> String {
        let ends: Vec<(String, Vec<f64>)> = self
            .intervals
            .unwrap_or_default()
            .iter()
            .zip(self.components)
            .filter(|(interval, _)| !interval.is_empty())
            .flat_map(|(interval, c)| {
                let low = interval.iter().map(|i| i.0).collect();
                let high = interval.iter().map(|i| i.1).collect();
                [
                    (format!("{} low", c.name), low),
                    (format!("{} high", c.name), high),
                ]
            })
            .collect();
        let weights = self.components.iter().zip(self.loadings);
        let weights = weights.map(|(c, weights)| (c.name, *weights));
        let ends = ends.iter().map(|(name, end)| (name.as_str(), &end[..]));
        columns_csv(self.names, &weights.chain(ends).collect::<Vec<_>>())
    }
}

fn as_bars(bars: &[Bar], heading: String, span: Option<(f64, f64)>) -> Bars<'_> {
    Bars {
        bars,
        heading,
        mark: None,
        unit: "",
        span,
        names: None,
    }
}
