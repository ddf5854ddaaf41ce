//! From rows to a fitted kernel PCA: settle the kernel, plan, fill the kernel matrix, solve.

use super::{KernelPca, KernelPcaOptions, KernelPcaParts};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::{CenteredGram, Gram, Kernel, Points, Settled, Verdict};
use crate::linalg::LinearMap;
use crate::mat::{Mat, Real};
use crate::prepare::{Scale, find_not_finite, read_all};
use crate::solve::{
    self, Centered, Convention, Keep, Known, Plan, Problem, Solver, centered_trace, plan_gram,
    solve_gram,
};
use crate::source::Source;

impl KernelPcaOptions {
    /// Fits a kernel PCA to the rows of a source, all of which are kept for later projections.
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
    /// // No line parts the rings in the plane. Here x² − y² and 2xy vary most, and x² + y² comes third: its sign does.
    /// let scores = kpca.transform(&ctx, &rings)?;
    /// let inner = scores[(0, 2)].signum();
    /// assert!((0..40).all(|i| (scores[(i, 2)].signum() == inner) == (i < 20)));
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<KernelPca, Error> {
        let tolerance = solve::checked_tolerance(self.tolerance, T::TOLERANCE)?;
        self.check(source.n_cols())?;
        // Refused before anything is read, where the number of rows is known.
        if source.n_rows().is_some() {
            self.plan(ctx, source)?;
        }
        let kernel = self.asked_kernel()?;
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let (rows, weights) = read_all(ctx, source)?;
        if weights.is_some() {
            return Err(Error::BadWeights {
                what: "kernel PCA takes none; every row counts once".to_owned(),
            });
        }
        if rows.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        let kernel = Settled::new(&kernel, &rows)?;
        let points = kernel.points(rows, 0)?;
        let columns = source.col_names().map(<[String]>::to_vec);
        self.fit_points(ctx, kernel, points, (columns, tolerance))
    }

    /// Fits to the points of a kernel that was settled on them.
    pub(crate) fn fit_points(
        &self,
        ctx: &Context,
        kernel: Settled,
        points: Points,
        (columns, tolerance): (Option<Vec<String>>, f64),
    ) -> Result<KernelPca, Error> {
        let sure = kernel.kernel().verdict() != Verdict::Not;
        let shape = (points.len(), points.rows().n_cols());
        let (plan, stored) = plan_gram(ctx, shape, self.solver, self.n_components, sure)?;
        ctx.install(|| {
            let gram = match stored {
                true => Gram::stored(ctx, &kernel, &points)?,
                false => Gram::recomputed(ctx, &kernel, &points),
            };
            self.solve(ctx, gram, &kernel, &points, (plan, sure, tolerance))
        })
        .and_then(|found| found.into_model(self, columns, kernel, points))
    }

    /// What a fit would run, and why; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        self.check(source.n_cols())?;
        let sure = self.asked_kernel()?.verdict() != Verdict::Not;
        let Some(n) = source.n_rows() else {
            return Err(Error::Mismatch {
                what: "what a kernel PCA needs hangs on the number of rows, which this input does not tell before it is read"
                    .to_owned(),
            });
        };
        let shape = (n, source.n_cols());
        plan_gram(ctx, shape, self.solver, self.n_components, sure).map(|(plan, _)| plan)
    }

    /// Refuses what no rows could satisfy.
    fn check(&self, n_cols: usize) -> Result<(), Error> {
        if self.n_components == Keep::Auto {
            return Err(Error::UnknownValue {
                option: "n_components",
                given: "auto".to_owned(),
                allowed: "a count such as 5, a share such as 90%, or all: the rules of `auto` are for PCA",
            });
        }
        if n_cols == 0 {
            return Err(Error::NoColumns);
        }
        self.n_components.check()
    }

    /// The kernel, with γ where that was given apart.
    fn asked_kernel(&self) -> Result<Kernel, Error> {
        match self.gamma {
            Some(gamma) => self.kernel.with_gamma(gamma),
            None => Ok(self.kernel.clone()),
        }
    }

    fn solve(
        &self,
        ctx: &Context,
        gram: Gram<'_>,
        kernel: &Settled,
        points: &Points,
        (plan, sure, tolerance): (Plan, bool, f64),
    ) -> Result<Found, Error> {
        // 1. What centering takes out, and the trace it leaves.
        let row_means = gram.row_means()?;
        let diagonal = kernel.diagonal(points);
        let known = Known {
            n: points.len(),
            trace: centered_trace(&diagonal, &row_means),
            sure,
            negative: self.negative,
        };
        if !known.trace.is_finite() || row_means.iter().any(|x| !x.is_finite()) {
            return Err(Error::Overflow);
        }
        // 2. Eigenpairs of K̄.
        let problem = Problem {
            keep: self.n_components,
            center: true,
            scale: Scale::None,
            convention: Convention::Unbiased,
            sign: self.sign,
            tolerance,
            seed: self.seed,
        };
        ctx.check()?;
        let solution = match plan.solver {
            Solver::Full => {
                let matrix = gram.into_centered(&row_means).unwrap_or_default();
                let centered = Centered::Matrix(matrix);
                solve_gram(ctx, &centered, &known, &problem, plan.solver)?
            }
            solver => {
                let map = CenteredGram(&gram);
                let map: &dyn LinearMap = &map;
                solve_gram(ctx, &Centered::Map(map), &known, &problem, solver)?
            }
        };
        Ok(Found {
            row_means,
            solution,
            plan,
        })
    }
}

/// What the fit found, before it is a model.
struct Found {
    row_means: Vec<f64>,
    solution: solve::GramSolution,
    plan: Plan,
}

impl Found {
    fn into_model(
        self,
        options: &KernelPcaOptions,
        columns: Option<Vec<String>>,
        kernel: Settled,
        points: Points,
    ) -> Result<KernelPca, Error> {
        let solve::GramSolution {
            spectrum,
            eigenvalues,
            images,
            mut notes,
        } = self.solution;
        if let Keep::Count(_) = options.n_components {
            notes.extend(spectrum.note_rank(points.len()));
        }
        // K̄α with α = u·√λ'/λ: what a projection of the same rows gives, to rounding.
        let scores = Mat::from_fn(points.len(), spectrum.len(), |i, j| {
            match j < spectrum.rank && eigenvalues[j] != 0.0 {
                true => images[(j, i)] * spectrum.singular_values[j] / eigenvalues[j],
                false => 0.0,
            }
        });
        KernelPca::from_parts(KernelPcaParts {
            options: options.clone(),
            columns,
            kernel,
            points,
            row_means: self.row_means,
            spectrum,
            eigenvalues,
            scores,
            plan: self.plan,
            notes,
        })
    }
}
