//! A sparse matrix that `scipy.sparse.save_npz` wrote: csr, csc or coo, with its parts as members.

use eigenspan::{Context, Note};

use super::archive::Member;
use super::in_archive;
use crate::error::{NpzFault, ReadError};
use crate::input::Bytes;
use crate::npy::{Element, describe};
use crate::options::{Format, ReadOptions};
use crate::sparse::{Compressed, Sheet, Side, Stored, Triplet, affordable, csr_of, matrix_bytes};
use crate::table::Table;

/// Whether these are the members of a sparse matrix, and not separate arrays.
pub(super) fn is_sparse(members: &[Member]) -> bool {
    let has = |name: &str| members.iter().any(|member| member.name == name);
    has("format") && has("shape") && has("data")
}

/// Reads the matrix into memory.
pub(super) fn open(
    name: String,
    bytes: &Bytes,
    members: &[Member],
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let parts = Parts { bytes, members };
    let format = parts.format().map_err(in_archive(&name))?;
    let data = parts.array("data").map_err(in_archive(&name))?;
    match data.element {
        Element::F32 => read::<f32>(name, format, &parts, &data, options, ctx),
        _ => read::<f64>(name, format, &parts, &data, options, ctx),
    }
}

fn read<T: Stored>(
    name: String,
    format: SparseFormat,
    parts: &Parts<'_>,
    data: &Array,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let fault = in_archive(&name);
    let (mut n_rows, mut n_cols) = parts.shape().map_err(&fault)?;
    let needed = matrix_bytes::<T>(n_rows, n_cols, data.len as u64);
    affordable(ctx, &name, "the sparse matrix", needed)?;
    // Rows of the transpose are columns: only the meaning of the pointers changes.
    let by_column = (format == SparseFormat::Csc) != options.transpose;
    if options.transpose {
        (n_rows, n_cols) = (n_cols, n_rows);
    }
    let values: Vec<T> = data.numbers(T::from_f64);
    let (csr, repaired) = if format == SparseFormat::Coo {
        let triplets = parts
            .triplets(n_rows, n_cols, &values, options.transpose)
            .map_err(&fault)?;
        csr_of(n_rows, n_cols, &[triplets])
    } else {
        let (lines, width) = match by_column {
            true => (n_cols, n_rows),
            false => (n_rows, n_cols),
        };
        let compressed = parts.compressed(lines, width, values).map_err(&fault)?;
        match by_column {
            true => compressed.into_rows(n_rows),
            false => compressed.into_csr(),
        }
    }
    .map_err(|error| {
        fault(NpzFault::Sparse {
            what: error.to_string(),
        })
    })?;
    let mut notes = repaired.notes();
    if data.is_beyond_exact(&csr) {
        notes.push(Note::BeyondExact {
            holder: "matrix".to_owned(),
            column: None,
            example: None,
        });
    }
    Sheet {
        name,
        format: Format::Npz,
        csr,
        names: None,
        aside: Vec::new(),
        side: Side::default(),
        id: None,
        label: None,
        whole_numbers: data.is_whole(),
        missing: None,
        notes,
    }
    .table(options)
}

/// How the cells are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SparseFormat {
    Csr,
    Csc,
    Coo,
}

/// The members of the archive, looked up by name.
struct Parts<'a> {
    bytes: &'a Bytes,
    members: &'a [Member],
}

/// The numbers of a member in one dimension.
struct Array {
    bytes: Bytes,
    offset: usize,
    element: Element,
    big_endian: bool,
    len: usize,
}

