//! Rows of either element type, as a file, an array or a front passes them to a method.

use std::any::TypeId;

use super::Source;
use crate::mat::Real;

/// Rows of 32-bit or of 64-bit floats.
#[derive(Clone, Copy)]
pub enum Numbers<'a> {
    /// 32-bit floats: an NPY file of `f4`, columns of 32-bit floats.
    F32(&'a dyn Source<f32>),
    /// 64-bit floats: everything else.
    F64(&'a dyn Source<f64>),
}

/// Runs `$body` on [`Numbers`] as a source of its element type.
///
/// ```
/// use eigenspan::source::{Dense, Numbers, Source};
/// use eigenspan::{MatView, on_numbers};
///
/// let cells = [1.0f32, 2.0, 3.0, 4.0];
/// let rows = Dense::new(MatView::from_rows(&cells, 2, 2)?);
/// let numbers = Numbers::F32(&rows);
/// assert_eq!(on_numbers!(numbers, source => source.n_cols()), 2);
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[macro_export]
macro_rules! on_numbers {
    ($numbers:expr, $source:ident => $body:expr) => {
        match $numbers {
            $crate::source::Numbers::F32($source) => $body,
            $crate::source::Numbers::F64($source) => $body,
        }
    };
}

impl<'a> Numbers<'a> {
    /// The rows of a source of either element type.
    ///
    /// Public functions that take any source hand it over like this to a function that is not generic, which is then compiled in
    /// its own crate once and not again in every crate that calls it.
    pub fn from_source<T: Real>(source: &'a dyn Source<T>) -> Self {
        match TypeId::of::<T>() == TypeId::of::<f32>() {
            // SAFETY: T is f32.
            true => Numbers::F32(unsafe {
                std::mem::transmute::<&'a dyn Source<T>, &'a dyn Source<f32>>(source)
            }),
            // SAFETY: T is f64: `Real` is sealed, and no third type has it.
            false => Numbers::F64(unsafe {
                std::mem::transmute::<&'a dyn Source<T>, &'a dyn Source<f64>>(source)
            }),
        }
    }
}

impl Numbers<'_> {
    /// Columns.
    pub fn n_cols(&self) -> usize {
        on_numbers!(*self, source => source.n_cols())
    }

    /// Rows; unknown for a pipe.
    pub fn n_rows(&self) -> Option<usize> {
        on_numbers!(*self, source => source.n_rows())
    }

    /// Whether the elements are 32-bit floats.
    pub fn is_single(&self) -> bool {
        matches!(self, Numbers::F32(_))
    }
}

impl std::fmt::Debug for Numbers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = if self.is_single() { "f32" } else { "f64" };
        write!(f, "Numbers({:?} × {} {name})", self.n_rows(), self.n_cols())
    }
}
