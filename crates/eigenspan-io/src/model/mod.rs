//! Fitted model ↔ file: safetensors for the numbers, JSON for the rest. `docs/model-file.md` documents it byte by byte.
//!
//! A model file is data, never code. Everything is checked on load: sizes before they are used, versions, shapes, and that
//! the parts belong together.

mod container;
mod error;
mod estimator;

pub use error::ModelError;
pub use estimator::{Element, Estimator};

use std::io::Read;
use std::path::Path;

use eigenspan::method::{Fitted, registry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::container::{Container, Contents};
use crate::input::dangling;
use crate::kind::is_model;
use crate::picture::Picture;
use crate::write::write_sealed;
use crate::{Sealed, WriteError};

/// The newest format this program writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// A fitted model, and where it comes from.
#[derive(Debug, Clone)]
pub struct Model {
    /// What was fitted, whatever the method.
    pub fitted: Box<dyn Fitted>,
    /// Where it comes from.
    pub origin: Origin,
    /// The shape of the pictures it was fitted to, if they were pictures.
    pub picture: Option<Picture>,
}

/// Where a model comes from, for whoever opens the file later.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Version of eigenspan that wrote it.
    pub version: String,
    /// The command that reproduces it, where there is one.
    pub command: Option<String>,
    /// Name of the data it was fitted to.
    pub data: Option<String>,
    /// Element type of that data, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// The Python estimator that this model belongs to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimator: Option<Estimator>,
}

/// The JSON part of a model file.
#[derive(Serialize, Deserialize)]
struct Header {
    format_version: u32,
    method: String,
    #[serde(flatten)]
    origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    picture: Option<Picture>,
    model: Value,
}

/// Calls `take` with the complete content of a model file.
fn with_container<R>(
    (fitted, origin, picture): (&dyn Fitted, &Origin, Option<Picture>),
    take: impl FnOnce(&Container<'_>) -> R,
) -> Result<R, ModelError> {
    let record = fitted.record().map_err(ModelError::damaged)?;
    let header = Header {
        format_version: FORMAT_VERSION,
        method: fitted.method().to_owned(),
        origin: origin.clone(),
        picture,
        model: record.json,
    };
    let header = serde_json::to_string(&header).map_err(ModelError::damaged)?;
    let beside: Vec<_> = origin
        .estimator
        .iter()
        .flat_map(Estimator::tensors)
        .collect();
    let own = record
        .tensors
        .iter()
        .map(|(name, tensor)| (&**name, tensor));
    let beside = beside.iter().map(|(name, tensor)| (name.as_str(), tensor));
    Ok(take(&Container::new(header, own.chain(beside))?))
}

/// Writes a complete model file without copying the model, and leaves it to the caller to put the file in its place.
pub fn seal(
    fitted: &dyn Fitted,
    origin: &Origin,
    picture: Option<Picture>,
    path: &Path,
) -> Result<Sealed, SaveError> {
    Model::check_name(path)?;
    let sealed = with_container((fitted, origin, picture), |container| {
        write_sealed(path, |out| container.write(out))
    })?;
    Ok(sealed?)
}

/// The bytes of a model file, made without copying the model.
pub fn to_bytes(
    fitted: &dyn Fitted,
    origin: &Origin,
    picture: Option<Picture>,
) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    with_container((fitted, origin, picture), |container| {
        container.write(&mut bytes)
    })?
    .map_err(ModelError::damaged)?;
    Ok(bytes)
}

