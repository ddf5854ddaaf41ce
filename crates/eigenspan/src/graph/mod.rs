//! Neighbors of rows: which rows lie nearest each row, exactly or approximately, and graphs made of them.
//!
//! [`NeighborOptions`] name the metric and the number of neighbors; `fit` gives [`Neighbors`] of rows among themselves and
//! [`FittedRows`] the nearest of them for new rows. [`Graph`] turns neighbors into a sparse matrix, made symmetric or mutual, and
//! counts its connected components.
//!
//! Exact neighbors take n²d products in f32, which rule most pairs out by a proven bound; distances of those that remain
//! are computed from differences in f64 ([`exact`]). Approximate neighbors come from random trees and NN-descent
//! ([`descent`]); their recall is measured on a sample of the rows.

mod approximate;
mod bounds;
mod components;
mod connect;
mod descent;
mod exact;
mod graph_of;
mod lists;
mod neighbors;
mod options;
mod rank;
mod recall;
mod relation;
mod rows;
mod trees;

pub use components::Components;
pub use connect::Pieces;
pub use graph_of::{EdgeValues, Graph, GraphOf};
pub use neighbors::{Neighbors, SearchMethod};
pub use options::{Algorithm, FittedRows, Metric, NeighborOptions};
pub use recall::Recall;

pub(crate) use exact::{Own, nearest};
pub(crate) use rank::{Targets, ranks};
pub(crate) use rows::MetricRows;
