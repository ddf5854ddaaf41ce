//! The matrix of an AnnData file (`.h5ad`, HDF5): X, dense or sparse, with the names of its rows (`obs`) and columns (`var`).
//!
//! A dense X is read by slices, part by part; a sparse one (csr, csc) is held in memory as it is. The layout is that of
//! AnnData 0.7 and later. Built in with the feature `h5ad`.

mod cells;
mod dense;

use eigenspan::note::listed;
use eigenspan::{Context, Note};
use hdf5_reader::error::Error;
use hdf5_reader::group::Group;
use hdf5_reader::{Dataset, Hdf5File, OpenOptions};

use crate::error::ReadError;
use crate::guard::guarded;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions, refuse_transpose};
use crate::sparse::{Compressed, Sheet, Side, Stored, affordable, matrix_bytes, unique_names};
use crate::table::{Table, TextColumn};
use cells::{all, is_single, is_whole, numbers, places};
use dense::Dense;

/// The most bytes of a dense matrix that are unpacked at once, if no budget is given.
const CHUNK: u64 = 256 << 20;

/// Opens the matrix of a file.
pub(crate) fn open(
    name: String,
    bytes: Bytes,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    if options.transpose {
        refuse_transpose(Format::H5ad)?;
    }
    let limit = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let budget = ctx.memory().unwrap_or(u64::MAX);
    let limits = OpenOptions::default()
        .with_max_read_bytes(limit(budget))
        .with_max_chunk_bytes(limit(CHUNK.min(budget / 4)))
        .with_chunk_cache_bytes(limit(CHUNK.min(budget / 4)));
    let file = decoded(&name, || Hdf5File::from_owner(Owned(bytes), limits))?;
    let rows = Names::read(&name, &file, "obs")?;
    let mut columns = Names::read(&name, &file, "var")?;
    let mut notes = rows.notes("obs");
    if unique_names(&mut columns.names) > 0 {
        let text = "names of var occur more than once: the later ones got -1, -2, … at their ends";
        notes.push(Note::reading(text));
    }
    let annotations = Annotations {
        name,
        rows: rows.names,
        columns: columns.names,
        notes,
    };
    match decoded(&annotations.name, || matrix(&file))? {
        Matrix::Dense(x) => {
            annotations.refuse_shape(x.shape())?;
            Dense::open(annotations, *x, options)
        }
        Matrix::Sparse(x) if is_single(&x.data) => annotations.sparse::<f32>(&x, options, ctx),
        Matrix::Sparse(x) => annotations.sparse::<f64>(&x, options, ctx),
    }
}

/// The bytes of the file, in a type that the decoder can own.
struct Owned(Bytes);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn fault(file: &str, what: impl Into<String>) -> ReadError {
    ReadError::Anndata {
        file: file.to_owned(),
        what: what.into(),
    }
}

/// Runs the third-party decoder.
fn decoded<R>(file: &str, work: impl FnOnce() -> Result<R, Error>) -> Result<R, ReadError> {
    let damaged = |what: &'static str| fault(file, what);
    guarded(damaged, || {
        work().map_err(|error| fault(file, error.to_string()))
    })
}

/// What a file holds besides the cells.
struct Annotations {
    name: String,
    rows: Vec<String>,
    columns: Vec<String>,
    notes: Vec<Note>,
}

/// The names of one side of the matrix.
struct Names {
    names: Vec<String>,
    /// Names of the other annotations of that side, which are not read.
    others: Vec<String>,
}

impl Names {
    fn read(file: &str, hdf: &Hdf5File, side: &str) -> Result<Self, ReadError> {
        let group = guarded(
            |what| fault(file, what),
            || {
                hdf.group(side).map_err(|_| {
                    let text =
                        format!("there is no group {side}, as AnnData writes it since version 0.7");
                    fault(file, text)
                })
            },
        )?;
        decoded(file, || {
            let index = group.attribute("_index")?.read_string()?;
            let names = group.dataset(&index)?.read_strings()?;
            let (groups, datasets) = group.member_names()?;
            let mut others: Vec<String> = groups.into_iter().chain(datasets).collect();
            others.retain(|name| *name != index && !name.starts_with("__"));
            Ok(Names { names, others })
        })
    }

    fn notes(&self, side: &str) -> Vec<Note> {
        match self.others.is_empty() {
            true => Vec::new(),
            false => vec![Note::reading(format!(
                "of {side}, only the names are read, not {}",
                listed(&self.others)
            ))],
        }
    }
}

