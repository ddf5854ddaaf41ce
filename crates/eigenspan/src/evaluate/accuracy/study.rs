//! A comparison that is ready to run: rows are read, folds dealt, impossible options refused.

use super::result::{self, Accuracy};
use super::split::{Outcome, Split};
use super::{AccuracyOptions, Reductions};
use crate::context::Context;
use crate::error::{Error, ShapeFault, TuningFault, grouped};
use crate::evaluate::tune::rare;
use crate::evaluate::{Classes, Classifier, Counts, Folds};
use crate::mat::{Mat, Real};
use crate::method::Method;
use crate::note::Note;
use crate::on_numbers;
use crate::parallel;
use crate::prepare::{find_not_finite, read_all};
use crate::rng::stream;
use crate::source::{Numbers, RowSet, Source, Subset};

/// Numbers of neighbors that are tried by default.
const NEIGHBORS: [usize; 5] = [1, 3, 5, 9, 15];
/// The most components tried by default.
const MOST_COMPONENTS: usize = 30;
/// More different labels than this, with fractions or with fewer than ten rows each, look like measurements.
const MANY_LABELS: usize = 20;

/// A comparison that is ready to run.
#[derive(Debug, Clone)]
pub struct AccuracyStudy {
    pub(super) options: AccuracyOptions,
    pub(super) reductions: Reductions,
    pub(super) methods: Vec<Option<Box<dyn Method>>>,
    pub(super) counts: Counts,
    pub(super) rows: Mat<f64>,
    pub(super) classes: Classes,
    pub(super) folds: Folds,
    /// Given folds of the rows that each fold leaves to learn from.
    inner: Option<Vec<Folds>>,
    pub(super) n_all_rows: usize,
    /// Names of the columns, for notes.
    pub(super) names: Option<Vec<String>>,
    /// The number of components of `none`: all columns.
    whole: [usize; 1],
    notes: Vec<Note>,
}

impl AccuracyOptions {
    /// Reads the rows and deals the folds. There must be one label per row.
    ///
    /// ```
    /// use eigenspan::evaluate::AccuracyOptions;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat};
    ///
    /// // Two classes that differ in the column that varies least: the first component misses them.
    /// let ctx = Context::new();
    /// let table = Mat::from_fn(60, 2, |i, j| match j {
    ///     0 => 10.0 * ((7 * i % 60) as f64),
    ///     _ => (i % 2) as f64 + 0.01 * (i % 5) as f64,
    /// });
    /// let labels: Vec<String> = (0..60).map(|i| (i % 2).to_string()).collect();
    /// let options = AccuracyOptions { after: Some("none,pca".parse()?), ..Default::default() };
    /// let study = options.begin(&ctx, &Dense::new(table.view()), Some(&labels))?;
    /// let accuracy = study.run(&ctx)?;
    /// let pca = accuracy.curve(1, 0);
    /// assert!(pca.points[0].estimate.mean < 0.7 && pca.points[1].estimate.mean == 1.0);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn begin<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: Option<&[String]>,
    ) -> Result<AccuracyStudy, Error> {
        self.begin_of_numbers(ctx, Numbers::from_source(source), labels)
    }

    /// Compiled in this crate once, for both element types.
    fn begin_of_numbers(
        &self,
        ctx: &Context,
        numbers: Numbers<'_>,
        labels: Option<&[String]>,
    ) -> Result<AccuracyStudy, Error> {
        self.check()?;
        let labels = labels.ok_or(Error::Tuning(TuningFault::NoClasses))?;
        if numbers.n_cols() == 0 {
            return Err(Error::NoColumns);
        }
        let refuse = |n_rows| {
            let labels = labels.len();
            Err(Error::Tuning(TuningFault::LabelCount { labels, n_rows }))
        };
        if let Some(n) = numbers.n_rows().filter(|n| *n != labels.len()) {
            return refuse(n);
        }
        let all = Classes::new(labels)?;
        refuse_measurements(&all, labels.len())?;
        let some = RowSet::sample(labels.len(), self.most_rows, self.seed);
        let (rows, n_all_rows) = read(ctx, numbers, &some)?;
        if n_all_rows != labels.len() || rows.n_rows() != some.len() {
            return refuse(n_all_rows);
        }
        let drawn = (0..some.len()).filter_map(|i| labels.get(some.get(i)?).cloned());
        let classes = Classes::new(&drawn.collect::<Vec<String>>())?;
        let folds = Folds::draw(
            rows.n_rows(),
            self.n_folds,
            Some(classes.of_rows()),
            self.seed,
        )?;
        let reductions = self.after.clone().unwrap_or_else(Reductions::usual);
        let methods = reductions.all().iter().map(super::Reduction::method);
        let mut study = AccuracyStudy {
            options: self.clone(),
            methods: methods.collect::<Result<_, Error>>()?,
            reductions,
            counts: Counts::new(vec![1])?,
            names: on_numbers!(numbers, source => source.col_names().map(<[String]>::to_vec)),
            whole: [rows.n_cols()],
            notes: sample_note(&all, &classes, (rows.n_rows(), n_all_rows)),
            rows,
            classes,
            folds,
            inner: None,
            n_all_rows,
        };
        study.notes.extend(rare(&study.classes, self.n_folds));
        study.resolve()?;
        Ok(study)
    }

    /// Refuses options that no rows can satisfy.
    fn check(&self) -> Result<(), Error> {
        let least = |option, given: usize, least: usize, allowed| match given < least {
            true => Err(Error::UnknownValue {
                option,
                given: given.to_string(),
                allowed,
            }),
            false => Ok(()),
        };
        least("n_folds", self.n_folds, 2, "a whole number from 2")?;
        least("most_rows", self.most_rows, 4, "a whole number from 4")?;
        for &n in &self.n_neighbors {
            least("n_neighbors", n, 1, "whole numbers from 1")?;
        }
        match self.classifiers.is_empty() {
            true => Err(Error::UnknownValue {
                option: "classifiers",
                given: String::new(),
                allowed: "naive-bayes, knn and lda, or some of them",
            }),
            false => Ok(()),
        }
    }
}

