//! Axes: ticks at 1, 2 or 5 times a power of ten, printed with the digits they need and a true minus sign.

use super::measure;
use super::scene::{Area, Frame, Ink, Scene, Style, Text};

/// Font size of the tick labels.
pub const NUMBERS: f64 = 12.0;
/// Font size of an axis title.
pub const TITLE: f64 = 13.0;

/// The minimum and the maximum of the finite numbers, widened on both sides by a share of their distance; never empty.
pub fn span(values: impl IntoIterator<Item = f64>, padding: f64) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for x in values {
        if x.is_finite() {
            low = low.min(x);
            high = high.max(x);
        }
    }
    if low > high {
        return (0.0, 1.0);
    }
    let size = low.abs().max(high.abs());
    // All numbers are equal, or so close that no tick label could distinguish them.
    if high - low <= 1e-12 * size || high == low {
        let half = if size > 0.0 { 0.5 * size } else { 1.0 };
        return (low - half, high + half);
    }
    let more = padding * (high - low);
    (low - more, high + more)
}

/// Round numbers within a span, about this many at most, each with its text.
pub fn ticks(span: (f64, f64), most: usize) -> Vec<(f64, String)> {
    let length = span.1 - span.0;
    if !(length > 0.0 && length.is_finite()) || most == 0 {
        return Vec::new();
    }
    let step = round_step(length / most as f64);
    let first = (span.0 / step - 1e-9).ceil() as i64;
    let last = (span.1 / step + 1e-9).floor() as i64;
    let largest = span.0.abs().max(span.1.abs());
    (first..=last)
        .take(200)
        .map(|i| {
            let value = i as f64 * step;
            (value, number(value, step, largest))
        })
        .collect()
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least the wanted step.
fn round_step(wanted: f64) -> f64 {
    let power = 10f64.powf(wanted.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|factor| factor * power >= wanted * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A multiple of a step, with as many decimals as the step has: `−0.5`, `20,000`, `2×10⁻⁷`.
fn number(value: f64, step: f64, largest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = largest.log10().floor() as i32;
    if !(-4..7).contains(&exponent) {
        let power = 10f64.powi(exponent);
        let decimals = decimals_of(step / power);
        let digits = format!("{:.decimals$}", value / power);
        return format!("{}×10{}", with_minus(&digits), raised(exponent));
    }
    let decimals = decimals_of(step);
    let text = format!("{value:.decimals$}");
    if decimals == 0 && value.abs() >= 10_000.0 {
        return with_minus(&grouped(&text));
    }
    with_minus(&text)
}

fn decimals_of(step: f64) -> usize {
    (-(step * 1.000_001).log10().floor()).clamp(0.0, 15.0) as usize
}

fn with_minus(text: &str) -> String {
    let zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    let text = if zero {
        text.replace('-', "")
    } else {
        text.to_owned()
    };
    text.replace('-', "−")
}

fn grouped(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let mut out = sign.to_owned();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A small whole number in superscript: `⁻⁷`.
pub fn raised(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = if exponent < 0 { "⁻" } else { "" };
    let digits = exponent.unsigned_abs().to_string();
    let digits = digits.bytes().map(|b| DIGITS[usize::from(b - b'0') % 10]);
    sign.chars().chain(digits).collect()
}

/// Titles, grid and ticks of a frame's axes.
#[derive(Debug, Clone, Default)]
pub struct Axes<'a> {
    /// Title below the frame.
    pub x_title: &'a str,
    /// Title at the left, written upward.
    pub y_title: &'a str,
    /// Whether grid lines cross the frame.
    pub grid: bool,
    /// Ticks below; `None` for as many as fit.
    pub x_ticks: Option<Vec<(f64, String)>>,
    /// Ticks at the left; `None` for as many as fit.
    pub y_ticks: Option<Vec<(f64, String)>>,
}

/// The room at the left for tick labels and the axis title.
pub fn left_room(ticks: &[(f64, String)], title: &str) -> f64 {
    let widest = ticks
        .iter()
        .map(|(_, text)| measure::width(text, NUMBERS, false))
        .fold(0.0, f64::max);
    let title = if title.is_empty() { 0.0 } else { 2.4 * TITLE };
    widest + title + 14.0
}

/// The room below for tick labels and a title with this many lines.
pub fn lower_room(title: &str) -> f64 {
    let title = if title.is_empty() { 0.0 } else { 2.0 * TITLE };
    NUMBERS + 14.0 + title
}

/// As many ticks below an axis as fit without touching.
pub fn x_ticks(span: (f64, f64), width: f64) -> Vec<(f64, String)> {
    let mut most = ((width / 50.0) as usize).clamp(3, 12);
    loop {
        let ticks = ticks(span, most);
        let widest = ticks
            .iter()
            .map(|(_, text)| measure::width(text, NUMBERS, false))
            .fold(0.0, f64::max);
        if most <= 1 || ticks.len() as f64 * (widest + 14.0) <= width {
            return ticks;
        }
        most -= 1;
    }
}

/// As many ticks beside an axis as fit without touching.
pub fn y_ticks(span: (f64, f64), height: f64) -> Vec<(f64, String)> {
    ticks(span, ((height / 45.0) as usize).clamp(1, 10))
}

impl Axes<'_> {
    /// Draws the grid, axes, tick labels and titles of a frame.
    pub fn draw(&self, scene: &mut Scene, frame: &Frame) {
        let area = frame.area;
        let x_ticks = self.x_ticks.clone();
        let x_ticks = x_ticks.unwrap_or_else(|| x_ticks_of(frame));
        let y_ticks = self.y_ticks.clone();
        let y_ticks = y_ticks.unwrap_or_else(|| y_ticks_of(frame));
        if self.grid {
            for (x, _) in &x_ticks {
                let x = frame.px(*x);
                scene.line(
                    (x, area.top),
                    (x, area.bottom()),
                    Style::stroke(Ink::Grid, 1.0),
                );
            }
            for (y, _) in &y_ticks {
                let y = frame.py(*y);
                scene.line(
                    (area.left, y),
                    (area.right(), y),
                    Style::stroke(Ink::Grid, 1.0),
                );
            }
        }
        for (x, text) in &x_ticks {
            let x = frame.px(*x);
            // A tick label that would leave the paper is left out.
            let half = measure::width(text, NUMBERS, false) / 2.0;
            if x - half < 0.0 || x + half > scene.width {
                continue;
            }
            let text = Text::new(x, area.bottom() + NUMBERS + 6.0, text, NUMBERS);
            scene.text(text.middle().ink(Ink::Muted));
        }
        for (y, text) in &y_ticks {
            let y = frame.py(*y) + 0.36 * NUMBERS;
            let text = Text::new(area.left - 8.0, y, text, NUMBERS);
            scene.text(text.end().ink(Ink::Muted));
        }
        self.titles(scene, area, left_room(&y_ticks, ""));
        scene.frames.push(*frame);
    }

    fn titles(&self, scene: &mut Scene, area: Area, left: f64) {
        if !self.x_title.is_empty() {
            // A title may be wider than its axis, up to the width of the paper.
            let middle = area.left + area.width / 2.0;
            let room = 2.0 * middle.min(scene.width - middle) - 8.0;
            let text = measure::fit_words(self.x_title, room, TITLE);
            let y = area.bottom() + NUMBERS + 10.0 + 1.4 * TITLE;
            scene.text(Text::new(middle, y, text, TITLE).middle());
        }
        if !self.y_title.is_empty() {
            let text = measure::fit_words(self.y_title, area.height, TITLE);
            let x = area.left - left - 0.6 * TITLE;
            let text = Text::new(x, area.top + area.height / 2.0, text, TITLE);
            scene.text(text.middle().upward());
        }
    }
}

fn x_ticks_of(frame: &Frame) -> Vec<(f64, String)> {
    x_ticks(frame.x, frame.area.width)
}

fn y_ticks_of(frame: &Frame) -> Vec<(f64, String)> {
    y_ticks(frame.y, frame.area.height)
}

/// A frame for these spans, with room for tick labels and titles at its left and below, and the given room at its right and above.
pub fn frame(
    size: super::Size,
    x: (f64, f64),
    y: (f64, f64),
    titles: (&str, &str),
    (right, above): (f64, f64),
) -> Frame {
    let top = 10.0 + above;
    let bottom = size.height - lower_room(titles.0);
    let height = (bottom - top).max(20.0);
    let left = left_room(&y_ticks(y, height), titles.1);
    let width = (size.width - right.max(24.0) - left).max(20.0);
    Frame {
        area: Area {
            left,
            top,
            width,
            height,
        },
        x,
        y,
    }
}

/// Lines at x = 0 and y = 0, if these are inside the frame.
pub fn zero_lines(scene: &mut Scene, frame: &Frame) {
    let area = frame.area;
    let style = Style::stroke(Ink::Axis, 1.0).with_opacity(0.7);
    if frame.x.0 <= 0.0 && 0.0 <= frame.x.1 {
        let x = frame.px(0.0);
        scene.line((x, area.top), (x, area.bottom()), style);
    }
    if frame.y.0 <= 0.0 && 0.0 <= frame.y.1 {
        let y = frame.py(0.0);
        scene.line((area.left, y), (area.right(), y), style);
    }
}
