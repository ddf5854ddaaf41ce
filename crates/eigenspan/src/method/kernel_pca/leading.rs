//! The leading components of landmark features without their scatter S: products with blocks of vectors, one reading of the
//! rows per block.
//!
//! 1. Start: the leading eigenvectors u (eigenvalues l) of the scatter of some thousand rows drawn uniformly.
//! 2. A reading gives S·v for a block of vectors ([`read_products`]); the Rayleigh–Ritz method gives pairs (θ, v) from all
//!    vectors so far, with residuals r = Sv − θv. Ritz values never lie above the eigenvalues: θᵢ ≤ λᵢ.
//! 3. The next block is that of Davidson (1975, doi:10.1016/0021-9991(75)90065-0): (S′ − θ)⁻¹r, where S′, the scatter of the
//!    rows drawn, approximates S: eigenvalue l for each u, and zero elsewhere. How much residuals shrink with every reading
//!    depends on the error of S′: 25 to 190 times, on four tables where ten thousand rows were drawn.
//!
//! How far λᵢ may lie above θᵢ: let the columns of Q be the Ritz vectors, and E their residuals, which are orthogonal to them.
//! Where β < μ bounds the norm of F = (I − QQᵀ)S(I − QQᵀ), S has as many eigenvalues above μ as Θ + Eᵀ(μ − F)⁻¹E has (Sylvester's
//! law of inertia), and that is at most Θ + EᵀE/(μ − β). With νᵢ the eigenvalues of Θ + EᵀE/(θₖ − β), which are at least θₖ
//! for i ≤ k, this gives λᵢ ≤ νᵢ. For β: no vector of Q depends on the random vectors g, which are normal, so ‖Fʲg‖ ≥
//! ‖F‖ʲ·|uᵀg| for the leading eigenvector u of F, and |uᵀg| < t has probability at most t·√(2/π), independently for each g. F
//! is taken for the first block: with more vectors its norm only falls.
//!
//! The iteration ends where residuals reach the tolerance or, where no tolerance was given, a hundredth of the error that
//! landmarks cause anyway. The error bound is widened by νᵢ − θᵢ. If neither is reached in the number of readings that would
//! have paid for the features and their scatter, the scatter is used instead.

use super::SpectrumError;
use super::features::Components;
use super::products::{Beside, FirstSums, read_products};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{CHANCE, CHANCE_BESIDE, Featured, Nystrom, Probe, uniform};
use crate::linalg::{
    dot, leading_eigen, norm, orthonormalize_from, product, symmetric_eigen, symmetric_eigenvalues,
    times_transposed,
};
use crate::mat::{Mat, Real};
use crate::rng::{Rng, stream};
use crate::solve::{FeatureBlocks, Problem, Spectrum, checked_divisor};
use crate::source::{Dense, Source};
use crate::summary::{Accuracy, Scatter, summarize};

/// A residual below this share of the landmarks' own error hardly adds to it.
const LITTLE: f64 = 0.01;
/// The largest rounding error of a product, as a share of its eigenvalue; and the share of the first eigenvalue below which
/// products are not used.
const BLUR: f64 = 1e-6;
const SMALL: f64 = 1e-8;
/// The unit of rounding, and the number of roundings that a cell passes through.
const UNIT: f64 = 0.5 * f64::EPSILON;
const FEW: f64 = 8.0;

/// The request.
pub(super) struct Request<'a> {
    pub(super) k: usize,
    pub(super) blocks: FeatureBlocks,
    pub(super) problem: &'a Problem,
    /// Whether the tolerance was given as an option.
    pub(super) explicit: bool,
}

/// An estimate of S from rows drawn uniformly: eigenpairs of their scatter, scaled up to the number of all rows, and their
/// mean.
struct Start {
    values: Vec<f64>,
    vectors: Mat<f64>,
    mean: Vec<f64>,
}