impl AccuracyStudy {
    /// Uses these folds instead of random ones.
    pub fn with_folds(mut self, folds: Folds) -> Result<Self, Error> {
        let (given, n_rows) = (folds.n_rows(), self.rows.n_rows());
        if given != n_rows {
            return Err(Error::Shape(ShapeFault::Folds { given, n_rows }));
        }
        self.folds = folds;
        Ok(self)
    }

    /// Uses these folds inside the folds: one set for each, of the rows that it leaves to learn from, in their order.
    pub fn with_inner_folds(mut self, inner: Vec<Folds>) -> Result<Self, Error> {
        for fold in 0..self.folds.len() {
            let n_rows = self.folds.split(fold).0.len();
            let fits =
                |folds: &&Folds| folds.n_rows() == n_rows && folds.len() == self.options.n_folds;
            if inner.get(fold).filter(fits).is_none() {
                let given = inner.get(fold).map_or(0, Folds::n_rows);
                return Err(Error::Shape(ShapeFault::Folds { given, n_rows }));
            }
        }
        self.inner = Some(inner);
        Ok(self)
    }

    /// The options with every open value filled in.
    pub fn resolved_options(&self) -> AccuracyOptions {
        AccuracyOptions {
            after: Some(self.reductions.clone()),
            n_components: Some(self.counts.clone()),
            ..self.options.clone()
        }
    }

    /// The folds.
    pub fn folds(&self) -> &Folds {
        &self.folds
    }

    /// The folds of the rows that a fold leaves to learn from, in their order; what is chosen is chosen by these.
    pub fn inner_folds(&self, fold: usize) -> Result<Folds, Error> {
        if let Some(given) = self.inner.as_ref().and_then(|inner| inner.get(fold)) {
            return Ok(given.clone());
        }
        let (train, _) = self.folds.split(fold);
        let classes: Vec<usize> = train.iter().map(|&i| self.classes.of_rows()[i]).collect();
        let seed = stream(self.options.seed, fold);
        Folds::draw(train.len(), self.options.n_folds, Some(&classes), seed)
    }

