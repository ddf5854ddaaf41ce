//! Coordinates of the rows that a model was fitted to, for methods that have coordinates for no other rows.

use eigenspan::method::Fitted;
use eigenspan::{Context, Mat};
use eigenspan_io::Table;

use crate::JobError;

/// The coordinates that a fit gave to the rows of a table, NaN for the rows that it left out.
pub(crate) struct Embedded<'a> {
    /// The coordinates of every row.
    pub(crate) scores: Mat<f64>,
    table: &'a Table,
}

impl<'a> Embedded<'a> {
    /// The coordinates that the model keeps of the rows of this table; an error if it keeps none, or was fitted to other rows.
    pub(crate) fn of_table(
        ctx: &Context,
        table: &'a Table,
        fitted: &dyn Fitted,
    ) -> Result<Self, JobError> {
        let scores = fitted.embedded(ctx, table.numbers());
        Ok(Embedded {
            scores: scores.map_err(|e| JobError::core(table.name(), e))?,
            table,
        })
    }

    /// The coordinates of the rows of one part of the table.
    pub(crate) fn part(&self, part: usize) -> Result<Mat<f64>, JobError> {
        let first = |part: usize| -> Result<usize, JobError> {
            match part < self.table.n_parts() {
                true => Ok(self.table.part_texts(part, &[])?.first),
                false => Ok(self.scores.n_rows()),
            }
        };
        let (from, to) = (first(part)?, first(part + 1)?);
        let cell = |i: usize, j: usize| self.scores[(from + i, j)];
        Ok(Mat::from_fn(to - from, self.scores.n_cols(), cell))
    }
}
