//! Arrow's C interface: the layout of its three structs is a stable ABI
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>, <https://arrow.apache.org/docs/format/CStreamInterface.html>).
//! Everything that reads memory of another library is in this file.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

/// The name and the type of a column.
#[repr(C)]
pub(super) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Schema,
    dictionary: *const Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// Some rows.
#[repr(C)]
pub(super) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *const Array,
    dictionary: *const Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// Rows, batch after batch.
#[repr(C)]
pub(super) struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// Releases memory that another library lent, however the function is left.
macro_rules! release_on_drop {
    ($($type:ty),*) => {
        $(impl Drop for $type {
            fn drop(&mut self) {
                if let Some(release) = self.release.take() {
                    let place: *mut $type = self;
                    // SAFETY: set by the maker for this very struct, and taken, so that it is called once.
                    unsafe { release(place) };
                }
            }
        })*
    };
}
release_on_drop!(Schema, Array, Stream);

// SAFETY: the interface lets a consumer move an array to any thread and release it there; its buffers are never written to.
unsafe impl Send for Array {}
// SAFETY: as above; all that is done with a shared one is reading.
unsafe impl Sync for Array {}

/// Moves the stream out of a capsule, which is empty afterwards.
pub(super) fn take_stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<Stream> {
    let place = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let place = place.as_ptr().cast::<Stream>();
    // SAFETY: a capsule of this name holds a stream (Arrow's PyCapsule interface); it is moved out, and the one left behind is
    // marked as released, as the interface asks.
    unsafe {
        let stream = std::ptr::read(place);
        (*place).release = None;
        match stream.release.is_some() {
            true => Ok(stream),
            false => {
                std::mem::forget(stream);
                Err(PyValueError::new_err("the Arrow stream was read before"))
            }
        }
    }
}

impl Stream {
    pub(super) fn schema(&mut self) -> PyResult<Schema> {
        let mut schema = Schema {
            format: null(),
            name: null(),
            metadata: null(),
            flags: 0,
            n_children: 0,
            children: null(),
            dictionary: null(),
            release: None,
            private_data: std::ptr::null_mut(),
        };
        let get = self.get_schema;
        // SAFETY: the maker's own function, for its own stream and a struct to be filled.
        let failed = get.is_none_or(|get| unsafe { get(self, &mut schema) } != 0);
        self.checked(failed).map(|()| schema)
    }

    pub(super) fn next(&mut self) -> PyResult<Option<Array>> {
        let mut array = Array {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null(),
            children: null(),
            dictionary: null(),
            release: None,
            private_data: std::ptr::null_mut(),
        };
        let get = self.get_next;
        // SAFETY: as above.
        let failed = get.is_none_or(|get| unsafe { get(self, &mut array) } != 0);
        self.checked(failed)?;
        // A released array is the end of the stream.
        Ok(array.release.is_some().then_some(array))
    }

    fn checked(&mut self, failed: bool) -> PyResult<()> {
        if !failed {
            return Ok(());
        }
        let get = self.get_last_error;
        // SAFETY: the maker's own function; what it gives is a text or nothing, and lives until the next call.
        let said = get.and_then(|get| unsafe { text(get(self)) });
        let said = said.unwrap_or_else(|| "it does not say why".to_owned());
        Err(PyValueError::new_err(format!(
            "the Arrow stream cannot be read: {said}"
        )))
    }
}

/// A zero-terminated text.
///
/// # Safety
/// `place` is null or the start of such a text.
unsafe fn text(place: *const c_char) -> Option<String> {
    if place.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(place) };
    Some(text.to_string_lossy().into_owned())
}

/// A column of numbers.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    /// Arrow's letter for its type.
    pub(super) kind: u8,
}

/// Letters of the types that are numbers: null, booleans, integers, floats.
const NUMBERS: &[u8] = b"nbcCsSiIlLefg";

impl Schema {
    /// The columns of a table, all of numbers.
    pub(super) fn columns(&self) -> PyResult<Vec<Column>> {
        // SAFETY: a schema that was filled has a format.
        let format = unsafe { text(self.format) }.unwrap_or_default();
        if format != "+s" {
            return Err(PyValueError::new_err(
                "Expected 2D array, got 1D array instead: one column is no table (a frame of it is)",
            ));
        }
        let mut columns = Vec::new();
        for i in 0..usize::try_from(self.n_children).unwrap_or(0) {
            // SAFETY: a schema has as many children as it says, and each has a format.
            let child = unsafe { &**self.children.add(i) };
            // SAFETY: texts of the child, or nothing.
            let (name, format) = unsafe { (text(child.name), text(child.format)) };
            let (name, format) = (name.unwrap_or_default(), format.unwrap_or_default());
            match format.as_bytes() {
                [kind] if child.dictionary.is_null() && NUMBERS.contains(kind) => {
                    columns.push(Column { name, kind: *kind });
                }
                _ => {
                    let content = match child.dictionary.is_null() {
                        true => content_of(&format),
                        false => "categories",
                    };
                    return Err(PyValueError::new_err(format!(
                        "column {name:?} holds no numbers but {content} (Arrow type {format:?}): leave it out, or make numbers of it"
                    )));
                }
            }
        }
        Ok(columns)
    }
}

