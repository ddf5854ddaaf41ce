//! The analysis of a fitted PCA as data. The page, the terminal text and the JSON are made from it.
//!
//! It answers four questions: how many components matter, what they mean, which rows are outliers, and how reliable the results are. A
//! computation that would take too long or too much memory on large data uses a seeded sample of the rows, and a note says so.

mod beside;
mod export;
mod overview;
mod shown;

pub(crate) use beside::add_requested;
pub(crate) use export::communality;
pub use export::{ExportedTable, FIRST_TABLE, json, tables};
pub use overview::{Linear, Overview, PlacedRows, WhichRows};
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

/// Options of an analysis, apart from the options of the PCA itself.
#[derive(Debug, Clone, Default)]
pub struct AnalysisOptions {
    /// Supplementary columns: compared with the components, but not used to compute them.
    pub supplementary: Vec<String>,
    /// The rotation to apply to the components that were kept.
    pub rotation: Option<Rotation>,
    /// Options of the rules for the number of components.
    pub choose: ChooseOptions,
    /// Options of the bootstrap.
    pub bootstrap: BootstrapOptions,
    /// The confidence level of the outlier limits.
    pub outliers: OutlierOptions,
}

/// The results of an analysis.
#[derive(Debug)]
pub struct Analysis {
    /// A description of each column.
    pub description: Description,
    /// Notes on how the data was read.
    pub read: ReadOptions,
    /// Names of the columns that were fitted.
    pub names: Vec<String>,
    /// What the rules chose; `None` if they could not be computed.
    pub choices: Option<Choices>,
    /// The number of components that the sentences, T² and Q are about.
    pub k: usize,
    /// Why `k` has this value.
    pub reason: Reason,
    /// Loadings, correlations, cos² and contributions of the columns.
    pub columns: Columns,
    /// The rows that were analyzed: all rows, or a sample. Their scores are not whitened; [`Analysis::score`] whitens them if necessary.
    pub rows: RowFacts,
    /// The factors that whiten the scores; `None` without whitening.
    pub whitening: Option<Vec<f64>>,
    /// Which of the analyzed rows a figure shows, as positions among the analyzed rows.
    pub shown: Vec<usize>,
    /// Names of the rows that are shown.
    pub row_names: Option<Vec<String>>,
    /// Columns by which a figure can color the rows shown.
    pub colors: Vec<Color>,
    /// For the row that stands apart on the first component: the columns, among those that make up the component, in which it has the
    /// largest value of all rows, and those in which it has the smallest.
    pub extremes: [Vec<usize>; 2],
    /// Outliers by T² and Q.
    pub outliers: Outliers,
    /// Names of the outliers, in the same order.
    pub outlier_names: Option<Vec<String>>,
    /// Results for the supplementary columns.
    pub supplementary: SupplementaryFacts,
    /// Whether the columns are correlated enough for a PCA (KMO, Bartlett); `None` if there are too many columns.
    pub adequacy: Option<Adequacy>,
    /// Bootstrap intervals of the components; `None` if the rows cannot be resampled.
    pub bootstrap: Option<Bootstrap>,
    /// The rotated components, if a rotation was requested.
    pub rotated: Option<(Rotation, Rotated)>,
    /// What could not be computed, and why.
    pub notes: Vec<Note>,
}

/// Why an analysis speaks of k components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The user requested k components.
    Given,
    /// The rules recommend k components.
    Advised,
    /// The first k components hold 90 % of the variance; there are too few rows to tell signal from noise.
    FewRows,
    /// The first k components hold 90 % of the variance; the rules found no component that stands out from noise.
    NothingFound,
    /// k is the number of components that the fit kept (by `auto` or a preset): the rules recommend none or more than were kept, and
    /// 90 % of the variance needs more.
    Kept,
}

/// What notes call the rules if they could not be computed.
pub(crate) const RULES: &str = "the rules for the number of components";
/// With fewer rows than this, no rule can tell signal from noise.
pub(crate) const FEW_ROWS: usize = 8;

