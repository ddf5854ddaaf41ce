//! Tables of the page, and comma-separated text shown as a table.

use eigenspan::error::grouped;

use super::Prose;
use super::escape::{escape, name};
use crate::words::short;

/// A table. Without a script, all of it is visible; with the script, it can be sorted, and shows its first rows until the reader wants all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The caption.
    pub caption: Prose,
    /// Its columns from left to right.
    pub columns: Vec<Column>,
    /// Its cells as text; a row may have fewer cells than there are columns.
    pub rows: Vec<Vec<String>>,
    /// Whether a click on a heading sorts by that column.
    pub sortable: bool,
    /// The number of rows shown before the reader clicks "show all".
    pub shown_rows: usize,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// How its cells are aligned.
    pub kind: CellKind,
}

/// How cells are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Numbers, aligned to the right.
    Number,
    /// Text, aligned to the left.
    Text,
}

/// The page shows at most this many rows of a figure's data; the file to save has all rows.
const LISTED: usize = 50;

/// Numbers of a figure's data that are longer than this are shown with four digits.
const DIGITS: usize = 7;

/// The table; it scrolls sideways if the screen is narrow.
pub(super) fn html(table: &Table) -> String {
    let mut attributes = format!(" data-shown=\"{}\"", table.shown_rows);
    if table.sortable {
        attributes += " data-sortable";
    }
    let caption = match table.caption.is_empty() {
        true => String::new(),
        false => format!("<caption>{}</caption>", table.caption.html()),
    };
    let label = escape(&match table.caption.plain() {
        empty if empty.is_empty() => "table".to_owned(),
        said => said,
    });
    format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">\
         <table{attributes}>{caption}{}{}</table></div>\n",
        head(&table.columns),
        body(&table.columns, &table.rows)
    )
}

/// Comma-separated text as a table: its first lines, and how many lines there are.
pub(super) fn from_csv(csv: &str) -> String {
    let mut records = records(csv).into_iter();
    let header = records.next().unwrap_or_default();
    let rows: Vec<Vec<String>> = records.collect();
    let is_number = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let mut filled = cells.filter(|cell| !cell.is_empty()).peekable();
        filled.peek().is_some() && filled.all(|cell| cell.parse::<f64>().is_ok())
    };
    let columns: Vec<Column> = header
        .into_iter()
        .enumerate()
        .map(|(i, name)| Column {
            name,
            kind: if is_number(i) {
                CellKind::Number
            } else {
                CellKind::Text
            },
        })
        .collect();
    let mut listed: Vec<Vec<String>> = rows.iter().take(LISTED).cloned().collect();
    for (column, cell) in listed.iter_mut().flat_map(|row| columns.iter().zip(row)) {
        if column.kind == CellKind::Number && cell.len() > DIGITS {
            *cell = cell.parse().map_or(cell.clone(), short);
        }
    }
    first(&columns, &listed, rows.len() - listed.len())
}

/// The first rows of a table, and how many more rows there are.
pub(super) fn first(columns: &[Column], rows: &[Vec<String>], more: usize) -> String {
    let more = match more {
        0 => String::new(),
        more => format!(
            "<p class=\"more\">and {} more rows in the CSV.</p>",
            grouped(more as u64)
        ),
    };
    format!(
        "<table>{}{}</table>{more}",
        head(columns),
        body(columns, rows)
    )
}

fn head(columns: &[Column]) -> String {
    let cells: String = columns
        .iter()
        .map(|column| {
            format!(
                "<th scope=\"col\"{}>{}</th>",
                class(column.kind),
                name(&column.name)
            )
        })
        .collect();
    format!("<thead><tr>{cells}</tr></thead>")
}

fn body(columns: &[Column], rows: &[Vec<String>]) -> String {
    let row = |cells: &Vec<String>| {
        let cells: String = columns
            .iter()
            .enumerate()
            .map(|(i, column)| {
                let text = cells.get(i).map_or("", String::as_str);
                match column.kind {
                    CellKind::Number => format!("<td class=\"n\">{}</td>", escape(text)),
                    CellKind::Text => format!("<td>{}</td>", name(text)),
                }
            })
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    format!(
        "<tbody>{}</tbody>",
        rows.iter().map(row).collect::<String>()
    )
}

fn class(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Number => " class=\"n\"",
        CellKind::Text => "",
    }
}

/// The records of comma-separated text by RFC 4180: cells in quotes may hold commas, line breaks and doubled quotes.
fn records(csv: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !record.is_empty() {
        record.push(cell);
        records.push(record);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_cells_hold_commas_breaks_and_quotes() {
        let expected = [["a", "b"], ["1,5", "x\n\"y\""], ["", "z"]];
        assert_eq!(records("a,b\r\n\"1,5\",\"x\n\"\"y\"\"\"\n,z"), expected);
    }

    #[test]
    fn columns_of_numbers_stand_to_the_right() {
        let html = from_csv("name,share\nPC1,0.5\nPC2,\n");
        assert!(html.contains("<th scope=\"col\"><bdi>name"), "{html}");
        assert!(html.contains("<td class=\"n\">0.5</td>"), "{html}");
        assert!(!html.contains("more rows"), "{html}");
    }

    #[test]
    fn numbers_are_shown_to_the_digits_that_can_be_read() {
        let html = from_csv("a,b\n0.9246187232017271,12345.678901 kg\n-1200,x\n");
        assert!(
            html.contains(">0.9246<") && html.contains(">-1200<"),
            "{html}"
        );
        assert!(html.contains(">12345.678901 kg<"), "{html}");
    }

    #[test]
    fn a_long_table_says_how_much_is_left_out() {
        let csv = format!("x\n{}", "1\n".repeat(LISTED + 1234));
        let html = from_csv(&csv);
        assert_eq!(html.matches("<tr>").count(), 1 + LISTED);
        assert!(html.contains("and 1,234 more rows"), "{html}");
    }
}
