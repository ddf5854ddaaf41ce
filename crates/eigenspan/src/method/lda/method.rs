//! LDA as one of the methods: its capabilities, and the contents of a model file.

use serde::{Deserialize, Serialize};

use super::{Lda, LdaOptions, LdaParts};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::mat::{Mat, Real};
use crate::method::contract::{
    Common, Fitted, MethodOptions, Predict, Project, ProjectRows, Shown, Training, Value,
};
use crate::method::pca::PcaOptions;
use crate::method::predict::predict_by_blocks;
use crate::method::record::{Record, SpectrumHeader, as_json};
use crate::note::{Note, at_most};
use crate::prepare::{Missing, Preparation};
use crate::solve::{Keep, Plan, Spectrum};
use crate::source::{Numbers, Rows};

impl MethodOptions for LdaOptions {
    const NAME: &'static str = "lda";
    const TITLE: &'static str =
        "Linear discriminant analysis: directions in which classes lie furthest apart";
    const HEADING: &'static str = "LDA";
    const ALIASES: &'static [&'static str] = &["linear-discriminant-analysis", "discriminant"];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit lda iris.csv --label-column species -o scores.csv
                                 scores, and the predicted class of every row
  eigenspan fit lda wine.csv --label-column target -m wine.safetensors
  eigenspan transform wine.safetensors new.csv -o predicted.csv
                                 the classes of new rows
  eigenspan fit lda genes.csv --label-column tissue --shrinkage auto -o scores.csv
                                 covariances drawn towards the identity: for few rows of many columns
  eigenspan fit lda iris.csv --label-column species --priors 0.5,0.3,0.2 -o scores.csv
                                 probabilities of the classes before a row is seen";
    const LEARNS_FROM_LABELS: bool = true;
    type Model = Lda;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        self.plan(ctx, rows)
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Lda, Error> {
        self.fit(ctx, training)
    }

    fn from_record(record: &Record<'_>) -> Result<Lda, Error> {
        Lda::from_record(record)
    }

    fn missing(&self) -> Missing {
        self.missing
    }

    fn seed(&self) -> u64 {
        0
    }

    fn with_n_components(&self, k: usize) -> Self {
        LdaOptions {
            n_components: Keep::Count(k),
            ..self.clone()
        }
    }

    /// Cells × the smaller of rows and columns.
    fn operations(&self, n_rows: u64, n_cols: u64, n_cells: u64) -> Option<u64> {
        let cells = n_cells.saturating_add(n_rows).saturating_add(n_cols);
        Some(cells.saturating_mul(n_rows.min(n_cols)))
    }

    fn pca_to_compare(&self) -> Option<PcaOptions> {
        Some(PcaOptions {
            missing: self.missing,
            ..PcaOptions::default()
        })
    }
}

impl<T: Real> ProjectRows<T> for Lda {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        self.scores(&rows.block)
    }
}

predict_by_blocks!(Lda);

