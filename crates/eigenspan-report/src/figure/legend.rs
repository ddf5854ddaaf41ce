//! The legend of a figure: at its right, or above it if the paper is narrow. Entries without room are counted.

use eigenspan::error::grouped;

use super::coloring::{Group, Grouped};
use super::scene::{Area, Cells, Ink, Item, Marks, Scene, Style, Text};
use super::{Size, axis, measure, palette};

const SIZE: f64 = 12.5;
const LINE: f64 = 19.0;
/// The largest width of a legend at the right.
const WIDEST: f64 = 190.0;
/// The distance from the left edge of a mark to its name.
const MARK: f64 = 18.0;
/// Lines closer than this are not readable.
const CLOSEST: f64 = 12.5;
/// Narrower paper than this has no room for a legend at the right.
const NARROW: f64 = 560.0;
/// The margin of a legend above the figure.
const EDGE: f64 = 16.0;

/// A legend with its position.
#[derive(Debug)]
pub struct Legend<'a> {
    of: &'a Grouped,
    /// Entries above the figure, line by line, each with its x position and its text; `None` if the legend is at the right.
    above: Option<Vec<Vec<Entry>>>,
    width: f64,
}

/// An entry: its class, or `None` for text alone.
#[derive(Debug, Clone)]
struct Entry {
    left: f64,
    group: Option<usize>,
    text: String,
    bold: bool,
}

impl Grouped {
    /// The legend of a figure of this size.
    pub fn legend(&self, size: Size) -> Legend<'_> {
        match size.width < NARROW {
            true => self.legend_above(size),
            false => Legend {
                of: self,
                above: None,
                width: self.beside(),
            },
        }
    }

    /// The legend above a figure, whatever its width; a color scale is always at the right.
    pub(super) fn legend_above(&self, size: Size) -> Legend<'_> {
        Legend {
            of: self,
            above: self.has_classes().then(|| wrapped(self, size)),
            width: self.beside(),
        }
    }

    /// The width of a legend at the right; 0 if there is nothing to explain.
    fn beside(&self) -> f64 {
        if self.name.is_empty() {
            return 0.0;
        }
        let head = measure::width(&self.name, SIZE, true);
        if let Some(scale) = self.scale {
            let ticks = axis::ticks(scale, 5);
            let widest = ticks.iter().map(|(_, t)| measure::width(t, 12.0, false));
            return head.max(30.0 + widest.fold(0.0, f64::max)).min(WIDEST);
        }
        let entry = |g: &Group| MARK + measure::width(&entry(g), SIZE, false);
        self.groups
            .iter()
            .map(entry)
            .fold(head, f64::max)
            .min(WIDEST)
    }
}

impl Legend<'_> {
    /// The room for a legend at the right.
    pub fn right(&self) -> f64 {
        match self.above.is_none() && self.width > 0.0 {
            true => self.width + 34.0,
            false => 0.0,
        }
    }

    /// The room for a legend above.
    pub fn top(&self) -> f64 {
        self.above
            .as_ref()
            .map_or(0.0, |lines| LINE * lines.len() as f64 + 4.0)
    }

    /// The width of a legend at the right.
    pub(super) fn width(&self) -> f64 {
        match self.above {
            Some(_) => 0.0,
            None => self.width,
        }
    }

    /// The full height of a legend at the right.
    pub(super) fn height(&self) -> f64 {
        let lines = match self.of.scale {
            Some(_) => 8,
            None => self.of.groups.len(),
        };
        LINE * (lines as f64 + 1.0) + 6.0
    }

    /// Draws the legend, above or at the right.
    pub fn draw(&self, scene: &mut Scene, picture: Area) {
        match self.above {
            Some(_) => self.draw_above(scene),
            None => self.draw_beside(scene, picture.right() + 18.0, picture.top, picture.height),
        }
    }

    /// Draws a legend above the figure.
    pub(super) fn draw_above(&self, scene: &mut Scene) {
        for (i, line) in self.above.iter().flatten().enumerate() {
            let y = 4.0 + LINE * (i as f64 + 0.5);
            for entry in line {
                let group = entry.group.and_then(|g| self.of.groups.get(g));
                let left = match group {
                    Some(group) => {
                        mark(scene, group, entry.left, y, 5.0);
                        entry.left + MARK
                    }
                    None => entry.left,
                };
                let text = Text::new(left, y + 0.36 * SIZE, entry.text.as_str(), SIZE);
                scene.text(Text {
                    bold: entry.bold,
                    ..text
                });
            }
        }
    }

    /// Draws a legend whose upper left corner is here.
    pub(super) fn draw_beside(&self, scene: &mut Scene, left: f64, top: f64, height: f64) {
        let of = self.of;
        if of.name.is_empty() {
            return;
        }
        let head = measure::fit(&of.name, WIDEST, SIZE, true);
        scene.text(Text::new(left, top + SIZE, head, SIZE).bold());
        if let Some(scale) = of.scale {
            return draw_bar(scene, left, top + LINE + 6.0, height - LINE - 20.0, scale);
        }
        let n = of.groups.len();
        let room = ((height - LINE - 6.0) / CLOSEST).max(1.0) as usize;
        let named = if n > room { room.saturating_sub(1) } else { n };
        let lines = named + usize::from(named < n);
        let line = LINE.min((height - LINE - 6.0) / lines.max(1) as f64);
        let size = SIZE.min(0.86 * line);
        let place = |i: usize| top + LINE + 6.0 + line * (i as f64 + 0.5);
        for (i, group) in of.groups.iter().take(named).enumerate() {
            mark(scene, group, left, place(i), 5.0f64.min(0.4 * line));
            let text = entry_within(group, WIDEST - MARK, size);
            let y = place(i) + 0.36 * size;
            scene.text(Text::new(left + MARK, y, text, size));
        }
        if named < n {
            let y = place(named) + 0.36 * size;
            let text = format!("and {} more", n - named);
            scene.text(Text::new(left + MARK, y, text, size).ink(Ink::Muted));
        }
    }
}

