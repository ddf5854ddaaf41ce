//! From rows to a fitted kernel PCA: prepare the rows, plan, run one of the strategies, and build the model from its result.

use super::auto::restore_auto;
use super::{Basis, KernelPca, KernelPcaOptions, KernelPcaParts, SpectrumError};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{
    Featured, Fourier, Kernel, Landmarks, Nystrom, Points, ResolvedKernel, Verdict,
};
use crate::mat::{Mat, Real};
use crate::note::{Hint, Note};
use crate::prepare::{Complete, Missing, Preparation, Scale, find_not_finite, read_all};
use crate::solve::{
    self, Approximate, Convention, GramRequest, Keep, Plan, Problem, Spectrum, Storage, Strategy,
    plan_gram,
};
use crate::source::{Dense, Passes, Source};

/// The number of components that a plan assumes if the rules will choose it.
const FEW: usize = 20;

/// Facts about the rows that are computed before rows are compared.
pub(super) struct Prepared {
    columns: Option<Vec<String>>,
    fill: Option<Vec<f64>>,
    preparation: Option<Preparation>,
    notes: Vec<Note>,
    tolerance: f64,
}

/// The result of a strategy, before it becomes a model.
pub(super) struct StrategyResult {
    pub(super) n_rows: usize,
    pub(super) kernel: ResolvedKernel,
    pub(super) basis: Basis,
    pub(super) weights: Mat<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) spectrum: Spectrum,
    pub(super) eigenvalues: Vec<f64>,
    pub(super) error: Option<SpectrumError>,
    pub(super) scores: Option<Mat<f64>>,
    pub(super) notes: Vec<Note>,
}

impl KernelPcaOptions {
    /// Fits a kernel PCA to the rows of a source. The exact strategy keeps all rows for later projections, landmarks keep only
    /// the landmarks.
    ///
    /// ```
    /// use eigenspan::method::KernelPcaOptions;
    /// use eigenspan::solve::Keep;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat};
    ///
    /// // Two rings: 20 rows at radius 1, 20 at radius 3.
    /// let ctx = Context::new();
    /// let radius = |i: usize| if i < 20 { 1.0 } else { 3.0 };
    /// let table = Mat::from_fn(40, 2, |i, j| {
    ///     let angle = i as f64 * std::f64::consts::TAU / 20.0;
    ///     radius(i) * if j == 0 { angle.cos() } else { angle.sin() }
    /// });
    /// let options = KernelPcaOptions {
    ///     n_components: Keep::Count(3),
    ///     kernel: "poly(degree=2, gamma=1, coef0=0)".parse()?,
    ///     ..Default::default()
    /// };
    /// let rings = Dense::new(table.view());
    /// let kpca = options.fit(&ctx, &rings)?;
    ///
    /// // No line separates the rings in the plane. Here x² − y² and 2xy vary most; the third component, x² + y², does.
    /// let scores = kpca.transform(&ctx, &rings)?;
    /// let inner = scores[(0, 2)].signum();
    /// assert!((0..40).all(|i| (scores[(i, 2)].signum() == inner) == (i < 20)));
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<KernelPca, Error> {
        self.check(source)?;
        // Refused before anything is read, if the number of rows is known.
        if source.n_rows().is_some() {
            self.plan(ctx, source)?;
        }
        let mut prepared = Prepared {
            columns: source.col_names().map(<[String]>::to_vec),
            fill: None,
            preparation: None,
            notes: Vec::new(),
            tolerance: solve::checked_tolerance(self.tolerance, T::TOLERANCE)?,
        };
        match self.missing {
            Missing::Drop | Missing::Mean => {
                let complete = Complete::new(ctx, source, self.missing == Missing::Mean)?;
                prepared.notes.extend(complete.note());
                prepared.fill = complete.fill().map(<[f64]>::to_vec);
                self.fit_complete(ctx, &complete, prepared)
            }
            Missing::Error | Missing::Em => self.fit_complete(ctx, source, prepared),
        }
    }

