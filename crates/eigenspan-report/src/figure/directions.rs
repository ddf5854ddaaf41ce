//! Principal beside random directions: how much of the variance do k of each keep?

use eigenspan::error::counted;
use eigenspan::method::KeptByDirections;

use super::axis::{self, Axes};
use super::cloud::{Cloud, MOST_POINTS};
use super::coloring::Coloring;
use super::measure;
use super::palette::{GREEN, VERMILLION};
use super::scene::{Frame, Ink, Item, Scene, Step, Style, Text};
use super::scores::{deviation, radius};
use super::{Component, Csv, Figure, Size, cell};
use crate::words::percent;

/// Rows in a plane with a principal and a random direction, and what k directions of either kind keep.
#[derive(Debug, Clone, Copy)]
pub struct Directions<'a> {
    /// Scores across and upward; NaN for a row without a score.
    pub x: &'a [f64],
    /// Scores upward.
    pub y: &'a [f64],
    /// The component across, which is the principal direction that is drawn.
    pub x_axis: Component<'a>,
    /// The component upward; with the same name as that across there is no plane.
    pub y_axis: Component<'a>,
    /// The angle of the random direction in the plane, from the component across.
    pub angle: f64,
    /// Shares of the variance that 0, 1, 2, … directions keep.
    pub kept: &'a KeptByDirections,
    /// Columns of the table.
    pub n_cols: usize,
}

/// The font size of what the lines are.
const KEY: f64 = 12.5;
/// Narrower than this, panels stand below each other.
const WIDE: f64 = 620.0;