impl Fitted for Lda {
    fn method(&self) -> &'static str {
        LdaOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        Lda::NAME_IN_WORDS
    }

    fn headline(&self) -> String {
        format!("LDA, {}", counted(self.classes().len(), "class"))
    }

    fn common(&self) -> Common<'_> {
        let parts = self.parts();
        Common {
            n_rows: parts.n_rows,
            n_cols: parts.preparation.center.len(),
            columns: parts.columns.as_deref(),
            n_components: parts.spectrum.len(),
            asked: parts.options.n_components,
            missing: parts.options.missing,
            preparation: Some(&parts.preparation),
            plan: &parts.plan,
            notes: &parts.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("LD{}", i + 1)
    }

    fn spectrum(&self) -> Option<&Spectrum> {
        Some(&self.parts().spectrum)
    }

    fn shown(&self) -> Shown {
        Shown {
            heading: "between ÷ within",
            factor: 1.0,
            place: " between classes",
            is_centered: true,
        }
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn directions(&self) -> Option<&Mat<f64>> {
        Some(self.directions())
    }

    /// What a column that lies its standard deviation within classes away adds to a score: directions alone are in the units of the
    /// columns, and the weight of a column that hardly varies is large.
    fn weights_in_words(&self, i: usize) -> Option<Vec<f64>> {
        let cells = Lda::directions(self)
            .row(i)
            .iter()
            .zip(&self.parts().spread);
        Some(cells.map(|(v, spread)| v * spread).collect())
    }

    fn most_components(&self) -> Option<usize> {
        let parts = self.parts();
        Some((parts.classes.len() - 1).min(parts.spread.len()))
    }

    fn predictor(&self) -> Option<&dyn Predict> {
        Some(self)
    }

    /// Of all rows, between and within classes.
    fn deviation(&self, i: usize) -> Option<f64> {
        self.parts().deviations.get(i).copied()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let parts = self.parts();
        let residuals = parts.spectrum.residuals.iter();
        let worst = residuals.fold(0.0f64, |m, r| m.max(*r));
        let span = match parts.rank_within < parts.preparation.center.len() {
            true => ", in the span of the rows within their classes",
            false => "",
        };
        vec![
            (
                "classes",
                class_words(&parts.classes, &parts.weights, &parts.priors),
            ),
            (
                "solver",
                format!("{}: {}", parts.plan.solver, parts.plan.reason),
            ),
            (
                "proof",
                format!(
                    "every residual ‖S_b v − λ S_w v‖ ÷ ‖λ S_w v‖ is at most {}{span}, with S_b and S_w the covariances between and within classes",
                    at_most(worst)
                ),
            ),
        ]
    }

    fn details(&self) -> &'static [&'static str] {
        &["priors", "class_means", "coef", "intercept"]
    }

    fn value(&self, name: &str) -> Option<Value> {
        let parts = self.parts();
        Some(match name {
            "priors" => Value::List(parts.priors.clone()),
            "class_means" => Value::Matrix(parts.means.clone()),
            "ratios" => Value::List(self.ratios()),
            "trace" => Value::Number(parts.trace),
            "class_weights" => Value::List(parts.weights.clone()),
            "coef" => Value::Matrix(self.functions().0),
            "intercept" => Value::List(self.functions().1),
            "scalings" => Value::Matrix(parts.scalings.clone()),
            "covariance" => match &parts.covariance {
                Some(covariance) => Value::Matrix(covariance.clone()),
                None => Value::Nothing,
            },
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
            rank_within: parts.rank_within,
            trace: parts.trace,
            spectrum: (&parts.spectrum).into(),
            plan: parts.plan.clone(),
            notes: parts.notes.clone(),
        })?;
        let record = record
            .with_list("mean", &parts.preparation.center)
            .with_matrix("class_means", &parts.means)
            .with_list("class_weights", &parts.weights)
            .with_list("spread", &parts.spread)
            .with_list("priors", &parts.priors)
            .with_matrix("scalings", &parts.scalings)
            .with_list("deviations", &parts.deviations)
            .with_matrix("coef", &parts.coef)
            .with_list("constants", &parts.constants)
            .with_spectrum(&parts.spectrum)
            .with_optional("common", parts.common.as_deref())
            .with_optional("fill", parts.fill.as_deref());
        Ok(match &parts.covariance {
            Some(covariance) => record.with_matrix("covariance", covariance),
            None => record,
        })
    }

    fn renamed(&self, columns: Vec<String>) -> Result<Box<dyn Fitted>, Error> {
        let mut parts = self.parts().clone();
        parts.columns = Some(columns);
        Ok(Box::new(Lda::from_parts(parts)?))
    }

    fn boxed(&self) -> Box<dyn Fitted> {
        Box::new(self.clone())
    }
}

/// `setosa (50 rows), versicolor (50 rows)`; with the prior where it is not the share of the rows.
pub(in crate::method) fn class_words(names: &[String], weights: &[f64], priors: &[f64]) -> String {
    /// More classes are counted, not listed.
    const SHOWN: usize = 20;
    let total: f64 = weights.iter().sum();
    let word = |c: usize| {
        let rows = match weights[c].fract() == 0.0 {
            true => counted(weights[c] as usize, "row"),
            false => format!("weight {:.3}", weights[c]),
        };
        match (priors[c] - weights[c] / total).abs() < 1e-9 {
            true => format!("{} ({rows})", names[c]),
            false => format!("{} ({rows}, prior {})", names[c], priors[c]),
        }
    };
    let shown: Vec<String> = (0..names.len().min(SHOWN)).map(word).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The parts of a model that are not tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    options: LdaOptions,
    columns: Option<Vec<String>>,
    n_rows: usize,
    classes: Vec<String>,
    rank_within: usize,
    trace: f64,
    #[serde(flatten)]
    spectrum: SpectrumHeader,
    plan: Plan,
    notes: Vec<Note>,
}

impl Lda {
    fn from_record(record: &Record<'_>) -> Result<Lda, Error> {
        let header: Header = record.header()?;
        let scalings = record.matrix("scalings")?;
        let k = record.list("singular_values")?.len();
        let leading = scalings.clone().top(k.min(scalings.n_rows()));
        let covariance = record
            .has("covariance")
            .then(|| record.matrix("covariance"));
        Lda::from_parts(LdaParts {
            options: header.options,
            columns: header.columns,
            n_rows: header.n_rows,
            classes: header.classes,
            rank_within: header.rank_within,
            trace: header.trace,
            weights: record.list("class_weights")?,
            spread: record.list("spread")?,
            priors: record.list("priors")?,
            means: record.matrix("class_means")?,
            preparation: Preparation {
                center: record.list("mean")?,
                scale: None,
            },
            spectrum: record.spectrum(&header.spectrum, leading)?,
            scalings,
            deviations: record.list("deviations")?,
            coef: record.matrix("coef")?,
            constants: record.list("constants")?,
            common: record.optional("common")?,
            fill: record.optional("fill")?,
            covariance: covariance.transpose()?,
            plan: header.plan,
            notes: header.notes,
        })
    }
}
