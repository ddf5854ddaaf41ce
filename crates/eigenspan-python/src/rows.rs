//! Rows as Python gives them: an array, a sparse matrix, or files. Arrays are read in place.

use std::path::PathBuf;
use std::sync::Arc;

use eigenspan::error::counted;
use eigenspan::method::Method;
use eigenspan::source::{CsrView, Dense, Numbers, Source, Sparse};
use eigenspan::summary::{Moments, summarize};
use eigenspan::{Context, Error, Real};
use eigenspan_io::{Array, ArrayView, Cut, Input, ReadOptions, Table, open};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::array::{Borrowed, Element, IntoArray};
use crate::describe::collected;
use crate::error::{Labels, PythonNote, notes_as_python, raised, raised_in, unread};
use crate::run::{Means, UNKNOWN, run};

/// Where the cells are.
#[derive(Debug)]
enum Cells {
    Dense(Borrowed),
    /// Values, the column of each value, and where rows begin.
    Sparse {
        values: Borrowed,
        columns: Borrowed,
        starts: Vec<usize>,
        n_cols: usize,
    },
    Table(Arc<Table>),
}

/// Rows with their weights and the names of their columns.
#[pyclass(frozen, module = "eigenspan._core")]
#[derive(Debug)]
pub(crate) struct Rows {
    cells: Cells,
    weights: Option<Borrowed>,
    names: Option<Vec<String>>,
    /// Names of the rows, as in a data frame: an object that is indexed by the row's number.
    index: Option<Py<PyAny>>,
    /// A Python function that spells a setting that would help; it knows which options the caller takes.
    hints: Option<Py<PyAny>>,
    /// How the files were read, if the rows come from files.
    read: ReadOptions,
}

/// Rows without names, and how to spell settings.
struct Spelling<'a>(Option<&'a Py<PyAny>>);

impl Labels for Spelling<'_> {
    fn row(&self, _: usize) -> Option<String> {
        None
    }

    fn column(&self, _: usize) -> Option<String> {
        None
    }

    fn hints(&self) -> Option<&Py<PyAny>> {
        self.0
    }
}

/// Names of rows and columns, for errors about them.
struct Named<'py, 'a>(Python<'py>, &'a Rows);

impl Labels for Named<'_, '_> {
    fn row(&self, row: usize) -> Option<String> {
        let index = self.1.index.as_ref()?.bind(self.0);
        let name = index.get_item(row).and_then(|name| name.str());
        name.map(|name| name.to_string()).ok()
    }

    fn column(&self, col: usize) -> Option<String> {
        self.1.columns()?.get(col).cloned()
    }

    fn hints(&self) -> Option<&Py<PyAny>> {
        self.1.hints.as_ref()
    }
}

/// Runs `$body` with the rows as a source, whatever their element type.
macro_rules! on_source {
    ($rows:expr, $source:ident => $body:expr) => {{
        let rows: &$crate::rows::Rows = $rows;
        rows.with_numbers(|numbers| eigenspan::on_numbers!(numbers, $source => $body))
    }};
}
pub(crate) use on_source;

impl Rows {
    /// The exception for an error of the engine about these rows.
    pub(crate) fn raised(&self, py: Python<'_>, error: Error) -> PyErr {
        raised_in(error, &Named(py, self))
    }

    /// Whether cells are 32-bit floats.
    pub(crate) fn is_single(&self) -> bool {
        match &self.cells {
            Cells::Dense(cells) | Cells::Sparse { values: cells, .. } => cells.kind == f32::KIND,
            Cells::Table(table) => matches!(table.numbers(), Numbers::F32(_)),
        }
    }

    /// Rows, columns and cells of rows in memory; `None` for files, which may be slow to read.
    fn size(&self) -> Option<[u64; 3]> {
        let [n, d, cells] = match &self.cells {
            Cells::Dense(cells) => [
                cells.shape[0],
                cells.shape[1],
                cells.shape[0].saturating_mul(cells.shape[1]),
            ],
            Cells::Sparse {
                values,
                starts,
                n_cols,
                ..
            } => [starts.len(), *n_cols, values.shape.iter().product()],
            Cells::Table(..) => return None,
        };
        Some([n, d, cells].map(|x| x as u64))
    }

