//! A number line, for models with only one component. Names stand above the line; if there are too many names, marks are
//! stacked, class by class.

use std::cmp::Ordering;

use eigenspan::linalg::sort_largest_first;

use super::axis::{self, Axes};
use super::circle::Column;
use super::coloring::{Group, Grouped};
use super::legend::entry_within;
use super::measure;
use super::palette::BLUE;
use super::scene::{Area, Frame, Ink, Item, Marks, Scene, Shape, Style, Text};
use super::scores::radius;

/// Values on a line.
pub(super) struct NumberLine<'a> {
    /// The values; those that are not finite are not drawn.
    pub(super) values: &'a [f64],
    /// The colors and shapes of the values.
    pub(super) grouped: &'a Grouped,
    /// A name per value, if all values have names.
    pub(super) names: Option<Vec<String>>,
    /// The range of the line.
    pub(super) span: (f64, f64),
    /// The title of the line.
    pub(super) title: &'a str,
}

/// A number line after layout.
pub(super) struct Placed<'a> {
    line: &'a NumberLine<'a>,
    frame: Frame,
    /// The total height, with tick labels and title.
    pub(super) height: f64,
    /// How many names had no room.
    pub(super) unnamed: usize,
    /// A note on how the line is drawn.
    pub(super) how: Option<String>,
    what: What,
}

enum What {
    Named(Vec<Name>),
    /// Classes with their own lane (empty if they share one), the highest stack, and the height of a lane.
    Piled {
        lanes: usize,
        most: usize,
        lane: f64,
    },
}

/// A name above the line: its level, counted from the line.
struct Name {
    at: usize,
    level: usize,
    area: Area,
    text: String,
}

const SIZE: f64 = 12.5;
const LEVEL: f64 = 17.0;
/// The distance from the line to the lowest names.
const RISE: f64 = 20.0;
const EDGE: f64 = 24.0;
/// The largest width of a name above a line.
const WIDEST: f64 = 190.0;
/// Lanes lower than this are not readable.
const LOWEST_LANE: f64 = 15.0;

/// Columns at their correlations with one component, for a line from −1 to 1; supplementary columns come last.
pub(super) struct Correlations {
    values: Vec<f64>,
    names: Vec<String>,
    grouped: Grouped,
}

impl Correlations {
    pub(super) fn from_columns(columns: &[Column<'_>], further: &[Column<'_>]) -> Self {
        let all = || columns.iter().chain(further);
        let group = |count, ink| Group {
            name: String::new(),
            count,
            ink,
            shape: Shape::Diamond,
        };
        Correlations {
            values: all().map(|c| c.x).collect(),
            names: all().map(|c| measure::label(c.name)).collect(),
            grouped: Grouped {
                name: String::new(),
                groups: vec![group(columns.len(), Ink::Text), group(further.len(), BLUE)],
                of_row: (0..columns.len() + further.len())
                    .map(|i| usize::from(i >= columns.len()))
                    .collect(),
                scale: None,
            },
        }
    }

    pub(super) fn line<'a>(&'a self, title: &'a str) -> NumberLine<'a> {
        NumberLine {
            values: &self.values,
            grouped: &self.grouped,
            names: Some(self.names.clone()),
            span: (-1.0, 1.0),
            title,
        }
    }
}