/// What a type holds, in words.
fn content_of(format: &str) -> &'static str {
    match format.as_bytes() {
        [b'u' | b'U', ..] | [b'v', b'u'] => "text",
        [b'z' | b'Z' | b'w', ..] | [b'v', b'z'] => "bytes",
        [b't', ..] => "dates or times",
        [b'd', ..] => "decimals",
        [b'+', ..] => "lists or structs",
        _ => "something else",
    }
}

fn unfit() -> PyErr {
    PyValueError::new_err("the Arrow stream's batches do not fit its schema")
}

fn size(n: i64) -> PyResult<usize> {
    usize::try_from(n).map_err(|_| unfit())
}

/// The cells of one column in one batch, beginning with the first row of the batch.
pub(super) struct Cells {
    /// Which cells have a value; null if all have one.
    valid: *const c_void,
    /// Null if no cell has a value.
    values: *const c_void,
    start: usize,
}

/// A cell.
pub(super) enum Number {
    Float(f64),
    Whole(i128),
}

impl Array {
    /// The rows of a batch; an error if it does not have the columns of its schema.
    pub(super) fn n_rows(&self, columns: &[Column]) -> PyResult<usize> {
        match size(self.n_children)? == columns.len() {
            true => size(self.length),
            false => Err(unfit()),
        }
    }

    /// The cells of column j; an error if there are not n of them.
    pub(super) fn cells(&self, j: usize, column: &Column, n: usize) -> PyResult<Cells> {
        // SAFETY: a batch has as many children as it says, which its columns were counted against.
        let child = unsafe { &**self.children.add(j) };
        let first = size(self.offset)?;
        if size(child.length)? < first + n {
            return Err(unfit());
        }
        let (valid, values) = match (column.kind, child.n_buffers) {
            // No cell has a value.
            (b'n', _) => (null(), null()),
            // SAFETY: a column of numbers has two buffers: which cells have a value (or null), and the values.
            (_, 2) => unsafe { (*child.buffers, *child.buffers.add(1)) },
            _ => return Err(unfit()),
        };
        if values.is_null() && column.kind != b'n' && n > 0 {
            return Err(unfit());
        }
        let start = first + size(child.offset)?;
        Ok(Cells {
            valid: if child.null_count == 0 { null() } else { valid },
            values,
            start,
        })
    }
}

impl Cells {
    /// Whether a cell has a value.
    pub(super) fn is_there(&self, at: usize) -> bool {
        // SAFETY: the buffer reaches to the length that was checked when the cells were taken.
        !self.values.is_null()
            && (self.valid.is_null() || unsafe { bit(self.valid, self.start + at) })
    }

    /// Whether one of n cells has no value.
    pub(super) fn has_gaps(&self, n: usize) -> bool {
        !(0..n).all(|at| self.is_there(at))
    }

    /// The address of the first cell, for cells of so many bytes.
    pub(super) fn address(&self, bytes: usize) -> usize {
        self.values as usize + self.start * bytes
    }

    /// A cell that has a value, of the type with this letter.
    pub(super) fn number(&self, kind: u8, at: usize) -> Number {
        let (values, at) = (self.values, self.start + at);
        macro_rules! read {
            ($type:ty) => {
                // SAFETY: the buffer has values of this type, up to the length that was checked when the cells were taken.
                unsafe { values.cast::<$type>().add(at).read_unaligned() }
            };
        }
        match kind {
            // SAFETY: as above.
            b'b' => Number::Float(f64::from(u8::from(unsafe { bit(values, at) }))),
            b'c' => Number::Float(f64::from(read!(i8))),
            b'C' => Number::Float(f64::from(read!(u8))),
            b's' => Number::Float(f64::from(read!(i16))),
            b'S' => Number::Float(f64::from(read!(u16))),
            b'i' => Number::Float(f64::from(read!(i32))),
            b'I' => Number::Float(f64::from(read!(u32))),
            b'l' => Number::Whole(i128::from(read!(i64))),
            b'L' => Number::Whole(i128::from(read!(u64))),
            b'e' => Number::Float(half(read!(u16))),
            b'f' => Number::Float(f64::from(read!(f32))),
            _ => Number::Float(read!(f64)),
        }
    }
}

/// # Safety
/// `bits` has more than `at` bits.
unsafe fn bit(bits: *const c_void, at: usize) -> bool {
    // SAFETY: as the caller promises.
    let byte = unsafe { *bits.cast::<u8>().add(at / 8) };
    byte >> (at % 8) & 1 == 1
}

/// A 16-bit float (IEEE 754 binary16): 1 bit for the sign, 5 for the exponent, 10 for the fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}
