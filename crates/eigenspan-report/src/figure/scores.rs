//! Rows on two components: are there groups, and where is each row?

use eigenspan::error::{counted, grouped};

use super::axis::{self, Axes};
use super::cloud::{Cloud, Ellipse, MOST_POINTS};
use super::coloring::{Coloring, Grouped};
use super::labels::{self, Ground, Label};
use super::line::NumberLine;
use super::measure;
use super::rows::Rows;
use super::scene::{Frame, Ink, Scene};
use super::{Component, Csv, Figure, Size, capital, cell};
use crate::summary;
use crate::words::percent;

/// Scores of rows on two components.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a> {
    /// Scores across; NaN for a row without a score.
    pub x: &'a [f64],
    /// Scores upward.
    pub y: &'a [f64],
    /// The component across.
    pub x_axis: Component<'a>,
    /// The component upward.
    pub y_axis: Component<'a>,
    /// Names of the rows.
    pub rows: Rows<'a>,
    /// What points are colored by.
    pub coloring: Coloring<'a>,
    /// Whether an ellipse is drawn around each class.
    pub ellipses: bool,
}

/// Up to this many rows, all are named.
pub(super) const NAMED: usize = 60;
/// With more rows, this many are named: those farthest from the center.
const FARTHEST: usize = 8;

/// Keeps the names with the largest weights (the farthest rows) if there are more than can be placed.
pub(super) fn keep_farthest(labels: &mut Vec<Label>, n_rows: usize) {
    if n_rows > NAMED {
        labels.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        labels.truncate(FARTHEST);
    }
}

