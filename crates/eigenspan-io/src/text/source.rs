//! The rows of a text file as a source: from memory where they fit, else parsed again at every reading.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use eigenspan::source::{Block, Rows, Sink, Source};
use eigenspan::{Context, Error, MatView};
use rayon::prelude::*;

use super::TextFile;
use super::fields::Field;
use super::records::{Step, Want};
use super::roles::{self, Plan, Roles};
use super::scan::{self, Range, Scan};
use crate::error::ReadError;
use crate::options::ReadOptions;
use crate::table::{IdColumn, SetAside, TextColumn, Why};

/// Numbers handed over at a time.
const BLOCK_CELLS: usize = 1 << 17;

/// Numbers kept in memory between readings take at most so many bytes, and at most a quarter of the budget.
const CACHE_BYTES: u64 = 256 << 20;

/// Rows up to which it is checked whether a column of texts tells them apart.
const MOST_IDS: usize = 4 << 20;

/// An open text file whose columns are known.
#[derive(Debug)]
pub(crate) struct TextTable {
    file: TextFile,
    /// Names of all columns of the file.
    names: Vec<String>,
    ranges: Vec<Range>,
    /// What each reading takes: the columns in use, and the weights.
    wants: Vec<Want>,
    used_names: Vec<String>,
    /// Where among the numbers of a row its weight stands.
    weight_slot: Option<usize>,
    kept: Option<Vec<Numbers>>,
}

/// The numbers of a run of rows.
#[derive(Default)]
struct Numbers {
    cells: Vec<f64>,
    weights: Vec<f64>,
}

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Numbers({} cells)", self.cells.len())
    }
}

/// What opening a text file found out, beside the table itself.
pub(crate) struct Found {
    pub(crate) table: TextTable,
    pub(crate) n_rows: usize,
    pub(crate) has_header: bool,
    pub(crate) id: Option<IdColumn>,
    pub(crate) label: Option<String>,
    pub(crate) weight: Option<String>,
    pub(crate) set_aside: Vec<SetAside>,
    pub(crate) missing: Option<crate::table::MissingCells>,
    pub(crate) notes: Vec<String>,
}

impl TextTable {
    /// Reads the file once and decides what its columns are.
    pub(crate) fn open(
        file: TextFile,
        options: &ReadOptions,
        ctx: &Context,
    ) -> Result<Found, ReadError> {
        let mut plan = roles::plan(&file, options)?;
        let budget = ctx.memory().map_or(CACHE_BYTES, |m| CACHE_BYTES.min(m / 4));
        let mut scan = scan::scan(&file, &plan.wants, budget, ctx)?;
        if scan.n_rows == 0 {
            return Err(ReadError::NoRows {
                file: file.name.clone(),
            });
        }
        let roles = roles::decide(&file, &plan, &scan)?;
        let mut notes = file.dialect.notes.clone();
        notes.append(&mut plan.notes);
        notes.extend(roles.notes.iter().cloned());
        let name = |col: usize| plan.names.get(col).cloned().unwrap_or_default();
        let wants = wanted(&plan, &roles);
        let weight_slot = plan
            .weight
            .map(|weight| wants.iter().take(weight).filter(|w| w.number).count());
        let kept = scan
            .numbers
            .take()
            .map(|numbers| compact(numbers, &plan.wants, &wants, weight_slot, ctx));
        let has_header = file.dialect.header.is_some();
        let n_rows = scan.n_rows;
        let table = TextTable {
            used_names: roles.used.iter().map(|&col| name(col)).collect(),
            ranges: std::mem::take(&mut scan.ranges),
            names: plan.names.clone(),
            file,
            wants,
            weight_slot,
            kept,
        };
        let id = match plan.id {
            Some(col) => Some(IdColumn {
                name: name(col),
                guessed: false,
            }),
            None => table.guess_id(&plan, &roles, &scan, ctx)?,
        };
        if let Some(id) = id.as_ref().filter(|id| id.guessed) {
            notes.push(format!(
                "id: {} (its texts are all different; --id-column takes another)",
                id.name
            ));
        }
        let set_aside: Vec<SetAside> = roles
            .set_aside
            .iter()
            .map(|&(col, why)| SetAside {
                name: name(col),
                why,
            })
            .filter(|column| id.as_ref().is_none_or(|id| id.name != column.name))
            .collect();
        notes.extend(roles::text_note(&set_aside));
        Ok(Found {
            n_rows,
            has_header,
            id,
            label: plan.label.map(name),
            weight: plan.weight.map(name),
            set_aside,
            missing: roles.missing,
            notes,
            table,
        })
    }

    /// Names of all columns of the file.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of the columns in use.
    pub(crate) fn used_names(&self) -> &[String] {
        &self.used_names
    }

