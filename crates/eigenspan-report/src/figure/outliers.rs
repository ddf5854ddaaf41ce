//! Outliers: T² against Q. Is a row far from the center within the components, or far from the components?

use eigenspan::error::counted;
use eigenspan::linalg::sort_largest_first;

use super::axis::{self, Axes};
use super::cloud::{Cloud, MOST_POINTS};
use super::coloring::{Group, Grouped};
use super::labels::{self, Ground, Label};
use super::measure;
use super::palette::{BLUE, VERMILLION};
use super::rows::Rows;
use super::scale::Scale;
use super::scene::{Area, Frame, Ink, Scene, Shape, Style, Text};
use super::scores::{left_out, radius};
use super::{Csv, Figure, Size, cell, listed};

/// T² and Q of each row, and their limits.
#[derive(Debug, Clone, Copy)]
pub struct Outliers<'a> {
    /// Hotelling's T²: the distance from the center within the components.
    pub t2: &'a [f64],
    /// Q: the squared distance from the components.
    pub q: &'a [f64],
    /// The limit of T²: this share of ordinary rows stays below it; not finite if it is unknown.
    pub t2_limit: f64,
    /// The limit of Q: this share of ordinary rows stays below it; not finite if it is unknown.
    pub q_limit: f64,
    /// The share: 0.95, 0.99.
    pub level: f64,
    /// Names of the rows.
    pub rows: Rows<'a>,
    /// The number of components that T² and Q use.
    pub n_components: usize,
}

/// Rows and limits in the units of the axes.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) scales: (Scale, Scale),
    pub(super) t2: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// The limits of T² and Q; infinite or NaN if a distance has no limit.
    pub(super) limits: (f64, f64),
    /// How many distances are too small for the log scale.
    below: usize,
}

impl Places {
    /// The titles of the axes.
    pub(super) fn titles(&self) -> (String, String) {
        let (across, up) = (self.scales.0.words(), self.scales.1.words());
        (
            format!("T²{across}: distance from the center within the components"),
            format!("Q{up}: distance from the components"),
        )
    }

    /// The range of all points, with a small margin.
    pub(super) fn spans(&self) -> ((f64, f64), (f64, f64)) {
        let span = |scale: Scale, all: &[f64], limit: f64| {
            let all = all.iter().copied().chain([limit]);
            match scale {
                Scale::Log(_) => axis::span(all, 0.04),
                Scale::Even => match axis::span(all, 0.0).1 {
                    high if high > 0.0 => (0.0, 1.06 * high),
                    _ => (0.0, 1.0),
                },
            }
        };
        (
            span(self.scales.0, &self.t2, self.limits.0),
            span(self.scales.1, &self.q, self.limits.1),
        )
    }
}

/// Ticks that fit beside an axis of this height.
fn tick_room(height: f64) -> usize {
    ((height / 45.0) as usize).clamp(1, 10)
}

/// At most this many rows are named: those farthest beyond the limits.
const NAMED: usize = 20;

