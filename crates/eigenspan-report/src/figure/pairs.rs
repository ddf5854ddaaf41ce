//! Pairs of components as small multiples: what do the later components show?

use eigenspan::error::counted;

use super::axis::{self, Axes};
use super::cloud::Cloud;
use super::coloring::{Coloring, Grouped};
use super::measure;
use super::rows::Rows;
use super::scene::{Area, Frame, Ink, Scene, Style, Text};
use super::scores::{Scores, left_out, looks};
use super::{Component, Csv, Figure, Size, cell};
use crate::words::percent;

/// Scores on several components.
#[derive(Debug, Clone, Copy)]
pub struct Pairs<'a> {
    /// The components.
    pub components: &'a [Component<'a>],
    /// The scores on each.
    pub scores: &'a [&'a [f64]],
    /// Names of the rows.
    pub rows: Rows<'a>,
    /// What points are colored by.
    pub coloring: Coloring<'a>,
}

/// At most this many components are drawn.
const MOST: usize = 5;
/// With more points than this, a small plot draws a honeycomb.
const MOST_POINTS: usize = 1500;
/// A small plot must be at least this wide.
const SMALLEST: f64 = 110.0;

impl Pairs<'_> {
    /// Draws the figure; with one component, a number line.
    pub fn figure(&self, size: Size) -> Figure {
        let given = self.components.len().min(self.scores.len());
        if given == 1 {
            return self.only().figure(size);
        }
        // Plots that would be too small are left out.
        let room = (size.width / SMALLEST).max(2.0) as usize;
        let k = given.min(MOST).min(room);
        let n = self
            .scores
            .iter()
            .take(k)
            .map(|s| s.len())
            .min()
            .unwrap_or(0);
        let has_place = |i: usize| self.scores[..k].iter().all(|s| s[i].is_finite());
        let rows: Vec<usize> = (0..n).filter(|&i| has_place(i)).collect();
        let grouped = self.coloring.group(n, has_place);
        let spans: Vec<(f64, f64)> = self.scores[..k]
            .iter()
            .map(|s| axis::span(rows.iter().map(|&i| s[i]), 0.08))
            .collect();
        let grid = Grid::new(size, k, &spans, &grouped);
        let mut scene = Scene::new(size.width, size.height);
        for row in 0..k {
            self.draw_name(&mut scene, grid.place(row, row), self.components[row]);
            for col in 0..row {
                let frame = Frame {
                    area: grid.place(row, col),
                    x: spans[col],
                    y: spans[row],
                };
                let edges = (col == 0, row + 1 == k);
                let cloud = Cloud {
                    x: &self.scores[col][..n],
                    y: &self.scores[row][..n],
                    grouped: &grouped,
                    radius: if rows.len() > 300 { 1.6 } else { 2.4 },
                    most: MOST_POINTS,
                };
                draw_pair(&mut scene, &frame, edges, &cloud);
            }
        }
        if k < given.min(MOST) {
            let area = grid.place(0, k - 1);
            let words = format!("the first {k} of {given} components");
            for (i, line) in measure::wrap(&words, area.width, 11.0, false, 4)
                .into_iter()
                .enumerate()
            {
                let y = area.top + 14.0 * (i as f64 + 1.0);
                let text = Text::new(area.left + area.width / 2.0, y, line, 11.0);
                scene.text(text.middle().ink(Ink::Muted));
            }
        }
        grid.draw_legend(&mut scene, &grouped, size);
        self.finish(scene, (k, n), &rows, &grouped)
    }

    /// A model with one component, as a number line.
    pub(super) fn only(&self) -> Scores<'_> {
        Scores {
            x: self.scores[0],
            y: self.scores[0],
            x_axis: self.components[0],
            y_axis: self.components[0],
            rows: self.rows,
            coloring: self.coloring,
            ellipses: false,
        }
    }

    fn finish(
        &self,
        scene: Scene,
        (k, n): (usize, usize),
        rows: &[usize],
        grouped: &Grouped,
    ) -> Figure {
        let share: Option<f64> = self.components[..k].iter().map(|c| c.share).sum();
        let mut parts = vec![counted(rows.len(), "row")];
        if rows.len() > MOST_POINTS {
            parts.push("counted in hexagons: the stronger the more points".to_owned());
        }
        if self.components.len() > k {
            parts.push(format!(
                "the first {k} of {} components",
                self.components.len()
            ));
        }
        parts.extend(grouped.words());
        parts.extend(left_out(n - rows.len()));
        let verb = if k == 1 { "holds" } else { "hold" };
        let mut caption = "Do later components show groups that the first two hide? Every small picture is one pair of components; \
                           those in a column share their axis across, those in a row their axis upward."
            .to_owned();
        caption += &looks(grouped, false);
        Figure {
            id: "pairs".to_owned(),
            title: match share {
                Some(share) => format!(
                    "{} {verb} {} of the variance",
                    counted(k, "component"),
                    percent(share)
                ),
                None => format!("{} in pairs", counted(k, "component")),
            },
            subtitle: parts.join(" · "),
            caption,
            scene,
            narrow: None,
            csv: self.csv(k, n),
        }
    }

    fn draw_name(&self, scene: &mut Scene, area: Area, c: Component<'_>) {
        let x = area.left + area.width / 2.0;
        let words = measure::wrap(c.words, area.width - 8.0, 11.0, false, 3);
        let room = ((area.height - 40.0) / 14.5).max(0.0) as usize;
        let words: Vec<String> = words.into_iter().take(room).collect();
        let mut y = area.top + area.height / 2.0 - 7.0 * words.len() as f64;
        let name = measure::fit(c.name, area.width, 15.0, true);
        scene.text(Text::new(x, y, name, 15.0).middle().bold());
        y += 17.0;
        let share = c.share.map_or(String::new(), percent);
        let share = measure::fit(&share, area.width, 12.0, false);
        scene.text(Text::new(x, y, share, 12.0).middle().ink(Ink::Muted));
        for line in words {
            y += 14.5;
            scene.text(Text::new(x, y, line, 11.0).middle().ink(Ink::Muted));
        }
    }

    fn csv(&self, k: usize, n: usize) -> String {
        let names = self.components[..k].iter().map(|c| c.name);
        let mut csv = Csv::new(std::iter::once("row").chain(names));
        for i in 0..n {
            let cells = self.scores[..k].iter().map(|s| cell(s[i]));
            csv.line(std::iter::once(self.rows.key(i)).chain(cells));
        }
        csv.0
    }
}

