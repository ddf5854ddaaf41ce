//! Matrices: [`Mat`] owns its elements row by row, [`MatView`] borrows elements with any strides.

use serde::ser::{Serialize, SerializeSeq, Serializer};

use crate::error::{Error, ShapeFault};

/// An element of a matrix: f32 or f64, and no other type.
pub trait Real:
    sealed::Sealed + Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static
{
    /// Name as NumPy and Rust know it: `f32`, `f64`.
    const NAME: &'static str;
    /// Bytes of one element.
    const BYTES: usize;
    /// The default tolerance of iterative solvers on data of this type.
    const TOLERANCE: f64;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Rounded to nearest.
    fn from_f64(value: f64) -> Self;
    /// The slice itself where the elements are f64 already.
    fn as_f64s(slice: &[Self]) -> Option<&[f64]>;
    /// The same, mutable.
    fn as_f64s_mut(slice: &mut [Self]) -> Option<&mut [f64]>;
    /// The slice itself where the elements are f32 already.
    fn as_f32s(slice: &[Self]) -> Option<&[f32]>;
}

mod sealed {
    /// Keeps other crates from adding types: code below relies on there being two.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Real for f64 {
    const NAME: &'static str = "f64";
    const BYTES: usize = 8;
    const TOLERANCE: f64 = 1e-9;
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
    fn as_f64s(slice: &[Self]) -> Option<&[f64]> {
        Some(slice)
    }
    fn as_f64s_mut(slice: &mut [Self]) -> Option<&mut [f64]> {
        Some(slice)
    }
    fn as_f32s(_: &[Self]) -> Option<&[f32]> {
        None
    }
}

impl Real for f32 {
    const NAME: &'static str = "f32";
    const BYTES: usize = 4;
    const TOLERANCE: f64 = 1e-5;
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    fn as_f64s(_: &[Self]) -> Option<&[f64]> {
        None
    }
    fn as_f64s_mut(_: &mut [Self]) -> Option<&mut [f64]> {
        None
    }
    fn as_f32s(slice: &[Self]) -> Option<&[f32]> {
        Some(slice)
    }
}

/// A matrix that owns its elements, row after row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mat<T> {
    data: Vec<T>,
    n_rows: usize,
    n_cols: usize,
}

/// Serialized as a list of rows.
impl<T: Real + Serialize> Serialize for Mat<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.n_rows))?;
        for row in self.rows() {
            list.serialize_element(row)?;
        }
        list.end()
    }
}

impl<T: Real> Mat<T> {
    /// All zeros.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Mat {
            data: vec![T::default(); n_rows * n_cols],
            n_rows,
            n_cols,
        }
    }

    /// Gives it another shape in the memory it has; what its cells hold is arbitrary.
    pub(crate) fn reshape(&mut self, n_rows: usize, n_cols: usize) {
        self.data.resize(n_rows * n_cols, T::default());
        (self.n_rows, self.n_cols) = (n_rows, n_cols);
    }

    /// From elements row by row; refuses a length that does not fit.
    pub fn from_vec(n_rows: usize, n_cols: usize, data: Vec<T>) -> Result<Self, Error> {
        if n_rows.checked_mul(n_cols) != Some(data.len()) {
            return Err(Error::Shape(ShapeFault::Elements {
                given: data.len(),
                n_rows,
                n_cols,
            }));
        }
        Ok(Mat {
            data,
            n_rows,
            n_cols,
        })
    }

    /// From a function of row and column.
    pub fn from_fn(n_rows: usize, n_cols: usize, mut at: impl FnMut(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(n_rows * n_cols);
        for i in 0..n_rows {
            data.extend((0..n_cols).map(|j| at(i, j)));
        }
        Mat {
            data,
            n_rows,
            n_cols,
        }
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.n_cols..][..self.n_cols]
    }

    /// One row, to change.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.n_cols..][..self.n_cols]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.n_rows).map(|i| self.row(i))
    }

    /// One column, copied.
    pub fn col(&self, j: usize) -> Vec<T> {
        (0..self.n_rows).map(|i| self[(i, j)]).collect()
    }

    /// All elements, row after row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All elements, row after row, to change.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The elements, row after row.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// A view of the whole.
    pub fn view(&self) -> MatView<'_, T> {
        MatView {
            data: &self.data,
            offset: 0,
            n_rows: self.n_rows,
            n_cols: self.n_cols,
            row_stride: self.n_cols as isize,
            col_stride: 1,
        }
    }

    /// The transpose, written out.
    pub fn transposed(&self) -> Self {
        Mat::from_fn(self.n_cols, self.n_rows, |i, j| self[(j, i)])
    }

    /// The first `count` rows.
    pub fn top(mut self, count: usize) -> Self {
        self.n_rows = count.min(self.n_rows);
        self.data.truncate(self.n_rows * self.n_cols);
        self
    }
}