    /// Runs all fits.
    pub fn run(&self, ctx: &Context) -> Result<Accuracy, Error> {
        let splits = self.splits()?;
        let n = self.methods.len();
        let inner = self.options.n_folds + 1;
        // The classifiers of each task: inside a fold only those for which something is chosen there.
        let wanted = |task: &(usize, usize)| -> Vec<bool> {
            let (split, reduction) = *task;
            let each = 0..self.options.classifiers.len();
            each.map(|c| split % inner == 0 || self.chooses(reduction, c))
                .collect()
        };
        let all = (0..splits.len()).flat_map(|split| (0..n).map(move |r| (split, r)));
        let tasks: Vec<(usize, usize)> = all.filter(|task| wanted(task).contains(&true)).collect();
        ctx.begin("cross-validation", Some(tasks.len() as u64));
        let one = |task: &(usize, usize)| -> Result<Outcome, Error> {
            ctx.check()?;
            let outcome = splits[task.0].run(ctx, self, task.1, &wanted(task))?;
            ctx.advance(1);
            Ok(outcome)
        };
        let several = |tasks: &[(usize, usize)]| -> Result<Vec<Outcome>, Error> {
            let mut outcomes = Vec::with_capacity(tasks.len());
            for run in tasks.chunks(self.at_once(ctx)) {
                let new = ctx.install(|| parallel::try_collect(run.len(), |i| one(&run[i])))?;
                outcomes.extend(new);
            }
            Ok(outcomes)
        };
        // The first fold says what each method can give, before the others are begun.
        let mut outcomes = several(&tasks[..n])?;
        self.check_first(&outcomes, &tasks)?;
        outcomes.extend(several(&tasks[n..])?);
        let mut table = vec![None; splits.len() * n];
        for (task, outcome) in tasks.iter().zip(outcomes) {
            table[task.0 * n + task.1] = Some(outcome);
        }
        let sizes = splits
            .iter()
            .map(|split| (split.train.len(), split.test.len()));
        result::gather(self, table, &sizes.collect::<Vec<_>>(), self.notes.clone())
    }

    /// Fold after fold: the fold held out, then the folds inside the others.
    fn splits(&self) -> Result<Vec<Split>, Error> {
        let mut splits = Vec::new();
        for fold in 0..self.folds.len() {
            let (train, test) = self.folds.split(fold);
            let inner = self.inner_folds(fold)?;
            let of = |places: Vec<usize>| places.into_iter().map(|i| train[i]).collect();
            let inside: Vec<Split> = (0..inner.len())
                .map(|g| {
                    let (learn, hold) = inner.split(g);
                    Split {
                        train: of(learn),
                        test: of(hold),
                    }
                })
                .collect();
            splits.push(Split { train, test });
            splits.extend(inside);
        }
        Ok(splits)
    }

    /// Whether something is chosen for a reduction and a classifier: one of several numbers of components or of neighbors.
    pub(super) fn chooses(&self, reduction: usize, classifier: usize) -> bool {
        self.counts_for(reduction).len() > 1 || self.neighbors_for(classifier).len() > 1
    }

    /// The numbers of components of a reduction; for `none` the number of columns.
    pub(super) fn counts_for(&self, reduction: usize) -> &[usize] {
        match self.methods[reduction] {
            Some(_) => self.counts.values(),
            None => &self.whole,
        }
    }

    /// The numbers of neighbors of a classifier; one for those that have none.
    pub(super) fn neighbors_for(&self, classifier: usize) -> &[usize] {
        match self.options.classifiers[classifier] {
            Classifier::Knn => &self.options.n_neighbors,
            _ => &[1],
        }
    }

    /// Numbers in an outcome.
    pub(super) fn n_cells(&self) -> usize {
        self.cell(self.options.classifiers.len(), 0, 0)
    }

    /// The place of a classifier, a number of components and a number of neighbors in an outcome.
    pub(super) fn cell(&self, classifier: usize, place: usize, neighbors: usize) -> usize {
        let m = self.options.n_neighbors.len().max(1);
        (classifier * self.counts.values().len().max(1) + place) * m + neighbors
    }

    /// The number of fits that memory allows at the same time: each holds its rows a few times.
    fn at_once(&self, ctx: &Context) -> usize {
        let one = 5 * 8 * (self.rows.n_rows() * self.rows.n_cols().max(64)) as u64;
        (ctx.allowed() / 2 / one.max(1)).clamp(1, 1 << 20) as usize
    }

