//! A matrix known only by its products: all that an iterative solver needs.

use super::Columns;
use crate::error::Error;
use crate::mat::{Mat, MatView};

/// A matrix A that can be multiplied with vectors, though it may not be stored anywhere.
///
/// Prepared data (source − mean, ÷ scale) and the centered kernel matrix both implement it, so the same solvers serve both.
pub trait LinearMap: Sync {
    /// Rows and columns of A.
    fn shape(&self) -> (usize, usize);
    /// A·B.
    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error>;
    /// Aᵀ·C.
    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error>;
    /// AᵀA·Q; takes one reading of the data if A is read from a source.
    fn gram_times(&self, q: &Columns) -> Result<Columns, Error> {
        let product = self.times(q.to_mat().view())?;
        Ok(Columns::from_mat(&self.transpose_times(product.view())?))
    }
}

/// A stored matrix is a linear map too.
impl LinearMap for Mat<f64> {
    fn shape(&self) -> (usize, usize) {
        (self.n_rows(), self.n_cols())
    }
    fn times(&self, b: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        Ok(super::product(self.view(), b))
    }
    fn transpose_times(&self, c: MatView<'_, f64>) -> Result<Mat<f64>, Error> {
        Ok(super::product(self.view().transposed(), c))
    }
}
