//! What `auto` means for kernel PCA: `plan` for the n × n matrix of a kernel.
//!
//! All eigenpairs cost about 9·n³ operations and the memory of four matrices. The leading k without iterating, if no eigenvalue can
//! be negative, cost 4/3·n³ and some n²·k; by iterating, about n²·k for each of a few products, with half a matrix in memory or,
//! if its tiles are computed again for every product, with none. Features of m landmarks cost n·m² and a few m × m matrices of
//! memory, for any n: they are chosen if an exact fit does not fit the memory or would take too long. A few of their components
//! are computed by products with b vectors, n·m·b operations per reading, if that takes less than half the operations of the
//! scatter ([`FeatureBlocks`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Keep, Plan, Solver, work};
use crate::context::Context;
use crate::error::{Error, bytes_words, grouped};
use crate::linalg::SIDE;

/// Whether the kernel matrix is approximated by features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Approximate {
    /// nystrom if the kernel matrix would not fit the memory or take too long, or if a number of landmarks is given; otherwise none
    #[default]
    Auto,
    /// Eigenpairs of the kernel matrix itself
    None,
    /// Nyström: some rows (landmarks) stand for all, with a bound on the error
    Nystrom,
    /// Random Fourier features, for rbf, laplacian and matern
    Fourier,
}

impl Approximate {
    /// Its name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Approximate::Auto => "auto",
            Approximate::None => "none",
            Approximate::Nystrom => "nystrom",
            Approximate::Fourier => "fourier",
        }
    }
}

/// How a kernel matrix is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// In memory, 8 bytes per cell: the whole matrix for all eigenpairs, its lower half for products.
    Double,
    /// The lower half in memory, 4 bytes per cell.
    Single,
    /// Not in memory: its tiles are computed again for every product.
    Recomputed,
}

/// The way from rows to a kernel PCA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum Strategy {
    /// The kernel matrix of all rows.
    Exact {
        /// How it is stored.
        storage: Storage,
    },
    /// Features of landmarks.
    Nystrom {
        /// Number of landmarks.
        landmarks: usize,
    },
    /// Random Fourier features.
    Fourier {
        /// Number of features, two for each frequency.
        features: usize,
    },
}

/// The requested options, and what the kernel and the source permit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GramRequest {
    pub(crate) solver: Solver,
    pub(crate) keep: Keep,
    pub(crate) approximate: Approximate,
    /// Number of landmarks or features, if given.
    pub(crate) size: Option<usize>,
    /// Whether no eigenvalue can be negative.
    pub(crate) semidefinite: bool,
    /// Whether landmarks can stand for the rows.
    pub(crate) landmarks: bool,
}

/// Number of rows up to which all eigenpairs cost almost nothing.
const SMALL: usize = 512;
/// … and up to which all are computed if some may be negative, or if it is not known how many are needed.
const MIDDLING: usize = 4096;
/// Below this number of rows all eigenpairs are computed even if few are requested.
const SMALL_EIGEN: usize = 128;
/// Products that an iteration is forecast to take.
const PRODUCTS: f64 = 8.0;
/// Number of operations beyond which `auto` chooses landmarks: about ten minutes.
const TOO_LONG: f64 = 3e13;
/// Default number of landmarks or features, if the memory suffices.
const USUAL: usize = 2000;
/// Number of m × m matrices in memory at once, counting those of the threads.
const SQUARES: f64 = 9.0;
/// Rows read per landmark when rows are not drawn with equal probability.
const CANDIDATES: f64 = 10.0;

/// Number of random vectors that test for components which an iteration on features missed.
const CHECKS: usize = 10;
/// Forecast number of readings in an iteration on features; most take two.
const READINGS: f64 = 3.0;
/// Number of rows with which an iteration on features starts: ten per landmark, up to this limit unless there are many landmarks.
const START_ROWS: usize = 10_000;

