//! Sampling adequacy: do the columns have enough in common for components to make sense?
//!
//! With R the correlation matrix of d columns over n rows and p_ij = −R⁻¹_ij ÷ √(R⁻¹_ii R⁻¹_jj) the partial correlation of two
//! columns given all others:
//!
//! - KMO = Σ r² ÷ (Σ r² + Σ p²) over all pairs, and over the pairs of each column (Kaiser 1974, doi:10.1007/BF02291575). Near
//!   1 the columns share most of their variance; below 0.5 they do not. Two columns have no others to condition on: p = r, and
//!   the measure is always ½. Columns that sum to a constant (parts of a whole) predict each other for that reason
//!   alone: p² differs from 1 only by rounding. In both cases there is no measure, and `unknown` says why. A sum counts
//!   as constant if its variance is at most 10⁻⁵ of the columns' variances (its deviation 0.3 % of theirs), as with
//!   percentages rounded to tenths; up to 10⁻² it is nearly constant, which is reported with the measure.
//! - Bartlett's test of sphericity: −(n − 1 − (2d + 5)/6) ln|R| is χ² with d(d − 1)/2 degrees of freedom if no two columns are
//!   correlated (Bartlett 1951, Biometrika 38:337–344).

use serde::Serialize;

use super::completed::Completed;
use crate::context::Context;
use crate::distribution::chi2_tail;
use crate::error::Error;
use crate::linalg::{symmetric_eigen, symmetric_inverse};
use crate::mat::{Mat, Real};
use crate::method::Pca;
use crate::on_numbers;
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Numbers, Source};
use crate::summary::{Scatter, summarize};

/// The number of d × d matrices in memory at the same time.
const COPIES: u64 = 6;

/// Correlations of the columns that vary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correlation {
    /// The columns that vary, counted from 0; constant columns correlate with nothing.
    pub columns: Vec<usize>,
    /// Their correlations.
    pub matrix: Mat<f64>,
    /// Their standard deviations, up to a common factor.
    pub deviations: Vec<f64>,
    /// Sum of the weights of the rows: their number without weights.
    pub weight: f64,
}

/// Correlations of the columns of a model's rows, in one reading. Missing cells are filled, or their rows left out, by the
/// model's option `missing`. Refused where the matrix does not fit into the memory budget.
pub fn correlation<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
) -> Result<Correlation, Error> {
    correlation_of_numbers(ctx, pca, Numbers::from_source(source))
}

/// Compiled in this crate once, for both element types.
fn correlation_of_numbers(
    ctx: &Context,
    pca: &Pca,
    numbers: Numbers<'_>,
) -> Result<Correlation, Error> {
    on_numbers!(numbers, source => correlation_of_rows(ctx, pca, source))
}

fn correlation_of_rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
) -> Result<Correlation, Error> {
    let (given, d) = (source.n_cols(), pca.n_cols());
    if given != d {
        return Err(Error::WrongWidth { given, expected: d });
    }
    let needed = (8 * COPIES).saturating_mul((d as u64).saturating_mul(d as u64));
    if let Some(allowed) = ctx.memory().filter(|allowed| needed > *allowed) {
        return Err(Error::Memory {
            what: format!("a correlation matrix of {d} columns"),
            needed,
            allowed,
        });
    }
    ctx.begin("correlating columns", source.n_rows().map(|n| n as u64));
    let scatter = match pca.parts().options.missing {
        Missing::Error => summarize(ctx, source, || Scatter::new(d))?,
        _ => summarize(ctx, &Completed::new(pca, source), || Scatter::new(d))?,
    };
    if !scatter.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    let columns: Vec<usize> = (0..d).filter(|&j| scatter.diagonal(j) > 0.0).collect();
    let weight = scatter.weight();
    let matrix = scatter.into_matrix(true);
    let roots: Vec<f64> = columns.iter().map(|&j| matrix[(j, j)].sqrt()).collect();
    let count = columns.len();
    let matrix = Mat::from_fn(count, count, |a, b| match a == b {
        true => 1.0,
        false => matrix[(columns[a], columns[b])] / roots[a] / roots[b],
    });
    Ok(Correlation {
        columns,
        matrix,
        deviations: roots,
        weight,
    })
}

