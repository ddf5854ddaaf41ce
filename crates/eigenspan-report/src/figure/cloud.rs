//! A cloud of points: drawn one by one if there are few, counted in a honeycomb if there are many.

use std::collections::HashMap;

use eigenspan::error::grouped;

use super::coloring::Grouped;
use super::palette;
use super::scene::{Frame, Ink, Item, Marks, Scene, Shape, Step, Style};

/// With more points than this, a large figure draws a honeycomb.
pub(super) const MOST_POINTS: usize = 5000;

/// With more classes than the first number, no ellipses are drawn; with more than the second, ellipses are not filled.
const MOST_ELLIPSES: usize = 10;
const MOST_FILLED: usize = 5;

/// The square root of the 95 % quantile of χ² with two degrees of freedom.
const ELLIPSE: f64 = 2.447_746_830_680_816;

/// A cloud within a frame.
pub(super) struct Cloud<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) grouped: &'a Grouped,
    pub(super) radius: f64,
    /// With more points than this, a honeycomb is drawn.
    pub(super) most: usize,
}

impl Cloud<'_> {
    /// The rows with finite coordinates.
    pub(super) fn drawn(x: &[f64], y: &[f64]) -> Vec<usize> {
        (0..x.len().min(y.len()))
            .filter(|&i| x[i].is_finite() && y[i].is_finite())
            .collect()
    }

    /// Draws the points; returns a sentence on how, unless they are drawn one by one.
    pub(super) fn draw(&self, scene: &mut Scene, frame: &Frame) -> Option<String> {
        let rows = Cloud::drawn(self.x, self.y);
        if rows.len() > self.most {
            return Some(self.honeycomb(scene, frame, &rows));
        }
        for (g, group) in self.grouped.groups.iter().enumerate() {
            let points: Vec<(f64, f64)> = rows
                .iter()
                .filter(|&&i| self.grouped.of_row[i] == g)
                .map(|&i| (frame.px(self.x[i]), frame.py(self.y[i])))
                .collect();
            if points.is_empty() {
                continue;
            }
            let style = Style {
                stroke: Some(Ink::Ground),
                width: 0.7,
                ..Style::fill(group.ink).with_opacity(if rows.len() > 500 { 0.75 } else { 0.9 })
            };
            scene.items.push(Item::Marks(Marks {
                points,
                shape: group.shape,
                radius: self.radius,
                style,
            }));
        }
        None
    }

    /// Cells of a honeycomb: colored by count, or by the most frequent class, with more opacity for more points.
    fn honeycomb(&self, scene: &mut Scene, frame: &Frame, rows: &[usize]) -> String {
        const RADIUS: f64 = 6.0;
        let mut cells: HashMap<(i64, i64), HashMap<usize, u32>> = HashMap::new();
        for &i in rows {
            let place = hexagon(frame.px(self.x[i]), frame.py(self.y[i]), RADIUS);
            let cell = cells.entry(place).or_default();
            *cell.entry(self.grouped.of_row[i]).or_default() += 1;
        }
        let most = cells.values().map(|c| c.values().sum::<u32>()).max();
        let most = f64::from(most.unwrap_or(1));
        // The key: color and opacity in eighths.
        let mut looks: HashMap<(Ink, u8), Vec<(f64, f64)>> = HashMap::new();
        let classes = self.grouped.groups.len() > 1;
        for (place, counts) in &cells {
            let count = f64::from(counts.values().sum::<u32>());
            let amount = if most > 1.0 {
                count.ln() / most.ln()
            } else {
                1.0
            };
            let look = if classes {
                (self.average(counts), 3 + (5.0 * amount).round() as u8)
            } else {
                (palette::BLUE, 1 + (7.0 * amount).round() as u8)
            };
            looks.entry(look).or_default().push(center(*place, RADIUS));
        }
        let mut looks: Vec<_> = looks.into_iter().collect();
        looks.sort_by_key(|(look, _)| *look);
        for ((ink, eighths), mut points) in looks {
            points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            scene.items.push(Item::Marks(Marks {
                points,
                shape: Shape::Hexagon,
                radius: RADIUS,
                style: Style::fill(ink).with_opacity(f64::from(eighths) / 8.0),
            }));
        }
        let n = grouped(rows.len() as u64);
        let shown = match (classes, self.grouped.scale) {
            (true, Some(_)) => {
                "colored by the average of its points, the stronger the more there are"
            }
            (true, None) => "colored by its most frequent class, the stronger the more points",
            (false, _) => "the stronger the more points",
        };
        format!("{n} points, counted in hexagons: {shown}")
    }

    /// The most frequent class of a cell, or the mean color step of its numbers.
    fn average(&self, counts: &HashMap<usize, u32>) -> Ink {
        let groups = &self.grouped.groups;
        let group = if self.grouped.scale.is_some() {
            let known = counts.iter().filter(|(g, _)| **g + 1 < groups.len());
            let (sum, n) = known.fold((0.0, 0.0), |(sum, n), (g, c)| {
                (sum + *g as f64 * f64::from(*c), n + f64::from(*c))
            });
            if n > 0.0 {
                (sum / n).round() as usize
            } else {
                groups.len() - 1
            }
        } else {
            let best = counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
            best.map_or(0, |(g, _)| *g)
        };
        groups.get(group).map_or(Ink::Other, |g| g.ink)
    }

    /// Ellipses that contain 95 % of each class if it is normally distributed; classes with fewer than four points have no ellipse.
    pub(super) fn ellipses(&self) -> Vec<Ellipse> {
        let mut out = Vec::new();
        let n_groups = self.grouped.groups.len();
        if n_groups > MOST_ELLIPSES {
            return out;
        }
        for (g, group) in self.grouped.groups.iter().enumerate() {
            let rows: Vec<usize> = Cloud::drawn(self.x, self.y)
                .into_iter()
                .filter(|&i| self.grouped.of_row[i] == g)
                .collect();
            if rows.len() < 4 || group.ink == Ink::Other {
                continue;
            }
            let n = rows.len() as f64;
            let mean = |v: &[f64]| rows.iter().map(|&i| v[i]).sum::<f64>() / n;
            let (mx, my) = (mean(self.x), mean(self.y));
            let sum =
                |f: &dyn Fn(usize) -> f64| rows.iter().map(|&i| f(i)).sum::<f64>() / (n - 1.0);
            let sxx = sum(&|i| (self.x[i] - mx).powi(2));
            let syy = sum(&|i| (self.y[i] - my).powi(2));
            let sxy = sum(&|i| (self.x[i] - mx) * (self.y[i] - my));
            // The Cholesky factor maps the unit circle to the ellipse.
            let a = sxx.sqrt();
            let b = if a > 0.0 { sxy / a } else { 0.0 };
            let c = (syy - b * b).max(0.0).sqrt();
            // Squares of very large numbers overflow.
            if ![mx, my, a, b, c].into_iter().all(f64::is_finite) {
                continue;
            }
            out.push(Ellipse {
                ink: group.ink,
                filled: n_groups <= MOST_FILLED,
                center: (mx, my),
                factor: [a * ELLIPSE, b * ELLIPSE, c * ELLIPSE],
            });
        }
        out
    }
}

