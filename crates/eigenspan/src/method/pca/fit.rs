//! From rows to a fitted PCA: plan, solve, and add notes on the result.

use super::{Pca, PcaOptions, PcaParts};
use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::note::Note;
use crate::on_numbers;
use crate::prepare::{Complete, Missing, Scale, dominating};
use crate::solve::{self, Keep, Plan, Problem, Shape, Solution, Solver};
use crate::source::{Numbers, Passes, Source, col_label};

impl PcaOptions {
    /// Fits a PCA to the rows of a source.
    ///
    /// ```
    /// use eigenspan::solve::Keep;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, MatView, PcaOptions};
    ///
    /// let cells = [3.0, 3.0, 4.0, 7.0, 5.0, 8.0];
    /// let rows = Dense::new(MatView::from_rows(&cells, 3, 2)?);
    /// let options = PcaOptions { n_components: Keep::Share(0.9), ..Default::default() };
    /// let pca = options.fit(&Context::new(), &rows)?;
    /// // The covariance is [[1, 2.5], [2.5, 7]]; one direction holds 98.8 % of its trace.
    /// assert_eq!(pca.n_components(), 1);
    /// assert!((pca.explained_variance()[0] - 7.905125).abs() < 1e-6);
    /// assert!((pca.explained_variance_ratio()[0] - 0.988141).abs() < 1e-6);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Pca, Error> {
        let numbers = Numbers::from_source(source);
        self.fit_of_numbers(ctx, numbers)
    }

    /// Compiled in this crate once, for both element types.
    fn fit_of_numbers(&self, ctx: &Context, numbers: Numbers<'_>) -> Result<Pca, Error> {
        on_numbers!(numbers, source => self.fit_rows(ctx, source))
    }

    fn fit_rows<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Pca, Error> {
        if self.scale == Scale::Genotype && !self.center {
            return Err(Error::OptionsConflict {
                what: "scale = `genotype` computes the frequency of an allele from the column's mean, so it needs centering",
            });
        }
        match self.missing {
            Missing::Error => self.fit_complete(ctx, source, None),
            Missing::Drop | Missing::Mean => {
                let complete = Complete::new(ctx, source, self.missing == Missing::Mean)?;
                let note = complete.note();
                self.fit_complete(ctx, &complete, note)
            }
            Missing::Em => self.fit_em(ctx, source),
        }
    }

    /// The solver that a fit would run, its cost and the reason; reads no rows.
    pub fn plan<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Plan, Error> {
        let plan = self.plan_complete(ctx, source)?;
        Ok(match self.missing {
            Missing::Em => self.plan_em(source.n_rows(), source.n_cols(), plan),
            _ => plan,
        })
    }

    /// The same for rows without missing cells.
    pub(super) fn plan_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Plan, Error> {
        let plan = solve::plan(
            ctx,
            Shape::from_source(source),
            self.solver,
            self.n_components,
        )?;
        match self.n_components {
            Keep::Auto => self.plan_auto(source, plan),
            _ => Ok(plan),
        }
    }

    pub(super) fn fit_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        note: Option<Note>,
    ) -> Result<Pca, Error> {
        if let (resolved, Some(chosen)) = self.with_resolved_k(ctx, source)? {
            let pca = resolved.fit_complete(ctx, source, note)?;
            return self.restore_auto(pca, chosen);
        }
        let mut plan = self.plan_complete(ctx, source)?;
        let mut problem = self.problem(self.checked_tolerance(T::TOLERANCE)?);
        let trial = match self.solver {
            Solver::Auto => solve::trial(ctx, Shape::from_source(source), &plan, self.n_components),
            _ => None,
        };
        if let Some(trial) = &trial {
            plan = trial.iteration.clone();
            problem.patience = Some(trial.patience);
        }
        let mut solution = match solve::run(ctx, &plan, source, &problem) {
            Err(Error::Overflow | Error::Underflow) if self.solver == Solver::Auto => {
                plan = self.finer_plan(
                    ctx,
                    source,
                    "their squares leave the range of a 64-bit float".to_owned(),
                )?;
                solve::run(ctx, &plan, source, &problem)?
            }
            solution => solution?,
        };
        let given_up = |note: &Note| matches!(note, Note::NotConverged { .. });
        if let Some(trial) = trial {
            let outcome = solution.outcome;
            if solution.notes.iter().any(given_up) {
                plan = trial.replacement(outcome);
                solution = solve::run(ctx, &plan, source, &problem)?;
            } else if outcome.is_some() {
                plan = trial.ran(outcome);
            }
        }
        if self.blurs_requested_components(&solution) && source.passes() == Passes::Many {
            let reason = format!(
                "components below what {} can resolve were asked for",
                plan.solver
            );
            let finer = self.finer_plan(ctx, source, reason);
            if let Some(finer) = finer.ok().filter(|finer| is_affordable(finer, &plan)) {
                plan = finer;
                solution = solve::run(ctx, &plan, source, &problem)?;
            }
        }
        self.finish(solution, plan, source.col_names(), note)
    }

    /// The problem for a solver.
    pub(super) fn problem(&self, tolerance: f64) -> Problem {
        Problem {
            keep: self.n_components,
            center: self.center,
            scale: self.scale,
            convention: self.convention,
            sign: self.sign,
            tolerance,
            seed: self.seed,
            patience: None,
        }
    }

    /// A model from a solver's result, with its notes.
    pub(super) fn finish(
        &self,
        mut solution: Solution,
        plan: Plan,
        names: Option<&[String]>,
        note: Option<Note>,
    ) -> Result<Pca, Error> {
        let mut notes: Vec<Note> = note.into_iter().collect();
        notes.append(&mut solution.notes);
        // Solvers that square the data cannot distinguish small components from zero and say so in a note of their own, except
        // for constant columns.
        let is_exact = solution.resolution == 0.0 || solution.spectrum.rank == solution.n_varying();
        if matches!(self.n_components, Keep::Count(_)) && is_exact {
            notes.extend(solution.spectrum.note_rank(solution.n_rows));
        }
        if self.scale == Scale::None {
            notes.extend(note_unlike_scales(&solution, self, names));
        }
        if !solution.spectrum.total_variance().is_finite() {
            return Err(Error::Overflow);
        }
        Pca::from_solver(PcaParts {
            options: self.clone(),
            columns: names.map(<[String]>::to_vec),
            n_rows: solution.n_rows,
            weight: solution.weight,
            preparation: solution.preparation,
            spectrum: solution.spectrum,
            plan,
            notes,
            imputer: None,
        })
    }

    pub(super) fn checked_tolerance(&self, default: f64) -> Result<f64, Error> {
        solve::checked_tolerance(self.tolerance, default)
    }

    /// The plan for the most accurate solver.
    fn finer_plan<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        reason: String,
    ) -> Result<Plan, Error> {
        // Tall data need no copy to reach the same accuracy.
        let tall = source.n_rows().is_none_or(|n| n >= 4 * source.n_cols());
        let solver = if tall { Solver::Qr } else { Solver::Full };
        let full = PcaOptions {
            solver,
            ..self.clone()
        };
        Ok(Plan {
            reason,
            ..full.plan_complete(ctx, source)?
        })
    }

    /// Whether the solver was chosen automatically and cannot resolve some of the requested components.
    fn blurs_requested_components(&self, solution: &Solution) -> bool {
        self.solver == Solver::Auto
            && matches!(self.n_components, Keep::Count(_))
            && solution.notes.iter().any(|note| {
                matches!(
                    note,
                    Note::BelowResolution { .. } | Note::NotResolved { .. }
                )
            })
    }
}

