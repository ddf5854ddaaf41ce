//! Eigenpairs of a centered kernel matrix K̄: all of them, or the leading ones by products with it.
//!
//! K̄ = Φ̄Φ̄ᵀ has the eigenvalues σ² of the scatter in feature space, so what comes out is a [`Spectrum`] whose vectors are the
//! unit eigenvectors u of K̄ (one cell per row of the data). A kernel that is not positive semi-definite has negative eigenvalues,
//! which are not squares of singular values; [`Negative`] says how they are treated (Chen, Garcia, Gupta, Rahimi & Cazzanti 2009,
//! J. Machine Learning Research 10, 747–776).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::iterative::{iterate, note_residuals, shape_of};
use super::krylov::{LeadingPairs, Symmetric, leading_pairs};
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solver, checked_divisor};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    Columns, LinearMap, largest_first, leading_eigen, norm, polish_rows, product, symmetric_eigen,
};
use crate::mat::Mat;
use crate::note::Note;

/// Treatment of negative eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Negative {
    /// Set them to zero
    #[default]
    Clip,
    /// Take their magnitude
    Flip,
    /// Add the magnitude of the smallest to all
    Shift,
    /// Refuse them
    Error,
}

impl Negative {
    /// Its name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Negative::Clip => "clip",
            Negative::Flip => "flip",
            Negative::Shift => "shift",
            Negative::Error => "error",
        }
    }
}

/// A centered kernel matrix, as a solver gets it.
pub(crate) enum Centered<'a> {
    /// All cells in memory, already centered.
    Matrix(Mat<f64>),
    /// Available through its products.
    Map {
        /// The map to iterate on; it may be rounded.
        map: &'a dyn LinearMap,
        /// The exact map: images and residuals are computed with it.
        exact: &'a dyn LinearMap,
    },
}

/// Facts about a centered kernel matrix that its cells do not tell cheaply.
pub(crate) struct Known {
    /// Number of rows.
    pub(crate) n: usize,
    /// The trace.
    pub(crate) trace: f64,
    /// Whether no eigenvalue can be negative.
    pub(crate) semidefinite: bool,
    /// Treatment of negative eigenvalues.
    pub(crate) negative: Negative,
    /// Upper bound on ‖E‖, where E is the rounding error of the entries before centering.
    pub(crate) rounding: f64,
    /// Upper bound on the norm of the matrix of |kᵢⱼ| before centering.
    pub(crate) whole: f64,
    /// Whether an iteration also looks for the smallest eigenvalue; else it takes the smallest number that it met, which lies above.
    pub(crate) needs_smallest: bool,
}

impl Known {
    /// Upper bound on the error of a computed ‖K̄u − λu‖: E, centering, sums of n products, and the rounding of u.
    fn noise(&self, centered: &Centered<'_>) -> f64 {
        let sums = 0.5 * (self.n as f64 + 16.0) * f64::EPSILON;
        let noise = self.rounding
            + match centered {
                Centered::Matrix(matrix) => {
                    8.0 * f64::EPSILON * self.whole + sums * norm(matrix.as_slice())
                }
                Centered::Map { .. } => sums * self.whole,
            };
        if noise.is_nan() { f64::INFINITY } else { noise }
    }
}

/// Eigenpairs of a centered kernel matrix.
#[derive(Debug)]
pub(crate) struct GramSolution {
    /// Pairs after negative eigenvalues were treated.
    pub(crate) spectrum: Spectrum,
    /// The eigenvalue of K̄ itself for each pair; 0 if it is within rounding error of zero.
    pub(crate) eigenvalues: Vec<f64>,
    /// K̄·u for each pair, as rows.
    pub(crate) images: Mat<f64>,
    /// Notes for the user.
    pub(crate) notes: Vec<Note>,
}

/// Eigenpairs after the treatment of negative eigenvalues.
struct Treated {
    /// Eigenvalues of K̄.
    raw: Vec<f64>,
    /// Eigenvalues after `negative` was applied.
    values: Vec<f64>,
    vectors: Mat<f64>,
    /// The number that was added to all eigenvalues.
    lift: f64,
    /// Sum of all eigenvalues after the treatment.
    total: f64,
    /// The eigenvalue after those computed, or an upper bound on it.
    next: Option<f64>,
    /// For an iteration: the number of products with K̄, and whether it converged.
    iteration: Option<(usize, bool)>,
}

