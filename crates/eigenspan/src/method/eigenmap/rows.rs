//! Rows in memory as the methods compare them: as they are, or with columns centered and divided by their standard deviations.

use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::prepare::{Preparation, Scale, gather};
use crate::solve::Convention;
use crate::source::Source;

/// Larger cells have squares that leave the range of f64 when they are summed.
const LARGEST: f64 = 1e140;

/// The rows, and how they were prepared, where they were.
pub(in crate::method) fn read<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    scale: Scale,
) -> Result<(Mat<f64>, Option<Preparation>), Error> {
    ctx.begin("reading", source.n_rows().map(|n| n as u64));
    let divisor = |weight: f64| Convention::Unbiased.divisor(weight);
    let prepares = scale != Scale::None;
    let gathered = ctx.install(|| gather(ctx, source, prepares, scale, divisor))?;
    let mut rows = gathered.matrix;
    // A power of two, by which large or small cells were divided.
    if gathered.unit != 1.0 {
        let cells = rows.as_mut_slice().iter_mut();
        cells.for_each(|x| *x *= gathered.unit);
    }
    match rows.as_slice().iter().all(|x| x.abs() < LARGEST) {
        true => Ok((rows, prepares.then_some(gathered.preparation))),
        false => Err(Error::Overflow),
    }
}

/// What every one of these methods asks of its rows before they are read.
pub(in crate::method) fn check<T: Real>(
    source: &dyn Source<T>,
    scale: Scale,
    what: &'static str,
) -> Result<usize, Error> {
    if source.n_cols() == 0 {
        return Err(Error::NoColumns);
    }
    if scale == Scale::Genotype {
        return Err(Error::UnknownValue {
            option: "scale",
            given: "genotype".to_owned(),
            allowed: "none or std where rows are placed by their neighbors",
        });
    }
    if source.is_weighted() {
        return Err(Error::OptionsConflict { what });
    }
    source.n_rows().ok_or(Error::UnknownLength {
        what: "there is a place for every row, so that the number of rows has to be known, but this input can be read only once",
    })
}

/// A memory limit that is exceeded, as an error.
pub(in crate::method) fn afford(ctx: &Context, bytes: u64, what: &str) -> Result<(), Error> {
    match ctx.affords(bytes) {
        true => Ok(()),
        false => Err(Error::Memory {
            what: what.to_owned(),
            needed: bytes,
            allowed: ctx.allowed(),
        }),
    }
}
