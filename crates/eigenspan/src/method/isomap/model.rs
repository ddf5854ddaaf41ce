//! The fitted model: the places of its rows, and what places new rows among them.

use serde::{Deserialize, Serialize};

use super::IsomapOptions;
use super::landmarks::weights;
use crate::context::Context;
use crate::error::Error;
use crate::graph::{FittedRows, Graph, StoredRows, geodesics};
use crate::mat::Mat;
use crate::method::MapMeasures;
use crate::method::record::{Record, SpectrumHeader, damaged};
use crate::note::Note;
use crate::prepare::Preparation;
use crate::solve::{Plan, Spectrum};
use crate::source::Csr;

/// A fitted Isomap.
#[derive(Debug, Clone)]
pub struct Isomap {
    pub(super) header: Header,
    /// The training rows, ready to be compared with new ones.
    pub(super) rows: FittedRows,
    /// How columns were scaled.
    pub(super) preparation: Option<Preparation>,
    pub(super) map: Map,
}

/// Places, and what gives places to new rows.
#[derive(Debug, Clone)]
pub(super) struct Map {
    /// n × k
    pub(super) places: Mat<f64>,
    /// Of the centered squared geodesics, between all rows or between landmarks.
    pub(super) spectrum: Spectrum,
    /// y/λ for every landmark (m × k); all rows are landmarks where none were drawn.
    pub(super) weights: Mat<f64>,
    /// The mean squared geodesic from each landmark to all landmarks.
    pub(super) means: Vec<f64>,
    pub(super) paths: Paths,
}

/// What gives the geodesics of new rows.
#[derive(Debug, Clone)]
pub(super) enum Paths {
    /// The graph, on which they are computed.
    Graph(Graph),
    /// The geodesics from all rows to the landmarks (n × m).
    ToLandmarks { landmarks: Vec<usize>, to: Mat<f64> },
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) options: IsomapOptions,
    pub(super) columns: Option<Vec<String>>,
    pub(super) n_cols: usize,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
    /// The measured recall of an approximate search for neighbors.
    pub(super) recall: Option<f64>,
    /// Edges of the graph, each counted once.
    pub(super) n_edges: usize,
    /// 1 − R² of geodesics and distances in the map, for 1, 2, … k dimensions.
    pub(super) residual_variance: Vec<Option<f64>>,
    /// Whether all eigenvalues were computed, so that shares are known.
    pub(super) all_eigenvalues: bool,
    /// The Frobenius norm of the centered squared geodesics.
    pub(super) centered_norm: f64,
    /// How good the map is; older files do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) map: Option<MapMeasures>,
}

/// The header with the single numbers of the spectrum and of the rows.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    header: Header,
    spectrum: SpectrumHeader,
    /// The power of two that the rows were divided by.
    unit: f64,
}

impl Isomap {
    /// The places of the training rows (n × k).
    pub fn places(&self) -> &Mat<f64> {
        &self.map.places
    }

    /// 1 − R² of geodesics and distances in the map, for 1, 2, … k dimensions; `None` where no two of them differ.
    pub fn residual_variance(&self) -> &[Option<f64>] {
        &self.header.residual_variance
    }

    /// The eigenvalues of the centered squared geodesics that belong to the places; 0 for those that are not above rounding.
    pub fn eigenvalues(&self) -> Vec<f64> {
        let values = self.map.spectrum.singular_values.iter();
        values.map(|s| s * s).collect()
    }

    /// √(‖B‖² − Σλ²) ÷ n: how far the places' inner products are from the centered squared geodesics B, per pair (of landmarks, where
    /// these were drawn).
    pub fn reconstruction_error(&self) -> f64 {
        let (norm, n) = (self.header.centered_norm, self.map.means.len() as f64);
        let kept: f64 = self.eigenvalues().iter().map(|x| (x / norm).powi(2)).sum();
        match norm > 0.0 {
            true => norm * (1.0 - kept).max(0.0).sqrt() / n,
            false => 0.0,
        }
    }

    /// The rows that were drawn as landmarks; `None` where geodesics are between all rows.
    pub fn landmarks(&self) -> Option<&[usize]> {
        match &self.map.paths {
            Paths::Graph(_) => None,
            Paths::ToLandmarks { landmarks, .. } => Some(landmarks),
        }
    }

    /// The geodesics, computed again from the graph: between all rows (n × n), or from the landmarks to all rows (m × n).
    pub fn geodesics(&self, ctx: &Context) -> Result<Mat<f64>, Error> {
        match &self.map.paths {
            Paths::Graph(graph) => {
                let all: Vec<usize> = (0..graph.n_rows()).collect();
                let mut lengths = geodesics(ctx, graph, &all)?;
                ctx.install_here(|| crate::linalg::mirror_lower(&mut lengths));
                Ok(lengths)
            }
            Paths::ToLandmarks { to, .. } => Ok(to.transposed()),
        }
    }

