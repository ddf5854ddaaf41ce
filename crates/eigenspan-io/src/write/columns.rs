//! Rows turned into columns, gathered until there are enough for a row group (Parquet) or a batch (Arrow).

use std::ops::Range;

use eigenspan::{MatView, Real};

use super::arrow::ArrowEncoder;
use super::parquet::ParquetEncoder;
use super::{Layout, WriteError};
use crate::options::Format;
use crate::table::TextColumn;

/// Cells after which a group of rows is written.
const GROUP_CELLS: usize = 1 << 20;

/// Bytes of text after which a group of rows is written.
const GROUP_TEXT: usize = 16 << 20;

/// The numbers of one column.
#[derive(Debug)]
pub(super) enum Floats {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A run of rows, column by column.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) n_rows: usize,
    pub(super) texts: Vec<TextColumn>,
    pub(super) numbers: Vec<Floats>,
}

impl Columns {
    /// Some rows of texts and numbers.
    pub(super) fn new<T: Real>(
        texts: &[TextColumn],
        numbers: &MatView<'_, T>,
        rows: Range<usize>,
    ) -> Self {
        let text = |column: &TextColumn| rows.clone().map(|row| column.get(row)).collect();
        let floats = |col: usize| {
            let cells = || rows.clone().map(|row| numbers.at(row, col));
            if T::BYTES == 4 {
                Floats::F32(cells().map(|x| x.to_f64() as f32).collect())
            } else {
                Floats::F64(cells().map(Real::to_f64).collect())
            }
        };
        Columns {
            n_rows: rows.len(),
            texts: texts.iter().map(text).collect(),
            numbers: (0..numbers.n_cols()).map(floats).collect(),
        }
    }

    fn append(&mut self, more: &Columns) {
        if self.n_rows == 0 {
            self.texts = vec![TextColumn::default(); more.texts.len()];
            let empty = |floats: &Floats| match floats {
                Floats::F32(_) => Floats::F32(Vec::new()),
                Floats::F64(_) => Floats::F64(Vec::new()),
            };
            self.numbers = more.numbers.iter().map(empty).collect();
        }
        for (column, more) in self.texts.iter_mut().zip(&more.texts) {
            more.iter().for_each(|text| column.push(text));
        }
        for pair in self.numbers.iter_mut().zip(&more.numbers) {
            match pair {
                (Floats::F32(all), Floats::F32(more)) => all.extend_from_slice(more),
                (Floats::F64(all), Floats::F64(more)) => all.extend_from_slice(more),
                _ => {}
            }
        }
        self.n_rows += more.n_rows;
    }

    fn is_full(&self) -> bool {
        let width = self.texts.len() + self.numbers.len();
        let text: usize = self.texts.iter().map(TextColumn::n_bytes).sum();
        self.n_rows.saturating_mul(width) >= GROUP_CELLS || text >= GROUP_TEXT
    }
}

/// Gathers rows and turns them into the bytes of a columnar file.
#[derive(Debug)]
pub(super) struct Gathered {
    waiting: Columns,
    encoder: Encoder,
}

#[derive(Debug)]
enum Encoder {
    Parquet(Box<ParquetEncoder>),
    Arrow(ArrowEncoder),
}

impl Gathered {
    /// The encoder of a columnar format, and the first bytes of the file; `None` for other formats.
    pub(super) fn new(
        file: &str,
        format: Format,
        layout: &Layout,
        single: bool,
    ) -> Result<Option<(Self, Vec<u8>)>, WriteError> {
        let (encoder, head) = match format {
            Format::Parquet => {
                let (encoder, head) = ParquetEncoder::new(layout, single)
                    .map_err(|what| WriteError::encoding(file, what))?;
                (Encoder::Parquet(Box::new(encoder)), head)
            }
            Format::Arrow => {
                let (encoder, head) = ArrowEncoder::new(layout, single);
                (Encoder::Arrow(encoder), head)
            }
            _ => return Ok(None),
        };
        let waiting = Columns::default();
        Ok(Some((Gathered { waiting, encoder }, head)))
    }

    /// Takes rows; gives bytes when there are enough.
    pub(super) fn append(&mut self, file: &str, rows: &Columns) -> Result<Vec<u8>, WriteError> {
        self.waiting.append(rows);
        if self.waiting.is_full() {
            self.flush(file)
        } else {
            Ok(Vec::new())
        }
    }

    fn flush(&mut self, file: &str) -> Result<Vec<u8>, WriteError> {
        let rows = std::mem::take(&mut self.waiting);
        if rows.n_rows == 0 {
            return Ok(Vec::new());
        }
        match &mut self.encoder {
            Encoder::Parquet(encoder) => encoder
                .group(&rows)
                .map_err(|what| WriteError::encoding(file, what)),
            Encoder::Arrow(encoder) => Ok(encoder.batch(&rows)),
        }
    }

    /// The last bytes.
    pub(super) fn finish(&mut self, file: &str) -> Result<Vec<u8>, WriteError> {
        let mut bytes = self.flush(file)?;
        let tail = match &mut self.encoder {
            Encoder::Parquet(encoder) => encoder
                .finish()
                .map_err(|what| WriteError::encoding(file, what))?,
            Encoder::Arrow(encoder) => encoder.finish(),
        };
        bytes.extend(tail);
        Ok(bytes)
    }
}
