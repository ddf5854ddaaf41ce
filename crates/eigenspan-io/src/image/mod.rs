//! Pictures as rows of numbers: IDX files (MNIST), PNG and JPEG, one or many, whole or cut into patches.
//!
//! [`idx`], [`png`] and [`jpeg`] know their formats, [`decode`] distinguishes them, [`store`] provides pictures band by band
//! however they are stored, [`cells`] makes rows of them, and [`open`] combines these. [`assemble`] is the way back: rows of
//! numbers become PNG files. Sizes are checked against the file and the memory allowed before anything is unpacked.

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