    /// Approximate number of operations for a pass over all cells, with `each` operations per cell.
    pub(crate) fn operations(&self, each: usize) -> u64 {
        let [n, d, cells] = self.size().unwrap_or([UNKNOWN; 3]);
        cells
            .saturating_add(n)
            .saturating_add(d)
            .saturating_mul(each as u64)
    }

    /// The same for computing all principal components: cells × the smaller of rows and columns.
    pub(crate) fn decomposition(&self) -> u64 {
        let smaller = self.size().map_or(UNKNOWN, |[n, d, _]| n.min(d));
        self.operations(smaller as usize)
    }

    /// The same for fitting a method, if it has an estimate.
    pub(crate) fn fit_operations(&self, method: &dyn Method) -> u64 {
        let size = self.size();
        let known = size.and_then(|[n, d, cells]| method.operations(n, d, cells));
        known.unwrap_or(UNKNOWN)
    }

    /// The open table, if the rows come from files.
    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.cells {
            Cells::Table(table) => Some(table),
            _ => None,
        }
    }

    /// How the files were read, if the rows come from files.
    pub(crate) fn read_options(&self) -> ReadOptions {
        self.read.clone()
    }

    /// The open table, shared, if the rows come from files.
    pub(crate) fn shared_table(&self) -> Option<Arc<Table>> {
        match &self.cells {
            Cells::Table(table) => Some(Arc::clone(table)),
            _ => None,
        }
    }

    /// A copy of the weights of rows in memory, if they have any.
    pub(crate) fn weights(&self) -> Result<Option<Vec<f64>>, Error> {
        let weights = self.weights.as_ref().map(Borrowed::list::<f64>);
        Ok(weights.transpose()?.map(<[f64]>::to_vec))
    }

    /// A view of the array or the sparse matrix.
    pub(crate) fn view(&self) -> Result<ArrayView<'_>, Error> {
        Ok(match self.is_single() {
            true => ArrayView::F32(self.array()?),
            false => ArrayView::F64(self.array()?),
        })
    }

    fn array<T: Real + Element>(&self) -> Result<Array<'_, T>, Error> {
        match &self.cells {
            Cells::Dense(cells) => Ok(Array::Dense(cells.matrix()?)),
            Cells::Sparse {
                values,
                columns,
                starts,
                n_cols,
            } => Ok(Array::Sparse {
                n_cols: *n_cols,
                indptr: starts,
                indices: columns.list()?,
                values: values.list()?,
            }),
            Cells::Table(..) => Err(no_array()),
        }
    }

    /// Calls `take` with the rows, in their element type.
    pub(crate) fn with_numbers<R>(
        &self,
        take: impl FnOnce(Numbers<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match &self.cells {
            Cells::Table(table) => take(table.numbers()),
            _ if self.is_single() => self.with_array(|source| take(Numbers::F32(source))),
            _ => self.with_array(|source| take(Numbers::F64(source))),
        }
    }

    fn with_array<T: Real + Element, R>(
        &self,
        take: impl FnOnce(&dyn Source<T>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let weights = self.weights.as_ref().map(Borrowed::list::<f64>);
        let (weights, names) = (weights.transpose()?, self.names.clone());
        match &self.cells {
            Cells::Dense(cells) => {
                let mut rows = Dense::new(cells.matrix::<T>()?);
                if let Some(weights) = weights {
                    rows = rows.with_weights(weights)?;
                }
                if let Some(names) = names {
                    rows = rows.with_names(names)?;
                }
                take(&Cut(rows))
            }
            Cells::Sparse {
                values,
                columns,
                starts,
                n_cols,
            } => {
                let view = CsrView::new(*n_cols, starts, columns.list()?, values.list::<T>()?)?;
                let mut rows = Sparse::new(view);
                if let Some(weights) = weights {
                    rows = rows.with_weights(weights)?;
                }
                if let Some(names) = names {
                    rows = rows.with_names(names)?;
                }
                take(&rows)
            }
            Cells::Table(..) => Err(no_array()),
        }
    }
}

fn no_array() -> Error {
    Error::Unsupported {
        what: "a file is no array".to_owned(),
    }
}

fn weights_of(weights: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Borrowed>> {
    let weights = weights.map(Borrowed::from_python).transpose()?;
    if let Some(weights) = &weights {
        weights.list::<f64>().map_err(raised)?;
    }
    Ok(weights)
}

/// Where rows begin.
fn starts_of(starts: &Borrowed) -> PyResult<Vec<usize>> {
    let whole: Option<Vec<usize>> = if starts.kind == i32::KIND {
        let starts = starts.list::<i32>().map_err(raised)?.iter();
        starts.map(|at| usize::try_from(*at).ok()).collect()
    } else {
        let starts = starts.list::<i64>().map_err(raised)?.iter();
        starts.map(|at| usize::try_from(*at).ok()).collect()
    };
    whole.ok_or_else(|| PyValueError::new_err("a row begins before the first value"))
}

/// Parses reading options from JSON; the error names the option that is wrong.
fn read_options(json: &str) -> PyResult<ReadOptions> {
    let wrong = match serde_json::from_str(json) {
        Ok(options) => return Ok(options),
        Err(error) => error,
    };
    let given: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let alone = given.into_iter().find_map(|(name, value)| {
        let one = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        let error = serde_json::from_value::<ReadOptions>(one).err()?;
        Some(format!("{name}={value}: {error}"))
    });
    Err(PyValueError::new_err(
        alone.unwrap_or_else(|| wrong.to_string()),
    ))
}

#[pymethods]
impl Rows {
    /// An array with two axes of native 32-bit or 64-bit floats; `index` names its rows, and `hints` spells the
    /// settings that would help.
    #[staticmethod]
    #[pyo3(signature = (array, weights, names, index = None, hints = None))]
    fn dense(
        array: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        names: Option<Vec<String>>,
        index: Option<Py<PyAny>>,
        hints: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let cells = Borrowed::from_python(array)?;
        if cells.shape.len() != 2 || ![f32::KIND, f64::KIND].contains(&cells.kind.as_str()) {
            let kind = cells.kind;
            let text = format!("an array of {kind} and shape {:?} is no table", cells.shape);
            return Err(PyTypeError::new_err(text));
        }
        Ok(Rows {
            cells: Cells::Dense(cells),
            weights: weights_of(weights)?,
            names,
            index,
            hints,
            read: ReadOptions::default(),
        })
    }

    /// Compressed sparse rows: values (32-bit or 64-bit floats), columns (as unsigned 32-bit integers) and where rows begin.
    #[staticmethod]
    #[pyo3(signature = (values, columns, starts, n_cols, weights, names, hints = None))]
    fn sparse(
        values: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyAny>,
        starts: &Bound<'_, PyAny>,
        n_cols: usize,
        weights: Option<&Bound<'_, PyAny>>,
        names: Option<Vec<String>>,
        hints: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        Ok(Rows {
            cells: Cells::Sparse {
                values: Borrowed::from_python(values)?,
                columns: Borrowed::from_python(columns)?,
                starts: starts_of(&Borrowed::from_python(starts)?)?,
                n_cols,
            },
            weights: weights_of(weights)?,
            names,
            index: None,
            hints,
            read: ReadOptions::default(),
        })
    }

    /// The table in one or several files; `options` is the JSON of the reading options, and `hints` spells the settings that
    /// would help.
    #[staticmethod]
    #[pyo3(signature = (paths, options, means, hints = None))]
    fn read(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        options: &str,
        means: Means,
        hints: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let options = read_options(options)?;
        let input = Input::from_paths(paths);
        let table = run(py, means, UNKNOWN, |ctx: &Context| {
            let table = open(&input, &options, ctx)?;
            table.fetch(ctx)?;
            Ok(table)
        })?;
        let table = table.map_err(|error| unread(error, &Spelling(hints.as_ref())))?;
        Ok(Rows {
            cells: Cells::Table(Arc::new(table)),
            weights: None,
            names: None,
            index: None,
            hints,
            read: options,
        })
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> PyResult<(Option<usize>, usize)> {
        on_source!(self, source => Ok((source.n_rows(), source.n_cols()))).map_err(raised)
    }

    /// Names of the columns, if they have names.
    #[getter]
    pub(crate) fn columns(&self) -> Option<Vec<String>> {
        match &self.cells {
            Cells::Table(table) if table.has_header() => Some(table.columns().to_vec()),
            _ => self.names.clone(),
        }
    }

    /// The name of the data, if the rows come from files.
    #[getter]
    fn name(&self) -> Option<String> {
        self.table().map(|table| table.name().to_owned())
    }

    /// The name of the column of labels, if the rows come from files and have labels.
    #[getter]
    fn label_column(&self) -> Option<String> {
        self.table()?.label().map(str::to_owned)
    }

    /// The label of every row, if the rows come from files and have labels.
    #[getter]
    fn labels(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let column = self.label_column();
        column.map(|column| self.texts(py, &column)).transpose()
    }

    /// The name of every row, if the rows come from files and have names.
    #[getter]
    fn ids(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let column = self.id_column();
        column.map(|column| self.texts(py, &column)).transpose()
    }

    fn __len__(&self) -> PyResult<usize> {
        let rows = self.shape()?.0;
        rows.ok_or_else(|| PyTypeError::new_err("the number of rows is not known"))
    }

    fn __repr__(&self) -> PyResult<String> {
        let (n_rows, n_cols) = self.shape()?;
        let name = self.name().unwrap_or_else(|| "rows in memory".to_owned());
        let n_rows = n_rows.map_or("unknown number of rows".to_owned(), |n| counted(n, "row"));
        let mut text = format!("<Table {name}: {n_rows} × {}", counted(n_cols, "column"));
        for (what, column) in [("ids", self.id_column()), ("labels", self.label_column())] {
            if let Some(column) = column {
                text += &format!(", {what}: {column}");
            }
        }
        Ok(text + ">")
    }

    /// All cells as an array of 64-bit floats.
    #[pyo3(signature = (means = None))]
    fn to_numpy<'py>(&self, py: Python<'py>, means: Option<Means>) -> PyResult<Bound<'py, PyAny>> {
        let cells = run(
            py,
            means.unwrap_or_default(),
            self.operations(1),
            |ctx| on_source!(self, source => collected(ctx, source)),
        )?;
        let cells = cells.map_err(|error| self.raised(py, error));
        cells?.into_array(py)
    }

    /// The name of the column that names the rows, if the rows come from files and have names.
    #[getter]
    fn id_column(&self) -> Option<String> {
        Some(self.table()?.id()?.name.clone())
    }

    /// Names of all columns of the files, including columns of text.
    #[getter]
    fn all_columns(&self) -> Option<Vec<String>> {
        Some(self.table()?.all_columns().to_vec())
    }

    /// The cells of a column of the files as they are written, one for every row.
    fn texts(&self, py: Python<'_>, column: &str) -> PyResult<Vec<String>> {
        let table = self.table().ok_or_else(|| {
            PyValueError::new_err(
                "rows in memory have columns of numbers alone: only a file has texts",
            )
        })?;
        let texts = py.detach(|| table.texts(column));
        texts.map_err(|error| unread(error, &Named(py, self)))
    }

    /// Whether rows come from files.
    #[getter]
    fn is_table(&self) -> bool {
        self.table().is_some()
    }

    /// Whether cells are 32-bit floats.
    #[getter]
    fn single(&self) -> bool {
        self.is_single()
    }

    /// The notes of the reader of files, for Python.
    #[getter]
    fn notes(&self) -> Vec<PythonNote> {
        let table = self.table();
        table.map_or_else(Vec::new, |table| notes_as_python(table.notes(), true))
    }

    /// Variance of every column, with divisor n.
    fn variances<'py>(&self, py: Python<'py>, means: Means) -> PyResult<Bound<'py, PyAny>> {
        let variances = run(py, means, self.operations(1), |ctx| {
            on_source!(self, source => {
                let moments = summarize(ctx, source, || Moments::new(source.n_cols()))?;
                let squares = moments.squares().iter();
                Ok(squares.map(|x| x.max(0.0) / moments.weight()).collect::<Vec<f64>>())
            })
        })?;
        let variances = variances.map_err(|error| self.raised(py, error));
        variances?.into_array(py)
    }

    /// Refuses missing cells, with their place, which only the reader of a file knows.
    pub(crate) fn refuse_missing(&self, py: Python<'_>) -> PyResult<()> {
        match self.table().and_then(Table::missing) {
            Some(missing) => Err(unread(missing.error(), &Named(py, self))),
            None => Ok(()),
        }
    }
}
