//! 6. Is it any good: how sure the numbers of a fitted model are.

mod align;
mod bootstrap;
mod draw;
mod interval;
mod replicate;
mod result;

pub use bootstrap::BootstrapOptions;
pub use interval::Interval;
pub use result::{Angle, Bootstrap};
