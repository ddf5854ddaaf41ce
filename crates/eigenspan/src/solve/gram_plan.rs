//! What `auto` means where a kernel matrix is decomposed: `plan` for matrices of n × n that come from a kernel.
//!
//! All eigenpairs cost about 9·n³ and four matrices of memory; the leading k without iterating, where no eigenvalue can be
//! negative, 4/3·n³ and some n²·k; or by iterating about n²·k for each of a few products, with half a matrix or, computed anew
//! for every product, with none. Features of m landmarks cost n·m² and a few m × m matrices,
//! whatever n is: they are taken where the exact roads do not fit the memory or would take too long. A few of their components
//! are found by products with some b vectors, n·m·b a reading, where counted operations say that this is less than half
//! ([`FeatureBlocks`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Keep, Plan, Solver, work};
use crate::context::Context;
use crate::error::{Error, bytes_words, grouped};
use crate::linalg::SIDE;

/// Whether features stand for the kernel matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Approximate {
    /// nystrom where the kernel matrix would not fit the memory or take too long, or landmarks are asked for; else none
    #[default]
    Auto,
    /// Eigenpairs of the kernel matrix itself
    None,
    /// Nyström: some rows stand for all, with a bound on what they miss
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

/// How a kernel matrix is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// Written out, 8 bytes a cell: whole for all eigenpairs, its lower half for products.
    Double,
    /// Its lower half written out, 4 bytes a cell.
    Single,
    /// Never written out: its tiles are computed anew for every product.
    Recomputed,
}

/// The way from rows to a kernel PCA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum Strategy {
    /// The kernel matrix of all rows.
    Exact {
        /// How it is kept.
        storage: Storage,
    },
    /// Features of landmarks.
    Nystrom {
        /// How many landmarks.
        landmarks: usize,
    },
    /// Random Fourier features.
    Fourier {
        /// How many features, two for each frequency.
        features: usize,
    },
}

/// What is asked, and what the kernel and the source allow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedGram {
    pub(crate) solver: Solver,
    pub(crate) keep: Keep,
    pub(crate) approximate: Approximate,
    /// Landmarks or features.
    pub(crate) size: Option<usize>,
    /// Whether no eigenvalue can be negative.
    pub(crate) sure: bool,
    /// Whether landmarks could stand for the rows.
    pub(crate) landmarks: bool,
}

/// Rows up to which all eigenpairs cost next to nothing.
const SMALL: usize = 512;
/// … and up to which they are taken all the same where some may be negative, or it is not known how many are needed.
const MIDDLING: usize = 4096;
/// Rows below which all eigenpairs are found even where few are wanted.
const SMALL_EIGEN: usize = 128;
/// Products that an iteration is forecast to take.
const PRODUCTS: f64 = 8.0;
/// Operations beyond which `auto` takes landmarks: some ten minutes.
const TOO_LONG: f64 = 3e13;
/// Landmarks, or features, where nothing is said and so many fit.
const USUAL: usize = 2000;
/// Square matrices of landmarks or features that are alive at once, with those of the threads.
const SQUARES: f64 = 9.0;
/// Rows that are read for each landmark, where not all are as likely.
const CANDIDATES: f64 = 10.0;

/// Random vectors that check what an iteration on features has not seen.
const CHECKS: usize = 10;
/// Readings that an iteration on features is forecast to take; most take two.
const READINGS: f64 = 3.0;
/// Rows on which an iteration on features starts: ten for each landmark, within this unless landmarks are many.
const START_ROWS: usize = 10_000;

/// The blocks of vectors by which k components of features of m landmarks are found without their scatter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeatureBlocks {
    /// Rows whose scatter gives the first vectors.
    pub(crate) start_rows: usize,
    /// Vectors of the first reading.
    pub(crate) first: usize,
    /// Vectors of each further reading.
    pub(crate) more: usize,
    /// Random vectors beside them.
    pub(crate) checks: usize,
    /// Landmarks that tell how likely rows are drawn: an eighth of all, within limits.
    pub(crate) nested: usize,
    /// Operations of the first reading with its start, of each further one, and of the scatter instead.
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

    /// Operations, as forecast.
    fn flops(&self) -> f64 {
        self.first_flops + (READINGS - 1.0) * self.more_flops
    }

    /// Whether they cost less than half of what the scatter does, and leave most directions out.
    fn pay(&self, m: usize) -> bool {
        2.0 * self.flops() < self.scatter_flops && self.fit(m)
    }

    /// Whether all vectors together are few beside the features.
    fn fit(&self, m: usize) -> bool {
        2 * (self.first + 2 * self.more) <= m
    }

    /// Readings that may be tried before the scatter would have been cheaper.
    pub(crate) fn most_readings(&self) -> usize {
        let more = (self.scatter_flops - self.first_flops) / self.more_flops;
        1 + more.clamp(2.0, 7.0) as usize
    }
}

