//! Rows for the rules that use rows: all rows, prepared in memory, or a seeded sample.

use super::ChooseOptions;
use super::effort::rows_within_reach;
use crate::context::Context;
use crate::error::{Error, counted, grouped};
use crate::mat::{Mat, Real};
use crate::prepare::{Scale, gather};
use crate::solve::Convention;
use crate::source::{RowSet, Source, Subset};

/// The number of copies of the sample that the rules keep in memory at the same time.
const COPIES: u64 = 4;

/// The prepared matrix of all rows, or of some.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Rows, centered and scaled by the options, each multiplied by the root of its weight.
    pub matrix: Mat<f64>,
    /// The power of two by which they were divided, so that no square leaves the range of f64; almost always 1.
    pub unit: f64,
    /// Their weights, if they have any.
    pub weights: Option<Vec<f64>>,
    /// Number of rows of the source; `None` for a pipe, of which the first rows were taken.
    pub n_rows: Option<usize>,
}

impl Sample {
    /// Reads rows of a source: all, or a sample where there are more than `max_rows` or than the memory allows.
    pub fn gather<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        center: bool,
        scale: Scale,
        options: &ChooseOptions,
    ) -> Result<Self, Error> {
        options.check()?;
        let count = rows_within_reach(source.n_cols(), options);
        Sample::gather_at_most(ctx, source, (center, scale), count, options.seed)
    }

    /// Reads rows of a source: all, or a sample where there are more than `count` or than the memory allows.
    pub fn gather_at_most<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        (center, scale): (bool, Scale),
        count: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let d = source.n_cols();
        if d == 0 {
            return Err(Error::NoColumns);
        }
        let count = count.min(rows_that_fit(ctx, d)?);
        let n_rows = source.n_rows();
        let rows = match n_rows {
            Some(n) => RowSet::sample(n, count, seed),
            None => RowSet::Range(0..count),
        };
        let gathered = match n_rows {
            Some(n) if rows.len() == n => {
                ctx.install(|| gather(ctx, source, center, scale, divisor))
            }
            _ => {
                let subset = Subset::new(source, &rows);
                ctx.install(|| gather(ctx, &subset, center, scale, divisor))
            }
        }?;
        Ok(Sample {
            matrix: gathered.matrix,
            unit: gathered.unit,
            weights: gathered.weights,
            n_rows,
        })
    }

    /// The factor that turns a variance of the matrix (its squares divided by rows − 1) into a variance of the data.
    pub(super) fn variance_unit(&self) -> f64 {
        let free = |total: f64| Convention::default().divisor(total);
        let n = self.matrix.n_rows() as f64;
        let divisor = self.weights.as_ref().map_or(n, |w| w.iter().sum());
        self.unit * self.unit * free(n) / free(divisor)
    }

    /// Adds to a sentence how many rows were used, if not all were.
    pub(super) fn say_sampled(&self, sentence: &mut String) {
        let seen = counted(self.matrix.n_rows(), "row");
        match self.n_rows {
            Some(n) if n > self.matrix.n_rows() => {
                sentence.push_str(&format!(" (on {seen} of {})", grouped(n as u64)))
            }
            None => sentence.push_str(&format!(" (on the first {seen})")),
            Some(_) => {}
        }
    }
}

/// The common factor by which scaled columns are divided. Weights that sum to less than two rows have no n − 1.
fn divisor(weight: f64) -> f64 {
    match weight < 2.0 {
        true => weight,
        false => Convention::default().divisor(weight),
    }
}

/// The number of rows that fit into the memory budget, with the copies that the rules make.
fn rows_that_fit(ctx: &Context, n_cols: usize) -> Result<usize, Error> {
    let Some(allowed) = ctx.memory() else {
        return Ok(usize::MAX);
    };
    let row = (n_cols as u64).saturating_mul(8).saturating_mul(COPIES);
    let fit = allowed / row.max(1);
    if fit < 2 {
        return Err(Error::Memory {
            what: "a sample of two rows".to_owned(),
            needed: row.saturating_mul(2),
            allowed,
        });
    }
    Ok(usize::try_from(fit).unwrap_or(usize::MAX))
}