    /// The plan of a fit: solver, cost and reason; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        self.check(source)?;
        let Some(n) = source.n_rows() else {
            return Err(Error::UnknownLength {
                what: "the cost of a kernel PCA depends on the number of rows, which is not known for this input before it is read",
            });
        };
        let (strategy, plan) = self.strategy(ctx, n, source)?;
        let scores =
            matches!(strategy, Strategy::Nystrom { .. }) && self.landmarks == Landmarks::Leverage;
        let before = usize::from(scores)
            + usize::from(self.scale != Scale::None)
            + usize::from(matches!(self.missing, Missing::Drop | Missing::Mean));
        let auto = self.n_components == Keep::Auto;
        Ok(Plan {
            passes: plan.passes + before + usize::from(auto),
            reason: match auto {
                true => format!(
                    "the rules choose the number of components first, on a sample of rows; then {}",
                    plan.reason
                ),
                false => plan.reason,
            },
            ..plan
        })
    }

    /// Fits rows without missing cells.
    fn fit_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        mut prepared: Prepared,
    ) -> Result<KernelPca, Error> {
        match self.learn_preparation(ctx, source)? {
            None => self.fit_prepared(ctx, source, prepared),
            Some((preparation, note)) => {
                prepared.notes.extend(note);
                prepared.preparation = Some(preparation.clone());
                let scaled = Featured::new(source, &preparation)?;
                self.fit_prepared(ctx, &scaled, prepared)
            }
        }
    }

    /// Fits rows that are filled, centered and scaled already.
    fn fit_prepared<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        prepared: Prepared,
    ) -> Result<KernelPca, Error> {
        if self.n_components == Keep::Auto {
            let (resolved, note) = self.with_resolved_k(ctx, source)?;
            let model = resolved.fit_prepared(ctx, source, prepared)?;
            return restore_auto(self, &model, note);
        }
        let kernel = self.kernel_with_gamma()?;
        let problem = self.problem(prepared.tolerance);
        let (strategy, plan, found) = match source.n_rows() {
            Some(n) => {
                let (strategy, mut plan) = self.strategy(ctx, n, source)?;
                let found = match strategy {
                    Strategy::Exact { storage } => {
                        let rows = read_finite(ctx, source)?;
                        self.fit_exact::<T>(ctx, &kernel, rows, (storage, plan.solver), &problem)?
                    }
                    Strategy::Nystrom { landmarks } => {
                        self.fit_nystrom(ctx, source, &kernel, landmarks, (&problem, &mut plan))?
                    }
                    Strategy::Fourier { features } => {
                        self.fit_fourier(ctx, source, &kernel, features, &problem)?
                    }
                };
                (strategy, plan, found)
            }
            None => {
                let rows = read_finite(ctx, source)?;
                let (strategy, plan) = self.strategy(ctx, rows.n_rows(), source)?;
                let storage = match strategy {
                    Strategy::Exact { storage } => storage,
                    _ => return Err(read_once()),
                };
                let found =
                    self.fit_exact::<T>(ctx, &kernel, rows, (storage, plan.solver), &problem)?;
                (strategy, plan, found)
            }
        };
        found.into_model(self, prepared, strategy, plan)
    }

    /// Fits exactly to prepared points of a kernel whose parameters are all numbers; nothing is filled or scaled.
    pub(crate) fn fit_points(
        &self,
        ctx: &Context,
        kernel: ResolvedKernel,
        points: Points,
    ) -> Result<KernelPca, Error> {
        let (strategy, plan) =
            self.strategy(ctx, points.len(), &Dense::new(points.rows().view()))?;
        let storage = match strategy {
            Strategy::Exact { storage } => storage,
            _ => Storage::Recomputed,
        };
        let prepared = Prepared {
            columns: None,
            fill: None,
            preparation: None,
            notes: Vec::new(),
            tolerance: solve::checked_tolerance(self.tolerance, f64::TOLERANCE)?,
        };
        let problem = self.problem(prepared.tolerance);
        let found = self.fit_resolved(ctx, kernel, points, (storage, plan.solver), &problem)?;
        found.into_model(self, prepared, strategy, plan)
    }

    /// The strategy for this number of rows, and what it costs.
    fn strategy<T: Real>(
        &self,
        ctx: &Context,
        n: usize,
        source: &dyn Source<T>,
    ) -> Result<(Strategy, Plan), Error> {
        let kernel = self.kernel_with_gamma()?;
        let again = source.passes() == Passes::Many && source.n_rows().is_some();
        let request = GramRequest {
            solver: self.solver,
            keep: match self.n_components {
                // The number that the rules will give is not known yet.
                Keep::Auto => Keep::Count(FEW.min(n)),
                keep => keep,
            },
            approximate: self.approximate,
            size: self.n_landmarks,
            semidefinite: kernel.verdict() != Verdict::Not,
            landmarks: again && Nystrom::check(&kernel).is_ok(),
        };
        let by_landmarks = self.approximate == Approximate::Auto && self.n_landmarks.is_some();
        match self.approximate {
            Approximate::Nystrom => Nystrom::check(&kernel)?,
            Approximate::Fourier => Fourier::check(&kernel)?,
            _ if by_landmarks => Nystrom::check(&kernel)?,
            _ => {}
        }
        let (strategy, plan) = plan_gram(ctx, (n, source.n_cols()), &request)?;
        match strategy {
            Strategy::Nystrom { .. } | Strategy::Fourier { .. } if !again => Err(read_once()),
            _ => Ok((strategy, plan)),
        }
    }

    /// Refuses options that no rows can satisfy.
    pub(super) fn check<T: Real>(&self, source: &dyn Source<T>) -> Result<(), Error> {
        if source.n_cols() == 0 {
            return Err(Error::NoColumns);
        }
        if source.is_weighted() {
            return Err(Error::BadWeights {
                what: "kernel PCA takes none; every row counts once".to_owned(),
            });
        }
        self.check_preparation()?;
        self.n_components.check()
    }

    /// The kernel, with γ from the option `gamma` where that was given.
    pub(super) fn kernel_with_gamma(&self) -> Result<Kernel, Error> {
        match self.gamma {
            Some(gamma) => self.kernel.with_gamma(gamma),
            None => Ok(self.kernel.clone()),
        }
    }

    /// The problem for a solver.
    fn problem(&self, tolerance: f64) -> Problem {
        Problem {
            keep: self.n_components,
            center: true,
            scale: Scale::None,
            convention: Convention::Unbiased,
            sign: self.sign,
            tolerance,
            seed: self.seed,
            patience: None,
        }
    }
}

