//! How many components to keep, decided by the rules before a fit: the advice on its own, and `n_components = auto`, which
//! follows it.
//!
//! Three rules of [`crate::choose`] apply here, because they need only eigenvalues: the share of the trace, the knee, the
//! broken stick. Laws of noise in columns do not hold for a kernel's spectrum; parallel analysis replaces them: eigenvalues of
//! K̄ above those of the same rows with every column permuted on its own, compared by the same kernel (its parameters stay
//! those of the original rows). Permuted columns keep their distributions and lose their relations, as in the parallel
//! analysis of PCA; with the linear kernel the two are the same.
//!
//! Cost 5n³ for each draw, so the rules use a sample if there are many rows.

use super::{KernelPca, KernelPcaOptions, KernelPcaParts};
use crate::choose::{
    Advice, Choices, ChooseOptions, Rule, Scree, broken_stick, consensus, kneedle,
    parallel_analysis_by, permuted, profile_likelihood, share,
};
use crate::context::Context;
use crate::error::{Error, counted, grouped};
use crate::kernel::{Featured, Gram, ResolvedKernel};
use crate::linalg::symmetric_eigenvalues;
use crate::mat::{Mat, Real};
use crate::method::chosen::{Chosen, refuse_once};
use crate::note::Note;
use crate::prepare::{Complete, Missing, find_not_finite, read_all};
use crate::solve::{Convention, Keep};
use crate::source::{RowSet, Source, Subset};

/// Largest number of rows that the rules use.
const ROWS: usize = 500;
/// Operations that all draws together may take, counted as 5n³ each: a few seconds.
const ENOUGH: f64 = 3e10;
/// Draws in any case: 19 of 20 are 95 %.
const FEW_DRAWS: usize = 20;

impl KernelPcaOptions {
    /// Runs the rules for the number of components to keep. The option `n_components` is ignored.
    ///
    /// ```
    /// use eigenspan::choose::{ChooseOptions, Rule};
    /// use eigenspan::method::KernelPcaOptions;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat};
    ///
    /// // Rows along a curve in the plane.
    /// let table = Mat::from_fn(60, 2, |i, j| {
    ///     let t = i as f64 / 10.0;
    ///     if j == 0 { t } else { t.sin() }
    /// });
    /// let rules = ChooseOptions { n_draws: 20, ..Default::default() };
    /// let chosen = KernelPcaOptions::default().choose(&Context::new(), &Dense::new(table.view()), &rules)?;
    /// assert!(chosen.choices.advice(Rule::ParallelAnalysis).and_then(|a| a.k) >= Some(1));
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn choose<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        rules.check()?;
        self.check(source)?;
        refuse_once(source)?;
        match self.missing {
            Missing::Drop | Missing::Mean => {
                let complete = Complete::new(ctx, source, self.missing == Missing::Mean)?;
                let mut chosen = self.choose_complete(ctx, &complete, rules)?;
                chosen.notes.splice(0..0, complete.note());
                Ok(chosen)
            }
            Missing::Error | Missing::Em => self.choose_complete(ctx, source, rules),
        }
    }

    fn choose_complete<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        match self.learn_preparation(ctx, source)? {
            None => self.choose_prepared(ctx, source, rules),
            Some((preparation, note)) => {
                let scaled = Featured::new(source, &preparation)?;
                let mut chosen = self.choose_prepared(ctx, &scaled, rules)?;
                chosen.notes.extend(note);
                Ok(chosen)
            }
        }
    }

    /// The same for prepared rows, or a sample of them.
    fn choose_prepared<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        rules: &ChooseOptions,
    ) -> Result<Chosen, Error> {
        let kernel = self.kernel_with_gamma()?;
        let n_rows = source.n_rows();
        // A kernel matrix has as many columns as rows: none can be left out.
        let most = match (kernel.is_precomputed(), n_rows) {
            (false, Some(n)) => n.min(ROWS).min(rules.max_rows),
            _ => usize::MAX,
        };
        let seen = RowSet::sample(n_rows.unwrap_or(most), most, rules.seed);
        let (rows, _) = match n_rows {
            Some(n) if seen.len() < n => read_all(ctx, &Subset::new(source, &seen))?,
            _ => read_all(ctx, source)?,
        };
        if rows.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        if rows.n_rows() < 2 {
            return Err(Error::TooFewRows {
                rows: rows.n_rows(),
                needed: 2,
            });
        }
        let kernel = ResolvedKernel::new(&kernel, &rows)?.for_centering(&rows)?;
        let quiet = ctx.without_progress();
        let values = ctx.install(|| eigenvalues(&quiet, &kernel, rows.clone()))?;
        let (n, total) = (rows.n_rows(), values.iter().sum());
        let scree = Scree::new(values.clone(), total, n, n, false)?;
        let mut advices = vec![
            share(&scree, rules.share),
            kneedle(&scree),
            profile_likelihood(&scree),
            broken_stick(&scree),
        ];
        advices.push(parallel(ctx, &kernel, &rows, values, rules)?);
        if n_rows.is_none_or(|all| all > n) {
            let of = n_rows.map_or(String::new(), |n| format!(" of {}", grouped(n as u64)));
            let words = format!(" (on {}{of})", counted(n, "row"));
            advices.iter_mut().for_each(|a| a.sentence.push_str(&words));
        }
        let consensus = consensus(&advices);
        Ok(Chosen {
            choices: Choices { advices, consensus },
            scree,
            notes: Vec::new(),
        })
    }

    /// The same options with `auto` replaced by the number of components, and the note that gives the reason.
    pub(super) fn with_resolved_k<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<(KernelPcaOptions, Note), Error> {
        refuse_once(source)?;
        let rules = ChooseOptions {
            seed: self.seed,
            ..Default::default()
        };
        let chosen = self.choose_prepared(ctx, source, &rules)?;
        let (n_components, note) = chosen.into_count_and_note();
        let options = KernelPcaOptions {
            n_components: Keep::Count(n_components),
            ..self.clone()
        };
        Ok((options, note))
    }
}

