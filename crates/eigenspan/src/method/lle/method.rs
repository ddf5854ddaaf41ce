//! Locally linear embedding as one of the methods: what it says of itself.

use super::{HessianWeights, Learned, Lle, LleOptions, Variant};
use crate::context::Context;
use crate::error::{Error, grouped};
use crate::method::contract::{MethodOptions, Project, Training, Value};
use crate::method::eigenmap::{Eigenmap, EigenmapOptions};
use crate::method::record::{Record, damaged};
use crate::note::at_most;
use crate::prepare::Missing;
use crate::solve::Plan;
use crate::source::Numbers;

impl MethodOptions for LleOptions {
    const NAME: &'static str = "lle";
    const TITLE: &'static str =
        "Locally linear embedding: places whose neighborhoods are those of the rows";
    const HEADING: &'static str = "Locally linear embedding";
    const ALIASES: &'static [&'static str] = &[
        "locally-linear-embedding",
        "locally_linear_embedding",
        "locally-linear",
        "mlle",
        "hlle",
        "ltsa",
    ];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit lle digits.csv --neighbors 10 -o places.csv
                                 by the weights that write a row by its neighbors
  eigenspan fit lle digits.csv --variant modified --neighbors 12
                                 by several weights for each row
  eigenspan fit lle wine.csv --scale --variant ltsa -m wine.safetensors
                                 by local tangent spaces
  eigenspan transform wine.safetensors more.csv -o places.csv
                                 new rows, by weights of their nearest rows";
    type Model = Lle;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Lle, Error> {
        crate::on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<Lle, Error> {
        let lle: Lle = Eigenmap::from_record(record, true)?;
        match (1..=lle.places.n_rows()).contains(&lle.header.options.n_neighbors) {
            true => Ok(lle),
            false => Err(damaged("it has fewer rows than neighbors of each")),
        }
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_n_components(&self, k: usize) -> Self {
        LleOptions {
            n_components: k,
            ..self.clone()
        }
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let squares = n_rows.saturating_mul(n_rows);
        Some(squares.saturating_mul(n_cols.saturating_add(n_rows)))
    }
}

impl EigenmapOptions for LleOptions {
    const SHORT: &'static str = "locally linear embedding";
    const AXIS: &'static str = "LLE";
    const DETAILS: &'static [&'static str] = &["eigenvalues", "residuals", "reconstruction_error"];
    type Learned = Learned;

    fn facts(map: &Lle) -> Vec<(&'static str, String)> {
        let (options, learned) = (&map.header.options, &map.header.learned);
        let kept = match options.variant {
            Variant::Standard => "the weights that write a row by its neighbors",
            Variant::Modified => "several weight vectors for each row",
            Variant::Hessian if options.hessian_weights == HessianWeights::Products => {
                "second derivatives along the leading directions"
            }
            Variant::Hessian => "all that is not linear along the leading directions",
            Variant::Ltsa => "the leading directions of each neighborhood",
        };
        let mut facts = vec![
            ("variant", format!("{}: {kept}", options.variant.name())),
            (
                "neighbors",
                match learned.recall {
                    None => format!("{} nearest rows, euclidean", options.n_neighbors),
                    Some(recall) => format!(
                        "{} nearest rows, euclidean, found approximately: {:.1} % of a sample's true neighbors are among them",
                        options.n_neighbors,
                        100.0 * recall
                    ),
                },
            ),
            (
                "cost left",
                format!("Σλ = {:.4e}", learned.reconstruction_error),
            ),
        ];
        let is_without_own = matches!(options.variant, Variant::Hessian | Variant::Ltsa);
        if is_without_own && learned.n_unseen > 0 {
            let text = format!(
                "{} no row's neighbor; for each of them alone there is an eigenvalue of 0",
                match learned.n_unseen {
                    1 => "1 row is".to_owned(),
                    n => format!("{} rows are", grouped(n as u64)),
                }
            );
            facts.push(("unlinked", text));
        }
        if options.variant == Variant::Standard {
            let text = format!("{} of the trace", options.regularization);
            facts.push(("regularization", text));
        }
        facts
    }

    fn proof(map: &Lle, worst: &str) -> String {
        let largest = map.header.learned.largest_diagonal;
        let residuals = map.residuals.iter().fold(0.0f64, |m, r| m.max(*r));
        let relative = match largest > 0.0 {
            true => format!(", which is at most {} of ‖M‖", at_most(residuals / largest)),
            false => String::new(),
        };
        format!(
            "every residual ‖Mv − λv‖ is at most {worst}{relative}, for M as it is stored; the whole matrix was decomposed"
        )
    }

    fn own_value(map: &Lle, name: &str) -> Option<Value> {
        (name == "reconstruction_error")
            .then_some(Value::Number(map.header.learned.reconstruction_error))
    }

    fn new_rows(map: &Lle) -> Option<&dyn Project> {
        Some(map)
    }
}
