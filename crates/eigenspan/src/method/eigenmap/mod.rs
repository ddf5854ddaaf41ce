//! What Laplacian eigenmaps, diffusion maps and locally linear embedding share: a model that keeps places for its own rows, with the
//! eigenvalues they come from and a residual for each; rows as they are compared; affinities of rows.

pub(super) mod affinity;
mod fitted;
pub(super) mod graph;
pub(super) mod rows;

use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::contract::{MethodOptions, Project, Value};
use super::record::{Record, damaged};
use super::{MapMeasures, MapOf};
use crate::error::Error;
use crate::graph::{FittedRows, Metric};
use crate::mat::{Mat, Real};
use crate::note::Note;
use crate::prepare::Preparation;
use crate::solve::{Plan, SymmetricPairs};
use crate::source::Rows;

/// What each of the methods says for itself.
pub trait EigenmapOptions: MethodOptions<Model = Eigenmap<Self>> {
    /// The method in a sentence.
    const SHORT: &'static str;
    /// The name of a coordinate, before its number.
    const AXIS: &'static str;
    /// Names of the values that JSON results contain.
    const DETAILS: &'static [&'static str];
    /// What only this method learns, and keeps in the model file.
    type Learned: std::fmt::Debug + Clone + Serialize + DeserializeOwned + Send + Sync;

    /// Facts for `describe`, before the proof.
    fn facts(map: &Eigenmap<Self>) -> Vec<(&'static str, String)>;

    /// What the residuals prove, where the largest is at most this.
    fn proof(map: &Eigenmap<Self>, worst: &str) -> String;

    /// A value that only this method has.
    fn own_value(_map: &Eigenmap<Self>, _name: &str) -> Option<Value> {
        None
    }

    /// The distances that the map is to keep.
    fn map_of_options(&self) -> MapOf {
        MapOf::Rows(Metric::Euclidean)
    }

    /// Coordinates of new rows, where the method has them.
    fn new_rows(_map: &Eigenmap<Self>) -> Option<&dyn Project> {
        None
    }
}

/// Places for rows, from eigenvectors of a matrix of all pairs of rows.
#[derive(Debug)]
pub struct Eigenmap<O: EigenmapOptions> {
    pub(super) header: Header<O, O::Learned>,
    /// n × k
    pub(super) places: Mat<f64>,
    pub(super) eigenvalues: Vec<f64>,
    pub(super) residuals: Vec<f64>,
    /// How rows were centered and scaled, where they were.
    pub(super) preparation: Option<Preparation>,
    /// The rows of the fit, prepared, where new rows are compared with them.
    pub(super) rows: Option<Mat<f64>>,
    /// A number for each of these rows, where the method needs one.
    pub(super) weights: Option<Vec<f64>>,
    /// The rows of the fit, ready to be searched for neighbors; made when it is first needed.
    pub(super) search: OnceLock<FittedRows>,
}

impl<O: EigenmapOptions> Clone for Eigenmap<O> {
    fn clone(&self) -> Self {
        Eigenmap {
            header: self.header.clone(),
            places: self.places.clone(),
            eigenvalues: self.eigenvalues.clone(),
            residuals: self.residuals.clone(),
            preparation: self.preparation.clone(),
            rows: self.rows.clone(),
            weights: self.weights.clone(),
            search: OnceLock::new(),
        }
    }
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header<O, L> {
    pub(super) options: O,
    pub(super) columns: Option<Vec<String>>,
    pub(super) n_cols: usize,
    pub(super) learned: L,
    /// How good the map is; older files do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) map: Option<MapMeasures>,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
}

impl<O: EigenmapOptions> Eigenmap<O> {
    /// The places of the rows (n × k).
    pub fn places(&self) -> &Mat<f64> {
        &self.places
    }

    /// The eigenvalue of each coordinate.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The residual of each eigenpair, not divided by its eigenvalue.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Notes on the fit.
    pub fn notes(&self) -> &[Note] {
        &self.header.notes
    }

    pub(super) fn to_record(&self) -> Result<Record<'_>, Error> {
        let preparation = self.preparation.as_ref();
        let record = Record::new(&self.header)?
            .with_matrix("embedding", &self.places)
            .with_list("eigenvalues", &self.eigenvalues)
            .with_list("residuals", &self.residuals)
            .with_optional("center", preparation.map(|p| p.center.as_slice()))
            .with_optional("scale", preparation.and_then(|p| p.scale.as_deref()))
            .with_optional("weights", self.weights.as_deref());
        Ok(match &self.rows {
            Some(rows) => record.with_matrix("rows", rows),
            None => record,
        })
    }

