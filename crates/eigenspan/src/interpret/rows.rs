//! How rows relate to the components: scores, how well a row is represented, how much it contributes, and how far out it lies.
//!
//! For a prepared row x with scores t = Vᵀx, the first k components, and its weight w (1 without weights):
//!
//! - squared distance: ‖x‖², to the center of the fit.
//! - cos²: t² ÷ ‖x‖², the share of the row's squared distance along a component; over all components they sum to 1.
//! - contribution: 100 w t² ÷ σ², the share in percent that a row contributes to a component, where σ² = Σ w t² = λ·divisor
//!   over the rows of the fit; over those rows they sum to 100 for each component, under either convention.
//! - T² (Hotelling 1931, Ann. Math. Statist. 2:360–378): Σ t²/λ over the first k components, the distance within their span.
//! - Q, the squared prediction error: ‖x − V_k t_k‖², the distance to their span. A component without variance counts as left
//!   out.
//!
//! One reading, n·d·k (of sparse rows, k for each cell that is not zero); memory n × (scores + 4).

use std::sync::Mutex;

use serde::Serialize;

use super::completed::for_each_panel;
use super::{checked_count, share_of, variances};
use crate::context::Context;
use crate::error::{Error, ShapeFault};
use crate::mat::{Mat, Real};
use crate::method::Pca;
use crate::on_numbers;
use crate::prepare::{Missing, find_not_finite};
use crate::source::{Numbers, RowSet, Rows, Source, Subset, for_each_block};

/// Options of [`row_facts`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowOptions {
    /// Number of leading components that T² and Q use [default: all]
    pub n_components: Option<usize>,
    /// Number of leading components with scores; 0 for no scores [default: as many as `n_components`]
    pub n_scores: Option<usize>,
}

/// Scores and distances of some or all rows of a source. Rows that the model would leave out have NaN everywhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowFacts {
    /// Which rows, from 0.
    pub rows: RowSet,
    /// Number of components that T² and Q use.
    pub n_components: usize,
    /// Scores, never whitened.
    pub scores: Mat<f64>,
    /// Squared distance to the center, in prepared units.
    pub squared_distances: Vec<f64>,
    /// Hotelling's T².
    pub t2: Vec<f64>,
    /// Squared prediction error.
    pub q: Vec<f64>,
    /// Weights, where rows have weights.
    pub weights: Option<Vec<f64>>,
}

/// Reads the source once and gives the facts about `rows`, or about all rows.
///
/// ```
/// use eigenspan::interpret::{RowOptions, row_facts};
/// use eigenspan::source::Dense;
/// use eigenspan::{Context, MatView, PcaOptions};
///
/// let ctx = Context::new();
/// let cells = [3.0, 3.0, 4.0, 7.0, 5.0, 8.0];
/// let rows = Dense::new(MatView::from_rows(&cells, 3, 2)?);
/// let pca = PcaOptions::default().fit(&ctx, &rows)?;
/// let facts = row_facts(&ctx, &pca, &rows, None, &RowOptions::default())?;
/// // The mean is (4, 6); the first row lies (1, 3) away from it.
/// assert!((facts.squared_distances[0] - 10.0).abs() < 1e-12);
/// // T² over all components sums to (n − 1)·d, and nothing is left for Q.
/// assert!((facts.t2.iter().sum::<f64>() - 4.0).abs() < 1e-12 && facts.q[0] < 1e-24);
/// # Ok::<(), eigenspan::Error>(())
/// ```
pub fn row_facts<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    rows: Option<&RowSet>,
    options: &RowOptions,
) -> Result<RowFacts, Error> {
    row_facts_of_numbers(ctx, pca, Numbers::from_source(source), rows, options)
}

/// Compiled in this crate once, for both element types.
fn row_facts_of_numbers(
    ctx: &Context,
    pca: &Pca,
    numbers: Numbers<'_>,
    rows: Option<&RowSet>,
    options: &RowOptions,
) -> Result<RowFacts, Error> {
    on_numbers!(numbers, source => facts_of_rows(ctx, pca, source, rows, options))
}

