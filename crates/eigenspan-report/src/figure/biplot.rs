//! The biplot: rows as points and columns as arrows in one picture (K. R. Gabriel, "The biplot graphic display of matrices",
//! Biometrika 58 (1971) 453–467).
//!
//! Scaling: points are the rows' scores, in the units of the axes, equal on both. Arrows are the columns' correlations with
//! the two components; their ring is a correlation of 1. So distances between points, and angles and lengths of arrows, can
//! be read; the length of an arrow is not in the units of the axes.

use eigenspan::error::{counted, grouped};

use super::axis::{self, Axes};
use super::circle::{Column, arrow, finding, longest, name_at, unnamed_words};
use super::cloud::{Cloud, MOST_POINTS};
use super::coloring::Grouped;
use super::labels::{self, Ground, Label};
use super::measure;
use super::scene::{Frame, Ink, Item, Scene, Style};
use super::scores::{Scores, left_out, radius};
use super::{Csv, Figure, Size, cell};
use crate::words::percent;

/// Rows and columns in one picture.
#[derive(Debug, Clone, Copy)]
pub struct Biplot<'a> {
    /// The rows.
    pub scores: Scores<'a>,
    /// The columns and their correlations with the components of `scores`.
    pub columns: &'a [Column<'a>],
}

/// Arrows drawn, at most: the longest.
const MOST: usize = 20;
/// Rows up to which each is named.
const NAMED: usize = 30;