/// Vectors with their images: orthonormal rows v, rows S·v, and a bound on the rounding error of each image.
struct Basis {
    vectors: Mat<f64>,
    images: Mat<f64>,
    noise: Vec<f64>,
}

/// All Ritz pairs of a basis.
struct Ritz {
    values: Vec<f64>,
    vectors: Mat<f64>,
    /// Sv − θv, and a bound on the rounding error of its length.
    residuals: Mat<f64>,
    noise: Vec<f64>,
}

/// Random vectors g, stored as unit vectors along Fʲg.
struct Checks {
    times: i32,
    vectors: Mat<f64>,
    /// ‖Fʲg‖ of each, and a bound on its rounding error.
    lengths: Vec<f64>,
    errors: Vec<f64>,
}

/// The numbers that bound the rounding errors of images.
struct Rounding<'a> {
    map: &'a Nystrom,
    /// An upper bound on the norm of the matrix of kernels with the landmarks.
    kernels: f64,
    /// ‖W‖.
    whiten: f64,
    /// Error of a sum over all rows, relative to its terms.
    sums: f64,
    /// ‖S‖: twice the largest stretch that the first block shows. It is not proven that this is enough.
    norm: f64,
}

/// Results of the first reading of all rows besides products.
struct FirstReading {
    n_rows: usize,
    /// Of kernels, and of features.
    kernel_mean: Vec<f64>,
    mean: Vec<f64>,
    /// The trace of the centered kernel matrix.
    trace: f64,
    lost: f64,
    /// Bounds on what landmarks miss, and on the rounding errors of eigenvalues.
    missed: f64,
    above: f64,
    drawn: Option<usize>,
}

/// The leading components and bounds on their errors; `None` if products do not converge in time.
pub(super) fn leading<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    (map, drawn): (&Nystrom, Mat<f64>),
    request: &Request<'_>,
) -> Result<Option<(Components, SpectrumError)>, Error> {
    let blocks = request.blocks;
    let rank = map.whiten().n_cols();
    if 2 * (blocks.first + 2 * blocks.more) > rank {
        return Ok(None);
    }
    let start = Start::new(ctx, source, (map, drawn), request)?;
    let mut rng = Rng::new(stream(request.problem.seed ^ 0x1ead_0c0f_fee5, rank));
    let checks = Mat::from_fn(blocks.checks, rank, |_, _| rng.normal());
    // Σφⱼ²/λⱼ is the mean of (Σⱼφⱼgⱼ/√λⱼ)² over normal numbers g.
    let inverses = map.inverses();
    let along = Mat::from_fn(blocks.checks, rank, |_, j| {
        rng.normal() * inverses[j].sqrt()
    });
    let nested = map.nested(blocks.nested);
    let beside = Beside {
        along: ctx.install(|| product(map.whiten().view(), along.view().transposed())),
        nested: &nested,
        probe: &|| Probe::of_candidates(source.n_cols(), request.problem.seed),
    };
    // 1. The first block, and what else the first reading gives.
    let first = start.vectors.clone().top(blocks.first);
    let vectors = joined(&first, &checks);
    let about = start.about(&vectors);
    let mut sums = read_products(ctx, source, map, (&vectors, &about), Some(&beside))?;
    let n_rows = sums.n_rows;
    let Some(first_sums) = sums.first_sums.take() else {
        return Ok(None);
    };
    let mut rounding = Rounding::new(map, n_rows, &first_sums);
    let whole = FirstReading::new(ctx, map, (n_rows, first_sums), blocks.checks)?;
    let images = ctx.install(|| sums.images(map, &whole.kernel_mean));
    rounding.see(&vectors, &images);
    let noise = rounding.image_errors(&vectors, &images);
    let (own, others) = split(images, first.n_rows());
    let mut basis = Basis {
        vectors: first.clone(),
        images: own,
        noise: noise[..first.n_rows()].to_vec(),
    };
    let mut checks = Checks::new(&checks, &basis, others, &noise[first.n_rows()..]);
    // 2. Blocks, as long as they are needed.
    for reading in 1.. {
        let ritz = ctx.install(|| Ritz::from_basis(&basis))?;
        let excess = ritz.excess(request.k, checks.norm())?;
        if ritz.has_converged(request, &whole, excess) {
            return result(&ritz, request, whole, excess).map(Some);
        }
        if reading >= blocks.most_readings() {
            break;
        }
        let next = ctx.install(|| start.next(&ritz, &basis, blocks.more));
        let vectors = joined(&next, &checks.vectors);
        let about = start.about(&vectors);
        let sums = read_products(ctx, source, map, (&vectors, &about), None)?;
        let images = ctx.install(|| sums.images(map, &whole.kernel_mean));
        let noise = rounding.image_errors(&vectors, &images);
        let (own, others) = split(images, next.n_rows());
        checks.advance(&first, others, &noise[next.n_rows()..], rounding.norm);
        basis.noise.extend_from_slice(&noise[..next.n_rows()]);
        basis.vectors = joined(&basis.vectors, &next);
        basis.images = joined(&basis.images, &own);
    }
    Ok(None)
}