fn facts_of_rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    rows: Option<&RowSet>,
    options: &RowOptions,
) -> Result<RowFacts, Error> {
    let look = RowNumbers::new(pca, options)?;
    let width = look.width();
    let cells = read(ctx, pca, source, rows, width, &|rows, out| {
        look.at(rows, out)
    })?;
    let n = cells.len() / width;
    let table = Mat::from_vec(n, width, cells)?;
    let k = look.n_scores;
    let facts = RowFacts {
        rows: rows.cloned().unwrap_or(RowSet::Range(0..n)),
        n_components: look.n_components,
        scores: Mat::from_fn(n, k, |i, c| table[(i, c)]),
        squared_distances: table.col(k),
        t2: table.col(k + 1),
        q: table.col(k + 2),
        weights: source.is_weighted().then(|| table.col(k + 3)),
    };
    // The cells of a row with weight 0 may be anything; a row with a weight has finite numbers, unless the model leaves it out.
    let counts = |i: usize| facts.weights.as_ref().is_none_or(|w| w[i] > 0.0);
    let lost = |i: usize| counts(i) && !facts.squared_distances[i].is_finite();
    if pca.parts().options.missing != Missing::Drop && (0..n).any(lost) {
        return Err(find_not_finite(ctx, source));
    }
    Ok(facts)
}

impl RowFacts {
    /// cos² of every row on every component that has scores; 0 for a row at the center.
    pub fn cos2(&self) -> Mat<f64> {
        let (n, k) = (self.scores.n_rows(), self.scores.n_cols());
        Mat::from_fn(n, k, |i, c| {
            let (t, square) = (self.scores[(i, c)], self.squared_distances[i]);
            if square.is_nan() {
                square
            } else {
                share_of(t * t, square)
            }
        })
    }

    /// Contributions of every row to the components that have scores, in percent; 0 for a component without variance. `pca` is
    /// the model that gave these scores.
    pub fn contributions(&self, pca: &Pca) -> Mat<f64> {
        let (n, k) = (self.scores.n_rows(), self.scores.n_cols());
        let spectrum = pca.spectrum();
        Mat::from_fn(n, k, |i, c| {
            let weight = self.weights.as_ref().map_or(1.0, |w| w[i]);
            match spectrum.singular_values.get(c) {
                Some(sigma) if c < spectrum.rank => {
                    100.0 * weight * (self.scores[(i, c)] / sigma).powi(2)
                }
                _ => 0.0,
            }
        })
    }
}

/// Rows minus their reconstruction from `k` components, in the units of the data (n × d): MATLAB's `pcares`. Missing cells are filled by the
/// model's option `missing`; rows that the model would leave out have NaN.
pub fn residual_rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    rows: Option<&RowSet>,
    k: usize,
) -> Result<Mat<f64>, Error> {
    residual_rows_of_numbers(ctx, pca, Numbers::from_source(source), rows, k)
}

/// Compiled in this crate once, for both element types.
fn residual_rows_of_numbers(
    ctx: &Context,
    pca: &Pca,
    numbers: Numbers<'_>,
    rows: Option<&RowSet>,
    k: usize,
) -> Result<Mat<f64>, Error> {
    on_numbers!(numbers, source => residuals_of_rows(ctx, pca, source, rows, k))
}

fn residuals_of_rows<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    rows: Option<&RowSet>,
    k: usize,
) -> Result<Mat<f64>, Error> {
    let (d, k) = (pca.n_cols(), checked_count(pca, Some(k))?);
    let scale = pca.parts().preparation.scale.as_deref();
    let cells = read(ctx, pca, source, rows, d, &|rows, out| {
        for_each_panel(&rows.block, |_, panel| {
            for row in pca.residuals(&panel, k)?.rows() {
                let cells = row.iter().enumerate();
                out.extend(cells.map(|(j, x)| x * scale.map_or(1.0, |s| s[j])));
            }
            Ok(())
        })
    })?;
    let refused = pca.parts().options.missing != Missing::Drop;
    if refused && cells.iter().any(|x| !x.is_finite()) {
        return Err(find_not_finite(ctx, source));
    }
    Mat::from_vec(cells.len() / d, d, cells)
}

