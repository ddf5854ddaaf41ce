//! What a map of rows can show: how many rows and components, and the columns by which it is colored.

/// Rows of a map at most; of more, a sample is shown.
pub const MAX_ROWS: usize = 10_000;
/// Axes of a map at most.
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
    /// A level per row, by its place in the list; none where the cell is missing.
    Levels {
        /// The levels' names.
        levels: Vec<String>,
        /// A level per row.
        codes: Vec<Option<usize>>,
    },
    /// A number per row; NaN where the cell is missing.
    Numbers(Vec<f64>),
}
