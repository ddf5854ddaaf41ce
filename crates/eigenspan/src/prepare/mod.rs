//! 3. Between the rows as they come and the matrix a solver sees: centering, scaling, weights, missing values.

mod diagnose;
mod gather;
mod lines;
mod missing;
mod panels;
mod preparation;
mod prepared;

pub use diagnose::{Dominating, dominating, find_not_finite};
pub(crate) use gather::read_all;
pub use gather::{Gathered, gather};
pub(crate) use lines::Lines;
pub(crate) use missing::no_value;
pub use missing::{Complete, Missing};
pub(crate) use panels::{Panels, Wish};
pub(crate) use preparation::Learnt;
pub use preparation::{Preparation, Scale};
pub(crate) use prepared::InMemory;
pub use prepared::Prepared;
