//! Sparse rows whose columns may lie far from zero: a column of time stamps, or a table at a large offset, kept as sparse.
//!
//! If a column is not zero in a share p of the rows (by weight), its mean m and deviation σ satisfy m² ≤ p/(1 − p)·σ². So only
//! columns that are not zero in more than half of the rows can lie further from zero than they spread. A number near their
//! cells is subtracted from those columns before anything is squared, and every row then has a cell there: at most twice as
//! many cells as before. All other columns are summed about zero, where most of their cells are.

use super::sparse::CsrView;
use crate::mat::Real;

/// Columns of sparse rows, in rising order, and the numbers subtracted from each of their cells (also from zeros): first `shift`,
/// then `about`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shifts {
    columns: Vec<u32>,
    shift: Vec<f64>,
    about: Vec<f64>,
}

impl Shifts {
    /// Subtracts `center` from the columns for which `far` is true.
    pub(crate) fn to_center(center: &[f64], far: impl Fn(usize) -> bool) -> Self {
        let columns: Vec<u32> = (0..center.len())
            .filter(|&j| far(j))
            .map(|j| j as u32)
            .collect();
        Shifts {
            shift: columns.iter().map(|&j| center[j as usize]).collect(),
            about: vec![0.0; columns.len()],
            columns,
        }
    }

    /// Whether no column is shifted.
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Columns that are shifted.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The center of the columns that are not shifted: `center`, with zeros in the shifted columns.
    pub(crate) fn rest_of(&self, center: &[f64]) -> Vec<f64> {
        let mut rest = center.to_vec();
        self.columns.iter().for_each(|&j| rest[j as usize] = 0.0);
        rest
    }
}

/// Sparse rows in f64 with their columns shifted, in a buffer that is reused.
#[derive(Debug, Default)]
pub(crate) struct ShiftedRows {
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl ShiftedRows {
    /// The rows of `view`, with columns shifted.
    pub(super) fn write<T: Real>(
        &mut self,
        view: &CsrView<'_, T>,
        by: &Shifts,
    ) -> CsrView<'_, f64> {
        self.indptr.clear();
        self.indices.clear();
        self.values.clear();
        self.indptr.push(0);
        for i in 0..view.n_rows() {
            let (mut columns, mut values) = view.row(i);
            for ((&j, shift), about) in by.columns.iter().zip(&by.shift).zip(&by.about) {
                let before = columns.iter().take_while(|&&other| other < j).count();
                self.push(&columns[..before], &values[..before]);
                (columns, values) = (&columns[before..], &values[before..]);
                let mut cell = 0.0;
                if columns.first() == Some(&j) {
                    cell = values[0].to_f64();
                    (columns, values) = (&columns[1..], &values[1..]);
                }
                self.indices.push(j);
                self.values.push((cell - shift) - about);
            }
            self.push(columns, values);
            self.indptr.push(self.values.len());
        }
        CsrView {
            n_cols: view.n_cols,
            indptr: &self.indptr,
            indices: &self.indices,
            values: &self.values,
        }
    }

    fn push<T: Real>(&mut self, columns: &[u32], values: &[T]) {
        self.indices.extend_from_slice(columns);
        self.values.extend(values.iter().map(|x| x.to_f64()));
    }
}

/// Weighted sums over sparse rows, each column relative to a number near its cells.
#[derive(Debug)]
pub(crate) struct SparseSums {
    /// Sum of the weights.
    pub(crate) weight: f64,
    /// A number near the cells of each column: zero where most cells are.
    pub(crate) shift: Vec<f64>,
    /// Mean of each column, relative to `shift`.
    pub(crate) mean: Vec<f64>,
    /// Σ w (x − mean)² of each column.
    pub(crate) squares: Vec<f64>,
    /// What is subtracted from columns before products are formed.
    pub(crate) shifts: Shifts,
}