impl Start {
    fn new<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        (map, drawn): (&Nystrom, Mat<f64>),
        request: &Request<'_>,
    ) -> Result<Self, Error> {
        let wanted = request.blocks.start_rows;
        let rows = match drawn.n_rows() >= wanted.min(source.n_rows().unwrap_or(wanted)) {
            // Every n-th row, in the order of the file.
            true if drawn.n_rows() > wanted => {
                let n = drawn.n_rows();
                Mat::from_fn(wanted, drawn.n_cols(), |i, j| drawn[(i * n / wanted, j)])
            }
            true => drawn,
            false => {
                let mut rng = Rng::new(stream(request.problem.seed, 3));
                uniform(ctx, source, wanted, &mut rng)?
            }
        };
        let rows = Dense::new(rows.view());
        let features = Featured::new(&rows, map)?;
        let quiet = ctx.without_progress();
        let scatter = summarize(&quiet, &features, || Scatter::new(map.whiten().n_cols()))?;
        let grown = source.n_rows().unwrap_or(0) as f64 / scatter.n_rows().max(1) as f64;
        let mean = scatter.mean();
        let scatter = scatter.into_matrix(true);
        let count = 4 * request.blocks.first;
        let (values, vectors) = ctx.install(|| leading_eigen(&scatter, count))?;
        Ok(Start {
            values: values.iter().map(|x| grown * x).collect(),
            vectors,
            mean,
        })
    }

    /// A number near the mean of φᵀv of each vector.
    fn about(&self, vectors: &Mat<f64>) -> Vec<f64> {
        vectors.rows().map(|v| dot(v, &self.mean)).collect()
    }

    /// The next block: (S′ − θ)⁻¹ of the leading residuals, orthonormal to the basis.
    fn next(&self, ritz: &Ritz, basis: &Basis, count: usize) -> Mat<f64> {
        // The smallest distance between θ and an eigenvalue of S′, as a share of θ: neither of the two is exact.
        const NEAR: f64 = 0.05;
        let residuals = ritz.residuals.clone().top(count);
        let along = times_transposed(residuals.view(), self.vectors.view());
        // −r/θ, and along each u the difference between 1/(l − θ) and −1/θ.
        let more = Mat::from_fn(along.n_rows(), along.n_cols(), |i, j| {
            let theta = ritz.values[i];
            let apart = self.values[j] - theta;
            let apart = match apart.abs() < NEAR * theta {
                true => -NEAR * theta,
                false => apart,
            };
            along[(i, j)] * (1.0 / theta + 1.0 / apart)
        });
        let more = product(more.view(), self.vectors.view());
        let next = Mat::from_fn(residuals.n_rows(), residuals.n_cols(), |i, j| {
            more[(i, j)] - residuals[(i, j)] / ritz.values[i]
        });
        let mut all = joined(&basis.vectors, &next);
        let size = basis.vectors.n_rows();
        orthonormalize_from(&mut all, size);
        split(all, size).1
    }
}