impl Scores<'_> {
    /// Draws the figure: a map, or a number line if both axes are the same component.
    pub fn figure(&self, size: Size) -> Figure {
        let rows = Cloud::drawn(self.x, self.y);
        let grouped = self.grouped();
        let mut scene = Scene::new(size.width, size.height);
        let legend = grouped.legend(size);
        let (how, unnamed, ellipses) = match self.is_line() {
            true => {
                let (how, unnamed) = self.draw_line(&mut scene, &rows, &grouped, size);
                (how, unnamed, false)
            }
            false => {
                let cloud = self.cloud(&grouped, rows.len());
                let ellipses = self.ellipses_of(&cloud);
                let frame = self.frame(size, &rows, &ellipses, (legend.right(), legend.top()));
                let titles = (self.x_axis.title(), self.y_axis.title());
                let axes = Axes {
                    x_title: &titles.0,
                    y_title: &titles.1,
                    grid: true,
                    ..Axes::default()
                };
                axes.draw(&mut scene, &frame);
                axis::zero_lines(&mut scene, &frame);
                ellipses.iter().for_each(|e| e.draw(&mut scene, &frame));
                let how = cloud.draw(&mut scene, &frame);
                let unnamed = self.draw_names(&mut scene, &frame, &rows, &grouped);
                legend.draw(&mut scene, frame.area);
                (how, unnamed, !ellipses.is_empty())
            }
        };
        Figure {
            id: self.id("scores"),
            title: self.finding(&grouped, &rows),
            subtitle: self.subtitle((&rows, &grouped), how, unnamed, ellipses),
            caption: self.caption(&grouped, ellipses),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    /// Whether both axes are the same component.
    pub(super) fn is_line(&self) -> bool {
        self.x_axis.name == self.y_axis.name
    }

    /// `scores-pc1-pc2`, or `scores-pc1` with one component.
    pub(super) fn id(&self, kind: &str) -> String {
        match self.is_line() {
            true => format!("{kind}-{}", self.x_axis.slug()),
            false => format!("{kind}-{}-{}", self.x_axis.slug(), self.y_axis.slug()),
        }
    }

    pub(super) fn grouped(&self) -> Grouped {
        let n = self.x.len().min(self.y.len());
        let has_place = |i: usize| self.x[i].is_finite() && self.y[i].is_finite();
        self.coloring.group(n, has_place)
    }

    pub(super) fn cloud<'c>(&'c self, grouped: &'c Grouped, n_drawn: usize) -> Cloud<'c> {
        Cloud {
            x: self.x,
            y: self.y,
            grouped,
            radius: radius(n_drawn),
            most: MOST_POINTS,
        }
    }

    /// The ellipses, if they are requested and there are classes.
    pub(super) fn ellipses_of(&self, cloud: &Cloud<'_>) -> Vec<Ellipse> {
        match self.ellipses && cloud.grouped.has_classes() {
            true => cloud.ellipses(),
            false => Vec::new(),
        }
    }

    fn frame(&self, size: Size, rows: &[usize], ellipses: &[Ellipse], room: (f64, f64)) -> Frame {
        let reach: Vec<(f64, f64)> = ellipses.iter().flat_map(Ellipse::reach).collect();
        let xs = rows.iter().map(|&i| self.x[i]);
        let ys = rows.iter().map(|&i| self.y[i]);
        let x = axis::span(xs.chain(reach.iter().map(|p| p.0)), 0.05);
        let y = axis::span(ys.chain(reach.iter().map(|p| p.1)), 0.05);
        let titles = (self.x_axis.title(), self.y_axis.title());
        axis::frame(size, x, y, (&titles.0, &titles.1), room)
    }

    /// The rows on a number line, with names above it if there are few rows.
    pub(super) fn line<'c>(
        &'c self,
        rows: &[usize],
        grouped: &'c Grouped,
        title: &'c str,
    ) -> NumberLine<'c> {
        let named = self.rows.names.is_some() && rows.len() <= NAMED;
        let names = named.then(|| (0..self.x.len()).map(|i| self.rows.label(i)).collect());
        NumberLine {
            values: self.x,
            grouped,
            names,
            span: axis::span(rows.iter().map(|&i| self.x[i]), 0.04),
            title,
        }
    }

    /// Draws the number line, sets the height of the paper, and returns how it is drawn and how many names had no room.
    fn draw_line(
        &self,
        scene: &mut Scene,
        rows: &[usize],
        grouped: &Grouped,
        size: Size,
    ) -> (Option<String>, usize) {
        let title = self.x_axis.title();
        let line = self.line(rows, grouped, &title);
        // Lanes have the names of their classes beside them; with names above the line, the classes are in a legend above.
        let legend = line.names.is_some().then(|| grouped.legend_above(size));
        let top = legend.as_ref().map_or(0.0, |legend| legend.top());
        let placed = line.place(size.width, size.height - top);
        placed.draw(scene, top);
        if let Some(legend) = &legend {
            legend.draw_above(scene);
        }
        scene.height = (top + placed.height + 8.0).min(size.height.max(120.0));
        let how = placed.how.as_ref();
        let count = counted(rows.len(), "row");
        let how = how.map(|how| format!("{count} · {how}"));
        (how, placed.unnamed)
    }

    /// Names all rows if there are few, else the farthest; returns how many names had no room.
    fn draw_names(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        rows: &[usize],
        grouped: &Grouped,
    ) -> usize {
        if self.rows.names.is_none() {
            return 0;
        }
        let points: Vec<(f64, f64)> = rows
            .iter()
            .map(|&i| (frame.px(self.x[i]), frame.py(self.y[i])))
            .collect();
        let (cx, cy) = (frame.px(0.0), frame.py(0.0));
        let mut labels: Vec<Label> = rows
            .iter()
            .zip(&points)
            .map(|(&i, &at)| Label {
                at,
                text: measure::fit_name(&self.rows.label(i), 150.0, 11.5),
                size: 11.5,
                bold: false,
                ink: if grouped.has_classes() {
                    Ink::Muted
                } else {
                    Ink::Text
                },
                weight: (at.0 - cx).hypot(at.1 - cy),
                clear: radius(rows.len()),
                toward: (0.0, 0.0),
            })
            .collect();
        keep_farthest(&mut labels, rows.len());
        let ground = Ground {
            bounds: frame.area,
            points: &points,
            ..Ground::default()
        };
        labels::place(scene, &labels, &ground)
    }

    /// The title: classes that are separated, a row that stands apart, or the share of variance shown.
    fn finding(&self, grouped: &Grouped, rows: &[usize]) -> String {
        let axes = [(self.x, self.x_axis), (self.y, self.y_axis)];
        if grouped.has_classes() && grouped.groups.len() > 1 && rows.len() > grouped.groups.len() {
            let between = axes.map(|(scores, axis)| (between(scores, grouped, rows), axis.name));
            let best = if between[1].0 > between[0].0 {
                between[1]
            } else {
                between[0]
            };
            return if best.0 >= 0.5 {
                format!(
                    "{} sets the classes of {} apart: {} of its variance lies between them",
                    best.1,
                    grouped.name,
                    percent(best.0)
                )
            } else {
                format!(
                    "No axis sets the classes of {} apart: at most {} of the variance of {} lies between them",
                    grouped.name,
                    percent(best.0),
                    best.1
                )
            };
        }
        let spoken = self.rows.spoken(self.x.len());
        for (scores, axis) in axes {
            let deviation = deviation(scores, rows);
            if let Some(apart) = summary::stands_apart(scores, spoken.as_deref(), deviation) {
                let row = measure::label(&apart.row);
                return format!("{row} stands apart from the rest on {}", axis.name);
            }
        }
        let (x, y) = (self.x_axis, self.y_axis);
        match (self.is_line(), x.share_with(&y).map(percent)) {
            (true, Some(share)) => format!("{} shows {share} of the variance", x.name),
            (true, None) => format!("Rows on {}", x.name),
            (false, Some(share)) => {
                format!("{} and {} show {share} of the variance", x.name, y.name)
            }
            (false, None) => format!("Rows on {} and {}", x.name, y.name),
        }
    }

    fn subtitle(
        &self,
        (rows, grouped): (&[usize], &Grouped),
        how: Option<String>,
        unnamed: usize,
        ellipses: bool,
    ) -> String {
        let mut parts = vec![how.unwrap_or_else(|| counted(rows.len(), "row"))];
        let share = self.x_axis.share_with(&self.y_axis).map(percent);
        if let Some(share) = share.filter(|_| !self.is_line()) {
            parts.push(format!("{share} of the variance is in this picture"));
        }
        if ellipses {
            parts.push(ELLIPSES.to_owned());
        }
        parts.extend(grouped.words());
        parts.extend(left_out(self.x.len().min(self.y.len()) - rows.len()));
        if unnamed > 0 {
            parts.push(format!("{} found no room", counted(unnamed, "name")));
        }
        if self.rows.names.is_some() && rows.len() > NAMED && !self.is_line() {
            parts.push("the farthest rows are named".to_owned());
        }
        parts.join(" · ")
    }

    fn caption(&self, grouped: &Grouped, ellipses: bool) -> String {
        let mut out = match self.is_line() {
            true => format!(
                "Where is each row on {}, the only component? Each mark is a row at its score; rows that lie close \
                 together are alike in what it shows.",
                self.x_axis.name
            ),
            false => "Are there groups, and which rows are alike? Each point is a row; rows that lie close together are alike \
                      in what these two components show."
                .to_owned(),
        };
        out += &looks(grouped, ellipses);
        out
    }

    /// The scores for the CSV; one column if there is one component.
    pub(super) fn values(&self, i: usize) -> Vec<String> {
        match self.is_line() {
            true => vec![cell(self.x[i])],
            false => vec![cell(self.x[i]), cell(self.y[i])],
        }
    }

    /// The names of the components drawn.
    pub(super) fn axes(&self) -> Vec<&str> {
        match self.is_line() {
            true => vec![self.x_axis.name],
            false => vec![self.x_axis.name, self.y_axis.name],
        }
    }

    fn csv(&self) -> String {
        let mut header = vec!["row"];
        header.extend(self.axes());
        match self.coloring {
            Coloring::Classes { name, .. } | Coloring::Values { name, .. } => header.push(name),
            Coloring::None => {}
        }
        let mut csv = Csv::new(header);
        for i in 0..self.x.len().min(self.y.len()) {
            let mut line = vec![self.rows.key(i)];
            line.extend(self.values(i));
            match self.coloring {
                Coloring::Classes { classes, .. } => {
                    line.push(classes.get(i).cloned().unwrap_or_default());
                }
                Coloring::Values { values, .. } => {
                    line.push(cell(values.get(i).copied().unwrap_or(f64::NAN)));
                }
                Coloring::None => {}
            }
            csv.line(line);
        }
        csv.0
    }
}

