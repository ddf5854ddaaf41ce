//! Computed rows and those who take them. Rows are computed a few parts at a time and taken in order, so that memory does not grow with
//! the number of rows unless the sink keeps them.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat, Note};
use eigenspan_io::{Picture, Table};

use crate::JobError;
use crate::subject::parts_in_order;

/// Rows that are computed from the rows of a table, one for one.
pub struct ComputedRows<'a> {
    /// The table they are computed from; its texts name and label them.
    pub table: &'a Table,
    /// The names of their columns.
    pub names: Vec<String>,
    /// Whether they are written as 32-bit numbers.
    pub is_single: bool,
    /// Whether they replace the table's columns of these names, so that the other columns stay beside them.
    pub replaces: bool,
    pub(super) compute: &'a (dyn Fn(usize) -> Result<Mat<f64>, JobError> + Sync),
}

/// Takes computed rows.
pub trait RowSink {
    /// Called before the rows are computed, with the name of the model or table whose rows they are like, and the shape of the pictures
    /// if these are pictures. An error ends the work.
    fn begin(&mut self, _name: &str, _picture: Option<Picture>) -> Result<(), JobError> {
        Ok(())
    }

    /// Takes all rows, and returns notes about them.
    fn take(&mut self, ctx: &Context, rows: &ComputedRows<'_>) -> Result<Vec<Note>, JobError>;
}

/// Computed rows in memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowsInMemory {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The rows.
    pub rows: Mat<f64>,
}

impl<'a> ComputedRows<'a> {
    /// Rows in the element type of their table, with columns of these names; `compute` gives those of a part of the table.
    pub(crate) fn new(
        table: &'a Table,
        names: Vec<String>,
        compute: &'a (dyn Fn(usize) -> Result<Mat<f64>, JobError> + Sync),
    ) -> Self {
        ComputedRows {
            table,
            names,
            is_single: table.numbers().is_single(),
            replaces: false,
            compute,
        }
    }

    /// Scores under a model.
    pub(crate) fn scores(
        table: &'a Table,
        fitted: &dyn Fitted,
        compute: &'a (dyn Fn(usize) -> Result<Mat<f64>, JobError> + Sync),
    ) -> Self {
        ComputedRows::new(table, fitted.axis_names(), compute)
    }

    /// Computes the rows of one part of the table.
    pub fn part(&self, part: usize) -> Result<Mat<f64>, JobError> {
        (self.compute)(part)
    }
}

impl std::fmt::Debug for ComputedRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.table.n_rows();
        write!(f, "ComputedRows({rows} × {:?})", self.names)
    }
}

impl RowSink for RowsInMemory {
    fn take(&mut self, ctx: &Context, rows: &ComputedRows<'_>) -> Result<Vec<Note>, JobError> {
        let mut cells = Vec::new();
        let compute = |_: &Vec<f64>, part| rows.part(part);
        parts_in_order(ctx, rows.table, &mut cells, compute, |cells, part| {
            cells.extend(part.into_vec());
            Ok(())
        })?;
        let d = rows.names.len();
        self.rows = Mat::from_vec(cells.len() / d.max(1), d, cells)
            .map_err(|e| JobError::core(rows.table.name(), e))?;
        self.names.clone_from(&rows.names);
        Ok(Vec::new())
    }
}
