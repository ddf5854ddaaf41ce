//! The rows of a text file as a source: from memory if they fit, otherwise parsed again at every reading.

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Error, MatView};

use super::TextFile;
use super::fields::Field;
use super::records::{Step, Want};
use super::scan::Range;
use super::written::Writing;
use crate::error::{ReadError, into_core};
use crate::table::Keep;
use crate::table::{self, Cells, Convention, PartTexts, TextColumn};

/// The most numbers handed over at once.
const BLOCK_CELLS: usize = 1 << 17;

/// An open text file whose columns are known.
#[derive(Debug)]
pub(crate) struct TextTable {
    pub(super) file: TextFile,
    /// Names of all columns of the file.
    pub(super) names: Vec<String>,
    pub(super) ranges: Vec<Range>,
    /// What each reading takes from the file: the columns in use, and the weights.
    pub(super) wants: Vec<Want>,
    pub(super) used_names: Vec<String>,
    /// The position of the weight among the numbers of a row.
    pub(super) weight_slot: Option<usize>,
    pub(super) kept: Keep<Vec<Numbers>>,
}

/// The numbers of a run of rows.
#[derive(Default)]
pub(super) struct Numbers {
    pub(super) cells: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Numbers({} cells)", self.cells.len())
    }
}

impl Cells for TextTable {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn numbers(&self) -> table::Numbers<'_> {
        table::Numbers::F64(self)
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        if columns.is_empty() {
            return Ok(PartTexts {
                first: self.first_row(part),
                columns: Vec::new(),
            });
        }
        let mut wants = vec![Want::default(); self.wants.len()];
        for &col in columns {
            if let Some(want) = wants.get_mut(col) {
                want.text = true;
            }
        }
        // Fields come in the order of the file; each is copied to every place that requested its column.
        let in_file: Vec<usize> = (0..wants.len()).filter(|&col| wants[col].text).collect();
        let mut found: Vec<TextColumn> = vec![TextColumn::default(); in_file.len()];
        self.for_each_row(part, &wants, |fields, _| {
            for (out, field) in found.iter_mut().zip(fields) {
                let content = self.file.splitter().content(field);
                out.push(&String::from_utf8_lossy(&content));
            }
            Ok(())
        })?;
        let place = |col: &usize| in_file.iter().position(|c| c == col);
        let column = |col| place(col).and_then(|at| found.get(at)).cloned();
        Ok(PartTexts {
            first: self.first_row(part),
            columns: columns
                .iter()
                .map(|col| column(col).unwrap_or_default())
                .collect(),
        })
    }

    fn convention(&self, column: &str) -> Option<Convention> {
        let col = self.names.iter().position(|name| name == column)?;
        let usual = self.file.rules.decimal;
        let writing = self.file.writings.get(col).and_then(Option::as_ref);
        Some(Convention {
            // A file without decimals shows no decimal mark.
            decimal: writing.map_or((usual == b',').then_some(usual), Writing::decimal),
            affix: writing.and_then(Writing::convention),
        })
    }

    fn kept_bytes(&self) -> u64 {
        let bytes = |numbers: &Numbers| 8 * (numbers.cells.len() + numbers.weights.len()) as u64;
        let kept = self.kept.get();
        kept.iter().flat_map(|kept| kept.iter()).map(bytes).sum()
    }

    fn forget(&self) {
        self.kept.close();
    }
}

impl TextTable {
    /// Number of a part's first row.
    fn first_row(&self, part: usize) -> usize {
        self.ranges.get(part).map_or(0, |range| range.first_row)
    }

    /// Calls `take` with every row of a part: the fields whose text is wanted, and the wanted numbers.
    pub(super) fn for_each_row(
        &self,
        part: usize,
        wants: &[Want],
        mut take: impl FnMut(&[Field], &[f64]) -> Result<(), Error>,
    ) -> Result<(), ReadError> {
        let changed = || ReadError::Changed {
            file: self.file.name.clone(),
        };
        let range = self.ranges.get(part).ok_or_else(changed)?;
        let mut records = self.file.records(wants, (range.start, range.end));
        let mut row = Vec::new();
        let mut n_rows = 0;
        loop {
            row.clear();
            match records.next(&mut row) {
                Step::Row => {
                    n_rows += 1;
                    if n_rows > range.n_rows {
                        return Err(changed());
                    }
                    take(&records.texts, &row)?;
                }
                Step::Blank | Step::Comment => {}
                Step::End => break,
                Step::Ragged { .. } | Step::OpenQuote => return Err(changed()),
            }
        }
        self.file.bytes.drop_pages(range.start, range.end);
        if n_rows == range.n_rows {
            Ok(())
        } else {
            Err(changed())
        }
    }

    fn block<'a>(&self, first: usize, numbers: &'a Numbers) -> Result<Rows<'a, f64>, Error> {
        let d = self.used_names.len();
        let n = numbers.cells.len() / d.max(1);
        Ok(Rows {
            first,
            block: Block::Dense(MatView::from_rows(&numbers.cells, n, d)?),
            weights: self.weight_slot.map(|_| numbers.weights.as_slice()),
        })
    }

    fn read_kept(
        &self,
        first: usize,
        numbers: &Numbers,
        sink: &mut Sink<'_, f64>,
    ) -> Result<(), Error> {
        let all = self.block(first, numbers)?;
        let n_rows = all.block.n_rows();
        let step = self.block_rows();
        for start in (0..n_rows).step_by(step) {
            let end = (start + step).min(n_rows);
            sink(Rows {
                first: first + start,
                block: all.block.slice_rows(start, end),
                weights: all.weights.and_then(|w| w.get(start..end)),
            })?;
        }
        Ok(())
    }

    fn block_rows(&self) -> usize {
        (BLOCK_CELLS / self.used_names.len().max(1)).max(1)
    }
}

impl Source<f64> for TextTable {
    fn n_cols(&self) -> usize {
        self.used_names.len()
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, f64>) -> Result<(), Error> {
        let mut first = self.first_row(part);
        if let Some(numbers) = self.kept.get().as_ref().and_then(|kept| kept.get(part)) {
            return self.read_kept(first, numbers, sink);
        }
        let step = self.block_rows();
        let mut numbers = Numbers::default();
        let mut waiting = 0;
        self.for_each_row(part, &self.wants, |_, row| {
            numbers.push(row, self.weight_slot);
            waiting += 1;
            if waiting == step {
                sink(self.block(first, &numbers)?)?;
                first += waiting;
                waiting = 0;
                numbers.clear();
            }
            Ok(())
        })
        .map_err(into_core)?;
        if waiting > 0 {
            sink(self.block(first, &numbers)?)?;
        }
        Ok(())
    }

    fn n_parts(&self) -> usize {
        self.ranges.len()
    }

    fn n_rows(&self) -> Option<usize> {
        Some(self.ranges.iter().map(|range| range.n_rows).sum())
    }

    fn col_names(&self) -> Option<&[String]> {
        let named = self.file.dialect.header.is_some();
        named.then_some(self.used_names.as_slice())
    }

    fn is_weighted(&self) -> bool {
        self.weight_slot.is_some()
    }
}

impl Numbers {
    pub(super) fn push(&mut self, row: &[f64], weight_slot: Option<usize>) {
        match weight_slot {
            None => self.cells.extend_from_slice(row),
            Some(slot) => {
                let (before, rest) = row.split_at(slot.min(row.len()));
                let (weight, after) = rest.split_first().unwrap_or((&f64::NAN, &[]));
                self.cells.extend_from_slice(before);
                self.cells.extend_from_slice(after);
                self.weights.push(*weight);
            }
        }
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.weights.clear();
    }
}
