//! The inner loop: one line of text into one row of numbers.
//!
//! A plain number costs one call of the float parser and a look at the next byte. Everything else (blanks, quotes, missing
//! values, text) takes the slow path: the cell is examined in full and reported as an [`Odd`] cell.

use super::cell::{Cell, CellRules, EXACT_INTEGERS};
use super::fields::{Field, OpenQuote, Splitter, Stop};
use super::preface::{Comments, begins_comment};
use super::written::Writing;

/// What a reading takes from a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Want {
    /// Its numbers.
    pub(crate) number: bool,
    /// Its text.
    pub(crate) text: bool,
}

/// A cell that is not a plain number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Odd {
    pub(crate) col: usize,
    pub(crate) cell: Cell,
    pub(crate) field: Field,
}

/// What the next line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A row; its numbers were appended.
    Row,
    /// A line with nothing on it.
    Blank,
    /// A line that begins with `#` and is not a row.
    Comment,
    /// A line with too few or too many fields. Nothing was appended.
    Ragged {
        /// The fields that were found.
        found: usize,
    },
    /// A quote that is never closed.
    OpenQuote,
    /// The range has no more lines.
    End,
}

/// A line that was read.
enum Row {
    Whole,
    /// The number of fields, which is too small or too large.
    Ragged(usize),
}

/// How the lines of a file are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineRules<'a> {
    pub(crate) split: Splitter<'a>,
    pub(crate) cells: &'a CellRules,
    /// How the numbers of each column are written; empty if all columns are plain.
    pub(crate) writings: &'a [Option<Writing>],
    pub(crate) comments: Comments,
}

/// Reads the lines that begin in a range of the file.
pub(crate) struct Records<'a> {
    split: Splitter<'a>,
    rules: &'a CellRules,
    writings: &'a [Option<Writing>],
    comments: Comments,
    wants: &'a [Want],
    at: usize,
    end: usize,
    lines: u64,
    /// Where the last row began, and how many lines it takes.
    row_start: usize,
    lines_of_row: u64,
    /// Cells of the last row that are not plain numbers.
    pub(crate) odd: Vec<Odd>,
    /// Fields of the last row whose text is wanted, in the order of the columns.
    pub(crate) texts: Vec<Field>,
    /// Whether a quote in the last row is part of its cell, because it is never closed.
    pub(crate) stray_quote: bool,
    /// Whether the last row begins with `#`, like a comment.
    pub(crate) like_comment: bool,
}

impl<'a> Records<'a> {
    /// Lines that begin in `start..end`, with one `want` per column of the file.
    pub(crate) fn new(
        rules: LineRules<'a>,
        wants: &'a [Want],
        (start, end): (usize, usize),
    ) -> Self {
        Records {
            split: rules.split,
            rules: rules.cells,
            writings: rules.writings,
            comments: rules.comments,
            wants,
            at: start,
            end: end.min(rules.split.bytes.len()),
            lines: 0,
            row_start: start,
            lines_of_row: 0,
            odd: Vec::new(),
            texts: Vec::new(),
            stray_quote: false,
            like_comment: false,
        }
    }

    /// Where the next line begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Lines of the file read so far.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Reads the next line; a row's wanted numbers are appended to `out`, NaN for cells that hold no number.
    pub(crate) fn next(&mut self, out: &mut Vec<f64>) -> Step {
        self.odd.clear();
        self.texts.clear();
        if self.at >= self.end {
            return Step::End;
        }
        if let Some(next) = self.split.blank_line(self.at) {
            self.at = next;
            self.lines += 1;
            return Step::Blank;
        }
        (self.stray_quote, self.like_comment) = (false, self.begins_like_comment());
        if self.like_comment && self.comments == Comments::All {
            return self.comment();
        }
        let before = out.len();
        let mut read = self.row(out);
        if self.is_torn(&read) {
            self.clear(out, before);
            self.stray_quote = true;
            read = self.literal_row(out);
        }
        match read {
            Ok(Row::Whole) => Step::Row,
            _ if self.like_comment => {
                self.clear(out, before);
                self.comment()
            }
            Ok(Row::Ragged(found)) => {
                self.clear(out, before);
                Step::Ragged { found }
            }
            Err(OpenQuote) => {
                self.clear(out, before);
                Step::OpenQuote
            }
        }
    }

    fn clear(&mut self, out: &mut Vec<f64>, before: usize) {
        out.truncate(before);
        self.odd.clear();
        self.texts.clear();
    }

    fn begins_like_comment(&self) -> bool {
        self.comments != Comments::None && begins_comment(self.split.bytes, self.at)
    }

