//! The program `eigenspan` from Python: the command line's own, not a second one.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what the words ask for, the first of which is the program's name; gives the exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| eigenspan_cli::run(words))
}
