//! A search for parameters: which values do best, and how certain is that? A curve for one parameter, a heat map for two.

use super::axis::{self, Axes};
use super::measure;
use super::palette::{BLUE, GREEN, SEQUENTIAL, VERMILLION, sequential};
use super::scene::{Area, Cells, Frame, Ink, Item, Marks, Scene, Shape, Style, Text};
use super::{Csv, Figure, Size, cell};
use crate::words::short;

/// A parameter and the values that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values, as text.
    pub values: Vec<String>,
}

/// Means of a criterion over one parameter or two.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// The criterion, as the title of an axis.
    pub measure: String,
    /// Whether larger values are better.
    pub more_is_better: bool,
    /// The parameter across.
    pub across: Parameter,
    /// The parameter downward, if there are two.
    pub down: Option<Parameter>,
    /// Means, row by row of the second parameter; NaN if there is no result.
    pub means: Vec<f64>,
    /// Their standard errors; NaN if there is no result.
    pub errors: Vec<f64>,
    /// The position of the best choice.
    pub best: usize,
    /// The position of the simplest choice that is nearly as good.
    pub simplest: usize,
    /// How the numbers were computed.
    pub how: String,
}

const SIZE: f64 = 12.0;

impl Search {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let (scene, caption) = match &self.down {
            None => (
                self.curve(size),
                "Which value does best? Points are means, whiskers one standard error of them; the dashed line is one standard \
                 error from the best. Values on its better side cannot be told apart from the best.",
            ),
            Some(down) => (
                self.map(size, down),
                "Which values do best together? Each cell is a mean, the brighter the better; the frame is the best, the dashed \
                 frame the one with the fewest components within one standard error of it.",
            ),
        };
        Figure {
            id: "search".to_owned(),
            title: self.finding(),
            subtitle: self.subtitle(),
            caption: caption.to_owned(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn n_across(&self) -> usize {
        self.across.values.len().max(1)
    }

    /// The values at a position: `gamma 0.1 and 4 components`.
    fn named(&self, place: usize) -> String {
        let value = |parameter: &Parameter, at: usize| {
            let value = parameter.values.get(at).map(|value| measure::label(value));
            let (name, value) = (measure::label(&parameter.name), value.unwrap_or_default());
            match (name.as_str(), value.as_str()) {
                ("components", "1") => "1 component".to_owned(),
                ("components", _) => format!("{value} {name}"),
                _ => format!("{name} {value}"),
            }
        };
        let across = value(&self.across, place % self.n_across());
        match &self.down {
            None => across,
            Some(down) => format!("{} and {across}", value(down, place / self.n_across())),
        }
    }

    fn finding(&self) -> String {
        match self.means.get(self.best).filter(|mean| mean.is_finite()) {
            Some(mean) => format!(
                "Best is {}: {} {}",
                self.named(self.best),
                self.measure,
                short(*mean)
            ),
            None => "There is nothing to compare".to_owned(),
        }
    }

    fn subtitle(&self) -> String {
        let mut parts = vec![self.how.clone()];
        if self.down.is_none() {
            parts.push("green: best".to_owned());
            if self.simplest != self.best {
                parts.push("orange: the simplest within one standard error".to_owned());
            }
        }
        parts.join(" · ")
    }

    /// The best mean minus one standard error in the direction of worse: means up to this line count as equally good.
    pub(super) fn bar(&self) -> Option<f64> {
        let (mean, error) = (*self.means.get(self.best)?, *self.errors.get(self.best)?);
        let sign = if self.more_is_better { -1.0 } else { 1.0 };
        (mean + sign * error)
            .is_finite()
            .then_some(mean + sign * error)
    }

    /// A mean rescaled to between 0 (the worst) and 1 (the best).
    pub(super) fn worth(&self, place: usize) -> Option<f64> {
        let mean = self.means.get(place).copied().filter(|x| x.is_finite())?;
        let (low, high) = self.ends();
        let share = match high > low {
            true => (mean - low) / (high - low),
            false => 1.0,
        };
        Some(match self.more_is_better || high <= low {
            true => share,
            false => 1.0 - share,
        })
    }

    fn ends(&self) -> (f64, f64) {
        let finite = self.means.iter().copied().filter(|x| x.is_finite());
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        })
    }

