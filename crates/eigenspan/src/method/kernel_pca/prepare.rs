//! Before rows are compared: missing cells filled or their rows left out, columns centered and scaled.

use super::KernelPcaOptions;
use crate::context::Context;
use crate::error::Error;
use crate::kernel::Base;
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::{ColumnStatistics, Missing, Preparation, Scale, find_not_finite};
use crate::solve::Convention;
use crate::source::{Passes, Source, col_label};
use crate::summary::{Moments, summarize};

impl KernelPcaOptions {
    /// Refuses ways to prepare rows that make no sense for the kernel.
    pub(super) fn check_preparation(&self) -> Result<(), Error> {
        if self.missing == Missing::Em {
            return Err(Error::UnknownValue {
                option: "missing",
                given: "em".to_owned(),
                allowed: "error, drop or mean: kernel PCA does not predict cells",
            });
        }
        let refuse = |what: &'static str| Err(Error::OptionsConflict { what });
        match self.scale != Scale::None {
            true if self.kernel.is_precomputed() => refuse(
                "the kernel precomputed compares rows of a kernel matrix, which cannot be scaled",
            ),
            true if self.kernel.any_base(|b| matches!(b, Base::Chi2 { .. })) => {
                refuse("the kernel chi2 compares counts and shares, which cannot be scaled")
            }
            _ => Ok(()),
        }
    }

    /// The means and scales of the columns, from one reading, and a note on constant columns; None where columns stay unscaled.
    pub(crate) fn learn_preparation<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Option<(Preparation, Option<Note>)>, Error> {
        if self.scale == Scale::None {
            return Ok(None);
        }
        if source.passes() == Passes::Once {
            return Err(Error::ReadTwice {
                what: "columns are scaled in a second reading",
                instead: None,
            });
        }
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let moments = summarize(ctx, source, || Moments::new(source.n_cols()))?;
        if !moments.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        let mean = moments.mean();
        let squares = moments.squares().iter();
        let spread: Vec<f64> = squares.map(|s| s.max(0.0).sqrt()).collect();
        let scale = self.scale.factors(&ColumnStatistics {
            spread: &spread,
            mean: &mean,
            divisor: Convention::Unbiased.divisor(moments.n_rows() as f64),
            unit: 1.0,
        })?;
        let constant: Vec<String> = (0..spread.len())
            .filter(|&j| spread[j] == 0.0)
            .map(|j| col_label(source.col_names(), j))
            .collect();
        let note = (!constant.is_empty()).then_some(Note::ConstantColumns {
            columns: constant,
            scaled: true,
        });
        let preparation = Preparation {
            center: mean,
            scale,
        };
        Ok(Some((preparation, note)))
    }
}

/// Sets every missing cell to the fill value of its column.
pub(super) fn fill_missing(cells: &mut Mat<f64>, fill: &[f64]) {
    for row in cells.as_mut_slice().chunks_exact_mut(fill.len().max(1)) {
        let missing = row.iter_mut().zip(fill).filter(|(x, _)| x.is_nan());
        missing.for_each(|(x, fill)| *x = *fill);
    }
}
