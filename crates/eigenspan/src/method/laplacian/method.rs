//! Laplacian eigenmaps as one of the methods: what they say of themselves.

use super::{Affinity, Laplacian, LaplacianOptions, Learned};
use crate::context::Context;
use crate::error::{Error, grouped};
use crate::graph::Metric;
use crate::kernel::rounded;
use crate::method::MapOf;
use crate::method::contract::{MethodOptions, Training, Value};
use crate::method::eigenmap::{Eigenmap, EigenmapOptions};
use crate::method::record::Record;
use crate::prepare::Missing;
use crate::solve::Plan;
use crate::source::Numbers;

impl MethodOptions for LaplacianOptions {
    const NAME: &'static str = "laplacian";
    const TITLE: &'static str =
        "Laplacian eigenmaps (spectral embedding): places that keep linked rows near each other";
    const HEADING: &'static str = "Laplacian eigenmaps";
    const ALIASES: &'static [&'static str] = &[
        "laplacian-eigenmaps",
        "laplacian_eigenmaps",
        "spectral",
        "spectral-embedding",
        "spectral_embedding",
    ];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit laplacian digits.csv --neighbors 10 -o places.csv
                                 by the graph of nearest neighbors
  eigenspan fit laplacian wine.csv --scale --affinity rbf --gamma median
                                 by a Gaussian kernel of all pairs
  eigenspan fit laplacian links.csv --affinity precomputed -k 3
                                 the table is the matrix of affinities";
    type Model = Laplacian;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Laplacian, Error> {
        crate::on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<Laplacian, Error> {
        Eigenmap::from_record(record, false)
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_n_components(&self, k: usize) -> Self {
        LaplacianOptions {
            n_components: k,
            ..self.clone()
        }
    }

    fn fits_some_rows(&self) -> bool {
        self.affinity != Affinity::Precomputed
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let squares = n_rows.saturating_mul(n_rows);
        Some(match self.affinity {
            Affinity::NearestNeighbors => squares.saturating_mul(n_cols),
            _ => squares.saturating_mul(n_cols.saturating_add(1000)),
        })
    }
}

impl EigenmapOptions for LaplacianOptions {
    const SHORT: &'static str = "spectral embedding";
    const AXIS: &'static str = "LE";
    const DETAILS: &'static [&'static str] = &["eigenvalues", "residuals", "n_pairs", "gamma"];
    type Learned = Learned;

    fn map_of_options(&self) -> MapOf {
        match self.affinity {
            Affinity::NearestNeighbors => MapOf::Rows(self.metric),
            Affinity::Rbf => MapOf::Rows(Metric::Euclidean),
            Affinity::Precomputed => MapOf::Unknown,
        }
    }

    fn facts(map: &Laplacian) -> Vec<(&'static str, String)> {
        let (options, learned) = (&map.header.options, &map.header.learned);
        let affinity = match options.affinity {
            Affinity::NearestNeighbors => format!(
                "of the {} nearest neighbors, {}: {} linked pairs, 1 where both are neighbors of each other and ½ else",
                options.n_neighbors,
                options.metric.name(),
                grouped(learned.n_pairs as u64)
            ),
            Affinity::Rbf => format!(
                "exp(−γ‖x − y‖²) of all pairs of rows, γ = {}",
                rounded(learned.gamma.unwrap_or(0.0), 4)
            ),
            Affinity::Precomputed => format!(
                "the table, with {} linked pairs",
                grouped(learned.n_pairs as u64)
            ),
        };
        let mut facts = vec![("affinity", affinity)];
        if let Some(recall) = learned.recall {
            let text = format!(
                "found approximately, {:.1} % of a sample's true neighbors among them",
                100.0 * recall
            );
            facts.push(("neighbors", text));
        }
        facts
    }

    fn proof(map: &Laplacian, worst: &str) -> String {
        let complete = match map.header.learned.rounds {
            0 => "the matrix was decomposed, so that no smaller eigenvalue is missing",
            _ => {
                "that no smaller one is missing rests on a start of more random vectors than eigenvectors"
            }
        };
        format!("every residual ‖Lv − λv‖ is at most {worst}, where ‖L‖ ≤ 2; {complete}")
    }

    fn own_value(map: &Laplacian, name: &str) -> Option<Value> {
        let learned = &map.header.learned;
        Some(match name {
            "n_pairs" => Value::Count(learned.n_pairs),
            "gamma" => learned.gamma.map_or(Value::Nothing, Value::Number),
            _ => return None,
        })
    }
}