impl Outliers<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let rows = Cloud::drawn(self.t2, self.q);
        let grouped = self.grouped(&rows);
        let places = self.places();
        let titles = places.titles();
        let titles = (titles.0.as_str(), titles.1.as_str());
        let (x, y) = places.spans();
        let mut frame = axis::frame(size, x, y, titles, (30.0, 18.0));
        // Tick labels of a log scale may be wider than those the frame was made for.
        let up = places.scales.1.ticks(y, tick_room(frame.area.height));
        let left = axis::left_room(&up, titles.1);
        frame.area.width += frame.area.left - left;
        frame.area.left = left;
        let across = match places.scales.0 {
            Scale::Even => None,
            scale => Some(scale.ticks(x, (frame.area.width / 60.0) as usize)),
        };
        let mut scene = Scene::new(size.width, size.height);
        let axes = Axes {
            x_title: titles.0,
            y_title: titles.1,
            grid: true,
            x_ticks: across,
            y_ticks: Some(up),
        };
        axes.draw(&mut scene, &frame);
        let taken = self.draw_limits(&mut scene, &frame, &places);
        let cloud = Cloud {
            x: &places.t2,
            y: &places.q,
            grouped: &grouped,
            radius: radius(rows.len()),
            most: MOST_POINTS,
        };
        let how = cloud.draw(&mut scene, &frame);
        let beyond = self.beyond(&rows);
        let unnamed = self.draw_names(&mut scene, &frame, &places, &beyond, &taken);
        Figure {
            id: "outliers".to_owned(),
            title: self.finding(&beyond),
            subtitle: self.subtitle(&rows, how, beyond.len(), unnamed),
            caption: self.caption(&places),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    /// The positions of rows and limits.
    pub(super) fn places(&self) -> Places {
        let scales = (
            Scale::for_distances(self.t2, self.t2_limit),
            Scale::for_distances(self.q, self.q_limit),
        );
        let at = |scale: Scale, all: &[f64]| -> Vec<f64> {
            let n = self.t2.len().min(self.q.len());
            let place = |x: &f64| if x.is_finite() { scale.at(*x) } else { *x };
            all.iter().take(n).map(place).collect()
        };
        let limit = |scale: Scale, limit: f64| match limit.is_finite() {
            true => scale.at(limit),
            false => f64::NAN,
        };
        Places {
            t2: at(scales.0, self.t2),
            q: at(scales.1, self.q),
            limits: (
                limit(scales.0, self.t2_limit),
                limit(scales.1, self.q_limit),
            ),
            below: scales.0.below(self.t2) + scales.1.below(self.q),
            scales,
        }
    }

    fn caption(&self, places: &Places) -> String {
        let mut out = "Which rows are unlike the rest? To the right: rows that are extreme in what the components show. Upward: \
                       rows that the components do not explain. The dashed limits hold most ordinary rows."
            .to_owned();
        if places.scales != (Scale::Even, Scale::Even) {
            out += " An axis with a log scale goes up by powers of ten, so that a few far rows do not squash all others.";
        }
        if places.below > 0 {
            out += " Values below its smallest number are drawn at its edge.";
        }
        out
    }

    pub(super) fn is_beyond(&self, i: usize) -> bool {
        self.t2[i] > self.t2_limit || self.q[i] > self.q_limit
    }

    /// How far a row is beyond its limits, in multiples of the limit.
    fn excess(&self, i: usize) -> f64 {
        let over = |value: f64, limit: f64| if limit > 0.0 { value / limit } else { 0.0 };
        over(self.t2[i], self.t2_limit).max(over(self.q[i], self.q_limit))
    }

    /// Rows beyond a limit, the farthest first.
    fn beyond(&self, rows: &[usize]) -> Vec<usize> {
        let mut out: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|&i| self.is_beyond(i))
            .collect();
        sort_largest_first(&mut out, &|j| self.excess(j));
        out
    }

    fn grouped(&self, rows: &[usize]) -> Grouped {
        let n = self.t2.len().min(self.q.len());
        let count = rows.iter().filter(|&&i| self.is_beyond(i)).count();
        let group = |name: &str, count, ink, shape| Group {
            name: name.to_owned(),
            count,
            ink,
            shape,
        };
        Grouped {
            name: String::new(),
            groups: vec![
                group("within", rows.len() - count, BLUE, Shape::Circle),
                group("beyond", count, VERMILLION, Shape::Triangle),
            ],
            of_row: (0..n).map(|i| usize::from(self.is_beyond(i))).collect(),
            scale: None,
        }
    }

    /// Draws the limits and their names; returns the areas that the names occupy.
    fn draw_limits(&self, scene: &mut Scene, frame: &Frame, places: &Places) -> Vec<Area> {
        let style = Style::stroke(Ink::Text, 1.2).dashed().with_opacity(0.8);
        let area = frame.area;
        let level = self.level_words();
        let mut taken = Vec::new();
        let mut write = |scene: &mut Scene, text: Text| {
            taken.push(measure::area(&text));
            scene.text(text);
        };
        if places.limits.0.is_finite() {
            let x = frame.px(places.limits.0);
            scene.line((x, area.top), (x, area.bottom()), style);
            let text = Text::new(x, area.top - 6.0, format!("{level} of T²"), 11.5).ink(Ink::Muted);
            let half = measure::width(&text.text, 11.5, false) / 2.0;
            let x = x.clamp(area.left + half, area.right() - half);
            write(scene, Text { x, ..text }.middle());
        }
        if places.limits.1.is_finite() {
            let y = frame.py(places.limits.1);
            scene.line((area.left, y), (area.right(), y), style);
            let text = Text::new(area.right() - 2.0, y - 5.0, format!("{level} of Q"), 11.5);
            write(scene, text.end().ink(Ink::Muted).halo());
        }
        taken
    }

    fn draw_names(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        places: &Places,
        beyond: &[usize],
        taken: &[Area],
    ) -> usize {
        let rows = Cloud::drawn(&places.t2, &places.q);
        let at = |i: usize| (frame.px(places.t2[i]), frame.py(places.q[i]));
        let points: Vec<(f64, f64)> = rows.iter().map(|&i| at(i)).collect();
        let labels: Vec<Label> = beyond
            .iter()
            .take(NAMED)
            .map(|&i| Label {
                at: at(i),
                text: measure::fit_name(&self.rows.label(i), 140.0, 11.5),
                size: 11.5,
                bold: false,
                ink: Ink::Text,
                weight: self.excess(i),
                clear: radius(rows.len()),
                toward: (0.0, 0.0),
            })
            .collect();
        let area = frame.area;
        let (x, y) = (frame.px(places.limits.0), frame.py(places.limits.1));
        let limits = [
            ((x, area.top), (x, area.bottom())),
            ((area.left, y), (area.right(), y)),
        ];
        let known = |line: &((f64, f64), (f64, f64))| line.0.0.is_finite() && line.0.1.is_finite();
        let lines: Vec<_> = limits.into_iter().filter(known).collect();
        let ground = Ground {
            bounds: area,
            points: &points,
            lines: &lines,
            taken,
        };
        labels::place(scene, &labels, &ground)
    }

    fn level_words(&self) -> String {
        let percent = (1000.0 * self.level).round() / 10.0;
        format!("{percent} %")
    }

    fn finding(&self, beyond: &[usize]) -> String {
        let far: Vec<String> = beyond
            .iter()
            .filter(|&&i| self.excess(i) > 1.5)
            .take(3)
            .map(|&i| self.rows.label(i))
            .collect();
        match (beyond.len(), far.is_empty()) {
            (0, _) => format!("No row lies beyond the {} limits", self.level_words()),
            (_, true) => format!(
                "{} beyond the {} limits, none far",
                lies(beyond.len()),
                self.level_words()
            ),
            (_, false) => {
                let verb = if far.len() == 1 { "is" } else { "are" };
                format!("{} {verb} farthest from ordinary rows", listed(&far))
            }
        }
    }

    fn subtitle(
        &self,
        rows: &[usize],
        how: Option<String>,
        beyond: usize,
        unnamed: usize,
    ) -> String {
        let n = rows.len();
        let mut parts = vec![
            how.unwrap_or_else(|| counted(n, "row")),
            counted(self.n_components, "component"),
            format!("{} beyond a limit (triangles)", lies(beyond)),
        ];
        if beyond > NAMED {
            parts.push(format!("the farthest {NAMED} are named"));
        }
        parts.extend(left_out(self.t2.len().min(self.q.len()) - n));
        parts.extend(super::circle::unnamed_words(unnamed));
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let mut csv = Csv::new(["row", "t2", "q", "beyond"]);
        for i in 0..self.t2.len().min(self.q.len()) {
            let beyond = if self.is_beyond(i) { "yes" } else { "no" };
            csv.line([
                self.rows.key(i),
                cell(self.t2[i]),
                cell(self.q[i]),
                beyond.to_owned(),
            ]);
        }
        csv.0
    }
}

fn lies(count: usize) -> String {
    match count {
        1 => "1 row lies".to_owned(),
        n => format!("{} lie", counted(n, "row")),
    }
}
