//! Features from landmarks (Williams & Seeger 2001, Advances in Neural Information Processing Systems 13, 682–688).
//!
//! With K_m = VΛVᵀ the kernel matrix of m landmarks, φ(x) = Λ^(−½)Vᵀk_m(x); inner products are K̂ = K_nm K_m⁻¹ K_mn, which is K
//! where the landmarks are all rows. K − K̂ is positive semi-definite, so that its trace Σ(k(x, x) − ‖φ(x)‖²), which one
//! reading sums up, bounds how far any eigenvalue of K̂ lies below the same eigenvalue of K. Cost m³ once and m(d + m) per row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Gram, Kernel, Largest, Points, ResolvedKernel, Verdict};
use super::FeatureMap;
use super::landmarks::{Landmarks, far_apart, resolve_kernel, sum_over, uniform};
use super::leverage::by_leverage;
use super::nested::Nested;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{product, symmetric_eigen};
use crate::mat::{Mat, Real};
use crate::prepare::find_not_finite;
use crate::rng::Rng;
use crate::source::Source;

/// Options of landmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct NystromOptions {
    /// Rows that stand for all
    #[cfg_attr(feature = "clap", arg(long, value_name = "M", default_value_t = 1000))]
    pub n_landmarks: usize,

    /// How landmarks are drawn
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "HOW", default_value = "kmeans")
    )]
    pub landmarks: Landmarks,

    /// Seed of the draw; the same seed gives the same bits
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for NystromOptions {
    fn default() -> Self {
        NystromOptions {
            n_landmarks: 1000,
            landmarks: Landmarks::default(),
            seed: 0,
        }
    }
}

/// Features from landmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct Nystrom {
    kernel: ResolvedKernel,
    landmarks: Points,
    /// m × rank: VΛ^(−½).
    whiten: Mat<f64>,
}

/// The number of rows that are drawn uniformly per landmark, where landmarks are then chosen among them.
const CANDIDATES: usize = 10;

impl NystromOptions {
    /// Draws landmarks from a source; open parameters of the kernel are found on the rows drawn.
    pub fn fit<T: Real>(
        &self,
        ctx: &Context,
        kernel: &Kernel,
        source: &dyn Source<T>,
    ) -> Result<Nystrom, Error> {
        Ok(self.fit_as(ctx, (kernel, false), source)?.0)
    }

    /// The same for features that are centered afterwards: the kernel is taken relative to an origin where that keeps digits.
    /// Also gives the uniformly drawn rows among which the landmarks were chosen.
    pub(crate) fn fit_centered<T: Real>(
        &self,
        ctx: &Context,
        kernel: &Kernel,
        source: &dyn Source<T>,
    ) -> Result<(Nystrom, Mat<f64>), Error> {
        self.fit_as(ctx, (kernel, true), source)
    }

    fn fit_as<T: Real>(
        &self,
        ctx: &Context,
        kernel: (&Kernel, bool),
        source: &dyn Source<T>,
    ) -> Result<(Nystrom, Mat<f64>), Error> {
        if self.n_landmarks == 0 {
            return Err(Error::UnknownValue {
                option: "n_landmarks",
                given: "0".to_owned(),
                allowed: "a whole number from 1 on",
            });
        }
        Nystrom::check(kernel.0)?;
        let m = self.n_landmarks;
        let needed = 32 * (m as u64).saturating_mul(m as u64);
        if let Some(allowed) = ctx.memory().filter(|allowed| needed > *allowed) {
            return Err(Error::Memory {
                what: format!("{m} landmarks"),
                needed,
                allowed,
            });
        }
        let mut rng = Rng::new(self.seed);
        ctx.begin("landmarks", source.n_rows().map(|n| n as u64));
        let (rows, kernel, drawn) = match self.landmarks {
            Landmarks::Uniform => {
                let rows = uniform(ctx, source, m, &mut rng)?;
                let kernel = resolve_kernel(ctx, kernel, source, &rows)?;
                (rows.clone(), kernel, rows)
            }
            Landmarks::KMeans => {
                let all = uniform(ctx, source, m.saturating_mul(CANDIDATES), &mut rng)?;
                let kernel = resolve_kernel(ctx, kernel, source, &all)?;
                (far_apart(ctx, &kernel, &all, m, &mut rng)?, kernel, all)
            }
            Landmarks::Leverage => {
                let all = uniform(ctx, source, m.saturating_mul(CANDIDATES), &mut rng)?;
                let kernel = resolve_kernel(ctx, kernel, source, &all)?;
                let rows = by_leverage(ctx, &kernel, source, &all, m, self.seed)?;
                (rows, kernel, all)
            }
        };
        Ok((Nystrom::new(ctx, kernel, rows)?, drawn))
    }
}

