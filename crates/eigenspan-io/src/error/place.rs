//! Where a cell stands, as a message names it.

use std::fmt;

/// What a place in a file is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Lines of a text.
    Line,
    /// Rows of a table that is not text.
    Row,
}

/// A cell's place, as a message names it: `line 14, column "Fish"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line or row in the file, from 1.
    pub line: u64,
    /// Name of the column, or its number from 1.
    pub column: String,
    /// Whether the column has a name.
    pub named: bool,
    /// What `line` counts.
    pub unit: Unit,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Line => "line",
            Unit::Row => "row",
        };
        if self.named {
            write!(f, "{unit} {}, column {:?}", self.line, self.column)
        } else {
            write!(f, "{unit} {}, column {}", self.line, self.column)
        }
    }
}
