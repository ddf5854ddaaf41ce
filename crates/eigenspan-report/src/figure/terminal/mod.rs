//! Figures in the terminal, in Unicode: bars in eighths of a character, points as braille or as letters of their class.
//!
//! Colors are ANSI sequences; the program removes them if colors are off.

mod accuracy;
mod cells;
mod chart;
mod directions;
mod line;
pub(crate) mod lines;
mod search;

use eigenspan::error::grouped;
use eigenspan::linalg::sort_largest_first;

use super::alike::Alike;
use super::axis;
use super::biplot::Biplot;
use super::circle::{Circle, Column, longest};
use super::cloud::Cloud;
use super::coloring::{Coloring, Group, Grouped};
use super::contributions::{Contributions, ShareKind};
use super::line::Correlations;
use super::loadings::Loadings;
use super::measure;
use super::outliers::Outliers;
use super::pairs::Pairs;
use super::reconstruction::Reconstruction;
use super::rows::Rows;
use super::scores::{Scores, left_out};
use super::scree::Scree;

use crate::words::{bar, hundredths, percent};
use chart::Chart;

/// At most this many components are listed.
const LISTED: usize = 40;
/// Up to this many rows have their names beside them.
const NAMED: usize = 60;
/// ANSI colors for classes: blue, yellow, green, red, magenta, cyan, and the bright ones.
const COLORS: [u8; 12] = [34, 33, 32, 31, 35, 36, 94, 93, 92, 91, 95, 96];

/// The color of a class.
fn color(class: usize) -> u8 {
    COLORS[class % COLORS.len()]
}

impl Scree<'_> {
    /// Bars for a terminal of this width.
    pub fn terminal(&self, width: usize) -> String {
        let largest = self.shares.iter().copied().fold(0.0, f64::max);
        let listed = self.shares.len().min(LISTED);
        let name = (0..listed).map(|i| self.name(i).chars().count());
        let name = name.max().unwrap_or(0);
        const KEPT: &str = "  ◂ kept up to here";
        let room = width.saturating_sub(name + 22) as f64;
        // The bar of the last component that is kept leaves room for a remark.
        let last = self.chosen.and_then(|k| self.shares.get(k.wrapping_sub(1)));
        let part = last.map_or(0.0, |share| share / largest).clamp(0.0, 1.0);
        let room = match part > 0.0 {
            true => room.min((room - KEPT.chars().count() as f64) / part),
            false => room,
        };
        let room = room.clamp(4.0, 60.0);
        let mut out = format!(" {:name$}    share    total\n", "");
        let mut total = 0.0;
        for (i, share) in self.shares.iter().enumerate().take(LISTED) {
            total += share;
            let kept = if self.chosen == Some(i + 1) { KEPT } else { "" };
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
            out += &lines::wrapped(&format!("{k}: {}", names.join(", ")), width);
        }
        out
    }
}

impl Scores<'_> {
    /// A scatter plot for a terminal of this width.
    pub fn terminal(&self, width: usize) -> String {
        match self.is_line() {
            true => on_a_line(self, width),
            false => scatter(self, &[], width),
        }
    }
}

impl Biplot<'_> {
    /// A scatter plot with the columns' names where their arrows end.
    pub fn terminal(&self, width: usize) -> String {
        if self.scores.is_line() {
            let columns = Correlations::from_columns(&longest(self.columns, 12), &[]);
            let title = format!("columns: correlation with {}", self.scores.x_axis.name);
            let columns = line::draw(&columns.line(&title), width);
            return format!("{}\n{columns}", on_a_line(&self.scores, width));
        }
        scatter(&self.scores, &longest(self.columns, 12), width)
    }
}

impl Circle<'_> {
    /// The columns' names where their arrows end.
    pub fn terminal(&self, width: usize) -> String {
        if self.x_axis.name == self.y_axis.name {
            let (active, further) = (longest(self.columns, 24), longest(self.supplementary, 8));
            let columns = Correlations::from_columns(&active, &further);
            let title = format!("correlation with {}", self.x_axis.title());
            return line::draw(&columns.line(&title), width);
        }
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
    /// A scatter plot of T² and Q; rows beyond a limit are marked and named.
    pub fn terminal(&self, width: usize) -> String {
        let rows = Cloud::drawn(self.t2, self.q);
        let places = self.places();
        let (x, y) = places.spans();
        let mut chart = Chart::scaled(width, x, y, places.scales);
        chart.lines(places.limits.0, places.limits.1);
        for &i in rows.iter().filter(|&&i| !self.is_beyond(i)) {
            chart.dot(places.t2[i], places.q[i]);
        }
        let mut far: Vec<usize> = rows.into_iter().filter(|&i| self.is_beyond(i)).collect();
        far.iter()
            .for_each(|&i| chart.mark(places.t2[i], places.q[i], '▲', Some(31)));
        sort_largest_first(&mut far, &|j| self.t2[j]);
        for &i in far.iter().take(20) {
            let name = match self.rows.names {
                Some(_) => self.rows.label(i),
                None => self.rows.number(i).to_string(),
            };
            chart.name(places.t2[i], places.q[i], &name);
        }
        let (across, up) = places.titles();
        chart.print(&across, &up) + &lines::wrapped("lines: limits of ordinary rows", width)
    }
}

