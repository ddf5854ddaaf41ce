//! Oblimin by gradient projection (Jennrich 2002, doi:10.1007/BF02294706; Bernaards & Jennrich 2005,
//! doi:10.1177/0013164404272507).
//!
//! Minimizes f(P) = ¼ Σ_{a ≠ b} [Σ_j p²_ja p²_jb − γ/d Σ_j p²_ja Σ_j p²_jb] over P = A T⁻ᵀ with diag(TᵀT) = 1. Its gradient by P is
//! P ∘ ((I − γ/d 11ᵀ) P²N) with N = 11ᵀ − I, and by T it is −(Pᵀ f′(P) T⁻¹)ᵀ. The search starts from the unrotated axes and
//! from those of varimax; the result with the lower criterion is taken. Cost d·k² a step.

use super::{SearchResult, inverse_of, varimax};
use crate::error::Error;
use crate::linalg::{norm, product, times_transposed};
use crate::mat::Mat;

/// The projected gradient at which a rotation has converged, for columns of length 1.
const STILL: f64 = 1e-8;
/// How often a step is halved before the search ends.
const HALVINGS: usize = 60;
/// Relative differences of the criterion below this are rounding.
const ROUNDING: f64 = 1e-13;

/// T with diag(TᵀT) = 1 that minimizes the criterion of A T⁻ᵀ.
pub(super) fn search(
    a: &Mat<f64>,
    gamma: f64,
    max_iterations: usize,
) -> Result<SearchResult, Error> {
    let k = a.n_cols();
    let as_they_are = Mat::from_fn(k, k, |i, j| f64::from(i == j));
    let (first, found) = descend(a, gamma, as_they_are, max_iterations)?;
    let turned = varimax::search(a, max_iterations).t;
    let (second, other) = descend(a, gamma, turned, max_iterations)?;
    // A difference within rounding does not prefer the other start.
    let better = second < first - 1e-9 * first.abs().max(1e-9);
    Ok(if better { other } else { found })
}

/// A point of the descent.
struct Place {
    t: Mat<f64>,
    value: f64,
    /// Gradient by T.
    gradient: Mat<f64>,
}

impl Place {
    /// None where T has no inverse or the criterion is not finite.
    fn new(a: &Mat<f64>, gamma: f64, t: Mat<f64>) -> Result<Option<Self>, Error> {
        let Some(inverse) = inverse_of(&t)? else {
            return Ok(None);
        };
        let pattern = times_transposed(a.view(), inverse.view());
        let (value, slope) = criterion(&pattern, gamma);
        let inner = product(pattern.view().transposed(), slope.view());
        let inner = product(inner.view(), inverse.view());
        let k = t.n_rows();
        let gradient = Mat::from_fn(k, k, |i, j| -inner[(j, i)]);
        let finite = value.is_finite() && gradient.as_slice().iter().all(|x| x.is_finite());
        Ok(finite.then_some(Place { t, value, gradient }))
    }

    /// The gradient projected onto directions that keep the lengths of T's columns.
    fn projected(&self) -> Mat<f64> {
        let (t, g) = (&self.t, &self.gradient);
        let k = t.n_rows();
        let along: Vec<f64> = (0..k)
            .map(|c| (0..k).map(|i| t[(i, c)] * g[(i, c)]).sum())
            .collect();
        Mat::from_fn(k, k, |i, c| g[(i, c)] - t[(i, c)] * along[c])
    }
}

/// Descends from T; gives the criterion and the final T.
fn descend(
    a: &Mat<f64>,
    gamma: f64,
    t: Mat<f64>,
    max_iterations: usize,
) -> Result<(f64, SearchResult), Error> {
    let nowhere = || Error::NoConvergence { what: "rotation" };
    let mut here = Place::new(a, gamma, t)?.ok_or_else(nowhere)?;
    let (mut step, mut iterations) = (1.0, 0);
    let mut down = here.projected();
    let mut residual = norm(down.as_slice());
    while residual > STILL && iterations < max_iterations {
        // A step twice as long as the last, halved until it leads down.
        step *= 2.0;
        let mut found = None;
        for _ in 0..HALVINGS {
            let next = Place::new(a, gamma, stepped(&here.t, &down, step))?;
            found = next.filter(|next| leads_down(&here, next, residual, step));
            if found.is_some() {
                break;
            }
            step /= 2.0;
        }
        let Some(next) = found else {
            break;
        };
        here = next;
        down = here.projected();
        residual = norm(down.as_slice());
        iterations += 1;
    }
    Ok((
        here.value,
        SearchResult {
            t: here.t,
            iterations,
            residual,
            tolerance: STILL,
        },
    ))
}

/// Whether a step gains at least half of what the slope predicts; where gains are below rounding, whether the gradient is
/// smaller there.
fn leads_down(here: &Place, next: &Place, slope: f64, step: f64) -> bool {
    let (gain, promised) = (here.value - next.value, 0.5 * slope * slope * step);
    if promised > ROUNDING * here.value.abs() {
        return gain > promised;
    }
    gain > -ROUNDING * here.value.abs() && norm(next.projected().as_slice()) < slope
}

/// T minus a step, its columns scaled back to length 1.
fn stepped(t: &Mat<f64>, down: &Mat<f64>, step: f64) -> Mat<f64> {
    let k = t.n_rows();
    let moved = Mat::from_fn(k, k, |i, c| t[(i, c)] - step * down[(i, c)]);
    let lengths: Vec<f64> = (0..k).map(|c| norm(&moved.col(c))).collect();
    Mat::from_fn(k, k, |i, c| moved[(i, c)] / lengths[c])
}

/// f(P), and its gradient.
fn criterion(pattern: &Mat<f64>, gamma: f64) -> (f64, Mat<f64>) {
    let (d, k) = (pattern.n_rows(), pattern.n_cols());
    // P²N: squares of all other components.
    let mut others = Mat::zeros(d, k);
    for j in 0..d {
        let total: f64 = pattern.row(j).iter().map(|x| x * x).sum();
        let row = others.row_mut(j).iter_mut();
        row.zip(pattern.row(j))
            .for_each(|(o, x)| *o = total - x * x);
    }
    if gamma != 0.0 {
        for c in 0..k {
            let mean = (0..d).map(|j| others[(j, c)]).sum::<f64>() / d as f64;
            (0..d).for_each(|j| others[(j, c)] -= gamma * mean);
        }
    }
    let cells = pattern.as_slice().iter().zip(others.as_slice());
    let value = cells.map(|(x, o)| x * x * o).sum::<f64>() / 4.0;
    let slope = Mat::from_fn(d, k, |j, c| pattern[(j, c)] * others[(j, c)]);
    (value, slope)
}
