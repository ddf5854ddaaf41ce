//! The fitted model: the places, and how well their distances are those given.

use serde::{Deserialize, Serialize};

use super::MdsOptions;
use crate::error::Error;
use crate::mat::Mat;
use crate::method::MapMeasures;
use crate::method::record::{Record, SpectrumHeader, damaged};
use crate::note::Note;
use crate::prepare::Preparation;
use crate::solve::{Plan, Spectrum};

/// How far the distances of the places are from those given, and how the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stress {
    /// Σ (d − δ)² over all pairs; for non-metric scaling δ are the numbers nearest to d in the order of the distances given.
    pub raw: f64,
    /// √(raw ÷ Σ d²): Kruskal's stress-1.
    pub stress_1: f64,
    /// Steps taken from the start that was kept.
    pub n_iterations: usize,
    /// Whether the last steps lowered the stress by less than the tolerance.
    pub converged: bool,
    /// The start that was kept, from 0.
    pub start: usize,
    /// The largest stress-1 that any start ended in.
    pub worst: f64,
}

/// A fitted multidimensional scaling.
#[derive(Debug, Clone)]
pub struct Scaling {
    pub(super) header: Header,
    /// n × k
    pub(super) places: Mat<f64>,
    /// Of the centered squared distances, for classical scaling.
    pub(super) spectrum: Option<Spectrum>,
    /// How rows were centered and scaled; a distance matrix was not.
    pub(super) preparation: Option<Preparation>,
}

/// What of the model is not a tensor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) options: MdsOptions,
    pub(super) columns: Option<Vec<String>>,
    pub(super) n_cols: usize,
    /// Whether the search began at places that were given.
    pub(super) start_given: bool,
    /// For scaling by stress.
    pub(super) stress: Option<Stress>,
    /// How good the map is; older files do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) map: Option<MapMeasures>,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
}

/// The header with the single numbers of the spectrum.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    header: Header,
    spectrum: Option<SpectrumHeader>,
}

impl Scaling {
    /// The places of the rows (n × k).
    pub fn places(&self) -> &Mat<f64> {
        &self.places
    }

    /// The stress of the places; `None` for classical scaling.
    pub fn stress(&self) -> Option<Stress> {
        self.header.stress
    }

    pub(super) fn to_record(&self) -> Result<Record<'_>, Error> {
        let spectrum = self.spectrum.as_ref();
        let record = Record::new(Stored {
            header: self.header.clone(),
            spectrum: spectrum.map(SpectrumHeader::from),
        })?;
        let record = record.with_matrix("embedding", &self.places);
        let record = match spectrum {
            Some(spectrum) => record.with_spectrum(spectrum),
            None => record,
        };
        let preparation = self.preparation.as_ref();
        Ok(record
            .with_optional("center", preparation.map(|p| p.center.as_slice()))
            .with_optional("scale", preparation.and_then(|p| p.scale.as_deref())))
    }

    pub(super) fn from_record(record: &Record<'_>) -> Result<Self, Error> {
        let Stored { header, spectrum } = record.header()?;
        let places = record.matrix("embedding")?;
        let spectrum = spectrum.map(|numbers| record.spectrum(&numbers, Mat::default()));
        let spectrum = spectrum.transpose()?;
        let k = header.options.n_components;
        let names = header.columns.as_ref().map_or(header.n_cols, Vec::len);
        let lengths = spectrum
            .as_ref()
            .is_none_or(|s| s.singular_values.len() == k && s.residuals.len() == k);
        let other_map = header.map.as_ref();
        if other_map.is_some_and(|map| map.n_rows != places.n_rows()) {
            return Err(damaged("the quality of its map is that of another map"));
        }
        if places.n_cols() != k
            || k == 0
            || places.n_rows() < 2
            || names != header.n_cols
            || !lengths
        {
            return Err(damaged(
                "its places, its columns and its spectrum do not fit together",
            ));
        }
        if header.stress.is_some() == spectrum.is_some() {
            return Err(damaged("it has both a stress and a spectrum, or neither"));
        }
        let (center, scale) = (record.optional("center")?, record.optional("scale")?);
        let wrong =
            |list: &Option<Vec<f64>>| list.as_ref().is_some_and(|l| l.len() != header.n_cols);
        if wrong(&center) || wrong(&scale) {
            return Err(damaged("its means or scales do not fit its columns"));
        }
        Ok(Scaling {
            header,
            places,
            spectrum,
            preparation: center.map(|center| Preparation { center, scale }),
        })
    }
}