impl FirstReading {
    fn new(
        ctx: &Context,
        map: &Nystrom,
        (n_rows, first_sums): (usize, FirstSums),
        count: usize,
    ) -> Result<Self, Error> {
        let n = n_rows as f64;
        let kernel_mean: Vec<f64> = first_sums.kernels.iter().map(|sum| sum / n).collect();
        let row = Mat::from_vec(1, kernel_mean.len(), kernel_mean.clone())?;
        let mean = product(row.view(), map.whiten().view()).into_vec();
        let weights = first_sums.squares / count as f64 / least_mean_square(count, CHANCE_BESIDE);
        let (above, entries) = map.rounding(n_rows, weights, first_sums.largest);
        let (probed, lost) = first_sums.probe.finish_candidates(ctx, map)?;
        Ok(FirstReading {
            n_rows,
            trace: first_sums.own - n * dot(&mean, &mean),
            kernel_mean,
            mean,
            lost,
            missed: probed.norm + above + entries,
            above: above + entries,
            drawn: probed.drawn,
        })
    }
}

/// A lower bound, with this chance of failure, on the mean of `count` squares of normal numbers, relative to its expectation.
/// It also holds for sums of such squares with any weights, because a single weight spreads most: P(mean ≤ t) ≤
/// (t·e^(1−t))^(count/2).
fn least_mean_square(count: usize, chance: f64) -> f64 {
    let goal = chance.ln() / (0.5 * count as f64);
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match middle.ln() + 1.0 - middle > goal {
            true => high = middle,
            false => low = middle,
        }
    }
    low
}

impl<'a> Rounding<'a> {
    fn new(map: &'a Nystrom, n_rows: usize, first_sums: &FirstSums) -> Self {
        let (n, m) = (n_rows as f64, map.whiten().n_rows() as f64);
        let longest = map.inverses().iter().fold(0.0f64, |m, x| m.max(*x));
        Rounding {
            map,
            kernels: map.largest(first_sums.largest).size * (n * m).sqrt(),
            whiten: longest.sqrt(),
            sums: Accuracy::in_chunks(n_rows).of_sums() + UNIT * (FEW + m.sqrt()),
            norm: f64::INFINITY,
        }
    }

    /// Takes ‖S‖ from the first block, which contains the leading eigenvector of the rows drawn.
    fn see(&mut self, vectors: &Mat<f64>, images: &Mat<f64>) {
        let stretch = images.rows().zip(vectors.rows());
        let largest = stretch.fold(0.0f64, |m, (image, v)| m.max(norm(image) / norm(v)));
        self.norm = 2.0 * largest;
    }

    /// Bounds on the rounding error of S·v for each vector: errors of Wv; of p(x) = k(x)ᵀWv, which the features of all rows
    /// multiply by at most √‖S‖; and of the sums over all rows, which W multiplies.
    fn image_errors(&self, vectors: &Mat<f64>, images: &Mat<f64>) -> Vec<f64> {
        let whiten = self.map.whiten();
        let sizes = Mat::from_fn(whiten.n_rows(), whiten.n_cols(), |i, j| {
            whiten[(i, j)].abs()
        });
        let lengths = Mat::from_fn(vectors.n_rows(), vectors.n_cols(), |i, j| {
            vectors[(i, j)].abs()
        });
        // |W||v| is no less than |Wv|.
        let reach = times_transposed(lengths.view(), sizes.view());
        let terms = (whiten.n_rows().max(whiten.n_cols()) as f64).sqrt();
        let noise = |i: usize| {
            let along = dot(images.row(i), vectors.row(i)).max(0.0).sqrt();
            let carried = 2.0 * UNIT * (FEW + terms) * norm(reach.row(i)) * self.norm.sqrt();
            self.kernels * (carried + self.sums * self.whiten * along)
        };
        (0..vectors.n_rows()).map(noise).collect()
    }
}

