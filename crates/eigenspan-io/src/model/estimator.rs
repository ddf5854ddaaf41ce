//! The Python estimator that a model belongs to, so that it comes back as itself: class, parameters, and what only that class
//! knows.
//!
//! It lies beside the model: whoever reads the model alone needs nothing of it.

use std::collections::BTreeMap;

use eigenspan::method::record::Tensor;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What tensors of an estimator are called begins with this.
pub(super) const PREFIX: &str = "estimator.";

/// Element type of the rows a model was fitted to; results for Python come in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

/// An estimator of the Python package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimator {
    /// Its class, such as `TruncatedSVD`.
    pub class: String,
    /// Its parameters as they were given, where JSON can hold them.
    pub parameters: Map<String, Value>,
    /// Lists of numbers that only this class knows; tensors of their own in the file.
    #[serde(skip)]
    pub lists: BTreeMap<String, Vec<f64>>,
}

impl Estimator {
    pub(super) fn tensors(&self) -> impl Iterator<Item = (String, Tensor<'_>)> + '_ {
        self.lists.iter().map(|(name, list)| {
            let (shape, values) = (vec![list.len()], list.into());
            (format!("{PREFIX}{name}"), Tensor { shape, values })
        })
    }
}
