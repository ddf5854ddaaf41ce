//! Text of libsvm and svmlight: a label, then `index:value` for every cell that is not zero.
//!
//! Indices count from 1, or from 0 where a 0 occurs. Labels become the column `label`; `qid:` and comments are left out.

mod line;

pub(crate) use line::looks_like;

use std::ops::Range;

use eigenspan::error::grouped;
use eigenspan::note::Clause;
use eigenspan::{Context, Note};

use crate::error::{Place, ReadError, SvmFault, Unit};
use crate::input::{Bytes, Input};
use crate::options::{Format, ReadOptions, refuse_transpose};
use crate::parallel::try_each;
use crate::sparse::{
    Compressed, Sheet, Side, affordable, line_number, matrix_bytes, pieces, text_lines,
};
use crate::table::{MissingCells, Table, TextColumn};
use crate::unpack::unpacked;
use line::Line;

/// The columns of a file: from its first index to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Indices {
    first: u32,
    last: u32,
}

impl Indices {
    /// The columns of an open file.
    pub(crate) fn from_table(table: &Table) -> Option<Indices> {
        // The last column holds the labels.
        let (_, names) = table.all_columns().split_last()?;
        let number = |name: Option<&String>| name?.parse().ok();
        let (first, last) = (number(names.first())?, number(names.last())?);
        (table.format == Format::Libsvm).then_some(Indices { first, last })
    }

    /// The columns of two files together.
    pub(crate) fn union(self, other: Indices) -> Indices {
        Indices {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }

    pub(crate) fn n_cols(self) -> usize {
        (self.last - self.first) as usize + 1
    }
}

/// The rows of one piece of the file.
#[derive(Debug, Default)]
struct Piece {
    labels: TextColumn,
    /// Where each row ends.
    ends: Vec<usize>,
    /// Columns as the file counts them.
    indices: Vec<u32>,
    values: Vec<f64>,
    n_qid: u64,
    n_missing: u64,
    first_missing: Option<(usize, u32, String)>,
}

/// Opens a file.
pub(crate) fn open(
    name: String,
    bytes: &Bytes,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    open_with(name, bytes, None, options, ctx)
}

/// Opens one of several files again, with the columns of all files together.
pub(crate) fn open_again(
    input: &Input,
    all: Indices,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let name = input.name();
    let (bytes, _) = unpacked(&name, input.bytes()?)?;
    open_with(name, &bytes, Some(all), options, ctx)
}

fn open_with(
    name: String,
    bytes: &Bytes,
    all: Option<Indices>,
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    if options.transpose {
        refuse_transpose(Format::Libsvm)?;
    }
    // The shortest cell is ` 1:1`.
    let needed = matrix_bytes::<f64>(bytes.len() / 2, 0, bytes.len() as u64 / 4);
    affordable(ctx, &name, "the sparse matrix", needed)?;
    let pieces = read(&name, bytes, ctx)?;
    let n_rows: usize = pieces.iter().map(|piece| piece.ends.len()).sum();
    let given = || pieces.iter().flat_map(|piece| &piece.indices).copied();
    let (Some(smallest), Some(largest)) = (given().min(), given().max()) else {
        return Err(match n_rows {
            0 => ReadError::NoRows { file: name },
            _ => ReadError::NoNumericColumns {
                file: name,
                set_aside: vec!["label".to_owned()],
            },
        });
    };
    let own = Indices {
        first: u32::from(smallest > 0),
        last: largest,
    };
    let indices = own.union(all.unwrap_or(own));
    let (base, n_cols) = (indices.first, indices.n_cols());
    let nnz = pieces.iter().map(|piece| piece.indices.len() as u64).sum();
    let needed = matrix_bytes::<f64>(n_rows, n_cols, nnz);
    affordable(ctx, &name, "the sparse matrix", needed)?;
    let missing = missing_cells(&name, bytes, (n_rows, n_cols), &pieces);
    let mut notes = vec![Note::advised(
        format!("read as libsvm: index:value, counted from {base}"),
        Clause::set("format", "text").then(" reads it as a table"),
    )];
    let n_qid: u64 = pieces.iter().map(|piece| piece.n_qid).sum();
    if n_qid > 0 {
        notes.push(Note::reading(format!(
            "qid is left out, on {} lines",
            grouped(n_qid)
        )));
    }
    let (labels, compressed) = join(pieces, base, n_cols);
    let (csr, _) = compressed.into_csr()?;
    Sheet {
        name,
        format: Format::Libsvm,
        csr,
        // Columns without names are numbered from 1; numbers from 0 must be given as names.
        names: (base == 0).then(|| (0..n_cols).map(|i| i.to_string()).collect()),
        aside: Vec::new(),
        side: Side::one("label", labels),
        id: None,
        label: Some(0),
        whole_numbers: false,
        missing,
        notes,
    }
    .table(options)
}

fn read(name: &str, bytes: &Bytes, ctx: &Context) -> Result<Vec<Piece>, ReadError> {
    let one = |range: &Range<usize>| {
        ctx.check()?;
        read_piece(bytes, range.clone()).map_err(|(at, fault)| ReadError::Svm {
            file: name.to_owned(),
            line: line_number(bytes, at),
            fault,
        })
    };
    let pieces = pieces(bytes, 0);
    // The first fault in the order of the file is reported, whichever was found first.
    try_each(ctx, pieces.len(), |i| one(&pieces[i]))
}

fn read_piece(bytes: &[u8], range: Range<usize>) -> Result<Piece, (usize, SvmFault)> {
    let mut piece = Piece::default();
    for (at, text) in text_lines(bytes, range) {
        let Some(line) = Line::new(text) else {
            continue;
        };
        piece.take(at, line).map_err(|fault| (at, fault))?;
    }
    Ok(piece)
}

impl Piece {
    fn take(&mut self, at: usize, line: Line<'_>) -> Result<(), SvmFault> {
        self.labels.push(line.label()?);
        self.n_qid += u64::from(line.has_qid);
        let start = self.indices.len();
        let mut rising = true;
        for cell in line.cells() {
            let (index, value, token) = cell?;
            let last = self.indices.get(start..).and_then(<[u32]>::last);
            rising &= last.is_none_or(|last| *last < index);
            if value.is_nan() {
                self.n_missing += 1;
                let token = String::from_utf8_lossy(token).into_owned();
                self.first_missing.get_or_insert((at, index, token));
            }
            self.indices.push(index);
            self.values.push(value);
        }
        if !rising {
            self.refuse_repeated(start)?;
        }
        self.ends.push(self.indices.len());
        Ok(())
    }

