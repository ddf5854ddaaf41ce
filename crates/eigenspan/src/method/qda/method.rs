//! QDA as one of the methods. The coordinates of a row are the probabilities of the classes: there are no directions among the columns.

use serde::{Deserialize, Serialize};

use super::{Qda, QdaOptions, QdaParts};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::mat::{Mat, Real};
use crate::method::contract::{
    Common, Fitted, MethodOptions, Predict, Project, ProjectRows, Training, Value,
};
use crate::method::lda::class_words;
use crate::method::predict::predict_by_blocks;
use crate::method::record::{Record, as_json};
use crate::note::Note;
use crate::prepare::Missing;
use crate::solve::{Keep, Plan};
use crate::source::{Numbers, Rows};

impl MethodOptions for QdaOptions {
    const NAME: &'static str = "qda";
    const TITLE: &'static str = "Quadratic discriminant analysis: a normal distribution for every class, and the probabilities of the classes";
    const HEADING: &'static str = "QDA";
    const ALIASES: &'static [&'static str] = &["quadratic-discriminant-analysis"];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit qda iris.csv --label-column species -m iris.safetensors -o probabilities.csv
                                 the predicted class of every row, and the probability of each class
  eigenspan transform iris.safetensors new.csv -o predicted.csv
  eigenspan fit qda digits.csv --label-column digit --reg-param 0.1 -m digits.safetensors
                                 covariances made regular";
    const LEARNS_FROM_LABELS: bool = true;
    type Model = Qda;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        self.plan(ctx, rows)
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Qda, Error> {
        self.fit(ctx, training)
    }

    fn from_record(record: &Record<'_>) -> Result<Qda, Error> {
        let header: Header = record.header()?;
        Qda::from_parts(QdaParts {
            options: header.options,
            columns: header.columns,
            n_rows: header.n_rows,
            classes: header.classes,
            weights: record.list("class_weights")?,
            priors: record.list("priors")?,
            means: record.matrix("class_means")?,
            whitening: record.matrix("whitening")?,
            log_determinants: record.list("log_determinants")?,
            fill: record.optional("fill")?,
            plan: header.plan,
            notes: header.notes,
        })
    }

    fn missing(&self) -> Missing {
        self.missing
    }

    fn seed(&self) -> u64 {
        0
    }

    /// Cells × columns.
    fn operations(&self, n_rows: u64, n_cols: u64, n_cells: u64) -> Option<u64> {
        let cells = n_cells.saturating_add(n_rows).saturating_add(n_cols);
        Some(cells.saturating_mul(n_cols))
    }
}

impl<T: Real> ProjectRows<T> for Qda {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.probabilities_of(&rows.block)
    }
}

predict_by_blocks!(Qda);

impl Fitted for Qda {
    fn method(&self) -> &'static str {
        QdaOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        Qda::NAME_IN_WORDS
    }

    fn headline(&self) -> String {
        format!("QDA, {}", counted(self.classes().len(), "class"))
    }

    fn common(&self) -> Common<'_> {
        let parts = self.parts();
        Common {
            n_rows: parts.n_rows,
            n_cols: parts.means.n_cols(),
            columns: parts.columns.as_deref(),
            n_components: parts.classes.len(),
            asked: Keep::All,
            missing: parts.options.missing,
            preparation: None,
            plan: &parts.plan,
            notes: &parts.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("p({})", self.classes()[i])
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn operations_per_cell(&self) -> usize {
        self.parts().classes.len() * self.parts().means.n_cols()
    }

    fn predictor(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let parts = self.parts();
        let plan = &parts.plan;
        vec![
            (
                "classes",
                class_words(&parts.classes, &parts.weights, &parts.priors),
            ),
            ("scores", "the probability of each class".to_owned()),
            ("solver", format!("{}: {}", plan.solver, plan.reason)),
        ]
    }

    fn details(&self) -> &'static [&'static str] {
        &["priors", "class_means", "log_determinants"]
    }

    fn value(&self, name: &str) -> Option<Value> {
        let parts = self.parts();
        Some(match name {
            "priors" => Value::List(parts.priors.clone()),
            "class_means" => Value::Matrix(parts.means.clone()),
            "class_weights" => Value::List(parts.weights.clone()),
            "log_determinants" => Value::List(parts.log_determinants.clone()),
            "whitening" => Value::Matrix(parts.whitening.clone()),
            _ => return None,
        })
    }

    fn options(&self) -> Result<serde_json::Value, Error> {
        as_json(&self.parts().options)
    }

    fn record(&self) -> Result<Record<'_>, Error> {
        let parts = self.parts();
        let record = Record::new(Header {
            options: parts.options.clone(),
            columns: parts.columns.clone(),
            n_rows: parts.n_rows,
            classes: parts.classes.clone(),
            plan: parts.plan.clone(),
            notes: parts.notes.clone(),
        })?;
        Ok(record
            .with_matrix("class_means", &parts.means)
            .with_list("class_weights", &parts.weights)
            .with_list("priors", &parts.priors)
            .with_matrix("whitening", &parts.whitening)
            .with_list("log_determinants", &parts.log_determinants)
            .with_optional("fill", parts.fill.as_deref()))
    }

    fn renamed(&self, columns: Vec<String>) -> Result<Box<dyn Fitted>, Error> {
        let mut parts = self.parts().clone();
        parts.columns = Some(columns);
        Ok(Box::new(Qda::from_parts(parts)?))
    }

    fn boxed(&self) -> Box<dyn Fitted> {
        Box::new(self.clone())
    }
}

/// The parts of a model that are not tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    options: QdaOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    classes: Vec<String>,
    plan: Plan,
    notes: Vec<Note>,
}
