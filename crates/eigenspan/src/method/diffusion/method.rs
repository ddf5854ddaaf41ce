//! Diffusion maps as one of the methods: what they say of themselves.

use super::{DiffusionMap, DiffusionOptions, Learned};
use crate::context::Context;
use crate::error::Error;
use crate::kernel::rounded;
use crate::method::contract::{MethodOptions, Project, Training, Value};
use crate::method::eigenmap::{Eigenmap, EigenmapOptions};
use crate::method::record::{Record, damaged};
use crate::prepare::Missing;
use crate::solve::Plan;
use crate::source::Numbers;

impl MethodOptions for DiffusionOptions {
    const NAME: &'static str = "diffusion";
    const TITLE: &'static str =
        "Diffusion maps: places whose distances are those between random walks from row to row";
    const HEADING: &'static str = "Diffusion maps";
    const ALIASES: &'static [&'static str] = &["diffusion-map", "diffusion-maps", "diffusion_map"];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit diffusion wine.csv --scale -m wine.safetensors -o places.csv
                                 the walk of one step, without the rows' density
  eigenspan fit diffusion wine.csv --scale --gamma 0.05 --alpha 0.5 --time 4
                                 four steps, half of the density divided out
  eigenspan transform wine.safetensors more.csv -o places.csv
                                 new rows, by Nyström's extension";
    type Model = DiffusionMap;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<DiffusionMap, Error> {
        crate::on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<DiffusionMap, Error> {
        let map: DiffusionMap = Eigenmap::from_record(record, true)?;
        let learned = &map.header.learned;
        let positive = |list: &[f64]| list.iter().all(|x| *x > 0.0);
        let values = &map.eigenvalues;
        if learned.rank > values.len() || !positive(&values[..learned.rank]) {
            return Err(damaged("its eigenvalues do not fit its rank"));
        }
        match map.weights.as_deref().is_some_and(positive)
            && learned.gamma > 0.0
            && learned.gamma.is_finite()
        {
            true => Ok(map),
            false => Err(damaged("its kernel or its densities are not above zero")),
        }
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_n_components(&self, k: usize) -> Self {
        DiffusionOptions {
            n_components: k,
            ..self.clone()
        }
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let squares = n_rows.saturating_mul(n_rows);
        Some(squares.saturating_mul(n_cols.saturating_add(200)))
    }
}

impl EigenmapOptions for DiffusionOptions {
    const SHORT: &'static str = "diffusion map";
    const AXIS: &'static str = "DM";
    const DETAILS: &'static [&'static str] = &["eigenvalues", "residuals", "gamma"];
    type Learned = Learned;

    fn facts(map: &DiffusionMap) -> Vec<(&'static str, String)> {
        let (options, learned) = (&map.header.options, &map.header.learned);
        let density = match options.alpha {
            0.0 => "as it is (α = 0)".to_owned(),
            1.0 => "divided out (α = 1)".to_owned(),
            alpha => format!("divided out in part (α = {alpha})"),
        };
        vec![
            (
                "kernel",
                format!(
                    "exp(−γ‖x − y‖²) of all pairs of rows, γ = {}",
                    rounded(learned.gamma, 4)
                ),
            ),
            ("density", density),
            (
                "walk",
                format!("t = {}: coordinate λᵗψ", options.diffusion_time),
            ),
        ]
    }

    fn proof(map: &DiffusionMap, worst: &str) -> String {
        let complete = match map.header.learned.rounds {
            0 => "the matrix was decomposed, so that no larger eigenvalue is missing",
            _ => {
                "that no larger one is missing rests on a start of more random vectors than eigenvectors"
            }
        };
        format!(
            "every residual ‖Sv − λv‖ is at most {worst}, where S = D^½ P D^−½ with ‖S‖ = 1; {complete}"
        )
    }

    fn own_value(map: &DiffusionMap, name: &str) -> Option<Value> {
        (name == "gamma").then_some(Value::Number(map.header.learned.gamma))
    }

    fn new_rows(map: &DiffusionMap) -> Option<&dyn Project> {
        Some(map)
    }
}
