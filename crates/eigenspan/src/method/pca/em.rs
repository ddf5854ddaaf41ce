//! `missing = em`: a PCA of rows with missing cells, which are predicted from the other cells of their rows.
//!
//! EM fits a normal model to the observed cells ([`super::expect`]): means, variances and correlations. A missing cell enters
//! with its expected value and its conditional variance. The model has as many directions as the columns allow, for any
//! number of components kept, so that the components of a smaller fit are the first ones of a larger fit. A ridge κ on the
//! correlations keeps the model from fitting noise. κ is chosen as the value that best predicts observed cells that were held
//! out; the error on those cells is part of the result. (Choosing components by held-out cells is due to Josse & Husson 2012,
//! doi:10.1016/j.csda.2011.11.012.)
//!
//! The components are those of the model's covariance, which includes the variances of missing cells, in prepared units. With too
//! many columns for a covariance matrix, they are the components of the filled table, which has a little less variance; a note
//! says so.
//!
//! The table is in memory twice.

use super::expect::{COMPLETE, Cells, DIRECTIONS, State, StepOptions};
use super::imputer::Imputer;
use super::incomplete::Incomplete;
use super::{Pca, PcaOptions, PcaParts};
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::rng::{Rng, stream};
use crate::solve::{self, Plan, Solver};
use crate::source::{Passes, RowSet, Source};
use crate::summary::Scatter;

/// The cells have converged when they move by less than this, as a root mean square in standard deviations.
const STILL: f64 = 1e-6;
/// The same where the model has fewer directions than there are columns: directions of noise keep turning for long, and matter
/// little.
const NEARLY_STILL: f64 = 1e-4;
/// The most steps; cells that still move then are kept, with a note.
const LIMIT: usize = 1000;
/// The most columns for which the covariance matrix is computed.
const WRITTEN_OUT: usize = 1500;
/// Ridges that are tried, largest first; each starts from the result of the one before.
const RIDGES: [f64; 11] = [10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-6];
/// The ridge where too few cells can be held out.
const USUAL_RIDGE: f64 = 0.03;
/// Share of the observed cells that is held out.
const HELD_OUT: f64 = 0.1;
/// The fewest held-out cells for an answer; the number that is enough; and the most rounds of holding out cells to get there.
const FEWEST: usize = 20;
const ENOUGH: usize = 600;
const TIMES: usize = 5;
/// The most rows that are used for it.
const TRIAL_ROWS: usize = 2000;
/// A trial ends where cells move by less than the first number, or after the second number of steps.
const TRIAL: (f64, usize) = (1e-3, 30);
/// The number of steps that a plan assumes.
const USUAL_STEPS: f64 = 200.0;

impl PcaOptions {
    /// Fits a PCA to rows with missing cells. Rows without any value are left out.
    pub(super) fn fit_em<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Pca, Error> {
        self.check_memory(ctx, source)?;
        let mut table = Incomplete::read(ctx, source, self.center)?;
        if table.is_untouched() && source.passes() == Passes::Many {
            return self.fit_complete(ctx, source, None);
        }
        if table.n_missing() == 0 || table.varying().is_empty() {
            let note = (!table.is_untouched()).then(|| table.note(&Learned::default()));
            return self.fit_complete(ctx, &table.source()?, note);
        }
        let (resolved, chosen) = self.with_resolved_k(ctx, &table.source()?)?;
        resolved.plan_complete(ctx, &table.source()?)?;
        let (learned, state, cells) = ctx.install(|| table.learn(ctx, self))?;
        let mut imputer = table.imputer(&state);
        let mut notes: Vec<Note> = chosen.into_iter().collect();
        notes.push(table.note(&learned));
        if learned.moved > learned.still {
            notes.push(Note::NotConverged {
                solver: "em".to_owned(),
                iterations: learned.steps,
                residual: learned.moved,
                tolerance: learned.still,
            });
        }
        let pca = match table.cells.n_cols() <= WRITTEN_OUT {
            true => {
                let (pca, spread) = resolved.fit_expected(ctx, &table, &state, &cells)?;
                imputer.spread = Some(spread);
                pca
            }
            false => {
                table.take(&cells);
                notes.push(Note::FilledVariances);
                resolved.fit_complete(ctx, &table.source()?, None)?
            }
        };
        notes.extend_from_slice(pca.notes());
        Pca::from_solver(PcaParts {
            options: self.clone(),
            notes,
            imputer: Some(imputer),
            ..pca.parts().clone()
        })
    }

