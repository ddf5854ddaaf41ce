//! Leading eigenpairs of a symmetric matrix that is known only by its products: block Krylov with thick restarts.
//!
//! A basis B grows block by block: each new block is A times the last one, made orthonormal against all of B, twice.
//! Rayleigh–Ritz on B gives pairs (θ, v) with residuals ‖Av − θv‖; it stops when each of the leading k is below tol times
//! its own θ, or as low as rounding lets it fall. When the basis is full it is compressed to its best Ritz vectors and
//! grows on from there (Wu & Simon 2000, doi:10.1137/S0895479898334605; blocks after Musco & Musco 2015,
//! arXiv:1504.05477; the random start after Halko, Martinsson & Tropp 2011, doi:10.1137/090771806).
//!
//! Small residuals prove that the pairs are eigenpairs, not that they are the leading ones: the Krylov space of b vectors
//! holds at most b copies of an eigenvalue. So the iteration ends only after a [`Probe`] found no other (see there).
//!
//! With blocks of a few vectors this is Lanczos; with blocks of k + a few it is the randomized method.
//!
//! What A makes of the basis lies in the basis and the next block, of which only the last block has a part. So residuals
//! can be foretold from small matrices; they are measured with the vectors themselves when they are foretold to do.

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

/// What rounding leaves in a product of f64, relative to the largest eigenvalue, with some to spare.
pub(crate) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A symmetric matrix known by its products.
pub(crate) trait Symmetric: Sync {
    /// Rows and columns.
    fn dim(&self) -> usize;
    /// A·Q.
    fn apply(&self, q: &Columns) -> Result<Columns, Error>;
    /// What a product with so many vectors takes, where it is counted.
    fn work(&self, _n_vectors: usize) -> Work {
        Work::default()
    }
    /// Vectors that are best multiplied together: three registers of four, unless each is fetched from far away.
    fn few(&self) -> usize {
        12
    }
    /// Vectors that the basis for k pairs may have where few are multiplied at a time.
    fn room(&self, k: usize) -> usize {
        (3 * k + 40).max(60)
    }
    /// Residual, relative to the largest eigenvalue, that rounding leaves in a product.
    fn rounding(&self) -> f64 {
        ROUNDING
    }
    /// Vectors that a basis of so many may grow by before its Ritz pairs are looked at again, which costs something too.
    fn patience(&self, basis: usize) -> usize {
        basis / 8
    }
}

/// A matrix that is written out.
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

/// What is asked of the iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Leading pairs.
    pub(crate) k: usize,
    /// A share, and the trace that it is a share of: fewer pairs are enough where they reach it.
    pub(crate) share: Option<(f64, f64)>,
    /// Residual of each pair relative to its own eigenvalue.
    pub(crate) tolerance: f64,
    /// Residual, relative to the largest eigenvalue, below which rounding lets none fall.
    pub(crate) rounding: f64,
    /// Vectors per product.
    pub(crate) block: usize,
    /// Vectors the basis may have.
    pub(crate) basis: usize,
    /// Products of blocks with A, at most.
    pub(crate) max_products: usize,
    /// How long to try where there is another road.
    pub(crate) patience: Option<Patience>,
    /// The trace of A, where none of its eigenvalues is negative.
    pub(crate) trace: Option<f64>,
    /// Where the random start comes from.
    pub(crate) seed: u64,
}

/// How long an iteration is tried before another road is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Products before it is judged.
    pub tried: usize,
    /// Products in which it has to settle, as far as can be foretold.
    pub most: usize,
    /// What its first product is judged by, where it is.
    pub look: Option<Look>,
}

impl Patience {
    /// The same for as many vectors in blocks of another size.
    fn in_blocks(self, from: usize, to: usize) -> Self {
        let scaled = |products: usize| (products * from / to.max(1)).max(2);
        Patience {
            tried: scaled(self.tried),
            most: scaled(self.most),
            ..self
        }
    }
}

/// A first look at the spectrum: the product of one block tells a spectrum that falls from a flat one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Vectors that may be multiplied: with more, a solver without iterations takes less time.
    pub vectors: usize,
    /// More vectors than the first and no more than the second are better multiplied with the covariance.
    pub with_covariance: Option<(usize, usize)>,
    /// The other side of the table that the matrix is a scatter of.
    pub other_side: usize,
}

