//! NumPy arrays in files (NPY): mapped into memory, handed over without a copy where the machine can read them as they are.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. Nothing in a file is trusted:
//! sizes are multiplied with overflow checks and compared with the file's length before anything is touched, and
//! arrays of Python objects, which would run code, are refused.

mod element;
mod header;
mod source;

pub(crate) use element::{Element, half_to_f64};
pub(crate) use header::{Described, describe, written};
pub(crate) use source::NpyTable;
