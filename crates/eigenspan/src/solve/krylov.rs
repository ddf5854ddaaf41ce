//! Leading eigenpairs of a symmetric matrix that is known only by its products: block Krylov with thick restarts.
//!
//! A basis B grows block by block: each new block is A times the last one, made orthonormal against all of B, twice.
//! Rayleigh–Ritz on B gives pairs (θ, v) with residuals ‖Av − θv‖. The iteration stops when the residual of each of the leading
//! k pairs is below tol·θ, or as small as rounding permits. A full basis is compressed to its leading Ritz vectors and grows
//! again from there (Wu & Simon 2000, doi:10.1137/S0895479898334605; blocks after Musco & Musco 2015,
//! arXiv:1504.05477; the random start after Halko, Martinsson & Tropp 2011, doi:10.1137/090771806).
//!
//! Small residuals prove that the pairs are eigenpairs, not that they are the leading ones: the Krylov space of b vectors
//! holds at most b copies of an eigenvalue. So the iteration ends only after a [`Probe`] found no larger eigenvalue outside the pairs.
//!
//! With blocks of a few vectors this is Lanczos; with blocks of k + a few it is the randomized method.
//!
//! A maps the basis into the basis and the next block, and only the last block's image reaches the next block. So residuals can
//! be predicted from small matrices; once the predicted ones are small enough, residuals are measured with the vectors themselves.

use super::keep::count_for_share;
use super::outlook::Outlook;
use super::pace::{Nearest, Pace};
use super::plan::Solver;
use super::probe::Probe;
use super::work::{self, Work};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    Columns, norm, power_of_two_near, product, project_out, symmetric_eigen, times,
};
use crate::mat::{Mat, MatView};
use crate::rng::Rng;

/// Bound on the rounding error of a product in f64, relative to the largest eigenvalue, with a margin.
pub(crate) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A symmetric matrix, available through its products.
pub(crate) trait Symmetric: Sync {
    /// Rows and columns.
    fn dim(&self) -> usize;
    /// A·Q.
    fn apply(&self, q: &Columns) -> Result<Columns, Error>;
    /// The work of a product with this many vectors; zero if the matrix does not count it.
    fn work(&self, _n_vectors: usize) -> Work {
        Work::default()
    }
    /// Number of vectors in a narrow block: three registers of four, unless reading the matrix dominates.
    fn few(&self) -> usize {
        12
    }
    /// Largest basis for k pairs when blocks are narrow.
    fn room(&self, k: usize) -> usize {
        (3 * k + 40).max(60)
    }
    /// Rounding error of a product, relative to the largest eigenvalue: residuals cannot fall below it.
    fn rounding(&self) -> f64 {
        ROUNDING
    }
    /// Number of vectors that are added to a basis of this size before its Ritz pairs are computed again.
    fn patience(&self, basis: usize) -> usize {
        basis / 8
    }
}

/// A matrix in memory.
impl Symmetric for Mat<f64> {
    fn dim(&self) -> usize {
        self.n_rows()
    }
    fn apply(&self, q: &Columns) -> Result<Columns, Error> {
        Ok(times(self, q))
    }
    fn work(&self, n_vectors: usize) -> Work {
        let size = self.n_rows() as f64;
        work::product(size, size, n_vectors as f64)
    }
}

/// The goal and the limits of an iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Number of leading pairs.
    pub(crate) k: usize,
    /// A share and the trace it refers to: fewer than k pairs are enough if they reach this share of the trace.
    pub(crate) share: Option<(f64, f64)>,
    /// Largest residual of a converged pair, relative to its own eigenvalue.
    pub(crate) tolerance: f64,
    /// Smallest residual that rounding permits, relative to the largest eigenvalue.
    pub(crate) rounding: f64,
    /// Number of vectors per product.
    pub(crate) block: usize,
    /// Largest number of vectors in the basis.
    pub(crate) basis: usize,
    /// Largest number of products of blocks with A.
    pub(crate) max_products: usize,
    /// When to give up in favor of another solver; `None` if there is no other.
    pub(crate) patience: Option<Patience>,
    /// The trace of A, if A is positive semi-definite.
    pub(crate) trace: Option<f64>,
    /// Seed of the random start.
    pub(crate) seed: u64,
}