/// Block sizes for computing k components of the features of m landmarks without their scatter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeatureBlocks {
    /// Number of rows whose scatter gives the first vectors.
    pub(crate) start_rows: usize,
    /// Number of vectors in the first reading.
    pub(crate) first: usize,
    /// Number of vectors in each further reading.
    pub(crate) more: usize,
    /// Number of random vectors beside them.
    pub(crate) checks: usize,
    /// Number of landmarks from which the probabilities of drawing rows are computed: an eighth of all, within limits.
    pub(crate) nested: usize,
    /// Operations of the start and the first reading, of each further reading, and of the scatter for comparison.
    first_flops: f64,
    more_flops: f64,
    scatter_flops: f64,
}

impl FeatureBlocks {
    /// For n rows with d columns.
    pub(crate) fn new((n, d): (usize, usize), m: usize, k: usize) -> Self {
        let nested = (m / 8).clamp(32, 256).min(m);
        let start_rows = (10 * m).min(START_ROWS.max(2 * m));
        let (first, more) = (3 * k + 10, k + 5);
        let (rows, size) = (n as f64, m as f64);
        let kernels = 2.0 * size * d as f64;
        let vectors = |count: usize| 4.0 * size * count as f64;
        let beside = 2.0 * size * CHECKS as f64 + 2.0 * (nested * nested) as f64;
        let start = start_rows.min(n) as f64 * (kernels + 3.0 * size * size);
        FeatureBlocks {
            start_rows,
            first,
            more,
            checks: CHECKS,
            nested,
            first_flops: start + rows * (kernels + vectors(first + CHECKS) + beside),
            more_flops: rows * (kernels + vectors(more + CHECKS)),
            scatter_flops: rows * (kernels + 3.0 * size * size),
        }
    }

    /// Forecast number of operations.
    fn flops(&self) -> f64 {
        self.first_flops + (READINGS - 1.0) * self.more_flops
    }

    /// Whether they cost less than half of the scatter, and compute only a minority of the directions.
    fn pay(&self, m: usize) -> bool {
        2.0 * self.flops() < self.scatter_flops && self.fit(m)
    }

    /// Whether all blocks together have at most half as many vectors as there are features.
    fn fit(&self, m: usize) -> bool {
        2 * (self.first + 2 * self.more) <= m
    }

    /// Largest number of readings that costs no more than the scatter.
    pub(crate) fn most_readings(&self) -> usize {
        let more = (self.scatter_flops - self.first_flops) / self.more_flops;
        1 + more.clamp(2.0, 7.0) as usize
    }
}

/// Chooses strategy and solver for the kernel matrix of n rows with d columns.
pub(crate) fn plan_gram(
    ctx: &Context,
    (n, d): (usize, usize),
    request: &GramRequest,
) -> Result<(Strategy, Plan), Error> {
    request.keep.check()?;
    if n < 2 {
        return Err(Error::TooFewRows { rows: n, needed: 2 });
    }
    // Columns do not limit the components in feature space.
    request.keep.check_shape(n, usize::MAX)?;
    let allowed = ctx.allowed();
    let by_features = |reason: String| features((n, d), request, allowed, reason);
    match request.approximate {
        Approximate::None if request.size.is_some() => Err(Error::OptionsConflict {
            what: "a number of landmarks is given, but approximate = `none` uses all rows",
        }),
        Approximate::None => exact(allowed, (n, d), request),
        Approximate::Nystrom | Approximate::Fourier => by_features("asked for".to_owned()),
        Approximate::Auto if request.size.is_some() => {
            by_features("a number of landmarks was asked for".to_owned())
        }
        Approximate::Auto => {
            let exact = exact(allowed, (n, d), request);
            let why = match &exact {
                Err(Error::Memory { needed, .. }) => {
                    format!("the exact fit would need {}", bytes_words(*needed))
                }
                Ok((_, plan)) if plan.flops > TOO_LONG => {
                    format!("the exact fit would take {:.0e} operations", plan.flops)
                }
                _ => return exact,
            };
            match request.landmarks && request.solver == Solver::Auto {
                // If landmarks do not fit either, the error of the exact fit is the more helpful one.
                true => by_features(why).or(exact),
                false => exact,
            }
        }
    }
}

