//! Multidimensional scaling as one of the methods: its capabilities, and what it says of itself.

use super::{Criterion, Distances, MdsOptions, Scaling, Start};
use crate::context::Context;
use crate::error::{Error, grouped};
use crate::graph::Metric;
use crate::kernel::rounded;
use crate::mat::Mat;
use crate::method::contract::{Common, Fitted, MethodOptions, Shown, Training, Value};
use crate::method::proven::worst_residual;
use crate::method::record::{Record, as_json};
use crate::method::{MapMeasures, MapOf};
use crate::prepare::{Missing, Scale};
use crate::solve::{Keep, Plan, Spectrum};
use crate::source::Numbers;

impl MethodOptions for MdsOptions {
    const NAME: &'static str = "mds";
    const TITLE: &'static str = "Multidimensional scaling: places whose distances are those of the rows, as nearly as can be";
    const HEADING: &'static str = "Multidimensional scaling";
    const ALIASES: &'static [&'static str] = &[
        "multidimensional-scaling",
        "multidimensional_scaling",
        "classical-mds",
        "cmdscale",
        "pcoa",
        "smacof",
    ];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit mds foods.csv -o places.csv
                                 classical: the scores of a PCA
  eigenspan fit mds cities.csv --distances precomputed -o places.csv
                                 the table is the matrix of distances
  eigenspan fit mds wine.csv --scale --criterion metric -m wine.safetensors
                                 by stress, from the classical places
  eigenspan fit mds wine.csv --criterion nonmetric --n-starts 5
                                 by the order of the distances alone
  eigenspan plot scores wine.safetensors wine.csv --label-column target
                                 the places of a model";
    type Model = Scaling;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Scaling, Error> {
        crate::on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<Scaling, Error> {
        Scaling::from_record(record)
    }

    fn missing(&self) -> Missing {
        self.missing
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_n_components(&self, k: usize) -> Self {
        MdsOptions {
            n_components: k,
            ..self.clone()
        }
    }

    fn fits_some_rows(&self) -> bool {
        self.distances != Distances::Precomputed
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let squares = n_rows.saturating_mul(n_rows);
        let steps = match self.criterion {
            Criterion::Classical => n_rows,
            _ => 20 * (self.max_iterations * self.n_starts) as u64,
        };
        Some(squares.saturating_mul(n_cols.saturating_add(steps)))
    }
}

impl Scaling {
    fn distance_words(&self) -> &'static str {
        let options = &self.header.options;
        match (options.distances, options.scale) {
            (Distances::Precomputed, _) => "the table is the matrix of distances",
            (Distances::Euclidean, Scale::None) => "Euclidean, of the rows as they are",
            (Distances::Euclidean, _) => "Euclidean, of the rows with columns scaled to variance 1",
            (Distances::Manhattan, Scale::None) => "Manhattan, of the rows as they are",
            (Distances::Manhattan, _) => "Manhattan, of the rows with columns scaled to variance 1",
        }
    }

    /// Whether the eigenpairs are those of the columns' scatter, and not of the n × n matrix.
    fn is_by_columns(&self) -> bool {
        self.header.options.distances == Distances::Euclidean
            && self.places.n_cols() <= self.header.n_cols
    }

    /// The stress, how the search ended, and where it began.
    fn stress_facts(&self) -> Option<[(&'static str, String); 3]> {
        let stress = self.header.stress?;
        let options = &self.header.options;
        let targets = match options.criterion {
            Criterion::Nonmetric => "the numbers nearest to d in the order of the distances given",
            _ => "the distances given",
        };
        let ended = match stress.converged {
            true => format!(
                "after {} steps, of which the last to be compared lowered the stress by less than {:e} of Σd², where another start may end lower",
                grouped(stress.n_iterations as u64),
                options.tolerance
            ),
            false => format!(
                "not converged after {} steps, which is the most that were allowed",
                grouped(stress.n_iterations as u64)
            ),
        };
        let kind = match (self.header.start_given, options.start) {
            (true, _) => "the places that were given",
            (_, Start::Classical) if stress.start == 0 => "the places of classical scaling",
            _ => "random places",
        };
        let start = match options.n_starts {
            _ if self.header.start_given => kind.to_owned(),
            1 => kind.to_owned(),
            n => format!(
                "{kind}: the best of {} starts, whose stress-1 lies between {:.4} and {:.4}",
                grouped(n as u64),
                stress.stress_1,
                stress.worst
            ),
        };
        Some([
            (
                "stress",
                format!(
                    "stress-1 = √(Σ(d − δ)² ÷ Σd²) = {:.4}, raw Σ(d − δ)² = {}, with δ {targets}",
                    stress.stress_1,
                    rounded(stress.raw, 4)
                ),
            ),
            ("search", ended),
            ("start", start),
        ])
    }
}

impl Fitted for Scaling {
    fn method(&self) -> &'static str {
        MdsOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "multidimensional scaling"
    }

    fn headline(&self) -> String {
        match self.header.options.criterion {
            Criterion::Classical => "classical multidimensional scaling".to_owned(),
            Criterion::Metric => "metric multidimensional scaling by stress".to_owned(),
            Criterion::Nonmetric => "non-metric multidimensional scaling".to_owned(),
        }
    }

    fn common(&self) -> Common<'_> {
        Common {
            n_rows: self.places.n_rows(),
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: self.places.n_cols(),
            asked: Keep::Count(self.places.n_cols()),
            missing: self.header.options.missing,
            preparation: self.preparation.as_ref(),
            plan: &self.header.plan,
            notes: &self.header.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("MDS{}", i + 1)
    }

    fn spectrum(&self) -> Option<&Spectrum> {
        self.spectrum.as_ref()
    }

    fn shown(&self) -> Shown {
        Shown {
            heading: "eigenvalue",
            factor: self.spectrum.as_ref().map_or(1.0, |s| s.divisor),
            place: match self.header.options.distances {
                Distances::Euclidean => "",
                _ => " in the distances",
            },
            is_centered: true,
        }
    }

    fn embedding(&self) -> Option<&Mat<f64>> {
        Some(&self.places)
    }

    fn map_measures(&self) -> Option<&MapMeasures> {
        self.header.map.as_ref()
    }

    fn map_measures_mut(&mut self) -> Option<&mut Option<MapMeasures>> {
        Some(&mut self.header.map)
    }

    fn map_of(&self) -> MapOf {
        match self.header.options.distances {
            Distances::Euclidean => MapOf::Rows(Metric::Euclidean),
            Distances::Manhattan => MapOf::Rows(Metric::Manhattan),
            Distances::Precomputed => MapOf::Distances,
        }
    }

    fn deviation(&self, i: usize) -> Option<f64> {
        let spectrum = self.spectrum.as_ref()?;
        Some(spectrum.variance(i).sqrt())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![("distances", self.distance_words().to_owned())];
        facts.extend(self.stress_facts().into_iter().flatten());
        if let Some(spectrum) = self.spectrum.as_ref().filter(|s| s.rank > 0) {
            let (worst, which) = worst_residual(spectrum);
            facts.push((
                "proof",
                match self.is_by_columns() {
                    true => format!(
                        "every residual ‖Sv − λv‖ ÷ λ{which} is at most {worst}, where S is the scatter of the columns, whose eigenvalues are those of −½ C D² C"
                    ),
                    false => format!("every residual ‖Bu − λu‖ ÷ λ{which} is at most {worst}, where B = −½ C D² C"),
                },
            ));
        }
        facts
    }

    fn details(&self) -> &'static [&'static str] {
        match self.header.stress {
            Some(_) => &["stress", "stress_1", "n_iter", "converged"],
            None => &["eigenvalues"],
        }
    }

    fn value(&self, name: &str) -> Option<Value> {
        let stress = self.header.stress;
        let number = |x: Option<f64>| x.map_or(Value::Nothing, Value::Number);
        Some(match name {
            "stress" => number(stress.map(|s| s.raw)),
            "stress_1" => number(stress.map(|s| s.stress_1)),
            "n_iter" => stress.map_or(Value::Nothing, |s| Value::Count(s.n_iterations)),
            "converged" => {
                stress.map_or(Value::Nothing, |s| Value::Count(usize::from(s.converged)))
            }
            "eigenvalues" => self.spectrum.as_ref().map_or(Value::Nothing, |s| {
                Value::List(s.singular_values.iter().map(|x| x * x).collect())
            }),
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