/// Up to this many rows, all rows are analyzed; beyond it, a sample.
const MOST_ROWS: usize = 1_000_000;
/// A row that stands apart is compared with all others in at most this many columns of the first component.
const MOST_EXTREMES: usize = 24;
/// With more columns than this, their correlation matrix is not computed.
const MOST_CORRELATED: usize = 1000;

/// Analyzes a fitted PCA together with the rows it was fitted to.
pub fn analyze(
    ctx: &Context,
    fit: &Fit<Pca>,
    given: bool,
    options: &AnalysisOptions,
) -> Result<Analysis, JobError> {
    let (table, pca) = (&*fit.rows.table, &*fit.fitted);
    let named = |error: Error| JobError::core(table.name(), error);
    let mut notes = Vec::new();
    let description = describe::describe_rows(ctx, &fit.rows)?;
    let choices =
        on_numbers!(fit.rows.numbers(ctx), source => choices(ctx, pca, source, &options.choose));
    let chosen = ok_or_note(choices, RULES, &mut notes).map_err(named)?;
    // The rules use all eigenvalues, even if the model keeps only a few components.
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
    let adequacy = ok_or_note(adequacy, "sampling adequacy", &mut notes).map_err(named)?;
    let adequacy = adequacy.flatten();
    let bootstrap = BootstrapOptions {
        n_components: options.bootstrap.n_components.max(k).min(n_kept),
        ..options.bootstrap.clone()
    };
    let bootstrap = on_numbers!(fit.rows.numbers(ctx), source => bootstrap.run(ctx, pca, source));
    let bootstrap = ok_or_note(bootstrap, "the bootstrap", &mut notes).map_err(named)?;
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
        colors: beside::colors(
            ctx,
            &fit.rows,
            &description,
            &beside::best_shown(&columns),
            &places,
        )?,
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

    /// The score of the i-th analyzed row, whitened if the options say so.
    pub fn score(&self, i: usize, component: usize) -> f64 {
        let factor = self.whitening.as_ref().map_or(1.0, |f| f[component]);
        factor * self.rows.scores[(i, component)]
    }

    /// The entries of `all` (one per analyzed row) that belong to the rows shown.
    pub fn for_shown_rows(&self, all: &[f64]) -> Vec<f64> {
        self.shown
            .iter()
            .filter_map(|&i| all.get(i).copied())
            .collect()
    }

    /// The number of components for which scores were computed.
    pub fn n_axes(&self) -> usize {
        self.rows.scores.n_cols()
    }

    /// The number of rows of the data.
    pub fn n_rows(&self) -> usize {
        self.description.n_rows
    }
}

/// An optional result: on failure, `None` and a note that says why. Only cancellation is returned as an error.
pub(crate) fn ok_or_note<T>(
    result: Result<T, Error>,
    what: &str,
    notes: &mut Vec<Note>,
) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) => {
            let text = format!("{what} could not be computed: {error}");
            notes.push(Note::reading(text));
            Ok(None)
        }
    }
}

/// Column results for the first `k` components (loadings, correlations, …); reads the columns' variances if the model may lack them.
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

/// Runs the rules for the number of components. A model that has all eigenvalues of complete rows is not fitted again.
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
    let scree = Scree::from_spectrum(pca.spectrum(), n_rows, options.scale == Scale::Std)?;
    let sample = Sample::gather(ctx, source, options.center, options.scale, rules)?;
    Ok(Chosen {
        choices: choose_with_rows(ctx, &scree, &sample, rules)?,
        scree,
        notes: Vec::new(),
    })
}

/// The number of components to speak of: the number given, else the number recommended, else enough for 90 % of the variance, else all.
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

/// Rows that a figure shows, as positions among the analyzed rows.
fn shown(rows: &RowFacts, seed: u64) -> Vec<usize> {
    let some = RowSet::sample(rows.t2.len(), MAX_ROWS, seed);
    (0..some.len()).filter_map(|i| some.get(i)).collect()
}

/// Divides the mean scores of groups as whitening divides the scores.
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
