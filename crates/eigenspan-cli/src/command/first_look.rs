//! The PCA of a first look, which `look`, `report` and `plot` share: data is analyzed before the user has chosen any options.

use eigenspan::PcaOptions;
use eigenspan::solve::Keep;
use eigenspan_io::{Input, ReadOptions};
use eigenspan_report::subject::{Fitting, Rows, Subject};
use eigenspan_report::summary::RULE;

use crate::args::Pca;

/// The subject of a first look: rows and a PCA with all components unless the options say otherwise.
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

/// Keeps all components instead of the default share, so that the whole spectrum is known.
fn all_components(keep: Keep) -> Keep {
    match keep {
        Keep::Share(RULE) => Keep::All,
        keep => keep,
    }
}