impl Ritz {
    fn from_basis(basis: &Basis) -> Result<Self, Error> {
        let between = times_transposed(basis.vectors.view(), basis.images.view());
        let between = Mat::from_fn(between.n_rows(), between.n_cols(), |i, j| {
            0.5 * (between[(i, j)] + between[(j, i)])
        });
        let (values, combinations) = symmetric_eigen(&between)?;
        let vectors = product(combinations.view(), basis.vectors.view());
        let mut residuals = product(combinations.view(), basis.images.view());
        for (i, value) in values.iter().enumerate() {
            let row = residuals.row_mut(i).iter_mut().zip(vectors.row(i));
            row.for_each(|(r, v)| *r -= value * v);
        }
        let noise = |row: &[f64]| {
            let terms = row.iter().zip(&basis.noise);
            terms.map(|(c, noise)| c.abs() * noise).sum::<f64>()
        };
        Ok(Ritz {
            noise: combinations.rows().map(noise).collect(),
            values,
            vectors,
            residuals,
        })
    }

    /// How far one of the leading k eigenvalues may lie above its Ritz value, if ‖F‖ outside the vectors is at most `beyond`;
    /// infinite where `beyond` is too large for a bound.
    fn excess(&self, k: usize, beyond: f64) -> Result<f64, Error> {
        let apart = self.values[k - 1] - beyond;
        if apart.is_nan() || apart <= 0.0 {
            return Ok(f64::INFINITY);
        }
        let inner = times_transposed(self.residuals.view(), self.residuals.view());
        let lifted = Mat::from_fn(inner.n_rows(), inner.n_cols(), |i, j| {
            let own = if i == j { self.values[i] } else { 0.0 };
            own + inner[(i, j)] / apart
        });
        let values = symmetric_eigenvalues(&lifted)?;
        let pairs = values.iter().zip(&self.values).take(k);
        Ok(pairs.fold(0.0f64, |m, (above, value)| m.max(above - value)))
    }

    /// Whether another reading would improve nothing.
    fn has_converged(&self, request: &Request<'_>, whole: &FirstReading, excess: f64) -> bool {
        let (first, last) = (self.values[0], self.values[request.k - 1]);
        // A small eigenvalue is lost in the rounding errors of large ones.
        if last.is_nan() || last <= SMALL * first {
            return false;
        }
        let tolerance = request.problem.tolerance;
        let near = |i: usize| {
            let (off, noise) = (norm(self.residuals.row(i)), self.noise[i]);
            let wanted = tolerance * self.values[i];
            let enough = LITTLE * whole.missed;
            match request.explicit {
                true => off + noise <= wanted,
                false => {
                    off <= wanted.max(enough).max(noise)
                        && noise <= enough.max(BLUR * self.values[i])
                }
            }
        };
        excess <= (LITTLE * whole.missed).max(tolerance * first) && (0..request.k).all(near)
    }
}

impl Checks {
    /// The start: random vectors and their images, for F outside the first block.
    fn new(vectors: &Mat<f64>, first: &Basis, mut images: Mat<f64>, noise: &[f64]) -> Self {
        // F·g = (I − QQᵀ)(S·g − S·QQᵀg).
        let along = times_transposed(vectors.view(), first.vectors.view());
        take_out(&mut images, &along, &first.images);
        let errors = noise.iter().zip(along.rows()).map(|(noise, along)| {
            let terms = along.iter().zip(&first.noise);
            noise + terms.map(|(c, noise)| c.abs() * noise).sum::<f64>()
        });
        let mut checks = Checks {
            times: 0,
            vectors: Mat::zeros(0, 0),
            lengths: vec![1.0; vectors.n_rows()],
            errors: errors.collect(),
        };
        checks.take(&first.vectors, images);
        checks
    }

