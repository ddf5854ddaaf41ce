//! The result of a comparison: for every reduction and classifier a curve over the numbers of components, the accuracy with
//! everything chosen inside the folds, and how both compare with the columns themselves and with guessing.

use serde::Serialize;

use super::AccuracyOptions;
use super::split::Outcome;
use super::study::AccuracyStudy;
use crate::distribution::f_quantile;
use crate::error::Error;
use crate::evaluate::Classifier;
use crate::note::Note;

/// The chance of calling two accuracies different where they are not.
const LEVEL: f64 = 0.05;
/// Differences below this are rounding.
const ROUNDING: f64 = 1e-12;

/// A share of rows that are predicted right, over folds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean over the folds.
    #[serde(rename = "accuracy")]
    pub mean: f64,
    /// Standard error of the mean: √(Σ(aᶠ − a)² ÷ (K − 1) ÷ K).
    pub standard_error: f64,
    /// The share in each fold.
    pub folds: Vec<f64>,
}

/// What a paired comparison over the folds says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// More accurate, beyond what folds differ by chance.
    Better,
    /// Less accurate, beyond what folds differ by chance.
    Worse,
    /// The folds cannot tell which is more accurate.
    Unclear,
}

/// The difference of two accuracies on the same folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Mean difference over the folds.
    pub difference: f64,
    /// Its standard error, corrected for the training rows that folds share.
    pub standard_error: f64,
    /// Which is more accurate.
    pub verdict: Verdict,
}

/// The accuracy with one number of components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Components; for `none` the number of columns.
    pub n_components: usize,
    /// The accuracy.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// k-NN: the number of neighbors that was chosen for each fold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub n_neighbors: Vec<usize>,
    /// Against the columns themselves, where they are among the reductions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_none: Option<Comparison>,
}

/// The accuracy with everything chosen inside the folds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nested {
    /// The accuracy.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The number of components that was chosen for each fold.
    pub n_components: Vec<usize>,
    /// k-NN: the number of neighbors that was chosen for each fold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub n_neighbors: Vec<usize>,
    /// Against the columns themselves, where they are among the reductions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_none: Option<Comparison>,
    /// Against guessing the most frequent class.
    pub against_guess: Comparison,
}

/// The accuracies of one classifier after one reduction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The number of the reduction, from 0.
    pub reduction: usize,
    /// The classifier.
    pub classifier: Classifier,
    /// One for each number of components that every fold can give, fewest first.
    pub points: Vec<Point>,
    /// With everything chosen inside the folds; None where there is no point.
    pub nested: Option<Nested>,
}

/// A reduction that was compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reduced {
    /// Its name, with its options: `none`, `pca`, `kpca(kernel=linear)`.
    pub name: String,
    /// Whether it is the columns themselves.
    pub is_none: bool,
    /// The most components that every fit could give.
    pub most: usize,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Accuracy {
    /// The options, with every open value filled in.
    pub options: AccuracyOptions,
    /// The reductions.
    pub reductions: Vec<Reduced>,
    /// The numbers of components that were tried, fewest first.
    pub counts: Vec<usize>,
    /// Names of the classes, sorted.
    pub classes: Vec<String>,
    /// Rows of each class.
    pub class_counts: Vec<usize>,
    /// Rows that were used.
    pub n_rows: usize,
    /// Rows of the data.
    pub n_all_rows: usize,
    /// Columns.
    pub n_cols: usize,
    /// Folds.
    pub n_folds: usize,
    /// Fits of reductions.
    pub n_fits: usize,
    /// What guessing the training rows' most frequent class comes to.
    pub guess: Estimate,
    /// Reduction after reduction, and for each all classifiers.
    pub curves: Vec<Curve>,
    /// Notes.
    pub notes: Vec<Note>,
}

impl Accuracy {
    /// The curve of a reduction and a classifier, by their numbers.
    pub fn curve(&self, reduction: usize, classifier: usize) -> &Curve {
        &self.curves[reduction * self.options.classifiers.len() + classifier]
    }
}

impl Estimate {
    fn new(folds: Vec<f64>) -> Self {
        let k = folds.len() as f64;
        let mean = folds.iter().sum::<f64>() / k;
        let squares: f64 = folds.iter().map(|a| (a - mean) * (a - mean)).sum();
        Estimate {
            mean,
            standard_error: (squares / (k - 1.0) / k).sqrt(),
            folds,
        }
    }
}

impl Comparison {
    /// Accuracies `ours − theirs` over folds of these numbers of training and test rows.
    fn new(ours: &[f64], theirs: &[f64], sizes: &[(usize, usize)]) -> Self {
        let k = ours.len() as f64;
        let differences: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
        let mean = differences.iter().sum::<f64>() / k;
        let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
        let sum = |of: fn(&(usize, usize)) -> usize| sizes.iter().map(of).sum::<usize>() as f64;
        let (train, test) = (sum(|s| s.0) / k, sum(|s| s.1) / k);
        // The least variance of a mean of `test` independent numbers −1, 0 or 1 whose mean is D.
        let least = mean.abs() * (1.0 - mean.abs()).max(0.0) / test;
        let variance = (squares / (k - 1.0)).max(least);
        let error = ((1.0 / k + test / train) * variance).sqrt();
        let bar = f_quantile(1.0 - LEVEL, 1.0, k - 1.0).sqrt() * error;
        let verdict = match mean {
            d if d.abs() <= bar.max(ROUNDING) => Verdict::Unclear,
            d if d > 0.0 => Verdict::Better,
            _ => Verdict::Worse,
        };
        Comparison {
            difference: mean,
            standard_error: error,
            verdict,
        }
    }
}

