//! The rows of an NPY file as a source.

use std::ops::Range;
use std::sync::OnceLock;

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Context, Error, MatView, Note, Real};

use super::element::Element;
use super::header::{self, Header};
use crate::error::ReadError;
use crate::input::Bytes;
use crate::options::{Format, ReadOptions};
use crate::parallel::each_in;
use crate::select::Names;
use crate::table::{Cells, IdColumn, Numbers, PartTexts, Table, TextColumn, part_rows};

/// An open NPY file.
#[derive(Debug)]
pub(crate) struct NpyTable {
    bytes: Bytes,
    header: Header,
    names: Vec<String>,
    used: Vec<usize>,
    used_names: Vec<String>,
    weight: Option<usize>,
    /// Numbers that stand for a missing cell.
    missing: Vec<f64>,
    /// The rows in use.
    rows: Range<usize>,
}

impl Cells for NpyTable {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    /// f4 stays f4; everything else is f64.
    fn numbers(&self) -> Numbers<'_> {
        if self.header.element == Element::F32 {
            Numbers::F32(self)
        } else {
            Numbers::F64(self)
        }
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let (start, end) = self.part_range(part);
        let mut buffer = Vec::new();
        let columns = columns
            .iter()
            .map(|&col| {
                self.copy_rows(start, end, &[col], &mut buffer);
                buffer
                    .iter()
                    .map(|x| self.written(*x))
                    .collect::<TextColumn>()
            })
            .collect();
        Ok(PartTexts {
            first: start,
            columns,
        })
    }
}

impl NpyTable {
    /// Checks the header and the options.
    pub(crate) fn open(
        name: String,
        bytes: Bytes,
        options: &ReadOptions,
        ctx: &Context,
    ) -> Result<Table, ReadError> {
        let header = header::read(&bytes).map_err(|fault| ReadError::Npy {
            file: name.clone(),
            fault,
        })?;
        let header = match options.transpose {
            true => header.transposed(),
            false => header,
        };
        let names: Vec<String> = (1..=header.n_cols).map(|i| i.to_string()).collect();
        let chosen = Names::new(&name, &names).choose(options)?;
        let used: Vec<usize> = (0..names.len())
            .filter(|&col| chosen.columns[col])
            .collect();
        if used.is_empty() {
            return Err(ReadError::NoNumericColumns {
                file: name,
                set_aside: Vec::new(),
            });
        }
        let rows = options.row_range()?.unwrap_or(0..header.n_rows);
        let rows = rows.start..rows.end.min(header.n_rows);
        if rows.is_empty() {
            return Err(ReadError::NoSuchRow {
                file: name,
                first: rows.start + 1,
                n_rows: header.n_rows,
            });
        }
        let named = |col: usize| names[col].clone();
        let table = NpyTable {
            used_names: used.iter().map(|&col| named(col)).collect(),
            bytes,
            header,
            used,
            weight: chosen.weight,
            missing: missing_codes(options),
            names: names.clone(),
            rows: rows.clone(),
        };
        Ok(Table {
            notes: table.large_integers(ctx).into_iter().collect(),
            name,
            format: Format::Npy,
            n_rows: rows.len(),
            has_header: false,
            id: chosen.id.map(|col| IdColumn {
                name: named(col),
                guessed: false,
            }),
            label: chosen.label.map(named),
            weight: chosen.weight.map(named),
            set_aside: Vec::new(),
            missing: None,
            cells: Box::new(table),
            array: OnceLock::new(),
        })
    }

    /// A cell as its own type prints it.
    fn written(&self, cell: f64) -> String {
        let mut digits = zmij::Buffer::new();
        match self.header.element {
            Element::F16 | Element::F64 => digits.format(cell).to_owned(),
            Element::F32 => digits.format(cell as f32).to_owned(),
            _ => format!("{cell:.0}"),
        }
    }

    fn data(&self) -> &[u8] {
        self.bytes.get(self.header.offset..).unwrap_or_default()
    }

    fn part_rows(&self) -> usize {
        part_rows(self.header.n_cols)
    }

    fn part_range(&self, part: usize) -> (usize, usize) {
        let start = part.saturating_mul(self.part_rows()).min(self.rows.len());
        (start, (start + self.part_rows()).min(self.rows.len()))
    }

    /// Rows `start..end` (of those in use) of some columns as f64, row after row; missing cells are NaN.
    fn copy_cells(&self, start: usize, end: usize, columns: &[usize], out: &mut Vec<f64>) {
        self.copy_rows(start, end, columns, out);
        for cell in out.iter_mut().filter(|_| !self.missing.is_empty()) {
            if self.missing.contains(cell) {
                *cell = f64::NAN;
            }
        }
    }

