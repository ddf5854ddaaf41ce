//! How much a map would change with other rows: a method is fitted to random halves of the rows, and the coordinates that each such
//! model gives to all rows are compared with those of the model of all rows.
//!
//! Components may change signs and order and rotate within their span without changing the span. So spans are compared:
//! with Q and Q' orthonormal bases of the centered coordinates (n × k) under the whole model and under that of a half, the canonical
//! correlations are the singular values of QᵀQ' (Hotelling 1936, doi:10.1093/biomet/28.3-4.321), and *similarity* is their mean: 1 if
//! the coordinates of both models agree up to a linear map, about √(k/n) if they are unrelated. For a single component
//! with centered coordinates u of length 1, ‖Q'ᵀu‖ is its multiple correlation with all components of the half.
//!
//! Cost: as many fits as there are draws, to half of the rows.

use serde::Serialize;

use super::interval::quantile;
use super::some_rows::fit_some;
use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, norm, right_svd, times_transposed};
use crate::mat::Mat;
use crate::method::contract::Scores;
use crate::method::{Fitted, Method, Training};
use crate::on_numbers;
use crate::parallel;
use crate::rng::stream;
use crate::source::{Numbers, RowSet, Subset};

/// How halves are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct HalvesOptions {
    /// Number of halves.
    pub n_draws: usize,
    /// Largest number of components to compare: the first ones.
    pub most_components: usize,
    /// Largest number of rows to use; of more rows a sample is taken.
    pub most_rows: usize,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for HalvesOptions {
    fn default() -> Self {
        HalvesOptions {
            n_draws: 20,
            most_components: 10,
            most_rows: 2000,
            seed: 0,
        }
    }
}

/// Median and range of the draws.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Half of the draws lie below.
    pub median: f64,
    /// A twentieth lies below …
    pub low: f64,
    /// … and a twentieth above.
    pub high: f64,
}

/// Similarity of models of halves of the rows to the model of all rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Halves {
    /// Halves drawn.
    pub n_draws: usize,
    /// Rows of a half.
    pub n_fitted: usize,
    /// Rows whose coordinates are compared.
    pub n_compared: usize,
    /// Components compared: the first ones.
    pub n_components: usize,
    /// Mean canonical correlation of each half with the whole.
    pub similarities: Vec<f64>,
    /// Their median and range.
    pub similarity: Spread,
    /// For every component its multiple correlation with the components of a half.
    pub components: Vec<Spread>,
    /// The rows of each half.
    #[serde(skip)]
    pub halves: Vec<RowSet>,
}

/// Rows below which no half is drawn.
const FEWEST: usize = 10;
/// A unit vector whose part outside the span is shorter than this adds no direction.
const NOTHING: f64 = 1e-8;

impl HalvesOptions {
    /// Compares models of halves of the training rows with the model of all rows. `None` if there are too few rows, if some rows
    /// cannot be fitted without the others, if the method gives new rows no coordinates, or if all coordinates are constant.
    pub fn run(
        &self,
        ctx: &Context,
        method: &dyn Method,
        whole: &dyn Fitted,
        training: &Training<'_>,
    ) -> Result<Option<Halves>, Error> {
        let rows = training.rows;
        let n_rows = rows.n_rows().unwrap_or(0);
        let able = method.fits_some_rows() && whole.projection().is_some();
        if n_rows < FEWEST || self.n_draws == 0 || !able {
            return Ok(None);
        }
        let some = RowSet::sample(n_rows, self.most_rows, self.seed);
        let n_fitted = some.len() / 2;
        let rank = whole
            .spectrum()
            .map_or(usize::MAX, |spectrum| spectrum.rank);
        let k = whole.common().n_components.min(rank);
        let k = k.min(self.most_components).min(n_fitted - 1);
        let quiet = ctx.without_progress();
        let all = coordinates(&quiet, whole, rows, &some, k)?;
        let known: Vec<usize> = (0..all.n_rows())
            .filter(|&i| all.row(i).iter().all(|x| x.is_finite()))
            .collect();
        let columns = centered(&all, &known);
        let Some(basis) = basis(&columns)? else {
            return Ok(None);
        };
        let method = method.with_n_components(k);
        ctx.begin("refitting halves", Some(self.n_draws as u64));
        let halves: Vec<RowSet> = (0..self.n_draws)
            .map(|number| {
                let half = RowSet::sample(some.len(), n_fitted, stream(self.seed, number));
                let half = (0..half.len()).filter_map(|i| half.get(i).and_then(|i| some.get(i)));
                RowSet::Listed(half.collect())
            })
            .collect();
        let draw = |i: usize| -> Result<(f64, Vec<f64>), Error> {
            ctx.check()?;
            let model = fit_some(&quiet, &*method, training, &halves[i])?;
            let other = coordinates(&quiet, &*model, rows, &some, k)?;
            let other = self::basis(&centered(&other, &known))?;
            let compared = compare(&columns, &basis, other.as_ref())?;
            ctx.advance(1);
            Ok(compared)
        };
        let draws: Vec<(f64, Vec<f64>)> =
            ctx.install(|| parallel::try_collect(halves.len(), draw))?;
        let component = |j: usize| Spread::new(draws.iter().map(|(_, each)| each[j]).collect());
        let similarities: Vec<f64> = draws.iter().map(|(mean, _)| *mean).collect();
        Ok(Some(Halves {
            n_draws: self.n_draws,
            n_fitted,
            n_compared: known.len(),
            n_components: columns.n_rows(),
            similarity: Spread::new(similarities.clone()),
            components: (0..columns.n_rows()).map(component).collect(),
            similarities,
            halves,
        }))
    }
}