    fn curve(&self, size: Size) -> Scene {
        let n = self.n_across();
        let x = (-0.4, n as f64 - 0.6);
        let with_errors = self
            .means
            .iter()
            .zip(&self.errors)
            .flat_map(|(mean, error)| {
                let error = if error.is_finite() { *error } else { 0.0 };
                [mean - error, mean + error]
            });
        let y = axis::span(with_errors, 0.06);
        let titles = (self.across.name.as_str(), self.measure.as_str());
        let frame = axis::frame(size, x, y, titles, (30.0, 0.0));
        let mut scene = Scene::new(size.width, size.height);
        let axes = Axes {
            x_title: titles.0,
            y_title: titles.1,
            grid: true,
            x_ticks: Some(spaced(&self.across.values, frame.area.width)),
            y_ticks: None,
        };
        axes.draw(&mut scene, &frame);
        if let Some(bar) = self.bar() {
            let y = frame.py(bar);
            let style = Style::stroke(GREEN, 1.4).dashed();
            scene.line((frame.area.left, y), (frame.area.right(), y), style);
        }
        self.draw_points(&mut scene, &frame);
        scene
    }

    fn draw_points(&self, scene: &mut Scene, frame: &Frame) {
        let points: Vec<(f64, f64)> = (self.means.iter().enumerate())
            .map(|(i, mean)| (frame.px(i as f64), frame.py(*mean)))
            .collect();
        scene.polyline(points.iter().copied(), Style::stroke(BLUE, 2.0));
        for ((x, _), (mean, error)) in points.iter().zip(self.means.iter().zip(&self.errors)) {
            if mean.is_finite() && error.is_finite() {
                let ends = ((*x, frame.py(mean - error)), (*x, frame.py(mean + error)));
                scene.line(ends.0, ends.1, Style::stroke(BLUE, 1.4));
            }
        }
        let mut mark = |places: Vec<usize>, shape, radius, style| {
            let points = places.iter().filter_map(|&i| points.get(i).copied());
            let points = points.filter(|(_, y)| y.is_finite()).collect();
            scene.items.push(Item::Marks(Marks {
                points,
                shape,
                radius,
                style,
            }));
        };
        let all = (0..self.means.len()).collect();
        mark(all, Shape::Circle, 3.4, Style::fill(BLUE));
        if self.simplest != self.best {
            let style = Style::fill(VERMILLION);
            mark(vec![self.simplest], Shape::Diamond, 6.5, style);
        }
        mark(vec![self.best], Shape::Circle, 7.0, Style::fill(GREEN));
    }

    fn map(&self, size: Size, down: &Parameter) -> Scene {
        let (n, m) = (self.n_across(), down.values.len().max(1));
        let names = down.values.iter().map(|value| measure::label(value));
        let most = 0.3 * size.width;
        let names: Vec<String> = names
            .map(|name| measure::fit_name(&name, most, SIZE))
            .collect();
        let widest = names.iter().map(|text| measure::width(text, SIZE, false));
        let left = widest.fold(0.0, f64::max) + 30.0 + 2.0 * SIZE;
        let room = (size.height - 20.0 - axis::lower_room(&self.across.name)).max(40.0);
        let height = room.min(44.0 * m as f64);
        let width = (size.width - left - 120.0).max(60.0).min(110.0 * n as f64);
        let area = Area {
            left,
            top: 12.0,
            width,
            height,
        };
        let whole = height + 20.0 + axis::lower_room(&self.across.name);
        let mut scene = Scene::new(size.width, whole.max(170.0).min(size.height.max(170.0)));
        let inks = (0..n * m).map(|place| self.worth(place).map(sequential));
        scene.items.push(Item::Cells(Cells {
            area,
            n_cols: n,
            inks: inks.collect(),
        }));
        self.draw_sides(&mut scene, area, (&down.name, &names));
        self.draw_numbers(&mut scene, area, (n, m));
        let simplest = self.simplest != self.best;
        for (place, dashed) in [(self.best, false), (self.simplest, true)] {
            let style = Style::stroke(Ink::Text, 2.6);
            let style = if dashed { style.dashed() } else { style };
            if place < n * m && (simplest || !dashed) {
                scene.rect(cell_area(area, (n, m), place), style);
            }
        }
        self.draw_scale(&mut scene, area.right() + 26.0, area.top);
        scene
    }