impl Parts<'_> {
    fn member(&self, name: &str) -> Result<Bytes, NpzFault> {
        let member = self.members.iter().find(|member| member.name == name);
        let missing = || sparse(format!("there is no array {name:?}"));
        member.ok_or_else(missing)?.bytes(self.bytes)
    }

    /// A member of numbers in one dimension.
    fn array(&self, name: &str) -> Result<Array, NpzFault> {
        let bytes = self.member(name)?;
        let in_member = |fault| NpzFault::Npy {
            member: name.to_owned(),
            fault,
        };
        let array = describe(&bytes).map_err(in_member)?;
        let (element, big_endian) = Element::parse(&array.descr).map_err(in_member)?;
        let [len] = *array.shape.as_slice() else {
            let what = format!(
                "array {name:?} has shape {}, not one dimension",
                array.sizes()
            );
            return Err(sparse(what));
        };
        let len = usize::try_from(len).ok();
        let size = len.and_then(|len| len.checked_mul(element.bytes()));
        match (len, size) {
            (Some(len), Some(size)) if bytes.len() - array.offset == size => Ok(Array {
                offset: array.offset,
                bytes,
                element,
                big_endian,
                len,
            }),
            _ => Err(sparse(format!(
                "array {name:?} is truncated, or larger than its shape"
            ))),
        }
    }

    /// `csr`, `csc`, …: a single text, of bytes or of Unicode.
    fn format(&self) -> Result<SparseFormat, NpzFault> {
        let bytes = self.member("format")?;
        let array = describe(&bytes).map_err(|fault| NpzFault::Npy {
            member: "format".to_owned(),
            fault,
        })?;
        if !array
            .descr
            .trim_start_matches(['<', '>', '|', '='])
            .starts_with(['S', 'U', 'a'])
        {
            return Err(sparse("array \"format\" is no text".to_owned()));
        }
        // Unicode is stored as 4 bytes per letter, and the names of the formats need only the first.
        let text = bytes.get(array.offset..).unwrap_or_default();
        let letters = text.iter().filter(|b| **b != 0).take(12);
        let format: String = letters.map(|b| char::from(*b)).collect();
        match format.as_str() {
            "csr" => Ok(SparseFormat::Csr),
            "csc" => Ok(SparseFormat::Csc),
            "coo" => Ok(SparseFormat::Coo),
            _ => Err(NpzFault::SparseFormat { format }),
        }
    }

    fn shape(&self) -> Result<(usize, usize), NpzFault> {
        let array = self.array("shape")?;
        let sizes: Vec<Option<usize>> = array.numbers(size);
        match (array.is_whole(), sizes.as_slice()) {
            (true, &[Some(0), Some(_)] | &[Some(_), Some(0)]) => Err(sparse(
                "it is empty: it has no rows or no columns".to_owned(),
            )),
            (true, &[Some(n_rows), Some(n_cols)]) => Ok((n_rows, n_cols)),
            _ => Err(sparse("its shape is not two sizes".to_owned())),
        }
    }

    /// The indices of a member, each below `limit`.
    fn indices(&self, name: &str, limit: usize, of: &str) -> Result<Vec<u32>, NpzFault> {
        let array = self.array(name)?;
        let mut bad = None;
        let indices = array.numbers(|x| {
            if !(x >= 0.0 && x < limit as f64 && x < f64::from(u32::MAX)) {
                bad.get_or_insert(x);
            }
            x as u32
        });
        match (bad, array.is_whole()) {
            (None, true) => Ok(indices),
            (Some(x), true) => Err(sparse(format!(
                "index {x} in array {name:?} is out of range: there are {limit} {of}"
            ))),
            (_, false) => Err(sparse(format!("array {name:?} is not of integers"))),
        }
    }

    fn compressed<T: Stored>(
        &self,
        n_lines: usize,
        width: usize,
        values: Vec<T>,
    ) -> Result<Compressed<T>, NpzFault> {
        let indices = self.indices("indices", width, "columns (rows, if by columns)")?;
        let pointers = self.array("indptr")?;
        let indptr: Vec<Option<usize>> = pointers.numbers(size);
        let rising = indptr.windows(2).all(|pair| pair[0] <= pair[1]);
        let whole = pointers.is_whole() && indptr.first() == Some(&Some(0));
        let ends = indptr.last() == Some(&Some(values.len())) && indices.len() == values.len();
        if !rising || !whole || !ends || indptr.len() != n_lines.saturating_add(1) {
            return Err(sparse(format!(
                "array \"indptr\" must rise from 0 to the number of values ({}), one for each of {n_lines} lines, and every value needs an index",
                values.len()
            )));
        }
        Ok(Compressed {
            n_cols: width,
            indptr: indptr.into_iter().flatten().collect(),
            indices,
            values,
        })
    }

    fn triplets<T: Stored>(
        &self,
        n_rows: usize,
        n_cols: usize,
        values: &[T],
        transpose: bool,
    ) -> Result<Vec<Triplet<T>>, NpzFault> {
        let (row, col) = match transpose {
            true => ("col", "row"),
            false => ("row", "col"),
        };
        let rows = self.indices(row, n_rows, "rows")?;
        let cols = self.indices(col, n_cols, "columns")?;
        if rows.len() != values.len() || cols.len() != values.len() {
            return Err(sparse(format!(
                "{} values have {} rows and {} columns",
                values.len(),
                rows.len(),
                cols.len()
            )));
        }
        let triplet = |((row, col), value): ((u32, u32), &T)| Triplet {
            row,
            col,
            value: *value,
        };
        Ok(rows
            .into_iter()
            .zip(cols)
            .zip(values)
            .map(triplet)
            .collect())
    }
}

impl Array {
    /// All numbers, each through f64, which holds every index exactly.
    fn numbers<R>(&self, mut f: impl FnMut(f64) -> R) -> Vec<R> {
        const RUN: usize = 1 << 13;
        let data = self.bytes.get(self.offset..).unwrap_or_default();
        let mut out = Vec::with_capacity(self.len);
        let mut buffer = Vec::new();
        for run in data.chunks(RUN * self.element.bytes()) {
            buffer.clear();
            self.element.convert(self.big_endian, run, &mut buffer);
            out.extend(buffer.iter().map(|x| f(*x)));
        }
        out
    }

    fn is_whole(&self) -> bool {
        !matches!(self.element, Element::F16 | Element::F32 | Element::F64)
    }

    fn is_beyond_exact<T: Stored>(&self, csr: &eigenspan::source::Csr<T>) -> bool {
        let wide = matches!(self.element, Element::I64 | Element::U64);
        let view = csr.view();
        let large = |x: &T| x.to_f64().abs() > 9_007_199_254_740_992.0;
        wide && (0..view.n_rows()).any(|i| view.row(i).1.iter().any(large))
    }
}

/// A number as a size, if it is a whole number that is not negative.
fn size(x: f64) -> Option<usize> {
    let whole = (0.0..=9_007_199_254_740_992.0).contains(&x) && x.fract() == 0.0;
    whole.then_some(x as usize)
}

fn sparse(what: String) -> NpzFault {
    NpzFault::Sparse { what }
}
