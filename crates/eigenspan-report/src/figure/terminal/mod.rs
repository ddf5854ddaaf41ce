//! Figures in the terminal, in Unicode: bars to an eighth of a character, points as braille or as letters of their class.
//!
//! Colors are ANSI sequences; the program takes them out where nobody wants them.

mod cells;
mod chart;
mod search;

use eigenspan::error::grouped;

use super::axis;
use super::biplot::Biplot;
use super::circle::{Circle, Column, longest};
use super::cloud::Cloud;
use super::coloring::{Coloring, Group, Grouped};
use super::contributions::{Contributions, Kind};
use super::loadings::Loadings;
use super::measure;
use super::outliers::Outliers;
use super::pairs::Pairs;
use super::reconstruction::Reconstruction;
use super::scores::{Scores, left_out};
use super::scree::Scree;
use crate::text::bar;
use crate::words::percent;
use chart::Chart;

/// Components listed, at most.
const LISTED: usize = 40;
/// Rows that may have their names beside them.
const NAMED: usize = 60;
/// ANSI colors for classes: blue, yellow, green, red, magenta, cyan.
const COLORS: [u8; 6] = [34, 33, 32, 31, 35, 36];

impl Scree<'_> {
    /// Bars for a terminal of this width.
    pub fn terminal(&self, width: usize) -> String {
        let largest = self.shares.iter().copied().fold(0.0, f64::max);
        let room = width.saturating_sub(36).clamp(10, 60) as f64;
        let listed = self.shares.len().min(LISTED);
        let name = (0..listed).map(|i| self.name(i).chars().count());
        let name = name.max().unwrap_or(0);
        let mut out = format!(" {:name$}    share    total\n", "");
        let mut total = 0.0;
        for (i, share) in self.shares.iter().enumerate().take(LISTED) {
            total += share;
            let kept = if self.chosen == Some(i + 1) {
                "  ◂ kept up to here"
            } else {
                ""
            };
            let length = if largest > 0.0 {
                share / largest * room
            } else {
                0.0
            };
            let line = format!(
                " {:name$}  {:>7}  {:>7}  {}{kept}",
                self.name(i),
                percent(*share),
                percent(total),
                bar(length)
            );
            out += line.trim_end();
            out.push('\n');
        }
        if self.shares.len() > LISTED {
            out += &format!(" … {} more\n", grouped((self.shares.len() - LISTED) as u64));
        }
        for (k, names) in self.groups() {
            let line = format!("{k}: {}", names.join(", "));
            out += &format!(" {}\n", line);
        }
        out
    }
}

impl Scores<'_> {
    /// A scatter for a terminal of this width.
    pub fn terminal(&self, width: usize) -> String {
        scatter(self, &[], width)
    }
}

impl Biplot<'_> {
    /// A scatter with the columns' names where their arrows end.
    pub fn terminal(&self, width: usize) -> String {
        scatter(&self.scores, &longest(self.columns, 12), width)
    }
}

impl Circle<'_> {
    /// The columns' names where their arrows end.
    pub fn terminal(&self, width: usize) -> String {
        let columns: Vec<Column<'_>> = longest(self.columns, 24)
            .into_iter()
            .chain(longest(self.supplementary, 8))
            .collect();
        let mut chart = Chart::new(width, (-1.05, 1.05), (-1.05, 1.05));
        for step in 0..200 {
            let t = f64::from(step) / 200.0 * std::f64::consts::TAU;
            chart.dot(t.cos(), t.sin());
        }
        columns.iter().for_each(|c| chart.mark(c.x, c.y, '●', None));
        for c in &columns {
            chart.name(c.x, c.y, &measure::label(c.name));
        }
        chart.print(&self.x_axis.title(), &self.y_axis.title())
    }
}

impl Outliers<'_> {
    /// A scatter of both distances; rows beyond a limit are marked and named.
    pub fn terminal(&self, width: usize) -> String {
        let rows = Cloud::drawn(self.t2, self.q);
        let limit = |x: f64| x.is_finite().then_some(x);
        let x = axis::span(
            rows.iter().map(|&i| self.t2[i]).chain(limit(self.t2_limit)),
            0.05,
        );
        let y = axis::span(
            rows.iter().map(|&i| self.q[i]).chain(limit(self.q_limit)),
            0.05,
        );
        let mut chart = Chart::new(width, (0.0, x.1), (0.0, y.1.max(1e-300)));
        chart.lines(self.t2_limit, self.q_limit);
        let beyond = |i: usize| self.t2[i] > self.t2_limit || self.q[i] > self.q_limit;
        for &i in rows.iter().filter(|&&i| !beyond(i)) {
            chart.dot(self.t2[i], self.q[i]);
        }
        let mut far: Vec<usize> = rows.iter().copied().filter(|&i| beyond(i)).collect();
        far.iter()
            .for_each(|&i| chart.mark(self.t2[i], self.q[i], '▲', Some(31)));
        far.sort_by(|&a, &b| self.t2[b].total_cmp(&self.t2[a]));
        for &i in far.iter().take(20) {
            let name = self.names.and_then(|names| names.get(i));
            let name = name.map_or_else(|| (i + 1).to_string(), |n| measure::label(n));
            chart.name(self.t2[i], self.q[i], &name);
        }
        chart.print(
            "T²: distance from the center within the components (lines: limits)",
            "Q: distance from the components",
        )
    }
}

