//! Reads what must be known before a columnar file can be used: missing values that its statistics do not rule out.

use std::ops::Range;

use eigenspan::Context;

use super::source::{Column, Reader};
use super::store::{Cursor, Seen};
use crate::error::ReadError;
use crate::parallel::try_each;
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

/// Reads the columns that may hold more than plain numbers; one result for each column given.
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
    ctx.begin("reading", Some((rows.len() * suspects.len()) as u64));
    // One field at a time, forward through a group of rows: no page is unpacked twice.
    let field = |group: &Range<usize>,
                 (field, places): &(usize, Vec<usize>)|
     -> Result<Vec<Odd>, ReadError> {
        let width = width_of(columns, places);
        let step = part_rows(width);
        let mut odd = vec![Odd::default(); places.len()];
        let mut cells = Vec::new();
        for start in group.clone().step_by(step) {
            ctx.check()?;
            let part = start..(start + step).min(group.end);
            let mut seen = Seen::default();
            cells.clear();
            reader.read(&[*field], part.clone(), |cursors| {
                let mut read = |cursor: &mut Box<dyn Cursor>| {
                    cursor.numbers(part.len(), width, &mut cells, &mut seen)
                };
                cursors.iter_mut().try_for_each(&mut read)
            })?;
            inspect(&cells, &seen, (columns, places), start, rules, &mut odd);
            ctx.advance(part.len() as u64);
        }
        Ok(odd)
    };
    for group in &reader.groups(rows) {
        let found = try_each(ctx, suspects.len(), |i| field(group, &suspects[i]));
        for ((_, places), later) in suspects.iter().zip(found?) {
            for (&i, later) in places.iter().zip(&later) {
                if let Some(odd) = odd.get_mut(i) {
                    odd.merge(later);
                }
            }
        }
    }
    Ok(odd)
}

fn width_of(columns: &[Column], places: &[usize]) -> usize {
    let first = places.first().and_then(|&i| columns.get(i));
    first.map_or(1, |column| column.width)
}

/// Records what the cells of one field hold; one result for each column that is taken from it.
fn inspect(
    cells: &[f64],
    seen: &Seen,
    (columns, places): (&[Column], &[usize]),
    start: usize,
    rules: &CellRules,
    odd: &mut [Odd],
) {
    let width = width_of(columns, places);
    let mut of_element: Vec<Option<usize>> = vec![None; width];
    for (at, &i) in places.iter().enumerate() {
        let element = columns.get(i).and_then(|c| of_element.get_mut(c.element));
        if let Some(place) = element {
            *place = Some(at);
        }
        if let Some(odd) = odd.get_mut(at) {
            odd.large = odd.large.or(seen.large);
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