impl Spread {
    fn new(mut draws: Vec<f64>) -> Self {
        draws.sort_unstable_by(f64::total_cmp);
        Spread {
            median: quantile(&draws, 0.5),
            low: quantile(&draws, 0.05),
            high: quantile(&draws, 0.95),
        }
    }
}

/// Coordinates of some rows on the first components.
fn coordinates(
    ctx: &Context,
    fitted: &dyn Fitted,
    rows: Numbers<'_>,
    some: &RowSet,
    k: usize,
) -> Result<Mat<f64>, Error> {
    on_numbers!(rows, source => {
        let some = Subset::new(source, some);
        Ok(match fitted.transform(ctx, (&some).into())? {
            Scores::F32(scores) => {
                Mat::from_fn(scores.n_rows(), k.min(scores.n_cols()), |i, j| f64::from(scores[(i, j)]))
            }
            Scores::F64(scores) => {
                Mat::from_fn(scores.n_rows(), k.min(scores.n_cols()), |i, j| scores[(i, j)])
            }
        })
    })
}

/// The columns of some rows without their means and of length 1, as rows; a column that is constant stays zero. Cells that are not
/// numbers count as the mean.
fn centered(scores: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    let mut columns = Mat::from_fn(scores.n_cols(), rows.len(), |j, i| scores[(rows[i], j)]);
    let largest = columns.as_slice().iter().filter(|x| x.is_finite());
    let largest = largest.fold(0.0f64, |m, x| m.max(x.abs()));
    for j in 0..columns.n_rows() {
        let column = columns.row_mut(j);
        let known: Vec<f64> = column.iter().copied().filter(|x| x.is_finite()).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let less = |x: f64| if x.is_finite() { x - mean } else { 0.0 };
        column.iter_mut().for_each(|x| *x = less(*x));
        let length = norm(column);
        let scale = match length > 1e-10 * largest {
            true => 1.0 / length,
            false => 0.0,
        };
        column.iter_mut().for_each(|x| *x *= scale);
    }
    columns
}

/// Orthonormal rows that span these; none where all are zero.
fn basis(columns: &Mat<f64>) -> Result<Option<Mat<f64>>, Error> {
    let (values, vectors) = right_svd(columns.view())?;
    let rank = values.iter().filter(|s| **s > NOTHING).count();
    Ok((rank > 0).then(|| vectors.top(rank)))
}

/// The mean canonical correlation of two spans, and the multiple correlation of each column with the other span.
fn compare(
    columns: &Mat<f64>,
    basis: &Mat<f64>,
    other: Option<&Mat<f64>>,
) -> Result<(f64, Vec<f64>), Error> {
    let Some(other) = other else {
        return Ok((0.0, vec![0.0; columns.n_rows()]));
    };
    let (values, _) = right_svd(times_transposed(basis.view(), other.view()).view())?;
    let mean = values.iter().map(|s| s.min(1.0)).sum::<f64>() / basis.n_rows() as f64;
    let along = times_transposed(columns.view(), other.view());
    let multiple = along.rows().map(|row| dot(row, row).sqrt().min(1.0));
    Ok((mean, multiple.collect()))
}