/// How long an iteration is tried before another solver replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Number of products before its convergence is judged.
    pub tried: usize,
    /// Number of products in which it must be predicted to converge.
    pub most: usize,
    /// Limits by which its first product is judged; `None` if it is not.
    pub spectrum_trial: Option<SpectrumTrial>,
}

impl Patience {
    /// The same number of vectors, counted in blocks of another size.
    fn in_blocks(self, from: usize, to: usize) -> Self {
        let scaled = |products: usize| (products * from / to.max(1)).max(2);
        Patience {
            tried: scaled(self.tried),
            most: scaled(self.most),
            ..self
        }
    }
}

/// A trial of the spectrum by the product of one block, which distinguishes a falling spectrum from a flat one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpectrumTrial {
    /// Largest number of vectors to multiply: with more, a solver without iterations takes less time.
    pub vectors: usize,
    /// Between these two numbers of vectors (exclusive, inclusive), products with the covariance take less time.
    pub with_covariance: Option<(usize, usize)>,
    /// The matrix is AᵀA or AAᵀ of a table; this is the larger side of the table.
    pub other_side: usize,
}

/// What the trial of a spectrum led to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TrialOutcome {
    /// Number of vectors that an iteration with a wide block is forecast to multiply.
    pub(crate) vectors: f64,
    /// The iteration that ran; `None` if another solver takes less time.
    pub(crate) ran: Option<Solver>,
}

/// Sizes of block and basis that find `k` pairs in the fewest products.
pub(super) fn wide(k: usize) -> (usize, usize) {
    (k + (k / 4).clamp(6, 16), 6 * k + 60)
}

impl Wanted {
    /// The same goal with other sizes of block and basis.
    fn in_blocks(&self, block: usize, basis: usize) -> Self {
        let patience = |patience: Patience| patience.in_blocks(self.block, block);
        Wanted {
            block,
            basis,
            patience: self.patience.map(patience),
            ..*self
        }
    }

    /// The residual at which a pair with this eigenvalue counts as converged.
    pub(crate) fn allowed(&self, value: f64, first: f64) -> f64 {
        (self.tolerance * value).max(self.rounding * first)
    }

    /// The number of leading pairs that are needed: all, or as many as reach the share.
    fn needed(&self, values: &[f64]) -> usize {
        let reach = |(share, trace)| count_for_share(values.iter().copied(), trace, share);
        let enough = self.share.and_then(reach);
        enough.unwrap_or(self.k).min(self.k)
    }
}

/// Leading eigenpairs with their residuals.
#[derive(Debug)]
pub(crate) struct LeadingPairs {
    /// Eigenvalues, largest first.
    pub(crate) values: Vec<f64>,
    /// Unit eigenvectors as rows.
    pub(crate) vectors: Mat<f64>,
    /// ‖Av − θv‖, not divided by θ.
    pub(crate) residuals: Vec<f64>,
    /// Upper bound on the next eigenvalue, from which the gap follows; `None` if there is no bound.
    pub(crate) next: Option<f64>,
    /// The smallest Ritz value that was met: A has an eigenvalue that is no larger.
    pub(crate) lowest: f64,
    /// Number of products of blocks with A.
    pub(crate) products: usize,
    /// What the trial of the spectrum led to; `None` if there was no trial.
    pub(crate) outcome: Option<TrialOutcome>,
}

impl LeadingPairs {
    /// Whether every residual is within the tolerance, or as small as rounding permits.
    pub(crate) fn converged(&self, wanted: &Wanted) -> bool {
        let first = self.values.first().map_or(0.0, |v| v.abs());
        let mut pairs = self.values.iter().zip(&self.residuals);
        let given_up = self.outcome.is_some_and(|outcome| outcome.ran.is_none());
        !given_up && pairs.all(|(value, r)| *r <= wanted.allowed(*value, first))
    }
}

