//! Feature selection as one of the methods: its capabilities, and what it says of itself.

use super::{ColumnFate, Fate, Rule, SelectOptions, Selection};
use crate::context::Context;
use crate::error::{Error, counted};
use crate::mat::{Mat, Real};
use crate::method::contract::{
    Common, Fitted, MethodOptions, Project, ProjectRows, Training, Value,
};
use crate::method::record::{Record, as_json};
use crate::note::listed;
use crate::prepare::{Missing, Scale};
use crate::solve::{Keep, Plan};
use crate::source::{Numbers, Rows};

impl MethodOptions for SelectOptions {
    const NAME: &'static str = "select";
    const TITLE: &'static str =
        "Feature selection: some of the columns as they are, and what the others would add";
    const HEADING: &'static str = "Selection";
    const ALIASES: &'static [&'static str] = &[
        "feature-selection",
        "featureselection",
        "feature_selection",
        "selection",
    ];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan select wine.csv --scale --label-column target
                                 the columns that explain 90 % of the variance
  eigenspan select wine.csv --label-column target --by anova -k 5 -o chosen.csv
                                 the five whose means differ most by class
  eigenspan select wine.csv --label-column target --by mutual-information -k 5
                                 the same where classes differ in any way
  eigenspan select sensors.csv --by correlation --threshold 0.8 -k all
                                 no two that are correlated above 0.8
  eigenspan fit select wine.csv -k 5 -m wine.safetensors
                                 a model; transform applies it to new rows";
    const LEARNS_FROM_LABELS: bool = true;
    type Model = Selection;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Selection, Error> {
        let labels = match self.by.needs_labels() {
            true => Some(training.must_have_labels(self.by.name())?),
            false => None,
        };
        crate::on_numbers!(training.rows, source => self.fit(ctx, source, labels))
    }

    fn from_record(record: &Record<'_>) -> Result<Selection, Error> {
        Selection::from_record(record)
    }

    fn missing(&self) -> Missing {
        self.missing
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_n_components(&self, k: usize) -> Self {
        SelectOptions {
            n_components: Keep::Count(k),
            ..self.clone()
        }
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let squares = n_cols.saturating_mul(n_cols);
        Some(squares.saturating_mul(n_rows.saturating_add(n_cols)))
    }
}

impl<T: Real> ProjectRows<T> for Selection {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        Ok(self.pick(&rows.block))
    }
}

impl Selection {
    /// `variance`, `variance of the standardized columns`: what shares are shares of.
    pub fn variance_words(&self) -> &'static str {
        match self.header.options.scale {
            Scale::None => "variance",
            _ => "variance of the standardized columns",
        }
    }

    fn dropped(&self, is_one: impl Fn(&Fate) -> bool) -> Vec<String> {
        let columns = self.columns().into_iter();
        let some = columns.filter(|column| is_one(&column.fate));
        some.map(|column| column.name).collect()
    }

    /// The columns that were dropped, by reason.
    fn dropped_words(&self) -> Option<String> {
        let limit = self.header.options.limit().unwrap_or_default();
        let score = self.header.options.by.score_name();
        let groups = [
            (
                self.dropped(|f| *f == Fate::NotNeeded),
                "later in the order".to_owned(),
            ),
            (
                self.dropped(|f| *f == Fate::BelowThreshold),
                format!("{score} not above {limit}"),
            ),
            (
                self.dropped(|f| matches!(f, Fate::Correlated { .. })),
                format!("correlated with a kept one above {limit}"),
            ),
            (
                self.dropped(|f| *f == Fate::Constant),
                "constant".to_owned(),
            ),
        ];
        let groups = groups.iter().filter(|(names, _)| !names.is_empty());
        let said: Vec<String> = groups
            .map(|(names, why)| format!("{} ({why})", listed(names)))
            .collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl Fitted for Selection {
    fn method(&self) -> &'static str {
        SelectOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "feature selection"
    }

    fn headline(&self) -> String {
        format!("columns selected by {}", self.header.options.by.name())
    }

    fn common(&self) -> Common<'_> {
        Common {
            n_rows: self.header.n_rows,
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: self.header.kept.len(),
            asked: self.header.options.n_components,
            missing: self.header.options.missing,
            preparation: None,
            plan: &self.header.plan,
            notes: &self.header.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        self.column_name(self.header.kept[i])
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn operations_per_cell(&self) -> usize {
        1
    }

    fn deviation(&self, i: usize) -> Option<f64> {
        Some(self.numbers.variances[self.header.kept[i]].sqrt())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let header = &self.header;
        let mut facts = vec![
            (
                "kept",
                format!(
                    "{} of {}: {}",
                    header.kept.len(),
                    counted(header.n_cols, "column"),
                    self.kept_words()
                ),
            ),
            (
                "explained",
                format!(
                    "{:.1} % of the {}, the others predicted from these by linear regression",
                    100.0 * header.explained,
                    self.variance_words()
                ),
            ),
        ];
        facts.extend(self.dropped_words().map(|dropped| ("dropped", dropped)));
        if let Some(classes) = &header.classes {
            facts.push(("classes", listed(classes)));
        }
        facts
    }

    fn details(&self) -> &'static [&'static str] {
        &[
            "kept",
            "by",
            "scores",
            "variances",
            "determined",
            "share_lost",
            "explained",
        ]
    }

    fn value(&self, name: &str) -> Option<Value> {
        let columns =
            |f: &dyn Fn(&ColumnFate) -> f64| Value::List(self.columns().iter().map(f).collect());
        Some(match name {
            // Counted from 1, as everywhere in JSON.
            "kept" => Value::List(self.header.kept.iter().map(|j| (j + 1) as f64).collect()),
            "by" => Value::Text(self.header.options.by.name().to_owned()),
            "scores" => columns(&|c| c.score),
            "variances" => columns(&|c| c.variance),
            "determined" => columns(&|c| c.determined),
            "share_lost" => columns(&|c| c.share_lost),
            "explained" => Value::Number(self.header.explained),
            "p_values" => self.p_values(),
            _ => return None,
        })
    }

    fn options(&self) -> Result<serde_json::Value, Error> {
        as_json(&self.header.options)
    }

    fn record(&self) -> Result<Record<'_>, Error> {
        self.to_record()
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

impl Selection {
    /// The names of the kept columns; of more than twenty the first few.
    fn kept_words(&self) -> String {
        let kept = self.header.kept.iter();
        let names: Vec<String> = kept.map(|&j| self.column_name(j)).collect();
        match names.len() {
            0..=20 => names.join(", "),
            _ => listed(&names),
        }
    }

    /// The probability of so large an F if no class differed, for every column.
    fn p_values(&self) -> Value {
        let (Rule::Anova, Some(classes)) = (self.header.options.by, &self.header.classes) else {
            return Value::Nothing;
        };
        let between = (classes.len() - 1) as f64;
        let within = (self.header.n_rows - classes.len()) as f64;
        let p = |f: &f64| match *f {
            f if f.is_infinite() => 0.0,
            f if f.is_nan() => f64::NAN,
            f => crate::distribution::f_tail(f, between, within),
        };
        Value::List(self.numbers.scores.iter().map(p).collect())
    }
}