impl Pairs<'_> {
    /// The first pair, and the next one where there is one.
    pub fn terminal(&self, width: usize) -> String {
        let mut out = String::new();
        let n = self.components.len().min(self.scores.len());
        for first in (0..n.saturating_sub(1)).step_by(2).take(2) {
            let pair = Scores {
                x: self.scores[first],
                y: self.scores[first + 1],
                x_axis: self.components[first],
                y_axis: self.components[first + 1],
                names: None,
                coloring: self.coloring,
                ellipses: false,
            };
            if !out.is_empty() {
                out.push('\n');
            }
            out += &pair.terminal(width);
        }
        out
    }
}

impl Loadings<'_> {
    /// Bars to both sides, one list per component.
    pub fn terminal(&self, width: usize) -> String {
        let mut out = String::new();
        for (c, loadings) in self.components.iter().zip(self.loadings).take(3) {
            if !out.is_empty() {
                out.push('\n');
            }
            out += &format!(" {}\n", c.title());
            let mut order: Vec<usize> = (0..loadings.len().min(self.names.len()))
                .filter(|&j| loadings[j].is_finite())
                .collect();
            order.sort_by(|&a, &b| loadings[b].abs().total_cmp(&loadings[a].abs()));
            let named: Vec<(String, f64)> = order
                .iter()
                .take(12)
                .map(|&j| (measure::label(&self.names[j]), loadings[j]))
                .collect();
            out += &two_sided(&named, width);
            if order.len() > named.len() {
                out += &format!(" … {} more\n", grouped((order.len() - named.len()) as u64));
            }
        }
        out
    }
}

impl Contributions<'_> {
    /// Bars with their shares.
    pub fn terminal(&self, width: usize) -> String {
        let mut order: Vec<usize> = (0..self.shares.len().min(self.names.len()))
            .filter(|&j| self.shares[j].is_finite())
            .collect();
        order.sort_by(|&a, &b| self.shares[b].total_cmp(&self.shares[a]));
        let listed: Vec<(String, f64)> = order
            .iter()
            .take(24)
            .map(|&j| (measure::label(&self.names[j]), self.shares[j]))
            .collect();
        let most = match self.kind {
            Kind::Contribution => listed.first().map_or(1.0, |(_, share)| *share),
            Kind::Cos2 => 1.0,
        };
        let mut out = one_sided(&listed, most, width);
        if order.len() > listed.len() {
            out += &format!(" … {} more\n", grouped((order.len() - listed.len()) as u64));
        }
        if self.kind == Kind::Contribution && !order.is_empty() {
            out += &format!(" even share: {}\n", percent(1.0 / order.len() as f64));
        }
        out
    }
}

impl Reconstruction<'_> {
    /// Bars of what is lost, by components kept.
    pub fn terminal(&self, width: usize) -> String {
        let listed: Vec<(String, f64)> = self
            .errors
            .iter()
            .enumerate()
            .take(LISTED)
            .map(|(k, error)| (format!("{k:>3} kept"), *error))
            .collect();
        one_sided(&listed, self.errors.first().copied().unwrap_or(1.0), width)
    }
}

fn one_sided(bars: &[(String, f64)], most: f64, width: usize) -> String {
    let name = bars
        .iter()
        .map(|(n, _)| n.chars().count())
        .max()
        .unwrap_or(0);
    let room = width.saturating_sub(name + 14).clamp(8, 60) as f64;
    let mut out = String::new();
    for (text, share) in bars {
        let length = if most > 0.0 {
            (share / most).clamp(0.0, 1.0) * room
        } else {
            0.0
        };
        let line = format!(" {text:<name$}  {:>7}  {}", percent(*share), bar(length));
        out += line.trim_end();
        out.push('\n');
    }
    out
}

