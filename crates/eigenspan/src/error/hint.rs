//! The option that helps against an error.

use super::{ClassFault, Error, GraphFault, NeighborFault, TuningFault};
use crate::note::Hint;

impl Error {
    /// The option that would help, if there is one.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Error::TooManyComponents { .. }
            | Error::ShareOutOfRange { .. }
            | Error::NoComponents => Some(Hint::new(
                "n_components",
                "90%",
                "keeps as many as 90 % of the variance needs",
            )),
            Error::NotFinite {
                nan, infinite: 0, ..
            } if *nan > 0 => Some(Hint::new(
                "missing",
                "mean",
                "fills them with their column's mean; `drop` leaves those rows out",
            )),
            Error::Graph(GraphFault::TooFewNeighbors { needed, .. }) => {
                Some(Hint::new("n_neighbors", needed.to_string(), "is enough"))
            }
            Error::NoLabels { .. } => Some(Hint::new(
                "label_column",
                "COLUMN",
                "names the column with the class of every row",
            )),
            Error::TooManyDirections { n_cols, .. } => Some(Hint::new(
                "n_components",
                n_cols.div_ceil(2).to_string(),
                "takes that many, and the distortion that they cause is measured",
            )),
            Error::TooFewSelected { passed, .. } if *passed > 0 => Some(Hint::new(
                "n_components",
                "all",
                "keeps those that can be chosen",
            )),
            Error::Overflow => Some(Hint::new(
                "scale",
                "std",
                "brings every column to variance 1",
            )),
            Error::NotGenotypes { .. } => Some(Hint::new(
                "scale",
                "std",
                "divides by the standard deviation instead",
            )),
            Error::NegativeEigenvalues { .. } => Some(Hint::new(
                "negative",
                "clip",
                "takes them for zero; `flip` takes their magnitude, `shift` lifts all",
            )),
            Error::TooLittleWeight { .. } => Some(Hint::new(
                "convention",
                "n",
                "divides by the sum of the weights",
            )),
            Error::Underflow => Some(Hint::new("solver", "full", "squares nothing")),
            Error::ChoosesFirst => Some(Hint::new(
                "n_components",
                "90%",
                "is resolved during the fit; or write the data to a file first",
            )),
            Error::ReadOnce { .. } => Some(Hint::new(
                "solver",
                "covariance",
                "needs one reading; or write the data to a file first",
            )),
            Error::Tuning(TuningFault::OneLabel { .. }) => {
                Some(Hint::new("criterion", "reconstruction", "needs no labels"))
            }
            Error::Tuning(TuningFault::TooManyFits(count)) => Some(Hint::new(
                "max_fits",
                count.fits.to_string(),
                "allows them; fewer values or fewer folds need fewer fits",
            )),
            Error::Tuning(TuningFault::TooManyRefits { fits, .. }) => Some(Hint::new(
                "max_fits",
                fits.to_string(),
                "allows them; fewer reductions or fewer folds need fewer fits",
            )),
            Error::Tuning(TuningFault::NoClasses | TuningFault::NotClasses { .. }) => {
                Some(Hint::new(
                    "label_column",
                    "COLUMN",
                    "names the column with the class of every row",
                ))
            }
            Error::FlipNeedsAll { .. } => Some(Hint::new(
                "solver",
                "full",
                "finds all; or ask for a count of components",
            )),
            Error::ReadTwice { instead, .. } => instead.as_deref().cloned(),
            Error::KernelUndefined { col: Some(_), .. } => {
                Some(Hint::new("kernel", "rbf", "compares rows of any sign"))
            }
            // `auto` comes to `ridge` where no other way fits, so it cannot help where `ridge` was refused.
            Error::NoPreImage { method, .. } if *method != "ridge" => Some(Hint::new(
                "pre_image",
                "auto",
                "takes a way that the kernel has, if there is one",
            )),
            Error::Neighbors(NeighborFault::Pieces { .. }) => Some(Hint::new(
                "pieces",
                "join",
                "links the nearest rows of every two pieces",
            )),
            Error::Classes(fault) => fault.hint(),
            _ => None,
        }
    }
}

impl ClassFault {
    fn hint(&self) -> Option<Hint> {
        let hint = |option, value: &str, does| Some(Hint::new(option, value, does));
        match self {
            ClassFault::OneClass { .. }
            | ClassFault::Measurement { .. }
            | ClassFault::TooFewRows { .. } => hint(
                "label_column",
                "COLUMN",
                "names the column with the class of every row",
            ),
            ClassFault::Unlabeled { .. } => hint(
                "missing",
                "drop",
                "leaves those rows out, and rows with missing cells",
            ),
            ClassFault::SingularClass { .. } => hint(
                "reg_param",
                "0.1",
                "adds a tenth of the identity to nine tenths of every covariance",
            ),
            ClassFault::TooManyDirections { .. } | ClassFault::MeansInFewer { .. } => {
                hint("n_components", "all", "keeps as many as there are")
            }
            _ => None,
        }
    }
}