    /// Copies the same cells without replacing codes for missing values.
    fn copy_rows(&self, start: usize, end: usize, columns: &[usize], out: &mut Vec<f64>) {
        let (start, end) = (self.rows.start + start, self.rows.start + end);
        let Header {
            element,
            big_endian,
            n_rows,
            n_cols,
            ..
        } = self.header;
        let size = element.bytes();
        let cells = |from: usize, count: usize| {
            let data = self.data().get(from * size..(from + count) * size);
            data.unwrap_or_default()
        };
        out.clear();
        let mut buffer = Vec::new();
        if self.header.fortran {
            out.resize((end - start) * columns.len(), 0.0);
            for (j, &col) in columns.iter().enumerate() {
                buffer.clear();
                element.convert(
                    big_endian,
                    cells(col * n_rows + start, end - start),
                    &mut buffer,
                );
                let places = out.iter_mut().skip(j).step_by(columns.len());
                places.zip(&buffer).for_each(|(out, x)| *out = *x);
            }
            return;
        }
        for row in start..end {
            buffer.clear();
            element.convert(big_endian, cells(row * n_cols, n_cols), &mut buffer);
            out.extend(columns.iter().filter_map(|&col| buffer.get(col)));
        }
    }

    /// All cells in place, if the machine can read them directly and the columns in use are adjacent.
    fn view<T: Real + bytemuck::Pod>(&self) -> Option<MatView<'_, T>> {
        let own = match self.header.element {
            Element::F32 => T::NAME == f32::NAME,
            Element::F64 => T::NAME == f64::NAME,
            _ => false,
        };
        if !own || !self.missing.is_empty() || self.header.big_endian != cfg!(target_endian = "big")
        {
            return None;
        }
        let first = *self.used.first()?;
        let neighbors = self
            .used
            .iter()
            .enumerate()
            .all(|(i, &col)| col == first + i);
        let cells: &[T] = bytemuck::try_cast_slice(self.data()).ok()?;
        let (n_rows, n_cols) = (self.header.n_rows, self.header.n_cols);
        let (offset, strides) = if self.header.fortran {
            (first * n_rows + self.rows.start, (1, n_rows as isize))
        } else {
            (first + self.rows.start * n_cols, (n_cols as isize, 1))
        };
        let shape = (self.rows.len(), self.used.len());
        let view = MatView::from_strides(cells, offset, shape, strides).ok();
        view.filter(|_| neighbors)
    }

    /// Releases the memory pages of a part, if its rows are contiguous.
    fn release(&self, start: usize, end: usize) {
        if !self.header.fortran {
            let row_bytes = self.header.n_cols * self.header.element.bytes();
            let at = |row: usize| self.header.offset + (self.rows.start + row) * row_bytes;
            self.bytes.release(at(start), at(end));
        }
    }

    /// A note where 64-bit integers are larger than an f64 can hold exactly.
    fn large_integers(&self, ctx: &Context) -> Option<Note> {
        if !matches!(self.header.element, Element::I64 | Element::U64) {
            return None;
        }
        let large = |part: usize| {
            let (start, end) = self.part_range(part);
            let mut cells = Vec::new();
            self.copy_rows(start, end, &self.used, &mut cells);
            self.release(start, end);
            cells.iter().any(|x| x.abs() > 9_007_199_254_740_992.0)
        };
        let n_parts = self.rows.len().div_ceil(self.part_rows());
        let any = each_in(ctx, n_parts, large).contains(&true);
        any.then(|| Note::BeyondExact {
            holder: "array".to_owned(),
            column: None,
            example: None,
        })
    }
}

/// The numbers among the texts that stand for a missing cell.
fn missing_codes(options: &ReadOptions) -> Vec<f64> {
    let texts = options.missing_values.iter();
    texts.filter_map(|text| text.trim().parse().ok()).collect()
}

impl<T: Real + bytemuck::Pod> Source<T> for NpyTable {
    fn n_cols(&self) -> usize {
        self.used.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let (start, end) = self.part_range(part);
        let mut weights = Vec::new();
        if let Some(weight) = self.weight {
            self.copy_rows(start, end, &[weight], &mut weights);
        }
        let weights = self.weight.map(|_| weights.as_slice());
        let rows = |view| Rows {
            first: start,
            block: Block::Dense(view),
            weights,
        };
        let done = match self.view::<T>() {
            Some(view) => sink(rows(view.slice_rows(start, end))),
            None => {
                let mut cells = Vec::new();
                self.copy_cells(start, end, &self.used, &mut cells);
                let cells: Vec<T> = cells.into_iter().map(T::from_f64).collect();
                sink(rows(MatView::from_rows(
                    &cells,
                    end - start,
                    self.used.len(),
                )?))
            }
        };
        self.release(start, end);
        done
    }

    fn n_parts(&self) -> usize {
        self.rows.len().div_ceil(self.part_rows())
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.rows.len())
    }

    fn is_weighted(&self) -> bool {
        self.weight.is_some()
    }
}
