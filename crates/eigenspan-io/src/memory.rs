//! Arrays in memory as a table: the numbers are not copied, sparse rows stay sparse, and columns of text stand beside the
//! numbers.
//!
//! Every job that takes an open [`Table`] then works on arrays as it does on files, without a file in between. Rows are cut
//! into the same parts as those of files, so that a fit gives the same bits.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use eigenspan::error::counted;
use eigenspan::source::{Block, CsrView, Dense, Rows, Sink, Source, Sparse};
use eigenspan::{Error, Mat, MatView, Real};

use crate::columns::unique_names;
use crate::error::ReadError;
use crate::options::Format;
use crate::select::Names;
use crate::sparse::{Side, Stored};
use crate::table::Cut;
use crate::table::{Cells, IdColumn, Numbers, PartTexts, SetAside, Table, TextColumn, Why};

/// Owns an array in memory and keeps it in place.
///
/// [`MemoryRows::view`] must show the same array every time.
pub trait MemoryRows: Debug + Send + Sync {
    /// A view of the array.
    fn view(&self) -> Result<ArrayView<'_>, Error>;
}

/// A view of an array of either element type.
#[derive(Debug, Clone, Copy)]
pub enum ArrayView<'a> {
    /// 32-bit floats.
    F32(Array<'a, f32>),
    /// 64-bit floats.
    F64(Array<'a, f64>),
}

/// A view of the cells of an array.
#[derive(Debug, Clone, Copy)]
pub enum Array<'a, T> {
    /// All cells, with any strides.
    Dense(MatView<'a, T>),
    /// Compressed sparse rows: row i has `values[indptr[i]..indptr[i + 1]]` in columns `indices[…]`, rising.
    Sparse {
        /// Columns.
        n_cols: usize,
        /// Where rows begin, and where the last ends.
        indptr: &'a [usize],
        /// The column of each value.
        indices: &'a [u32],
        /// Cells that are not zero.
        values: &'a [T],
    },
}

impl MemoryRows for Mat<f32> {
    fn view(&self) -> Result<ArrayView<'_>, Error> {
        Ok(ArrayView::F32(Array::Dense(Mat::view(self))))
    }
}

impl MemoryRows for Mat<f64> {
    fn view(&self) -> Result<ArrayView<'_>, Error> {
        Ok(ArrayView::F64(Array::Dense(Mat::view(self))))
    }
}

/// A table in memory: an array of numbers with what is known about its columns and rows.
///
/// ```
/// use std::sync::Arc;
/// use eigenspan::Mat;
/// use eigenspan_io::MemoryTable;
///
/// let rows = Mat::from_fn(3, 2, |i, j| (i * 2 + j) as f64);
/// let mut table = MemoryTable::new("flowers", Arc::new(rows));
/// table.columns = Some(vec!["length".to_owned(), "width".to_owned()]);
/// table.texts = vec![("species".to_owned(), ["a", "b", "a"].map(str::to_owned).to_vec())];
/// table.label = Some("species".to_owned());
/// let table = table.into_table()?;
/// assert_eq!((table.n_rows(), table.label()), (3, Some("species")));
/// # Ok::<(), eigenspan_io::ReadError>(())
/// ```
#[derive(Debug)]
pub struct MemoryTable {
    /// The name that messages use.
    pub name: String,
    /// The numbers; missing cells are NaN.
    pub rows: Arc<dyn MemoryRows>,
    /// Names of the columns of numbers; numbers from 1 where there are none.
    pub columns: Option<Vec<String>>,
    /// Weight of each row; a weight of 2 counts as the row twice.
    pub weights: Option<Vec<f64>>,
    /// Columns of text by name, with a text for each row.
    pub texts: Vec<(String, Vec<String>)>,
    /// Which column of text holds each row's class.
    pub label: Option<String>,
    /// Which column of text names each row.
    pub id: Option<String>,
}

impl MemoryTable {
    /// An array without names, texts and weights.
    pub fn new(name: impl Into<String>, rows: Arc<dyn MemoryRows>) -> Self {
        MemoryTable {
            name: name.into(),
            rows,
            columns: None,
            weights: None,
            texts: Vec::new(),
            label: None,
            id: None,
        }
    }

