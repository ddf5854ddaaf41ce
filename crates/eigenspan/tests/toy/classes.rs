//! A method that learns from classes, in one file: its directions lead from the mean of the first class to those of the others, and
//! it predicts the class whose mean is nearest.
//!
//! It has directions, coordinates of new rows and a predictor, but no spectrum and no way back to rows. Coordinates are
//! (x − m)ᵀ(m_c − m_0), with m the mean of all rows and m_c that of class c; the probability of class c is proportional to
//! exp(−s ‖x − m_c‖²). One line registers it: `registry::add(Entry::for_options::<ClassesOptions>())`.

use eigenspan::clap;
use eigenspan::method::contract::{Common, Predict, Project, ProjectRows};
use eigenspan::method::record::{Record, as_json};
use eigenspan::method::{Fitted, MethodOptions, Training};
use eigenspan::prepare::{Missing, find_not_finite};
use eigenspan::solve::{Keep, Plan, Solver};
use eigenspan::source::{Numbers, Rows, Source, fold};
use eigenspan::{Context, Error, Mat, Real, on_numbers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The method, as a sentence names it.
const NAME_IN_WORDS: &str = "the toy of classes";

/// What can be asked of the method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClassesOptions {
    /// How fast probabilities fall with the squared distance from a class
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub(crate) sharpness: f64,
}

impl Default for ClassesOptions {
    fn default() -> Self {
        ClassesOptions { sharpness: 1.0 }
    }
}

/// The means of the classes, and of all rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Classes {
    header: Header,
    mean: Vec<f64>,
    /// The mean of each class (classes × d).
    means: Mat<f64>,
    /// The way from the first mean to each of the others (classes − 1 × d).
    directions: Mat<f64>,
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Header {
    options: ClassesOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    classes: Vec<String>,
    plan: Plan,
}

impl ClassesOptions {
    fn plan(&self) -> Plan {
        Plan {
            solver: Solver::Full,
            reason: "means of classes are sums".to_owned(),
            passes: 1,
            bytes: 0,
            flops: 0.0,
        }
    }

    fn fit<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
        labels: &[String],
    ) -> Result<Classes, Error> {
        let mut classes = labels.to_vec();
        classes.sort();
        classes.dedup();
        let d = source.n_cols();
        let empty = || {
            let sums: Mat<f64> = Mat::zeros(classes.len(), d);
            (sums, vec![0usize; classes.len()])
        };
        let (sums, counts) = fold(
            ctx,
            source,
            8 * classes.len() * d,
            empty,
            |(sums, counts), rows| {
                for (i, row) in rows.block.to_mat().rows().enumerate() {
                    let label = &labels[rows.first + i];
                    let class = classes.partition_point(|class| class < label);
                    let sums = sums.row_mut(class).iter_mut();
                    sums.zip(row).for_each(|(sum, x)| *sum += x.to_f64());
                    counts[class] += 1;
                }
                Ok(())
            },
            |(sums, counts), (more, n)| {
                for class in 0..counts.len() {
                    let into = sums.row_mut(class).iter_mut();
                    into.zip(more.row(class)).for_each(|(sum, x)| *sum += x);
                    counts[class] += n[class];
                }
            },
        )?;
        if sums.as_slice().iter().any(|sum| !sum.is_finite()) {
            return Err(find_not_finite(ctx, source));
        }
        let n_rows: usize = counts.iter().sum();
        let total = |j: usize| sums.rows().map(|row| row[j]).sum::<f64>();
        let mean = (0..d).map(|j| total(j) / n_rows as f64).collect();
        let means = Mat::from_fn(classes.len(), d, |c, j| sums[(c, j)] / counts[c] as f64);
        let header = Header {
            options: self.clone(),
            columns: source.col_names().map(<[String]>::to_vec),
            n_rows,
            classes,
            plan: self.plan(),
        };
        Ok(Classes::new(header, mean, means))
    }
}