impl Biplot<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let Scores { x, y, .. } = self.scores;
        let rows = Cloud::drawn(x, y);
        let n = x.len().min(y.len());
        let has_place = |i: usize| x[i].is_finite() && y[i].is_finite();
        let grouped = self.scores.coloring.group(n, has_place);
        let cloud = Cloud {
            x,
            y,
            grouped: &grouped,
            radius: radius(rows.len()),
            most: MOST_POINTS,
        };
        let ellipses = if self.scores.ellipses && grouped.has_classes() {
            cloud.ellipses()
        } else {
            Vec::new()
        };
        let titles = (self.scores.x_axis.title(), self.scores.y_axis.title());
        let frame = self.frame(size, &rows, &grouped, (&titles.0, &titles.1));
        let mut scene = Scene::new(size.width, size.height);
        let axes = Axes {
            x_title: &titles.0,
            y_title: &titles.1,
            grid: false,
            ..Axes::default()
        };
        axes.draw(&mut scene, &frame);
        axis::zero_lines(&mut scene, &frame);
        ellipses.iter().for_each(|e| e.draw(&mut scene, &frame));
        let how = cloud.draw(&mut scene, &frame);
        let unnamed = self.draw_columns(&mut scene, &frame, &rows);
        let legend_left = frame.area.right() + 18.0;
        grouped.draw_legend(&mut scene, legend_left, frame.area.top, frame.area.height);
        let (a, b) = (self.scores.x_axis, self.scores.y_axis);
        Figure {
            id: format!("biplot-{}-{}", a.slug(), b.slug()),
            title: finding(self.columns, a.name, b.name),
            subtitle: self.subtitle(&rows, how, unnamed),
            caption: "Which columns pull which rows? Points are rows, at their scores; arrows are columns, at their correlations \
                      with the two components, stretched so that the dashed ring is a correlation of 1. Rows in the direction \
                      of an arrow have high values there."
                .to_owned(),
            scene,
            csv: self.csv(),
        }
    }

    /// Equal units on both axes, the origin in the middle, so that the ring is a circle and fits.
    fn frame(&self, size: Size, rows: &[usize], grouped: &Grouped, titles: (&str, &str)) -> Frame {
        let Scores { x, y, .. } = self.scores;
        let reach = |scores: &[f64]| rows.iter().map(|&i| scores[i].abs()).fold(0.0, f64::max);
        let (far_x, far_y) = (1.06 * reach(x), 1.06 * reach(y));
        let far = far_x.max(far_y);
        let far = if far > 0.0 { far } else { 1.0 };
        let legend = grouped.legend_width();
        let right = if legend > 0.0 { legend + 34.0 } else { 0.0 };
        let mut frame = axis::frame(size, (-far, far), (-far, far), titles, right);
        let per_pixel = (far_x.max(1e-9 * far) / frame.area.width)
            .max(far_y.max(1e-9 * far) / frame.area.height);
        let (w, h) = (per_pixel * frame.area.width, per_pixel * frame.area.height);
        frame.x = (-w, w);
        frame.y = (-h, h);
        // Numbers of the axis upward may now be wider or narrower.
        let ticks = axis::y_ticks(frame.y, frame.area.height);
        let left = axis::left_room(&ticks, titles.1);
        frame.area.width += frame.area.left - left;
        frame.area.left = left;
        let w = per_pixel * frame.area.width;
        frame.x = (-w, w);
        frame
    }

    fn draw_columns(&self, scene: &mut Scene, frame: &Frame, rows: &[usize]) -> usize {
        let origin = (frame.px(0.0), frame.py(0.0));
        let ring = 0.47 * frame.area.width.min(frame.area.height);
        scene.items.push(Item::Circle {
            center: origin,
            radius: ring,
            style: Style::stroke(Ink::Axis, 1.0).dashed().with_opacity(0.6),
        });
        let (mut labels, mut lines) = (Vec::new(), Vec::new());
        for column in longest(self.columns, MOST) {
            let tip = (origin.0 + ring * column.x, origin.1 - ring * column.y);
            arrow(scene, origin, tip, Ink::Text, false);
            lines.push((origin, tip));
            labels.push(name_at(&column, tip, origin, Ink::Text, 200.0));
        }
        let Scores { x, y, names, .. } = self.scores;
        let points: Vec<(f64, f64)> = rows
            .iter()
            .map(|&i| (frame.px(x[i]), frame.py(y[i])))
            .collect();
        if let Some(names) = names.filter(|_| rows.len() <= NAMED) {
            labels.extend(rows.iter().zip(&points).map(|(&i, &at)| {
                let name = measure::label(names.get(i).map_or("", |n| n));
                Label {
                    at,
                    text: measure::fit_name(&name, 140.0, 12.0),
                    size: 12.0,
                    bold: true,
                    ink: super::palette::BLUE,
                    weight: 2.0,
                    clear: radius(rows.len()),
                    toward: (0.0, 0.0),
                }
            }));
        }
        let ground = Ground {
            bounds: frame.area,
            points: &points,
            lines: &lines,
            taken: &[],
        };
        labels::place(scene, &labels, &ground)
    }

    fn subtitle(&self, rows: &[usize], how: Option<String>, unnamed: usize) -> String {
        let Scores {
            x,
            y,
            x_axis,
            y_axis,
            ..
        } = self.scores;
        let mut parts = vec![
            how.unwrap_or_else(|| counted(rows.len(), "row")),
            format!(
                "{} of the variance is in this picture",
                percent(x_axis.share_with(&y_axis))
            ),
            "points: scores; arrows: correlations of columns with the axes (dashed ring = 1)"
                .to_owned(),
        ];
        if self.columns.len() > MOST {
            let all = grouped(self.columns.len() as u64);
            parts.push(format!("the {MOST} longest of {all} arrows are drawn"));
        }
        parts.extend(left_out(x.len().min(y.len()) - rows.len()));
        parts.extend(unnamed_words(unnamed));
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let Scores {
            x,
            y,
            x_axis,
            y_axis,
            names,
            ..
        } = self.scores;
        let mut csv = Csv::new(["kind", "name", x_axis.name, y_axis.name]);
        for i in 0..x.len().min(y.len()) {
            let name = names.and_then(|names| names.get(i)).cloned();
            let name = name.unwrap_or_else(|| (i + 1).to_string());
            csv.line(["row".to_owned(), name, cell(x[i]), cell(y[i])]);
        }
        for c in self.columns {
            csv.line(["column".to_owned(), c.name.to_owned(), cell(c.x), cell(c.y)]);
        }
        csv.0
    }
}
