//! What may be said of all residuals of a spectrum: that of a component beyond the rank, whose eigenvalue is zero within rounding, is no
//! share of its eigenvalue.

use crate::error::counted;
use crate::note::at_most;
use crate::solve::Spectrum;

/// The largest residual of the components above rounding, and words that name these where there are others.
pub(super) fn worst_residual(spectrum: &Spectrum) -> (String, String) {
    let proven = spectrum.rank.min(spectrum.len());
    let residuals = spectrum.residuals.iter().take(proven);
    let worst = residuals.fold(0.0f64, |m, r| m.max(*r));
    let which = match proven < spectrum.len() {
        true => format!(" of the first {}", counted(proven, "component")),
        false => String::new(),
    };
    (at_most(worst), which)
}