enum Matrix {
    Dense(Box<Dataset>),
    Sparse(Box<Sparse>),
}

/// A sparse matrix by its three arrays.
struct Sparse {
    format: String,
    shape: Vec<i64>,
    data: Dataset,
    indices: Dataset,
    indptr: Dataset,
}

fn matrix(file: &Hdf5File) -> Result<Matrix, Error> {
    if let Ok(dense) = file.dataset("X") {
        return Ok(Matrix::Dense(Box::new(dense)));
    }
    let group = file.group("X")?;
    // The second name of each attribute is the one that AnnData used before 0.7.
    let text = |name: &str| group.attribute(name)?.read_string();
    let shape = |name: &str| group.attribute(name)?.read_1d::<i64>();
    Ok(Matrix::Sparse(Box::new(Sparse {
        format: text("encoding-type").or_else(|_| text("h5sparse_format"))?,
        shape: shape("shape").or_else(|_| shape("h5sparse_shape"))?,
        data: array(&group, "data")?,
        indices: array(&group, "indices")?,
        indptr: array(&group, "indptr")?,
    })))
}

fn array(group: &Group, name: &str) -> Result<Dataset, Error> {
    let array = group.dataset(name)?;
    match array.ndim() {
        1 => Ok(array),
        n => Err(Error::InvalidData(format!(
            "X/{name} has {n} dimensions, not 1"
        ))),
    }
}

impl Sparse {
    fn nnz(&self) -> u64 {
        self.data.shape().first().copied().unwrap_or_default()
    }
}

impl Annotations {
    /// Refuses a matrix whose shape does not match the numbers of names.
    fn refuse_shape(&self, shape: &[u64]) -> Result<(), ReadError> {
        let named = [self.rows.len() as u64, self.columns.len() as u64];
        if shape == named {
            return Ok(());
        }
        let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
        let what = format!(
            "X is {}, but obs has {} names and var {}",
            sizes.join(" × "),
            named[0],
            named[1]
        );
        Err(fault(&self.name, what))
    }

    /// The table of a sparse matrix.
    fn sparse<T: Stored>(
        self,
        x: &Sparse,
        options: &ReadOptions,
        ctx: &Context,
    ) -> Result<Table, ReadError> {
        let shape: Vec<u64> = x
            .shape
            .iter()
            .map(|n| u64::try_from(*n).unwrap_or(u64::MAX))
            .collect();
        self.refuse_shape(&shape)?;
        let (n_rows, n_cols) = (self.rows.len(), self.columns.len());
        let needed = matrix_bytes::<T>(n_rows, n_cols, x.nnz().saturating_mul(2));
        affordable(ctx, &self.name, "the sparse matrix", needed)?;
        let by_column = match x.format.as_str() {
            "csr_matrix" | "csr" => false,
            "csc_matrix" | "csc" => true,
            other => {
                let what = format!(
                    "X is written as `{other}`; csr_matrix, csc_matrix and dense arrays are read"
                );
                return Err(fault(&self.name, what));
            }
        };
        let values: Vec<T> = decoded(&self.name, || numbers(&x.data, &all(1)))?;
        let indices = decoded(&self.name, || places::<u32>(&x.indices))?;
        let indptr = decoded(&self.name, || places::<usize>(&x.indptr))?;
        let (lines, width) = match by_column {
            true => (n_cols, n_rows),
            false => (n_rows, n_cols),
        };
        if indptr.len() != lines + 1 || indices.len() != values.len() {
            return Err(fault(
                &self.name,
                "the arrays of the sparse matrix X do not fit each other",
            ));
        }
        let compressed = Compressed {
            n_cols: width,
            indptr,
            indices,
            values,
        };
        let (csr, repaired) = match by_column {
            true => compressed.into_rows(n_rows),
            false => compressed.into_csr(),
        }
        .map_err(|error| fault(&self.name, error.to_string()))?;
        let mut notes = self.notes;
        notes.extend(repaired.notes());
        Sheet {
            name: self.name,
            format: Format::H5ad,
            csr,
            names: Some(self.columns),
            aside: Vec::new(),
            side: Side::one("obs", self.rows.iter().collect::<TextColumn>()),
            id: Some(0),
            label: None,
            whole_numbers: is_whole(&x.data),
            missing: None,
            notes,
        }
        .table(options)
    }
}
