//! What has to be read before a columnar file can be used: missing values that its statistics do not rule out.

use std::ops::Range;

use eigenspan::Context;
use rayon::prelude::*;

use super::source::{Column, Reader};
use super::store::Seen;
use crate::error::ReadError;
use crate::table::part_rows;
use crate::text::CellRules;

/// What a column holds besides plain numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Odd {
    pub(super) missing: u64,
    /// Row of the first missing value, from 0 in the file, and how it is written.
    pub(super) first: Option<(usize, String)>,
    /// An integer beyond 2⁵³.
    pub(super) large: Option<i128>,
}

impl Odd {
    fn note(&mut self, row: usize, token: impl FnOnce() -> String) {
        self.missing += 1;
        if self.first.is_none() {
            self.first = Some((row, token()));
        }
    }

    fn merge(&mut self, later: &Odd) {
        self.missing += later.missing;
        if self.first.is_none() {
            self.first.clone_from(&later.first);
        }
        self.large = self.large.or(later.large);
    }
}

/// Reads the columns that may hold more than plain numbers; one answer for each column given.
pub(super) fn scan(
    reader: &Reader,
    columns: &[Column],
    rows: &Range<usize>,
    rules: &CellRules,
    ctx: &Context,
) -> Result<Vec<Odd>, ReadError> {
    let mut odd = vec![Odd::default(); columns.len()];
    // Columns whose field has to be read, by field.
    let mut suspects: Vec<(usize, Vec<usize>)> = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        if reader.store.is_plain(column.field) && !rules.has_missing_numbers() {
            continue;
        }
        match suspects.last_mut() {
            Some((field, places)) if *field == column.field => places.push(i),
            _ => suspects.push((column.field, vec![i])),
        }
    }
    if suspects.is_empty() {
        return Ok(odd);
    }
    let fields: Vec<usize> = suspects.iter().map(|(field, _)| *field).collect();
    let n_cells: usize = suspects.iter().map(|(_, places)| places.len()).sum();
    let step = part_rows(n_cells);
    ctx.begin("reading", Some(rows.len() as u64));
    let part = |part: usize| -> Result<Vec<Odd>, ReadError> {
        ctx.check()?;
        let start = rows.start + part * step;
        let part = start..(start + step).min(rows.end);
        let found = reader.read(&fields, part.clone(), |cursors| {
            let mut odd = vec![Odd::default(); columns.len()];
            let mut cells = Vec::new();
            for (cursor, (_, places)) in cursors.iter_mut().zip(&suspects) {
                let width = width_of(columns, places);
                let mut seen = Seen::default();
                cells.clear();
                cursor.numbers(part.len(), width, &mut cells, &mut seen)?;
                look(&cells, &seen, (columns, places), start, rules, &mut odd);
            }
            Ok(odd)
        });
        ctx.advance(part.len() as u64);
        found
    };
    let n_parts = rows.len().div_ceil(step);
    // In waves, so that what is learned about many columns does not pile up.
    let wave = 8 * ctx.threads();
    for first in (0..n_parts).step_by(wave) {
        let parts = first..(first + wave).min(n_parts);
        let found: Result<Vec<Vec<Odd>>, ReadError> =
            ctx.install(|| parts.into_par_iter().map(part).collect());
        for later in found? {
            odd.iter_mut()
                .zip(&later)
                .for_each(|(odd, later)| odd.merge(later));
        }
    }
    Ok(odd)
}

fn width_of(columns: &[Column], places: &[usize]) -> usize {
    let first = places.first().and_then(|&i| columns.get(i));
    first.map_or(1, |column| column.width)
}

/// Notes what the cells of one field hold, for the columns that are taken from it.
fn look(
    cells: &[f64],
    seen: &Seen,
    (columns, places): (&[Column], &[usize]),
    start: usize,
    rules: &CellRules,
    odd: &mut [Odd],
) {
    let width = width_of(columns, places);
    let mut of_element: Vec<Option<usize>> = vec![None; width];
    for &i in places {
        let element = columns.get(i).and_then(|c| of_element.get_mut(c.element));
        if let Some(place) = element {
            *place = Some(i);
        }
        if let Some(odd) = odd.get_mut(i) {
            odd.large = seen.large;
        }
    }
    let mut note = |at: usize, token: &dyn Fn() -> String| {
        let place = of_element.get(at % width).copied().flatten();
        if let Some(odd) = place.and_then(|i| odd.get_mut(i)) {
            odd.note(start + at / width, token);
        }
    };
    if !rules.has_missing_numbers() {
        seen.nulls
            .iter()
            .for_each(|&at| note(at, &|| "null".to_owned()));
        return;
    }
    let mut nulls = seen.nulls.iter().peekable();
    for (at, &cell) in cells.iter().enumerate() {
        if nulls.next_if(|null| **null == at).is_some() {
            note(at, &|| "null".to_owned());
        } else if rules.is_missing_number(cell) {
            note(at, &|| zmij::Buffer::new().format(cell).to_owned());
        }
    }
}
