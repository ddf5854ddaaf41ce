//! High-dimensional data in few dimensions: exact, fast, explained.
//!
//! The mathematics of eigenspan. It opens no file, reads no clock, prints nothing.
//! Data flows through the modules in this order:
//!
//! rows ([`source`]) → summaries of one reading ([`summary`]) → eigenpairs ([`solve`]) → how many ([`choose`]) → inner products in other
//! spaces ([`kernel`]), neighbors of rows ([`graph`]) → fitted models ([`method`]) →
//! what they mean ([`interpret`]) and how accurate they are ([`evaluate`]).
//!
//! ```
//! use eigenspan::prepare::Scale;
//! use eigenspan::source::Dense;
//! use eigenspan::{Context, Mat, PcaOptions};
//!
//! // Run on all cores, without a memory limit. The data: 6 rows of 3 columns in different units.
//! let ctx = Context::new();
//! let table = Mat::from_fn(6, 3, |i, j| [1.0, 20.0, 400.0][j] * ((i * (j + 2)) % 5) as f64);
//! let rows = Dense::new(table.view());
//!
//! // Options are a value; `fit` returns a fitted model.
//! let options = PcaOptions { scale: Scale::Std, ..Default::default() };
//! let pca = options.fit(&ctx, &rows)?;
//! let scores = pca.transform(&ctx, &rows)?;
//! assert_eq!((scores.n_rows(), scores.n_cols()), (6, 3));
//!
//! // Scaled columns have variance 1 each, so the variances of the components sum to 3.
//! let total: f64 = pca.explained_variance().iter().sum();
//! assert!((total - 3.0).abs() < 1e-12);
//!
//! // A result carries its residuals, and the reason for the solver.
//! assert!(pca.spectrum().residuals.iter().all(|r| *r < 1e-13));
//! assert_eq!(
//!     pca.parts().plan.reason,
//!     "at 6 × 3 the most accurate decomposition costs next to nothing"
//! );
//! # Ok::<(), eigenspan::Error>(())
//! ```
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod choose;
pub mod context;
// Hidden modules are for the tests, benchmarks and other crates of this workspace; they change without notice.
#[doc(hidden)]
pub mod distribution;
pub mod error;
pub mod evaluate;
pub mod graph;
pub mod interpret;
pub mod kernel;
#[doc(hidden)]
pub mod linalg;
pub mod mat;
pub mod method;
pub mod note;
#[doc(hidden)]
pub mod parallel;
pub mod prepare;
#[doc(hidden)]
pub mod rng;
pub mod solve;
pub mod source;
pub mod summary;

/// The crate that derives command-line arguments from the options of a method defined elsewhere.
#[cfg(feature = "clap")]
pub use clap;
pub use context::{Context, Progress};
pub use error::Error;
pub use mat::{Mat, MatView, Real};
pub use method::{KernelPca, KernelPcaOptions, Pca, PcaOptions};
pub use note::{ColumnRole, Hint, Note};

/// The examples of the crate's page run with the others.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct ExamplesOfThePage;
