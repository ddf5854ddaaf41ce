//! The parts of the page and their pieces: paragraphs, figures with their buttons, the map of scores, commands.

use eigenspan::error::{counted, grouped};

use super::escape::{self, escape, name};
use super::points::{Packed, Points};
use super::{Block, CellKind, Column, Data, Figure, Section, table};
use crate::analysis::Values;
use crate::words::{percent, short};

/// What all pieces of a page need.
pub(super) struct Setting<'p> {
    pub(super) points: Option<&'p Points>,
    pub(super) packed: Option<&'p Packed>,
}

/// A part, with its number on the page.
pub(super) fn section(section: &Section, number: usize, set: &Setting) -> String {
    let (id, heading) = (section.topic.id(), section.topic.heading());
    let mut out = format!(
        "<section id=\"{id}\" tabindex=\"-1\">\n<h2><span class=\"number\">{number}</span> {heading}</h2>\n"
    );
    if !section.answer.is_empty() {
        out += &format!("<p class=\"answer\">{}</p>\n", section.answer.html());
    }
    for block in &section.blocks {
        out += &self::block(block, set);
    }
    if let Some(how) = &section.how_to_read {
        out += &format!(
            "<details class=\"how\"><summary>How to read this</summary><p>{}</p></details>\n",
            how.html()
        );
    }
    out + "</section>\n"
}

/// The figures of a part, in their order.
pub(super) fn figures(section: &Section) -> Vec<&Figure> {
    let mut found = Vec::new();
    for block in &section.blocks {
        match block {
            Block::Figure(figure) | Block::Scores(figure) => found.push(figure),
            Block::Figures(figures) => found.extend(figures),
            _ => {}
        }
    }
    found
}

fn block(block: &Block, set: &Setting) -> String {
    match block {
        Block::Text(text) => format!("<p>{}</p>\n", text.html()),
        Block::Note(text) => format!("<p class=\"note\" role=\"note\">{}</p>\n", text.html()),
        Block::Figure(figure) => self::figure(figure, "", "", set),
        Block::Figures(figures) => {
            let all: String = figures.iter().map(|f| figure(f, "", "", set)).collect();
            format!("<div class=\"pair\">\n{all}</div>\n")
        }
        Block::Scores(figure) => scores(figure, set),
        Block::Table(table) => table::html(table),
        Block::List(items) => list(items),
        Block::Code(command) => code(command),
    }
}

fn list(items: &[(String, super::Prose)]) -> String {
    let items: String = items
        .iter()
        .map(|(label, value)| {
            format!(
                "<div><dt>{}</dt><dd>{}</dd></div>\n",
                name(label),
                value.html()
            )
        })
        .collect();
    format!("<dl class=\"list\">\n{items}</dl>\n")
}

fn code(command: &str) -> String {
    format!(
        "<div class=\"command\"><pre><code>{}</code></pre>\
         <button type=\"button\" class=\"js-only\" data-copy>Copy</button></div>\n",
        escape(command)
    )
}

/// A figure: the drawing, the text below it, its caption, its buttons, and its data as a table.
fn figure(figure: &Figure, class: &str, below: &str, set: &Setting) -> String {
    let Figure {
        id,
        svg,
        caption,
        data,
    } = figure;
    let id = escape(id);
    // A file begins with an XML declaration, which is not allowed inside a page.
    let svg = svg.find("<svg").map_or("", |start| &svg[start..]);
    let saves: String = ["svg", "png", "csv"]
        .map(|kind| {
            let upper = kind.to_uppercase();
            format!("<button type=\"button\" data-save=\"{kind}\">Save {upper}</button>")
        })
        .concat();
    let table = match data {
        Data::Csv(csv) => table::from_csv(csv),
        Data::Points => set.points.map_or_else(String::new, first_points),
    };
    format!(
        "<figure id=\"figure-{id}\" data-name=\"{id}\"{class}>\n<div class=\"drawing\">{svg}</div>\n{below}\
         <figcaption><p>{}</p>\n<div class=\"tools\"><div class=\"saves js-only\">{saves}</div>\n\
         <details class=\"data\"><summary>Show as table</summary>\n\
         <div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"data of {id}\">{table}</div></details></div>\
         </figcaption>\n</figure>\n",
        caption.html(),
    )
}

/// The table below the map lists at most this many points.
const LISTED: usize = 20;

