//! What can be wrong with a line of libsvm's text.

use super::shown;

/// What is wrong with a line of libsvm's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SvmFault {
    /// A label that is neither a number nor numbers separated by commas.
    #[error("the label {} is not a number", shown(.token))]
    Label {
        /// The label.
        token: String,
    },
    /// A cell that is not `index:value`.
    #[error("{} is not index:value", shown(.token))]
    Cell {
        /// The cell.
        token: String,
    },
    /// A value that is infinite.
    #[error("{} is not finite", shown(.token))]
    Infinite {
        /// The cell.
        token: String,
    },
    /// Two values for one cell.
    #[error("index {index} stands there twice")]
    Twice {
        /// The index.
        index: u32,
    },
}