/// Kaiser, Meyer and Olkin's measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kmo {
    /// Over all pairs of columns.
    pub overall: f64,
    /// For each column, in the order of [`Correlation::columns`].
    pub columns: Vec<f64>,
}

/// Bartlett's test of sphericity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bartlett {
    /// The statistic.
    pub chi2: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// Probability of a χ² at least this large if no two columns were correlated.
    pub p_value: f64,
}

/// Why there is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// Fewer than two columns vary.
    TooFewColumns,
    /// Only two columns vary, and KMO of two columns is always ½.
    TwoColumns,
    /// Columns are parts of a whole: to within 0.3 % of their spread they sum to a constant, so that each is nearly determined
    /// by the others.
    SumToConstant,
    /// Some columns are sums of others, or there are no more rows than columns: the correlation matrix has no inverse.
    Singular,
    /// The rows are too few for the χ² of Bartlett's test to hold.
    TooFewRows,
}

/// Whether the columns have enough in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Adequacy {
    /// KMO, where it exists.
    pub kmo: Option<Kmo>,
    /// Bartlett's test, where it exists.
    pub bartlett: Option<Bartlett>,
    /// Why KMO, Bartlett's test or both do not exist.
    pub unknown: Option<Unknown>,
    /// The columns that sum to a constant, to within 0.3 % of their spread, counted from 0.
    pub constant_sum: Vec<usize>,
    /// The columns that nearly sum to a constant, counted from 0: KMO exists, and is low for that reason.
    pub nearly_constant_sum: Vec<usize>,
}

/// KMO and Bartlett's test of a correlation matrix.
///
/// ```
/// use eigenspan::Mat;
/// use eigenspan::interpret::{Correlation, adequacy};
///
/// let matrix = Mat::from_vec(2, 2, vec![1.0, 0.5, 0.5, 1.0])?;
/// let two = Correlation { columns: vec![0, 1], matrix, deviations: vec![1.0; 2], weight: 20.0 };
/// let found = adequacy(&two)?;
/// // KMO of two columns would always be ½.
/// assert!(found.kmo.is_none());
/// // −(19 − 9/6) ln 0.75
/// assert!(found.bartlett.is_some_and(|test| (test.chi2 - 5.034436).abs() < 1e-6));
/// # Ok::<(), eigenspan::Error>(())
/// ```
pub fn adequacy(correlation: &Correlation) -> Result<Adequacy, Error> {
    let r = &correlation.matrix;
    let (d, n) = (r.n_rows(), correlation.weight);
    if r.n_cols() != d || correlation.columns.len() != d || correlation.deviations.len() != d {
        return Err(Error::BadNumbers {
            what: "the numbers of columns, correlations and deviations differ",
        });
    }
    let (sum, kept) = match d {
        0..=2 => (Vec::new(), 1.0),
        _ => steadiest_sum(correlation),
    };
    let [constant_sum, nearly_constant_sum] = match kept {
        kept if kept <= CONSTANT => [sum, Vec::new()],
        kept if kept <= NEARLY => [Vec::new(), sum],
        _ => [Vec::new(), Vec::new()],
    };
    let closed = (!constant_sum.is_empty()).then_some(Unknown::SumToConstant);
    let none = |unknown| Adequacy {
        kmo: None,
        bartlett: None,
        unknown: closed.or(Some(unknown)),
        constant_sum: constant_sum.clone(),
        nearly_constant_sum: nearly_constant_sum.clone(),
    };
    if d < 2 {
        return Ok(none(Unknown::TooFewColumns));
    }
    let inverse = match symmetric_inverse(r)? {
        Some(inverse) if n > d as f64 => inverse,
        _ => return Ok(none(Unknown::Singular)),
    };
    let bartlett = bartlett(r, n)?;
    let few = bartlett.is_none().then_some(Unknown::TooFewRows);
    let two = (d == 2).then_some(Unknown::TwoColumns);
    let kmo = match two.or(closed) {
        None => kmo(r, &inverse),
        Some(_) => None,
    };
    Ok(Adequacy {
        // Where no two columns are correlated at all, the sum of squares is zero.
        unknown: two
            .or(closed)
            .or(few)
            .or(kmo.is_none().then_some(Unknown::Singular)),
        kmo,
        bartlett,
        constant_sum,
        nearly_constant_sum,
    })
}