/// Outcomes of one reduction in one fold: of the fold, and inside it.
struct Fold<'a> {
    outer: &'a Outcome,
    inner: Vec<&'a Outcome>,
    n_test: usize,
}

impl Fold<'_> {
    /// Right rows inside the fold, over all inner folds; None where one of them has none.
    fn inside(&self, cell: usize) -> Option<usize> {
        self.inner.iter().map(|outcome| outcome.right[cell]).sum()
    }

    fn share(&self, cell: usize) -> Option<f64> {
        Some(self.outer.right[cell]? as f64 / self.n_test.max(1) as f64)
    }

    /// The first of the cells with the most right rows inside the fold; the first of all where nothing is to be chosen.
    fn best(&self, cells: &[usize]) -> Option<usize> {
        let [_, _, ..] = cells else {
            return cells.first().copied();
        };
        let each = cells.iter().map(|&cell| Some((cell, self.inside(cell)?)));
        let each: Option<Vec<(usize, usize)>> = each.collect();
        let best = each?
            .into_iter()
            .reduce(|best, next| match next.1 > best.1 {
                true => next,
                false => best,
            });
        best.map(|(cell, _)| cell)
    }
}

/// The result, from the outcomes of every split and reduction, and the numbers of training and test rows of every split.
pub(super) fn gather(
    study: &AccuracyStudy,
    table: Vec<Option<Outcome>>,
    sizes: &[(usize, usize)],
    notes: Vec<Note>,
) -> Result<Accuracy, Error> {
    let (n, per_fold) = (study.methods.len(), study.options.n_folds + 1);
    let outer_sizes: Vec<(usize, usize)> = sizes.iter().step_by(per_fold).copied().collect();
    let guess = Estimate::new(guesses(study));
    let mut curves: Vec<Curve> = Vec::new();
    for reduction in 0..n {
        let folds: Vec<Fold<'_>> = (0..study.folds.len())
            .filter_map(|fold| {
                let at = |split: usize| table[split * n + reduction].as_ref();
                let first = fold * per_fold;
                Some(Fold {
                    outer: at(first)?,
                    inner: (first + 1..first + per_fold).filter_map(at).collect(),
                    n_test: sizes[first].1,
                })
            })
            .collect();
        for classifier in 0..study.options.classifiers.len() {
            curves.push(curve(study, &folds, (reduction, classifier)));
        }
    }
    for curve in &mut curves {
        let against =
            |estimate: &Estimate| Comparison::new(&estimate.folds, &guess.folds, &outer_sizes);
        if let Some(nested) = &mut curve.nested {
            nested.against_guess = against(&nested.estimate);
        }
    }
    compare_with_none(study, &mut curves, &outer_sizes);
    let outcomes = || table.iter().flatten();
    let most = |reduction: usize| {
        let of = table.iter().skip(reduction).step_by(n).flatten();
        of.map(|outcome| outcome.most).min().unwrap_or(0)
    };
    let reduced = study.reductions.all().iter().enumerate();
    Ok(Accuracy {
        options: study.resolved_options(),
        reductions: reduced
            .map(|(i, reduction)| Reduced {
                name: reduction.to_string(),
                is_none: reduction.is_none(),
                most: most(i),
            })
            .collect(),
        counts: study.counts.values().to_vec(),
        classes: study.classes.names().to_vec(),
        class_counts: study.classes.counts(),
        n_rows: study.rows.n_rows(),
        n_all_rows: study.n_all_rows,
        n_cols: study.rows.n_cols(),
        n_folds: study.folds.len(),
        n_fits: outcomes().map(|outcome| outcome.n_fits).sum(),
        guess,
        curves,
        notes: notes.into_iter().chain(fit_notes(study, &table)).collect(),
    })
}

