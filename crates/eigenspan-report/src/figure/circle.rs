//! The correlation circle: which columns are correlated, and how well are they shown? An arrow that reaches the ring is shown completely.

use eigenspan::error::grouped;

use super::axis::{self, Axes};
use super::labels::{self, Ground, Label};
use super::line::Correlations;
use super::measure;
use super::palette::BLUE;
use super::scene::{Area, Frame, Ink, Item, Scene, Step, Style};
use super::{Component, Csv, Figure, Size, cell, listed};
use crate::words::percent;

/// A column and its correlations with two components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Correlation with the component across.
    pub x: f64,
    /// Correlation with the component upward.
    pub y: f64,
}

impl Column<'_> {
    /// How much of the column the two components show (cos²): 1 at the ring.
    pub(super) fn length(&self) -> f64 {
        self.x.hypot(self.y)
    }
}

/// Columns in the correlation circle.
#[derive(Debug, Clone, Copy)]
pub struct Circle<'a> {
    /// The columns that the components were computed from.
    pub columns: &'a [Column<'a>],
    /// Supplementary columns, which the components were computed without.
    pub supplementary: &'a [Column<'a>],
    /// The component across.
    pub x_axis: Component<'a>,
    /// The component upward.
    pub y_axis: Component<'a>,
}

/// At most this many arrows are drawn: the longest.
const MOST: usize = 40;

