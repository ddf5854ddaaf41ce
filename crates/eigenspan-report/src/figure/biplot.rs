//! The biplot: rows as points and columns as arrows in one picture (K. R. Gabriel, "The biplot graphic display of matrices",
//! Biometrika 58 (1971) 453–467).
//!
//! Scaling: points are the rows' scores, in the units of the axes, which are equal. Arrows are the columns' correlations with
//! the two components; the ring is a correlation of 1. So distances between points, and angles and lengths of arrows, can
//! be read; the length of an arrow is not in the units of the axes.

use eigenspan::error::{counted, grouped};

use super::axis::{self, Axes};
use super::circle::{Column, arrow, finding, longest, name_at, unnamed_words};
use super::cloud::{Cloud, Ellipse};
use super::coloring::Grouped;
use super::labels::{self, Ground, Label};
use super::line::Correlations;
use super::measure;
use super::scene::{Frame, Ink, Item, Scene, Style};
use super::scores::{ELLIPSES, NAMED, Scores, keep_farthest, left_out, looks, radius};
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

/// At most this many arrows are drawn: the longest.
const MOST: usize = 20;
/// Up to this many rows, names of rows have priority over names of columns.
const FEW: usize = 12;

impl Biplot<'_> {
    /// Draws the figure; with one component, a number line for the rows and one for the columns.
    pub fn figure(&self, size: Size) -> Figure {
        let Scores { x, y, .. } = self.scores;
        let rows = Cloud::drawn(x, y);
        let grouped = self.scores.grouped();
        let mut scene = Scene::new(size.width, size.height);
        let (how, unnamed, ellipses) = match self.scores.is_line() {
            true => {
                let (how, unnamed) = self.draw_lines(&mut scene, size, &rows, &grouped);
                (how, unnamed, false)
            }
            false => self.draw_plane(&mut scene, size, &rows, &grouped),
        };
        let (a, b) = (self.scores.x_axis, self.scores.y_axis);
        Figure {
            id: self.scores.id("biplot"),
            title: finding(self.columns, a.name, b.name),
            subtitle: self.subtitle((&rows, &grouped), how, unnamed, ellipses),
            caption: self.caption(&grouped, ellipses),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    /// Draws rows and columns; returns how points are drawn, how many names had no room, and whether there are ellipses.
    fn draw_plane(
        &self,
        scene: &mut Scene,
        size: Size,
        rows: &[usize],
        grouped: &Grouped,
    ) -> (Option<String>, usize, bool) {
        let cloud = self.scores.cloud(grouped, rows.len());
        let ellipses = self.scores.ellipses_of(&cloud);
        let legend = grouped.legend(size);
        let titles = (self.scores.x_axis.title(), self.scores.y_axis.title());
        let room = (legend.right(), legend.top());
        let frame = self.frame(size, rows, &ellipses, (&titles.0, &titles.1), room);
        let axes = Axes {
            x_title: &titles.0,
            y_title: &titles.1,
            grid: false,
            ..Axes::default()
        };
        axes.draw(scene, &frame);
        axis::zero_lines(scene, &frame);
        ellipses.iter().for_each(|e| e.draw(scene, &frame));
        let how = cloud.draw(scene, &frame);
        let unnamed = self.draw_columns(scene, &frame, rows, grouped);
        legend.draw(scene, frame.area);
        (how, unnamed, !ellipses.is_empty())
    }

    /// The rows on one number line, and the columns on another below it.
    fn draw_lines(
        &self,
        scene: &mut Scene,
        size: Size,
        rows: &[usize],
        grouped: &Grouped,
    ) -> (Option<String>, usize) {
        let title = format!("rows: score on {}", self.scores.x_axis.title());
        let beside = format!("columns: correlation with {}", self.scores.x_axis.name);
        let columns = Correlations::from_columns(&longest(self.columns, MOST), &[]);
        let (upper, lower) = (
            self.scores.line(rows, grouped, &title),
            columns.line(&beside),
        );
        let named = upper.names.is_some();
        let legend = named.then(|| grouped.legend_above(size));
        let top = legend.as_ref().map_or(0.0, |legend| legend.top());
        let upper = upper.place(size.width, 0.55 * (size.height - top));
        let lower = lower.place(size.width, size.height - top - upper.height - 14.0);
        upper.draw(scene, top);
        lower.draw(scene, top + upper.height + 14.0);
        if let Some(legend) = &legend {
            legend.draw_above(scene);
        }
        let height = top + upper.height + 14.0 + lower.height + 8.0;
        scene.height = height.min(size.height.max(200.0));
        let count = counted(rows.len(), "row");
        let how = upper.how.as_ref().map(|how| format!("{count} · {how}"));
        (how, upper.unnamed + lower.unnamed)
    }

    /// Equal units on both axes and the origin in the middle, so that the ring is a circle and fits.
    fn frame(
        &self,
        size: Size,
        rows: &[usize],
        ellipses: &[Ellipse],
        titles: (&str, &str),
        room: (f64, f64),
    ) -> Frame {
        let Scores { x, y, .. } = self.scores;
        let ends: Vec<(f64, f64)> = ellipses.iter().flat_map(Ellipse::reach).collect();
        let reach = |scores: &[f64], ends: &dyn Fn(&(f64, f64)) -> f64, all: &[(f64, f64)]| {
            let rows = rows.iter().map(|&i| scores[i].abs());
            rows.chain(all.iter().map(|end| ends(end).abs()))
                .fold(0.0, f64::max)
        };
        let far_x = 1.06 * reach(x, &|end| end.0, &ends);
        let far_y = 1.06 * reach(y, &|end| end.1, &ends);
        let far = far_x.max(far_y);
        let far = if far > 0.0 { far } else { 1.0 };
        let mut frame = axis::frame(size, (-far, far), (-far, far), titles, room);
        let per_pixel = (far_x.max(1e-9 * far) / frame.area.width)
            .max(far_y.max(1e-9 * far) / frame.area.height);
        let (w, h) = (per_pixel * frame.area.width, per_pixel * frame.area.height);
        frame.x = (-w, w);
        frame.y = (-h, h);
        // The tick labels of the vertical axis may now be wider or narrower.
        let ticks = axis::y_ticks(frame.y, frame.area.height);
        let left = axis::left_room(&ticks, titles.1);
        frame.area.width += frame.area.left - left;
        frame.area.left = left;
        let w = per_pixel * frame.area.width;
        frame.x = (-w, w);
        frame
    }

    fn draw_columns(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        rows: &[usize],
        grouped: &Grouped,
    ) -> usize {
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
        let Scores { x, y, .. } = self.scores;
        let points: Vec<(f64, f64)> = rows
            .iter()
            .map(|&i| (frame.px(x[i]), frame.py(y[i])))
            .collect();
        labels.extend(self.row_labels(rows, &points, origin, grouped));
        let ground = Ground {
            bounds: frame.area,
            points: &points,
            lines: &lines,
            taken: &[],
        };
        labels::place(scene, &labels, &ground)
    }

    /// Names of all rows if there are few, else of the farthest rows. With few rows, their names have priority over the columns'; with
    /// many rows, the columns' names come first.
    fn row_labels(
        &self,
        rows: &[usize],
        points: &[(f64, f64)],
        origin: (f64, f64),
        grouped: &Grouped,
    ) -> Vec<Label> {
        if self.scores.rows.names.is_none() {
            return Vec::new();
        }
        let few = rows.len() <= FEW;
        let far = |at: (f64, f64)| (at.0 - origin.0).hypot(at.1 - origin.1);
        let farthest = points.iter().map(|at| far(*at)).fold(1e-9, f64::max);
        let size = if few { 12.0 } else { 11.5 };
        let mut labels: Vec<Label> = rows
            .iter()
            .zip(points)
            .map(|(&i, &at)| Label {
                at,
                text: measure::fit_name(&self.scores.rows.label(i), 140.0, size),
                size,
                bold: few,
                ink: match grouped.has_classes() {
                    true => Ink::Muted,
                    false => super::palette::BLUE,
                },
                weight: if few { 2.0 } else { 0.1 * far(at) / farthest },
                clear: radius(rows.len()),
                toward: (0.0, 0.0),
            })
            .collect();
        keep_farthest(&mut labels, rows.len());
        labels
    }

    fn subtitle(
        &self,
        (rows, classes): (&[usize], &Grouped),
        how: Option<String>,
        unnamed: usize,
        ellipses: bool,
    ) -> String {
        let Scores {
            x,
            y,
            x_axis,
            y_axis,
            ..
        } = self.scores;
        let share = x_axis.share_with(&y_axis).map(percent);
        let mut parts = vec![how.unwrap_or_else(|| counted(rows.len(), "row"))];
        parts.extend(share.map(|share| format!("{share} of the variance is in this picture")));
        if !self.scores.is_line() {
            let what =
                "points: scores; arrows: correlations of columns with the axes (dashed ring = 1)";
            parts.push(what.to_owned());
        }
        if ellipses {
            parts.push(ELLIPSES.to_owned());
        }
        parts.extend(classes.words());
        if self.columns.len() > MOST {
            let all = grouped(self.columns.len() as u64);
            let what = match self.scores.is_line() {
                true => format!("{all} columns are shown"),
                false => format!("{all} arrows are drawn"),
            };
            parts.push(format!("the {MOST} longest of {what}"));
        }
        parts.extend(left_out(x.len().min(y.len()) - rows.len()));
        let named = self.scores.rows.names.is_some() && !self.scores.is_line();
        if named && rows.len() > NAMED {
            parts.push("the farthest rows are named".to_owned());
        }
        parts.extend(unnamed_words(unnamed));
        parts.join(" · ")
    }

    fn caption(&self, grouped: &Grouped, ellipses: bool) -> String {
        let mut out = match self.scores.is_line() {
            true => "Which columns pull which rows? Above, rows at their scores; below, columns at their correlations with the \
                     component. Rows far to one side have high values in columns on that side, and low ones in those across."
                .to_owned(),
            false => "Which columns pull which rows? Points are rows, at their scores; arrows are columns, at their correlations \
                      with the two components, stretched so that the dashed ring is a correlation of 1. Rows in the direction \
                      of an arrow have high values there."
                .to_owned(),
        };
        out += &looks(grouped, ellipses);
        out
    }

    fn csv(&self) -> String {
        let scores = &self.scores;
        let mut csv = Csv::new(["kind", "name"].into_iter().chain(scores.axes()));
        for i in 0..scores.x.len().min(scores.y.len()) {
            let line = ["row".to_owned(), scores.rows.key(i)].into_iter();
            csv.line(line.chain(scores.values(i)));
        }
        for c in self.columns {
            let place = [cell(c.x), cell(c.y)];
            let place = place.into_iter().take(scores.axes().len());
            csv.line(
                ["column".to_owned(), c.name.to_owned()]
                    .into_iter()
                    .chain(place),
            );
        }
        csv.0
    }
}
