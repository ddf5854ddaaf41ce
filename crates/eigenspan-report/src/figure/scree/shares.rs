//! The middle panel of a scree plot: a bar for the share of each component, and the shares that unrelated columns would give.

use super::super::axis::{self, Axes, NUMBERS};
use super::super::measure;
use super::super::palette::BLUE;
use super::super::scene::{Area, Frame, Ink, Item, Marks, Scene, Shape, Step, Style, Text};
use super::{MOST_BARS, SMALL, Scree, heading};

impl Scree<'_> {
    /// The middle panel: the share of each component.
    pub(super) fn draw_shares(&self, scene: &mut Scene, frame: &Frame) {
        let area = frame.area;
        heading(scene, area, "share of the variance of each component");
        let steps: Vec<(f64, String)> = axis::ticks(
            (0.0, 100.0 * frame.y.1),
            (area.height / 22.0).clamp(1.0, 4.0) as usize,
        )
        .into_iter()
        .map(|(value, text)| (value / 100.0, format!("{text} %")))
        .collect();
        let axes = Axes {
            x_ticks: Some(self.component_ticks(area.width)),
            y_ticks: Some(steps),
            grid: false,
            ..Axes::default()
        };
        for (y, _) in axes.y_ticks.iter().flatten() {
            let y = frame.py(*y);
            scene.line(
                (area.left, y),
                (area.right(), y),
                Style::stroke(Ink::Grid, 1.0),
            );
        }
        axes.draw(scene, frame);
        if self.shares.len() <= MOST_BARS {
            self.draw_bars(scene, frame);
        } else {
            self.draw_steps(scene, frame);
        }
        let y = frame.py(0.0);
        scene.line(
            (area.left, y),
            (area.right(), y),
            Style::stroke(Ink::Axis, 1.0),
        );
        self.draw_null(scene, frame);
    }

    fn draw_bars(&self, scene: &mut Scene, frame: &Frame) {
        let slot = frame.area.width / self.shares.len().max(1) as f64;
        let half = (0.36 * slot).min(40.0);
        let base = frame.py(0.0);
        for (i, share) in self
            .shares
            .iter()
            .enumerate()
            .filter(|(_, s)| s.is_finite())
        {
            let (x, y) = (frame.px(i as f64 + 1.0), frame.py(*share));
            let kept = self.chosen.is_none_or(|k| i < k);
            let style = Style::fill(BLUE).with_opacity(if kept { 1.0 } else { 0.35 });
            scene.rect(Area::between(x - half, y, x + half, base), style);
        }
        let texts: Vec<String> = self
            .shares
            .iter()
            .map(|s| format!("{:.1}", 100.0 * s))
            .collect();
        let widest = texts
            .iter()
            .map(|t| measure::width(t, SMALL, false))
            .fold(0.0, f64::max);
        if widest + 4.0 > slot {
            return;
        }
        for (i, text) in texts
            .into_iter()
            .enumerate()
            .filter(|(i, _)| self.shares[*i].is_finite())
        {
            let (x, half) = (
                frame.px(i as f64 + 1.0),
                measure::width(&text, SMALL, false) / 2.0,
            );
            let y = self.number_base(frame, i, half);
            // On low paper, a number is left out in favor of the heading.
            if y - 0.8 * SMALL < frame.area.top - 7.0 {
                continue;
            }
            scene.text(Text::new(x, y, text, SMALL).middle().halo());
        }
    }

    /// The baseline of a bar's number: just above its bar, or above the null curve if that is in the way.
    fn number_base(&self, frame: &Frame, i: usize, half: f64) -> f64 {
        let bar = frame.py(self.shares[i]) - 5.0;
        let here = i as f64;
        let part = half / (frame.px(1.0) - frame.px(0.0)).max(1e-9);
        // The null curve is slanted: what matters is its height where the number is.
        let over = [here - part, here, here + part].map(|at| frame.py(self.null_near(at)));
        let (high, low) = (
            over.into_iter().fold(f64::INFINITY, f64::min),
            over.into_iter().fold(f64::NEG_INFINITY, f64::max),
        );
        match high > bar + 2.0 || bar - SMALL > low + 6.0 {
            true => bar,
            false => high.min(bar) - 6.0,
        }
    }

    fn draw_steps(&self, scene: &mut Scene, frame: &Frame) {
        let base = frame.py(0.0);
        let n = self.shares.len();
        let area = |from: usize, to: usize| {
            let mut steps = vec![Step::Move(frame.px(from as f64 + 0.5), base)];
            for (i, share) in self.shares.iter().enumerate().take(to).skip(from) {
                let y = frame.py(if share.is_finite() { *share } else { 0.0 });
                steps.push(Step::Line(frame.px(i as f64 + 0.5), y));
                steps.push(Step::Line(frame.px(i as f64 + 1.5), y));
            }
            steps.push(Step::Line(frame.px(to as f64 + 0.5), base));
            steps.push(Step::Close);
            steps
        };
        let kept = self.chosen.unwrap_or(n).min(n);
        for (steps, opacity) in [(area(0, kept), 1.0), (area(kept, n), 0.35)] {
            let style = Style::fill(BLUE).with_opacity(opacity);
            scene.items.push(Item::Path { steps, style });
        }
    }

    pub(super) fn null_at(&self, i: usize) -> Option<f64> {
        self.null?.get(i).copied().filter(|x| x.is_finite())
    }

    /// The null curve between two components, counted from 0; 0 if there is no null.
    fn null_near(&self, at: f64) -> f64 {
        let low = at.floor().max(0.0);
        let near = |i: f64| self.null_at(i as usize);
        let Some(a) = near(low) else { return 0.0 };
        let b = near(low + 1.0).unwrap_or(a);
        a + (b - a) * (at - low).clamp(0.0, 1.0)
    }

    /// The name of the null curve at its end, above everything there.
    fn name_null(&self, scene: &mut Scene, frame: &Frame, n: usize) {
        let area = frame.area;
        let text = measure::fit("columns without relations", area.width, SMALL, false);
        let wide = measure::width(&text, SMALL, false);
        let right = (frame.px(n as f64) + 26.0).min(area.right());
        let left = right - wide;
        let slot = area.width / self.shares.len().max(1) as f64;
        let below = (0..self.shares.len()).filter(|&i| {
            let x = frame.px(i as f64 + 1.0);
            x + 0.5 * slot > left && x - 0.5 * slot < right
        });
        let top = below.map(|i| {
            let number = self.number_base(frame, i, 20.0) - SMALL;
            number.min(frame.py(self.null_near(i as f64 - 0.5)))
        });
        let y = top.fold(area.bottom(), f64::min) - 6.0;
        // Without room for the name, only the subtitle has it.
        if y - SMALL > area.top {
            scene.text(Text::new(right, y, text, SMALL).end().halo());
        }
    }

    fn draw_null(&self, scene: &mut Scene, frame: &Frame) {
        let Some(null) = self.null.filter(|null| !null.is_empty()) else {
            return;
        };
        let n = null.len().min(self.shares.len());
        let at = |i: usize| (frame.px(i as f64 + 1.0), frame.py(null[i]));
        scene.polyline((0..n).map(at), Style::stroke(Ink::Text, 1.4).dashed());
        if n <= MOST_BARS {
            scene.items.push(Item::Marks(Marks {
                points: (0..n).map(at).filter(|p| p.1.is_finite()).collect(),
                shape: Shape::Diamond,
                radius: 3.0,
                style: Style::fill(Ink::Text),
            }));
        }
        self.name_null(scene, frame, n);
    }

    /// The first component, and components with round numbers whose names have room.
    fn component_ticks(&self, width: f64) -> Vec<(f64, String)> {
        let n = self.shares.len();
        let slot = width / n.max(1) as f64;
        let wide = |i: usize| measure::width(&self.name(i), NUMBERS, false);
        let room = wide(0).max(wide(n.saturating_sub(1))) + 8.0;
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10usize.pow(power)));
        let step = steps.take(20).find(|step| *step as f64 * slot >= room);
        let step = step.unwrap_or(n.max(1));
        let apart = |i: &usize| (*i - 1) as f64 * slot >= room;
        let rest = (step..=n).step_by(step).filter(apart);
        let first = std::iter::once(1).filter(|_| n > 0);
        let ticks = first.chain(rest);
        ticks.map(|i| (i as f64, self.name(i - 1))).collect()
    }
}
