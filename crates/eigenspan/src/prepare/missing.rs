//! Missing cells (NaN): refused, left out with their row, or filled with their column's mean or what a model predicts.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::Error;
use crate::mat::{MatView, Real};
use crate::note::Note;
use crate::parallel;
use crate::source::{Block, ByColumn, Passes, Rows, Sink, Source};

/// What to do with missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse them
    #[default]
    Error,
    /// Leave out rows that have any
    Drop,
    /// Fill them with their column's mean
    Mean,
    /// Fill them with what the other cells of their rows predict (probabilistic PCA, by EM)
    Em,
}

/// The error for a column without any value, if its mean is needed.
pub(crate) fn no_value(names: Option<&[String]>, col: usize) -> Error {
    Error::NoValue {
        col,
        name: names.and_then(|names| names.get(col)).cloned(),
    }
}

/// A source without missing cells, made from a source that has some.
pub struct Complete<'a, T> {
    source: &'a dyn Source<T>,
    /// The fill value of each column; `None` if rows are dropped.
    fill: Option<Vec<f64>>,
    /// Number of complete rows before each part, if rows are dropped.
    starts: Vec<usize>,
    n_rows: usize,
    note: Option<Note>,
}

/// Counts of missing cells from one reading.
struct Count {
    rows: usize,
    complete: usize,
    missing: usize,
    /// Number of infinite cells in rows that are kept, and row and column of the first: row numbers are known only in this reading.
    infinite: usize,
    first_infinite: Option<(usize, usize)>,
    sum: Vec<f64>,
    seen: Vec<f64>,
}

impl Count {
    fn new(d: usize) -> Self {
        Count {
            rows: 0,
            complete: 0,
            missing: 0,
            infinite: 0,
            first_infinite: None,
            sum: vec![0.0; d],
            seen: vec![0.0; d],
        }
    }
}

/// What was read of rows, and, where missing cells were filled, the means that filled them and a note on them.
pub(crate) type Filled<R> = (R, Option<Vec<f64>>, Option<Note>);

/// Reads rows; where `missing` is mean, with missing cells filled by the means of their columns.
pub(crate) fn mean_filled<T: Real, R>(
    ctx: &Context,
    source: &dyn Source<T>,
    missing: Missing,
    read: impl FnOnce(&dyn Source<T>) -> Result<R, Error>,
) -> Result<Filled<R>, Error> {
    match missing {
        Missing::Mean => {
            let complete = Complete::new(ctx, source, true)?;
            let found = read(&complete)?;
            let fill = complete.fill().map(<[f64]>::to_vec);
            Ok((found, fill, complete.note()))
        }
        _ => Ok((read(source)?, None, None)),
    }
}

impl<'a, T: Real> Complete<'a, T> {
    /// Reads `source` once to count missing cells; it must be readable again.
    pub fn new(ctx: &Context, source: &'a dyn Source<T>, fill: bool) -> Result<Self, Error> {
        if source.passes() == Passes::Once {
            return Err(Error::ReadTwice {
                what: "missing cells are dropped or filled in a second reading",
                instead: None,
            });
        }
        let d = source.n_cols();
        let by_column = match source.by_column().filter(|_| fill) {
            Some(columns) => count_columns(ctx, columns)?,
            None => None,
        };
        let (starts, total) = match by_column {
            Some(total) => (Vec::new(), total),
            None => count_rows(ctx, source, fill)?,
        };
        if let Some((row, col)) = total.first_infinite {
            return Err(Error::NotFinite {
                nan: 0,
                infinite: total.infinite,
                row,
                col,
                name: source.col_names().and_then(|names| names.get(col).cloned()),
            });
        }
        if let Some(j) = (0..d).find(|&j| fill && total.seen[j] == 0.0) {
            return Err(no_value(source.col_names(), j));
        }
        let note = match (fill, total.missing) {
            (_, 0) => None,
            (true, cells) => Some(Note::FilledCells { cells }),
            (false, _) => Some(Note::DroppedRows {
                rows: total.rows - total.complete,
            }),
        };
        let n_rows = if fill { total.rows } else { total.complete };
        let fill = fill.then(|| (0..d).map(|j| total.sum[j] / total.seen[j]).collect());
        Ok(Complete {
            source,
            fill,
            starts,
            n_rows,
            note,
        })
    }

    /// The fill value of each column; `None` if rows are dropped.
    pub(crate) fn fill(&self) -> Option<&[f64]> {
        self.fill.as_deref()
    }

    /// A note on rows that were dropped or cells that were filled, if there were any.
    pub fn note(&self) -> Option<Note> {
        self.note.clone()
    }
}

/// Counts row by row; also gives the number of complete rows before each part.
fn count_rows<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    fill: bool,
) -> Result<(Vec<usize>, Count), Error> {
    let d = source.n_cols();
    let mut starts = vec![0];
    let mut total = Count::new(d);
    for part in 0..source.n_parts() {
        let count = count_part(ctx, source, part, fill)?;
        starts.push(starts[part] + if fill { count.rows } else { count.complete });
        total.rows += count.rows;
        total.complete += count.complete;
        total.missing += count.missing;
        total.infinite += count.infinite;
        total.first_infinite = total.first_infinite.or(count.first_infinite);
        for j in 0..d {
            total.sum[j] += count.sum[j];
            total.seen[j] += count.seen[j];
        }
    }
    Ok((starts, total))
}

