//! A method in one file, by the recipe "Add a method" of CONTRIBUTING.md: the first columns of the rows, centered.
//!
//! It has coordinates of new rows, but no directions, no spectrum and no way back to rows, so that tests see whether fronts
//! ask for capabilities. One line registers it: `registry::add(Entry::for_options::<ToyOptions>())`.

use eigenspan::clap;
use eigenspan::method::contract::{Common, Project, ProjectRows};
use eigenspan::method::record::{Record, as_json};
use eigenspan::method::{Fitted, MethodOptions, Training};
use eigenspan::prepare::{Missing, find_not_finite};
use eigenspan::solve::{Keep, Plan, Solver};
use eigenspan::source::{Numbers, Rows, Source, fold};
use eigenspan::{Context, Error, Mat, Real, on_numbers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What can be asked of the toy method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ToyOptions {
    /// Columns to keep, from the first on
    #[arg(short = 'k', long, value_name = "K", default_value_t = 2)]
    pub(crate) n_components: usize,

    /// Seed, which changes nothing
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl Default for ToyOptions {
    fn default() -> Self {
        ToyOptions {
            n_components: 2,
            seed: 0,
        }
    }
}

/// The means of the columns that were kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Toy {
    header: Header,
    mean: Vec<f64>,
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Header {
    options: ToyOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    n_cols: usize,
    plan: Plan,
}

impl ToyOptions {
    fn fit<T: Real>(&self, ctx: &Context, source: &dyn Source<T>) -> Result<Toy, Error> {
        let (k, d) = (self.n_components, source.n_cols());
        let plan = self.plan_for_shape(d)?;
        let (sums, n_rows) = fold(
            ctx,
            source,
            8 * k,
            || (vec![0.0; k], 0usize),
            |(sums, n), rows| {
                let cells = rows.block.to_mat();
                for row in cells.rows() {
                    sums.iter_mut().zip(row).for_each(|(s, x)| *s += x.to_f64());
                }
                *n += cells.n_rows();
                Ok(())
            },
            |(sums, n), (more, m)| {
                sums.iter_mut().zip(more).for_each(|(s, x)| *s += x);
                *n += m;
            },
        )?;
        if sums.iter().any(|sum| !sum.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        Ok(Toy {
            header: Header {
                options: self.clone(),
                columns: source.col_names().map(<[String]>::to_vec),
                n_rows,
                n_cols: d,
                plan,
            },
            mean: sums.iter().map(|sum| sum / n_rows as f64).collect(),
        })
    }

    fn plan_for_shape(&self, n_cols: usize) -> Result<Plan, Error> {
        let asked = self.n_components;
        if asked == 0 || asked > n_cols {
            let (rows, cols) = (usize::MAX, n_cols);
            return Err(Error::TooManyComponents { asked, rows, cols });
        }
        Ok(Plan {
            solver: Solver::Full,
            reason: "means are one sum".to_owned(),
            passes: 1,
            bytes: 8 * asked as u64,
            flops: asked as f64,
        })
    }
}

impl MethodOptions for ToyOptions {
    const NAME: &'static str = "toy";
    const TITLE: &'static str = "The first columns, centered";
    const HEADING: &'static str = "Toy";
    type Model = Toy;

    fn plan_for(&self, _ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        self.plan_for_shape(rows.n_cols())
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Toy, Error> {
        on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<Toy, Error> {
        Ok(Toy {
            header: record.header()?,
            mean: record.list("mean")?,
        })
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        self.seed
    }
}

impl<T: Real> ProjectRows<T> for Toy {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        let cells = rows.block.to_mat();
        Ok(Mat::from_fn(cells.n_rows(), self.mean.len(), |i, j| {
            cells[(i, j)].to_f64() - self.mean[j]
        }))
    }
}

impl Fitted for Toy {
    fn method(&self) -> &'static str {
        ToyOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "the toy method"
    }

    fn common(&self) -> Common<'_> {
        Common {
            n_rows: self.header.n_rows,
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: self.mean.len(),
            asked: Keep::Count(self.mean.len()),
            missing: Missing::Error,
            preparation: None,
            plan: &self.header.plan,
            notes: &[],
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("T{}", i + 1)
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("means", format!("{:?}", self.mean))]
    }

    fn options(&self) -> Result<serde_json::Value, Error> {
        as_json(&self.header.options)
    }

    fn record(&self) -> Result<Record<'_>, Error> {
        Ok(Record::new(&self.header)?.with_list("mean", &self.mean))
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
