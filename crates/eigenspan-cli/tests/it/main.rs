//! One binary of integration tests: the program as people and scripts use it, from the outside only.

mod badinput;
mod brought;
mod choosing;
mod denoise;
mod genotypes;
mod golden;
mod interrupt;
mod kernel;
mod kernel_refusals;
mod matrices;
mod models;
mod output;
mod pictures;
mod reading;
mod refusals;
mod replacing;
mod reports;
mod round_trips;
mod suggestions;
mod support;
mod tables;
mod talk;
mod tuning;
mod typed;
