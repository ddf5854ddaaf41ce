//! Leading eigenpairs of a symmetric matrix that is known only by its products: block Krylov with thick restarts.
//!
//! A basis B grows block by block: each new block is A times the last one, made orthonormal against all of B, twice.
//! Rayleigh–Ritz on B gives pairs (θ, v) with residuals ‖Av − θv‖; it stops when the leading k are all below tol·θ₁. When
//! the basis is full it is compressed to its best Ritz vectors and grows on from there (Wu & Simon 2000,
//! doi:10.1137/S0895479898334605; blocks after Musco & Musco 2015, arXiv:1504.05477; the random start after Halko,
//! Martinsson & Tropp 2011, doi:10.1137/090771806).
//!
//! With blocks of one vector this is Lanczos; with blocks of k + a few it is the randomized method. Vectors are rows.

use crate::context::Context;
use crate::error::Error;
use crate::linalg::{add_product, norm, product, symmetric_eigen, times_transposed};
use crate::mat::Mat;
use crate::rng::Rng;

/// A symmetric matrix known by its products with rows: Q ↦ Q·A.
pub(crate) trait Symmetric: Sync {
    /// Rows and columns.
    fn dim(&self) -> usize;
    /// Q·A for the rows of Q.
    fn apply(&self, q: &Mat<f64>) -> Result<Mat<f64>, Error>;
}

/// A matrix that is written out.
impl Symmetric for Mat<f64> {
    fn dim(&self) -> usize {
        self.n_rows()
    }
    fn apply(&self, q: &Mat<f64>) -> Result<Mat<f64>, Error> {
        Ok(product(q.view(), self.view()))
    }
}

/// What is asked of the iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Leading pairs.
    pub(crate) k: usize,
    /// Residual relative to the largest eigenvalue.
    pub(crate) tolerance: f64,
    /// Vectors per product.
    pub(crate) block: usize,
    /// Vectors the basis may have.
    pub(crate) basis: usize,
    /// Products of blocks with A, at most.
    pub(crate) max_products: usize,
    /// Where the random start comes from.
    pub(crate) seed: u64,
}

/// Leading eigenpairs with their proof.
#[derive(Debug)]
pub(crate) struct Found {
    /// Eigenvalues, largest first.
    pub(crate) values: Vec<f64>,
    /// Unit eigenvectors as rows.
    pub(crate) vectors: Mat<f64>,
    /// ‖Av − θv‖ / θ₁.
    pub(crate) residuals: Vec<f64>,
    /// The next eigenvalue after those wanted, as far as it is known: what the gap is measured to.
    pub(crate) next: Option<f64>,
    /// Products of blocks with A.
    pub(crate) products: usize,
}

impl Found {
    /// Whether every residual is as small as was asked for.
    pub(crate) fn converged(&self, tolerance: f64) -> bool {
        self.residuals.iter().all(|r| *r <= tolerance)
    }
}

