//! Everything there is to say about a PCA of a table, as data: the page, the terminal and JSON are made of it.
//!
//! Each question has its own reading: how many components, what they mean, who stands apart, how sure it all is. What takes too
//! long or too much memory on large data looks at a seeded sample of rows, and says so.

mod beside;
mod export;
mod shown;

pub(crate) use beside::add_asked;
pub(crate) use export::communality;
pub use export::{ExportedTable, FIRST_TABLE, json, tables};
pub use shown::{Color, MAX_AXES, MAX_ROWS, Values};

use eigenspan::choose::{Choices, ChooseOptions, Sample, Scree, choose_with_rows};
use eigenspan::evaluate::{Bootstrap, BootstrapOptions};
use eigenspan::interpret::{
    Adequacy, Columns, OutlierOptions, Outliers, RotateOptions, Rotated, Rotation, RowFacts,
    RowOptions, SupplementaryFacts, adequacy, column_variances, correlation, row_facts,
    supplementary,
};
use eigenspan::method::{Chosen, Fitted};
use eigenspan::prepare::{Missing, Scale};
use eigenspan::source::{RowSet, Source};
use eigenspan::{Context, Error, Mat, Note, Pca, PcaOptions, Real, on_numbers};
use eigenspan_io::ReadOptions;
use serde::Serialize;

use crate::JobError;
use crate::describe::{self, Description};
use crate::fit::Fit;
use crate::summary::RULE;

/// What can be asked of an analysis besides the PCA itself.
#[derive(Debug, Clone, Default)]
pub struct AnalysisOptions {
    /// Columns that are held against the components without having a part in them.
    pub supplementary: Vec<String>,
    /// A rotation of the components that are kept.
    pub rotation: Option<Rotation>,
    /// What the rules for the number of components are told.
    pub choose: ChooseOptions,
    /// How the bootstrap draws.
    pub bootstrap: BootstrapOptions,
    /// Where limits for outliers are drawn.
    pub outliers: OutlierOptions,
}

/// What there is to say.
#[derive(Debug)]
pub struct Analysis {
    /// The columns, one by one.
    pub description: Description,
    /// How the data was read.
    pub read: ReadOptions,
    /// Names of the columns that were fitted.
    pub names: Vec<String>,
    /// What the rules said; none where they could not be asked.
    pub choices: Option<Choices>,
    /// Components that the sentences, T² and Q are about.
    pub k: usize,
    /// Why so many.
    pub reason: Reason,
    /// Columns against components.
    pub columns: Columns,
    /// The rows that were looked at: all, or a sample. Their scores are not whitened; [`Analysis::score`] gives them as asked.
    pub rows: RowFacts,
    /// What whitening multiplies the scores by, where it was asked for.
    pub whitening: Option<Vec<f64>>,
    /// Which of those a picture shows, by their place among those looked at.
    pub shown: Vec<usize>,
    /// Names of the rows that are shown.
    pub row_names: Option<Vec<String>>,
    /// Columns by which a picture can be colored, for the rows shown.
    pub colors: Vec<Color>,
    /// Of the columns that make up the first component, those in which the row that stands apart has the most of all rows, and
    /// those in which it has the least.
    pub extremes: [Vec<usize>; 2],
    /// Rows unlike the rest.
    pub outliers: Outliers,
    /// Names of the outliers listed, in their order.
    pub outlier_names: Option<Vec<String>>,
    /// Columns that had no part in the components.
    pub supplementary: SupplementaryFacts,
    /// Whether the columns belong together; none where there are too many of them.
    pub adequacy: Option<Adequacy>,
    /// How sure the components are; none where rows cannot be drawn again.
    pub bootstrap: Option<Bootstrap>,
    /// The components, rotated as asked.
    pub rotated: Option<(Rotation, Rotated)>,
    /// What could not be said, and why.
    pub notes: Vec<Note>,
}

/// Why an analysis speaks of so many components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// They were asked for.
    Given,
    /// The rules advise it.
    Advised,
    /// They hold 90 % of the variance; rows are too few to tell noise from anything else.
    FewRows,
    /// They hold 90 % of the variance; the rules found nothing that stands out from noise.
    NothingFound,
    /// They are all that the fit kept, for its own reasons (`auto`, a preset): the rules advise none or more, and 90 % of the
    /// variance takes more.
    Kept,
}

/// What the rules are called where they could not be asked.
pub(crate) const RULES: &str = "the rules for the number of components";
/// Rows below which no rule can tell noise.
pub(crate) const FEW_ROWS: usize = 8;

/// Rows that are all looked at; of more, a sample is.
const MOST_ROWS: usize = 1_000_000;
/// Columns of the first component in which a row that stands apart is held against all others.
const MOST_EXTREMES: usize = 24;
/// Columns whose correlations are looked at as a matrix.
const MOST_CORRELATED: usize = 1000;

