//! A number line in the terminal: names above it, or values stacked on it, class by class.

use super::super::coloring::Grouped;
use super::super::line::{NumberLine, from_the_middle};
use super::super::scale::Scale;
use super::chart::{lower_axis, place};
use super::lines::{cut, cut_name};
use super::{color, letters};

/// A character and its color.
type Cell = (char, Option<u8>);

/// At most this many levels of names.
const LEVELS: usize = 24;
/// The height of stacks, in lines, if rows are not compared.
const HIGH: usize = 8;
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the line for a terminal of this width.
pub(super) fn draw(line: &NumberLine<'_>, width: usize) -> String {
    match &line.names {
        Some(names) => named(line, names, width),
        None => piled(line, width),
    }
}

/// Names on levels above the line: each on the lowest level where it touches neither a name nor the stroke of another.
fn named(line: &NumberLine<'_>, names: &[String], width: usize) -> String {
    let n_cols = width.saturating_sub(3).clamp(20, 96);
    let mut levels: Vec<Vec<Cell>> = Vec::new();
    let blank = vec![(' ', None); n_cols];
    let mut unnamed = 0;
    let order = line.order();
    let order: Vec<usize> = order
        .into_iter()
        .filter(|&i| place(line.values[i], line.span, n_cols).is_some())
        .collect();
    let at = |i: usize| place(line.values[i], line.span, n_cols).unwrap_or(0);
    let marks: Vec<f64> = order.iter().map(|&i| at(i) as f64).collect();
    for next in from_the_middle(&marks, n_cols as f64 / 2.0) {
        let (i, x) = (order[next], at(order[next]));
        let right = x > n_cols / 2;
        let name: Vec<char> = cut_name(names.get(i).map_or("", String::as_str), 24)
            .chars()
            .take(if right { x } else { n_cols - x - 1 })
            .collect();
        let start = if right { x - name.len() } else { x + 1 };
        let free = |level: usize, levels: &[Vec<Cell>]| {
            let room = |cells: &[Cell]| cells.iter().all(|(c, _)| *c == ' ');
            let (from, to) = (start.min(x), (start + name.len()).max(x + 1));
            let wide = from.saturating_sub(1)..(to + 1).min(n_cols);
            let below = levels.iter().take(level);
            below.into_iter().all(|cells| room(&cells[x..=x]))
                && levels.get(level).is_none_or(|cells| room(&cells[wide]))
        };
        let Some(level) = (0..LEVELS).find(|level| free(*level, &levels)) else {
            unnamed += 1;
            continue;
        };
        while levels.len() <= level {
            levels.push(blank.clone());
        }
        for cells in levels.iter_mut().take(level) {
            cells[x] = ('│', None);
        }
        levels[level][x] = (if right { '╮' } else { '╭' }, None);
        for (cell, letter) in levels[level][start..].iter_mut().zip(&name) {
            *cell = (*letter, None);
        }
    }
    let mut foot: Vec<Cell> = vec![('─', None); n_cols];
    let marks = letters(line.grouped);
    for &i in &order {
        if let Some(x) = place(line.values[i], line.span, n_cols) {
            let group = line.grouped.of_row.get(i).copied().unwrap_or(0);
            foot[x] = match line.grouped.has_classes() {
                true => (marks[group], Some(color(group))),
                false => ('●', Some(34)),
            };
        }
    }
    let mut out: String = levels.iter().rev().map(|cells| row(cells, "")).collect();
    out += &row(&foot, "");
    out += &numbers(line, n_cols, 1, width);
    if unnamed > 0 {
        out += &format!(" {unnamed} names found no room\n");
    }
    out
}

fn row(cells: &[Cell], before: &str) -> String {
    let mut text = String::new();
    for (mark, color) in cells {
        match color {
            Some(color) => text += &format!("\x1b[{color}m{mark}\x1b[0m"),
            None => text.push(*mark),
        }
    }
    format!(" {before}{}\n", text.trim_end())
}

/// The tick labels below a line that begins at a column.
fn numbers(line: &NumberLine<'_>, n_cols: usize, pad: usize, width: usize) -> String {
    let below = lower_axis(n_cols, (line.span, Scale::Even), pad);
    let title = cut(line.title, width.saturating_sub(pad + 1));
    format!("{below}\n{}{title}\n", " ".repeat(pad))
}

/// How many values fall into each column: one line per class, or a taller picture if rows are not compared.
fn piled(line: &NumberLine<'_>, width: usize) -> String {
    let grouped: &Grouped = line.grouped;
    let lanes = match grouped.has_classes() {
        true => grouped.groups.len(),
        false => 0,
    };
    let heads: Vec<String> = grouped
        .groups
        .iter()
        .take(lanes)
        .map(|group| {
            let count = format!(" ({})", eigenspan::error::grouped(group.count as u64));
            cut_name(&group.name, (width / 3).saturating_sub(count.len())) + &count
        })
        .collect();
    let head = heads.iter().map(|h| super::lines::columns(h)).max();
    let head = head.map_or(0, |head| head + 1);
    let n_cols = width.saturating_sub(head + 3).clamp(20, 96);
    let mut counts = vec![vec![0usize; n_cols]; lanes.max(1)];
    for i in line.order() {
        if let Some(x) = place(line.values[i], line.span, n_cols) {
            let lane = if lanes > 0 { grouped.of_row[i] } else { 0 };
            counts[lane][x] += 1;
        }
    }
    let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    let high = if lanes > 0 { 1 } else { HIGH };
    let mut out = String::new();
    for (lane, counts) in counts.iter().enumerate() {
        let ink = if lanes > 0 { color(lane) } else { 34 };
        for level in (0..high).rev() {
            let cell = |count: &usize| {
                let eighths = (count * 8 * high).div_ceil(most);
                let mark = EIGHTHS[eighths.saturating_sub(8 * level).min(8)];
                (mark, (mark != ' ').then_some(ink))
            };
            let cells: Vec<Cell> = counts.iter().map(cell).collect();
            let name = heads.get(lane).map_or("", String::as_str);
            let gap = " ".repeat(head.saturating_sub(super::lines::columns(name)));
            out += &row(&cells, &format!("{name}{gap}"));
        }
    }
    let most = eigenspan::error::grouped(most as u64);
    out + &numbers(line, n_cols, head + 1, width)
        + &format!(" heights are numbers of rows, the highest {most}\n")
}