    /// First row of a part, and how many it has.
    pub(crate) fn part_rows(&self, part: usize) -> (usize, usize) {
        self.ranges
            .get(part)
            .map_or((0, 0), |range| (range.first_row, range.n_rows))
    }

    /// The texts of some columns (by their place in the file) in one part.
    pub(crate) fn part_texts(
        &self,
        part: usize,
        columns: &[usize],
    ) -> Result<Vec<TextColumn>, ReadError> {
        let mut wants = vec![Want::default(); self.wants.len()];
        for &col in columns {
            if let Some(want) = wants.get_mut(col) {
                want.text = true;
            }
        }
        // Fields come in the order of the file; each goes to every place that asked for its column.
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
        Ok(columns
            .iter()
            .map(|col| column(col).unwrap_or_default())
            .collect())
    }

    /// Hands every row of a part to `take`: the fields whose text is wanted, and the wanted numbers.
    fn for_each_row(
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
                Step::Blank => {}
                Step::End => break,
                Step::Ragged { .. } | Step::OpenQuote => return Err(changed()),
            }
        }
        self.file.bytes.release(range.start, range.end);
        if n_rows == range.n_rows {
            Ok(())
        } else {
            Err(changed())
        }
    }

    /// The first column of texts, if no two of them are alike.
    fn guess_id(
        &self,
        plan: &Plan,
        roles: &Roles,
        scan: &Scan,
        ctx: &Context,
    ) -> Result<Option<IdColumn>, ReadError> {
        let first = roles.set_aside.iter().find(|(_, why)| *why == Why::Text);
        let Some(&(col, _)) = first else {
            return Ok(None);
        };
        if scan.n_rows < 2 || scan.n_rows > MOST_IDS {
            return Ok(None);
        }
        let mut wants = vec![Want::default(); self.wants.len()];
        wants[col].text = true;
        let hashes = |part: usize| -> Result<Vec<u64>, ReadError> {
            let mut hashes = Vec::new();
            self.for_each_row(part, &wants, |fields, _| {
                for field in fields {
                    let mut hasher = DefaultHasher::new();
                    hasher.write(&self.file.splitter().content(field));
                    hashes.push(hasher.finish());
                }
                Ok(())
            })?;
            Ok(hashes)
        };
        let parts: Result<Vec<Vec<u64>>, ReadError> =
            ctx.install(|| (0..self.ranges.len()).into_par_iter().map(hashes).collect());
        let mut all = parts?.concat();
        all.par_sort_unstable();
        let distinct = all.windows(2).all(|pair| pair[0] != pair[1]);
        Ok(distinct.then(|| IdColumn {
            name: plan.names.get(col).cloned().unwrap_or_default(),
            guessed: true,
        }))
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
        let (mut first, _) = self.part_rows(part);
        if let Some(numbers) = self.kept.as_ref().and_then(|kept| kept.get(part)) {
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
    fn push(&mut self, row: &[f64], weight_slot: Option<usize>) {
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

/// What later readings take: the columns in use and the weights.
fn wanted(plan: &Plan, roles: &Roles) -> Vec<Want> {
    let mut wants = vec![Want::default(); plan.wants.len()];
    for &col in roles.used.iter().chain(&plan.weight) {
        wants[col].number = true;
    }
    wants
}

/// Takes the columns that are not used out of the numbers that the first reading kept.
fn compact(
    numbers: Vec<Vec<f64>>,
    had: &[Want],
    wants: &[Want],
    weight_slot: Option<usize>,
    ctx: &Context,
) -> Vec<Numbers> {
    let stays: Vec<bool> = had
        .iter()
        .zip(wants)
        .filter(|(had, _)| had.number)
        .map(|(_, want)| want.number)
        .collect();
    if stays.iter().all(|stays| *stays) && weight_slot.is_none() {
        let whole = |cells| Numbers {
            cells,
            weights: Vec::new(),
        };
        return numbers.into_iter().map(whole).collect();
    }
    let one = |cells: Vec<f64>| {
        let mut out = Numbers::default();
        let mut row = Vec::with_capacity(stays.len());
        for cells in cells.chunks_exact(stays.len().max(1)) {
            row.clear();
            let kept = cells.iter().zip(&stays).filter(|(_, stays)| **stays);
            row.extend(kept.map(|(cell, _)| *cell));
            out.push(&row, weight_slot);
        }
        out
    };
    ctx.install(|| numbers.into_par_iter().map(one).collect())
}

/// A reader's error on its way through the core.
pub(crate) fn into_core(error: ReadError) -> Error {
    match error {
        ReadError::Core(error) => error,
        other => Error::Source(Box::new(other)),
    }
}
