//! The inner loop: one line of text into one row of numbers.
//!
//! A plain number costs one call of the float parser and a look at the byte behind it. Everything else (blanks, quotes,
//! missing values, text) leaves that road once, is looked at in full, and is reported as an [`Odd`] cell.

use super::cell::{Cell, CellRules, EXACT_INTEGERS};
use super::fields::{Field, OpenQuote, Splitter, Stop};

/// What is wanted of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Want {
    /// Its numbers.
    pub(crate) number: bool,
    /// Its text.
    pub(crate) text: bool,
}

/// A cell that is no plain number.
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
    /// A line with so many fields, which is too few or too many. Nothing was appended.
    Ragged {
        /// Fields found.
        found: usize,
    },
    /// A quote that is never closed.
    OpenQuote,
    /// The range has no more lines.
    End,
}

/// Reads the lines that begin in a range of the file.
pub(crate) struct Records<'a> {
    split: Splitter<'a>,
    rules: &'a CellRules,
    wants: &'a [Want],
    at: usize,
    end: usize,
    lines: u64,
    /// Cells of the last row that are no plain numbers.
    pub(crate) odd: Vec<Odd>,
    /// Fields of the last row whose text is wanted, in the order of the columns.
    pub(crate) texts: Vec<Field>,
}

impl<'a> Records<'a> {
    /// Lines that begin in `start..end`, with one `want` per column of the file.
    pub(crate) fn new(
        split: Splitter<'a>,
        rules: &'a CellRules,
        wants: &'a [Want],
        (start, end): (usize, usize),
    ) -> Self {
        Records {
            split,
            rules,
            wants,
            at: start,
            end: end.min(split.bytes.len()),
            lines: 0,
            odd: Vec::new(),
            texts: Vec::new(),
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

    /// Reads the next line; a row's wanted numbers are appended to `out`, NaN where there is none.
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
        let before = out.len();
        match self.row(out) {
            Ok(None) => Step::Row,
            Ok(Some(found)) => {
                out.truncate(before);
                Step::Ragged { found }
            }
            Err(OpenQuote) => {
                out.truncate(before);
                Step::OpenQuote
            }
        }
    }

    /// Reads a line that is not blank; `Some(found)` if it has another number of fields than wanted.
    fn row(&mut self, out: &mut Vec<f64>) -> Result<Option<usize>, OpenQuote> {
        let mut at = self.split.skip_blanks(self.at);
        let mut lines = 1;
        let n_fields = self.wants.len();
        let wants = self.wants;
        for (col, want) in wants.iter().enumerate() {
            let stop = match self.plain_number(at, *want) {
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
                    return Ok(None);
                }
                Stop::Line(_) => return Ok(Some(col + 1)),
            }
        }
        let mut found = n_fields;
        loop {
            found += 1;
            match self.split.field(at)?.stop {
                Stop::Field(next) => at = next,
                Stop::Line(_) => return Ok(Some(found)),
            }
        }
    }

    /// The fast road: a number and nothing else up to the delimiter.
    #[inline]
    fn plain_number(&self, at: usize, want: Want) -> Option<(f64, Stop)> {
        if !want.number || want.text || self.rules.decimal != b'.' {
            return None;
        }
        let rest = self.split.bytes.get(at..)?;
        let (number, length) = fast_float2::parse_partial::<f64, _>(rest).ok()?;
        // Also false for NaN and infinities, whose words the parser takes for numbers.
        let ordinary = number.abs() < EXACT_INTEGERS && !self.rules.is_missing_number(number);
        let stop = self.split.stop_at(at + length)?;
        ordinary.then_some((number, stop))
    }

    fn take(&mut self, col: usize, want: Want, field: Field, out: &mut Vec<f64>) {
        if want.text {
            self.texts.push(field);
        }
        if !want.number {
            return;
        }
        let content = self.split.bytes.get(field.start..field.end);
        let cell = match content {
            Some(content) if !field.escaped => self.rules.cell(content),
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
