//! The number of components that the rules advise for a table, for any method; and the number that `n_components = auto` takes.

use crate::choose::{Choices, Scree};
use crate::error::Error;
use crate::mat::Real;
use crate::note::Note;
use crate::source::{Passes, Source};

/// The advice of the rules for a table, and the eigenvalues they used.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The advice of every rule, and the consensus.
    pub choices: Choices,
    /// All eigenvalues.
    pub scree: Scree,
    /// Notes on the rows.
    pub notes: Vec<Note>,
}

impl Chosen {
    /// The number of components to fit, and the note that says why.
    pub(super) fn into_count_and_note(self) -> (usize, Note) {
        let consensus = self.choices.consensus;
        let possible = self.scree.values().len().max(1);
        // A model has at least one component, also where none stands out.
        let n_components = consensus.k.unwrap_or(1).clamp(1, possible);
        let note = Note::Chosen {
            n_components,
            advised: consensus.k,
            why: consensus.reason(),
        };
        (n_components, note)
    }
}

/// The rules read the rows before the fit does, so a source that can be read only once is refused.
pub(super) fn refuse_once<T: Real>(source: &dyn Source<T>) -> Result<(), Error> {
    match source.passes() {
        Passes::Once => Err(Error::ChoosesFirst),
        Passes::Many => Ok(()),
    }
}