/// The layout of the small plots and their legend.
struct Grid {
    origin: (f64, f64),
    step: (f64, f64),
    /// The position of a legend that is not above: left edge and height.
    legend: (f64, f64),
}

impl Grid {
    /// The legend is above, in the empty corner, or beside the plots if the corner is too small.
    fn new(size: Size, k: usize, spans: &[(f64, f64)], grouped: &Grouped) -> Self {
        let left = spans
            .iter()
            .map(|span| axis::left_room(&axis::ticks(*span, 3), ""))
            .fold(30.0, f64::max);
        let legend = grouped.legend(size);
        let (wide, top) = (legend.width(), 12.0 + legend.top());
        let n = k.max(1) as f64;
        let cell = (
            (size.width - left - 12.0) / n,
            (size.height - top - 30.0) / n,
        );
        let free = ((size.width - wide - 30.0 - left) / cell.0)
            .floor()
            .clamp(0.0, k as f64);
        let corner = cell.1 * free - 16.0;
        let fits = wide == 0.0 || legend.height() <= corner;
        let beside = if fits { 0.0 } else { wide + 16.0 };
        Grid {
            origin: (left, top),
            step: (cell.0 - beside / n, cell.1),
            legend: (
                size.width - wide - 10.0,
                if fits { corner } else { size.height - 24.0 },
            ),
        }
    }

    fn place(&self, row: usize, col: usize) -> Area {
        Area {
            left: self.origin.0 + self.step.0 * col as f64 + 5.0,
            top: self.origin.1 + self.step.1 * row as f64,
            width: self.step.0 - 10.0,
            height: self.step.1 - 10.0,
        }
    }

    fn draw_legend(&self, scene: &mut Scene, grouped: &Grouped, size: Size) {
        let legend = grouped.legend(size);
        match legend.top() > 0.0 {
            true => legend.draw_above(scene),
            false => legend.draw_beside(scene, self.legend.0, self.origin.1, self.legend.1),
        }
    }
}

/// One small plot; `edges` says whether it is at the left and at the bottom.
fn draw_pair(scene: &mut Scene, frame: &Frame, edges: (bool, bool), cloud: &Cloud<'_>) {
    axis::zero_lines(scene, frame);
    outer_numbers(frame, edges.0, edges.1).draw(scene, frame);
    scene.rect(frame.area, Style::stroke(Ink::Grid, 1.0));
    let _ = cloud.draw(scene, frame);
}

/// Tick labels at the outer edges only, and none so close to a corner that it touches a neighbor's.
fn outer_numbers(frame: &Frame, left: bool, bottom: bool) -> Axes<'static> {
    let area = frame.area;
    let mut axes = Axes {
        x_ticks: Some(Vec::new()),
        y_ticks: Some(Vec::new()),
        ..Axes::default()
    };
    if bottom {
        let half = |text: &str| measure::width(text, axis::NUMBERS, false) / 2.0;
        let mut ticks = axis::ticks(frame.x, 3);
        ticks.retain(|(x, text)| {
            let (x, half) = (frame.px(*x), half(text) - 2.0);
            x - half > area.left && x + half < area.right()
        });
        let apart = ticks.windows(2).all(|pair| {
            let room = frame.px(pair[1].0) - frame.px(pair[0].0);
            room > half(&pair[0].1) + half(&pair[1].1) + 6.0
        });
        if !apart {
            ticks.truncate(1);
        }
        axes.x_ticks = Some(ticks);
    }
    if left {
        let mut ticks = axis::ticks(frame.y, 3);
        ticks.retain(|(y, _)| {
            let y = frame.py(*y);
            y > area.top + 5.0 && y < area.bottom() - 5.0
        });
        if ticks.len() as f64 * 16.0 > area.height {
            ticks.truncate(1);
        }
        axes.y_ticks = Some(ticks);
    }
    axes
}
