//! The expected values of a row's missing cells given its observed cells: the model behind `missing = em`.
//!
//! Cells in units of their column's observed standard deviation, z = (x − m)/s, are normal with covariance C = V diag(λ − σ²) Vᵀ + σ²I
//! (probabilistic PCA: Tipping & Bishop 1999, doi:10.1111/1467-9868.00196). With W = V diag(λ − σ²)^½ and o, h the observed and
//! the missing columns, z_h has the expectation W_h x with x = M⁻¹ W_oᵀ z_o and M = W_oᵀW_o + σ²I, and the covariance σ²(I +
//! W_h M⁻¹ W_hᵀ).
//!
//! Cost: one b × b decomposition for each set of missing columns, b being the number of directions, then d·b a row.

use std::collections::BTreeMap;

use super::Pca;
use super::conditional::{Conditional, missing_in};
use crate::error::Error;
use crate::linalg::{dot, product, solve_positive, times_transposed};
use crate::mat::{Mat, Real};
use crate::method::record::damaged;
use crate::prepare::Preparation;
use crate::source::Block;

/// The normal model that predicts missing cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Imputer {
    /// m: mean of every column.
    pub mean: Vec<f64>,
    /// s: divisor of every column.
    pub scale: Vec<f64>,
    /// V as orthonormal rows.
    pub directions: Mat<f64>,
    /// λ: variance along each of them.
    pub variances: Vec<f64>,
    /// σ²: variance in all other directions.
    pub noise: f64,
    /// Root of the expected scatter of every column, including the variance of missing cells, so it is larger than that of the
    /// filled rows. `None` if the components are those of the filled rows.
    pub spread: Option<Vec<f64>>,
}

impl Imputer {
    /// Refuses numbers that do not fit together.
    pub(super) fn check(&self, n_cols: usize) -> Result<(), Error> {
        let sizes = self.mean.len() == n_cols
            && self.scale.len() == n_cols
            && self.directions.n_cols() == n_cols
            && self.directions.n_rows() == self.variances.len()
            && self.spread.as_ref().is_none_or(|s| s.len() == n_cols);
        let numbers = self.mean.iter().chain(self.directions.as_slice());
        let numbers = numbers.chain(&self.variances);
        let finite = (numbers.chain(self.spread.iter().flatten())).all(|x| x.is_finite());
        let positive = |x: &f64| x.is_finite() && *x > 0.0;
        match sizes && finite && self.scale.iter().all(positive) && positive(&self.noise) {
            true => Ok(()),
            false => Err(damaged(
                "the numbers that predict missing cells do not fit together",
            )),
        }
    }

    /// (λ − σ²)^½ along each direction.
    pub(super) fn reach(&self) -> Vec<f64> {
        let above = |v: &f64| (v - self.noise).max(0.0).sqrt();
        self.variances.iter().map(above).collect()
    }
}

/// M = W_oᵀW_o + σ²I = σ²I + D(I − V_h V_hᵀ)D with D = diag(λ − σ²)^½, from the missing columns of V (b × h) alone.
pub(super) fn precision(missing: &Mat<f64>, reach: &[f64], noise: f64) -> Mat<f64> {
    let gram = times_transposed(missing.view(), missing.view());
    let b = reach.len();
    Mat::from_fn(b, b, |i, j| {
        let own = f64::from(u8::from(i == j));
        reach[i] * reach[j] * (own - gram[(i, j)]) + noise * own
    })
}

/// Some columns of a matrix.
pub(super) fn columns_of(m: &Mat<f64>, which: &[usize]) -> Mat<f64> {
    Mat::from_fn(m.n_rows(), which.len(), |i, j| m[(i, which[j])])
}

/// M⁻¹B; M lies above σ²I.
pub(super) fn solved(m: &Mat<f64>, b: &Mat<f64>) -> Result<Mat<f64>, Error> {
    solve_positive(m, b.view()).ok_or(Error::NoConvergence {
        what: "the prediction of missing cells",
    })
}

/// Fills missing cells of prepared rows by the options of a fitted model.
pub(super) enum Filler<'a> {
    /// By the components, in models that hold no imputer.
    Components(Conditional<'a>),
    /// By the model that was fitted to the incomplete table.
    Imputer(Fill<'a>),
}

/// An imputer applied to rows that were prepared for a PCA.
pub(super) struct Fill<'a> {
    imputer: &'a Imputer,
    preparation: &'a Preparation,
    reach: Vec<f64>,
    /// M⁻¹ of rows with the same missing columns.
    inverses: BTreeMap<Vec<usize>, Mat<f64>>,
}

