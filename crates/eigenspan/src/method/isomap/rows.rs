//! Rows before they are compared: read, and their columns divided by their standard deviations where that is asked for.

use super::IsomapOptions;
use crate::context::Context;
use crate::error::Error;
use crate::graph::{FittedRows, NeighborOptions};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::{ColumnStatistics, Preparation, Scale, find_not_finite, read_all};
use crate::solve::Convention;
use crate::source::{Dense, Numbers, Source, col_label};
use crate::summary::{Moments, summarize};

/// Rows that are ready to be compared, and how they were scaled.
pub(super) struct Ready {
    pub(super) rows: FittedRows,
    pub(super) preparation: Option<Preparation>,
    pub(super) note: Option<Note>,
}

impl IsomapOptions {
    /// The neighbors to look for.
    pub(super) fn neighbor_options(&self) -> NeighborOptions {
        NeighborOptions {
            n_neighbors: self.n_neighbors,
            metric: self.metric,
            algorithm: self.algorithm,
            seed: self.seed,
            ..NeighborOptions::default()
        }
    }

    pub(super) fn ready<T: Real>(
        &self,
        ctx: &Context,
        source: &dyn Source<T>,
    ) -> Result<Ready, Error> {
        let options = self.neighbor_options();
        if self.scale == Scale::None {
            let rows = options.prepare(ctx, Numbers::from_source(source))?;
            return Ok(Ready {
                rows,
                preparation: None,
                note: None,
            });
        }
        let (mut cells, _) = read_all(ctx, source)?;
        let d = cells.n_cols();
        let moments = summarize(ctx, &Dense::new(cells.view()), || Moments::new(d))?;
        if !moments.is_finite() {
            return Err(find_not_finite(ctx, source));
        }
        let spread: Vec<f64> = moments
            .squares()
            .iter()
            .map(|s| s.max(0.0).sqrt())
            .collect();
        let factors = self.scale.factors(&ColumnStatistics {
            spread: &spread,
            mean: &moments.mean(),
            divisor: Convention::Unbiased.divisor(cells.n_rows() as f64),
            unit: 1.0,
        })?;
        let constant: Vec<String> = (0..d)
            .filter(|&j| spread[j] == 0.0)
            .map(|j| col_label(source.col_names(), j))
            .collect();
        if let Some(factors) = &factors {
            divide(&mut cells, factors);
        }
        let rows = options.prepare(ctx, Numbers::F64(&Dense::new(cells.view())))?;
        Ok(Ready {
            rows,
            // Metrics of directions compare rows as they lie relative to zero, so nothing is subtracted.
            preparation: Some(Preparation {
                center: vec![0.0; d],
                scale: factors,
            }),
            note: (!constant.is_empty()).then_some(Note::ConstantColumns {
                columns: constant,
                scaled: true,
            }),
        })
    }
}

/// Divides every column by its factor.
pub(super) fn divide(cells: &mut Mat<f64>, factors: &[f64]) {
    for i in 0..cells.n_rows() {
        let row = cells.row_mut(i).iter_mut();
        row.zip(factors).for_each(|(x, factor)| *x /= factor);
    }
}
