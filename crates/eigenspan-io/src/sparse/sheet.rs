//! A sparse matrix that a reader has read, and how the options apply to it: they select rows and columns, and give roles.

use std::ops::Range;
use std::sync::OnceLock;

use eigenspan::Note;
use eigenspan::source::{Csr, CsrView};

use super::side::{Side, names_with};
use super::table::{SparseTable, Stored};
use crate::error::ReadError;
use crate::options::{Format, ReadOptions};
use crate::select::Names;
use crate::table::{IdColumn, MissingCells, Table};

/// A sparse matrix that has been read.
pub(crate) struct Sheet<T> {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) csr: Csr<T>,
    /// Names of its columns; numbers from 1 where there are none.
    pub(crate) names: Option<Vec<String>>,
    /// Columns that are used only if the options name them.
    pub(crate) aside: Vec<usize>,
    pub(crate) side: Side,
    /// Which column of text names the rows, unless the options say otherwise.
    pub(crate) id: Option<usize>,
    /// Which column of text holds classes, unless the options say otherwise.
    pub(crate) label: Option<usize>,
    /// Whether its cells are integers.
    pub(crate) whole_numbers: bool,
    pub(crate) missing: Option<MissingCells>,
    pub(crate) notes: Vec<Note>,
}

impl<T: Stored> Sheet<T> {
    /// The table that the options ask for.
    pub(crate) fn table(mut self, options: &ReadOptions) -> Result<Table, ReadError> {
        let n_features = n_cols(self.csr.view());
        let has_header = self.names.is_some();
        let features = match self.names.take() {
            Some(names) => names,
            None => (1..=n_features).map(|i| i.to_string()).collect(),
        };
        let names = names_with(&features, &mut self.side);
        let chosen = Names::new(&self.name, &names).choose(options)?;
        let mut used: Vec<bool> = chosen.columns.iter().take(n_features).copied().collect();
        for &col in self.aside.iter().filter(|_| options.columns.is_empty()) {
            if let Some(used) = used.get_mut(col) {
                *used = false;
            }
        }
        let used_names: Vec<String> = features
            .iter()
            .zip(&used)
            .filter(|(_, used)| **used)
            .map(|(name, _)| name.clone())
            .collect();
        if used_names.is_empty() {
            return Err(ReadError::NoNumericColumns {
                file: self.name,
                set_aside: self.side.names,
            });
        }
        let all = used.iter().all(|used| *used) && options.rows.is_none();
        self.keep_rows(options)?;
        let picked = match used.iter().all(|used| *used) {
            true => None,
            false => Some(pick_columns(self.csr.view(), &used)?),
        };
        let (csr, whole) = match picked {
            None => (self.csr, None),
            Some(picked) => (picked, Some(self.csr)),
        };
        let role = |col: Option<usize>| col.and_then(|col| names.get(col)).cloned();
        let id = role(chosen.id.or(self.id.map(|i| n_features + i))).map(|name| IdColumn {
            name,
            guessed: chosen.id.is_none(),
        });
        let label = role(chosen.label.or(self.label.map(|i| n_features + i)));
        let weight = role(chosen.weight);
        let n_rows = csr.view().n_rows();
        let mut table = SparseTable {
            used_names,
            named: has_header,
            n_features,
            csr,
            whole,
            side: self.side,
            weights: None,
            whole_numbers: self.whole_numbers,
            names,
        };
        if let Some(col) = chosen.weight {
            table.weights = Some(table.weights_of(&self.name, col)?);
        }
        Ok(Table {
            n_rows,
            has_header,
            id,
            label,
            weight,
            set_aside: Vec::new(),
            // Missing cells were counted in all cells; if only some are in use, they are found when rows are read.
            missing: self.missing.filter(|_| all),
            notes: self.notes,
            name: self.name,
            format: self.format,
            cells: Box::new(table),
            array: OnceLock::new(),
        })
    }

    /// Removes the rows that the options do not select.
    fn keep_rows(&mut self, options: &ReadOptions) -> Result<(), ReadError> {
        let n_rows = self.csr.view().n_rows();
        let Some(rows) = options.row_range()? else {
            return Ok(());
        };
        let rows = rows.start..rows.end.min(n_rows);
        if rows.is_empty() {
            return Err(ReadError::NoSuchRow {
                file: self.name.clone(),
                first: rows.start + 1,
                n_rows,
            });
        }
        self.csr = pick_rows(self.csr.view(), &rows)?;
        self.side.keep_rows(&rows);
        Ok(())
    }
}

fn n_cols<T: Stored>(view: CsrView<'_, T>) -> usize {
    eigenspan::source::Block::Sparse(view).n_cols()
}

fn pick_rows<T: Stored>(view: CsrView<'_, T>, rows: &Range<usize>) -> Result<Csr<T>, ReadError> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in rows.clone() {
        let (columns, cells) = view.row(i);
        indices.extend_from_slice(columns);
        values.extend_from_slice(cells);
        indptr.push(indices.len());
    }
    Ok(Csr::from_rows(n_cols(view), indptr, indices, values)?)
}

fn pick_columns<T: Stored>(view: CsrView<'_, T>, used: &[bool]) -> Result<Csr<T>, ReadError> {
    let mut count = 0u32;
    let places: Vec<Option<u32>> = used
        .iter()
        .map(|used| {
            used.then(|| {
                count += 1;
                count - 1
            })
        })
        .collect();
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.n_rows() {
        let (columns, cells) = view.row(i);
        for (col, cell) in columns.iter().zip(cells) {
            if let Some(Some(place)) = places.get(*col as usize) {
                indices.push(*place);
                values.push(*cell);
            }
        }
        indptr.push(indices.len());
    }
    Ok(Csr::from_rows(count as usize, indptr, indices, values)?)
}
