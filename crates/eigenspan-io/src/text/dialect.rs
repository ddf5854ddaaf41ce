//! How a text file is written, guessed from its first lines: delimiter, decimal mark, header.
//!
//! Each delimiter is tried on a sample. The one that yields most numbers wins; then the one under which most lines have
//! the same number of fields; then the rarer character, because commas turn up by accident.

use super::cell::{Cell, CellRules, Looks};
use super::fields::{Delimiter, Field, Splitter, Stop};
use crate::error::ReadError;
use crate::options::{Format, ReadOptions};

/// How a text file is written.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Delimiter,
    pub(crate) lone_cr: bool,
    pub(crate) decimal: u8,
    /// Names as they stand in the header; `None` where there is none.
    pub(crate) header: Option<Vec<String>>,
    pub(crate) n_fields: usize,
    /// Where the rows begin, and on which line.
    pub(crate) body: usize,
    pub(crate) body_line: u64,
    /// Mean bytes of a line in the sample.
    pub(crate) line_bytes: usize,
    pub(crate) notes: Vec<String>,
}

/// One line of the sample.
struct Line {
    fields: Vec<Field>,
    number: u64,
    next: usize,
}

/// The first lines of a file under one delimiter.
struct Sample<'a> {
    split: Splitter<'a>,
    lines: Vec<Line>,
}

/// Lines looked at, and the cells beyond which two lines are enough.
const SAMPLE_LINES: usize = 64;
const SAMPLE_CELLS: usize = 200_000;

/// Guesses what the options leave open.
pub(crate) fn guess(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dialect, ReadError> {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let head = bytes.get(..bytes.len().min(1 << 20)).unwrap_or_default();
    let lone_cr = memchr::memchr(b'\r', head).is_some()
        && memchr::memchr(b'\n', head).is_none()
        && memchr::memchr(b'\n', bytes).is_none();
    let sample = best_sample(bytes, start, lone_cr, options)?;
    if sample.lines.is_empty() {
        return Err(no_lines(file, &sample.split, start));
    }
    let decimal = match options.decimal {
        Some(mark) => decimal_mark(mark)?,
        None => guess_decimal(&sample),
    };
    let rules = CellRules::new(decimal, &options.missing_values);
    let mut notes = Vec::new();
    if decimal == b',' && options.decimal.is_none() {
        notes.push("numbers are written with decimal commas: 1,5 is one and a half".to_owned());
    }
    let is_header = match options.header {
        Some(given) => given,
        None => guess_header(&sample, &rules, &mut notes),
    };
    let n_fields = width(file, &sample, is_header, &mut notes)?;
    let first = &sample.lines[0];
    let header = is_header.then(|| {
        let mut names: Vec<String> = first
            .fields
            .iter()
            .map(|field| sample.split.text(field).trim().to_owned())
            .collect();
        if nameless_first_column(&sample) {
            names.insert(0, String::new());
        }
        names.resize(n_fields, String::new());
        names
    });
    let (body, body_line) = if is_header {
        let lines = 1 + first.fields.iter().map(|f| f.lines).sum::<u64>();
        (first.next, first.number + lines)
    } else {
        (start, 1)
    };
    let end = sample.lines.last().map_or(start, |line| line.next);
    Ok(Dialect {
        delimiter: sample.split.delimiter,
        lone_cr,
        decimal,
        header,
        n_fields,
        body,
        body_line,
        line_bytes: ((end - start) / sample.lines.len()).max(1),
        notes,
    })
}

/// Nothing but blank lines, or a quote that swallows the first one.
fn no_lines(file: &str, split: &Splitter<'_>, start: usize) -> ReadError {
    let mut at = start;
    let mut line = 1;
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
    start: usize,
    lone_cr: bool,
    options: &ReadOptions,
) -> Result<Sample<'a>, ReadError> {
    let under = |delimiter| {
        let split = Splitter {
            bytes,
            delimiter,
            lone_cr,
        };
        Sample::take(split, start)
    };
    let fixed = match (options.delimiter, options.format) {
        (Some(given), _) => Some(Delimiter::Byte(delimiter_byte(given)?)),
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
        if score.1 > 0 && best.as_ref().is_none_or(|(_, so_far)| score > *so_far) {
            best = Some((sample, score));
        }
    }
    // One column: no delimiter shows, and a comma cannot hurt.
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

impl<'a> Sample<'a> {
    fn take(split: Splitter<'a>, start: usize) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        let (mut at, mut number, mut cells) = (start, 1, 0);
        while at < split.bytes.len() {
            let enough = lines.len() >= 2 && cells > SAMPLE_CELLS;
            if enough || lines.len() >= SAMPLE_LINES {
                break;
            }
            if let Some(next) = split.blank_line(at) {
                at = next;
                number += 1;
                continue;
            }
            let Some(line) = Line::read(&split, at, number) else {
                break;
            };
            at = line.next;
            number += 1 + line.fields.iter().map(|f| f.lines).sum::<u64>();
            cells += line.fields.len();
            lines.push(line);
        }
        Sample { split, lines }
    }

    /// Numbers found, and lines with the usual number of fields; nothing if that number is 1.
    fn score(&self) -> (usize, usize) {
        let usual = self.usual_width();
        if usual < 2 {
            return (0, 0);
        }
        let (point, comma) = (CellRules::new(b'.', &[]), CellRules::new(b',', &[]));
        let is_number = |field: &Field| {
            let content = self.split.content(field);
            matches!(
                point.cell(&content),
                Cell::Number(_) | Cell::LargeInteger(_)
            ) || matches!(comma.cell(&content), Cell::Number(_))
        };
        let of_usual = self.lines.iter().filter(|line| line.fields.len() == usual);
        let numbers = self
            .lines
            .iter()
            .flat_map(|line| &line.fields)
            .filter(|field| is_number(field))
            .count();
        (numbers, of_usual.count())
    }

    /// The number of fields that most lines have.
    fn usual_width(&self) -> usize {
        let widths: Vec<usize> = self.lines.iter().map(|line| line.fields.len()).collect();
        let count = |width: usize| widths.iter().filter(|w| **w == width).count();
        let mut best = 0;
        for &width in &widths {
            if best == 0 || count(width) > count(best) {
                best = width;
            }
        }
        best
    }

    fn cells<'s>(&'s self, rules: &'s CellRules, line: usize) -> impl Iterator<Item = Cell> + 's {
        let fields = self.lines.get(line).map_or(&[][..], |line| &line.fields);
        fields.iter().map(|f| rules.cell(&self.split.content(f)))
    }
}

impl Line {
    /// `None` where a quote is never closed.
    fn read(split: &Splitter<'_>, start: usize, number: u64) -> Option<Line> {
        let mut fields = Vec::new();
        let mut at = split.skip_blanks(start);
        loop {
            let field = split.field(at).ok()?;
            fields.push(field);
            match field.stop {
                Stop::Field(next) => at = next,
                Stop::Line(next) => {
                    return Some(Line {
                        fields,
                        number,
                        next,
                    });
                }
            }
        }
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
            let text = String::from_utf8_lossy(&content);
            commas += usize::from(Looks::of(&text) == Looks::DecimalComma);
        }
    }
    if commas > 0 { b',' } else { b'.' }
}