/// The curve of one reduction and one classifier, not yet compared with others.
fn curve(study: &AccuracyStudy, folds: &[Fold<'_>], (reduction, c): (usize, usize)) -> Curve {
    let classifier = study.options.classifiers[c];
    let (counts, neighbors) = (study.counts_for(reduction), study.neighbors_for(c));
    let cells = |place: usize| -> Vec<usize> {
        (0..neighbors.len())
            .map(|m| study.cell(c, place, m))
            .collect()
    };
    // The cell that each fold chooses among some, and the shares of rows right in those.
    let chosen = |among: &[usize]| -> Option<(Vec<usize>, Estimate)> {
        let chosen: Option<Vec<usize>> = folds.iter().map(|fold| fold.best(among)).collect();
        let chosen = chosen?;
        let shares = folds
            .iter()
            .zip(&chosen)
            .map(|(fold, &cell)| fold.share(cell));
        Some((
            chosen.clone(),
            Estimate::new(shares.collect::<Option<_>>()?),
        ))
    };
    let is_knn = classifier == Classifier::Knn;
    let neighbors_at = |cells: &[usize]| -> Vec<usize> {
        let each = cells.iter().filter(|_| is_knn);
        each.map(|&cell| neighbors[cell - study.cell(c, place_in(study, c, cell), 0)])
            .collect()
    };
    let chooses = study.chooses(reduction, c);
    let possible = |place: &usize| {
        let all = cells(*place);
        let inside = |fold: &Fold<'_>, cell| !chooses || fold.inside(cell).is_some();
        let given = |fold: &Fold<'_>| {
            all.iter()
                .all(|&cell| fold.outer.right[cell].is_some() && inside(fold, cell))
        };
        folds.iter().all(given)
    };
    let places: Vec<usize> = (0..counts.len()).filter(possible).collect();
    let points = places.iter().filter_map(|&place| {
        let (chosen, estimate) = chosen(&cells(place))?;
        Some(Point {
            n_components: counts[place],
            n_neighbors: neighbors_at(&chosen),
            estimate,
            against_none: None,
        })
    });
    let points: Vec<Point> = points.collect();
    let all: Vec<usize> = places.iter().flat_map(|&place| cells(place)).collect();
    let nested = chosen(&all).map(|(chosen, estimate)| Nested {
        n_components: chosen
            .iter()
            .map(|&cell| counts[place_in(study, c, cell)])
            .collect(),
        n_neighbors: neighbors_at(&chosen),
        against_none: None,
        against_guess: Comparison {
            difference: 0.0,
            standard_error: 0.0,
            verdict: Verdict::Unclear,
        },
        estimate,
    });
    Curve {
        reduction,
        classifier,
        points,
        nested,
    }
}

/// The place of a cell among the numbers of components.
fn place_in(study: &AccuracyStudy, classifier: usize, cell: usize) -> usize {
    let one = study.cell(classifier, 1, 0) - study.cell(classifier, 0, 0);
    (cell - study.cell(classifier, 0, 0)) / one
}

/// Compares every accuracy after a reduction with that of the same classifier on the columns themselves.
fn compare_with_none(study: &AccuracyStudy, curves: &mut [Curve], sizes: &[(usize, usize)]) {
    let reductions = study.reductions.all();
    let Some(none) = reductions.iter().position(super::Reduction::is_none) else {
        return;
    };
    for c in 0..study.options.classifiers.len() {
        let place = none * study.options.classifiers.len() + c;
        let Some(whole) = curves[place]
            .nested
            .as_ref()
            .map(|nested| nested.estimate.clone())
        else {
            continue;
        };
        let classifier = study.options.classifiers[c];
        let others = |curve: &&mut Curve| curve.reduction != none && curve.classifier == classifier;
        for curve in curves.iter_mut().filter(others) {
            let against = |ours: &Estimate| Comparison::new(&ours.folds, &whole.folds, sizes);
            for point in &mut curve.points {
                point.against_none = Some(against(&point.estimate));
            }
            if let Some(nested) = &mut curve.nested {
                nested.against_none = Some(against(&nested.estimate));
            }
        }
    }
}

/// For each fold the share of its rows that have the most frequent class of the others, the first class among equals.
fn guesses(study: &AccuracyStudy) -> Vec<f64> {
    let classes = study.classes.of_rows();
    let share = |fold: usize| {
        let (train, test) = study.folds.split(fold);
        let mut counts = vec![0usize; study.classes.names().len()];
        train.iter().for_each(|&i| counts[classes[i]] += 1);
        let most = counts.iter().copied().max().unwrap_or(0);
        let guess = counts.iter().position(|count| *count == most);
        let right = test.iter().filter(|&&i| Some(classes[i]) == guess).count();
        right as f64 / test.len().max(1) as f64
    };
    (0..study.folds.len()).map(share).collect()
}

/// Notes on the fits of the folds: the first of each kind for each reduction, with where it comes from. That a fit found fewer
/// directions than it looked for is no news: numbers of components are what is compared.
fn fit_notes(study: &AccuracyStudy, table: &[Option<Outcome>]) -> Vec<Note> {
    let (n, per_fold) = (study.methods.len(), study.options.n_folds + 1);
    let mut out = Vec::new();
    for (number, reduction) in study.reductions.all().iter().enumerate() {
        let mut seen = Vec::new();
        for fold in 0..study.folds.len() {
            let Some(outcome) = &table[fold * per_fold * n + number] else {
                continue;
            };
            for note in &outcome.notes {
                let kind = std::mem::discriminant(note);
                if matches!(note, Note::RankBelowK { .. }) || seen.contains(&kind) {
                    continue;
                }
                seen.push(kind);
                out.push(Note::reading(format!(
                    "{reduction}, fitted without fold {}: {note}",
                    fold + 1
                )));
            }
        }
    }
    out
}