/// What a first look led to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Looked {
    /// Vectors that a wide block is forecast to multiply.
    pub(crate) vectors: f64,
    /// The iteration that ran; none where another solver takes less time.
    pub(crate) ran: Option<Solver>,
}

/// Vectors at a time, and those of a basis, for `k` pairs in the fewest products.
pub(super) fn wide(k: usize) -> (usize, usize) {
    (k + (k / 4).clamp(6, 16), 6 * k + 60)
}

impl Wanted {
    /// The same with blocks and a basis of other sizes.
    fn in_blocks(&self, block: usize, basis: usize) -> Self {
        let patience = |patience: Patience| patience.in_blocks(self.block, block);
        Wanted {
            block,
            basis,
            patience: self.patience.map(patience),
            ..*self
        }
    }

    /// The residual at which a pair of this eigenvalue counts as found.
    pub(crate) fn allowed(&self, value: f64, first: f64) -> f64 {
        (self.tolerance * value).max(self.rounding * first)
    }

    /// How many of the leading pairs are needed: all, or as many as reach the share.
    fn needed(&self, values: &[f64]) -> usize {
        let reach = |(share, trace)| count_for_share(values.iter().copied(), trace, share);
        let enough = self.share.and_then(reach);
        enough.unwrap_or(self.k).min(self.k)
    }
}

/// Leading eigenpairs with their proof.
#[derive(Debug)]
pub(crate) struct Found {
    /// Eigenvalues, largest first.
    pub(crate) values: Vec<f64>,
    /// Unit eigenvectors as rows.
    pub(crate) vectors: Mat<f64>,
    /// ‖Av − θv‖, as it is.
    pub(crate) residuals: Vec<f64>,
    /// Up to where the next eigenvalue after those found may reach: what the gap is measured to. None where that is not
    /// known.
    pub(crate) next: Option<f64>,
    /// Products of blocks with A.
    pub(crate) products: usize,
    /// What a first look led to, where there was one.
    pub(crate) looked: Option<Looked>,
}

impl Found {
    /// Whether every residual is as small as was asked for, or as rounding allows.
    pub(crate) fn converged(&self, wanted: &Wanted) -> bool {
        let first = self.values.first().map_or(0.0, |v| v.abs());
        let mut pairs = self.values.iter().zip(&self.residuals);
        let given_up = self.looked.is_some_and(|looked| looked.ran.is_none());
        !given_up && pairs.all(|(value, r)| *r <= wanted.allowed(*value, first))
    }
}

/// The leading `wanted.k` eigenpairs of A.
pub(crate) fn leading_pairs(
    ctx: &Context,
    a: &dyn Symmetric,
    wanted: Wanted,
) -> Result<Found, Error> {
    let (look, trace) = (wanted.patience.and_then(|p| p.look), wanted.trace);
    let (Some(look), Some(trace)) = (look, trace) else {
        return iterate(ctx, a, wanted, Start::new(&wanted, a.dim()));
    };
    // 0. One product with a wide block, and what it says of the spectrum.
    let (block, basis) = wide(wanted.k);
    let many = wanted.in_blocks(block, basis.min(a.dim()));
    let mut start = Start::new(&many, a.dim());
    ctx.check()?;
    let images = a.apply(&start.vectors)?;
    let growth = work::growth(a.dim() as f64, 0.0, block as f64);
    (a.work(start.vectors.n_cols()) + growth).count(ctx);
    ctx.advance(1);
    let first = Basis::of(&start.vectors, &images);
    let n_new = first.orthonormal_part(images.clone()).n_cols();
    let outlook = Outlook::new((&start.vectors, &images), n_new, trace, look.other_side)?;
    let vectors = |block: usize| outlook.vectors(wanted.k, block, wanted.tolerance);
    let (by_many, by_few) = (vectors(block), vectors(a.few()));
    let is_within = |(from, to): (usize, usize)| by_many > from as f64 && by_many <= to as f64;
    let elsewhere = look.with_covariance.is_some_and(is_within);
    if elsewhere || by_many.min(by_few) > look.vectors as f64 {
        let mut found = Ritz::of(&first)?.pairs(&first, wanted.k.min(first.len()));
        (found.products, found.next) = (1, None);
        found.looked = Some(Looked {
            vectors: by_many,
            ran: None,
        });
        return Ok(found);
    }
    // A wide block goes on from its product; few vectors at a time begin anew, where that takes far fewer.
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
    Ok(Found {
        looked: Some(Looked {
            vectors: by_many,
            ran: Some(ran),
        }),
        ..found
    })
}

