//! The lower panel of a scree plot: a row per number of components that some rule chose, its names beside its mark, or below
//! it where there is no room beside.

use super::super::measure;
use super::super::palette::GREEN;
use super::super::scene::{Frame, Ink, Item, Marks, Scene, Shape, Style, Text};
use super::Scree;

const LINE: f64 = 18.0;
const SIZE: f64 = 12.0;
/// Lines that are closer cannot be read.
const CLOSEST: f64 = 12.5;
/// Smaller letters cannot be read.
const SMALLEST: f64 = 10.5;
/// Left edge of names below a mark.
const EDGE: f64 = 16.0;

/// Rules that chose the same number.
pub(super) struct Told {
    k: usize,
    /// Beside the mark.
    beside: String,
    /// In lines below it.
    below: Vec<String>,
}

/// Height that the panel needs.
pub(super) fn height(told: &[Told]) -> f64 {
    match told.is_empty() {
        true => 0.0,
        false => LINE * rows(told) as f64 + 12.0,
    }
}

/// Whether the panel can be read within such a height.
pub(super) fn fit(told: &[Told], height: f64) -> bool {
    (height - 8.0) / rows(told).max(1) as f64 >= CLOSEST
}

fn rows(told: &[Told]) -> usize {
    told.iter().map(|told| 1 + told.below.len()).sum()
}

impl Scree<'_> {
    /// Rules that agree stand together, the smallest number first.
    pub(in super::super) fn groups(&self) -> Vec<(usize, Vec<&str>)> {
        let mut groups: Vec<(usize, Vec<&str>)> = Vec::new();
        for &(name, k) in self.rules {
            match groups.iter_mut().find(|(at, _)| *at == k) {
                Some((_, names)) => names.push(name),
                None => groups.push((k, vec![name])),
            }
        }
        groups.sort_by_key(|(k, _)| *k);
        groups
    }

    /// What is written for each number, on paper whose components stand between these edges.
    pub(super) fn told(&self, groups: &[(usize, Vec<&str>)], left: f64, right: f64) -> Vec<Told> {
        let n = self.shares.len().max(1) as f64;
        let tell = |(k, names): &(usize, Vec<&str>)| {
            let place = (*k as f64).clamp(0.5, n + 0.5);
            let x = left + (place - 0.5) / n * (right - left);
            let room = (x - left).max(right - x) - 12.0;
            let all = format!("{k}: {}", names.join(", "));
            let chosen = self.chosen == Some(*k);
            match measure::width(&all, SMALLEST, chosen) <= room {
                true => Told {
                    k: *k,
                    beside: all,
                    below: Vec::new(),
                },
                false => Told {
                    k: *k,
                    beside: format!("{k}:"),
                    below: measure::wrap(&names.join(", "), right - EDGE, SIZE, chosen, 4),
                },
            }
        };
        groups.iter().map(tell).collect()
    }

    pub(super) fn draw_rules(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        told: &[Told],
        (top, height): (f64, f64),
    ) {
        let line = LINE.min((height - 8.0) / rows(told).max(1) as f64);
        let area = frame.area;
        let mut y = top + 0.5 * line;
        for told in told {
            let x = frame.px((told.k as f64).clamp(frame.x.0, frame.x.1));
            let chosen = self.chosen == Some(told.k);
            scene.line(
                (area.left, y),
                (area.right(), y),
                Style::stroke(Ink::Grid, 1.0),
            );
            scene.items.push(Item::Marks(Marks {
                points: vec![(x, y)],
                shape: Shape::Circle,
                radius: if chosen { 5.0 } else { 4.0 },
                style: Style::fill(if chosen { GREEN } else { Ink::Muted }),
            }));
            let (before, after) = (x - area.left - 12.0, area.right() - x - 12.0);
            let size = SIZE.min(0.8 * line);
            let wide = measure::width(&told.beside, size, chosen);
            // Smaller letters rather than half a name.
            let shrunk = size * (before.max(after).max(1.0) / wide).min(1.0);
            let size = shrunk.max(SMALLEST.min(size));
            let write = |x: f64, room: f64| {
                let text = measure::fit(&told.beside, room, size, chosen);
                let text = Text::new(x, y + 0.36 * size, text, size).halo();
                if chosen { text.bold() } else { text }
            };
            if wide <= after || after >= before {
                scene.text(write(x + 10.0, after));
            } else {
                scene.text(write(x - 10.0, before).end());
            }
            y += line;
            for text in &told.below {
                let size = SIZE.min(0.8 * line);
                let text = Text::new(EDGE, y + 0.36 * size, text.as_str(), size);
                scene.text(if chosen { text.bold() } else { text });
                y += line;
            }
        }
    }
}
