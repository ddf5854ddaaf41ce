//! Landmarks by ridge leverage scores, which say how much of a row's image the other rows cannot represent.
//!
//! The score of row i is lᵢ = (K(K + ρI)⁻¹)ᵢᵢ, between 0 and 1; the scores sum to the effective dimension at ridge ρ.
//! Landmarks drawn by their scores miss little of K for any rows; uniform landmarks miss small groups (Alaoui &
//! Mahoney 2015, Advances in Neural Information Processing Systems 28, 775–783). The scores are estimated from s rows, the
//! pilot, drawn uniformly among n (one round of Musco & Musco 2017, Advances in Neural Information Processing Systems 30,
//! 3833–3845): with P the kernel matrix of the pilot, l̃ᵢ = (k(xᵢ, xᵢ) − k_sᵀ(P + (s/n)ρI)⁻¹k_s)/ρ. The ridge is chosen so
//! that the scores sum to half the number of landmarks. That sum is estimated on rows outside the pilot, which show what the
//! pilot has not seen.
//!
//! Rows are drawn in one reading: row i gets the key −ln(uᵢ)/l̃ᵢ, with uᵢ uniform and seeded by the row's number, and the m
//! rows with the smallest keys are distributed like m rows drawn one after the other by their scores (Efraimidis & Spirakis
//! 2006, doi:10.1016/j.ipl.2005.11.003). Cost s³ once and s(d + s) per row, for s = m/2.

use super::super::{Gram, Points, ResolvedKernel};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{product, symmetric_eigen};
use crate::mat::{Mat, Real};
use crate::rng::{Rng, stream};
use crate::source::{Rows, Source, fold};

/// The number of rows that are compared with the pilot at a time.
const RUN: usize = 512;
/// The fewest rows outside the pilot on which the ridge is found, where there are that many.
const OTHERS: usize = 500;
/// The smallest score, so that every row can be drawn.
const LEAST: f64 = 1e-12;

/// The pilot rows from which scores are estimated.
struct Pilot<'a> {
    kernel: &'a ResolvedKernel,
    points: Points,
    /// s × rank: V(Λ + (s/n)ρ)^(−½).
    whiten: Mat<f64>,
    ridge: f64,
}

/// A row with its key; rows with the smallest keys are drawn.
struct Keyed {
    key: f64,
    row: usize,
    cells: Vec<f64>,
}

/// `count` rows of a source, drawn by their leverage scores, in their order; `drawn` are rows drawn uniformly.
pub(super) fn by_leverage<T: Real>(
    ctx: &Context,
    kernel: &ResolvedKernel,
    source: &dyn Source<T>,
    drawn: &Mat<f64>,
    count: usize,
    seed: u64,
) -> Result<Mat<f64>, Error> {
    let pilot = Pilot::new(ctx, kernel, source.n_rows(), drawn, (count, seed))?;
    let d = source.n_cols();
    ctx.begin("leverage scores", source.n_rows().map(|n| n as u64));
    let keyed = fold(
        ctx,
        source,
        2 * count * d * 8,
        Vec::new,
        |kept: &mut Vec<Keyed>, rows| pilot.draw(ctx, rows, kept, (count, seed)),
        |a, b| {
            a.extend(b);
            keep_smallest(a, count);
        },
    );
    let mut keyed = keyed?;
    keep_smallest(&mut keyed, count);
    keyed.sort_unstable_by_key(|keyed| keyed.row);
    let cells: Vec<f64> = keyed
        .iter()
        .flat_map(|keyed| keyed.cells.iter().copied())
        .collect();
    Mat::from_vec(keyed.len(), d, cells)
}

impl<'a> Pilot<'a> {
    fn new(
        ctx: &Context,
        kernel: &'a ResolvedKernel,
        n_rows: Option<usize>,
        drawn: &Mat<f64>,
        (count, seed): (usize, u64),
    ) -> Result<Self, Error> {
        // 1. Half as many rows as landmarks, uniformly among those drawn.
        let size = count.div_ceil(2).max(count.min(64)).min(drawn.n_rows());
        let mut order: Vec<usize> = (0..drawn.n_rows()).collect();
        let mut rng = Rng::new(stream(seed, 0));
        for i in 0..size {
            let other = i + rng.below(drawn.n_rows() - i);
            order.swap(i, other);
        }
        let rows = Mat::from_fn(size, drawn.n_cols(), |i, j| drawn[(order[i], j)]);
        let points = kernel.points(rows, 0)?;
        let Gram::Stored(matrix) = Gram::stored(ctx, kernel, &points)? else {
            return Err(Error::Overflow);
        };
        let (values, vectors) = ctx.install(|| symmetric_eigen(&matrix))?;
        // 2. The ridge, found on rows outside the pilot where there are some.
        let others = match order.len() > size {
            true => &order[size..(size + OTHERS.max(size)).min(order.len())],
            false => &order[..],
        };
        let others = Mat::from_fn(others.len(), drawn.n_cols(), |i, j| drawn[(others[i], j)]);
        let n = n_rows.unwrap_or(size).max(1) as f64;
        let share = size as f64 / n;
        let seen = Seen::new(kernel, others, &points, (&values, &vectors))?;
        let ridge = seen.ridge_for(n, share, 0.5 * count as f64);
        let lift = share * ridge;
        let floor = size as f64 * f64::EPSILON * values.first().copied().unwrap_or(0.0);
        let rank = values.iter().take_while(|x| **x > floor).count();
        let whiten = Mat::from_fn(size, rank, |i, j| {
            vectors[(j, i)] / (values[j] + lift).sqrt()
        });
        Ok(Pilot {
            kernel,
            points,
            whiten,
            ridge,
        })
    }

