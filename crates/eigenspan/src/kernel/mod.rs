//! Kernels as values: inner products in a feature space whose coordinates are never computed.
//!
//! A [`Kernel`] is an expression: base kernels ([`Base`]), their positive multiples, sums, products, `exp(k)`,
//! `normalize(k)` = k(x,x') / √(k(x,x)·k(x',x')), and g(x)·k(x,x')·g(x') for a function g. It is written as text
//! (`0.5*rbf(gamma=0.1) + poly(degree=2)*normalize(linear)`) and read back to the same value. All of these operations keep a
//! kernel positive semi-definite (Shawe-Taylor & Cristianini 2004, Kernel Methods for Pattern Analysis, §3.4); [`Verdict`]
//! says whether an expression is positive semi-definite.
//!
//! [`KernelGrid`] is a text that stands for several kernels.
//!
//! [`ResolvedKernel`] is a kernel whose open parameters were found on training rows; it fills tiles of the kernel matrix, relative to
//! the image of the rows' mean where centering would cancel digits.
//! [`CenteredGram`] is that matrix, centered in feature space, as a [`crate::linalg::LinearMap`]. For more rows than such a
//! matrix can have, [`Nystrom`] and [`Fourier`] compute features whose inner products approximate the kernel.

mod base;
pub(crate) mod distance;
mod expression;
mod features;
mod gram;
mod grid;
mod lower;
mod pairs;
mod parse;
mod points;
mod precomputed;
mod range;
mod relative;
mod resolved;
mod rounding;
mod rounding_relative;
mod text;
mod tile;
mod verdict;

pub use base::{Base, Gamma};
pub use expression::{Kernel, RowFunction};
pub(crate) use features::{CHANCE, CHANCE_BESIDE, Nested, Probe, Probed, uniform};
pub use features::{FeatureMap, Featured, Fourier, Landmarks, Nystrom, NystromOptions};
pub use gram::{CenteredGram, Gram};
pub(crate) use gram::{product_by_tiles, subtract_column_means};
pub use grid::{GridAxis, KernelGrid};
pub use lower::Lower;
pub(crate) use pairs::Pairs;
pub use points::Points;
pub(crate) use precomputed::CenteredPrecomputed;
pub(crate) use range::{numbers_between, rounded};
pub use resolved::ResolvedKernel;
pub(crate) use rounding::Largest;
pub use verdict::Verdict;
