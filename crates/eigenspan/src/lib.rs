//! High-dimensional data in few dimensions: exact, fast, explained.
//!
//! The mathematics of eigenspan. It opens no file, reads no clock, prints nothing.
//! Data takes one road, and the modules are its stages, in reading order:
//!
//! rows ([`source`]) → what one reading learns ([`summary`]) → eigenpairs ([`solve`]) → fitted models ([`method`]).
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod context;
pub mod error;
pub mod linalg;
pub mod mat;
pub mod method;
pub mod note;
pub mod prepare;
pub mod rng;
pub mod solve;
pub mod source;
pub mod summary;

pub use context::{Context, Progress};
pub use error::Error;
pub use mat::{Mat, MatView, Real};
pub use method::{Pca, PcaOptions};
pub use note::{Hint, Note};