/// Plan for the kernel matrix itself.
fn exact(
    allowed: u64,
    (n, d): (usize, usize),
    request: &GramRequest,
) -> Result<(Strategy, Plan), Error> {
    let work = Work::for_shape(n, d, request.keep);
    let fits = |bytes: f64| bytes <= allowed as f64;
    let whole = 4.0 * work.matrix + work.beside;
    let solver = chosen(
        request.solver,
        n,
        request.keep,
        (request.semidefinite, fits(whole)),
    )?;
    let storage = storage(solver, &work, |bytes| fits(bytes + work.beside));
    // A matrix in memory is multiplied often, with few vectors; one that is computed again, seldom and with many.
    let solver = match (request.solver, solver, storage) {
        (Solver::Auto, Solver::Randomized, Storage::Double | Storage::Single) => Solver::Lanczos,
        _ => solver,
    };
    let size = format!("{0} × {0}", grouped(n as u64));
    let (bytes, flops, reason) = match (solver, storage) {
        (Solver::Full, _) => (
            whole,
            work.tiles + direct_flops(n, request),
            format!("eigenpairs of the {size} kernel matrix, without iterations"),
        ),
        (_, Storage::Double) => (
            work.half + work.beside,
            work.tiles + work.products,
            format!("leading eigenpairs of the {size} kernel matrix by products with it"),
        ),
        (_, Storage::Single) => (
            0.5 * work.half + work.beside,
            2.0 * work.tiles + work.products,
            format!(
                "half of the {size} kernel matrix would need {}: it is stored in f32, and residuals are measured in f64",
                bytes_words(work.half as u64)
            ),
        ),
        (_, Storage::Recomputed) => (
            work.beside,
            work.products + PRODUCTS * work.tiles,
            format!(
                "half of the {size} kernel matrix would need {} even in f32: its tiles are computed again for every product",
                bytes_words((0.5 * work.half) as u64)
            ),
        ),
    };
    if !fits(bytes) {
        let what = match solver {
            Solver::Full => format!("decomposing the {size} kernel matrix"),
            _ => format!("a basis for the eigenvectors of {} rows", grouped(n as u64)),
        };
        return Err(Error::Memory {
            what: format!("{what}{}", would_fit(allowed, (n, d), request, solver)),
            needed: bytes as u64,
            allowed,
        });
    }
    let plan = Plan {
        solver,
        reason,
        passes: 1,
        bytes: bytes as u64,
        flops,
    };
    Ok((Strategy::Exact { storage }, plan))
}

/// Operations of eigenpairs without iterations, and of their images: k + 1 pairs by a tridiagonal matrix if no eigenvalue can be
/// negative, otherwise all.
///
/// Memory is planned for all pairs in either case: all are computed if the k + 1 do not come out orthogonal.
fn direct_flops(n: usize, request: &GramRequest) -> f64 {
    let size = n as f64;
    let all = 9.0 * size.powi(3);
    match request.keep {
        Keep::Count(k) if request.semidefinite && n >= SMALL_EIGEN => {
            let pairs = (k as f64 + 1.0).min(size);
            // Transforming vectors back takes 4·n²·k, of which `eigen` counts half.
            let few = work::eigen(size, pairs) + work::product(size, size, 2.0 * pairs);
            few.flops.min(all)
        }
        _ => all,
    }
}

/// All eigenpairs need cells of 8 bytes; products use the largest storage that fits the memory.
fn storage(solver: Solver, work: &Work, fits: impl Fn(f64) -> bool) -> Storage {
    match (
        solver == Solver::Full || fits(work.half),
        fits(0.5 * work.half),
    ) {
        (true, _) => Storage::Double,
        (_, true) => Storage::Single,
        _ => Storage::Recomputed,
    }
}

