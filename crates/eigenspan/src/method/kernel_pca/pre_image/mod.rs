//! The way back: rows whose images in feature space lie nearest to given scores.
//!
//! Scores s stand for the point P = mean + Σ sⱼvⱼ = Σᵢ γᵢΦ(xᵢ) over the rows of the basis (all training rows, or landmarks)
//! with γ = c + Ws, where c are the mean's weights (1/n for all rows). P is seldom the image of any row. Three methods look
//! for a row z with ‖Φ(z) − P‖ small; each reports the distance that is left: ‖Φ(z) − P‖² = k(z, z) − 2Σγᵢk(z, xᵢ) + ‖P‖².

mod distances;
mod fixed_point;
mod ridge;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::ridge::Ridge;
use super::{Basis, KernelPca};
use crate::context::Context;
use crate::error::{Error, ShapeFault};
use crate::kernel::{Base, Points, Verdict, product_by_tiles};
use crate::linalg::{dot, times_transposed};
use crate::mat::{Mat, MatView};
use crate::note::Note;
use crate::parallel;
use crate::source::Block;

/// How rows are computed from scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum PreImage {
    /// fixed-point for the Gaussian kernel, ridge for others
    #[default]
    Auto,
    /// Fixed point of Mika et al. 1999, for the Gaussian kernel
    FixedPoint,
    /// Kernel ridge regression from scores to rows, as scikit-learn does
    Ridge,
    /// Distances to the nearest training rows, as Kwok and Tsang 2004
    Distances,
}

impl PreImage {
    /// Its name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            PreImage::Auto => "auto",
            PreImage::FixedPoint => "fixed-point",
            PreImage::Ridge => "ridge",
            PreImage::Distances => "distances",
        }
    }
}

/// Options of pre-images.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct PreImageOptions {
    /// How rows are computed from scores
    #[cfg_attr(
        feature = "clap",
        arg(long = "pre-image", value_name = "METHOD", default_value = "auto")
    )]
    pub method: PreImage,

    /// Ridge: penalty added to the diagonal; a larger one gives smoother rows
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ALPHA", default_value_t = 1.0)
    )]
    pub alpha: f64,

    /// Distances: number of nearest training rows used
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 10))]
    pub n_neighbors: usize,

    /// Fixed point: largest number of steps; an iteration that has not converged by then gets a note
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 1000))]
    pub max_iterations: usize,
}

impl Default for PreImageOptions {
    fn default() -> Self {
        PreImageOptions {
            method: PreImage::Auto,
            alpha: 1.0,
            n_neighbors: 10,
            max_iterations: 1000,
        }
    }
}

/// Rows computed from scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Inverted {
    /// One row for each row of scores, in the units of the data.
    pub rows: Mat<f64>,
    /// ‖Φ(z) − P‖ of each; NaN where the kernel is not positive semi-definite by construction, so that there are no lengths.
    pub residuals: Vec<f64>,
    /// Notes.
    pub notes: Vec<Note>,
}

/// A kernel PCA with everything precomputed for pre-images.
#[derive(Debug)]
pub struct PreImages<'a> {
    model: &'a KernelPca,
    options: PreImageOptions,
    strategy: Strategy,
    /// The rows of the basis, prepared for the kernel.
    points: &'a Points,
    /// Their scores, m × k.
    scores: Mat<f64>,
    /// Their inner products with the mean in feature space.
    along_mean: Vec<f64>,
}

#[derive(Debug)]
enum Strategy {
    FixedPoint,
    Ridge(Box<Ridge>),
    Distances,
}

/// The number of rows of scores that are processed at a time.
const RUN: usize = 64;

/// Result of a method for a run of scores.
struct RunResult {
    rows: Mat<f64>,
    /// The number of rows whose iteration did not converge, and the largest last step among them.
    not_converged: Option<f64>,
}

/// A run of scores, and the points they stand for.
struct Targets {
    /// b × k.
    scores: Mat<f64>,
    /// b × n: γ.
    weights: Mat<f64>,
    /// ‖P‖².
    squares: Vec<f64>,
    /// b × n: ⟨Φ(xᵢ), P⟩ = (Kγ)ᵢ.
    products: Mat<f64>,
}

