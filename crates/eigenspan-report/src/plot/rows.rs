//! What a table says about its rows besides their numbers: names, and the column that colors them.

use eigenspan_io::Why;

use super::FigureOptions;
use super::torn::TORN;
use crate::JobError;
use crate::figure::coloring::Coloring;
use crate::figure::palette::MOST_CLASSES;
use crate::subject::OpenRows;

/// Up to this many rows, their names are read.
const NAMED_ROWS: usize = 200_000;

/// The rows' names, if there are not too many rows.
pub(super) fn row_names(rows: &OpenRows) -> Result<Option<Vec<String>>, JobError> {
    let table = &rows.table;
    match table.id().filter(|_| table.n_rows() <= NAMED_ROWS) {
        Some(id) => Ok(Some(table.texts(&id.name)?)),
        None => Ok(None),
    }
}

/// The column by which points are colored, read from the table.
pub(super) enum Color {
    Nothing,
    Classes(String, Vec<String>),
    Values(String, Vec<f64>),
    /// How far each row is torn from its nearest rows.
    Torn(Vec<f64>),
}

impl Color {
    /// The requested column, else the label, else the first text column that looks like classes.
    pub(super) fn choose(rows: &OpenRows, options: &FigureOptions) -> Result<Self, JobError> {
        let table = &rows.table;
        if let Some(column) = options.color.as_deref().or(table.label()) {
            let name = table.all_columns()[table.column_index(column)?].clone();
            let texts = table.texts(column)?;
            let numbers: Vec<f64> = texts
                .iter()
                .map(|t| t.trim().parse().unwrap_or(f64::NAN))
                .collect();
            let filled = texts
                .iter()
                .zip(&numbers)
                .filter(|(t, _)| !t.trim().is_empty());
            let numeric = filled.clone().count() > 0 && filled.clone().all(|(_, x)| x.is_finite());
            if numeric && distinct(&texts) > MOST_CLASSES {
                return Ok(Color::Values(name, numbers));
            }
            return Ok(Color::Classes(name, texts));
        }
        for aside in table.set_aside().iter().filter(|a| a.why == Why::Text) {
            let texts = table.texts(&aside.name)?;
            let n = distinct(&texts);
            if (2..=MOST_CLASSES).contains(&n) && 2 * n < texts.len() {
                return Ok(Color::Classes(aside.name.clone(), texts));
            }
        }
        Ok(Color::Nothing)
    }

    pub(super) fn coloring(&self) -> Coloring<'_> {
        match self {
            Color::Nothing => Coloring::None,
            Color::Classes(name, classes) => Coloring::Classes { name, classes },
            Color::Values(name, values) => Coloring::Values { name, values },
            Color::Torn(values) => Coloring::Values { name: TORN, values },
        }
    }
}

fn distinct(texts: &[String]) -> usize {
    let all: std::collections::HashSet<&str> = texts.iter().map(String::as_str).collect();
    all.len()
}