impl MethodOptions for ClassesOptions {
    const NAME: &'static str = "toy-classes";
    const TITLE: &'static str = "Directions between the means of classes";
    const HEADING: &'static str = "Toy of classes";
    const LEARNS_FROM_LABELS: bool = true;
    type Model = Classes;

    fn plan_for(&self, _ctx: &Context, _rows: Numbers<'_>) -> Result<Plan, Error> {
        Ok(self.plan())
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Classes, Error> {
        let labels = training.must_have_labels(NAME_IN_WORDS)?;
        on_numbers!(training.rows, source => self.fit(ctx, source, labels))
    }

    fn from_record(record: &Record<'_>) -> Result<Classes, Error> {
        let means = record.matrix("means")?;
        Ok(Classes::new(record.header()?, record.list("mean")?, means))
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        0
    }
}

impl Classes {
    fn new(header: Header, mean: Vec<f64>, means: Mat<f64>) -> Self {
        let k = means.n_rows().saturating_sub(1);
        let way = |c: usize, j: usize| means[(c + 1, j)] - means[(0, j)];
        Classes {
            directions: Mat::from_fn(k, means.n_cols(), way),
            header,
            mean,
            means,
        }
    }

    /// The probabilities of the classes of one row.
    fn probabilities_of<T: Real>(&self, row: &[T]) -> Vec<f64> {
        let square = |mean: &[f64]| -> f64 {
            let differences = row.iter().zip(mean).map(|(x, m)| x.to_f64() - m);
            differences.map(|x| x * x).sum()
        };
        let squares: Vec<f64> = self.means.rows().map(square).collect();
        let nearest = squares.iter().copied().fold(f64::INFINITY, f64::min);
        let weight = |square: &f64| (self.header.options.sharpness * (nearest - square)).exp();
        let weights: Vec<f64> = squares.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }
}

impl<T: Real> ProjectRows<T> for Classes {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        let cells = rows.block.to_mat();
        Ok(Mat::from_fn(
            cells.n_rows(),
            self.directions.n_rows(),
            |i, c| {
                let centered = cells.row(i).iter().zip(&self.mean);
                let along = centered.zip(self.directions.row(c));
                along.map(|((x, m), v)| (x.to_f64() - m) * v).sum()
            },
        ))
    }
}

impl Predict for Classes {
    fn classes(&self) -> &[String] {
        &self.header.classes
    }

    fn probabilities(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Mat<f64>, Error> {
        let cells = on_numbers!(rows, source => fold(
            ctx,
            source,
            8 * source.n_cols(),
            Vec::new,
            |cells, rows| {
                let of_row = |row: &[_]| self.probabilities_of(row);
                cells.extend(rows.block.to_mat().rows().flat_map(of_row));
                Ok(())
            },
            |cells: &mut Vec<f64>, more| cells.extend(more),
        ))?;
        let c = self.header.classes.len();
        Mat::from_vec(cells.len() / c, c, cells)
    }
}

impl Fitted for Classes {
    fn method(&self) -> &'static str {
        ClassesOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        NAME_IN_WORDS
    }

    fn common(&self) -> Common<'_> {
        let k = self.directions.n_rows();
        Common {
            n_rows: self.header.n_rows,
            n_cols: self.mean.len(),
            columns: self.header.columns.as_deref(),
            n_components: k,
            asked: Keep::All,
            missing: Missing::Error,
            preparation: None,
            plan: &self.header.plan,
            notes: &[],
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("C{}", i + 1)
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn directions(&self) -> Option<&Mat<f64>> {
        Some(&self.directions)
    }

    fn predictor(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("classes", self.header.classes.join(", "))]
    }

    fn options(&self) -> Result<serde_json::Value, Error> {
        as_json(&self.header.options)
    }

    fn record(&self) -> Result<Record<'_>, Error> {
        let record = Record::new(&self.header)?.with_list("mean", &self.mean);
        Ok(record.with_matrix("means", &self.means))
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
