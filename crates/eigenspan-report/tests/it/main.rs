//! One binary of integration tests, from the outside only: jobs, sentences and figures.

mod figures;
mod hard_figures;
mod looks;
mod narrow;
mod page;
mod plots;
mod projected;
mod sample;
mod subjects;
mod support;
mod tables;
