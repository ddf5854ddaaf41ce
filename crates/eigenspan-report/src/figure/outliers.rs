//! Outliers: T² against Q. Far out within the components, or far from them?

use eigenspan::error::counted;

use super::axis::{self, Axes};
use super::cloud::{Cloud, MOST_POINTS};
use super::coloring::{Group, Grouped};
use super::labels::{self, Ground, Label};
use super::measure;
use super::palette::{BLUE, VERMILLION};
use super::scene::{Frame, Ink, Scene, Shape, Style, Text};
use super::scores::{left_out, radius};
use super::{Csv, Figure, Size, cell, listed};

/// Two distances of each row, and what is usual.
#[derive(Debug, Clone, Copy)]
pub struct Outliers<'a> {
    /// Hotelling's T²: distance from the center within the components.
    pub t2: &'a [f64],
    /// Q: squared distance from the components.
    pub q: &'a [f64],
    /// T² that this share of ordinary rows stays below; not finite where it is not known.
    pub t2_limit: f64,
    /// Q that this share of ordinary rows stays below; not finite where it is not known.
    pub q_limit: f64,
    /// The share: 0.95, 0.99.
    pub level: f64,
    /// Names of the rows.
    pub names: Option<&'a [String]>,
    /// Components the distances are taken with.
    pub n_components: usize,
}

/// Rows named, at most: the farthest beyond the limits.
const NAMED: usize = 20;

impl Outliers<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let rows = Cloud::drawn(self.t2, self.q);
        let grouped = self.grouped(&rows);
        let limit = |limit: f64| limit.is_finite().then_some(limit);
        let t2 = rows.iter().map(|&i| self.t2[i]).chain(limit(self.t2_limit));
        let q = rows.iter().map(|&i| self.q[i]).chain(limit(self.q_limit));
        let up = |span: (f64, f64)| (0.0, if span.1 > 0.0 { 1.06 * span.1 } else { 1.0 });
        let (x, y) = (up(axis::span(t2, 0.0)), up(axis::span(q, 0.0)));
        let titles = (
            "T²: distance from the center within the components",
            "Q: distance from the components",
        );
        let mut frame = axis::frame(size, x, y, titles, 30.0);
        frame.area.top += 18.0;
        frame.area.height -= 18.0;
        let mut scene = Scene::new(size.width, size.height);
        let axes = Axes {
            x_title: titles.0,
            y_title: titles.1,
            grid: true,
            ..Axes::default()
        };
        axes.draw(&mut scene, &frame);
        let taken = self.draw_limits(&mut scene, &frame);
        let cloud = Cloud {
            x: self.t2,
            y: self.q,
            grouped: &grouped,
            radius: radius(rows.len()),
            most: MOST_POINTS,
        };
        let how = cloud.draw(&mut scene, &frame);
        let beyond = self.beyond(&rows);
        let unnamed = self.draw_names(&mut scene, &frame, &rows, &beyond, &taken);
        Figure {
            id: "outliers".to_owned(),
            title: self.finding(&beyond),
            subtitle: self.subtitle(&rows, how, beyond.len(), unnamed),
            caption: "Which rows are unlike the rest? To the right: rows that are extreme in what the components show. Upward: \
                      rows that the components do not explain. The dashed limits hold most ordinary rows."
                .to_owned(),
            scene,
            csv: self.csv(),
        }
    }

    fn is_beyond(&self, i: usize) -> bool {
        self.t2[i] > self.t2_limit || self.q[i] > self.q_limit
    }

    /// How far a row is beyond its limits, in limits.
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
        out.sort_by(|&a, &b| self.excess(b).total_cmp(&self.excess(a)));
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

    /// Draws the limits and their names; gives where those stand.
    fn draw_limits(&self, scene: &mut Scene, frame: &Frame) -> Vec<super::scene::Area> {
        let style = Style::stroke(Ink::Text, 1.2).dashed().with_opacity(0.8);
        let area = frame.area;
        let level = self.level_words();
        let mut taken = Vec::new();
        let mut write = |scene: &mut Scene, text: Text| {
            taken.push(measure::area(&text));
            scene.text(text);
        };
        if self.t2_limit.is_finite() {
            let x = frame.px(self.t2_limit);
            scene.line((x, area.top), (x, area.bottom()), style);
            let text = Text::new(x, area.top - 6.0, format!("{level} of T²"), 11.5).ink(Ink::Muted);
            let half = measure::width(&text.text, 11.5, false) / 2.0;
            let x = x.clamp(area.left + half, area.right() - half);
            write(scene, Text { x, ..text }.middle());
        }
        if self.q_limit.is_finite() {
            let y = frame.py(self.q_limit);
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
        rows: &[usize],
        beyond: &[usize],
        taken: &[super::scene::Area],
    ) -> usize {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .map(|&i| (frame.px(self.t2[i]), frame.py(self.q[i])))
            .collect();
        let labels: Vec<Label> = beyond
            .iter()
            .take(NAMED)
            .map(|&i| Label {
                at: (frame.px(self.t2[i]), frame.py(self.q[i])),
                text: measure::fit_name(&self.name(i), 140.0, 11.5),
                size: 11.5,
                bold: false,
                ink: Ink::Text,
                weight: self.excess(i),
                clear: radius(rows.len()),
                toward: (0.0, 0.0),
            })
            .collect();
        let area = frame.area;
        let (x, y) = (frame.px(self.t2_limit), frame.py(self.q_limit));
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

    fn name(&self, i: usize) -> String {
        let name = self.names.and_then(|names| names.get(i));
        name.map_or_else(|| format!("row {}", i + 1), |name| measure::label(name))
    }

    fn finding(&self, beyond: &[usize]) -> String {
        let far: Vec<String> = beyond
            .iter()
            .filter(|&&i| self.excess(i) > 1.5)
            .take(3)
            .map(|&i| self.name(i))
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
            let name = self.names.and_then(|names| names.get(i)).cloned();
            let beyond = if self.is_beyond(i) { "yes" } else { "no" };
            csv.line([
                name.unwrap_or_else(|| (i + 1).to_string()),
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