impl SparseSums {
    /// Sums over all rows whose weight is not zero; the cells of other rows are ignored.
    pub(super) fn new<T: Real>(view: &CsrView<'_, T>, weights: Option<&[f64]>) -> Self {
        let d = view.n_cols;
        let mut sums = SparseSums {
            weight: weights.map_or(view.n_rows() as f64, |w| w.iter().sum()),
            shift: vec![0.0; d],
            mean: vec![0.0; d],
            squares: vec![0.0; d],
            shifts: Shifts::default(),
        };
        if sums.weight == 0.0 {
            return sums;
        }
        // 1. About zero.
        for (columns, values, weight) in weighted_rows(view, weights) {
            for (&j, x) in columns.iter().zip(values) {
                let (j, x) = (j as usize, x.to_f64());
                sums.mean[j] += weight * x;
                sums.squares[j] += weight * x * x;
            }
        }
        // 2. Columns further from zero than they spread: Σwx² > 2·Σw(x − m)², where the right side is Σwx² − Wm².
        let weight = sums.weight;
        let is_far = |j: usize| sums.mean[j] * (sums.mean[j] / weight) > 0.5 * sums.squares[j];
        let far: Vec<u32> = (0..d).filter(|&j| is_far(j)).map(|j| j as u32).collect();
        for (mean, squares) in sums.mean.iter_mut().zip(&mut sums.squares) {
            *squares -= *mean * (*mean / weight);
            *mean /= weight;
        }
        if !far.is_empty() {
            sums.center(view, weights, far);
        }
        sums
    }

    /// Sums the columns that lie far from zero again: relative to one of their cells, then about the mean that this gives,
    /// then corrected by what rounding left of the mean.
    fn center<T: Real>(&mut self, view: &CsrView<'_, T>, weights: Option<&[f64]>, far: Vec<u32>) {
        self.shifts = Shifts {
            shift: near_cells(view, weights, self.weight, &far),
            about: vec![0.0; far.len()],
            columns: far,
        };
        let [about, _] = shifted_sums(view, weights, &self.shifts);
        self.shifts.about = about.iter().map(|sum| sum / self.weight).collect();
        let [rest, squares] = shifted_sums(view, weights, &self.shifts);
        for (l, &j) in self.shifts.columns.iter().enumerate() {
            let (j, rest) = (j as usize, rest[l] / self.weight);
            self.shift[j] = self.shifts.shift[l];
            self.mean[j] = self.shifts.about[l] + rest;
            self.squares[j] = squares[l] - self.weight * rest * rest;
        }
    }

    /// The mean of every column relative to the point its products are taken about.
    pub(crate) fn mean_of_products(&self) -> Vec<f64> {
        let mut mean = self.mean.clone();
        for (&j, about) in self.shifts.columns.iter().zip(&self.shifts.about) {
            mean[j as usize] -= about;
        }
        mean
    }
}

/// The rows whose weight is not zero, each with its weight.
fn weighted_rows<'a, T: Real>(
    view: &CsrView<'a, T>,
    weights: Option<&'a [f64]>,
) -> impl Iterator<Item = (&'a [u32], &'a [T], f64)> {
    let view = *view;
    (0..view.n_rows())
        .map(move |i| {
            let (columns, values) = view.row(i);
            (columns, values, weights.map_or(1.0, |w| w[i]))
        })
        .filter(|(_, _, weight)| *weight != 0.0)
}

/// For each of these columns, its first cell in a row whose weight is not much smaller than others: such a cell lies within
/// √(2n) deviations of the mean.
fn near_cells<T: Real>(
    view: &CsrView<'_, T>,
    weights: Option<&[f64]>,
    weight: f64,
    columns: &[u32],
) -> Vec<f64> {
    let least = 0.5 * weight / view.n_rows() as f64;
    let mut cells = vec![0.0; columns.len()];
    let mut open = columns.len();
    for (row, values, weight) in weighted_rows(view, weights) {
        if open == 0 {
            break;
        }
        let mut at = 0;
        for (cell, j) in cells.iter_mut().zip(columns) {
            at += row[at..].iter().take_while(|&other| other < j).count();
            if *cell == 0.0 && weight >= least && row.get(at) == Some(j) {
                *cell = values[at].to_f64();
                open -= usize::from(*cell != 0.0);
            }
        }
    }
    cells
}

/// Σwx and Σwx² of the columns that are shifted.
fn shifted_sums<T: Real>(
    view: &CsrView<'_, T>,
    weights: Option<&[f64]>,
    shifts: &Shifts,
) -> [Vec<f64>; 2] {
    let mut sums = [vec![0.0; shifts.len()], vec![0.0; shifts.len()]];
    for (row, values, weight) in weighted_rows(view, weights) {
        let mut at = 0;
        for (l, j) in shifts.columns.iter().enumerate() {
            at += row[at..].iter().take_while(|&other| other < j).count();
            let cell = match row.get(at) == Some(j) {
                true => values[at].to_f64(),
                false => 0.0,
            };
            let cell = (cell - shifts.shift[l]) - shifts.about[l];
            sums[0][l] += weight * cell;
            sums[1][l] += weight * cell * cell;
        }
    }
    sums
}
