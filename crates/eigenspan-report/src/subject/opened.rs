//! An open table with the positions of a model's columns, and functions that read its rows.

use std::sync::Arc;

use eigenspan::method::Fitted;
use eigenspan::method::contract::{ProjectRows, project_rows};
use eigenspan::source::{Pick, Source};
use eigenspan::{Context, Error, Mat, Real, on_numbers, parallel};
use eigenspan_io::{Numbers, ReadOptions, Table};

use super::Embedded;
use crate::JobError;

/// A table, and the positions of the model's columns in it.
#[derive(Debug)]
pub struct OpenRows {
    /// The table.
    pub table: Arc<Table>,
    /// How the table was read.
    pub read: ReadOptions,
    /// The positions of the model's columns; `None` if they are exactly the table's columns.
    pub(crate) pick: Option<Vec<usize>>,
}

/// Runs `$body` on the model's columns of open rows, for either number type.
macro_rules! on_columns {
    ($ctx:expr, $rows:expr, $source:ident => $body:expr) => {
        eigenspan::on_numbers!($rows.numbers($ctx), numbers => match &$rows.pick {
            None => {
                let $source = numbers;
                $body
            }
            Some(pick) => eigenspan::source::Pick::new(numbers, pick.clone()).and_then(|picked| {
                let $source: &dyn eigenspan::source::Source<_> = &picked;
                $body
            }),
        })
    };
}
pub(crate) use on_columns;

/// With at most this many cells, a second pass over the data costs almost nothing.
const SMALL: usize = 20_000_000;

/// Whether a second pass over a table costs almost nothing.
pub(crate) fn is_small(table: &Table) -> bool {
    table.n_rows() * table.columns().len() <= SMALL
}

impl OpenRows {
    pub(crate) fn new(table: Arc<Table>, read: ReadOptions, pick: Option<Vec<usize>>) -> Self {
        OpenRows { table, read, pick }
    }

    /// The numbers of all columns of the table. A small table is read once, and its numbers stay in memory.
    pub fn numbers(&self, ctx: &Context) -> Numbers<'_> {
        // An error in reading is reported by whoever reads the numbers next.
        let _ = self.table.fetch_small(ctx);
        self.table.numbers()
    }

    /// Scores of all rows.
    pub(crate) fn scores(&self, ctx: &Context, fitted: &dyn Fitted) -> Result<Mat<f64>, JobError> {
        let table = &*self.table;
        let mut cells = Vec::new();
        for part in 0..table.n_parts() {
            ctx.check().map_err(|e| self.named(e))?;
            let pick = self.pick.as_deref();
            let scores = ctx.install(|| scores_of_part(ctx, table, pick, fitted, part))?;
            cells.extend(scores.into_vec());
        }
        let k = fitted.common().n_components;
        Mat::from_vec(cells.len() / k, k, cells).map_err(|e| self.named(e))
    }

    /// Scores on the first component of the rows that a model was just fitted to; `None` where they are not stored and take much
    /// more than reading the rows.
    pub(crate) fn first_scores(
        &self,
        ctx: &Context,
        fitted: &dyn Fitted,
    ) -> Result<Option<Vec<f64>>, JobError> {
        match fitted.embedding() {
            Some(kept) if kept.n_rows() == self.table.n_rows() => Ok(Some(kept.col(0))),
            Some(_) => {
                let embedded = Embedded::of_table(ctx, &self.table, fitted)?;
                Ok(Some(embedded.scores.col(0)))
            }
            None if is_small(&self.table) => {
                let first = fitted.first_scores(ctx, self.numbers(ctx));
                first.map_err(|e| self.named(e))
            }
            None => Ok(None),
        }
    }

    /// An error of the core about these rows.
    pub(crate) fn named(&self, error: Error) -> JobError {
        JobError::core(self.table.name(), error)
    }
}