    /// The PCA of the covariance that the model expects, and the root of each column's scatter.
    fn fit_expected(
        &self,
        ctx: &Context,
        table: &Incomplete,
        state: &State,
        cells: &Cells,
    ) -> Result<(Pca, Vec<f64>), Error> {
        let (scatter, steps) = ctx.install(|| table.scatter(ctx, state, cells))?;
        let problem = self.problem(self.checked_tolerance(f64::TOLERANCE)?);
        let mut solution = ctx.install(|| solve::solve_scatter(ctx, scatter, &problem))?;
        let names = table.names.as_deref();
        solve::note_constant(&mut solution, names, &problem);
        let d = table.cells.n_cols() as f64;
        let plan = Plan {
            solver: Solver::Covariance,
            reason: "the covariance of incomplete rows includes the variance of missing cells around their expected values"
                .to_owned(),
            passes: 1,
            bytes: 32 * (d * d) as u64 + 16 * table.cells.as_slice().len() as u64,
            flops: steps + 9.0 * d.powi(3),
        };
        let spread = solution.spread.clone();
        Ok((self.finish(solution, plan, names, None)?, spread))
    }

    /// Adds to a plan what missing cells may cost.
    pub(super) fn plan_em(&self, n_rows: Option<usize>, n_cols: usize, plan: Plan) -> Plan {
        let (n, d) = (n_rows.unwrap_or(0) as f64, n_cols as f64);
        Plan {
            reason: format!(
                "{}; missing cells are filled first, in memory, in some hundreds of steps",
                plan.reason
            ),
            passes: 1,
            bytes: plan.bytes + table_bytes(n_rows.unwrap_or(0), n_cols),
            flops: plan.flops + USUAL_STEPS * step_flops(n, d),
            ..plan
        }
    }

    /// The table is in memory in addition to what the solver needs.
    fn check_memory<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<(), Error> {
        let (Some(n), Some(allowed)) = (source.n_rows(), ctx.memory()) else {
            return Ok(());
        };
        let needed = self.plan_complete(ctx, source)?.bytes + table_bytes(n, source.n_cols());
        if needed <= allowed {
            return Ok(());
        }
        Err(Error::Memory {
            what: "missing = em, which keeps the table in memory,".to_owned(),
            needed,
            allowed,
        })
    }
}

/// Bytes of the table and of its copy in other units.
fn table_bytes(n_rows: usize, n_cols: usize) -> u64 {
    16 * (n_rows as u64) * (n_cols as u64)
}

/// Operations of a step in which every row has missing columns of its own.
fn step_flops(n: f64, d: f64) -> f64 {
    let b = if d <= COMPLETE as f64 {
        d
    } else {
        DIRECTIONS as f64
    };
    n * (4.0 * d * b + b.powi(3) + d * b * b)
}

/// How the model was found.
#[derive(Debug, Clone, Copy, Default)]
struct Learned {
    steps: usize,
    /// How far cells moved in the last step, and the limit for convergence.
    moved: f64,
    still: f64,
    /// Root mean square error of cells held out, in standard deviations of their columns.
    error: Option<f64>,
}

/// A table from which some observed cells are held out.
struct Trial {
    cells: Cells,
    state: State,
    /// Columns held out in each row.
    held_out: Vec<Vec<usize>>,
}

impl Incomplete {
    fn note(&self, learned: &Learned) -> Note {
        Note::ImputedCells {
            cells: self.n_missing(),
            iterations: learned.steps,
            empty_rows: self.empty_rows,
            error: learned.error,
        }
    }

    /// Fits the model with the ridge that predicts held-out cells best.
    fn learn(&self, ctx: &Context, options: &PcaOptions) -> Result<(Learned, State, Cells), Error> {
        let (ridge, error) = self.choose_ridge(ctx, options)?;
        let rows: Vec<usize> = (0..self.cells.n_rows()).collect();
        let mut cells = self.cells(&rows, &[]);
        let mut state = State::start(rows.len(), self.varying().len(), options.seed);
        let ask = StepOptions {
            ridge,
            center: options.center,
        };
        let still = match state.is_complete() {
            true => STILL,
            false => NEARLY_STILL,
        };
        let (steps, moved) = iterate(ctx, &mut state, &mut cells, ask, (still, LIMIT))?;
        let learned = Learned {
            steps,
            moved,
            still,
            error,
        };
        Ok((learned, state, cells))
    }

    /// The ridge that predicts held-out observed cells best, and the error of that prediction.
    fn choose_ridge(
        &self,
        ctx: &Context,
        options: &PcaOptions,
    ) -> Result<(f64, Option<f64>), Error> {
        let n = self.cells.n_rows();
        let rows = RowSet::sample(n, TRIAL_ROWS, options.seed).within(0, n);
        let mut trials: Vec<Trial> = Vec::new();
        let mut held = 0;
        while held < ENOUGH && trials.len() < TIMES {
            let held_out = self.held_out(&rows, stream(options.seed, trials.len()));
            let count = held_out.iter().map(Vec::len).sum::<usize>();
            if count < FEWEST {
                break;
            }
            held += count;
            trials.push(Trial {
                cells: self.cells(&rows, &held_out),
                state: State::start(rows.len(), self.varying().len(), options.seed),
                held_out,
            });
        }
        let mut best = (f64::INFINITY, USUAL_RIDGE);
        let mut worse = 0;
        for ridge in RIDGES.into_iter().filter(|_| held > 0) {
            let ask = StepOptions {
                ridge,
                center: options.center,
            };
            let mut squares = 0.0;
            for trial in &mut trials {
                iterate(ctx, &mut trial.state, &mut trial.cells, ask, TRIAL)?;
                squares += self.squares(&rows, trial);
            }
            let error = (squares / held as f64).sqrt();
            match error < best.0 {
                true => (best, worse) = ((error, ridge), 0),
                false => worse += 1,
            }
            if worse == 2 {
                break;
            }
        }
        Ok((best.1, (held > 0).then_some(best.0)))
    }