impl Circle<'_> {
    /// Draws the figure: the circle, or a line if both axes are the same component.
    pub fn figure(&self, size: Size) -> Figure {
        match self.x_axis.name == self.y_axis.name {
            true => self.on_a_line(size),
            false => self.in_the_circle(size),
        }
    }

    fn on_a_line(&self, size: Size) -> Figure {
        let active = longest(self.columns, MOST);
        let further = longest(self.supplementary, MOST);
        let columns = Correlations::from_columns(&active, &further);
        let title = format!("correlation with {}", self.x_axis.title());
        let line = columns.line(&title);
        let placed = line.place(size.width, size.height);
        let mut scene = Scene::new(
            size.width,
            (placed.height + 8.0).min(size.height.max(120.0)),
        );
        placed.draw(&mut scene, 0.0);
        Figure {
            id: format!("circle-{}", self.x_axis.slug()),
            title: finding(self.columns, self.x_axis.name, self.y_axis.name),
            subtitle: self.subtitle(active.len(), placed.unnamed, !further.is_empty()),
            caption: "Which columns go with the component? Each mark is a column at its correlation with it: those at the right \
                      end rise with it, those at the left fall, and those near 0 are not shown by it."
                .to_owned(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn in_the_circle(&self, size: Size) -> Figure {
        let titles = (self.x_axis.title(), self.y_axis.title());
        let ticks = axis::ticks((-1.0, 1.0), 4);
        let left = axis::left_room(&ticks, &titles.1);
        let low = size.height - axis::lower_room(&titles.0);
        let side = (low - 14.0).min(size.width - left - 24.0).max(40.0);
        // The circle is in the middle, with room for names on both sides.
        let start = left.max((size.width - side) / 2.0);
        let area = Area {
            left: start,
            top: 14.0,
            width: side,
            height: side,
        };
        let frame = Frame {
            area,
            x: (-1.06, 1.06),
            y: (-1.06, 1.06),
        };
        let whole = area.bottom() + axis::lower_room(&titles.0);
        let mut scene = Scene::new(size.width, whole.min(size.height));
        let axes = Axes {
            x_title: &titles.0,
            y_title: &titles.1,
            x_ticks: Some(ticks.clone()),
            y_ticks: Some(ticks),
            grid: false,
        };
        axes.draw(&mut scene, &frame);
        axis::zero_lines(&mut scene, &frame);
        for (radius, ink) in [(1.0, Ink::Axis), (0.5, Ink::Grid)] {
            scene.items.push(Item::Circle {
                center: (frame.px(0.0), frame.py(0.0)),
                radius: radius * (frame.px(1.0) - frame.px(0.0)),
                style: Style::stroke(ink, 1.0),
            });
        }
        let active = longest(self.columns, MOST);
        let further = longest(self.supplementary, MOST);
        let bounds = Area::between(axis::left_room(&[], "y"), 4.0, size.width - 6.0, low);
        // Names may stand beside the ring, but not on the tick labels.
        let low = low.min(area.bottom());
        let numbers = Area::between(0.0, 0.0, area.left - 2.0, size.height);
        let bounds = if start > left {
            bounds
        } else {
            Area::between(numbers.right(), 4.0, size.width - 6.0, low)
        };
        let unnamed = self.draw_arrows(&mut scene, &frame, bounds, &active, &further);
        Figure {
            id: format!("circle-{}-{}", self.x_axis.slug(), self.y_axis.slug()),
            title: finding(self.columns, self.x_axis.name, self.y_axis.name),
            subtitle: self.subtitle(active.len(), unnamed, !further.is_empty()),
            caption: "Which columns go together? Each arrow is a column; its place is its correlation with the two components. \
                      Arrows that point the same way rise together, opposite ones fall as the other rises, and short ones are \
                      not shown by these components."
                .to_owned(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn draw_arrows(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        bounds: Area,
        active: &[Column<'_>],
        further: &[Column<'_>],
    ) -> usize {
        let origin = (frame.px(0.0), frame.py(0.0));
        let (mut labels, mut lines) = (Vec::new(), Vec::new());
        for (columns, ink, dashed) in [(active, Ink::Text, false), (further, BLUE, true)] {
            for column in columns {
                let tip = (frame.px(column.x), frame.py(column.y));
                arrow(scene, origin, tip, ink, dashed);
                lines.push((origin, tip));
                labels.push(name_at(column, tip, origin, ink, 170.0));
            }
        }
        // Tick labels: left of the frame and below it.
        let axis_numbers = Area::between(
            frame.area.left - 46.0,
            frame.area.top,
            frame.area.left - 2.0,
            frame.area.bottom() + 24.0,
        );
        let title = Area::between(
            frame.area.left - 80.0,
            frame.area.top,
            frame.area.left - 40.0,
            frame.area.bottom(),
        );
        let ground = Ground {
            bounds,
            lines: &lines,
            taken: &[axis_numbers, title],
            ..Ground::default()
        };
        labels::place(scene, &labels, &ground)
    }

    fn subtitle(&self, drawn: usize, unnamed: usize, further: bool) -> String {
        let (x, y) = (self.x_axis, self.y_axis);
        let line = x.name == y.name;
        let share = x.share_with(&y).map(percent);
        let said = share.map(|share| match line {
            true => format!("{} holds {share} of the variance", x.name),
            false => format!("{} and {} hold {share} of the variance", x.name, y.name),
        });
        let mut parts: Vec<String> = said.into_iter().collect();
        if drawn < self.columns.len() {
            let all = grouped(self.columns.len() as u64);
            parts.push(format!("the {drawn} longest of {all} columns are drawn"));
        }
        if further {
            let look = if line { "blue" } else { "dashed" };
            parts.push(format!(
                "{look}: supplementary columns, not used to compute the components"
            ));
        }
        parts.extend(unnamed_words(unnamed));
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let (x, y) = (self.x_axis.name, self.y_axis.name);
        let n = if x == y { 1 } else { 2 };
        let heads = [x, y].into_iter().take(n);
        let heads = std::iter::once("column").chain(heads);
        let mut csv = Csv::new(heads.chain(["supplementary"]));
        for (columns, further) in [(self.columns, "no"), (self.supplementary, "yes")] {
            for c in columns {
                let cells = [cell(c.x), cell(c.y)].into_iter().take(n);
                let cells = std::iter::once(c.name.to_owned()).chain(cells);
                csv.line(cells.chain([further.to_owned()]));
            }
        }
        csv.0
    }
}

/// The longest arrows that can be drawn, the longest first.
pub(super) fn longest<'a>(columns: &[Column<'a>], most: usize) -> Vec<Column<'a>> {
    let mut out: Vec<Column<'a>> = columns
        .iter()
        .filter(|c| c.length().is_finite())
        .copied()
        .collect();
    out.sort_by(|a, b| b.length().total_cmp(&a.length()));
    out.truncate(most);
    out
}

/// How many names had no room, in words.
pub(super) fn unnamed_words(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 name found no room".to_owned()),
        n => Some(format!("{n} names found no room")),
    }
}

/// A column's name at the tip of its arrow.
pub(super) fn name_at(
    column: &Column<'_>,
    tip: (f64, f64),
    origin: (f64, f64),
    ink: Ink,
    most: f64,
) -> Label {
    let (dx, dy) = (tip.0 - origin.0, tip.1 - origin.1);
    let length = dx.hypot(dy).max(1e-9);
    Label {
        at: tip,
        text: measure::fit_name(&measure::label(column.name), most, 12.5),
        size: 12.5,
        bold: false,
        ink,
        weight: column.length(),
        clear: 2.0,
        toward: (dx / length, dy / length),
    }
}

/// Draws an arrow with an open head.
pub(super) fn arrow(scene: &mut Scene, from: (f64, f64), to: (f64, f64), ink: Ink, dashed: bool) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 1.0 {
        return;
    }
    let style = Style::stroke(ink, 1.5).with_opacity(0.85);
    let shaft = if dashed { style.dashed() } else { style };
    scene.line(from, to, shaft);
    let head = 8.0f64.min(0.6 * length);
    let (ux, uy) = (dx / length, dy / length);
    let side = |s: f64| {
        (
            to.0 - head * ux + s * 0.45 * head * uy,
            to.1 - head * uy - s * 0.45 * head * ux,
        )
    };
    let (a, b) = (side(1.0), side(-1.0));
    scene.items.push(Item::Path {
        steps: vec![
            Step::Move(a.0, a.1),
            Step::Line(to.0, to.1),
            Step::Line(b.0, b.1),
        ],
        style,
    });
}

/// Which columns each axis represents.
pub(super) fn finding(columns: &[Column<'_>], x: &str, y: &str) -> String {
    let along = |value: &dyn Fn(&Column<'_>) -> f64| -> Vec<String> {
        let mut order: Vec<&Column<'_>> = columns
            .iter()
            .filter(|c| value(c).abs() >= 0.5 && value(c).abs() >= 0.7 * c.length())
            .collect();
        order.sort_by(|a, b| value(b).abs().total_cmp(&value(a).abs()));
        order
            .iter()
            .take(2)
            .map(|c| measure::label(c.name))
            .collect()
    };
    let (first, second) = (along(&|c| c.x), along(&|c| c.y));
    let says = |names: &[String], axis: &str| {
        let verb = if names.len() == 1 { "lies" } else { "lie" };
        format!("{} {verb} along {axis}", listed(names))
    };
    match (first.is_empty(), second.is_empty()) {
        (false, false) if x != y => format!("{}; {}", says(&first, x), says(&second, y)),
        (false, _) => says(&first, x),
        (true, false) => says(&second, y),
        (true, true) => format!("No column lies clearly along {x} or {y}"),
    }
}
