//! The largest eigenpairs of a symmetric matrix S whose eigenvalues lie in [−1, 1], where the largest lie close together: subspace
//! iteration with Chebyshev filters.
//!
//! A block of vectors is multiplied by T_m(t(S)), with T_m the Chebyshev polynomial of degree m and t the straight line that takes
//! [−1, c] to [−1, 1]: eigenvectors below c keep a factor of at most 1, those above grow like cosh(m·√(2(λ − c))). Rayleigh–Ritz on the
//! block then gives pairs (θ, v), their residuals ‖Sv − θv‖, and the next c: the smallest θ of the block (Zhou, Saad, Tiago & Chelikowsky
//! 2006, doi:10.1016/j.jcp.2006.03.017). To tell eigenvalues apart that differ by g takes about 1/√g products, and not 1/g.
//!
//! The residuals prove that the pairs are eigenpairs. That no larger one is missing rests on the start: the block has more random vectors
//! than pairs are wanted, so that an eigenvector stays unseen only where all of them are orthogonal to it.
//!
//! Cost: a product of S with the block per degree, and n·b² operations for b vectors between two filters. Work is cut by rows alone, so
//! that any number of threads gives the same bits.

use super::Sign;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    Columns, leading_eigen, norm, orthonormalize_rows, sparse_step, symmetric_eigen, times,
};
use crate::mat::Mat;
use crate::rng::{Rng, stream};

/// A symmetric matrix S with eigenvalues in [−1, 1], known by its products.
pub(crate) trait Bounded: Sync {
    /// Rows and columns.
    fn dim(&self) -> usize;
    /// out ← a·S·Q + b·Q − out.
    fn step(&self, q: &Columns, a: f64, b: f64, out: &mut Columns);
    /// A bound on the length of the rounding error of S·v for vectors of length 1.
    fn rounding(&self) -> f64;
    /// All cells.
    fn to_mat(&self) -> Mat<f64>;
}

/// A sparse symmetric matrix as compressed rows.
#[derive(Debug, Clone)]
pub(crate) struct SparseSymmetric {
    /// Where the cells of each row begin, and the end.
    pub(crate) starts: Vec<usize>,
    /// The column of each cell, rising in each row.
    pub(crate) columns: Vec<u32>,
    /// The cells.
    pub(crate) values: Vec<f64>,
}

/// Rows that one thread multiplies at a time.
const RUN: usize = 256;

impl SparseSymmetric {
    /// The columns and the cells of a row.
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let at = self.starts[i]..self.starts[i + 1];
        (&self.columns[at.clone()], &self.values[at])
    }
}

impl Bounded for SparseSymmetric {
    fn dim(&self) -> usize {
        self.starts.len() - 1
    }

    fn step(&self, q: &Columns, a: f64, b: f64, out: &mut Columns) {
        let cells = (&self.starts[..], &self.columns[..], &self.values[..]);
        out.each_run(RUN, |run, out| {
            sparse_step(cells, run * RUN, q, (a, b), out);
        });
    }

    fn rounding(&self) -> f64 {
        let cells = self.starts.windows(2).map(|w| w[1] - w[0]).max();
        (cells.unwrap_or(0) + 4) as f64 * f64::EPSILON
    }

    fn to_mat(&self) -> Mat<f64> {
        let mut out = Mat::zeros(self.dim(), self.dim());
        for i in 0..self.dim() {
            let (columns, values) = self.row(i);
            let row = out.row_mut(i);
            let cells = columns.iter().zip(values);
            cells.for_each(|(&j, &x)| row[j as usize] = x);
        }
        out
    }
}

/// A matrix in memory.
impl Bounded for Mat<f64> {
    fn dim(&self) -> usize {
        self.n_rows()
    }

    fn step(&self, q: &Columns, a: f64, b: f64, out: &mut Columns) {
        let image = times(self, q);
        let width = q.width();
        out.each_run(RUN, |run, cells| {
            let range = run * RUN..run * RUN + cells.len() / width;
            let others = image.run(range.clone()).iter().zip(q.run(range));
            for (out, (y, x)) in cells.iter_mut().zip(others) {
                *out = a * y + b * x - *out;
            }
        });
    }

    fn rounding(&self) -> f64 {
        (self.n_rows() + 4) as f64 * f64::EPSILON
    }

    fn to_mat(&self) -> Mat<f64> {
        self.clone()
    }
}

/// Eigenpairs of a symmetric matrix, in the order in which they were asked for.
#[derive(Debug)]
pub(crate) struct SymmetricPairs {
    pub(crate) values: Vec<f64>,
    /// Unit eigenvectors as rows, the entry of largest magnitude positive.
    pub(crate) vectors: Mat<f64>,
    /// ‖Sv − θv‖ with a bound on the rounding of the product.
    pub(crate) residuals: Vec<f64>,
    /// Filters applied; 0 where the matrix was decomposed.
    pub(crate) rounds: usize,
    /// Whether every residual is within the tolerance.
    pub(crate) converged: bool,
}

/// Matrices up to this size are decomposed.
const SMALL: usize = 384;
/// So are larger ones where the filter does not converge.
const MEDIUM: usize = 3072;
/// Vectors in the block beyond those wanted: at least these, so that c lies well below the eigenvalues wanted.
const BEYOND: usize = 9;
/// Most filters.
const ROUNDS: usize = 40;
/// Largest degree of a filter.
const DEGREE: f64 = 1500.0;
/// How much larger than all others a filter makes the largest eigenvector, at most.
const GROWTH: f64 = 1e9;

