//! The names of rows in figures and tables: their own names if they have names, else their numbers in the data.

use super::measure;

/// Names and numbers of the rows that a figure draws.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rows<'a> {
    /// Their names.
    pub names: Option<&'a [String]>,
    /// Their numbers in the data, from 1; if `None`, these are all rows of the data in order.
    pub numbers: Option<&'a [usize]>,
}

impl<'a> Rows<'a> {
    /// All rows of the data, with or without names.
    pub fn all(names: Option<&'a [String]>) -> Self {
        Rows {
            names,
            numbers: None,
        }
    }

    /// The number of row i in the data, from 1.
    pub fn number(&self, i: usize) -> usize {
        let known = self.numbers.and_then(|numbers| numbers.get(i).copied());
        known.unwrap_or(i + 1)
    }

    /// The name of a row in a figure: `Scotland`, `row 24933`.
    pub fn label(&self, i: usize) -> String {
        let name = self.names.and_then(|names| names.get(i));
        name.map_or_else(|| self.numbered(i), |name| measure::label(name))
    }

    /// The name of a row in a table: its own name, or its number.
    pub fn key(&self, i: usize) -> String {
        let name = self.names.and_then(|names| names.get(i)).cloned();
        name.unwrap_or_else(|| self.number(i).to_string())
    }

    /// Names of the first `n` rows for a sentence; `None` if the rows have neither names nor other numbers.
    pub(super) fn spoken(&self, n: usize) -> Option<Vec<String>> {
        match (self.names, self.numbers) {
            (Some(names), _) => Some(names.to_vec()),
            (None, Some(_)) => Some((0..n).map(|i| self.numbered(i)).collect()),
            (None, None) => None,
        }
    }

    fn numbered(&self, i: usize) -> String {
        format!("row {}", self.number(i))
    }
}
