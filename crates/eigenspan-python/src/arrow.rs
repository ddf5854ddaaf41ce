//! Tables of any library that speaks Arrow's C stream interface (`__arrow_c_stream__`), as an array and names of columns.
//!
//! The layout of the three structs is Arrow's stable ABI (<https://arrow.apache.org/docs/format/CDataInterface.html>,
//! <https://arrow.apache.org/docs/format/CStreamInterface.html>). Columns of numbers are copied once, into columns that lie
//! behind each other; a cell without a value becomes NaN.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use crate::array::IntoArray;

/// What a column is called and holds.
#[repr(C)]
struct Schema {
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
struct Array {
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
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// Gives back what its maker lent, whichever way it is left.
macro_rules! given_back {
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
given_back!(Schema, Array, Stream);

/// The rows of a stream as an array (32-bit floats if all columns are such, else 64-bit floats), and the names of its columns.
#[pyfunction]
pub(crate) fn arrow_table<'py>(
    py: Python<'py>,
    capsule: &Bound<'py, PyCapsule>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let mut stream = taken(capsule)?;
    let schema = stream.schema()?;
    let mut columns = schema.columns()?;
    while let Some(batch) = stream.next()? {
        batch.add_to(&mut columns)?;
    }
    let (n, d) = (columns.first().map_or(0, |c| c.cells.len()), columns.len());
    let single = columns.iter().all(|column| column.kind == b'f');
    let names = columns.iter().map(|column| column.name.clone()).collect();
    let cells: Vec<f64> = columns
        .into_iter()
        .flat_map(|column| column.cells)
        .collect();
    let turned = cells.into_array(py)?.call_method1("reshape", ((d, n),))?;
    let array = turned.getattr("T")?;
    match single && d > 0 {
        true => Ok((array.call_method1("astype", ("float32",))?, names)),
        false => Ok((array, names)),
    }
}

/// The stream in a capsule, which has none afterwards.
fn taken(capsule: &Bound<'_, PyCapsule>) -> PyResult<Stream> {
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
    fn schema(&mut self) -> PyResult<Schema> {
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

    fn next(&mut self) -> PyResult<Option<Array>> {
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

/// A text that ends in zero.
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

/// A column that is being gathered.
struct Column {
    name: String,
    /// Arrow's letter for its type.
    kind: u8,
    cells: Vec<f64>,
}

impl Schema {
    /// The columns of a table, all of numbers.
    fn columns(&self) -> PyResult<Vec<Column>> {
        // SAFETY: a schema that was filled has a format.
        let format = unsafe { text(self.format) }.unwrap_or_default();
        if format != "+s" {
            let what = format!("an Arrow stream of type {format:?} is no table");
            return Err(PyTypeError::new_err(what));
        }
        let mut columns = Vec::new();
        for i in 0..usize::try_from(self.n_children).unwrap_or(0) {
            // SAFETY: a schema has as many children as it says, and each has a format.
            let child = unsafe { &**self.children.add(i) };
            // SAFETY: texts of the child, or nothing.
            let (name, format) = unsafe { (text(child.name), text(child.format)) };
            let (name, format) = (name.unwrap_or_default(), format.unwrap_or_default());
            match format.as_bytes() {
                [kind] if child.dictionary.is_null() && b"bcCsSiIlLfg".contains(kind) => {
                    let (kind, cells) = (*kind, Vec::new());
                    columns.push(Column { name, kind, cells });
                }
                _ => {
                    let what = format!("column {name:?} holds no numbers (Arrow type {format:?})");
                    return Err(PyTypeError::new_err(what));
                }
            }
        }
        Ok(columns)
    }
}

impl Array {
    /// Appends the rows of a batch.
    fn add_to(&self, columns: &mut [Column]) -> PyResult<()> {
        let bad = || PyValueError::new_err("the Arrow stream's batches do not fit its schema");
        let size = |n: i64| usize::try_from(n).map_err(|_| bad());
        let (n, first) = (size(self.length)?, size(self.offset)?);
        if size(self.n_children)? != columns.len() {
            return Err(bad());
        }
        for (i, column) in columns.iter_mut().enumerate() {
            // SAFETY: a batch has as many children as it says.
            let child = unsafe { &**self.children.add(i) };
            let start = first + size(child.offset)?;
            if child.n_buffers != 2 || size(child.length)? < first + n {
                return Err(bad());
            }
            // SAFETY: a column of numbers has two buffers: which cells have a value (or null), and the values.
            let (valid, values) = unsafe { (*child.buffers, *child.buffers.add(1)) };
            if values.is_null() && n > 0 {
                return Err(bad());
            }
            for at in start..start + n {
                // SAFETY: both buffers reach to offset + length, which was checked against the rows of the batch.
                let cell = unsafe {
                    match valid.is_null() || bit(valid, at) {
                        true => value(column.kind, values, at),
                        false => f64::NAN,
                    }
                };
                column.cells.push(cell);
            }
        }
        Ok(())
    }
}

/// # Safety
/// `bits` has more than `at` bits.
unsafe fn bit(bits: *const c_void, at: usize) -> bool {
    // SAFETY: as the caller promises.
    let byte = unsafe { *bits.cast::<u8>().add(at / 8) };
    byte >> (at % 8) & 1 == 1
}

/// # Safety
/// `values` has more than `at` values of the type that `kind` stands for.
unsafe fn value(kind: u8, values: *const c_void, at: usize) -> f64 {
    macro_rules! read {
        ($type:ty) => {
            // SAFETY: as the caller promises; Arrow aligns buffers for their type.
            unsafe { values.cast::<$type>().add(at).read_unaligned() }
        };
    }
    match kind {
        // SAFETY: as the caller promises.
        b'b' => f64::from(u8::from(unsafe { bit(values, at) })),
        b'c' => f64::from(read!(i8)),
        b'C' => f64::from(read!(u8)),
        b's' => f64::from(read!(i16)),
        b'S' => f64::from(read!(u16)),
        b'i' => f64::from(read!(i32)),
        b'I' => f64::from(read!(u32)),
        b'l' => read!(i64) as f64,
        b'L' => read!(u64) as f64,
        b'f' => f64::from(read!(f32)),
        _ => read!(f64),
    }
}
