//! Parallel analysis without rows: eigenvalues are compared with those of normal noise (Horn 1965, doi:10.1007/BF02289447).
//!
//! N free rows of d independent normal columns have the scatter A Aᵀ with A lower triangular, normal below the diagonal and
//! √χ²(N − i) on it (Bartlett 1933): d² numbers instead of N·d. Every column is then scaled to the variance it has in the data.

use super::effort::can_draw;
use super::parallel::Band;
use super::{Advice, ChooseOptions, Rule, Scree};
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{gram_of_rows, symmetric_eigenvalues};
use crate::mat::Mat;
use crate::rng::Rng;

/// Eigenvalues above those of normal noise in columns of the same variances.
pub fn horn(ctx: &Context, scree: &Scree, options: &ChooseOptions) -> Result<Advice, Error> {
    options.check()?;
    let rule = Rule::ParallelAnalysis;
    let none = |why: &str| Ok(Advice::none(rule, why));
    let (n, values) = (scree.freedom(), scree.values());
    let Some(variances) = scree.column_variances() else {
        return none("it needs the rows, or the variance of every column");
    };
    let d = variances.iter().filter(|v| **v > 0.0).count();
    if d == 0 || values.is_empty() {
        return none("nothing varies");
    }
    if let Some(why) = super::small::too_few(n + 1, d, "to compare with noise") {
        return none(&why);
    }
    if !can_draw(n, d) {
        return none("tables of noise as large would take too long");
    }
    let deviations: Vec<f64> = variances
        .iter()
        .map(|v| v.sqrt())
        .filter(|s| *s > 0.0)
        .collect();
    let band = Band::draw(ctx, options.n_draws, options.seed, |seed| {
        noise_spectrum(n, &deviations, seed)
    })?;
    let advice = band.advice(values.to_vec(), options.quantile, "of normal noise");
    match advice.k {
        Some(k) if k == values.len() && k < scree.possible() => {
            none("all eigenvalues given lie above those of noise")
        }
        _ => Ok(advice),
    }
}

/// Eigenvalues of the covariance of n free rows of normal noise, whose columns have exactly these deviations.
fn noise_spectrum(n: usize, deviations: &[f64], seed: u64) -> Result<Vec<f64>, Error> {
    let (mut rng, d) = (Rng::new(seed), deviations.len());
    let width = n.min(d);
    let mut columns = Mat::zeros(d, width);
    for (j, deviation) in deviations.iter().enumerate() {
        let row = columns.row_mut(j);
        if n < d {
            row.iter_mut().for_each(|x| *x = rng.normal());
        } else {
            row[..j].iter_mut().for_each(|x| *x = rng.normal());
            row[j] = (2.0 * gamma(0.5 * (n - j) as f64, &mut rng)).sqrt();
        }
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if length > 0.0 {
            deviation / length
        } else {
            0.0
        };
        row.iter_mut().for_each(|x| *x *= factor);
    }
    let flat = if n < d { columns.transposed() } else { columns };
    let values = symmetric_eigenvalues(&gram_of_rows(&flat))?;
    Ok(values.iter().map(|x| x.max(0.0)).collect())
}

/// A gamma variable of this shape and scale 1 (Marsaglia & Tsang 2000, doi:10.1145/358407.358414).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        let root = rng.uniform().powf(1.0 / shape);
        return gamma(shape + 1.0, rng) * root;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let z = rng.normal();
        let v = (1.0 + c * z).powi(3);
        if v > 0.0 && rng.uniform().ln() < 0.5 * z * z + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}
