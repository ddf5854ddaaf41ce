//! All rows in memory, prepared as accurately as f64 allows: for the solvers that need the matrix itself.
//!
//! Values are taken relative to a row, then their mean (summed with compensation) is subtracted, then the mean that rounding left
//! behind: a column of mean 1e8 and deviation 1 keeps all its digits.

use std::sync::Mutex;

use super::{ColumnStatistics, Preparation, Scale, find_not_finite};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{norm, power_of_two_near, sum};
use crate::mat::{Mat, Real};
use crate::parallel;
use crate::source::{Passes, Rows, Source, for_each_block};
use crate::summary::check_weights;

/// The prepared matrix √W (X − 1mᵀ) S⁻¹, divided by a power of two so that no square overflows.
#[derive(Debug)]
pub struct Gathered {
    /// The matrix, every entry at most about 1.
    pub matrix: Mat<f64>,
    /// The power of two by which it was divided: singular values must be multiplied by it.
    pub unit: f64,
    /// The means that were subtracted, and the divisors.
    pub preparation: Preparation,
    /// Number of rows.
    pub n_rows: usize,
    /// Sum of the row weights.
    pub weight: f64,
    /// The row weights, if there are any.
    pub weights: Option<Vec<f64>>,
    /// Root of each column's scatter before scaling, in the units of the data.
    pub spread: Vec<f64>,
    /// ‖column‖ of `matrix`.
    pub norms: Vec<f64>,
}

/// Reads all rows and prepares them. `divisor` turns the sum of weights into the divisor of a variance.
pub fn gather<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    center: bool,
    scale: Scale,
    divisor: impl Fn(f64) -> f64,
) -> Result<Gathered, Error> {
    let (matrix, weights) = read_all(ctx, source)?;
    let prepared = prepare(matrix, weights, center, scale, &divisor)?;
    prepared.ok_or_else(|| find_not_finite(ctx, source))
}

/// The same of rows in memory; nothing where a cell is NaN or infinite.
fn prepare(
    mut matrix: Mat<f64>,
    weights: Option<Vec<f64>>,
    center: bool,
    scale: Scale,
    divisor: &dyn Fn(f64) -> f64,
) -> Result<Option<Gathered>, Error> {
    let (n, d) = (matrix.n_rows(), matrix.n_cols());
    let given = weights;
    let weights = given.as_deref();
    let weight = weights.map_or(n as f64, sum);
    if weight <= 0.0 && n > 0 {
        return Err(Error::BadWeights {
            what: "they sum to 0".to_owned(),
        });
    }
    let first = skip_weightless(&mut matrix, weights);
    // 1. Center: subtract a row, then the mean, then the mean that rounding left.
    let mut means = vec![0.0; d];
    let mut rest = vec![0.0; d];
    if center && n > 0 {
        let shift = matrix.row(first).to_vec();
        let mean = sweep(&mut matrix, Sum::Cells(weights), &|_, row| {
            subtract(row, &shift)
        })
        .mean(weight);
        rest = sweep(&mut matrix, Sum::Cells(weights), &|_, row| {
            subtract(row, &mean)
        })
        .mean(weight);
        means = (0..d).map(|j| shift[j] + (mean[j] + rest[j])).collect();
    }
    // 2. Weights as their roots, so that the scatter is the matrix' own Gram matrix.
    let sizes = sweep(&mut matrix, Sum::Squares, &|i, row| {
        subtract(row, &rest);
        if let Some(weights) = weights {
            let root = weights[i].sqrt();
            row.iter_mut().for_each(|x| *x *= root);
        }
    });
    if sizes.poison.is_nan() {
        return Ok(None);
    }
    // 3. Where squares could leave the range of f64, a power of two brings the largest entry near 1 without rounding.
    let safe = sizes.largest == 0.0 || (1e-100..1e100).contains(&sizes.largest);
    let unit = if safe {
        1.0
    } else {
        power_of_two_near(sizes.largest)
    };
    let squares = match safe {
        true => sizes.squares,
        false => {
            sweep(&mut matrix, Sum::Squares, &|_, row| {
                row.iter_mut().for_each(|x| *x /= unit)
            })
            .squares
        }
    };
    // 4. Scale by the deviation, leaving constant columns alone.
    let norms: Vec<f64> = (0..d).map(|j| safe_root(squares[j], &matrix, j)).collect();
    let spread: Vec<f64> = norms.iter().map(|s| s * unit).collect();
    let columns = ColumnStatistics {
        spread: &norms,
        mean: &means,
        divisor: divisor(weight),
        unit,
    };
    let (scales, unit, norms) = match scale.factors(&columns)? {
        None => (None, unit, norms),
        Some(factors) => {
            sweep(&mut matrix, Sum::Squares, &|_, row| {
                row.iter_mut().zip(&factors).for_each(|(x, f)| *x /= f);
            });
            let norms = norms.iter().zip(&factors).map(|(s, f)| s / f).collect();
            let constant = |j: usize| spread[j] == 0.0;
            let scale = |j: usize| if constant(j) { 1.0 } else { factors[j] * unit };
            (Some((0..d).map(scale).collect()), 1.0, norms)
        }
    };
    let preparation = Preparation {
        center: means,
        scale: scales,
    };
    Ok(Some(Gathered {
        matrix,
        unit,
        preparation,
        n_rows: n,
        weight,
        weights: given,
        spread,
        norms,
    }))
}

