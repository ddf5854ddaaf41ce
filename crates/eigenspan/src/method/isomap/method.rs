//! Isomap as one of the methods: its capabilities, and what it says of itself.

use super::{Eigenvalues, Isomap, IsomapOptions};
use crate::context::Context;
use crate::error::{Error, counted, grouped};
use crate::mat::Mat;
use crate::method::contract::{Common, Fitted, MethodOptions, Project, Shown, Training, Value};
use crate::method::proven::worst_residual;
use crate::method::record::{Record, as_json};
use crate::method::{MapMeasures, MapOf};
use crate::note::Note;
use crate::prepare::{Missing, Scale};
use crate::solve::{Keep, Plan, Spectrum};
use crate::source::Numbers;

impl MethodOptions for IsomapOptions {
    const NAME: &'static str = "isomap";
    const TITLE: &'static str =
        "Isomap: places whose distances are geodesics, shortest paths from neighbor to neighbor";
    const HEADING: &'static str = "Isomap";
    const ALIASES: &'static [&'static str] = &["isometric-mapping", "isometric_mapping"];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit isomap digits.csv --label-column digit -o places.csv
                                 two dimensions, from 10 neighbors of each row
  eigenspan fit isomap roll.csv -k 6 --neighbors 12
                                 the residual variance for 1 to 6 dimensions
  eigenspan fit isomap large.npy --landmarks 500 -m large.safetensors
                                 geodesics from 500 landmarks alone
  eigenspan transform large.safetensors new.npy -o places.npy
                                 places of new rows
  eigenspan plot scores places.safetensors digits.csv --label-column digit
                                 the places of a model";
    type Model = Isomap;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<Isomap, Error> {
        crate::on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<Isomap, Error> {
        Isomap::from_record(record)
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn complete_for_terminal(&mut self) {
        self.eigenvalues = self.eigenvalues.or(Some(Eigenvalues::Auto));
    }

    fn with_n_components(&self, k: usize) -> Self {
        IsomapOptions {
            n_components: k,
            ..self.clone()
        }
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        let from = self.n_landmarks.map_or(n_rows, |m| m as u64);
        let paths = from
            .saturating_mul(n_rows)
            .saturating_mul(5 * self.n_neighbors as u64);
        Some(
            n_rows
                .saturating_mul(n_rows)
                .saturating_mul(n_cols)
                .saturating_add(paths),
        )
    }
}

impl Isomap {
    fn neighbor_words(&self) -> String {
        let options = &self.header.options;
        let scaled = match options.scale {
            Scale::None => "",
            _ => ", with columns scaled to variance 1",
        };
        let how = match self.header.recall {
            None => "exact".to_owned(),
            Some(share) => format!(
                "approximate, with a measured recall of {:.1} %",
                100.0 * share
            ),
        };
        format!(
            "the {} of every row by the metric {}{scaled}, {how}: {}",
            counted(options.n_neighbors, "nearest row"),
            options.metric.name(),
            counted(self.header.n_edges, "edge"),
        )
    }

    fn piece_words(&self) -> String {
        let joined = self.header.notes.iter().find_map(|note| match note {
            Note::JoinedPieces { pieces, links, .. } => Some((pieces, links)),
            _ => None,
        });
        match joined {
            None => "the graph of neighbors is in one piece".to_owned(),
            Some((pieces, links)) => format!(
                "the graph of neighbors was in {}, which {} joined",
                counted(*pieces, "piece"),
                counted(*links, "link")
            ),
        }
    }

    fn geodesic_words(&self) -> String {
        match self.landmarks() {
            None => "between all rows".to_owned(),
            Some(landmarks) => format!(
                "from {} landmarks, drawn with seed {}, to all rows",
                grouped(landmarks.len() as u64),
                self.header.options.seed
            ),
        }
    }

    /// The residual variance for every number of dimensions.
    fn residual_words(&self) -> String {
        const SHOWN: usize = 10;
        let found = &self.header.residual_variance;
        let numbers: Vec<String> = found
            .iter()
            .take(SHOWN)
            .map(|x| x.map_or("no value".to_owned(), |x| format!("{x:.4}")))
            .collect();
        let dimensions = match found.len() {
            1 => "1 dimension".to_owned(),
            2 => "1 and 2 dimensions".to_owned(),
            n => format!("1 to {} dimensions", n.min(SHOWN)),
        };
        let pairs = match self.landmarks() {
            None => "",
            Some(_) => " from landmarks",
        };
        format!(
            "residual variance {} for {dimensions}: 1 − R² of geodesics{pairs} and distances in the map",
            numbers.join(", ")
        )
    }

    /// What is known of eigenvalues that have no place in the map.
    fn eigenvalue_words(&self) -> String {
        let negative = self.header.notes.iter().find_map(|note| match note {
            Note::NotEuclidean {
                count,
                smallest,
                largest,
            } => Some((count, -smallest / largest)),
            _ => None,
        });
        let magnitude = |ratio: f64| format!("{:.1} %", (1000.0 * ratio).floor() / 10.0);
        match (negative, self.header.all_eigenvalues) {
            (None, true) => "no eigenvalue of B is negative".to_owned(),
            (None, false) => {
                "the leading eigenvalues of B were computed: shares of all are not known".to_owned()
            }
            (Some((Some(count), ratio)), _) => format!(
                "{} of B {} negative, down to {} of the largest in magnitude; shares are of the sum of the positive ones",
                counted(*count, "eigenvalue"),
                if *count == 1 { "is" } else { "are" },
                magnitude(ratio)
            ),
            // Rounded down, so that it stays a bound.
            (Some((None, ratio)), _) => format!(
                "some eigenvalues of B are negative, one of them at least {} of the largest in magnitude; not all were computed, so that shares are not known",
                magnitude(ratio)
            ),
        }
    }
}

impl Fitted for Isomap {
    fn method(&self) -> &'static str {
        IsomapOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "Isomap"
    }

    fn headline(&self) -> String {
        let options = &self.header.options;
        let landmarks = self.landmarks().map_or(String::new(), |landmarks| {
            format!(", {} landmarks", grouped(landmarks.len() as u64))
        });
        format!(
            "Isomap, {}{landmarks}",
            counted(options.n_neighbors, "neighbor")
        )
    }

    fn common(&self) -> Common<'_> {
        let places = &self.map.places;
        Common {
            n_rows: places.n_rows(),
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: places.n_cols(),
            asked: Keep::Count(places.n_cols()),
            missing: Missing::Error,
            preparation: self.preparation.as_ref(),
            plan: &self.header.plan,
            notes: &self.header.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("ISO{}", i + 1)
    }

    fn spectrum(&self) -> Option<&Spectrum> {
        self.header.all_eigenvalues.then_some(&self.map.spectrum)
    }

    fn shown(&self) -> Shown {
        Shown {
            heading: "eigenvalue",
            factor: self.map.spectrum.divisor,
            place: " in the geodesics",
            is_centered: true,
        }
    }

    fn embedding(&self) -> Option<&Mat<f64>> {
        Some(&self.map.places)
    }

    fn map_measures(&self) -> Option<&MapMeasures> {
        self.header.map.as_ref()
    }

    fn map_measures_mut(&mut self) -> Option<&mut Option<MapMeasures>> {
        Some(&mut self.header.map)
    }

    fn map_of(&self) -> MapOf {
        MapOf::Rows(self.header.options.metric)
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn operations_per_cell(&self) -> usize {
        self.map.places.n_rows()
    }

    fn most_components(&self) -> Option<usize> {
        Some(self.map.means.len())
    }

    fn deviation(&self, i: usize) -> Option<f64> {
        if self.landmarks().is_none() {
            return Some(self.map.spectrum.variance(i).sqrt());
        }
        let column = self.map.places.col(i);
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let squares: f64 = column.iter().map(|x| (x - mean).powi(2)).sum();
        Some((squares / (n - 1.0)).sqrt())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            ("neighbors", self.neighbor_words()),
            ("pieces", self.piece_words()),
            ("geodesics", self.geodesic_words()),
            ("map", self.residual_words()),
            ("spectrum", self.eigenvalue_words()),
        ];
        // Where all rows are equal, there is nothing to prove.
        if self.map.spectrum.rank > 0 {
            let (worst, which) = worst_residual(&self.map.spectrum);
            facts.push((
                "proof",
                format!(
                    "every residual ‖Bu − λu‖ ÷ λ{which} is at most {worst}, where B = −½ C Δ² C for the geodesics Δ"
                ),
            ));
        }
        facts
    }

    fn details(&self) -> &'static [&'static str] {
        &[
            "eigenvalues",
            "residual_variance",
            "reconstruction_error",
            "n_edges",
        ]
    }

    fn value(&self, name: &str) -> Option<Value> {
        Some(match name {
            "eigenvalues" => Value::List(self.eigenvalues()),
            "residual_variance" => {
                let found = self.residual_variance().iter();
                Value::List(found.map(|x| x.unwrap_or(f64::NAN)).collect())
            }
            "reconstruction_error" => Value::Number(self.reconstruction_error()),
            "residuals" => Value::List(self.map.spectrum.residuals.clone()),
            "n_edges" => Value::Count(self.header.n_edges),
            "landmarks" => self.landmarks().map_or(Value::Nothing, |rows| {
                Value::List(rows.iter().map(|x| *x as f64).collect())
            }),
            "geodesics" => {
                let found = self.geodesics(&Context::new());
                found.map_or(Value::Nothing, Value::Matrix)
            }
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