fn mark(scene: &mut Scene, group: &Group, left: f64, y: f64, radius: f64) {
    scene.items.push(Item::Marks(Marks {
        points: vec![(left + 6.0, y)],
        shape: group.shape,
        radius,
        style: Style::fill(group.ink),
    }));
}

/// The entries in as many lines as the width requires, on at most two fifths of the height.
fn wrapped(of: &Grouped, size: Size) -> Vec<Vec<Entry>> {
    let most = (size.width - 2.0 * EDGE).max(60.0);
    let n_lines = (0.4 * size.height / LINE).max(1.0) as usize;
    let mut lines: Vec<Vec<Entry>> = vec![Vec::new()];
    let mut x = EDGE;
    let head = measure::fit(&of.name, most, SIZE, true);
    let head_width = measure::width(&head, SIZE, true);
    lines[0].push(Entry {
        left: x,
        group: None,
        text: head,
        bold: true,
    });
    x += head_width + 14.0;
    for (g, group) in of.groups.iter().enumerate() {
        let text = entry_within(group, most - MARK, SIZE);
        let wide = MARK + measure::width(&text, SIZE, false);
        let left = of.groups.len() - g;
        let rest = format!("and {left} more");
        let last = lines.len() >= n_lines;
        // The last line reserves room for the number of entries left out.
        let reserve = match last && left > 1 {
            true => 14.0 + measure::width(&rest, SIZE, false),
            false => 0.0,
        };
        if x > EDGE && x + wide + reserve > EDGE + most {
            if last {
                if let Some(line) = lines.last_mut() {
                    let rest = rest_of(line, left, (x, EDGE + most));
                    line.push(rest);
                }
                return lines;
            }
            lines.push(Vec::new());
            x = EDGE;
        }
        if let Some(line) = lines.last_mut() {
            line.push(Entry {
                left: x,
                group: Some(g),
                text,
                bold: false,
            });
        }
        x += wide + 14.0;
    }
    lines
}

/// Ends a line with the number of classes left out; removes entries if there is no room for it.
fn rest_of(line: &mut Vec<Entry>, left_out: usize, (mut x, end): (f64, f64)) -> Entry {
    let mut count = left_out;
    loop {
        let text = format!("and {count} more");
        let fits = x + measure::width(&text, SIZE, false) <= end;
        match line.last() {
            Some(entry) if !fits && entry.group.is_some() => {
                x = entry.left;
                count += 1;
                line.pop();
            }
            _ => {
                return Entry {
                    left: x,
                    group: None,
                    text,
                    bold: false,
                };
            }
        }
    }
}

fn draw_bar(scene: &mut Scene, left: f64, top: f64, height: f64, scale: (f64, f64)) {
    let area = Area {
        left,
        top,
        width: 14.0,
        height: height.clamp(20.0, 220.0),
    };
    let steps = palette::SEQUENTIAL;
    let inks = (0..steps).rev().map(|i| Some(Ink::Sequential(i))).collect();
    scene.items.push(Item::Cells(Cells {
        area,
        n_cols: 1,
        inks,
    }));
    for (value, text) in axis::ticks(scale, (area.height / 40.0).max(1.0) as usize) {
        let y = area.bottom() - (value - scale.0) / (scale.1 - scale.0) * area.height;
        scene.line(
            (left + 14.0, y),
            (left + 18.0, y),
            Style::stroke(Ink::Axis, 1.0),
        );
        let text = Text::new(left + 22.0, y + 4.3, text, 12.0);
        scene.text(text.ink(Ink::Muted));
    }
}

pub(super) fn entry(group: &Group) -> String {
    format!("{} ({})", group.name, grouped(group.count as u64))
}

/// A class and its count; the name is shortened so that the count stays visible.
pub(super) fn entry_within(group: &Group, most: f64, size: f64) -> String {
    let count = format!(" ({})", grouped(group.count as u64));
    let room = most - measure::width(&count, size, false);
    measure::fit_name(&group.name, room, size) + &count
}
