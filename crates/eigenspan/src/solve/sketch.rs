//! `sketch`: leading components of wide rows that can be read only once, with an estimate of the error.
//!
//! From the sketches X = ΥA, Y = AΩᵀ, Z = ΦAΨᵀ: with orthonormal Q of Y's columns and P of X's rows, A ≈ Q C Pᵀ where
//! C = (ΦQ)⁺ Z ((ΨP)⁺)ᵀ (Tropp, Yurtsever, Udell & Cevher 2019, doi:10.1137/18M1201068). ‖A − QCPᵀ‖ is estimated from a
//! fourth sketch that was not used otherwise. Approximate: accurate if the spectrum decreases fast; the estimated error shows if not.

use super::covariance::empty_solution;
use super::spectrum::{Pairs, Spectrum};
use super::{Keep, Problem, Solution, checked_divisor, rounding};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{
    add_product, norm, orthonormalize_rows, product, right_svd, symmetric_eigen, times_transposed,
};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::Scale;
use crate::source::Source;
use crate::summary::{Accuracy, ERROR_ROWS, Sketch, Sketcher, summarize};

pub(super) fn solve<T: Real>(
    ctx: &Context,
    source: &dyn Source<T>,
    problem: &Problem,
) -> Result<Solution, Error> {
    let d = source.n_cols();
    let Keep::Count(k) = problem.keep else {
        return Err(Error::OptionsConflict {
            what: "solver `sketch` needs a number of components (a share is known only after the reading)",
        });
    };
    if problem.scale != Scale::None {
        return Err(Error::OptionsConflict {
            what: "solver `sketch` cannot scale: deviations are known only after the one reading",
        });
    }
    let sketcher = Sketcher::new(k, d, problem.seed);
    let sketch = summarize(ctx, source, || Sketch::new(&sketcher))?;
    let (n_rows, weight) = (sketch.moments.n_rows(), sketch.moments.weight());
    let divisor = checked_divisor(problem.convention, n_rows, weight)?;
    problem.keep.check_shape(n_rows, d)?;
    if !sketch.moments.is_finite() {
        return Err(Error::NotFiniteSomewhere);
    }
    let mean = sketch.moments.mean();
    let squares: Vec<f64> = match problem.center {
        true => sketch.moments.squares().to_vec(),
        false => (0..d)
            .map(|j| sketch.moments.squares()[j] + weight * mean[j] * mean[j])
            .collect(),
    };
    let center = if problem.center { mean } else { vec![0.0; d] };
    let (values, vectors, error) = reconstruct(sketch.centered(problem.center), n_rows)?;
    let spread: Vec<f64> = squares.iter().map(|s| s.max(0.0).sqrt()).collect();
    let mut solution = empty_solution(n_rows, weight, center, None, spread, divisor);
    // For a flat spectrum a sketch may overestimate the variance; the trace limits it.
    let seen: f64 = values.iter().take(k).map(|s| s * s).sum();
    let there: f64 = squares.iter().sum();
    let within = if seen > there {
        (there / seen).sqrt()
    } else {
        1.0
    };
    let values: Vec<f64> = values.iter().map(|s| s * within).collect();
    let first = values.first().copied().unwrap_or(0.0);
    let pairs = Pairs::from_products(
        &values.iter().map(|s| s * s).collect::<Vec<_>>(),
        vectors,
        &squares,
        n_rows,
    );
    let mut spectrum = Spectrum::leading(pairs, problem, divisor);
    // ‖AᵀA v − σ²v‖ for A = Â + E is at most 2‖E‖σ₁ + ‖E‖². An estimate of ‖E‖ from 16 random rows is below half of ‖E‖ once in a
    // thousand times.
    let most = 2.0 * error;
    spectrum.set_absolute_residuals(&vec![most * (2.0 * first + most); spectrum.len()]);
    let (values, vectors) = (&spectrum.singular_values, &spectrum.vectors);
    let accuracy = Accuracy::in_chunks(n_rows);
    let bounds = rounding::of_products(accuracy, &solution.spread, values, vectors);
    spectrum.add_rounding(&bounds);
    solution.spectrum = spectrum;
    let relative = if first > 0.0 { error / first } else { 0.0 };
    solution.notes.push(Note::Sketched { error: relative });
    Ok(solution)
}

