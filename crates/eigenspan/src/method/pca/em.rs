//! Missing cells by the model itself: fitted on the cells that are there, and predicting those that are not.
//!
//! Regularized iterative PCA (Josse & Husson 2016, doi:10.18637/jss.v070.i01, section 2): EM for probabilistic PCA (Tipping
//! & Bishop 1999, doi:10.1111/1467-9868.00196) that leaves out how far missing cells scatter around what is expected of them.
//! Cells start at their column's mean. Then, until they stand still:
//!
//! 1. Fit k components to the filled table: means, scales, V, λ, and σ², the mean variance of the directions left out.
//! 2. Refill the missing cells of every row with what this model expects given the row's observed ones (`given.rs`).
//!
//! Where both agree, a row's missing cells are those of its reconstruction V diag((λ − σ²)/λ) Vᵀz, as in the papers; they
//! refill by this reconstruction, which ends at the same place but takes thousands of steps where a missing column makes up
//! most of a component. (The R package missMDA multiplies σ² by a correction for small tables, near
//! n/(n − 1 − k).)
//!
//! Cost of an iteration: one fit, one k × k decomposition for each set of missing columns, and n·d·k. The table lies in memory.

use rayon::prelude::*;

use super::given::Given;
use super::{Pca, PcaOptions, PcaParts};
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::{no_value, read_all};
use crate::solve::Keep;
use crate::source::{Block, Dense, Passes, Source};

/// Cells stand still when they move by less than this, as a root mean square and in standard deviations.
const STILL: f64 = 1e-8;
/// Fits after which cells that still move are taken as they are, with a note.
const LIMIT: usize = 1000;
/// Rows that one thread refills at a time.
const PANEL: usize = 256;

impl PcaOptions {
    /// Fits a PCA to rows with missing cells. Rows without any value are left out; they say nothing.
    pub(super) fn fit_em<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Pca, Error> {
        self.check_memory(ctx, source)?;
        let mut table = Incomplete::read(ctx, source)?;
        if table.is_untouched() && source.passes() == Passes::Many {
            return self.fit_complete(ctx, source, None);
        }
        if table.holes.is_empty() {
            let note = (table.empty_rows > 0).then(|| table.note(0));
            return self.fit_complete(ctx, &table.source()?, note);
        }
        let (mut settled, mut chosen) = self.settled(ctx, &table.source()?)?;
        if let Some(Note::Chosen { n_components, .. }) = &mut chosen {
            *n_components = (*n_components)
                .min(self.possible(&table).saturating_sub(1))
                .max(1);
            settled.n_components = Keep::Count(*n_components);
        }
        let counted = PcaOptions {
            n_components: Keep::Count(settled.count(ctx, &table)?),
            ..settled
        };
        let mut iterations = 0;
        let (pca, moved) = loop {
            ctx.check()?;
            let pca = counted.fit_complete(ctx, &table.source()?, None)?;
            iterations += 1;
            let moved = ctx.install(|| table.refill(&pca))?;
            if moved <= STILL || iterations == LIMIT {
                break (pca, moved);
            }
        };
        let mut notes: Vec<Note> = chosen.into_iter().collect();
        notes.push(table.note(iterations));
        if moved > STILL {
            notes.push(Note::NotConverged {
                solver: "em".to_owned(),
                iterations,
                residual: moved,
                tolerance: STILL,
            });
        }
        notes.extend_from_slice(pca.notes());
        Pca::from_parts(PcaParts {
            options: self.clone(),
            notes,
            ..pca.parts().clone()
        })
    }

    /// How many components predict the missing cells; a share is taken of the table filled with means.
    fn count(&self, ctx: &Context, table: &Incomplete) -> Result<usize, Error> {
        let source = table.source()?;
        self.plan(ctx, &source)?;
        let all = self.possible(table);
        let k = match self.n_components {
            Keep::Count(k) => k,
            Keep::Share(_) => self.fit_complete(ctx, &source, None)?.n_components(),
            Keep::All | Keep::Auto => all,
        };
        if k < all {
            return Ok(k);
        }
        Err(Error::Mismatch {
            what: format!(
                "n_components = {} keeps {k} of {all} components, but missing = em predicts missing cells from fewer than \
                 all of them, because all of them together reproduce any filling",
                self.n_components
            ),
        })
    }

    /// Components that the filled table has, at most.
    fn possible(&self, table: &Incomplete) -> usize {
        let rows = table.cells.n_rows() - usize::from(self.center);
        table.cells.n_cols().min(rows)
    }

    /// The table is held beside what the solver needs.
    fn check_memory<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<(), Error> {
        let (Some(n), Some(allowed)) = (source.n_rows(), ctx.memory()) else {
            return Ok(());
        };
        let needed = self.plan(ctx, source)?.bytes + 8 * (n * source.n_cols()) as u64;
        if needed <= allowed {
            return Ok(());
        }
        Err(Error::Memory {
            what: "missing = em, which holds the table in memory,".to_owned(),
            needed,
            allowed,
        })
    }
}

/// A table with its missing cells filled, and where they are.
struct Incomplete {
    cells: Mat<f64>,
    weights: Option<Vec<f64>>,
    names: Option<Vec<String>>,
    /// Rows with missing cells, and the columns of these.
    holes: Vec<(usize, Vec<usize>)>,
    empty_rows: usize,
}