impl KernelPca {
    /// Prepares pre-images: what all scores need is computed once.
    ///
    /// ```
    /// use eigenspan::method::{KernelPcaOptions, PreImageOptions};
    /// use eigenspan::solve::Keep;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat};
    ///
    /// let ctx = Context::new();
    /// let table = Mat::from_fn(30, 2, |i, j| ((i * (3 + 4 * j)) % 11) as f64 / 11.0);
    /// let options = KernelPcaOptions {
    ///     kernel: "rbf(gamma=2)".parse()?,
    ///     ..Default::default()
    /// };
    /// let kpca = options.fit(&ctx, &Dense::new(table.view()))?;
    ///
    /// // With all components every training row is its own pre-image.
    /// let back = kpca.pre_images(&ctx, PreImageOptions::default())?;
    /// let found = back.inverse(&ctx, kpca.transform(&ctx, &Dense::new(table.view()))?.view(), None)?;
    /// assert!(found.residuals.iter().all(|r| *r < 1e-6));
    /// assert!((found.rows[(7, 1)] - table[(7, 1)]).abs() < 1e-6);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn pre_images(
        &self,
        ctx: &Context,
        options: PreImageOptions,
    ) -> Result<PreImages<'_>, Error> {
        let kernel = self.kernel().kernel();
        let gaussian = matches!(kernel.as_base(), Some(Base::Rbf { .. }));
        let refuse = |method, allowed| {
            Err(Error::NoPreImage {
                method,
                kernel: kernel.to_string(),
                allowed,
            })
        };
        let Basis::Rows(points) = &self.parts().basis else {
            let method = options.method.name();
            return refuse(
                method,
                "kernels that were fitted on rows or landmarks: not precomputed, and not by random Fourier features",
            );
        };
        let (scores, along_mean) = self.scores_of_basis(ctx, points)?;
        let strategy = match options.method {
            PreImage::FixedPoint | PreImage::Auto if gaussian => Strategy::FixedPoint,
            PreImage::FixedPoint => return refuse("fixed-point", "rbf alone"),
            PreImage::Ridge | PreImage::Auto => {
                if !kernel.compares_any_rows() {
                    let allowed = "kernels of rows of any width: not precomputed, chi2 or functions of your own";
                    return refuse("ridge", allowed);
                }
                Strategy::Ridge(Box::new(Ridge::new(
                    ctx,
                    self,
                    (points, &scores),
                    options.alpha,
                )?))
            }
            PreImage::Distances => {
                if distances::known(kernel).is_none() {
                    let allowed = "rbf, rational_quadratic, matern(nu=0.5) or linear, alone";
                    return refuse("distances", allowed);
                }
                if options.n_neighbors < 2 {
                    return Err(Error::UnknownValue {
                        option: "n_neighbors",
                        given: options.n_neighbors.to_string(),
                        allowed: "a whole number from 2 on",
                    });
                }
                Strategy::Distances
            }
        };
        Ok(PreImages {
            model: self,
            options,
            strategy,
            points,
            scores,
            along_mean,
        })
    }

    /// Scores of the rows of the basis, and their inner products with the mean.
    fn scores_of_basis(
        &self,
        ctx: &Context,
        points: &Points,
    ) -> Result<(Mat<f64>, Vec<f64>), Error> {
        let parts = self.parts();
        let (m, k) = (points.len(), self.n_components());
        let both = Mat::from_fn(m, k + 1, |i, j| match j < k {
            true => parts.weights[(i, j)],
            false => parts.mean[i],
        });
        let products =
            ctx.install(|| product_by_tiles(ctx, &parts.kernel, (points, m), points, &both))?;
        let scores = Mat::from_fn(m, k, |i, j| products[(i, j)] - parts.offset[j]);
        Ok((scores, products.col(k)))
    }
}

