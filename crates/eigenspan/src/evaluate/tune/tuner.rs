//! A prepared search: rows are read, open parameters found, impossible options refused; then it runs, part after part.

use std::sync::Arc;

use super::part::{Part, prepared};
use super::{Counts, Criterion, Folds, Outcome, TuneOptions, Tuning};
use crate::context::Context;
use crate::error::{Error, FitCount, ShapeFault, TuningFault};
use crate::evaluate::Classes;
use crate::kernel::{Base, Kernel, KernelGrid, Pairs, ResolvedKernel, rounded};
use crate::mat::{Mat, Real};
use crate::method::KernelPcaOptions;
use crate::note::{Note, listed};
use crate::on_numbers;
use crate::prepare::{Scale, find_not_finite, read_all};
use crate::solve::{Approximate, Keep, Plan};
use crate::source::{Dense, Numbers, Source};

/// The most components tried by default.
const MOST_COMPONENTS: usize = 32;
/// By default γ is tried from the median's γ divided by the first number to its product with it, in the second number of steps.
const GAMMAS: (f64, usize) = (100.0, 9);
/// Operations per second and thread, for forecasts.
const SPEED: f64 = 2e9;

/// A search that is ready to run.
#[derive(Debug, Clone)]
pub struct Tuner {
    pub(super) options: TuneOptions,
    pub(super) grid: KernelGrid,
    pub(super) counts: Counts,
    pub(super) criterion: Criterion,
    pub(super) rows: Mat<f64>,
    pub(super) classes: Option<Classes>,
    pub(super) folds: Folds,
    notes: Vec<Note>,
}

impl TuneOptions {
    /// Reads the rows and finds open parameters. Labels, if there are any, are one per row.
    ///
    /// ```
    /// use eigenspan::evaluate::TuneOptions;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat};
    ///
    /// // Two rings, separated by one component of the right kernel.
    /// let ctx = Context::new();
    /// let radius = |i: usize| if i < 30 { 1.0 } else { 3.0 };
    /// let table = Mat::from_fn(60, 2, |i, j| {
    ///     let angle = i as f64 * std::f64::consts::TAU / 30.0;
    ///     radius(i) * if j == 0 { angle.cos() } else { angle.sin() }
    /// });
    /// let labels: Vec<String> = (0..60).map(|i| radius(i).to_string()).collect();
    /// let options = TuneOptions {
    ///     kernel: Some("rbf(gamma=[0.001, 1])".parse()?),
    ///     n_components: Some("1".parse()?),
    ///     ..Default::default()
    /// };
    /// let tuner = options.begin(&ctx, &Dense::new(table.view()), Some(&labels))?;
    /// let tuning = tuner.run(&ctx, &[], &|_| Ok(()))?;
    /// assert_eq!(tuning.best_kernel()?.to_string(), "rbf(gamma=1)");
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn begin<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: Option<&[String]>,
    ) -> Result<Tuner, Error> {
        let numbers = Numbers::from_source(source);
        self.begin_of_numbers(ctx, numbers, labels)
    }

    /// Compiled in this crate once, for both element types.
    fn begin_of_numbers(
        &self,
        ctx: &Context,
        numbers: Numbers<'_>,
        labels: Option<&[String]>,
    ) -> Result<Tuner, Error> {
        on_numbers!(numbers, source => self.begin_rows(ctx, source, labels))
    }

    fn begin_rows<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: Option<&[String]>,
    ) -> Result<Tuner, Error> {
        let criterion = self.criterion.unwrap_or(match labels {
            Some(_) => Criterion::Accuracy,
            None => Criterion::Reconstruction,
        });
        self.check(criterion, labels.is_some())?;
        if source.n_cols() == 0 {
            return Err(Error::NoColumns);
        }
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
        let n = rows.n_rows();
        if let Some(labels) = labels.map(<[String]>::len).filter(|&labels| labels != n) {
            let n_rows = n;
            return Err(Error::Tuning(TuningFault::LabelCount { labels, n_rows }));
        }
        let classes = labels.filter(|_| criterion == Criterion::Accuracy);
        let classes = classes.map(Classes::new).transpose()?;
        if n < 3 {
            return Err(Error::TooFewRows { rows: n, needed: 3 });
        }
        let of_rows = classes.as_ref().map(Classes::of_rows);
        let folds = Folds::draw(n, self.n_folds, of_rows, self.seed)?;
        let grid = match &self.kernel {
            Some(grid) => grid.clone(),
            None => around_the_median(&prepared(ctx, self.scale, &rows, &rows)?.0)?,
        };
        let mut tuner = Tuner {
            options: self.clone(),
            counts: Counts::new(vec![1])?,
            grid,
            criterion,
            rows,
            notes: classes
                .iter()
                .filter_map(|c| rare(c, self.n_folds))
                .collect(),
            classes,
            folds,
        };
        tuner.resolve_counts()?;
        tuner.check_kernel()?;
        tuner.check_effort(ctx)?;
        Ok(tuner)
    }

    /// Refuses options that no rows can satisfy.
    fn check(&self, criterion: Criterion, labelled: bool) -> Result<(), Error> {
        let counts = [
            ("n_folds", self.n_folds, 2, "a whole number from 2"),
            ("n_neighbors", self.n_neighbors, 1, "a whole number from 1"),
            ("n_draws", self.n_draws, 1, "a whole number from 1"),
        ];
        if let Some((option, given, _, allowed)) = counts.iter().find(|(_, n, least, _)| n < least)
        {
            return Err(Error::UnknownValue {
                option,
                given: given.to_string(),
                allowed,
            });
        }
        if criterion == Criterion::Accuracy && !labelled {
            return Err(Error::UnknownValue {
                option: "criterion",
                given: "accuracy".to_owned(),
                allowed: "reconstruction or parallel, because there are no labels",
            });
        }
        Ok(())
    }
}

