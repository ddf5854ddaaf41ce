//! Pictures as rows of numbers: IDX files (MNIST), PNG and JPEG, one or many, whole or cut into patches.
//!
//! [`idx`], [`png`] and [`jpeg`] know their formats, [`decode`] tells them apart, [`store`] hands pictures over band by
//! band whatever they are kept in, [`cells`] makes rows of them, [`open`] puts that together. [`assemble`] is the way
//! back: rows of numbers become PNG files. Sizes are checked against the file and the memory allowed before anything is
//! unpacked.

mod assemble;
mod cells;
mod decode;
mod idx;
mod jpeg;
mod open;
mod png;
mod store;

pub use assemble::Assembler;
pub(crate) use open::{are_pictures, open_idx, open_one, open_several};