/// The leading `wanted.k` eigenpairs of A.
pub(crate) fn leading_pairs(
    ctx: &Context,
    a: &dyn Symmetric,
    wanted: Wanted,
) -> Result<Found, Error> {
    let d = a.dim();
    let k = wanted.k.min(d);
    let block = wanted.block.clamp(1, d);
    let limit = wanted.basis.clamp((2 * k + 2 * block).min(d), d);
    let mut rng = Rng::new(wanted.seed);
    let mut basis = Basis::new(d);
    let mut next = basis.orthonormal_part(random_rows(block, d, &mut rng));
    let mut products = 0;
    loop {
        ctx.check()?;
        // 1. Images of the new directions.
        let images = a.apply(&next)?;
        products += 1;
        ctx.advance(1);
        basis.extend(&next, &images);
        // 2. Ritz pairs of the basis so far.
        let ritz = basis.ritz(k.min(basis.len()))?;
        let done = ritz.values.len() == k && ritz.converged(wanted.tolerance);
        if done || basis.len() >= d || products >= wanted.max_products {
            return Ok(Found { products, ..ritz });
        }
        // 3. What A made of them points onward: orthonormal to all before; random where A gave nothing new.
        next = basis.orthonormal_part(images);
        if next.n_rows() == 0 {
            next = basis.orthonormal_part(random_rows(block.min(d - basis.len()), d, &mut rng));
        }
        // 4. A full basis shrinks to its best vectors. The new directions were made orthogonal to the whole of it first.
        if limit < d && basis.len() + block > limit {
            basis.compress((k + (limit - k) / 3).min(basis.len()))?;
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
    fn new(d: usize) -> Self {
        Basis {
            vectors: Mat::zeros(0, d),
            images: Mat::zeros(0, d),
            between: Mat::zeros(0, 0),
        }
    }

    fn len(&self) -> usize {
        self.vectors.n_rows()
    }

    /// What of the rows is new to the basis, orthonormal; rows that add nothing are left out.
    fn orthonormal_part(&self, rows: Mat<f64>) -> Mat<f64> {
        // Near the end hardly anything of a row is new: what is left after the first time is brought back to length 1, so
        // that the second time can clear it of what rounding left in.
        let mut kept = unit_rows(rows, 0.0);
        for _ in 0..2 {
            self.remove_from(&mut kept);
            kept = orthonormal_rows(unit_rows(kept, 1e-13));
        }
        self.remove_from(&mut kept);
        orthonormal_rows(kept)
    }

    /// rows −= (rows·Bᵀ)·B.
    fn remove_from(&self, rows: &mut Mat<f64>) {
        if self.len() == 0 || rows.n_rows() == 0 {
            return;
        }
        let mut along = times_transposed(rows.view(), self.vectors.view());
        along.as_mut_slice().iter_mut().for_each(|x| *x = -*x);
        add_product(rows, along.view(), self.vectors.view());
    }

    fn extend(&mut self, vectors: &Mat<f64>, images: &Mat<f64>) {
        let (old, new) = (self.len(), vectors.n_rows());
        let cross = times_transposed(self.vectors.view(), images.view());
        let own = times_transposed(vectors.view(), images.view());
        self.between = Mat::from_fn(old + new, old + new, |i, j| match (i < old, j < old) {
            (true, true) => self.between[(i, j)],
            (true, false) => cross[(i, j - old)],
            (false, true) => cross[(j, i - old)],
            (false, false) => 0.5 * (own[(i - old, j - old)] + own[(j - old, i - old)]),
        });
        append(&mut self.vectors, vectors);
        append(&mut self.images, images);
    }

    /// The best `k` pairs this basis has.
    fn ritz(&self, k: usize) -> Result<Found, Error> {
        let (values, combinations) = symmetric_eigen(&self.between)?;
        let next = values.get(k).copied();
        let top = combinations.top(k);
        let vectors = product(top.view(), self.vectors.view());
        let images = product(top.view(), self.images.view());
        let first = values.first().map_or(0.0, |v| v.abs());
        let residuals = (0..k)
            .map(|i| {
                let difference: Vec<f64> = images
                    .row(i)
                    .iter()
                    .zip(vectors.row(i))
                    .map(|(a, v)| a - values[i] * v)
                    .collect();
                if first > 0.0 {
                    norm(&difference) / first
                } else {
                    0.0
                }
            })
            .collect();
        Ok(Found {
            values: values[..k].to_vec(),
            vectors,
            residuals,
            next,
            products: 0,
        })
    }

    /// Keeps only the best `count` Ritz vectors.
    fn compress(&mut self, count: usize) -> Result<(), Error> {
        let (values, combinations) = symmetric_eigen(&self.between)?;
        let top = combinations.top(count);
        self.vectors = product(top.view(), self.vectors.view());
        self.images = product(top.view(), self.images.view());
        self.between = Mat::from_fn(count, count, |i, j| if i == j { values[i] } else { 0.0 });
        Ok(())
    }
}

fn append(to: &mut Mat<f64>, rows: &Mat<f64>) {
    let d = rows.n_cols();
    let mut cells = std::mem::take(to).into_vec();
    cells.extend_from_slice(rows.as_slice());
    *to = Mat::from_vec(cells.len() / d.max(1), d, cells).unwrap_or_default();
}

fn random_rows(count: usize, d: usize, rng: &mut Rng) -> Mat<f64> {
    Mat::from_fn(count, d, |_, _| rng.normal())
}

/// Rows brought to length 1; those not longer than `least` are left out.
fn unit_rows(rows: Mat<f64>, least: f64) -> Mat<f64> {
    let d = rows.n_cols();
    let mut cells = Vec::with_capacity(rows.as_slice().len());
    for row in rows.rows() {
        let length = norm(row);
        if length > least && length.is_finite() {
            cells.extend(row.iter().map(|x| x / length));
        }
    }
    Mat::from_vec(cells.len() / d.max(1), d, cells).unwrap_or_default()
}

/// The directions that rows of about unit length span, orthonormal; directions below rounding are left out.
///
/// Through the eigenvectors of the Gram matrix QQᵀ: as fast as Cholesky, and it shows the rank instead of failing on it.
fn orthonormal_rows(rows: Mat<f64>) -> Mat<f64> {
    if rows.n_rows() == 0 {
        return rows;
    }
    let gram = times_transposed(rows.view(), rows.view());
    let Ok((values, combinations)) = symmetric_eigen(&gram) else {
        return Mat::zeros(0, rows.n_cols());
    };
    // Squares: directions of length below 1e-7 have lost half their digits and come back cleaner with the next product.
    let kept = values.iter().take_while(|v| **v > 1e-14).count();
    let mut scaled = combinations.top(kept);
    for (i, value) in values.iter().enumerate().take(kept) {
        scaled
            .row_mut(i)
            .iter_mut()
            .for_each(|x| *x /= value.sqrt());
    }
    product(scaled.view(), rows.view())
}
