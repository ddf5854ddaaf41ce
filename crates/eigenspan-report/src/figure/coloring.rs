//! What points are colored by: classes with color, shape and count, or numbers with a color bar; and their legend.

use std::collections::HashMap;

use eigenspan::error::grouped;

use super::axis;
use super::measure;
use super::palette::{self, MOST_CLASSES, class_ink, class_shape};
use super::scene::{Area, Cells, Ink, Item, Marks, Scene, Shape, Style, Text};

/// What points are colored by.
#[derive(Debug, Clone, Copy, Default)]
pub enum Coloring<'a> {
    /// Nothing.
    #[default]
    None,
    /// The classes of a column.
    Classes {
        /// The column.
        name: &'a str,
        /// The class of each row.
        classes: &'a [String],
    },
    /// The numbers of a column.
    Values {
        /// The column.
        name: &'a str,
        /// The number of each row; what is not finite is drawn gray.
        values: &'a [f64],
    },
}

/// A class as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name, or `other (7 classes)`.
    pub name: String,
    /// Rows in it.
    pub count: usize,
    /// Its color.
    pub ink: Ink,
    /// Its shape.
    pub shape: Shape,
}

/// Points sorted into what they look like.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// The column that says it.
    pub name: String,
    /// The looks there are; one where nothing is compared.
    pub groups: Vec<Group>,
    /// The look of each row.
    pub of_row: Vec<usize>,
    /// The least and the greatest number, where color stands for numbers.
    pub scale: Option<(f64, f64)>,
}

const SIZE: f64 = 12.5;
const LINE: f64 = 19.0;
const WIDEST: f64 = 190.0;

impl Coloring<'_> {
    /// Sorts the rows; `drawn` says which of them have a place.
    pub fn group(&self, n_rows: usize, drawn: impl Fn(usize) -> bool) -> Grouped {
        match self {
            Coloring::None => Grouped {
                name: String::new(),
                groups: vec![plain((0..n_rows).filter(|&i| drawn(i)).count())],
                of_row: vec![0; n_rows],
                scale: None,
            },
            Coloring::Classes { name, classes } => by_class(name, classes, n_rows, drawn),
            Coloring::Values { name, values } => by_value(name, values, n_rows, drawn),
        }
    }
}

fn plain(count: usize) -> Group {
    Group {
        name: String::new(),
        count,
        ink: palette::BLUE,
        shape: Shape::Circle,
    }
}

fn by_class(
    name: &str,
    classes: &[String],
    n_rows: usize,
    drawn: impl Fn(usize) -> bool,
) -> Grouped {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (i, class) in classes.iter().enumerate().take(n_rows) {
        *counts.entry(class).or_default() += usize::from(drawn(i));
    }
    let mut order: Vec<(&str, usize)> = counts.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let n_classes = order.len();
    let folded = n_classes > MOST_CLASSES;
    if folded {
        order.truncate(MOST_CLASSES - 1);
    }
    order.sort_by_key(|(class, _)| natural(class));
    let mut groups: Vec<Group> = order
        .iter()
        .enumerate()
        .map(|(i, (class, count))| Group {
            name: measure::label(class),
            count: *count,
            ink: class_ink(i),
            shape: class_shape(i),
        })
        .collect();
    let places: HashMap<&str, usize> = order
        .iter()
        .enumerate()
        .map(|(i, (class, _))| (*class, i))
        .collect();
    let other = groups.len();
    let of_row: Vec<usize> = (0..n_rows)
        .map(|i| {
            let class = classes.get(i).map_or("", String::as_str);
            places.get(class).copied().unwrap_or(other)
        })
        .collect();
    if of_row.contains(&other) {
        let name = match n_classes.saturating_sub(other) {
            0 => "none".to_owned(),
            1 => "other (1 class)".to_owned(),
            rest => format!("other ({rest} classes)"),
        };
        groups.push(Group {
            name,
            count: (0..n_rows)
                .filter(|&i| of_row[i] == other && drawn(i))
                .count(),
            ink: Ink::Other,
            shape: Shape::Circle,
        });
    }
    Grouped {
        name: measure::label(name),
        groups,
        of_row,
        scale: None,
    }
}

