//! Data that is looked at by a PCA, before anybody said how: what `look`, `report` and `plot` have in common.

use eigenspan::PcaOptions;
use eigenspan::solve::Keep;
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::subject::{Fitting, Rows, Subject};
use eigenspan_report::summary::RULE;

use crate::args::Pca;

/// Rows to be looked at by a PCA: all components where nothing else was asked for.
pub(super) fn subject(input: Input, read: ReadOptions, pca: &Pca) -> Subject {
    Subject::to_fit(Rows::file(input, read), fitting(pca))
}

/// A PCA for a first look.
pub(super) fn fitting(pca: &Pca) -> Fitting {
    let options = PcaOptions {
        n_components: match pca.explicit.n_components {
            true => pca.options.n_components,
            false => all_components(pca.options.n_components),
        },
        ..pca.options.clone()
    };
    Fitting {
        first_look: true,
        ..Fitting::new(Box::new(options), pca.explicit)
    }
}

/// All components instead of the share that is the default: what to look at is then known to the last.
fn all_components(keep: Keep) -> Keep {
    match keep {
        Keep::Share(RULE) => Keep::All,
        keep => keep,
    }
}