/// The leading `wanted.k` eigenpairs of A.
pub(crate) fn leading_pairs(
    ctx: &Context,
    a: &dyn Symmetric,
    wanted: Wanted,
) -> Result<LeadingPairs, Error> {
    let (spectrum_trial, trace) = (wanted.patience.and_then(|p| p.spectrum_trial), wanted.trace);
    let (Some(spectrum_trial), Some(trace)) = (spectrum_trial, trace) else {
        return iterate(ctx, a, wanted, Start::new(&wanted, a.dim()));
    };
    // 0. One product with a wide block, and the forecast that follows from it.
    let (block, basis) = wide(wanted.k);
    let many = wanted.in_blocks(block, basis.min(a.dim()));
    let mut start = Start::new(&many, a.dim());
    ctx.check()?;
    let images = a.apply(&start.vectors)?;
    let growth = work::growth(a.dim() as f64, 0.0, block as f64);
    (a.work(start.vectors.n_cols()) + growth).count(ctx);
    ctx.advance(1);
    let first = Basis::from_vectors(&start.vectors, &images);
    let n_new = first.orthonormal_part(images.clone()).n_cols();
    let outlook = Outlook::new(
        (&start.vectors, &images),
        n_new,
        trace,
        spectrum_trial.other_side,
    )?;
    let vectors = |block: usize| outlook.vectors(wanted.k, block, wanted.tolerance);
    let (by_many, by_few) = (vectors(block), vectors(a.few()));
    let is_within = |(from, to): (usize, usize)| by_many > from as f64 && by_many <= to as f64;
    let elsewhere = spectrum_trial.with_covariance.is_some_and(is_within);
    if elsewhere || by_many.min(by_few) > spectrum_trial.vectors as f64 {
        let mut found = Ritz::from_basis(&first)?.pairs(&first, wanted.k.min(first.len()));
        (found.products, found.next) = (1, None);
        found.outcome = Some(TrialOutcome {
            vectors: by_many,
            ran: None,
        });
        return Ok(found);
    }
    // A wide block continues from this product; narrow blocks start again, if they multiply far fewer vectors.
    let few = shape_of_few(&wanted, a);
    let (found, ran) = match (by_many <= MUCH_FEWER * by_few, few) {
        (false, Some(few)) => {
            let start = Start::new(&few, a.dim());
            (iterate(ctx, a, few, start)?, Solver::Lanczos)
        }
        _ => {
            start.images = Some(images);
            (iterate(ctx, a, many, start)?, Solver::Randomized)
        }
    };
    Ok(LeadingPairs {
        outcome: Some(TrialOutcome {
            vectors: by_many,
            ran: Some(ran),
        }),
        ..found
    })
}

/// Narrow blocks are taken if they are forecast to multiply this many times fewer vectors.
const MUCH_FEWER: f64 = 1.5;

/// The same goal with narrow blocks, if there are at least as many pairs as vectors in such a block.
fn shape_of_few(wanted: &Wanted, a: &dyn Symmetric) -> Option<Wanted> {
    (wanted.k >= a.few()).then(|| wanted.in_blocks(a.few(), a.room(wanted.k).min(a.dim())))
}

/// The start of an iteration: random vectors, and A times them if that product is known already.
struct Start {
    rng: Rng,
    vectors: Columns,
    images: Option<Columns>,
}

impl Start {
    fn new(wanted: &Wanted, d: usize) -> Self {
        let mut rng = Rng::new(wanted.seed);
        let none = Basis::new(d, 0);
        let random = random_columns(d, wanted.block.clamp(1, d), &mut rng);
        Start {
            vectors: none.orthonormal_part(random),
            rng,
            images: None,
        }
    }
}

