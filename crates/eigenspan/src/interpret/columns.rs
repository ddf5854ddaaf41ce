//! Which columns a component is made of: the three quantities that are called loadings, and what follows from them.
//!
//! With C = VΛVᵀ the covariance of the prepared columns (under the model's own convention, n − 1 or n):
//!
//! - components: v, unit vectors. A score is Σ v_j x_j.
//! - loadings: v √λ, so that C = Σ loadings·loadingsᵀ.
//! - correlations: v_j √λ ÷ √C_jj, of the column with the scores. Where columns were scaled to variance 1 the correlations are
//!   the loadings; without centering they are cosines about zero.
//! - cos²: squared correlations, the share of a column's variance that a component explains. Over all components they sum to 1.
//! - contributions: 100 v², the share in percent that a column contributes to a component. Over the columns they sum to 100.
//! - communalities: cos² summed over the components.

use serde::Serialize;

use super::completed::Completed;
use super::{checked_count, variances};
use crate::context::Context;
use crate::error::{Error, ShapeFault};
use crate::mat::{Mat, Real};
use crate::method::Pca;
use crate::on_numbers;
use crate::prepare::{Missing, Scale, find_not_finite};
use crate::solve::{checked_divisor, correlation};
use crate::source::{Numbers, Source};
use crate::summary::{Moments, summarize};

/// Columns × components (d × k): row j of every table is column j of the data. Communalities are over these components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Columns {
    /// Unit vectors v.
    pub components: Mat<f64>,
    /// v √λ.
    pub loadings: Mat<f64>,
    /// v_j √λ ÷ √C_jj.
    pub correlations: Mat<f64>,
    /// Squared correlations.
    pub cos2: Mat<f64>,
    /// 100 v²; 0 for components without variance.
    pub contributions: Mat<f64>,
    /// Share of each column's variance that these components explain together.
    pub communalities: Vec<f64>,
    /// The same over the first, the first two, … components.
    pub cumulative_communalities: Mat<f64>,
    /// Share of the total variance along each component.
    pub shares: Vec<f64>,
}

impl Columns {
    /// The columns of a model. `variances` are those of the prepared columns ([`column_variances`] reads them); not needed for
    /// a model that scales columns to variance 1 or kept every component.
    ///
    /// ```
    /// use eigenspan::interpret::Columns;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, MatView, PcaOptions};
    ///
    /// let cells = [3.0, 3.0, 4.0, 7.0, 5.0, 8.0];
    /// let rows = Dense::new(MatView::from_rows(&cells, 3, 2)?);
    /// let pca = PcaOptions::default().fit(&Context::new(), &rows)?;
    /// let columns = Columns::from_pca(&pca, None)?;
    /// // The covariance is [[1, 2.5], [2.5, 7]], the product of the loadings with their transpose.
    /// let a = &columns.loadings;
    /// assert!((a[(0, 0)] * a[(1, 0)] + a[(0, 1)] * a[(1, 1)] - 2.5).abs() < 1e-12);
    /// assert!((columns.communalities[0] - 1.0).abs() < 1e-12);
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn from_pca(pca: &Pca, variances: Option<&[f64]>) -> Result<Self, Error> {
        Columns::leading(pca, pca.n_components(), variances)
    }

    /// The same for the first `k` components only: with many columns, the tables of all components are large.
    pub fn leading(pca: &Pca, k: usize, variances: Option<&[f64]>) -> Result<Self, Error> {
        let (d, k) = (pca.n_cols(), checked_count(pca, Some(k))?);
        let lambda = self::variances(pca);
        let deviations: Vec<f64> = checked_variances(pca, variances, &lambda)?
            .into_iter()
            .map(f64::sqrt)
            .collect();
        let v = pca.components();
        let table = |f: &dyn Fn(usize, usize) -> f64| Mat::from_fn(d, k, f);
        let components = table(&|j, c| v[(c, j)]);
        let loadings = table(&|j, c| v[(c, j)] * lambda[c].sqrt());
        let correlations = table(&|j, c| correlation(v[(c, j)], lambda[c].sqrt(), deviations[j]));
        let cos2 = table(&|j, c| correlations[(j, c)].powi(2));
        let contributions = table(&|j, c| match lambda[c] > 0.0 {
            true => 100.0 * v[(c, j)].powi(2),
            false => 0.0,
        });
        let mut cumulative = cos2.clone();
        for j in 0..d {
            let row = cumulative.row_mut(j);
            (1..k).for_each(|c| row[c] += row[c - 1]);
        }
        Ok(Columns {
            communalities: cumulative.col(k - 1),
            cumulative_communalities: cumulative,
            components,
            loadings,
            correlations,
            cos2,
            contributions,
            shares: (0..k).map(|c| pca.spectrum().share(c)).collect(),
        })
    }
}

