//! Rows that neighbors are looked for among, as numbers that a model file can keep.
//!
//! What is kept are the rows as they are compared (of length 1 for cosine, say), with the power of two that they were divided by, so
//! that rows that come back from a file are compared with the same bits.

use super::options::{FittedRows, NeighborOptions};
use super::rows::{Cells, MetricRows};
use crate::context::Context;
use crate::error::Error;
use crate::mat::Mat;
use crate::source::Csr;

/// Rows as they are compared.
#[derive(Debug)]
pub(crate) enum StoredRows<'a> {
    /// Stored whole.
    Dense(&'a Mat<f64>),
    /// Cells that are not zero, as compressed sparse rows.
    Sparse {
        starts: Vec<f64>,
        columns: Vec<f64>,
        values: &'a [f64],
    },
}

impl FittedRows {
    /// The rows as they are compared, and the power of two that they were divided by.
    pub(crate) fn stored(&self) -> (StoredRows<'_>, f64) {
        let rows = self.metric_rows();
        let stored = match &rows.cells {
            Cells::Dense(cells) => StoredRows::Dense(cells),
            Cells::Sparse(cells) => {
                let view = cells.view();
                let lengths = (0..view.n_rows()).map(|i| view.row(i).0.len());
                let mut starts = vec![0.0];
                for length in lengths {
                    starts.push(starts[starts.len() - 1] + length as f64);
                }
                let columns = (0..view.n_rows()).flat_map(|i| view.row(i).0);
                StoredRows::Sparse {
                    starts,
                    columns: columns.map(|j| f64::from(*j)).collect(),
                    values: cells.values(),
                }
            }
        };
        (stored, rows.unit())
    }

    /// Rows that were stored whole.
    pub(crate) fn from_dense(options: NeighborOptions, cells: Mat<f64>, unit: f64) -> Self {
        Self::from_cells(options, Cells::Dense(cells), unit)
    }

    /// Rows that were stored as compressed sparse rows.
    pub(crate) fn from_sparse(
        options: NeighborOptions,
        n_cols: usize,
        (starts, columns, values): (&[f64], &[f64], Vec<f64>),
        unit: f64,
    ) -> Result<Self, Error> {
        let starts = starts.iter().map(|x| *x as usize).collect();
        let columns = columns.iter().map(|x| *x as u32).collect();
        let cells = Csr::from_rows(n_cols, starts, columns, values)?;
        Ok(Self::from_cells(options, Cells::Sparse(cells), unit))
    }

    fn from_cells(options: NeighborOptions, cells: Cells, unit: f64) -> Self {
        let rows = MetricRows::from_cells(&Context::new(), options.metric, cells, unit);
        FittedRows::new(rows, options)
    }
}
