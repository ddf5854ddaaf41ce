//! Computed rows and those who take them. Rows are computed a few parts at a time and taken in order, so that memory does not grow with
//! the number of rows unless the sink keeps them.

use eigenspan::method::Fitted;
use eigenspan::method::contract::Predict;
use eigenspan::source::Pick;
use eigenspan::{Context, Mat, Note, on_numbers};
use eigenspan_io::{Numbers, Picture, Table, TextColumn};

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
    /// The class of every row, if the model predicts classes.
    pub predicted: Option<Predicted>,
    /// Whether they replace the table's columns of these names, so that the other columns stay beside them.
    pub replaces: bool,
    pub(super) compute: &'a (dyn Fn(usize) -> Result<Mat<f64>, JobError> + Sync),
}

/// The class of every row of a table, as a model predicts it.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// The classes.
    pub classes: Vec<String>,
    /// The class of each row, by its number; `None` for a row without one.
    pub rows: Vec<Option<usize>>,
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
    /// The class of every row, if the model predicts classes.
    pub predicted: Option<Predicted>,
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
            predicted: None,
            replaces: false,
            compute,
        }
    }

    /// Scores under a model of these columns of a table, with the classes that the model predicts.
    pub(crate) fn scores(
        ctx: &Context,
        (table, pick): (&'a Table, Option<&[usize]>),
        fitted: &dyn Fitted,
        compute: &'a (dyn Fn(usize) -> Result<Mat<f64>, JobError> + Sync),
    ) -> Result<Self, JobError> {
        let predicted = fitted
            .predictor()
            .map(|by| Predicted::new(ctx, table, pick, by))
            .transpose()?;
        Ok(ComputedRows {
            predicted,
            ..ComputedRows::new(table, fitted.axis_names(), compute)
        })
    }

    /// Computes the rows of one part of the table.
    pub fn part(&self, part: usize) -> Result<Mat<f64>, JobError> {
        (self.compute)(part)
    }
}

impl Predicted {
    fn new(
        ctx: &Context,
        table: &Table,
        pick: Option<&[usize]>,
        by: &dyn Predict,
    ) -> Result<Self, JobError> {
        let rows = on_numbers!(table.numbers(), source => match pick {
            None => by.predict(ctx, Numbers::from_source(source)),
            Some(pick) => Pick::new(source, pick.to_vec())
                .and_then(|picked| by.predict(ctx, Numbers::from_source(&picked))),
        });
        Ok(Predicted {
            classes: by.classes().to_vec(),
            rows: rows.map_err(|e| JobError::core(table.name(), e))?,
        })
    }

    /// The classes of some rows; empty for a row without one.
    pub fn texts(&self, first: usize, count: usize) -> TextColumn {
        let name = |class: &Option<usize>| class.map_or("", |class| &self.classes[class]);
        let rows = self.rows[first..first + count].iter();
        rows.map(|class| name(class).to_owned()).collect()
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
        self.predicted.clone_from(&rows.predicted);
        Ok(Vec::new())
    }
}
