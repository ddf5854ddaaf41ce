//! Sorts cells in any order into compressed rows with rising columns.

use eigenspan::error::counted;
use eigenspan::source::{Csr, CsrView};
use eigenspan::{Error, Note};

use super::table::Stored;

/// One cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Triplet<T> {
    pub(crate) row: u32,
    pub(crate) col: u32,
    pub(crate) value: T,
}

/// Compressed lines as a file stores them: within a line, columns may come in any order and more than once.
#[derive(Debug)]
pub(crate) struct Compressed<T> {
    pub(crate) n_cols: usize,
    pub(crate) indptr: Vec<usize>,
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<T>,
}

/// What was repaired while the cells were sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// Cells that were given more than once, and summed.
    pub(crate) summed: usize,
}

impl Repaired {
    /// Notes for the user. The order of cells does not matter and is not mentioned.
    pub(crate) fn notes(self) -> Vec<Note> {
        match self.summed {
            0 => Vec::new(),
            summed => vec![Note::reading(format!(
                "{} given more than once: their values are added up, as SciPy does",
                if summed == 1 {
                    "1 cell is".to_owned()
                } else {
                    format!("{} are", counted(summed, "cell"))
                }
            ))],
        }
    }
}

/// Cells in pieces, in the order of the file, as compressed rows. Indices lie inside the matrix.
pub(crate) fn csr_of<T: Stored>(
    n_rows: usize,
    n_cols: usize,
    pieces: &[Vec<Triplet<T>>],
) -> Result<(Csr<T>, Repaired), Error> {
    let cells = || pieces.iter().flatten();
    // 1. Count the cells of every row; their sums are where rows begin.
    let mut indptr = vec![0usize; n_rows + 1];
    for cell in cells() {
        if let Some(count) = indptr.get_mut(cell.row as usize + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for start in &mut indptr {
        sum += *start;
        *start = sum;
    }
    // 2. Append every cell to those of its row that came before it.
    let mut next = indptr.clone();
    let (mut indices, mut values) = (vec![0u32; sum], vec![T::default(); sum]);
    for cell in cells() {
        let Some(place) = next.get_mut(cell.row as usize) else {
            continue;
        };
        if let (Some(index), Some(value)) = (indices.get_mut(*place), values.get_mut(*place)) {
            (*index, *value) = (cell.col, cell.value);
        }
        *place += 1;
    }
    let compressed = Compressed {
        n_cols,
        indptr,
        indices,
        values,
    };
    compressed.into_csr()
}

impl<T: Stored> Compressed<T> {
    /// The lines as rows.
    pub(crate) fn into_csr(mut self) -> Result<(Csr<T>, Repaired), Error> {
        let repaired = self.put_in_order();
        let csr = Csr::from_rows(self.n_cols, self.indptr, self.indices, self.values)?;
        Ok((csr, repaired))
    }

    /// The lines as columns, turned into rows.
    pub(crate) fn into_rows(mut self, n_rows: usize) -> Result<(Csr<T>, Repaired), Error> {
        let repaired = self.put_in_order();
        let columns = CsrView::new(self.n_cols, &self.indptr, &self.indices, &self.values)?;
        Ok((Csr::from_columns(n_rows, columns)?, repaired))
    }

    /// Sorts the columns of each line, and sums cells that are given more than once, in their order.
    fn put_in_order(&mut self) -> Repaired {
        let rising = |line: &[u32]| line.windows(2).all(|pair| pair[0] < pair[1]);
        let ordered = |range: &[usize]| match *range {
            [from, to] => self.indices.get(from..to).is_none_or(rising),
            _ => true,
        };
        if self.indptr.windows(2).all(ordered) {
            return Repaired::default();
        }
        let mut out: Compressed<T> = Compressed {
            n_cols: self.n_cols,
            indptr: vec![0],
            indices: Vec::with_capacity(self.indices.len()),
            values: Vec::with_capacity(self.values.len()),
        };
        let mut line: Vec<(u32, T)> = Vec::new();
        for range in self.indptr.windows(2) {
            let (from, to) = (range[0], range[1]);
            line.clear();
            let indices = self.indices.get(from..to).unwrap_or_default();
            let values = self.values.get(from..to).unwrap_or_default();
            line.extend(indices.iter().copied().zip(values.iter().copied()));
            line.sort_by_key(|(col, _)| *col);
            let start = out.indices.len();
            for &(col, value) in &line {
                let same = out.indices.len() > start && out.indices.last() == Some(&col);
                match out.values.last_mut() {
                    Some(last) if same => *last = T::from_f64(last.to_f64() + value.to_f64()),
                    _ => {
                        out.indices.push(col);
                        out.values.push(value);
                    }
                }
            }
            out.indptr.push(out.indices.len());
        }
        let summed = self.indices.len() - out.indices.len();
        *self = out;
        Repaired { summed }
    }
}