    /// Opens the table. The array is not copied. Checks that names, texts and weights fit the array.
    pub fn into_table(self) -> Result<Table, ReadError> {
        let (n_rows, n_cols, cuts) = match self.rows.view()? {
            ArrayView::F32(array) => array.checked()?,
            ArrayView::F64(array) => array.checked()?,
        };
        self.check(n_rows, n_cols)?;
        let has_header = self.columns.is_some();
        let numbered = || (1..=n_cols).map(|i| i.to_string()).collect();
        let mut given = self.columns.unwrap_or_else(numbered);
        given.extend(self.texts.iter().map(|(name, _)| name.clone()));
        let mut notes = Vec::new();
        let (names, _) = unique_names(&given, &mut notes);
        // The names of the text columns as given, and after they were made unique among all columns.
        let (old, new) = (&given[n_cols..], &names[n_cols..]);
        let role = |name: &Option<String>| -> Result<Option<usize>, ReadError> {
            let place = |name: &String| Names::new(&self.name, old).one(name);
            name.as_ref().map(place).transpose()
        };
        let (label, id) = (role(&self.label)?, role(&self.id)?);
        let aside = |i: &usize| ![label, id].contains(&Some(*i));
        let set_aside = (0..new.len()).filter(aside).map(|i| SetAside {
            name: new[i].clone(),
            why: Why::Text,
        });
        Ok(Table {
            n_rows,
            has_header,
            id: id.map(|i| IdColumn {
                name: new[i].clone(),
                guessed: false,
            }),
            label: label.map(|i| new[i].clone()),
            weight: None,
            set_aside: set_aside.collect(),
            missing: None,
            notes,
            name: self.name,
            format: Format::Array,
            array: OnceLock::new(),
            cells: Box::new(MemoryCells {
                used_names: names[..n_cols].to_vec(),
                side: Side {
                    names: new.to_vec(),
                    columns: self.texts.iter().map(|(_, t)| t.iter().collect()).collect(),
                },
                names,
                named: has_header,
                rows: self.rows,
                n_rows,
                cuts,
                weights: self.weights,
            }),
        })
    }

    /// Refuses an array without cells, and names, texts and weights that are too many or too few.
    fn check(&self, n_rows: usize, n_cols: usize) -> Result<(), ReadError> {
        if n_rows == 0 || n_cols == 0 {
            let file = self.name.clone();
            return Err(ReadError::Empty { file });
        }
        if let Some(names) = self.columns.as_ref().filter(|names| names.len() != n_cols) {
            let (given, expected) = (names.len(), n_cols);
            return Err(Error::WrongWidth { given, expected }.into());
        }
        if let Some(weights) = self.weights.as_ref().filter(|w| w.len() != n_rows) {
            let given = counted(weights.len(), "weight");
            let what = format!("{given} given for {}", counted(n_rows, "row"));
            return Err(Error::BadWeights { what }.into());
        }
        match self.texts.iter().find(|(_, texts)| texts.len() != n_rows) {
            None => Ok(()),
            Some((column, texts)) => Err(ReadError::OtherLength {
                file: self.name.clone(),
                column: column.clone(),
                found: texts.len(),
                expected: n_rows,
            }),
        }
    }
}

/// Rows, columns, and the rows of each part of a sparse array; a dense array can be cut at any row.
type Checked = (usize, usize, Option<Vec<Range<usize>>>);

impl<T: Real> Array<'_, T> {
    /// Checks the array, and returns its shape and its parts.
    fn checked(&self) -> Result<Checked, Error> {
        let (n_cols, indptr, indices, values) = match *self {
            Array::Dense(view) => return Ok((view.n_rows(), view.n_cols(), None)),
            Array::Sparse {
                n_cols,
                indptr,
                indices,
                values,
            } => (n_cols, indptr, indices, values),
        };
        let rows = Sparse::new(CsrView::new(n_cols, indptr, indices, values)?);
        let mut cuts = Vec::new();
        for part in 0..rows.n_parts() {
            rows.read_part(part, &mut |rows| {
                cuts.push(rows.first..rows.first + rows.block.n_rows());
                Ok(())
            })?;
        }
        Ok((indptr.len().saturating_sub(1), n_cols, Some(cuts)))
    }

    /// A cell; zero where no value is stored.
    fn cell(&self, row: usize, col: usize) -> T {
        match *self {
            Array::Dense(view) => view.at(row, col),
            Array::Sparse {
                indptr,
                indices,
                values,
                ..
            } => {
                let range = indptr[row]..indptr[row + 1];
                let found = indices[range.clone()].binary_search(&(col as u32));
                found.map_or(T::default(), |at| values[range.start + at])
            }
        }
    }
}

/// The cells of an array with the texts beside them.
#[derive(Debug)]
struct MemoryCells {
    rows: Arc<dyn MemoryRows>,
    n_rows: usize,
    /// The parts of sparse rows.
    cuts: Option<Vec<Range<usize>>>,
    names: Vec<String>,
    used_names: Vec<String>,
    /// Whether the columns have names and not just numbers.
    named: bool,
    side: Side,
    weights: Option<Vec<f64>>,
}

