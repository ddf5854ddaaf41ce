//! A table with missing cells for `missing = em`: filled with means, in units in which all columns have the same scale.

use super::expect::Cells;
use crate::context::Context;
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::prepare::{no_value, read_all};
use crate::source::{Dense, Source};

/// A table whose missing cells are filled with means, and the places of those cells.
pub(super) struct Incomplete {
    pub(super) cells: Mat<f64>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) names: Option<Vec<String>>,
    /// Missing columns of each row.
    pub(super) missing: Vec<Vec<usize>>,
    /// Observed means.
    pub(super) means: Vec<f64>,
    /// The number subtracted from a column (its mean, or 0 without centering), and the root mean square after the subtraction.
    pub(super) origin: Vec<f64>,
    pub(super) spread: Vec<f64>,
    pub(super) empty_rows: usize,
}

impl Incomplete {
    /// Reads all rows; missing cells become their column's mean.
    pub(super) fn read<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        center: bool,
    ) -> Result<Self, Error> {
        let names = source.col_names().map(<[String]>::to_vec);
        let (mut cells, mut weights) = read_all(ctx, source)?;
        let d = cells.n_cols();
        let means = means_of_seen(&cells, weights.as_deref(), names.as_deref())?;
        // 1. Leave out rows that have a weight but no value.
        let weight = |i: usize| weights.as_ref().map_or(1.0, |w| w[i]);
        let empty = |i: usize| weight(i) > 0.0 && cells.row(i).iter().all(|x| x.is_nan());
        let kept: Vec<usize> = (0..cells.n_rows()).filter(|&i| !empty(i)).collect();
        let empty_rows = cells.n_rows() - kept.len();
        if empty_rows > 0 {
            weights = weights.map(|w| kept.iter().map(|&i| w[i]).collect());
            cells = Mat::from_fn(kept.len(), d, |i, j| cells[(kept[i], j)]);
        }
        let origin = if center { means.clone() } else { vec![0.0; d] };
        let spread = spread_of_seen(&cells, weights.as_deref(), &origin);
        // 2. Fill the others. The cells of a row with weight 0 are neither used nor predicted.
        let mut missing = vec![Vec::new(); cells.n_rows()];
        for (i, missing) in missing.iter_mut().enumerate() {
            let row = cells.row_mut(i);
            let holes: Vec<usize> = (0..d).filter(|&j| !row[j].is_finite()).collect();
            holes.iter().for_each(|&j| row[j] = means[j]);
            if weights.as_ref().is_none_or(|w| w[i] > 0.0) {
                *missing = holes;
            }
        }
        Ok(Incomplete {
            cells,
            weights,
            names,
            missing,
            means,
            origin,
            spread,
            empty_rows,
        })
    }

    /// Whether nothing was filled or left out.
    pub(super) fn is_untouched(&self) -> bool {
        self.n_missing() == 0 && self.empty_rows == 0
    }

    pub(super) fn n_missing(&self) -> usize {
        self.missing.iter().map(Vec::len).sum()
    }

    /// The filled table as a source.
    pub(super) fn source(&self) -> Result<Dense<'_, f64>, Error> {
        let mut source = Dense::new(self.cells.view());
        if let Some(names) = &self.names {
            source = source.with_names(names.clone())?;
        }
        match &self.weights {
            Some(weights) => source.with_weights(weights),
            None => Ok(source),
        }
    }

    /// Columns whose observed cells differ; in a constant column a missing cell equals all others.
    pub(super) fn varying(&self) -> Vec<usize> {
        (0..self.means.len())
            .filter(|&j| self.spread[j] > 0.0)
            .collect()
    }

    /// Some rows in units in which all columns have the same scale, with missing and held-out cells at the mean.
    pub(super) fn cells(&self, rows: &[usize], held_out: &[Vec<usize>]) -> Cells {
        let varying = self.varying();
        let mut place = vec![None; self.means.len()];
        varying
            .iter()
            .enumerate()
            .for_each(|(l, &j)| place[j] = Some(l));
        let mut gone = Vec::with_capacity(rows.len());
        for (r, &i) in rows.iter().enumerate() {
            let held_out = held_out.get(r).into_iter().flatten();
            let all = self.missing[i].iter().chain(held_out);
            let mut columns: Vec<usize> = all.filter_map(|&j| place[j]).collect();
            columns.sort_unstable();
            gone.push(columns);
        }
        let mut cells = Mat::from_fn(rows.len(), varying.len(), |r, l| {
            let j = varying[l];
            (self.cells[(rows[r], j)] - self.origin[j]) / self.spread[j]
        });
        for (r, columns) in gone.iter().enumerate() {
            for &l in columns {
                let j = varying[l];
                cells[(r, l)] = (self.means[j] - self.origin[j]) / self.spread[j];
            }
        }
        let pick = |w: &Vec<f64>| rows.iter().map(|&i| w[i]).collect();
        Cells::new(cells, self.weights.as_ref().map(pick), &gone)
    }

    /// Writes the filled cells back, in the units of the data.
    pub(super) fn take(&mut self, cells: &Cells) {
        let varying = self.varying();
        for (i, missing) in self.missing.iter().enumerate() {
            for j in missing {
                if let Ok(l) = varying.binary_search(j) {
                    self.cells[(i, *j)] = self.origin[*j] + self.spread[*j] * cells.cells[(i, l)];
                }
            }
        }
    }
}

/// Root mean square of the observed cells after subtraction of `origin`; 0 if all of them equal `origin` up to rounding.
fn spread_of_seen(cells: &Mat<f64>, weights: Option<&[f64]>, origin: &[f64]) -> Vec<f64> {
    let d = cells.n_cols();
    let (mut squares, mut seen) = (vec![0.0; d], vec![0.0; d]);
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); d];
    for (i, row) in cells.rows().enumerate() {
        let weight = weights.map_or(1.0, |w| w[i]);
        let there = row.iter().enumerate().filter(|(_, x)| x.is_finite());
        for (j, x) in there.filter(|_| weight > 0.0) {
            squares[j] += weight * (x - origin[j]).powi(2);
            seen[j] += weight;
            ends[j] = (ends[j].0.min(*x), ends[j].1.max(*x));
        }
    }
    let spread = |j: usize| match ends[j].0 < ends[j].1 || origin[j] == 0.0 {
        true => (squares[j] / seen[j]).sqrt(),
        // A mean of equal numbers may differ from them by rounding.
        false => 0.0,
    };
    (0..d).map(spread).collect()
}

/// Column means of the observed cells; infinite cells and columns without any value are refused.
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