impl NumberLine<'_> {
    /// Lays out everything on paper of this width and at most this height.
    pub(super) fn place(&self, width: f64, most: f64) -> Placed<'_> {
        let below = axis::lower_room(self.title);
        match &self.names {
            Some(names) => self.named(names, width, (most - below).max(60.0)),
            None => self.piled(width, (most - below).max(40.0)),
        }
    }

    fn frame(&self, left: f64, width: f64, height: f64) -> Frame {
        Frame {
            area: Area {
                left,
                top: 10.0,
                width: (width - left - EDGE).max(20.0),
                height,
            },
            x: self.span,
            y: (0.0, 1.0),
        }
    }

    /// Indices of the finite values, from left to right.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len())
            .filter(|&i| self.values[i].is_finite())
            .collect();
        sort_largest_first(&mut order, &|j| -self.values[j]);
        order
    }

    /// Puts each name on the lowest level where it touches neither a name nor the thin line of another: above its mark
    /// if the mark has no close neighbor, else beside its thin line, toward the middle.
    fn named(&self, names: &[String], width: f64, most: f64) -> Placed<'_> {
        let across = self.frame(EDGE, width, 1.0);
        let n_levels = ((most - RISE - 10.0) / LEVEL).max(1.0) as usize;
        let order = self.order();
        let marks: Vec<f64> = order.iter().map(|&i| across.px(self.values[i])).collect();
        let mut placed: Vec<Name> = Vec::new();
        let mut unnamed = 0;
        for at in from_the_middle(&marks, width / 2.0) {
            let (i, x) = (order[at], marks[at]);
            let text = names.get(i).map_or("", String::as_str);
            let text = measure::fit_name(text, WIDEST.min(0.46 * width), SIZE);
            let wide = measure::width(&text, SIZE, false) + 8.0;
            let left = (x - wide / 2.0).clamp(2.0, (width - 2.0 - wide).max(2.0));
            let alone = |other: &f64| *other <= left - 2.0 || *other >= left + wide + 2.0;
            let alone = (0..marks.len()).all(|other| other == at || alone(&marks[other]));
            let left = match (alone, x > width / 2.0) {
                (true, _) => left,
                (false, true) => x - 1.0 - wide,
                (false, false) => x + 1.0,
            };
            let free = |level: usize| {
                placed.iter().all(|other| {
                    let a = other.area;
                    let stem = across.px(self.values[other.at]);
                    let beside = |stem: f64, from: f64, to: f64| stem <= from || stem >= to;
                    match level.cmp(&other.level) {
                        Ordering::Equal => left >= a.right() || a.left >= left + wide,
                        Ordering::Less => beside(stem, left, left + wide),
                        Ordering::Greater => beside(x, a.left, a.right()),
                    }
                })
            };
            match (0..n_levels).find(|level| free(*level)) {
                Some(level) => placed.push(Name {
                    at: i,
                    level,
                    area: Area {
                        left,
                        width: wide,
                        ..Area::default()
                    },
                    text,
                }),
                None => unnamed += 1,
            }
        }
        let levels = placed.iter().map(|name| name.level + 1).max().unwrap_or(0);
        let height = LEVEL * levels as f64 + RISE + 6.0;
        Placed {
            frame: self.frame(EDGE, width, height),
            height: 10.0 + height + axis::lower_room(self.title),
            unnamed,
            how: None,
            what: What::Named(placed),
            line: self,
        }
    }

    /// How many values fall into each pixel column of the width of a mark, lane by lane.
    fn piles(&self, frame: &Frame, lanes: usize) -> Vec<Vec<Vec<usize>>> {
        let n_bins = self.n_bins(frame);
        let mut piles = vec![vec![Vec::new(); n_bins]; lanes.max(1)];
        for i in self.order() {
            let share = (frame.px(self.values[i]) - frame.area.left) / frame.area.width;
            let bin = ((share * n_bins as f64) as usize).min(n_bins - 1);
            let group = self.grouped.of_row.get(i).copied().unwrap_or(0);
            let lane = if lanes > 0 { group } else { 0 };
            piles[lane][bin].push(group);
        }
        piles
    }

    /// The classes with their own lane; empty if rows are not compared, or if lanes would be too low.
    fn lanes(&self, height: f64) -> usize {
        let n = self.grouped.groups.len();
        match self.grouped.has_classes() && n as f64 * LOWEST_LANE <= height {
            true => n,
            false => 0,
        }
    }

    fn lane_names(&self, lanes: usize, width: f64) -> Vec<String> {
        let groups = self.grouped.groups.iter().take(lanes);
        groups
            .map(|group| entry_within(group, 0.32 * width, SIZE))
            .collect()
    }

    fn radius(&self) -> f64 {
        radius(self.values.len())
    }

    fn piled(&self, width: f64, most: f64) -> Placed<'_> {
        let lanes = self.lanes(most - 10.0);
        let names = self.lane_names(lanes, width);
        let widest = names.iter().map(|name| measure::width(name, SIZE, false));
        let left = EDGE + widest.fold(0.0, f64::max);
        let n_lanes = lanes.max(1) as f64;
        let frame = self.frame(left, width, 1.0);
        let highest = self
            .piles(&frame, lanes)
            .iter()
            .flatten()
            .map(Vec::len)
            .max()
            .unwrap_or(0);
        let wanted = 2.0 * self.radius() * highest as f64 + 8.0;
        let room = ((most - 10.0) / n_lanes).clamp(LOWEST_LANE, 150.0);
        let bars = wanted > room;
        let lane = if bars { room } else { wanted.max(26.0) };
        let height = lane * n_lanes;
        Placed {
            frame: self.frame(left, width, height),
            height: 10.0 + height + axis::lower_room(self.title),
            unnamed: 0,
            how: bars.then(|| {
                let highest = eigenspan::error::grouped(highest as u64);
                format!("heights are numbers of rows, the highest {highest}")
            }),
            what: What::Piled {
                lanes,
                most: highest,
                lane,
            },
            line: self,
        }
    }

    fn n_bins(&self, frame: &Frame) -> usize {
        (frame.area.width / (2.0 * self.radius())).max(1.0) as usize
    }
}

/// The order in which values are named: those right of the middle from left to right, then those left of it from
/// right to left. Names extend toward the middle, so no name covers the mark of a later one.
pub(super) fn from_the_middle(places: &[f64], middle: f64) -> Vec<usize> {
    let right = (0..places.len()).filter(|&i| places[i] > middle);
    let left = (0..places.len()).rev().filter(|&i| places[i] <= middle);
    right.chain(left).collect()
}

