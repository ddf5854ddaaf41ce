//! A method with coordinates for its training rows alone, in one file: the mean of each row and its range.
//!
//! It has an embedding, but no coordinates of new rows, no directions and no spectrum. Rows with missing cells can be left out. One
//! line registers it: `registry::add(Entry::for_options::<PlacesOptions>())`.

use eigenspan::clap;
use eigenspan::method::contract::Common;
use eigenspan::method::record::{Record, as_json};
use eigenspan::method::{Fitted, MethodOptions, Training};
use eigenspan::prepare::{Missing, find_not_finite};
use eigenspan::solve::{Keep, Plan, Solver};
use eigenspan::source::{Numbers, Source, fold};
use eigenspan::{Context, Error, Mat, Real, on_numbers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What can be asked of the method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlacesOptions {
    /// What to do with missing cells: refuse them (error), or leave out their rows (drop)
    #[arg(long, value_name = "HOW", default_value = "error")]
    pub(crate) missing: Missing,
}

/// The coordinates of the training rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Places {
    header: Header,
    embedding: Mat<f64>,
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Header {
    options: PlacesOptions,
    columns: Option<Vec<String>>,
    n_cols: usize,
    plan: Plan,
}

impl PlacesOptions {
    fn plan(&self) -> Plan {
        Plan {
            solver: Solver::Full,
            reason: "each row is looked at alone".to_owned(),
            passes: 1,
            bytes: 0,
            flops: 0.0,
        }
    }

    fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Places, Error> {
        let cells = fold(
            ctx,
            source,
            16,
            Vec::new,
            |cells, rows| {
                for row in rows.block.to_mat().rows() {
                    let row: Vec<f64> = row.iter().map(|x| x.to_f64()).collect();
                    let is_left_out = row.iter().any(|x| x.is_nan());
                    if is_left_out && self.missing == Missing::Drop {
                        continue;
                    }
                    let sum: f64 = row.iter().sum();
                    let low = row.iter().copied().fold(f64::INFINITY, f64::min);
                    let high = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    cells.extend([sum / row.len() as f64, high - low]);
                }
                Ok(())
            },
            |cells: &mut Vec<f64>, more| cells.extend(more),
        )?;
        if cells.iter().any(|x| !x.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        Ok(Places {
            header: Header {
                options: self.clone(),
                columns: source.col_names().map(<[String]>::to_vec),
                n_cols: source.n_cols(),
                plan: self.plan(),
            },
            embedding: Mat::from_vec(cells.len() / 2, 2, cells)?,
        })
    }
}

impl MethodOptions for PlacesOptions {
    const NAME: &'static str = "toy-places";
    const TITLE: &'static str = "The mean and the range of every row";
    const HEADING: &'static str = "Toy of places";
    type Model = Places;

    fn plan_for(&self, _ctx: &Context, _rows: Numbers<'_>) -> Result<Plan, Error> {
        Ok(self.plan())
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Places, Error> {
        on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<Places, Error> {
        Ok(Places {
            header: record.header()?,
            embedding: record.matrix("embedding")?,
        })
    }

    fn missing(&self) -> Missing {
        self.missing
    }

    fn seed(&self) -> u64 {
        0
    }
}

impl Fitted for Places {
    fn method(&self) -> &'static str {
        PlacesOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "the toy of places"
    }

    fn common(&self) -> Common<'_> {
        Common {
            n_rows: self.embedding.n_rows(),
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: 2,
            asked: Keep::All,
            missing: self.header.options.missing,
            preparation: None,
            plan: &self.header.plan,
            notes: &[],
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("P{}", i + 1)
    }

    fn embedding(&self) -> Option<&Mat<f64>> {
        Some(&self.embedding)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("places", "mean and range".to_owned())]
    }

    fn options(&self) -> Result<serde_json::Value, Error> {
        as_json(&self.header.options)
    }

    fn record(&self) -> Result<Record<'_>, Error> {
        Ok(Record::new(&self.header)?.with_matrix("embedding", &self.embedding))
    }

    fn renamed(&self, columns: Vec<String>) -> Result<Box<dyn Fitted>, Error> {
        let mut renamed = self.clone();
        renamed.header.columns = Some(columns);
        Ok(Box::new(renamed))
    }

    fn boxed(&self) -> Box<dyn Fitted> {
        Box::new(self.clone())
    }
}