impl PreImages<'_> {
    /// Rows for scores (b × k). The fixed point begins at `start` (b × d), where it is given: for denoising, the noisy rows.
    pub fn inverse(
        &self,
        ctx: &Context,
        scores: MatView<'_, f64>,
        start: Option<MatView<'_, f64>>,
    ) -> Result<Inverted, Error> {
        let (k, d) = (self.model.n_components(), self.model.n_cols());
        if scores.n_cols() != k {
            return Err(Error::WrongWidth {
                given: scores.n_cols(),
                expected: k,
            });
        }
        if let Some(start) = start
            && (start.n_rows(), start.n_cols()) != (scores.n_rows(), d)
        {
            return Err(Error::Shape(ShapeFault::Start {
                given: (start.n_rows(), start.n_cols()),
                expected: (scores.n_rows(), d),
            }));
        }
        let n = scores.n_rows();
        ctx.begin("pre-images", Some(n as u64));
        let run = |from: usize| -> Result<(RunResult, Vec<f64>), Error> {
            ctx.check()?;
            let to = (from + RUN).min(n);
            let targets = self.targets(scores.slice_rows(from, to).to_mat());
            let start = start.map(|start| start.slice_rows(from, to).to_mat());
            let start = match &self.model.parts().preparation {
                Some(preparation) => {
                    start.map(|rows| preparation.apply(&Block::Dense(rows.view())))
                }
                None => start,
            };
            let found = match &self.strategy {
                Strategy::FixedPoint => self.fixed_point(ctx, &targets, start)?,
                Strategy::Ridge(ridge) => ridge.rows(&targets.scores)?,
                Strategy::Distances => self.by_distances(&targets)?,
            };
            let residuals = self.residuals(&targets, &found.rows)?;
            ctx.advance((to - from) as u64);
            Ok((found, residuals))
        };
        let starts: Vec<usize> = (0..n).step_by(RUN).collect();
        let runs: Vec<(RunResult, Vec<f64>)> =
            ctx.install(|| parallel::try_collect(starts.len(), |i| run(starts[i])))?;
        self.collected(n, d, runs)
    }

    fn collected(
        &self,
        n: usize,
        d: usize,
        runs: Vec<(RunResult, Vec<f64>)>,
    ) -> Result<Inverted, Error> {
        let not_converged = runs
            .iter()
            .filter_map(|(found, _)| found.not_converged)
            .reduce(f64::max);
        let mut cells = Vec::with_capacity(n * d);
        let mut residuals = Vec::with_capacity(n);
        for (found, run) in runs {
            cells.extend(found.rows.into_vec());
            residuals.extend(run);
        }
        let notes = not_converged.map(|step| Note::NotConverged {
            solver: "fixed-point".to_owned(),
            iterations: self.options.max_iterations,
            residual: step,
            tolerance: fixed_point::CONVERGED,
        });
        let mut rows = Mat::from_vec(n, d, cells)?;
        if let Some(preparation) = &self.model.parts().preparation {
            preparation.undo(&mut rows);
        }
        Ok(Inverted {
            rows,
            residuals,
            notes: notes.into_iter().collect(),
        })
    }

    /// The points that scores stand for.
    fn targets(&self, scores: Mat<f64>) -> Targets {
        let parts = self.model.parts();
        let b = scores.n_rows();
        let mean: f64 = dot(&self.along_mean, &parts.mean);
        // γ = c + Ws.
        let mut weights = times_transposed(scores.view(), parts.weights.view());
        for i in 0..b {
            let row = weights.row_mut(i).iter_mut();
            row.zip(&parts.mean).for_each(|(x, c)| *x += c);
        }
        // Kγ = Kc + KWs, where KW are the scores of the basis rows plus the offset.
        let mut products = times_transposed(scores.view(), self.scores.view());
        let mut squares = Vec::with_capacity(b);
        for (i, s) in scores.rows().enumerate() {
            let out = dot(s, &parts.offset);
            let row = products.row_mut(i).iter_mut().zip(&self.along_mean);
            row.for_each(|(x, mean)| *x += mean + out);
            // ‖P‖² = ‖Σ sⱼvⱼ‖² + 2⟨Σ sⱼvⱼ, mean⟩ + ‖mean‖².
            squares.push(dot(s, s) + 2.0 * out + mean);
        }
        Targets {
            scores,
            weights,
            squares,
            products,
        }
    }

    /// ‖Φ(z) − P‖ for rows z.
    fn residuals(&self, targets: &Targets, rows: &Mat<f64>) -> Result<Vec<f64>, Error> {
        let kernel = self.model.kernel();
        if kernel.kernel().verdict() == Verdict::Not {
            return Ok(vec![f64::NAN; rows.n_rows()]);
        }
        let points = kernel.points(rows.clone(), 0)?;
        let own = kernel.diagonal(&points);
        let between = kernel.between(&points, self.points);
        let residual = |i: usize| {
            let along = dot(between.row(i), targets.weights.row(i));
            (own[i] - 2.0 * along + targets.squares[i]).max(0.0).sqrt()
        };
        Ok((0..rows.n_rows()).map(residual).collect())
    }
}