/// An element type of arrays.
trait InArray: Stored {
    /// The array, if its elements have this type.
    fn from_view(view: ArrayView<'_>) -> Option<Array<'_, Self>>;
}

impl InArray for f32 {
    fn from_view(view: ArrayView<'_>) -> Option<Array<'_, f32>> {
        match view {
            ArrayView::F32(array) => Some(array),
            ArrayView::F64(_) => None,
        }
    }
}

impl InArray for f64 {
    fn from_view(view: ArrayView<'_>) -> Option<Array<'_, f64>> {
        match view {
            ArrayView::F32(_) => None,
            ArrayView::F64(array) => Some(array),
        }
    }
}

impl MemoryCells {
    fn array<T: InArray>(&self) -> Result<Array<'_, T>, Error> {
        let array = T::from_view(self.rows.view()?);
        array.ok_or_else(|| Error::Unsupported {
            what: "an array that changed its element type".to_owned(),
        })
    }

    fn dense<'a, T: InArray>(&'a self, view: MatView<'a, T>) -> Result<Cut<'a, T>, Error> {
        let rows = Dense::new(view);
        Ok(Cut(match &self.weights {
            None => rows,
            Some(weights) => rows.with_weights(weights)?,
        }))
    }

    fn part<T: InArray>(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let (n_cols, indptr, indices, values) = match self.array()? {
            Array::Dense(view) => return self.dense(view)?.read_part(part, sink),
            Array::Sparse {
                n_cols,
                indptr,
                indices,
                values,
            } => (n_cols, indptr, indices, values),
        };
        let Some(rows) = self.cuts.as_ref().and_then(|cuts| cuts.get(part)) else {
            return Ok(());
        };
        // Only the rows of this part are checked again: checking all rows in every part would take too long.
        let changed = || Error::NotSparse {
            what: "the row pointers changed".to_owned(),
        };
        let starts = indptr.get(rows.start..=rows.end).ok_or_else(changed)?;
        let (from, to) = (indptr[rows.start], indptr[rows.end]);
        let starts: Vec<usize> = starts.iter().map(|at| at.saturating_sub(from)).collect();
        let indices = indices.get(from..to).ok_or_else(changed)?;
        let values = values.get(from..to).ok_or_else(changed)?;
        sink(Rows {
            first: rows.start,
            block: Block::Sparse(CsrView::new(n_cols, &starts, indices, values)?),
            weights: self.weights.as_ref().map(|w| &w[rows.clone()]),
        })
    }

    fn texts<T: InArray>(&self, part: usize, columns: &[usize]) -> Result<PartTexts, Error> {
        let mut range = 0..0;
        self.part::<T>(part, &mut |rows| {
            range = rows.first..rows.first + rows.block.n_rows();
            Ok(())
        })?;
        let array = self.array::<T>()?;
        let column = |&col: &usize| -> TextColumn {
            match col.checked_sub(self.used_names.len()) {
                Some(beside) => self.side.texts(beside, range.clone()),
                None => range
                    .clone()
                    .map(|row| array.cell(row, col).written())
                    .collect(),
            }
        };
        Ok(PartTexts {
            first: range.start,
            columns: columns.iter().map(column).collect(),
        })
    }
}

impl Cells for MemoryCells {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> Numbers<'_> {
        match self.rows.view() {
            Ok(ArrayView::F32(_)) => Numbers::F32(self),
            _ => Numbers::F64(self),
        }
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        Ok(match self.numbers() {
            Numbers::F32(_) => self.texts::<f32>(part, columns)?,
            Numbers::F64(_) => self.texts::<f64>(part, columns)?,
        })
    }
}

impl<T: InArray> Source<T> for MemoryCells {
    fn n_cols(&self) -> usize {
        self.used_names.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        self.part(part, sink)
    }

    fn n_parts(&self) -> usize {
        match &self.cuts {
            Some(cuts) => cuts.len(),
            None => self
                .n_rows
                .div_ceil(crate::table::part_rows(self.used_names.len())),
        }
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.n_rows)
    }

    fn nnz(&self) -> Option<u64> {
        match self.array::<T>().ok()? {
            Array::Dense(_) => None,
            Array::Sparse { values, .. } => Some(values.len() as u64),
        }
    }

    fn in_memory(&self) -> Option<Rows<'_, T>> {
        match self.array::<T>().ok()? {
            Array::Sparse { .. } => None,
            Array::Dense(view) => Some(Rows {
                first: 0,
                block: Block::Dense(view),
                weights: self.weights.as_deref(),
            }),
        }
    }

    fn col_names(&self) -> Option<&[String]> {
        self.named.then_some(self.used_names.as_slice())
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}
