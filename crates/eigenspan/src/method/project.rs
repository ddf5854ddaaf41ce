//! Coordinates of new rows: what a method implements, and how any source is projected with it, part by part.

use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Rows, Source, for_each_block};

/// Coordinates of new rows of one element type.
pub trait ProjectRows<T: Real>: Sync {
    /// Coordinates of some rows of a source (n × k), NaN where a cell is missing and not filled.
    fn project_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error>;
}

/// Coordinates of new rows.
pub trait Project: ProjectRows<f32> + ProjectRows<f64> {}

impl<M: ProjectRows<f32> + ProjectRows<f64>> Project for M {}

/// Coordinates of some rows of a source. The treatment of missing cells in new rows is decided here, for every method and
/// every front: rows with missing cells get NaN where the fit left such rows out; otherwise they are refused, with their count
/// and the first place. Infinite coordinates are always refused.
pub fn project_rows<T: Real>(
    ctx: &Context,
    by: &dyn ProjectRows<T>,
    missing: Missing,
    source: &dyn Source<T>,
    rows: &Rows<'_, T>,
) -> Result<Mat<f64>, Error> {
    let scores = by.project_block(ctx, rows)?;
    let is_refused = |x: &f64| match missing {
        Missing::Drop => x.is_infinite(),
        _ => !x.is_finite(),
    };
    match scores.as_slice().iter().any(is_refused) {
        true => Err(find_not_finite(ctx, source)),
        false => Ok(scores),
    }
}

/// Coordinates of all rows of a source (n × k), in its element type.
pub(in crate::method) fn project_all<T: Real>(
    ctx: &Context,
    (by, missing): (&dyn ProjectRows<T>, Missing),
    source: &dyn Source<T>,
    k: usize,
) -> Result<Mat<T>, Error> {
    let n = source.n_rows().unwrap_or(0);
    let all = std::sync::Mutex::new(vec![T::default(); n * k]);
    ctx.begin("projecting", source.n_rows().map(|n| n as u64));
    for_each_block(ctx, source, |rows| {
        let scores = project_rows(ctx, by, missing, source, rows)?;
        let mut all = all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (from, to) = (rows.first * k, rows.first * k + scores.as_slice().len());
        if all.len() < to {
            all.resize(to, T::default());
        }
        let out = all[from..to].iter_mut();
        out.zip(scores.as_slice())
            .for_each(|(out, x)| *out = T::from_f64(*x));
        Ok(())
    })?;
    let cells = all
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // Scores that are finite in f64 may lie beyond the range of f32. Rows that the fit would have left out have no scores.
    let beyond = |x: &T| match missing {
        Missing::Drop => x.to_f64().is_infinite(),
        _ => !x.to_f64().is_finite(),
    };
    if cells.iter().any(beyond) {
        return Err(Error::Overflow);
    }
    Mat::from_vec(cells.len() / k, k, cells)
}

/// Coordinates in the element type of the rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Scores {
    /// Of 32-bit floats.
    F32(Mat<f32>),
    /// Of 64-bit floats.
    F64(Mat<f64>),
}