/// What would fit the memory instead, in brackets; empty if nothing would.
fn would_fit(
    allowed: u64,
    (n, d): (usize, usize),
    request: &GramRequest,
    solver: Solver,
) -> String {
    let mut ways = Vec::new();
    if solver == Solver::Full {
        let most = Work::most_components(allowed, (n, d)).min(n / 8);
        let words = |k: usize| format!("up to {} components", grouped(k as u64));
        ways.extend((most > 0).then(|| words(most)));
    }
    if request.landmarks {
        let most = most_landmarks(allowed, (n, d));
        let words = |m: usize| {
            format!(
                "approximate = `nystrom` with up to {} landmarks",
                grouped(m as u64)
            )
        };
        ways.extend((most > 0).then(|| words(most)));
    }
    match ways.is_empty() {
        true => String::new(),
        false => format!(" (what would fit: {})", ways.join(", or ")),
    }
}

/// Plan for features of landmarks or frequencies: one reading to draw landmarks, one to sum the scatter of features.
fn features(
    (n, d): (usize, usize),
    request: &GramRequest,
    allowed: u64,
    why: String,
) -> Result<(Strategy, Plan), Error> {
    check_features(request)?;
    let fourier = request.approximate == Approximate::Fourier;
    let most = most_landmarks(allowed, (n, d));
    let size = match (request.size, fourier) {
        // Two features for each frequency.
        (Some(size), true) => 2 * size.div_ceil(2),
        (None, true) => USUAL.min(most).max(2) / 2 * 2,
        (Some(size), false) => size.min(n),
        (None, false) => USUAL.min(n).min(most).max(1),
    };
    // With landmarks, a product turns kernel values into features; the scatter is half of such a product.
    let (features, products) = match fourier {
        true => ("random Fourier features", 1.0),
        false => ("landmarks", 3.0),
    };
    let what = format!("{} {features}", grouped(size as u64));
    if let Keep::Count(k) = request.keep
        && k > size
    {
        return Err(Error::TooFewFeatures {
            asked: k,
            features,
            size,
        });
    }
    let (rows, cols, m) = (n as f64, d as f64, size as f64);
    let bytes = feature_bytes(size, (n, d));
    if bytes > allowed as f64 {
        return Err(Error::Memory {
            what: match most {
                0 => what,
                most => format!("{what} (what would fit: up to {})", grouped(most as u64)),
            },
            needed: bytes as u64,
            allowed,
        });
    }
    let few = match request.keep {
        Keep::Count(k) if !fourier && request.solver != Solver::Covariance => {
            let blocks = FeatureBlocks::new((n, d), size, k);
            let explicit = request.solver == Solver::Randomized && blocks.fit(size);
            (explicit || blocks.pay(size)).then_some(blocks)
        }
        _ => None,
    };
    if request.solver == Solver::Randomized && few.is_none() {
        return Err(Error::UnknownValue {
            option: "solver",
            given: request.solver.name().to_owned(),
            allowed: "auto or covariance, unless the number of components is given and small beside the landmarks",
        });
    }
    let reason = format!("{what} stand for {} rows: {why}", grouped(n as u64));
    let plan = Plan {
        solver: match few {
            Some(_) => Solver::Randomized,
            None => Solver::Covariance,
        },
        reason: match few {
            Some(_) => format!("{reason}; the leading components by products with the features"),
            None => reason,
        },
        passes: match few {
            Some(_) => 1 + READINGS as usize,
            None => 2,
        },
        bytes: bytes as u64,
        flops: match few {
            Some(blocks) => blocks.flops() + 12.0 * m.powi(3),
            None => rows * m * (2.0 * cols + products * m) + 18.0 * m.powi(3),
        },
    };
    let strategy = match fourier {
        true => Strategy::Fourier { features: size },
        false => Strategy::Nystrom { landmarks: size },
    };
    Ok((strategy, plan))
}