fn iterate(
    ctx: &Context,
    a: &dyn Symmetric,
    wanted: Wanted,
    start: Start,
) -> Result<LeadingPairs, Error> {
    let d = a.dim();
    let wanted = Wanted {
        k: wanted.k.min(d),
        ..wanted
    };
    let k = wanted.k;
    let block = wanted.block.clamp(1, d);
    let limit = wanted.basis.clamp((2 * k + 2 * block).min(d), d);
    let shrunk = k + (limit - k) / 3;
    let (mut rng, mut next, mut known) = (start.rng, start.vectors, start.images);
    let mut basis = Basis::new(d, limit + block);
    let mut products = 0;
    let mut check_at = k;
    let mut probe = Probe::new(&wanted, block, d);
    let mut nearest = Nearest::default();
    let mut lowest = f64::INFINITY;
    let mut pace = Pace {
        off: f64::INFINITY,
        products: 0,
    };
    loop {
        ctx.check()?;
        // 1. Images of the new directions.
        let images = match known.take() {
            Some(images) => images,
            None => {
                let growth = work::growth(d as f64, basis.len() as f64, next.n_cols() as f64);
                (a.work(next.n_cols()) + growth).count(ctx);
                ctx.advance(1);
                a.apply(&next)?
            }
        };
        products += 1;
        basis.extend(&next, &images);
        // 2. The next block: the part of these images that is orthogonal to the basis.
        next = basis.orthonormal_part(images.clone());
        let full = limit < d && basis.len() + next.n_cols() > limit;
        let whole = basis.len() >= d;
        let last = whole || products >= wanted.max_products || nearest.is_stuck(products);
        if basis.len() >= check_at || full || last {
            // 3. Ritz pairs of the basis so far.
            let ritz = Ritz::from_basis(&basis)?;
            lowest = ritz.values.iter().fold(lowest, |m, x| m.min(*x));
            work::eigen(basis.len() as f64, basis.len() as f64).count(ctx);
            check_at = basis.len() + a.patience(basis.len()).max(1);
            let needed = wanted.needed(&ritz.values);
            let off = ritz.predicted_excess(needed, &images.inner(&next), &wanted);
            let hopeless = wanted
                .patience
                .is_some_and(|p| pace.is_hopeless(off, products, p));
            pace = Pace { off, products };
            nearest.see(off, products);
            let predicted = basis.len() >= needed && off <= 1.0;
            let last = last || (hopeless && !predicted);
            if predicted || last {
                let mut found = ritz.pairs(&basis, needed.min(basis.len()));
                work::product(d as f64, basis.len() as f64, 2.0 * needed as f64).count(ctx);
                (found.products, found.lowest) = (products, lowest);
                let converged = found.converged(&wanted);
                if converged && probe.found_all(&found, &ritz.values, products) {
                    return Ok(probe.certified(found));
                }
                if last {
                    // Without a probe there is no bound on the next eigenvalue, unless the basis is the whole space.
                    let next = found.next.filter(|_| whole);
                    return Ok(LeadingPairs { next, ..found });
                }
                if converged && probe.is_due() {
                    // 4. Random directions, to detect repeated eigenvalues the block missed.
                    if basis.len() + probe.room() > limit {
                        work::product(d as f64, basis.len() as f64, 2.0 * shrunk as f64).count(ctx);
                        basis.compress(&ritz, shrunk.min(basis.len()));
                    }
                    let count = probe.begin(&found, products).min(d - basis.len());
                    next = basis.orthonormal_part(random_columns(d, count, &mut rng));
                    check_at = basis.len() + next.n_cols();
                    nearest = Nearest::default();
                    continue;
                }
            }
            // 5. A full basis is compressed to its leading Ritz vectors. The next block is orthogonal to all of the full basis.
            if full {
                probe.cut_short();
                work::product(d as f64, basis.len() as f64, 2.0 * shrunk as f64).count(ctx);
                basis.compress(&ritz, shrunk.min(basis.len()));
                check_at = basis.len() + block;
            }
        }
        if next.n_cols() == 0 {
            // The images lie within the basis: continue with random directions.
            let count = block.min(d - basis.len());
            next = basis.orthonormal_part(random_columns(d, count, &mut rng));
        }
    }
}

