//! Random projection as one of the methods: its capabilities, and what it says of itself.

use super::{Entries, RandomProjection, RandomProjectionOptions};
use crate::context::Context;
use crate::error::{Error, counted, grouped};
use crate::mat::{Mat, Real};
use crate::method::contract::{
    Common, Fitted, MethodOptions, Project, ProjectRows, Training, Value,
};
use crate::method::record::{Record, as_json};
use crate::prepare::Missing;
use crate::solve::{Keep, Plan};
use crate::source::{Numbers, Rows};

impl MethodOptions for RandomProjectionOptions {
    const NAME: &'static str = "random-projection";
    const TITLE: &'static str =
        "Random projection: coordinates along random directions, which nearly keep distances";
    const HEADING: &'static str = "Random projection";
    const ALIASES: &'static [&'static str] = &[
        "rp",
        "randomprojection",
        "random_projection",
        "jl",
        "johnson-lindenstrauss",
    ];
    const EXAMPLES: &'static str = "\
Examples:
  eigenspan fit random-projection pixels.csv -k 100 -o scores.csv
                                 100 Gaussian directions; the distances that
                                 they change are measured
  eigenspan fit random-projection words.mtx --eps 0.3 -m words.safetensors
                                 as many as keep squared distances within 30 %
  eigenspan fit random-projection words.mtx -k 500 --entries sparse
                                 mostly zeros, which takes less time
  eigenspan fit random-projection words.mtx -k 500 --entries sparse --density 0.3333
                                 with a third of the entries not zero
  eigenspan plan random-projection words.mtx
                                 how many directions, and their memory";
    type Model = RandomProjection;

    fn plan_for(&self, ctx: &Context, rows: Numbers<'_>) -> Result<Plan, Error> {
        crate::on_numbers!(rows, source => self.plan(ctx, source))
    }

    fn fit_to(&self, ctx: &Context, training: &Training<'_>) -> Result<RandomProjection, Error> {
        crate::on_numbers!(training.rows, source => self.fit(ctx, source))
    }

    fn from_record(record: &Record<'_>) -> Result<RandomProjection, Error> {
        RandomProjection::from_record(record)
    }

    fn missing(&self) -> Missing {
        Missing::Error
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn with_n_components(&self, k: usize) -> Self {
        RandomProjectionOptions {
            n_components: Keep::Count(k),
            ..self.clone()
        }
    }

    fn operations(&self, n_rows: u64, n_cols: u64, _n_cells: u64) -> Option<u64> {
        Some(n_rows.saturating_mul(n_cols))
    }
}

impl<T: Real> ProjectRows<T> for RandomProjection {
    fn project_block(&self, _ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        Ok(self.times(&rows.block))
    }
}

/// A number to three significant digits.
fn short(x: f64) -> String {
    match x.abs() {
        x if (1e-3..1e4).contains(&x) => {
            let digits = 2 - x.log10().floor() as i32;
            let text = format!("{x:.*}", digits.max(0) as usize);
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        0.0 => "0".to_owned(),
        _ => format!("{x:.2e}"),
    }
}

impl RandomProjection {
    /// How the directions were drawn.
    fn drawn(&self) -> String {
        let (header, k) = (&self.header, self.n_components());
        let directions = counted(k, "direction");
        let seed = header.options.seed;
        match header.options.entries {
            Entries::Gaussian => format!(
                "{directions} of normal numbers with mean 0 and variance 1 ÷ {}, seed {seed}",
                grouped(k as u64)
            ),
            Entries::Sparse => format!(
                "{directions}, each entry ±{} with probability {} and else 0, seed {seed}",
                short(1.0 / (header.density * k as f64).sqrt()),
                short(header.density)
            ),
        }
    }

    /// How the number of directions came about, if the rows decided it.
    fn sized(&self) -> Option<String> {
        let header = &self.header;
        (header.options.n_components == Keep::Auto).then(|| {
            format!(
                "4 ln n ÷ (eps²/2 − eps³/3) directions, with n = {} and eps = {}: with so many, some draws keep all squared distances within 1 ± eps",
                grouped(header.n_rows as u64),
                header.options.eps
            )
        })
    }

    /// What was measured.
    fn measured(&self) -> String {
        let Some(found) = self.header.distortion else {
            return match self.header.n_rows {
                1 => "not measured: there is only one row".to_owned(),
                _ => "not measured: no two of the rows that were drawn differ".to_owned(),
            };
        };
        let rows = match found.n_rows == self.header.n_rows {
            true => format!("of all {}", counted(found.n_rows, "row")),
            false => format!(
                "of {} drawn from {}",
                counted(found.n_rows, "row"),
                grouped(self.header.n_rows as u64)
            ),
        };
        let equal = match found.n_equal {
            0 => String::new(),
            n => format!(" ({} of equal rows left out)", counted(n, "pair")),
        };
        format!(
            "measured on {} {rows}{equal}: squared distances after ÷ before lie between {} and {}, {:.1} % of them within 1 ± {}",
            counted(found.n_pairs, "pair"),
            short(found.smallest),
            short(found.largest),
            100.0 * found.share_within,
            self.header.options.eps
        )
    }
}

impl Fitted for RandomProjection {
    fn method(&self) -> &'static str {
        RandomProjectionOptions::NAME
    }

    fn short_name(&self) -> &'static str {
        "random projection"
    }

    fn headline(&self) -> String {
        match self.header.options.entries {
            Entries::Gaussian => "random projection, Gaussian".to_owned(),
            Entries::Sparse => "random projection, sparse".to_owned(),
        }
    }

    fn common(&self) -> Common<'_> {
        Common {
            n_rows: self.header.n_rows,
            n_cols: self.header.n_cols,
            columns: self.header.columns.as_deref(),
            n_components: self.n_components(),
            asked: self.header.options.n_components,
            missing: Missing::Error,
            preparation: None,
            plan: &self.header.plan,
            notes: &self.header.notes,
        }
    }

    fn axis_name(&self, i: usize) -> String {
        format!("RP{}", i + 1)
    }

    fn projection(&self) -> Option<&dyn Project> {
        Some(self)
    }

    fn directions(&self) -> Option<&Mat<f64>> {
        self.components()
    }

    fn operations_per_cell(&self) -> usize {
        let per_cell = self.header.density * self.n_components() as f64;
        (per_cell as usize).max(1)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![("drawn", self.drawn())];
        facts.extend(self.sized().map(|sized| ("size", sized)));
        facts.push(("distances", self.measured()));
        facts
    }

    fn details(&self) -> &'static [&'static str] {
        &[
            "eps",
            "density",
            "n_pairs",
            "n_equal_pairs",
            "smallest_ratio",
            "largest_ratio",
            "share_within_eps",
        ]
    }

    fn value(&self, name: &str) -> Option<Value> {
        let measured = self.header.distortion;
        let number = |x: Option<f64>| x.map_or(Value::Nothing, Value::Number);
        let count = |n: Option<usize>| n.map_or(Value::Nothing, Value::Count);
        Some(match name {
            "eps" => Value::Number(self.header.options.eps),
            "density" => Value::Number(self.header.density),
            "n_pairs" => count(measured.map(|m| m.n_pairs)),
            "n_equal_pairs" => count(measured.map(|m| m.n_equal)),
            "smallest_ratio" => number(measured.map(|m| m.smallest)),
            "largest_ratio" => number(measured.map(|m| m.largest)),
            "share_within_eps" => number(measured.map(|m| m.share_within)),
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
