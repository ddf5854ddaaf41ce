//! Products of sparse rows with each other and with vectors. The rows are never made dense: only columns that lie far from
//! zero get a cell in every row ([`super::shifted`]).

use super::shifted::{ShiftedRows, Shifts};
use super::sparse::CsrView;
use crate::mat::{Mat, Real};

/// The number of rows that are copied at a time with their shifted columns.
const RUN: usize = 256;

/// P·B for the prepared rows P = (X − 1·centerᵀ)·diag(scale)⁻¹.
pub(super) fn prepared_times<T: Real>(
    view: &CsrView<'_, T>,
    center: &[f64],
    scale: Option<&[f64]>,
    b: &Mat<f64>,
) -> Mat<f64> {
    // P·B = X·(diag(scale)⁻¹B) − 1·(centerᵀ diag(scale)⁻¹B), with columns that lie far from zero centered first.
    let scaled = scale.map(|scale| divided(b, scale));
    let b = scaled.as_ref().unwrap_or(b);
    let far = far_columns(view, center, scale);
    let offset = combination(&far.rest_of(center), b);
    let mut out = Mat::zeros(view.n_rows(), b.n_cols());
    if far.is_empty() {
        for i in 0..view.n_rows() {
            row_times(view, i, b, &offset, out.row_mut(i));
        }
        return out;
    }
    for_each_shifted(view, &far, &mut ShiftedRows::default(), |start, rows| {
        for i in 0..rows.n_rows() {
            row_times(&rows, i, b, &offset, out.row_mut(start + i));
        }
    });
    out
}

/// ‖p‖² of the prepared rows p = (x − center) ÷ scale: the norm of a row of zeros, corrected by the cells that are not zero.
pub(super) fn prepared_squares<T: Real>(
    view: &CsrView<'_, T>,
    center: &[f64],
    scale: Option<&[f64]>,
) -> Vec<f64> {
    let far = far_columns(view, center, scale);
    // Columns that lie far from zero are centered already.
    let rest = far.rest_of(center);
    let square = |x: f64, j: usize| ((x - rest[j]) / scale.map_or(1.0, |s| s[j])).powi(2);
    let zeros: f64 = (0..view.n_cols).map(|j| square(0.0, j)).sum();
    let mut out = Vec::with_capacity(view.n_rows());
    for_each_shifted(view, &far, &mut ShiftedRows::default(), |_, rows| {
        for i in 0..rows.n_rows() {
            let (columns, values) = rows.row(i);
            let cells = columns.iter().zip(values);
            let change = cells.map(|(&j, x)| square(*x, j as usize) - square(0.0, j as usize));
            // A negative result is rounding and becomes zero; NaN stays NaN.
            out.push(match zeros + change.sum::<f64>() {
                below if below < 0.0 => 0.0,
                square => square,
            });
        }
    });
    out
}

/// Adds Σ w·x·xᵀ to the lower triangle of `c`: shifted columns are relative to their shift, all others to zero.
pub(super) fn add_gram<T: Real>(
    view: &CsrView<'_, T>,
    weights: Option<&[f64]>,
    shifts: &Shifts,
    c: &mut Mat<f64>,
) {
    if shifts.is_empty() {
        add_products(view, weights, c);
        return;
    }
    for_each_shifted(view, shifts, &mut ShiftedRows::default(), |start, rows| {
        let weights = weights.map(|w| &w[start..start + rows.n_rows()]);
        add_products(&rows, weights, c);
    });
}

/// Hands over sparse rows in f64 with some columns shifted, a run at a time, with the number of its first row.
pub(super) fn for_each_shifted<T: Real>(
    view: &CsrView<'_, T>,
    shifts: &Shifts,
    memory: &mut ShiftedRows,
    mut take: impl FnMut(usize, CsrView<'_, f64>),
) {
    for start in (0..view.n_rows()).step_by(RUN) {
        let run = view.slice_rows(start, (start + RUN).min(view.n_rows()));
        take(start, memory.write(&run, shifts));
    }
}

/// Adds Σ w·x·xᵀ to the lower triangle of `c`.
fn add_products<T: Real>(view: &CsrView<'_, T>, weights: Option<&[f64]>, c: &mut Mat<f64>) {
    for i in 0..view.n_rows() {
        let weight = weights.map_or(1.0, |w| w[i]);
        if weight == 0.0 {
            continue;
        }
        let (columns, values) = view.row(i);
        for (a, (&column, x)) in columns.iter().zip(values).enumerate() {
            let (row, x) = (c.row_mut(column as usize), weight * x.to_f64());
            // Columns rise within a row, so these lie in the lower triangle.
            for (&j, y) in columns[..=a].iter().zip(values) {
                row[j as usize] += x * y.to_f64();
            }
        }
    }
}

/// y += x·B − offset for row i.
fn row_times<T: Real>(
    view: &CsrView<'_, T>,
    i: usize,
    b: &Mat<f64>,
    offset: &[f64],
    y: &mut [f64],
) {
    let (columns, values) = view.row(i);
    for (&j, x) in columns.iter().zip(values) {
        let x = x.to_f64();
        y.iter_mut()
            .zip(b.row(j as usize))
            .for_each(|(y, b)| *y += x * b);
    }
    y.iter_mut().zip(offset).for_each(|(y, o)| *y -= o);
}

/// The rows of B divided by `scale`.
fn divided(b: &Mat<f64>, scale: &[f64]) -> Mat<f64> {
    Mat::from_fn(b.n_rows(), b.n_cols(), |i, j| b[(i, j)] / scale[i])
}

/// centerᵀ·B.
fn combination(center: &[f64], b: &Mat<f64>) -> Vec<f64> {
    let mut out = vec![0.0; b.n_cols()];
    for (c, row) in center.iter().zip(b.rows()).filter(|(c, _)| **c != 0.0) {
        out.iter_mut().zip(row).for_each(|(o, b)| *o += c * b);
    }
    out
}

/// The columns of prepared rows (x − center) ÷ scale whose center is better subtracted cell by cell: columns that are not zero
/// in most rows, and columns whose center is so large that it would cost the others their digits.
fn far_columns<T: Real>(view: &CsrView<'_, T>, center: &[f64], scale: Option<&[f64]>) -> Shifts {
    /// A center this many times larger than that of most columns costs their products log₁₀ of that many digits.
    const DROWNS: f64 = 1e4;
    let length = |j: usize| (center[j] / scale.map_or(1.0, |s| s[j])).abs();
    let mut lengths: Vec<f64> = (0..center.len()).map(length).filter(|c| *c > 0.0).collect();
    if lengths.is_empty() {
        return Shifts::default();
    }
    let middle = lengths.len() / 2;
    let most = *lengths.select_nth_unstable_by(middle, f64::total_cmp).1;
    let mut counts = vec![0u32; view.n_cols];
    for i in 0..view.n_rows() {
        let (columns, _) = view.row(i);
        columns.iter().for_each(|&j| counts[j as usize] += 1);
    }
    let is_full = |j: usize| 2 * counts[j] as usize > view.n_rows();
    Shifts::to_center(center, |j| {
        center[j] != 0.0 && (is_full(j) || length(j) > DROWNS * most)
    })
}