/// Eigenpairs of K̄ by the planned solver.
pub(crate) fn solve_gram(
    ctx: &Context,
    centered: &Centered<'_>,
    known: &Known,
    problem: &Problem,
    solver: Solver,
) -> Result<GramSolution, Error> {
    let divisor = checked_divisor(problem.convention, known.n, known.n as f64)?;
    let mut notes = Vec::new();
    let treated = match centered {
        Centered::Matrix(matrix) => direct_pairs(matrix, known, problem.keep, &mut notes)?,
        Centered::Map { map, .. } => some_pairs(ctx, *map, known, problem, solver, &mut notes)?,
    };
    let first = treated.values.first().copied().unwrap_or(0.0).max(0.0);
    let noise = known.noise(centered);
    // An eigenvalue within rounding error counts as zero.
    let floor = (known.n as f64 * f64::EPSILON * first).max(noise);
    let above = |x: &f64| if *x > floor { x.sqrt() } else { 0.0 };
    let pairs = Pairs {
        singular_values: treated.values.iter().map(above).collect(),
        floors: vec![floor.sqrt(); treated.values.len()],
        vectors: treated.vectors,
        norm: match first > floor {
            true => treated.total.max(0.0).sqrt(),
            // No variance at all.
            false => 0.0,
        },
        n_rows: known.n,
    };
    let mut spectrum = Spectrum::leading(pairs, problem, divisor);
    let beyond = treated.values.get(spectrum.len()).copied().or(treated.next);
    let kept = match problem.keep {
        // All components with a variance above rounding.
        Keep::All | Keep::Auto => spectrum.rank.max(1).min(spectrum.len()),
        _ => spectrum.len(),
    };
    spectrum = spectrum.truncated(kept);
    let vectors = spectrum.vectors.view().transposed();
    let images = match centered {
        Centered::Matrix(matrix) => product(matrix.view(), vectors),
        Centered::Map { exact, .. } => exact.times(vectors)?,
    }
    .transposed();
    // Residuals refer to the treated matrix: K̄u changes its sign where an eigenvalue was flipped, and gains lift·u.
    let flipped = |i: usize| treated.lift == 0.0 && treated.raw[i] < 0.0 && treated.values[i] > 0.0;
    let measured = Mat::from_fn(kept, known.n, |i, j| {
        let sign = if flipped(i) { -1.0 } else { 1.0 };
        sign * images[(i, j)] + treated.lift * spectrum.vectors[(i, j)]
    });
    let clipped = |i: usize| treated.values[i] <= 0.0;
    spectrum.set_residuals(&measured);
    let lifted = treated.lift * known.n as f64 * f64::EPSILON;
    spectrum.add_rounding(&vec![noise + lifted; kept]);
    (0..kept)
        .filter(|&i| clipped(i))
        .for_each(|i| spectrum.residuals[i] = 0.0);
    spectrum.set_angle(beyond);
    if let Some((products, converged)) = treated.iteration {
        let taken = (solver, products);
        notes.extend(note_residuals(&spectrum, problem, taken, converged));
    }
    let raw = |i: usize| match treated.raw[i] {
        value if value.abs() > floor => value,
        _ => 0.0,
    };
    Ok(GramSolution {
        eigenvalues: (0..kept).map(raw).collect(),
        spectrum,
        images,
        notes,
    })
}

/// Negative eigenvalues of smaller magnitude are rounding errors.
fn rounding(n: usize, values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    8.0 * n as f64 * f64::EPSILON * largest
}

fn note_negative(known: &Known, smallest: f64, largest: f64, count: Option<usize>) -> Note {
    Note::NegativeEigenvalues {
        count,
        smallest,
        largest,
        negative: known.negative.name().to_owned(),
    }
}

/// Eigenpairs of a matrix in memory: all, or the leading ones if no eigenvalue can be negative.
fn direct_pairs(
    matrix: &Mat<f64>,
    known: &Known,
    keep: Keep,
    notes: &mut Vec<Note>,
) -> Result<Treated, Error> {
    let n = matrix.n_rows();
    // One more than requested, so that the gap behind the last is known.
    let wanted = match keep {
        Keep::Count(k) if known.semidefinite => (k + 1).min(n),
        _ => n,
    };
    let (values, vectors) = leading_eigen(matrix, wanted)?;
    // A positive semi-definite kernel has no negative eigenvalues; what falls below zero is rounding from centering.
    let below = match known.semidefinite {
        true => f64::NEG_INFINITY,
        false => -rounding(known.n, &values),
    };
    let negative: Vec<f64> = values.iter().copied().filter(|x| *x < below).collect();
    let plain = Treated {
        raw: values.clone(),
        values: values.clone(),
        vectors,
        lift: 0.0,
        total: known.trace,
        next: None,
        iteration: None,
    };
    let (Some(smallest), Some(largest)) = (values.last().copied(), values.first().copied()) else {
        return Ok(plain);
    };
    if negative.is_empty() {
        return Ok(plain);
    }
    if known.negative == Negative::Error {
        return Err(Error::NegativeEigenvalues { smallest, largest });
    }
    notes.push(note_negative(
        known,
        smallest,
        largest,
        Some(negative.len()),
    ));
    let lost: f64 = negative.iter().sum();
    Ok(match known.negative {
        Negative::Flip => flipped(plain, known.trace - 2.0 * lost),
        Negative::Shift => lifted(matrix, -smallest, known.trace)?,
        _ => Treated {
            values: values.iter().map(|x| x.max(0.0)).collect(),
            total: known.trace - lost,
            ..plain
        },
    })
}

