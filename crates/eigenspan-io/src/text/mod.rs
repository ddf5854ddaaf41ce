//! Tables written as text: CSV, TSV and columns set apart by blanks.
//!
//! [`dialect`] guesses how the file is written, [`scan`] reads it once to learn what its columns hold, [`roles`] decides
//! what each column is used for, [`source`] hands the numbers over as often as needed.

mod cell;
mod dialect;
mod fields;
mod records;
mod roles;
mod scan;
mod source;

pub use cell::{Looks, Place};
pub(crate) use source::TextTable;

use crate::error::ReadError;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use cell::CellRules;
use dialect::Dialect;
use fields::{Delimiter, Splitter};
use records::{Records, Want};

/// A text file, and how it is written.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    pub(crate) dialect: Dialect,
    pub(crate) rules: CellRules,
}

impl TextFile {
    pub(crate) fn new(
        name: String,
        bytes: Bytes,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let dialect = dialect::guess(&name, &bytes, options)?;
        let rules = CellRules::new(dialect.decimal, &options.missing_values);
        Ok(TextFile {
            name,
            bytes,
            dialect,
            rules,
        })
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
