//! One binary of integration tests: jobs, and what is said and drawn, from the outside only.

mod figures;
mod hard_figures;
mod looks;
mod narrow;
mod page;
mod plots;
mod sample;
mod subjects;
mod support;
mod tables;
