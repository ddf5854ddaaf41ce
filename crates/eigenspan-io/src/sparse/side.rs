//! Columns of text beside the cells: names of rows, classes, and whatever else a format says about each row.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::error::ReadError;
use crate::table::TextColumn;

/// Columns of text, by name; all of one length.
#[derive(Debug, Default)]
pub(crate) struct Side {
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<TextColumn>,
}

impl Side {
    /// One column.
    pub(crate) fn one(name: &str, column: TextColumn) -> Self {
        Side {
            names: vec![name.to_owned()],
            columns: vec![column],
        }
    }

    /// Some rows of one column.
    pub(crate) fn texts(&self, column: usize, rows: Range<usize>) -> TextColumn {
        match self.columns.get(column) {
            Some(texts) => rows.map(|row| texts.get(row)).collect(),
            None => TextColumn::default(),
        }
    }

    /// A column as numbers; an error if one of its texts is not a number.
    pub(crate) fn numbers(&self, file: &str, column: usize) -> Result<Vec<f64>, ReadError> {
        let texts = self.columns.get(column).cloned().unwrap_or_default();
        let number = |(row, text): (usize, &str)| {
            text.trim().parse().map_err(|_| ReadError::TextColumn {
                file: file.to_owned(),
                column: self.names.get(column).cloned().unwrap_or_default(),
                line: row as u64 + 1,
                token: text.to_owned(),
            })
        };
        texts.iter().enumerate().map(number).collect()
    }

    /// Keeps only these rows.
    pub(crate) fn keep_rows(&mut self, rows: &Range<usize>) {
        for i in 0..self.columns.len() {
            let kept = self.texts(i, rows.clone());
            if let Some(column) = self.columns.get_mut(i) {
                *column = kept;
            }
        }
    }
}

/// Makes names unique: later ones get `-1`, `-2`, … as AnnData's `var_names_make_unique` does. Returns how many were changed.
pub(crate) fn unique_names(names: &mut [String]) -> usize {
    let mut seen = HashSet::with_capacity(names.len());
    let later: Vec<usize> = (0..names.len())
        .filter(|&i| !seen.insert(names[i].clone()))
        .collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for &i in &later {
        let count = counts.entry(names[i].clone()).or_default();
        let name = loop {
            *count += 1;
            let name = format!("{}-{count}", names[i]);
            if !seen.contains(&name) {
                break name;
            }
        };
        seen.insert(name.clone());
        names[i] = name;
    }
    later.len()
}

/// The names of all columns: the features, then the columns of text, renamed if a feature has the same name.
pub(crate) fn names_with(features: &[String], side: &mut Side) -> Vec<String> {
    let mut names: Vec<String> = features.iter().chain(&side.names).cloned().collect();
    unique_names(&mut names);
    side.names = names.get(features.len()..).unwrap_or_default().to_vec();
    names
}

#[cfg(test)]
mod tests {
    use super::unique_names;

    #[test]
    fn names_become_unique_as_anndata_makes_them() {
        // anndata 0.10: AnnData(var=DataFrame(index=[…])).var_names_make_unique()
        let mut names = ["a", "a", "b", "a-1", "a", "b"].map(str::to_owned);
        assert_eq!(unique_names(&mut names), 3);
        assert_eq!(names, ["a", "a-2", "b", "a-1", "a-3", "b-1"]);
    }
}