/// An orthonormal basis B (rows), its images A·Bᵀ (rows) and the matrix B·A·Bᵀ.
struct Basis {
    vectors: Mat<f64>,
    images: Mat<f64>,
    /// B·A·Bᵀ.
    between: Mat<f64>,
}

impl Basis {
    /// An empty basis. Memory for `room` vectors is reserved, and used as vectors are added.
    fn new(d: usize, room: usize) -> Self {
        let empty = || Mat::from_vec(0, d, Vec::with_capacity(room * d)).unwrap_or_default();
        Basis {
            vectors: empty(),
            images: empty(),
            between: Mat::zeros(0, 0),
        }
    }

    /// A basis of these vectors.
    fn from_vectors(vectors: &Columns, images: &Columns) -> Self {
        let mut basis = Basis::new(vectors.len(), vectors.n_cols());
        basis.extend(vectors, images);
        basis
    }

    fn len(&self) -> usize {
        self.vectors.n_rows()
    }

    /// An orthonormal basis of the vectors' parts orthogonal to this basis; vectors without such a part are left out.
    fn orthonormal_part(&self, vectors: Columns) -> Columns {
        // Near convergence almost all of a vector lies in the basis. What remains after the first projection is scaled to length
        // 1, so that the second projection removes what rounding left; a third follows if very little remained.
        const LITTLE: f64 = 1e-2;
        let (mut kept, _) = orthonormal(vectors, 0.0);
        for time in 0..3 {
            project_out(&self.vectors, &mut kept);
            let (clean, least) = orthonormal(kept, 1e-13);
            kept = clean;
            if time > 0 && least > LITTLE {
                break;
            }
        }
        kept
    }

    fn extend(&mut self, vectors: &Columns, images: &Columns) {
        let (old, new) = (self.len(), vectors.n_cols());
        let cross = times(&self.vectors, images).to_mat();
        let own = vectors.inner(images);
        self.between = Mat::from_fn(old + new, old + new, |i, j| match (i < old, j < old) {
            (true, true) => self.between[(i, j)],
            (true, false) => cross[(i, j - old)],
            (false, true) => cross[(j, i - old)],
            (false, false) => 0.5 * (own[(i - old, j - old)] + own[(j - old, i - old)]),
        });
        append(&mut self.vectors, &vectors.to_rows());
        append(&mut self.images, &images.to_rows());
    }

    /// Replaces the basis by its leading `count` Ritz vectors.
    fn compress(&mut self, ritz: &Ritz, count: usize) {
        let top = ritz.combinations.view().slice_rows(0, count);
        replace(&mut self.vectors, |all| product(top, all));
        replace(&mut self.images, |all| product(top, all));
        let values = &ritz.values;
        self.between = Mat::from_fn(count, count, |i, j| if i == j { values[i] } else { 0.0 });
    }
}

/// The eigenpairs of B·A·Bᵀ: Ritz values, and the coefficients of each Ritz vector in the basis (rows).
struct Ritz {
    values: Vec<f64>,
    combinations: Mat<f64>,
}

impl Ritz {
    fn from_basis(basis: &Basis) -> Result<Self, Error> {
        let (values, combinations) = symmetric_eigen(&basis.between)?;
        Ok(Ritz {
            values,
            combinations,
        })
    }

    fn largest(&self) -> f64 {
        self.values.first().map_or(0.0, |v| v.abs())
    }

    /// The largest predicted residual ÷ allowed residual among the leading `k` pairs; converged at 1. `onward` has the inner
    /// products of the images of the last block (rows) with the vectors of the next block (columns).
    fn predicted_excess(&self, k: usize, onward: &Mat<f64>, wanted: &Wanted) -> f64 {
        let from = self.combinations.n_cols() - onward.n_rows();
        let off = |i: usize| {
            let last = &self.combinations.row(i)[from..];
            let along = |c: usize| (0..last.len()).map(|r| last[r] * onward[(r, c)]).sum();
            let length = norm(&(0..onward.n_cols()).map(along).collect::<Vec<f64>>());
            match length > 0.0 {
                true => length / wanted.allowed(self.values[i], self.largest()),
                false => 0.0,
            }
        };
        (0..k.min(self.values.len())).map(off).fold(0.0, f64::max)
    }