/// Puts `n_components = auto` back into a model that was fitted with the number it resolved to, and adds the note on how that
/// number was found.
pub(super) fn restore_auto(
    options: &KernelPcaOptions,
    model: &KernelPca,
    note: Note,
) -> Result<KernelPca, Error> {
    let parts = model.parts().clone();
    let notes = std::iter::once(note).chain(parts.notes).collect();
    KernelPca::from_parts(KernelPcaParts {
        options: options.clone(),
        notes,
        ..parts
    })
}

/// Eigenvalues of the centered kernel matrix of rows, as variances, largest first; negative ones count as zero.
fn eigenvalues(ctx: &Context, kernel: &ResolvedKernel, rows: Mat<f64>) -> Result<Vec<f64>, Error> {
    let divisor = Convention::Unbiased.divisor(rows.n_rows() as f64);
    let points = kernel.points(rows, 0)?;
    let gram = Gram::stored(ctx, kernel, &points)?;
    let row_means = gram.row_means()?;
    let Some(centered) = gram.into_centered(&row_means) else {
        return Err(Error::Overflow);
    };
    let values = symmetric_eigenvalues(&centered)?;
    Ok(values.iter().map(|x| x.max(0.0) / divisor).collect())
}

/// Parallel analysis: eigenvalues against those of permuted columns.
fn parallel(
    ctx: &Context,
    kernel: &ResolvedKernel,
    rows: &Mat<f64>,
    observed: Vec<f64>,
    rules: &ChooseOptions,
) -> Result<Advice, Error> {
    let (n, d) = (rows.n_rows(), rows.n_cols());
    let none = |why| Ok(Advice::none(Rule::ParallelAnalysis, why));
    if kernel.kernel().is_precomputed() {
        return none("a kernel matrix has no columns to permute");
    }
    if d < 2 {
        return none("there is only one column");
    }
    if observed.first().is_none_or(|first| *first <= 0.0) {
        return none("nothing varies");
    }
    let within = (ENOUGH / (5.0 * (n as f64).powi(3))) as usize;
    let n_draws = rules.n_draws.min(within.max(FEW_DRAWS));
    let rules = ChooseOptions {
        n_draws,
        ..rules.clone()
    };
    let (quiet, columns) = (ctx.without_progress(), rows.transposed());
    parallel_analysis_by(ctx, observed, &rules, |seed| {
        eigenvalues(&quiet, kernel, permuted(&columns, seed).transposed())
    })
}
