//! Which options were given, and what fills in the others: a preset (`--like`), then what the kind of data needs.

use eigenspan::method::{Like, Retain};
use eigenspan::{Note, Pca, PcaOptions};
use eigenspan_io::Table;

use crate::{JobError, genotypes};

/// Which options were given, and are not to be guessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// The program whose conventions fill in what was not given.
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

/// The options as meant for a table.
#[derive(Debug)]
pub(crate) struct Meant {
    /// What to fit.
    pub(crate) options: PcaOptions,
    /// Of what comes out, what to keep.
    retain: Option<(Like, Retain)>,
    /// What was filled in because of the data.
    pub(crate) note: Option<Note>,
}

/// What was given, completed by the preset and by what the kind of data needs.
pub(crate) fn meant(table: &Table, options: &PcaOptions, mut asked: Asked) -> Meant {
    let mut options = options.clone();
    let mut retain = None;
    if let Some(like) = asked.like {
        fill_in(like, &mut options, &mut asked);
        if !asked.n_components {
            options.n_components = like.retain().before(table.n_rows(), table.columns().len());
            retain = Some((like, like.retain()));
        }
    }
    let note = genotypes::fill_in(table, &mut options, asked);
    Meant {
        options,
        retain,
        note,
    }
}

/// Fills in the conventions of a program where nothing else was asked for; they then count as asked for, where the
/// program has one.
fn fill_in(like: Like, options: &mut PcaOptions, asked: &mut Asked) {
    let preset = like.options();
    if !asked.scale {
        options.scale = preset.scale;
        asked.scale = true;
    }
    if !asked.whiten {
        options.whiten = preset.whiten;
    }
    if !asked.convention {
        options.convention = preset.convention;
    }
    if !asked.sign {
        options.sign = preset.sign;
    }
    if !asked.names {
        options.names = preset.names;
    }
    if !asked.missing {
        options.missing = preset.missing;
        asked.missing = preset.missing != PcaOptions::default().missing;
    }
}

impl Meant {
    /// The components that are to be kept of all that were fitted, and a note where those are fewer.
    pub(crate) fn retained(&self, pca: Pca) -> Result<(Pca, Option<Note>), JobError> {
        let Some((like, retain)) = self.retain else {
            return Ok((pca, None));
        };
        let all = pca.n_cols().min(pca.parts().n_rows.saturating_sub(1));
        let k = retain
            .after(&pca)
            .map_err(|e| JobError::core(like.name(), e))?;
        if k >= all {
            return Ok((pca, None));
        }
        let which = match retain {
            Retain::Kaiser => "those with an eigenvalue above the mean",
            _ => "the first",
        };
        let text = format!(
            "components kept: {k} of {all}, {which}, as {} does (-k all keeps all)",
            like.name()
        );
        Ok((pca.truncated(k), Some(Note::Reading { text })))
    }
}