    /// The order of cells does not matter; two values for one cell are refused.
    fn refuse_repeated(&self, start: usize) -> Result<(), SvmFault> {
        let mut sorted = self.indices.get(start..).unwrap_or_default().to_vec();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        match twice {
            Some(pair) => Err(SvmFault::Twice { index: pair[0] }),
            None => Ok(()),
        }
    }
}

/// Joins all pieces into one matrix.
fn join(pieces: Vec<Piece>, base: u32, n_cols: usize) -> (TextColumn, Compressed<f64>) {
    let mut labels = TextColumn::default();
    let mut compressed = Compressed {
        n_cols,
        indptr: vec![0],
        indices: Vec::new(),
        values: Vec::new(),
    };
    for piece in pieces {
        piece.labels.iter().for_each(|label| labels.push(label));
        let before = compressed.indices.len();
        let ends = piece.ends.iter().map(|end| before + end);
        compressed.indptr.extend(ends);
        let indices = piece.indices.iter().map(|index| index - base);
        compressed.indices.extend(indices);
        compressed.values.extend(piece.values);
    }
    (labels, compressed)
}

fn missing_cells(
    file: &str,
    bytes: &[u8],
    (n_rows, n_cols): (usize, usize),
    pieces: &[Piece],
) -> Option<MissingCells> {
    let first = pieces.iter().find_map(|piece| piece.first_missing.as_ref());
    let (at, index, token) = first?;
    Some(MissingCells {
        file: file.to_owned(),
        count: pieces.iter().map(|piece| piece.n_missing).sum(),
        cells: (n_rows as u64).saturating_mul(n_cols as u64),
        place: Place {
            line: line_number(bytes, *at),
            column: index.to_string(),
            named: false,
            unit: Unit::Line,
        },
        token: token.clone(),
    })
}