/// The road to the eigenpairs of the kernel matrix of n rows with d columns.
pub(crate) fn plan_gram(
    ctx: &Context,
    (n, d): (usize, usize),
    asked: &AskedGram,
) -> Result<(Strategy, Plan), Error> {
    asked.keep.check()?;
    if n < 2 {
        return Err(Error::TooFewRows { rows: n, needed: 2 });
    }
    // Columns do not limit the components in feature space.
    asked.keep.check_shape(n, usize::MAX)?;
    let allowed = ctx.allowed();
    let by_features = |reason: String| features((n, d), asked, allowed, reason);
    match asked.approximate {
        Approximate::None if asked.size.is_some() => Err(Error::OptionsConflict {
            what: "landmarks are asked for, but approximate = `none` uses all rows",
        }),
        Approximate::None => exact(allowed, (n, d), asked),
        Approximate::Nystrom | Approximate::Fourier => by_features("asked for".to_owned()),
        Approximate::Auto if asked.size.is_some() => {
            by_features("a number of landmarks was asked for".to_owned())
        }
        Approximate::Auto => {
            let exact = exact(allowed, (n, d), asked);
            let why = match &exact {
                Err(Error::Memory { needed, .. }) => {
                    format!("the exact fit would need {}", bytes_words(*needed))
                }
                Ok((_, plan)) if plan.flops > TOO_LONG => {
                    format!("the exact fit would take {:.0e} operations", plan.flops)
                }
                _ => return exact,
            };
            match asked.landmarks && asked.solver == Solver::Auto {
                // Where landmarks do not fit either, the error of the exact fit says more.
                true => by_features(why).or(exact),
                false => exact,
            }
        }
    }
}

