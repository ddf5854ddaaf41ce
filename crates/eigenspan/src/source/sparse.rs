//! A sparse matrix in memory, as rows: only the cells that are not zero are kept, and it is never made dense.

use super::beside::Beside;
use super::{Block, Rows, Sink, Source};
use crate::error::Error;
use crate::mat::Real;

/// A view of compressed sparse rows: row i has `values[indptr[i]..indptr[i + 1]]` in columns `indices[…]`, rising.
#[derive(Debug, Clone, Copy)]
pub struct CsrView<'a, T> {
    pub(super) n_cols: usize,
    pub(super) indptr: &'a [usize],
    pub(super) indices: &'a [u32],
    pub(super) values: &'a [T],
}

impl<'a, T: Real> CsrView<'a, T> {
    /// Checked: pointers rise and end with the data, columns rise within a row and lie inside the matrix.
    pub fn new(
        n_cols: usize,
        indptr: &'a [usize],
        indices: &'a [u32],
        values: &'a [T],
    ) -> Result<Self, Error> {
        let bad = |what: String| Err(Error::NotSparse { what });
        if indptr.first() != Some(&0)
            || indptr.last() != Some(&values.len())
            || indices.len() != values.len()
        {
            return bad(format!(
                "row pointers must run from 0 to the number of values ({}), and every value needs a column",
                values.len()
            ));
        }
        for (row, pair) in indptr.windows(2).enumerate() {
            if pair[0] > pair[1] {
                return bad(format!("row pointers fall at row {}", row + 1));
            }
        }
        for (row, pair) in indptr.windows(2).enumerate() {
            let columns = &indices[pair[0]..pair[1]];
            if let Some(col) = columns.iter().find(|&&col| col as usize >= n_cols) {
                return bad(format!(
                    "row {} has column {}, but there are {n_cols} columns",
                    row + 1,
                    u64::from(*col) + 1
                ));
            }
            if columns.windows(2).any(|c| c[0] >= c[1]) {
                return bad(format!(
                    "the columns of row {} are not in rising order, or repeat",
                    row + 1
                ));
            }
        }
        Ok(CsrView {
            n_cols,
            indptr,
            indices,
            values,
        })
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    /// Columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Columns and values of one row.
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [T]) {
        let (start, end) = (self.indptr[i], self.indptr[i + 1]);
        (&self.indices[start..end], &self.values[start..end])
    }

    /// Rows `start..end`.
    pub fn slice_rows(&self, start: usize, end: usize) -> Self {
        CsrView {
            indptr: &self.indptr[start..=end],
            ..*self
        }
    }
}

/// Rows of a sparse matrix in memory.
#[derive(Debug, Clone)]
pub struct Sparse<'a, T> {
    view: CsrView<'a, T>,
    beside: Beside<'a>,
}

impl<'a, T: Real> Sparse<'a, T> {
    /// The rows of `view`, each with weight 1.
    pub fn new(view: CsrView<'a, T>) -> Self {
        Sparse {
            view,
            beside: Beside::default(),
        }
    }

    /// Gives each row a weight; a weight of 2 counts as the row twice.
    pub fn with_weights(mut self, weights: &'a [f64]) -> Result<Self, Error> {
        self.beside = self.beside.with_weights(weights, self.view.n_rows())?;
        Ok(self)
    }

    /// Gives the columns names.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self, Error> {
        self.beside = self.beside.with_names(names, self.view.n_cols)?;
        Ok(self)
    }

    fn part_rows(&self) -> usize {
        self.view.n_rows().div_ceil(64).max(256)
    }
}

impl<T: Real> Source<T> for Sparse<'_, T> {
    fn n_cols(&self) -> usize {
        self.view.n_cols
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let start = part * self.part_rows();
        let end = (start + self.part_rows()).min(self.view.n_rows());
        let weights = self.beside.weights_of(start, end);
        sink(Rows {
            first: start,
            block: Block::Sparse(self.view.slice_rows(start, end)),
            weights,
        })
    }

    fn n_parts(&self) -> usize {
        self.view.n_rows().div_ceil(self.part_rows())
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.view.n_rows())
    }

    fn nnz(&self) -> Option<u64> {
        Some(self.view.values.len() as u64)
    }

    fn col_names(&self) -> Option<&[String]> {
        self.beside.names.as_deref()
    }

    fn is_weighted(&self) -> bool {
        self.beside.weights.is_some()
    }
}

/// Compressed sparse rows that own their memory.
#[derive(Debug, Clone)]
pub struct Csr<T> {
    n_cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Csr<T> {
    /// From compressed sparse columns, given as the compressed rows of the transpose.
    pub fn from_columns(n_rows: usize, columns: CsrView<'_, T>) -> Result<Self, Error> {
        if columns.n_cols != n_rows {
            return Err(Error::WrongWidth {
                given: columns.n_cols,
                expected: n_rows,
            });
        }
        let mut indptr = vec![0usize; n_rows + 1];
        columns
            .indices
            .iter()
            .for_each(|&row| indptr[row as usize + 1] += 1);
        for i in 0..n_rows {
            indptr[i + 1] += indptr[i];
        }
        let mut next = indptr.clone();
        let mut indices = vec![0u32; columns.values.len()];
        let mut values = vec![T::default(); columns.values.len()];
        // Columns are walked in order, so every row ends up with rising columns.
        for col in 0..columns.n_rows() {
            let (rows, cells) = columns.row(col);
            for (&row, &cell) in rows.iter().zip(cells) {
                let place = &mut next[row as usize];
                indices[*place] = col as u32;
                values[*place] = cell;
                *place += 1;
            }
        }
        Ok(Csr {
            n_cols: columns.n_rows(),
            indptr,
            indices,
            values,
        })
    }

    /// From compressed sparse rows, checked as [`CsrView::new`] does.
    pub fn from_rows(
        n_cols: usize,
        indptr: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self, Error> {
        CsrView::new(n_cols, &indptr, &indices, &values)?;
        Ok(Csr {
            n_cols,
            indptr,
            indices,
            values,
        })
    }

    /// Columns and values of one row, to change its values.
    pub(crate) fn row_mut(&mut self, i: usize) -> (&[u32], &mut [T]) {
        let cells = self.indptr[i]..self.indptr[i + 1];
        (&self.indices[cells.clone()], &mut self.values[cells])
    }

    /// Values of all rows.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// Values of all rows, to change.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Columns.
    pub(crate) fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Some of the rows.
    pub(crate) fn some(&self, rows: &[usize]) -> Self {
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &row in rows {
            let (columns, cells) = self.view().row(row);
            indices.extend_from_slice(columns);
            values.extend_from_slice(cells);
            indptr.push(values.len());
        }
        Csr {
            n_cols: self.n_cols,
            indptr,
            indices,
            values,
        }
    }

    /// A view of the matrix.
    pub fn view(&self) -> CsrView<'_, T> {
        CsrView {
            n_cols: self.n_cols,
            indptr: &self.indptr,
            indices: &self.indices,
            values: &self.values,
        }
    }
}