impl Nystrom {
    /// Refuses kernels that landmarks cannot approximate.
    pub(crate) fn check(kernel: &Kernel) -> Result<(), Error> {
        if kernel.is_precomputed() || kernel.verdict() != Verdict::Always {
            return Err(Error::KernelParameter {
                kernel: "nystrom",
                parameter: "kernel",
                given: kernel.to_string().into(),
                allowed: "kernels that are positive semi-definite by construction",
            });
        }
        Ok(())
    }

    /// With these rows as landmarks.
    pub fn new(
        ctx: &Context,
        kernel: ResolvedKernel,
        landmarks: Mat<f64>,
    ) -> Result<Nystrom, Error> {
        let landmarks = kernel.points(landmarks, 0)?;
        let Gram::Stored(matrix) = Gram::stored(ctx, &kernel, &landmarks)? else {
            return Err(Error::Overflow);
        };
        let (values, vectors) = ctx.install(|| symmetric_eigen(&matrix))?;
        // Directions that the landmarks do not span, up to the rounding of the decomposition and of the kernels themselves.
        let largest = values.first().copied().unwrap_or(0.0);
        let rounding = landmarks.len() as f64 * f64::EPSILON * largest;
        let floor = rounding.max(kernel.rounding(&landmarks).norm());
        let rank = values.iter().take_while(|value| **value > floor).count();
        if rank == 0 {
            return Err(Error::Underflow);
        }
        let whiten = Mat::from_fn(landmarks.len(), rank, |i, j| {
            vectors[(j, i)] / values[j].sqrt()
        });
        Ok(Nystrom {
            kernel,
            landmarks,
            whiten,
        })
    }

    /// The kernel, whose parameters are all numbers.
    pub fn kernel(&self) -> &ResolvedKernel {
        &self.kernel
    }

    /// The landmarks.
    pub fn landmarks(&self) -> &Mat<f64> {
        self.landmarks.rows()
    }

    /// The trace of K − K̂ over the rows of a source: no eigenvalue of K̂ lies farther below the same eigenvalue of K,
    /// centered or not.
    pub fn lost<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<f64, Error> {
        let lost = sum_over(ctx, source, |rows, first| {
            let points = self.kernel.points(rows, first)?;
            let features = self.of_points(&points);
            let own = self.kernel.diagonal(&points).into_iter();
            let lost = own.zip(features.rows()).map(|(own, feature)| {
                let kept: f64 = feature.iter().map(|x| x * x).sum();
                own - kept
            });
            Ok(lost.sum::<f64>())
        })?;
        if lost.is_finite() {
            Ok(lost.max(0.0))
        } else {
            Err(find_not_finite(ctx, source))
        }
    }

    /// Features of some rows, k(x, x) of each, and how far kernels of these rows may be off.
    pub(crate) fn features_and_lengths(
        &self,
        rows: Mat<f64>,
        first: usize,
    ) -> Result<(Mat<f64>, Vec<f64>, Largest), Error> {
        let (kernels, own, largest) = self.kernels(rows, first)?;
        Ok((product(kernels.view(), self.whiten.view()), own, largest))
    }

