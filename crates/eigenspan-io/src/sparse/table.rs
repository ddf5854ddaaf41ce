//! Sparse rows in memory as the cells of a table.

use std::fmt::Debug;

use eigenspan::source::{Csr, Sink, Source, Sparse};
use eigenspan::{Error, Real};

use super::side::Side;
use crate::error::ReadError;
use crate::table::{Cells, Numbers, PartTexts, TextColumn};

/// The types in which cells are stored.
pub(crate) trait Stored: Real + Debug {
    /// A source of this type, as a table offers it.
    fn numbers(source: &dyn Source<Self>) -> Numbers<'_>;
    /// A cell with the fewest digits that read back as the same bits.
    fn written(self) -> String;
}

impl Stored for f32 {
    fn numbers(source: &dyn Source<f32>) -> Numbers<'_> {
        Numbers::F32(source)
    }
    fn written(self) -> String {
        zmij::Buffer::new().format(self).to_owned()
    }
}

impl Stored for f64 {
    fn numbers(source: &dyn Source<f64>) -> Numbers<'_> {
        Numbers::F64(source)
    }
    fn written(self) -> String {
        zmij::Buffer::new().format(self).to_owned()
    }
}

/// An open sparse matrix.
#[derive(Debug)]
pub(super) struct SparseTable<T> {
    /// Names of its columns, and of the columns of text beside them.
    pub(super) names: Vec<String>,
    pub(super) used_names: Vec<String>,
    /// Whether the columns have names and not just numbers.
    pub(super) named: bool,
    /// Columns of the matrix, used or not.
    pub(super) n_features: usize,
    /// The columns in use.
    pub(super) csr: Csr<T>,
    /// All columns, if not all are in use.
    pub(super) whole: Option<Csr<T>>,
    pub(super) side: Side,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) whole_numbers: bool,
}

impl<T: Stored> SparseTable<T> {
    /// A cell of any column of the matrix.
    fn cell(&self, row: usize, col: usize) -> T {
        let (columns, values) = self.whole.as_ref().unwrap_or(&self.csr).view().row(row);
        let found = u32::try_from(col)
            .ok()
            .and_then(|col| columns.binary_search(&col).ok());
        found
            .and_then(|place| values.get(place).copied())
            .unwrap_or_default()
    }

    /// The numbers of the column of weights.
    pub(super) fn weights_of(&self, file: &str, col: usize) -> Result<Vec<f64>, ReadError> {
        let rows = 0..self.csr.view().n_rows();
        if col < self.n_features {
            return Ok(rows.map(|row| self.cell(row, col).to_f64()).collect());
        }
        self.side.numbers(file, col - self.n_features)
    }

    fn rows(&self) -> Result<Sparse<'_, T>, Error> {
        let rows = Sparse::new(self.csr.view());
        match &self.weights {
            None => Ok(rows),
            Some(weights) => rows.with_weights(weights),
        }
    }
}

impl<T: Stored> Cells for SparseTable<T> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> Numbers<'_> {
        T::numbers(self)
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let mut range = 0..0;
        self.read_part(part, &mut |rows| {
            range = rows.first..rows.first + rows.block.n_rows();
            Ok(())
        })?;
        let column = |&col: &usize| -> TextColumn {
            if col >= self.n_features {
                return self.side.texts(col - self.n_features, range.clone());
            }
            let written = |row| match self.cell(row, col) {
                cell if self.whole_numbers => format!("{:.0}", cell.to_f64()),
                cell => cell.written(),
            };
            range.clone().map(written).collect()
        };
        Ok(PartTexts {
            first: range.start,
            columns: columns.iter().map(column).collect(),
        })
    }
}

/// The parts are the same as those of the same matrix in memory, so that the same bits come out.
impl<T: Stored> Source<T> for SparseTable<T> {
    fn n_cols(&self) -> usize {
        self.used_names.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        self.rows()?.read_part(part, sink)
    }

    fn n_parts(&self) -> usize {
        Sparse::new(self.csr.view()).n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        Sparse::new(self.csr.view()).n_rows()
    }

    fn nnz(&self) -> Option<u64> {
        Sparse::new(self.csr.view()).nnz()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.named.then_some(self.used_names.as_slice())
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}
