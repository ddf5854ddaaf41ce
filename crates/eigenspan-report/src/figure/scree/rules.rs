//! The lower panel of a scree plot: a row for each number of components that a rule chose, with the rules' names beside the mark, or
//! below it if there is no room beside it.

use super::super::measure;
use super::super::palette::GREEN;
use super::super::scene::{Frame, Ink, Item, Marks, Scene, Shape, Style, Text};
use super::Scree;

const LINE: f64 = 18.0;
const SIZE: f64 = 12.0;
/// Lines closer than this are not readable.
const CLOSEST: f64 = 12.5;
/// Letters smaller than this are not readable.
const SMALLEST: f64 = 10.5;
/// The left edge of names below a mark.
const EDGE: f64 = 16.0;

/// The text for the rules that chose the same number.
pub(super) struct RuleText {
    k: usize,
    /// The text beside the mark.
    beside: String,
    /// The lines below the mark.
    below: Vec<String>,
}

/// The height that the panel needs.
pub(super) fn height(texts: &[RuleText]) -> f64 {
    match texts.is_empty() {
        true => 0.0,
        false => LINE * rows(texts) as f64 + 12.0,
    }
}

/// Whether the panel is readable within this height.
pub(super) fn fit(texts: &[RuleText], height: f64) -> bool {
    (height - 8.0) / rows(texts).max(1) as f64 >= CLOSEST
}

fn rows(texts: &[RuleText]) -> usize {
    texts.iter().map(|group| 1 + group.below.len()).sum()
}

impl Scree<'_> {
    /// Rules grouped by the number they chose, the smallest number first.
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

    /// The text for each number, on paper whose components are between these edges.
    pub(super) fn rule_texts(
        &self,
        groups: &[(usize, Vec<&str>)],
        left: f64,
        right: f64,
    ) -> Vec<RuleText> {
        let n = self.shares.len().max(1) as f64;
        let text_for = |(k, names): &(usize, Vec<&str>)| {
            let place = (*k as f64).clamp(0.5, n + 0.5);
            let x = left + (place - 0.5) / n * (right - left);
            let room = (x - left).max(right - x) - 12.0;
            let all = format!("{k}: {}", names.join(", "));
            let chosen = self.chosen == Some(*k);
            match measure::width(&all, SMALLEST, chosen) <= room {
                true => RuleText {
                    k: *k,
                    beside: all,
                    below: Vec::new(),
                },
                false => RuleText {
                    k: *k,
                    beside: format!("{k}:"),
                    below: measure::wrap(&names.join(", "), right - EDGE, SIZE, chosen, 4),
                },
            }
        };
        groups.iter().map(text_for).collect()
    }

    pub(super) fn draw_rules(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        texts: &[RuleText],
        (top, height): (f64, f64),
    ) {
        let line = LINE.min((height - 8.0) / rows(texts).max(1) as f64);
        let area = frame.area;
        let mut y = top + 0.5 * line;
        for group in texts {
            let x = frame.px((group.k as f64).clamp(frame.x.0, frame.x.1));
            let chosen = self.chosen == Some(group.k);
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
            let wide = measure::width(&group.beside, size, chosen);
            // Smaller letters are better than half a name.
            let shrunk = size * (before.max(after).max(1.0) / wide).min(1.0);
            let size = shrunk.max(SMALLEST.min(size));
            let write = |x: f64, room: f64| {
                let text = measure::fit(&group.beside, room, size, chosen);
                let text = Text::new(x, y + 0.36 * size, text, size).halo();
                if chosen { text.bold() } else { text }
            };
            if wide <= after || after >= before {
                scene.text(write(x + 10.0, after));
            } else {
                scene.text(write(x - 10.0, before).end());
            }
            y += line;
            for text in &group.below {
                let size = SIZE.min(0.8 * line);
                let text = Text::new(EDGE, y + 0.36 * size, text.as_str(), size);
                scene.text(if chosen { text.bold() } else { text });
                y += line;
            }
        }
    }
}