    /// Adds those rows of a block whose keys are small enough.
    fn draw<T: Real>(
        &self,
        ctx: &Context,
        rows: &Rows<'_, T>,
        kept: &mut Vec<Keyed>,
        (count, seed): (usize, u64),
    ) -> Result<(), Error> {
        let n = rows.block.n_rows();
        for start in (0..n).step_by(RUN) {
            ctx.check()?;
            let run = rows.block.slice_rows(start, (start + RUN).min(n));
            let mut cells = Mat::zeros(run.n_rows(), run.n_cols());
            run.copy_to_f64(cells.as_mut_slice());
            let scores = self.scores(cells.clone(), rows.first + start)?;
            for (i, score) in scores.iter().enumerate() {
                let row = rows.first + start + i;
                let uniform = Rng::new(stream(seed, row + 1)).uniform();
                kept.push(Keyed {
                    key: -uniform.max(f64::MIN_POSITIVE).ln() / score,
                    row,
                    cells: cells.row(i).to_vec(),
                });
            }
            if kept.len() > 2 * count {
                keep_smallest(kept, count);
            }
        }
        Ok(())
    }

    /// Estimated leverage scores of some rows.
    fn scores(&self, rows: Mat<f64>, first: usize) -> Result<Vec<f64>, Error> {
        let points = self.kernel.points(rows, first)?;
        let own = self.kernel.diagonal(&points);
        let between = self.kernel.between(&points, &self.points);
        let features = product(between.view(), self.whiten.view());
        let score = |(own, row): (f64, &[f64])| {
            let seen: f64 = row.iter().map(|x| x * x).sum();
            ((own - seen) / self.ridge).clamp(LEAST, 1.0)
        };
        Ok(own.into_iter().zip(features.rows()).map(score).collect())
    }
}

/// Some rows in terms of the pilot.
struct Seen {
    /// k(x, x).
    own: Vec<f64>,
    /// Squares of k_sᵀv for every eigenvector v of the pilot.
    squares: Mat<f64>,
    /// The pilot's eigenvalues.
    values: Vec<f64>,
}

impl Seen {
    fn new(
        kernel: &ResolvedKernel,
        rows: Mat<f64>,
        pilot: &Points,
        (values, vectors): (&[f64], &Mat<f64>),
    ) -> Result<Seen, Error> {
        let points = kernel.points(rows, 0)?;
        let between = kernel.between(&points, pilot);
        let mut squares = product(between.view(), vectors.view().transposed());
        squares.as_mut_slice().iter_mut().for_each(|x| *x *= *x);
        Ok(Seen {
            own: kernel.diagonal(&points),
            squares,
            values: values.to_vec(),
        })
    }

    /// The sum of all n rows' scores with this ridge.
    fn dimensions(&self, n: f64, share: f64, ridge: f64) -> f64 {
        let lifted: Vec<f64> = self
            .values
            .iter()
            .map(|x| x.max(0.0) + share * ridge)
            .collect();
        let score = |(own, row): (&f64, &[f64])| {
            let seen: f64 = row.iter().zip(&lifted).map(|(x, value)| x / value).sum();
            ((own - seen) / ridge).clamp(0.0, 1.0)
        };
        let sum: f64 = self.own.iter().zip(self.squares.rows()).map(score).sum();
        sum * n / self.own.len().max(1) as f64
    }

    /// The ridge at which the scores have this sum, by bisection of its logarithm.
    fn ridge_for(&self, n: f64, share: f64, wanted: f64) -> f64 {
        let mean = self.own.iter().sum::<f64>() / self.own.len().max(1) as f64;
        let trace = (n * mean).max(f64::MIN_POSITIVE);
        let (mut low, mut high) = ((trace * 1e-12).ln(), (trace * 1e3).ln());
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            match self.dimensions(n, share, middle.exp()) > wanted {
                true => low = middle,
                false => high = middle,
            }
        }
        (0.5 * (low + high)).exp()
    }
}

/// The rows with the smallest keys; among equal keys the first rows.
fn keep_smallest(kept: &mut Vec<Keyed>, count: usize) {
    if kept.len() > count && count > 0 {
        let by_key = |a: &Keyed, b: &Keyed| a.key.total_cmp(&b.key).then(a.row.cmp(&b.row));
        kept.select_nth_unstable_by(count - 1, by_key);
        kept.truncate(count);
    }
}
