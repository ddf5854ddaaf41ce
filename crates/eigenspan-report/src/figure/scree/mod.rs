//! The scree plot: how many components? Shares as bars, the cumulative share above, the choice of each rule below.
//!
//! Three panels share one axis of components, so that no line crosses a bar's number or a rule's name.

mod rules;
mod shares;

use eigenspan::error::counted;

use super::axis::{Axes, NUMBERS};
use super::measure;
use super::palette::VERMILLION;
use super::scene::{Area, Frame, Ink, Item, Marks, Scene, Shape, Style, Text};
use super::{Csv, Figure, Size, cell};
use crate::words::percent;

/// The shares of the components and the choices of the rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scree<'a> {
    /// Names of the components.
    pub names: &'a [String],
    /// Share of the total variance of each component, largest first.
    pub shares: &'a [f64],
    /// The number of possible components; those beyond `shares` are not known one by one.
    pub n_possible: usize,
    /// Shares that components of structureless data would have (parallel analysis).
    pub null: Option<&'a [f64]>,
    /// The rules, and how many components each chooses.
    pub rules: &'a [(&'a str, usize)],
    /// The number of components that are kept.
    pub chosen: Option<usize>,
}

/// Up to this many components, each has a bar.
const MOST_BARS: usize = 40;
const SMALL: f64 = 11.5;