/// Sets rows of weight zero, whose cells may be anything, to zero, and finds the first row with at least half of the mean weight.
fn skip_weightless(matrix: &mut Mat<f64>, weights: Option<&[f64]>) -> usize {
    let Some(weights) = weights else { return 0 };
    for (i, _) in weights.iter().enumerate().filter(|(_, w)| **w == 0.0) {
        matrix.row_mut(i).fill(0.0);
    }
    let least = 0.5 * weights.iter().sum::<f64>() / weights.len() as f64;
    weights.iter().position(|w| *w >= least).unwrap_or(0)
}

/// All rows in f64 and their weights, each block written to its own place.
pub(crate) fn read_all<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
) -> Result<(Mat<f64>, Option<Vec<f64>>), Error> {
    let d = source.n_cols();
    let weighted = source.is_weighted();
    if let Some(rows) = source.in_memory() {
        check_weights(&rows)?;
        return Ok((copied(ctx, &rows)?, rows.weights.map(<[f64]>::to_vec)));
    }
    let all = Mutex::new((Vec::<f64>::new(), Vec::<f64>::new()));
    if let (Some(n), Passes::Many) = (source.n_rows(), source.passes()) {
        let mut all = all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        all.0.resize(n * d, 0.0);
        all.1.resize(if weighted { n } else { 0 }, 0.0);
    }
    for_each_block(ctx, source, |rows| {
        check_weights(rows)?;
        if rows.block.n_cols() != d {
            return Err(Error::WrongWidth {
                given: rows.block.n_cols(),
                expected: d,
            });
        }
        let count = rows.block.n_rows();
        let mut block = vec![0.0; count * d];
        rows.block.copy_to_f64(&mut block);
        let mut all = all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (from, to) = (rows.first * d, (rows.first + count) * d);
        if all.0.len() < to {
            all.0.resize(to, 0.0);
        }
        all.0[from..to].copy_from_slice(&block);
        if let Some(weights) = rows.weights {
            if all.1.len() < rows.first + count {
                all.1.resize(rows.first + count, 0.0);
            }
            all.1[rows.first..rows.first + count].copy_from_slice(weights);
        }
        Ok(())
    })?;
    let (cells, weights) = all
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let n = cells.len().checked_div(d).unwrap_or(0);
    Ok((Mat::from_vec(n, d, cells)?, weighted.then_some(weights)))
}

/// A copy of rows in memory, in f64, made by all threads.
fn copied<T: Real>(ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
    let (n, d) = (rows.block.n_rows(), rows.block.n_cols());
    let mut out = Mat::zeros(n, d);
    let run = (SWEEP / d.max(1)).max(1);
    ctx.install(|| {
        parallel::each_chunk(out.as_mut_slice(), run * d, |i, out| {
            if ctx.check().is_ok() {
                let end = (i * run + run).min(n);
                rows.block.slice_rows(i * run, end).copy_to_f64(out);
            }
        });
    });
    ctx.check()?;
    Ok(out)
}

