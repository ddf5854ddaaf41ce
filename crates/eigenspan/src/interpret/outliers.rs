//! Which rows are outliers: within the components (T²) or away from them (Q). Each is compared with the limit below which a
//! given share of rows of a normal distribution lies.
//!
//! T² over k components, from n rows (the sum of their weights) whose mean was estimated. With divisor n − 1:
//!
//! - rows of the fit: (n − 1)²/n · beta(k/2, (n − k − 1)/2), exact for k fixed columns (Tracy, Young & Mason 1992, Multivariate
//!   control charts for individual observations, Journal of Quality Technology 24:88–95).
//! - new rows: k (n + 1)(n − 1) / (n (n − k)) · F(k, n − k) (the same).
//!
//! Another divisor multiplies both by divisor ÷ (n − 1). Without centering no mean is estimated: divisor · beta(k/2, (n − k)/2)
//! and divisor · k/(n − k + 1) · F(k, n − k + 1).
//!
//! Q, from the eigenvalues left out, θ₁ = Σλ, θ₂ = Σλ², θ₃ = Σλ³, h = 1 − 2θ₁θ₃/(3θ₂²) and the normal quantile z (Jackson &
//! Mudholkar 1979, Technometrics 21:341–349, doi:10.1080/00401706.1979.10489779):
//! θ₁ (z h √(2θ₂)/θ₁ + 1 + θ₂h(h − 1)/θ₁²)^(1/h). For h ≤ 0, one large eigenvalue among many small ones, this is far too high
//! (19.3 instead of 8.7 for λ = 1 and 200 times 0.01, at 0.99). There the limit is that of χ² with θ₂³/θ₃² degrees of freedom,
//! scaled and shifted so that it has the first three moments of Q (Imhof 1961, Biometrika 48:419–426,
//! doi:10.1093/biomet/48.3-4.419, after Pearson). Where those eigenvalues are not known, the limit is that of g·χ² with f
//! degrees of freedom, which has the mean m and the variance s² of Q over the rows, g = s²/(2m), f = 2m²/s² (Box 1954, Ann.
//! Math. Statist. 25:290–302, doi:10.1214/aoms/1177728786).

use serde::Serialize;

use super::{RowFacts, checked_count, variances};
use crate::distribution::{beta_quantile, chi2_quantile, f_quantile, normal_quantile};
use crate::error::{Error, ShapeFault};
use crate::method::Pca;

/// The level of the limits, and how many rows are listed.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlierOptions {
    /// Share of rows that lie below a limit if nothing is wrong with them
    pub level: f64,
    /// Largest number of rows beyond a limit to list
    pub most: usize,
}

impl Default for OutlierOptions {
    fn default() -> Self {
        OutlierOptions {
            level: 0.99,
            most: 20,
        }
    }
}

/// Where the limit of Q comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QLimit {
    /// The eigenvalues left out (Jackson & Mudholkar).
    Eigenvalues,
    /// The eigenvalues left out, of which one dwarfs many others (Pearson's three moments).
    ThreeMoments,
    /// Mean and variance of Q over the rows (Box).
    Rows,
    /// Nothing is left out: every Q is 0 but for rounding.
    NothingLeft,
}

/// Limits of T² and Q.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    /// Share of rows that lie below a limit if nothing is wrong with them.
    pub level: f64,
    /// Number of components that T² uses.
    pub n_components: usize,
    /// Limit of T² for rows of the fit; None for too few rows.
    pub t2: Option<f64>,
    /// Limit of T² for new rows; None for too few rows.
    pub t2_new: Option<f64>,
    /// Limit of Q; None where it is not known.
    pub q: Option<f64>,
    /// Where the limit of Q comes from, where it is known.
    pub q_from: Option<QLimit>,
}

impl Limits {
    /// Limits for the first `n_components` of a model. `rows` are the rows of the fit; they give the limit of Q for a model
    /// that does not know all eigenvalues.
    pub fn from_pca(
        pca: &Pca,
        n_components: usize,
        level: f64,
        rows: Option<&RowFacts>,
    ) -> Result<Self, Error> {
        Limits::with_eigenvalues(pca, n_components, level, rows, None)
    }