impl Tuner {
    /// Uses these folds instead of random ones.
    pub fn with_folds(mut self, folds: Folds) -> Result<Self, Error> {
        let (given, n_rows) = (folds.n_rows(), self.rows.n_rows());
        if given != n_rows {
            return Err(Error::Shape(ShapeFault::Folds { given, n_rows }));
        }
        self.folds = folds;
        self.resolve_counts()?;
        Ok(self)
    }

    /// The options with every open value filled in: equal for two searches that give the same outcomes from the same rows.
    pub fn resolved_options(&self) -> TuneOptions {
        TuneOptions {
            kernel: Some(self.grid.clone()),
            n_components: Some(self.counts.clone()),
            criterion: Some(self.criterion),
            ..self.options.clone()
        }
    }

    /// Kernels to try.
    pub fn grid(&self) -> &KernelGrid {
        &self.grid
    }

    /// Numbers of components to try.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The criterion.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// Folds, or tables: all rows and those with permuted columns.
    pub fn n_parts(&self) -> usize {
        match self.criterion {
            Criterion::Parallel => self.options.n_draws + 1,
            _ => self.folds.len(),
        }
    }

    /// Number of fits of the whole search.
    pub fn n_fits(&self) -> usize {
        self.grid.len().saturating_mul(self.n_parts())
    }

