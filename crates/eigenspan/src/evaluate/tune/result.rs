//! The result of a search: for every kernel and number of components a mean and its standard error, and the best and the
//! simplest choice.

use serde::{Deserialize, Serialize};

use super::{Criterion, Tuner};
use crate::error::{Error, TuningFault};
use crate::kernel::{Kernel, KernelGrid};
use crate::note::Note;

/// The outcome of one kernel on one part of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Number of the kernel in its grid, from 0.
    pub kernel: usize,
    /// The held-out fold, or the table: 0 is the original rows, others have permuted columns.
    pub part: usize,
    /// The criterion for every number of components, or eigenvalues; `None` if it is not a number.
    pub values: Vec<Option<f64>>,
    /// Notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// One choice of parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// Number of the kernel in its grid, from 0.
    pub kernel: usize,
    /// Components.
    pub n_components: usize,
    /// The criterion on each fold.
    pub values: Vec<Option<f64>>,
    /// Their mean; None where one of them is not a number.
    pub mean: Option<f64>,
    /// Standard error of the mean; None where there are no folds.
    pub error: Option<f64>,
}

/// A parameter whose best value is the smallest or the largest that was tried: a better one may lie beyond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The parameter, or `n_components`.
    pub parameter: String,
    /// Its best value.
    pub value: String,
    /// Whether the best value is the largest that was tried; else it is the smallest.
    pub largest: bool,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// The criterion.
    pub criterion: Criterion,
    /// The kernels that were tried.
    pub grid: KernelGrid,
    /// The numbers of components that were tried, smallest first.
    pub counts: Vec<usize>,
    /// The most components that the rows allow.
    pub most_components: usize,
    /// Every choice: kernel after kernel, and for each all numbers of components.
    pub cells: Vec<Cell>,
    /// Index of the best choice.
    pub best: usize,
    /// Index of the simplest choice: the fewest components within one standard error of the best, and the best among those.
    pub simplest: usize,
    /// Notes, without repeats.
    pub notes: Vec<Note>,
}

/// Differences below this are rounding.
const ROUNDING: f64 = 1e-12;
/// Share of the draws that an eigenvalue has to exceed.
const QUANTILE: f64 = 0.95;

impl Tuning {
    /// From a complete list of outcomes, sorted by part and kernel.
    pub(super) fn new(
        tuner: &Tuner,
        outcomes: Vec<Outcome>,
        mut notes: Vec<Note>,
    ) -> Result<Self, Error> {
        let n_kernels = tuner.grid.len();
        let counts = tuner.counts.values();
        let of_kernel = |kernel: usize| -> Vec<&Outcome> {
            outcomes.iter().skip(kernel).step_by(n_kernels).collect()
        };
        let cells: Vec<Cell> = (0..n_kernels)
            .flat_map(|kernel| {
                let parts = of_kernel(kernel);
                let above = match tuner.criterion {
                    Criterion::Parallel => Some(above_the_null(&parts)),
                    _ => None,
                };
                let cell = |(place, &n_components): (usize, &usize)| {
                    let values = match &above {
                        Some(above) => vec![above.get(n_components - 1).copied().flatten()],
                        None => parts.iter().map(|part| part.values[place]).collect(),
                    };
                    Cell::new(kernel, n_components, values)
                };
                counts.iter().enumerate().map(cell).collect::<Vec<_>>()
            })
            .collect();
        for note in outcomes.iter().flat_map(|outcome| &outcome.notes) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        let (best, simplest) =
            choices(&cells, tuner.criterion).ok_or(Error::Tuning(TuningFault::NoScore))?;
        Ok(Tuning {
            criterion: tuner.criterion,
            grid: tuner.grid.clone(),
            counts: counts.to_vec(),
            most_components: tuner.most_components(),
            cells,
            best,
            simplest,
            notes: without_repeats(notes),
        })
    }

    /// The best choice.
    pub fn best(&self) -> &Cell {
        &self.cells[self.best]
    }

    /// The simplest choice that is nearly as good.
    pub fn simplest(&self) -> &Cell {
        &self.cells[self.simplest]
    }

    /// The kernel of the best choice.
    pub fn best_kernel(&self) -> Result<Kernel, Error> {
        self.grid.kernel(self.best().kernel)
    }

    /// Parameters whose best value lies at an end of the values tried, where values beyond it are possible.
    pub fn edges(&self) -> Vec<Edge> {
        let best = self.best();
        let axes = self.grid.axes().iter().zip(self.grid.places(best.kernel));
        let mut edges: Vec<Edge> = axes
            .filter_map(|(axis, place)| {
                let numbers: Option<Vec<f64>> =
                    axis.values.iter().map(|v| v.parse().ok()).collect();
                let numbers = numbers.filter(|numbers| numbers.len() > 1)?;
                let value = numbers[place];
                let largest = numbers.iter().all(|x| *x <= value);
                let smallest = numbers.iter().all(|x| *x >= value);
                let name = axis.name.rsplit('.').next().unwrap_or(&axis.name);
                ((largest && goes_up(name, value)) || (smallest && goes_down(name, value))).then(
                    || Edge {
                        parameter: axis.name.clone(),
                        value: axis.values[place].clone(),
                        largest,
                    },
                )
            })
            .collect();
        let most = self.counts.last().copied().unwrap_or(0);
        if self.counts.len() > 1 && best.n_components == most && most < self.most_components {
            edges.push(Edge {
                parameter: "n_components".to_owned(),
                value: most.to_string(),
                largest: true,
            });
        }
        edges
    }

