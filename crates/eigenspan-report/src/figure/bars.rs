//! Horizontal bars with names at their left, for loadings and contributions.

use super::axis::{self, Axes, NUMBERS};
use super::scene::{Area, Frame, Ink, Scene, Style, Text};
use super::{Size, measure};

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The name at its left.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// Its color.
    pub ink: Ink,
    /// The ends of an interval around its length.
    pub interval: Option<(f64, f64)>,
}

/// Bars within a rectangle, the first at the top.
#[derive(Debug, Clone)]
pub struct Bars<'a> {
    /// The bars.
    pub bars: &'a [Bar],
    /// A title above the bars.
    pub heading: String,
    /// A dashed line across all bars, at the length they would have if all were equal, and its text.
    pub mark: Option<f64>,
    /// A unit printed after each number: ` %`.
    pub unit: &'a str,
    /// The range of the length axis; `None` derives it from the bars.
    pub span: Option<(f64, f64)>,
    /// The room for names, if several lists share it; `None` derives it from the names.
    pub names: Option<f64>,
}

const SIZE: f64 = 12.0;
const HEAD: f64 = 13.0;

impl Bars<'_> {
    /// The height that this many bars need to be readable.
    pub fn height(n: usize) -> f64 {
        1.8 * HEAD + 19.0 * n as f64 + NUMBERS + 20.0
    }

    /// How many bars fit into a height.
    pub fn room(height: f64) -> usize {
        ((height - 1.8 * HEAD - NUMBERS - 20.0) / 15.0).max(1.0) as usize
    }

    /// A drawing of the bars alone, as high as they need but not higher than the paper.
    pub fn alone(&self, size: Size) -> Scene {
        let height = Bars::height(self.bars.len()).min(size.height - 16.0);
        let mut scene = Scene::new(size.width, size.height.min(height + 24.0));
        let area = Area {
            left: 16.0,
            top: 8.0,
            width: size.width - 32.0,
            height,
        };
        self.draw(&mut scene, area);
        scene
    }

    /// The range of all lengths, interval ends and 0.
    pub fn reach(&self) -> (f64, f64) {
        let ends = self.bars.iter().flat_map(|bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        let (low, high) = axis::span(ends.chain([0.0]).chain(self.mark), 0.0);
        let more = 0.04 * (high - low);
        (
            if low < 0.0 { low - more } else { 0.0 },
            if high > 0.0 { high + more } else { 0.0 },
        )
    }

    /// The width of the widest name.
    pub fn widest(&self) -> f64 {
        let names = self.bars.iter();
        names
            .map(|bar| measure::width(&bar.name, SIZE, false))
            .fold(0.0, f64::max)
    }

    /// Draws the bars.
    pub fn draw(&self, scene: &mut Scene, area: Area) {
        let heading = measure::wrap(&self.heading, area.width, HEAD, true, 2);
        let head = HEAD * (0.5 + 1.3 * heading.len().max(1) as f64);
        for (i, line) in heading.into_iter().enumerate() {
            let y = area.top + HEAD * (1.0 + 1.3 * i as f64);
            scene.text(Text::new(area.left, y, line, HEAD).bold());
        }
        let widest = self.names.unwrap_or_else(|| self.widest());
        let widest = widest.min(0.46 * area.width);
        let frame = Frame {
            area: Area::between(
                area.left + widest + 10.0,
                area.top + head,
                area.right() - 22.0,
                area.bottom() - NUMBERS - 12.0,
            ),
            x: self.span.unwrap_or_else(|| self.reach()),
            y: (0.0, 1.0),
        };
        self.draw_axis(scene, &frame);
        let step = (frame.area.height / self.bars.len().max(1) as f64).min(30.0);
        let size = SIZE.min(0.86 * step);
        let thick = (0.68 * step).min(18.0);
        let zero = frame.px(0.0);
        for (i, bar) in self.bars.iter().enumerate() {
            let y = frame.area.top + step * (i as f64 + 0.5);
            let name = measure::fit_name(&bar.name, widest, size);
            let text = Text::new(frame.area.left - 8.0, y + 0.36 * size, name, size);
            scene.text(text.end());
            if !bar.value.is_finite() {
                continue;
            }
            let end = frame.px(bar.value);
            let place = Area::between(
                zero.min(end),
                y - thick / 2.0,
                zero.max(end),
                y + thick / 2.0,
            );
            scene.rect(place, Style::fill(bar.ink));
            if let Some((low, high)) = bar.interval.filter(|i| i.0.is_finite() && i.1.is_finite()) {
                whiskers(scene, frame.px(low), frame.px(high), y, 0.3 * thick);
            }
        }
        let style = Style::stroke(Ink::Axis, 1.0);
        scene.line((zero, frame.area.top), (zero, frame.area.bottom()), style);
        if let Some(mark) = self.mark {
            let x = frame.px(mark);
            let style = Style::stroke(Ink::Text, 1.3).dashed();
            scene.line((x, frame.area.top), (x, frame.area.bottom()), style);
        }
    }

    fn draw_axis(&self, scene: &mut Scene, frame: &Frame) {
        let mut most = (frame.area.width / 30.0).clamp(3.0, 8.0) as usize;
        let ticks = loop {
            let mut ticks = axis::ticks(frame.x, most);
            ticks
                .iter_mut()
                .for_each(|(_, text)| text.push_str(self.unit));
            let widest = ticks
                .iter()
                .map(|(_, text)| measure::width(text, NUMBERS, false));
            let widest = widest.fold(0.0, f64::max) + 8.0;
            let apart = ticks
                .windows(2)
                .all(|pair| frame.px(pair[1].0) - frame.px(pair[0].0) > widest);
            if most <= 1 || apart {
                break ticks;
            }
            most -= 1;
        };
        let axes = Axes {
            x_ticks: Some(ticks),
            y_ticks: Some(Vec::new()),
            grid: true,
            ..Axes::default()
        };
        axes.draw(scene, frame);
    }
}

fn whiskers(scene: &mut Scene, low: f64, high: f64, y: f64, half: f64) {
    let style = Style::stroke(Ink::Text, 1.2);
    scene.line((low, y), (high, y), style);
    scene.line((low, y - half), (low, y + half), style);
    scene.line((high, y - half), (high, y + half), style);
}
