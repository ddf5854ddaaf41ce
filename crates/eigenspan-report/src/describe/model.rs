//! What a model holds: its spectrum and directions in words, and how it was made.

use std::sync::Arc;

use eigenspan::method::Fitted;
use eigenspan_io::model::Origin;

use crate::JobError;
use crate::heading::Heading;
use crate::subject::Subject;
use crate::summary::Summary;

/// A model with what is known about it.
#[derive(Debug)]
pub struct ModelDescription {
    /// The name of the model.
    pub name: String,
    /// The model.
    pub fitted: Arc<dyn Fitted>,
    /// The summary of the model.
    pub summary: Summary,
    /// How the model was made; a model that is in memory only has the version of this program.
    pub origin: Origin,
}

impl ModelDescription {
    /// The heading above the description.
    pub(crate) fn heading(&self) -> Heading {
        let common = self.fitted.common();
        Heading {
            name: self.name.clone(),
            n_rows: common.n_rows,
            n_cols: common.n_cols,
            id: None,
        }
    }
}

/// Describes the existing model of a subject.
pub fn model(subject: &Subject) -> Result<ModelDescription, JobError> {
    let model = subject.known_model()?;
    let here = || Origin {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Origin::default()
    };
    let fitted = model.renamed()?;
    Ok(ModelDescription {
        summary: Summary::new(&*fitted, None),
        name: model.name,
        fitted,
        origin: model.origin.unwrap_or_else(here),
    })
}
