//! The program with three more methods: what it takes to add one from outside. The tests run it.

#[path = "../../eigenspan/tests/toy/classes.rs"]
mod classes;
#[path = "../../eigenspan/tests/toy/places.rs"]
mod places;
#[path = "../../eigenspan/tests/toy/mod.rs"]
mod toy;

use std::process::ExitCode;

use eigenspan::method::registry::{self, Entry};

fn main() -> ExitCode {
    registry::add(Entry::for_options::<toy::ToyOptions>());
    registry::add(Entry::for_options::<classes::ClassesOptions>());
    registry::add(Entry::for_options::<places::PlacesOptions>());
    ExitCode::from(eigenspan_cli::run(std::env::args_os().collect()))
}