impl<'a> Filler<'a> {
    pub(super) fn new(pca: &'a Pca) -> Self {
        let parts = pca.parts();
        match &parts.imputer {
            None => Filler::Components(Conditional::new(pca)),
            Some(imputer) => Filler::Imputer(Fill {
                imputer,
                preparation: &parts.preparation,
                reach: imputer.reach(),
                inverses: BTreeMap::new(),
            }),
        }
    }

    /// Fills the missing cells of a prepared row.
    pub(super) fn fill(&mut self, row: &mut [f64]) -> Result<(), Error> {
        match self {
            Filler::Components(given) => given.fill(row),
            Filler::Imputer(fill) => fill.fill(row),
        }
    }

    /// Scores of those rows of a block that have missing cells and so no plain scores.
    pub(super) fn score_incomplete<T: Real>(
        &mut self,
        pca: &Pca,
        block: &Block<'_, T>,
        scores: &mut Mat<f64>,
    ) -> Result<(), Error> {
        for i in 0..scores.n_rows() {
            if scores.row(i).iter().all(|t| !t.is_nan()) {
                continue;
            }
            let mut row = pca.prepare_seen(&block.slice_rows(i, i + 1));
            self.fill(row.row_mut(0))?;
            let components = pca.components().rows();
            let scores = scores.row_mut(i).iter_mut();
            scores
                .zip(components)
                .for_each(|(t, v)| *t = dot(v, row.row(0)));
        }
        Ok(())
    }
}

impl Fill<'_> {
    fn fill(&mut self, row: &mut [f64]) -> Result<(), Error> {
        let missing = missing_in(row);
        if missing.is_empty() {
            return Ok(());
        }
        // 1. Convert observed cells from the PCA's units to the imputer's.
        let z: Vec<f64> = (0..row.len())
            .map(|j| match row[j].is_nan() {
                true => 0.0,
                false => (self.divided_by(j) * row[j] + self.shift(j)) / self.imputer.scale[j],
            })
            .collect();
        // 2. x = M⁻¹ W_oᵀ z_o.
        let directions = self.imputer.directions.rows().zip(&self.reach);
        let along: Vec<f64> = directions.map(|(v, reach)| reach * dot(v, &z)).collect();
        let x: Vec<f64> = self
            .inverse(&missing)?
            .rows()
            .map(|inverse| dot(inverse, &along))
            .collect();
        // 3. z_h = W_h x, and back.
        for j in missing {
            let terms =
                (0..x.len()).map(|l| self.imputer.directions[(l, j)] * self.reach[l] * x[l]);
            let z: f64 = terms.sum();
            row[j] = (self.imputer.scale[j] * z - self.shift(j)) / self.divided_by(j);
        }
        Ok(())
    }

    /// The divisor of a column in the PCA.
    fn divided_by(&self, j: usize) -> f64 {
        self.preparation
            .scale
            .as_ref()
            .map_or(1.0, |scale| scale[j])
    }

    /// The difference between the imputer's and the PCA's mean of a column.
    fn shift(&self, j: usize) -> f64 {
        self.preparation.center[j] - self.imputer.mean[j]
    }

    fn inverse(&mut self, missing: &[usize]) -> Result<&Mat<f64>, Error> {
        if !self.inverses.contains_key(missing) {
            let columns = columns_of(&self.imputer.directions, missing);
            let m = precision(&columns, &self.reach, self.imputer.noise);
            let one = Mat::from_fn(self.reach.len(), self.reach.len(), |i, j| {
                f64::from(u8::from(i == j))
            });
            self.inverses.insert(missing.to_vec(), solved(&m, &one)?);
        }
        Ok(&self.inverses[missing])
    }
}

/// A, with B below it.
pub(super) fn side_by_side(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let split = a.n_cols();
    Mat::from_fn(a.n_rows(), split + b.n_cols(), |i, j| match j < split {
        true => a[(i, j)],
        false => b[(i, j - split)],
    })
}

/// diag(f)·A.
pub(super) fn rows_times(f: &[f64], a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.n_rows(), a.n_cols(), |i, j| f[i] * a[(i, j)])
}

/// AᵀB.
pub(super) fn transposed_times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    product(a.view().transposed(), b.view())
}
