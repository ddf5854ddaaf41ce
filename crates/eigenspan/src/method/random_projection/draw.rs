//! The draw of the directions. Every direction has a random stream of its own, so that the first of many are the same entries as those of
//! few, up to their common factor, and threads may draw them in any order.

use super::{Entries, RandomProjectionOptions};
use crate::error::Error;
use crate::mat::Mat;
use crate::parallel;
use crate::rng::{Rng, stream};
use crate::source::{Csr, CsrView};

/// Random directions as the columns of a matrix B (d × k), so that a row x has the coordinates xᵀB.
#[derive(Debug, Clone)]
pub(super) enum Map {
    /// Every entry.
    Dense(Mat<f64>),
    /// The entries that are not zero, by the columns of the rows.
    Sparse(Csr<f64>),
}

impl Map {
    /// Directions.
    pub(super) fn n_components(&self) -> usize {
        match self {
            Map::Dense(map) => map.n_cols(),
            Map::Sparse(map) => map.view().n_cols(),
        }
    }

    /// Columns of the rows.
    pub(super) fn n_cols(&self) -> usize {
        match self {
            Map::Dense(map) => map.n_rows(),
            Map::Sparse(map) => map.view().n_rows(),
        }
    }

    /// The directions, written out (k × d).
    pub(super) fn directions(&self) -> Mat<f64> {
        match self {
            Map::Dense(map) => map.transposed(),
            Map::Sparse(map) => {
                let view = map.view();
                let mut out = Mat::zeros(view.n_cols(), view.n_rows());
                for j in 0..view.n_rows() {
                    let (places, weights) = view.row(j);
                    let entries = places.iter().zip(weights);
                    entries.for_each(|(&c, weight)| out[(c as usize, j)] = *weight);
                }
                out
            }
        }
    }
}

impl RandomProjectionOptions {
    /// The share of entries that are not zero: that of the options, or its default for this many columns.
    pub(super) fn density_for(&self, n_cols: usize) -> Result<f64, Error> {
        match (self.entries, self.density) {
            (Entries::Gaussian, None) => Ok(1.0),
            (Entries::Gaussian, Some(_)) => Err(Error::OptionsConflict {
                what: "density is for sparse directions, but the entries are gaussian: none of them is zero",
            }),
            (Entries::Sparse, None) => Ok(1.0 / (n_cols.max(1) as f64).sqrt()),
            (Entries::Sparse, Some(density)) if density > 0.0 && density <= 1.0 => Ok(density),
            (Entries::Sparse, Some(density)) => Err(Error::UnknownValue {
                option: "density",
                given: density.to_string(),
                allowed: "a share above 0 and at most 1",
            }),
        }
    }

    /// Draws k directions in d columns.
    pub(super) fn draw(&self, k: usize, d: usize) -> Result<Map, Error> {
        let density = self.density_for(d)?;
        match self.entries {
            Entries::Gaussian => {
                let size = 1.0 / (k as f64).sqrt();
                let direction = |c: usize| {
                    let mut rng = Rng::new(stream(self.seed, c));
                    (0..d).map(|_| size * rng.normal()).collect()
                };
                let directions: Vec<Vec<f64>> = parallel::collect(k, direction);
                Ok(Map::Dense(Mat::from_fn(d, k, |j, c| directions[c][j])))
            }
            Entries::Sparse => {
                let size = 1.0 / (density * k as f64).sqrt();
                let draw = |c: usize| {
                    sparse_direction(&mut Rng::new(stream(self.seed, c)), d, density, size)
                };
                sparse_map(d, parallel::collect(k, draw)).map(Map::Sparse)
            }
        }
    }
}

/// The places and weights of one direction's entries that are not zero: each of d is there with probability `density`.
fn sparse_direction(rng: &mut Rng, d: usize, density: f64, size: f64) -> (Vec<u32>, Vec<f64>) {
    let (mut places, mut weights) = (Vec::new(), Vec::new());
    let mut place = 0usize;
    loop {
        // The number of zeros before the next entry has a geometric distribution, drawn by its inverse.
        if density < 1.0 {
            let zeros = ((1.0 - rng.uniform()).ln() / (-density).ln_1p()).floor();
            place = place.saturating_add(if zeros < d as f64 { zeros as usize } else { d });
        }
        if place >= d {
            return (places, weights);
        }
        places.push(place as u32);
        weights.push(if rng.bits() >> 63 == 0 { size } else { -size });
        place += 1;
    }
}

/// Directions by the columns of the rows, from their entries that are not zero.
fn sparse_map(d: usize, directions: Vec<(Vec<u32>, Vec<f64>)>) -> Result<Csr<f64>, Error> {
    let (mut starts, mut places, mut weights) = (vec![0usize], Vec::new(), Vec::new());
    for (own_places, own_weights) in directions {
        places.extend(own_places);
        weights.extend(own_weights);
        starts.push(places.len());
    }
    Csr::from_columns(d, CsrView::new(d, &starts, &places, &weights)?)
}