    fn comment(&mut self) -> Step {
        self.at = self.split.next_line(self.at);
        self.lines += 1;
        Step::Comment
    }

    /// Whether an open quote breaks the table: if quotes are read as ordinary characters, this line has the right number of
    /// fields, and so has every line that the quote would have swallowed. `self.at` is behind a row that was read.
    fn is_torn(&self, read: &Result<Row, OpenQuote>) -> bool {
        let n_fields = self.wants.len();
        let is_whole = |at: usize| self.split.literal_line(at).0 == n_fields;
        match read {
            Ok(Row::Whole) if self.lines_of_row == 1 || n_fields == 1 => false,
            Ok(Row::Whole) => {
                let mut at = self.row_start;
                while at < self.at {
                    let (found, next) = self.split.literal_line(at);
                    if found != n_fields {
                        return false;
                    }
                    at = next;
                }
                true
            }
            Ok(Row::Ragged(_)) => {
                let line = self.split.bytes.get(self.at..self.split.next_line(self.at));
                let quoted = memchr::memchr(b'"', line.unwrap_or_default()).is_some();
                quoted && is_whole(self.at)
            }
            Err(OpenQuote) => is_whole(self.at),
        }
    }

    /// Reads the line again, with quotes as ordinary characters.
    fn literal_row(&mut self, out: &mut Vec<f64>) -> Result<Row, OpenQuote> {
        if self.at != self.row_start {
            self.lines -= self.lines_of_row;
            self.at = self.row_start;
        }
        let split = Splitter {
            literal: true,
            ..self.split
        };
        let usual = std::mem::replace(&mut self.split, split);
        let read = self.row(out);
        self.split = usual;
        read
    }

    /// Reads a line that is not blank, and moves past it if it has the right number of fields.
    fn row(&mut self, out: &mut Vec<f64>) -> Result<Row, OpenQuote> {
        self.row_start = self.at;
        let mut at = self.split.skip_blanks(self.at);
        let mut lines = 1;
        let n_fields = self.wants.len();
        let wants = self.wants;
        for (col, want) in wants.iter().enumerate() {
            let stop = match self.plain_number(at, col, *want) {
                Some((number, stop)) => {
                    out.push(number);
                    stop
                }
                None => {
                    let field = self.split.field(at)?;
                    lines += field.lines;
                    self.take(col, *want, field, out);
                    field.stop
                }
            };
            match stop {
                Stop::Field(next) => at = next,
                Stop::Line(next) if col + 1 == n_fields => {
                    self.at = next;
                    self.lines += lines;
                    self.lines_of_row = lines;
                    return Ok(Row::Whole);
                }
                Stop::Line(_) => return Ok(Row::Ragged(col + 1)),
            }
        }
        let mut found = n_fields;
        loop {
            found += 1;
            match self.split.field(at)?.stop {
                Stop::Field(next) => at = next,
                Stop::Line(_) => return Ok(Row::Ragged(found)),
            }
        }
    }

    /// The fast path: a number that ends right at the delimiter.
    #[inline]
    fn plain_number(&self, at: usize, col: usize, want: Want) -> Option<(f64, Stop)> {
        if !want.number || want.text || self.rules.decimal != b'.' {
            return None;
        }
        if !self.writings.is_empty() && self.writing(col).is_some() {
            return None;
        }
        let rest = self.split.bytes.get(at..)?;
        let (number, length) = fast_float2::parse_partial::<f64, _>(rest).ok()?;
        // Also false for NaN and infinities, which the parser reads as numbers.
        let ordinary = number.abs() < EXACT_INTEGERS && !self.rules.is_missing_number(number);
        let stop = self.split.stop_at(at + length)?;
        ordinary.then_some((number, stop))
    }

    fn writing(&self, col: usize) -> Option<&'a Writing> {
        self.writings.get(col)?.as_ref()
    }

    fn take(&mut self, col: usize, want: Want, field: Field, out: &mut Vec<f64>) {
        if want.text {
            self.texts.push(field);
        }
        if !want.number {
            return;
        }
        let content = self.split.bytes.get(field.start..field.end);
        let cell = match (content, self.writing(col)) {
            (Some(content), None) if !field.escaped => self.rules.cell(content),
            (Some(content), Some(writing)) if !field.escaped => writing.cell(self.rules, content),
            _ => Cell::Text,
        };
        match cell {
            Cell::Number(number) => return out.push(number),
            Cell::LargeInteger(number) => out.push(number),
            Cell::Missing | Cell::Infinite | Cell::Text => out.push(f64::NAN),
        }
        self.odd.push(Odd { col, cell, field });
    }
}
