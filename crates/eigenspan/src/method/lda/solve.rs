//! From means and covariances of classes to discriminants.
//!
//! 1. Columns are divided by their deviation within classes, and S_w of those columns is decomposed as Q Λ Qᵀ; what lies below a
//!    limit is left out. W = Λ^(−1/2) Qᵀ D⁻¹ then makes S_w the identity: W S_w Wᵀ = I.
//! 2. With U Σ Rᵀ the singular values of the rows √π_c (m_c − m)ᵀWᵀ, discriminants are the rows of Rᵀ W, and λ = σ². Where S_b is
//!    not made of the means alone (shrinkage, priors that are not the classes' shares), they come from the eigenvectors of
//!    W S_b Wᵀ.

use crate::error::Error;
use crate::linalg::{Side, jacobi_svd, product, right_svd, symmetric_eigen, times_transposed};
use crate::mat::Mat;

/// The map that makes the covariance within classes the identity.
#[derive(Debug)]
pub(super) struct Whitening {
    /// W, r × d.
    pub(super) rows: Mat<f64>,
    /// The deviation of every column within classes; 1 for columns that are constant there.
    pub(super) scale: Vec<f64>,
    /// Orthonormal directions among the scaled columns (r × d), whose span has the rows' deviations within classes.
    pub(super) basis: Mat<f64>,
    /// The covariance of the scaled columns, where it was written out.
    pub(super) scaled: Option<Mat<f64>>,
}

/// Below which a direction counts as one in which rows do not vary.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// This deviation, where columns have deviation 1.
    Deviation(f64),
    /// Rounding.
    Rounding,
}

impl Limit {
    /// Whether rows vary in a direction with this variance, `first` being the largest and d the columns.
    fn varies(self, variance: f64, first: f64, d: usize) -> bool {
        match self {
            Limit::Deviation(limit) => variance > 0.0 && variance.sqrt() > limit,
            Limit::Rounding => variance > 8.0 * d as f64 * f64::EPSILON * first,
        }
    }
}

impl Whitening {
    /// From the covariance within classes.
    pub(super) fn new(covariance: &Mat<f64>, limit: Limit) -> Result<Self, Error> {
        let d = covariance.n_rows();
        let scale = column_scales(d, |j| covariance[(j, j)]);
        let scaled = Mat::from_fn(d, d, |i, j| covariance[(i, j)] / scale[i] / scale[j]);
        let (values, vectors) = symmetric_eigen(&scaled)?;
        let first = values.first().copied().unwrap_or(0.0);
        let varying = values.iter().take_while(|x| limit.varies(**x, first, d));
        let rank = varying.count();
        let basis = vectors.top(rank);
        Ok(Whitening {
            rows: Mat::from_fn(rank, d, |r, j| {
                basis[(r, j)] / (scale[j] * values[r].sqrt())
            }),
            scale,
            basis,
            scaled: Some(scaled),
        })
    }

    pub(super) fn rank(&self) -> usize {
        self.rows.n_rows()
    }
}

/// The deviation of every column from its variance; 1 for constant columns.
pub(super) fn column_scales(d: usize, variance: impl Fn(usize) -> f64) -> Vec<f64> {
    let scale = |j: usize| match variance(j) {
        variance if variance > 0.0 => variance.sqrt(),
        _ => 1.0,
    };
    (0..d).map(scale).collect()
}

/// Directions with variance 1 within classes, and the variance of the classes along each.
#[derive(Debug)]
pub(super) struct Discriminants {
    /// Directions as rows (q × d), furthest apart first.
    pub(super) directions: Mat<f64>,
    /// λ of each.
    pub(super) ratios: Vec<f64>,
    /// The sum of all λ that are not negative, of which shares are taken.
    pub(super) total: f64,
    /// The sum of all λ: the trace of S_w⁻¹S_b. Where covariances are shrunk apart from each other, some may be negative.
    pub(super) trace: f64,
}

