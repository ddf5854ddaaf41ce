//! What neighbors are asked for, and rows that stay ready for the neighbors of new ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approximate::approximate;
use super::exact::{Own, nearest};
use super::neighbors::{Neighbors, SearchMethod};
use super::rows::MetricRows;
use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::mat::Real;
use crate::source::{Numbers, Source};

/// How far two rows are from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// √Σ(xⱼ − yⱼ)²
    #[default]
    Euclidean,
    /// 1 − xᵀy/(‖x‖‖y‖): the angle between rows, whatever their lengths
    Cosine,
    /// Σ|xⱼ − yⱼ|
    Manhattan,
    /// 1 − the correlation of the cells of two rows: cosine, once each row's own mean is subtracted
    Correlation,
    /// The share of columns in which two rows differ
    Hamming,
}

impl Metric {
    /// The name that options and files use.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Euclidean => "euclidean",
            Metric::Cosine => "cosine",
            Metric::Manhattan => "manhattan",
            Metric::Correlation => "correlation",
            Metric::Hamming => "hamming",
        }
    }

    /// Whether it is a function of the squared distance of prepared rows, so that products help.
    pub(super) fn is_of_squares(self) -> bool {
        matches!(
            self,
            Metric::Euclidean | Metric::Cosine | Metric::Correlation
        )
    }
}

/// How neighbors are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Exact where that takes seconds, else approximate
    #[default]
    Auto,
    /// All rows are compared with all others
    Exact,
    /// Random trees, then NN-descent: rows are compared with the neighbors of their neighbors
    Approximate,
}

/// Which neighbors to look for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct NeighborOptions {
    /// Neighbors of each row; the row itself is not one of them
    #[cfg_attr(
        feature = "clap",
        arg(short = 'k', long, value_name = "K", default_value_t = 15)
    )]
    pub n_neighbors: usize,

    /// How far two rows are from each other
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "METRIC", value_enum, default_value_t = Metric::Euclidean)
    )]
    pub metric: Metric,

    /// How neighbors are looked for
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "ALGORITHM", value_enum, default_value_t = Algorithm::Auto)
    )]
    pub algorithm: Algorithm,

    /// The share of true neighbors that an approximate search goes on for, as measured on a sample of the rows
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "SHARE", default_value_t = 0.95)
    )]
    pub recall: f64,

    /// Seed of the random trees and of samples; the same seed gives the same neighbors
    #[cfg_attr(feature = "clap", arg(long, value_name = "SEED", default_value_t = 0))]
    pub seed: u64,
}

impl Default for NeighborOptions {
    fn default() -> Self {
        NeighborOptions {
            n_neighbors: 15,
            metric: Metric::Euclidean,
            algorithm: Algorithm::Auto,
            recall: 0.95,
            seed: 0,
        }
    }
}

/// Products in f32 (n²d) that an exact search may take before `auto` approximates: about three seconds on two cores.
const PRODUCTS: f64 = 1.5e11;
/// Terms of differences, which take longer.
const TERMS: f64 = 2e10;
/// An approximate search of fewer rows is no faster.
const FEW: usize = 4096;

impl NeighborOptions {
    /// The neighbors of every row of a source among the others.
    ///
    /// ```
    /// use eigenspan::graph::NeighborOptions;
    /// use eigenspan::source::Dense;
    /// use eigenspan::{Context, Mat};
    ///
    /// let rows = Mat::from_vec(4, 1, vec![0.0, 1.0, 3.0, 7.0])?;
    /// let options = NeighborOptions { n_neighbors: 2, ..Default::default() };
    /// let found = options.fit(&Context::new(), &Dense::new(rows.view()))?;
    /// assert_eq!(found.row(2), ([1, 0].as_slice(), [2.0, 3.0].as_slice()));
    /// # Ok::<(), eigenspan::Error>(())
    /// ```
    pub fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Neighbors, Error> {
        self.neighbors_of(ctx, Numbers::from_source(source))
    }

