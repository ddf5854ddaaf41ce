//! The fitted model: the directions, and what was measured.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::draw::Map;
use super::{Distortion, Entries, RandomProjectionOptions};
use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::method::record::{Record, damaged};
use crate::note::Note;
use crate::solve::Plan;
use crate::source::{Block, Csr};

/// A fitted random projection.
#[derive(Debug, Clone)]
pub struct RandomProjection {
    pub(super) header: Header,
    pub(super) map: Map,
    /// The directions (k × d), written out when they are first asked for.
    written: OnceLock<Mat<f64>>,
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) options: RandomProjectionOptions,
    pub(super) columns: Option<Vec<String>>,
    pub(super) n_rows: usize,
    pub(super) n_cols: usize,
    pub(super) n_components: usize,
    /// The share of entries that were to be other than zero.
    pub(super) density: f64,
    /// `None` where no two of the drawn rows differ.
    pub(super) distortion: Option<Distortion>,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
}

/// Directions of more cells than this are not written out as a matrix.
const MOST_CELLS: usize = 1 << 25;

impl RandomProjection {
    pub(super) fn new(header: Header, map: Map) -> Self {
        RandomProjection {
            header,
            map,
            written: OnceLock::new(),
        }
    }

    /// Directions drawn.
    pub fn n_components(&self) -> usize {
        self.map.n_components()
    }

    /// The share of entries of the directions that were to be other than zero; 1 for Gaussian entries.
    pub fn density(&self) -> f64 {
        self.header.density
    }

    /// How far the distances of a sample of the rows are changed; `None` where no two of them differ.
    pub fn distortion(&self) -> Option<Distortion> {
        self.header.distortion
    }

    /// The directions, written out (k × d); `None` where that would take more than 256 MB.
    pub fn components(&self) -> Option<&Mat<f64>> {
        let cells = self.map.n_components().saturating_mul(self.map.n_cols());
        (cells <= MOST_CELLS).then(|| self.written.get_or_init(|| self.map.directions()))
    }

    /// Coordinates of rows.
    pub(super) fn times<T: Real>(&self, rows: &Block<'_, T>) -> Mat<f64> {
        match &self.map {
            Map::Dense(map) => rows.prepared_times(&vec![0.0; map.n_rows()], None, map),
            Map::Sparse(map) => rows.times_sparse(&map.view()),
        }
    }

    /// The model as data.
    pub(super) fn to_record(&self) -> Result<Record<'_>, Error> {
        let record = Record::new(&self.header)?;
        let map = match &self.map {
            Map::Dense(map) => return Ok(record.with_matrix("map", map)),
            Map::Sparse(map) => map.view(),
        };
        // By the columns of the rows: where the entries of each begin, their directions, and their weights.
        let columns = || (0..map.n_rows()).map(|j| map.row(j));
        let mut starts = vec![0.0];
        starts.extend(columns().scan(0usize, |end, (places, _)| {
            *end += places.len();
            Some(*end as f64)
        }));
        let directions = columns().flat_map(|(places, _)| places);
        let weights = columns().flat_map(|(_, weights)| weights);
        let directions: Vec<f64> = directions.map(|&c| f64::from(c)).collect();
        let weights: Vec<f64> = weights.copied().collect();
        Ok(record
            .with_list("starts", starts)
            .with_list("directions", directions)
            .with_list("weights", weights))
    }

    /// The model in a record.
    pub(super) fn from_record(record: &Record<'_>) -> Result<Self, Error> {
        let header: Header = record.header()?;
        let map = match header.options.entries {
            Entries::Gaussian => Map::Dense(record.matrix("map")?),
            Entries::Sparse => read_sparse(record, header.n_components)?,
        };
        let names = header.columns.as_ref().map_or(map.n_cols(), Vec::len);
        if map.n_cols() != header.n_cols || names != header.n_cols {
            return Err(damaged("its directions do not fit its columns"));
        }
        let k = header.n_components;
        if k == 0 || map.n_components() != k || header.n_rows == 0 {
            return Err(damaged(
                "the number of its directions or of its rows is wrong",
            ));
        }
        Ok(RandomProjection::new(header, map))
    }
}

/// Sparse directions from the lists of a record.
fn read_sparse(record: &Record<'_>, k: usize) -> Result<Map, Error> {
    let whole = |name: &str, below: f64| {
        let list = record.list(name)?;
        let fits = |x: &f64| x.fract() == 0.0 && (0.0..below).contains(x);
        match list.iter().all(fits) {
            true => Ok(list),
            false => Err(damaged(format!(
                "`{name}` holds a number that it cannot hold"
            ))),
        }
    };
    let starts = whole("starts", 9e15)?.iter().map(|x| *x as usize).collect();
    let places = whole("directions", 4e9)?
        .iter()
        .map(|x| *x as u32)
        .collect();
    let map = Csr::from_rows(k, starts, places, record.list("weights")?);
    map.map(Map::Sparse)
        .map_err(|error| damaged(format!("its sparse directions: {error}")))
}
