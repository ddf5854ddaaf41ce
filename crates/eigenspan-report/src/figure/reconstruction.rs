//! The reconstruction error against the number of components: how much is lost?

use eigenspan::error::{counted, grouped};

use super::axis::{self, Axes};
use super::measure;
use super::palette::{BLUE, GREEN, VERMILLION};
use super::scene::{Frame, Ink, Item, Marks, Scene, Shape, Style, Text};
use super::{Csv, Figure, Size, cell};
use crate::words::percent;

/// What was held out of a fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HeldOutKind {
    /// Blocks of rows and columns.
    #[default]
    Blocks,
    /// Whole rows.
    Rows,
}

/// Reconstruction errors with 0, 1, 2, … components, each as a share of the variance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reconstruction<'a> {
    /// The error on the fitted rows.
    pub errors: &'a [f64],
    /// The error on what was held out.
    pub held_out: Option<&'a [f64]>,
    /// What was held out.
    pub kind: HeldOutKind,
    /// The number of components that are kept.
    pub chosen: Option<usize>,
}

impl Reconstruction<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let held_out = self.held_out.unwrap_or_default();
        let n = self.errors.len().max(held_out.len()).max(2);
        let x = (-0.02 * n as f64, (n - 1) as f64 * 1.02);
        let high = axis::span(
            self.errors.iter().chain(held_out).copied().chain([0.0]),
            0.0,
        )
        .1;
        let y = (0.0, if high > 0.0 { 1.05 * high } else { 1.0 });
        let titles = ("components kept", "share of the variance lost");
        let names = self.curves();
        let widest = names
            .iter()
            .map(|(name, ..)| measure::width(name, 12.5, false));
        let right = widest.fold(0.0, f64::max) + 30.0;
        let frame = axis::frame(size, x, y, titles, (right, 0.0));
        let ticks = axis::y_ticks((0.0, 100.0 * y.1), frame.area.height);
        let whole = axis::x_ticks(x, frame.area.width).into_iter();
        let axes = Axes {
            x_title: titles.0,
            y_title: titles.1,
            grid: true,
            x_ticks: Some(
                whole
                    .filter(|(x, _)| *x >= 0.0 && x.fract() == 0.0)
                    .map(|(x, _)| (x, grouped(x as u64)))
                    .collect(),
            ),
            y_ticks: Some(
                ticks
                    .into_iter()
                    .map(|(v, t)| (v / 100.0, t + " %"))
                    .collect(),
            ),
        };
        // Numbers with a unit are wider than those the frame was made for.
        let wide = axis::left_room(axes.y_ticks.as_deref().unwrap_or_default(), titles.1);
        let area = frame.area;
        let frame = Frame {
            area: super::scene::Area::between(wide, area.top, area.right(), area.bottom()),
            ..frame
        };
        let mut scene = Scene::new(size.width, size.height);
        axes.draw(&mut scene, &frame);
        self.draw_curves(&mut scene, &frame, &names);
        Figure {
            id: "reconstruction".to_owned(),
            title: self.finding(),
            subtitle: self.subtitle(),
            caption: self.caption().to_owned(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    fn caption(&self) -> &'static str {
        match self.kind {
            HeldOutKind::Blocks => {
                "What is lost when only k components are kept? The line is the mean squared distance of rows to their \
                 reconstruction, as a share of the variance; where the error on held-out blocks stops falling, more components only \
                 describe noise."
            }
            HeldOutKind::Rows => {
                "How much of rows that were not fitted do the components lose? Each line is the mean squared distance of rows from \
                 what k components keep of them, as a share of their mean squared distance from the mean of the fitted rows."
            }
        }
    }

    fn curves(&self) -> Vec<(&'static str, &[f64], Ink)> {
        let mut out = Vec::new();
        if let Some(held_out) = self.held_out.filter(|h| !h.is_empty()) {
            let name = match self.kind {
                HeldOutKind::Blocks => "held-out blocks",
                HeldOutKind::Rows => "rows held out",
            };
            out.push((name, held_out, VERMILLION));
            out.push(("fitted rows", self.errors, BLUE));
        } else {
            out.push(("", self.errors, BLUE));
        }
        out
    }

    fn draw_curves(&self, scene: &mut Scene, frame: &Frame, curves: &[(&str, &[f64], Ink)]) {
        if let Some(k) = self.chosen {
            let x = frame.px(k as f64);
            let style = Style::stroke(GREEN, 1.4).dashed();
            scene.line((x, frame.area.top), (x, frame.area.bottom()), style);
        }
        let mut highest = f64::INFINITY;
        for (name, errors, ink) in curves.iter().rev() {
            let points: Vec<(f64, f64)> = errors
                .iter()
                .enumerate()
                .filter(|(_, e)| e.is_finite())
                .map(|(k, e)| (frame.px(k as f64), frame.py(*e)))
                .collect();
            scene.polyline(points.iter().copied(), Style::stroke(*ink, 2.0));
            if points.len() <= 60 {
                scene.items.push(Item::Marks(Marks {
                    points: points.clone(),
                    shape: Shape::Circle,
                    radius: 3.2,
                    style: Style::fill(*ink),
                }));
            }
            if let Some(&(x, y)) = points.last() {
                // Names at the ends of the curves: held out above fitted.
                let y = (y + 4.0).min(highest - 17.0);
                highest = y;
                let text = Text::new(x + 8.0, y, *name, 12.5).ink(*ink);
                scene.text(text.halo());
            }
        }
    }

    fn finding(&self) -> String {
        let held_out = self.held_out.unwrap_or_default();
        let best = (0..held_out.len()).filter(|&k| held_out[k].is_finite());
        let best = best.min_by(|&a, &b| held_out[a].total_cmp(&held_out[b]));
        if let (HeldOutKind::Rows, Some((fitted, new))) =
            (self.kind, self.errors.last().zip(held_out.last()))
        {
            return format!(
                "With {}, {} of the fitted rows is lost, and {} of the rows held out",
                counted(self.errors.len() - 1, "component"),
                percent(fitted.max(0.0)),
                percent(new.max(0.0))
            );
        }
        if let Some(k) = best.filter(|k| k + 1 < held_out.len()) {
            let of = counted(k, "component");
            return format!("Held-out blocks are rebuilt best from {of}");
        }
        let chosen = self.chosen.unwrap_or(self.errors.len().saturating_sub(1));
        match self.errors.get(chosen) {
            Some(error) => {
                let noun = if chosen == 1 {
                    "component"
                } else {
                    "components"
                };
                format!(
                    "With {chosen} {noun}, {} of the variance is lost",
                    percent(error.max(0.0))
                )
            }
            None => "There is nothing to rebuild".to_owned(),
        }
    }

    fn subtitle(&self) -> String {
        let mut parts = Vec::new();
        if let Some(k) = self.chosen {
            parts.push(format!("dashed: {k} kept"));
        }
        if self.held_out.is_some() {
            let what = match self.kind {
                HeldOutKind::Blocks => "blocks of rows and columns",
                HeldOutKind::Rows => "rows",
            };
            parts.push(format!("held out: {what} that were not used in the fit"));
        }
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let mut csv = Csv::new(["components", "error", "held_out"]);
        let held_out = self.held_out.unwrap_or_default();
        for k in 0..self.errors.len().max(held_out.len()) {
            let at = |all: &[f64]| cell(all.get(k).copied().unwrap_or(f64::NAN));
            csv.line([k.to_string(), at(self.errors), at(held_out)]);
        }
        csv.0
    }
}