    /// The same for rows of either element type.
    pub fn neighbors_of(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Neighbors, Error> {
        self.prepare(ctx, rows)?.neighbors(ctx)
    }

    /// Rows that are ready to be searched.
    pub fn prepare(&self, ctx: &Context, rows: Numbers<'_>) -> Result<FittedRows, Error> {
        if !(self.recall > 0.0 && self.recall <= 1.0) {
            return Err(Error::UnknownValue {
                option: "recall",
                given: self.recall.to_string(),
                allowed: "a share above 0 and at most 1",
            });
        }
        let rows = MetricRows::read(ctx, rows, self.metric, None)?;
        Ok(FittedRows {
            rows,
            options: self.clone(),
        })
    }
}

/// Rows among which neighbors are looked for.
pub struct FittedRows {
    rows: MetricRows,
    options: NeighborOptions,
}

impl std::fmt::Debug for FittedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (n, d) = (self.n_rows(), self.n_cols());
        write!(f, "FittedRows({n} × {d}, {})", self.options.metric.name())
    }
}

impl FittedRows {
    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    /// Columns.
    pub fn n_cols(&self) -> usize {
        self.rows.n_cols()
    }

    /// The options.
    pub fn options(&self) -> &NeighborOptions {
        &self.options
    }

    /// The neighbors of every row among the others.
    pub fn neighbors(&self, ctx: &Context) -> Result<Neighbors, Error> {
        self.neighbors_with(ctx, self.options.n_neighbors)
    }

    /// The same for another number of neighbors.
    pub fn neighbors_with(&self, ctx: &Context, k: usize) -> Result<Neighbors, Error> {
        let n = self.n_rows();
        check_count(k, n, n - 1, true)?;
        let exact = match self.options.algorithm {
            Algorithm::Exact => true,
            Algorithm::Approximate => n <= FEW.min(64 * k),
            Algorithm::Auto => self.is_quick() || n <= FEW || k > n / 16,
        };
        if exact {
            ctx.begin("comparing all rows", Some(n as u64));
            let found = nearest(ctx, &self.rows, &self.rows, k, Own::Same)?;
            return Ok(Neighbors::new(&self.rows, n, k, found, SearchMethod::Exact));
        }
        let (found, recall) = approximate(ctx, &self.rows, k, &self.options)?;
        Ok(Neighbors::new(
            &self.rows,
            n,
            k,
            found,
            SearchMethod::Approximate(recall),
        ))
    }

    /// The k nearest rows of new rows, exactly.
    pub fn nearest_to(
        &self,
        ctx: &Context,
        new: Numbers<'_>,
        k: usize,
    ) -> Result<Neighbors, Error> {
        let n = self.n_rows();
        check_count(k, n, n, false)?;
        let queries = MetricRows::read(ctx, new, self.options.metric, Some(&self.rows))?;
        ctx.begin("comparing rows", Some(queries.n_rows() as u64));
        let found = nearest(ctx, &queries, &self.rows, k, Own::None)?;
        Ok(Neighbors::new(&self.rows, n, k, found, SearchMethod::Exact))
    }

    pub(super) fn metric_rows(&self) -> &MetricRows {
        &self.rows
    }

    fn is_quick(&self) -> bool {
        let (n, d) = (self.n_rows() as f64, self.n_cols() as f64);
        match self.rows.has_products() {
            true => n * n * d <= PRODUCTS,
            false => n * n * d.min(self.rows.cells_per_row() * 8.0) <= TERMS,
        }
    }
}

fn check_count(asked: usize, n_rows: usize, most: usize, own: bool) -> Result<(), Error> {
    match asked >= 1 && asked <= most {
        true => Ok(()),
        false => Err(Error::Neighbors(NeighborFault::Count {
            asked,
            n_rows,
            most,
            own,
        })),
    }
}