    pub(super) fn from_record(record: &Record<'_>, needs_rows: bool) -> Result<Self, Error> {
        let header: Header<O, O::Learned> = record.header()?;
        let places = record.matrix("embedding")?;
        let other_map = header.map.as_ref();
        if other_map.is_some_and(|map| map.n_rows != places.n_rows()) {
            return Err(damaged("the quality of its map is that of another map"));
        }
        let (eigenvalues, residuals) = (record.list("eigenvalues")?, record.list("residuals")?);
        let (n, k) = (places.n_rows(), places.n_cols());
        let names = header.columns.as_ref().map_or(header.n_cols, Vec::len);
        if n < 2 || k == 0 || names != header.n_cols || header.n_cols == 0 {
            return Err(damaged("its places do not fit its columns"));
        }
        if eigenvalues.len() != k || residuals.len() != k {
            return Err(damaged(
                "its eigenvalues are more or fewer than its coordinates",
            ));
        }
        let (center, scale) = (record.optional("center")?, record.optional("scale")?);
        let wrong =
            |list: &Option<Vec<f64>>| list.as_ref().is_some_and(|l| l.len() != header.n_cols);
        if wrong(&center) || wrong(&scale) {
            return Err(damaged("its means or scales do not fit its columns"));
        }
        if scale.iter().flatten().any(|x| *x <= 0.0) {
            return Err(damaged(
                "a column is divided by a number that is not above 0",
            ));
        }
        let rows = match record.has("rows") {
            true => Some(record.matrix("rows")?),
            false => None,
        };
        let weights = record.optional("weights")?;
        let fits = |rows: &Mat<f64>| rows.n_rows() == n && rows.n_cols() == header.n_cols;
        if rows.as_ref().is_some_and(|rows| !fits(rows))
            || weights.as_ref().is_some_and(|list| list.len() != n)
            || (needs_rows && rows.is_none())
        {
            return Err(damaged("the rows of the fit do not fit its places"));
        }
        Ok(Eigenmap {
            header,
            places,
            eigenvalues,
            residuals,
            preparation: center.map(|center| Preparation { center, scale }),
            rows,
            weights,
            search: OnceLock::new(),
        })
    }
}

/// A note where the eigenvectors are less exact than they should be.
pub(super) fn note_not_converged(pairs: &SymmetricPairs, tolerance: f64) -> Option<Note> {
    let residual = pairs.residuals.iter().fold(0.0f64, |m, r| m.max(*r));
    (!pairs.converged).then(|| Note::NotConverged {
        solver: "subspace iteration".to_owned(),
        iterations: pairs.rounds,
        residual,
        tolerance,
    })
}

/// How many coordinates n rows can have: as many eigenvectors as rows, of which one is constant.
pub(super) fn check_count(k: usize, n_rows: usize) -> Result<(), Error> {
    match k {
        0 => Err(Error::NoComponents),
        _ if n_rows < 2 => Err(Error::TooFewRows {
            rows: n_rows,
            needed: 2,
        }),
        k if k >= n_rows => Err(Error::Graph(crate::error::GraphFault::Dimensions {
            asked: k,
            n_rows,
        })),
        _ => Ok(()),
    }
}

impl<O: EigenmapOptions> Eigenmap<O> {
    /// Places of the rows of a block whose cells are all finite, by a function of these rows once prepared; NaN for the others, which
    /// whoever asked treats as the options say.
    pub(super) fn project_finite<T: Real>(
        &self,
        rows: &Rows<'_, T>,
        place: impl FnOnce(&Mat<f64>) -> Result<Mat<f64>, Error>,
    ) -> Result<Mat<f64>, Error> {
        let (n, d, k) = (
            rows.block.n_rows(),
            rows.block.n_cols(),
            self.places.n_cols(),
        );
        let all = match &self.preparation {
            Some(preparation) => preparation.apply(&rows.block),
            None => {
                let mut cells = vec![0.0; n * d];
                rows.block.copy_to_f64(&mut cells);
                Mat::from_vec(n, d, cells)?
            }
        };
        let is_finite = |i: &usize| all.row(*i).iter().all(|x| x.is_finite());
        let finite: Vec<usize> = (0..n).filter(is_finite).collect();
        let mut out = Mat::from_fn(n, k, |_, _| f64::NAN);
        if !finite.is_empty() {
            let some = Mat::from_fn(finite.len(), d, |i, j| all[(finite[i], j)]);
            let places = place(&some)?;
            for (from, &to) in finite.iter().enumerate() {
                out.row_mut(to).copy_from_slice(places.row(from));
            }
        }
        Ok(out)
    }
}