/// The first points as a table: the first axes, T² and Q.
fn first_points(points: &Points) -> String {
    let axes = points.axes.iter().take(4);
    let scores = axes.map(|axis| (axis.name.as_str(), axis.scores.as_slice()));
    let extra = [("T²", &points.t2), ("Q", &points.q)];
    let extra = extra
        .into_iter()
        .filter_map(|(name, values)| values.as_deref().map(|values| (name, values)));
    let numbers: Vec<(&str, &[f64])> = scores.chain(extra).collect();
    let column = |name: &str, kind: CellKind| Column {
        name: name.to_owned(),
        kind,
    };
    let mut columns = vec![column("row", CellKind::Text)];
    columns.extend(
        numbers
            .iter()
            .map(|(name, _)| column(name, CellKind::Number)),
    );
    let n_listed = points.n_rows().min(LISTED);
    let rows: Vec<Vec<String>> = (0..n_listed)
        .map(|row| {
            let cells = numbers.iter().map(|(_, values)| {
                let value = values.get(row).filter(|x| x.is_finite());
                value.map_or(String::new(), |&x| short(x))
            });
            std::iter::once(points.row_name(row)).chain(cells).collect()
        })
        .collect();
    table::first(&columns, &rows, points.n_rows() - n_listed)
}

/// The map of scores: controls above the drawing, the selected row below it.
fn scores(figure: &Figure, set: &Setting) -> String {
    let (Some(points), Some(packed)) = (set.points, set.packed) else {
        return self::figure(figure, "", "", set);
    };
    controls(points, packed) + &self::figure(figure, " data-map", &selection(points, packed), set)
}

fn controls(points: &Points, packed: &Packed) -> String {
    let axis = |start: usize| -> String {
        let options = points.axes.iter().take(packed.n_axes).enumerate();
        options
            .map(|(i, axis)| {
                let share = axis
                    .share
                    .map_or(String::new(), |share| format!(" ({})", percent(share)));
                let selected = if i == start { " selected" } else { "" };
                format!(
                    "<option value=\"{i}\"{selected}>{}{share}</option>",
                    escape::label(&axis.name)
                )
            })
            .collect()
    };
    let colors: String = points
        .colors
        .iter()
        .take(packed.n_colors)
        .enumerate()
        .map(|(i, color)| {
            // Coloring by group is useful at once; coloring by number only if the reader chooses it.
            let groups = matches!(color.values, Values::Levels { .. });
            let selected = if i == 0 && groups { " selected" } else { "" };
            format!(
                "<option value=\"{i}\"{selected}>{}</option>",
                escape::label(&color.name)
            )
        })
        .collect();
    let range = |id: &str, label: &str| {
        format!(
            "<label for=\"{id}\">{label}</label><input id=\"{id}\" type=\"number\" step=\"any\">"
        )
    };
    format!(
        "<div class=\"controls js-only\">\n\
         <span><label for=\"map-x\">Across</label><select id=\"map-x\">{}</select></span>\n\
         <span><label for=\"map-y\">Up</label><select id=\"map-y\">{}</select></span>\n\
         <span><label for=\"map-color\">Color</label><select id=\"map-color\"><option value=\"\">none</option>{colors}</select></span>\n\
         <details class=\"range\"><summary>Select by range</summary><form id=\"map-range\">\
         <span>{}{}</span><span>{}{}</span><button type=\"submit\">Select</button></form></details>\n</div>\n",
        axis(0),
        axis(1),
        range("map-x0", "across, from"),
        range("map-x1", "to"),
        range("map-y0", "up, from"),
        range("map-y1", "to"),
    )
}

fn selection(points: &Points, packed: &Packed) -> String {
    let mut said = Vec::new();
    if points.n_rows() < points.n_total {
        let how = points
            .sampling
            .as_deref()
            .map_or(String::new(), |how| format!(" ({})", escape(how)));
        said.push(format!(
            "Showing {} of {}{how}.",
            grouped(points.n_rows() as u64),
            counted(points.n_total, "row")
        ));
    }
    let left_out = [
        (points.axes.len() - packed.n_axes, "axis is", "axes are"),
        (
            points.colors.len() - packed.n_colors,
            "column to color by is",
            "columns to color by are",
        ),
    ];
    for (count, one, many) in left_out {
        match count {
            0 => {}
            1 => said.push(format!("1 more {one} left out to keep this file small.")),
            _ => said.push(format!(
                "{count} more {many} left out to keep this file small."
            )),
        }
    }
    if packed.shortened {
        said.push("Row names are cut short.".to_owned());
    }
    let said = match said.is_empty() {
        true => String::new(),
        false => format!("<p class=\"sampled\">{}</p>\n", said.join(" ")),
    };
    format!(
        "{said}<p class=\"hint js-only\" id=\"map-keys\">Point at a row to see it, drag a box to list rows. With the keyboard: \
         ← → and ↑ ↓ go from row to row, Enter lists the row, Escape clears.</p>\n\
         <p class=\"status js-only\" role=\"status\" id=\"map-status\"></p>\n<div id=\"map-selection\" class=\"js-only\" hidden></div>\n"
    )
}
