//! Rows on two components: are there groups, and who is where?

use eigenspan::error::{counted, grouped};

use super::axis::{self, Axes};
use super::cloud::{Cloud, MOST_POINTS};
use super::coloring::{Coloring, Grouped};
use super::labels::{self, Ground, Label};
use super::measure;
use super::scene::{Frame, Ink, Scene};
use super::{Component, Csv, Figure, Size, cell};
use crate::summary;
use crate::words::percent;

/// Scores of rows on two components.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a> {
    /// Scores across; rows without a score are NaN.
    pub x: &'a [f64],
    /// Scores upward.
    pub y: &'a [f64],
    /// The component across.
    pub x_axis: Component<'a>,
    /// The component upward.
    pub y_axis: Component<'a>,
    /// Names of the rows.
    pub names: Option<&'a [String]>,
    /// What points are colored by.
    pub coloring: Coloring<'a>,
    /// Whether an ellipse is drawn around each class.
    pub ellipses: bool,
}

/// Rows up to which each is named.
const NAMED: usize = 60;
/// Rows named where not all are: those farthest out.
const FARTHEST: usize = 8;

impl Scores<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let rows = Cloud::drawn(self.x, self.y);
        let n = self.x.len().min(self.y.len());
        let has_place = |i: usize| self.x[i].is_finite() && self.y[i].is_finite();
        let grouped = self.coloring.group(n, has_place);
        let cloud = Cloud {
            x: self.x,
            y: self.y,
            grouped: &grouped,
            radius: radius(rows.len()),
            most: MOST_POINTS,
        };
        let ellipses = if self.ellipses && grouped.has_classes() {
            cloud.ellipses()
        } else {
            Vec::new()
        };
        let reach: Vec<(f64, f64)> = ellipses.iter().flat_map(|e| e.reach()).collect();
        let xs = rows.iter().map(|&i| self.x[i]);
        let ys = rows.iter().map(|&i| self.y[i]);
        let x = axis::span(xs.chain(reach.iter().map(|p| p.0)), 0.05);
        let y = axis::span(ys.chain(reach.iter().map(|p| p.1)), 0.05);
        let titles = (self.x_axis.title(), self.y_axis.title());
        let legend = grouped.legend_width();
        let right = if legend > 0.0 { legend + 34.0 } else { 0.0 };
        let frame = axis::frame(size, x, y, (&titles.0, &titles.1), right);
        let mut scene = Scene::new(size.width, size.height);
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
        let legend_left = frame.area.right() + 18.0;
        grouped.draw_legend(&mut scene, legend_left, frame.area.top, frame.area.height);
        Figure {
            id: format!("scores-{}-{}", self.x_axis.slug(), self.y_axis.slug()),
            title: self.finding(&grouped, &rows),
            subtitle: self.subtitle(&rows, how, unnamed, !ellipses.is_empty()),
            caption: "Are there groups, and which rows are alike? Each point is a row; rows that lie close together are \
                      alike in what these two components show."
                .to_owned(),
            scene,
            csv: self.csv(),
        }
    }

    /// Names all rows where they are few, else the farthest; gives how many of those found no room.
    fn draw_names(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        rows: &[usize],
        grouped: &Grouped,
    ) -> usize {
        let Some(names) = self.names else { return 0 };
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
                text: measure::fit_name(
                    &measure::label(names.get(i).map_or("", |n| n)),
                    150.0,
                    11.5,
                ),
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
        if rows.len() > NAMED {
            labels.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            labels.truncate(FARTHEST);
        }
        let ground = Ground {
            bounds: frame.area,
            points: &points,
            ..Ground::default()
        };
        labels::place(scene, &labels, &ground)
    }

    /// What is seen: classes apart, a row apart, or how much the picture holds.
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
                    "The classes of {} overlap: at most {} of the variance of {} lies between them",
                    grouped.name,
                    percent(best.0),
                    best.1
                )
            };
        }
        for (scores, axis) in axes {
            if let Some(apart) = summary::stands_apart(scores, self.names, deviation(scores, rows))
            {
                let row = measure::label(&apart.row);
                return format!("{row} stands apart from the rest on {}", axis.name);
            }
        }
        let (x, y) = (self.x_axis, self.y_axis);
        format!(
            "{} and {} show {} of the variance",
            x.name,
            y.name,
            percent(x.share_with(&y))
        )
    }

    fn subtitle(
        &self,
        rows: &[usize],
        how: Option<String>,
        unnamed: usize,
        ellipses: bool,
    ) -> String {
        let mut parts = vec![how.unwrap_or_else(|| counted(rows.len(), "row"))];
        if self.x_axis.name != self.y_axis.name {
            let share = percent(self.x_axis.share_with(&self.y_axis));
            parts.push(format!("{share} of the variance is in this picture"));
        }
        if ellipses {
            parts.push("ellipses hold 95 % of a class that is normally distributed".to_owned());
        }
        parts.extend(left_out(self.x.len().min(self.y.len()) - rows.len()));
        if unnamed > 0 {
            parts.push(format!("{} found no room", counted(unnamed, "name")));
        }
        if self.names.is_some() && rows.len() > NAMED {
            parts.push("the farthest rows are named".to_owned());
        }
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let mut header = vec!["row", self.x_axis.name, self.y_axis.name];
        match self.coloring {
            Coloring::Classes { name, .. } | Coloring::Values { name, .. } => header.push(name),
            Coloring::None => {}
        }
        let mut csv = Csv::new(header);
        for i in 0..self.x.len().min(self.y.len()) {
            let name = self.names.and_then(|names| names.get(i)).cloned();
            let mut line = vec![
                name.unwrap_or_else(|| (i + 1).to_string()),
                cell(self.x[i]),
                cell(self.y[i]),
            ];
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

/// Rows without a place, in words.
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

/// Radius of a point: small where there are many.
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

/// Share of the scores' variance that lies between classes (η²).
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