/// Variance of every prepared column: the diagonal of the matrix the model decomposed, under its convention and with its
/// center. Reads the source once; missing cells are filled, or their rows left out, by the model's option `missing`.
pub fn column_variances<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
) -> Result<Vec<f64>, Error> {
    column_variances_of_numbers(ctx, pca, Numbers::from_source(source))
}

/// Compiled in this crate once, for both element types.
fn column_variances_of_numbers(
    ctx: &Context,
    pca: &Pca,
    numbers: Numbers<'_>,
) -> Result<Vec<f64>, Error> {
    on_numbers!(numbers, source => variances_of_rows(ctx, pca, source))
}

fn variances_of_rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
) -> Result<Vec<f64>, Error> {
    let (given, expected) = (source.n_cols(), pca.n_cols());
    if given != expected {
        return Err(Error::WrongWidth { given, expected });
    }
    let spread = pca.parts().imputer.as_ref().and_then(|i| i.spread.as_ref());
    if let Some(spread) = spread {
        // Filled cells vary less than the true cells would; the model knows by how much.
        let root = pca.spectrum().divisor.sqrt();
        let scale = pca.parts().preparation.scale.as_ref();
        let variance = |j: usize| (spread[j] / root / scale.map_or(1.0, |s| s[j])).powi(2);
        return Ok((0..expected).map(variance).collect());
    }
    ctx.begin("reading variances", source.n_rows().map(|n| n as u64));
    let zeros = vec![0.0; expected];
    let preparation = &pca.parts().preparation;
    let (moments, center, scale) = if pca.parts().options.missing == Missing::Error {
        // Complete rows are summed directly: sparse ones stay sparse.
        let moments = summarize(ctx, source, || Moments::new(expected))?;
        (moments, &preparation.center, preparation.scale.as_ref())
    } else {
        let completed = Completed::new(pca, source);
        let moments = summarize(ctx, &completed, || Moments::new(expected))?;
        (moments, &zeros, None)
    };
    if !moments.is_finite() {
        return Err(find_not_finite(ctx, source));
    }
    let (mean, weight) = (moments.mean(), moments.weight());
    let convention = pca.parts().options.convention;
    let divisor = checked_divisor(convention, moments.n_rows(), weight)?;
    let variance = |j: usize| {
        // Σ w (x − c)² = Σ w (x − m)² + (Σ w)(m − c)².
        let squares = moments.squares()[j].max(0.0) + weight * (mean[j] - center[j]).powi(2);
        squares / divisor / scale.map_or(1.0, |s| s[j].powi(2))
    };
    Ok((0..expected).map(variance).collect())
}

/// Variances of the prepared columns: as given, or as the model knows them.
fn checked_variances(pca: &Pca, given: Option<&[f64]>, lambda: &[f64]) -> Result<Vec<f64>, Error> {
    let (d, k) = (pca.n_cols(), pca.n_components());
    let options = &pca.parts().options;
    if let Some(given) = given {
        if given.len() != d {
            return Err(Error::Shape(ShapeFault::Variances {
                given: given.len(),
                n_cols: d,
            }));
        }
        if let Some(j) = given.iter().position(|v| !(*v >= 0.0 && v.is_finite())) {
            return Err(Error::BadVariance {
                col: j,
                variance: given[j],
            });
        }
        return Ok(given.to_vec());
    }
    if options.scale == Scale::Std && options.center {
        return Ok(vec![1.0; d]);
    }
    let possible = d.min(
        pca.parts()
            .n_rows
            .saturating_sub(usize::from(options.center)),
    );
    if k >= possible || pca.spectrum().rank < k {
        // Nothing was left out: C_jj = Σ λ v_j².
        let v = pca.components();
        let variance = |j: usize| (0..k).map(|c| lambda[c] * v[(c, j)].powi(2)).sum();
        return Ok((0..d).map(variance).collect());
    }
    Err(Error::UnknownVariances { kept: k, possible })
}