    /// The next power of F, from the images of the current vectors; `norm` is an upper bound on ‖F‖.
    fn advance(&mut self, first: &Mat<f64>, images: Mat<f64>, noise: &[f64], norm: f64) {
        let each = self.errors.iter_mut().zip(&self.lengths).zip(noise);
        each.for_each(|((error, length), noise)| *error = norm * *error + length * noise);
        self.take(first, images);
    }

    fn take(&mut self, first: &Mat<f64>, mut images: Mat<f64>) {
        let along = times_transposed(images.view(), first.view());
        take_out(&mut images, &along, first);
        for (i, length) in self.lengths.iter_mut().enumerate() {
            let own = norm(images.row(i));
            *length *= own;
            if own > 0.0 {
                images.row_mut(i).iter_mut().for_each(|x| *x /= own);
            }
        }
        self.vectors = images;
        self.times += 1;
    }

    /// A bound on ‖F‖; it fails only if all |uᵀg| lie below t.
    fn norm(&self) -> f64 {
        let count = self.lengths.len() as f64;
        let t = CHANCE_BESIDE.powf(1.0 / count) * std::f64::consts::FRAC_PI_2.sqrt();
        let reach = self.lengths.iter().zip(&self.errors);
        let longest = reach.fold(0.0f64, |m, (length, error)| m.max(length + error));
        (longest / t).powf(1.0 / f64::from(self.times))
    }
}

/// The result, and bounds on its errors.
fn result(
    ritz: &Ritz,
    request: &Request<'_>,
    whole: FirstReading,
    excess: f64,
) -> Result<(Components, SpectrumError), Error> {
    let (k, problem) = (request.k, request.problem);
    let kept: f64 = ritz.values[..k].iter().sum();
    let mut vectors = ritz.vectors.clone().top(k);
    problem.sign.apply_to(&mut vectors);
    let mut spectrum = Spectrum {
        singular_values: ritz.values[..k].iter().map(|x| x.sqrt()).collect(),
        vectors,
        residuals: vec![0.0; k],
        norm: whole.trace.max(kept).sqrt(),
        divisor: checked_divisor(problem.convention, whole.n_rows, whole.n_rows as f64)?,
        angle: None,
        rank: k,
        left_out: None,
    };
    let residual = |i: usize| norm(ritz.residuals.row(i)) + ritz.noise[i];
    spectrum.set_absolute_residuals(&(0..k).map(residual).collect::<Vec<f64>>());
    let noise = ritz.noise[..k].iter().fold(0.0f64, |m, x| m.max(*x));
    let error = SpectrumError::Bound {
        lost: whole.lost,
        norm: Some(whole.missed + excess + noise),
        above: Some(whole.above + noise),
        drawn: whole.drawn,
        chance: Some(CHANCE),
    };
    let components = Components {
        n_rows: whole.n_rows,
        mean: whole.mean,
        spectrum,
        lost: whole.lost,
    };
    Ok((components, error))
}

/// The rows of both.
fn joined(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let rows = a.n_rows();
    Mat::from_fn(rows + b.n_rows(), a.n_cols(), |i, j| match i < rows {
        true => a[(i, j)],
        false => b[(i - rows, j)],
    })
}

/// The first rows, and the others.
fn split(all: Mat<f64>, count: usize) -> (Mat<f64>, Mat<f64>) {
    let rest = all.view().slice_rows(count, all.n_rows()).to_mat();
    (all.top(count), rest)
}

/// Subtracts from some rows their projections onto other rows.
fn take_out(rows: &mut Mat<f64>, along: &Mat<f64>, others: &Mat<f64>) {
    let parts = product(along.view(), others.view());
    let cells = rows.as_mut_slice().iter_mut().zip(parts.as_slice());
    cells.for_each(|(x, part)| *x -= part);
}
