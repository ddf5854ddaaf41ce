//! The program with one more method: what it takes to add one from outside. The tests run it.

#[path = "../../eigenspan/tests/toy/mod.rs"]
mod toy;

use std::process::ExitCode;

use eigenspan::method::registry::{self, Entry};

fn main() -> ExitCode {
    registry::add(Entry::for_options::<toy::ToyOptions>());
    ExitCode::from(eigenspan_cli::run(std::env::args_os().collect()))
}
