//! Limits of a map of rows (how many rows and components it shows) and the columns by which it is colored.

/// A map shows at most this many rows; if there are more, it shows a sample.
pub const MAX_ROWS: usize = 10_000;
/// A map has at most this many axes.
pub const MAX_AXES: usize = 10;

/// A column by which points can be colored.
#[derive(Debug, Clone, PartialEq)]
pub struct Color {
    /// Its name.
    pub name: String,
    /// Its cells.
    pub values: Values,
}

/// The cells of a column that colors.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// A level per row, as an index into the list of levels; `None` if the cell is missing.
    Levels {
        /// The levels' names.
        levels: Vec<String>,
        /// A level per row.
        codes: Vec<Option<usize>>,
    },
    /// A number per row; NaN if the cell is missing.
    Numbers(Vec<f64>),
}
