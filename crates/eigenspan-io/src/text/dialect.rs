//! How a text file is written, guessed from its first lines: delimiter, decimal mark, header.
//!
//! Each delimiter is tried on a sample. The one that yields most numbers wins; then the one under which most lines have
//! the same number of fields; then the rarer character, because commas turn up by accident.

use eigenspan::Note;
use eigenspan::note::Clause;

use super::cell::{Cell, CellRules};
use super::fields::{Delimiter, Field, Splitter};
use super::preface::{self, Comments, Preface};
use super::sample::{Line, Sample};
use super::shape::{Marks, Shape};
use crate::error::ReadError;
use crate::options::{Format, ReadOptions};

/// How a text file is written.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Delimiter,
    pub(crate) lone_cr: bool,
    pub(crate) decimal: u8,
    /// The names in the header; `None` if there is no header.
    pub(crate) header: Option<Vec<String>>,
    pub(crate) n_fields: usize,
    /// Where the rows begin, and on which line.
    pub(crate) body: usize,
    pub(crate) body_line: u64,
    /// Mean bytes of a line in the sample.
    pub(crate) line_bytes: usize,
    /// Which lines are comments; of the comments above the table, the line of the first and their number.
    pub(crate) comments: Comments,
    pub(crate) comments_above: Option<(u64, u64)>,
    pub(crate) notes: Vec<Note>,
}

/// Guesses what the options leave open.
pub(crate) fn guess(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dialect, ReadError> {
    let head = bytes.get(..bytes.len().min(1 << 20)).unwrap_or_default();
    let lone_cr = memchr::memchr(b'\r', head).is_some()
        && memchr::memchr(b'\n', head).is_none()
        && memchr::memchr(b'\n', bytes).is_none();
    let preface = preface::read(bytes, lone_cr);
    let sample = best_sample(bytes, &preface, lone_cr, options)?;
    if sample.lines.is_empty() {
        return Err(no_lines(file, &sample.split, &preface));
    }
    let decimal = match options.decimal {
        Some(mark) => decimal_mark(mark)?,
        None => guess_decimal(&sample),
    };
    let rules = CellRules::new(decimal, &options.missing_values);
    let mut notes = Vec::new();
    if let Some(mark) = preface.delimiter {
        let mark = Delimiter::Byte(mark).words();
        notes.push(Note::reading(format!(
            "line 1 names the delimiter, a {mark}, and is no part of the table"
        )));
    }
    if decimal == b',' && options.decimal.is_none() {
        notes.push(Note::reading(
            "numbers are written with decimal commas: 1,5 is one and a half",
        ));
    }
    let mut about_header = Vec::new();
    let guessed = guess_header(&sample, &rules, &mut about_header);
    let from_comment = names_in_comment(&sample, &preface, &rules)
        .filter(|_| !guessed && options.header != Some(false));
    let is_header = from_comment.is_none() && options.header.unwrap_or(guessed);
    match &from_comment {
        Some(_) => notes.push(Note::reading(format!(
            "line {} begins with # and names the columns: read as the header",
            preface.line - 1
        ))),
        None if options.header.is_none() => notes.append(&mut about_header),
        None => {}
    }
    if let Some(first) = sample.lines.first().filter(|line| is_header && line.torn) {
        return Err(ReadError::OpenQuote {
            file: file.to_owned(),
            line: first.number,
        });
    }
    let n_fields = width(file, &sample, is_header, &mut notes)?;
    let header = from_comment.or_else(|| is_header.then(|| header_names(&sample, n_fields)));
    let first = &sample.lines[0];
    let (body, body_line) = if is_header {
        let lines = 1 + first.fields.iter().map(|f| f.lines).sum::<u64>();
        (first.next, first.number + lines)
    } else {
        (preface.start, preface.line)
    };
    let comments_above = match (&header, is_header, preface.comments) {
        (Some(_), false, Some((line, count))) => (count > 1).then(|| (line, count - 1)),
        (_, _, comments) => comments,
    };
    let end = sample.lines.last().map_or(preface.start, |line| line.next);
    Ok(Dialect {
        delimiter: sample.split.delimiter,
        lone_cr,
        decimal,
        header,
        n_fields,
        body,
        body_line,
        line_bytes: ((end - preface.start) / sample.lines.len()).max(1),
        comments: sample.comments,
        comments_above,
        notes,
    })
}

/// The names in the first line.
fn header_names(sample: &Sample<'_>, n_fields: usize) -> Vec<String> {
    let mut names = sample
        .lines
        .first()
        .map_or(Vec::new(), |line| sample.names(line));
    if nameless_first_column(sample) {
        names.insert(0, String::new());
    }
    names.resize(n_fields, String::new());
    names
}

/// The names in the comment right above the table, if it has one for each column: `# a,b,c`, `#chrom start end`.
fn names_in_comment(
    sample: &Sample<'_>,
    preface: &Preface,
    rules: &CellRules,
) -> Option<Vec<String>> {
    let at = preface.last_comment?;
    let text = sample.split.bytes.get(at + 1..).unwrap_or_default();
    // `# a` holds the name a; `#a` is the name that some programs give to the first column.
    let blanks = text.iter().take_while(|b| **b == b' ').count();
    let start = if blanks > 0 { at + 1 + blanks } else { at };
    let line = Line::read(&sample.split, start, 0);
    let width = sample.lines.first()?.fields.len();
    let is_name = |field: &Field| {
        let cell = rules.cell(&sample.split.content(field));
        cell == Cell::Text
    };
    let named = line.fields.len() == width && width > 1 && line.fields.iter().all(is_name);
    named.then(|| sample.names(&line))
}

/// The error for a file with nothing but blank lines, or with a quote that swallows the first line.
fn no_lines(file: &str, split: &Splitter<'_>, preface: &Preface) -> ReadError {
    let (mut at, mut line) = (preface.start, preface.line);
    while at < split.bytes.len() {
        match split.blank_line(at) {
            Some(next) => at = next,
            None => {
                return ReadError::OpenQuote {
                    file: file.to_owned(),
                    line,
                };
            }
        }
        line += 1;
    }
    ReadError::Empty {
        file: file.to_owned(),
    }
}

fn best_sample<'a>(
    bytes: &'a [u8],
    preface: &Preface,
    lone_cr: bool,
    options: &ReadOptions,
) -> Result<Sample<'a>, ReadError> {
    let under = |delimiter| {
        let split = Splitter {
            bytes,
            delimiter,
            lone_cr,
            literal: false,
        };
        Sample::without_comments(split, preface)
    };
    let fixed = match (options.delimiter, options.format) {
        (Some(given), _) => Some(Delimiter::Byte(delimiter_byte(given)?)),
        _ if preface.delimiter.is_some() => preface.delimiter.map(Delimiter::Byte),
        (None, Some(Format::Tsv)) => Some(Delimiter::Byte(b'\t')),
        (None, Some(Format::Text)) => Some(Delimiter::Blanks),
        _ => None,
    };
    if let Some(delimiter) = fixed {
        return Ok(under(delimiter));
    }
    let candidates = [b'\t', b';', b'|', b','].map(Delimiter::Byte);
    let blanks = (options.format != Some(Format::Csv)).then_some(Delimiter::Blanks);
    let mut best: Option<(Sample<'a>, (usize, usize))> = None;
    for delimiter in candidates.into_iter().chain(blanks) {
        let sample = under(delimiter);
        let score = sample.score();
        // 1 234;5 678 has blanks inside cells; the header shows that.
        let known = best.as_ref().is_some_and(|(best, _)| best.is_even());
        if delimiter == Delimiter::Blanks && known && !sample.is_even() {
            continue;
        }
        if score.1 > 0 && best.as_ref().is_none_or(|(_, so_far)| score > *so_far) {
            best = Some((sample, score));
        }
    }
    // A file with one column shows no delimiter; assuming a comma does no harm.
    Ok(best.map_or_else(|| under(Delimiter::Byte(b',')), |(sample, _)| sample))
}

