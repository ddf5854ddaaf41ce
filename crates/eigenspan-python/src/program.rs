//! The program `eigenspan` from Python: the same program as the command line.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line with these words, of which the first is the program's name; returns the exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| eigenspan_cli::run(words))
}