/// Whether the first line names the columns; says so where it could be both.
fn guess_header(sample: &Sample<'_>, rules: &CellRules, notes: &mut Vec<String>) -> bool {
    let is_number = |cell: &Cell| matches!(cell, Cell::Number(_) | Cell::LargeInteger(_));
    let first: Vec<Cell> = sample.cells(rules, 0).collect();
    let numbers = first.iter().filter(|cell| is_number(cell)).count();
    if numbers == 0 {
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
        notes.push(format!(
            "line {line} holds years or a count, so it was read as the header (--no-header reads it as data)"
        ));
        return true;
    }
    notes.push(format!(
        "line {line} holds numbers, so it was read as data, not as a header (--header reads it as names)"
    ));
    false
}

/// 2001, 2002, 2003 or 0, 1, 2 above numbers of another kind: names, though they are numbers.
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

/// Whether every line has a cell more than the header and begins with a text: names of rows, as R writes them.
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

/// Fields of a line, told by the first line; refuses lines above the header, allows a delimiter too many.
fn width(
    file: &str,
    sample: &Sample<'_>,
    is_header: bool,
    notes: &mut Vec<String>,
) -> Result<usize, ReadError> {
    let first = sample.lines[0].fields.len();
    let rows = &sample.lines[1..];
    let usual = sample.usual_width();
    let ends_empty = |line: &Line| {
        line.fields.len() == first + 1 && line.fields.last().is_some_and(|f| f.start == f.end)
    };
    if is_header && !rows.is_empty() && rows.iter().all(ends_empty) {
        notes.push("every line ends in a delimiter: the empty last column is ignored".to_owned());
        return Ok(first + 1);
    }
    if is_header && nameless_first_column(sample) {
        notes.push(
            "the header has one name fewer than the lines have cells: the first column, which names the rows, has none"
                .to_owned(),
        );
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