/// Looks at a fitted table from every side.
pub fn analyze(
    ctx: &Context,
    fit: &Fit<Pca>,
    given: bool,
    options: &AnalysisOptions,
) -> Result<Analysis, JobError> {
    let (table, pca) = (&*fit.rows.table, &*fit.fitted);
    let named = |error: Error| JobError::core(table.name(), error);
    let mut notes = Vec::new();
    let description = describe::of_rows(ctx, &fit.rows)?;
    let choices =
        on_numbers!(fit.rows.numbers(ctx), source => choices(ctx, pca, source, &options.choose));
    let chosen = told(choices, RULES, &mut notes).map_err(named)?;
    // The rules know every eigenvalue, however few components the model keeps.
    let (choices, scree) = chosen.map(|chosen| (chosen.choices, chosen.scree)).unzip();
    let (k, reason) = components(pca, choices.as_ref(), given);
    let n_kept = pca.n_components();
    let columns =
        on_numbers!(fit.rows.numbers(ctx), source => columns_of(ctx, pca, source, n_kept))
            .map_err(named)?;
    let rows = on_numbers!(fit.rows.numbers(ctx), source => rows(ctx, pca, source, k, options))
        .map_err(named)?;
    let whitening = pca.parts().options.whiten.then(|| pca.whitening());
    let all = scree.as_ref().map(Scree::values);
    let outliers = Outliers::with_eigenvalues(pca, &rows, &options.outliers, all).map_err(named)?;
    let beside = beside::columns(table, &description, &options.supplementary)?;
    let mut supplementary =
        on_numbers!(fit.rows.numbers(ctx), source => supplementary(ctx, pca, source, &beside))
            .map_err(named)?;
    if let Some(factors) = &whitening {
        whiten_centroids(&mut supplementary, factors);
    }
    let adequacy = on_numbers!(fit.rows.numbers(ctx), source => adequate(ctx, pca, source));
    let adequacy = told(adequacy, "sampling adequacy", &mut notes).map_err(named)?;
    let adequacy = adequacy.flatten();
    let bootstrap = BootstrapOptions {
        n_components: options.bootstrap.n_components.max(k).min(n_kept),
        ..options.bootstrap.clone()
    };
    let bootstrap = on_numbers!(fit.rows.numbers(ctx), source => bootstrap.run(ctx, pca, source));
    let bootstrap = told(bootstrap, "the bootstrap", &mut notes).map_err(named)?;
    let rotated = options
        .rotation
        .map(|rotation| rotated(&columns, k, rotation));
    let rotated = rotated.transpose().map_err(named)?;
    let shown = shown(&rows, options.choose.seed);
    let places: Vec<usize> = shown.iter().filter_map(|&i| rows.rows.get(i)).collect();
    let far: Vec<usize> = outliers
        .farthest
        .iter()
        .map(|outlier| outlier.row)
        .collect();
    let extremes = match (&fit.summary.apart, columns.axis_facts(0)) {
        (Some(apart), Ok(facts)) => {
            let heavy: Vec<usize> = facts.columns.iter().map(|f| f.column).collect();
            beside::extremes(
                ctx,
                &fit.rows,
                &heavy[..heavy.len().min(MOST_EXTREMES)],
                apart.place,
            )?
        }
        _ => Default::default(),
    };
    let id = table.id().map(|id| id.name.as_str());
    let names_of = |rows: &[usize]| id.map(|id| beside::texts_at(table, id, rows)).transpose();
    Ok(Analysis {
        names: (pca as &dyn Fitted).column_names(),
        read: fit.rows.read.clone(),
        k,
        reason,
        row_names: names_of(&places)?,
        colors: beside::colors(ctx, &fit.rows, &description, &columns, &places)?,
        outlier_names: names_of(&far)?,
        description,
        choices,
        columns,
        rows,
        whitening,
        shown,
        extremes,
        outliers,
        supplementary,
        adequacy,
        bootstrap,
        rotated,
        notes,
    })
}

impl Analysis {
    /// Scores of the rows shown on one component.
    pub fn shown_scores(&self, component: usize) -> Vec<f64> {
        let score = |&i: &usize| self.score(i, component);
        self.shown.iter().map(score).collect()
    }

    /// The score of the i-th row looked at, whitened where that was asked for.
    pub fn score(&self, i: usize, component: usize) -> f64 {
        let factor = self.whitening.as_ref().map_or(1.0, |f| f[component]);
        factor * self.rows.scores[(i, component)]
    }

    /// Something of the rows that are shown.
    pub fn of_shown(&self, all: &[f64]) -> Vec<f64> {
        self.shown
            .iter()
            .filter_map(|&i| all.get(i).copied())
            .collect()
    }

