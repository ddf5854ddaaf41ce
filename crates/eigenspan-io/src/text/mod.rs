//! Tables written as text: CSV, TSV and columns set apart by blanks.
//!
//! [`dialect`] guesses how the file is written, [`scan`] reads it once to learn what its columns hold, [`roles`] decides
//! what each column is used for, [`open`] puts that together, [`source`] hands the numbers over as often as needed.

mod cell;
mod dialect;
mod fields;
mod open;
mod records;
mod roles;
mod scan;
mod source;

pub(crate) use cell::CellRules;
pub use cell::{Looks, MissingWords, Place, Unit};
pub(crate) use open::open;
pub(crate) use source::into_core;

use crate::error::ReadError;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use dialect::Dialect;
use fields::{Delimiter, Splitter};
use records::{Records, Step, Want};

/// A text file, and how it is written.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    pub(crate) dialect: Dialect,
    pub(crate) rules: CellRules,
    /// Where the rows in use end.
    end: usize,
}

impl TextFile {
    pub(crate) fn new(
        name: String,
        bytes: Bytes,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let dialect = dialect::guess(&name, &bytes, options)?;
        let rules = CellRules::new(dialect.decimal, &options.missing_values);
        let mut file = TextFile {
            end: bytes.len(),
            name,
            bytes,
            dialect,
            rules,
        };
        if let Some(rows) = options.row_range()? {
            file.keep_rows(rows)?;
        }
        Ok(file)
    }

    /// Finds the lines of some rows, so that the file seems to have no others.
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
                Step::Blank => {}
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

    /// What it turned out to be.
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
        }
    }

    fn records<'a>(&'a self, wants: &'a [Want], range: (usize, usize)) -> Records<'a> {
        Records::new(self.splitter(), &self.rules, wants, range)
    }

    /// The byte that ends lines.
    fn eol(&self) -> u8 {
        if self.dialect.lone_cr { b'\r' } else { b'\n' }
    }

    /// The start of the first line at or behind `cut`, quotes not looked at; `body` is one.
    fn line_after(&self, cut: usize, body: usize) -> usize {
        if cut <= body {
            return body;
        }
        let before = cut - 1;
        let rest = self.bytes.get(before..).unwrap_or_default();
        memchr::memchr(self.eol(), rest).map_or(self.bytes.len(), |found| before + found + 1)
    }
}
