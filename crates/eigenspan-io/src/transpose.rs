//! Transposes a table: the lines of the file become columns, its columns become rows (genes × cells).
//!
//! Readers of arrays and sparse matrices transpose by themselves, without a copy or in their own storage. This module
//! transposes other formats, and several files that are joined first.
//!
//! The first column of text names the new columns, the header names the new rows. The numbers are transposed in memory, as
//! far as the budget allows.

use std::sync::OnceLock;

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Context, Error, Mat, Note, Real};

use crate::columns::unique_names;
use crate::error::ReadError;
use crate::input::Input;
use crate::mtx::Tenx;
use crate::options::{ReadOptions, refuse_transpose, transpose_refused};
use crate::select::{Chosen, Names};
use crate::table::notes;
use crate::table::{Cells, IdColumn, MissingCells, Numbers, PartTexts, Table, TextColumn, Why};

/// Rows of one part.
const PART_ROWS: usize = 1 << 10;

/// Transposes a table that was read in the orientation of its file.
pub(crate) fn transpose(
    table: Table,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    refuse_transpose(table.format)?;
    let mut all_notes = notes::others(&table);
    let (features, named) = features(&table, &mut all_notes)?;
    let ids: Option<Vec<String>> = table.has_header.then(|| table.columns().to_vec());
    let id_name = ids.as_ref().map(|_| free_name("id", &features));
    let names: Vec<String> = id_name.iter().chain(&features).cloned().collect();
    let mut chosen = Names::new(&table.name, &names).choose(options)?;
    let guessed_id = chosen.id.is_none() && ids.is_some();
    if guessed_id {
        chosen.id = Some(0);
    }
    // The first name may belong to the column of row names, which holds no numbers.
    let before = usize::from(ids.is_some());
    if let Some(first) = chosen.columns.first_mut().filter(|_| before == 1) {
        *first = false;
    }
    let used: Vec<usize> = (before..names.len())
        .filter(|&col| chosen.columns.get(col) == Some(&true))
        .map(|col| col - before)
        .collect();
    if used.is_empty() {
        return Err(ReadError::NoNumericColumns {
            file: table.name,
            set_aside: Vec::new(),
        });
    }
    let n_rows = table.columns().len();
    let stored = match table.numbers() {
        Numbers::F32(source) => Stored::F32(turned(&table, source, ctx)?),
        Numbers::F64(source) => Stored::F64(turned(&table, source, ctx)?),
    };
    let weights = chosen
        .weight
        .and_then(|col| col.checked_sub(before))
        .map(|col| stored.column(col));
    let of = |col: Option<usize>| col.and_then(|col| names.get(col)).cloned();
    let Chosen {
        id, label, weight, ..
    } = chosen;
    let missing = missing(&table, &stored, &used);
    Ok(Table {
        n_rows,
        has_header: named,
        id: of(id).map(|name| IdColumn {
            name,
            guessed: guessed_id,
        }),
        label: of(label),
        weight: of(weight),
        set_aside: Vec::new(),
        missing,
        notes: all_notes,
        array: OnceLock::new(),
        cells: Box::new(Turned {
            used_names: used
                .iter()
                .filter_map(|&c| features.get(c))
                .cloned()
                .collect(),
            pick: (used.len() < features.len()).then_some(used),
            names,
            ids,
            named,
            stored,
            weights,
        }),
        name: table.name,
        format: table.format,
    })
}

/// Refuses several folders of 10x Genomics: the reader already transposes each of them.
pub(crate) fn refuse_folders(inputs: &[Input]) -> Result<(), ReadError> {
    let is_tenx = |input: &Input| matches!(input, Input::Path(path) if Tenx::find(path).is_some());
    match inputs.iter().any(is_tenx) {
        true => Err(transpose_refused(
            "other formats: folders of 10x Genomics have their cells as rows already",
        )),
        false => Ok(()),
    }
}

/// The names of the lines of the file, and whether the file has such names.
fn features(table: &Table, notes: &mut Vec<Note>) -> Result<(Vec<String>, bool), ReadError> {
    let text = table
        .set_aside
        .iter()
        .find(|column| column.why == Why::Text);
    let id = table.id.as_ref().map(|id| &id.name);
    let naming = id.or(text.map(|column| &column.name));
    let others: Vec<String> = table
        .set_aside
        .iter()
        .filter(|column| Some(&column.name) != naming && column.why != Why::RowNumbers)
        .map(|column| column.name.clone())
        .collect();
    if !others.is_empty() {
        notes.push(Note::reading(format!(
            "set aside, because only columns of numbers become rows: {}",
            eigenspan::note::listed(&others)
        )));
    }
    match naming {
        Some(column) => Ok((unique_names(&table.texts(column)?, notes).0, true)),
        None => Ok(((1..=table.n_rows).map(|i| i.to_string()).collect(), false)),
    }
}