/// Pairs ordered by the magnitude of their eigenvalues.
fn flipped(plain: Treated, total: f64) -> Treated {
    let values = &plain.raw;
    let sizes: Vec<f64> = values.iter().map(|x| x.abs()).collect();
    let order = largest_first(&sizes);
    let n = plain.vectors.n_cols();
    Treated {
        raw: order.iter().map(|&i| values[i]).collect(),
        values: order.iter().map(|&i| values[i].abs()).collect(),
        vectors: Mat::from_fn(order.len(), n, |i, j| plain.vectors[(order[i], j)]),
        total,
        ..plain
    }
}

/// Pairs of K̄ + lift·C, where C centers: the eigenvalue of the constant vector stays zero.
fn lifted(matrix: &Mat<f64>, lift: f64, trace: f64) -> Result<Treated, Error> {
    let n = matrix.n_rows();
    let share = lift / n as f64;
    let lifted = Mat::from_fn(n, n, |i, j| {
        matrix[(i, j)] + if i == j { lift - share } else { -share }
    });
    let (values, vectors) = symmetric_eigen(&lifted)?;
    Ok(Treated {
        raw: values.iter().map(|x| x - lift).collect(),
        values,
        vectors,
        lift,
        total: trace + lift * (n - 1) as f64,
        next: None,
        iteration: None,
    })
}

/// The matrix to iterate on: A, or c·I − A, whose largest eigenvalue is c minus A's smallest.
struct OfMap<'a> {
    map: &'a dyn LinearMap,
    turned: Option<f64>,
}

impl Symmetric for OfMap<'_> {
    fn dim(&self) -> usize {
        self.map.shape().0
    }
    fn apply(&self, q: &Columns) -> Result<Columns, Error> {
        let q = q.to_mat();
        let mut product = self.map.times(q.view())?;
        if let Some(top) = self.turned {
            let cells = product.as_mut_slice().iter_mut().zip(q.as_slice());
            cells.for_each(|(x, q)| *x = top * q - *x);
        }
        Ok(Columns::from_mat(&product))
    }
    /// Smaller blocks than elsewhere: a matrix this large is read from main memory, which takes as long for 4 vectors as for 8,
    /// and blocks of 8 need two thirds of the vectors that blocks of 16 need.
    fn few(&self) -> usize {
        8
    }
    /// Vectors cost little beside the matrix, so the basis may be large: it seldom fills up, and restarts lose nothing.
    fn room(&self, k: usize) -> usize {
        6 * k + 60
    }
    /// Check after every product, unless a product costs less than the small eigenproblem of a check.
    fn patience(&self, basis: usize) -> usize {
        let (n, m) = (self.dim() as f64, basis as f64);
        match 10.0 * m * m * m < 2.0 * n * n {
            true => 0,
            false => basis / 8,
        }
    }
}

/// The leading eigenpairs by products.
fn some_pairs(
    ctx: &Context,
    map: &dyn LinearMap,
    known: &Known,
    problem: &Problem,
    solver: Solver,
    notes: &mut Vec<Note>,
) -> Result<Treated, Error> {
    let flips = !known.semidefinite && known.negative == Negative::Flip;
    if flips && !matches!(problem.keep, Keep::Count(_)) {
        return Err(Error::FlipNeedsAll {
            solver: solver.name(),
        });
    }
    let whole = OfMap { map, turned: None };
    ctx.begin("eigenpairs", None);
    let trace = (known.trace, known.semidefinite);
    let (found, converged) = iterate(ctx, &whole, problem, solver, known.n, trace)?;
    if flips {
        return both_ends(ctx, map, known, problem, (solver, found, converged), notes);
    }
    let smallest = match known.semidefinite {
        true => 0.0,
        false if !known.needs_smallest => found.lowest,
        false => smallest_eigenvalue(ctx, map, &found, problem)?,
    };
    let LeadingPairs {
        values,
        mut vectors,
        next,
        products,
        ..
    } = found;
    polish_rows(&mut vectors);
    let largest = values.first().copied().unwrap_or(0.0);
    // The smallest eigenvalue is computed to the tolerance, not to rounding; a number that lies above it is no less certain.
    let off = match known.needs_smallest {
        true => 2.0 * problem.tolerance * largest.abs(),
        false => 0.0,
    };
    let unsure = rounding(known.n, &values).max(off);
    let mut lift = 0.0;
    let mut total = known.trace;
    if smallest < -unsure {
        if known.negative == Negative::Error {
            return Err(Error::NegativeEigenvalues { smallest, largest });
        }
        notes.push(note_negative(known, smallest, largest, None));
        match known.negative {
            Negative::Shift => {
                lift = -smallest;
                total += lift * (known.n - 1) as f64;
            }
            // Only the smallest negative eigenvalue is computed; the positive ones sum to at least this much more than the trace.
            _ => total -= smallest,
        }
    }
    let lifted = |x: f64| (x + lift).max(0.0);
    Ok(Treated {
        values: values.iter().map(|x| lifted(*x)).collect(),
        raw: values,
        vectors,
        lift,
        total,
        next: next.map(lifted),
        iteration: Some((products, converged)),
    })
}