    /// Bounds, as norms, on how far rounding may lift eigenvalues of K̂ above those of K and on the rounding errors of K, for
    /// rows whose weights B have this sum of squares and whose kernels have at most this size and error.
    ///
    /// With weights B = VΛ⁻¹φ of the landmarks for every row, the differences between rows and Bᵀ times the landmarks have the
    /// positive semi-definite Gram matrix K − K_xm·B − Bᵀ·K_mx + Bᵀ·K_mm·B. Where K_xm and K_mm are off by E and F, this
    /// matrix is K − K̂ + E·B + Bᵀ·Eᵀ − Bᵀ·F·B: no eigenvalue of K − K̂ lies below −(2‖E‖‖B‖ + ‖F‖‖B‖²).
    pub(crate) fn rounding(&self, n_rows: usize, weights: f64, rows: Largest) -> (f64, f64) {
        let largest = self.largest(rows);
        let (n, m) = (n_rows as f64, self.landmarks.len() as f64);
        // Features are sums of m products, and the decomposition of K_mm is off by some ε of its size.
        let rate = largest.rate + m * f64::EPSILON;
        let (between, own) = (
            rate * largest.size * (n * m).sqrt(),
            rate * largest.size * m,
        );
        let above = 2.0 * between * weights.sqrt() + own * weights;
        (above, n * largest.rate * largest.size)
    }

    /// 1 ÷ λⱼ of every feature: column j of VΛ^(−½) has length λⱼ^(−½).
    pub(crate) fn inverses(&self) -> Vec<f64> {
        let inverse =
            |j: usize| (0..self.landmarks.len()).map(move |i| self.whiten[(i, j)].powi(2));
        (0..self.whiten.n_cols())
            .map(|j| inverse(j).sum::<f64>())
            .collect()
    }

    /// ‖B‖² = Σφⱼ²/λⱼ over all rows, from Σφⱼ² of every feature.
    pub(crate) fn weights(&self, squares: &[f64]) -> f64 {
        let terms = squares.iter().zip(self.inverses());
        terms.map(|(s, inverse)| s * inverse).sum()
    }

    /// The largest size and error of kernels between landmarks and of kernels with rows that have at most this size and error.
    pub(crate) fn largest(&self, rows: Largest) -> Largest {
        rows.and(self.kernel.rounding(&self.landmarks).largest())
    }

    /// VΛ^(−½), a row for each landmark.
    pub(crate) fn whiten(&self) -> &Mat<f64> {
        &self.whiten
    }

    /// Some of the landmarks, which bound what all of them miss of a row.
    pub(crate) fn nested(&self, size: usize) -> Nested {
        Nested::new(&self.kernel, &self.landmarks, size)
    }

    /// Kernels of some rows with the landmarks, k(x, x) of each, and how far kernels of these rows may be off.
    pub(crate) fn kernels(
        &self,
        rows: Mat<f64>,
        first: usize,
    ) -> Result<(Mat<f64>, Vec<f64>, Largest), Error> {
        let points = self.kernel.points(rows, first)?;
        let own = self.kernel.diagonal(&points);
        let largest = self.kernel.rounding(&points).largest();
        Ok((self.kernel.between(&points, &self.landmarks), own, largest))
    }

    /// The kernel, the landmarks, and VΛ^(−½).
    pub(crate) fn into_parts(self) -> (ResolvedKernel, Points, Mat<f64>) {
        (self.kernel, self.landmarks, self.whiten)
    }

    pub(super) fn of_points(&self, points: &Points) -> Mat<f64> {
        let between = self.kernel.between(points, &self.landmarks);
        product(between.view(), self.whiten.view())
    }
}

impl FeatureMap for Nystrom {
    fn n_cols(&self) -> usize {
        self.kernel.n_cols()
    }

    fn n_features(&self) -> usize {
        self.whiten.n_cols()
    }

    fn features(&self, rows: Mat<f64>, first: usize) -> Result<Mat<f64>, Error> {
        Ok(self.of_points(&self.kernel.points(rows, first)?))
    }
}
