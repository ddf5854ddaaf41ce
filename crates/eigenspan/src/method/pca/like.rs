//! Presets: the conventions of other programs, so that their numbers come out, signs and names included.
//!
//! `docs/presets.md` says what each preset does. Signs are those of the program where it has a rule: scikit-learn
//! (`svd_flip` on the components) and MATLAB (`pca`) make the entry of largest magnitude positive, FactoMineR
//! (`svd.triplet`) the sum of the entries. R keeps the signs of LAPACK and SPSS publishes no rule; these two presets use
//! eigenspan's own rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Names, Pca, PcaOptions};
use crate::choose::{Scree, kaiser};
use crate::error::Error;
use crate::prepare::{Missing, Scale};
use crate::solve::{Convention, Keep, Sign};

/// A program whose conventions to use.
///
/// ```
/// use eigenspan::method::Like;
/// use eigenspan::prepare::Scale;
/// use eigenspan::source::Dense;
/// use eigenspan::{Context, MatView, PcaOptions};
///
/// let cells = [1.0, 5.0, 2.0, 4.0, 4.0, 1.0];
/// let rows = Dense::new(MatView::from_rows(&cells, 3, 2)?);
/// // An option given here overrides the preset.
/// let options = PcaOptions { scale: Scale::None, ..Like::FactoMineR.options() };
/// let pca = options.fit(&Context::new(), &rows)?;
/// assert_eq!(pca.component_names(), ["Dim.1", "Dim.2"]);
/// assert_eq!(pca.spectrum().divisor, 3.0);
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Like {
    /// sklearn.decomposition.PCA
    #[serde(rename = "sklearn")]
    #[cfg_attr(
        feature = "clap",
        value(name = "sklearn", alias = "scikit-learn", alias = "scikit")
    )]
    Sklearn,
    /// prcomp of R; R has no sign rule
    #[cfg_attr(feature = "clap", value(name = "R", alias = "prcomp"))]
    R,
    /// pca of MATLAB
    #[serde(rename = "MATLAB")]
    #[cfg_attr(feature = "clap", value(name = "MATLAB"))]
    Matlab,
    /// PCA of R's FactoMineR: scaled, divisor n
    #[cfg_attr(feature = "clap", value(name = "FactoMineR"))]
    FactoMineR,
    /// FACTOR of SPSS: scaled, eigenvalues above 1, scores of variance 1
    #[serde(rename = "SPSS")]
    #[cfg_attr(feature = "clap", value(name = "SPSS", alias = "PSPP"))]
    Spss,
}

/// How many components a program keeps by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retain {
    /// All components.
    All,
    /// This many, or all where there are fewer.
    AtMost(usize),
    /// The components whose eigenvalue lies above the mean, which is 1 for scaled columns.
    Kaiser,
}

impl Like {
    /// Every preset.
    pub const ALL: [Like; 5] = [
        Like::Sklearn,
        Like::R,
        Like::Matlab,
        Like::FactoMineR,
        Like::Spss,
    ];

    /// The name as its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Like::Sklearn => "scikit-learn",
            Like::R => "R",
            Like::Matlab => "MATLAB",
            Like::FactoMineR => "FactoMineR",
            Like::Spss => "SPSS",
        }
    }

    /// Its defaults. The number of components is [`Like::retain`]'s, which depends on the data; here it is all.
    pub fn options(self) -> PcaOptions {
        let plain = PcaOptions::default();
        match self {
            Like::Sklearn => PcaOptions {
                names: Names::Pca,
                ..plain
            },
            Like::R => plain,
            Like::Matlab => PcaOptions {
                missing: Missing::Drop,
                ..plain
            },
            Like::FactoMineR => PcaOptions {
                scale: Scale::Std,
                convention: Convention::Population,
                sign: Sign::Sum,
                names: Names::Dim,
                missing: Missing::Mean,
                ..plain
            },
            Like::Spss => PcaOptions {
                scale: Scale::Std,
                sign: Sign::Sum,
                names: Names::Component,
                missing: Missing::Drop,
                whiten: true,
                ..plain
            },
        }
    }

    /// How many components it keeps by default.
    pub fn retain(self) -> Retain {
        match self {
            Like::Sklearn | Like::R | Like::Matlab => Retain::All,
            Like::FactoMineR => Retain::AtMost(5),
            Like::Spss => Retain::Kaiser,
        }
    }
}

impl Retain {
    /// The number of components to ask a fit for, before its eigenvalues are known.
    pub fn before(self, n_rows: usize, n_cols: usize) -> Keep {
        match self {
            // Centered rows span one direction fewer than there are rows.
            Retain::AtMost(most) if most < n_cols.min(n_rows.saturating_sub(1)) => {
                Keep::Count(most)
            }
            _ => Keep::All,
        }
    }

    /// How many components of a fit are to be kept, at least one.
    pub fn after(self, pca: &Pca) -> Result<usize, Error> {
        let all = pca.n_components();
        Ok(match self {
            Retain::All => all,
            Retain::AtMost(most) => most.min(all),
            Retain::Kaiser => {
                let scaled = pca.parts().options.scale == Scale::Std;
                let scree = Scree::from_spectrum(pca.spectrum(), pca.parts().n_rows, scaled)?;
                kaiser(&scree).k.map_or(all, |k| k.max(1))
            }
        })
    }
}
