//! The heading above every result: the data, its size, and what was done with it.

use eigenspan::error::counted;
use eigenspan_io::Table;

use crate::words::shown;

/// The width that lines aim for.
const WIDTH: usize = 100;

/// What a heading shows about the data.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    /// The name of the data or of the model file.
    pub name: String,
    /// The number of rows.
    pub n_rows: usize,
    /// The number of numeric columns in use.
    pub n_cols: usize,
    /// The column that names the rows.
    pub id: Option<String>,
}

impl Heading {
    /// The heading of a table.
    pub fn from_table(table: &Table) -> Self {
        Heading {
            name: table.name().to_owned(),
            n_rows: table.n_rows(),
            n_cols: table.columns().len(),
            id: table.id().map(|id| id.name.clone()),
        }
    }

    /// The heading: the data on the left, what was done with it on the right.
    pub(crate) fn line(&self, right: &str) -> String {
        let columns = counted(self.n_cols, "numeric column");
        let mut left = format!(
            "{}   {} × {columns}",
            self.name,
            counted(self.n_rows, "row")
        );
        if let Some(id) = &self.id {
            left += &format!("   id: {}", shown(id));
        }
        let gap = WIDTH
            .saturating_sub(left.chars().count() + right.chars().count())
            .max(3);
        format!("{left}{}{right}", " ".repeat(gap))
    }
}