/// `wanted`, or `wanted` with a suffix if another column has that name.
fn free_name(wanted: &str, taken: &[String]) -> String {
    let mut name = wanted.to_owned();
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

/// All numbers with rows and columns exchanged.
fn turned<T: Real>(
    table: &Table,
    source: &dyn Source<T>,
    ctx: &Context,
) -> Result<Mat<T>, ReadError> {
    let (n, d) = (source.n_cols(), table.n_rows);
    let cells = n.checked_mul(d);
    let needed = cells.and_then(|cells| (cells as u64).checked_mul(size_of::<T>() as u64));
    let too_much = |allowed: u64| {
        ReadError::Core(Error::Memory {
            what: format!("{}: turning it around (transpose)", table.name),
            needed: needed.unwrap_or(u64::MAX),
            allowed,
        })
    };
    if let Some(allowed) = ctx.memory()
        && needed.is_none_or(|needed| needed > allowed)
    {
        return Err(too_much(allowed));
    }
    let mut out: Vec<T> = Vec::new();
    let length = cells.unwrap_or(usize::MAX);
    out.try_reserve_exact(length)
        .map_err(|_| too_much(isize::MAX as u64))?;
    out.resize(length, T::from_f64(0.0));
    ctx.begin("turning around", Some(d as u64));
    for part in 0..source.n_parts() {
        source.read_part(part, &mut |rows| {
            ctx.check()?;
            let block = rows.block.to_mat();
            for (i, row) in block.rows().enumerate() {
                let column = out.iter_mut().skip(rows.first + i).step_by(d.max(1));
                column.zip(row).for_each(|(out, x)| *out = *x);
            }
            ctx.advance(block.n_rows() as u64);
            Ok(())
        })?;
    }
    Ok(Mat::from_vec(n, d, out)?)
}

/// The missing cells, with their places in the file, if every line is in use; otherwise they are found when rows are read.
fn missing(table: &Table, stored: &Stored, used: &[usize]) -> Option<MissingCells> {
    let all = used.len() == stored.n_cols();
    table.missing.clone().filter(|_| all)
}

#[derive(Debug)]
enum Stored {
    F32(Mat<f32>),
    F64(Mat<f64>),
}

impl Stored {
    fn n_rows(&self) -> usize {
        match self {
            Stored::F32(mat) => mat.n_rows(),
            Stored::F64(mat) => mat.n_rows(),
        }
    }

    fn n_cols(&self) -> usize {
        match self {
            Stored::F32(mat) => mat.n_cols(),
            Stored::F64(mat) => mat.n_cols(),
        }
    }

    /// A number as people write it; whole ones without a point.
    fn written(&self, x: f64) -> String {
        let mut digits = zmij::Buffer::new();
        match self {
            _ if x.fract() == 0.0 && x.abs() < 1e15 => format!("{x:.0}"),
            Stored::F32(_) => digits.format(x as f32).to_owned(),
            Stored::F64(_) => digits.format(x).to_owned(),
        }
    }

    fn column(&self, col: usize) -> Vec<f64> {
        match self {
            Stored::F32(mat) => mat.col(col).into_iter().map(f64::from).collect(),
            Stored::F64(mat) => mat.col(col),
        }
    }
}

#[derive(Debug)]
struct Turned {
    /// The name of the ids, if there are any, and the features.
    names: Vec<String>,
    used_names: Vec<String>,
    ids: Option<Vec<String>>,
    named: bool,
    stored: Stored,
    /// Features in use, if not all are.
    pick: Option<Vec<usize>>,
    weights: Option<Vec<f64>>,
}

/// Gives access to a matrix in its own element type.
trait Kept: Real {
    fn mat(stored: &Stored) -> Option<&Mat<Self>>;
}

impl Kept for f32 {
    fn mat(stored: &Stored) -> Option<&Mat<f32>> {
        match stored {
            Stored::F32(mat) => Some(mat),
            Stored::F64(_) => None,
        }
    }
}

impl Kept for f64 {
    fn mat(stored: &Stored) -> Option<&Mat<f64>> {
        match stored {
            Stored::F32(_) => None,
            Stored::F64(mat) => Some(mat),
        }
    }
}

impl Cells for Turned {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> Numbers<'_> {
        match self.stored {
            Stored::F32(_) => Numbers::F32(self),
            Stored::F64(_) => Numbers::F64(self),
        }
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let (start, end) = self.part(part);
        let column = |&col: &usize| -> TextColumn {
            match (&self.ids, col) {
                (Some(ids), 0) => ids.iter().take(end).skip(start).collect(),
                (ids, col) => {
                    let cells = self.stored.column(col - usize::from(ids.is_some()));
                    let cells = cells.iter().take(end).skip(start);
                    cells.map(|x| self.stored.written(*x)).collect()
                }
            }
        };
        Ok(PartTexts {
            first: start,
            columns: columns.iter().map(column).collect(),
        })
    }
}

impl Turned {
    fn part(&self, part: usize) -> (usize, usize) {
        let n = self.stored.n_rows();
        let start = part.saturating_mul(PART_ROWS).min(n);
        (start, (start + PART_ROWS).min(n))
    }
}

impl<T: Kept> Source<T> for Turned {
    fn n_cols(&self) -> usize {
        self.used_names.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let Some(mat) = T::mat(&self.stored) else {
            return Ok(());
        };
        let (start, end) = self.part(part);
        let rows = Rows {
            first: start,
            block: Block::from(mat.view().slice_rows(start, end)),
            weights: self.weights.as_deref().and_then(|w| w.get(start..end)),
        };
        let Some(pick) = &self.pick else {
            return sink(rows);
        };
        let all = mat.view();
        let picked = Mat::from_fn(end - start, pick.len(), |i, j| all.at(start + i, pick[j]));
        sink(Rows {
            block: Block::from(picked.view()),
            first: start,
            weights: rows.weights,
        })
    }

    fn n_parts(&self) -> usize {
        self.stored.n_rows().div_ceil(PART_ROWS)
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.stored.n_rows())
    }

    fn col_names(&self) -> Option<&[String]> {
        self.named.then_some(self.used_names.as_slice())
    }

    fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }
}
