//! The Python estimator that a model belongs to, so that loading the file restores it: its class, its parameters, and values
//! that only this class has.
//!
//! It is stored beside the model: a reader that needs the model alone can ignore it.

use std::collections::BTreeMap;

use eigenspan::method::record::Tensor;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The names of an estimator's tensors begin with this.
pub(super) const PREFIX: &str = "estimator.";

/// Element type of the rows a model was fitted to; Python gets results in this type.
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
    /// Lists of numbers that only this class has; separate tensors in the file.
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