    /// Observed cells to hold out, drawn at random: the columns for each of some rows. A row keeps at least one cell, and a
    /// column two.
    fn held_out(&self, rows: &[usize], seed: u64) -> Vec<Vec<usize>> {
        let mut left = vec![0usize; self.means.len()];
        let seen = |i: usize, j: usize| {
            let counts = self.weights.as_ref().is_none_or(|w| w[i] > 0.0);
            counts && self.missing[i].binary_search(&j).is_err()
        };
        for &i in rows {
            (0..left.len()).for_each(|j| left[j] += usize::from(seen(i, j)));
        }
        let varying = self.varying();
        let hold = |(r, &i): (usize, &usize)| {
            let mut rng = Rng::new(stream(seed, r));
            let mut own = varying.iter().filter(|&&j| seen(i, j)).count();
            let mut columns = Vec::new();
            for &j in &varying {
                let drawn = rng.uniform() < HELD_OUT;
                if drawn && seen(i, j) && own > 1 && left[j] > 2 {
                    own -= 1;
                    left[j] -= 1;
                    columns.push(j);
                }
            }
            columns
        };
        rows.iter().enumerate().map(hold).collect()
    }

    /// Sum of squared errors of cells held out, in standard deviations.
    fn squares(&self, rows: &[usize], trial: &Trial) -> f64 {
        let varying = self.varying();
        let mut squares = 0.0;
        for (r, columns) in trial.held_out.iter().enumerate() {
            for j in columns {
                let Ok(l) = varying.binary_search(j) else {
                    continue;
                };
                let truth = (self.cells[(rows[r], *j)] - self.origin[*j]) / self.spread[*j];
                squares += (trial.cells.cells[(r, l)] - truth).powi(2);
            }
        }
        squares
    }

    /// The model in the units of the data, with constant columns put back.
    fn imputer(&self, state: &State) -> Imputer {
        let (varying, d) = (self.varying(), self.means.len());
        let mut mean = self.means.clone();
        let mut scale = vec![1.0; d];
        let mut directions = Mat::zeros(state.variances.len(), d);
        for (l, &j) in varying.iter().enumerate() {
            scale[j] = self.spread[j];
            mean[j] = self.origin[j] + self.spread[j] * state.mean[l];
            for i in 0..state.variances.len() {
                directions[(i, j)] = state.directions[(i, l)];
            }
        }
        Imputer {
            mean,
            scale,
            directions,
            variances: state.variances.clone(),
            noise: state.noise,
            spread: None,
        }
    }

    /// The scatter that the model expects, in the units of the data, and the operations it took.
    fn scatter(
        &self,
        ctx: &Context,
        state: &State,
        cells: &Cells,
    ) -> Result<(Scatter, f64), Error> {
        let inner = state.scatter(ctx, cells)?;
        let (varying, d) = (self.varying(), self.means.len());
        let mut scatter = Mat::zeros(d, d);
        for (a, &i) in varying.iter().enumerate() {
            for (b, &j) in varying.iter().enumerate() {
                scatter[(i, j)] = self.spread[i] * inner[(a, b)] * self.spread[j];
            }
        }
        let n_rows = self.cells.n_rows();
        let weight = self
            .weights
            .as_ref()
            .map_or(n_rows as f64, |w| w.iter().sum());
        let imputer = self.imputer(state);
        let summary = Scatter::from_parts(n_rows, weight, imputer.mean, scatter);
        Ok((summary, USUAL_STEPS * step_flops(n_rows as f64, d as f64)))
    }
}

/// Runs steps until the cells converge or the limit is reached; gives the number of steps and how far cells moved in the last.
fn iterate(
    ctx: &Context,
    state: &mut State,
    cells: &mut Cells,
    ask: StepOptions,
    (still, limit): (f64, usize),
) -> Result<(usize, f64), Error> {
    // The first steps only find the directions.
    const AT_LEAST: usize = 4;
    let mut moved = f64::INFINITY;
    for step in 1..=limit {
        ctx.check()?;
        moved = state.step(ctx, cells, ask)?;
        if moved <= still && step >= AT_LEAST {
            return Ok((step, moved));
        }
    }
    Ok((limit, moved))
}