fn delimiter_byte(given: char) -> Result<u8, ReadError> {
    match u8::try_from(given) {
        Ok(byte)
            if byte.is_ascii()
                && !byte.is_ascii_alphanumeric()
                && !b"\"\n\r.+-".contains(&byte) =>
        {
            Ok(byte)
        }
        _ => Err(ReadError::BadOption {
            option: "delimiter",
            given: given.to_string(),
            allowed: "one character such as , ; | or a tab",
        }),
    }
}

fn decimal_mark(given: char) -> Result<u8, ReadError> {
    match given {
        '.' => Ok(b'.'),
        ',' => Ok(b','),
        _ => Err(ReadError::BadOption {
            option: "decimal",
            given: given.to_string(),
            allowed: "`.` or `,`",
        }),
    }
}

/// A comma, if cells look like `1,5` and none has a decimal point; `1,234` alone could be a thousand.
fn guess_decimal(sample: &Sample<'_>) -> u8 {
    let point = CellRules::new(b'.', &[]);
    let mut commas = 0;
    for field in sample.lines.iter().skip(1).flat_map(|line| &line.fields) {
        let content = sample.split.content(field);
        if content.contains(&b'.') && matches!(point.cell(&content), Cell::Number(_)) {
            return b'.';
        }
        if content.contains(&b',') {
            let shape = Shape::from_cell(&String::from_utf8_lossy(&content));
            let decimal = |marks| marks == Marks::Decimal(b',');
            commas += usize::from(
                matches!(shape, Shape::Number { marks, affix: None, .. } if decimal(marks)),
            );
        }
    }
    if commas > 0 { b',' } else { b'.' }
}