/// The number of missing cells of a table, and the number of rows that have some.
pub(crate) fn count_missing(
    table: &Table,
    pick: Option<&[usize]>,
) -> Result<(usize, usize), JobError> {
    let part = |part: usize| -> Result<(usize, usize), JobError> {
        let cells = cells_of(table, pick, part)?;
        let missing = |row: &[f64]| row.iter().filter(|x| x.is_nan()).count();
        let counts: Vec<usize> = cells.rows().map(missing).collect();
        let rows = counts.iter().filter(|count| **count > 0).count();
        Ok((counts.iter().sum(), rows))
    };
    let parts = parallel::try_collect(table.n_parts(), part)?;
    let add = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
    Ok(parts.into_iter().fold((0, 0), add))
}

/// Scores of one part of a table.
pub(crate) fn scores_of_part(
    ctx: &Context,
    table: &Table,
    pick: Option<&[usize]>,
    fitted: &dyn Fitted,
    part: usize,
) -> Result<Mat<f64>, JobError> {
    let scores = fitted.must_project().and_then(
        |by| on_numbers!(table.numbers(), source => scores_from(ctx, source, pick, (by, fitted), part)),
    );
    scores.map_err(|e| JobError::core(table.name(), e))
}

fn scores_from<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    pick: Option<&[usize]>,
    (by, fitted): (&dyn ProjectRows<T>, &dyn Fitted),
    part: usize,
) -> Result<Mat<f64>, Error> {
    let common = fitted.common();
    let mut cells: Vec<f64> = Vec::new();
    let mut take = |source: &dyn Source<T>| {
        source.read_part(part, &mut |rows| {
            let scores = project_rows(ctx, by, common.missing, source, &rows)?;
            cells.extend(scores.into_vec());
            ctx.advance(rows.block.n_rows() as u64);
            Ok(())
        })
    };
    match pick {
        None => take(source)?,
        Some(pick) => take(&Pick::new(source, pick.to_vec())?)?,
    }
    let k = common.n_components;
    Mat::from_vec(cells.len() / k, k, cells)
}

/// Computes something of every part of a table, several parts at a time, and lets a state that all of them see take the results in order.
pub(crate) fn parts_in_order<S: Sync, R: Send>(
    ctx: &Context,
    table: &Table,
    state: &mut S,
    compute: impl Fn(&S, usize) -> Result<R, JobError> + Sync,
    mut take: impl FnMut(&mut S, R) -> Result<(), JobError>,
) -> Result<(), JobError> {
    let n_parts = table.n_parts();
    let wave = 2 * ctx.threads();
    for start in (0..n_parts).step_by(wave) {
        ctx.check().map_err(|e| JobError::core(table.name(), e))?;
        let count = wave.min(n_parts - start);
        let seen: &S = state;
        let one = |i| compute(seen, start + i);
        let results = ctx.install(|| parallel::try_collect(count, one))?;
        results.into_iter().try_for_each(|part| take(state, part))?;
    }
    Ok(())
}

/// The numbers of the given columns in one part of a table.
pub(crate) fn cells_of(
    table: &Table,
    pick: Option<&[usize]>,
    part: usize,
) -> Result<Mat<f64>, JobError> {
    let read = on_numbers!(table.numbers(), source => read_part(source, pick, part));
    read.map_err(|e| JobError::core(table.name(), e))
}

fn read_part<T: Real>(
    source: &dyn Source<T>,
    pick: Option<&[usize]>,
    part: usize,
) -> Result<Mat<f64>, Error> {
    let mut cells: Vec<f64> = Vec::new();
    let cols = pick.map_or(source.n_cols(), <[usize]>::len);
    let mut take = |source: &dyn Source<T>| {
        source.read_part(part, &mut |rows| {
            let from = cells.len();
            cells.resize(from + rows.block.n_rows() * cols, 0.0);
            rows.block.copy_to_f64(&mut cells[from..]);
            Ok(())
        })
    };
    match pick {
        None => take(source)?,
        Some(pick) => take(&Pick::new(source, pick.to_vec())?)?,
    }
    Mat::from_vec(cells.len() / cols.max(1), cols, cells)
}