    /// The choice of this kernel and this place among the numbers of components.
    pub fn cell(&self, kernel: usize, place: usize) -> &Cell {
        &self.cells[kernel * self.counts.len() + place]
    }
}

/// Whether a parameter can be larger than this.
fn goes_up(name: &str, value: f64) -> bool {
    match name {
        "degree" => value < 100.0,
        "nu" => value < 10.5,
        _ => value.is_finite(),
    }
}

/// Whether a parameter can be smaller than this, and the kernel stays positive semi-definite.
fn goes_down(name: &str, value: f64) -> bool {
    match name {
        "degree" => value > 1.0,
        "nu" => value > 0.5,
        _ => value > 0.0,
    }
}

impl Cell {
    fn new(kernel: usize, n_components: usize, values: Vec<Option<f64>>) -> Self {
        let n = values.len() as f64;
        let known: Option<Vec<f64>> = values.iter().copied().collect();
        let mean = known.as_ref().map(|known| known.iter().sum::<f64>() / n);
        let error = known.zip(mean).filter(|_| n > 1.0).map(|(known, mean)| {
            let squares = known.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
            (squares / (n - 1.0) / n).sqrt()
        });
        Cell {
            kernel,
            n_components,
            values,
            mean,
            error,
        }
    }
}

/// Σᵢ≤ₖ (λᵢ − Tᵢ) for every k: the first part has the eigenvalues of the rows, the others those of the draws.
fn above_the_null(parts: &[&Outcome]) -> Vec<Option<f64>> {
    let Some((rows, draws)) = parts.split_first() else {
        return Vec::new();
    };
    let rank = (QUANTILE * draws.len() as f64).ceil() as usize;
    let mut sum = Some(0.0);
    (rows.values.iter().enumerate())
        .map(|(i, value)| {
            let null: Option<Vec<f64>> = draws.iter().map(|draw| draw.values[i]).collect();
            let bar = null.and_then(|mut null| {
                null.sort_unstable_by(f64::total_cmp);
                null.get(rank.saturating_sub(1)).copied()
            });
            sum = sum.zip(value.zip(bar)).map(|(sum, (x, bar))| sum + x - bar);
            sum
        })
        .collect()
}

/// Indices of the best and the simplest choice; None where no mean is a number.
fn choices(cells: &[Cell], criterion: Criterion) -> Option<(usize, usize)> {
    let sign = if criterion.more_is_better() {
        1.0
    } else {
        -1.0
    };
    // Fewer components first, so that they win where all else is equal.
    let mut order: Vec<usize> = (0..cells.len())
        .filter(|&i| cells[i].mean.is_some())
        .collect();
    order.sort_by_key(|&i| (cells[i].n_components, cells[i].kernel));
    let worth = |i: usize| sign * cells[i].mean.unwrap_or(f64::NAN);
    let size = order.iter().map(|&i| worth(i).abs()).fold(0.0, f64::max);
    let first_best = |among: &mut dyn Iterator<Item = usize>| {
        among.reduce(|best, i| match worth(i) > worth(best) + ROUNDING * size {
            true => i,
            false => best,
        })
    };
    let best = first_best(&mut order.iter().copied())?;
    let bar = worth(best) - cells[best].error.unwrap_or(0.0) - ROUNDING * size;
    let near: Vec<usize> = order.into_iter().filter(|&i| worth(i) >= bar).collect();
    let fewest = near.iter().map(|&i| cells[i].n_components).min()?;
    let mut near = near
        .into_iter()
        .filter(|&i| cells[i].n_components == fewest);
    Some((best, first_best(&mut near)?))
}

/// Notes without those that differ from another only in their numbers: iterations that stopped early are reported once.
fn without_repeats(notes: Vec<Note>) -> Vec<Note> {
    let mut merged: Vec<Note> = Vec::new();
    for note in notes {
        let alike = |other: &&mut Note| match (&note, &**other) {
            (Note::NotConverged { solver: a, .. }, Note::NotConverged { solver: b, .. }) => a == b,
            (Note::NegativeEigenvalues { .. }, Note::NegativeEigenvalues { .. }) => true,
            _ => false,
        };
        match merged.iter_mut().find(alike) {
            Some(other) => worse_of(other, note),
            None => merged.push(note),
        }
    }
    merged
}

/// The more extreme of two notes of the same kind: with the larger residual, or the smaller eigenvalue.
fn worse_of(merged: &mut Note, note: Note) {
    let worse = match (&*merged, &note) {
        (Note::NotConverged { residual: a, .. }, Note::NotConverged { residual: b, .. }) => b > a,
        (
            Note::NegativeEigenvalues { smallest: a, .. },
            Note::NegativeEigenvalues { smallest: b, .. },
        ) => b < a,
        _ => false,
    };
    if worse {
        *merged = note;
    }
}