/// What an ellipse shows.
pub(super) const ELLIPSES: &str = "ellipses hold 95 % of a class that is normally distributed";

/// What a caption adds about ellipses and colors.
pub(super) fn looks(grouped: &Grouped, ellipses: bool) -> String {
    let mut out = String::new();
    if ellipses {
        out += " The ellipse around a class holds 95 % of it if it is normally distributed.";
    }
    if let Some(words) = grouped.words() {
        out += &format!(" {}.", capital(&words));
    }
    out
}

/// How many rows have no position, in words.
pub(super) fn left_out(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 row without scores is not drawn".to_owned()),
        n => Some(format!(
            "{} rows without scores are not drawn",
            grouped(n as u64)
        )),
    }
}

/// The radius of a point: small if there are many points.
pub(super) fn radius(n: usize) -> f64 {
    match n {
        0..=60 => 4.5,
        61..=300 => 3.8,
        301..=2000 => 2.9,
        _ => 2.2,
    }
}

pub(super) fn deviation(scores: &[f64], rows: &[usize]) -> f64 {
    let n = rows.len() as f64;
    let mean = rows.iter().map(|&i| scores[i]).sum::<f64>() / n;
    let sum: f64 = rows.iter().map(|&i| (scores[i] - mean).powi(2)).sum();
    (sum / (n - 1.0).max(1.0)).sqrt()
}

/// The share of the scores' variance that is between classes (η²).
fn between(scores: &[f64], grouped: &Grouped, rows: &[usize]) -> f64 {
    let k = grouped.groups.len();
    let (mut sums, mut counts) = (vec![0.0; k], vec![0.0; k]);
    for &i in rows {
        sums[grouped.of_row[i]] += scores[i];
        counts[grouped.of_row[i]] += 1.0;
    }
    let n = rows.len() as f64;
    let mean = sums.iter().sum::<f64>() / n;
    let all: f64 = rows.iter().map(|&i| (scores[i] - mean).powi(2)).sum();
    let classes = sums.iter().zip(&counts).filter(|(_, n)| **n > 0.0);
    let among: f64 = classes.map(|(s, n)| n * (s / n - mean).powi(2)).sum();
    if all > 0.0 { among / all } else { 0.0 }
}