    /// The leading `k` pairs, with residuals measured on the vectors themselves.
    fn pairs(&self, basis: &Basis, k: usize) -> LeadingPairs {
        // One more pair, for a bound on the next eigenvalue.
        let computed = (k + 1).min(basis.len());
        let top = self.combinations.view().slice_rows(0, computed);
        let vectors = product(top, basis.vectors.view());
        let images = product(top, basis.images.view());
        let residual = |i: usize| {
            let pair = images.row(i).iter().zip(vectors.row(i));
            let difference: Vec<f64> = pair.map(|(a, v)| a - self.values[i] * v).collect();
            norm(&difference)
        };
        let residuals = (0..k).map(residual).collect();
        let next = (k < computed).then(|| self.values[k] + residual(k));
        LeadingPairs {
            values: self.values[..k].to_vec(),
            residuals,
            vectors: vectors.top(k),
            next,
            lowest: f64::INFINITY,
            products: 0,
            outcome: None,
        }
    }
}

fn append(to: &mut Mat<f64>, rows: &Mat<f64>) {
    let d = rows.n_cols();
    let mut cells = std::mem::take(to).into_vec();
    cells.extend_from_slice(rows.as_slice());
    *to = Mat::from_vec(cells.len() / d.max(1), d, cells).unwrap_or_default();
}

/// Replaces all rows, in the same memory.
fn replace(all: &mut Mat<f64>, other: impl FnOnce(MatView<'_, f64>) -> Mat<f64>) {
    let other = other(all.view());
    let mut cells = std::mem::take(all).into_vec();
    cells.clear();
    *all = Mat::from_vec(0, other.n_cols(), cells).unwrap_or_default();
    append(all, &other);
}

fn random_columns(d: usize, count: usize, rng: &mut Rng) -> Columns {
    Columns::from_rows(&Mat::from_fn(count, d, |_, _| rng.normal()))
}

/// An orthonormal basis of the span of the vectors, without vectors no longer than `least` and directions within rounding. Also
/// the smallest eigenvalue that was kept of the matrix of cosines: small if the vectors are nearly dependent.
///
/// Computed from the eigenvectors of the matrix of cosines: as fast as Cholesky, and it also works below full rank.
fn orthonormal(mut vectors: Columns, least: f64) -> (Columns, f64) {
    let nothing = (Columns::zeros(vectors.len(), 0), 0.0);
    // Scaled so that squares neither overflow nor underflow.
    let unit = power_of_two_near(vectors.largest().max(f64::MIN_POSITIVE));
    vectors.scale(1.0 / unit);
    let gram = vectors.inner(&vectors);
    let lengths: Vec<f64> = (0..gram.n_rows()).map(|i| gram[(i, i)].sqrt()).collect();
    let stays = |i: &usize| lengths[*i] * unit > least && lengths[*i].is_finite();
    let stay: Vec<usize> = (0..lengths.len()).filter(stays).collect();
    let cosines = Mat::from_fn(stay.len(), stay.len(), |i, j| {
        gram[(stay[i], stay[j])] / lengths[stay[i]] / lengths[stay[j]]
    });
    let Ok((values, combinations)) = symmetric_eigen(&cosines) else {
        return nothing;
    };
    // Eigenvalues are squared lengths. Directions shorter than 1e-7 have lost half their digits; the next product gives them more
    // accurately.
    let kept = values.iter().take_while(|v| **v > 1e-14).count();
    let Some(smallest) = values[..kept].last() else {
        return nothing;
    };
    let mut factors = Mat::zeros(lengths.len(), kept);
    for (at, &from) in stay.iter().enumerate() {
        for to in 0..kept {
            factors[(from, to)] = combinations[(to, at)] / values[to].sqrt() / lengths[from];
        }
    }
    (vectors.combined(&factors), *smallest)
}