/// An ellipse in the units of the data: center + L·(cos t, sin t), L = [[a, 0], [b, c]].
pub(super) struct Ellipse {
    ink: Ink,
    filled: bool,
    center: (f64, f64),
    factor: [f64; 3],
}

impl Ellipse {
    /// Its half width and half height.
    pub(super) fn reach(&self) -> [(f64, f64); 2] {
        let (x, y) = self.center;
        let [a, b, c] = self.factor;
        let tall = b.hypot(c);
        [(x - a, y - tall), (x + a, y + tall)]
    }

    pub(super) fn draw(&self, scene: &mut Scene, frame: &Frame) {
        // Four Bézier curves approximate a circle with handles of this length.
        const K: f64 = 0.552_284_75;
        let unit: [[(f64, f64); 3]; 4] = [
            [(1.0, K), (K, 1.0), (0.0, 1.0)],
            [(-K, 1.0), (-1.0, K), (-1.0, 0.0)],
            [(-1.0, -K), (-K, -1.0), (0.0, -1.0)],
            [(K, -1.0), (1.0, -K), (1.0, 0.0)],
        ];
        let [a, b, c] = self.factor;
        let at = |(u, v): (f64, f64)| {
            let (x, y) = (self.center.0 + a * u, self.center.1 + b * u + c * v);
            (frame.px(x), frame.py(y))
        };
        let start = at((1.0, 0.0));
        let mut steps = vec![Step::Move(start.0, start.1)];
        for curve in unit {
            let [p, q, r] = curve.map(at);
            steps.push(Step::Curve([p.0, p.1, q.0, q.1, r.0, r.1]));
        }
        steps.push(Step::Close);
        let outline = Style::stroke(self.ink, 1.2).with_opacity(0.65);
        let inside = Style::fill(self.ink).with_opacity(0.07);
        let path = |style: Style| Item::Path {
            steps: steps.clone(),
            style,
        };
        if self.filled {
            scene.items.push(path(inside));
        }
        scene.items.push(path(outline));
    }
}

/// The cell of a honeycomb (odd rows are shifted) that contains a point.
fn hexagon(x: f64, y: f64, radius: f64) -> (i64, i64) {
    let (w, h) = (1.732 * radius, 1.5 * radius);
    let near = (y / h).round() as i64;
    // The nearest center is in this row or in a neighboring row.
    let mut best = ((0, 0), f64::INFINITY);
    for row in near - 1..=near + 1 {
        let shift = if row.rem_euclid(2) == 1 { 0.5 } else { 0.0 };
        let col = (x / w - shift).round() as i64;
        let (cx, cy) = center((row, col), radius);
        let distance = (x - cx).powi(2) + (y - cy).powi(2);
        if distance < best.1 {
            best = ((row, col), distance);
        }
    }
    best.0
}

fn center((row, col): (i64, i64), radius: f64) -> (f64, f64) {
    let shift = if row.rem_euclid(2) == 1 { 0.5 } else { 0.0 };
    (
        (col as f64 + shift) * 1.732 * radius,
        row as f64 * 1.5 * radius,
    )
}