    pub(super) fn to_record(&self) -> Result<Record<'_>, Error> {
        let (rows, unit) = self.rows.stored();
        let map = &self.map;
        let record = Record::new(Stored {
            header: self.header.clone(),
            spectrum: SpectrumHeader::from(&map.spectrum),
            unit,
        })?;
        let record = record
            .with_matrix("embedding", &map.places)
            .with_spectrum(&map.spectrum)
            .with_list("mean_squares", map.means.as_slice());
        let record = match rows {
            StoredRows::Dense(rows) => record.with_matrix("rows", rows),
            StoredRows::Sparse {
                starts,
                columns,
                values,
            } => record
                .with_list("rows_starts", starts)
                .with_list("rows_columns", columns)
                .with_list("rows_values", values),
        };
        let record = match &map.paths {
            Paths::Graph(graph) => record
                .with_list("graph_starts", numbers(graph.starts.iter().copied()))
                .with_list(
                    "graph_columns",
                    numbers(graph.columns.iter().map(|j| *j as usize)),
                )
                .with_list("graph_lengths", graph.values.as_slice()),
            Paths::ToLandmarks { landmarks, to } => record
                .with_list("landmarks", numbers(landmarks.iter().copied()))
                .with_matrix("landmark_weights", &map.weights)
                .with_matrix("geodesics", to),
        };
        let preparation = self.preparation.as_ref();
        Ok(record.with_optional("scale", preparation.and_then(|p| p.scale.as_deref())))
    }

    pub(super) fn from_record(record: &Record<'_>) -> Result<Self, Error> {
        let Stored {
            header,
            spectrum,
            unit,
        } = record.header()?;
        let (k, d) = (header.options.n_components, header.n_cols);
        let spectrum = record.spectrum(&spectrum, Mat::default())?;
        let places = record.matrix("embedding")?;
        let other_map = header.map.as_ref();
        if other_map.is_some_and(|map| map.n_rows != places.n_rows()) {
            return Err(damaged("the quality of its map is that of another map"));
        }
        let n = places.n_rows();
        let means = record.list("mean_squares")?;
        let options = header.options.neighbor_options();
        let rows = match record.has("rows") {
            true => FittedRows::from_dense(options, record.matrix("rows")?, unit),
            false => {
                let lists = (
                    &record.list("rows_starts")?[..],
                    &record.list("rows_columns")?[..],
                    record.list("rows_values")?,
                );
                FittedRows::from_sparse(options, d, lists, unit).map_err(damaged)?
            }
        };
        let names = header.columns.as_ref().map_or(d, Vec::len);
        let fits = places.n_cols() == k
            && k > 0
            && n >= 2
            && (rows.n_rows(), rows.n_cols(), names) == (n, d, d)
            && spectrum.singular_values.len() == k
            && spectrum.residuals.len() == k
            && spectrum.rank <= k
            && header.residual_variance.len() == k
            && (1..n).contains(&header.options.n_neighbors)
            && unit > 0.0;
        if !fits {
            return Err(damaged(
                "its places, its rows and its spectrum do not fit together",
            ));
        }
        let paths = Paths::from_record(record, n)?;
        let weights = match &paths {
            Paths::Graph(_) => weights(&places, &spectrum),
            Paths::ToLandmarks { .. } => record.matrix("landmark_weights")?,
        };
        let scale = record.optional("scale")?;
        let m = paths.n_landmarks();
        if (weights.n_rows(), weights.n_cols(), means.len()) != (m, k, m)
            || scale.as_ref().is_some_and(|list| list.len() != d)
        {
            return Err(damaged("its landmarks or its scales do not fit its rows"));
        }
        Ok(Isomap {
            header,
            rows,
            preparation: scale.map(|scale| Preparation {
                center: vec![0.0; d],
                scale: Some(scale),
            }),
            map: Map {
                places,
                spectrum,
                weights,
                means,
                paths,
            },
        })
    }
}

impl Paths {
    fn n_landmarks(&self) -> usize {
        match self {
            Paths::Graph(graph) => graph.n_rows(),
            Paths::ToLandmarks { landmarks, .. } => landmarks.len(),
        }
    }

    fn from_record(record: &Record<'_>, n: usize) -> Result<Self, Error> {
        if record.has("geodesics") {
            let (to, landmarks) = (record.matrix("geodesics")?, record.list("landmarks")?);
            let landmarks: Vec<usize> = landmarks.iter().map(|x| *x as usize).collect();
            let rising = landmarks.windows(2).all(|pair| pair[0] < pair[1]);
            let inside = landmarks.last().is_some_and(|last| *last < n);
            if (to.n_rows(), to.n_cols()) != (n, landmarks.len()) || !rising || !inside {
                return Err(damaged("its geodesics do not fit its rows and landmarks"));
            }
            return Ok(Paths::ToLandmarks { landmarks, to });
        }
        let (starts, columns) = (record.list("graph_starts")?, record.list("graph_columns")?);
        let values = record.list("graph_lengths")?;
        let starts: Vec<usize> = starts.iter().map(|x| *x as usize).collect();
        let columns: Vec<u32> = columns.iter().map(|x| *x as u32).collect();
        // Checked as a sparse matrix is, and its lengths as lengths.
        let checked = Csr::from_rows(n, starts.clone(), columns.clone(), values.clone());
        let fits = checked.is_ok_and(|graph| graph.view().n_rows() == n);
        if !fits || values.iter().any(|x| *x < 0.0) {
            return Err(damaged("its graph does not fit its rows"));
        }
        Ok(Paths::Graph(Graph {
            starts,
            columns,
            values,
            n_cols: n,
        }))
    }
}

fn numbers(counts: impl Iterator<Item = usize>) -> Vec<f64> {
    counts.map(|x| x as f64).collect()
}