    /// A hash of rows, labels and folds (FNV-1a, 64 bits).
    pub fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |word: u64| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        add(self.rows.n_cols() as u64);
        self.rows.as_slice().iter().for_each(|x| add(x.to_bits()));
        if let Some(classes) = &self.classes {
            classes
                .of_rows()
                .iter()
                .for_each(|&class| add(class as u64));
        }
        for fold in 0..self.folds.len() {
            let (_, held) = self.folds.split(fold);
            held.into_iter().for_each(|row| add(row as u64));
        }
        hash
    }

    /// Runs all fits except those with known outcomes, and reports each outcome as soon as it is computed.
    pub fn run(
        &self,
        ctx: &Context,
        known: &[Outcome],
        finished: &(dyn Fn(&Outcome) -> Result<(), Error> + Sync),
    ) -> Result<Tuning, Error> {
        let fits = |outcome: &&Outcome| {
            outcome.kernel < self.grid.len()
                && outcome.part < self.n_parts()
                && outcome.values.len() == self.values_per_outcome()
        };
        let mut outcomes: Vec<Outcome> = known.iter().filter(fits).cloned().collect();
        outcomes.sort_by_key(|outcome| (outcome.part, outcome.kernel));
        outcomes.dedup_by_key(|outcome| (outcome.part, outcome.kernel));
        ctx.begin("cross-validation", Some(self.n_fits() as u64));
        ctx.advance(outcomes.len() as u64);
        let allowed = ctx.allowed();
        let shared = self.shared(ctx, allowed)?;
        for part in 0..self.n_parts() {
            let waits = |kernel: &usize| {
                let place = (part, *kernel);
                outcomes
                    .binary_search_by_key(&place, |o| (o.part, o.kernel))
                    .is_err()
            };
            let waiting: Vec<usize> = (0..self.grid.len()).filter(waits).collect();
            if waiting.is_empty() {
                continue;
            }
            ctx.check()?;
            let part = Part::new(ctx, self, part, shared.as_ref(), allowed)?;
            let new = part.run(ctx, &waiting, self.at_once(ctx, allowed), finished)?;
            outcomes.extend(new);
            outcomes.sort_by_key(|outcome| (outcome.part, outcome.kernel));
        }
        Tuning::new(self, outcomes, self.notes.clone())
    }

    /// Numbers in an outcome: one for each number of components, or the eigenvalues.
    pub(super) fn values_per_outcome(&self) -> usize {
        match self.criterion {
            Criterion::Parallel => self.counts.largest(),
            _ => self.counts.values().len(),
        }
    }

    /// The options of each fit.
    pub(super) fn fit_options(&self, kernel: Kernel) -> KernelPcaOptions {
        KernelPcaOptions {
            n_components: Keep::Count(self.counts.largest()),
            kernel,
            approximate: Approximate::None,
            ..Default::default()
        }
    }

    /// The pairs that all folds and kernels share, where they fit into memory together with the fits.
    fn shared(&self, ctx: &Context, allowed: u64) -> Result<Option<Arc<Pairs>>, Error> {
        let kernel = self.grid.kernel(0)?;
        let useful = self.criterion != Criterion::Parallel
            && self.options.scale == Scale::None
            && !kernel.is_precomputed();
        match useful && Pairs::bytes(&kernel, self.rows.n_rows()) <= allowed / 2 {
            true => Ok(Some(Arc::new(Pairs::new(ctx, &kernel, &self.rows)?))),
            false => Ok(None),
        }
    }

    /// The number of fits that memory allows at the same time.
    fn at_once(&self, ctx: &Context, allowed: u64) -> usize {
        let n = self.rows.n_rows() as u64;
        let one = 5 * 8 * n * n;
        let several = (allowed / 2 / one.max(1)) as usize;
        match several >= ctx.threads() {
            true => usize::MAX,
            false => several.max(1),
        }
    }

    /// The most components that every fit can have.
    pub(super) fn most_components(&self) -> usize {
        let rows = match self.criterion {
            Criterion::Parallel => self.rows.n_rows(),
            _ => self.folds.fewest_training(),
        };
        rows.saturating_sub(1)
    }

    /// The numbers of components to try: those given, or the default as far as the rows allow.
    fn resolve_counts(&mut self) -> Result<(), Error> {
        let most = self.most_components();
        let rows = most + 1;
        self.counts = match &self.options.n_components {
            Some(counts) => counts.clone(),
            None => {
                let doubled = std::iter::successors(Some(1), |k| Some(2 * k));
                let counts = doubled.take_while(|k| *k <= most.clamp(1, MOST_COMPONENTS));
                Counts::new(counts.collect())?
            }
        };
        let asked = self.counts.largest();
        if asked > most {
            return Err(Error::Tuning(match self.criterion {
                Criterion::Parallel => TuningFault::TooFewRows {
                    asked,
                    n_rows: rows,
                    most,
                },
                _ => TuningFault::TooFewRowsToLearnFrom {
                    asked,
                    n_folds: self.folds.len(),
                    training: rows,
                    n_rows: self.rows.n_rows(),
                    most,
                },
            }));
        }
        Ok(())
    }

    /// Refuses rows for which the kernel is not defined, with their number among all rows.
    fn check_kernel(&self) -> Result<(), Error> {
        let kernel = self.grid.kernel(0)?;
        ResolvedKernel::new(&kernel, &self.rows)?.points(self.rows.clone(), 0)?;
        if kernel.is_precomputed() && self.criterion != Criterion::Accuracy {
            let criterion = self.criterion.name();
            return Err(Error::Tuning(TuningFault::CriterionNeedsRows { criterion }));
        }
        Ok(())
    }

    /// The plan of one fit.
    fn plan(&self, ctx: &Context) -> Result<Plan, Error> {
        let n = match self.criterion {
            Criterion::Parallel => self.rows.n_rows(),
            _ => self.folds.fewest_training(),
        };
        let rows = self.rows.view().slice_rows(0, n);
        let options = KernelPcaOptions {
            scale: self.options.scale,
            ..self.fit_options(self.grid.kernel(0)?)
        };
        options.plan(ctx, &Dense::new(rows))
    }

    /// Refuses more fits than `max_fits`, and says how long they would take.
    fn check_effort(&self, ctx: &Context) -> Result<(), Error> {
        let plan = self.plan(ctx)?;
        let fits = self.n_fits();
        if fits <= self.options.max_fits {
            return Ok(());
        }
        let seconds = plan.flops * fits as f64 / (SPEED * ctx.threads().max(1) as f64);
        let parts = match self.criterion {
            Criterion::Parallel => "tables",
            _ => "folds",
        };
        let axes = self.grid.axes().iter().map(|axis| axis.values.len());
        let count = FitCount {
            axes: axes.collect(),
            kernels: self.grid.len(),
            n_parts: self.n_parts(),
            parts,
            fits,
            seconds,
            allowed: self.options.max_fits,
        };
        Err(Error::Tuning(TuningFault::TooManyFits(Box::new(count))))
    }
}

/// Gaussian kernels around the width of the median distance.
fn around_the_median(rows: &Mat<f64>) -> Result<KernelGrid, Error> {
    let median = ResolvedKernel::new(&"rbf(gamma=median)".parse()?, rows)?;
    let gamma = median.kernel().as_base().as_ref().map(Base::gamma_value);
    let gamma = rounded(gamma.unwrap_or(1.0), 2);
    let (times, count) = GAMMAS;
    let (low, high) = (rounded(gamma / times, 2), rounded(gamma * times, 2));
    format!("rbf(gamma={low}..{high}:{count})").parse()
}

/// Classes with fewer rows than folds: some folds hold out none of their rows, or leave none to learn from.
pub(in crate::evaluate) fn rare(classes: &Classes, n_folds: usize) -> Option<Note> {
    let counts = classes.counts();
    let few = classes.names().iter().zip(&counts);
    let few = few.filter(|(_, count)| **count < n_folds);
    let few: Vec<String> = few
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    let text = format!(
        "labels with fewer rows than the {n_folds} folds, some of which have none of them: {}",
        listed(&few)
    );
    (!few.is_empty()).then_some(Note::reading(text))
}
