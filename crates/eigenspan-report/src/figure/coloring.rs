//! How points are colored: by class, with color, shape and count, or by number, with a color scale.

use std::collections::HashMap;

use super::axis;
use super::measure;
use super::palette::{self, MOST_CLASSES, class_ink, class_shape};
use super::scene::{Ink, Shape};
use crate::words::natural;

/// What points are colored by.
#[derive(Debug, Clone, Copy, Default)]
pub enum Coloring<'a> {
    /// All points look the same.
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
        /// The number of each row; a row without a finite number is gray.
        values: &'a [f64],
    },
}

/// A class as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name, or `other (7 classes)`.
    pub name: String,
    /// The number of its rows.
    pub count: usize,
    /// Its color.
    pub ink: Ink,
    /// Its shape.
    pub shape: Shape,
}

/// Rows sorted into groups that are drawn alike.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// The column that colors the rows.
    pub name: String,
    /// The groups; a single one if rows are not compared.
    pub groups: Vec<Group>,
    /// The group of each row.
    pub of_row: Vec<usize>,
    /// The minimum and the maximum, if color stands for numbers.
    pub scale: Option<(f64, f64)>,
}

impl Coloring<'_> {
    /// Sorts the rows into groups; `drawn` says which rows have a place.
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
    let class = |i: usize| classes.get(i).map_or("", |class| class.trim());
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for i in (0..n_rows).filter(|&i| !class(i).is_empty()) {
        *counts.entry(class(i)).or_default() += usize::from(drawn(i));
    }
    let mut order: Vec<(&str, usize)> = counts.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let n_classes = order.len();
    if n_classes > MOST_CLASSES {
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
    // After the classes: the group of excess classes, and rows without a class.
    let known = groups.len();
    let folded = n_classes - known;
    let none = known + usize::from(folded > 0);
    let of_row: Vec<usize> = (0..n_rows)
        .map(|i| match class(i) {
            "" => none,
            class => places.get(class).copied().unwrap_or(known),
        })
        .collect();
    let gray = |name: String, group: usize| Group {
        name,
        count: (0..n_rows)
            .filter(|&i| of_row[i] == group && drawn(i))
            .count(),
        ink: Ink::Other,
        shape: Shape::Circle,
    };
    match folded {
        0 => {}
        1 => groups.push(gray("other (1 class)".to_owned(), known)),
        rest => groups.push(gray(format!("other ({rest} classes)"), known)),
    }
    if of_row.contains(&none) {
        groups.push(gray("no value".to_owned(), none));
    }
    Grouped {
        name: measure::label(name),
        groups,
        of_row,
        scale: None,
    }
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
    /// Whether rows are distinguished by class.
    pub fn has_classes(&self) -> bool {
        self.scale.is_none() && !self.name.is_empty()
    }

    /// The number of classes with their own color and shape.
    pub fn n_classes(&self) -> usize {
        match self.has_classes() {
            true => self.groups.iter().filter(|g| g.ink != Ink::Other).count(),
            false => 0,
        }
    }

    /// A note that colors repeat, if they do.
    pub fn words(&self) -> Option<String> {
        palette::repeats(self.n_classes())
    }
}