/// Refuses options that do not apply to features.
fn check_features(request: &GramRequest) -> Result<(), Error> {
    let fourier = request.approximate == Approximate::Fourier;
    let known = match request.solver {
        Solver::Auto | Solver::Covariance => true,
        Solver::Randomized => !fourier,
        _ => false,
    };
    if !known {
        return Err(Error::UnknownValue {
            option: "solver",
            given: request.solver.name().to_owned(),
            allowed: match fourier {
                true => "auto or covariance where features are decomposed",
                false => "auto, covariance or randomized where features are decomposed",
            },
        });
    }
    if request.size == Some(0) {
        return Err(Error::UnknownValue {
            option: "n_landmarks",
            given: "0".to_owned(),
            allowed: "a whole number from 1 on",
        });
    }
    Ok(())
}

/// Memory of this many landmarks or features, in bytes.
fn feature_bytes(size: usize, (n, d): (usize, usize)) -> f64 {
    let (m, cols) = (size as f64, d as f64);
    let drawn = (CANDIDATES * m).min(n as f64);
    8.0 * (SQUARES * m * m + 3.0 * drawn * cols + 4096.0 * m)
}

/// The largest number of landmarks that fits the memory.
fn most_landmarks(allowed: u64, (n, d): (usize, usize)) -> usize {
    let (mut low, mut high) = (0, n + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match feature_bytes(middle, (n, d)) <= allowed as f64 {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Bytes and operations of the parts of the work.
struct Work {
    /// Bytes of the matrix.
    matrix: f64,
    /// Bytes of the tiles of its lower half.
    half: f64,
    /// Bytes of basis and images, and of the rows relative to their mean.
    beside: f64,
    /// Operations to fill the matrix once.
    tiles: f64,
    /// Operations of the products that an iteration is forecast to take.
    products: f64,
}

impl Work {
    /// The largest number of components whose basis fits beside the rows.
    fn most_components(allowed: u64, (n, d): (usize, usize)) -> usize {
        let room = allowed as f64 / (8.0 * n as f64) - 2.0 * d as f64;
        ((room - vectors(0.0)) / (vectors(1.0) - vectors(0.0))).max(0.0) as usize
    }

    fn for_shape(n: usize, d: usize, keep: Keep) -> Work {
        let k = match keep {
            Keep::Count(k) => k,
            _ => n.min(64),
        };
        let (rows, cols, k) = (n as f64, d as f64, k as f64);
        Work {
            matrix: 8.0 * rows * rows,
            half: 4.0 * rows * (rows + SIDE as f64),
            beside: 8.0 * rows * (vectors(k) + 2.0 * cols),
            tiles: rows * rows * cols,
            products: PRODUCTS * 2.0 * rows * rows * (1.25 * k + 6.0),
        }
    }
}

/// Number of vectors in memory during an iteration for k pairs: basis, images and some blocks.
fn vectors(k: f64) -> f64 {
    2.0 * (6.0 * k + 60.0) + 6.0 * (1.25 * k + 6.0)
}

/// Chooses all eigenpairs if they are cheap, or if the request cannot be met without them; otherwise the leading ones.
fn chosen(
    solver: Solver,
    n: usize,
    keep: Keep,
    (semidefinite, fits): (bool, bool),
) -> Result<Solver, Error> {
    match solver {
        Solver::Auto => {
            let all = match keep {
                Keep::Count(k) => 8 * k > n || n <= if semidefinite { SMALL } else { MIDDLING },
                Keep::Share(_) => n <= MIDDLING,
                Keep::All | Keep::Auto => true,
            };
            let some =
                matches!(keep, Keep::Share(_)) || matches!(keep, Keep::Count(k) if 8 * k <= n);
            Ok(if all && (fits || !some) {
                Solver::Full
            } else {
                Solver::Randomized
            })
        }
        Solver::Full | Solver::Lanczos | Solver::Randomized => Ok(solver),
        other => Err(Error::UnknownValue {
            option: "solver",
            given: other.name().to_owned(),
            allowed: "auto, full, lanczos or randomized where a kernel matrix is decomposed",
        }),
    }
}