impl<T> std::ops::Index<(usize, usize)> for Mat<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        debug_assert!(j < self.n_cols);
        &self.data[i * self.n_cols + j]
    }
}

impl<T> std::ops::IndexMut<(usize, usize)> for Mat<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        debug_assert!(j < self.n_cols);
        &mut self.data[i * self.n_cols + j]
    }
}

/// A borrowed matrix with any strides, so that arrays in row or column order need no copy.
#[derive(Debug, Clone, Copy)]
pub struct MatView<'a, T> {
    data: &'a [T],
    offset: usize,
    n_rows: usize,
    n_cols: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<'a, T: Real> MatView<'a, T> {
    /// Rows one after the other.
    pub fn from_rows(data: &'a [T], n_rows: usize, n_cols: usize) -> Result<Self, Error> {
        Self::from_strides(data, 0, (n_rows, n_cols), (n_cols as isize, 1))
    }

    /// Columns one after the other.
    pub fn from_cols(data: &'a [T], n_rows: usize, n_cols: usize) -> Result<Self, Error> {
        Self::from_strides(data, 0, (n_rows, n_cols), (1, n_rows as isize))
    }

    /// Element (i, j) is `data[offset + i·row_stride + j·col_stride]`; refused if an element would lie outside `data`.
    pub fn from_strides(
        data: &'a [T],
        offset: usize,
        (n_rows, n_cols): (usize, usize),
        (row_stride, col_stride): (isize, isize),
    ) -> Result<Self, Error> {
        let reach = |count: usize, stride: isize| -> Option<(i128, i128)> {
            let far = (count as i128 - 1).checked_mul(stride as i128)?;
            Some((far.min(0), far.max(0)))
        };
        let inside = n_rows == 0
            || n_cols == 0
            || match (reach(n_rows, row_stride), reach(n_cols, col_stride)) {
                (Some(r), Some(c)) => {
                    offset as i128 + r.0 + c.0 >= 0
                        && offset as i128 + r.1 + c.1 < data.len() as i128
                }
                _ => false,
            };
        if !inside {
            return Err(Error::Shape(ShapeFault::View {
                given: data.len(),
                n_rows,
                n_cols,
            }));
        }
        Ok(MatView {
            data,
            offset,
            n_rows,
            n_cols,
            row_stride,
            col_stride,
        })
    }

    /// Rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// One element.
    pub fn at(&self, i: usize, j: usize) -> T {
        debug_assert!(i < self.n_rows && j < self.n_cols);
        self.data[(self.offset as isize
            + i as isize * self.row_stride
            + j as isize * self.col_stride) as usize]
    }

    /// A row as a slice, where rows are contiguous.
    pub fn row(&self, i: usize) -> Option<&'a [T]> {
        (self.col_stride == 1 || self.n_cols <= 1).then(|| {
            let start = (self.offset as isize + i as isize * self.row_stride) as usize;
            &self.data[start..start + self.n_cols]
        })
    }

    /// All elements as one slice, where the rows follow each other without gaps.
    pub fn contiguous(&self) -> Option<&'a [T]> {
        let tight = (self.col_stride == 1 || self.n_cols == 1)
            && (self.row_stride == self.n_cols as isize || self.n_rows == 1);
        tight.then(|| &self.data[self.offset..self.offset + self.n_rows * self.n_cols])
    }

    /// Rows `start..end`.
    pub fn slice_rows(&self, start: usize, end: usize) -> Self {
        debug_assert!(start <= end && end <= self.n_rows);
        let offset = if start == end {
            0
        } else {
            (self.offset as isize + start as isize * self.row_stride) as usize
        };
        MatView {
            offset,
            n_rows: end - start,
            ..*self
        }
    }

    /// The transposed view; no element is moved.
    pub fn transposed(&self) -> Self {
        MatView {
            n_rows: self.n_cols,
            n_cols: self.n_rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..*self
        }
    }

    /// Whether neighbors in a column lie next to each other in memory.
    pub fn is_column_major(&self) -> bool {
        self.row_stride == 1 && self.col_stride != 1
    }

    /// Copied, rows one after the other.
    pub fn to_mat(&self) -> Mat<T> {
        Mat::from_fn(self.n_rows, self.n_cols, |i, j| self.at(i, j))
    }

    pub(crate) fn parts(&self) -> (&'a [T], usize, isize, isize) {
        (self.data, self.offset, self.row_stride, self.col_stride)
    }
}