/// The k pairs of largest magnitude, chosen from k pairs at either end of the spectrum.
fn both_ends(
    ctx: &Context,
    map: &dyn LinearMap,
    known: &Known,
    problem: &Problem,
    (solver, high, converged): (Solver, LeadingPairs, bool),
    notes: &mut Vec<Note>,
) -> Result<Treated, Error> {
    let k = high.values.len();
    let top = high.values.first().map_or(0.0, |x| x.abs());
    let turned = OfMap {
        map,
        turned: Some(top),
    };
    let wanted = shape_of(solver, k, problem, &turned);
    let low = leading_pairs(ctx, &turned, wanted)?;
    let converged = converged && low.converged(&wanted);
    // 1. Positive eigenvalues from the upper end, negative ones from the lower end, ordered by magnitude.
    let below: Vec<f64> = low.values.iter().map(|x| top - x).collect();
    let unsure = rounding(known.n, &below).max(2.0 * problem.tolerance * top);
    let positive = (0..k)
        .filter(|&i| high.values[i] >= 0.0)
        .map(|i| (high.values[i], true, i));
    let negative = (0..below.len()).filter(|&i| below[i] < -unsure);
    let mut pairs: Vec<(f64, bool, usize)> = positive
        .chain(negative.map(|i| (below[i], false, i)))
        .collect();
    pairs.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let lost: f64 = below.iter().filter(|x| **x < -unsure).sum();
    if lost < 0.0 {
        notes.push(note_negative(known, below[0], high.values[0], None));
    }
    // 2. The next magnitude: the largest of those left out, and of the upper bounds beyond either end.
    let reach = high
        .next
        .map(|x| x.max(0.0))
        .into_iter()
        .chain(low.next.map(|x| (x - top).max(0.0)));
    let next = pairs
        .get(k)
        .map(|pair| pair.0.abs())
        .into_iter()
        .chain(reach)
        .reduce(f64::max);
    pairs.truncate(k);
    let mut vectors = Mat::from_fn(pairs.len(), known.n, |i, j| match pairs[i] {
        (_, true, at) => high.vectors[(at, j)],
        (_, false, at) => low.vectors[(at, j)],
    });
    polish_rows(&mut vectors);
    Ok(Treated {
        raw: pairs.iter().map(|pair| pair.0).collect(),
        values: pairs.iter().map(|pair| pair.0.abs()).collect(),
        vectors,
        lift: 0.0,
        // A lower bound: negative eigenvalues that were not computed add to it.
        total: known.trace - 2.0 * lost,
        next,
        iteration: Some((high.products + low.products, converged)),
    })
}

/// The smallest eigenvalue of A, from the largest of λ₁I − A.
fn smallest_eigenvalue(
    ctx: &Context,
    map: &dyn LinearMap,
    found: &LeadingPairs,
    problem: &Problem,
) -> Result<f64, Error> {
    let top = found.values.first().map_or(0.0, |x| x.abs());
    let turned = OfMap {
        map,
        turned: Some(top),
    };
    let wanted = shape_of(Solver::Lanczos, 1, problem, &turned);
    let pair = leading_pairs(ctx, &turned, wanted)?;
    Ok(pair.values.first().map_or(0.0, |x| top - x))
}

/// The trace of K̄ from the diagonal of K and the means of its rows: Σ kᵢᵢ − n·mean.
pub(crate) fn centered_trace(diagonal: &[f64], row_means: &[f64]) -> f64 {
    let terms = diagonal.iter().zip(row_means);
    terms.map(|(own, mean)| own - mean).sum()
}
