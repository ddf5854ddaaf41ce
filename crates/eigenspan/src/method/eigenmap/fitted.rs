//! The shared model as one of the methods' models: its capabilities, and what it says of itself.

use super::{Eigenmap, EigenmapOptions};
use crate::error::Error;
use crate::mat::Mat;
use crate::method::contract::{Common, Fitted, Project, Shown, Value};
use crate::method::record::{Record, as_json};
use crate::method::{MapMeasures, MapOf};
use crate::note::at_most;
use crate::prepare::Missing;
use crate::solve::Keep;

impl<O: EigenmapOptions> Fitted for Eigenmap<O> {
    fn method(&self) -> &'static str {
        O::NAME
    }

    fn short_name(&self) -> &'static str {
        O::SHORT
    }

    fn common(&self) -> Common<'_> {
        Common {
            n_rows: self.places.n_rows(),
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: self.places.n_cols(),
            asked: Keep::Count(self.places.n_cols()),
            missing: Missing::Error,
            preparation: self.preparation.as_ref(),
            plan: &self.header.plan,
            notes: &self.header.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("{}{}", O::AXIS, i + 1)
    }

    fn shown(&self) -> Shown {
        Shown {
            heading: "eigenvalue",
            factor: 1.0,
            place: "",
            is_centered: false,
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
        self.header.options.map_of_options()
    }

    fn places_its_rows_otherwise(&self) -> bool {
        true
    }

    fn projection(&self) -> Option<&dyn Project> {
        O::new_rows(self)
    }

    fn operations_per_cell(&self) -> usize {
        self.places.n_rows()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = O::facts(self);
        let words = |x: &f64| format!("{x:.4e}");
        let listed: Vec<String> = self.eigenvalues.iter().take(6).map(words).collect();
        let more = match self.eigenvalues.len() > 6 {
            true => ", …",
            false => "",
        };
        facts.push(("eigenvalues", format!("{}{more}", listed.join(", "))));
        let worst = self.residuals.iter().fold(0.0f64, |m, r| m.max(*r));
        facts.push(("proof", O::proof(self, &at_most(worst))));
        facts
    }

    fn details(&self) -> &'static [&'static str] {
        O::DETAILS
    }

    fn value(&self, name: &str) -> Option<Value> {
        match name {
            "eigenvalues" => Some(Value::List(self.eigenvalues.clone())),
            "residuals" => Some(Value::List(self.residuals.clone())),
            _ => O::own_value(self, name),
        }
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
