//! Missing cells (NaN): refused, left out with their row, or filled with their column's mean or what a model predicts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::Error;
use crate::mat::{MatView, Real};
use crate::note::Note;
use crate::source::{Block, Passes, Rows, Sink, Source};

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

/// What a column without any value is refused with, where its mean is needed.
pub(crate) fn no_value(names: Option<&[String]>, col: usize) -> Error {
    Error::NoValue {
        col,
        name: names.and_then(|names| names.get(col)).cloned(),
    }
}

/// A source without missing cells, made from one that has some.
pub struct Complete<'a, T> {
    source: &'a dyn Source<T>,
    /// What a missing cell becomes, column by column; rows are dropped where there is none.
    fill: Option<Vec<f64>>,
    /// Complete rows before each part, and in all.
    starts: Vec<usize>,
    note: Option<Note>,
}

/// What one reading finds out about missing cells.
struct Count {
    rows: usize,
    complete: usize,
    missing: usize,
    /// Infinite cells in rows that stay, and the row and column of the first: only here are rows known by their place.
    infinite: usize,
    first_infinite: Option<(usize, usize)>,
    sum: Vec<f64>,
    seen: Vec<f64>,
}

impl<'a, T: Real> Complete<'a, T> {
    /// Reads `source` once to count what is missing; it must be readable again.
    pub fn new(ctx: &Context, source: &'a dyn Source<T>, fill: bool) -> Result<Self, Error> {
        if source.passes() == Passes::Once {
            return Err(Error::Mismatch {
                what: "missing cells are dropped or filled in a second reading, but this input can be read only once".to_owned(),
            });
        }
        let d = source.n_cols();
        let mut starts = vec![0];
        let mut total = Count {
            rows: 0,
            complete: 0,
            missing: 0,
            infinite: 0,
            first_infinite: None,
            sum: vec![0.0; d],
            seen: vec![0.0; d],
        };
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
        let fill = fill.then(|| (0..d).map(|j| total.sum[j] / total.seen[j]).collect());
        Ok(Complete {
            source,
            fill,
            starts,
            note,
        })
    }

    /// What a missing cell becomes, column by column; None where rows are dropped.
    pub(crate) fn fill(&self) -> Option<&[f64]> {
        self.fill.as_deref()
    }

    /// What was dropped or filled, if anything was.
    pub fn note(&self) -> Option<Note> {
        self.note.clone()
    }
}

fn count_part<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    part: usize,
    fill: bool,
) -> Result<Count, Error> {
    let d = source.n_cols();
    let mut count = Count {
        rows: 0,
        complete: 0,
        missing: 0,
        infinite: 0,
        first_infinite: None,
        sum: vec![0.0; d],
        seen: vec![0.0; d],
    };
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
        let mut first = self.starts[part];
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
                first,
                block: Block::from(view),
                weights,
            })?;
            first += count;
            Ok(())
        })
    }

    fn n_parts(&self) -> usize {
        self.source.n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        self.starts.last().copied()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.source.col_names()
    }

    fn is_weighted(&self) -> bool {
        self.source.is_weighted()
    }
}