/// Singular values, right singular vectors (rows) and the estimated error ‖A − Â‖, from the sketches.
fn reconstruct(sketch: Sketch<'_>, n_rows: usize) -> Result<(Vec<f64>, Mat<f64>, f64), Error> {
    let Sketch {
        sketcher,
        below,
        core,
        range,
        ..
    } = sketch;
    let (t, s) = (sketcher.t, sketcher.s);
    // 1. Y, as columns.
    let mut q = Mat::zeros(t.min(n_rows), n_rows);
    for rows in &range {
        for i in 0..rows.images.n_rows() {
            (0..q.n_rows()).for_each(|j| q[(j, rows.first + i)] = rows.images[(i, j)]);
        }
    }
    // 2. Orthonormal Q (as rows Qᵀ) and P (as rows Pᵀ).
    orthonormalize_rows(&mut q);
    let mut p = Mat::from_fn(t, below.n_cols(), |i, j| below[(i, j)]);
    orthonormalize_rows(&mut p);
    // 3. ΦQ and ΘQ, row by row; ΨP.
    let mut left_q = Mat::zeros(s + ERROR_ROWS, q.n_rows());
    for row in 0..n_rows {
        let random = &sketcher.left(row)[t..];
        for (i, x) in random.iter().enumerate() {
            let out = left_q.row_mut(i);
            (0..out.len()).for_each(|j| out[j] += x * q[(j, row)]);
        }
    }
    let phi_q = Mat::from_fn(s, q.n_rows(), |i, j| left_q[(i, j)]);
    let theta_q = Mat::from_fn(ERROR_ROWS, q.n_rows(), |i, j| left_q[(s + i, j)]);
    let psi = Mat::from_fn(s, p.n_cols(), |i, j| sketcher.right[(j, t + i)]);
    let psi_p = times_transposed(psi.view(), p.view());
    // 4. C = (ΦQ)⁺ Z ((ΨP)⁺)ᵀ.
    let half = least_squares(&phi_q, &core)?;
    let c = least_squares(&psi_p, &half.transposed())?.transposed();
    // 5. C = U Σ Vᵀ; right singular vectors of A are those of C times P.
    let (values, small) = right_svd(c.view())?;
    let vectors = product(small.view(), p.view());
    // 6. The error A − QCPᵀ estimated by the fourth sketch: (1/q)‖E − ΘQCPᵀ‖².
    let mut rest = Mat::from_fn(ERROR_ROWS, below.n_cols(), |i, j| -below[(t + i, j)]);
    add_product(
        &mut rest,
        product(theta_q.view(), c.view()).view(),
        p.view(),
    );
    let error = norm(rest.as_slice()) / (ERROR_ROWS as f64).sqrt();
    Ok((values, vectors, error))
}

/// M⁺·B for a tall, well-conditioned M.
fn least_squares(m: &Mat<f64>, b: &Mat<f64>) -> Result<Mat<f64>, Error> {
    let (values, vectors) = symmetric_eigen(&product(m.view().transposed(), m.view()))?;
    let right = product(m.view().transposed(), b.view());
    let mut inner = product(vectors.view(), right.view());
    let least = values.first().copied().unwrap_or(0.0) * 1e-13;
    for (i, value) in values.iter().enumerate() {
        let factor = if *value > least { 1.0 / value } else { 0.0 };
        inner.row_mut(i).iter_mut().for_each(|x| *x *= factor);
    }
    Ok(product(vectors.view().transposed(), inner.view()))
}