/// Numbers by their size, texts by their letters, texts that end in a whole number by both.
fn natural(name: &str) -> (u8, String, i64, String) {
    let number = name.trim().parse::<f64>().ok();
    if let Some(x) = number.filter(|x| x.is_finite()) {
        return (0, String::new(), (x * 1e6) as i64, name.to_owned());
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[stem.len()..].parse().unwrap_or(0);
    (1, stem.to_lowercase(), number, name.to_owned())
}

fn by_value(name: &str, values: &[f64], n_rows: usize, drawn: impl Fn(usize) -> bool) -> Grouped {
    let value = |i: usize| values.get(i).copied().unwrap_or(f64::NAN);
    let seen = (0..n_rows).filter(|&i| drawn(i)).map(value);
    let scale = axis::span(seen, 0.0);
    let steps = usize::from(palette::SEQUENTIAL);
    let mut groups: Vec<Group> = (0..steps)
        .map(|step| Group {
            ink: Ink::Sequential(step as u8),
            ..plain(0)
        })
        .collect();
    groups.push(Group {
        ink: Ink::Other,
        ..plain(0)
    });
    let of_row: Vec<usize> = (0..n_rows)
        .map(
            |i| match palette::sequential((value(i) - scale.0) / (scale.1 - scale.0)) {
                Ink::Sequential(step) if value(i).is_finite() => usize::from(step),
                _ => steps,
            },
        )
        .collect();
    for i in (0..n_rows).filter(|&i| drawn(i)) {
        groups[of_row[i]].count += 1;
    }
    Grouped {
        name: measure::label(name),
        groups,
        of_row,
        scale: Some(scale),
    }
}

impl Grouped {
    /// Whether classes are told apart.
    pub fn has_classes(&self) -> bool {
        self.scale.is_none() && !self.name.is_empty()
    }

    /// Width of the legend; nothing where nothing is compared.
    pub fn legend_width(&self) -> f64 {
        if self.name.is_empty() {
            return 0.0;
        }
        let head = measure::width(&self.name, SIZE, true);
        if let Some(scale) = self.scale {
            let ticks = axis::ticks(scale, 5);
            let widest = ticks.iter().map(|(_, t)| measure::width(t, 12.0, false));
            return head.max(30.0 + widest.fold(0.0, f64::max)).min(WIDEST);
        }
        let entry = |g: &Group| 18.0 + measure::width(&entry(g), SIZE, false);
        self.groups
            .iter()
            .map(entry)
            .fold(head, f64::max)
            .min(WIDEST)
    }

    /// Height of the legend at its usual size.
    pub fn legend_height(&self) -> f64 {
        let lines = if self.scale.is_some() {
            8
        } else {
            self.groups.len()
        };
        LINE * (lines as f64 + 1.0) + 6.0
    }

    /// Draws the legend with its upper left corner here.
    pub fn draw_legend(&self, scene: &mut Scene, left: f64, top: f64, height: f64) {
        if self.name.is_empty() {
            return;
        }
        let head = measure::fit(&self.name, WIDEST, SIZE, true);
        scene.text(Text::new(left, top + SIZE, head, SIZE).bold());
        if let Some(scale) = self.scale {
            return self.draw_bar(scene, left, top + LINE + 6.0, height - LINE - 20.0, scale);
        }
        let line = LINE.min((height - LINE) / self.groups.len().max(1) as f64);
        let size = SIZE.min(0.86 * line);
        for (i, group) in self.groups.iter().enumerate() {
            let y = top + LINE + 6.0 + line * (i as f64 + 0.5);
            scene.items.push(Item::Marks(Marks {
                points: vec![(left + 6.0, y)],
                shape: group.shape,
                radius: 5.0f64.min(0.4 * line),
                style: Style::fill(group.ink),
            }));
            let text = entry_within(group, WIDEST - 18.0, size);
            scene.text(Text::new(left + 18.0, y + 0.36 * size, text, size));
        }
    }

    fn draw_bar(&self, scene: &mut Scene, left: f64, top: f64, height: f64, scale: (f64, f64)) {
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
}

fn entry(group: &Group) -> String {
    format!("{} ({})", group.name, grouped(group.count as u64))
}

/// A class and its count, the name cut so that the count is seen.
fn entry_within(group: &Group, most: f64, size: f64) -> String {
    let count = format!(" ({})", grouped(group.count as u64));
    let room = most - measure::width(&count, size, false);
    measure::fit_name(&group.name, room, size) + &count
}