impl Directions<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let mut scene = Scene::new(size.width, size.height);
        match (self.is_line(), size.width >= WIDE) {
            (true, _) => self.draw_shares(&mut scene, (0.0, 0.0), size),
            (false, true) => {
                let half = Size {
                    width: size.width / 2.0,
                    height: size.height,
                };
                self.draw_plane(&mut scene, half);
                self.draw_shares(&mut scene, (half.width, 0.0), half);
            }
            (false, false) => {
                let half = Size {
                    width: size.width,
                    height: size.height / 2.0,
                };
                self.draw_plane(&mut scene, half);
                self.draw_shares(&mut scene, (0.0, half.height), half);
            }
        }
        Figure {
            id: "directions".to_owned(),
            title: self.finding(),
            subtitle: format!(
                "{} · random directions: {} draws",
                counted(self.n_cols, "column"),
                self.kept.n_draws
            ),
            caption: self.caption(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    /// Whether both axes are the same component, so that there is no plane.
    pub(super) fn is_line(&self) -> bool {
        self.x_axis.name == self.y_axis.name
    }

    /// The shares of the variance in the plane along the component across and along the random direction.
    pub(super) fn along(&self) -> (f64, f64) {
        let rows = Cloud::drawn(self.x, self.y);
        // In units of the largest score, whose square may be beyond what a float can hold.
        let sizes = rows
            .iter()
            .flat_map(|&i| [self.x[i].abs(), self.y[i].abs()]);
        let unit = sizes.fold(f64::MIN_POSITIVE, f64::max);
        let in_units = |scores: &[f64]| -> Vec<f64> { scores.iter().map(|s| s / unit).collect() };
        let (across, upward) = (in_units(self.x), in_units(self.y));
        let (cos, sin) = (self.angle.cos(), self.angle.sin());
        let pairs = across.iter().zip(&upward);
        let turned: Vec<f64> = pairs.map(|(x, y)| cos * x + sin * y).collect();
        let variance = |values: &[f64]| deviation(values, &rows).powi(2);
        let (x, y) = (variance(&across), variance(&upward));
        match x + y > 0.0 {
            true => (x / (x + y), variance(&turned) / (x + y)),
            false => (0.0, 0.0),
        }
    }

    /// What the two lines of the plane are.
    pub(super) fn plane_key(&self) -> [String; 2] {
        let (principal, random) = self.along();
        [
            format!(
                "{}: {} of the variance in this plane",
                self.x_axis.name,
                percent(principal)
            ),
            format!("a random direction: {}", percent(random)),
        ]
    }

    fn draw_plane(&self, scene: &mut Scene, size: Size) {
        let rows = Cloud::drawn(self.x, self.y);
        let x = axis::span(rows.iter().map(|&i| self.x[i]), 0.05);
        let y = axis::span(rows.iter().map(|&i| self.y[i]), 0.05);
        let titles = (self.x_axis.heading(), self.y_axis.heading());
        let room = (0.0, 2.0 * 1.4 * KEY);
        let mut frame = axis::frame(size, x, y, (&titles.0, &titles.1), room);
        // An angle is seen only where both axes have the same unit.
        let area = frame.area;
        let unit = ((x.1 - x.0) / area.width).max((y.1 - y.0) / area.height);
        let around = |(low, high): (f64, f64), pixels: f64| {
            let (middle, half) = (0.5 * (low + high), 0.5 * unit * pixels);
            (middle - half, middle + half)
        };
        (frame.x, frame.y) = (around(x, area.width), around(y, area.height));
        let axes = Axes {
            x_title: &titles.0,
            y_title: &titles.1,
            grid: true,
            ..Axes::default()
        };
        axes.draw(scene, &frame);
        let n = self.x.len().min(self.y.len());
        let mut grouped = Coloring::None.group(n, |i| self.x[i].is_finite());
        grouped.groups[0].ink = Ink::Other;
        let cloud = Cloud {
            x: self.x,
            y: self.y,
            grouped: &grouped,
            radius: radius(rows.len()),
            most: MOST_POINTS,
        };
        cloud.draw(scene, &frame);
        for (angle, ink) in [(0.0f64, GREEN), (self.angle, VERMILLION)] {
            let [from, to] = across(&frame, angle);
            scene.line(from, to, Style::stroke(ink, 2.4));
        }
        let key = self.plane_key();
        for (i, (text, ink)) in key.iter().zip([GREEN, VERMILLION]).enumerate() {
            let y = area.top - 8.0 - 1.4 * KEY * (1 - i) as f64;
            let text = measure::fit_words(text, size.width - area.left - 8.0, KEY);
            scene.text(Text::new(area.left, y, text, KEY).ink(ink));
        }
    }

    fn draw_shares(&self, scene: &mut Scene, (left, top): (f64, f64), size: Size) {
        let most = self.kept.principal.len().saturating_sub(1).max(1) as f64;
        let (x, y) = ((0.0, most), (0.0, 1.02));
        let titles = ("directions kept", "variance kept");
        // Numbers with a unit are wider than those the frame is made for.
        let mut frame = axis::frame(size, x, (0.0, 100.0), titles, (0.0, 2.0 * 1.4 * KEY));
        frame.y = y;
        let wide = axis::left_room(&[(0.0, "100 %".to_owned())], titles.1);
        let right = frame.area.right();
        frame.area.left = left + wide;
        frame.area.width = (left + right - frame.area.left).max(20.0);
        frame.area.top += top;
        let whole = axis::x_ticks(x, frame.area.width).into_iter();
        let parts = axis::y_ticks((0.0, 100.0), frame.area.height).into_iter();
        let axes = Axes {
            x_title: titles.0,
            y_title: titles.1,
            grid: true,
            x_ticks: Some(whole.filter(|(x, _)| x.fract() == 0.0).collect()),
            y_ticks: Some(parts.map(|(v, t)| (v / 100.0, t + " %")).collect()),
        };
        axes.draw(scene, &frame);
        let at = |(k, share): (usize, &f64)| (frame.px(k as f64), frame.py(*share));
        let lower = self.kept.low.iter().enumerate().map(at);
        let upper: Vec<(f64, f64)> = self.kept.high.iter().enumerate().map(at).collect();
        let mut outline = lower.chain(upper.into_iter().rev());
        if let Some(first) = outline.next() {
            let steps = outline.map(|(x, y)| Step::Line(x, y));
            let steps = std::iter::once(Step::Move(first.0, first.1)).chain(steps);
            let style = Style::fill(VERMILLION).with_opacity(0.2);
            scene.items.push(Item::Path {
                steps: steps.chain([Step::Close]).collect(),
                style,
            });
        }
        for (shares, ink) in [
            (&self.kept.random, VERMILLION),
            (&self.kept.principal, GREEN),
        ] {
            let points: Vec<(f64, f64)> = shares.iter().enumerate().map(at).collect();
            scene.polyline(points, Style::stroke(ink, 2.2));
        }
        let key = [
            ("principal directions", GREEN),
            ("random directions (band: nine of ten draws)", VERMILLION),
        ];
        for (i, (text, ink)) in key.into_iter().enumerate() {
            let y = frame.area.top - 8.0 - 1.4 * KEY * (1 - i) as f64;
            let text = measure::fit_words(text, left + size.width - frame.area.left - 8.0, KEY);
            scene.text(Text::new(frame.area.left, y, text, KEY).ink(ink));
        }
    }

    /// The main result, as the title of the figure.
    fn finding(&self) -> String {
        let k = 2.min(self.kept.principal.len().saturating_sub(1));
        let at = |shares: &[f64]| percent(shares.get(k).copied().unwrap_or(0.0));
        let (direction, verb, ones) = match k {
            1 => ("principal direction", "keeps", "random one"),
            _ => ("principal directions", "keep", "random ones"),
        };
        format!(
            "{k} {direction} {verb} {} of the variance, {k} {ones} {} on average",
            at(&self.kept.principal),
            at(&self.kept.random)
        )
    }

    fn caption(&self) -> String {
        let plane = match self.is_line() {
            true => String::new(),
            false => format!(
                " In the plane each point is a row; the lines are the direction of {} and one that was drawn at random in this plane.",
                self.x_axis.name
            ),
        };
        format!(
            "What does a direction that is drawn without a look at the rows keep?{plane} The curves are the shares of the variance that k \
             principal and k random orthogonal directions keep: no k directions keep more than the principal ones, and random ones keep k \
             out of {} on average, whatever the rows.",
            counted(self.n_cols, "column")
        )
    }

    fn csv(&self) -> String {
        let mut csv = Csv::new(["directions", "principal", "random", "low", "high"]);
        let kept = self.kept;
        for k in 0..kept.principal.len() {
            csv.line([
                k.to_string(),
                cell(kept.principal[k]),
                cell(kept.random[k]),
                cell(kept.low[k]),
                cell(kept.high[k]),
            ]);
        }
        csv.0
    }
}

/// Where a line at this angle through the origin, or through the middle of a frame without it, meets the frame's edges.
fn across(frame: &Frame, angle: f64) -> [(f64, f64); 2] {
    let area = frame.area;
    let within = |x: f64, low: f64, high: f64| x.clamp(low, high);
    let x = within(frame.px(0.0), area.left, area.right());
    let y = within(frame.py(0.0), area.top, area.bottom());
    // Pixels grow downward.
    let (dx, dy) = (angle.cos(), -angle.sin());
    let reach = |sign: f64| {
        let (dx, dy) = (sign * dx, sign * dy);
        let to = |d: f64, at: f64, low: f64, high: f64| match d {
            d if d > 1e-12 => (high - at) / d,
            d if d < -1e-12 => (low - at) / d,
            _ => f64::INFINITY,
        };
        let t = to(dx, x, area.left, area.right()).min(to(dy, y, area.top, area.bottom()));
        (x + t * dx, y + t * dy)
    };
    [reach(-1.0), reach(1.0)]
}