/// The numbers to compute for each row.
struct RowNumbers<'a> {
    pca: &'a Pca,
    n_components: usize,
    n_scores: usize,
    /// λ of the leading components that vary.
    lambda: Vec<f64>,
}

impl<'a> RowNumbers<'a> {
    fn new(pca: &'a Pca, options: &RowOptions) -> Result<Self, Error> {
        let n_components = checked_count(pca, options.n_components)?;
        let n_scores = match options.n_scores {
            Some(0) => 0,
            None => n_components,
            asked => checked_count(pca, asked)?,
        };
        let lambda = variances(pca).into_iter().take(n_components);
        Ok(RowNumbers {
            pca,
            n_components,
            n_scores,
            lambda: lambda.take_while(|v| *v > 0.0).collect(),
        })
    }

    /// Numbers kept of a row: scores, squared distance, T², Q, weight.
    fn width(&self) -> usize {
        self.n_scores + 4
    }

    fn at<T: Real>(&self, rows: &Rows<'_, T>, out: &mut Vec<f64>) -> Result<(), Error> {
        for_each_panel(&rows.block, |start, panel| {
            let seen = self.pca.project(&panel, self.lambda.len())?;
            for (i, scores) in seen.scores.rows().enumerate() {
                out.extend_from_slice(&scores[..self.n_scores]);
                let along = scores.iter().zip(&self.lambda);
                out.extend([
                    seen.squares[i],
                    along.map(|(t, v)| t * t / v).sum(),
                    seen.lost[i],
                    rows.weights.map_or(1.0, |w| w[start + i]),
                ]);
            }
            Ok(())
        })
    }
}

/// Gives the numbers of every row of a block, one row after the other.
type LookAt<'a, T> = dyn Fn(&Rows<'_, T>, &mut Vec<f64>) -> Result<(), Error> + Sync + 'a;

/// Reads some rows, or all, once; `at` gives `width` numbers for each row of a block, and they come back in the rows' order.
fn read<T: Real>(
    ctx: &Context,
    pca: &Pca,
    source: &dyn Source<T>,
    rows: Option<&RowSet>,
    width: usize,
    at: &LookAt<'_, T>,
) -> Result<Vec<f64>, Error> {
    let (given, expected) = (source.n_cols(), pca.n_cols());
    if given != expected {
        return Err(Error::WrongWidth { given, expected });
    }
    let subset = rows.map(|rows| Subset::new(source, rows));
    let source: &dyn Source<T> = match &subset {
        Some(subset) => subset,
        None => source,
    };
    let n = source.n_rows();
    // Memory for the numbers, and for the copy that is returned.
    let needed = 16 * (n.unwrap_or(0) as u64).saturating_mul(width as u64);
    if let Some(allowed) = ctx.memory().filter(|allowed| needed > *allowed) {
        return Err(Error::Memory {
            what: "a table of all rows (fewer rows or scores take less)".to_owned(),
            needed,
            allowed,
        });
    }
    let all = Mutex::new(vec![0.0; n.unwrap_or(0) * width]);
    ctx.begin("reading rows", n.map(|n| n as u64));
    for_each_block(ctx, source, |rows| {
        let mut part = Vec::with_capacity(rows.block.n_rows() * width);
        at(rows, &mut part)?;
        let mut all = all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (from, to) = (rows.first * width, rows.first * width + part.len());
        if all.len() < to {
            all.resize(to, 0.0);
        }
        all[from..to].copy_from_slice(&part);
        Ok(())
    })?;
    let all = all
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let found = all.len() / width;
    match rows.map(RowSet::len) {
        Some(asked) if asked != found => Err(Error::Shape(ShapeFault::Rows { asked, found })),
        _ => Ok(all),
    }
}
