//! The main columns of one component: those that contribute more than an even share.

use serde::Serialize;

use super::Columns;
use crate::error::Error;

/// Relative slack for rounding in the comparison with an even share.
const ROUNDING: f64 = 1e-9;

/// A column that contributes much to a component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxisColumn {
    /// The column, from 0.
    pub column: usize,
    /// Share of the component in percent.
    pub contribution: f64,
    /// Entry of the unit vector: its sign says in which direction of the component the column grows.
    pub component: f64,
    /// Correlation of the column with the scores: its size says how closely the two are related.
    pub correlation: f64,
    /// Share of the column's variance that the component explains.
    pub cos2: f64,
}

/// A component by its columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxisFacts {
    /// The component, from 0.
    pub component: usize,
    /// Share of the total variance along it.
    pub share: f64,
    /// The contribution of every column if all contributed equally: 100 ÷ d.
    pub even_contribution: f64,
    /// The sum of the contributions of `columns`, in percent.
    pub listed_contribution: f64,
    /// Columns that contribute at least an even share, largest first; empty for a component without variance.
    pub columns: Vec<AxisColumn>,
}

impl Columns {
    /// The main columns of a component (counted from 0).
    pub fn axis_facts(&self, component: usize) -> Result<AxisFacts, Error> {
        let (d, k) = (self.components.n_rows(), self.components.n_cols());
        if component >= k {
            return Err(Error::NoSuchComponent {
                component,
                n_components: k,
            });
        }
        let even = 100.0 / d as f64;
        let at = |j: usize| AxisColumn {
            column: j,
            contribution: self.contributions[(j, component)],
            component: self.components[(j, component)],
            correlation: self.correlations[(j, component)],
            cos2: self.cos2[(j, component)],
        };
        let much = |c: &AxisColumn| c.contribution >= even * (1.0 - ROUNDING);
        let mut columns: Vec<AxisColumn> = (0..d).map(at).filter(much).collect();
        columns.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
        Ok(AxisFacts {
            component,
            share: self.shares[component],
            even_contribution: even,
            listed_contribution: columns.iter().map(|c| c.contribution).sum(),
            columns,
        })
    }
}