/// The largest share of the columns' variances that a constant sum may have: percentages rounded to tenths have less.
const CONSTANT: f64 = 1e-5;
/// The same for a nearly constant sum.
const NEARLY: f64 = 0.01;

/// The columns whose sum varies least, and the variance of the sum as a share of theirs. Starting from all columns, the column
/// whose removal lowers the variance of the sum most is removed, until every remaining column lowers it: parts of a whole do,
/// other columns do not.
fn steadiest_sum(correlation: &Correlation) -> (Vec<usize>, f64) {
    let (r, deviations) = (&correlation.matrix, &correlation.deviations);
    let d = r.n_rows();
    let covariance = |i: usize, j: usize| r[(i, j)] * deviations[i] * deviations[j];
    let mut parts: Vec<usize> = (0..d).collect();
    // Covariance of each column with the sum.
    let mut with_sum: Vec<f64> = (0..d)
        .map(|i| (0..d).map(|j| covariance(i, j)).sum())
        .collect();
    loop {
        let variance: f64 = parts.iter().map(|&j| with_sum[j]).sum();
        let without = |j: usize| variance - 2.0 * with_sum[j] + covariance(j, j);
        let least =
            (0..parts.len()).min_by(|&a, &b| without(parts[a]).total_cmp(&without(parts[b])));
        match least {
            Some(place) if without(parts[place]) < variance => {
                let gone = parts.remove(place);
                parts
                    .iter()
                    .for_each(|&j| with_sum[j] -= covariance(j, gone));
            }
            _ => {
                let apart: f64 = parts.iter().map(|&j| covariance(j, j)).sum();
                // With no more rows than columns, some sum is always nearly constant.
                let enough = parts.len() == d || correlation.weight > d as f64;
                let kept = match parts.len() > 1 && enough && apart > 0.0 {
                    true => variance / apart,
                    false => 1.0,
                };
                let columns = parts.iter().map(|&j| correlation.columns[j]);
                return (columns.collect(), kept);
            }
        }
    }
}

fn kmo(r: &Mat<f64>, inverse: &Mat<f64>) -> Option<Kmo> {
    let d = r.n_rows();
    let others = |i: usize| (0..d).filter(move |j| *j != i);
    let partial =
        |i: usize, j: usize| inverse[(i, j)].powi(2) / (inverse[(i, i)] * inverse[(j, j)]);
    let squares: Vec<f64> = (0..d)
        .map(|i| others(i).map(|j| r[(i, j)].powi(2)).sum())
        .collect();
    let partials: Vec<f64> = (0..d)
        .map(|i| others(i).map(|j| partial(i, j)).sum())
        .collect();
    let (all, rest): (f64, f64) = (squares.iter().sum(), partials.iter().sum());
    (all > 0.0).then(|| Kmo {
        overall: all / (all + rest),
        columns: squares
            .iter()
            .zip(&partials)
            .map(|(r, p)| super::share_of(*r, r + p))
            .collect(),
    })
}

fn bartlett(r: &Mat<f64>, n: f64) -> Result<Option<Bartlett>, Error> {
    let d = r.n_rows() as f64;
    let factor = n - 1.0 - (2.0 * d + 5.0) / 6.0;
    let (values, _) = symmetric_eigen(r)?;
    let log_det: f64 = values.iter().map(|value| value.ln()).sum();
    let (chi2, df) = ((-factor * log_det).max(0.0), d * (d - 1.0) / 2.0);
    let test = Bartlett {
        chi2,
        df,
        p_value: chi2_tail(chi2, df),
    };
    Ok((factor > 0.0 && log_det.is_finite()).then_some(test))
}
