//! How much of its rows' neighborhoods and distances a map keeps, as numbers that a model keeps beside its coordinates.
//!
//! The fronts measure the map of a model that they have just fitted (`evaluate::measure_map`); here is what they find, and how it is
//! said in words.

use serde::{Deserialize, Serialize};

use crate::error::grouped;
use crate::graph::Metric;
use crate::kernel::rounded;

/// A number, and how far off it may be where it comes from a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MapEstimate {
    /// The value.
    pub value: f64,
    /// The value for all rows lies between these with a confidence of 95 %; both are the value itself where all were used.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Rows, or pairs of rows, that were used.
    pub n_used: usize,
    /// Whether these are all there are.
    pub exact: bool,
}

/// What the distances in a map are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapOf {
    /// Distances of the rows, once columns are scaled as the model says.
    Rows(Metric),
    /// The table itself, which is a matrix of distances.
    Distances,
    /// Nothing that is known: the table is a matrix of something else.
    Unknown,
}

/// How good a map is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapMeasures {
    /// Neighbors of each row.
    pub n_neighbors: usize,
    /// Rows of the map.
    pub n_rows: usize,
    /// Rows near in the map are near in the table.
    pub trustworthiness: MapEstimate,
    /// Rows near in the table are near in the map.
    pub continuity: MapEstimate,
    /// The share of neighbors in the table that are neighbors in the map.
    pub recall: MapEstimate,
    /// The rank correlation of distances in the map with those in the table; none where all distances are equal.
    pub shepard_correlation: Option<MapEstimate>,
    /// √(Σ(δ − αd)²/Σδ²) with the best α; none where all rows are equal.
    pub normalized_stress: Option<MapEstimate>,
    /// The share of rows whose class is that of most of their neighbors in the map; none without classes.
    #[serde(default)]
    pub label_accuracy: Option<MapEstimate>,
}

impl MapMeasures {
    /// The numbers in a sentence that begins with `map`, the words for the map.
    pub fn sentence(&self, map: &str) -> String {
        let rows = match self.n_neighbors {
            1 => "nearest row".to_owned(),
            k => format!("{} nearest rows", grouped(k as u64)),
        };
        let mut said = format!(
            "{map} keeps {} of each row's {rows} (trustworthiness {}, continuity {})",
            interval(&self.recall, &share),
            interval(&self.trustworthiness, &thousandths),
            interval(&self.continuity, &thousandths)
        );
        let correlation = self
            .shepard_correlation
            .map(|found| format!("a rank correlation of {}", interval(&found, &thousandths)));
        let stress = self
            .normalized_stress
            .map(|found| format!("a normalized stress of {}", interval(&found, &small)));
        let distances: Vec<String> = correlation.into_iter().chain(stress).collect();
        if !distances.is_empty() {
            said += &format!(
                "; its distances follow those of the rows with {}",
                distances.join(" and ")
            );
        }
        if let Some(found) = &self.label_accuracy {
            let most = match self.n_neighbors {
                1 => "their nearest row".to_owned(),
                _ => format!("most of their {rows}"),
            };
            let found = interval(found, &share);
            said += &format!("; {found} of the rows have the class of {most} in the map");
        }
        said + &self.sample()
    }

    /// What the numbers come from, where not from all rows and pairs.
    fn sample(&self) -> String {
        let rows = (!self.recall.exact).then(|| {
            format!(
                "{} of {} rows",
                grouped(self.recall.n_used as u64),
                grouped(self.n_rows as u64)
            )
        });
        let pairs = [self.shepard_correlation, self.normalized_stress];
        let pairs = pairs.into_iter().flatten().find(|found| !found.exact);
        let pairs = pairs.map(|found| format!("{} pairs of rows", grouped(found.n_used as u64)));
        let drawn: Vec<String> = rows.into_iter().chain(pairs).collect();
        match drawn.is_empty() {
            true => String::new(),
            false => format!(
                "; measured on {} drawn at random, with intervals of 95 % confidence in brackets",
                drawn.join(" and ")
            ),
        }
    }
}

/// A value, and where it comes from a sample the interval.
fn interval(found: &MapEstimate, words: &dyn Fn(f64) -> String) -> String {
    match found.exact {
        true => words(found.value),
        false => format!(
            "{} [{} to {}]",
            words(found.value),
            words(found.low),
            words(found.high)
        ),
    }
}

/// A share in percent. What is not all does not become 100 % by rounding.
fn share(x: f64) -> String {
    match format!("{:.1}", 100.0 * x) {
        text if text == "100.0" && x < 1.0 => "more than 99.9 %".to_owned(),
        text => format!("{text} %"),
    }
}

/// Three digits after the point. What is below 1 does not become 1 by rounding.
fn thousandths(x: f64) -> String {
    match format!("{x:.3}") {
        text if text == "1.000" && x < 1.0 => "above 0.999".to_owned(),
        text if text == "-0.000" => "0.000".to_owned(),
        text => text.replace('-', "−"),
    }
}

fn small(x: f64) -> String {
    match x < 1e-3 && x > 0.0 {
        true => rounded(x, 2).to_string().replace('-', "−"),
        false => thousandths(x),
    }
}
