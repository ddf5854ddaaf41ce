//! What stands beside the rows of a matrix in memory: a weight for each row, a name for each column.

use crate::error::Error;

/// Weights and names of a matrix in memory, checked against its shape.
#[derive(Debug, Clone, Default)]
pub(super) struct Beside<'a> {
    /// The weight of each row; all are 1 where there are none.
    pub(super) weights: Option<&'a [f64]>,
    /// The name of each column.
    pub(super) names: Option<Vec<String>>,
}

impl<'a> Beside<'a> {
    /// Gives each of `n_rows` rows a weight.
    pub(super) fn with_weights(self, weights: &'a [f64], n_rows: usize) -> Result<Self, Error> {
        let given = weights.len();
        if given != n_rows {
            return Err(Error::BadWeights {
                what: format!("{given} weights given for {n_rows} rows"),
            });
        }
        Ok(Beside {
            weights: Some(weights),
            ..self
        })
    }

    /// Gives each of `n_cols` columns a name.
    pub(super) fn with_names(self, names: Vec<String>, n_cols: usize) -> Result<Self, Error> {
        let given = names.len();
        if given != n_cols {
            return Err(Error::WrongWidth {
                given,
                expected: n_cols,
            });
        }
        Ok(Beside {
            names: Some(names),
            ..self
        })
    }

    /// The weights of rows `start..end`.
    pub(super) fn weights_of(&self, start: usize, end: usize) -> Option<&[f64]> {
        self.weights.map(|weights| &weights[start..end])
    }
}