/// The kernel matrix itself.
fn exact(
    allowed: u64,
    (n, d): (usize, usize),
    asked: &AskedGram,
) -> Result<(Strategy, Plan), Error> {
    let work = Work::of(n, d, asked.keep);
    let fits = |bytes: f64| bytes <= allowed as f64;
    let whole = 4.0 * work.matrix + work.beside;
    let solver = chosen(asked.solver, n, asked.keep, (asked.sure, fits(whole)))?;
    let storage = storage(solver, &work, |bytes| fits(bytes + work.beside));
    // A matrix that lies ready is met often and with few vectors; one that is made anew seldom and with many.
    let solver = match (asked.solver, solver, storage) {
        (Solver::Auto, Solver::Randomized, Storage::Double | Storage::Single) => Solver::Lanczos,
        _ => solver,
    };
    let size = format!("{0} × {0}", grouped(n as u64));
    let (bytes, flops, reason) = match (solver, storage) {
        (Solver::Full, _) => (
            whole,
            work.tiles + direct_flops(n, asked),
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
                "half of the {size} kernel matrix would need {}: it is kept in f32, and what comes out is measured in f64",
                bytes_words(work.half as u64)
            ),
        ),
        (_, Storage::Recomputed) => (
            work.beside,
            work.products + PRODUCTS * work.tiles,
            format!(
                "half of the {size} kernel matrix would need {} even in f32: its tiles are computed anew for every product",
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
            what: format!("{what}{}", would_fit(allowed, (n, d), asked, solver)),
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

/// Operations of eigenpairs without iterations, and of their images: k + 1 pairs by a tridiagonal matrix where no eigenvalue
/// can be negative, else all.
///
/// Memory is planned for all pairs even so: they are found where the few do not come out orthogonal.
fn direct_flops(n: usize, asked: &AskedGram) -> f64 {
    let size = n as f64;
    let all = 9.0 * size.powi(3);
    match asked.keep {
        Keep::Count(k) if asked.sure && n >= SMALL_EIGEN => {
            let pairs = (k as f64 + 1.0).min(size);
            // Turning vectors back takes 4·n²·k, which `eigen` counts half of.
            let few = work::eigen(size, pairs) + work::product(size, size, 2.0 * pairs);
            few.flops.min(all)
        }
        _ => all,
    }
}

/// All eigenpairs are found from cells of 8 bytes; products take the matrix where it fits.
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

/// What would fit the memory instead, in brackets; nothing where nothing would.
fn would_fit(allowed: u64, (n, d): (usize, usize), asked: &AskedGram, solver: Solver) -> String {
    let mut ways = Vec::new();
    if solver == Solver::Full {
        let most = Work::most_components(allowed, (n, d)).min(n / 8);
        let words = |k: usize| format!("up to {} components", grouped(k as u64));
        ways.extend((most > 0).then(|| words(most)));
    }
    if asked.landmarks {
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

/// Features of landmarks, or of frequencies: one reading to draw, one to sum up their scatter.
fn features(
    (n, d): (usize, usize),
    asked: &AskedGram,
    allowed: u64,
    why: String,
) -> Result<(Strategy, Plan), Error> {
    check_features(asked)?;
    let fourier = asked.approximate == Approximate::Fourier;
    let most = most_landmarks(allowed, (n, d));
    let size = match (asked.size, fourier) {
        // Two features for each frequency.
        (Some(size), true) => 2 * size.div_ceil(2),
        (None, true) => USUAL.min(most).max(2) / 2 * 2,
        (Some(size), false) => size.min(n),
        (None, false) => USUAL.min(n).min(most).max(1),
    };
    // Kernels with landmarks are made features by a product; the scatter is half of one.
    let (features, products) = match fourier {
        true => ("random Fourier features", 1.0),
        false => ("landmarks", 3.0),
    };
    let what = format!("{} {features}", grouped(size as u64));
    if let Keep::Count(k) = asked.keep
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
    let few = match asked.keep {
        Keep::Count(k) if !fourier && asked.solver != Solver::Covariance => {
            let blocks = FeatureBlocks::new((n, d), size, k);
            let explicit = asked.solver == Solver::Randomized && blocks.fit(size);
            (explicit || blocks.pay(size)).then_some(blocks)
        }
        _ => None,
    };
    if asked.solver == Solver::Randomized && few.is_none() {
        return Err(Error::UnknownValue {
            option: "solver",
            given: asked.solver.name().to_owned(),
            allowed: "auto or covariance unless components are a count that is small beside the landmarks",
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

/// Refuses what features cannot do.
fn check_features(asked: &AskedGram) -> Result<(), Error> {
    let fourier = asked.approximate == Approximate::Fourier;
    let known = match asked.solver {
        Solver::Auto | Solver::Covariance => true,
        Solver::Randomized => !fourier,
        _ => false,
    };
    if !known {
        return Err(Error::UnknownValue {
            option: "solver",
            given: asked.solver.name().to_owned(),
            allowed: match fourier {
                true => "auto or covariance where features are decomposed",
                false => "auto, covariance or randomized where features are decomposed",
            },
        });
    }
    if asked.size == Some(0) {
        return Err(Error::UnknownValue {
            option: "n_landmarks",
            given: "0".to_owned(),
            allowed: "a whole number from 1 on",
        });
    }
    Ok(())
}

/// Bytes that so many landmarks or features take.
fn feature_bytes(size: usize, (n, d): (usize, usize)) -> f64 {
    let (m, cols) = (size as f64, d as f64);
    let drawn = (CANDIDATES * m).min(n as f64);
    8.0 * (SQUARES * m * m + 3.0 * drawn * cols + 4096.0 * m)
}

/// The most landmarks that fit.
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
    /// Bytes of basis and images, and of the rows with their distances' origin taken out.
    beside: f64,
    /// Operations to fill the matrix once.
    tiles: f64,
    /// Operations of the products that an iteration is forecast to take.
    products: f64,
}

impl Work {
    /// The most components whose basis fits beside the rows.
    fn most_components(allowed: u64, (n, d): (usize, usize)) -> usize {
        let room = allowed as f64 / (8.0 * n as f64) - 2.0 * d as f64;
        ((room - vectors(0.0)) / (vectors(1.0) - vectors(0.0))).max(0.0) as usize
    }

    fn of(n: usize, d: usize, keep: Keep) -> Work {
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

/// Vectors that an iteration for k pairs holds at a time: basis and images, and some blocks on their way.
fn vectors(k: f64) -> f64 {
    2.0 * (6.0 * k + 60.0) + 6.0 * (1.25 * k + 6.0)
}

/// All eigenpairs where that is cheap, or the only way to know what was asked for; the leading ones where all do not fit.
fn chosen(
    solver: Solver,
    n: usize,
    keep: Keep,
    (sure, fits): (bool, bool),
) -> Result<Solver, Error> {
    match solver {
        Solver::Auto => {
            let all = match keep {
                Keep::Count(k) => 8 * k > n || n <= if sure { SMALL } else { MIDDLING },
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