/// Counts column by column, without the number of complete rows; `None` if a cell is infinite: its row must be named.
fn count_columns(ctx: &Context, columns: &dyn ByColumn) -> Result<Option<Count>, Error> {
    /// Number of columns that one thread reads at a time.
    const RUN: usize = 16;
    let (n, d) = columns.shape();
    let weights = columns.row_weights();
    let run = |start: usize| {
        ctx.check()?;
        let mut cells = vec![0.0; n * RUN.min(d - start)];
        columns.read_columns(start..(start + RUN).min(d), &mut cells)?;
        let count = |cells: &[f64]| {
            let (mut sum, mut seen, mut missing) = (0.0, 0.0, 0);
            for (i, x) in cells.iter().enumerate() {
                let weight = weights.map_or(1.0, |weights| weights[i]);
                match x.is_nan() {
                    true => missing += 1,
                    false => {
                        sum += weight * x;
                        seen += weight;
                    }
                }
            }
            (sum, seen, missing, cells.iter().any(|x| x.is_infinite()))
        };
        Ok(cells.chunks_exact(n.max(1)).map(count).collect::<Vec<_>>())
    };
    let starts: Vec<usize> = (0..d).step_by(RUN).collect();
    let runs = ctx.install(|| parallel::try_collect(starts.len(), |i| run(starts[i])));
    let mut total = Count::new(d);
    total.rows = n;
    for (j, (sum, seen, missing, infinite)) in runs?.into_iter().flatten().enumerate() {
        if infinite {
            return Ok(None);
        }
        (total.sum[j], total.seen[j]) = (sum, seen);
        total.missing += missing;
    }
    Ok(Some(total))
}

fn count_part<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    part: usize,
    fill: bool,
) -> Result<Count, Error> {
    let d = source.n_cols();
    let mut count = Count::new(d);
    let mut row = vec![0.0; d];
    source.read_part(part, &mut |rows| {
        ctx.check()?;
        let n = rows.block.n_rows();
        for i in 0..n {
            rows.block.row_to_f64(i, &mut row);
            let weight = rows.weights.map_or(1.0, |w| w[i]);
            let missing = row.iter().filter(|x| x.is_nan()).count();
            count.missing += missing;
            count.complete += usize::from(missing == 0);
            if fill || missing == 0 {
                for (j, _) in row.iter().enumerate().filter(|(_, x)| x.is_infinite()) {
                    count.infinite += 1;
                    count.first_infinite.get_or_insert((rows.first + i, j));
                }
            }
            for (j, x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                count.sum[j] += weight * x;
                count.seen[j] += weight;
            }
        }
        count.rows += n;
        Ok(())
    })?;
    Ok(count)
}

impl<T: Real> Source<T> for Complete<'_, T> {
    fn n_cols(&self) -> usize {
        self.source.n_cols()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let d = self.n_cols();
        let mut first = self.starts.get(part).copied();
        let (mut cells, mut weights) = (Vec::new(), Vec::new());
        self.source.read_part(part, &mut |rows| {
            cells.clear();
            weights.clear();
            let block = rows.block.to_mat();
            for i in 0..block.n_rows() {
                let row = block.row(i);
                match &self.fill {
                    None if row.iter().any(|x| x.to_f64().is_nan()) => continue,
                    None => cells.extend_from_slice(row),
                    Some(fill) => cells.extend(row.iter().zip(fill).map(|(x, fill)| {
                        if x.to_f64().is_nan() {
                            T::from_f64(*fill)
                        } else {
                            *x
                        }
                    })),
                }
                weights.extend(rows.weights.map(|w| w[i]));
            }
            let count = cells.len() / d.max(1);
            let view = MatView::from_rows(&cells, count, d)?;
            let weights = rows.weights.map(|_| weights.as_slice());
            sink(Rows {
                first: first.unwrap_or(rows.first),
                block: Block::from(view),
                weights,
            })?;
            first = first.map(|first| first + count);
            Ok(())
        })
    }

    fn n_parts(&self) -> usize {
        self.source.n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.n_rows)
    }

    fn by_column(&self) -> Option<&dyn ByColumn> {
        let filled = self.fill.is_some() && self.source.by_column().is_some();
        filled.then_some(self)
    }

    fn col_names(&self) -> Option<&[String]> {
        self.source.col_names()
    }

    fn is_weighted(&self) -> bool {
        self.source.is_weighted()
    }
}

/// Reading by columns, with missing cells filled. Not possible if rows with missing cells are dropped.
impl<T: Real> ByColumn for Complete<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.n_rows, self.source.n_cols())
    }

    fn read_columns(&self, columns: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        let (Some(fill), Some(source)) = (&self.fill, self.source.by_column()) else {
            return Err(Error::Unsupported {
                what: "rows that are dropped cannot be read column by column".to_owned(),
            });
        };
        source.read_columns(columns.clone(), out)?;
        let cells = out.chunks_exact_mut(self.n_rows.max(1));
        for (cells, fill) in cells.zip(&fill[columns]) {
            // Rounded to T, as in a reading by rows.
            let fill = T::from_f64(*fill).to_f64();
            let filled = |x: f64| if x.is_nan() { fill } else { x };
            cells.iter_mut().for_each(|x| *x = filled(*x));
        }
        Ok(())
    }

    fn row_weights(&self) -> Option<&[f64]> {
        self.source.by_column().and_then(ByColumn::row_weights)
    }
}