    /// Values and names at the left and below.
    fn draw_sides(&self, scene: &mut Scene, area: Area, (down, names): (&str, &[String])) {
        let step = area.width / self.n_across() as f64;
        for (place, text) in spaced(&self.across.values, area.width) {
            let (x, y) = (area.left + step * (place + 0.5), area.bottom() + SIZE + 6.0);
            scene.text(Text::new(x, y, text, SIZE).middle().ink(Ink::Muted));
        }
        let step = area.height / names.len().max(1) as f64;
        let every = (1.2 * SIZE / step).ceil().max(1.0) as usize;
        for (i, value) in names.iter().enumerate().step_by(every) {
            let y = area.top + step * (i as f64 + 0.5) + 0.36 * SIZE;
            let text = Text::new(area.left - 8.0, y, value.as_str(), SIZE);
            scene.text(text.end().ink(Ink::Muted));
        }
        let title = |text: &str, most: f64| measure::fit(text, most, axis::TITLE, false);
        let y = area.bottom() + SIZE + 10.0 + 1.4 * axis::TITLE;
        let across = title(&measure::label(&self.across.name), area.width);
        scene.text(Text::new(area.left + area.width / 2.0, y, across, axis::TITLE).middle());
        let (x, y) = (6.0 + axis::TITLE, area.top + area.height / 2.0);
        let name = title(&measure::label(down), area.height);
        scene.text(Text::new(x, y, name, axis::TITLE).middle().upward());
    }

    /// The means as text, if the cells have room for them.
    fn draw_numbers(&self, scene: &mut Scene, area: Area, (n, m): (usize, usize)) {
        let texts: Vec<String> = self.means.iter().map(|mean| short(*mean)).collect();
        let widest = texts.iter().map(|text| measure::width(text, SIZE, false));
        let widest = widest.fold(0.0, f64::max);
        if area.width / (n as f64) < widest + 10.0 || area.height / (m as f64) < 1.5 * SIZE {
            return;
        }
        for (place, text) in texts.into_iter().enumerate().take(n * m) {
            if self.worth(place).is_some() {
                let cell = cell_area(area, (n, m), place);
                let (x, y) = (cell.left + cell.width / 2.0, cell.top + cell.height / 2.0);
                let text = Text::new(x, y + 0.36 * SIZE, text, SIZE).middle();
                scene.text(if place == self.best {
                    text.bold().halo()
                } else {
                    text.halo()
                });
            }
        }
    }

    /// The color scale with its end values, the best at the top.
    fn draw_scale(&self, scene: &mut Scene, left: f64, top: f64) {
        let (low, high) = self.ends();
        if low > high {
            return;
        }
        let (width, height) = (14.0, 100.0);
        let area = Area {
            left,
            top,
            width,
            height,
        };
        let inks = (0..SEQUENTIAL).rev().map(|i| Some(Ink::Sequential(i)));
        scene.items.push(Item::Cells(Cells {
            area,
            n_cols: 1,
            inks: inks.collect(),
        }));
        let (best, worst) = match self.more_is_better {
            true => (high, low),
            false => (low, high),
        };
        for (y, value) in [(area.top + 10.0, best), (area.bottom(), worst)] {
            let text = Text::new(left + 20.0, y, short(value), SIZE);
            scene.text(text.ink(Ink::Muted));
        }
    }

    fn csv(&self) -> String {
        let down = self.down.as_ref().map(|down| down.name.as_str());
        let heads = down.into_iter().chain([self.across.name.as_str()]);
        let mut csv = Csv::new(heads.chain(["mean", "standard_error"]));
        for (place, mean) in self.means.iter().enumerate() {
            let (row, col) = (place / self.n_across(), place % self.n_across());
            let down = self.down.as_ref().and_then(|down| down.values.get(row));
            let across = self.across.values.get(col);
            let error = self.errors.get(place).copied().unwrap_or(f64::NAN);
            let names = down.into_iter().chain(across).cloned();
            csv.line(names.chain([cell(*mean), cell(error)]));
        }
        csv.0
    }
}

fn cell_area(area: Area, (n, m): (usize, usize), place: usize) -> Area {
    let (width, height) = (area.width / n as f64, area.height / m as f64);
    Area {
        left: area.left + width * (place % n) as f64,
        top: area.top + height * (place / n) as f64,
        width,
        height,
    }
}

/// Values with their positions, as many as fit.
fn spaced(values: &[String], width: f64) -> Vec<(f64, String)> {
    let step = width / values.len().max(1) as f64;
    let most = step.max(60.0) - 10.0;
    let texts = values.iter().map(|text| measure::label(text));
    let texts: Vec<String> = texts
        .map(|text| measure::fit_name(&text, most, SIZE))
        .collect();
    let widest = texts.iter().map(|text| measure::width(text, SIZE, false));
    let every = ((widest.fold(0.0, f64::max) + 10.0) / step).ceil().max(1.0) as usize;
    let places = texts.into_iter().enumerate().step_by(every);
    places.map(|(i, text)| (i as f64, text)).collect()
}
