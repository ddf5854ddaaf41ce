//! Which options of a PCA the user gave; presets and the kind of data fill in only the others.

use eigenspan::method::Like;

/// Which options the user gave; these are never guessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Explicit {
    /// The program whose conventions fill in the options that were not given.
    pub like: Option<Like>,
    /// `n_components`.
    pub n_components: bool,
    /// `scale`.
    pub scale: bool,
    /// `whiten`.
    pub whiten: bool,
    /// `convention`.
    pub convention: bool,
    /// `sign`.
    pub sign: bool,
    /// `names`.
    pub names: bool,
    /// `missing`.
    pub missing: bool,
}
