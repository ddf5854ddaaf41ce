//! How many components to keep, decided by the rules before a fit: the advice on its own, and `n_components = auto`, which
//! follows it.
//!
//! One reading gives all eigenvalues and one a sample of rows ([`crate::choose`]); `auto` then fits as many components as the
//! consensus says, so that the model is the same as if that number had been given.

use super::{Pca, PcaOptions, PcaParts};
use crate::choose::{ChooseOptions, Sample, Scree, choose_with_rows};
use crate::context::Context;
use crate::error::Error;
use crate::mat::Real;
use crate::method::chosen::{Chosen, refuse_once};
use crate::note::Note;
use crate::on_numbers;
use crate::prepare::{Complete, Missing, Scale};
use crate::solve::{Keep, Plan, Solver, solve_values};
use crate::source::{Numbers, Source};

impl PcaOptions {
    /// Runs every rule for the number of components to keep. The option `n_components` is ignored.
    ///
    /// ```
    /// use eigenspan::choose::{ChooseOptions, Rule};
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat, PcaOptions};
    ///
    /// // Two columns that go together, and two on their own.
    /// let table = Mat::from_fn(40, 4, |i, j| match j {
    ///     0 | 1 => 9.0 * (i as f64).sin() + ((i * (j + 3)) % 7) as f64 / 7.0,
    ///     _ => ((i * (3 * j + 1)) % 11) as f64 / 5.0,
    /// });
    /// let rows = Dense::new(table.view());
    /// let rules = ChooseOptions::default();
    /// let chosen = PcaOptions::default().choose(&Context::new(), &rows, &rules)?;
    /// assert_eq!(chosen.choices.advice(Rule::ParallelAnalysis).and_then(|a| a.k), Some(1));
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn choose<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        let numbers = Numbers::from_source(source);
        self.choose_of_numbers(ctx, numbers, rules)
    }

    /// Compiled in this crate once, for both element types.
    fn choose_of_numbers(
        &self,
        ctx: &Context,
        numbers: Numbers<'_>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        on_numbers!(numbers, source => self.choose_rows(ctx, source, rules))
    }

    fn choose_rows<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        rules.check()?;
        refuse_once(source)?;
        match self.missing {
            Missing::Error => self.choose_complete(ctx, source, rules),
            // Components can predict cells only once their number is known; until then missing cells are filled with means.
            Missing::Drop | Missing::Mean | Missing::Em => {
                let complete = Complete::new(ctx, source, self.missing != Missing::Drop)?;
                let mut chosen = self.choose_complete(ctx, &complete, rules)?;
                chosen.notes.splice(0..0, complete.note());
                Ok(chosen)
            }
        }
    }

    fn choose_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        let (scree, notes) = self.scree(ctx, source)?;
        let sample = Sample::gather(ctx, source, self.center, self.scale, rules)?;
        Ok(Chosen {
            choices: choose_with_rows(ctx, &scree, &sample, rules)?,
            scree,
            notes,
        })
    }

    /// All eigenvalues: for a small table by the most accurate solver, for a large one without their vectors.
    fn scree<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<(Scree, Vec<Note>), Error> {
        const SMALL: usize = 128;
        let all = PcaOptions {
            n_components: Keep::All,
            solver: Solver::Auto,
            ..self.clone()
        };
        let scaled = self.scale == Scale::Std;
        if source
            .n_rows()
            .map_or(source.n_cols(), |n| n.min(source.n_cols()))
            > SMALL
        {
            all.plan(ctx, source)?;
            match solve_values(ctx, source, &all.problem(T::TOLERANCE)) {
                Err(Error::Overflow | Error::Underflow) => {}
                solution => {
                    let solution = solution?;
                    let scree = Scree::from_spectrum(&solution.spectrum, solution.n_rows, scaled)?;
                    return Ok((scree, solution.notes));
                }
            }
        }
        let pca = all.fit_complete(ctx, source, None)?;
        let scree = Scree::from_spectrum(pca.spectrum(), pca.parts().n_rows, scaled)?;
        Ok((scree, pca.notes().to_vec()))
    }

    /// The same options with `auto` replaced by the number of components, and the note that gives the reason; unchanged if
    /// a number was given.
    pub(super) fn with_resolved_k<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<(PcaOptions, Option<Note>), Error> {
        if self.n_components != Keep::Auto {
            return Ok((self.clone(), None));
        }
        refuse_once(source)?;
        let rules = ChooseOptions {
            seed: self.seed,
            ..Default::default()
        };
        let chosen = self.choose_complete(ctx, source, &rules)?;
        let (n_components, note) = chosen.into_count_and_note();
        let resolved = PcaOptions {
            n_components: Keep::Count(n_components),
            ..self.clone()
        };
        Ok((resolved, Some(note)))
    }

    /// Puts `n_components = auto` back into a model that was fitted with the number it resolved to, and adds the note on how
    /// that number was found.
    pub(super) fn restore_auto(&self, pca: Pca, note: Note) -> Result<Pca, Error> {
        let parts = pca.parts().clone();
        let notes = std::iter::once(note).chain(parts.notes).collect();
        Pca::from_solver(PcaParts {
            options: self.clone(),
            notes,
            ..parts
        })
    }

    /// The plan of `auto`, from the plan for all components.
    pub(super) fn plan_auto<T: Real>(
        &self,
        source: &dyn Source<T>,
        all: Plan,
    ) -> Result<Plan, Error> {
        refuse_once(source)?;
        Ok(Plan {
            reason: format!(
                "the rules choose the number of components first, from all eigenvalues and a sample of rows; then that many \
                 components are fitted ({})",
                all.reason
            ),
            // The eigenvalues, the sample, the fit.
            passes: 2 * all.passes + 1,
            flops: 2.0 * all.flops,
            ..all
        })
    }
}