    /// The same with all eigenvalues given, so that the limit of Q does not depend on how many components the model keeps.
    /// Eigenvalues that do not belong to the model's rows are ignored.
    pub fn with_eigenvalues(
        pca: &Pca,
        n_components: usize,
        level: f64,
        rows: Option<&RowFacts>,
        all: Option<&[f64]>,
    ) -> Result<Self, Error> {
        let n_components = checked_count(pca, Some(n_components))?;
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::UnknownValue {
                option: "level",
                given: level.to_string(),
                allowed: "a number above 0 and below 1, such as 0.99",
            });
        }
        if let Some(rows) = rows.filter(|rows| rows.n_components != n_components) {
            return Err(Error::Shape(ShapeFault::Limits {
                asked: n_components,
                given: rows.n_components,
            }));
        }
        let (t2, t2_new) = t2_limits(pca, n_components, level);
        let left = left_out(pca, n_components, all);
        let (q, q_from) = match left.map(|left| q_by_eigenvalues(&left, level)) {
            Some((q, from)) => (Some(q), Some(from)),
            None => match rows.and_then(|rows| q_by_rows(rows, level)) {
                Some(q) => (Some(q), Some(QLimit::Rows)),
                None => (None, None),
            },
        };
        Ok(Limits {
            level,
            n_components,
            t2,
            t2_new,
            q,
            q_from,
        })
    }
}

/// A row beyond a limit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlier {
    /// The row, from 0.
    pub row: usize,
    /// Hotelling's T².
    pub t2: f64,
    /// Squared prediction error.
    pub q: f64,
    /// Whether T² lies beyond its limit: far out along the components.
    pub beyond_t2: bool,
    /// Whether Q lies beyond its limit: away from the components.
    pub beyond_q: bool,
}

/// Outliers among the rows of the fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outliers {
    /// The limits.
    pub limits: Limits,
    /// The number of rows with values.
    pub n_rows: usize,
    /// How many of them lie beyond the limit of T².
    pub n_beyond_t2: usize,
    /// How many lie beyond the limit of Q.
    pub n_beyond_q: usize,
    /// How many of them lie beyond at least one of the two limits.
    pub n_beyond: usize,
    /// Rows beyond a limit, sorted by how far they exceed it, largest first.
    pub farthest: Vec<Outlier>,
}

impl Outliers {
    /// Compares the rows of a fit with their limits.
    pub fn from_rows(pca: &Pca, rows: &RowFacts, options: &OutlierOptions) -> Result<Self, Error> {
        Outliers::with_eigenvalues(pca, rows, options, None)
    }

