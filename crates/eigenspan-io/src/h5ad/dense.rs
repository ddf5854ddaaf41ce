//! A dense matrix of an HDF5 file, read by slices of rows.

use std::ops::Range;
use std::sync::OnceLock;

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Error, MatView};
use hdf5_reader::Dataset;

use super::cells::{is_single, is_whole, numbers, rows};
use super::{Annotations, decoded};
use crate::error::{ReadError, into_core};
use crate::options::{Format, ReadOptions};
use crate::select::Names;
use crate::sparse::{Side, Stored, names_with};
use crate::table::{Cells, IdColumn, Numbers, PartTexts, Table, TextColumn, part_rows};

/// An open dense matrix.
pub(super) struct Dense {
    file: String,
    x: Dataset,
    /// Names of the columns, then the name of the column of row names.
    names: Vec<String>,
    n_features: usize,
    used: Vec<usize>,
    used_names: Vec<String>,
    side: Side,
    weights: Option<Vec<f64>>,
    /// The rows in use.
    rows: Range<usize>,
}

impl std::fmt::Debug for Dense {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dense")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Dense {
    /// Applies the options.
    pub(super) fn open(
        annotations: Annotations,
        x: Dataset,
        options: &ReadOptions,
    ) -> Result<Table, ReadError> {
        let (n_rows, n_features) = (annotations.rows.len(), annotations.columns.len());
        let mut side = Side::one("obs", annotations.rows.iter().collect());
        let names = names_with(&annotations.columns, &mut side);
        let chosen = Names::new(&annotations.name, &names).choose(options)?;
        let used: Vec<usize> = (0..n_features)
            .filter(|col| chosen.columns.get(*col) == Some(&true))
            .collect();
        if used.is_empty() {
            return Err(ReadError::NoNumericColumns {
                file: annotations.name,
                set_aside: side.names,
            });
        }
        let rows = options.row_range()?.unwrap_or(0..n_rows);
        let rows = rows.start..rows.end.min(n_rows);
        if rows.is_empty() {
            return Err(ReadError::NoSuchRow {
                file: annotations.name,
                first: rows.start + 1,
                n_rows,
            });
        }
        side.keep_rows(&rows);
        let named = |col: usize| names.get(col).cloned().unwrap_or_default();
        let mut table = Dense {
            file: annotations.name.clone(),
            used_names: used.iter().map(|&col| named(col)).collect(),
            names: names.clone(),
            x,
            n_features,
            used,
            side,
            weights: None,
            rows: rows.clone(),
        };
        if let Some(col) = chosen.weight {
            table.weights = Some(table.weights_of(col)?);
        }
        Ok(Table {
            name: annotations.name,
            format: Format::H5ad,
            n_rows: rows.len(),
            has_header: true,
            id: Some(IdColumn {
                name: named(chosen.id.unwrap_or(n_features)),
                guessed: chosen.id.is_none(),
            }),
            label: chosen.label.map(named),
            weight: chosen.weight.map(named),
            set_aside: Vec::new(),
            missing: None,
            notes: annotations.notes,
            cells: Box::new(table),
            array: OnceLock::new(),
        })
    }

    fn weights_of(&self, col: usize) -> Result<Vec<f64>, ReadError> {
        match col.checked_sub(self.n_features) {
            Some(beside) => self.side.numbers(&self.file, beside),
            None => self.column(0..self.rows.len(), col),
        }
    }

    fn part_range(&self, part: usize) -> Range<usize> {
        let rows = part_rows(self.n_features);
        let start = part.saturating_mul(rows).min(self.rows.len());
        start..(start + rows).min(self.rows.len())
    }

    fn in_file(&self, range: &Range<usize>) -> Range<usize> {
        self.rows.start + range.start..self.rows.start + range.end
    }

    fn column<T: Stored>(&self, range: Range<usize>, col: usize) -> Result<Vec<T>, ReadError> {
        let part = rows(self.in_file(&range), Some(col));
        decoded(&self.file, || numbers(&self.x, &part))
    }

    /// The cells of some rows in the columns in use.
    fn cells<T: Stored>(&self, range: &Range<usize>) -> Result<Vec<T>, ReadError> {
        let part = rows(self.in_file(range), None);
        let cells: Vec<T> = decoded(&self.file, || numbers(&self.x, &part))?;
        if self.used.len() == self.n_features {
            return Ok(cells);
        }
        let picked = |row: &[T]| -> Vec<T> {
            self.used
                .iter()
                .filter_map(|&col| row.get(col).copied())
                .collect()
        };
        Ok(cells
            .chunks_exact(self.n_features)
            .flat_map(picked)
            .collect())
    }

    fn texts(&self, range: Range<usize>, col: usize) -> Result<TextColumn, ReadError> {
        if let Some(beside) = col.checked_sub(self.n_features) {
            return Ok(self.side.texts(beside, range));
        }
        if is_single(&self.x) {
            let cells = self.column::<f32>(range, col)?;
            return Ok(cells.into_iter().map(Stored::written).collect());
        }
        let whole = is_whole(&self.x);
        let written = |cell: f64| match whole {
            true => format!("{cell:.0}"),
            false => cell.written(),
        };
        Ok(self.column(range, col)?.into_iter().map(written).collect())
    }
}

impl Cells for Dense {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    /// 32-bit floats stay 32-bit floats; everything else becomes f64.
    fn numbers(&self) -> Numbers<'_> {
        match is_single(&self.x) {
            true => Numbers::F32(self),
            false => Numbers::F64(self),
        }
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let range = self.part_range(part);
        let texts = columns.iter().map(|&col| self.texts(range.clone(), col));
        Ok(PartTexts {
            first: range.start,
            columns: texts.collect::<Result<_, _>>()?,
        })
    }
}

/// The parts are the same as those of an NPY file with the same matrix, so that the same bits come out.
impl<T: Stored> Source<T> for Dense {
    fn n_cols(&self) -> usize {
        self.used.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let range = self.part_range(part);
        let cells: Vec<T> = self.cells(&range).map_err(into_core)?;
        sink(Rows {
            first: range.start,
            block: Block::Dense(MatView::from_rows(&cells, range.len(), self.used.len())?),
            weights: self
                .weights
                .as_ref()
                .and_then(|weights| weights.get(range.clone())),
        })
    }

    fn n_parts(&self) -> usize {
        self.rows.len().div_ceil(part_rows(self.n_features))
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.len())
    }

    fn col_names(&self) -> Option<&[String]> {
        Some(&self.used_names)
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}