/// Whether a more accurate solver costs little, or not much more than the one that was used.
fn is_affordable(finer: &Plan, taken: &Plan) -> bool {
    const LITTLE: f64 = 1e11;
    const MUCH_MORE: f64 = 20.0;
    finer.flops <= LITTLE + MUCH_MORE * taken.flops
}

fn note_unlike_scales(
    solution: &Solution,
    options: &PcaOptions,
    columns: Option<&[String]>,
) -> Option<Note> {
    // Two rows have variances but do not show scales; squares about zero are not variances.
    if solution.n_rows < 3 || !options.center {
        return None;
    }
    // Relative to the largest, so that squares stay in range.
    let unit = solution.spread.iter().copied().fold(0.0, f64::max);
    let variances: Vec<f64> = solution.spread.iter().map(|s| (s / unit).powi(2)).collect();
    let first = solution.spectrum.vectors.rows().next()?;
    let weights: Vec<f64> = first.iter().map(|v| v * v).collect();
    let found = dominating(&variances, &weights)?;
    let label = |j: usize| col_label(columns, j);
    let component = options.names.component(0);
    Some(Note::UnlikeScales {
        component,
        columns: found.columns.iter().map(|&j| label(j)).collect(),
        largest: label(found.largest),
        smallest: label(found.smallest),
        ratio: found.ratio,
        weight: found.weight,
        scaled_components: None,
    })
}
