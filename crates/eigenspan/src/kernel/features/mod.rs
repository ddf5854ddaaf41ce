//! Explicit features: rows of m numbers whose inner products approximate a kernel, for any number of rows.
//!
//! [`Featured`] is a source of such rows, so that everything that reads a source becomes a kernel method: PCA of the features
//! of [`Nystrom`] or [`Fourier`] is kernel PCA, in one reading, with memory for m columns.
//!
//! ```
//! use eigenspan::kernel::{Featured, Nystrom, NystromOptions};
//! use eigenspan::source::Dense;
//! use eigenspan::{Context, Mat, PcaOptions};
//!
//! let ctx = Context::new();
//! let table = Mat::from_fn(500, 2, |i, j| ((i * (7 + 5 * j)) % 101) as f64 / 101.0);
//! let rows = Dense::new(table.view());
//!
//! let map = NystromOptions { n_landmarks: 40, ..Default::default() }.fit(&ctx, &"rbf(gamma=2)".parse()?, &rows)?;
//! let features = Featured::new(&rows, &map)?;
//! let kpca = PcaOptions::default().fit(&ctx, &features)?;
//! assert_eq!(kpca.transform(&ctx, &features)?.n_rows(), 500);
//!
//! // The part of the kernel matrix's trace that the landmarks miss bounds the error of every eigenvalue.
//! assert!(map.lost(&ctx, &rows)? < 1e-3 * 500.0);
//! # Ok::<(), eigenspan::Error>(())
//! ```

mod fourier;
mod landmarks;
mod leverage;
mod nested;
mod nystrom;
mod probe;

pub use fourier::Fourier;
pub use landmarks::Landmarks;
pub(crate) use landmarks::uniform;
pub(crate) use nested::Nested;
pub use nystrom::{Nystrom, NystromOptions};
pub(crate) use probe::{CHANCE, CHANCE_BESIDE, Probe, Probed};

use crate::error::Error;
use crate::mat::{Mat, Real};
use crate::prepare::Preparation;
use crate::source::{Block, Passes, Rows, Sink, Source};

/// A map from rows to features.
pub trait FeatureMap: Sync {
    /// Columns of the rows.
    fn n_cols(&self) -> usize;
    /// Columns of the features.
    fn n_features(&self) -> usize;
    /// The features of some rows; `first` is the number of the first row, for errors.
    fn features(&self, rows: Mat<f64>, first: usize) -> Result<Mat<f64>, Error>;
}

/// Centered and scaled rows are features, too.
impl FeatureMap for Preparation {
    fn n_cols(&self) -> usize {
        self.center.len()
    }

    fn n_features(&self) -> usize {
        self.center.len()
    }

    fn features(&self, rows: Mat<f64>, _: usize) -> Result<Mat<f64>, Error> {
        Ok(self.apply(&Block::Dense(rows.view())))
    }
}

/// The features of a source's rows, as a source.
pub struct Featured<'a, T> {
    source: &'a dyn Source<T>,
    map: &'a dyn FeatureMap,
}

impl<'a, T: Real> Featured<'a, T> {
    /// Refuses a map that was made for rows of another width.
    pub fn new(source: &'a dyn Source<T>, map: &'a dyn FeatureMap) -> Result<Self, Error> {
        if source.n_cols() != map.n_cols() {
            return Err(Error::WrongWidth {
                given: source.n_cols(),
                expected: map.n_cols(),
            });
        }
        Ok(Featured { source, map })
    }
}

impl<T: Real> Source<f64> for Featured<'_, T> {
    fn n_cols(&self) -> usize {
        self.map.n_features()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        self.source.read_part(part, &mut |rows| {
            let features = self.map.features(written_out(&rows), rows.first)?;
            sink(Rows {
                first: rows.first,
                block: Block::Dense(features.view()),
                weights: rows.weights,
            })
        })
    }

    fn n_parts(&self) -> usize {
        self.source.n_parts()
    }

    fn n_rows(&self) -> Option<usize> {
        self.source.n_rows()
    }

    fn passes(&self) -> Passes {
        self.source.passes()
    }

    fn is_weighted(&self) -> bool {
        self.source.is_weighted()
    }
}

/// Rows in f64.
fn written_out<T: Real>(rows: &Rows<'_, T>) -> Mat<f64> {
    let mut cells = Mat::zeros(rows.block.n_rows(), rows.block.n_cols());
    rows.block.copy_to_f64(cells.as_mut_slice());
    cells
}