impl Model {
    /// The bytes of a model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        to_bytes(&*self.fitted, &self.origin, self.picture)
    }

    /// A model from the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let contents = Contents::new(bytes)?;
        // The version first: a newer header may hold what the rest of this reader does not know.
        let version: Value = serde_json::from_str(&contents.header).map_err(ModelError::damaged)?;
        match version.get("format_version").and_then(Value::as_u64) {
            Some(found) if found > u64::from(FORMAT_VERSION) => {
                return Err(ModelError::NewerVersion {
                    found,
                    known: FORMAT_VERSION,
                });
            }
            Some(1..) => {}
            _ => return Err(ModelError::damaged("it has no format version")),
        }
        let header: Header = serde_json::from_str(&contents.header).map_err(ModelError::damaged)?;
        let Some(method) = registry::find(&header.method) else {
            let known: Vec<&str> = registry::all().iter().map(|entry| entry.name).collect();
            return Err(ModelError::OtherMethod {
                found: header.method,
                known: known.join(", "),
            });
        };
        let record = contents.record(header.model, estimator::PREFIX)?;
        let fitted = method.from_record(&record).map_err(ModelError::damaged)?;
        let mut origin = header.origin;
        if let Some(estimator) = &mut origin.estimator {
            estimator.lists = contents.lists(estimator::PREFIX)?.into_iter().collect();
        }
        Ok(Model {
            picture: checked(header.picture, fitted.common().n_cols)?,
            fitted,
            origin,
        })
    }

    /// Writes the model file; at any moment, either the old file or the complete new one is there.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        Ok(self.seal(path)?.place()?)
    }

    /// Refuses a name whose ending promises another format.
    pub fn check_name(path: &Path) -> Result<(), WriteError> {
        const OTHERS: [&str; 39] = [
            "onnx", "pkl", "pickle", "joblib", "skops", "json", "jsonl", "yaml", "yml", "toml",
            "xml", "pmml", "npz", "npy", "csv", "tsv", "txt", "parquet", "pq", "arrow", "feather",
            "ipc", "h5", "hdf5", "h5ad", "mat", "rds", "rda", "rdata", "pt", "pth", "html", "svg",
            "png", "pdf", "xlsx", "zip", "gz", "zst",
        ];
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match OTHERS.contains(&extension.to_lowercase().as_str()) {
            true => Err(WriteError::OtherFormat {
                file: path.display().to_string(),
                extension: extension.into_owned(),
                better: path.with_extension("safetensors").display().to_string(),
            }),
            false => Ok(()),
        }
    }

    /// Writes a complete model file, and leaves it to the caller to put it in its place.
    pub fn seal(&self, path: &Path) -> Result<Sealed, SaveError> {
        seal(&*self.fitted, &self.origin, self.picture, path)
    }

    /// Whether a file looks like a model: by its first bytes, which are those of a safetensors file, or by its name.
    pub fn is_model_file(path: &Path) -> bool {
        // A pipe can be read only once.
        if !path.is_file() {
            return false;
        }
        let mut head = [0u8; 9];
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
        let named = path.extension().is_some_and(|end| end == "safetensors");
        (read.is_ok() && is_model(&head)) || named
    }

    /// Reads a model file.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let failed = |error: ModelErrorOrIo| LoadError {
            path: path.display().to_string(),
            error,
        };
        if let Some(target) = dangling(path) {
            let why = format!("a link to {target}, which does not exist");
            return Err(failed(ModelErrorOrIo::Model(ModelError::NotAModel { why })));
        }
        let meta = std::fs::metadata(path).map_err(|e| failed(ModelErrorOrIo::Io(e)))?;
        if meta.is_dir() {
            let why = "it is a folder".to_owned();
            return Err(failed(ModelErrorOrIo::Model(ModelError::NotAModel { why })));
        }
        let bytes = std::fs::read(path).map_err(|e| failed(ModelErrorOrIo::Io(e)))?;
        Model::from_bytes(&bytes).map_err(|e| failed(ModelErrorOrIo::Model(e)))
    }
}

/// Checks that the shape of a model's pictures is valid and fits the model's columns.
fn checked(picture: Option<Picture>, n_cols: usize) -> Result<Option<Picture>, ModelError> {
    let Some(picture) = picture else {
        return Ok(None);
    };
    match picture.checked() {
        Some(picture) if picture.n_cols() == n_cols => Ok(Some(picture)),
        _ => Err(ModelError::damaged("its pictures do not fit its columns")),
    }
}

/// Why a model could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// It could not be turned into bytes.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The bytes could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why a model file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct LoadError {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub error: ModelErrorOrIo,
}

/// What is wrong with a model file.
#[derive(Debug, thiserror::Error)]
pub enum ModelErrorOrIo {
    /// Its content.
    #[error(transparent)]
    Model(ModelError),
    /// It could not be read.
    #[error("{}", io_words(.0))]
    Io(std::io::Error),
}

fn io_words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read (permission denied)".to_owned(),
        _ => error.to_string(),
    }
}
