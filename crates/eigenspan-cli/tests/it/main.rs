//! One binary of integration tests: the program as people and scripts use it, from the outside only.

mod advice;
mod badinput;
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
mod page_numbers;
mod page_pool;
mod pictures;
mod reading;
mod refusals;
mod reports;
mod round_trips;
mod sentences;
mod suggestions;
mod support;
mod tables;
mod talk;
mod tuning;
