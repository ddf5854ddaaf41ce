//! Claims about what is said and drawn.

mod figures;
mod hard_figures;
mod plots;
mod support;