/// All rows in memory; cells that are not finite are refused.
fn read_finite<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Result<Mat<f64>, Error> {
    ctx.begin("reading", source.n_rows().map(|n| n as u64));
    let (rows, _) = read_all(ctx, source)?;
    match rows.as_slice().iter().all(|x| x.is_finite()) {
        true => Ok(rows),
        false => Err(find_not_finite(ctx, source)),
    }
}

fn read_once() -> Error {
    Error::ReadTwice {
        what: "features are fitted in a second reading of rows whose number is known",
        instead: Some(Box::new(Hint::new("approximate", "none", "reads it once"))),
    }
}

impl StrategyResult {
    fn into_model(
        self,
        options: &KernelPcaOptions,
        prepared: Prepared,
        strategy: Strategy,
        plan: Plan,
    ) -> Result<KernelPca, Error> {
        let mut notes = prepared.notes;
        notes.extend(self.notes);
        KernelPca::from_parts(KernelPcaParts {
            options: options.clone(),
            columns: prepared.columns,
            n_rows: self.n_rows,
            fill: prepared.fill,
            preparation: prepared.preparation,
            kernel: self.kernel,
            basis: self.basis,
            weights: self.weights,
            offset: self.offset,
            mean: self.mean,
            spectrum: self.spectrum,
            eigenvalues: self.eigenvalues,
            error: self.error,
            scores: self.scores,
            strategy,
            plan,
            notes,
        })
    }
}
