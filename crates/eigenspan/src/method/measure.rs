//! Rows in the space whose variance a spectrum divides: how far each row lies from the mean of the training rows, and how far along each
//! component.
//!
//! For components of unit length, ‖x − mean‖² = Σⱼ sⱼ² + the squared distance of the row from its reconstruction. In the feature space of a kernel the
//! distance comes from kernels alone: ‖Φ(x) − Σᵢ cᵢΦ(bᵢ)‖² = k(x, x) − 2 Σᵢ cᵢ k(x, bᵢ) + cᵀKc, with c the mean as a combination of the
//! basis b. This is what shows how much of *new* rows a model keeps.

use std::sync::{Mutex, PoisonError};

use super::contract::Fitted;
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::on_numbers;
use crate::source::{Numbers, Rows, Source, for_each_block};

/// Rows by their distances from the mean of the training rows. A row with missing cells that the model does not fill has NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The squared distance of every row.
    pub squares: Vec<f64>,
    /// Coordinates along the components (n × k), never whitened.
    pub scores: Mat<f64>,
}

impl Measured {
    /// Share of the squared distances of all rows that the first components keep, for 1, 2, … of them; `None` if all distances are
    /// zero. Rows without numbers are left out.
    pub fn kept_shares(&self) -> Option<Vec<f64>> {
        let rows = self.squares.iter().zip(self.scores.rows());
        let known = |(square, scores): &(&f64, &[f64])| {
            square.is_finite() && scores.iter().all(|s| s.is_finite())
        };
        let mut total = 0.0;
        let mut along = vec![0.0; self.scores.n_cols()];
        for (square, scores) in rows.filter(known) {
            total += square;
            along
                .iter_mut()
                .zip(scores)
                .for_each(|(sum, s)| *sum += s * s);
        }
        let mut kept = 0.0;
        let share = |sum: &f64| {
            kept += sum;
            kept / total
        };
        (total > 0.0).then(|| along.iter().map(share).collect())
    }
}

/// Measures rows of one element type.
pub trait MeasureRows<T: Real>: Sync {
    /// Measures some rows of a source.
    fn measure_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Measured, Error>;
}

/// Measures rows of either element type.
pub trait Measure: MeasureRows<f32> + MeasureRows<f64> {}

impl<M: MeasureRows<f32> + MeasureRows<f64>> Measure for M {}

impl dyn Fitted {
    /// Measures all rows in the space whose variance the spectrum divides; `None` if the method has no such space, or if distances in
    /// it are not known.
    pub fn measure_rows(
        &self,
        ctx: &Context,
        rows: Numbers<'_>,
    ) -> Result<Option<Measured>, Error> {
        let Some(by) = self.measure(ctx)? else {
            return Ok(None);
        };
        let k = self.common().n_components;
        on_numbers!(rows, source => measure_all(ctx, &*by, source, k)).map(Some)
    }
}

fn measure_all<T: Real>(
    ctx: &Context,
    by: &(impl MeasureRows<T> + ?Sized),
    source: &dyn Source<T>,
    k: usize,
) -> Result<Measured, Error> {
    let blocks = Mutex::new(Vec::new());
    for_each_block(ctx, source, |rows| {
        let measured = by.measure_block(ctx, rows)?;
        let mut blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.push((rows.first, measured));
        Ok(())
    })?;
    let mut blocks = blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
    blocks.sort_by_key(|(first, _)| *first);
    let (mut squares, mut cells) = (Vec::new(), Vec::new());
    for (_, block) in blocks {
        squares.extend(block.squares);
        cells.extend(block.scores.into_vec());
    }
    Ok(Measured {
        scores: Mat::from_vec(squares.len(), k, cells)?,
        squares,
    })
}