/// The k largest eigenpairs of S, largest first; a pair has converged when its residual is at most `tolerance`.
pub(crate) fn largest_pairs(
    ctx: &Context,
    s: &dyn Bounded,
    k: usize,
    tolerance: f64,
    seed: u64,
) -> Result<SymmetricPairs, Error> {
    let n = s.dim();
    let k = k.min(n);
    let block = k + BEYOND.max(k / 2);
    if n <= SMALL || 3 * block >= n {
        return decomposed(s, k);
    }
    let pairs = filtered(ctx, s, (k, block), tolerance, seed)?;
    match pairs.converged || n > MEDIUM {
        true => Ok(pairs),
        false => decomposed(s, k),
    }
}

/// By a decomposition of the whole matrix.
fn decomposed(s: &dyn Bounded, k: usize) -> Result<SymmetricPairs, Error> {
    let (values, mut vectors) = leading_eigen(&s.to_mat(), k)?;
    Sign::Largest.apply_to(&mut vectors);
    let q = Columns::from_rows(&vectors);
    let residuals = residuals(s, &q, &values);
    Ok(SymmetricPairs {
        values,
        vectors,
        residuals,
        rounds: 0,
        converged: true,
    })
}

fn filtered(
    ctx: &Context,
    s: &dyn Bounded,
    (k, block): (usize, usize),
    tolerance: f64,
    seed: u64,
) -> Result<SymmetricPairs, Error> {
    let n = s.dim();
    let floor = tolerance.max(2.0 * s.rounding());
    let mut rng = Rng::new(stream(seed, n));
    let mut rows = Mat::from_fn(block, n, |_, _| rng.normal());
    ctx.begin("eigenvectors", None);
    for round in 0.. {
        ctx.check()?;
        // 1. Rayleigh–Ritz: the best approximations of eigenvectors in the span of the block.
        orthonormalize_rows(&mut rows);
        let q = Columns::from_rows(&rows);
        let mut images = Columns::zeros(n, block);
        s.step(&q, 1.0, 0.0, &mut images);
        let mut small = q.inner(&images);
        for i in 0..block {
            for j in 0..i {
                small[(i, j)] = 0.5 * (small[(i, j)] + small[(j, i)]);
            }
        }
        let (values, turn) = symmetric_eigen(&small)?;
        let turn = turn.transposed();
        let q = q.combined(&turn);
        // 2. Their residuals.
        let off = residuals_of(&q, &images.combined(&turn), &values, k);
        let converged = off.iter().all(|r| *r <= floor);
        if converged || round == ROUNDS {
            let mut vectors = q.to_rows().top(k);
            Sign::Largest.apply_to(&mut vectors);
            // Measured once more, with the vectors themselves.
            let values = values[..k].to_vec();
            let residuals = residuals(s, &Columns::from_rows(&vectors), &values);
            return Ok(SymmetricPairs {
                values,
                vectors,
                residuals,
                rounds: round,
                converged,
            });
        }
        // 3. The filter whose interval ends at the smallest of the block.
        let off = off.iter().fold(0.0f64, |m, r| m.max(*r)) / floor;
        rows = chebyshev(ctx, s, q, (values[block - 1], values[k - 1]), off)?.to_rows();
        ctx.advance(1);
    }
    Err(Error::NoConvergence {
        what: "subspace iteration",
    })
}

/// T_m(t(S))·Q by the recurrence T_{j+1} = 2t·T_j − T_{j−1}. The degree makes the last vector wanted ten times as much larger than those
/// below the cut as it has to be, where the largest does not grow too much then.
fn chebyshev(
    ctx: &Context,
    s: &dyn Bounded,
    q: Columns,
    (cut, last): (f64, f64),
    needed: f64,
) -> Result<Columns, Error> {
    let cut = cut.clamp(-0.9, 1.0 - 1e-12);
    let (half, middle) = (0.5 * (cut + 1.0), 0.5 * (cut - 1.0));
    let degree_of = |value: f64, growth: f64| {
        let at = ((value - middle) / half).max(1.0 + f64::EPSILON);
        (2.0 * growth).max(2.0).ln() / at.acosh()
    };
    let degree = degree_of(1.0, GROWTH).min(degree_of(last, 10.0 * needed));
    let degree = degree.ceil().clamp(6.0, DEGREE) as usize;
    let mut before = q;
    let mut now = Columns::zeros(before.len(), before.n_cols());
    s.step(&before, 1.0 / half, -middle / half, &mut now);
    for step in 1..degree {
        if step % 64 == 0 {
            ctx.check()?;
        }
        // The next polynomial takes the place of the one before the last.
        s.step(&now, 2.0 / half, -2.0 * middle / half, &mut before);
        std::mem::swap(&mut before, &mut now);
    }
    Ok(now)
}

/// ‖Sv − θv‖ with a bound on the rounding of the product.
fn residuals(s: &dyn Bounded, q: &Columns, values: &[f64]) -> Vec<f64> {
    let mut images = Columns::zeros(q.len(), q.n_cols());
    s.step(q, 1.0, 0.0, &mut images);
    let off = residuals_of(q, &images, values, values.len());
    off.iter().map(|r| r + s.rounding()).collect()
}

fn residuals_of(q: &Columns, images: &Columns, values: &[f64], k: usize) -> Vec<f64> {
    let (vectors, images) = (q.to_rows(), images.to_rows());
    let length = |i: usize| {
        let pair = images.row(i).iter().zip(vectors.row(i));
        norm(&pair.map(|(y, v)| y - values[i] * v).collect::<Vec<f64>>())
    };
    (0..k).map(length).collect()
}
