//! The distances: computed from rows, or checked where the table is their matrix.

use super::{Distances, MdsOptions};
use crate::context::Context;
use crate::error::{DistanceFault, Error};
use crate::mat::{Mat, Real};
use crate::parallel;
use crate::prepare::{Preparation, Scale, find_not_finite, gather, read_all};
use crate::solve::Convention;
use crate::source::Source;

/// A larger distance has a square that leaves the range of f64 when it is summed.
const LARGEST: f64 = 1e140;

/// Two cells for one pair, and the diagonal, may differ by this share of the largest distance: rounding.
fn rounding<T: Real>() -> f64 {
    if T::BYTES == 4 { 1e-6 } else { 1e-9 }
}

impl MdsOptions {
    /// The rows in memory, centered and scaled as asked, and how they were.
    pub(super) fn rows<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<(Mat<f64>, Preparation), Error> {
        let divisor = |weight: f64| Convention::Unbiased.divisor(weight);
        let gathered = ctx.install(|| gather(ctx, source, true, self.scale, divisor))?;
        let mut rows = gathered.matrix;
        // Scaled columns are in units of their own.
        if gathered.unit != 1.0 {
            rows.as_mut_slice()
                .iter_mut()
                .for_each(|x| *x *= gathered.unit);
        }
        match rows.as_slice().iter().all(|x| x.abs() < LARGEST) {
            true => Ok((rows, gathered.preparation)),
            false => Err(Error::Overflow),
        }
    }

    /// All distances (n × n) of some rows.
    pub(super) fn between(&self, rows: &Mat<f64>) -> Mat<f64> {
        let (n, columns) = (rows.n_rows(), rows.transposed());
        let is_block = self.distances == Distances::Manhattan;
        let mut out = Mat::zeros(n, n);
        parallel::each_chunk(out.as_mut_slice(), n, |i, sums| {
            for column in columns.rows() {
                let own = column[i];
                match is_block {
                    true => add(sums, column, |x| (own - x).abs()),
                    false => add(sums, column, |x| (own - x) * (own - x)),
                }
            }
            if !is_block {
                sums.iter_mut().for_each(|x| *x = x.sqrt());
            }
        });
        out
    }
}

fn add(sums: &mut [f64], column: &[f64], of: impl Fn(f64) -> f64) {
    sums.iter_mut()
        .zip(column)
        .for_each(|(sum, x)| *sum += of(*x));
}

/// The table as a distance matrix; an error that names the first cell that cannot be a distance.
pub(super) fn given<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Result<Mat<f64>, Error> {
    let fault = |fault| Err(Error::Distances(fault));
    if let Some(rows) = source.n_rows().filter(|rows| *rows != source.n_cols()) {
        let cols = source.n_cols();
        return fault(DistanceFault::NotSquare { rows, cols });
    }
    let (mut table, _) = ctx.install(|| read_all(ctx, source))?;
    let (n, cols) = (table.n_rows(), table.n_cols());
    if n != cols {
        return fault(DistanceFault::NotSquare { rows: n, cols });
    }
    if table.as_slice().iter().any(|x| !x.is_finite()) {
        return Err(find_not_finite(ctx, source));
    }
    let largest = table.as_slice().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest > LARGEST {
        return Err(Error::Overflow);
    }
    let unsure = rounding::<T>() * largest;
    for row in 0..n {
        let value = table[(row, row)];
        if value.abs() > unsure {
            return fault(DistanceFault::Diagonal { row, value });
        }
        for col in row + 1..n {
            let (above, below) = (table[(row, col)], table[(col, row)]);
            if (above - below).abs() > unsure {
                return fault(DistanceFault::NotSymmetric {
                    row,
                    col,
                    above,
                    below,
                });
            }
            if above < 0.0 || below < 0.0 {
                let value = above.min(below);
                return fault(DistanceFault::Negative { row, col, value });
            }
        }
    }
    for row in 0..n {
        table[(row, row)] = 0.0;
        for col in 0..row {
            let mean = 0.5 * (table[(row, col)] + table[(col, row)]);
            table[(row, col)] = mean;
            table[(col, row)] = mean;
        }
    }
    Ok(table)
}

/// Refuses a scale that has no meaning here.
pub(super) fn check_scale(options: &MdsOptions) -> Result<(), Error> {
    match (options.distances, options.scale) {
        (_, Scale::Genotype) => Err(Error::UnknownValue {
            option: "scale",
            given: "genotype".to_owned(),
            allowed: "none or std where rows are placed by their distances",
        }),
        (Distances::Precomputed, Scale::Std) => Err(Error::OptionsConflict {
            what: "a distance matrix has no columns to scale",
        }),
        _ => Ok(()),
    }
}
