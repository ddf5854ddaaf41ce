//! The toy methods of the engine's tests, registered as a program would register its own.

use eigenspan::method::registry::{self, Entry};
use pyo3::prelude::*;

#[path = "../../eigenspan/tests/toy/classes.rs"]
mod classes;
#[path = "../../eigenspan/tests/toy/places.rs"]
mod places;
#[path = "../../eigenspan/tests/toy/mod.rs"]
mod toy;

/// Adds the toy methods to the list.
#[pyfunction]
pub(crate) fn register_toys() {
    registry::add(Entry::for_options::<toy::ToyOptions>());
    registry::add(Entry::for_options::<classes::ClassesOptions>());
    registry::add(Entry::for_options::<places::PlacesOptions>());
}
