//! Arrays of Python without a copy, in and out, by the one protocol that every version of NumPy supports:
//! `__array_interface__`.
//!
//! Memory from Python belongs to its owner, which is kept alive; nothing here writes to it.

use eigenspan::{Error, Mat, MatView};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Elements in memory that Python owns.
#[derive(Debug)]
pub(crate) struct Borrowed {
    /// Keeps the memory alive.
    _owner: Py<PyAny>,
    /// Type and byte order as NumPy writes them: `<f8`.
    pub(crate) kind: String,
    address: usize,
    pub(crate) shape: Vec<usize>,
    /// Steps from one element to the next along each axis, in elements.
    strides: Vec<isize>,
}

/// Types of elements that are read in place.
pub(crate) trait Element: Copy + 'static {
    /// Name as NumPy writes it.
    const KIND: &'static str;
}

macro_rules! elements {
    ($($type:ty: $letter:literal),*) => {
        $(impl Element for $type {
            #[cfg(target_endian = "little")]
            const KIND: &'static str = concat!("<", $letter);
            #[cfg(target_endian = "big")]
            const KIND: &'static str = concat!(">", $letter);
        })*
    };
}
elements!(f64: "f8", f32: "f4", i32: "i4", i64: "i8", u32: "u4");

impl Borrowed {
    /// Reads what an array says about itself.
    pub(crate) fn from_python(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let about = array.getattr("__array_interface__")?;
        let about = about.cast::<PyDict>()?;
        let item = |name: &str| {
            let missing = || PyTypeError::new_err(format!("the array does not say its {name}"));
            about.get_item(name)?.ok_or_else(missing)
        };
        let kind: String = item("typestr")?.extract()?;
        let (address, _): (usize, bool) = item("data")?.extract()?;
        let shape: Vec<usize> = item("shape")?.extract()?;
        let size: isize = kind.get(2..).and_then(|n| n.parse().ok()).unwrap_or(1);
        let strides: Option<Vec<isize>> = match about.get_item("strides")? {
            Some(strides) if !strides.is_none() => Some(strides.extract()?),
            _ => None,
        };
        let strides = match strides {
            Some(bytes) if bytes.iter().any(|step| step % size != 0) => {
                return Err(PyValueError::new_err(
                    "the array's strides cut its elements",
                ));
            }
            Some(bytes) => bytes.into_iter().map(|step| step / size).collect(),
            None => tight(&shape),
        };
        if address as isize % size.max(1) != 0 && shape.iter().all(|n| *n > 0) {
            return Err(PyValueError::new_err("the array is not aligned in memory"));
        }
        Ok(Borrowed {
            _owner: array.clone().unbind(),
            kind,
            address,
            shape,
            strides,
        })
    }

    /// All elements between the first and the last in memory, and the position of the array's first element among them.
    fn span<T: Element>(&self) -> Result<(&[T], usize), Error> {
        if self.kind != T::KIND {
            let what = format!("an array of {} where {} is needed", self.kind, T::KIND);
            return Err(Error::Unsupported { what });
        }
        if self.shape.contains(&0) {
            return Ok((&[], 0));
        }
        let (mut before, mut after) = (0usize, 0usize);
        for (n, stride) in self.shape.iter().zip(&self.strides) {
            let reach = (n - 1) * stride.unsigned_abs();
            match *stride < 0 {
                true => before += reach,
                false => after += reach,
            }
        }
        let first = (self.address as *const T).wrapping_sub(before);
        // SAFETY: the owner, alive as long as `self`, says that its array has these elements, and the span reaches from the
        // lowest to the highest of them, within one allocation. The address is aligned (checked above). Python programs that
        // change an array while a fit on it runs without the lock get what they would get from any other library.
        let span = unsafe { std::slice::from_raw_parts(first, before + after + 1) };
        Ok((span, before))
    }

    /// The array as a matrix.
    pub(crate) fn matrix<T: Element + eigenspan::Real>(&self) -> Result<MatView<'_, T>, Error> {
        let (&[n, d], &[row, col]) = (&self.shape[..], &self.strides[..]) else {
            let what = format!("an array of {} axes where 2 are needed", self.shape.len());
            return Err(Error::Unsupported { what });
        };
        let (span, first) = self.span::<T>()?;
        MatView::from_strides(span, first, (n, d), (row, col))
    }

    /// The array as a slice, if it has one axis and its elements are adjacent.
    pub(crate) fn list<T: Element>(&self) -> Result<&[T], Error> {
        let is_list = self.shape.len() == 1 && (self.strides == [1] || self.shape[0] <= 1);
        match is_list {
            true => Ok(self.span::<T>()?.0),
            false => Err(Error::Unsupported {
                what: "an array that is not one row of neighbors".to_owned(),
            }),
        }
    }
}

/// Strides of an array whose elements are adjacent.
fn tight(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1) as isize;
    }
    strides
}

/// Numbers that Python owns from now on.
#[derive(Debug)]
enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A result; NumPy reads its memory and keeps it alive.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
struct Owned {
    numbers: Numbers,
    shape: Vec<usize>,
}

#[pymethods]
impl Owned {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (kind, address) = match &self.numbers {
            Numbers::F32(numbers) => (f32::KIND, numbers.as_ptr() as usize),
            Numbers::F64(numbers) => (f64::KIND, numbers.as_ptr() as usize),
        };
        let about = PyDict::new(py);
        about.set_item("version", 3)?;
        about.set_item("typestr", kind)?;
        // Not read-only: the array made from this is the only one that uses the memory.
        about.set_item("data", (address, false))?;
        about.set_item("shape", pyo3::types::PyTuple::new(py, &self.shape)?)?;
        Ok(about)
    }
}

/// Turns into a NumPy array that owns the elements.
pub(crate) trait IntoArray {
    /// Hands the memory over.
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

fn handed_over(py: Python<'_>, numbers: Numbers, shape: Vec<usize>) -> PyResult<Bound<'_, PyAny>> {
    let numpy = py.import("numpy")?;
    if shape.contains(&0) {
        let kind = match numbers {
            Numbers::F32(_) => f32::KIND,
            Numbers::F64(_) => f64::KIND,
        };
        return numpy.call_method1("empty", (shape, kind));
    }
    numpy.call_method1("asarray", (Owned { numbers, shape },))
}

impl IntoArray for Mat<f64> {
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let shape = vec![self.n_rows(), self.n_cols()];
        handed_over(py, Numbers::F64(self.into_vec()), shape)
    }
}

impl IntoArray for Mat<f32> {
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let shape = vec![self.n_rows(), self.n_cols()];
        handed_over(py, Numbers::F32(self.into_vec()), shape)
    }
}

impl IntoArray for Vec<f64> {
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let shape = vec![self.len()];
        handed_over(py, Numbers::F64(self), shape)
    }
}