/// How many times fewer vectors a narrow block must be forecast to multiply.
const MUCH_FEWER: f64 = 1.5;

/// The same with few vectors at a time, where pairs are more than those.
fn shape_of_few(wanted: &Wanted, a: &dyn Symmetric) -> Option<Wanted> {
    (wanted.k >= a.few()).then(|| wanted.in_blocks(a.few(), a.room(wanted.k).min(a.dim())))
}

/// What an iteration begins with: random vectors, and what A makes of them where that is known.
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

fn iterate(ctx: &Context, a: &dyn Symmetric, wanted: Wanted, start: Start) -> Result<Found, Error> {
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
    let mut look_at = k;
    let mut probe = Probe::new(&wanted, block, d);
    let mut nearest = Nearest::default();
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
        // 2. What A made of them points onward: orthonormal to all before.
        next = basis.orthonormal_part(images.clone());
        let full = limit < d && basis.len() + next.n_cols() > limit;
        let whole = basis.len() >= d;
        let last = whole || products >= wanted.max_products || nearest.is_stuck(products);
        if basis.len() >= look_at || full || last {
            // 3. Ritz pairs of the basis so far.
            let ritz = Ritz::of(&basis)?;
            work::eigen(basis.len() as f64, basis.len() as f64).count(ctx);
            look_at = basis.len() + a.patience(basis.len()).max(1);
            let needed = wanted.needed(&ritz.values);
            let off = ritz.off_by(needed, &images.inner(&next), &wanted);
            let hopeless = wanted
                .patience
                .is_some_and(|p| pace.is_hopeless(off, products, p));
            pace = Pace { off, products };
            nearest.see(off, products);
            let foretold = basis.len() >= needed && off <= 1.0;
            let last = last || (hopeless && !foretold);
            if foretold || last {
                let mut found = ritz.pairs(&basis, needed.min(basis.len()));
                work::product(d as f64, basis.len() as f64, 2.0 * needed as f64).count(ctx);
                found.products = products;
                let converged = found.converged(&wanted);
                if converged && probe.found_all(&found, &ritz.values, products) {
                    return Ok(probe.certified(found));
                }
                if last {
                    // Without a probe nothing is known of what lies beyond, unless this is the whole space.
                    let next = found.next.filter(|_| whole);
                    return Ok(Found { next, ..found });
                }
                if converged && probe.is_due() {
                    // 4. Other directions, in which copies would show that these vectors cannot hold.
                    if basis.len() + probe.room() > limit {
                        work::product(d as f64, basis.len() as f64, 2.0 * shrunk as f64).count(ctx);
                        basis.compress(&ritz, shrunk.min(basis.len()));
                    }
                    let count = probe.begin(&found, products).min(d - basis.len());
                    next = basis.orthonormal_part(random_columns(d, count, &mut rng));
                    look_at = basis.len() + next.n_cols();
                    nearest = Nearest::default();
                    continue;
                }
            }
            // 5. A full basis shrinks to its best vectors. The new directions are orthogonal to the whole of it.
            if full {
                probe.cut_short();
                work::product(d as f64, basis.len() as f64, 2.0 * shrunk as f64).count(ctx);
                basis.compress(&ritz, shrunk.min(basis.len()));
                look_at = basis.len() + block;
            }
        }
        if next.n_cols() == 0 {
            // A gave nothing new: random directions.
            let count = block.min(d - basis.len());
            next = basis.orthonormal_part(random_columns(d, count, &mut rng));
        }
    }
}

/// An orthonormal basis as rows, with the images of its vectors and the matrix between them.
struct Basis {
    vectors: Mat<f64>,
    images: Mat<f64>,
    /// B·A·Bᵀ.
    between: Mat<f64>,
}

