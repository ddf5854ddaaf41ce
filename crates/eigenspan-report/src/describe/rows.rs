//! A second pass beside the numbers: how often each text occurs, and whether rows repeat.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use eigenspan::source::Source;
use eigenspan::{Context, Real, parallel};
use eigenspan_io::{MissingWords, Numbers, Table};
use rayon::prelude::*;

use super::Other;
use crate::JobError;

/// At most this many distinct texts of a column are counted.
const MOST_TEXTS: usize = 100_000;
/// Up to this many rows, repeated rows are searched for; that takes 16 bytes per row.
const MOST_ROWS: usize = 4 << 20;

/// The result of the pass.
#[derive(Debug, Default)]
pub(super) struct RowScan {
    /// One entry per column that was requested.
    pub(super) texts: Vec<Texts>,
    /// How many rows repeat an earlier row, and the first of them (from 0); `None` if not computed.
    pub(super) duplicates: Option<(usize, Option<usize>)>,
}

/// The texts of a column.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    counts: HashMap<String, u64>,
    too_many: bool,
    pub(super) count: u64,
    pub(super) missing: u64,
}

impl Texts {
    fn add(&mut self, text: &str, count: u64) {
        self.count += count;
        if let Some(known) = self.counts.get_mut(text) {
            *known += count;
        } else if self.counts.len() < MOST_TEXTS {
            self.counts.insert(text.to_owned(), count);
        } else {
            self.too_many = true;
        }
    }

    fn merge(&mut self, other: Texts) {
        for (text, count) in &other.counts {
            self.add(text, *count);
        }
        let counted: u64 = other.counts.values().sum();
        self.count += other.count - counted;
        self.missing += other.missing;
        self.too_many |= other.too_many;
    }

    pub(super) fn distinct(&self) -> Option<usize> {
        (!self.too_many).then_some(self.counts.len())
    }

    pub(super) fn most_frequent(&self) -> Option<(&str, u64)> {
        let counts = self.counts.iter().filter(|_| !self.too_many);
        let most = counts.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        most.map(|(text, count)| (text.as_str(), *count))
    }
}

/// Reads every part once; results of the parts are merged in order.
pub(super) fn scan(
    ctx: &Context,
    table: &Table,
    others: &[Other],
    missing: &MissingWords,
) -> Result<RowScan, JobError> {
    let places: Vec<usize> = others.iter().map(|other| other.place).collect();
    let look = table.n_rows() <= MOST_ROWS;
    // Rows that differ only in their id still count as equal.
    let counts: Vec<bool> = others.iter().map(|o| o.role != Some("id")).collect();
    let mut total = RowScan {
        texts: vec![Texts::default(); others.len()],
        duplicates: None,
    };
    let mut hashes: Vec<(u64, usize)> = Vec::new();
    let one = |part: usize| -> Result<(Vec<Texts>, Vec<u64>), JobError> {
        ctx.check().map_err(|e| JobError::core(table.name(), e))?;
        let columns = table.part_texts(part, &places)?.columns;
        let mut texts = vec![Texts::default(); columns.len()];
        let mut hashers = match look {
            true => hashed_numbers(table, part)?,
            false => Vec::new(),
        };
        for ((texts, column), counts) in texts.iter_mut().zip(&columns).zip(&counts) {
            if hashers.len() < column.len() && look {
                hashers.resize_with(column.len(), DefaultHasher::new);
            }
            for (i, text) in column.iter().enumerate() {
                match missing.contains(text) {
                    true => texts.missing += 1,
                    false => texts.add(text.trim(), 1),
                }
                if let Some(hasher) = hashers.get_mut(i).filter(|_| *counts) {
                    hasher.write(text.as_bytes());
                    hasher.write_u8(0xff);
                }
            }
        }
        Ok((texts, hashers.iter().map(Hasher::finish).collect()))
    };
    let n_parts = table.n_parts();
    let wave = 4 * ctx.threads();
    for start in (0..n_parts).step_by(wave) {
        let count = wave.min(n_parts - start);
        let parts = ctx.install(|| parallel::try_collect(count, |i| one(start + i)))?;
        for (texts, rows) in parts {
            for (texts, more) in total.texts.iter_mut().zip(texts) {
                texts.merge(more);
            }
            let first = hashes.len();
            hashes.extend(rows.into_iter().zip(first..));
        }
    }
    if look {
        total.duplicates = Some(ctx.install(|| repeats(hashes)));
    }
    Ok(total)
}

/// How many rows repeat an earlier row, and the number of the first one that does.
fn repeats(mut hashes: Vec<(u64, usize)>) -> (usize, Option<usize>) {
    hashes.par_sort_unstable();
    let again = hashes.windows(2).filter_map(|pair| match pair {
        [a, b] if a.0 == b.0 => Some(b.1),
        _ => None,
    });
    again.fold((0, None), |(count, first), row| {
        let first: Option<usize> = first;
        (count + 1, Some(first.map_or(row, |first| first.min(row))))
    })
}

/// One hash per row of a part, computed from its numbers.
fn hashed_numbers(table: &Table, part: usize) -> Result<Vec<DefaultHasher>, JobError> {
    if table.columns().is_empty() {
        return Ok(Vec::new());
    }
    match table.numbers() {
        Numbers::F32(source) => hashed(table, source, part),
        Numbers::F64(source) => hashed(table, source, part),
    }
}

fn hashed<T: Real>(
    table: &Table,
    source: &dyn Source<T>,
    part: usize,
) -> Result<Vec<DefaultHasher>, JobError> {
    let mut hashers = Vec::new();
    let mut row = vec![0.0; source.n_cols()];
    let read = source.read_part(part, &mut |rows| {
        for i in 0..rows.block.n_rows() {
            rows.block.row_to_f64(i, &mut row);
            let mut hasher = DefaultHasher::new();
            for x in &row {
                let bits = if x.is_nan() { f64::NAN } else { x + 0.0 };
                hasher.write_u64(bits.to_bits());
            }
            hashers.push(hasher);
        }
        Ok(())
    });
    read.map_err(|e| JobError::core(table.name(), e))?;
    Ok(hashers)
}