    /// Components that there are scores on.
    pub fn n_axes(&self) -> usize {
        self.rows.scores.n_cols()
    }

    /// Rows of the data.
    pub fn n_rows(&self) -> usize {
        self.description.n_rows
    }
}

/// What came of something that may be left out; why not, as a note. Who asked to stop is obeyed.
pub(crate) fn told<T>(
    result: Result<T, Error>,
    what: &str,
    notes: &mut Vec<Note>,
) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) => {
            let text = format!("{what} could not be computed: {error}");
            notes.push(Note::Reading { text });
            Ok(None)
        }
    }
}

/// Columns against the first `k` components; their variances are read where the model may not know them.
pub(crate) fn columns_of<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    k: usize,
) -> Result<Columns, Error> {
    let variances = match pca.spectrum().len() < pca.n_cols() {
        true => Some(column_variances(ctx, pca, source)?),
        false => None,
    };
    Columns::leading(pca, k, variances.as_deref())
}

/// Asks the rules. A model that has all eigenvalues of complete rows need not be fitted again.
pub(crate) fn choices<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    rules: &ChooseOptions,
) -> Result<Chosen, Error> {
    let options = &pca.parts().options;
    let n_rows = pca.parts().n_rows;
    let possible = pca.n_cols().min(n_rows.saturating_sub(1));
    if options.missing != Missing::Error || pca.n_components() < possible {
        let all: &PcaOptions = options;
        return all.choose(ctx, source, rules);
    }
    let scree = Scree::of(pca.spectrum(), n_rows, options.scale == Scale::Std)?;
    let sample = Sample::gather(ctx, source, options.center, options.scale, rules)?;
    Ok(Chosen {
        choices: choose_with_rows(ctx, &scree, &sample, rules)?,
        scree,
        notes: Vec::new(),
    })
}

/// Components to speak of: as many as were given, else as advised, else as 90 % of the variance take, else all that were kept.
pub(crate) fn components(pca: &Pca, choices: Option<&Choices>, given: bool) -> (usize, Reason) {
    let rank = pca.spectrum().rank.clamp(1, pca.n_components());
    if given {
        return (rank, Reason::Given);
    }
    let share = pca.spectrum().count_for_share(RULE);
    let share = share.filter(|k| (1..=rank).contains(k));
    let advised = choices.and_then(|choices| choices.consensus.k);
    let few = pca.parts().n_rows < FEW_ROWS;
    match (advised, share) {
        (Some(k), _) if !few && (1..=rank).contains(&k) => (k, Reason::Advised),
        (_, Some(k)) if few => (k, Reason::FewRows),
        (_, Some(k)) if advised.is_none_or(|k| k == 0) => (k, Reason::NothingFound),
        _ => (rank, Reason::Kept),
    }
}

fn rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    k: usize,
    options: &AnalysisOptions,
) -> Result<RowFacts, Error> {
    let n_scores = pca.n_components().min(MAX_AXES);
    let asked = RowOptions {
        n_components: Some(k),
        n_scores: Some(n_scores),
    };
    let bytes = 16 * (n_scores as u64 + 4);
    let fit = ctx
        .memory()
        .map_or(usize::MAX, |m| (m / 4 / bytes) as usize);
    let n = source.n_rows().unwrap_or_default();
    let some = RowSet::sample(n, MOST_ROWS.min(fit.max(1)), options.choose.seed);
    let some = (some.len() < n).then_some(&some);
    row_facts(ctx, pca, source, some, &asked)
}

/// Rows that a picture shows, by their place among those looked at.
fn shown(rows: &RowFacts, seed: u64) -> Vec<usize> {
    let some = RowSet::sample(rows.t2.len(), MAX_ROWS, seed);
    (0..some.len()).filter_map(|i| some.get(i)).collect()
}

/// Mean scores of groups in the units of whitened scores.
fn whiten_centroids(facts: &mut SupplementaryFacts, factors: &[f64]) {
    let levels = facts.categories.iter_mut().flat_map(|c| &mut c.levels);
    for level in levels {
        let means = level.centroid.iter_mut().zip(factors);
        means.for_each(|(mean, factor)| *mean *= factor);
    }
}

fn adequate<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
) -> Result<Option<Adequacy>, Error> {
    if pca.n_cols() > MOST_CORRELATED || pca.n_cols() < 2 {
        return Ok(None);
    }
    adequacy(&correlation(ctx, pca, source)?).map(Some)
}

fn rotated(columns: &Columns, k: usize, rotation: Rotation) -> Result<(Rotation, Rotated), Error> {
    let loadings = Mat::from_fn(columns.loadings.n_rows(), k, |j, c| {
        columns.loadings[(j, c)]
    });
    let options = RotateOptions {
        rotation,
        ..Default::default()
    };
    Ok((rotation, options.rotate(&loadings)?))
}
