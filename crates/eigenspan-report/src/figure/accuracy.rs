//! Accuracy against the number of components: where does a reduction help a classifier? A panel for each classifier, a line for each
//! reduction.

use super::axis::{self, Axes};
use super::measure;
use super::palette::{class_ink, class_shape};
use super::scene::{Area, Frame, Ink, Item, Marks, Scene, Style, Text};
use super::{Csv, Figure, Size, cell};

/// The accuracies of one classifier after one reduction: numbers of components, means and standard errors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// The points, fewest components first.
    pub points: Vec<(usize, f64, f64)>,
}

/// The accuracies of one classifier.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// The classifier.
    pub title: String,
    /// A line for each reduction.
    pub lines: Vec<Line>,
    /// The accuracy on the columns themselves.
    pub whole: Option<f64>,
}

/// The whole figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panels {
    /// The main result, in words.
    pub finding: String,
    /// Names of the reductions.
    pub names: Vec<String>,
    /// What the columns themselves are called, where their accuracy is known.
    pub whole: Option<String>,
    /// The accuracy of guessing the most frequent class.
    pub guess: f64,
    /// One for each classifier.
    pub panels: Vec<Panel>,
    /// How the numbers were computed.
    pub how: String,
}

const SIZE: f64 = 12.5;
const LEGEND_LINE: f64 = 20.0;
const SAMPLE: f64 = 26.0;
const GAP: f64 = 26.0;
/// Narrower paper has its panels below each other.
const NARROW: f64 = 560.0;
/// Points closer than this are not marked.
const MARKED: usize = 60;

/// An entry of the legend.
enum Entry {
    Reduction(usize),
    Whole,
    Guess,
}

impl Panels {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let mut scene = Scene::new(size.width, size.height);
        let top = self.draw_legend(&mut scene, size);
        let (x, y) = self.spans();
        for (number, panel) in self.panels.iter().enumerate() {
            let (frame, first) = self.frame(size, top, (x, y), number);
            self.draw_panel(&mut scene, &frame, panel, first);
        }
        Figure {
            id: "accuracy".to_owned(),
            title: self.finding.clone(),
            subtitle: self.how.clone(),
            caption: self.caption(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn caption(&self) -> String {
        let whole = match self.whole {
            Some(_) => " The dashed line is the classifier on the columns themselves;",
            None => "",
        };
        format!(
            "Where does a reduction help? Each point is the mean accuracy over the folds with k components of a reduction that was \
             fitted to the other folds, its whisker one standard error.{whole} the thin gray line is the accuracy of guessing the most \
             frequent class. The highest of many points is too high: it was picked after it was seen."
        )
        .replace("error. the", "error. The")
    }

    /// The spans of numbers of components and of accuracies, the same in all panels.
    pub(super) fn spans(&self) -> ((f64, f64), (f64, f64)) {
        let points = || {
            self.panels
                .iter()
                .flat_map(|p| p.lines.iter().flat_map(|l| &l.points))
        };
        let ks = points().map(|point| point.0 as f64);
        let (low, high) = ks.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), k| {
            (low.min(k), high.max(k))
        });
        let (low, high) = if low > high { (1.0, 1.0) } else { (low, high) };
        let pad = (0.04 * (high - low)).max(0.4);
        let error = |e: f64| if e.is_finite() { e } else { 0.0 };
        let values = points().flat_map(|&(_, mean, e)| [mean - error(e), mean + error(e)]);
        let whole = self.panels.iter().filter_map(|panel| panel.whole);
        let values = values.chain(whole).chain([self.guess]);
        ((low - pad, high + pad), axis::span(values, 0.06))
    }

    /// The frame of a panel, and whether its vertical axis is labelled.
    fn frame(
        &self,
        size: Size,
        top: f64,
        (x, y): ((f64, f64), (f64, f64)),
        number: usize,
    ) -> (Frame, bool) {
        let n = self.panels.len().max(1) as f64;
        let below = size.width < NARROW;
        let heading = 1.6 * SIZE;
        let lower = axis::lower_room("components");
        let (down, across) = if below { (n, 1.0) } else { (1.0, n) };
        let each = (size.height - top) / down;
        let height = (each - heading - lower).max(20.0);
        let left = axis::left_room(&axis::y_ticks(y, height), "accuracy");
        let width = ((size.width - left - GAP * across) / across).max(20.0);
        let place = number as f64;
        let area = match below {
            true => Area {
                left,
                top: top + each * place + heading,
                width,
                height,
            },
            false => Area {
                left: left + (width + GAP) * place,
                top: top + heading,
                width,
                height,
            },
        };
        (Frame { area, x, y }, below || number == 0)
    }

    fn draw_panel(&self, scene: &mut Scene, frame: &Frame, panel: &Panel, labelled: bool) {
        let area = frame.area;
        let whole = axis::x_ticks(frame.x, area.width).into_iter();
        let ticks = whole.filter(|(x, _)| *x >= 1.0 && x.fract() == 0.0);
        let y_ticks = axis::y_ticks(frame.y, area.height).into_iter();
        let axes = Axes {
            x_title: "components",
            y_title: if labelled { "accuracy" } else { "" },
            grid: true,
            x_ticks: Some(ticks.collect()),
            y_ticks: Some(
                y_ticks
                    .map(|(y, text)| (y, if labelled { text } else { String::new() }))
                    .collect(),
            ),
        };
        axes.draw(scene, frame);
        let title = measure::fit(&panel.title, area.width, SIZE, true);
        let middle = area.left + area.width / 2.0;
        scene.text(
            Text::new(middle, area.top - 0.5 * SIZE, title, SIZE)
                .bold()
                .middle(),
        );
        let across = |scene: &mut Scene, value: f64, style: Style| {
            let y = frame.py(value);
            scene.line((area.left, y), (area.right(), y), style);
        };
        across(scene, self.guess, guess_style());
        if let Some(whole) = panel.whole {
            across(scene, whole, whole_style());
        }
        for (number, line) in panel.lines.iter().enumerate() {
            draw_line(scene, frame, line, number);
        }
    }