/// Below this share of the largest singular value, means do not differ in a direction: scikit-learn's.
const NEGLIGIBLE: f64 = 1e-4;

impl Discriminants {
    /// From the means of the classes minus their center (classes × d). `None` where they are equal, up to rounding.
    pub(super) fn from_means(
        whitening: &Whitening,
        means: &Mat<f64>,
        priors: &[f64],
        negligible: Option<f64>,
    ) -> Result<Option<Self>, Error> {
        let mut apart = times_transposed(means.view(), whitening.rows.view());
        for (c, prior) in priors.iter().enumerate() {
            let root = prior.sqrt();
            apart.row_mut(c).iter_mut().for_each(|x| *x *= root);
        }
        let (values, right) = right_singular(&apart)?;
        let first = values.first().copied().unwrap_or(0.0);
        // Means within a few roundings of each other, in units of the deviation within classes.
        let equal = 64.0 * f64::EPSILON * (whitening.rank() as f64).sqrt();
        if first <= equal {
            return Ok(None);
        }
        let floor = negligible.unwrap_or(NEGLIGIBLE) * first;
        let rank = values.iter().take_while(|s| **s > floor).count();
        let squares = values.iter().map(|s| s * s);
        Ok(Some(Discriminants {
            directions: product(right.view().slice_rows(0, rank), whitening.rows.view()),
            ratios: squares.clone().take(rank).collect(),
            total: squares.clone().sum(),
            trace: squares.sum(),
        }))
    }

    /// From a covariance between classes; at most `most` of them.
    pub(super) fn from_between(
        whitening: &Whitening,
        between: &Mat<f64>,
        most: usize,
    ) -> Result<Option<Self>, Error> {
        let half = product(whitening.rows.view(), between.view());
        let square = times_transposed(half.view(), whitening.rows.view());
        let r = square.n_rows();
        let symmetric = Mat::from_fn(r, r, |i, j| 0.5 * (square[(i, j)] + square[(j, i)]));
        let (values, vectors) = symmetric_eigen(&symmetric)?;
        let first = values.first().copied().unwrap_or(0.0);
        if first <= r as f64 * f64::EPSILON {
            return Ok(None);
        }
        let floor = 8.0 * r as f64 * f64::EPSILON * first;
        let above = values.iter().take(most).take_while(|x| **x > floor);
        let rank = above.count();
        Ok(Some(Discriminants {
            directions: product(vectors.view().slice_rows(0, rank), whitening.rows.view()),
            ratios: values[..rank].to_vec(),
            total: values.iter().filter(|x| **x > 0.0).sum(),
            trace: values.iter().sum(),
        }))
    }
}

/// Singular values, largest first, and right singular vectors as rows.
fn right_singular(a: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), Error> {
    /// Beyond this, small singular values to full relative accuracy would take too long.
    const FEW: usize = 128;
    let (m, n) = (a.n_rows(), a.n_cols());
    if m.min(n) > FEW {
        return right_svd(a.view());
    }
    let found = match m <= n {
        true => jacobi_svd(a.clone(), Side::Left)?,
        false => jacobi_svd(a.transposed(), Side::Right)?,
    };
    let vectors = found.left.or(found.right).unwrap_or_default();
    Ok((found.values, vectors))
}

/// log π_c − ½ ‖F(x − m_c)‖² for each class up to a term that all classes share, as a function of x − m: the rows of the first are
/// factors of x − m, the second is added.
pub(super) fn linear_functions(
    factor: &Mat<f64>,
    means: &Mat<f64>,
    log_priors: &[f64],
) -> (Mat<f64>, Vec<f64>) {
    let at = times_transposed(means.view(), factor.view());
    let constants = at.rows().zip(log_priors).map(|(at, log)| {
        let square: f64 = at.iter().map(|x| x * x).sum();
        log - 0.5 * square
    });
    let constants = constants.collect();
    (product(at.view(), factor.view()), constants)
}
