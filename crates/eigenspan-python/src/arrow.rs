//! Tables of any library that supports Arrow's C stream interface (`__arrow_c_stream__`), as an array and names of columns.
//!
//! If the columns of a single batch are stored one after the other in one piece of memory, are all 32-bit or all 64-bit
//! floats and have no missing values, they are read in place. All others are copied once, column after column: to 32-bit
//! floats if all columns have them, otherwise to 64-bit floats. A cell without a value becomes NaN.

mod abi;

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};

use self::abi::{Array, Cells, Column, take_stream};
use crate::array::{Element, IntoArray};
use eigenspan::{Mat, Real};

/// A column with integers that 64-bit floats cannot hold exactly: its name, how many there are, and the first of them.
type Rounded = (String, usize, String);

/// An array, the names of its columns, and the columns with rounded integers.
type Table<'py> = (Bound<'py, PyAny>, Vec<String>, Vec<Rounded>);

/// Bytes that may lie between two columns of one piece of memory: Arrow pads buffers to a multiple of 64.
const PADDING: usize = 64;

/// The rows of a stream as an array, the names of its columns, and the columns whose integers were rounded.
#[pyfunction]
pub(crate) fn arrow_table<'py>(
    py: Python<'py>,
    capsule: &Bound<'py, PyCapsule>,
) -> PyResult<Table<'py>> {
    let mut stream = take_stream(capsule)?;
    let columns = stream.schema()?.columns()?;
    let mut batches = Vec::new();
    while let Some(batch) = stream.next()? {
        if batch.n_rows(&columns)? > 0 {
            batches.push(batch);
        }
    }
    let names = columns.iter().map(|column| column.name.clone()).collect();
    if let [batch] = &batches[..]
        && let Some(place) = in_place(batch, &columns)?
        && let Some(batch) = batches.pop()
    {
        let lent = Lent {
            _batch: batch,
            place,
        };
        let array = py.import("numpy")?.call_method1("asarray", (lent,))?;
        return Ok((array, names, Vec::new()));
    }
    let mut rounded = Vec::new();
    let single = !columns.is_empty() && columns.iter().all(|column| column.kind == b'f');
    let turned = match single {
        true => copied::<f32>(&columns, &batches, &mut rounded)?.into_array(py)?,
        false => copied::<f64>(&columns, &batches, &mut rounded)?.into_array(py)?,
    };
    Ok((turned.getattr("T")?, names, rounded))
}

/// The piece of memory that holds all columns.
#[derive(Debug)]
struct Place {
    kind: &'static str,
    address: usize,
    shape: (usize, usize),
    /// Bytes from one row to the next, and from one column to the next.
    steps: (usize, usize),
}

/// Rows in the memory of the library that made them.
#[pyclass(frozen, module = "eigenspan._core")]
struct Lent {
    /// Keeps the memory alive.
    _batch: Array,
    place: Place,
}

#[pymethods]
impl Lent {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let place = &self.place;
        let about = PyDict::new(py);
        about.set_item("version", 3)?;
        about.set_item("typestr", place.kind)?;
        // Read-only: the memory belongs to the library that made the table.
        about.set_item("data", (place.address, true))?;
        about.set_item("shape", PyTuple::new(py, [place.shape.0, place.shape.1])?)?;
        about.set_item("strides", PyTuple::new(py, [place.steps.0, place.steps.1])?)?;
        Ok(about)
    }
}

/// The memory of a batch as a matrix, if all its columns lie in one piece.
fn in_place(batch: &Array, columns: &[Column]) -> PyResult<Option<Place>> {
    let n = batch.n_rows(columns)?;
    let (size, kind) = match columns.first().map(|column| column.kind) {
        Some(b'f') => (4, f32::KIND),
        Some(b'g') => (8, f64::KIND),
        _ => return Ok(None),
    };
    if columns.iter().any(|c| c.kind != columns[0].kind) {
        return Ok(None);
    }
    let mut starts = Vec::with_capacity(columns.len());
    for (j, column) in columns.iter().enumerate() {
        let cells = batch.cells(j, column, n)?;
        if cells.has_gaps(n) {
            return Ok(None);
        }
        starts.push(cells.address(size));
    }
    let step = match &starts[..] {
        [first, second, ..] => second.wrapping_sub(*first),
        _ => n * size,
    };
    let even = starts.windows(2).all(|w| w[1].wrapping_sub(w[0]) == step);
    let close = (n * size..n * size + PADDING).contains(&step);
    let whole = step.is_multiple_of(size) && starts[0].is_multiple_of(size);
    Ok((even && close && whole).then(|| Place {
        kind,
        address: starts[0],
        shape: (n, columns.len()),
        steps: (size, step),
    }))
}

/// The cells of all batches, one column of the table per row of the matrix.
fn copied<T: Real>(
    columns: &[Column],
    batches: &[Array],
    rounded: &mut Vec<Rounded>,
) -> PyResult<Mat<T>> {
    let mut sizes = Vec::with_capacity(batches.len());
    for batch in batches {
        sizes.push(batch.n_rows(columns)?);
    }
    let (n, d) = (sizes.iter().sum::<usize>(), columns.len());
    let mut out: Vec<T> = Vec::new();
    out.try_reserve_exact(n.saturating_mul(d))
        .map_err(|e| PyMemoryError::new_err(e.to_string()))?;
    for (j, column) in columns.iter().enumerate() {
        let mut large = None;
        for (batch, n) in batches.iter().zip(&sizes) {
            let cells = batch.cells(j, column, *n)?;
            cells.copy_to(column.kind, *n, &mut out, &mut large);
        }
        if let Some((count, first)) = large {
            rounded.push((column.name.clone(), count, first.to_string()));
        }
    }
    Mat::from_vec(d, n, out).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Integers that were rounded: how many, and the first.
type Large = Option<(usize, i128)>;

impl Cells {
    fn copy_to<T: Real>(&self, kind: u8, n: usize, out: &mut Vec<T>, large: &mut Large) {
        let mut whole = |x: i128| {
            let near = x as f64;
            if near as i128 != x {
                large.get_or_insert((0, x)).0 += 1;
            }
            near
        };
        for at in 0..n {
            let cell = match self.is_there(at) {
                false => f64::NAN,
                true => match self.number(kind, at) {
                    abi::Number::Float(x) => x,
                    abi::Number::Whole(x) => whole(x),
                },
            };
            out.push(T::from_f64(cell));
        }
    }
}