fn subtract(row: &mut [f64], v: &[f64]) {
    row.iter_mut().zip(v).for_each(|(x, v)| *x -= v);
}

/// Sums of one sweep over the matrix, column by column.
struct Sums {
    sum: Vec<f64>,
    lost: Vec<f64>,
    squares: Vec<f64>,
    largest: f64,
    poison: f64,
}

impl Sums {
    fn new(d: usize) -> Self {
        Sums {
            sum: vec![0.0; d],
            lost: vec![0.0; d],
            squares: vec![0.0; d],
            largest: 0.0,
            poison: 0.0,
        }
    }

    /// Adds a row to the sums, with compensation (Knuth's two-sum), so that means are nearly exact.
    fn add_to_sum(&mut self, row: &[f64], weight: f64) {
        for ((x, sum), lost) in row.iter().zip(&mut self.sum).zip(&mut self.lost) {
            let x = weight * x;
            let next = *sum + x;
            let part = next - *sum;
            *lost += (*sum - (next - part)) + (x - part);
            *sum = next;
        }
    }

    /// Adds a row to the squares and the largest entry.
    fn add_to_size(&mut self, row: &[f64]) {
        for (x, squares) in row.iter().zip(&mut self.squares) {
            *squares += x * x;
            self.largest = self.largest.max(x.abs());
            // NaN from the first cell on that is NaN or infinite.
            self.poison += x * 0.0;
        }
    }

    fn merge(&mut self, other: &Sums) {
        for j in 0..self.sum.len() {
            let (x, next) = (other.sum[j], self.sum[j] + other.sum[j]);
            let part = next - self.sum[j];
            self.lost[j] += (self.sum[j] - (next - part)) + (x - part) + other.lost[j];
            self.sum[j] = next;
            self.squares[j] += other.squares[j];
        }
        self.largest = self.largest.max(other.largest);
        self.poison += other.poison;
    }

    fn mean(&self, weight: f64) -> Vec<f64> {
        self.sum
            .iter()
            .zip(&self.lost)
            .map(|(s, l)| (s + l) / weight)
            .collect()
    }
}

/// Number of cells that one thread sweeps at a time.
const SWEEP: usize = 1 << 17;

/// What is summed of the rows.
#[derive(Clone, Copy)]
enum Sum<'a> {
    /// Their cells, weighted.
    Cells(Option<&'a [f64]>),
    /// The squares of their cells.
    Squares,
}

/// Changes every row and sums the changed rows. Threads share the rows in runs of fixed length.
fn sweep(matrix: &mut Mat<f64>, sum: Sum<'_>, change: &(dyn Fn(usize, &mut [f64]) + Sync)) -> Sums {
    let d = matrix.n_cols().max(1);
    // Not too many runs: each has sums as long as a row.
    let run = (SWEEP / d).max(matrix.n_rows().div_ceil(32)).max(1);
    let sums = parallel::collect_chunks(matrix.as_mut_slice(), run * d, |i, rows| {
        let mut sums = Sums::new(d);
        for (j, row) in rows.chunks_exact_mut(d).enumerate() {
            change(i * run + j, row);
            match sum {
                Sum::Cells(weights) => {
                    sums.add_to_sum(row, weights.map_or(1.0, |w| w[i * run + j]))
                }
                Sum::Squares => sums.add_to_size(row),
            }
        }
        sums
    });
    let mut total = Sums::new(matrix.n_cols());
    sums.iter().for_each(|s| total.merge(s));
    total
}

/// The root of a column's sum of squares, computed again by scaled squares if the sum left the range of f64.
fn safe_root(squares: f64, matrix: &Mat<f64>, j: usize) -> f64 {
    if (1e-280..1e280).contains(&squares) {
        squares.sqrt()
    } else {
        norm(&matrix.col(j))
    }
}
