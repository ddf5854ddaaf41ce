//! Tables written as text: CSV, TSV and columns separated by blanks.
//!
//! [`encoding`] converts the file to UTF-8, [`preface`] reads what stands above the table, [`dialect`] guesses how the rest
//! is written, [`scan`] reads it once to learn what its columns hold, [`written`] recognizes numbers that are not written
//! plainly, [`roles`] decides what each column is used for, [`open`] combines these steps, and [`source`] provides the
//! numbers as often as needed.

mod cell;
mod dialect;
mod encoding;
mod fields;
mod open;
mod preface;
mod records;
mod roles;
mod sample;
mod scan;
mod shape;
mod source;
mod written;

pub(crate) use cell::CellRules;
pub use cell::MissingWords;
pub(crate) use encoding::from_utf16;
pub(crate) use open::open;

use crate::error::ReadError;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use dialect::Dialect;
use fields::{Delimiter, Splitter};
use records::{LineRules, Records, Step, Want};
use written::Writing;

/// A text file, and how it is written.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    pub(crate) dialect: Dialect,
    pub(crate) rules: CellRules,
    /// How the numbers of each column are written, once that is known; empty if all columns are plain.
    writings: Vec<Option<Writing>>,
    /// Where the rows in use end.
    end: usize,
}

/// A byte that cannot occur in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoText {
    Nul,
    /// Not UTF-8.
    Encoding(u8),
}

impl TextFile {
    fn new(name: String, bytes: Bytes, options: &ReadOptions) -> Result<Self, ReadError> {
        let dialect = dialect::guess(&name, &bytes, options)?;
        let rules = CellRules::new(dialect.decimal, &options.missing_values);
        let mut file = TextFile {
            end: bytes.len(),
            name,
            bytes,
            dialect,
            rules,
            writings: Vec::new(),
        };
        file.check(0, file.dialect.body)
            .map_or(Ok(()), |(line, fault)| Err(file.fault(line + 1, fault)))?;
        if let Some(rows) = options.row_range()? {
            file.keep_rows(rows)?;
        }
        Ok(file)
    }

    /// Restricts the file to the lines of some rows, as if it had no others.
    fn keep_rows(&mut self, rows: std::ops::Range<usize>) -> Result<(), ReadError> {
        let wants = vec![Want::default(); self.dialect.n_fields];
        let mut records = self.records(&wants, (self.dialect.body, self.end));
        let (mut n_rows, mut numbers) = (0, Vec::new());
        let mut first = None;
        loop {
            let (at, line) = (records.at(), self.dialect.body_line + records.lines());
            if n_rows == rows.end {
                break;
            }
            match records.next(&mut numbers) {
                Step::Row if n_rows == rows.start => {
                    first = Some((at, line));
                    n_rows += 1;
                }
                Step::Row => n_rows += 1,
                Step::Blank | Step::Comment => {}
                Step::End => break,
                Step::Ragged { found } => return Err(self.ragged(line, found)),
                Step::OpenQuote => return Err(self.open_quote(line)),
            }
        }
        let end = records.at();
        let (body, body_line) = first.ok_or_else(|| ReadError::NoSuchRow {
            file: self.name.clone(),
            first: rows.start + 1,
            n_rows,
        })?;
        (self.dialect.body, self.dialect.body_line, self.end) = (body, body_line, end);
        Ok(())
    }

    fn ragged(&self, line: u64, found: usize) -> ReadError {
        ReadError::Ragged {
            file: self.name.clone(),
            line,
            expected: self.dialect.n_fields,
            found,
            delimiter: self.dialect.delimiter.words(),
        }
    }

    fn open_quote(&self, line: u64) -> ReadError {
        ReadError::OpenQuote {
            file: self.name.clone(),
            line,
        }
    }

    /// The first byte of a range that is not text, with the number of lines before it in the range.
    fn check(&self, start: usize, end: usize) -> Option<(u64, NoText)> {
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        let line = |at: usize| {
            let before = bytes.get(..at).unwrap_or_default();
            memchr::memchr_iter(self.eol(), before).count() as u64
        };
        if let Some(at) = memchr::memchr(0, bytes) {
            return Some((line(at), NoText::Nul));
        }
        let at = std::str::from_utf8(bytes).err()?.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        Some((line(at), NoText::Encoding(byte)))
    }

    fn fault(&self, line: u64, fault: NoText) -> ReadError {
        let file = self.name.clone();
        match fault {
            NoText::Nul => ReadError::Nul { file, line },
            NoText::Encoding(byte) => ReadError::Encoding { file, line, byte },
        }
    }

    /// The format that the file turned out to have.
    pub(crate) fn format(&self) -> Format {
        match self.dialect.delimiter {
            Delimiter::Byte(b'\t') => Format::Tsv,
            Delimiter::Byte(_) => Format::Csv,
            Delimiter::Blanks => Format::Text,
        }
    }

    fn splitter(&self) -> Splitter<'_> {
        Splitter {
            bytes: &self.bytes,
            delimiter: self.dialect.delimiter,
            lone_cr: self.dialect.lone_cr,
            literal: false,
        }
    }

    fn records<'a>(&'a self, wants: &'a [Want], range: (usize, usize)) -> Records<'a> {
        let rules = LineRules {
            split: self.splitter(),
            cells: &self.rules,
            writings: &self.writings,
            comments: self.dialect.comments,
        };
        Records::new(rules, wants, range)
    }

    /// The byte that ends lines.
    fn eol(&self) -> u8 {
        if self.dialect.lone_cr { b'\r' } else { b'\n' }
    }

    /// The start of the first line at or after `cut`, ignoring quotes; `body` is the start of a line.
    fn line_after(&self, cut: usize, body: usize) -> usize {
        if cut <= body {
            return body;
        }
        let before = cut - 1;
        let rest = self.bytes.get(before..).unwrap_or_default();
        memchr::memchr(self.eol(), rest).map_or(self.bytes.len(), |found| before + found + 1)
    }
}