    /// Fills in the numbers of components and of neighbors; refuses more neighbors than there are training rows.
    fn resolve(&mut self) -> Result<(), Error> {
        let n_inner = self.options.n_folds;
        let training = self.folds.fewest_training();
        // The folds inside the smallest training set leave this many rows.
        let fewest = training - training.div_ceil(n_inner.min(training).max(1));
        if self.options.n_neighbors.is_empty() {
            let possible = NEIGHBORS.into_iter().filter(|k| *k <= fewest.max(1));
            self.options.n_neighbors = possible.collect();
        }
        self.options.n_neighbors.sort_unstable();
        self.options.n_neighbors.dedup();
        let asked = self.options.n_neighbors.last().copied().unwrap_or(1);
        if asked > fewest && self.options.classifiers.contains(&Classifier::Knn) {
            return Err(Error::Tuning(TuningFault::NeighborCount {
                asked,
                n_rows: fewest,
            }));
        }
        let mut seen = Vec::new();
        self.options.classifiers.retain(|c| {
            let new = !seen.contains(c);
            seen.push(*c);
            new
        });
        self.counts = match &self.options.n_components {
            Some(counts) => counts.clone(),
            None => {
                let most = self.rows.n_cols().min(fewest.saturating_sub(1));
                Counts::new((1..=most.clamp(1, MOST_COMPONENTS)).collect())?
            }
        };
        Ok(())
    }

    /// Refuses a number of components that no reduction can give, and more fits than are allowed.
    fn check_first(&self, first: &[Outcome], tasks: &[(usize, usize)]) -> Result<(), Error> {
        let reduced = first
            .iter()
            .zip(&self.methods)
            .filter(|(_, method)| method.is_some());
        let most = reduced.map(|(outcome, _)| outcome.most).max();
        let asked = self.counts.largest();
        let by_user = self.options.n_components.is_some();
        if let Some(most) = most.filter(|most| by_user && asked > *most) {
            return Err(Error::Tuning(TuningFault::TooManyForReductions {
                asked,
                most,
                reductions: self.reductions.to_string(),
            }));
        }
        let fits = |(_, reduction): &(usize, usize)| first[*reduction].n_fits;
        let fits: usize = tasks.iter().map(fits).sum();
        let allowed = self.options.max_fits;
        match fits > allowed {
            true => Err(Error::Tuning(TuningFault::TooManyRefits {
                fits,
                n_folds: self.folds.len(),
                one_by_one: first.iter().any(|outcome| outcome.one_by_one),
                allowed,
            })),
            false => Ok(()),
        }
    }
}

/// Some of the rows, and how many there are in all.
fn read(ctx: &Context, numbers: Numbers<'_>, some: &RowSet) -> Result<(Mat<f64>, usize), Error> {
    on_numbers!(numbers, source => {
        ctx.begin("reading", source.n_rows().map(|n| n as u64));
        let part = Subset::new(source, some);
        let (rows, weights) = read_all(ctx, &part)?;
        if weights.is_some() {
            return Err(Error::BadWeights {
                what: "a comparison of accuracies takes none; every row counts once".to_owned(),
            });
        }
        if rows.as_slice().iter().any(|x| !x.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        let n = source.n_rows().unwrap_or(rows.n_rows());
        Ok((rows, n))
    })
}

/// Refuses labels that differ in nearly every row, and numbers that look measured.
fn refuse_measurements(classes: &Classes, n_rows: usize) -> Result<(), Error> {
    let names = classes.names();
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    let looks_measured = numbers.is_some_and(|numbers| {
        let fractions = numbers.iter().any(|x| x.fract() != 0.0);
        numbers.len() > MANY_LABELS && (fractions || 10 * numbers.len() > n_rows)
    });
    match looks_measured || 2 * names.len() > n_rows.max(8) {
        true => Err(Error::Tuning(TuningFault::NotClasses {
            different: names.len(),
            n_rows,
            examples: names.iter().take(3).cloned().collect(),
        })),
        false => Ok(()),
    }
}

/// That only some of the rows were used, and which classes have none of them.
fn sample_note(all: &Classes, drawn: &Classes, (used, n_rows): (usize, usize)) -> Vec<Note> {
    if used == n_rows {
        return Vec::new();
    }
    let mut text = format!(
        "a random sample of {} of {} rows was used (most_rows)",
        grouped(used as u64),
        grouped(n_rows as u64)
    );
    let gone = all
        .names()
        .iter()
        .filter(|name| !drawn.names().contains(name));
    let gone: Vec<String> = gone.cloned().collect();
    if !gone.is_empty() {
        text += &format!("; it has no row of class {}", crate::note::listed(&gone));
    }
    vec![Note::reading(text)]
}