    /// Draws the legend above the panels; returns where they begin.
    fn draw_legend(&self, scene: &mut Scene, size: Size) -> f64 {
        let mut entries: Vec<(Entry, String)> = (self.names.iter().enumerate())
            .map(|(i, name)| (Entry::Reduction(i), measure::label(name)))
            .collect();
        let whole = self
            .whole
            .iter()
            .map(|name| (Entry::Whole, measure::label(name)));
        entries.extend(whole);
        entries.push((Entry::Guess, "most frequent class".to_owned()));
        let most = size.width - 32.0;
        // At most a third of the height, and the last line says how many are left out.
        let lines = ((0.3 * size.height / LEGEND_LINE) as usize).max(1);
        let middle = |line: usize| 6.0 + LEGEND_LINE * (line as f64 + 0.5);
        let (mut x, mut line) = (16.0, 0usize);
        let n = entries.len();
        for (i, (entry, text)) in entries.into_iter().enumerate() {
            let text = measure::fit_name(&text, (most - SAMPLE).min(260.0), SIZE);
            let wide = SAMPLE + measure::width(&text, SIZE, false) + 18.0;
            let is_final = i + 1 == n;
            let reserve = if is_final { 0.0 } else { 100.0 };
            if line + 1 >= lines && x + wide + reserve > 34.0 + most && !(is_final && x <= 16.0) {
                let y = middle(line) + 0.36 * SIZE;
                let rest = Text::new(x, y, format!("and {} more", n - i), SIZE);
                scene.text(rest.ink(Ink::Muted));
                return middle(line) + 0.5 * LEGEND_LINE + 4.0;
            }
            if x > 16.0 && x + wide > 34.0 + most {
                (x, line) = (16.0, line + 1);
            }
            let y = middle(line);
            draw_sample(scene, &entry, x, y);
            scene.text(Text::new(x + SAMPLE, y + 0.36 * SIZE, text, SIZE));
            x += wide;
        }
        middle(line) + 0.5 * LEGEND_LINE + 4.0
    }

    fn csv(&self) -> String {
        let mut csv = Csv::new([
            "classifier",
            "reduction",
            "n_components",
            "accuracy",
            "standard_error",
        ]);
        for panel in &self.panels {
            for (line, name) in panel.lines.iter().zip(&self.names) {
                for (k, mean, error) in &line.points {
                    let head = [panel.title.clone(), name.clone(), k.to_string()];
                    csv.line(head.into_iter().chain([cell(*mean), cell(*error)]));
                }
            }
            if let Some(whole) = panel.whole {
                let head = [panel.title.clone(), "none".to_owned(), String::new()];
                csv.line(head.into_iter().chain([cell(whole), String::new()]));
            }
        }
        csv.0
    }
}

fn whole_style() -> Style {
    Style::stroke(Ink::Text, 1.6).dashed()
}

fn guess_style() -> Style {
    Style::stroke(Ink::Muted, 1.0)
}

fn draw_sample(scene: &mut Scene, entry: &Entry, x: f64, y: f64) {
    let ends = ((x, y), (x + SAMPLE - 6.0, y));
    match entry {
        Entry::Whole => scene.line(ends.0, ends.1, whole_style()),
        Entry::Guess => scene.line(ends.0, ends.1, guess_style()),
        Entry::Reduction(number) => {
            scene.line(ends.0, ends.1, Style::stroke(class_ink(*number), 2.0));
            mark(scene, *number, vec![(x + (SAMPLE - 6.0) / 2.0, y)]);
        }
    }
}

fn mark(scene: &mut Scene, number: usize, points: Vec<(f64, f64)>) {
    scene.items.push(Item::Marks(Marks {
        points,
        shape: class_shape(number),
        radius: 3.6,
        style: Style::fill(class_ink(number)),
    }));
}

fn draw_line(scene: &mut Scene, frame: &Frame, line: &Line, number: usize) {
    let ink = class_ink(number);
    let known = line.points.iter().filter(|(_, mean, _)| mean.is_finite());
    let known: Vec<&(usize, f64, f64)> = known.collect();
    for (k, mean, error) in known.iter().copied().filter(|point| point.2.is_finite()) {
        let x = frame.px(*k as f64);
        let ends = ((x, frame.py(mean - error)), (x, frame.py(mean + error)));
        scene.line(ends.0, ends.1, Style::stroke(ink, 1.2).with_opacity(0.7));
    }
    let place = |point: &&(usize, f64, f64)| (frame.px(point.0 as f64), frame.py(point.1));
    let points: Vec<(f64, f64)> = known.iter().map(place).collect();
    scene.polyline(points.iter().copied(), Style::stroke(ink, 2.0));
    if points.len() <= MARKED {
        mark(scene, number, points);
    }
}