impl Scree<'_> {
    /// Draws the figure.
    pub fn figure(&self, size: Size) -> Figure {
        let n = self.shown();
        let drawn = Scree {
            shares: &self.shares[..n],
            null: self.null.map(|null| &null[..n.min(null.len())]),
            ..*self
        };
        let (scene, with_rules) = drawn.scene(size);
        Figure {
            id: "scree".to_owned(),
            title: self.finding(),
            subtitle: self.subtitle(n, with_rules),
            caption: "How many components are worth keeping? Each bar is one component's share of the variance, the line above \
                      what the first ones keep together; the thin line marks 90 %. Look for the place where bars stop falling."
                .to_owned(),
            scene,
            narrow: None,
            csv: self.csv(),
        }
    }

    /// How many components to draw: with many, those before the last half percent, and those that a rule chooses.
    fn shown(&self) -> usize {
        let n = self.shares.len();
        let total = self.cumulative();
        let all = total.last().copied().unwrap_or(0.0);
        let early = total
            .iter()
            .position(|t| *t >= all - 0.005)
            .map_or(n, |i| i + 1);
        let spoken = self.rules.iter().map(|(_, k)| *k).chain(self.chosen).max();
        early.max(MOST_BARS).max(spoken.unwrap_or(0) + 2).min(n)
    }

    /// The drawing, and whether it had room for the rules.
    fn scene(&self, size: Size) -> (Scene, bool) {
        let groups = self.groups();
        let mut scene = Scene::new(size.width, size.height);
        let (left, right) = (74.0, size.width - 24.0);
        let mut texts = self.rule_texts(&groups, left, right);
        let most = (0.4 * size.height).min(size.height - 180.0);
        if !rules::fit(&texts, most) {
            texts.clear();
        }
        let rules = rules::height(&texts).min(most.max(0.0));
        let room = size.height - rules - NUMBERS - 44.0 - 46.0;
        let upper = Area::between(left, 24.0, right, 24.0 + 0.34 * room);
        let lower_top = upper.bottom() + 40.0;
        let lower = Area::between(left, lower_top, right, size.height - rules - NUMBERS - 26.0);
        let n = self.shares.len().max(1);
        let x = (0.5, n as f64 + 0.5);
        let top = Frame {
            area: upper,
            x,
            y: (0.0, 1.0),
        };
        let tall = self.tallest();
        let bottom = Frame {
            area: lower,
            x,
            y: (0.0, if tall > 0.0 { 1.12 * tall } else { 1.0 }),
        };
        self.draw_total(&mut scene, &top);
        self.draw_shares(&mut scene, &bottom);
        let below = lower.bottom() + NUMBERS + 16.0;
        self.draw_rules(&mut scene, &bottom, &texts, (below, rules));
        (scene, !texts.is_empty())
    }

    /// The name of component i, from 0.
    pub(super) fn name(&self, i: usize) -> String {
        let name = self.names.get(i).cloned();
        name.unwrap_or_else(|| format!("component {}", i + 1))
    }

    fn tallest(&self) -> f64 {
        let null = self.null.unwrap_or_default();
        let all = self.shares.iter().chain(null);
        all.copied().filter(|x| x.is_finite()).fold(0.0, f64::max)
    }

    fn cumulative(&self) -> Vec<f64> {
        let mut sum = 0.0;
        self.shares
            .iter()
            .map(|share| {
                sum += share;
                sum
            })
            .collect()
    }

    /// The upper panel: the cumulative share.
    fn draw_total(&self, scene: &mut Scene, frame: &Frame) {
        let area = frame.area;
        heading(scene, area, "kept by the first components together");
        let axes = Axes {
            x_ticks: Some(Vec::new()),
            y_ticks: Some(percent_ticks(match area.height {
                45.0.. => &[0.0, 0.5, 1.0],
                20.0.. => &[0.0, 1.0],
                _ => &[1.0],
            })),
            grid: true,
            ..Axes::default()
        };
        axes.draw(scene, frame);
        let nine = frame.py(0.9);
        let style = Style::stroke(Ink::Axis, 1.0).dashed();
        scene.line((area.left, nine), (area.right(), nine), style);
        let total = self.cumulative();
        let points: Vec<(f64, f64)> = total
            .iter()
            .enumerate()
            .filter(|(_, share)| share.is_finite())
            .map(|(i, share)| (frame.px(i as f64 + 1.0), frame.py(share.min(1.0))))
            .collect();
        scene.polyline(points.iter().copied(), Style::stroke(VERMILLION, 2.0));
        if points.len() <= MOST_BARS {
            scene.items.push(Item::Marks(Marks {
                points: points.clone(),
                shape: Shape::Circle,
                radius: 3.5,
                style: Style {
                    stroke: Some(Ink::Ground),
                    width: 1.0,
                    ..Style::fill(VERMILLION)
                },
            }));
        }
        self.total_numbers(scene, frame, &points, &total);
    }

    /// Numbers below the cumulative curve, where they do not touch; the curve rises, so there is room below it on the right.
    fn total_numbers(
        &self,
        scene: &mut Scene,
        frame: &Frame,
        points: &[(f64, f64)],
        total: &[f64],
    ) {
        let (mut free, mut said) = (f64::NEG_INFINITY, 0.0);
        let last = points.len().saturating_sub(1);
        for (i, &(x, y)) in points.iter().enumerate() {
            let text = format!("{:.0} %", 100.0 * total[i]);
            let wide = measure::width(&text, SMALL, false);
            let chosen = self.chosen == Some(i + 1);
            let (left, base) = (x - wide / 2.0, y + 1.6 * SMALL);
            let fits =
                base < frame.area.bottom() - 2.0 && x + wide / 2.0 < frame.area.right() + 20.0;
            // The number of the chosen k has its position reserved.
            let kept = self.chosen.and_then(|k| points.get(k.wrapping_sub(1)));
            let near = kept.is_some_and(|p| !chosen && (p.0 - x).abs() < wide + 8.0);
            let news = chosen || i == 0 || i == last || total[i] - said >= 0.03 || last < 16;
            // A number must not stand on the 90 % line.
            let line = frame.py(0.9);
            let base = if (base - 0.4 * SMALL - line).abs() < SMALL {
                line + 1.5 * SMALL
            } else {
                base
            };
            if left > free + 6.0 && fits && news && !near {
                let text = Text::new(x, base, text, SMALL).middle();
                let text = if chosen {
                    text.bold()
                } else {
                    text.ink(Ink::Muted)
                };
                scene.text(text.halo());
                free = x + wide / 2.0;
                said = total[i];
            }
        }
    }

    fn finding(&self) -> String {
        let total = self.cumulative();
        let possible = self.n_possible.max(self.shares.len());
        if total.last().is_none_or(|t| *t <= 0.0) {
            return "There is no variance to explain: all rows are the same".to_owned();
        }
        let ninety = total.iter().position(|t| *t >= 0.9 - 1e-12).map(|i| i + 1);
        match self.chosen.or(ninety) {
            Some(k) if k >= 1 && k <= total.len() => {
                let verb = if k == 1 { "keeps" } else { "keep" };
                format!(
                    "{k} of {} {verb} {} of the variance",
                    counted(possible, "component"),
                    percent(total[k - 1])
                )
            }
            _ => format!(
                "The first {} keep {} of the variance",
                counted(total.len(), "component"),
                percent(total.last().copied().unwrap_or(0.0))
            ),
        }
    }

    fn subtitle(&self, shown: usize, with_rules: bool) -> String {
        let mut parts = Vec::new();
        if self.chosen.is_some() {
            parts.push("strong bars are kept".to_owned());
        }
        if let Some(null) = self.null.filter(|n| !n.is_empty()) {
            let above = self
                .shares
                .iter()
                .zip(null)
                .take_while(|(s, n)| s > n)
                .count();
            let verb = if above == 1 { "rises" } else { "rise" };
            parts.push(format!(
                "{above} {verb} above columns without relations (dashed)"
            ));
        }
        if with_rules {
            parts.push("below: how many each rule would keep".to_owned());
        }
        let hidden = self.shares.len() - shown;
        if hidden > 0 {
            let rest: f64 = self.shares[shown..].iter().sum();
            let last = counted(hidden, "component");
            parts.push(format!(
                "the last {last} with {} together are not drawn",
                percent(rest)
            ));
        }
        let more = self.n_possible.saturating_sub(self.shares.len());
        if more > 0 {
            parts.push(format!("{} not computed", counted(more, "more component")));
        }
        parts.join(" · ")
    }

    fn csv(&self) -> String {
        let mut csv = Csv::new(["component", "share", "cumulative", "null"]);
        for (i, total) in self.cumulative().into_iter().enumerate() {
            let null = self.null_at(i).map(cell).unwrap_or_default();
            csv.line([self.name(i), cell(self.shares[i]), cell(total), null]);
        }
        csv.0
    }
}

fn heading(scene: &mut Scene, area: Area, text: &str) {
    let text = measure::fit(text, area.width, SMALL, false);
    scene.text(Text::new(area.left, area.top - 10.0, text, SMALL).ink(Ink::Muted));
}

fn percent_ticks(values: &[f64]) -> Vec<(f64, String)> {
    values
        .iter()
        .map(|v| (*v, format!("{:.0} %", 100.0 * v)))
        .collect()
}