impl Incomplete {
    /// Reads all rows; missing cells become their column's mean.
    fn read<T: Real>(ctx: &Context, source: &dyn Source<T>) -> Result<Self, Error> {
        let names = source.col_names().map(<[String]>::to_vec);
        let (mut cells, mut weights) = read_all(ctx, source)?;
        let d = cells.n_cols();
        let means = means_of_seen(&cells, weights.as_deref(), names.as_deref())?;
        // 1. Leave out rows that count but have no value.
        let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
        let empty = |i: usize| weight(i) > 0.0 && cells.row(i).iter().all(|x| x.is_nan());
        let kept: Vec<usize> = (0..cells.n_rows()).filter(|&i| !empty(i)).collect();
        let empty_rows = cells.n_rows() - kept.len();
        if empty_rows > 0 {
            weights = weights.map(|w| kept.iter().map(|&i| w[i]).collect());
            cells = Mat::from_fn(kept.len(), d, |i, j| cells[(kept[i], j)]);
        }
        // 2. Fill the others. A row without weight may hold anything, and is not predicted.
        let mut holes = Vec::new();
        for i in 0..cells.n_rows() {
            let row = cells.row_mut(i);
            let missing: Vec<usize> = (0..d).filter(|&j| !row[j].is_finite()).collect();
            missing.iter().for_each(|&j| row[j] = means[j]);
            let counts = weights.as_ref().is_none_or(|w| w[i] > 0.0);
            if counts && !missing.is_empty() {
                holes.push((i, missing));
            }
        }
        Ok(Incomplete {
            cells,
            weights,
            names,
            holes,
            empty_rows,
        })
    }

    /// Whether nothing was filled or left out.
    fn is_untouched(&self) -> bool {
        self.holes.is_empty() && self.empty_rows == 0
    }

    fn note(&self, iterations: usize) -> Note {
        Note::ImputedCells {
            cells: self.n_missing(),
            iterations,
            empty_rows: self.empty_rows,
        }
    }

    fn n_missing(&self) -> usize {
        self.holes.iter().map(|(_, missing)| missing.len()).sum()
    }

    /// The filled table as a source.
    fn source(&self) -> Result<Dense<'_, f64>, Error> {
        let mut source = Dense::new(self.cells.view());
        if let Some(names) = &self.names {
            source = source.with_names(names.clone())?;
        }
        match &self.weights {
            Some(weights) => source.with_weights(weights),
            None => Ok(source),
        }
    }

    /// Step 2: fills missing cells with what the model expects. How far they moved, as a root mean square and in standard
    /// deviations.
    fn refill(&mut self, pca: &Pca) -> Result<f64, Error> {
        let preparation = &pca.parts().preparation;
        let cells = &self.cells;
        let expect = |rows: &[(usize, Vec<usize>)]| -> Result<Vec<(f64, Vec<f64>)>, Error> {
            let mut given = Given::new(pca);
            let expected = rows.iter().map(|(i, missing)| {
                let row = cells.view().slice_rows(*i, i + 1);
                let old = preparation.apply(&Block::from(row));
                let mut new = old.clone();
                missing.iter().for_each(|&j| new[(0, j)] = f64::NAN);
                given.fill(new.row_mut(0))?;
                let moved = missing.iter().map(|&j| (new[(0, j)] - old[(0, j)]).powi(2));
                let moved: f64 = moved.sum();
                preparation.undo(&mut new);
                Ok((moved, missing.iter().map(|&j| new[(0, j)]).collect()))
            });
            expected.collect()
        };
        let panels: Vec<_> = self
            .holes
            .par_chunks(PANEL)
            .map(expect)
            .collect::<Result<_, _>>()?;
        let mut squares = 0.0;
        for ((i, missing), (moved, values)) in self.holes.iter().zip(panels.into_iter().flatten()) {
            squares += moved;
            let row = self.cells.row_mut(*i);
            missing.iter().zip(values).for_each(|(&j, x)| row[j] = x);
        }
        let deviation = (pca.spectrum().total_variance() / self.cells.n_cols() as f64).sqrt();
        Ok(match deviation > 0.0 {
            true => (squares / self.n_missing() as f64).sqrt() / deviation,
            false => 0.0,
        })
    }
}

/// Column means of the cells that are there; infinite cells and columns without any are refused.
fn means_of_seen(
    cells: &Mat<f64>,
    weights: Option<&[f64]>,
    names: Option<&[String]>,
) -> Result<Vec<f64>, Error> {
    let d = cells.n_cols();
    let (mut sum, mut seen) = (vec![0.0; d], vec![0.0; d]);
    let (mut infinite, mut first) = (0, None);
    for (i, row) in cells.rows().enumerate() {
        let weight = weights.map_or(1.0, |w| w[i]);
        if weight == 0.0 {
            continue;
        }
        for (j, x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            if x.is_infinite() {
                infinite += 1;
                first.get_or_insert((i, j));
            }
            sum[j] += weight * x;
            seen[j] += weight;
        }
    }
    if let Some((row, col)) = first {
        return Err(Error::NotFinite {
            nan: 0,
            infinite,
            row,
            col,
            name: names.and_then(|names| names.get(col).cloned()),
        });
    }
    match seen.iter().position(|seen| *seen == 0.0) {
        Some(j) if cells.n_rows() > 0 => Err(no_value(names, j)),
        _ => Ok(sum
            .iter()
            .zip(&seen)
            .map(|(sum, seen)| sum / seen)
            .collect()),
    }
}