impl Pairs<'_> {
    /// The first pair of components and, if it exists, the next.
    pub fn terminal(&self, width: usize) -> String {
        let mut out = String::new();
        let n = self.components.len().min(self.scores.len());
        if n == 1 {
            return self.only().terminal(width);
        }
        for first in (0..n.saturating_sub(1)).step_by(2).take(2) {
            let pair = Scores {
                x: self.scores[first],
                y: self.scores[first + 1],
                x_axis: self.components[first],
                y_axis: self.components[first + 1],
                rows: Rows::default(),
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
            out += &format!(" {}\n", lines::cut(&c.title(), width.saturating_sub(1)));
            let mut order: Vec<usize> = (0..loadings.len().min(self.names.len()))
                .filter(|&j| loadings[j].is_finite())
                .collect();
            sort_largest_first(&mut order, &|j| loadings[j].abs());
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

impl Alike<'_> {
    /// A line per component: its correlation, and the interval that contains nine of ten draws.
    pub fn terminal(&self, width: usize) -> String {
        let all = self.names.iter().zip(self.medians).zip(self.ends);
        let lines = all.map(|((name, median), (low, high))| {
            let name = measure::label(name);
            let [median, low, high] = [*median, *low, *high].map(hundredths);
            format!(
                " {}\n",
                lines::cut(
                    &format!("{name}  {median}  ({low} to {high})"),
                    width.saturating_sub(1)
                )
            )
        });
        lines.collect()
    }
}

impl Contributions<'_> {
    /// Bars with their shares.
    pub fn terminal(&self, width: usize) -> String {
        let mut order: Vec<usize> = (0..self.shares.len().min(self.names.len()))
            .filter(|&j| self.shares[j].is_finite())
            .collect();
        sort_largest_first(&mut order, &|j| self.shares[j]);
        let listed: Vec<(String, f64)> = order
            .iter()
            .take(24)
            .map(|&j| (measure::label(&self.names[j]), self.shares[j]))
            .collect();
        let most = match self.kind {
            ShareKind::Contribution => listed.first().map_or(1.0, |(_, share)| *share),
            ShareKind::Cos2 => 1.0,
        };
        let mut out = one_sided(&listed, most, width);
        if order.len() > listed.len() {
            out += &format!(" … {} more\n", grouped((order.len() - listed.len()) as u64));
        }
        if self.kind == ShareKind::Contribution && !order.is_empty() {
            out += &format!(" even share: {}\n", percent(1.0 / order.len() as f64));
        }
        out
    }
}

impl Reconstruction<'_> {
    /// Bars of the reconstruction error, by number of components.
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

/// Names shortened to leave this many columns beside them, and the width of the widest.
fn beside(bars: &[(String, f64)], width: usize, others: usize) -> (Vec<String>, usize) {
    let most = width.saturating_sub(others).max(8);
    let names: Vec<String> = bars
        .iter()
        .map(|(name, _)| lines::cut_name(name, most))
        .collect();
    let widest = names.iter().map(|name| name.chars().count()).max();
    (names, widest.unwrap_or(0))
}

fn one_sided(bars: &[(String, f64)], most: f64, width: usize) -> String {
    let (names, name) = beside(bars, width, 14 + 8);
    let room = width.saturating_sub(name + 14).clamp(8, 60) as f64;
    let mut out = String::new();
    for ((_, share), text) in bars.iter().zip(&names) {
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
    let (names, name) = beside(bars, width, 14 + 8);
    let half = (width.saturating_sub(name + 14) / 2).clamp(4, 30);
    let largest = bars.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
    let mut out = String::new();
    for ((_, value), text) in bars.iter().zip(&names) {
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

/// Points, the letters of their classes, and columns if there are any.
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
    let named = scores.rows.names.filter(|_| rows.len() <= NAMED);
    for &i in &rows {
        let group = grouped.of_row[i];
        match (grouped.has_classes(), named) {
            (true, _) => {
                chart.mark(scores.x[i], scores.y[i], letters[group], Some(color(group)));
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
        out += &legend(&grouped, &letters, width);
    }
    out
}

/// Rows on a number line, and the legend of their classes.
fn on_a_line(scores: &Scores<'_>, width: usize) -> String {
    let rows = Cloud::drawn(scores.x, scores.y);
    let coloring = match scores.coloring {
        Coloring::Values { .. } => Coloring::None,
        other => other,
    };
    let scores = Scores {
        coloring,
        ..*scores
    };
    let grouped = scores.grouped();
    let title = scores.x_axis.title();
    let line = scores.line(&rows, &grouped, &title);
    let mut out = line::draw(&line, width);
    let n = scores.x.len().min(scores.y.len());
    out.extend(left_out(n - rows.len()).map(|words| format!(" {words}\n")));
    if grouped.has_classes() && line.names.is_some() {
        out += &legend(&grouped, &letters(&grouped), width);
    }
    out
}

/// The letters of the classes with their numbers of rows, in as many lines as necessary.
fn legend(grouped: &Grouped, letters: &[char], width: usize) -> String {
    let entry = |(g, group): (usize, &Group)| {
        let letter = letters[g].to_string();
        let count = format!(" ({})", eigenspan::error::grouped(group.count as u64));
        let name = match letter == group.name {
            true => String::new(),
            false => {
                let room = width.saturating_sub(6 + count.chars().count());
                format!(" {}", lines::cut_name(&group.name, room.max(4)))
            }
        };
        format!("\x1b[{}m{letter}\x1b[0m{name}{count}", color(g))
    };
    let head = lines::cut(&grouped.name, width.saturating_sub(4).max(4));
    let entries = grouped.groups.iter().enumerate().map(entry);
    let entries: Vec<String> = std::iter::once(format!("{head}:")).chain(entries).collect();
    lines::flow(&entries, 3, width)
}

/// A letter per class: its own first letter or digit if no other class has it, else A, B, C, …
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
