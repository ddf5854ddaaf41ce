//! One binary of integration tests: every claim, on every road that leads to it.

mod agree;
mod auto;
mod bootstrap;
mod bootstrap_edges;
mod choose;
mod em;
mod errors;
mod genotype;
mod golden;
mod grow;
mod hard;
mod interpret;
mod kernel;
mod laws;
mod lectures;
mod like;
mod missing;
mod model;
mod notes;
mod plan;
mod probabilistic;
mod scatter;
mod solvers;
mod sources;
mod support;
mod threads;