fn two_sided(bars: &[(String, f64)], width: usize) -> String {
    let name = bars
        .iter()
        .map(|(n, _)| n.chars().count())
        .max()
        .unwrap_or(0);
    let half = (width.saturating_sub(name + 14) / 2).clamp(4, 30);
    let largest = bars.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
    let mut out = String::new();
    for (text, value) in bars {
        let length = if largest > 0.0 {
            value.abs() / largest * half as f64
        } else {
            0.0
        };
        let number = format!("{value:.3}").replace('-', "−");
        let line = if *value < 0.0 {
            let halves = (2.0 * length).round() as usize;
            let tip = if halves % 2 == 1 { "▐" } else { "" };
            let left = tip.to_owned() + &"█".repeat(halves / 2);
            format!(" {text:<name$}  {number:>7}  {left:>half$}│")
        } else {
            format!(" {text:<name$}  {number:>7}  {:>half$}│{}", "", bar(length))
        };
        out += line.trim_end();
        out.push('\n');
    }
    out
}

/// Points, the letters of their classes, and columns where there are any.
fn scatter(scores: &Scores<'_>, columns: &[Column<'_>], width: usize) -> String {
    let rows = Cloud::drawn(scores.x, scores.y);
    let n = scores.x.len().min(scores.y.len());
    let has_place = |i: usize| scores.x[i].is_finite() && scores.y[i].is_finite();
    let coloring = match scores.coloring {
        Coloring::Values { .. } => Coloring::None,
        other => other,
    };
    let grouped = coloring.group(n, has_place);
    let x = axis::span(rows.iter().map(|&i| scores.x[i]), 0.04);
    let y = axis::span(rows.iter().map(|&i| scores.y[i]), 0.06);
    let mut chart = Chart::new(width, x, y);
    chart.lines(0.0, 0.0);
    let letters = letters(&grouped);
    let named = scores.names.filter(|_| rows.len() <= NAMED);
    for &i in &rows {
        let group = grouped.of_row[i];
        match (grouped.has_classes(), named) {
            (true, _) => {
                let color = COLORS[group % COLORS.len()];
                chart.mark(scores.x[i], scores.y[i], letters[group], Some(color));
            }
            (false, Some(_)) => chart.mark(scores.x[i], scores.y[i], '●', Some(34)),
            (false, None) => chart.dot(scores.x[i], scores.y[i]),
        }
    }
    // A correlation of 1 reaches the nearest edge.
    let reach = [-x.0, x.1, -y.0, y.1].map(|e| e.max(0.0));
    for c in columns {
        let (sx, sy) = (reach[0].min(reach[1]), reach[2].min(reach[3]));
        chart.mark(0.95 * c.x * sx, 0.95 * c.y * sy, '◆', Some(33));
        chart.name(0.95 * c.x * sx, 0.95 * c.y * sy, &measure::label(c.name));
    }
    if let Some(names) = named {
        for &i in &rows {
            let name = measure::label(names.get(i).map_or("", |n| n));
            chart.name(scores.x[i], scores.y[i], &name);
        }
    }
    let mut out = chart.print(&scores.x_axis.title(), &scores.y_axis.title());
    if !columns.is_empty() {
        out += " ◆ columns: the farther out, the better shown\n";
    }
    out.extend(left_out(n - rows.len()).map(|words| format!(" {words}\n")));
    if grouped.has_classes() {
        out += &legend(&grouped, &letters);
    }
    out
}

/// The letters of the classes, and how many rows each has.
fn legend(grouped: &Grouped, letters: &[char]) -> String {
    let entry = |(g, group): (usize, &Group)| {
        let (color, letter) = (COLORS[g % COLORS.len()], letters[g].to_string());
        let name = match letter == group.name {
            true => String::new(),
            false => format!(" {}", group.name),
        };
        format!("\x1b[{color}m{letter}\x1b[0m{name} ({})", group.count)
    };
    let entries: Vec<String> = grouped.groups.iter().enumerate().map(entry).collect();
    format!(" {}: {}\n", grouped.name, entries.join("   "))
}

/// A letter per class: its own first letter or digit where no other class has it, else A, B, C, …
fn letters(grouped: &Grouped) -> Vec<char> {
    let own: Vec<Option<char>> = grouped
        .groups
        .iter()
        .map(|g| g.name.chars().find(|c| c.is_ascii_alphanumeric()))
        .collect();
    let distinct = own
        .iter()
        .enumerate()
        .all(|(i, c)| c.is_some() && !own[..i].contains(c));
    let alphabet = ('A'..='Z').chain('a'..='z').chain('0'..='9');
    let ordered: Vec<char> = alphabet.cycle().take(own.len()).collect();
    match own.into_iter().collect::<Option<Vec<char>>>() {
        Some(own) if distinct => own,
        _ => ordered,
    }
}