/// Whether the first line names the columns; adds a note if it could also be data.
fn guess_header(sample: &Sample<'_>, rules: &CellRules, notes: &mut Vec<Note>) -> bool {
    let is_number = |cell: &Cell| matches!(cell, Cell::Number(_) | Cell::LargeInteger(_));
    let first: Vec<Cell> = sample.cells(rules, 0).collect();
    let numbers = first.iter().filter(|cell| is_number(cell)).count();
    let written = (0..first.len()).filter(|&col| sample.is_like_below(col));
    let written = written.count();
    if numbers + written == 0 {
        return true;
    }
    // A text above a column of numbers is a name.
    let rows: Vec<Vec<Cell>> = (1..sample.lines.len())
        .map(|line| sample.cells(rules, line).collect())
        .collect();
    let above_numbers = |col: usize| {
        let below = || rows.iter().filter_map(|row| row.get(col));
        below().any(is_number) && !below().any(|cell| *cell == Cell::Text)
    };
    let text_columns: Vec<usize> = (0..first.len())
        .filter(|&c| first[c] == Cell::Text)
        .collect();
    if text_columns.iter().any(|&col| above_numbers(col)) {
        return true;
    }
    let line = sample.lines[0].number;
    if counts_or_years(&first, &rows) {
        notes.push(Note::advised(
            format!("line {line} holds years or a count, so it was read as the header"),
            Clause::set("header", "false").then(" reads it as data"),
        ));
        return true;
    }
    notes.push(Note::advised(
        format!("line {line} holds numbers, so it was read as data, not as a header"),
        Clause::set("header", "true").then(" reads it as names"),
    ));
    false
}

/// Whether the first line holds years or counts (2001, 2002, 2003 or 0, 1, 2) above numbers of another kind: then these
/// numbers are names.
fn counts_or_years(first: &[Cell], rows: &[Vec<Cell>]) -> bool {
    let numbers: Vec<f64> = first
        .iter()
        .filter_map(|cell| match cell {
            Cell::Number(number) => Some(*number),
            _ => None,
        })
        .collect();
    let steps = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    let year = |x: f64| (1500.0..2500.0).contains(&x) && x.fract() == 0.0;
    let years = steps && numbers.iter().all(|x| year(*x));
    let count = steps && matches!(numbers.first(), Some(x) if *x == 0.0 || *x == 1.0);
    let goes_on = |x: f64| if years { year(x) } else { x.fract() == 0.0 };
    let unlike = rows
        .iter()
        .flatten()
        .any(|cell| matches!(cell, Cell::Number(x) if !goes_on(*x)));
    numbers.len() >= 2 && (years || count) && unlike
}

/// Whether every line has one cell more than the header and begins with a text: row names, as R writes them.
fn nameless_first_column(sample: &Sample<'_>) -> bool {
    let Some((header, rows)) = sample.lines.split_first() else {
        return false;
    };
    let rules = CellRules::new(b'.', &[]);
    let begins_with_text = |line: &Line| {
        let first = line.fields.first();
        first.is_some_and(|field| rules.cell(&sample.split.content(field)) == Cell::Text)
    };
    let longer = |line: &Line| line.fields.len() == header.fields.len() + 1;
    !rows.is_empty()
        && rows
            .iter()
            .all(|line| longer(line) && begins_with_text(line))
}

/// The number of fields per line, from the first line. Refuses lines above the header; allows an extra delimiter at the end
/// of lines.
fn width(
    file: &str,
    sample: &Sample<'_>,
    is_header: bool,
    notes: &mut Vec<Note>,
) -> Result<usize, ReadError> {
    let first = sample.lines[0].fields.len();
    let rows = &sample.lines[1..];
    let usual = sample.usual_width();
    let ends_empty = |line: &Line| {
        line.fields.len() == first + 1 && line.fields.last().is_some_and(|f| f.start == f.end)
    };
    if is_header && !rows.is_empty() && rows.iter().all(ends_empty) {
        notes.push(Note::reading(
            "every line ends in a delimiter: the empty last column is ignored",
        ));
        return Ok(first + 1);
    }
    if is_header && nameless_first_column(sample) {
        notes.push(Note::reading("the header has one name fewer than the lines have cells: the first column, which names the rows, has none"
                ));
        return Ok(first + 1);
    }
    let second = rows.first().map_or(first, |line| line.fields.len());
    if first < usual && rows.len() > 1 && (first == 1 || second != usual) {
        return Err(ReadError::Preamble {
            file: file.to_owned(),
            line: sample.lines[0].number,
            found: first,
            expected: usual,
        });
    }
    Ok(first)
}