    /// The same with all eigenvalues given, as for [`Limits::with_eigenvalues`].
    pub fn with_eigenvalues(
        pca: &Pca,
        rows: &RowFacts,
        options: &OutlierOptions,
        all: Option<&[f64]>,
    ) -> Result<Self, Error> {
        let k = rows.n_components;
        let limits = Limits::with_eigenvalues(pca, k, options.level, Some(rows), all)?;
        let ratio = |x: f64, limit: Option<f64>| match limit {
            Some(limit) if x > limit => x / limit,
            _ => 0.0,
        };
        let nothing_left = limits.q_from == Some(QLimit::NothingLeft);
        let limit_q = limits.q.filter(|_| !nothing_left);
        let mut found: Vec<(f64, Outlier)> = Vec::new();
        for (i, (&t2, &q)) in rows.t2.iter().zip(&rows.q).enumerate() {
            let (by_t2, by_q) = (ratio(t2, limits.t2), ratio(q, limit_q));
            if by_t2.max(by_q) > 0.0 {
                let outlier = Outlier {
                    row: rows.rows.get(i).unwrap_or(i),
                    t2,
                    q,
                    beyond_t2: by_t2 > 0.0,
                    beyond_q: by_q > 0.0,
                };
                found.push((by_t2.max(by_q), outlier));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let count = |is: fn(&Outlier) -> bool| found.iter().filter(|(_, o)| is(o)).count();
        let has_value = |square: &&f64| !square.is_nan();
        Ok(Outliers {
            n_rows: rows.squared_distances.iter().filter(has_value).count(),
            n_beyond_t2: count(|o| o.beyond_t2),
            n_beyond_q: count(|o| o.beyond_q),
            n_beyond: found.len(),
            farthest: found
                .into_iter()
                .take(options.most)
                .map(|(_, o)| o)
                .collect(),
            limits,
        })
    }
}

/// Limits of T² for rows of the fit and for new rows.
fn t2_limits(pca: &Pca, n_components: usize, level: f64) -> (Option<f64>, Option<f64>) {
    let parts = pca.parts();
    let (n, divisor) = (parts.weight, pca.spectrum().divisor);
    // Components without variance take no part in T².
    let k = n_components.min(pca.spectrum().rank) as f64;
    // Degrees of freedom left after k directions and the mean, if one was estimated.
    let (own, left) = match parts.options.center {
        true => ((n - 1.0) / n, n - 1.0 - k),
        false => (1.0, n - k),
    };
    if k < 1.0 || left <= 0.0 {
        return (None, None);
    }
    let fitted = divisor * own * beta_quantile(level, k / 2.0, left / 2.0);
    // The difference between a new row and the estimated mean has 1 + 1/n times the variance of a row.
    let spread = match parts.options.center {
        true => 1.0 + n.recip(),
        false => 1.0,
    };
    let new = divisor * spread * k / (left + 1.0) * f_quantile(level, k, left + 1.0);
    let known = |x: f64| x.is_finite().then_some(x);
    (known(fitted), known(new))
}

/// The nonzero eigenvalues left out, where the model or the caller knows all of them.
fn left_out(pca: &Pca, n_components: usize, all: Option<&[f64]>) -> Option<Vec<f64>> {
    let parts = pca.parts();
    let (d, k) = (pca.n_cols(), pca.n_components());
    let possible = d.min(
        parts
            .n_rows
            .saturating_sub(usize::from(parts.options.center)),
    );
    let own = variances(pca);
    let known = match k < possible && pca.spectrum().rank == k {
        true => all.filter(|all| are_of(pca, &own, all))?,
        false => &own,
    };
    let left = known.iter().copied().skip(n_components);
    Some(left.filter(|v| *v > 0.0).collect())
}

/// Whether given eigenvalues begin with those of a model and have its total.
fn are_of(pca: &Pca, own: &[f64], all: &[f64]) -> bool {
    const SAME: f64 = 1e-6;
    let total = pca.spectrum().total_variance();
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * total;
    let first = own.len() <= all.len() && own.iter().zip(all).all(|(a, b)| near(*a, *b));
    first && near(total, all.iter().sum())
}

/// Limit of Q from the eigenvalues left out.
fn q_by_eigenvalues(left: &[f64], level: f64) -> (f64, QLimit) {
    // Relative to the largest, so that cubes stay in range.
    let Some(&unit) = left.first() else {
        return (0.0, QLimit::NothingLeft);
    };
    let theta = |power: i32| -> f64 { left.iter().map(|v| (v / unit).powi(power)).sum() };
    let (t1, t2, t3) = (theta(1), theta(2), theta(3));
    let h = 1.0 - 2.0 * t1 * t3 / (3.0 * t2 * t2);
    if h > 0.0 {
        let z = normal_quantile(level);
        let base = z * h * (2.0 * t2).sqrt() / t1 + 1.0 + t2 * h * (h - 1.0) / (t1 * t1);
        // A level so low that the base of the power is negative has the limit zero.
        let limit = unit * t1 * base.max(0.0).powf(h.recip());
        return (limit, QLimit::Eigenvalues);
    }
    let above = chi2_quantile(level, t2.powi(3) / (t3 * t3));
    let limit = unit * (t1 - t2 * t2 / t3 + t3 / t2 * above);
    (limit, QLimit::ThreeMoments)
}

/// Limit of Q from its weighted mean and variance over the rows.
fn q_by_rows(rows: &RowFacts, level: f64) -> Option<f64> {
    let weight = |i: usize| rows.weights.as_ref().map_or(1.0, |w| w[i]);
    let counted = || (0..rows.q.len()).filter(|&i| !rows.q[i].is_nan() && weight(i) > 0.0);
    let total: f64 = counted().map(weight).sum();
    let mean = counted().map(|i| weight(i) * rows.q[i]).sum::<f64>() / total;
    let squares: f64 = counted()
        .map(|i| weight(i) * (rows.q[i] - mean).powi(2))
        .sum();
    let variance = squares / (total - 1.0);
    if !(mean > 0.0 && variance > 0.0 && total > 1.0) {
        return None;
    }
    let (g, freedom) = (variance / (2.0 * mean), 2.0 * mean * mean / variance);
    let limit = g * chi2_quantile(level, freedom);
    limit.is_finite().then_some(limit)
}