impl Basis {
    /// With room for so many vectors: it grows where it is, and memory is taken only by those that are there.
    fn new(d: usize, room: usize) -> Self {
        let empty = || Mat::from_vec(0, d, Vec::with_capacity(room * d)).unwrap_or_default();
        Basis {
            vectors: empty(),
            images: empty(),
            between: Mat::zeros(0, 0),
        }
    }

    /// Of these vectors alone.
    fn of(vectors: &Columns, images: &Columns) -> Self {
        let mut basis = Basis::new(vectors.len(), vectors.n_cols());
        basis.extend(vectors, images);
        basis
    }

    fn len(&self) -> usize {
        self.vectors.n_rows()
    }

    /// What of the vectors is new to the basis, orthonormal; vectors that add nothing are left out.
    fn orthonormal_part(&self, vectors: Columns) -> Columns {
        // Near the end hardly anything of a vector is new: what is left after the first time is brought back to length
        // 1, so that the second time can clear it of what rounding left in; and again where it was very little.
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

    /// Keeps only the best `count` Ritz vectors.
    fn compress(&mut self, ritz: &Ritz, count: usize) {
        let top = ritz.combinations.view().slice_rows(0, count);
        replace(&mut self.vectors, |all| product(top, all));
        replace(&mut self.images, |all| product(top, all));
        let values = &ritz.values;
        self.between = Mat::from_fn(count, count, |i, j| if i == j { values[i] } else { 0.0 });
    }
}

/// The eigenpairs of the matrix between the vectors of a basis: values, and combinations of the basis as rows.
struct Ritz {
    values: Vec<f64>,
    combinations: Mat<f64>,
}

impl Ritz {
    fn of(basis: &Basis) -> Result<Self, Error> {
        let (values, combinations) = symmetric_eigen(&basis.between)?;
        Ok(Ritz {
            values,
            combinations,
        })
    }

    fn largest(&self) -> f64 {
        self.values.first().map_or(0.0, |v| v.abs())
    }

    /// The largest residual among the best `k` pairs, in units of what is allowed for each, as it is foretold. `onward`
    /// tells how far the images of the basis' last vectors (rows) reach along each of the directions that come next
    /// (columns).
    fn off_by(&self, k: usize, onward: &Mat<f64>, wanted: &Wanted) -> f64 {
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

    /// The best `k` pairs, with residuals measured on the vectors themselves.
    fn pairs(&self, basis: &Basis, k: usize) -> Found {
        // One more, so that it is known how far the next value may still move.
        let looked_at = (k + 1).min(basis.len());
        let top = self.combinations.view().slice_rows(0, looked_at);
        let vectors = product(top, basis.vectors.view());
        let images = product(top, basis.images.view());
        let residual = |i: usize| {
            let pair = images.row(i).iter().zip(vectors.row(i));
            let difference: Vec<f64> = pair.map(|(a, v)| a - self.values[i] * v).collect();
            norm(&difference)
        };
        let residuals = (0..k).map(residual).collect();
        let next = (k < looked_at).then(|| self.values[k] + residual(k));
        Found {
            values: self.values[..k].to_vec(),
            residuals,
            vectors: vectors.top(k),
            next,
            products: 0,
            looked: None,
        }
    }
}

fn append(to: &mut Mat<f64>, rows: &Mat<f64>) {
    let d = rows.n_cols();
    let mut cells = std::mem::take(to).into_vec();
    cells.extend_from_slice(rows.as_slice());
    *to = Mat::from_vec(cells.len() / d.max(1), d, cells).unwrap_or_default();
}

/// Puts other rows in the place of all, in the same memory.
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

/// The directions that vectors span, orthonormal; vectors not longer than `least` and directions below rounding are left
/// out. Also the least share of itself that a direction which stayed has in common with no other.
///
/// Through the eigenvectors of the matrix of inner products: as fast as Cholesky, and it shows the rank instead of
/// failing on it.
fn orthonormal(mut vectors: Columns, least: f64) -> (Columns, f64) {
    let nothing = (Columns::zeros(vectors.len(), 0), 0.0);
    // Squares stay in range.
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
    // Squares: directions of length below 1e-7 have lost half their digits and come back cleaner with the next product.
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