impl Placed<'_> {
    /// Draws the line with its upper edge here.
    pub(super) fn draw(&self, scene: &mut Scene, top: f64) {
        let mut frame = self.frame;
        frame.area.top += top;
        let axes = Axes {
            x_title: self.line.title,
            y_ticks: Some(Vec::new()),
            grid: matches!(self.what, What::Piled { .. }),
            ..Axes::default()
        };
        axes.draw(scene, &frame);
        let (area, style) = (frame.area, Style::stroke(Ink::Axis, 1.5));
        match &self.what {
            What::Named(names) => {
                scene.line(
                    (area.left - 8.0, area.bottom()),
                    (area.right() + 8.0, area.bottom()),
                    style,
                );
                self.draw_ticks(scene, &frame);
                self.draw_named(scene, &frame, names);
            }
            What::Piled { lanes, most, lane } => {
                self.draw_piled(scene, &frame, *lanes, (*most, *lane));
            }
        }
    }

    /// Small tick marks.
    fn draw_ticks(&self, scene: &mut Scene, frame: &Frame) {
        let y = frame.area.bottom();
        for (x, _) in axis::x_ticks(frame.x, frame.area.width) {
            let x = frame.px(x);
            scene.line((x, y - 4.0), (x, y + 4.0), Style::stroke(Ink::Axis, 1.0));
        }
    }

    fn draw_named(&self, scene: &mut Scene, frame: &Frame, names: &[Name]) {
        let bottom = frame.area.bottom();
        let r = self.line.radius();
        for name in names {
            let x = frame.px(self.line.values[name.at]);
            let base = bottom - RISE - LEVEL * name.level as f64;
            scene.line(
                (x, bottom - r),
                (x, base + 4.0),
                Style::stroke(Ink::Axis, 0.8),
            );
        }
        for (g, group) in self.line.grouped.groups.iter().enumerate() {
            let points = self.line.order().into_iter();
            let points = points.filter(|&i| self.line.grouped.of_row.get(i) == Some(&g));
            let points = points.map(|i| (frame.px(self.line.values[i]), bottom));
            scene.items.push(Item::Marks(Marks {
                points: points.collect(),
                shape: group.shape,
                radius: r,
                style: Style {
                    stroke: Some(Ink::Ground),
                    width: 0.7,
                    ..Style::fill(group.ink)
                },
            }));
        }
        for name in names {
            let base = bottom - RISE - LEVEL * name.level as f64;
            let x = name.area.left + name.area.width / 2.0;
            scene.text(Text::new(x, base, name.text.as_str(), SIZE).middle());
        }
    }

    /// Marks stacked from the bottom of each lane, or bars if the stacks would be too high.
    fn draw_piled(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        lanes: usize,
        (most, lane): (usize, f64),
    ) {
        let line = self.line;
        let step = frame.area.width / line.n_bins(frame) as f64;
        let r = line.radius();
        let (names, looks) = (line.lane_names(lanes, scene.width), &line.grouped.groups);
        let mut marks: Vec<Vec<(f64, f64)>> = vec![Vec::new(); looks.len()];
        for (at, piles) in line.piles(frame, lanes).iter().enumerate() {
            let foot = frame.area.top + lane * (at as f64 + 1.0);
            scene.line(
                (frame.area.left, foot),
                (frame.area.right(), foot),
                Style::stroke(Ink::Axis, 1.0),
            );
            if let Some(name) = names.get(at) {
                let text = Text::new(
                    frame.area.left - 8.0,
                    foot - lane / 2.0 + 0.36 * SIZE,
                    name,
                    SIZE,
                );
                scene.text(text.end());
            }
            for (bin, pile) in piles
                .iter()
                .enumerate()
                .filter(|(_, pile)| !pile.is_empty())
            {
                let left = frame.area.left + step * bin as f64;
                if self.how.is_some() {
                    let ink = match lanes {
                        0 => BLUE,
                        _ => looks[at].ink,
                    };
                    let tall = (lane - 4.0) * pile.len() as f64 / most.max(1) as f64;
                    let bar = Area::between(left + 0.4, foot - tall, left + step - 0.4, foot);
                    scene.rect(bar, Style::fill(ink));
                    continue;
                }
                for (i, group) in pile.iter().enumerate() {
                    let y = foot - r * (2.0 * i as f64 + 1.0) - 1.0;
                    marks[*group].push((left + step / 2.0, y));
                }
            }
        }
        for (points, look) in marks.into_iter().zip(looks) {
            if !points.is_empty() {
                scene.items.push(Item::Marks(Marks {
                    points,
                    shape: look.shape,
                    radius: 0.92 * r,
                    style: Style::fill(look.ink),
                }));
            }
        }
    }
}
