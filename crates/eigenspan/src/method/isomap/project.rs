//! Places of new rows: the geodesics to the landmarks lead through the nearest training rows.

use super::landmarks::placed;
use super::model::{Isomap, Paths};
use super::rows::divide;
use crate::context::Context;
use crate::error::{Error, NeighborFault};
use crate::graph::{Neighbors, Seeds, from_outside};
use crate::mat::{Mat, Real};
use crate::method::contract::ProjectRows;
use crate::parallel;
use crate::source::{Dense, Numbers, Rows};

impl<T: Real> ProjectRows<T> for Isomap {
    fn project_block(&self, ctx: &Context, rows: &Rows<'_, T>) -> Result<Mat<f64>, Error> {
        let (d, k) = (rows.block.n_cols(), self.map.places.n_cols());
        let mut cells = Mat::zeros(rows.block.n_rows(), d);
        rows.block.copy_to_f64(cells.as_mut_slice());
        // 1. Rows with missing cells have no neighbors.
        let whole: Vec<usize> = (0..cells.n_rows())
            .filter(|&i| cells.row(i).iter().all(|x| x.is_finite()))
            .collect();
        let mut places = Mat::from_fn(cells.n_rows(), k, |_, _| f64::NAN);
        if whole.is_empty() {
            return Ok(places);
        }
        if let Some(scale) = self.preparation.as_ref().and_then(|p| p.scale.as_ref()) {
            divide(&mut cells, scale);
        }
        let cells = Mat::from_fn(whole.len(), d, |i, j| cells[(whole[i], j)]);
        // 2. The nearest training rows.
        let ctx = &ctx.without_progress();
        let source = Dense::new(cells.view());
        let nearest =
            self.rows
                .nearest_to(ctx, Numbers::F64(&source), self.header.options.n_neighbors);
        let nearest = nearest.map_err(|error| match error {
            Error::Neighbors(NeighborFault::NoDirection {
                row,
                metric,
                constant,
            }) => Error::Neighbors(NeighborFault::NoDirection {
                row: rows.first + whole[row],
                metric,
                constant,
            }),
            error => error,
        })?;
        // 3. Geodesics through them, and the places that these give.
        let found = self.placed_near(ctx, &nearest)?;
        for (&i, place) in whole.iter().zip(&found) {
            places.row_mut(i).copy_from_slice(place);
        }
        Ok(places)
    }
}

impl Isomap {
    /// The places of rows beside these training rows.
    fn placed_near(&self, ctx: &Context, nearest: &Neighbors) -> Result<Vec<Vec<f64>>, Error> {
        let (weights, means) = (&self.map.weights, &self.map.means);
        let k = weights.n_cols();
        match &self.map.paths {
            Paths::Graph(graph) => {
                let seeds: Vec<Seeds> = (0..nearest.n_rows())
                    .map(|i| {
                        let (rows, lengths) = nearest.row(i);
                        rows.iter().copied().zip(lengths.iter().copied()).collect()
                    })
                    .collect();
                from_outside(ctx, graph, &seeds, |cells, lane| {
                    let mut place = vec![0.0; k];
                    let lengths = cells.iter().map(|cells| cells[lane]);
                    placed(lengths, weights, means, &mut place);
                    place
                })
            }
            Paths::ToLandmarks { to, .. } => ctx.install_here(|| {
                parallel::try_collect(nearest.n_rows(), |i| {
                    let (rows, lengths) = nearest.row(i);
                    let mut least = vec![f64::INFINITY; means.len()];
                    for (row, length) in rows.iter().zip(lengths) {
                        let further = to.row(*row as usize).iter();
                        for (least, further) in least.iter_mut().zip(further) {
                            *least = least.min(length + further);
                        }
                    }
                    let mut place = vec![0.0; k];
                    placed(least.into_iter(), weights, means, &mut place);
                    Ok(place)
                })
            }),
        }
    }
}
